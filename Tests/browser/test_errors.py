"""Pages that say what went wrong: links that are wrong, withdrawn or old, too many requests, our own failures; and answers for programs."""

import hashlib
import hmac
import json
import re
import time
import unittest
import urllib.parse

import layout
import world
from browser import open_browser
from records import copied
from words import shown, words

# It stops PostgreSQL.
ALONE = True
HTML = {"Accept": "text/html"}


class ErrorPages(unittest.TestCase):
    def setUp(self):
        self.world = world.shared()

    def expect(self, path, status, key, more=None, base=None, offers=()):
        """The page at `path` in both languages and sizes."""
        answered, headers, _ = self.world.get(path, **HTML)
        self.assertEqual(answered, status)
        self.assertEqual((headers["Cache-Control"], headers["X-Robots-Tag"]), ("no-store", "noindex"))
        for language, width in [("en", 360), ("es", 1280)]:
            with self.subTest(language=language), open_browser(width=width, language=language, base=base) as browser:
                browser.allow(f"status of {status}").go(path)
                self.assertEqual(shown(browser.text("h1")), words(key, language))
                text = shown(browser.text("main"))
                for each in [more or f"{key}.more", "err.neutral", *offers]:
                    self.assertIn(words(each, language).split("{")[0], text)
                # Errors are described in words, not by codes. A request id may contain any digits.
                self.assertNotIn(str(status), re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "", text))
                self.assertEqual(layout.flaws(browser), [])
                browser.shot(f"error-{status}-{key}-{width}-{language}")

    def test_a_page_that_is_not_there(self):
        for path in ["/nothing-here", "/v/AAAAAAAA", "/verify/0b5e4a52-6b0f-4a37-8f3d-0d8f0c3f5f10", "/verify/not-an-id"]:
            self.expect(path, 404, "err.404", offers=["err.file", "err.home"])

    def test_a_media_link_that_has_expired_leads_to_its_record(self):
        record = self.world.records["high"]
        expires = int(time.time()) - 60
        key = bytes.fromhex((self.world.home / "keys/link-key").read_text().strip())
        message = f"rial-media-v1\n{record.id}\npublic.jpg\n{expires}".encode()
        path = f"/media/{record.id}/public.jpg?expires={expires}&signature={hmac.new(key, message, hashlib.sha256).hexdigest()}"
        self.expect(path, 410, "err.410.link", offers=["file.open"])
        with open_browser() as browser:
            browser.allow("status of 410").go(path).one(".acts .main").click()
            browser.wait(lambda: browser.driver.current_url.endswith(record.path), what="the record")

    def test_our_own_failure_has_a_number_to_give(self):
        record = copied(self.world, self.world.records["high"], "processing")
        self.world.sql(f"""
            UPDATE captures SET status = 'complete', confidence_level = 'high', evidence = '{{}}' WHERE id = '{record.id}';
            """)
        self.expect(record.path, 500, "err.500", offers=["err.retry"])
        status, headers, body = self.world.get(record.path, **HTML)
        self.assertIn(headers["X-Request-Id"], body.decode())

    def test_a_pause_of_ours_says_that_records_are_safe(self):
        self.world.stop("postgres")
        try:
            self.expect(self.world.records["high"].path, 503, "err.503", offers=["err.retry"])
        finally:
            self.world.start("postgres")
        world.eventually(lambda: self.world.get(self.world.records["high"].path)[0] == 200, "the database is back")

    def test_too_many_files_are_told_when_to_come_back(self):
        self.world.start("gateway", "2", RIAL_LIMIT_VERIFICATIONS_PER_HOUR="1")
        try:
            for script in [True, False]:
                with open_browser(width=360, script=script, base=self.world.gateway(2)) as browser:
                    browser.allow("status of 429")
                    for _ in range(2):
                        browser.go("/verify-file").one("input[type=file]").send_keys(str(self.world.records["high"].photo_path))
                        if not script:
                            browser.one("form [type=submit]").click()
                        browser.wait(lambda: browser.text("#outcome h2"), what="an answer")
                    self.assertIn(words("file.limit").split("{")[0], shown(browser.text("#outcome")))
                    self.assertEqual(layout.flaws(browser), [])
                    browser.shot(f"error-429-{'script' if script else 'noscript'}-360")
        finally:
            self.world.stop("gateway", "2")


class AnswersForPrograms(unittest.TestCase):
    def setUp(self):
        self.world = world.shared()

    def test_robots_may_read_records_but_not_programs_addresses(self):
        status, headers, body = self.world.get("/robots.txt")
        self.assertEqual((status, headers.get_content_type()), (200, "text/plain"))
        lines = body.decode().splitlines()
        self.assertIn("Disallow: /api/", lines)
        self.assertNotIn("Disallow: /", lines)

    def test_records_are_not_listed_unless_the_operator_says_so(self):
        for path, listed in [("/", True), ("/methodology", True), ("/log", True), ("/bundle", True), (self.world.records["high"].path, False)]:
            _, headers, body = self.world.get(path)
            self.assertEqual((headers["X-Robots-Tag"] is None, b'name="robots"' not in body), (listed, listed), path)

    def test_a_record_is_described_for_embedding(self):
        record = self.world.records["high"]
        for address in [f"{self.world.url}/verify/{record.id}", f"{self.world.url}/v/{record.short_id}"]:
            status, headers, body = self.world.get(f"/oembed?format=json&url={urllib.parse.quote(address, safe='')}")
            self.assertEqual((status, headers.get_content_type()), (200, "application/json"))
            answer = json.loads(body)
            self.assertEqual(answer["version"], "1.0")
            self.assertIn(words("badge.high"), answer["title"])
        self.assertEqual(self.world.get("/oembed?format=xml&url=x")[0], 501)
        self.assertEqual(self.world.get("/oembed?url=https%3A%2F%2Felsewhere.example%2Fverify%2F1")[0], 404)

    def test_the_short_address_leads_to_the_record(self):
        record = self.world.records["high"]
        status, headers, _ = self.world.get(f"/v/{record.short_id}?lang=es")
        self.assertEqual((status, headers["Location"]), (302, f"{record.path}?lang=es"))

    def test_every_page_has_the_usual_headers(self):
        for path in ["/", "/methodology", "/verify-file", "/log", self.world.records["high"].path, "/nothing-here"]:
            _, headers, _ = self.world.get(path, **HTML)
            policy = headers["Content-Security-Policy"]
            for part in ["default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"]:
                self.assertIn(part, policy, path)
            self.assertNotIn("unsafe", policy)
            self.assertEqual((headers["X-Content-Type-Options"], headers["Referrer-Policy"]), ("nosniff", "no-referrer"))
            self.assertIn("Accept-Language", headers["Vary"])

    def test_a_page_that_has_not_changed_is_not_sent_again(self):
        for path in ["/methodology", "/bundle", self.world.records["high"].path]:
            tag = self.world.get(path)[1]["ETag"]
            self.assertEqual(self.world.get(path, If_None_Match=tag)[0], 304, path)
