"""Watches a stack during a soak: memory, open files and connections of its parts, and the metrics of the public log.

watch.py sample HOME                     a JSON line every five seconds, until SIGTERM
watch.py report SAMPLES CALM             what they say; CALM is the time (seconds since 1970) from which on nothing was ended any more
"""

import json
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

PAUSE = 5
# Until a part has its caches and pools after a start.
WARM = 120
# What all of the log's writers together show at the end (docs/operations.md). A stack without an authority has no time stamps.
LOG_METRICS = {
    "rial_log_size", "rial_log_published_size", "rial_log_pending", "rial_log_pending_oldest_seconds", "rial_log_round_seconds",
    "rial_log_checkpoint_age_seconds", "rial_log_witness_age_seconds", "rial_log_witness_failures_total", "rial_log_quorum",
    "rial_log_frozen", "rial_log_sequencer", "rial_log_mended_total", "rial_log_scrubbed_entries_total"}
INFRASTRUCTURE = {"postgres", "broker", "s3"}


def text(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""


def processes(home):
    """Of each part that runs: pid, resident memory in kB, and the number of its open files."""
    found = {}
    for file in (home / "run").glob("*.pid"):
        pid = (text(file).split() or [""])[0]
        resident = re.search(r"VmRSS:\s+(\d+) kB", text(f"/proc/{pid}/status"))
        if resident and file.stem not in INFRASTRUCTURE:
            try:
                files = len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
            except OSError:
                continue
            found[file.stem] = {"pid": int(pid), "kB": int(resident[1]), "files": files}
    return found


def log_metrics(home):
    """The values of the log's series by name, of all writers that answer; the largest of each name."""
    values = {}
    for file in (home / "run").glob("transparency-log*.admin"):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{text(file).strip()}/metrics", timeout=2) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            continue
        for line in lines:
            if series := re.match(r"(rial_log_\w+?)(?:_count|_sum|_bucket)?(?:\{.*\})? ([-+.\deE]+)$", line):
                values[series[1]] = max(values.get(series[1], 0), float(series[2]))
    return values


def connections(url):
    """Of each database role; empty while PostgreSQL is away."""
    try:
        done = subprocess.run(
            ["psql", url, "-X", "-qtA", "-c", "SELECT usename, count(*) FROM pg_stat_activity WHERE usename LIKE 'rial\\_%' GROUP BY 1"],
            capture_output=True, text=True, timeout=5)
    except subprocess.TimeoutExpired:
        return {}
    return {role: int(count) for role, count in (line.split("|") for line in done.stdout.split())}


def sample(home):
    url = re.search(r"^RIAL_DATABASE_URL=(.*)$", text(home / "stack.env"), re.M)[1]
    running = True

    def end(*_):
        nonlocal running
        running = False
    signal.signal(signal.SIGTERM, end)
    while running:
        seen = {"at": time.time(), "parts": processes(home), "log": log_metrics(home), "connections": connections(url)}
        print(json.dumps(seen), flush=True)
        time.sleep(PAUSE)


def quarters(values):
    """The medians of the first and of the last quarter."""
    quarter = max(1, len(values) // 4)
    return statistics.median(values[:quarter]), statistics.median(values[-quarter:])


def grown(what, values, factor, more):
    """A line if the last quarter is above the first one by more than `factor` and `more`."""
    first, last = quarters(values)
    return [f"{what} grew from {first:.0f} to {last:.0f}"] if last > first * factor + more else []


def report(samples, calm):
    wrong = []
    parts = sorted({name for seen in samples for name in seen["parts"]})
    print(f"{'part':24} {'MB at most':>10} {'files':>6}   without being ended: first and last quarter, MB, files, connections")
    for name in parts:
        all_seen = [seen["parts"][name] for seen in samples if name in seen["parts"]]
        line = f"{name:24} {max(each['kB'] for each in all_seen) / 1024:10.0f} {max(each['files'] for each in all_seen):6}"
        lasting = [seen for seen in samples if seen["at"] > calm + WARM and name in seen["parts"]]
        if len(lasting) >= 8 and len({seen["parts"][name]["pid"] for seen in lasting}) == 1:
            memory = [seen["parts"][name]["kB"] / 1024 for seen in lasting]
            files = [seen["parts"][name]["files"] for seen in lasting]
            wrong += grown(f"memory of {name} (MB)", memory, 1.15, 16) + grown(f"open files of {name}", files, 1, 8)
            line += "   {:.0f} {:.0f}, {:.0f} {:.0f}".format(*quarters(memory), *quarters(files))
            role = "rial_" + name.replace("-", "_")
            if held := [seen["connections"][role] for seen in lasting if role in seen["connections"]]:
                wrong += grown(f"connections of {role}", held, 1, 4)
                line += ", {:.0f} {:.0f}".format(*quarters(held))
        print(line)
    most = max((sum(seen["connections"].values()) for seen in samples), default=0)
    print(f"connections to PostgreSQL at most: {most}")
    if any(seen["log"].get("rial_log_frozen") for seen in samples):
        wrong.append("the log was frozen")
    if missing := LOG_METRICS - samples[-1]["log"].keys():
        wrong.append(f"metrics are missing: {', '.join(sorted(missing))}")
    print(f"entries in the log: {samples[-1]['log'].get('rial_log_published_size', 0):.0f}")
    for line in wrong:
        print(f"WRONG: {line}")
    return not wrong


if __name__ == "__main__":
    if sys.argv[1] == "sample":
        sample(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(0 if report([json.loads(line) for line in text(sys.argv[2]).splitlines()], float(sys.argv[3])) else 1)
