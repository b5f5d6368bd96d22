"""Chromium with a given size, colour scheme and language, with or without scripts. Errors that it logs fail the test."""

import atexit
import base64
import json
import os
import pathlib
import shutil
from dataclasses import dataclass, field

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

import world

SHOTS = pathlib.Path(os.environ.get("RIAL_BROWSER_SHOTS") or world.ROOT / ".local/browser-shots")


@dataclass
class Request:
    """A request of the page. `status` is None until there is a response; `received` counts transferred bytes, including headers."""
    method: str
    url: str
    kind: str
    has_body: bool
    status: int | None = None
    headers: dict = field(default_factory=dict)
    received: int = 0


class Browser:
    """A tab. Use it in `with`: at the end it closes, and fails if the pages logged an error or violated their policy."""

    def __init__(self, driver, base, kind=None):
        """`kind`: of the program that later tests may use again; `None` if none may."""
        self.driver = driver
        self.base = base
        self.kind = kind
        self.allowed = []
        self._logged = []
        self._requests = {}
        self._order = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.check()
        finally:
            self.close()

    def close(self):
        """Does nothing if it is closed."""
        driver, self.driver = self.driver, None
        if driver is None:
            return
        if self.kind in _idle and _emptied(driver):
            _idle[self.kind].append(driver)
        else:
            driver.quit()

    # Pages

    def go(self, path):
        """Loads a path of the site, or an absolute address."""
        self.driver.get(path if "://" in path else self.base + path)
        return self

    def wait(self, condition, seconds=60, what="a condition"):
        """Waits for a true result of the condition and returns it; a stale element counts as no result."""
        def answer():
            try:
                return condition()
            except StaleElementReferenceException:
                return None

        try:
            return world.eventually(answer, what, seconds)
        except AssertionError:
            self.shot(f"waited-for-{what}")
            raise

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def js(self, script, *arguments):
        """Runs the body of a function, even if the page's policy allows no scripts."""
        return self.driver.execute_script(script, *arguments)

    def style(self, rules):
        """Adds CSS rules to the page, regardless of its policy."""
        self.js("const sheet = new CSSStyleSheet(); sheet.replaceSync(arguments[0]); document.adoptedStyleSheets = [sheet]", rules)

    def text(self, selector="main"):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def size(self, width, height):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, name="", **features):
        """Emulates media type and features, as `media("print")` or `media(prefers_color_scheme="dark")`."""
        self.features = {**getattr(self, "features", {}), **features}
        listed = [{"name": key.replace("_", "-"), "value": value} for key, value in self.features.items()]
        self.cdp("Emulation.setEmulatedMedia", media=name, features=listed)
        return self

    def shot(self, name, whole=True):
        """Saves a screenshot, by default of the whole page, and returns its path."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        file = SHOTS / f"{''.join(c if c.isalnum() or c in '-_.' else '-' for c in name)[:120]}.png"
        picture = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole, optimizeForSpeed=True, **self._whole() if whole else {})
        file.write_bytes(base64.b64decode(picture["data"]))
        return file

    def _whole(self):
        area = self.cdp("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": area["width"], "height": min(area["height"], 12000), "scale": 1}}

    # Recorded events

    def requests(self):
        """All requests so far, in order, including those before a navigation."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            self._note(message["method"], message["params"])
        return self._order

    def _note(self, event, values):
        if event == "Network.requestWillBeSent":
            sent = values["request"]
            self._requests[values["requestId"]] = request = Request(
                sent["method"], sent["url"], values.get("type", ""), sent.get("hasPostData", False))
            self._order.append(request)
        request = self._requests.get(values.get("requestId"))
        if request is None:
            return
        if event == "Network.responseReceived":
            request.status = values["response"]["status"]
            request.headers = {name.lower(): text for name, text in values["response"]["headers"].items()}
        elif event == "Network.loadingFinished":
            request.received = int(values["encodedDataLength"])

    def allow(self, part):
        """Ignores logged errors that contain this text."""
        self.allowed.append(part)
        return self

    def problems(self):
        """Errors, failed loads and policy violations that the pages logged."""
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING") or "Content Security Policy" in entry["message"]:
                self._logged.append(entry["message"])
        return [message for message in self._logged if not any(part in message for part in self.allowed)]

    def check(self):
        found = self.problems()
        if found:
            raise AssertionError("the browser complained: " + "; ".join(found))


def program(*names):
    """The path of the first program that is installed, given explicitly so that Selenium downloads none."""
    found = next(filter(None, map(shutil.which, names)), None)
    if not found:
        raise FileNotFoundError(f"{names[0]} is not installed: run scripts/setup.sh --tests")
    return found


# The first that is installed. Without windows, tabs and menus, which are not the site's, Chromium takes two thirds of the time.
# Not by Debian's script of the same name: the driver ends that script, and Chromium would run on behind it.
PROGRAMS = ("/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chromium", "chromium-browser")

# Running programs without a page, by language and font size, which only a new program takes. Starting one costs a second of CPU time.
_idle = {}


@atexit.register
def _quit():
    for driver in (driver for drivers in _idle.values() for driver in drivers):
        driver.quit()


def _emptied(driver):
    """Replaces all tabs by an empty one, without cookies, cache, logs, and emulated properties, which belong to a tab. Returns whether that
    was possible."""
    try:
        former = driver.window_handles
        driver.switch_to.new_window("tab")
        kept = driver.current_window_handle
        for handle in former:
            driver.switch_to.window(handle)
            driver.close()
        driver.switch_to.window(kept)
        for command in ("Network.clearBrowserCookies", "Network.clearBrowserCache", "Browser.resetPermissions"):
            driver.execute_cdp_cmd(command, {})
        for log in ("browser", "performance"):
            driver.get_log(log)
        return True
    except WebDriverException:
        return False


def _started(language, font_size, size):
    options = Options()
    options.binary_location = program(*PROGRAMS)
    for argument in [
        "--headless", "--disable-gpu", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-background-networking",
        "--disable-component-update", "--no-first-run", f"--lang={language}", f"--window-size={size[0]},{size[1]}",
        f"--accept-lang={language}", f"--blink-settings=defaultFontSize={font_size}",
    ]:
        options.add_argument(argument)
    # As the last two arguments, for Chromium with windows, which takes these from its profile.
    options.add_experimental_option("prefs", {"intl.accept_languages": language, "webkit.webprefs.default_font_size": font_size})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(program("chromedriver")))
    driver.set_page_load_timeout(60)
    return driver


def open_browser(
        width=1280, height=900, dark=False, script=True, touch=False, reduced_motion=False, language="en", base=None, font_size=16,
        apart=False):
    """A new tab on the site (or on `base`), in a program without cookies or cache. `apart`: in a new program."""
    kind = None if apart else (language, font_size)
    idle = _idle.setdefault(kind, []) if kind else []
    driver = idle.pop() if idle else _started(language, font_size, (1280, 900))
    browser = Browser(driver, base or os.environ["RIAL_PUBLIC_URL"], kind)
    browser.size(width, height)
    browser.media(
        prefers_color_scheme="dark" if dark else "light", prefers_reduced_motion="reduce" if reduced_motion else "no-preference")
    if touch:
        browser.cdp("Emulation.setTouchEmulationEnabled", enabled=True)
    if not script:
        browser.cdp("Emulation.setScriptExecutionDisabled", value=True)
    return browser
