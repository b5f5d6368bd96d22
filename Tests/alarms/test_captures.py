"""Alarms of captures: deploy/prometheus/rules.yml, group rial.captures."""

import contextlib
import os
import pathlib
import signal
import time

from faults import DATABASE, STACK, AlarmTests, rial, stack
from proxies import LostCommit


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


class Captures(AlarmTests):
    def test_a_capture_waits_long(self):
        with self.fault("RialCapturesSlow") as ends:
            self.away(ends, "depth-analyzer")
            self.send()
            time.sleep(12)
            stack("start", "depth-analyzer")

    def test_a_capture_stays_in_processing(self):
        with self.fault("RialCapturesStuck") as ends:
            self.away(ends, "depth-analyzer")
            self.send()

    def test_the_app_is_not_accepted_any_more(self):
        self.completed()
        with self.fault("RialCapturesNotAccepted", reason="app_not_accepted") as ends:
            self.running(ends, "attestation-verifier", RIAL_APP_IDS="ABCDE12345.app.other")
            self.expect('rial_assertions_not_accepted_total{reason="app_not_accepted"} == 0')
            self.send()

    def test_the_answer_to_a_commit_is_lost(self):
        with LostCommit(DATABASE.port, "INSERT INTO captures") as proxy, self.fault("RialRecordingsInDoubt", outcome="recorded") as ends:
            self.running(ends, "gateway", RIAL_TEST_DATABASE_PORT_GATEWAY=str(proxy.port))
            self.send()
            self.assertTrue(proxy.is_done)

    def test_the_inspector_does_not_start(self):
        with self.fault("RialInspectorDown") as ends:
            self.running(ends, "gateway", RIAL_C2PA_INSPECTOR="/bin/false")

    def test_the_video_decoder_does_not_start(self):
        with self.fault("RialVideoDecoderDown") as ends:
            self.running(ends, "depth-analyzer", RIAL_VIDEO_DECODER="/bin/false")

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
