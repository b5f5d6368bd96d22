"""A Prometheus that scrapes a local stack every second, with the rules' times shortened."""

import atexit
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/deploy"))
import tools  # noqa: E402

PROGRAM = tools.program("prometheus", "prometheus")
SERVICES = ("gateway", "attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler", "transparency-log")
# How long a rule must hold, and the windows of rates: minutes and hours, as seconds here. What was a day before lies before the window.
HOLDS, WINDOW, OFFSETS = "2s", "20s", {"2m": "5s", "1d": "30s"}
# Shortened limits in seconds, by metric. That of withdrawals stays: an erased one is open for an hour, whatever the limit is.
LIMITS = {
    "rial_outbox_oldest_seconds": 8,
    "rial_captures_processing_oldest_seconds": 10,
    "rial_capture_completion_seconds": 5,
    "rial_log_pending_oldest_seconds": 8,
    "rial_log_checkpoint_age_seconds": 8,
    # One of the buckets' bounds.
    "rial_log_round_seconds": 2.5,
    # Witnesses and authority are asked as there are captures: at rest both grow, and at least the first exceeds this.
    "rial_log_witness_age_seconds": 30,
    "rial_log_timestamp_age_seconds": 30,
}


def shortened(rules):
    """The text of the rules with short times. What is measured, and how it is compared, stays."""
    rules = re.sub(r"^( +for: ).*$", rf"\g<1>{HOLDS}", rules, flags=re.M)
    rules = re.sub(r"\[\d+[mhd]\]", f"[{WINDOW}]", rules)
    rules = re.sub(r"offset (\d+[mhd])", lambda found: f"offset {OFFSETS[found[1]]}", rules)
    for metric, limit in LIMITS.items():
        rules, count = re.subn(rf"({metric}\S*) > \d+\b", rf"\g<1> > {limit}", rules)
        if count != 1:
            raise AssertionError(f"{count} rules have a limit for {metric}")
    return rules


def eventually(what, condition, seconds=60, seen=lambda: ""):
    """Waits until the condition holds. Returns the seconds that it took; otherwise what was seen last is shown."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        if condition():
            return time.monotonic() - start
        time.sleep(0.3)
    raise AssertionError(f"{what}: not within {seconds} s; {seen()}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Prometheus:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.address = f"127.0.0.1:{free_port()}"
        (self.folder / "rules.yml").write_text(shortened((ROOT / "deploy/prometheus/rules.yml").read_text()))
        jobs = [
            {"job_name": name, "static_configs": [{"targets": [os.environ[f"RIAL_ADMIN_{name.upper().replace('-', '_')}"].split("//")[1]]}]}
            for name in SERVICES]
        # JSON is YAML.
        (self.folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}, "rule_files": ["rules.yml"],
            "scrape_configs": jobs}))

    def __enter__(self):
        with (self.folder / "prometheus.log").open("a") as log:
            self.process = subprocess.Popen(
                [PROGRAM, f"--config.file={self.folder / 'prometheus.yml'}", f"--storage.tsdb.path={self.folder / 'data'}",
                 f"--web.listen-address={self.address}"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        # Tests that are interrupted leave the block without its end.
        atexit.register(self.process.terminate)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.address}/api/v1/{path}", timeout=5) as answer:
            return json.load(answer)["data"]

    def firing(self):
        """The alarms that are firing now, each with its labels; None if Prometheus does not answer."""
        try:
            return [one["labels"] for one in self.get("alerts")["alerts"] if one["state"] == "firing"]
        except OSError:
            return None

    def holds(self, expression):
        """Whether an expression has a result now."""
        try:
            return bool(self.get("query?" + urllib.parse.urlencode({"query": expression}))["result"])
        except OSError:
            return False

    def wait(self, what, condition, seconds=60):
        """Waits until a condition on the firing alarms holds. Returns the seconds that it took."""
        firing = None

        def is_met():
            nonlocal firing
            firing = self.firing()
            return firing is not None and condition(firing)
        return eventually(what, is_met, seconds, lambda: f"firing: {sorted({one['alertname'] for one in firing or []})}")
