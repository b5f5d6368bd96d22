"""A file is dropped, chosen or pasted: each thing that can be found out about it, and what is sent for that."""

import hashlib
import json
import os
import pathlib
import tempfile
import unittest
import urllib.parse
import urllib.request

import world
from browser import open_browser
from dropping import Wire, choose, drag, drop, has_focus, open_page, paste, press, told, word

SAMPLE = world.ROOT / "Shared/Site/Resources/img/example-flat.jpg"


class FileTest(unittest.TestCase):
    """A window on the page for files, a folder, and what the captures' links lead to."""

    width = 1280

    @classmethod
    def setUpClass(cls):
        cls.world = world.shared()
        held = tempfile.TemporaryDirectory(prefix="rial-files-")
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name)
        cls.browser = open_browser(cls.width, 900)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        # An unknown hash is a normal result, but the browser logs every 404.
        self.browser.allow("/api/v1/verify-hash/")

    def tearDown(self):
        self.browser.check()

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def unknown(self):
        """A new JPEG without credentials."""
        return SAMPLE.read_bytes() + os.urandom(8)

    def media(self, record, member):
        view = urllib.request.urlopen(f"{self.world.url}/api/v1/captures/{record.id}", timeout=20).read()
        link = json.loads(view)["data"][member]
        parts = urllib.parse.urlsplit(link)
        return urllib.request.urlopen(f"{self.world.url}{parts.path}?{parts.query}", timeout=20).read()


class Found(FileTest):
    def found(self, content, title, name="photo.jpg", kind="image/jpeg"):
        wire = open_page(self.browser)
        drop(self.browser, content, name, kind)
        said = told(self.browser, title)
        self.assertTrue(has_focus(self.browser))
        self.assertEqual(wire.looked_up(), [hashlib.sha256(content).hexdigest()])
        self.assertIn(hashlib.sha256(content).hexdigest(), said)
        return wire, said

    def opens(self, record):
        link = self.browser.one("#outcome [data-slot=open]")
        self.assertEqual(urllib.parse.urlsplit(link.get_attribute("href")).path, record.path)
        link.click()
        self.browser.wait(lambda: self.browser.js("return location.pathname") == record.path, what="the record opens")

    def test_the_original(self):
        """FR38: an original is on record: badge, facts, tally, a link to the evidence; only its hash was sent."""
        record = self.world.records["high"]
        wire, said = self.found(record.photo_path.read_bytes(), word("file.found"))
        for text in (word("badge.high"), "Lyon", "iPhone 15 Pro", word("tally.pass", n=6), "UTC"):
            self.assertIn(text, said)
        wire.assert_nothing_sent(self)
        self.browser.shot("file-found-original")
        self.opens(record)

    def test_what_we_made_of_it(self):
        """The copy that we signed, and pictures and credentials that we made, are told apart from the original and from each other."""
        record = self.world.records["high"]
        for member, title in [
            ("c2pa_media_url", "file.found.copy"), ("thumbnail_url", "file.found.thumb"), ("c2pa_manifest_url", "file.found.manifest"),
            ("depth_visualization_url", "file.found.depth"),
        ]:
            content = self.media(record, member)
            # A browser saves files of credentials under this name, and knows no type for them.
            named = ("manifest.c2pa", "") if member == "c2pa_manifest_url" else ("photo.jpg", "image/jpeg")
            wire, said = self.found(content, word(title), *named)
            self.assertIn(word("badge.high"), said)
            wire.assert_nothing_sent(self)
            self.browser.shot(f"file-{title}")

    def test_other_claims_and_test_records(self):
        """A file that several devices claim shows the others; a test device's record says so in the badge."""
        record = self.world.records["similar"]
        _, said = self.found(record.photo_path.read_bytes(), word("file.found"))
        self.assertIn(word("file.others"), said)
        links = [each.get_attribute("href") for each in self.browser.all("#outcome [data-slot=claims] a")]
        others = {self.world.records[name].path for name in ("similar", "similar_second", "similar_test")}
        shown = {urllib.parse.urlsplit(each).path for each in [*links, self.browser.one("[data-slot=open]").get_attribute("href")]}
        self.assertEqual(shown, others)
        self.browser.shot("file-found-others")
        _, said = self.found(self.world.records["development"].photo_path.read_bytes(), word("file.found"))
        self.assertIn(word("badge.test"), said)

    def test_every_level_says_its_name(self):
        """SUSPICIOUS and LOW records are found as such: a record is not an endorsement."""
        for name in ("medium", "low", "suspicious"):
            _, said = self.found(self.world.records[name].photo_path.read_bytes(), word("file.found"))
            self.assertIn(word(f"badge.{name}"), said)
        self.browser.shot("file-found-suspicious")

    def test_our_manifest_in_a_copy_that_is_not_known(self):
        """FR39: a copy of other bytes that holds our manifest, intact, is the copy we signed; asked for only after consent."""
        record = self.world.records["high"]
        copy = bytearray(self.media(record, "c2pa_media_url"))
        # The box instance number in the head of the segment (ISO/IEC 19566-5, annex D): the manifest store is the same, byte for byte.
        segment = copy.find(b"\xff\xeb")
        self.assertEqual(copy[segment + 4:segment + 6], b"JP")
        copy[segment + 7] ^= 1
        wire = open_page(self.browser)
        drop(self.browser, bytes(copy))
        told(self.browser, word("file.unknown"))
        wire.assert_nothing_sent(self)
        press(self.browser, "send")
        said = told(self.browser, word("file.found.copy"))
        self.assertIn(word("badge.high"), said)
        wire.assert_sent_once(self)
        self.opens(record)

    def test_the_landing_page_checks_files_too(self):
        """The drop zone of the landing page does the same."""
        open_page(self.browser, "/")
        drop(self.browser, self.world.records["high"].photo_path.read_bytes())
        told(self.browser, word("file.found"))


class Consent(FileTest):
    def test_declined_nothing_is_sent(self):
        """FR40: no record: the page asks first, and after “Do not send” no byte of the file has left."""
        content = self.unknown()
        wire = open_page(self.browser)
        self.assertTrue(drag(self.browser, self.file("dragged.jpg", content)), "the zone shows that it takes the file")
        said = told(self.browser, word("file.unknown"))
        self.assertIn(word("file.consent"), said)
        self.assertIn("dragged.jpg", said)
        self.assertTrue(has_focus(self.browser))
        self.assertEqual(wire.looked_up(), [hashlib.sha256(content).hexdigest()])
        wire.assert_nothing_sent(self)
        self.browser.shot("file-consent")
        press(self.browser, "none")
        said = told(self.browser, word("file.none"))
        self.assertIn(word("file.none.more"), said)
        wire.assert_nothing_sent(self)
        self.browser.shot("file-none")

    def test_agreed_it_is_sent_once(self):
        """FR40: after “Send the file” it is sent once, and nothing is found in it."""
        wire = open_page(self.browser)
        choose(self.browser, self.file("chosen.jpg", self.unknown()))
        told(self.browser, word("file.unknown"))
        wire.assert_nothing_sent(self)
        press(self.browser, "send")
        told(self.browser, word("file.none"))
        wire.assert_sent_once(self)
        self.assertTrue(has_focus(self.browser))

    def test_consent_is_asked_for_each_file(self):
        """An earlier yes is none for the next file, and leaving the question open sends nothing."""
        wire = open_page(self.browser)
        drop(self.browser, self.unknown())
        told(self.browser, word("file.unknown"))
        press(self.browser, "send")
        told(self.browser, word("file.none"))
        second = self.unknown()
        paste(self.browser, second)
        told(self.browser, word("file.unknown"))
        self.assertEqual(wire.looked_up()[-1], hashlib.sha256(second).hexdigest())
        third = Wire(self.browser)
        paste(self.browser, self.unknown())
        told(self.browser, word("file.unknown"))
        third.assert_nothing_sent(self)
        wire.assert_sent_once(self)

    def test_the_count_would_notice(self):
        """A script that sends the file without asking is seen, both in the browser and at the gateway."""
        wire = open_page(self.browser)
        self.browser.js("const form = new FormData(); form.append('file', new Blob(['x'])); fetch('/api/v1/verify-file', {method: 'POST', body: form})")
        self.browser.wait(lambda: wire.uploads() and wire.uploads()[0].status, what="the answer")
        self.browser.allow("/api/v1/verify-file")
        with self.assertRaises(AssertionError):
            wire.assert_nothing_sent(self)
        wire.assert_sent_once(self)


class HashOnly(FileTest):
    def test_a_file_is_compared_here(self):
        """A record without media compares the file in the browser: match and mismatch, and not one request for it."""
        record = self.world.records["hash_only"]
        wire = open_page(self.browser, record.path)
        drop(self.browser, record.photo_path.read_bytes())
        told(self.browser, word("hash.yes"))
        self.browser.shot("hash-only-match")
        drop(self.browser, self.unknown())
        told(self.browser, word("hash.no"))
        self.assertTrue(has_focus(self.browser))
        self.browser.shot("hash-only-mismatch")
        wire.assert_nothing_sent(self)
        self.assertEqual(wire.looked_up(), [])


if __name__ == "__main__":
    unittest.main()
