"""What the page and the command line say of a bundle, in the same words: (outcome, first check that does not hold)."""

import json
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

import world
from words import shown, words

# The command's checks, by the page's findings.
CHECKS = {
    "archive": "form", "mimetype": "form", "names": "form", "large": "form", "form": "form", "inclusion": "inclusion",
    "signature": "log_signature", "sequence": "order", "subject": "order", "evidence": "evidence", "algorithms": "evidence",
    "confidence": "confidence", "time": "time", "media": "file", "file": "file", "raw": "raw", "part": "raw",
}
# What the page says that it does not check.
UNCHECKED = {"timestamp", "content_credentials", "attestation", "assertion", "depth"}
OUTCOMES = {0: "proved", 1: "wrong", 2: "unreadable", 3: "untrusted"}


def of_page(said):
    """Of all that the page says, in English or Spanish."""
    said_here = lambda key: any(shown(words(f"bundle.{key}", language).split("{")[0]) in said for language in ("en", "es"))
    if said_here("proved") or said_here("alone"):
        return "proved", None
    if said_here("revoked"):
        return "wrong", "standing"
    if said_here("sound"):
        return "untrusted", "quorum" if said_here("sound.quorum") else "log_signature"
    outcome, = {outcome for key, outcome in (("unreadable", "unreadable"), ("wrong", "wrong"), ("file", "wrong")) if said_here(key)}
    check, = {check for key, check in CHECKS.items() if said_here(f"bad.{key}")}
    return outcome, check


@dataclass
class Found:
    """What the command line found."""
    outcome: str
    checks: list

    def without(self, unchecked):
        """The outcome, if these checks are left out, and the first of the others that does not hold."""
        bad = [(each["result"], each["name"]) for each in self.checks
               if each["result"] in ("failed", "untrusted") and each["name"] not in unchecked]
        # The page tells of a revocation only if all else holds.
        failed = sorted((name for result, name in bad if result == "failed"), key=lambda name: name == "standing")
        if failed:
            return "unreadable" if failed == ["form"] else "wrong", failed[0]
        return ("untrusted", bad[0][1]) if bad else ("proved", None)


def of_command(bundle, policy, *files, roots=None):
    """Of `rial verify --bundle`, which knows the stack's development root."""
    with tempfile.NamedTemporaryFile("w", suffix=".policy") as held:
        held.write(policy)
        held.flush()
        trusted = ["--attest-roots", world.ROOT / ".local" / roots.stack / "keys/app-attest/app-attest-root.pem"] if roots else []
        done = subprocess.run(
            [world.CLI, "verify", *map(str, files), "--bundle", str(bundle), "--policy", held.name, *map(str, trusted), "--json"],
            capture_output=True, text=True, timeout=60)
    report = json.loads(done.stdout)
    found = Found(report["outcome"], report["checks"])
    assert OUTCOMES[done.returncode] == found.outcome == found.without(set())[0], done.stdout
    return found
