"""The measurements of `make bench`, after the programs are built: python3 scripts/bench/run.py FOLDER-OF-PROGRAMS RESULTS-FOLDER."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import log
import measure
import report
from report import say
from stack import Stack
from videos import Videos

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages per second, and concurrent uploads of a flood.
PAGES, UPLOADS = 50, 4


class Bench:
    def __init__(self, stack, rial, results, seconds):
        self.stack, self.rial, self.results, self.seconds = stack, rial, results, seconds

    def load(self, *arguments):
        return measure.load(self.stack, self.rial, *arguments)

    def captures(self, title, quiet, *arguments, is_sparse=False):
        """Sends captures, 12-megapixel photos unless a video is given, and prints their costs."""
        say(title)
        found, added = self.load("load", *arguments)
        costs = measure.Costs(added, found["complete"], quiet, is_sparse)
        report.print_run(found, costs, added, self.stack.memory())
        name = re.sub(r"\W+", "-", title)
        lines = (f"{calls:6.2f}  {role:20}  {text}\n" for calls, role, text in costs.frequent())
        (self.results / f"statements-{name}.txt").write_text("".join(lines))
        return found, costs

    def all(self, label):
        """Runs all measurements against the database in its current state. Returns the figures."""
        # Warm-up: the first captures of a process include its one-time initialization.
        self.load("load", "--size", "full", "--rate", 2, "--seconds", 3, "--looks-later")
        say(f"nothing to do, {label}")
        quiet = measure.idle(self.stack, min(self.seconds, 10))
        seconds = sum(quiet["seconds"].values()) / quiet["elapsed"]
        calls = sum(quiet["statements"].values()) / quiet["elapsed"]
        print(f"{seconds * 1000:.0f} ms of CPU and {calls:.1f} statements a second")
        figures = {"complete": {}, "services": {}, "stack": {}, "page": None, "flood": None, "intake": None, "logged": None, "log": {}}
        for rate in report.COMPLETE:
            (since,), = self.stack.sql("SELECT now()")
            found, costs = self.captures(
                f"{rate} captures a second, 12 megapixels, {self.seconds} s, {label}", quiet,
                "--rate", rate, "--seconds", self.seconds, "--looks-later")
            if "complete_ms" in found:
                figures["complete"][rate] = found["complete_ms"]["p50"], found["complete_ms"]["p99"]
            figures["services"][rate], figures["stack"][rate] = costs.services(), costs.cpu()
            figures["log"][rate] = costs.cpu("transparency-log")
            if rate == report.LOGGED_RATE:
                figures["logged"] = measure.logged(self.stack, since)
        figures["intake"] = self.intake(label)
        say(f"{PAGES} verification pages a second, {self.seconds} s, {label}")
        found, added = self.load("load-pages", "--rate", PAGES, "--seconds", self.seconds)
        report.print_pages(found, measure.Costs(added, found["pages"]), added)
        if "page_ms" in found:
            figures["page"] = found["page_ms"]["p50"], found["page_ms"]["p99"]
        # Last, since its backlog would disturb the other measurements.
        found, _ = self.captures(
            f"as many as it takes, {UPLOADS} uploads at a time, {self.seconds} s, {label}", None,
            "--flood", UPLOADS, "--seconds", self.seconds, "--drain", min(self.seconds * 8, 3600))
        figures["flood"] = found.get("captures_per_second")
        return figures

    def intake(self, label):
        """Sends captures as plain and as resumable uploads in turn. Returns the two medians from the start of an upload to its 201."""
        say(f"plain and resumable uploads in turn, 2 captures a second, {self.seconds} s, {label}")
        times = {"plain": [], "resumable": []}
        for kind in ("plain", "resumable", "resumable", "plain"):
            more = ["--resumable"] if kind == "resumable" else []
            found, _ = self.load("load", "--size", "full", "--rate", 2, "--seconds", max(self.seconds // 4, 2), "--looks-later", *more)
            print(f"{kind + ':':11}{report.percentiles(found.get('accepted_ms'))}")
            times[kind] += [found["accepted_ms"]["p50"]] if "accepted_ms" in found else []
        return tuple(sum(of_kind) / len(of_kind) for of_kind in times.values()) if all(times.values()) else None

    def fill(self, rows):
        say(f"filling the database with {rows} captures")
        self.stack.sql(f"SET rial.rows = {rows}", file=ROOT / "scripts/fill-captures.sql")
        size, = self.stack.sql("SELECT pg_size_pretty(pg_database_size(current_database()))")
        print(f"the database has {size[0]}")


def main():
    programs, results = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    seconds, rows = int(os.environ.get("BENCH_SECONDS") or 30), int(os.environ.get("BENCH_ROWS") or 0)
    say("the parts alone")
    printed = subprocess.run([programs / "ComponentBench"], check=True, stdout=subprocess.PIPE, text=True).stdout
    print(printed, end="")
    components = report.components(printed)
    stack = Stack(ROOT, "bench")
    stack.up()
    bench = Bench(stack, programs / "rial", results, seconds)
    what = os.environ.get("BENCH_WHAT") or "photos videos"
    verdicts = []
    if "videos" in what:
        with tempfile.TemporaryDirectory() as folder:
            verdicts += report.video_verdicts(Videos(bench, folder).all(), components)
    if "log" in what:
        verdicts += report.log_verdicts(log.Log(bench, int(os.environ.get("BENCH_LOG_ENTRIES") or 100_000)).all())
    if "photos" in what:
        empty = bench.all("an empty database")
        verdicts = report.verdicts(empty, components) + verdicts
        if rows:
            bench.fill(rows)
            verdicts += report.compared(bench.all(f"{rows} captures in the database"), empty, rows)
    say("targets")
    report.print_verdicts(verdicts)
    print(f"the statements of a capture are in {results.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
