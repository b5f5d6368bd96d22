"""What the tests of the alarms share: the local stack, a Prometheus over it, and how a fault is made and ended."""

import atexit
import contextlib
import itertools
import json
import os
import pathlib
import subprocess
import time
import unittest
import urllib.parse
import urllib.request

from prometheus import PROGRAM, ROOT, SERVICES, Prometheus, eventually
from store import Bucket

STACK = pathlib.Path(os.environ["RIAL_TEST_STACK"])
RIAL = pathlib.Path(os.environ["RIAL_TEST_PROGRAMS"]) / "rial"
# Settings of the operator; each service has its own.
OPERATORS = {line.partition("=")[0] for line in (STACK / "stack.env").read_text().splitlines()}
DATABASE = urllib.parse.urlsplit(os.environ["RIAL_DATABASE_URL"])
# With their limits shortened these fire whenever no capture comes.
AT_REST = {"RialLogWitnessAway"}


def run(program, *arguments, environment=os.environ, **settings):
    """Runs a program. Returns its output; what fails is shown with it."""
    done = subprocess.run(
        [program, *map(str, arguments)], env={**environment, **settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{program} {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return done.stdout


def stack(*arguments, **settings):
    environment = {name: value for name, value in os.environ.items() if name not in OPERATORS}
    run(ROOT / "scripts/stack.sh", *arguments, environment=environment, STACK="alarms", **settings)


def rial(*arguments):
    return run(RIAL, *arguments, RIAL_DEVICE_STATE=str(STACK / "device.json"))


def sql(statement):
    """Runs SQL as the database's owner. Returns its result as text."""
    return run(
        "psql", "-X", "-tAq", "-v", "ON_ERROR_STOP=1", "-c", statement, PGHOST=DATABASE.hostname, PGPORT=str(DATABASE.port),
        PGUSER=DATABASE.username, PGPASSWORD=DATABASE.password, PGDATABASE=DATABASE.path[1:]).strip()


def metrics(service):
    """What a service shows now, before Prometheus sees it."""
    address = os.environ["RIAL_ADMIN_" + service.upper().replace("-", "_")]
    with urllib.request.urlopen(f"{address}/metrics", timeout=5) as answer:
        return answer.read().decode()


@unittest.skipUnless(PROGRAM, "prometheus is missing: scripts/setup.sh --tests")
class AlarmTests(unittest.TestCase):
    """Tests in which an alarm is fired by the fault that it is for, and is over once the fault is."""

    seeds = itertools.count(1)

    @classmethod
    def setUpClass(cls):
        cls.prometheus = cls.enterClassContext(Prometheus(STACK / "prometheus"))
        cls.bucket = Bucket()
        cls.expect(f"count(count_over_time(up[5s]) > 3) == {len(SERVICES)}")
        # What starting the stack fired is over before the first fault, and what the faults of other tests fired beside their own.
        cls.prometheus.wait("nothing fires", lambda firing: {one["alertname"] for one in firing} <= AT_REST, 120)

    @contextlib.contextmanager
    def fault(self, *alarms, seconds=60, over=90, **labels):
        """Waits for all alarms within the block's fault, whose end the block's last step is, and then for their end."""
        def named(firing):
            return {
                one["alertname"] for one in firing
                if one["alertname"] in alarms and all(one.get(name) == value for name, value in labels.items())}

        names, start, fired = " and ".join(alarms), time.monotonic(), {}

        def have_fired(firing):
            for alarm in named(firing):
                fired.setdefault(alarm, time.monotonic() - start)
            return len(fired) == len(alarms)

        self.prometheus.wait(f"{names} over before the fault", lambda firing: not named(firing), over)
        with contextlib.ExitStack() as ends:
            start = time.monotonic()
            yield ends
            self.prometheus.wait(f"{names} firing", have_fired, seconds)
            end = time.monotonic()
        self.prometheus.wait(f"{names} over", lambda firing: not named(firing), over)
        ended = time.monotonic() - end
        for alarm in alarms:
            print(f"{alarm} {labels or ''}: fired after {fired[alarm]:.0f} s, over {ended:.0f} s after the fault's end", flush=True)

    def away(self, ends, part):
        ends.callback(stack, "start", part)
        stack("stop", part)

    def running(self, ends, part, **settings):
        """Restarts a part with settings, until the end of the fault, or of what else it is to outlast."""
        ends.callback(stack, "restart", part)
        stack("restart", part, **settings)

    @classmethod
    def expect(cls, expression, seconds=60):
        """Waits until an expression of Prometheus has a result."""
        eventually(expression, lambda: cls.prometheus.holds(expression), seconds)

    def send(self, size="1008x756"):
        """Sends a photo of its own. Returns the capture's id."""
        scene = STACK / "scene"
        rial("scene", "photo", "room", "--seed", next(self.seeds), "--size", size, "--out", scene)
        facts = json.loads((scene / "scene.json").read_text())
        sent = json.loads(rial(
            "capture", "send", "--photo", scene / "photo.jpg", "--depth", scene / "depth.f32.gz", "--width",
            facts["depth_width"], "--height", facts["depth_height"], "--json"))
        return sent["capture_id"]

    def completed(self, size="1008x756"):
        """Sends a photo, and waits for its evidence. Returns the capture's id."""
        capture = self.send(size)
        eventually("the capture is complete", lambda: sql(f"SELECT status FROM captures WHERE id = '{capture}'") == "complete", 120)
        return capture

    @contextlib.contextmanager
    def captures_coming(self):
        """Captures come every few seconds meanwhile."""
        with subprocess.Popen(
                [RIAL, "load", "--rate", "0.3", "--seconds", "900", "--size", "small", "--devices", "1"], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as load:
            atexit.register(load.terminate)
            try:
                yield
            finally:
                load.terminate()
