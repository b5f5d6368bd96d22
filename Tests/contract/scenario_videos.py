"""Videos, whole and in pieces, and those that are refused."""

import base64
import threading
import time
import uuid

import world
from device import CAPTURES, VIDEOS, form, rial
from recorder import Recorder
from scenario import Scenario
from scenario_uploads import Upload

PROBLEM = {"Accept": "application/problem+json"}


class Videos(Scenario):
    def submit(self, **changes):
        return world.owner().submit(self.server, world.recording().parts(**changes), VIDEOS)

    def upload(self, device=None):
        return Upload(self.server, device or world.owner(), world.recording().parts(), VIDEOS)

    def post(self, headers, body):
        return self.server.send("POST", VIDEOS, headers, body)

    def test_a_video_and_its_evidence(self):
        parts = world.recording().parts()
        sent = self.expect(world.owner().submit(self.server, parts, VIDEOS), 201).json["data"]
        self.assertEqual((sent["type"], sent["status"]), ("video", "processing"))
        again = self.expect(world.owner().submit(self.server, parts, VIDEOS), 200).json["data"]
        self.assertEqual(again["capture_id"], sent["capture_id"])
        view = self.server.get(f"{CAPTURES}/{world.settled(sent['capture_id'])}").json["data"]
        self.assertEqual((view["duration_ms"], view["evidence"]["hash_chain"]["reason"]), (1000, "unsigned"))
        self.assertEqual(view["depth_frames"]["times_ms"], [100 * number for number in range(10)])
        for name in ["media_url", "poster_url", "depth_frames_url", "depth_visualization_url"]:
            self.expect(self.server.get(world.local(view[name])), 200)
        self.assertIsNone(view["playback_url"])
        self.expect(world.owner().read(self.server, f"{CAPTURES}/{sent['capture_id']}"), 200)
        self.expect(self.server.get(f"{CAPTURES}/{sent['capture_id']}/events"), 200)

    def test_a_video_of_which_only_the_hash_is_sent(self):
        for shared in ["day", "none"]:
            with self.subTest(shared):
                self.hash_only(shared)

    def hash_only(self, shared):
        """Sends the hash of a video, and reads what is shown of it. `shared`: how exactly its time is."""
        with Recorder(self.server) as url:
            rial(
                "video", "send", "--state", world.owner().state_file, world.recording().folder, "--hash-only", "--share-time", shared,
                "--share-device", "none", url=url)
        sent = [one for one in world.LOG if one.target == CAPTURES and one.status == 201][-1].json["data"]
        self.assertEqual(sent["type"], "video")
        view = self.server.get(f"{CAPTURES}/{world.settled(sent['capture_id'])}").json["data"]
        self.assertEqual((view["capture_mode"], view["duration_ms"], view["depth_frames"]), ("hash_only", 1000, None))
        self.assertEqual(view["evidence"]["hash_chain"]["reason"], "media_not_stored")
        facts = view["evidence"]["video"]
        self.assertEqual([len(facts[name] or "") for name in ["started_at", "ended_at"]], [{"day": 10, "none": 0}[shared]] * 2)
        self.expect(self.server.get(f"{CAPTURES}/{sent['capture_id']}/events"), 200)
        self.expect(self.server.get(f"/api/v1/verify-hash/{view['media_hash']}"), 200)

    def test_a_video_in_two_pieces(self):
        self.expect(self.server.send("OPTIONS", VIDEOS), 204)
        upload = self.upload().created()
        self.expect(upload.append(upload.body[:1000], complete="?0"), 204)
        self.expect(upload.append(upload.body[1000:], offset=1000), 201)
        self.expect(upload.create(), 200)

    def test_what_is_no_video_of_ours(self):
        self.expect(self.submit(video=b"GIF89a"), 415, "UNSUPPORTED_MEDIA_TYPE")
        self.expect(self.submit(video=world.recording().parts()[0][2][:-40]), 422, "INVALID_VIDEO")
        self.expect(self.submit(depth_data=b"no depth"), 422, "INVALID_DEPTH_FORMAT")
        self.expect(self.submit(hash_chain=b"{}"), 422, "INVALID_HASH_CHAIN")
        self.expect(self.submit(metadata=b"{}"), 422, "INVALID_METADATA")
        self.expect(self.submit(assertion=b"not CBOR"), 422, "INVALID_ASSERTION")
        for part in ["video", "depth_data", "hash_chain", "metadata"]:
            self.expect(self.submit(**{part: None}), 400, "VALIDATION_ERROR")

    def test_videos_that_are_refused_at_the_end(self):
        bad = {"INVALID_VIDEO": {"video": world.recording().parts()[0][2][:-40]}, "INVALID_HASH_CHAIN": {"hash_chain": b"{}"}}
        for code, change in bad.items():
            upload = Upload(self.server, world.owner(), world.recording().parts(**change), VIDEOS).created()
            self.expect(upload.append(upload.body), 422, code)

    def test_headers_are_needed(self):
        kind, body = form(world.recording().parts())
        sound = {"Content-Type": kind, **world.owner().headers("POST", VIDEOS, body)}
        left = {name: value for name, value in sound.items() if name != "X-Device-Signature"}
        self.expect(self.post(left, body), 401, "DEVICE_AUTH_REQUIRED")
        self.expect(self.post({**left, **PROBLEM}, body), 401, "DEVICE_AUTH_REQUIRED")
        self.expect(self.post({**sound, "X-Device-Id": str(uuid.uuid4())}, body), 401, "DEVICE_NOT_REGISTERED")
        self.expect(self.post({**sound, "X-Device-Signature": base64.b64encode(bytes(64)).decode()}, body), 401, "SIGNATURE_INVALID")
        late = {**sound, "X-Device-Timestamp": str(int(time.time() * 1000) - 301_000)}
        self.expect(self.post(late, body), 401, "TIMESTAMP_EXPIRED")
        # Another address' signature; and the version without one.
        self.expect(self.post({**sound, **world.owner().headers("POST", CAPTURES, body)}, body), 401, "SIGNATURE_INVALID")
        old = {**sound, **world.owner().headers("POST", VIDEOS, body, version="1")}
        self.expect(self.post(old, body), 401, "SIGNATURE_INVALID")

    def test_a_revoked_device_is_refused(self):
        device = world.new_device("filmed")
        device.revoke()
        self.expect(device.submit(self.server, world.recording().parts(), VIDEOS), 403, "DEVICE_REVOKED")

    def test_more_than_150_mb_is_refused(self):
        kind, _ = form([])
        headers = {"Content-Type": kind, **world.owner().headers("POST", VIDEOS, b""), "Content-Length": "150000001"}
        self.expect(self.post(headers, b"x"), 413, "PAYLOAD_TOO_LARGE")

    def test_lengths_and_bytes_that_contradict_what_was_said(self):
        upload = self.upload()
        wrong = {"Upload-Length": str(len(upload.body) + 1)}
        self.expect(self.post({**upload.fields("?1"), **wrong}, upload.body), 400, "UPLOAD_LENGTH_INCONSISTENT")
        other = bytearray(upload.body)
        other[len(other) // 2] ^= 1
        self.expect(self.post(upload.fields("?1"), bytes(other)), 400, "DIGEST_MISMATCH")

    def test_a_creation_that_is_overtaken(self):
        upload = self.upload()
        first = []
        fields = {**upload.fields(version=None), "Content-Length": str(len(upload.body))}
        sender = threading.Thread(target=lambda: first.append(self.post(fields, upload.body[:100])))
        sender.start()
        world.eventually(lambda: upload.create().headers.get("upload-offset") == "100", "the first bytes are stored")
        sender.join()
        self.expect(first[0], 409, "UPLOAD_OFFSET_MISMATCH")

    def test_a_creation_that_is_replaced(self):
        self.expect(self.upload(device=world.new_device("filming-anew")).replaced(), 410, "GONE")
