"""Every test suite that docs/security.md names for a claim exists, and every service's keys have rows there."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def readers(table):
    """The roles that read whole rows of a table, by the matrix that a suite compares with the database."""
    matrix = (ROOT / "Tests/PersistenceTests/RoleMatrix.swift").read_text()
    roles = re.findall(r'(?ms)^        "(\w+)": \[\n(.*?)^        \],$', matrix)
    return {role.replace("_", "-") for role, rights in roles if re.search(rf'"{table}": \[\s*"S"', rights)}


class SecurityTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = (ROOT / "docs/security.md").read_text()

    def test_the_named_suites_exist(self):
        sources = "".join(path.read_text() for path in (ROOT / "Tests").rglob("*.swift"))
        suites = set(re.findall(r'@Suite\(\s*"([^"]+)"', sources))
        named = set(re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", self.text))
        self.assertGreater(len(named), 10)
        self.assertEqual(named - suites, set())

    def test_every_row_names_a_test(self):
        rows = [line for line in self.text.split("## Changing")[0].splitlines() if line.startswith("| **")]
        self.assertGreater(len(rows), 15)
        for row in rows:
            self.assertRegex(row.split("|")[-2], r"\*[^*]+\*", row[:60])

    def test_every_service_has_its_rows(self):
        for service in ("gateway", "attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler", "transparency-log"):
            for key in ("bucket credentials", "database role"):
                self.assertIn(f"**{service}'s {key}**", self.text)

    def test_every_role_that_reads_places_or_salts_is_said_to_and_no_other(self):
        can = dict(re.findall(r"(?m)^\| \*\*([\w-]+)'s database role\*\* \| ([^|]+) \|", self.text))
        for table, words in {"captures": "captures with their places", "statements": "statements with their salts"}.items():
            self.assertGreater(len(readers(table)), 1, table)
            self.assertEqual({role for role, cell in can.items() if words in cell}, readers(table), table)


if __name__ == "__main__":
    unittest.main()
