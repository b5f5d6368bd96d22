"""Checks that the validation can fail: deliberate errors, in the file and in responses, are found."""

import copy
import json
import unittest

import checker
import coverage_table
import ed25519
from document import Document
from exchange import Exchange

ID = "0b5e4a52-6b0f-4a37-8f3d-0d8f0c3f5f10"


def health(**changes):
    """A valid response of GET /health, with changes to body, headers or status."""
    body = {"broker": "connected", "database": "connected", "status": "ok", "storage": "connected", "version": "1.0.0"}
    body.update(changes.pop("body", {}))
    headers = {
        "content-type": "application/json", "cache-control": "no-store", "x-request-id": ID, "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }
    headers.update(changes.pop("headers", {}))
    headers = {name: value for name, value in headers.items() if value is not None}
    fields = {"method": "GET", "target": "/health", "status": 200, **changes}
    return Exchange(
        fields["method"], fields["target"], {"x-request-id": ID}, b"", fields["status"], headers, json.dumps(body).encode())


class SelfCheck(unittest.TestCase):
    def setUp(self):
        self.document = Document()

    def expect(self, word, exchange, document=None):
        found = checker.problems(document or self.document, exchange)
        self.assertTrue(any(word in problem for problem in found), f"“{word}” is not in {found}")

    def changed(self, change):
        content = copy.deepcopy(self.document.content)
        change(content)
        return Document(content)

    def test_a_sound_answer_has_no_problem(self):
        self.assertEqual(checker.problems(self.document, health()), [])

    def test_wrong_schemas_are_caught(self):
        def schemas(content):
            return content["components"]["schemas"]

        for word, change in [
            ("'1.0.0' is not of type 'integer'", lambda c: schemas(c)["Health"]["properties"]["version"].update(type="integer")),
            ("'uptime' is a required property", lambda c: schemas(c)["Health"]["required"].append("uptime")),
            ("was unexpected", lambda c: schemas(c)["Health"]["properties"].pop("broker")),
            ("is not one of ['up']", lambda c: schemas(c)["Reachability"].update(enum=["up"])),
        ]:
            self.expect(word, health(), self.changed(change))

    def test_wrong_answers_are_caught(self):
        self.expect("was unexpected", health(body={"secret": 1}))
        self.expect("status 418 is not documented", health(status=418))
        self.expect("content type 'text/plain'", health(headers={"content-type": "text/plain"}))
        self.expect("header Cache-Control is missing", health(headers={"cache-control": None}))
        self.expect("header Referrer-Policy", health(headers={"referrer-policy": "origin"}))
        self.expect("header x-powered-by is not documented", health(headers={"x-powered-by": "x"}))
        self.expect("X-Request-Id is not echoed", health(headers={"x-request-id": ID.replace("0", "1")}))
        self.expect("HEAD has a body", health(method="HEAD"))
        self.expect("status 200 is not documented", health(target="/nothing"))
        self.expect("status 200 is not documented", health(method="DELETE"))

    def test_wrong_values_are_caught(self):
        for schema, value in [
            ({"type": "string", "format": "uuid"}, "no"), ({"type": "string", "format": "date-time"}, "2026-13-01T00:00:00Z"),
            ({"type": "string", "format": "uri"}, "/relative"), ({"type": "string", "contentEncoding": "base64"}, "a*b="),
        ]:
            self.assertTrue(self.document.problems(schema, value), f"{schema} takes {value}")

    def test_a_wrong_code_is_caught(self):
        headers = {"cache-control": "no-store", "x-request-id": ID, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
        body = {"error": {"code": "FORBIDDEN", "message": "No."}, "meta": {"request_id": ID, "timestamp": "2026-01-01T00:00:00.000Z"}}
        for code, sound in [("NOT_FOUND", True), ("FORBIDDEN", False), ("NEW_CODE", False)]:
            body["error"]["code"] = code
            exchange = Exchange(
                "GET", "/nothing", {}, b"", 404, {**headers, "content-type": "application/json"}, json.dumps(body).encode())
            self.assertEqual(checker.problems(self.document, exchange) == [], sound, code)

    def test_what_was_not_produced_is_told(self):
        missing, _ = coverage_table.missing(self.document, [health()], set())
        self.assertIn("GET /api/v1/verify-hash/{sha256} 200", missing)
        self.assertNotIn("GET /health 200", missing)

    def test_signatures_are_those_of_rfc_8032(self):
        seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
        self.assertTrue(ed25519.sign(seed, b"").hex().startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"))
