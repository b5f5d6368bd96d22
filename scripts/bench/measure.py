"""One run of `rial load` or `rial load-pages` against a stack, with the costs for each part."""

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
        """The difference since `earlier`."""
        def added(name):
            then, now = getattr(earlier, name), getattr(self, name)
            return {key: value - then.get(key, 0) for key, value in now.items()}
        host, everything = (now - then for now, then in zip(self.stolen, earlier.stolen))
        return {
            "elapsed": self.time - earlier.time, "stolen": host / max(everything, 1), "seconds": added("seconds"),
            "statements": added("statements"), "traffic": added("traffic"),
        }


def idle(stack, seconds):
    """The costs of an idle stack."""
    before = Snapshot(stack)
    time.sleep(seconds)
    return Snapshot(stack).since(before)


def load(stack, rial, *arguments):
    """Runs the command, measuring from its message that it starts sending. Returns (its report, the costs); the report of a failed run
    states the reason."""
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


# Of the captures that were completed since: how many there are, how many of them are in a published tree, and after how many milliseconds (p50,
# p99). A tree that has witnesses is published when they have been asked, so its cosignatures are there by then.
LOGGED = """
    SELECT count(*), count(published_at),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM published_at - completed_at) * 1000),
        percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM published_at - completed_at) * 1000)
    FROM captures JOIN statements ON statements.capture_id = captures.id AND sequence = 0
    LEFT JOIN LATERAL (
        SELECT min(log_checkpoints.published_at) AS published_at
        FROM log_entries JOIN log_checkpoints ON log_checkpoints.origin = log_entries.origin AND size > log_entries.leaf_index
        WHERE log_entries.commitment = statements.commitment) AS first ON true
    WHERE completed_at >= '{since}'
"""


def logged(stack, since, patience=30):
    """Milliseconds from complete until a published tree of the public log has the capture: (p50, p99) of those completed since then.
    `None` if one of them is not in it after so many seconds."""
    end = time.monotonic() + patience
    while True:
        (count, published, *times), = stack.sql(LOGGED.format(since=since))
        if 0 < int(count) == int(published):
            return tuple(map(float, times))
        if time.monotonic() > end:
            return None
        time.sleep(0.5)


class Costs:
    """The costs of a run per capture."""

    def __init__(self, added, captures, quiet=None, is_sparse=False):
        """`quiet`: the costs of an idle stack, which are subtracted from the statements, and from the CPU time where captures are so few
        (`is_sparse`) that most of it would not be theirs."""
        self.captures = max(captures, 1)
        self.traffic = added["traffic"]
        share = added["elapsed"] / quiet["elapsed"] if quiet else 0
        idle = quiet["seconds"] if quiet and is_sparse else {}
        self.seconds = {part: max(0, seconds - idle.get(part, 0) * share) for part, seconds in added["seconds"].items()}
        without = quiet["statements"] if quiet else {}
        self.statements = {key: calls - without.get(key, 0) * share for key, calls in added["statements"].items()}

    def cpu(self, *parts):
        """CPU time in milliseconds; of all parts if none is named."""
        return sum(self.seconds.get(part, 0) for part in parts or self.seconds) * 1000 / self.captures

    def services(self):
        return self.cpu(*SERVICES)

    def sent(self, service=None):
        """The number of statements; of the five services if none is named. `None` if they were not counted."""
        if not self.statements:
            return None
        roles = SERVICES if service is None else (service,)
        return sum(calls for (role, _), calls in self.statements.items() if role in roles) / self.captures

    def bytes(self, direction, service=None):
        """Megabytes; `None` if they were not counted."""
        found = [value for (name, way), value in self.traffic.items() if way == direction and service in (None, name)]
        return sum(found) / 1e6 / self.captures if self.traffic else None

    def frequent(self):
        """(statements per capture, service, text) of the statements caused by captures, most frequent first."""
        lines = ((calls / self.captures, role, text) for (role, text), calls in self.statements.items())
        return sorted((line for line in lines if line[0] >= 0.05), key=lambda line: (line[1], -line[0]))
