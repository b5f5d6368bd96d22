"""The tested stack, and one record of each state in it, sent by simulated devices through the real services."""

import functools
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = os.environ.get("RIAL_CLI") or str(ROOT / ".build" / os.environ.get("RIAL_BUILD", "debug") / "rial")
DEPTH_SIZE = ("--width", "256", "--height", "192")
# Modules that run in parallel use different devices, since a device's captures must be in the order of its counter.
OWN_DEVICES = os.environ.get("RIAL_BROWSER_DEVICES", "")


def eventually(condition, what, seconds=60):
    """Waits for a true result of the condition and returns it. Raises an AssertionError after the timeout."""
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)


@dataclass
class Record:
    """A capture. `photo_path` is None if there is no file; `sha256` is the recorded digest."""
    id: str
    short_id: str
    photo_path: pathlib.Path | None
    sha256: str

    @property
    def path(self):
        return f"/verify/{self.id}"


class World:
    def __init__(self):
        self.url = os.environ["RIAL_PUBLIC_URL"]
        self.stack = os.environ["STACK"]
        self.home = ROOT / ".local" / self.stack
        self.folder = self.home / "browser"
        self.folder.mkdir(exist_ok=True)
        self.records = {}

    # Services

    def rial(self, *arguments):
        """Runs the program. Raises an error with its output if it fails."""
        done = subprocess.run([CLI, *map(str, arguments)], capture_output=True, text=True, timeout=240)
        if done.returncode != 0:
            raise RuntimeError(f"rial {arguments[0]} {arguments[1]}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def sql(self, text):
        """The rows as lists of texts."""
        done = subprocess.run(
            ["psql", "-qXAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", os.environ["RIAL_DATABASE_URL"]], input=text, capture_output=True,
            text=True, timeout=30)
        if done.returncode != 0:
            raise RuntimeError(f"{done.stderr.strip()} in {text}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def stop(self, part, *number):
        self._script("stop", part, *number)

    def start(self, part, *number, **settings):
        """`number`: the instance; `settings`: its RIAL_ variables."""
        self._script("start", part, *number, **settings)

    def gateway(self, number):
        """The address of another instance of the gateway."""
        return f"http://127.0.0.1:{(self.home / f'run/gateway.{number}.http').read_text().strip()}"

    def _script(self, *arguments, **settings):
        # The script itself sets the settings of the stack's parts. They outlive it and must not inherit our pipes.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RIAL_") or name == "RIAL_BUILD"}
        limits = {
            "RIAL_LIMIT_CHALLENGES_PER_MINUTE": "1000", "RIAL_LIMIT_REGISTRATIONS_PER_MINUTE": "1000",
            "RIAL_LIMIT_CAPTURES_PER_HOUR": "10000", "RIAL_LIMIT_CAPTURES_BURST": "10000",
            "RIAL_LIMIT_CAPTURES_UNVERIFIED_BURST": "10000", "RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR": "10000",
            "RIAL_LIMIT_VERIFICATIONS_PER_HOUR": "100000",
        }
        with open(self.folder / "stack.log", "ab") as log:
            subprocess.run(
                [ROOT / "scripts/stack.sh", *arguments], env={**kept, **limits, **settings, "STACK": self.stack}, check=True,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=180)

    # Captures

    def scene(self, kind, size="640x480"):
        """The folder of a rendered scene: photo.jpg and depth.f32.gz. Rendered once, since a large scene takes half a minute."""
        folder = self.folder / f"{kind}-{size}"
        if not (folder / "scene.json").exists():
            self.rial("scene", kind, "--out", folder, "--size", size)
        return folder

    @functools.cache
    def device(self, name="genuine"):
        """The state file of a device. `genuine*` is not marked as a development device, `test*` is, `unverified*` has no attestation."""
        file = self.folder / f"{name}{OWN_DEVICES}.json"
        if not file.exists():
            self.rial("device", "register", "--state", file, *(["--unverified"] if name.startswith("unverified") else []))
        if name.startswith("genuine"):
            # A simulated device is always a development device; the site must be tested without that mark as well.
            self.sql(f"UPDATE devices SET is_development_root = false WHERE id = '{self.device_id(file)}'")
        return file

    @staticmethod
    def device_id(state_file):
        return json.loads(state_file.read_text())["device_id"]

    def another_photo(self, photo):
        """A copy of a file with a new digest: bytes after the end of a JPEG do not change the picture."""
        content = pathlib.Path(photo).read_bytes() + os.urandom(8)
        file = self.folder / f"{hashlib.sha256(content).hexdigest()[:16]}.jpg"
        file.write_bytes(content)
        return file

    def send(self, *options, scene="room", size="640x480", device="genuine", photo=None, depth=None, wait=True):
        """Sends a capture with these options of `rial capture send`, with a new photo unless one is given; if `wait`, returns once it is
        final."""
        folder = self.scene(scene, size)
        photo = photo or self.another_photo(folder / "photo.jpg")
        answer = json.loads(self.rial(
            "capture", "send", "--json", "--state", self.device(device), "--photo", photo, "--depth", depth or folder / "depth.f32.gz",
            *DEPTH_SIZE, *options))
        record = self.record(answer["capture_id"], photo)
        if wait:
            self.settle(record)
        return record

    def record(self, identifier, photo=None):
        (short, digest), = self.sql(f"SELECT short_id, encode(media_sha256, 'hex') FROM captures WHERE id = '{identifier}'")
        return Record(identifier, short, photo, digest)

    def status(self, record):
        return self.sql(f"SELECT status FROM captures WHERE id = '{record.id}'")[0][0]

    def settle(self, record):
        """Waits until it is final, and signed if it will be."""
        pending = f"SELECT status = 'processing' OR evidence #>> '{{content_credentials,status}}' = 'pending' FROM captures"
        eventually(lambda: self.sql(f"{pending} WHERE id = '{record.id}'") == [["f"]], f"{record.id} is final")
        return record

    def get(self, path, **headers):
        """(status, headers, body) of a request without a browser; redirects are not followed."""
        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None

        request = urllib.request.Request(self.url + path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        try:
            answer = urllib.request.build_opener(Stay).open(request, timeout=30)
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            return answer.status, answer.headers, answer.read()


@functools.cache
def shared():
    """The world with a record of every state, created on first use."""
    import records
    world = World()
    records.fill(world)
    return world
