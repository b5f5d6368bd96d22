"""Uploads that resume, and requests on them that are refused."""

import base64
import hashlib
import threading
import urllib.parse

import world
from device import CAPTURES, capture_parts, form, metadata
from scenario import Scenario

PROBLEM = {"Accept": "application/problem+json"}
UNKNOWN = {"Upload-Draft-Interop-Version": "2"}


class Upload:
    """A capture's body, and the upload that was created for it."""

    def __init__(self, server, device, parts, target=CAPTURES):
        self.server, self.device, self.target = server, device, target
        self.kind, self.body = form(parts)
        self.path = None

    def fields(self, complete="?0", version="8"):
        digest = base64.b64encode(hashlib.sha256(self.body).digest()).decode()
        fields = {
            "Content-Type": self.kind, **self.device.headers("POST", self.target, self.body), "Repr-Digest": f"sha-256=:{digest}:",
            "Upload-Length": str(len(self.body)), "Upload-Complete": complete,
        }
        return {**fields, "Upload-Draft-Interop-Version": version} if version else fields

    def create(self, sent=b"", **changes):
        return self.server.send("POST", self.target, {**self.fields(), **changes}, sent)

    def created(self, sent=b""):
        answer = self.create(sent)
        self.path = urllib.parse.urlsplit(answer.headers["location"]).path
        return self

    def append(self, content, offset=0, complete="?1", version="8", **more):
        return self.server.send("PATCH", self.path, {
            "Upload-Offset": str(offset), "Upload-Draft-Interop-Version": version, "Upload-Complete": complete,
            "Content-Type": "application/partial-upload", **more}, content)


    def replaced(self):
        """The answer to a creation that is still sending when another one of the same body replaces its upload."""
        first = []
        fields = {**self.fields(version=None), "Content-Length": str(len(self.body))}
        sender = threading.Thread(target=lambda: first.append(self.server.send("POST", self.target, fields, self.body[:100])))
        sender.start()
        world.eventually(lambda: self.create(self.body[:1]).status == 201 and first, "the first is told")
        sender.join()
        return first[0]


class Uploads(Scenario):
    def upload(self, parts=None, device=None):
        return Upload(self.server, device or world.owner(), parts or capture_parts(world.scene().another_photo()))

    def test_an_upload_in_two_pieces_and_its_answer(self):
        self.expect(self.server.send("OPTIONS", CAPTURES), 204)
        upload = self.upload().created()
        self.expect(self.server.send("GET", upload.path), 409, "UPLOAD_INCOMPLETE")
        self.expect(upload.append(upload.body[:100], complete="?0"), 204)
        self.expect(upload.append(upload.body[100:], offset=7), 409, "UPLOAD_OFFSET_MISMATCH")
        self.expect(upload.append(upload.body[100:], offset=7, **PROBLEM), 409, "UPLOAD_OFFSET_MISMATCH")
        self.assertEqual(self.expect(self.server.send("HEAD", upload.path), 204).headers["upload-offset"], "100")
        done = self.expect(upload.append(upload.body[100:], offset=100), 201)
        self.assertEqual(self.server.get(upload.path).json["data"], done.json["data"])
        self.expect(self.server.send("HEAD", upload.path, {"Upload-Draft-Interop-Version": "3"}), 204)
        for accept in [{}, PROBLEM]:
            self.expect(upload.append(b"", offset=len(upload.body), **accept), 400, "UPLOAD_COMPLETED")
            self.expect(self.server.send("DELETE", upload.path, accept), 400, "UPLOAD_COMPLETED")
        self.expect(upload.create(), 200)

    def test_a_whole_body_and_the_same_capture_in_another_form(self):
        parts = capture_parts(world.scene().another_photo())
        first = self.upload(parts)
        self.expect(self.server.send("POST", CAPTURES, first.fields("?1"), first.body), 201)
        again = self.upload(parts).created()
        self.expect(again.append(again.body), 200)

    def test_lengths_that_contradict_each_other(self):
        upload = self.upload()
        wrong = {"Upload-Length": str(len(upload.body) + 1)}
        self.expect(self.server.send("POST", CAPTURES, {**upload.fields("?1"), **wrong}, upload.body), 400, "UPLOAD_LENGTH_INCONSISTENT")
        upload.created()
        self.expect(upload.append(upload.body[:-1]), 400, "UPLOAD_LENGTH_INCONSISTENT")
        self.expect(upload.append(upload.body + b"x", **PROBLEM), 400, "UPLOAD_LENGTH_INCONSISTENT")
        self.expect(upload.append(upload.body), 410, "GONE")

    def test_other_bytes_than_the_signed_ones(self):
        upload = self.upload()
        other = upload.body.replace(b"iPhone 15 Pro", b"iPhone 15 Prp")
        self.expect(self.server.send("POST", CAPTURES, upload.fields("?1"), other), 400, "DIGEST_MISMATCH")
        upload.created()
        self.expect(upload.append(other), 400, "DIGEST_MISMATCH")

    def test_fields_that_are_missing_or_malformed(self):
        upload = self.upload()
        self.expect(upload.create(**{"Repr-Digest": "none"}), 400, "VALIDATION_ERROR")
        self.expect(upload.create(**{"Upload-Complete": "no"}), 400, "VALIDATION_ERROR")
        upload.created()
        self.expect(upload.append(upload.body, offset="x"), 400, "VALIDATION_ERROR")
        self.expect(upload.append(upload.body, **{"Content-Type": "image/jpeg"}), 415, "UNSUPPORTED_MEDIA_TYPE")
        for method in ["GET", "DELETE", "PATCH"]:
            self.expect(self.server.send(method, upload.path, UNKNOWN), 400, "VALIDATION_ERROR")
        self.expect(self.server.send("HEAD", upload.path, UNKNOWN), 400)

    def test_captures_that_are_refused_at_the_end(self):
        photo = world.scene().another_photo()
        bad = {
            "INVALID_METADATA": capture_parts(photo, meta=b"{}"), "INVALID_DEPTH_FORMAT": capture_parts(photo, depth=b"no depth"),
            "INVALID_ASSERTION": capture_parts(photo, meta=metadata(photo), assertion=b"not CBOR"),
        }
        for code, parts in bad.items():
            upload = self.upload(parts).created()
            self.expect(upload.append(upload.body), 422, code)
            self.expect(self.server.get(upload.path), 410, "GONE")

    def test_what_is_not_there_and_what_has_ended(self):
        upload = self.upload().created()
        self.expect(self.server.send("DELETE", upload.path), 204)
        for path, status, code in [(upload.path, 410, "GONE"), (f"/api/v1/uploads/{'A' * 43}", 404, "NOT_FOUND")]:
            upload.path = path
            self.expect(self.server.send("HEAD", path), status)
            self.expect(self.server.send("GET", path), status, code)
            self.expect(self.server.send("DELETE", path), status, code)
            self.expect(upload.append(b"x"), status, code)

    def test_a_device_that_is_revoked_before_the_end(self):
        device = world.new_device("resuming")
        upload = self.upload(device=device).created()
        device.revoke()
        self.expect(upload.append(upload.body), 403, "DEVICE_REVOKED")

    def test_a_creation_that_is_overtaken(self):
        upload = self.upload()
        # Without a version there is no 104, and the request is still sending when the same upload is asked for again.
        first = []
        fields = {**upload.fields(version=None), "Content-Length": str(len(upload.body))}
        sender = threading.Thread(target=lambda: first.append(self.server.send("POST", CAPTURES, fields, upload.body[:100])))
        sender.start()
        world.eventually(lambda: upload.create().headers.get("upload-offset") == "100", "the first bytes are stored")
        sender.join()
        self.expect(first[0], 409, "UPLOAD_OFFSET_MISMATCH")

    def test_a_creation_that_is_replaced(self):
        self.expect(self.upload(device=world.new_device("replacing")).replaced(), 410, "GONE")
