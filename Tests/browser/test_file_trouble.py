"""Files and networks with which nothing can be found out: said in plain words, never held against the photo, and never a dead end."""

import os
import unittest

from browser import open_browser
from dropping import another_gateway, choose, drop, has_focus, open_page, paste, press, told, word
from test_file import FileTest

# It stops the gateway and PostgreSQL.
ALONE = True
MEGABYTE = 1024 * 1024
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c4890000000d49444154789c636001000000ffff03000006000557bfabd4"
    "0000000049454e44ae426082".replace(" ", ""))


class Refusals(FileTest):
    def refused(self, file, text):
        wire = open_page(self.browser)
        choose(self.browser, file)
        told(self.browser, text)
        self.assertTrue(has_focus(self.browser))
        self.assertEqual(wire.looked_up(), [])
        wire.assert_nothing_sent(self)

    def sparse(self, name, size):
        path = self.folder / name
        with open(path, "wb") as file:
            file.truncate(size)
        return path

    def test_files_that_are_not_even_hashed(self):
        """Empty, of another type, or too large: said at once, without a request."""
        self.refused(self.file("empty.jpg", b""), word("file.empty"))
        self.browser.shot("file-empty")
        self.refused(self.file("letter.txt", b"Dear reader"), word("file.type"))
        self.browser.shot("file-type")
        self.refused(self.sparse("large.jpg", 20 * MEGABYTE + 1), word("file.big", limit="20 MB"))
        self.browser.shot("file-big")
        self.refused(self.sparse("large.mp4", 100 * MEGABYTE + 1), word("file.big", limit="100 MB"))

    def test_a_file_of_the_limit_is_taken(self):
        """Exactly 20 MB of picture is not too large, and progress is said while it is hashed."""
        open_page(self.browser)
        choose(self.browser, self.sparse("largest.jpg", 20 * MEGABYTE))
        told(self.browser, word("file.unknown"), 60)

    def test_cancelling(self):
        """Hashing can be cancelled, for good: nothing was sent, and the same file can be chosen again."""
        wire = open_page(self.browser)
        # Hashing a hundred megabytes takes long enough for a click.
        film = self.sparse("film.mp4", 100 * MEGABYTE)
        choose(self.browser, film)
        self.browser.wait(lambda: self.browser.all("#outcome progress"), what="progress")
        said = self.browser.text("#outcome")
        self.assertIn("film.mp4", said)
        self.assertRegex(said, word("file.hash").replace("{n}", r"\d+").replace(".", r"\."))
        self.browser.shot("file-hashing")
        press(self.browser, "cancel")
        told(self.browser, word("file.cancelled"))
        self.assertEqual(self.browser.js("return document.querySelector('#check input').value"), "")
        wire.assert_nothing_sent(self)
        self.browser.shot("file-cancelled")
        # A later file is not affected by the cancelled one.
        paste(self.browser, PNG + b"1")
        told(self.browser, word("file.unknown"))
        self.assertEqual(len(wire.looked_up()), 1)

    def test_the_last_of_two_files_counts(self):
        """A file that is dropped while another is hashed takes its place."""
        wire = open_page(self.browser)
        choose(self.browser, self.sparse("slow.mp4", 90 * MEGABYTE))
        self.browser.wait(lambda: self.browser.all("#outcome progress"), what="progress")
        drop(self.browser, self.unknown(), "quick.jpg")
        self.assertIn("quick.jpg", told(self.browser, word("file.unknown")))
        self.assertEqual(len(wire.looked_up()), 1)

    def test_a_file_that_the_server_cannot_take(self):
        """What only looks like a picture by its name is sent after consent, and refused in words."""
        self.browser.allow("/api/v1/verify-file")
        open_page(self.browser)
        drop(self.browser, b"no picture at all " + os.urandom(8))
        told(self.browser, word("file.unknown"))
        press(self.browser, "send")
        told(self.browser, word("file.type"))


class Troubles(FileTest):
    def test_offline_and_back(self):
        """Offline the fingerprint waits, and is asked for when the network is back, without a click."""
        record = self.world.records["high"]
        wire = open_page(self.browser)
        self.browser.allow("ERR_INTERNET_DISCONNECTED")
        # The page's scripts have loaded; the network is emulated only for later requests.
        self.browser.cdp("Network.enable")
        conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        drop(self.browser, self.unknown())
        told(self.browser, word("file.unknown"))
        self.browser.cdp("Network.emulateNetworkConditions", offline=True, **conditions)
        try:
            drop(self.browser, record.photo_path.read_bytes())
            told(self.browser, word("file.offline"))
            self.assertTrue(has_focus(self.browser))
            self.browser.shot("file-offline")
        finally:
            self.browser.cdp("Network.emulateNetworkConditions", offline=False, **conditions)
        told(self.browser, word("file.found"))
        wire.assert_nothing_sent(self)

    def test_trying_again_while_offline(self):
        """However often the reader tries again offline, the network's return asks once."""
        record = self.world.records["high"]
        wire = open_page(self.browser)
        self.browser.allow("ERR_INTERNET_DISCONNECTED")
        self.browser.cdp("Network.enable")
        conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        drop(self.browser, self.unknown())
        told(self.browser, word("file.unknown"))
        self.browser.cdp("Network.emulateNetworkConditions", offline=True, **conditions)
        try:
            drop(self.browser, record.photo_path.read_bytes())
            told(self.browser, word("file.offline"))
            for _ in range(2):
                press(self.browser, "retry")
                told(self.browser, word("file.offline"))
            before = wire.looked_up()
        finally:
            self.browser.cdp("Network.emulateNetworkConditions", offline=False, **conditions)
        told(self.browser, word("file.found"))
        self.assertEqual(len(wire.looked_up()), len(before) + 1)
        wire.assert_nothing_sent(self)

    def test_the_gateway_is_away(self):
        """Without an answer the page says that it says nothing about the file, and “Try again” does."""
        record = self.world.records["high"]
        open_page(self.browser)
        self.browser.allow("ERR_CONNECTION_REFUSED")
        self.world.stop("gateway")
        try:
            drop(self.browser, record.photo_path.read_bytes())
            told(self.browser, word("file.server"))
            self.browser.shot("file-server")
        finally:
            self.world.start("gateway")
        press(self.browser, "retry")
        told(self.browser, word("file.found"))

    def test_a_server_that_fails(self):
        """An answer of 503 reads like no answer."""
        open_page(self.browser)
        self.browser.allow("503").allow("500")
        self.world.stop("postgres")
        try:
            drop(self.browser, self.unknown())
            told(self.browser, word("file.server"), 60)
        finally:
            self.world.start("postgres")
        # The retry may come before the gateway has reconnected.
        def known():
            if word("file.unknown") in self.browser.text("#outcome"):
                return True
            for button in self.browser.all("#outcome [data-do=retry]"):
                button.click()
            return False
        self.browser.wait(known, 60, "the database is back")

    def test_too_many_questions(self):
        """Over the limit the page says when to come back, and the question can be asked again."""
        with another_gateway(self.world, "8", RIAL_LIMIT_VERIFICATIONS_PER_HOUR="1") as address, open_browser(base=address) as browser:
            browser.allow("/api/v1/verify-hash/")
            open_page(browser)
            drop(browser, self.unknown())
            told(browser, word("file.unknown"))
            drop(browser, self.unknown())
            said = told(browser, word("file.limit").split("{")[0])
            self.assertRegex(said, r"\d+ minutes?")
            self.assertEqual(len(browser.all("#outcome [data-do=retry]")), 1)
            browser.shot("file-limit")


if __name__ == "__main__":
    unittest.main()
