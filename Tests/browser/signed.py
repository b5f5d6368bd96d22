"""Signed copies of videos, as other programs read them: the official library and ffmpeg."""

import io
import json
import os
import pathlib
import subprocess

import foreign

# Our assertions in the credentials of a video, and what binds them to its boxes.
ASSERTIONS = {f"app.rial.{name}" for name in ("attestation", "hash_chain", "depth_analysis", "video", "confidence")}
BINDING = "c2pa.hash.bmff.v3"


def streams(file):
    """The SHA-256 of each elementary stream, with its kind."""
    done = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", file, "-map", "0:v", "-map", "0:a?", "-c", "copy", "-f", "streamhash", "-hash", "sha256", "-"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=120)
    return sorted(line.split(",", 1)[1] for line in done.stdout.splitlines())


def read(copy):
    """What the library says of a copy: its state, the labels of its assertions, and the codes of what failed."""
    c2pa = foreign.library()
    anchors = pathlib.Path(os.environ["RIAL_C2PA_OWN_ANCHORS"]).read_text()
    settings = c2pa.Settings.from_dict({"trust": {"trust_anchors": anchors}})
    with c2pa.Context(settings) as context, c2pa.Reader("video/mp4", io.BytesIO(copy), context=context) as reader:
        found = json.loads(reader.detailed_json())
    manifest = found["manifests"][found["active_manifest"]]
    failed = found.get("validation_results", {}).get("activeManifest", {}).get("failure", [])
    return found["validation_state"], set(manifest["assertion_store"]), [each["code"] for each in failed]
