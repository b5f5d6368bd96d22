"""Subjects of commits are under 70 characters, from a commit on: earlier ones stay as they are."""

import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The last commit that is not looked at.
START = "003f23d474e942aeaabeccc38cd57117076bfc5f"
LIMIT = 70


def git(*arguments):
    """The run of a command of git in this checkout and in no folder around it."""
    return subprocess.run(
        ["git", f"--git-dir={ROOT / '.git'}", *arguments], capture_output=True, text=True, encoding="utf-8", errors="replace")


def problems(log):
    """What is too long in lines of a commit's id and its subject."""
    commits = [line.split(" ", 1) for line in log.split("\n") if line]
    return [
        f"{commit[:12]} has a subject of {len(subject)} characters: {subject}" for commit, subject in commits
        if len(subject) >= LIMIT and not subject.startswith('Revert "')
    ]


class CommitTests(unittest.TestCase):
    def test_subjects_are_short(self):
        if shutil.which("git") is None or git("rev-parse").returncode != 0:
            self.skipTest("there is no repository here, as in an archive")
        if git("merge-base", "--is-ancestor", START, "HEAD").returncode != 0:
            self.skipTest(f"the history here does not go back to {START[:12]}, as in a shallow clone")
        # What merges and reverts are called, git says.
        log = git("log", "--no-merges", "--format=%H %s", f"{START}..HEAD")
        self.assertEqual(log.returncode, 0, log.stderr)
        self.assertEqual(problems(log.stdout), [])

    def test_one_that_is_too_long_is_found(self):
        log = f"{'a' * 40} {'é' * 69}\n{'b' * 40} {'x' * 70}\n{'c' * 40} \n"
        self.assertEqual([problem[:12] for problem in problems(log)], ["b" * 12])


if __name__ == "__main__":
    unittest.main()
