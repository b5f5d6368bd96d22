"""Captures sent by the program, and invalid ones by a device."""

import base64
import hashlib
import json
import os
import time
import uuid

import world
from device import CAPTURES, HEIGHT, WIDTH, capture_parts, form, metadata, rial
from document import Document
from recorder import Recorder
from scenario import Scenario

PROBLEM = {"Accept": "application/problem+json"}


class Captures(Scenario):
    def submit(self, parts, **signing):
        return world.owner().submit(self.server, parts, **signing)

    def fresh(self, **changes):
        """The parts of a new capture."""
        photo = world.scene().another_photo()
        return capture_parts(photo, **changes)

    def post(self, headers, body=b"x", **options):
        return self.server.send("POST", CAPTURES, headers, body, **options)

    def test_the_program_sends_a_capture(self):
        world.capture()

    def test_the_program_sends_signatures_of_version_1_and_the_same_once(self):
        photo = world.folder() / "second.jpg"
        photo.write_bytes(world.scene().another_photo())
        arguments = [
            "capture", "send", "--state", world.owner().state_file, "--photo", photo, "--depth", world.scene().depth_file, "--width",
            WIDTH, "--height", HEIGHT, "--no-assertion", "--signature-version", "1"]
        with Recorder(self.server) as url:
            rial(*arguments, url=url)
            rial(*arguments, url=url)
        first, second = [one for one in world.LOG if one.target == CAPTURES][-2:]
        self.assertEqual((first.status, second.status), (201, 200))
        self.assertEqual(first.json["data"]["capture_id"], second.json["data"]["capture_id"])
        self.assertEqual(first.headers["location"], f"{CAPTURES}/{first.json['data']['capture_id']}")

    def test_the_program_sends_a_hash_only_capture_and_its_flags_are_answered(self):
        photo = world.folder() / "private.jpg"
        photo.write_bytes(world.scene().another_photo())
        with Recorder(self.server) as url:
            rial(
                "capture", "send", "--state", world.owner().state_file, "--photo", photo, "--depth", world.scene().depth_file, "--width",
                WIDTH, "--height", HEIGHT, "--hash-only", "--share-time", "day", "--share-device", "none", url=url)
        sent = [one for one in world.LOG if one.target == CAPTURES][-1]
        self.assertEqual(sent.status, 201)
        answer = self.expect(self.server.send("GET", f"{CAPTURES}/{sent.json['data']['capture_id']}"), 200)
        data = answer.json["data"]
        self.assertEqual(data["metadata_flags"], {"location": "coarse", "timestamp": "day", "device": "none"})
        self.assertEqual((data["captured_precision"], len(data["captured_at"]), len(data["uploaded_at"])), ("day", 10, 10))

    def test_a_hash_only_capture_that_no_hardware_signed_is_refused(self):
        payload = base64.b64encode(b"{}").decode()
        for assertion, status, code in [(b"\xa0", 401, "ATTESTATION_FAILED"), (b"\xff", 422, "INVALID_ASSERTION")]:
            body = json.dumps({"mode": "hash_only", "payload": payload, "assertion": base64.b64encode(assertion).decode()}).encode()
            headers = {"Content-Type": "application/json", **world.owner().headers("POST", CAPTURES, body)}
            self.expect(self.post(headers, body), status, code)
            self.expect(self.post({**headers, **PROBLEM}, body), status, code)

    def test_the_metadata_that_is_taken_is_as_the_file_says(self):
        photo = world.scene().another_photo()
        forms = [
            {"photo_hash": "base64"}, {"location": {"lat": 1, "lng": 2, "altitude": -3.5}}, {"location": None},
            {"captured_at": "2026-01-01T00:00:00.5+02:00", "unknown": [1, {"deep": None}]},
        ]
        for changes in forms:
            photo = world.scene().another_photo()
            if "photo_hash" in changes:
                changes["photo_hash"] = base64.b64encode(hashlib.sha256(photo).digest()).decode()
            meta = metadata(photo, **changes)
            self.assertEqual(Document().problems({"$ref": "#/components/schemas/Metadata"}, json.loads(meta)), [])
            self.expect(self.submit(capture_parts(photo, meta=meta)), 201)

    def test_the_time_of_a_capture_comes_back_as_it_was(self):
        for time_given in ["0001-01-01T00:00:00.000Z", "1500-02-28T12:00:00.000Z", "1969-12-31T23:59:59.250Z", "9999-12-31T23:59:59.999Z"]:
            photo = world.scene().another_photo()
            sent = self.submit(capture_parts(photo, meta=metadata(photo, captured_at=time_given)))
            shown = self.server.get(self.expect(sent, 201).headers["location"]).json["data"]["captured_at"]
            with self.subTest(time_given):
                self.assertEqual(shown, time_given)

    def test_a_time_that_rounds_out_of_range_is_not_shown_wrong(self):
        """Refused, or shown as RFC 3339; the sum of all answers tells."""
        photo = world.scene().another_photo()
        sent = self.submit(capture_parts(photo, meta=metadata(photo, captured_at="9999-12-31T23:59:59.9999999Z")))
        if sent.status == 201:
            self.server.get(sent.headers["location"])

    def test_metadata_that_the_file_does_not_allow_is_refused(self):
        photo = world.scene().another_photo()
        wrong = [
            {"captured_at": None}, {"captured_at": "yesterday"}, {"device_model": ""}, {"device_model": "x" * 101},
            {"depth_map_dimensions": {"width": 0, "height": 192}}, {"depth_map_dimensions": {"width": 1025, "height": 1}},
            {"depth_map_dimensions": None}, {"location": {"latitude": 1}}, {"location": {"latitude": "1", "longitude": 2}}, {"location": 1},
        ]
        for changes in wrong:
            meta = metadata(photo, **changes)
            self.assertNotEqual(Document().problems({"$ref": "#/components/schemas/Metadata"}, json.loads(meta)), [], meta)
            self.expect(self.submit(capture_parts(photo, meta=meta)), 422, "INVALID_METADATA")

    def test_other_metadata_is_refused(self):
        photo = world.scene().another_photo()
        for meta in [b"{", b"[]", metadata(photo, photo_hash="00" * 32), metadata(photo, photo_hash="short"), b" " * 65537]:
            self.expect(self.submit(capture_parts(photo, meta=meta)), 422, "INVALID_METADATA")

    def test_depth_and_assertion_must_be_what_they_are_called(self):
        for depth in [b"no depth", world.scene().depth[:-20]]:
            self.expect(self.submit(self.fresh(depth=depth)), 422, "INVALID_DEPTH_FORMAT")
        photo = world.scene().another_photo()
        sizes = metadata(photo, depth_map_dimensions={"width": 10, "height": 10})
        self.expect(self.submit(capture_parts(photo, meta=sizes)), 422, "INVALID_DEPTH_FORMAT")
        self.expect(self.submit(self.fresh(assertion=b"\xff\xff")), 422, "INVALID_ASSERTION")
        inside = metadata(photo, assertion="*")
        self.expect(self.submit(capture_parts(photo, meta=inside)), 422, "INVALID_ASSERTION")

    def test_the_parts_must_be_whole(self):
        whole = self.fresh()
        for index in range(3):
            self.expect(self.submit(whole[:index] + whole[index + 1:]), 400, "VALIDATION_ERROR")
        self.expect(self.submit(whole + whole[2:]), 400, "VALIDATION_ERROR")
        self.expect(self.submit(self.fresh(unknown=bytes(65537))), 400, "VALIDATION_ERROR")
        self.expect(self.submit(self.fresh(detection=b"[]")), 400, "VALIDATION_ERROR")
        device = world.owner()
        kind, body = form(whole)
        for text in [body[:-10], b"", b"nothing"]:
            headers = {"Content-Type": kind, **device.headers("POST", CAPTURES, text)}
            self.expect(self.post(headers, text), 400, "VALIDATION_ERROR")
        headers = {"Content-Type": "multipart/form-data", **device.headers("POST", CAPTURES, body)}
        self.expect(self.post(headers, body), 400, "VALIDATION_ERROR")
        self.expect(self.post({**headers, **PROBLEM}, body), 400, "VALIDATION_ERROR")

    def test_detection_is_kept_and_shown(self):
        parts = self.fresh(detection=b'{"moire": {"score": 0.25, "note": "x"}, "classes": ["door"], "latitude": 1.5}')
        identifier = self.expect(self.submit(parts), 201).json["data"]["capture_id"]
        self.assertEqual(self.server.get(f"{CAPTURES}/{identifier}").json["data"]["detection"], {"moire": {"score": 0.25}})

    def test_headers_are_needed(self):
        device = world.owner()
        kind, body = form(self.fresh())
        sound = {"Content-Type": kind, **device.headers("POST", CAPTURES, body)}
        for name in ["X-Device-Id", "X-Device-Timestamp", "X-Device-Signature"]:
            left = {one: value for one, value in sound.items() if one != name}
            self.expect(self.post(left, body), 401, "DEVICE_AUTH_REQUIRED")
            self.expect(self.post({**left, **PROBLEM}, body), 401, "DEVICE_AUTH_REQUIRED")
        self.expect(self.post({**sound, "X-Device-Id": str(uuid.uuid4())}, body), 401, "DEVICE_NOT_REGISTERED")
        self.expect(self.post({**sound, "X-Device-Id": "nobody"}, body), 401, "DEVICE_NOT_REGISTERED")
        self.expect(self.post({**sound, "X-Device-Signature": base64.b64encode(bytes(64)).decode()}, body), 401, "SIGNATURE_INVALID")
        self.expect(self.post({**sound, "X-Device-Signature-Version": "3"}, body), 401, "SIGNATURE_INVALID")
        self.expect(self.post(sound, body + b"\r\n"), 401, "SIGNATURE_INVALID")
        for timestamp in ["soon", str(int(time.time() * 1000) - 301_000)]:
            self.expect(self.post({**sound, "X-Device-Timestamp": timestamp}, body), 401, "TIMESTAMP_EXPIRED")

    def test_a_revoked_device_is_refused(self):
        device = world.new_device("revoked")
        device.revoke()
        self.expect(device.submit(self.server, self.fresh()), 403, "DEVICE_REVOKED")
        for target in [f"{CAPTURES}/{world.capture()}", f"{CAPTURES}/{world.capture()}/bundle"]:
            self.expect(device.read(self.server, target), 403, "DEVICE_REVOKED")
        self.expect(device.withdraw(self.server, f"{CAPTURES}/{world.capture()}"), 403, "DEVICE_REVOKED")

    def test_other_types_are_refused(self):
        device = world.owner()
        body = b'{"mode":"hash_only"}'
        headers = {"Content-Type": "application/x-www-form-urlencoded", **device.headers("POST", CAPTURES, body)}
        self.expect(self.post(headers, body), 415, "UNSUPPORTED_MEDIA_TYPE")
        photo = b"\x89PNG" + os.urandom(8)
        self.expect(self.submit(capture_parts(photo)), 415, "UNSUPPORTED_MEDIA_TYPE")

    def test_more_than_20_mib_is_refused(self):
        device = world.owner()
        kind, _ = form(self.fresh())
        headers = {"Content-Type": kind, **device.headers("POST", CAPTURES, b"")}
        declared = {**headers, "Content-Length": str(20 * 1024 * 1024 + 1)}
        self.expect(self.post(declared), 413, "PAYLOAD_TOO_LARGE")
        kind, body = form(capture_parts(bytes(20 * 1024 * 1024)))
        self.expect(self.post({**headers, "Content-Type": kind}, body, chunked=True), 413, "PAYLOAD_TOO_LARGE")
