"""The pages of videos: player, depth over the picture and by time, what is verified, links that run out."""

import hashlib
import hmac
import json
import struct
import time
import unittest

import axe
import crawl
import layout
import signed
import world
from browser import open_browser
from dropping import choose, open_page, told
from selenium.webdriver.common.keys import Keys
from words import shown, words

SIZE = ("--seconds", "3", "--size", "320x240")
PLACE = b"+45.7640+004.8357/"
# Whether the canvas over the picture shows the tile of the keyframe at which the scrubber is.
SAME_TILE = """
    const veil = document.querySelector('.veil'), { width, height } = veil, at = +document.getElementById('scrub').value;
    const sheet = new Image();
    sheet.src = veil.dataset.sheet;
    return sheet.decode().then(() => {
      const tile = new OffscreenCanvas(width, height).getContext('2d'), { columns } = veil.dataset;
      tile.drawImage(sheet, at % columns * width, Math.floor(at / columns) * height, width, height, 0, 0, width, height);
      const pixels = (context) => context.getImageData(0, 0, width, height).data.join();
      return pixels(tile) === pixels(veil.getContext('2d'));
    });"""

# Notes the time of each frame that is shown from now on, with where the scrubber is then. The page's own callback came first.
FRAMES_SEEN = """
    const video = document.querySelector('video'), scrub = document.getElementById('scrub');
    window.framesSeen = [];
    const note = (_, { mediaTime }) => {
      window.framesSeen.push([mediaTime * 1000, +scrub.value]);
      video.requestVideoFrameCallback(note);
    };
    video.requestVideoFrameCallback(note);"""


def box(kind, content):
    return struct.pack(">I", len(content) + 8) + kind + content


def plant(folder):
    """Hides a place wherever files of phones have one: in user data of `moov`, in XMP, in free space and between samples."""
    file = folder / "video.mp4"
    content = file.read_bytes()
    start = content.rindex(b"moov") - 4
    movie = content[start:]
    assert struct.unpack(">I", movie[:4])[0] == len(movie), "moov is the last box"
    text = struct.pack(">HH", len(PLACE), 0x15C7) + PLACE
    user = box(b"udta", box(b"\xa9xyz", text) + box(b"loci", bytes(4) + PLACE))
    hidden = box(b"free", PLACE) + box(b"mdat", PLACE) + box(b"uuid", bytes(16) + b"<x:xmpmeta>" + PLACE)
    content = content[:start] + struct.pack(">I", len(movie) + len(user)) + movie[4:] + user + hidden
    file.write_bytes(content)
    metadata = json.loads((folder / "metadata.json").read_bytes())
    metadata["video_hash"] = hashlib.sha256(content).hexdigest()
    (folder / "metadata.json").write_text(json.dumps(metadata))


class Videos(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = world.World()
        cls.device = cls.world.device("genuine-camera")
        room = cls.record("room")
        planted = cls.record("screen", "--unsigned")
        if PLACE not in (planted / "video.mp4").read_bytes():
            plant(planted)
        cls.paths = {
            "whole": cls.send(room), "hevc": cls.send(cls.record("walk", "--codec", "hevc", "--mov")),
            "broken": cls.send(cls.spoil(room, "dropped", "--frame", "40")), "unsigned": cls.send(planted),
            "partial": cls.send(cls.record("still", "--kill-at", "6.5", "--seconds", "8", "--size", "160x120")),
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
        browser.js("""
            const film = document.querySelector('video');
            window.pictures = 0;
            const count = () => { window.pictures += 1; film.requestVideoFrameCallback(count); };
            film.requestVideoFrameCallback(count);""")
        self.play(browser)
        browser.wait(lambda: browser.js("return window.pictures") >= 5, what="pictures follow each other")
        self.assertIn("playback.mp4", self.film(browser, "currentSrc"))
        self.assertGreater(self.film(browser, "videoWidth"), 0)
        self.assertIn(words("video.copy"), shown(browser.text("#film")))

    def expired(self, name):
        """The link to a file of the whole video that ran out a second ago."""
        identifier, then = self.paths["whole"].rsplit("/", 1)[1], int(time.time()) - 1
        key = bytes.fromhex((self.world.home / "keys/link-key").read_text().strip())
        code = hmac.new(key, f"rial-media-v1\n{identifier}\n{name}\n{then}".encode(), hashlib.sha256).hexdigest()
        link = f"/media/{identifier}/{name}?expires={then}&signature={code}"
        self.assertEqual(self.world.get(link)[0], 410)
        return link

    def test_links_that_ran_out_are_renewed_and_it_goes_on(self):
        browser = self.open().allow("status of 410")
        link = self.expired("c2pa.mp4")
        browser.js("""
            const film = document.querySelector('video');
            film.querySelector('source').src = arguments[0];
            film.muted = true;
            film.load();
            film.currentTime = 1;
            film.play().catch(() => {});""", link)
        browser.wait(lambda: link not in browser.one("video source").get_attribute("src"), what="a new link")
        browser.wait(lambda: self.film(browser, "currentTime") > 1.2, what="it goes on from where it was")
        self.assertIsNone(self.film(browser, "error"))

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
        # While it plays, too, and the canvas shows that keyframe's tile. The time of the frame that is shown counts: the video's own clock
        # goes on while a frame is late.
        self.seek(browser, 0)
        browser.js(FRAMES_SEEN)
        self.play(browser)
        browser.wait(lambda: browser.js("return window.framesSeen.length >= 5"), what="five frames are shown")
        for at, seen in browser.js("return window.framesSeen"):
            self.assertEqual(seen, max(index for index, each in enumerate(times) if each <= at + 16))
        browser.js("document.querySelector('video').pause()")
        browser.wait(lambda: browser.js(SAME_TILE), what="the tile of the keyframe")
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
            "partial": words("video.part", a=5, b=6),
        }
        for name, text in said.items():
            with self.subTest(name):
                browser = self.open(name)
                self.assertIn(text, shown(browser.text("#film")))
                self.assertIn(text, browser.one("#film figcaption svg").get_attribute("aria-label"))
                browser.shot(f"video-{name}")

    def test_nothing_published_has_a_place_that_was_hidden_in_the_file(self):
        data = json.loads(self.world.get(f"/api/v1/captures/{self.paths['unsigned'].rsplit('/', 1)[1]}")[2])["data"]
        links = {name: link for name, link in data.items() if name.endswith("_url") and link and "/media/" in link}
        self.assertLessEqual({"media_url", "poster_url", "depth_frames_url", "thumbnail_url"}, set(links))
        for name, link in links.items():
            status, _, content = self.world.get(link[link.index("/media/"):])
            self.assertEqual(status, 200, name)
            self.assertNotIn(PLACE.rstrip(b"/"), content, name)
            self.assertNotIn(b"xmpmeta", content, name)
        page = self.world.get(self.paths["unsigned"])[2]
        self.assertNotIn(b"45.76", crawl.untimed(page + json.dumps(data).encode()))

    # Files

    def test_files_are_found_as_what_they_are_with_the_chain_among_the_checks(self):
        browser = open_browser().allow("/api/v1/verify-hash/")
        self.addCleanup(browser.close)
        files = {"file.found": self.world.folder / "video-room/video.mp4"}
        for title, name, member in [
            ("file.found.copy", "whole", "c2pa_media_url"), ("file.found.playback", "hevc", "playback_url"),
            ("file.found.poster", "whole", "poster_url"), ("file.found.depth", "whole", "depth_frames_url"),
        ]:
            files[title] = self.world.folder / f"{title}{'.jpg' if member in ('poster_url', 'depth_frames_url') else '.mp4'}"
            files[title].write_bytes(self.copy(name, member))
        for title, file in files.items():
            with self.subTest(title):
                open_page(browser)
                choose(browser, file)
                told(browser, words(title))
                counts = [int(each.text.split()[0]) for each in browser.all("#outcome .tally > span")]
                self.assertEqual(sum(counts), 7, "hardware, chain, depth, time, model, size, location")

    # Signed copies

    def copy(self, name, member="c2pa_media_url"):
        _, _, body = self.world.get(f"/api/v1/captures/{self.paths[name].rsplit('/', 1)[1]}")
        status, _, copy = self.world.get(json.loads(body)["data"][member].removeprefix(self.world.url))
        self.assertEqual(status, 200)
        return copy

    def test_the_official_library_trusts_signed_copies_and_finds_what_we_say(self):
        for name in ("whole", "hevc", "partial"):
            with self.subTest(name):
                state, labels, _ = signed.read(self.copy(name))
                self.assertEqual(state, "Trusted")
                self.assertLessEqual(signed.ASSERTIONS | {signed.BINDING}, {label.split(".v1")[0] for label in labels} | labels)

    def test_one_changed_byte_of_a_sample_is_found(self):
        copy = bytearray(self.copy("whole"))
        copy[-len(copy) // 4] ^= 1
        state, _, failed = signed.read(bytes(copy))
        self.assertEqual((state, failed), ("Invalid", ["assertion.bmffHash.mismatch"]))

    def test_streams_of_signed_copies_are_those_of_the_recording(self):
        for name, recorded in (("whole", "video-room/video.mp4"), ("hevc", "video-walk/video.mov")):
            with self.subTest(name):
                copy = self.world.folder / f"signed-{name}.mp4"
                copy.write_bytes(self.copy(name))
                found = signed.streams(copy)
                self.assertEqual(len(found), 2)
                self.assertEqual(found, signed.streams(self.world.folder / recorded))

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
