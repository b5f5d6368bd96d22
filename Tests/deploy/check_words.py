"""The lists of words in the database's checks and in the API's documents are the words of Swift's enums.

Each list is compared, whatever it is of; what is only a part of an enum, or has none, is listed here.
"""

import re
import unittest

import check_compose
from swift_enums import ROOT, enums

DOCUMENTS = ("docs/openapi.yaml", "docs/asyncapi.yaml")
# Lists that have some words of an enum, or some more.
PARTS = {
    frozenset({"too_few_valid", "not_a_surface"}): "DepthReason",
    frozenset({"processing", "complete", "failed"}): "CaptureStatus",
    frozenset({"complete", "failed", "withdrawn"}): "CaptureStatus",
    frozenset({"trusted", "valid", "invalid", "unreadable", "remote"}): "CredentialReport.State",
}
MORE = {"devices.receipt_status": ("ReceiptFailure", {"none", "verified"})}
# Lists of words that one place in Swift makes, without an enum.
WITHOUT_ENUM = [
    {"hardware_attestation", "hash_chain", "depth_analysis", "media"},
    {"ok", "degraded"}, {"connected", "unreachable"}, {"owner", "operator"},
    {"h264", "hevc"},
]
# Reasons that are in no row and in no answer.
INTERNAL = {"InspectionOutcome.Reason"}


def vocabulary():
    """{name: words} of all enums of the server."""
    return {name: {word for _, word in cases} for name, (_, cases) in enums("Shared", "Services").items()}


def column_lists(sql):
    """{table.column: words} of the checks `column IN (…)`, the newest of each column."""
    found = {}
    for statement in re.sub(r"--.*", "", sql).split(";"):
        table = re.search(r"(?:CREATE|ALTER) TABLE (\w+)", statement)
        for column, member, listed in re.findall(r"(?:(\w+)|->> '(\w+)') IN \(((?:\s*'[^']*',?)+)\s*\)", statement):
            if table and "CHECK" in statement:
                found[f"{table[1]}.{column or member}"] = set(re.findall(r"'([^']*)'", listed))
    return found


def migrations():
    return "".join(path.read_text() for path in sorted((ROOT / "Shared/Persistence/Migrations").glob("*.sql")))


def document_lists(text):
    """The words of each `enum` of lower-case words in a document, without null."""
    for listed in re.findall(r"enum: \[([^\]]*)\]", text):
        words = {word.strip() for word in listed.split(",")} - {"null"}
        if all(re.fullmatch(r"[a-z][\w.+-]*", word) for word in words):
            yield words


def published():
    """The names of media that have a role, and so a link."""
    path, cases = enums("Shared")["MediaName"]
    without = re.search(r"var role: MediaRole\? \{\s*switch self \{\s*case ([^:]*): nil", (ROOT / path).read_text())[1]
    return {word for case, word in cases if f".{case}" not in without.split(", ")}


class Lists(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.words = vocabulary()
        cls.columns = column_lists(migrations())
        cls.documents = {path: list(document_lists((ROOT / path).read_text())) for path in DOCUMENTS}

    def is_known(self, listed):
        return listed in self.words.values() or listed in WITHOUT_ENUM

    def test_checks_of_columns_have_the_words_of_an_enum(self):
        self.assertGreater(len(self.columns), 20)
        unknown = {name: listed for name, listed in self.columns.items() if not self.is_known(listed)}
        self.assertEqual(unknown, {name: self.words[enum] | more for name, (enum, more) in MORE.items()})

    def test_lists_of_documents_have_the_words_of_an_enum(self):
        self.assertGreater(len(self.documents["docs/openapi.yaml"]), 40)
        unknown = [
            listed for lists in self.documents.values() for listed in lists
            if not self.is_known(listed) and frozenset(listed) not in PARTS and listed != published()
        ]
        self.assertEqual(unknown, [])

    def test_parts_are_parts(self):
        lists = [listed for lists in self.documents.values() for listed in lists]
        for listed, name in PARTS.items():
            self.assertLess(listed, self.words[name], name)
            self.assertIn(listed, lists, name)
        for listed in WITHOUT_ENUM:
            self.assertIn(listed, [*lists, *self.columns.values()])

    def test_the_words_of_a_capture_are_in_rows_and_documents(self):
        for column, name in {
            "captures.type": "CaptureType", "uploads.type": "CaptureType", "captures.capture_mode": "CaptureMode",
            "captures.status": "CaptureStatus", "captures.confidence_level": "ConfidenceLevel", "evidence_parts.part": "EvidencePart",
            "evidence_parts.outcome": "PartOutcome", "media_objects.name": "MediaName", "log_shards.frozen_reason": "Freeze.Reason",
        }.items():
            self.assertEqual(self.columns.get(column), self.words[name], column)
        for path in DOCUMENTS:
            for name in ("CaptureType", "CaptureMode", "ConfidenceLevel"):
                self.assertIn(self.words[name], self.documents[path], f"{name} in {path}")
        self.assertIn(published(), self.documents["docs/openapi.yaml"])

    def test_every_reason_is_in_a_row_or_an_answer(self):
        lists = [*self.columns.values(), *self.documents["docs/openapi.yaml"]]
        found = {name for name in self.words if re.search(r"(?:^|\.|[a-z])Reason$", name)}
        self.assertGreater(len(found), 11)
        self.assertEqual({name for name in found if self.words[name] not in lists}, INTERNAL)

    def test_services_are_called_the_same_everywhere(self):
        services = [word for _, word in enums("Shared")["ServiceName"][1]]
        self.assertEqual(services, check_compose.SERVICES)
        self.assertEqual(set(services), {path.name for path in (ROOT / "Services").iterdir() if (path / "ServiceGroup+make.swift").exists()})
        roles = re.findall(r"current_user IN \(([^)]*)\)", migrations())[-1]
        self.assertEqual(re.findall(r"'([^']*)'", roles), [f"rial_{name.replace('-', '_')}" for name in services])
        sources = re.search(r"ce_source: \{enum: \[([^\]]*)\]", (ROOT / "docs/asyncapi.yaml").read_text())[1]
        self.assertEqual(sources.split(", "), [f"/rial/{name}" for name in [*services, "cli"]])

    def test_another_word_is_found(self):
        changed = column_lists(migrations().replace("part IN ('attestation', 'depth', 'media')", "part IN ('attestation', 'depth')"))
        self.assertFalse(self.is_known(changed["evidence_parts.part"]))
        self.assertEqual(list(document_lists("{enum: [photo, film, null]} {enum: [GONE]} {enum: [1]}")), [{"photo", "film"}])


if __name__ == "__main__":
    unittest.main()
