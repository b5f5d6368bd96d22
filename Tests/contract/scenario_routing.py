"""Unknown addresses and methods."""

import re
import uuid

import world
from document import Document
from scenario import Scenario

METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"]
PROBLEM = {"Accept": "application/problem+json"}


class Routing(Scenario):
    def test_every_path_refuses_the_methods_that_it_does_not_name(self):
        document = Document()
        names = {"{id}": world.capture(), "{name}": "thumbnail.jpg", "{sha256}": "0" * 64, "{token}": "A" * 43,
                 "{shard}": "2026", "{path}": "0/000"}
        for path in document.paths:
            target = re.sub(r"\{[^}]+\}", lambda found: names[found.group(0)], path)
            for method in METHODS:
                if method not in document.methods(path):
                    code = None if method == "HEAD" else "METHOD_NOT_ALLOWED"
                    self.expect(self.server.send(method, target), 405, code)
            self.expect(self.server.send("PUT", target, PROBLEM), 405, "METHOD_NOT_ALLOWED")

    def test_videos_are_sent_by_devices_only(self):
        self.expect(self.server.send("OPTIONS", "/api/v1/captures/video"), 204, None)
        self.expect(self.server.send("POST", "/api/v1/captures/video"), 401, "DEVICE_AUTH_REQUIRED")

    def test_unknown_addresses(self):
        for target in ["/nothing", "/api", "/api/v1", "/api/v2/captures", f"/api/v1/captures/{uuid.uuid4()}/nothing", "/media", "/%00", "/v"]:
            for method in ["GET", "POST", "DELETE"]:
                self.expect(self.server.send(method, target), 404, "NOT_FOUND")
            self.expect(self.server.send("GET", target, PROBLEM), 404, "NOT_FOUND")
