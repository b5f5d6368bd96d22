"""A simulated device of `rial`: registered by the program, and able to sign requests that the program would never send."""

import base64
import gzip
import hashlib
import json
import os
import pathlib
import struct
import subprocess
import time

import ed25519

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = os.environ.get("RIAL_CLI") or str(ROOT / ".build" / os.environ.get("RIAL_BUILD", "debug") / "rial")
WIDTH, HEIGHT = 256, 192
CAPTURES = "/api/v1/captures"
VIDEOS = "/api/v1/captures/video"


def rial(*arguments, url=None):
    """Runs the program. Raises an error with its output if it fails."""
    environment = dict(os.environ)
    if url:
        environment["RIAL_PUBLIC_URL"] = url
    done = subprocess.run([CLI, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        raise RuntimeError(f"rial {arguments[0]} {arguments[1]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class Scene:
    """A rendered photo with its depth map; other trailing bytes make a different file with the same picture."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        rial("scene", "room", "--out", self.folder, "--size", "64x48")
        self.photo_file, self.depth_file = self.folder / "photo.jpg", self.folder / "depth.f32.gz"
        self.photo, self.depth = self.photo_file.read_bytes(), self.depth_file.read_bytes()

    def another_photo(self):
        """A new JPEG: bytes after the end of the image do not change the picture."""
        return self.photo + os.urandom(8)


def metadata(photo, **changes):
    """The metadata part as bytes; a change to None removes the member."""
    fields = {
        "captured_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "device_model": "iPhone 15 Pro",
        "photo_hash": hashlib.sha256(photo).hexdigest(), "depth_map_dimensions": {"width": WIDTH, "height": HEIGHT},
        "location": {"latitude": 45.764043, "longitude": 4.835659, "accuracy": 5.5},
    }
    fields.update(changes)
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()


def flat_depth():
    """A depth map of a wall two metres away."""
    return gzip.compress(struct.pack("<f", 2.0) * (WIDTH * HEIGHT))


def form(parts):
    """(content type, body) of multipart/form-data. `parts`: [(name, content type, bytes)]"""
    boundary = "rial-contract-" + os.urandom(8).hex()
    body = b"".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n'.encode()
        + content + b"\r\n" for name, kind, content in parts)
    return f"multipart/form-data; boundary={boundary}", body + f"--{boundary}--\r\n".encode()


def capture_parts(photo, depth=None, meta=None, **more):
    """The parts of a capture; `more` adds parts by name, as bytes."""
    parts = [
        ("photo", "image/jpeg", photo), ("depth_map", "application/octet-stream", flat_depth() if depth is None else depth),
        ("metadata", "application/json", metadata(photo) if meta is None else meta),
    ]
    return parts + [(name, "application/octet-stream", content) for name, content in more.items()]


class Recording:
    """A recorded video that nothing has signed; other trailing bytes make a different file with the same samples."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        state = self.folder.with_suffix(".json")
        rial(
            "video", "record", "--scene", "room", "--seconds", "1", "--size", "96x72", "--unsigned", "--state", state, "--out",
            self.folder)

    def parts(self, **changes):
        """The parts of a new video; a change replaces or adds a part by name, None removes it."""
        video = (self.folder / "video.mp4").read_bytes() + struct.pack(">I4s8s", 16, b"free", os.urandom(8))
        fields = json.loads((self.folder / "metadata.json").read_bytes())
        fields["video_hash"] = hashlib.sha256(changes.get("video") or video).hexdigest()
        parts = {
            "video": video, "depth_data": (self.folder / "depth.gz").read_bytes(),
            "hash_chain": (self.folder / "hash-chain.json").read_bytes(),
            "metadata": json.dumps(fields).encode(),
        }
        parts.update(changes)
        return [(name, "application/octet-stream", content) for name, content in parts.items() if content is not None]


class Device:
    def __init__(self, state_file):
        self.state_file = pathlib.Path(state_file)

    @classmethod
    def register(cls, state_file, url, *options):
        rial("device", "register", "--state", state_file, *options, url=url)
        return cls(state_file)

    @property
    def id(self):
        return json.loads(self.state_file.read_text())["device_id"]

    def revoke(self):
        rial("device", "revoke", self.id)

    def headers(self, method, target, body=b"", at=0, version="2"):
        """The four headers, signed by the request key. `at`: offset of the timestamp from now in seconds."""
        state = json.loads(self.state_file.read_text())["device"]
        seed = base64.b64decode(state["requestKeyBytes"])
        timestamp = str(int((time.time() + at) * 1000))
        digest = hashlib.sha256(body).hexdigest()
        message = f"{timestamp}|{digest}"
        if version == "2":
            message = f"rial-request-v2\n{method}\n{target}\n{timestamp}\n{self.id}\n{digest}"
        signature = base64.b64encode(ed25519.sign(seed, message.encode())).decode()
        return {
            "X-Device-Id": self.id, "X-Device-Timestamp": timestamp, "X-Device-Signature": signature,
            "X-Device-Signature-Version": version,
        }

    def submit(self, server, parts, target=CAPTURES, **signing):
        """Sends a capture with these parts, validly signed unless `signing` changes that."""
        kind, body = form(parts)
        return server.send("POST", target, {"Content-Type": kind, **self.headers("POST", target, body, **signing)}, body)

    def read(self, server, target, **signing):
        return server.send("GET", target, self.headers("GET", target, **signing))

    def withdraw(self, server, target, **signing):
        return server.send("DELETE", target, self.headers("DELETE", target, **signing))
