"""The measurements of videos: what one costs, photos beside videos, memory, and the depth analysis of rendered scenes (SPEC §10.12)."""

import hashlib
import json
import os
import pathlib
import resource
import subprocess
import threading
import time

import measure
import report
from report import say
from stack import SERVICES, processes, resident

SECONDS = 15
# In H.264 recordings of 15 s at 1080p then have about the size of the specification, 27 MB.
QUALITY = {"h264": 23, "hevc": 26}
# Videos of a measurement, and seconds from one to the next.
COUNT, APART = 3, {"h264": 15, "hevc": 25}
# Seconds from one video to the next beside photos: a little more than one takes then, so that they do not pile up.
BESIDE = 10
SCENES = ("room", "walk", "still", "screen", "poster")
NUMBERS = ("depth_consistency", "motion_coherence", "scene_stability", "edge_alignment", "real_share", "flat_share", "relief")
# Uploads at a time, and bytes of the `video` part of each.
UPLOADS, LARGEST = 20, 100_000_000


class MemoryWatch:
    """Samples the resident memory of the services, programs that they start included, until its block ends."""

    def __init__(self, stack):
        self.stack, self.peaks, self.ended = stack, {}, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def watch(self):
        while not self.ended.wait(0.2):
            table = processes()
            for name, pid in self.stack.parts().items():
                own, whole = resident(pid, table)
                before = self.peaks.get(name, (0, 0))
                self.peaks[name] = max(before[0], own), max(before[1], whole)

    def print(self):
        report.table([("", "peak MB", "with its programs")] + [
            (name, report.number(own, 0), report.number(whole, 0)) for name, (own, whole) in sorted(self.peaks.items())
            if name in SERVICES])


class Videos:
    def __init__(self, bench, folder):
        self.bench, self.folder = bench, pathlib.Path(folder)
        self.environment = {**os.environ, **bench.stack.settings, "RIAL_DEVICE_STATE": str(self.folder / "device.json")}

    def all(self):
        """Runs all measurements. Returns the figures."""
        figures = {"cpu": {}, "complete": {}, "beside": None}
        quiet = measure.idle(self.bench.stack, 15)
        for codec in QUALITY:
            video = self.record(codec, "room", SECONDS, "480x270", "--enlarge", 4, "--codec", codec, "--quality", QUALITY[codec])
            say(f"videos of {SECONDS} s at 1080p, {codec}, one after the other")
            self.print_bare(video)
            found, costs = self.bench.captures(
                f"{COUNT} videos, {codec}", quiet, "--video", video, "--rate", 1 / APART[codec], "--seconds", COUNT * APART[codec] - 1,
                "--devices", 1, "--looks-later", is_sparse=True)
            figures["cpu"][codec] = costs.services() / 1000 if found["complete"] == COUNT else None
            figures["complete"][codec] = (found.get("complete_ms") or {}).get("p50")
        figures["beside"] = self.photos_beside(self.folder / "h264")
        self.four_at_once(self.folder / "h264")
        self.largest()
        self.scenes()
        return figures

    def record(self, name, scene, seconds, size, *more):
        """Records a scene. Returns the folder."""
        folder = self.folder / name
        self.rial("video", "record", "--scene", scene, "--seconds", seconds, "--size", size, "--out", folder, *more)
        return folder

    def rial(self, *arguments):
        done = subprocess.run(
            [self.bench.rial, *map(str, arguments)], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"error: rial {' '.join(map(str, arguments))} failed\n{done.stderr}")
        return done.stdout

    @staticmethod
    def print_bare(folder):
        """What decoding and hashing alone take, in CPU time. The cost of a signature is among the parts alone."""
        file, = folder.glob("video.*")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["ffmpeg", "-v", "error", "-threads", "1", "-i", file, "-f", "null", "-"], check=True, stdin=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        decoding = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        data = file.read_bytes()
        start = time.process_time()
        hashlib.sha256(data)
        hashing = time.process_time() - start
        print(f"{len(data) / 1e6:.1f} MB; alone, decoding takes {decoding:.2f} s of CPU, SHA-256 {hashing:.3f} s")

    def photos_beside(self, video):
        """Two photos a second while one video after the other is processed. Returns (p50, p99) of the photos."""
        seconds = max(self.bench.seconds, 30)
        with subprocess.Popen(
                [self.bench.rial, "load", "--video", video, "--rate", str(1 / BESIDE), "--seconds", str(seconds), "--devices", "1",
                 "--looks-later", "--drain", "300"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as videos:
            found, _ = self.bench.captures(
                f"2 photos a second while videos are processed, {seconds} s", None, "--rate", 2, "--seconds", seconds, "--looks-later")
            sent = json.loads(videos.stdout.read())
        print(f"videos meanwhile: accepted {sent['accepted']}, complete {sent['complete']}, {report.percentiles(sent.get('complete_ms'))}")
        return (found["complete_ms"]["p50"], found["complete_ms"]["p99"]) if "complete_ms" in found else None

    def four_at_once(self, video):
        say("four videos at once")
        with MemoryWatch(self.bench.stack) as watch:
            found, _ = self.bench.load(
                "load", "--video", video, "--rate", 4, "--seconds", 1, "--devices", 4, "--looks-later", "--drain", 300)
        print(f"complete {found['complete']} of {found['accepted']}{report.errors(found)}: {report.percentiles(found.get('complete_ms'))}")
        watch.print()

    def largest(self):
        """Twenty uploads of the largest size at a time: a small recording that a box without content makes as large."""
        say(f"{UPLOADS} uploads of {LARGEST // 1_000_000} MB at once")
        folder = self.record("largest", "room", 1, "160x120")
        file, = folder.glob("video.*")
        rest = LARGEST - file.stat().st_size
        with file.open("ab") as out:
            out.write(rest.to_bytes(4, "big") + b"free" + bytes(rest - 8))
        metadata = folder / "metadata.json"
        fields = json.loads(metadata.read_text())
        fields["video_hash"] = hashlib.sha256(file.read_bytes()).hexdigest()
        metadata.write_text(json.dumps(fields))
        with MemoryWatch(self.bench.stack) as watch:
            found, added = self.bench.load(
                "load", "--video", folder, "--rate", UPLOADS, "--seconds", 1, "--devices", 4, "--looks-later", "--drain", 300)
        costs = measure.Costs(added, found["complete"])
        print(
            f"complete {found['complete']} of {found['accepted']}{report.errors(found)}; upload to 201: {report.percentiles(found.get('accepted_ms'))}; "
            f"the gateway took {costs.cpu('gateway'):.0f} ms of CPU for each")
        watch.print()

    def scenes(self):
        """The numbers of the depth analysis for rendered scenes."""
        say("relief-video-1 of rendered scenes, 3 s")
        rows = [("scene", "verdict", *(name.replace("_", " ") for name in NUMBERS), "keyframes", "reason")]
        for scene in SCENES:
            folder = self.record(f"scene-{scene}", scene, 3, "320x240")
            depth = json.loads(self.rial("video", "send", folder, "--watch", "--json"))["evidence"]["depth_analysis"]
            rows.append((
                scene, depth["verdict"], *(report.number(depth.get(name), 3) for name in NUMBERS), str(depth["keyframes"]),
                depth.get("reason") or "–"))
        report.table(rows)
