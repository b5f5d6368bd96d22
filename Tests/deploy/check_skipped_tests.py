"""Which tests may be skipped in CI: only those of the long form, and those of data that are not beside the project."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG_FORM = "in the long form (RIAL_TEST_FAULTS=full)"


def event(kind, test, text):
    return {"kind": "event", "payload": {"kind": kind, "testID": test, "messages": [{"symbol": "skip", "text": text}]}}


def skip(test, reason=None):
    return event("testSkipped", test, 'Test "x" skipped' + ("." if reason is None else f': "{reason}"'))


class SkippedTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_on(self, *streams):
        """The exit status and what is printed of streams of records, or of texts."""
        paths = []
        for number, stream in enumerate(streams):
            path = self.folder / f"{number}.events"
            path.write_text(stream if isinstance(stream, str) else "".join(json.dumps(record) + "\n" for record in stream))
            paths.append(path)
        run = subprocess.run(
            [sys.executable, ROOT / "scripts/skipped_tests.py", "--beside", self.folder, *paths], capture_output=True, text=True)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout

    def test_nothing_is_said_of_tests_that_ran(self):
        records = [
            event("testStarted", "A.B/c()/D.swift:1:1", "Test c() started."),
            {"kind": "test", "payload": {"kind": "function", "name": "c()", "id": "A.B/c()/D.swift:1:1"}},
            {"kind": "event", "payload": {"kind": "runEnded", "messages": []}},
        ]
        self.assertEqual(self.run_on(records), (0, ""))

    def test_those_of_the_long_form_may_be_skipped(self):
        test = "S.S/Faults/c()/D.swift:1:1"
        self.assertEqual(self.run_on([skip(test, LONG_FORM)]), (0, f"{LONG_FORM}: 1\n    {test}\n"))

    def test_those_of_data_may_be_skipped_only_where_these_are_not(self):
        records = [skip("A.B/c()/D.swift:1:1", "needs ../shared/data/tlog")]
        self.assertEqual(self.run_on(records)[0], 0)
        (self.folder / "shared/data").mkdir(parents=True)
        self.assertEqual(self.run_on(records)[0], 0)
        (self.folder / "shared/data/tlog").mkdir()
        status, said = self.run_on(records)
        self.assertEqual(status, 1)
        self.assertIn("needs ../shared/data/tlog: 1, which a complete machine would not skip", said)

    def test_no_other_may_be_skipped_nor_one_without_a_reason(self):
        test = "A.B/c()/D.swift:1:1"
        for record in (
            skip(test, "openssl is missing"), skip(test), skip(test, "No test cases found."),
            event("testCancelled", test, "Test c() was cancelled."),
            # The reason stands at the end, whatever the test's name says.
            event("testSkipped", test, f'Test "is skipped: "{LONG_FORM}"" skipped: "openssl is missing"'),
        ):
            with self.subTest(record):
                self.assertEqual(self.run_on([skip("A.B/e()/D.swift:2:1", LONG_FORM), record])[0], 1)

    def test_each_function_of_a_suite_is_named_and_the_suite_is_not(self):
        first, second = "A.B/c()/D.swift:1:1", "A.B/Inner/e(of:)/D.swift:2:1"
        suites = [event("testSkipped", name, f'Suite "B" skipped: "{LONG_FORM}"') for name in ("A.B", "A.B/Inner")]
        status, said = self.run_on([*suites, skip(first, LONG_FORM)], [skip(second, LONG_FORM)])
        self.assertEqual((status, said), (0, f"{LONG_FORM}: 3\n    A.B/Inner\n    {second}\n    {first}\n"))
        status, said = self.run_on([*suites, skip(first, LONG_FORM), skip(second, LONG_FORM)])
        self.assertEqual((status, said), (0, f"{LONG_FORM}: 2\n    {second}\n    {first}\n"))

    def test_a_stream_that_breaks_off_is_read_as_far_as_it_came(self):
        text = json.dumps(skip("A.B/c()/D.swift:1:1", "openssl is missing")) + '\n{"kind": "ev'
        self.assertEqual(self.run_on(text)[0], 1)

    def test_a_stream_that_is_not_there_is_no_stream_without_skipped_tests(self):
        run = subprocess.run(
            [sys.executable, ROOT / "scripts/skipped_tests.py", self.folder / "none.events"], capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)

    def test_the_reasons_are_those_that_tests_give(self):
        sources = "".join(path.read_text() for path in (ROOT / "Tests").rglob("*.swift"))
        self.assertIn(f'.enabled(if: FaultTests.isFull, "{LONG_FORM}")', sources)
        self.assertGreater(len(re.findall(r'"needs \.\./shared/data', sources)), 5)
        # Whatever needs the data says so in these words.
        conditions = re.findall(r"\.enabled\(if: (?:SharedData\.isPresent|Sample\.arePresent|SamplePhotos\.arePresent)(.*)", sources)
        self.assertGreater(len(conditions), 5)
        for reason in conditions:
            self.assertTrue(reason.startswith(', "needs ../shared/data'), reason)
        for reason in re.findall(r"\.enabled\(if: FaultTests\.isFull(.*)", sources):
            self.assertTrue(reason.startswith(f', "{LONG_FORM}"'), reason)


if __name__ == "__main__":
    unittest.main()
