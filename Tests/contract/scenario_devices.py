"""Challenges and registrations."""

import base64
import json
import uuid

import world
from document import Document
from scenario import Scenario

CHALLENGE, REGISTER = "/api/v1/devices/challenge", "/api/v1/devices/register"
JSON = {"Content-Type": "application/json"}
PROBLEM = {"Accept": "application/problem+json"}


class Devices(Scenario):
    @classmethod
    def setUpClass(cls):
        world.owner()
        cls.sound = [one for one in world.LOG if one.target == REGISTER and one.status == 201][-1].request_body

    def register(self, body, **headers):
        return self.server.send("POST", REGISTER, {**JSON, **headers}, body)

    def changed(self, **changes):
        """The valid body with a new challenge and changed members; dots separate nested members, None removes one."""
        fields = json.loads(self.sound)
        fields["attestation"]["challenge"] = self.server.get(CHALLENGE).json["data"]["challenge"]
        for name, value in changes.items():
            *path, last = name.split("__")
            place = fields
            for step in path:
                place = place[step]
            if value is None:
                place.pop(last)
            else:
                place[last] = value
        return json.dumps(fields).encode()

    def test_a_challenge_is_given(self):
        first, second = self.server.get(CHALLENGE), self.server.get(CHALLENGE)
        self.expect(first, 200)
        self.assertNotEqual(first.json["data"]["challenge"], second.json["data"]["challenge"])
        self.expect(self.server.send("HEAD", CHALLENGE), 200)
        own = str(uuid.uuid4())
        self.assertEqual(self.server.get(CHALLENGE, X_Request_Id=own).json["meta"]["request_id"], own)
        self.assertNotEqual(self.server.get(CHALLENGE, X_Request_Id="no-uuid").json["meta"]["request_id"], "no-uuid")

    def test_the_program_registers_with_every_kind_of_key(self):
        for kind in ("p256", "none"):
            world.new_device(f"key-{kind}", "--request-key", kind)
        unverified = world.new_device("unverified", "--unverified")
        answer = [one for one in world.LOG if one.target == REGISTER][-1]
        self.assertEqual(answer.json["data"]["device_id"], unverified.id)
        self.assertEqual(answer.json["data"]["attestation_level"], "unverified")

    def test_what_the_program_registers_is_as_the_file_says(self):
        schema = {"$ref": "#/components/schemas/Registration"}
        self.assertEqual(Document().problems(schema, json.loads(self.sound)), [])

    def test_the_same_body_has_its_first_outcome(self):
        self.assertEqual(self.expect(self.register(self.sound), 201).json["data"]["device_id"], world.owner().id)

    def test_a_body_that_is_not_right_is_refused(self):
        wrong = [
            b"{", b"[]", b"", b"[" * 40 + b"]" * 40, self.changed(model=None), self.changed(model=""), self.changed(model="x" * 101),
            self.changed(has_lidar="yes"), self.changed(os_version="\u0007"), self.changed(attestation__key_id="AAAA"),
            self.changed(attestation__attestation_object="*"), self.changed(attestation__challenge=None),
            self.changed(request_key__algorithm="rsa"), self.changed(request_key__public_key="AAAA"),
        ]
        for body in wrong:
            self.expect(self.register(body), 400, "VALIDATION_ERROR")
            self.expect(self.register(body, **PROBLEM), 400, "VALIDATION_ERROR")

    def test_an_attestation_that_is_none_is_refused(self):
        malformed = self.changed(attestation__attestation_object=base64.b64encode(b"\xa0").decode())
        self.expect(self.register(malformed), 400, "INVALID_ATTESTATION")
        with self.assertRaises(RuntimeError):
            world.new_device("malformed", "--defect", "trailing-cbor")
        with self.assertRaises(RuntimeError):
            world.new_device("bare", "--unverified", "--request-key", "none")

    def test_a_challenge_is_for_one_body(self):
        unknown = json.loads(self.sound)
        unknown["attestation"]["challenge"] = base64.b64encode(bytes(32)).decode()
        self.expect(self.register(json.dumps(unknown).encode()), 400, "CHALLENGE_INVALID")
        self.expect(self.register(self.sound + b" "), 400, "CHALLENGE_INVALID")

    def test_a_key_is_registered_once(self):
        if "database" not in world.ABLE:
            self.skipTest("RIAL_DATABASE_URL or psql is missing")
        world.new_device("twice")
        body = [one for one in world.LOG if one.target == REGISTER and one.status == 201][-1].request_body
        challenge = base64.b64decode(json.loads(body)["attestation"]["challenge"]).hex()
        world.sql(
            "UPDATE challenges SET consumed_at = NULL, body_sha256 = NULL, registration_id = NULL, announced_at = NULL, submission = NULL, "
            f"expires_at = now() + interval '1 minute' WHERE challenge = '\\x{challenge}'")
        self.expect(self.register(body + b" "), 409, "DEVICE_ALREADY_REGISTERED")

    def test_other_bodies_are_refused(self):
        self.expect(self.server.send("POST", REGISTER, {"Content-Type": "text/plain"}, self.sound), 415, "UNSUPPORTED_MEDIA_TYPE")
        self.expect(self.server.send("POST", REGISTER, {}, self.sound), 415, "UNSUPPORTED_MEDIA_TYPE")
        self.expect(self.register(self.changed(platform="android")), 422, "UNSUPPORTED_PLATFORM")

    def test_a_body_over_128_kib_is_refused(self):
        large = b" " * (128 * 1024 + 1)
        self.expect(self.register(large), 413, "PAYLOAD_TOO_LARGE")
        self.expect(self.server.send("POST", REGISTER, JSON, large, chunked=True), 413, "PAYLOAD_TOO_LARGE")
