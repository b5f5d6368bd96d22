"""The site by keyboard alone: where Tab leads, that it shows, and that Enter and Space do what a click does."""

import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import world
from browser import open_browser
from words import words

# Describes the focused element: its kind and label, and whether the focus is visible.
FOCUS = r"""
const element = document.activeElement;
if (!element || element === document.body) return null;
const text = element.getAttribute('aria-label') ?? element.closest('label')?.textContent ?? element.textContent;
const label = text.trim().replace(/\s+/g, ' ');
// What shows the focus may be the element's neighbour or frame, where the control itself lies unseen over it.
const shows = (each) => each && getComputedStyle(each).outlineStyle !== 'none' && parseFloat(getComputedStyle(each).outlineWidth) >= 2;
const visible = [element, element.nextElementSibling, element.closest('.zone'), element.parentElement.querySelector('.knob')].some(shows);
const box = element.getBoundingClientRect();
const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
return {kind: element.localName + (element.id ? '#' + element.id : ''), label, visible, inside};
"""


class Keyboard(unittest.TestCase):
    def press(self, browser, *keys):
        ActionChains(browser.driver, duration=0).send_keys(*keys).perform()

    def path(self, browser, limit=80):
        """All elements that Tab reaches from the top of the page, in order."""
        stops = []
        for _ in range(limit):
            self.press(browser, Keys.TAB)
            focus = browser.js(FOCUS)
            if focus is None or stops and focus == stops[0]:
                return stops
            self.assertTrue(focus["visible"], f"no outline on {focus}")
            self.assertTrue(focus["inside"], f"out of sight: {focus}")
            stops.append(focus)
        raise AssertionError(f"Tab does not come to an end: {stops}")

    def expect(self, stops, order):
        """`order`: the prefix of each stop's kind or label."""
        found = [(stop["kind"], stop["label"]) for stop in stops]
        self.assertEqual(len(found), len(order), found)
        for (kind, label), wanted in zip(found, order):
            self.assertTrue(kind.startswith(wanted) or label.startswith(wanted), f"{kind} “{label}” where “{wanted}” is due")

    HEAD = [words("site.skip"), words("site.home"), words("site.file"), words("site.how"), words("site.other")]
    FOOT = [words("site.limits"), words("site.file")]

    def test_tab_goes_through_a_record_as_it_is_read(self):
        with open_browser() as browser:
            browser.go(world.shared().records["high"].path)
            # Witnesses have seen its entry within seconds; its page is not told.
            browser.wait(lambda: browser.driver.refresh() or browser.text("#log .acts"), what="the evidence file is there")
            stops = self.path(browser)
            self.expect(stops, [
                *self.HEAD, words("tally.pass", n=6), words("act.evidence"), "button#copy", "input#split", words("view.both"), "button#all",
                *(words(f"ck.{each}") for each in ["hardware", "depth", "time", "model", "size", "location"]),
                words("cc.get").split(",")[0], words("cc.get.manifest").split(",")[0], words("cc.out"),
                words("entry.get"), words("how.log.check"), words("how.log.more"), *self.FOOT])

    def test_tab_goes_through_every_kind_of_record(self):
        with open_browser(width=360, height=780) as browser:
            for name, record in world.shared().records.items():
                with self.subTest(name):
                    self.assertGreater(len(self.path(browser.go(record.path))), 6)

    def test_tab_goes_through_the_landing_page(self):
        with open_browser() as browser:
            self.expect(self.path(browser.go("/")), [
                *self.HEAD, words("site.file"), words("site.how"), words("home.limits"), words("home.bundle"), "input", *self.FOOT])

    def test_tab_goes_through_the_page_for_files(self):
        for script in [True, False]:
            with open_browser(script=script) as browser:
                button = [] if script else [words("file.send")]
                self.expect(self.path(browser.go("/verify-file")), [*self.HEAD, "input", *button, *self.FOOT])

    def test_tab_goes_through_the_methodology(self):
        with open_browser() as browser:
            contents = ["how.levels", "ck.hardware", "how.depth", "how.videos", "how.data", "cc.h", "how.log", "how.defeats", "how.stored", "how.versions",
                "how.log.more", "how.log.check"]
            self.expect(self.path(browser.go("/methodology")), [*self.HEAD, *map(words, contents), *self.FOOT])

    def test_tab_goes_through_the_page_about_the_log(self):
        with open_browser() as browser:
            contents = ["log.what", "log.shards", "log.follow", "log.run", "log.policy", "log.limits", "log.what.check", "log.policy.get"]
            self.expect(self.path(browser.go("/log")), [*self.HEAD, *map(words, contents), *self.FOOT])

    def test_the_skip_link_leads_past_the_header(self):
        with open_browser() as browser:
            for path in ["/", world.shared().records["high"].path]:
                browser.go(path)
                self.press(browser, Keys.TAB)
                self.assertGreaterEqual(browser.js("return document.activeElement.getBoundingClientRect().top"), 0)
                self.press(browser, Keys.ENTER)
                self.press(browser, Keys.TAB)
                self.assertTrue(browser.js("return document.getElementById('main').contains(document.activeElement)"), path)

    def test_enter_and_space_open_and_close_rows(self):
        with open_browser() as browser:
            browser.go(world.shared().records["high"].path)
            for key in [Keys.ENTER, Keys.SPACE]:
                browser.js("document.querySelector('#check-time summary').focus()")
                for state in [True, False]:
                    self.press(browser, key)
                    self.assertEqual(browser.js("return document.getElementById('check-time').open"), state)

    def test_enter_and_space_press_every_button(self):
        with open_browser() as browser:
            browser.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
            for key in [Keys.ENTER, Keys.SPACE]:
                browser.go(world.shared().records["high"].path)
                browser.js("document.getElementById('all').focus()")
                self.press(browser, key)
                self.assertEqual(browser.js("return document.querySelectorAll('.rows > details:not([open])').length"), 0)
                self.assertEqual(browser.text("#all"), words("act.less"))
                browser.js("document.getElementById('copy').focus()")
                self.press(browser, key)
                browser.wait(lambda: browser.text("#copy").strip() == words("act.copied"), what="the link is copied")

    def test_the_view_is_chosen_by_arrows(self):
        with open_browser() as browser:
            browser.go(world.shared().records["high"].path)
            browser.js("document.querySelector('.pick input:checked').focus()")
            for key, share in [(Keys.ARROW_LEFT, "100%"), (Keys.ARROW_RIGHT, "50%"), (Keys.ARROW_RIGHT, "0%")]:
                self.press(browser, key)
                self.assertEqual(browser.js("return document.getElementById('stage').style.getPropertyValue('--x')"), share)

    def test_a_count_of_checks_leads_to_its_row_and_opens_it(self):
        with open_browser() as browser:
            browser.go(world.shared().records["without_location"].path)
            browser.js("document.querySelector('.tally a[href=\"#check-location\"]').focus()")
            self.press(browser, Keys.ENTER)
            browser.wait(lambda: browser.js("return document.getElementById('check-location').open"), what="the row is open")

    def test_enter_and_space_ask_for_a_file(self):
        with open_browser() as browser:
            for path in ["/", "/verify-file", world.shared().records["hash_only"].path]:
                for key in [Keys.ENTER, Keys.SPACE]:
                    browser.go(path)
                    browser.js("window.asked = 0; const input = document.querySelector('#check input[type=file]'); "
                               "input.addEventListener('click', (event) => { window.asked++; event.preventDefault() }); input.focus()")
                    self.press(browser, key)
                    self.assertEqual(browser.js("return window.asked"), 1, f"{path} {key!r}")
