"""Accessibility of the site: axe-core, reduced motion, narrow and enlarged windows, forced colours, print."""

import unittest

import axe
import layout
import world
from browser import open_browser
from pages import every_page
from words import shown, words


class AxeTests(unittest.TestCase):
    """Each size, each colour scheme and each language once: colours do not depend on the size, nor roles and names on the colours."""

    def find_nothing(self, **options):
        with open_browser(**options).allow("status of 404") as browser:
            for page in every_page():
                with self.subTest(page.name, **options):
                    browser.go(page.path)
                    # With all content visible.
                    browser.js("for (const row of document.querySelectorAll('details')) row.open = true")
                    self.assertEqual(axe.violations(browser), [])

    def test_axe_finds_nothing_on_any_page_on_a_phone(self):
        self.find_nothing(width=360, height=780)

    def test_axe_finds_nothing_on_any_page_on_a_large_screen_in_the_dark(self):
        self.find_nothing(width=1280, height=800, dark=True)

    def test_axe_finds_nothing_on_any_page_in_spanish(self):
        self.find_nothing(width=768, height=1024, language="es")

    def test_axe_would_notice(self):
        """The check must be able to fail."""
        with open_browser() as browser:
            browser.go("/methodology")
            browser.style("p { color: #aaa }")
            browser.js("document.images[0].removeAttribute('alt'); document.documentElement.removeAttribute('lang')")
            found = " ".join(axe.violations(browser))
            for rule in ["color-contrast", "image-alt", "html-has-lang"]:
                self.assertIn(rule, found)


class MotionTests(unittest.TestCase):
    def moves(self, reduced):
        """(the number of running animations when rows open and a step is done, the number of elements that could be animated)"""
        with open_browser(reduced_motion=reduced) as browser:
            moving = 0
            for name in ["high", "processing"]:
                browser.go(world.shared().records[name].path)
                moving += browser.js("""
                    for (const row of document.querySelectorAll('details')) row.open = !row.open;
                    for (const step of document.querySelectorAll('#steps li')) step.classList.add('new');
                    document.body.offsetHeight;
                    return document.getAnimations().length""")
            could = browser.js("""
                return [...document.querySelectorAll('*')].filter((each) => {
                  const style = getComputedStyle(each);
                  return style.animationName !== 'none' || !/^0s(, 0s)*$/.test(style.transitionDuration)
                    || style.scrollBehavior === 'smooth';
                }).length""")
            return moving, could

    def test_nothing_moves_where_the_reader_wants_no_motion(self):
        self.assertEqual(self.moves(reduced=True), (0, 0))

    def test_what_moves_otherwise_is_found(self):
        moving, could = self.moves(reduced=False)
        self.assertGreater(moving, 0)
        self.assertGreater(could, 0)

    def test_nothing_moves_by_itself(self):
        with open_browser() as browser:
            for page in every_page():
                browser.allow("status of 404").go(page.path)
                self.assertEqual(browser.js("return document.getAnimations().length"), 0, page.name)


class SizeTests(unittest.TestCase):
    def test_pages_flow_again_at_320_pixels_and_at_four_times_the_size(self):
        # 1280 pixels at 400 % are 320 CSS pixels (WCAG 2.2, 1.4.10).
        for width, height, scale in [(320, 640, 1), (320, 200, 4)]:
            with open_browser(width=width, height=height).allow("status of 404") as browser:
                browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
                for page in every_page():
                    with self.subTest(page.name, width=width, scale=scale):
                        browser.go(page.path)
                        self.assertEqual(layout.flaws(browser), [])
                        if scale == 1:
                            browser.shot(f"{page.name}-320")

    def test_text_may_be_twice_as_large(self):
        with open_browser(font_size=32).allow("status of 404") as browser:
            for page in every_page():
                with self.subTest(page.name):
                    browser.go(page.path)
                    self.assertEqual(browser.js("return getComputedStyle(document.documentElement).fontSize"), "32px")
                    self.assertEqual(layout.flaws(browser), [])

    def test_text_may_be_spaced_wider(self):
        """WCAG 2.2, 1.4.12."""
        with open_browser(width=360, height=780).allow("status of 404") as browser:
            for page in every_page():
                with self.subTest(page.name):
                    browser.go(page.path)
                    browser.style("* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } "
                                  "p { margin-bottom: 2em !important }")
                    self.assertEqual(layout.flaws(browser), [])


class OtherMediaTests(unittest.TestCase):
    def test_on_paper_there_is_all_to_read_and_nothing_to_press(self):
        with open_browser(dark=True) as browser:
            for name in ["high", "development", "suspicious", "hash_only"]:
                record = world.shared().records[name]
                browser.go(record.path)
                browser.media("print")
                browser.js("dispatchEvent(new Event('beforeprint'))")
                self.assertEqual(browser.js("return document.querySelectorAll('details:not([open])').length"), 0)
                for selector in [".btn", ".top nav", ".pick", ".stage input", ".bar", "label.zone"]:
                    self.assertEqual([each for each in browser.all(selector) if each.is_displayed()], [], selector)
                text = browser.text("body")
                self.assertIn(f"{browser.base}{record.path}", text)
                self.assertIn(record.sha256, text)
                self.assertEqual(
                    browser.js("const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]"),
                    ["rgb(0, 0, 0)", "rgb(255, 255, 255)"])
                # Ink for white paper, regardless of the screen's colour scheme.
                self.assertIn(browser.js("return getComputedStyle(document.querySelector('.rows .w')).color"), [
                    "rgb(23, 100, 61)", "rgb(179, 38, 30)"])
                self.assertTrue(browser.js(
                    "return [...document.querySelectorAll('.g rect')].every((each) => getComputedStyle(each).display !== 'none')"))
                width = browser.js("return document.querySelector('.photo')?.getBoundingClientRect().width ?? 0")
                self.assertLessEqual(width, 7 / 2.54 * 96 + 1)
                self.keep_paper(browser, name)
                browser.media("")
                browser.js("dispatchEvent(new Event('afterprint'))")

    def keep_paper(self, browser, name):
        browser.size(720, 1020)
        browser.shot(f"{name}-paper")
        browser.size(1280, 800)

    def test_forced_colours_keep_badge_and_buttons_in_sight(self):
        with open_browser() as browser:
            browser.media(forced_colors="active").go(world.shared().records["high"].path)
            widths = browser.js(
                "return ['.badge', '.btn', '.pick'].map((each) => getComputedStyle(document.querySelector(each)).borderTopWidth)")
            self.assertNotIn("0px", widths)
            self.assertEqual(layout.flaws(browser), [])
            browser.shot("high-forced-colours")

    def test_no_badge_is_told_by_colour_alone(self):
        """Word and shape differ as well."""
        seen = set()
        with open_browser() as browser:
            for name in ["high", "medium", "low", "suspicious"]:
                browser.go(world.shared().records[name].path)
                shape = browser.js("return document.querySelector('.say .badge use').getAttribute('href')")
                text = shown(browser.text(".say .badge"))
                self.assertEqual(text, words(f"badge.{name}"))
                seen.add((shape, text))
        self.assertEqual(len({shape for shape, _ in seen}), 4)
