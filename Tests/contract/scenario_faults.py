"""Responses while a dependency of the gateway is unavailable."""

import contextlib
import json
import unittest

import world
from device import CAPTURES, VIDEOS, capture_parts
from scenario import Scenario
from scenario_devices import CHALLENGE, JSON, REGISTER
from scenario_uploads import Upload
from scenario_verification import body as file_body


@unittest.skipUnless("faults" in world.ABLE, "RIAL_CONTRACT_FAULTS is not set")
class Faults(Scenario):
    @contextlib.contextmanager
    def without(self, part):
        world.stack("stop", part)
        try:
            yield
        finally:
            world.stack("start", part)
            world.eventually(lambda: self.server.get("/health").status == 200, f"the gateway is well after {part}")

    def registration(self, challenge=None):
        """A well-formed body with an attestation for another challenge."""
        body = json.loads([one for one in world.LOG if one.target == REGISTER and one.status == 201][-1].request_body)
        body["attestation"]["challenge"] = challenge or body["attestation"]["challenge"]
        return json.dumps(body).encode() + b"   "

    def test_without_the_object_store(self):
        device, link = world.owner(), world.local(world.view()["media_url"])
        parts, video = capture_parts(world.scene().another_photo()), world.recording().parts()
        upload = Upload(self.server, device, capture_parts(world.scene().another_photo())).created()
        self.expect(upload.append(upload.body, complete="?0"), 204)
        world.bundle(f"{CAPTURES}/{world.capture()}/bundle")
        shard, tile = world.log_tile(world.capture())
        with self.without("s3"):
            for target in [f"{shard}/checkpoint", tile, f"{CAPTURES}/{world.capture()}/bundle"]:
                self.expect(self.server.get(target), 503, "STORAGE_ERROR")
            self.expect(upload.append(b"", offset=len(upload.body)), 503, "STORAGE_ERROR")
            self.expect(device.submit(self.server, parts), 503, "STORAGE_ERROR")
            self.expect(device.submit(self.server, video, VIDEOS), 503, "STORAGE_ERROR")
            self.expect(self.server.get(link), 503, "STORAGE_ERROR")
            world.eventually(lambda: self.server.get("/health").status == 503, "/health tells of the store")
            self.assertEqual(self.server.get("/health").json["storage"], "unreachable")

    def test_without_the_verifier_of_attestations(self):
        challenge = self.server.get(CHALLENGE).json["data"]["challenge"]
        body = self.registration(challenge)
        with self.without("attestation-verifier"):
            self.expect(self.server.send("POST", REGISTER, JSON, body), 503, "SERVICE_UNAVAILABLE")

    def test_without_the_database(self):
        device, capture, data = world.owner(), world.capture(), world.view()
        parts, body = capture_parts(world.scene().another_photo()), self.registration()
        video = world.recording().parts()
        link = world.local(data["media_url"])
        upload = Upload(self.server, device, parts)
        world.eventually(lambda: upload.create().status == 201, "the address may send again after its failed signatures")
        upload.created()
        shard, tile = world.log_tile(capture)
        with self.without("postgres"):
            for target in [f"{shard}/checkpoint", tile, f"{CAPTURES}/{capture}/bundle"]:
                self.expect(self.server.get(target), 503, "SERVICE_UNAVAILABLE")
            self.expect(upload.append(upload.body), 503, "SERVICE_UNAVAILABLE")
            self.expect(self.server.send("HEAD", upload.path), 503)
            for method in ["GET", "DELETE"]:
                self.expect(self.server.send(method, upload.path), 503, "SERVICE_UNAVAILABLE")
            for target in [CHALLENGE, f"{CAPTURES}/{capture}", f"{CAPTURES}/{capture}/events", link]:
                self.expect(self.server.get(target), 503, "SERVICE_UNAVAILABLE")
            self.expect(self.server.send("POST", REGISTER, JSON, body), 503, "SERVICE_UNAVAILABLE")
            self.expect(device.submit(self.server, parts), 503, "SERVICE_UNAVAILABLE")
            self.expect(device.submit(self.server, video, VIDEOS), 503, "SERVICE_UNAVAILABLE")
            self.expect(device.withdraw(self.server, f"{CAPTURES}/{capture}"), 503, "SERVICE_UNAVAILABLE")
            self.expect(self.server.get(f"/api/v1/verify-hash/{'0' * 64}"), 503, "SERVICE_UNAVAILABLE")
            kind, content = file_body(b"\xff\xd8\xff")
            self.expect(self.server.send("POST", "/api/v1/verify-file", {"Content-Type": kind}, content), 503, "SERVICE_UNAVAILABLE")
