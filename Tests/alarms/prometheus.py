"""A Prometheus that scrapes a local stack every second, with the rules' times shortened."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/deploy"))
import tools  # noqa: E402

PROGRAM = tools.program("prometheus", "prometheus")
SERVICES = ("gateway", "attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler", "transparency-log")
# How long a rule must hold, and the windows of rates: minutes and hours, as seconds here.
HOLDS, WINDOW, OFFSET = "2s", "20s", "5s"
# Limits in seconds, by what they are shortened to.
LIMITS = {"60": "8", "7200": "8", "30": "5"}


def shortened(rules):
    """The text of the rules with short times. What is measured, and how it is compared, stays."""
    rules = re.sub(r"^( +for: ).*$", rf"\g<1>{HOLDS}", rules, flags=re.M)
    rules = re.sub(r"\[\d+[mhd]\]", f"[{WINDOW}]", rules)
    rules = re.sub(r"offset \d+[mhd]", f"offset {OFFSET}", rules)
    return re.sub(r"(_seconds\w*(?:\[\w+\])?\)*|completion_seconds_bucket\S*) > (60|7200|30)\b", lambda found: f"{found[1]} > {LIMITS[found[2]]}", rules)


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
        with (self.folder / "prometheus.log").open("w") as log:
            self.process = subprocess.Popen(
                [PROGRAM, f"--config.file={self.folder / 'prometheus.yml'}", f"--storage.tsdb.path={self.folder / 'data'}",
                 f"--web.listen-address={self.address}"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def firing(self):
        """The alarms that are firing now, each with its labels."""
        with urllib.request.urlopen(f"http://{self.address}/api/v1/alerts", timeout=5) as answer:
            alerts = json.load(answer)["data"]["alerts"]
        return [one["labels"] for one in alerts if one["state"] == "firing"]

    def wait(self, what, condition, seconds=60):
        """Waits until a condition on the firing alarms holds. Returns the seconds that it took."""
        start, firing = time.monotonic(), None
        while time.monotonic() - start < seconds:
            try:
                firing = self.firing()
            except OSError:
                firing = None
            if firing is not None and condition(firing):
                return time.monotonic() - start
            time.sleep(0.3)
        raise AssertionError(f"{what}: not within {seconds} s; firing: {sorted({one['alertname'] for one in firing or []})}")
