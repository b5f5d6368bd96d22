"""Drops, chooses and pastes files on the page, and records the network traffic."""

import base64
import contextlib
import json
import os
import pathlib
import re
import subprocess
import urllib.request

import world

DROP = """
const bytes = Uint8Array.from(atob(arguments[0]), (each) => each.charCodeAt(0));
const carried = new DataTransfer();
carried.items.add(new File([bytes], arguments[1], { type: arguments[2] }));
"""
ON_PAGE = DROP + """
for (const kind of ['dragenter', 'dragover', 'drop']) {
  document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
}
"""
PASTED = DROP + "document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: carried, bubbles: true, cancelable: true }));"
WORDS = json.loads((world.ROOT / "Shared/Site/Resources/strings.json").read_text())


def word(key, language="en", **values):
    """A string of the site's table; `*` marks emphasis."""
    text = WORDS[key][language].replace("*", "")
    return re.sub(r"\{(\w+)\}", lambda match: str(values.get(match[1], match[0])), text)


def wait_for_script(browser):
    """Waits until the page accepts files: its module has run once the form no longer submits itself."""
    browser.wait(lambda: browser.js("""
        return document.readyState === 'complete' && performance.getEntriesByType('resource').some((each) => each.name.endsWith('/js/file.js'))
          && !document.body.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true,
            dataTransfer: (() => { const it = new DataTransfer(); it.items.add(new File(['x'], 'x')); return it; })() }))"""),
        what="the page takes files")
    browser.js("document.getElementById('check').classList.remove('over')")


def open_page(browser, path="/verify-file"):
    browser.go(path)
    wait_for_script(browser)
    return Wire(browser)


def drop(browser, content, name="photo.jpg", kind="image/jpeg"):
    browser.js(ON_PAGE, base64.b64encode(content).decode(), name, kind)


def drag(browser, file):
    """Drags a local file over the page and drops it, with the browser's own events."""
    data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver"):
        browser.cdp("Input.dispatchDragEvent", type=kind, x=200, y=300, data=data)
    over = browser.js("return document.getElementById('check').classList.contains('over')")
    browser.cdp("Input.dispatchDragEvent", type="drop", x=200, y=300, data=data)
    return over


def paste(browser, content, name="image.png", kind="image/png"):
    browser.js(PASTED, base64.b64encode(content).decode(), name, kind)


def choose(browser, file):
    browser.one("#check input[type=file]").send_keys(str(pathlib.Path(file).resolve()))


def told(browser, text, seconds=20):
    """Waits until the result contains the text, and returns the whole text of the result."""
    return browser.wait(lambda: text in (said := browser.text("#outcome")) and said, seconds, f"the page says {text}")


def press(browser, action):
    browser.one(f"#outcome [data-do={action}]").click()


def has_focus(browser):
    """Whether the heading of the result has the focus."""
    return browser.js("return document.activeElement === document.querySelector('#outcome h2')")


def uploads_received():
    """The number of files that the gateway received, by any route."""
    with urllib.request.urlopen(os.environ["RIAL_ADMIN_GATEWAY"] + "/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    wanted = [line for line in lines if line.startswith("rial_http_requests_total") and 'method="POST"' in line and "verify-file" in line]
    return sum(int(float(line.rsplit(" ", 1)[1])) for line in wanted)


class Wire:
    """The traffic since this object was created: as the browser reports it, and as the gateway counts it."""

    def __init__(self, browser):
        self.browser = browser
        self.start = len(browser.requests())
        self.received = uploads_received()

    def requests(self):
        return self.browser.requests()[self.start:]

    def looked_up(self):
        """The digests that were looked up."""
        return [each.url.rsplit("/", 1)[1] for each in self.requests() if "/verify-hash/" in each.url]

    def uploads(self):
        return [each for each in self.requests() if each.method != "GET" or each.has_body]

    def assert_nothing_sent(self, test):
        """Neither a request with a body nor one of another method than GET left the browser, and the gateway received no file."""
        test.assertEqual([f"{each.method} {each.url}" for each in self.uploads()], [])
        test.assertEqual(uploads_received(), self.received)
        allowed = ("/api/v1/verify-hash/", "/assets/", "blob:")
        strange = [each.url for each in self.requests() if not any(part in each.url for part in allowed)]
        test.assertEqual(strange, [])

    def assert_sent_once(self, test):
        test.assertEqual([(each.method, each.url.rsplit("/", 1)[1]) for each in self.uploads()], [("POST", "verify-file")])
        test.assertEqual(uploads_received(), self.received + 1)


@contextlib.contextmanager
def another_gateway(of, number, **settings):
    """Runs another gateway with its own settings; yields its address."""
    of.start("gateway", number, RIAL_PUBLIC_URL=of.url, **settings)
    try:
        yield of.gateway(number)
    finally:
        # Like `World.stop`, which stops the first of them.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RIAL_") or name == "RIAL_BUILD"}
        subprocess.run(
            [world.ROOT / "scripts/stack.sh", "stop", "gateway", number], env={**kept, "STACK": of.stack}, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=120)
