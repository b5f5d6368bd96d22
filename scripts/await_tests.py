"""Waits for a process of Swift Testing: await_tests.py PID EVENTS SECONDS

If no test or case of it has begun or ended for that long, one waits for something that will not happen. Its name and what the threads do
are printed, the process is killed, and the exit status is 1. Without that, the run would end from outside, and nobody would know why.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time


def is_running(pid):
    """Whether the process does something; one that has ended may still have to be waited for."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def started(lines):
    """The identifiers of what has begun and not ended, in that order."""
    found = {}
    for line in lines:
        try:
            event = json.loads(line)["payload"]
        except ValueError:
            continue
        if event.get("kind") == "testStarted":
            found[event["testID"]] = None
        elif event.get("kind") == "testEnded":
            found.pop(event["testID"], None)
    return list(found)


def report(pid, events, seconds):
    print(f"error: no test has begun or ended for {seconds:g} s; this one is killed:", flush=True)
    with open(events, errors="replace") as file:
        for test in started(file):
            print(f"error: not ended: {test}", flush=True)
    if shutil.which("gdb"):
        command = ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "thread apply all backtrace 30"]
        subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=False)


def main(pid, events, seconds):
    size, since = -1, time.monotonic()
    while is_running(pid):
        now = os.path.getsize(events) if os.path.exists(events) else 0
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > seconds:
            try:
                report(pid, events, seconds)
            finally:
                os.kill(pid, signal.SIGKILL)
            return 1
        time.sleep(min(1, seconds / 4))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3])))
