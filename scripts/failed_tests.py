"""Prints what is needed to run the failed tests of a group again, one a line: failed_tests.py swift EVENTS | stalled EVENTS | python LOG | ran EVENTS

`swift` reads Swift Testing's event stream and prints a filter for each test function; `stalled` does so where a test did not end, and
prints filters for all that did not run because of it, too; `python` reads the output of Tests/browser/run.py and
prints names; `ran` reads filters from standard input and looks whether a test was started for each. Exits with 1 if that cannot be known,
since a process ended early, or if so much failed that it was not chance.
"""

import json
import re
import sys

MOST = 6


def pattern(test):
    """A filter for a test. Without the place in the source, which ends the identifier of a function."""
    return "^" + re.escape(re.sub(r"/[^/]+\.swift:\d+:\d+$", "", test))


def of_swift(lines):
    """Filters for the functions that recorded an issue, or None if the run was not followed to its end."""
    failed, ended = {}, False
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            return None
        event = record.get("payload", {}) if record.get("kind") == "event" else {}
        ended = ended or event.get("kind") == "runEnded"
        issue = event.get("issue", {})
        if event.get("kind") != "issueRecorded" or issue.get("isKnown") or issue.get("severity", "error") != "error":
            continue
        if "testID" not in event:
            return None
        failed[pattern(event["testID"])] = None
    return list(failed) if ended else None


def of_stalled(lines):
    """Filters for the functions that recorded an issue or have not ended; of a module of which none has ended, one for all."""
    lines = list(lines)
    failed = of_swift(lines + [json.dumps({"kind": "event", "payload": {"kind": "runEnded"}})])
    if failed is None or len(failed) > MOST:
        return None
    functions, ended = {}, set()
    for record in map(json.loads, lines):
        payload = record["payload"]
        if record["kind"] == "test" and payload["kind"] == "function":
            functions[payload["id"]] = payload["id"].split(".")[0]
        elif payload.get("kind") in ("testEnded", "testSkipped"):
            ended.add(payload["testID"])
    begun = {module for test, module in functions.items() if test in ended}
    left = [pattern(test) if module in begun else rf"^{module}\." for test, module in functions.items() if test not in ended]
    return list(dict.fromkeys(failed + left))


def of_python(lines):
    """Names of tests, or of a class whose preparation failed, or None if a module failed and nobody knows at what."""
    names, modules = {}, None
    for line in lines:
        if test := re.match(r"(?:FAIL|ERROR): \w+ \(([\w.]+)\)", line):
            names[test[1]] = None
        elif ended := re.match(r"failed: ([\w, ]+)$", line):
            modules = ended[1].split(", ")
    if modules is None or {name.split(".")[0] for name in names} != set(modules):
        return None
    return list(names)


def ran(lines, filters):
    """Whether a test was started for each filter."""
    records = [json.loads(line) for line in lines]
    started = [each["payload"].get("testID", "") for each in records if each["payload"].get("kind") == "testStarted"]
    return all(any(re.match(one, test) for test in started) for one in filters)


def main(kind, path):
    with open(path, errors="replace") as file:
        if kind == "ran":
            return 0 if ran(file, sys.stdin.read().split("\n")[:-1]) else 1
        failed = {"swift": of_swift, "stalled": of_stalled, "python": of_python}[kind](file)
    if not failed or (kind != "stalled" and len(failed) > MOST):
        return 1
    print("\n".join(failed))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
