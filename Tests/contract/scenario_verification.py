"""Verification of files."""

import hashlib
import uuid

import world
from device import CAPTURES, capture_parts
from scenario import Scenario

FILE, HASH = "/api/v1/verify-file", "/api/v1/verify-hash"


def body(content, name="file"):
    boundary = uuid.uuid4().hex
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="x"\r\nContent-Type: application/octet-stream\r\n\r\n'
    return f"multipart/form-data; boundary={boundary}", head.encode() + content + f"\r\n--{boundary}--\r\n".encode()


class Verification(Scenario):
    def send(self, content, **headers):
        kind, data = body(content)
        return self.server.send("POST", FILE, {"Content-Type": kind, **headers}, data)

    def copy(self, member="c2pa_media_url"):
        link = world.local(self.server.get(f"{CAPTURES}/{world.capture()}").json["data"][member])
        return self.server.get(link).body

    def test_a_known_file_by_its_hash_and_whole(self):
        copy = self.copy()
        digest = hashlib.sha256(copy).hexdigest()
        known = self.expect(self.server.get(f"{HASH}/{digest}"), 200)
        self.assertEqual((known.json["data"]["matched"], known.json["data"]["capture_id"]), ("c2pa_copy", world.capture()))
        self.expect(self.server.send("HEAD", f"{HASH}/{digest}"), 200)
        self.assertEqual(self.expect(self.send(copy), 200).json["data"]["status"], "verified")

    def test_a_changed_copy_and_a_file_without_credentials(self):
        copy = bytearray(self.copy())
        copy[-1000] ^= 1
        answer = self.expect(self.send(bytes(copy)), 200).json["data"]
        self.assertEqual((answer["status"], answer["manifest_info"]["validation_state"]), ("c2pa_only", "invalid"))
        self.assertNotIn("title", answer["manifest_info"])
        self.assertEqual(self.expect(self.send(world.scene().another_photo()), 200).json["data"]["status"], "no_record")

    def test_a_manifest_alone_and_one_that_lies_elsewhere(self):
        manifest = self.expect(self.send(self.copy("c2pa_manifest_url")), 200).json["data"]
        self.assertEqual((manifest["status"], manifest["matched"]), ("verified", "manifest"))
        url = "http://127.0.0.1:9/manifest.c2pa"
        xmp = (
            '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
            f'rdf:about="" xmlns:dcterms="http://purl.org/dc/terms/" dcterms:provenance="{url}"/></rdf:RDF></x:xmpmeta>')
        segment = b"http://ns.adobe.com/xap/1.0/\0" + xmp.encode()
        photo = world.scene().photo
        elsewhere = photo[:2] + b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment + photo[2:]
        info = self.expect(self.send(elsewhere), 200).json["data"]["manifest_info"]
        self.assertEqual((info["validation_state"], info["remote_url"]), ("remote", url))

    def test_what_cannot_be_read(self):
        answer = self.expect(self.send(b"\xff\xd8\xff\xe0"), 200).json["data"]
        self.assertEqual((answer["status"], answer["manifest_info"]["validation_state"]), ("c2pa_only", "unreadable"))

    def test_two_captures_of_one_photo(self):
        photo = world.scene().another_photo()
        senders = [world.owner(), world.new_device("witness")]
        sent = [self.expect(one.submit(self.server, capture_parts(photo)), 201).json["data"]["capture_id"] for one in senders]
        for identifier in sent:
            world.settled(identifier)
        known = self.expect(self.server.get(f"{HASH}/{hashlib.sha256(photo).hexdigest().upper()}"), 200).json["data"]
        self.assertEqual([known["capture_id"], *(one["capture_id"] for one in known["other_claims"])], sent)
        self.assertEqual({known["matched"], *(one["matched"] for one in known["other_claims"])}, {"original"})

    def test_what_is_not_known_or_no_hash(self):
        for form in ({}, {"Accept": "application/problem+json"}):
            self.expect(self.server.send("GET", f"{HASH}/{hashlib.sha256(uuid.uuid4().bytes).hexdigest()}", form), 404, "HASH_NOT_FOUND")
            self.expect(self.server.send("GET", f"{HASH}/short", form), 400, "VALIDATION_ERROR")

    def test_bodies_that_are_not_right(self):
        for form in ({}, {"Accept": "application/problem+json"}):
            self.expect(self.send(b"", **form), 400, "VALIDATION_ERROR")
            self.expect(self.send(b"no media at all", **form), 415, "UNSUPPORTED_MEDIA_TYPE")
            self.expect(self.server.send("POST", FILE, {"Content-Type": "image/jpeg", **form}, b"x"), 415, "UNSUPPORTED_MEDIA_TYPE")
            self.expect(self.send(b"\xff\xd8\xff" + bytes(20 * 1024 * 1024), **form), 413, "PAYLOAD_TOO_LARGE")
        kind, data = body(b"x", "other")
        self.expect(self.server.send("POST", FILE, {"Content-Type": kind}, data), 400, "VALIDATION_ERROR")
