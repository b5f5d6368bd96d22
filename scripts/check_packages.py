#!/usr/bin/env python3
"""Compares the resolved Swift packages (Package.resolved) with scripts/swift-packages.list; --write updates the list.

Names and versions are compared, not commits: a mirror may have another commit for the same release.
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = ROOT / "scripts/swift-packages.list"
RESOLVED = ROOT / "Package.resolved"


def resolved(text):
    """{name: version} of a Package.resolved; without packages pinned to a branch or a commit."""
    pins = {}
    for pin in json.loads(text)["pins"]:
        pins[pin["identity"]] = pin["state"].get("version") or "no version"
    return pins


def listed(text):
    """{name: version} of the list."""
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    return {fields[0]: fields[1] for fields in lines if fields}


def differences(wanted, found):
    for name in sorted(set(wanted) | set(found)):
        if wanted.get(name) != found.get(name):
            yield f"{name}: {found.get(name, 'not there')} was resolved, {wanted.get(name, 'nothing')} is listed"


def main():
    if not RESOLVED.exists():
        sys.exit(f"{RESOLVED.name} is missing: swift package resolve makes it")
    found = resolved(RESOLVED.read_text())
    if sys.argv[1:] == ["--write"]:
        comments = [line for line in LIST.read_text().splitlines() if line.startswith("#")]
        width = max(map(len, found))
        LIST.write_text("\n".join(comments + [""] + [f"{name:<{width}} {found[name]}" for name in sorted(found)]) + "\n")
        return
    problems = list(differences(listed(LIST.read_text()), found))
    if problems:
        sys.exit("Swift packages are not those of scripts/swift-packages.list:\n  " + "\n  ".join(problems))
    print(f"{len(found)} Swift packages as listed")


if __name__ == "__main__":
    main()
