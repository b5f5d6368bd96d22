"""Every Swift package, indirect dependencies included, has the revision in scripts/swift-packages.list."""

import importlib.util
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPECIFICATION = importlib.util.spec_from_file_location("packages", ROOT / "scripts/check_packages.py")
packages = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(packages)


class PackageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.listed = packages.listed(packages.LIST.read_text())

    def test_resolved_packages_are_the_listed_ones(self):
        found = packages.resolved(packages.RESOLVED.read_text())
        self.assertEqual(list(packages.differences(self.listed, found)), [])

    def test_the_manifest_asks_for_exact_versions_that_are_listed(self):
        manifest = (ROOT / "Package.swift").read_text()
        wanted = re.findall(r'url: "https://[^"]+/([^/"]+)\.git", exact: "([^"]+)"', manifest)
        self.assertEqual(len(wanted), manifest.count(".package(url:"), "a dependency without an exact version")
        for name, version in wanted:
            self.assertEqual(self.listed.get(name.lower()), version)

    def test_each_difference_is_reported(self):
        pin = {"identity": "a", "state": {"version": "1.0.0", "revision": "0"}}
        other = {"identity": "b", "state": {"branch": "main", "revision": "0"}}
        found = packages.resolved(json.dumps({"pins": [pin, other]}))
        self.assertEqual(list(packages.differences({"a": "1.0.0", "b": "no version"}, found)), [])
        self.assertEqual(len(list(packages.differences({"a": "1.0.1", "c": "1.0.0"}, found))), 3)

    def test_images_are_built_of_the_listed_packages(self):
        self.assertIn("check_packages.py", (ROOT / "deploy/Dockerfile").read_text())


if __name__ == "__main__":
    unittest.main()
