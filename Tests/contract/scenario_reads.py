"""Reading: captures, their events, media and pages."""

import base64
import gzip
import hashlib
import hmac
import json
import time
import uuid

import world
from checker import events
from device import CAPTURES, capture_parts
from scenario import Scenario


class Reads(Scenario):
    def test_a_capture_in_both_forms(self):
        target = f"{CAPTURES}/{world.capture()}"
        public = self.expect(self.server.get(target), 200)
        own = self.expect(world.owner().read(self.server, target), 200)
        self.assertEqual(own.json["data"]["location"]["latitude"], 45.764043)
        self.assertIn("counter", own.json["data"]["evidence"]["hardware_attestation"])
        self.assertNotIn("location", public.json["data"])
        self.assertNotIn("counter", public.json["data"]["evidence"]["hardware_attestation"])
        self.assertNotIn(world.owner().id, public.body.decode())
        place = public.json["data"]["evidence"]["metadata"]["location"]
        self.assertEqual((place["latitude"], place["longitude"]), (45.76, 4.84))
        self.assertEqual(public.headers["cache-control"], "no-cache")
        self.assertEqual(own.headers["cache-control"], "private, no-store")
        for form in (public, own):
            headers = {"If-None-Match": form.headers["etag"]}
            signed = world.owner().headers("GET", target) if form is own else {}
            self.expect(self.server.send("GET", target, {**headers, **signed}), 304)
        self.expect(self.server.send("HEAD", target), 200)

    def test_a_capture_in_progress_and_one_without_assertion(self):
        sent = world.owner().submit(self.server, capture_parts(world.scene().another_photo()))
        identifier = sent.json["data"]["capture_id"]
        self.expect(self.server.get(f"{CAPTURES}/{identifier}"), 200)
        self.expect(self.server.get(f"{CAPTURES}/{identifier}/events"), 200)
        world.settled(identifier)
        other = world.new_device("other").read(self.server, f"{CAPTURES}/{identifier}")
        self.assertNotIn("location", self.expect(other, 200).json["data"])

    def test_a_photo_that_cannot_be_decoded_becomes_final(self):
        sent = world.owner().submit(self.server, capture_parts(b"\xff\xd8\xff" + uuid.uuid4().bytes))
        world.settled(self.expect(sent, 201).json["data"]["capture_id"])

    def test_reads_that_are_not_well_signed_are_refused(self):
        target = f"{CAPTURES}/{world.capture()}"
        sound = world.owner().headers("GET", target)
        self.expect(self.server.send("GET", target, {"X-Device-Id": world.owner().id}), 401, "DEVICE_AUTH_REQUIRED")
        self.expect(self.server.send("GET", target, {**sound, "X-Device-Id": str(uuid.uuid4())}), 401, "DEVICE_NOT_REGISTERED")
        nothing = base64.b64encode(bytes(64)).decode()
        self.expect(self.server.send("GET", target, {**sound, "X-Device-Signature": nothing}), 401, "SIGNATURE_INVALID")
        self.expect(world.owner().read(self.server, target, version="1"), 401, "SIGNATURE_INVALID")
        self.expect(world.owner().read(self.server, target, at=-400), 401, "TIMESTAMP_EXPIRED")

    def test_unknown_captures(self):
        for name in [str(uuid.uuid4()), "no-id", "%00"]:
            for target in [f"{CAPTURES}/{name}", f"{CAPTURES}/{name}/events"]:
                self.expect(self.server.get(target), 404, "CAPTURE_NOT_FOUND")
                self.expect(self.server.get(target, Accept="application/problem+json"), 404, "CAPTURE_NOT_FOUND")

    def test_events(self):
        target = f"{CAPTURES}/{world.capture()}/events"
        stream = self.expect(self.server.get(target), 200)
        told = events(stream.body)
        self.assertEqual(sorted({name for _, name, _ in told}), ["check", "evidence", "log", "status"])
        self.assertEqual([json.loads(data)["status"] for _, _, data in told[-2:]], ["complete", "witnessed"])
        self.assertNotIn('"counter"', stream.body.decode())
        self.assertEqual(events(self.expect(self.server.get(target, Last_Event_ID=told[1][0]), 200).body), told[2:])
        self.expect(self.server.send("HEAD", target), 200)
        for headers in [{}, {"Accept": "application/problem+json"}]:
            for chunked in [True, False]:
                self.expect(self.server.send("GET", target, headers, b"x", chunked=chunked), 413, "PAYLOAD_TOO_LARGE")


class PublicLog(Scenario):
    def test_the_bundle_in_both_forms(self):
        target = f"{CAPTURES}/{world.capture()}/bundle"
        public = self.expect(world.bundle(target), 200)
        own = self.expect(world.owner().read(self.server, target), 200)
        for form in (public, own):
            self.assertEqual(form.body[:38].find(b"mimetype"), 30)
            headers = {"If-None-Match": form.headers["etag"]}
            signed = world.owner().headers("GET", target) if form is own else {}
            self.expect(self.server.send("GET", target, {**headers, **signed}), 304)
        self.assertNotIn(b"owner/", public.body)
        self.assertIn(b"owner/assertion.cbor", own.body)
        self.assertEqual(own.headers["cache-control"], "private, no-store")
        self.assertEqual(self.expect(world.new_device("reader").read(self.server, target), 200).body, public.body)
        whole = self.expect(self.server.get(f"{target}?media=1"), 200)
        head = self.expect(self.server.send("HEAD", f"{target}?media=1"), 200)
        self.assertEqual(head.headers["content-length"], str(len(whole.body)))
        self.assertGreater(len(whole.body), len(public.body))
        self.expect(self.server.send("HEAD", target), 200)

    def test_bundles_that_are_refused(self):
        target = f"{CAPTURES}/{world.capture()}/bundle"
        sound = world.owner().headers("GET", target)
        for form in ({}, {"Accept": "application/problem+json"}):
            self.expect(self.server.send("GET", f"{target}?media=2", form), 400, "VALIDATION_ERROR")
            self.expect(self.server.send("GET", f"{CAPTURES}/{uuid.uuid4()}/bundle", form), 404, "CAPTURE_NOT_FOUND")
        self.expect(self.server.send("GET", target, {"X-Device-Id": world.owner().id}), 401, "DEVICE_AUTH_REQUIRED")
        self.expect(self.server.send("GET", target, {**sound, "X-Device-Id": str(uuid.uuid4())}), 401, "DEVICE_NOT_REGISTERED")
        nothing = base64.b64encode(bytes(64)).decode()
        self.expect(self.server.send("GET", target, {**sound, "X-Device-Signature": nothing}), 401, "SIGNATURE_INVALID")
        self.expect(world.owner().read(self.server, target, at=-400), 401, "TIMESTAMP_EXPIRED")

    def test_a_bundle_that_is_not_there_yet(self):
        sent = world.owner().submit(self.server, capture_parts(b"\xff\xd8\xff" + uuid.uuid4().bytes))
        target = f"{CAPTURES}/{self.expect(sent, 201).json['data']['capture_id']}/bundle"
        for form in ("application/json", "application/problem+json"):
            answer = self.expect(self.server.get(target, Accept=form), 409, "NOT_LOGGED_YET")
            details = answer.json.get("error", answer.json)["details"]
            self.assertIn(details["reason"], ["processing", "failed", "pending", "unwitnessed"])
        world.settled(sent.json["data"]["capture_id"])

    def test_the_files_of_the_log(self):
        world.bundle(f"{CAPTURES}/{world.capture()}/bundle")
        origin = self.server.get(f"{CAPTURES}/{world.capture()}").json["data"]["log"]["origin"]
        shard = f"/log/{origin.rsplit('/', 1)[-1]}"
        note = self.expect(self.server.get(f"{shard}/checkpoint"), 200)
        self.assertEqual(note.body.decode().split("\n")[0], origin)
        size = int(note.body.decode().split("\n")[1])
        full, width = divmod(size, 256)
        tile = f"{full - 1:03d}" if width == 0 else f"{full:03d}.p/{width}"
        hashes = self.expect(self.server.get(f"{shard}/tile/0/{tile}"), 200)
        self.assertEqual(len(hashes.body), 32 * (width or 256))
        plain = self.expect(self.server.get(f"{shard}/tile/entries/{tile}"), 200)
        packed = self.expect(self.server.get(f"{shard}/tile/entries/{tile}", Accept_Encoding="gzip"), 200)
        if packed.headers.get("content-encoding") == "gzip":
            self.assertEqual(gzip.decompress(packed.body), plain.body)
        for path in (f"{shard}/tile/0/{tile}", "/log/policy"):
            answer = self.expect(self.server.get(path), 200)
            self.expect(self.server.get(path, If_None_Match=answer.headers["etag"]), 304)
            self.expect(self.server.send("HEAD", path), 200)
        self.expect(self.server.send("HEAD", f"{shard}/checkpoint"), 200)
        # Once an hour it is cosigned again, so it may be another by now.
        for _ in range(5):
            newest = self.server.get(f"{shard}/checkpoint").headers["etag"]
            if self.server.get(f"{shard}/checkpoint", If_None_Match=newest).status == 304:
                break
        for form in ("application/json", "application/problem+json"):
            for path in (f"{shard}/tile/0/{full + 1:03d}", f"{shard}/tile/0/x", "/log/none/checkpoint", "/log/none/tile/0/000"):
                self.expect(self.server.get(path, Accept=form), 404, "NOT_FOUND")


class Withdrawal(Scenario):
    def test_a_capture_that_is_withdrawn_is_gone(self):
        # Of a device of its own: what it sends within seconds of a withdrawal is to be sent again.
        sender = world.new_device("withdrawer")
        sent = sender.submit(self.server, capture_parts(world.scene().another_photo()))
        identifier = self.expect(sent, 201).json["data"]["capture_id"]
        target = f"{CAPTURES}/{identifier}"
        self.expect(self.server.send("DELETE", target), 401, "DEVICE_AUTH_REQUIRED")
        self.expect(sender.withdraw(self.server, target, version="1"), 401, "SIGNATURE_INVALID")
        self.expect(sender.withdraw(self.server, target, at=-400), 401, "TIMESTAMP_EXPIRED")
        sound = sender.headers("DELETE", target)
        self.expect(self.server.send("DELETE", target, {**sound, "X-Device-Id": str(uuid.uuid4())}), 401, "DEVICE_NOT_REGISTERED")
        self.expect(world.new_device("stranger").withdraw(self.server, target), 403, "FORBIDDEN")
        self.expect(sender.withdraw(self.server, f"{CAPTURES}/{uuid.uuid4()}"), 404, "CAPTURE_NOT_FOUND")
        for _ in range(2):
            self.expect(sender.withdraw(self.server, target), 204)
        for path in (target, f"{target}/events", f"{target}/bundle", f"/media/{identifier}/thumbnail.jpg"):
            for form in ("application/json", "application/problem+json"):
                self.expect(self.server.get(path, Accept=form), 410, "GONE")
        self.expect(sender.read(self.server, target), 410, "GONE")


class Media(Scenario):
    def link(self):
        """A public link to the photo."""
        return world.local(self.server.get(f"{CAPTURES}/{world.capture()}").json["data"]["media_url"])

    def test_every_link_of_the_capture_works(self):
        data = world.view()
        links = [value for name, value in data.items() if name.endswith("_url") and name != "verification_url" and value]
        self.assertGreaterEqual(len(links), 3)
        for link in links:
            whole = self.expect(self.server.get(world.local(link)), 200)
            head = self.expect(self.server.send("HEAD", world.local(link)), 200)
            self.assertEqual(head.headers["content-length"], str(len(whole.body)))
            self.expect(self.server.get(world.local(link), If_None_Match=whole.headers["etag"]), 304)

    def test_ranges(self):
        whole = self.server.get(self.link()).body
        for text, part in [("bytes=0-9", whole[:10]), ("bytes=-5", whole[-5:]), ("bytes=10-", whole[10:])]:
            self.assertEqual(self.expect(self.server.get(self.link(), Range=text), 206).body, part)
        for text in ["bytes=0-1,3-4", "lines=1-2", "bytes=x"]:
            self.assertEqual(self.expect(self.server.get(self.link(), Range=text), 200).body, whole)
        self.expect(self.server.get(self.link(), Range=f"bytes={len(whole)}-"), 416)

    def test_head_knows_no_ranges(self):
        """RFC 9110 §14.2: Range is for GET; a range's numbers are digits (§14.1.1)."""
        self.expect(self.server.send("HEAD", self.link(), {"Range": "bytes=0-1"}), 200)
        self.expect(self.server.get(self.link(), Range="bytes=+1-+3"), 200)

    def test_links_that_are_not_right(self):
        path, query = self.link().split("?")
        for wrong in ["", "?expires=1", "?" + query[:-1] + ("0" if query[-1] != "0" else "1"), "?expires=x&signature=y"]:
            self.expect(self.server.get(path + wrong), 403, "FORBIDDEN")
        self.expect(self.server.get(path.rpartition("/")[0] + "/depth-preview.png?" + query), 403, "FORBIDDEN")
        self.expect(self.server.get(path, Accept="application/problem+json"), 403, "FORBIDDEN")

    def test_an_expired_link(self):
        """A link of the stack's own key, as one would be after an hour; the same key makes one too far ahead."""
        key = world.link_key()
        if key is None:
            self.skipTest("RIAL_LINK_KEY is not known: nobody can make a link that has expired")
        path = self.link().split("?")[0]
        name = path.rpartition("/")[2]
        for ahead, status, code in [(-10, 410, "GONE"), (7200, 403, "FORBIDDEN"), (60, 200, None)]:
            expires = int(time.time()) + ahead
            message = f"rial-media-v1\n{world.capture()}\n{name}\n{expires}".encode()
            signature = hmac.new(key, message, hashlib.sha256).hexdigest()
            self.expect(self.server.get(f"{path}?expires={expires}&signature={signature}"), status, code)

    def test_what_is_not_there(self):
        path = f"/media/{world.capture()}"
        missing = [f"{path}/original.jpg", f"{path}/depth.gz", "/media/no-id/thumbnail.jpg", f"/media/{uuid.uuid4()}/thumbnail.jpg"]
        for target in missing:
            self.expect(self.server.get(target), 404, "NOT_FOUND")


class Health(Scenario):
    def test_health(self):
        self.expect(self.server.get("/health"), 200)
        self.expect(self.server.send("HEAD", "/health"), 200)
