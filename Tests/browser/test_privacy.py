"""Nothing that the public must not know can be reached from the site: everything is fetched and searched."""

import hashlib
import hmac
import http.client
import os
import pathlib
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import zlib

import crawl
import secret_things
import world
from sender import ROOT

HEADERS = ({}, {"Accept_Language": "es", "Accept": "application/json"})
NAMES = [
    "original.jpg", "original", "photo", "photo.jpg", "depth.gz", "depth", "depth.f32.gz", "depth_map", "metadata.json", "metadata",
    "assertion", "incoming", "ORIGINAL.JPG", "original.jpg ", "original.jpg.", "public.jpg/../original.jpg", "..%2foriginal.jpg",
    "%2e%2e/original.jpg", "thumbnail.jpg/../original.jpg", "thumbnail.jpg%2f..%2foriginal.jpg", "thumbnail.jpg%00original.jpg",
    "thumbnail.jpg;original.jpg", "thumbnail.jpg?name=original.jpg#original.jpg", "..%5coriginal.jpg", "../../captures/{id}/original.jpg",
    "%252e%252e%252foriginal.jpg", "./original.jpg", "/original.jpg", "\u200boriginal.jpg",
]


class Privacy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = world.shared()
        held = tempfile.TemporaryDirectory(prefix="rial-privacy-")
        cls.addClassCleanup(held.cleanup)
        cls.planted = secret_things.Planted(cls.world, pathlib.Path(held.name))
        starts = ["/", "/robots.txt", "/sitemap.xml", "/verify-file", "/methodology", "/log", "/bundle", "/health", "/favicon.ico", "/.well-known/security.txt"]
        for identifier in cls.planted.captures + cls.planted.states:
            view = f"/api/v1/captures/{identifier}"
            starts += [f"/verify/{identifier}", view, f"{view}/events", f"/oembed?url={urllib.parse.quote(cls.world.url)}/verify/{identifier}"]
        for photo in (cls.planted.original, cls.planted.original + b"2"):
            starts.append(f"/api/v1/verify-hash/{hashlib.sha256(photo).hexdigest()}")
        cls.site = crawl.crawl(cls.world.url, starts, HEADERS)
        cls.answers = list(cls.site.values())

    def urls(self, kind):
        return [each for each in self.answers if each.status == 200 and each.kind == kind]

    def test_the_crawler_saw_the_site(self):
        """Pages, records in both languages, pictures, copies, manifests, scripts, answers and streams: all were fetched."""
        paths = {urllib.parse.urlsplit(each.url).path for each in self.answers if each.status == 200}
        one = self.planted.bound
        for path in ["/", "/methodology", "/verify-file", "/log", "/bundle", f"/verify/{one}", f"/api/v1/captures/{one}", f"/api/v1/captures/{one}/events"]:
            self.assertIn(path, paths)
        for name in ("thumbnail.jpg", "depth-preview.png", "c2pa.jpg", "manifest.c2pa"):
            self.assertIn(f"/media/{one}/{name}", paths)
        self.assertIn(f"/media/{self.planted.unbound}/public.jpg", paths)
        self.assertTrue(any(path.endswith("result.js") for path in paths) and any(path.endswith("live.js") for path in paths), paths)
        self.assertTrue(any(each.url.startswith(f"{self.world.url}/oembed") and each.status == 200 for each in self.answers))
        streams = self.urls("text/event-stream")
        self.assertTrue(streams)
        self.assertEqual([each.url for each in streams if b"event:" not in each.body], [])
        self.assertTrue(any(b'"moire":{"score":0.119}' in each.body for each in self.answers), "the public part of a detection report")
        broken = {each.url for each in self.answers if each.status >= 500}
        self.assertEqual(broken, set())

    def test_nothing_private_is_anywhere(self):
        """No form of a precise place, a device, an original, a depth map or a key of ours is in any answer."""
        self.assertEqual(crawl.leaks(self.answers, self.planted.secrets), [])

    def test_detection_reports_keep_places_and_devices_to_themselves(self):
        """However a member is spelt: what names a place or a device in a device's own report is not in the public form."""
        names = secret_things.OTHER_NAMES
        told = self.planted.sender.send(detection={"verdict": "screen", **{name: secret_things.MARK for name in names}})
        said = self.planted.sender.view(told)["detection"]
        self.assertEqual(said, {"verdict": "screen"})

    def test_no_answer_has_a_member_for_the_owner(self):
        """JSON has no counter, no device, no altitude, and coordinates of two decimals at most."""
        self.assertEqual([each for answer in self.answers for each in secret_things.private_members(answer)], [])

    def test_no_answer_is_an_original(self):
        """No body is a file that a device sent, whole."""
        sent = {hashlib.sha256(each).digest() for each in (self.planted.original, self.planted.original + b"2", self.planted.depth)}
        self.assertEqual([each.url for each in self.answers if hashlib.sha256(each.body).digest() in sent], [])

    def test_the_search_finds_what_is_planted(self):
        """Each form of each secret is found where it is, plain, escaped, in a header or packed in a picture."""
        for name, secret in self.planted.secrets:
            answer = crawl.Answer("http://x/", 200, {"content-type": "image/jpeg"}, b"\xff\xd8abc" + secret + b"def")
            self.assertTrue(crawl.leaks([answer], [(name, secret)]), name)
        escaped = b"<p data-x='&#45;33.8688&#50;0'>"
        packed = zlib.compress(b"33.868820")
        chunk = len(packed + b"a\0\0").to_bytes(4, "big") + b"zTXt" + b"a\0\0" + packed + b"\0\0\0\0"
        for answer in [
            crawl.Answer("http://x/", 200, {"content-type": "text/html"}, escaped),
            crawl.Answer("http://x/", 200, {"content-type": "application/json"}, b'{"a":"\\u00333.868820"}'),
            crawl.Answer("http://x/", 200, {"etag": '"33.868820"'}, b""),
            crawl.Answer("http://x/?at=%33%33.868820", 200, {}, b""),
            crawl.Answer("http://x/", 200, {"content-type": "image/png"}, b"\x89PNG\r\n\x1a\n" + chunk),
        ]:
            self.assertTrue(crawl.leaks([answer], self.planted.secrets), answer)
        owners = crawl.Answer("http://x/", 200, {"content-type": "application/json"}, b'{"data":{"counter":1,"latitude":-33.8688}}')
        self.assertEqual(len(secret_things.private_members(owners)), 2)

    @unittest.skipUnless(secret_things.has_exiftool(), "exiftool is missing")
    def test_pictures_say_nothing_of_place_and_person(self):
        """No picture's metadata name a place, a person, a serial number; no maker's note, no second picture."""
        pictures = [each for each in self.answers if each.status == 200 and each.kind in ("image/jpeg", "image/png")]
        self.assertGreater(len(pictures), 8)
        folder = self.planted.sender.folder
        for number, each in enumerate(pictures):
            file = folder / f"picture-{number}"
            file.write_bytes(each.body)
            said = secret_things.exiftool("-a", "-u", "-U", "-G1", "-ee", "-j", file).decode()
            for word in ("GPS", "Serial", "MakerNote", "Owner", "UniqueID", "UserComment", "Artist", "Trailer", "ThumbnailImage", "IPTC", "XMP-"):
                allowed = word == "XMP-" and "c2pa" in each.url
                self.assertTrue(word not in said or allowed, f"{word} in {each.url}: {said[:2000]}")
        planted = secret_things.exiftool("-a", "-G1", "-j", folder.parent / "tagged.jpg").decode()
        self.assertTrue("GPSLatitude" in planted and "Serial" in planted and "IPTC" in planted, "what is looked for was in the original")

    def ask(self, target, **headers):
        """Status and body for a target that HTTP clients would normalise."""
        parts = urllib.parse.urlsplit(self.world.url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        try:
            connection.putrequest("GET", target.encode("utf-8").decode("latin-1"))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def assert_refused(self, target, **headers):
        try:
            status, body = self.ask(target, **headers)
        except (http.client.InvalidURL, UnicodeError):
            return
        if status == 200:
            # A manipulated path may lead to a public resource.
            self.assertEqual(crawl.leaks([crawl.Answer("", 200, {}, body)], self.planted.secrets), [], target)
            self.assertNotEqual(hashlib.sha256(body).digest(), hashlib.sha256(self.planted.original).digest(), target)
        else:
            self.assertTrue(400 <= status < 500 or status in (301, 302, 303), f"{status} {target}")
            self.assertEqual(crawl.leaks([crawl.Answer("", status, {}, body)], self.planted.secrets), [], target)
        return status

    def test_originals_cannot_be_guessed(self):
        """No name, no borrowed signature and no path trick leads to a file that is not published."""
        one = self.planted.bound
        view = self.planted.sender.view(one)
        query = urllib.parse.urlsplit(view["c2pa_media_url"]).query
        for name in NAMES:
            for tail in ("", f"?{query}"):
                status = self.assert_refused(f"/media/{one}/{name.format(id=one)}{tail}")
                if name in ("original.jpg", "depth.gz", "metadata.json"):
                    self.assertIn(status, (403, 404))
        for path in (f"/media/{one}", f"/media/{one}/", "/media/", "/media", f"/captures/{one}/original.jpg", f"/incoming/{one}/photo"):
            self.assertEqual(self.assert_refused(path), 404, path)
        for path in ("/assets/../strings.json", "/assets/%2e%2e/strings.json", "/assets/..%2f..%2f..%2fetc%2fpasswd", "/assets//etc/passwd", "/assets/"):
            self.assertIn(self.assert_refused(path), (400, 404), path)

    def test_not_even_a_right_signature_opens_an_original(self):
        """A link that is signed with the server's own key leads to published names only."""
        file = ROOT / ".local" / os.environ["STACK"] / "keys/link-key"
        key = bytes.fromhex(file.read_text().strip())
        expires = int(time.time()) + 600
        one = self.planted.bound

        def link(name):
            code = hmac.new(key, f"rial-media-v1\n{one}\n{name}\n{expires}".encode(), hashlib.sha256).hexdigest()
            return f"/media/{one}/{urllib.parse.quote(name)}?expires={expires}&signature={code}"

        self.assertEqual(self.ask(link("c2pa.jpg"))[0], 200, "the signature is right")
        for name in ("original.jpg", "depth.gz", "metadata.json", "../original.jpg"):
            self.assertEqual(self.assert_refused(link(name)), 404, name)

    def test_another_device_is_the_public(self):
        """A device that did not send a capture gets no more of it than anyone."""
        stranger = secret_things.sender.Sender(self.world.url, self.planted.sender.folder / "stranger", scene=self.world.scene("room"))
        for identifier in self.planted.captures:
            said = stranger.device.read(stranger.server, f"/api/v1/captures/{identifier}")
            self.assertNotIn("location", said.json["data"])
            answer = crawl.Answer(said.target, said.status, said.headers, said.body)
            self.assertEqual(crawl.leaks([answer], self.planted.secrets) + secret_things.private_members(answer), [])

    def test_the_bucket_answers_nobody(self):
        """Without the gateway's keys the object store gives nothing."""
        address = f"{os.environ['RIAL_S3_ENDPOINT']}/{os.environ['RIAL_S3_BUCKET']}"
        for path in ("", f"/captures/{self.planted.bound}/original.jpg", f"/captures/{self.planted.bound}/depth.gz"):
            self.assertEqual(crawl.get(address + path).status, 403, path)

    def test_the_log_of_the_gateway_says_no_more(self):
        """What operators read holds no precise place and no original either."""
        files = list((ROOT / ".local" / os.environ["STACK"] / "logs").glob("gateway*.log"))
        self.assertGreater(len(files), 0)
        for file in files:
            text = subprocess.run(["tail", "-c", "4000000", str(file)], capture_output=True, check=True).stdout
            secrets = [each for each in self.planted.secrets if "latitude" in each[0] or "longitude" in each[0] or "marked" in each[0]]
            self.assertEqual(crawl.leaks([crawl.Answer(str(file), 0, {}, text)], secrets), [])


if __name__ == "__main__":
    unittest.main()
