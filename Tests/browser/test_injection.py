"""Hostile texts in everything that a stranger may choose are text on the page, and nothing else."""

import html
import http.server
import json
import threading
import unittest
import urllib.parse

import foreign
import hostile
import world
from browser import open_browser
from dropping import choose, drop, open_page, press, told, word
from sender import Sender
from test_file import SAMPLE, FileTest

ALL = {**hostile.STRINGS, **hostile.UNREFUSED}


class InjectionTest(FileTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        hostile.watched(cls.browser.driver)
        cls.plain = open_browser(script=False)
        cls.addClassCleanup(cls.plain.close)

    def assert_harmless(self, browser, name):
        self.assertEqual(hostile.findings(browser.driver), [], name)

    def assert_shown(self, browser, name, text, selector="main"):
        """Expects the text to be visible, since otherwise nothing would be tested."""
        said = browser.js("return document.querySelector(arguments[0]).textContent", selector)
        self.assertTrue(hostile.holds(said, text), f"{name} is not on the page: {hostile.plain(said)[:3000]}")


class Records(InjectionTest):
    def test_what_a_device_says_of_itself(self):
        """Models, metadata and detection reports, sent as a device sends them, are text on the record's page and in the answer's JSON."""
        for number, (name, text) in enumerate(hostile.STRINGS.items()):
            # The model is limited to 100 characters; longer texts are covered by the other tests.
            sender = Sender(self.world.url, self.folder / f"device-{number}", "--model", text[:100], scene=self.world.scene("screen"))
            report = {text: text, "nested": [{text[::-1]: text}]}
            identifier = sender.send(detection=report, device_model=text[:100], app_version=text, **{"note": text, "os": {text: [text]}})
            self.browser.go(f"/verify/{identifier}?lang={'es' if number % 2 else 'en'}")
            self.assert_shown(self.browser, name, text[:60])
            self.assert_harmless(self.browser, name)
            self.browser.go(f"/api/v1/captures/{identifier}")
            # In JSON the text is unchanged; it must not be interpreted as markup.
            found = [each for each in hostile.findings(self.browser.driver) if "PRE" not in each]
            self.assertEqual(found, [], f"{name} as JSON")
            self.assertEqual(self.browser.all("body > :not(pre):not(div)"), [])
            self.assertEqual(self.browser.js("return document.contentType"), "application/json")
        self.browser.shot("injection-model")

    def test_what_a_file_says_of_its_camera(self):
        """Model and time in a photo's EXIF are not on the page, hostile or not."""
        for name in ("script", "double quote", "combining mark", "override"):
            scene = self.folder / f"scene-{name}"
            self.world.rial("scene", "screen", "--out", scene, "--size", "64x48", "--model", hostile.STRINGS[name])
            record = self.world.send(scene="screen", photo=scene / "photo.jpg", depth=scene / "depth.f32.gz")
            self.browser.go(record.path)
            self.assert_harmless(self.browser, name)
            self.assertNotIn("owned", self.browser.js("return document.documentElement.innerHTML.replace(/data-owned/g, 'owned')"))

    def test_what_a_database_might_hold(self):
        """Also texts that no way in lets through, in every text of a record's evidence: pages trust no store."""
        record = self.world.send("--location", "45.764043,4.835659", scene="screen")
        other = self.world.send("--location", "45.764043,4.835659", scene="screen", device="genuine-second", photo=record.photo_path)
        for name, text in ALL.items():
            value = text.replace("\x00", "")
            changes = " || ".join([
                "jsonb_set(jsonb_set(jsonb_set(jsonb_set(evidence, '{hardware_attestation,device_model}', v), '{metadata,location_coarse}', v),"
                " '{depth_analysis,method}', v), '{hardware_attestation,reason}', v)"])
            quoted = "$owned$" + json.dumps(value) + "$owned$::jsonb"
            self.world.sql(f"UPDATE captures SET evidence = {changes.replace(', v)', f', {quoted})')} WHERE id IN ('{record.id}', '{other.id}')")
            for browser in (self.browser, self.plain):
                browser.go(record.path)
                self.assert_shown(browser, name, text, ".facts")
                self.assert_shown(browser, name, text, "#evidence")
                self.assert_harmless(browser, name)
            # The list of similar captures, and the answer to a file that is dropped.
            self.assertGreaterEqual(len(self.plain.all(".list li")), 2)
            self.assertTrue(self.plain.js("return [...document.querySelectorAll('.list bdi')].length") >= 1)
            open_page(self.browser)
            drop(self.browser, record.photo_path.read_bytes())
            told(self.browser, word("file.found"))
            self.assert_shown(self.browser, name, text, "#outcome")
            self.assert_harmless(self.browser, name)
        self.browser.shot("injection-found")
        self.plain.shot("injection-record")


class Manifests(InjectionTest):
    def signed(self, number, text):
        """A photo with this text in all text fields of its manifest."""
        # An X.520 organisation has at most 64 characters, and a label is plain ASCII here: "/", "=" and "_" mean something in it.
        issuer = text.replace("\n", " ").replace("\r", " ").replace("\x1b", " ")[:60]
        label = "org.x." + "".join(each for each in text if "!" <= each <= "~" and each not in "/=_")[:60]
        authority = foreign.Authority(self.folder / f"authority-{number}", issuer)
        return authority.sign(
            SAMPLE.read_bytes(), text, text, assertions=[(label, {text: text, "value": [text]})], ingredients=[text])

    def test_what_foreign_manifests_say(self):
        """Title, generator, issuer, labels and ingredients of a stranger's manifest, with scripts and by the form."""
        for number, (name, text) in enumerate(ALL.items()):
            with self.subTest(name):
                try:
                    content = self.signed(number, text)
                except (RuntimeError, foreign.library().C2paError):
                    # Neither the library nor openssl can write such a text.
                    self.assertIn(name, ("controls", "lines", "long", "long without rest"))
                    continue
                open_page(self.browser)
                drop(self.browser, content, f"{text[:50]}.jpg")
                told(self.browser, word("file.unknown"))
                self.assert_shown(self.browser, name, text[:40], "#outcome")
                self.assert_harmless(self.browser, f"the file's name: {name}")
                press(self.browser, "send")
                told(self.browser, word("c2.valid.state"))
                self.assert_shown(self.browser, name, text[:40], "#outcome .kv")
                self.assert_harmless(self.browser, name)
                self.plain.go("/verify-file")
                choose(self.plain, self.file(f"hostile-{number}.jpg", content))
                self.plain.one("#check button[type=submit]").click()
                self.plain.wait(lambda: word("c2.valid.state") in self.plain.text(), what="the answer's page")
                self.assert_shown(self.plain, name, text[:40], ".kv")
                self.assert_harmless(self.plain, f"{name} by the form")
        self.browser.shot("injection-foreign")
        self.plain.shot("injection-foreign-form")

    def test_where_a_manifest_is_said_to_be(self):
        """The host of a manifest at another address, whatever it is made of."""
        for name, text in hostile.STRINGS.items():
            address = f"https://{text}.example/{text}"
            content = foreign.elsewhere(SAMPLE.read_bytes(), html.escape(address))
            open_page(self.browser)
            drop(self.browser, content)
            told(self.browser, word("file.unknown"))
            press(self.browser, "send")
            self.browser.wait(lambda: not self.browser.all("#outcome [data-do=send], #outcome progress"), what="an answer")
            self.assert_harmless(self.browser, name)


class Requests(InjectionTest):
    def test_addresses(self):
        """Texts in paths, queries and fragments of every page."""
        for name, text in ALL.items():
            # Three times in one address; that has at most a thousand escapes.
            quoted = urllib.parse.quote(text[:800 if text.isascii() else 80], safe="")
            low = self.world.records["low"]
            # Not in what the server answers, then not in what a page's scripts make of its address.
            for path in [
                f"/?lang={quoted}&{quoted}={quoted}", f"/verify/{quoted}", f"/v/{quoted}?lang=es", f"{low.path}?lang={quoted}",
                f"/language?to={quoted}&back={quoted}", f"/language?to=es&back=/{quoted}",
            ]:
                status, headers, body = self.world.get(path)
                self.assertTrue(status < 500, f"{status} {path}")
                self.assertNotIn(b"owned", body.lower(), f"{name} in {path}")
                target = urllib.parse.urljoin(self.world.url + path, headers["location"] or "")
                self.assertTrue(target.startswith(self.world.url + "/"), f"{path} → {target}")
            self.browser.allow("Failed to load resource")
            for path in [f"{low.path}?lang={quoted}#{quoted}", f"/verify/{quoted}#{quoted}"]:
                self.browser.go(self.world.url + path)
                self.assert_harmless(self.browser, f"{name}: {path[:60]}")
                self.assertTrue(self.browser.driver.current_url.startswith(self.world.url + "/"), self.browser.driver.current_url)
            for path in [
                f"/oembed?url={quoted}&format={quoted}", f"/oembed?url={quoted}", f"/oembed?url={self.world.url}/verify/{quoted}",
                f"/api/v1/captures/{quoted}", f"/api/v1/verify-hash/{quoted}", f"/media/{low.id}/{quoted}?expires={quoted}&signature={quoted}",
            ]:
                status, headers, _ = self.world.get(path)
                self.assertTrue(400 <= status < 600 and status != 500, f"{status} {path}")
                self.assertEqual((headers.get_content_type(), headers["x-content-type-options"]), ("application/json", "nosniff"), path)

    def test_headers(self):
        """Texts in the language, in cookies and in what a request says of itself do not come back, in no header and no page."""
        for name, text in hostile.STRINGS.items():
            value = urllib.parse.quote(text, safe=" <>\"'=/{}()#!-") if not text.isascii() else text
            for path in ("/", self.world.records["low"].path, "/verify/nothing", "/language?to=es&back=/"):
                for header in ("Accept_Language", "Cookie", "Referer", "User_Agent", "X_Request_Id", "X_Forwarded_For", "X_Forwarded_Host"):
                    given = f"lang={value}; {value}" if header == "Cookie" else value
                    status, headers, body = self.world.get(path, **{header: given})
                    self.assertLess(status, 500)
                    self.assertNotIn(b"owned", body.lower(), f"{name} in {header} of {path}")
                    self.assertNotIn("owned", str(headers).lower(), f"{name} in {header} of {path}")

    def test_redirections_stay_here(self):
        """The language switch leads back to this site only."""
        for back in ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:1", "/%0d%0aSet-Cookie:owned=1", "\\\\evil.example",
                     "/\t/evil.example", "/%09/evil.example", "///evil.example", "/.//evil.example", "/..//evil.example", "/%5cevil.example"]:
            status, headers, _ = self.world.get("/language?to=es&back=" + urllib.parse.quote(back, safe="%"))
            self.assertEqual(status, 303)
            target = urllib.parse.urljoin(self.world.url + "/language", headers["location"])
            self.assertTrue(target.startswith(self.world.url + "/"), f"{back} → {target}")
            self.browser.go("/language?to=en&back=" + urllib.parse.quote(back, safe="%"))
            self.assertTrue(self.browser.driver.current_url.startswith(self.world.url + "/"), f"{back} → {self.browser.driver.current_url}")
            self.browser.allow("Failed to load resource")


class Detector(unittest.TestCase):
    """A page of ours that does not escape is noticed, for each text; one that does is not."""

    @classmethod
    def setUpClass(cls):
        cls.pages = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = cls.pages.get(self.path, "").encode("utf-8", "surrogatepass")
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.browser = open_browser(base=f"http://127.0.0.1:{server.server_port}")
        cls.addClassCleanup(cls.browser.close)
        hostile.watched(cls.browser.driver)

    def findings(self, page):
        path = f"/{len(self.pages)}"
        self.pages[path] = f"<!doctype html><html lang=en><title>A page</title>{page}"
        self.browser.go(path)
        return hostile.findings(self.browser.driver)

    def test_a_page_that_does_not_escape_is_noticed(self):
        """In text, in attributes with each quote, in an address, a style or a script: every text is noticed in at least one of them."""
        for name, text in ALL.items():
            places = [
                f"<p>{text}</p>", f'<p title="{text}">x</p>', f"<p title='{text}'>x</p>", f"<p title={text}>x</p>", f'<a href="{text}">x</a>',
                f"<style>{text}</style>", f"<title>{text}</title>", f"<template>{text}</template>", f"<script>'{text}'</script>",
            ]
            if name in ("template", "encoded", "many marks"):
                continue  # Harmless in a browser, but a template library that evaluates its values again would expand it.
            self.assertTrue(any(self.findings(place) for place in places), name)

    def test_a_page_that_escapes_is_not(self):
        """The same texts, escaped, cleaned and set apart, are nothing."""
        for name, text in ALL.items():
            safe = html.escape(hostile.plain(text))
            self.assertEqual(self.findings(f'<p><bdi>{safe}</bdi></p><p title="x">\u2068{safe}\u2069</p>'), [], name)

    def test_each_sort_of_finding(self):
        """A script, a breach of the policy, an element, a comment, an address, a direction and a control character: each alone."""
        policy = "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">"
        for page, part in [
            ("<script>__owned=1</script>", "a script ran"), ("<script>alert(1)</script>", "a script ran"),
            (policy + "<script>1</script>", "the policy"), ("<b data-owned>", "the attribute"), ("<b onclick=x>", "the attribute"),
            ("<!--x-->", "a comment"), ("<a href='javascript:1'>x</a>", "the address"), ("<img src='data:,x'>", "the address"),
            ("<p style='color:red'>x", "a style"), ("<p>\u202ex", "a control"), ("<p>\u2067x", "an isolate"), ("<p>x\u2069", "an isolate"),
            ("<p>\u05d0", "foreign direction"), ("<p title='\u05d0'>", "foreign direction"), ("<p>a\x07", "a control"),
            ("<template><b onclick=x></template>", "the attribute"),
        ]:
            self.assertTrue(any(part in each for each in self.findings(page)), page)


if __name__ == "__main__":
    unittest.main()
