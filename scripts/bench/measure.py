"""One run of `rial load` or `rial load-pages` against a stack, with what it cost each part."""

import json
import os
import subprocess
import time

from stack import SERVICES, stolen_and_all


class Snapshot:
    def __init__(self, stack):
        self.time = time.monotonic()
        self.stolen = stolen_and_all()
        self.seconds = stack.seconds()
        self.statements = stack.statements()
        self.traffic = stack.traffic()

    def since(self, earlier):
        """What was added after `earlier`."""
        def added(name):
            then, now = getattr(earlier, name), getattr(self, name)
            return {key: value - then.get(key, 0) for key, value in now.items()}
        host, everything = (now - then for now, then in zip(self.stolen, earlier.stolen))
        return {
            "elapsed": self.time - earlier.time, "stolen": host / max(everything, 1), "seconds": added("seconds"),
            "statements": added("statements"), "traffic": added("traffic"),
        }


def idle(stack, seconds):
    """What the stack does when nobody asks for anything."""
    before = Snapshot(stack)
    time.sleep(seconds)
    return Snapshot(stack).since(before)


def load(stack, rial, *arguments):
    """Runs the command, which sends from the moment it says so. Returns (its report, what it cost); the report of a run that was not clean
    says why."""
    command = subprocess.Popen(
        [rial, *map(str, arguments)], env={**os.environ, **stack.settings}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    before = None
    said = []
    for line in command.stderr:
        said.append(line)
        if before is None and line.rstrip().endswith("…"):
            before = Snapshot(stack)
    printed = command.stdout.read()
    command.wait()
    if before is None or not printed:
        raise SystemExit(f"error: rial {' '.join(map(str, arguments))} failed\n{''.join(said)}")
    return json.loads(printed), Snapshot(stack).since(before)


class Costs:
    """What each capture of a run cost."""

    def __init__(self, added, captures, quiet=None):
        """`quiet`: what an idle stack does, which is taken off the statements."""
        self.captures = max(captures, 1)
        self.seconds = added["seconds"]
        self.traffic = added["traffic"]
        share = added["elapsed"] / quiet["elapsed"] if quiet else 0
        without = quiet["statements"] if quiet else {}
        self.statements = {key: calls - without.get(key, 0) * share for key, calls in added["statements"].items()}

    def cpu(self, *parts):
        """Milliseconds of a core; of all parts if none is named."""
        return sum(self.seconds.get(part, 0) for part in parts or self.seconds) * 1000 / self.captures

    def services(self):
        return self.cpu(*SERVICES)

    def sent(self, service=None):
        """Statements; of all services if none is named. `None` where nothing counted them."""
        if not self.statements:
            return None
        return sum(calls for (role, _), calls in self.statements.items() if service in (None, role)) / self.captures

    def bytes(self, direction, service=None):
        """Megabytes; `None` where nothing counted them."""
        found = [value for (name, way), value in self.traffic.items() if way == direction and service in (None, name)]
        return sum(found) / 1e6 / self.captures if self.traffic else None

    def frequent(self):
        """(statements a capture, service, text) of those that captures cause, most frequent first."""
        lines = ((calls / self.captures, role, text) for (role, text), calls in self.statements.items())
        return sorted((line for line in lines if line[0] >= 0.05), key=lambda line: (line[1], -line[0]))
