"""The divider between photo and depth, and all that a finished page lets a reader do."""

import unittest

import world
from browser import open_browser
from dropping import word
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

RECT = "const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.x, r.y, r.width, r.height]"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = world.shared()
        cls.record = cls.world.records["high"]

    def open(self, **options):
        """A window on the record's page, with its depth picture in view; it closes with the test."""
        browser = open_browser(**options)
        self.addCleanup(browser.close)
        browser.go(self.record.path)
        if options.get("script", True):
            browser.wait(lambda: browser.js("return document.getElementById('stage').style.getPropertyValue('--x')"), what="the divider works")
        browser.js("document.getElementById('stage').scrollIntoView({block: 'center', behavior: 'instant'})")
        browser.wait(lambda: browser.js("return document.querySelector('#stage .over').complete"), what="the depth picture")
        return browser

    def state(self, browser):
        """(divider, left part of the depth picture that is hidden, selected view)"""
        return browser.js("""
            const stage = document.getElementById('stage');
            return [+document.getElementById('split').value, parseFloat(stage.style.getPropertyValue('--x')),
                    document.querySelector('.pick input:checked')?.value ?? null];""")

    def assert_divided(self, browser, value, within=0):
        divider, drawn, chosen = self.state(browser)
        self.assertAlmostEqual(divider, value, delta=within)
        self.assertEqual(drawn, divider)
        self.assertEqual(chosen, str(divider) if divider in (0, 50, 100) else None)
        spoken = browser.one("#split").get_attribute("aria-valuetext")
        self.assertEqual(spoken, word("view.slider.value", n=divider, m=100 - divider))
        self.assert_drawn(browser, divider)

    def assert_drawn(self, browser, divider):
        """Expects the photo on the left of the divider, the depth picture on its right, and the line between them."""
        left, _, width, _ = browser.js(RECT, "#stage")
        clip = browser.js("return getComputedStyle(document.querySelector('#stage .over')).clipPath")
        self.assertIn(f"{divider}%", clip if divider else clip + "0%")
        line_left, _, line_width, _ = browser.js(RECT, "#stage .bar")
        self.assertAlmostEqual(line_left + line_width / 2, left + width * divider / 100, delta=3)


class Slider(Page):
    def test_keyboard(self):
        """Arrows go by 1, Page keys by 10, Home and End to the ends; each is said in words."""
        browser = self.open()
        self.assert_divided(browser, 50)
        browser.js("document.getElementById('split').focus()")
        split = browser.one("#split")
        for key, value in [
            (Keys.ARROW_RIGHT, 51), (Keys.ARROW_UP, 52), (Keys.ARROW_LEFT, 51), (Keys.ARROW_DOWN, 50), (Keys.PAGE_UP, 60), (Keys.PAGE_DOWN, 50),
            (Keys.END, 100), (Keys.ARROW_RIGHT, 100), (Keys.PAGE_UP, 100), (Keys.HOME, 0), (Keys.PAGE_DOWN, 0), (Keys.PAGE_UP, 10),
        ]:
            split.send_keys(key)
            self.assert_divided(browser, value)
        self.assertEqual(split.get_attribute("aria-label"), word("view.slider"))
        browser.check()

    def test_mouse(self):
        """A click sets the divider, and dragging takes it along."""
        browser = self.open()
        stage = browser.one("#stage")
        width = browser.js(RECT, "#stage")[2]
        ActionChains(browser.driver).move_to_element_with_offset(stage, int(width * 0.25), 0).click().perform()
        self.assert_divided(browser, 75, within=4)
        actions = ActionChains(browser.driver).move_to_element_with_offset(stage, int(width * 0.25), 0).click_and_hold()
        actions.move_by_offset(int(-width * 0.3), 10).move_by_offset(int(-width * 0.3), 5).release().perform()
        self.assert_divided(browser, 15, within=5)
        browser.shot("slider-mouse")
        browser.check()

    def test_touch(self):
        """A finger moves the divider sideways."""
        browser = self.open(width=360, height=740, touch=True)
        self.assertIn("pan-y", browser.js("return getComputedStyle(document.getElementById('split')).touchAction"))
        left, top, width, height = browser.js(RECT, "#stage")
        self.finger(browser, [(left + width * share, top + height / 2) for share in (0.5, 0.55, 0.6, 0.7, 0.8)])
        self.assert_divided(browser, 80, within=6)
        browser.shot("slider-touch")
        browser.check()

    def test_a_finger_still_scrolls(self):
        """A finger that moves up or down over the picture scrolls the page."""
        browser = self.open(width=360, height=740, touch=True)
        left, top, width, height = browser.js(RECT, "#stage")
        before = browser.js("return scrollY")
        self.finger(browser, [(left + width * 0.5, top + height * 0.8 - step) for step in (0, 10, 30, 60, 100, 140)])
        browser.wait(lambda: browser.js("return scrollY") > before + 40, what="the page scrolls")
        browser.check()

    def finger(self, browser, points):
        (x, y), *rest = points
        browser.cdp("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for x, y in rest:
            browser.cdp("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x, "y": y}])
        browser.cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def test_views_without_dragging(self):
        """Photo, Both and Depth set the divider, by click and by keyboard, and follow it."""
        browser = self.open()
        labels = browser.all(".pick label")
        self.assertEqual([each.text for each in labels], [word("view.photo"), word("view.both"), word("view.depth")])
        for label, value in [(labels[0], 100), (labels[2], 0), (labels[1], 50)]:
            label.click()
            self.assert_divided(browser, value)
        for key, value in [(Keys.ARROW_RIGHT, 0), (Keys.ARROW_LEFT, 50), (Keys.ARROW_LEFT, 100)]:
            browser.driver.switch_to.active_element.send_keys(key)
            self.assert_divided(browser, value)
        browser.shot("slider-photo")
        browser.js("document.getElementById('split').focus()")
        browser.one("#split").send_keys(Keys.ARROW_LEFT)
        self.assert_divided(browser, 99)
        browser.check()

    def test_both_pictures_lie_on_each_other(self):
        """Photo and depth picture cover the same place, in landscape and in portrait."""
        for name in ("high", "portrait"):
            for width in (360, 1280):
                self.record = self.world.records[name]
                browser = self.open(width=width)
                boxes = browser.js("return [...document.querySelectorAll('#stage img')].map((each) => { const r = each.getBoundingClientRect();"
                                   " return [r.x, r.y, r.width, r.height]; })")
                for one, other in zip(*boxes):
                    self.assertAlmostEqual(one, other, delta=1.5, msg=f"{name} at {width}")
                self.assertEqual(boxes[0][2] > boxes[0][3], name == "high")
                browser.close()

    def test_without_scripts(self):
        """Without scripts the whole depth picture is shown, and nothing that would not work."""
        browser = self.open(script=False)
        self.assertIn(browser.js("return getComputedStyle(document.querySelector('#stage .over')).clipPath"), ("none", "inset(0px)"))
        for selector in ("#split", ".pick", "#all", "#copy", "#stage .bar"):
            self.assertFalse(browser.one(selector).is_displayed(), selector)
        self.assertTrue(browser.one("#stage .over").is_displayed())
        browser.shot("slider-without-script")


if __name__ == "__main__":
    unittest.main()
