"""Each alarm below is fired by the fault that it is for, in a local stack, and is over once the fault is.

Times are shortened (prometheus.py): what is measured and how it is compared is that of deploy/prometheus/rules.yml.
"""

import contextlib
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from prometheus import PROGRAM, ROOT, Prometheus

STACK = pathlib.Path(os.environ["RIAL_TEST_STACK"])
RIAL = pathlib.Path(os.environ["RIAL_TEST_PROGRAMS"]) / "rial"

# Alarms without a fault here, and why.
ELSEWHERE = {
    "RialEventsLost": "no broker here refuses a record for its size",
    "RialStorageTraffic": "compares with the day before",
    "RialRecordingsInDoubt": "a forged recording; the tests of videos count them",
    "RialCleanupsFailing": "its tasks run every ten minutes and hours",
    "RialMediaDamaged": "stored media are read again after days; the tests of scrubbing count them",
    "RialWithdrawalStuck": "every withdrawal is open for an hour, in which nothing may come anew",
    "RialCapturesUnsigned": "of installations from before Content Credentials",
    "RialCredentialsWaiting": "needs a time-stamp authority",
    "RialCapturesUnstated": "of installations from before the public log",
    "RialSigningCertificateExpires": "needs a certificate of less than 30 days",
    "RialLogFrozen": "the tests of the log freeze it",
    "RialLogStandsStill": "the soak keeps the log's writer from writing",
    "RialLogWitnessAway": "the soak keeps witnesses away for long",
    "RialLogCheckpointOld": "the soak of the log",
    "RialLogTimestampOld": "needs a time-stamp authority",
    "RialLogNotPublished": "captures, too, need the bucket that is away then",
    "RialLogRoundsSlow": "needs a slow store",
    "RialLogMended": "the tests of the log change its objects",
}


def run(program, *arguments, **settings):
    """Runs a program. Returns its output; what fails is shown with it."""
    done = subprocess.run(
        [program, *map(str, arguments)], env={**os.environ, **settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{program} {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return done.stdout


def stack(*arguments, **settings):
    run(ROOT / "scripts/stack.sh", *arguments, STACK="alarms", **settings)


def rial(*arguments):
    return run(RIAL, *arguments, RIAL_DEVICE_STATE=str(STACK / "device.json"))


def decoders():
    """The processes that decode a video for this stack; not those of self-tests."""
    parent = (STACK / "run/depth-analyzer.pid").read_text().split()[0]
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        # Processes end meanwhile.
        with contextlib.suppress(OSError, IndexError):
            is_ours = (folder / "stat").read_text().rpartition(")")[2].split()[1] == parent
            if is_ours and b"--moov" in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


@unittest.skipUnless(PROGRAM, "prometheus is missing: scripts/setup.sh --tests")
class Alarms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prometheus = cls.enterClassContext(Prometheus(STACK / "prometheus"))
        cls.seeds = itertools.count(1)
        # What starting the stack fired is over before the first fault.
        time.sleep(3)
        cls.prometheus.wait("nothing fires", lambda firing: not firing, 120)

    def send(self):
        """Sends a photo of its own. Returns the capture's id."""
        scene = STACK / "scene"
        rial("scene", "photo", "room", "--seed", next(self.seeds), "--size", "1008x756", "--out", scene)
        facts = json.loads((scene / "scene.json").read_text())
        sent = json.loads(rial(
            "capture", "send", "--photo", scene / "photo.jpg", "--depth", scene / "depth.f32.gz", "--width",
            facts["depth_width"], "--height", facts["depth_height"], "--json"))
        return sent["capture_id"]

    @contextlib.contextmanager
    def fault(self, alarm, seconds=60, over=90, **labels):
        """Waits for the alarm within the block's fault, whose end the block's last step is, and then for its end."""
        def named(firing):
            return [
                one for one in firing
                if one["alertname"] == alarm and all(one.get(name) == value for name, value in labels.items())]

        self.prometheus.wait(f"{alarm} is over before the fault", lambda firing: not named(firing), over)
        with contextlib.ExitStack() as ends:
            yield ends
            took = self.prometheus.wait(f"{alarm} fires", named, seconds)
        ended = self.prometheus.wait(f"{alarm} is over", lambda firing: not named(firing), over)
        print(f"{alarm} {labels or ''}: fired after {took:.0f} s, over {ended:.0f} s after the fault", flush=True)

    def away(self, ends, part):
        stack("stop", part)
        ends.callback(stack, "start", part)

    def test_a_dependency_is_away(self):
        for part, dependency in (("s3", "storage"), ("postgres", "database"), ("broker", "broker")):
            with self.subTest(part), self.fault("RialDependencyAway", dependency=dependency) as ends:
                self.away(ends, part)

    def test_events_are_not_published(self):
        with self.fault("RialEventsNotPublished", job="gateway") as ends:
            self.away(ends, "broker")
            self.send()

    def test_a_capture_waits_long(self):
        with self.fault("RialCapturesSlow") as ends:
            stack("stop", "depth-analyzer")
            self.send()
            time.sleep(12)
            stack("start", "depth-analyzer")

    def test_a_capture_is_announced_again(self):
        with self.fault("RialCapturesStuck") as ends:
            self.away(ends, "depth-analyzer")
            self.send()

    def test_a_photo_is_lost_before_it_is_analyzed(self):
        for alarm in ("RialCapturesFailed", "RialDeadLetters"):
            with self.subTest(alarm), self.fault(alarm):
                stack("stop", "depth-analyzer")
                self.lose(self.send())
                stack("start", "depth-analyzer")

    def lose(self, capture):
        """Deletes the photo of a capture from the store."""
        bucket = f"{os.environ['RIAL_S3_ENDPOINT']}/{os.environ['RIAL_S3_BUCKET']}"

        def request(*arguments):
            # The keys come by standard input, not on the command line.
            settings = f'user = "{os.environ["RIAL_S3_ACCESS_KEY_ID"]}:{os.environ["RIAL_S3_SECRET_ACCESS_KEY"]}"'
            return subprocess.run(
                ["curl", "-sSf", "-K", "-", "--aws-sigv4", f"aws:amz:{os.environ['RIAL_S3_REGION']}:s3", *arguments], input=settings,
                check=True, capture_output=True, text=True).stdout

        keys = re.findall(rf"<Key>(captures/{capture}/original[^<]*)</Key>", request(f"{bucket}?list-type=2"))
        self.assertEqual(len(keys), 1, keys)
        request("-X", "DELETE", f"{bucket}/{keys[0]}")

    def test_the_inspector_does_not_start(self):
        with self.fault("RialInspectorDown") as ends:
            stack("restart", "gateway", RIAL_C2PA_INSPECTOR="/bin/false")
            ends.callback(stack, "restart", "gateway")

    def test_the_video_decoder_does_not_start(self):
        with self.fault("RialVideoDecoderDown") as ends:
            stack("restart", "depth-analyzer", RIAL_VIDEO_DECODER="/bin/false")
            ends.callback(stack, "restart", "depth-analyzer")

    def test_a_video_decoder_dies(self):
        folder = STACK / "video"
        rial("video", "record", "--scene", "room", "--seconds", "6", "--size", "640x480", "--out", folder)
        with self.fault("RialVideoDecodersDied", end="crash"):
            rial("video", "send", folder)
            deadline = time.monotonic() + 30
            while not (found := decoders()) and time.monotonic() < deadline:
                time.sleep(0.002)
            self.assertTrue(found, "no decoder ran")
            for pid in found:
                os.kill(pid, signal.SIGSEGV)

    def test_the_log_has_no_sequencer(self):
        with self.fault("RialLogSequencers") as ends:
            self.away(ends, "transparency-log")

    def test_witnesses_do_not_answer(self):
        for alarm in ("RialLogWitnessFailing", "RialLogNoQuorum"):
            with self.subTest(alarm), self.fault(alarm, over=120) as ends:
                for witness in ("witness-1", "witness-2"):
                    self.away(ends, witness)
                self.send()

    def test_every_alarm_is_here_or_somebody_says_why_not(self):
        text = (ROOT / "deploy/prometheus/rules.yml").read_text()
        here = set(re.findall(r'"(Rial\w+)"', pathlib.Path(__file__).read_text().split("class Alarms")[1]))
        self.assertEqual(here | set(ELSEWHERE), set(re.findall(r"- alert: (\w+)", text)))
        self.assertFalse(here & set(ELSEWHERE))
