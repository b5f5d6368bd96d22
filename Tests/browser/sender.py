"""Captures that `rial` would not send, with any metadata and detection report; uses the device of Tests/contract."""

import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# After this folder in the search path: both have a module `world`.
if str(ROOT / "Tests/contract") not in sys.path:
    sys.path.append(str(ROOT / "Tests/contract"))

import device  # noqa: E402
from exchange import Server  # noqa: E402


class Sender:
    """A registered device with a scene."""

    def __init__(self, url, folder, *options, scene):
        """`options` of `rial device register`; `scene`: the folder of a rendered scene."""
        self.server = Server(url, [])
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.device = device.Device.register(self.folder / "device.json", url, *options)
        self.photo_file, self.depth_file = scene / "photo.jpg", scene / "depth.f32.gz"

    def send(self, photo=None, detection=None, **metadata):
        """Sends a capture without an assertion; returns its id once it is final."""
        photo = photo or self.photo_file.read_bytes() + time.time_ns().to_bytes(8, "big")
        parts = device.capture_parts(photo, self.depth_file.read_bytes(), device.metadata(photo, **metadata))
        if detection is not None:
            parts.append(("detection", "application/json", json.dumps(detection).encode()))
        answer = self.device.submit(self.server, parts)
        if answer.status not in (200, 201):
            raise RuntimeError(str(answer))
        return self.settled(answer.json["data"]["capture_id"])

    def send_bound(self, *options, photo=None):
        """Sends a capture with an assertion through `rial`; returns its id once it is final."""
        said = device.rial(
            "capture", "send", "--state", self.device.state_file, "--photo", photo or self.photo_file, "--depth", self.depth_file,
            "--width", device.WIDTH, "--height", device.HEIGHT, "--json", *options, url=self.server.url)
        return self.settled(json.loads(said)["capture_id"])

    def settled(self, identifier, seconds=60):
        deadline = time.monotonic() + seconds
        while self.view(identifier)["status"] == "processing":
            if time.monotonic() > deadline:
                raise AssertionError(f"{identifier} is not final within {seconds} s")
            time.sleep(0.1)
        return identifier

    def view(self, identifier):
        """The public form."""
        return self.server.get(f"{device.CAPTURES}/{identifier}").json["data"]
