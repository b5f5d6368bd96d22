"""The pages of videos: player, depth over the picture and by time, what is verified, links that run out."""

import json
import unittest

import axe
import layout
import world
from browser import open_browser
from selenium.webdriver.common.keys import Keys
from words import shown, words

SIZE = ("--seconds", "3", "--size", "320x240")


class Videos(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = world.World()
        cls.device = cls.world.device("genuine-camera")
        room = cls.record("room")
        cls.paths = {
            "whole": cls.send(room), "hevc": cls.send(cls.record("walk", "--codec", "hevc", "--mov")),
            "broken": cls.send(cls.spoil(room, "dropped", "--frame", "40")), "unsigned": cls.send(cls.record("screen", "--unsigned")),
        }

    @classmethod
    def record(cls, scene, *options):
        folder = cls.world.folder / f"video-{scene}"
        if not folder.exists():
            cls.world.rial("video", "record", "--scene", scene, "--out", folder, "--state", cls.device, *SIZE, *options)
        return folder

    @classmethod
    def spoil(cls, folder, how, *options):
        out = folder.with_name(f"{folder.name}-{how}")
        if not out.exists():
            cls.world.rial("video", "spoil", folder, "--out", out, "--how", how, *options)
        return out

    @classmethod
    def send(cls, folder):
        """The path of its page, once it is final."""
        answer = json.loads(cls.world.rial("video", "send", folder, "--json", "--state", cls.device))
        record = cls.world.settle(cls.world.record(answer["capture_id"]))
        return record.path

    def open(self, name="whole", **options):
        """A window on the page of a video that can play; it closes with the test."""
        browser = open_browser(**options)
        self.addCleanup(browser.close)
        browser.go(self.paths[name])
        if options.get("script", True):
            browser.wait(lambda: self.film(browser, "readyState") >= 1, what="the video's tables")
        return browser

    def film(self, browser, name):
        return browser.js(f"return document.querySelector('video').{name}")

    def play(self, browser):
        browser.js("const film = document.querySelector('video'); film.muted = true; film.play()")
        browser.wait(lambda: self.film(browser, "currentTime") > 0.3, what="the video plays")

    def seek(self, browser, seconds):
        browser.js("document.querySelector('video').currentTime = arguments[0]", seconds)
        browser.wait(lambda: not self.film(browser, "seeking"), what="the place is found")

    # Playing

    def test_it_plays_and_seeks_by_ranges(self):
        browser = self.open()
        self.play(browser)
        self.assertIn("c2pa.mp4", self.film(browser, "currentSrc"))
        self.assertEqual((self.film(browser, "videoWidth"), self.film(browser, "videoHeight")), (320, 240))
        self.seek(browser, 2)
        self.assertAlmostEqual(self.film(browser, "currentTime"), 2, delta=1.1)
        media = [each for each in browser.requests() if each.kind == "Media"]
        self.assertEqual({each.status for each in media}, {206})

    def test_of_an_hevc_video_the_smaller_copy_plays(self):
        browser = self.open("hevc")
        self.play(browser)
        self.assertIn("playback.mp4", self.film(browser, "currentSrc"))
        self.assertGreater(self.film(browser, "videoWidth"), 0)
        self.assertIn(words("video.copy"), shown(browser.text("#film")))

    def test_links_that_ran_out_are_renewed_and_it_goes_on(self):
        browser = self.open().allow("/media/")
        self.seek(browser, 1)
        browser.js("""
            const film = document.querySelector('video'), source = film.querySelector('source');
            source.src = source.src.replace(/expires=\\d+/, 'expires=1');
            film.load();""")
        browser.wait(lambda: "expires=1&" not in browser.one("video source").get_attribute("src"), what="a new link")
        browser.wait(lambda: self.film(browser, "readyState") >= 1, what="the video is back")
        browser.wait(lambda: self.film(browser, "error") is None, what="no error is left")

    def test_without_scripts_there_are_player_poster_preview_and_numbers(self):
        browser = self.open(script=False)
        self.assertEqual(len(browser.all("video[controls][poster]")), 1)
        self.assertEqual(len(browser.all(".depth img, #depth img")), 1)
        self.assertFalse(any(each.is_displayed() for each in browser.all("#veil, #scrub, canvas")))
        self.assertIn(words("video.all", n=90), shown(browser.text()))
        self.assertIn(words("m.relief"), shown(browser.text()))

    # Depth

    def test_depth_over_the_picture_is_in_step_with_it(self):
        browser = self.open()
        self.assertEqual([each.url for each in browser.requests() if "depth-frames" in each.url], [], "loaded only when it is wanted")
        browser.one("#veil").click()
        drawn = """
            const veil = document.querySelector('.veil'), { width, height } = veil;
            return !veil.hidden && veil.getContext('2d').getImageData(width / 2, height / 2, 1, 1).data[3] > 0"""
        browser.wait(lambda: browser.js(drawn), what="depth lies over the picture")
        times = [float(each.rstrip("!").split("r")[0].split("f")[0].split("u")[0])
                 for each in browser.one(".veil").get_attribute("data-frames").split()]
        self.assertEqual(len(times), 30)
        for seconds in [0, 0.55, 1.45, 2.9]:
            self.seek(browser, seconds)
            expected = max(index for index, time in enumerate(times) if time <= seconds * 1000 + 16)
            browser.wait(
                lambda: abs(int(browser.one("#scrub").get_attribute("value")) - expected) <= 1, what=f"the keyframe at {seconds} s")
        before = browser.js("return +document.querySelector('.veil').style.opacity")
        browser.one("#fade").send_keys(Keys.ARROW_LEFT)
        self.assertAlmostEqual(browser.js("return +document.querySelector('.veil').style.opacity"), before - 0.05, delta=0.001)

    def test_the_keyboard_goes_along_the_depth(self):
        browser = self.open()
        scrub = browser.one("#scrub")
        for _ in range(3):
            scrub.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(scrub.get_attribute("value"), "3")
        self.assertTrue(shown(scrub.get_attribute("aria-valuetext")).startswith("0.3 s, relief "))
        browser.wait(lambda: abs(self.film(browser, "currentTime") - 0.3) < 0.05, what="the video is at that keyframe")
        scrub.send_keys(Keys.END)
        self.assertEqual(scrub.get_attribute("value"), "29")
        self.assertEqual(shown(browser.text("#at")), shown(scrub.get_attribute("aria-valuetext")))

    # What is said

    def test_what_is_verified_is_said_and_drawn(self):
        said = {
            "whole": words("video.all", n=90), "broken": words("video.break", n=40), "unsigned": words("video.unsigned"),
        }
        for name, text in said.items():
            with self.subTest(name):
                browser = self.open(name)
                self.assertIn(text, shown(browser.text("#film")))
                self.assertIn(text, browser.one("#film figcaption svg").get_attribute("aria-label"))
                browser.shot(f"video-{name}")

    def test_axe_finds_nothing_and_it_fits(self):
        for options in [{"width": 360, "height": 780, "language": "es"}, {"width": 1280, "height": 800, "dark": True}]:
            for name in self.paths:
                with self.subTest(name, **options):
                    browser = self.open(name, **options)
                    browser.js("for (const row of document.querySelectorAll('details')) row.open = true")
                    self.assertEqual(axe.violations(browser), [])
                    self.assertEqual(layout.flaws(browser), [])
                    browser.shot(f"video-{name}-{options['width']}")
                    browser.close()

    def test_nothing_moves_while_it_loads(self):
        with open_browser() as browser:
            browser.cdp("Page.addScriptToEvaluateOnNewDocument", source="""
                window.moved = 0;
                new PerformanceObserver((list) => { for (const each of list.getEntries()) if (!each.hadRecentInput) moved += each.value; })
                  .observe({type: 'layout-shift', buffered: true});""")
            browser.go(self.paths["whole"])
            browser.wait(lambda: self.film(browser, "readyState") >= 1, what="the video's tables")
            self.assertLess(browser.js("return window.moved"), 0.02)
