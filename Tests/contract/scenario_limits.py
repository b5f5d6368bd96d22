"""A second gateway with all limits at 2, and a public object store."""

import contextlib
import unittest

import world
from device import CAPTURES, VIDEOS, capture_parts, form
from exchange import Server
from scenario import Scenario
from scenario_uploads import Upload
from scenario_verification import body


@unittest.skipUnless("limits" in world.ABLE, "RIAL_CONTRACT_LIMITS is not set")
class Limits(Scenario):
    @property
    def server(self):
        return Server(world.LIMITED_URL, world.LOG)

    def until_limited(self, send, most=5):
        for _ in range(most):
            exchange = send()
            if exchange.status == 429:
                return self.expect(exchange, 429, "RATE_LIMITED")
        return self.fail(f"no limit within {most}: {exchange}")

    def test_a_media_link_leads_to_the_store(self):
        link = world.local(world.view()["media_url"])
        self.expect(self.server.get(link), 302)

    def test_challenges(self):
        self.until_limited(lambda: self.server.get("/api/v1/devices/challenge"))

    def test_registrations(self):
        self.until_limited(lambda: self.server.send("POST", "/api/v1/devices/register", {"Content-Type": "application/json"}, b"{}"))

    def test_captures(self):
        device = world.owner()
        self.until_limited(lambda: device.submit(self.server, capture_parts(world.scene().another_photo())))

    def test_videos(self):
        device = world.new_device("filming")
        self.until_limited(lambda: device.submit(self.server, world.recording().parts(), VIDEOS))

    def test_uploads(self):
        device = world.new_device("limited")
        uploads = [Upload(self.server, device, capture_parts(world.scene().another_photo())).created() for _ in range(3)]
        self.expect(uploads[0].append(uploads[0].body), 201)
        self.expect(uploads[1].append(uploads[1].body), 201)
        self.expect(uploads[2].append(uploads[2].body), 429, "RATE_LIMITED")

    def test_verifications(self):
        self.until_limited(lambda: self.server.get(f"/api/v1/verify-hash/{'0' * 64}"))
        kind, content = body(b"\xff\xd8\xff")
        self.until_limited(lambda: self.server.send("POST", "/api/v1/verify-file", {"Content-Type": kind}, content))

    def test_streams(self):
        # The other tests here have spent what the owner may send.
        sender = world.new_device("streaming")
        parts = capture_parts(world.scene().another_photo())
        with contextlib.ExitStack() as held:
            held.enter_context(self.stalled())
            identifier = sender.submit(world.server(), parts).json["data"]["capture_id"]
            target = f"{CAPTURES}/{identifier}/events"
            for _ in range(10):
                connection = self.server.connect()
                held.callback(connection.close)
                connection.request("GET", target)
                # Keeps the response referenced: otherwise the connection is closed, and its permit is released.
                answer = connection.getresponse()
                held.callback(answer.close)
                self.assertEqual(answer.status, 200)
            self.expect(self.server.get(target), 429, "RATE_LIMITED")

    @contextlib.contextmanager
    def stalled(self):
        """Keeps captures in processing: the stream of a final capture ends at once."""
        if "faults" not in world.ABLE:
            self.skipTest("RIAL_CONTRACT_FAULTS is not set: no capture stays in processing")
        world.stack("stop", "depth-analyzer")
        try:
            yield
        finally:
            world.stack("start", "depth-analyzer")

    def test_zz_failed_signatures(self):
        target = f"{CAPTURES}/{world.capture()}"
        wrong = {**world.owner().headers("GET", target), "X-Device-Signature": "AAAA"}
        self.until_limited(lambda: self.server.send("GET", target, wrong), most=120)
        # On a slow machine the limit may let one through now and then.
        self.until_limited(lambda: self.server.send("DELETE", target, wrong))
        self.until_limited(lambda: self.server.send("GET", f"{target}/bundle", wrong))
        kind, body = form([])
        for target in [CAPTURES, VIDEOS]:
            self.until_limited(lambda target=target: self.server.send("POST", target, {"Content-Type": kind, **wrong}, body))
