"""All pages in all sizes, in both colour schemes and languages, with and without scripts; a screenshot of each is saved where people
can look at it, since that takes nearly half of the time."""

import os
import unittest

import layout
import world
from browser import open_browser
from pages import every_page, spoken
from words import shown, words

WIDTHS = {360: 780, 768: 1024, 1280: 800}


class PageTests(unittest.TestCase):
    def look(self, language="en", **options):
        """Checks all pages in one window."""
        with open_browser(language=language, **options).allow("status of 404") as browser:
            for page in every_page():
                with self.subTest(page.name, **options, language=language):
                    browser.go(page.path)
                    self.expect_words(browser, page, language)
                    self.assertEqual(layout.flaws(browser), [])
                    self.keep(browser, page, language, **options)

    def expect_words(self, browser, page, language):
        # Closed details are part of the page, though not visible.
        browser.js("for (const row of document.querySelectorAll('.rows > details')) row.open = true")
        text = shown(browser.text("body"))
        self.assertEqual(browser.js("return document.documentElement.lang"), language)
        self.assertEqual(shown(browser.text("h1")), spoken(page.h1, language))
        for key in page.says:
            self.assertIn(shown(spoken(key, language)), text)
        if page.badge:
            self.assertIn(words(f"badge.{page.badge}", language), shown(browser.text(".say .badge")))
            self.assertIn(words(f"badge.{page.badge}", language), browser.driver.title)
        self.assertIn("rial.", browser.driver.title)
        self.assertNotRegex(browser.js("return document.documentElement.textContent"), r"\{\w+\}.*</|\{\{|\bnil\b|Optional\(")

    def keep(self, browser, page, language, width, height, dark=False, script=True):
        if os.environ.get("CI"):
            return
        looks = [page.name, str(width), "dark" if dark else "light", "" if script else "noscript", "" if language == "en" else language]
        browser.shot("-".join(filter(None, looks)))

    def test_pages_in_light_fit_every_width(self):
        for width, height in WIDTHS.items():
            self.look(width=width, height=height)

    # Neither colours nor scripts change the layout of a page but for a few lines: one width each.
    def test_pages_in_dark_fit_a_phone(self):
        self.look(width=360, height=WIDTHS[360], dark=True)

    def test_pages_without_scripts_fit_a_tablet(self):
        self.look(width=768, height=WIDTHS[768], dark=True, script=False)

    def test_pages_in_spanish_fit_a_phone_and_a_large_screen(self):
        for width in [360, 1280]:
            self.look("es", width=width, height=WIDTHS[width])


class ScriptTests(unittest.TestCase):
    def test_what_needs_a_script_is_there_only_with_one(self):
        paths = ["/", "/verify-file", "/bundle", *(world.shared().records[name].path for name in ["high", "processing", "hash_only"])]
        for script in [True, False]:
            with open_browser(script=script) as browser:
                for path in paths:
                    with self.subTest(path, script=script):
                        browser.go(path)
                        for selector, wanted in [(".js", script), (".nojs", not script)]:
                            seen = {browser.js("return arguments[0].checkVisibility()", each) for each in browser.all(f"body {selector}")}
                            self.assertLessEqual(seen, {wanted}, selector)

    def test_a_record_in_progress_promises_only_what_the_browser_can_do(self):
        for script, said, unsaid in [(True, "proc.note", "proc.noscript"), (False, "proc.noscript", "proc.note")]:
            with open_browser(script=script) as browser:
                text = shown(browser.go(world.shared().records["processing"].path).text())
                self.assertIn(words(said), text)
                self.assertNotIn(words(unsaid), text)

    def test_the_depth_picture_is_whole_without_scripts(self):
        with open_browser(script=False) as browser:
            browser.go(world.shared().records["high"].path)
            self.assertEqual(browser.js("return getComputedStyle(document.querySelector('.stage .over')).clipPath"), "none")
            self.assertFalse(browser.one("#split").is_displayed())


class LanguageTests(unittest.TestCase):
    def test_the_switch_overrides_what_the_browser_prefers_and_comes_back_to_the_page(self):
        record = world.shared().records["high"]
        with open_browser(language="es") as browser:
            browser.go(record.path).one("nav a[hreflang=en]").click()
            browser.wait(lambda: browser.js("return document.documentElement.lang") == "en", what="English")
            self.assertTrue(browser.driver.current_url.endswith(record.path))
            browser.go("/")
            self.assertEqual(shown(browser.text("h1")), words("home.h1"))
            browser.one("nav a[hreflang=es]").click()
            browser.wait(lambda: shown(browser.text("h1")) == words("home.h1", "es"), what="Spanish")

    def test_a_language_that_is_not_spoken_becomes_english(self):
        with open_browser(language="fr") as browser:
            self.assertEqual(browser.go("/").js("return document.documentElement.lang"), "en")


class SelfCheck(unittest.TestCase):
    def test_flaws_of_layout_would_be_noticed(self):
        """The check must be able to fail."""
        with open_browser(width=360, height=780) as browser:
            for style, flaw in [
                ("h1 { white-space: nowrap }", "scrolls sideways"), (".say h1 { margin-bottom: -3rem }", "text over"),
                (".s { font-size: 12px }", "text of 12px"), (".badge { width: 3rem; overflow: hidden; white-space: nowrap }", "cut text"),
                ("h1 { width: 3rem }", "broken word"), (".btn { min-height: 1rem; padding: 0 }", "a control under 44 px"),
                (".photo img { object-fit: fill; height: 40px }", "stretched picture"),
            ]:
                browser.go(world.shared().records["high"].path)
                self.assertEqual(layout.flaws(browser), [])
                browser.style(style)
                self.assertTrue([each for each in layout.flaws(browser) if each.startswith(flaw)], flaw)
            browser.js("document.images[0].removeAttribute('alt'); document.querySelector('h1').remove()")
            found = " ".join(layout.flaws(browser))
            self.assertIn("no alt", found)
            self.assertIn("0 h1", found)
