"""Shared by the scenarios: the gateway, a device, a scene and a capture."""

import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.parse

import device
from exchange import Server
from recorder import Recorder

LOG = []
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMITED_URL = os.environ.get("RIAL_CONTRACT_LIMITS", "")
STACK = os.environ.get("STACK", "")


def link_key():
    """The stack's key for media links if this runs beside the stack; None otherwise."""
    file = ROOT / ".local" / (STACK or "-") / "keys/link-key"
    text = os.environ.get("RIAL_LINK_KEY") or (file.read_text() if file.exists() else "")
    return bytes.fromhex(text.strip()) if text else None


ABLE = {
    name for name, able in [
        ("database", os.environ.get("RIAL_DATABASE_URL") and shutil.which("psql")), ("limits", LIMITED_URL),
        ("link key", link_key()), ("faults", os.environ.get("RIAL_CONTRACT_FAULTS") == "1" and STACK),
    ] if able
}


@functools.cache
def folder():
    """A temporary folder, deleted at the end of the process."""
    held = tempfile.TemporaryDirectory(prefix="rial-contract-")
    folder.held = held
    return pathlib.Path(held.name)


@functools.cache
def server():
    return Server(os.environ["RIAL_PUBLIC_URL"], LOG)


@functools.cache
def scene():
    return device.Scene(folder() / "scene")


@functools.cache
def recording():
    return device.Recording(folder() / "recording")


def new_device(name, *options):
    with Recorder(server()) as url:
        return device.Device.register(folder() / f"{name}.json", url, *options)


@functools.cache
def owner():
    """A verified device."""
    return new_device("owner")


@functools.cache
def capture():
    """The id of a complete capture sent by `rial`."""
    sender = owner()
    with Recorder(server()) as url:
        device.rial(
            "capture", "send", "--state", sender.state_file, "--photo", scene().photo_file, "--depth", scene().depth_file,
            "--width", device.WIDTH, "--height", device.HEIGHT, "--location", "45.764043,4.835659", url=url)
    sent = [one for one in LOG if one.target == device.CAPTURES and one.status == 201][-1]
    return settled(sent.json["data"]["capture_id"])


def settled(identifier):
    """Waits until the capture is final."""
    eventually(lambda: server().get(f"{device.CAPTURES}/{identifier}").json["data"]["status"] != "processing", f"{identifier} is final")
    return identifier


@functools.cache
def view():
    """The capture's public form."""
    return server().get(f"{device.CAPTURES}/{capture()}").json["data"]


def bundle(target):
    """Waits until the verdict stands in the public log."""
    eventually(lambda: server().get(target).status != 409, f"{target} is there")
    return server().get(target)


def log_tile(identifier):
    """The shard's address of the capture's log, and that of a tile in it."""
    origin = server().get(f"{device.CAPTURES}/{identifier}").json["data"]["log"]["origin"]
    shard = f"/log/{origin.rsplit('/', 1)[-1]}"
    return shard, f"{shard}/tile/0/000.p/1"


def local(link):
    """Path and query of a link."""
    parts = urllib.parse.urlsplit(link)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def eventually(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)


def sql(statement):
    subprocess.run(
        ["psql", "-qX", "-v", "ON_ERROR_STOP=1", "-c", statement, os.environ["RIAL_DATABASE_URL"]], check=True, capture_output=True,
        timeout=30)


def stack(*arguments):
    """Runs scripts/stack.sh for the tested stack. The processes that it starts outlive it and must not inherit our pipes."""
    with open(folder() / "stack.log", "ab") as log:
        # The script itself sets the settings of the stack's parts.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RIAL_") or name == "RIAL_BUILD"}
        subprocess.run(
            [ROOT / "scripts/stack.sh", *arguments], env={**kept, "STACK": STACK}, check=True, stdin=subprocess.DEVNULL, stdout=log,
            stderr=log, timeout=180)
