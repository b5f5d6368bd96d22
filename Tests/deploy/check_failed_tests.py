"""Which tests run again after a failure in CI, and when none may: nothing that failed may go unnoticed."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
END = {"kind": "event", "payload": {"kind": "runEnded"}}


def event(kind, test, **facts):
    return {"kind": "event", "payload": {"kind": kind, "testID": test} | facts}


def issue(test, **facts):
    return event("issueRecorded", test, issue={"isKnown": False} | facts)


def function(test):
    return {"kind": "test", "payload": {"kind": "function", "id": test}}


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


class FailedTests(unittest.TestCase):
    def named(self, kind, text):
        """The lines that it prints, or None if it says that they cannot be known."""
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(text)
            file.flush()
            run = subprocess.run([sys.executable, ROOT / "scripts/failed_tests.py", kind, file.name], capture_output=True, text=True)
        self.assertEqual(run.stderr, "")
        return run.stdout.splitlines() if run.returncode == 0 else None

    def swift(self, *records):
        return self.named("swift", lines(records))

    def test_each_function_that_recorded_an_issue_is_named_once(self):
        one, suite = "LogTests.Logs/Witnesses/asked(how:)/WitnessTests.swift:12:6", "LogTests.Logs"
        self.assertEqual(
            self.swift(issue(one), issue(one), issue(suite), {"kind": "test", "payload": {}}, END),
            [r"^LogTests\.Logs/Witnesses/asked\(how:\)", r"^LogTests\.Logs"])

    def test_known_issues_and_warnings_are_no_failures(self):
        self.assertIsNone(self.swift(issue("A.B/c()/D.swift:1:1", isKnown=True), issue("A.B/e()/D.swift:2:1", severity="warning"), END))

    def test_none_is_named_after_a_crash_or_if_much_failed(self):
        self.assertIsNone(self.swift(issue("A.B/c()/D.swift:1:1")))
        self.assertIsNone(self.swift(END))
        self.assertIsNone(self.named("swift", json.dumps(END) + '\n{"kind": "ev'))
        self.assertIsNone(self.swift({"kind": "event", "payload": {"kind": "issueRecorded", "issue": {}}}, END))
        many = [issue(f"A.B/c{number}()/D.swift:{number}:1") for number in range(7)]
        self.assertEqual(len(self.swift(*many[:6], END)), 6)
        self.assertIsNone(self.swift(*many, END))

    def test_after_one_that_did_not_end_it_and_all_that_it_held_up_are_named_beside_the_failed(self):
        failed, passed, endless, held = (f"A.B/{name}()/B.swift:{line}:1" for line, name in enumerate("abcd"))
        others = [f"C.D/{name}()/D.swift:1:1" for name in "ab"]
        records = [function(test) for test in [failed, passed, endless, held, *others]]
        records += [issue(failed), event("testEnded", failed), event("testSkipped", passed), event("testStarted", endless)]
        self.assertEqual(self.named("stalled", lines(records)), [r"^A\.B/a\(\)", r"^A\.B/c\(\)", r"^A\.B/d\(\)", r"^C\."])
        many = [issue(f"A.B/c{number}()/D.swift:{number}:1") for number in range(7)]
        self.assertIsNone(self.named("stalled", lines(records + many)))

    def test_a_filter_that_no_test_started_for_is_noticed(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(lines([event("testStarted", "A.B/c()/D.swift:1:1")]))
            file.flush()
            for filters, status in (("^A\\.B/c\\(\\)\n", 0), ("^A\\.B/c\\(\\)\n^A\\.B/e\\(\\)\n", 1)):
                run = subprocess.run([sys.executable, ROOT / "scripts/failed_tests.py", "ran", file.name], input=filters, text=True)
                self.assertEqual(run.returncode, status)

    def test_tests_of_a_browser_are_named_by_module_class_and_function(self):
        self.assertEqual(
            self.named("python", "FAIL: test_a (test_site.Site.test_a) [es] (page=1)\nERROR: setUpClass (test_video.Videos)\nfailed: test_site, test_video\n"),
            ["test_site.Site.test_a", "test_video.Videos"])

    def test_none_is_named_if_a_module_failed_without_a_word_or_the_run_was_not_ended(self):
        self.assertIsNone(self.named("python", "FAIL: test_a (test_site.Site.test_a)\nfailed: test_site, test_video\n"))
        self.assertIsNone(self.named("python", "FAIL: test_a (test_site.Site.test_a)\n"))
        self.assertIsNone(self.named("python", ""))


class TestsThatDoNotEnd(unittest.TestCase):
    def awaited(self, script, seconds):
        """How a process that runs a script with the stream's path ended, the waiting for it, and what was printed."""
        with tempfile.NamedTemporaryFile("w") as file, subprocess.Popen(["sh", "-c", script, "sh", file.name]) as process:
            try:
                command = [sys.executable, ROOT / "scripts/await_tests.py", str(process.pid), file.name, str(seconds)]
                run = subprocess.run(command, capture_output=True, text=True, timeout=60)
            finally:
                process.kill()
        return process.returncode, run.returncode, run.stdout

    def test_a_run_without_a_word_is_killed_and_its_test_named(self):
        ended, endless = "A.B/a()/B.swift:1:1", "A.B/b()/B.swift:2:1"
        stream = lines([event("testStarted", ended), event("testEnded", ended), event("testStarted", endless)])
        process, status, printed = self.awaited(f"echo '{stream}' > $1; exec sleep 600", 3)
        self.assertEqual((process, status), (-9, 1))
        self.assertIn(f"error: not ended: {endless}\n", printed)
        self.assertNotIn(ended, printed)

    def test_a_run_that_goes_on_is_left_alone_until_it_ends(self):
        # Longer than the limit in all, and each word far sooner.
        script = "for each in $(seq 16); do echo {} >> $1; sleep 0.5; done; exit 3"
        self.assertEqual(self.awaited(script, 6), (3, 0, ""))


if __name__ == "__main__":
    unittest.main()
