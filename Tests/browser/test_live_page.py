"""What a finished page does for its reader: rows, link, times, paper."""

import datetime
import re
import unittest

from browser import open_browser
from dropping import word
from test_slider import Page

OPEN = "return [...document.querySelectorAll('.rows > details')].map((each) => each.open)"


class Reading(Page):
    def test_all_rows(self):
        """One button opens all rows and closes them again, and says which it will do."""
        browser = self.open()
        button = browser.one("#all")
        self.assertEqual(button.text, word("act.all"))
        button.click()
        self.assertTrue(all(browser.js(OPEN)))
        self.assertEqual(button.text, word("act.less"))
        browser.shot("rows-open")
        button.click()
        self.assertFalse(any(browser.js(OPEN)))
        self.assertEqual(button.text, word("act.all"))
        browser.check()

    def test_a_row_by_its_link(self):
        """A count in the tally leads to its row, and opens it."""
        browser = self.open()
        for link in browser.all(".tally a"):
            row = link.get_attribute("href").split("#")[1]
            browser.js("for (const each of document.querySelectorAll('.rows > details')) each.open = false; history.replaceState(null, '', '#')")
            link.click()
            browser.wait(lambda: browser.js("return document.getElementById(arguments[0]).open", row), what=f"{row} is open")
        browser.go(self.record.path + "#check-location")
        browser.driver.refresh()
        browser.wait(lambda: browser.js("return document.getElementById('check-location').open"), what="the named row is open")
        browser.check()

    def test_a_fragment_that_names_nothing(self):
        """Whatever stands behind the number sign of the address, the rest of the page works."""
        for fragment in ["#%", "#%E0%A4%A", "#%ff", "#check-nothing", "#main"]:
            browser = open_browser().go("/methodology")
            self.addCleanup(browser.close)
            browser.go(self.record.path + fragment)
            browser.wait(lambda: browser.text("[data-time]"), what="the page is set up")
            browser.js("window.__printed = 0; addEventListener('beforeprint', () => { window.__printed = document.querySelectorAll("
                       "'details:not([open])').length }); dispatchEvent(new Event('beforeprint'))")
            self.assertEqual(browser.js("return window.__printed"), 0, f"{fragment}: what comes last is set up too")
            browser.js("return new Promise((done) => { addEventListener('hashchange', done); location.hash = '%zz'; }).then(() => true)")
            browser.check()
            browser.close()

    def test_copying_the_link(self):
        """“Copy link” puts the page's address into the clipboard and says so; where it may not, it says what to do."""
        browser = self.open()
        browser.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        browser.one("#copy").click()
        browser.wait(lambda: browser.text("#copy") == word("act.copied"), what="the link is copied")
        copied = browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))")
        self.assertEqual(copied, self.world.url + self.record.path)
        self.assertEqual(browser.one("#copy span").get_attribute("aria-live"), "polite")
        browser.go(self.record.path)
        browser.js("navigator.clipboard.writeText = () => Promise.reject(new Error())")
        browser.one("#copy").click()
        browser.wait(lambda: browser.text("#copy") == word("act.copy.failed"), what="the page says what to do instead")
        browser.check()

    def test_the_readers_time(self):
        """The server's time is UTC; beside it stands the reader's own, in the zone of the browser, and nothing moves for it."""
        shown = set()
        for zone, offset in [("Asia/Kathmandu", 345), ("America/St_Johns", None), ("Pacific/Kiritimati", 840)]:
            browser = self.open()
            browser.cdp("Emulation.setTimezoneOverride", timezoneId=zone)
            browser.go(self.record.path)
            line = browser.wait(lambda: browser.text("[data-time]"), what="the reader's time")
            self.assertIn(word("fact.local").replace("{t}", "").strip(), line)
            self.assertIn("UTC", browser.text("time"))
            moment = datetime.datetime.fromisoformat(browser.one("time").get_attribute("datetime").replace("Z", "+00:00"))
            self.assertIn(moment.strftime("%H:%M:%S"), browser.text("time"))
            if offset is not None:
                local = moment + datetime.timedelta(minutes=offset)
                hour = re.search(r"(\d{1,2}):(\d{2})\s*([AP]M)?", line)
                self.assertIsNotNone(hour, line)
                self.assertEqual(int(hour[2]), local.minute, line)
                self.assertEqual(int(hour[1]) % 12, local.hour % 12, line)
                self.assertIn(str(local.day), line)
            shown.add(line)
            shift = browser.js("return new Promise((done) => { let sum = 0; new PerformanceObserver((list) => { for (const each of "
                               "list.getEntries()) sum += each.value; }).observe({type: 'layout-shift', buffered: true}); setTimeout(() => done(sum), 200); })")
            self.assertLess(shift, 0.02)
            browser.check()
            browser.close()
        self.assertEqual(len(shown), 3, shown)

    def test_paper(self):
        """Printing opens all rows and says address and time; afterwards the page is as it was."""
        browser = self.open()
        before = browser.js(OPEN)
        browser.js("window.__open = null; addEventListener('beforeprint', () => {"
                   " window.__open = [...document.querySelectorAll('details')].every((each) => each.open);"
                   " window.__line = document.querySelector('[data-print]').textContent; })")
        pdf = browser.cdp("Page.printToPDF", printBackground=False)["data"]
        self.assertGreater(len(pdf), 10_000)
        self.assertTrue(browser.js("return window.__open"), "all rows were open on paper")
        line = browser.js("return window.__line")
        self.assertIn(self.world.url + self.record.path, line)
        self.assertRegex(line, r"\b20\d\d\b")
        browser.wait(lambda: browser.js(OPEN) == before, what="the page is as it was")
        browser.media("print")
        browser.js("dispatchEvent(new Event('beforeprint'))")
        for selector in ("nav", "#copy", "#all", "#split", ".pick"):
            self.assertFalse(browser.one(selector).is_displayed(), selector)
        self.assertIn(self.record.sha256, browser.text("footer"))
        browser.shot("paper")
        browser.check()


if __name__ == "__main__":
    unittest.main()
