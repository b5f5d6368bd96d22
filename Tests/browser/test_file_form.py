"""Without scripts a plain form does the same: what becomes of a file is a page."""

import hashlib
import unittest

import foreign
from browser import open_browser
from dropping import Wire, another_gateway, choose, word
from test_file import SAMPLE, FileTest


class Form(FileTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plain = open_browser(script=False)
        cls.addClassCleanup(cls.plain.close)
        cls.signed = foreign.Authority(cls.folder / "form", "Form Press").sign(SAMPLE.read_bytes(), "A title")

    def send(self, content, text, name="photo.jpg", status=200, browser=None):
        """Chooses a file and presses the button; waits for a page that says `text`."""
        browser = browser or self.plain
        browser.go("/verify-file")
        wire = Wire(browser)
        choose(browser, self.file(name, content))
        button = browser.one("#check button[type=submit]")
        self.assertEqual(wire.uploads(), [], "choosing sends nothing")
        button.click()
        browser.wait(lambda: text in browser.text(), what=f"the page says {text}")
        self.assertEqual([(each.method, each.status) for each in wire.uploads()], [("POST", status)])
        if status == 200:
            self.assertIn(hashlib.sha256(content).hexdigest(), browser.text())
        self.assertEqual(len(browser.all("h1")), 1)
        return browser.text()

    def test_consent_is_said_above_the_button(self):
        """The button is there only without scripts, below the sentence that says what happens to the file."""
        self.plain.go("/verify-file")
        sentence = next(each for each in self.plain.all("#check p") if each.text == word("file.consent.form"))
        button = self.plain.one("#check button[type=submit]")
        self.assertTrue(sentence.is_displayed() and button.is_displayed())
        self.assertLess(sentence.rect["y"], button.rect["y"])
        self.plain.shot("form")
        self.browser.go("/verify-file")
        self.assertFalse(self.browser.one("#check button[type=submit]").is_displayed())

    def test_every_outcome_is_a_page(self):
        """Known, of others, not fitting, not readable, no record, empty, of another type."""
        record = self.world.records["high"]
        said = self.send(record.photo_path.read_bytes(), word("file.found"))
        for text in (word("badge.high"), "Lyon", word("tally.pass", n=6)):
            self.assertIn(text, said)
        self.plain.shot("form-found")
        said = self.send(self.signed, word("c2.valid.state"))
        self.assertTrue("Form Press" in said and "A title" in said)
        self.plain.shot("form-valid")
        said = self.send(foreign.damaged(self.signed), word("c2.invalid.state"))
        self.assertFalse("Form Press" in said or "A title" in said)
        self.plain.shot("form-invalid")
        self.send(foreign.unreadable(self.signed), word("c2.unreadable.state"))
        self.send(foreign.elsewhere(SAMPLE.read_bytes(), "https://a.example/m"), word("c2.remote", host="a.example").split(" a.")[0])
        self.send(self.unknown(), word("file.none"))
        self.plain.shot("form-none")
        self.plain.allow("/verify-file")
        self.send(b"", word("file.empty"), status=400)
        self.send(b"Dear reader", word("file.type"), "letter.jpg", status=415)
        self.plain.shot("form-type")
        self.plain.check()

    def test_the_record_opens(self):
        """The found record is a link."""
        record = self.world.records["high"]
        self.send(record.photo_path.read_bytes(), word("file.found"))
        self.plain.one(f"main a[href='{record.path}']").click()
        self.plain.wait(lambda: self.plain.driver.current_url.endswith(record.path), what="the record opens")

    def test_the_limit_is_a_page(self):
        """Over the limit the page says when to come back."""
        with another_gateway(self.world, "8", RIAL_LIMIT_VERIFICATIONS_PER_HOUR="1") as address:
            with open_browser(script=False, base=address) as browser:
                browser.allow("429")
                self.send(self.unknown(), word("file.none"), browser=browser)
                self.send(self.unknown(), word("file.limit").split("{")[0], status=429, browser=browser)


if __name__ == "__main__":
    unittest.main()
