"""Runs docs/operations.md's commands of the next shard, with stand-ins for Docker and OpenSSL: no key of the log is lost, whatever
fails and however often they are run."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks():
    """The two blocks for the composition: the next key, and the change to it."""
    text = re.search(r"(?ms)^### Closing it, and going on with the next key$(.*?)(?=^##)", (ROOT / "docs/operations.md").read_text())[1]
    return [block for block in re.findall(r"(?ms)^```console\n(.*?)^```$", text) if "docker compose" in block]


class ShardTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = pathlib.Path(folder.name)
        self.secret = self.base / "deploy/secrets/log_private_key"
        self.secret.parent.mkdir(parents=True)
        self.secret.write_text("the key of 2026")
        # Docker fails where its arguments have $FAILS. Each key is another one.
        self.stand_in("programs/docker", 'printf "%s\\n" "$*" >>"$CALLS"; [[ -z $FAILS || "$*" != *"$FAILS"* ]]')
        self.stand_in("programs/openssl", '[[ "$*" == *"-out "* ]] && printf "key %s" $RANDOM$RANDOM$RANDOM >"${@: -1}"')
        self.stand_in("deploy/make-secrets.sh", "printf made >deploy/secrets/log_public_key")

    def stand_in(self, name, script):
        path = self.base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def run_block(self, number, fails=""):
        environment = os.environ | {
            "PATH": f"{self.base}/programs:{os.environ['PATH']}", "FAILS": fails, "CALLS": str(self.base / "calls")}
        return subprocess.run(["bash", "-c", blocks()[number]], cwd=self.base, env=environment, capture_output=True, text=True).returncode

    def keys(self):
        """{file: content} of each private key."""
        return {path.name: path.read_text() for path in [*self.base.glob("keys/*"), self.secret] if path.exists()}

    def test_the_next_key_is_made_once_and_takes_the_place_of_the_old_one(self):
        self.assertEqual(self.run_block(0), 0)
        made = self.keys()
        self.assertEqual(self.run_block(0), 0)
        self.assertEqual(self.keys(), made)
        self.assertEqual(self.run_block(1), 0)
        self.assertEqual(self.keys(), {"log-2026.pem": "the key of 2026", "log_private_key": made["log-2027.pem"]})
        self.assertIn("--force-recreate", (self.base / "calls").read_text().splitlines()[-1])

    def test_the_change_run_again_changes_no_key(self):
        self.run_block(0)
        self.run_block(1)
        changed = self.keys()
        self.assertNotEqual(self.run_block(1), 0)
        self.assertEqual(self.keys(), changed)
        self.run_block(0)
        self.assertNotEqual(self.run_block(1), 0)
        self.assertEqual({name: text for name, text in self.keys().items() if name in changed}, changed)

    def test_nothing_is_moved_before_the_next_shard_is_open(self):
        self.run_block(0)
        made = self.keys()
        for step in ("log close", "log open"):
            with self.subTest(step):
                self.assertNotEqual(self.run_block(1, fails=step), 0)
                self.assertEqual(self.keys(), made)

    def test_no_key_is_shown_that_could_not_be_made(self):
        self.stand_in("programs/openssl", "exit 1")
        self.assertNotEqual(self.run_block(0), 0)
        self.assertFalse((self.base / "calls").exists())


if __name__ == "__main__":
    unittest.main()
