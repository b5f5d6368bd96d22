"""Runs test modules in parallel: python run.py MODULE…, or single tests: MODULE.CLASS.TEST

Each module has its own process; all use one stack and its records. Modules that stop parts of the stack, or change data that others read,
have `ALONE = True` and run last, sequentially.
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

# At least two: while a test waits for the browser, another can use the processor.
WORKERS = max(2, os.cpu_count() or 1)


def run_here(module):
    """Runs one module in this process."""
    suite = unittest.defaultTestLoader.loadTestsFromName(module)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=TimedResult).run(suite)
    return result.wasSuccessful() and result.testsRun > 0


def run_apart(module):
    """Runs one module in its own process; its output is printed at once."""
    done = subprocess.run(
        [sys.executable, __file__, "--here", module], env={**os.environ, "RIAL_BROWSER_DEVICES": f"-{module}"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"== {module}\n{done.stdout}", end="", flush=True)
    return done.returncode == 0


def main(modules):
    if modules[0] == "--here":
        return run_here(modules[1])
    # One process creates the records and the scene that others send again, before the others start.
    world.shared().scene("room")
    alone = [module for module in modules if getattr(importlib.import_module(module.split(".")[0]), "ALONE", False)]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        passed = dict(zip(others := [module for module in modules if module not in alone], pool.map(run_apart, others)))
    passed |= {module: run_apart(module) for module in alone}
    failed = [module for module, well in passed.items() if not well]
    if failed:
        print("failed: " + ", ".join(failed))
    return not failed


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
