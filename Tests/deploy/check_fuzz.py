"""The targets in Fuzz fit the modules that they call: `make test` does not build them.

The check needs the package's modules, so this runs after the build.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / ".build/debug/Modules"
# As in Package.swift, and where the module maps of the C libraries are that our modules import.
FEATURES = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"]
LIBRARIES = [ROOT / "Shared/CZlib", ROOT / ".build/checkouts/GRDB.swift/Sources/GRDBSQLite"]


def errors(source):
    """What the compiler says against a target; empty if it is right."""
    command = ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors"]
    command += [text for feature in FEATURES for text in ("-enable-upcoming-feature", feature)]
    command += [text for folder in [MODULES, *LIBRARIES] for text in ("-I", str(folder))]
    run = subprocess.run([*command, source], capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else run.stdout + run.stderr


class Targets(unittest.TestCase):
    def test_each_fits_the_modules(self):
        sources = sorted((ROOT / "Fuzz").glob("*Fuzz.swift"))
        self.assertGreater(len(sources), 12)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for source, found in zip(sources, pool.map(errors, sources)):
                with self.subTest(source.name):
                    self.assertEqual(found, "")

    def test_seeds_belong_to_a_target(self):
        for folder in (ROOT / "Fuzz/Seeds").iterdir():
            self.assertTrue((ROOT / "Fuzz" / f"{folder.name}.swift").exists(), folder.name)


if __name__ == "__main__":
    unittest.main()
