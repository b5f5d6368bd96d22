"""The public log by itself: how fast it takes many statements, what a proof costs from a large tree, and how fast a stranger checks it all."""

import json
import pathlib
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import report
from report import say

# Entries of strangers beside those that are asked for: nothing but their rows.
FILL = """
    INSERT INTO log_pending (commitment, subject, kind, time)
    SELECT sha256(number::text::bytea || 'bench'), substr(sha256(number::text::bytea), 1, 16), 'assessment', extract(epoch FROM now())::bigint
    FROM generate_series(1, {count}) AS number
"""
# The most entries that one checkpoint has more than the one before it.
LARGEST_ROUND = """
    SELECT coalesce(max(size - before), 0) FROM (
        SELECT log_checkpoints.size, lag(log_checkpoints.size, 1, 0::bigint) OVER (ORDER BY log_checkpoints.size) AS before FROM log_checkpoints
        JOIN log_shards USING (origin) WHERE closed_at IS NULL AND published_at IS NOT NULL) AS rounds
"""
PUBLISHED = "SELECT published_size, (SELECT count(*) FROM log_pending) FROM log_shards WHERE closed_at IS NULL"
# Captures whose proofs are asked for, and how often each.
CAPTURES, ASKED = 20, 25


def quantile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Log:
    def __init__(self, bench, entries):
        self.bench, self.stack, self.entries = bench, bench.stack, entries

    def all(self):
        """Returns the figures for `report.log_verdicts`."""
        figures = {"sequenced": self.sequence(), "round": int(self.stack.sql(LARGEST_ROUND)[0][0])}
        figures["proof"] = self.prove()
        figures["checked"] = self.check()
        return figures

    def sequence(self):
        """Entries a second from pending to published."""
        say(f"{self.entries} statements for the public log at once")
        before = int(self.stack.sql(PUBLISHED)[0][0])
        start = time.monotonic()
        self.stack.sql(FILL.format(count=self.entries))
        print(f"inserted in {time.monotonic() - start:.1f} s")
        start = time.monotonic()
        while True:
            published, pending = map(int, self.stack.sql(PUBLISHED)[0])
            if pending == 0 and published >= before + self.entries:
                break
            if time.monotonic() - start > 1800:
                print(f"gave up with {pending} waiting")
                return None
            time.sleep(0.5)
        seconds = time.monotonic() - start
        (now, peak) = self.stack.memory()["transparency-log"]
        print(f"published in {seconds:.1f} s, {self.entries / seconds:.0f} a second; transparency-log {now:.0f} MB, peak {peak:.0f}")
        return self.entries / seconds

    def prove(self):
        """Milliseconds for a bundle, with its proof, of captures in the large tree: (p50, p99)."""
        say(f"bundles from a tree of {self.stack.sql(PUBLISHED)[0][0]} entries")
        self.bench.load("load", "--size", "full", "--rate", 2, "--seconds", CAPTURES // 2, "--looks-later")
        ids = [row[0] for row in self.stack.sql(f"SELECT id FROM captures WHERE status = 'complete' ORDER BY completed_at DESC LIMIT {CAPTURES}")]
        base = self.stack.settings["RIAL_PUBLIC_URL"]
        for capture in ids:
            self.await_bundle(f"{base}/api/v1/captures/{capture}/bundle")
        times = []
        for _ in range(ASKED):
            for capture in ids:
                start = time.monotonic()
                with urllib.request.urlopen(f"{base}/api/v1/captures/{capture}/bundle", timeout=10) as answer:
                    answer.read()
                times.append((time.monotonic() - start) * 1000)
        p50, p99 = quantile(times, 0.5), quantile(times, 0.99)
        print(f"{len(times)} bundles, as their reader sees it: p50 {p50:.1f}  p99 {p99:.1f}  max {max(times):.1f} ms")
        return p50, p99

    @staticmethod
    def await_bundle(address):
        end = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(address, timeout=10) as answer:
                    return answer.read()
            except urllib.error.HTTPError as error:
                reason = json.loads(error.read()).get("error", {}).get("code")
                if reason != "NOT_LOGGED_YET" or time.monotonic() > end:
                    raise SystemExit(f"error: {address}: {error.code} {reason}") from error
                time.sleep(0.2)

    def check(self):
        """Entries a second that a monitor without a state downloads and hashes."""
        say("a monitor that has seen nothing yet")
        settings = self.stack.settings
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            done = subprocess.run(
                [self.bench.rial, "log", "monitor", settings["RIAL_LOG_PREFIX"], "--policy", settings["RIAL_LOG_POLICY"],
                 "--state", str(pathlib.Path(folder, "state")), "--once"], capture_output=True, text=True)
            seconds = time.monotonic() - start
        if done.returncode != 0:
            raise SystemExit(f"error: the monitor ended with {done.returncode}\n{done.stdout}{done.stderr}")
        size = int(self.stack.sql(PUBLISHED)[0][0])
        print(f"{size} entries in {seconds:.1f} s: {size / seconds:.0f} a second")
        return size / seconds
