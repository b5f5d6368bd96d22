"""Prints the tests that were skipped, by reason: skipped_tests.py [--beside FOLDER] EVENTS…

Reads Swift Testing's event streams. Exits with 1 if a test was skipped for another reason than that it needs a run in the long form, or
data beside the project that are not there: a complete machine has all else.
"""

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# As the tests give them.
LONG_FORM = "in the long form (RIAL_TEST_FAULTS=full)"
DATA = "needs ../"
KINDS = ("testSkipped", "testCancelled", "testCaseCancelled")


def skipped(lines):
    """{reason: [test]} of a stream; of a suite that was skipped the tests in it."""
    reasons = {}
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            # Where the process ended early, which has failed the run.
            continue
        event = record.get("payload", {}) if record.get("kind") == "event" else {}
        if event.get("kind") not in KINDS:
            continue
        text = "\n".join(message.get("text", "") for message in event.get("messages", []))
        _, mark, reason = text.rpartition(' skipped: "')
        reasons[event.get("testID", text)] = reason.removesuffix('"') if mark else "no reason is given"
    found = {}
    for test, reason in reasons.items():
        if not any(other.startswith(test + "/") for other in reasons):
            found.setdefault(reason, []).append(test)
    return found


def may_be(reason, beside):
    """Whether tests may be skipped for this reason where all is there that can be installed."""
    return reason == LONG_FORM or (reason.startswith(DATA) and not (beside / reason.removeprefix(DATA)).exists())


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--beside", type=pathlib.Path, default=ROOT.parent, help="the folder beside whose folders the project lies")
    parser.add_argument("events", nargs="+", type=pathlib.Path)
    options = parser.parse_args(arguments)
    reasons = {}
    for path in options.events:
        with open(path, errors="replace") as file:
            for reason, tests in skipped(file).items():
                reasons.setdefault(reason, []).extend(tests)
    for reason, tests in sorted(reasons.items()):
        print(f"{reason}: {len(tests)}" + ("" if may_be(reason, options.beside) else ", which a complete machine would not skip"))
        print("".join(f"    {test}\n" for test in sorted(tests)), end="")
    return 0 if all(may_be(reason, options.beside) for reason in reasons) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
