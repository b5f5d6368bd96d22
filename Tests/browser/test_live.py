"""A capture is watched while it is checked: the page fills in without being loaded again."""

import json
import os
import unittest

import world
from browser import open_browser
from dropping import word
from selenium.webdriver.common.keys import Keys
from words import shown

# It stops services.
ALONE = True
SHORT_WAITS = """
const wait = window.setTimeout;
window.setTimeout = (work, time, ...rest) => wait(work, time === 30000 ? 300 : time, ...rest);
"""
# Reloading the page would remove the mark; announcements and ticked steps are recorded.
MARK = """
window.__first = true;
window.__said = [];
window.__ticked = new Set();
new MutationObserver(() => {
  window.__said.push(document.body.lastElementChild.textContent);
  for (const each of document.querySelectorAll('#steps .on')) window.__ticked.add(each.dataset.step);
}).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
"""


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = world.shared()
        # Registered before any part that a registration needs is stopped.
        cls.world.device()

    def setUp(self):
        self.stopped = []

    def tearDown(self):
        for part in reversed(self.stopped):
            self.world.start(part)

    def stop(self, *parts):
        for part in parts:
            self.world.stop(part)
            self.stopped.append(part)

    def start(self, part):
        self.world.start(part)
        self.stopped.remove(part)

    def sent(self, **options):
        """A capture that stays in processing while the assembler is stopped."""
        return self.world.send(**{"scene": "screen", "wait": False, **options})

    def steps(self, browser):
        """The names of the completed steps."""
        return browser.js("return [...document.querySelectorAll('#steps .on')].map((each) => each.dataset.step)")

    def watch(self, browser, record, heading="proc.h1"):
        """Opens the page while the capture is processing, and marks it, to detect a reload."""
        browser.go(record.path)
        self.assertEqual(browser.text("h1"), word(heading))
        self.assertIn(word("badge.proc"), browser.driver.title)
        browser.js(MARK)

    def finished(self, browser, heading, seconds=60):
        browser.wait(lambda: heading in browser.text("h1"), seconds, f"the heading says {heading}")
        self.assertTrue(browser.js("return window.__first"), "the page was not loaded again")
        self.assertEqual(browser.all("#steps"), [])
        self.assertIsNone(browser.one("main").get_attribute("data-events"))

    def said(self, browser, badge):
        text = word("proc.done", badge=word(badge))
        browser.wait(lambda: any(each == text for each in browser.js("return window.__said")), what=f"a reader hears {text}")
        self.assertEqual(browser.js("return [...document.querySelectorAll('body > [role=status]')].length"), 1)

    def test_from_processing_to_complete(self):
        """Steps are ticked as they are done, then the whole page is there; title, focus and live region tell."""
        self.stop("attestation-verifier", "depth-analyzer")
        with open_browser() as browser:
            record = self.sent()
            self.watch(browser, record)
            self.assertEqual(self.steps(browser), ["received"])
            browser.shot("live-processing")
            self.start("attestation-verifier")
            browser.wait(lambda: "hardware_attestation" in self.steps(browser), 60, "the signature is checked")
            self.assertNotIn("depth_analysis", self.steps(browser))
            step = "#steps [data-step=hardware_attestation]"
            self.assertIn(word("proc.signature"), browser.text(step))
            self.assertEqual(browser.js(f"return document.querySelector('{step} use').getAttribute('href')"), "#i-dot")
            self.assertEqual(browser.js(f"return document.querySelector('{step} svg').getAttribute('class')"), "i")
            self.assertEqual(browser.js(f"return document.querySelector('{step} .vh').textContent"), word("proc.step.done"))
            self.assertEqual(browser.text("h1"), word("proc.h1"), "not before everything is done")
            browser.shot("live-first-step")
            self.start("depth-analyzer")
            self.finished(browser, word("h1.medium.device"))
            self.assertIn(word("badge.medium"), browser.driver.title)
            self.assertTrue(browser.js("return document.activeElement === document.querySelector('h1')"))
            self.assertEqual(set(browser.js("return [...window.__ticked]")), {"received", "hardware_attestation", "depth_analysis", "evidence"})
            self.said(browser, "badge.medium")
            # The updated content equals that of a reload, and works.
            self.assertEqual(len(browser.all(".rows > details")), 6)
            browser.js("document.getElementById('split').focus()")
            browser.one("#split").send_keys("\ue012")
            self.assertEqual(browser.one("#split").get_property("value"), "49")
            self.assertIn("your time", browser.text("[data-time]"))
            browser.one("#all").click()
            self.assertTrue(browser.js("return [...document.querySelectorAll('.rows > details')].every((each) => each.open)"))
            browser.shot("live-complete")
            filled = browser.js("return document.querySelector('main').children.length")
            browser.go(record.path)
            self.assertEqual(browser.js("return document.querySelector('main').children.length"), filled)
            events = [each for each in browser.requests() if each.url.endswith("/events")]
            self.assertEqual(len(events), 1, "a final capture is not watched")

    def test_a_video_works_in_the_page_that_filled_in(self):
        """Depth over the picture, depth at any time and new links for those that ran out, as in a page that was loaded."""
        state, recording = self.world.device(), self.world.folder / f"video-live-{os.urandom(4).hex()}"
        self.world.rial("video", "record", "--scene", "room", "--seconds", "2", "--size", "320x240", "--out", recording, "--state", state)
        self.stop("evidence-assembler")
        with open_browser() as browser:
            answer = json.loads(self.world.rial("video", "send", recording, "--json", "--state", state))
            self.watch(browser, self.world.record(answer["capture_id"]), "proc.h1.video")
            self.assertEqual(browser.all("video"), [])
            self.start("evidence-assembler")
            browser.wait(lambda: browser.all("video"), 120, "the video is there")
            self.assertTrue(browser.js("return window.__first"), "the page was not loaded again")
            browser.wait(lambda: browser.js("return document.querySelector('video').readyState >= 1"), what="the video's tables")
            scrub = browser.one("#scrub")
            scrub.send_keys(Keys.ARROW_RIGHT)
            self.assertTrue(shown(scrub.get_attribute("aria-valuetext")).startswith("0.1 s, relief "))
            browser.one("#veil").click()
            browser.wait(lambda: browser.js("""
                const veil = document.querySelector('.veil'), { width, height } = veil;
                return !veil.hidden && veil.getContext('2d').getImageData(width / 2, height / 2, 1, 1).data[3] > 0"""),
                what="depth lies over the picture")
            browser.allow("status of 403")
            browser.js("""
                const film = document.querySelector('video'), source = film.querySelector('source');
                source.src = source.getAttribute('src').replace(/signature=[0-9a-f]+/, `signature=${'0'.repeat(64)}`);
                film.load();""")
            browser.wait(lambda: "0" * 64 not in browser.one("video source").get_attribute("src"), what="a new link")
            browser.wait(lambda: browser.js("return document.querySelector('video').readyState >= 1"), what="it goes on")
            browser.shot("live-video")

    def test_a_reader_who_moved_stays(self):
        """Focus that the reader moved stays where it is when the page fills in."""
        self.stop("evidence-assembler")
        with open_browser() as browser:
            self.watch(browser, self.sent(device="test"))
            browser.js("document.querySelector('header nav a').focus()")
            self.start("evidence-assembler")
            self.finished(browser, word("dev.h1"))
            self.assertEqual(browser.js("return document.activeElement.closest('header') !== null"), True)
            # The banner of test records is shown, and the title mentions it.
            self.assertEqual(len(browser.all("#band")), 1)
            self.assertTrue(browser.driver.title.startswith("[TEST]"), browser.driver.title)

    def test_one_that_fails(self):
        """A capture that cannot be checked ends as “Not completed”, without a word against the photo."""
        self.stop("evidence-assembler")
        with open_browser() as browser:
            record = self.sent()
            self.watch(browser, record)
            self.world.sql(f"UPDATE captures SET status = 'failed', failure = 'no_answer', completed_at = now() WHERE id = '{record.id}'")
            self.finished(browser, word("failed.h1"))
            self.assertIn(word("badge.failed"), browser.driver.title)
            self.assertIn(word("failed.note", reason=word("failed.ours")), browser.text())
            self.said(browser, "badge.failed")
            browser.shot("live-failed")

    def test_the_connection_is_lost_and_back(self):
        """The gateway goes away meanwhile: the page waits for it, and fills in when it is back."""
        self.stop("depth-analyzer")
        with open_browser() as browser:
            for part in ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "503"):
                browser.allow(part)
            self.watch(browser, self.sent())
            browser.wait(lambda: "hardware_attestation" in self.steps(browser), 60, "a step is ticked")
            self.stop("gateway")
            self.assertEqual(browser.text("h1"), word("proc.h1"))
            self.start("gateway")
            self.start("depth-analyzer")
            self.finished(browser, word("h1.medium.device"))
            self.said(browser, "badge.medium")

    def test_one_that_is_withdrawn_while_the_connection_is_lost(self):
        """The gateway goes away, and the capture is withdrawn meanwhile: once the gateway is back, the page says so."""
        self.stop("depth-analyzer")
        with open_browser() as browser:
            for part in ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "410", "503"):
                browser.allow(part)
            record = self.sent()
            self.watch(browser, record)
            self.stop("gateway")
            self.world.sql(f"SELECT rial_withdraw('{record.id}')")
            self.start("gateway")
            browser.wait(lambda: browser.text("h1") == word("err.410"), 60, "the page says that the record was withdrawn")
            self.assertFalse(browser.js("return Boolean(window.__first)"), "the page was loaded again")

    def test_one_that_takes_long(self):
        """After a while the page says that it takes longer than usual, and not before."""
        with open_browser() as browser:
            browser.go(self.world.records["processing"].path)
            self.assertFalse(browser.one("#slow").is_displayed())
            browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=SHORT_WAITS)
            browser.go(self.world.records["processing"].path)
            browser.wait(lambda: browser.one("#slow").is_displayed(), what="the page says that it is slow")
            self.assertEqual(browser.text("#slow"), word("proc.slow"))
            browser.shot("live-slow")

    def test_without_scripts(self):
        """Without scripts a link loads the page again; nothing does by itself."""
        self.stop("evidence-assembler")
        with open_browser(script=False) as browser:
            record = self.sent()
            browser.go(record.path)
            self.assertEqual(browser.text("h1"), word("proc.h1"))
            self.assertEqual(browser.all("meta[http-equiv=refresh i]"), [])
            link = browser.one(f"main a[href='{record.path}']")
            self.assertEqual(link.text, word("proc.noscript"))
            browser.shot("live-without-script")
            self.start("evidence-assembler")
            self.world.settle(record)
            self.assertEqual(browser.text("h1"), word("proc.h1"))
            link.click()
            browser.wait(lambda: word("h1.medium.device") in browser.text("h1"), what="the result after the link")


if __name__ == "__main__":
    unittest.main()
