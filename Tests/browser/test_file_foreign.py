"""Files with Content Credentials of others: trusted, unknown issuer, not fitting, not readable and elsewhere are told apart."""

import unittest

import foreign
from browser import open_browser
from dropping import another_gateway, choose, drop, has_focus, open_page, press, told, word
from test_file import SAMPLE, FileTest

TITLE, GENERATOR, ISSUER = "Harbour at dawn", "Example Camera", "Example Press"


class Foreign(FileTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.authority = foreign.Authority(cls.folder / "authority", ISSUER)
        cls.photo = SAMPLE.read_bytes()
        cls.signed = cls.authority.sign(cls.photo, TITLE, GENERATOR, ingredients=["An ingredient"])

    def verdict(self, content, case, browser=None, **values):
        """Agrees to send the file; returns the page's result."""
        browser = browser or self.browser
        wire = open_page(browser)
        drop(browser, content)
        told(browser, word("file.unknown"))
        wire.assert_nothing_sent(self)
        press(browser, "send")
        said = told(browser, word(f"c2.{case}.state"))
        self.assertIn(word(f"c2.{case}", **values), said.replace("\u2068", "").replace("\u2069", ""))
        self.assertTrue(has_focus(browser))
        self.assertEqual([each.method for each in wire.uploads()], ["POST"])
        codes = browser.one("#outcome [data-slot=codes]")
        self.assertIsNone(codes.get_attribute("open"), "technical codes are closed")
        codes.find_element("css selector", "summary").click()
        self.assertRegex(browser.text("#outcome [data-slot=codes]"), r"\w+\.\w+")
        codes.find_element("css selector", "summary").click()
        browser.shot(f"foreign-{case}")
        return said

    def assert_says_nothing_of_it(self, said):
        """Expects nothing of the manifest's content, since it cannot be trusted."""
        for text in (TITLE, GENERATOR, ISSUER, "An ingredient"):
            self.assertNotIn(text, said)
        self.assertEqual(self.browser.all("#outcome .kv"), [])

    def test_an_issuer_that_is_not_listed(self):
        """Intact, but we cannot say who the issuer is; what the manifest says is shown."""
        said = self.verdict(self.signed, "valid", issuer=ISSUER)
        for text in (TITLE, GENERATOR, ISSUER):
            self.assertIn(text, said)

    def test_a_long_title(self):
        """It is cut, and the whole of it is behind a button, with scripts and by the form."""
        title = "Harbour " * 60
        content = self.authority.sign(self.photo, title, GENERATOR)
        self.verdict(content, "valid", issuer=ISSUER)
        with open_browser(script=False) as plain:
            plain.go("/verify-file")
            choose(plain, self.file("long.jpg", content))
            plain.one("#check button[type=submit]").click()
            plain.wait(lambda: word("c2.valid.state") in plain.text(), what="the answer's page")
            for browser in (self.browser, plain):
                self.assertIn(title[:119] + "…", browser.text(".kv"))
                self.assertNotIn(title.strip(), browser.text(".kv"))
                browser.one(".kv summary").click()
                self.assertIn(title.strip(), browser.text(".kv"))
                self.assertEqual(len(browser.all(".kv details")), 1, "nothing else is cut")
            plain.shot("foreign-long-title-form")
        self.browser.shot("foreign-long-title")

    def test_an_issuer_on_the_list(self):
        """With the issuer's root among the gateway's anchors the same file is trusted."""
        anchors = self.folder / "anchors.pem"
        anchors.write_text(self.authority.root_pem)
        with another_gateway(self.world, "7", RIAL_C2PA_TRUST_ANCHORS=str(anchors)) as address, open_browser(base=address) as browser:
            browser.allow("/api/v1/verify-hash/")
            said = self.verdict(self.signed, "trusted", browser, issuer=ISSUER)
            for text in (TITLE, GENERATOR, ISSUER):
                self.assertIn(text, said)

    def test_credentials_that_do_not_fit(self):
        """A file that was changed after signing: nothing of what its manifest says is repeated."""
        self.assert_says_nothing_of_it(self.verdict(foreign.damaged(self.signed), "invalid"))

    def test_credentials_that_cannot_be_read(self):
        """A manifest that is no manifest says nothing about the photo."""
        self.assert_says_nothing_of_it(self.verdict(foreign.unreadable(self.signed), "unreadable"))

    def test_credentials_that_are_elsewhere(self):
        """A manifest at another address: its host is named, and nobody asks it."""
        content = foreign.elsewhere(self.photo, "https://credentials.example/manifest.c2pa")
        self.assert_says_nothing_of_it(self.verdict(content, "remote", host="credentials.example"))
        self.assertEqual([each.url for each in self.browser.requests() if "credentials.example" in each.url], [])


if __name__ == "__main__":
    unittest.main()
