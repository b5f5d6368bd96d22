"""The measurements of `make bench-compare`, after both versions are built: python3 scripts/bench/compare.py OTHER-CHECKOUT RUNS."""

import os
import pathlib
import statistics
import subprocess
import sys

import measure
import report
from stack import SERVICES, Stack

ROOT = pathlib.Path(__file__).resolve().parents[2]


def turns(runs):
    """A B B A A B B A …, so that a machine that becomes slower or faster does not favour either version."""
    return [side for pair in range(runs) for side in ("AB" if pair % 2 == 0 else "BA")]


def figures(found, costs):
    """{name: value} of one run; `None` for values that the version does not report."""
    complete, accepted = found.get("complete_ms") or {}, found.get("accepted_ms") or {}
    parts = [*SERVICES, *sorted(part for part in costs.seconds if part not in SERVICES)]
    return {
        "accepted to complete, p50 ms": complete.get("p50"), "accepted to complete, p99 ms": complete.get("p99"),
        "upload to 201, p50 ms": accepted.get("p50"),
        **{f"CPU of {part}, ms": costs.cpu(part) for part in parts},
        "CPU of the five services, ms": costs.services(), "CPU of the whole stack, ms": costs.cpu(),
        "statements": costs.sent(), "to the store, MB": costs.bytes("sent"), "from the store, MB": costs.bytes("received"),
    }


def compared(these, others):
    """(name, median of these, median of others, their ratio) for each figure of the runs; `None` if one version does not report it."""
    def median(runs, what):
        values = [run.get(what) for run in runs]
        return None if not values or None in values else statistics.median(values)
    rows = []
    for what in these[0]:
        now, then = median(these, what), median(others, what)
        rows.append((what, now, then, now / then if now is not None and then else None))
    return rows


def main():
    other, runs = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    seconds, rate = int(os.environ.get("BENCH_SECONDS") or 30), float(os.environ.get("BENCH_RATE") or 2)
    name = subprocess.run(["git", "-C", other, "log", "-1", "--format=%h"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    # One program generates the load for both, so that the load is the same.
    rial = ROOT / ".build" / os.environ["RIAL_BUILD"] / "rial"
    sides = {"A": (name, Stack(other, "bench"), []), "B": ("this", Stack(ROOT, "bench"), [])}
    for side in turns(runs):
        label, stack, kept = sides[side]
        stack.up()
        measure.load(stack, rial, "load", "--size", "full", "--rate", rate, "--seconds", 3, "--looks-later")
        quiet = measure.idle(stack, 5)
        found, added = measure.load(stack, rial, "load", "--size", "full", "--rate", rate, "--seconds", seconds, "--looks-later")
        costs = measure.Costs(added, found["complete"], quiet)
        stack.clean()
        kept.append(figures(found, costs))
        print(
            f"{label:8} complete {found['complete']} of {found['accepted']}  {report.percentiles(found.get('complete_ms'))}"
            f"  CPU: services {costs.services():.1f} ms, stack {costs.cpu():.1f} ms a capture"
            f"  host took {added['stolen'] * 100:.1f} %", flush=True)
    print(f"\nmedians of {runs} runs, {rate:g} captures a second, each for one capture")
    report.table([("", "this", name, "this / " + name)] + [
        (what, report.number(now), report.number(then), report.number(ratio, 2))
        for what, now, then, ratio in compared(sides["B"][2], sides["A"][2])])


if __name__ == "__main__":
    main()
