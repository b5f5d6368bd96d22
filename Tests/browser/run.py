"""Runs test modules side by side: python run.py MODULE…

Each module has a process of its own, and all use one stack and its records. Modules that stop parts of the stack, or change what others
look at, have `ALONE = True` and come last, one after another.
"""

import concurrent.futures
import importlib
import os
import subprocess
import sys
import unittest

import world

sys.path.insert(0, str(world.ROOT / "Tests"))
from timed import TimedResult

# A test in which a browser waits leaves its processor to another.
WORKERS = max(2, os.cpu_count() or 1)


def run_here(module):
    """Runs one module in this process."""
    suite = unittest.defaultTestLoader.loadTestsFromName(module)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=TimedResult).run(suite)
    return result.wasSuccessful() and result.testsRun > 0


def run_apart(module):
    """Runs one module in a process of its own; what it printed comes in one piece."""
    done = subprocess.run(
        [sys.executable, __file__, "--here", module], env={**os.environ, "RIAL_BROWSER_DEVICES": f"-{module}"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"== {module}\n{done.stdout}", end="", flush=True)
    return done.returncode == 0


def main(modules):
    if modules[0] == "--here":
        return run_here(modules[1])
    # One process makes the records and the scene that others send again, before many look at them.
    world.shared().scene("room")
    alone = [module for module in modules if getattr(importlib.import_module(module), "ALONE", False)]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        passed = dict(zip(others := [module for module in modules if module not in alone], pool.map(run_apart, others)))
    passed |= {module: run_apart(module) for module in alone}
    failed = [module for module, well in passed.items() if not well]
    if failed:
        print("failed: " + ", ".join(failed))
    return not failed


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
