"""make-secrets.sh makes all secrets or none, and renews each with what is made from it."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "deploy/make-secrets.sh"
SERVICES = ["gateway", "attestation_verifier", "depth_analyzer", "upload_sync", "evidence_assembler", "transparency_log"]


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in pathlib.Path(folder).rglob("*") if path.is_file()}


def certificates(text):
    return re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n", text, re.S)


class SecretTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.kept.cleanup)
        subprocess.run([SCRIPT, f"{cls.kept.name}/made"], check=True, capture_output=True)

    def setUp(self):
        """A folder of its own for each test, with all secrets."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = pathlib.Path(folder.name)
        self.folder = self.base / "secrets"
        shutil.copytree(f"{self.kept.name}/made", self.folder)

    def run_script(self, *arguments, path=None, folder=None):
        environment = os.environ | ({"PATH": path} if path else {})
        return subprocess.run(
            ["/bin/bash", SCRIPT, *arguments, folder or self.folder], env=environment, capture_output=True, text=True)

    def renew(self, name):
        """What has changed, and what the script says."""
        before = contents(self.folder)
        run = self.run_script("renew", name)
        self.assertEqual(run.returncode, 0, run.stderr)
        after = contents(self.folder)
        self.assertEqual(set(after), set(before))
        return {file for file in after if after[file] != before[file]}, run.stdout

    def stand_in(self, name, script):
        """A folder, for the front of PATH, with a program that stands in for another."""
        folder = self.base / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/bash\n{script}\n")
        (folder / name).chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    def verify(self, certificates_file, anchors):
        return subprocess.run(
            ["openssl", "verify", "-CAfile", anchors, "-untrusted", certificates_file, certificates_file], capture_output=True, text=True)

    # Making them

    def test_it_says_what_is_missing_before_it_makes_anything(self):
        programs = self.base / "few"
        programs.mkdir()
        for name in ("bash", "dirname", "sed", "grep", "tr", "head"):
            (programs / name).symlink_to(shutil.which(name))
        run = self.run_script(path=str(programs), folder=self.base / "new")
        self.assertEqual(run.returncode, 1)
        self.assertIn("missing: openssl od mktemp cmp", run.stderr)
        self.assertFalse((self.base / "new").exists())

    def test_an_openssl_without_ed25519_is_named(self):
        run = self.run_script(path=self.stand_in("openssl", '[ "$1" = version ] && echo "OldSSL 0.9"'), folder=self.base / "new")
        self.assertEqual(run.returncode, 1)
        self.assertIn("OldSSL 0.9", run.stderr)
        self.assertFalse((self.base / "new").exists())

    def test_a_failure_on_the_way_leaves_nothing_and_says_why(self):
        openssl = shutil.which("openssl")
        for number in (3, 13):
            with self.subTest(call=number):
                counter = self.base / "count"
                counter.write_text("")
                path = self.stand_in("openssl", f'echo >>{counter}; [ $(wc -l <{counter}) -lt {number} ] || {{ echo "no entropy" >&2; exit 1; }}; exec {openssl} "$@"')
                run = self.run_script(path=path, folder=self.base / "new")
                self.assertNotEqual(run.returncode, 0)
                self.assertIn("no entropy", run.stderr)
                self.assertEqual(list((self.base / "new").iterdir()), [])
                # Nor does a renewal that fails change anything.
                before = contents(self.folder)
                counter.write_text("\n" * (number - 3))
                self.assertNotEqual(self.run_script("renew", "signer", path=path).returncode, 0)
                self.assertEqual(contents(self.folder), before)

    def test_an_interrupted_run_is_finished_by_the_next(self):
        before = contents(self.folder)
        # Before all were made: what there is of them is thrown away. After: they are put in their places.
        for name, wanted in ((".new", before["rial_gateway"]), (".made", "f" * 64)):
            (self.folder / name).mkdir()
            (self.folder / name / "rial_gateway").write_text("f" * 64)
            self.assertEqual(self.run_script().returncode, 0)
            self.assertEqual(contents(self.folder), before | {"rial_gateway": wanted})
            self.assertEqual([path for path in self.folder.iterdir() if path.is_dir()], [])

    def test_files_of_earlier_versions_get_what_they_lack(self):
        users = self.folder / "kafka_users"
        identities = self.folder / "s3_identities"
        for file, lost in ((users, (self.folder / "kafka_password_transparency_log").read_text()),
                           (identities, (self.folder / "s3_access_key_id_upload_sync").read_text())):
            text = file.read_text()
            file.chmod(0o600)
            file.write_text(text.replace(lost, "0"))
            self.assertEqual(self.run_script().returncode, 0)
            self.assertIn(lost, file.read_text())

    # Renewing them

    def test_a_role_has_a_new_password_at_the_same_address(self):
        for service in SERVICES[:2]:
            url = self.folder / f"database_url_{service}"
            url.chmod(0o600)
            url.write_text(url.read_text().replace("@postgres:5432", "@db.example:5433"))
            changed, said = self.renew(f"rial_{service}")
            self.assertEqual(changed, {f"rial_{service}", f"database_url_{service}"})
            password = (self.folder / f"rial_{service}").read_text()
            self.assertEqual(url.read_text(), f"postgresql://rial_{service}:{password}@db.example:5433/rial")
            self.assertLess(said.index("run --rm migrate"), said.index(f"--force-recreate {service.replace('_', '-')}\n"))

    def test_the_owner_has_a_new_password_that_no_argument_holds(self):
        changed, said = self.renew("postgres_owner_password")
        self.assertEqual(changed, {"postgres_owner_password", "database_url_owner"})
        password = (self.folder / "postgres_owner_password").read_text()
        self.assertIn(f":{password}@", (self.folder / "database_url_owner").read_text())
        self.assertNotIn(password, said)
        self.assertIn("ALTER ROLE rial_owner", said)

    def test_a_user_of_the_broker_has_one_and_the_others_keep_theirs(self):
        for user in ["admin", SERVICES[-1]]:
            changed, said = self.renew(f"kafka_password_{user}")
            self.assertEqual(changed, {f"kafka_password_{user}", "kafka_users"})
            users = (self.folder / "kafka_users").read_text()
            for other in ["admin", *SERVICES]:
                name = "rial-admin" if other == "admin" else other.replace("_", "-")
                self.assertIn(f'user_{name}="{(self.folder / f"kafka_password_{other}").read_text()}"', users)
            self.assertIn("--force-recreate kafka\n", said)

    def test_an_identity_of_the_store_has_a_new_pair(self):
        for service in ("", "_evidence_assembler"):
            pair = {f"s3_access_key_id{service}", f"s3_secret_access_key{service}"}
            for name in sorted(pair):
                changed, said = self.renew(name)
                self.assertEqual(changed, pair | {"s3_identities"})
                identities = (self.folder / "s3_identities").read_text()
                for file in pair:
                    self.assertIn((self.folder / file).read_text(), identities)
                self.assertIn("--force-recreate s3\n", said)

    def test_keys_and_certificates_are_renewed_alone(self):
        for name, files, container in (
            ("link_key", {"link_key"}, "gateway"), ("admin_token", {"admin_token"}, "attestation-verifier"),
            ("kafka_certificate", {"kafka_ca", "kafka_certificate"}, "kafka"),
            ("s3_internal_key", {"s3_internal_ca", "s3_internal_certificate", "s3_internal_key"}, "s3"),
        ):
            changed, said = self.renew(name)
            self.assertEqual(changed, files)
            self.assertIn(f"docker compose up --detach --no-deps --force-recreate {container}\n", said)

    def test_what_a_former_signer_has_signed_still_verifies(self):
        anchors, current = self.folder / "c2pa_own_anchors", self.folder / "c2pa_certificates"
        former = []
        for number in range(2):
            old = self.base / f"certificates-{number}"
            old.write_text(current.read_text())
            former.append((old, anchors.read_text()))
            changed, said = self.renew("signer")
            self.assertEqual(changed, {"c2pa_certificates", "c2pa_own_anchors", "c2pa_private_key"})
            self.assertLess(said.index("--force-recreate gateway"), said.index("--force-recreate evidence-assembler"))
        self.assertEqual(len(certificates(anchors.read_text())), 3)
        for old, earlier in former:
            self.assertEqual(self.verify(old, anchors).returncode, 0)
            # Not because anything would do: the anchors of before do not know the new signer.
            (self.base / "earlier").write_text(earlier)
            self.assertNotEqual(self.verify(current, self.base / "earlier").returncode, 0)
        self.assertEqual(self.verify(current, anchors).returncode, 0)
        public = subprocess.run(["openssl", "x509", "-noout", "-pubkey", "-in", current], check=True, capture_output=True).stdout
        own = subprocess.run(["openssl", "pkey", "-pubout", "-in", self.folder / "c2pa_private_key"], check=True, capture_output=True).stdout
        self.assertEqual(own, public)

    def test_a_signer_whose_certificate_has_expired_is_renewed(self):
        openssl = shutil.which("openssl")
        # The certificate of the signer alone is made for 365 days.
        path = self.stand_in("openssl", f'arguments=() && for one; do [ "$one" = 365 ] && one=0; arguments+=("$one"); done\n'
                                        f'exec {openssl} "${{arguments[@]}}"')
        expired = self.base / "expired"
        made = self.run_script(path=path, folder=expired)
        self.assertEqual(made.returncode, 0, made.stderr)
        deadline = time.monotonic() + 60
        while "expired" not in self.verify(expired / "c2pa_certificates", expired / "c2pa_own_anchors").stderr:
            self.assertLess(time.monotonic(), deadline, "the certificate does not expire")
            time.sleep(0.1)
        run = self.run_script("renew", "signer", folder=expired)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.verify(expired / "c2pa_certificates", expired / "c2pa_own_anchors").returncode, 0)
        self.assertEqual(len(certificates((expired / "c2pa_own_anchors").read_text())), 2)

    def test_signers_of_other_authorities_are_not_replaced(self):
        before = contents(self.folder)
        # The root lost, as deleting files by hand would have it.
        for name, value in (("c2pa_own_anchors", before["kafka_ca"]), ("c2pa_certificates", before["kafka_ca"])):
            file = self.folder / name
            file.chmod(0o600)
            file.write_text(value)
            run = self.run_script("renew", "signer")
            self.assertEqual(run.returncode, 1)
            self.assertIn(name, run.stderr)
            self.assertEqual((self.folder / "c2pa_private_key").read_text(), before["c2pa_private_key"])
            file.write_text(before[name])

    def test_a_token_s_certificates_are_kept(self):
        (self.folder / "c2pa_private_key").unlink()
        before = contents(self.folder)
        self.assertEqual(self.run_script().returncode, 0)
        after = contents(self.folder)
        self.assertEqual({name for name in after if after[name] != before.get(name)}, {"c2pa_private_key"})

    def test_the_log_s_key_and_unknown_names_are_refused(self):
        before = contents(self.folder)
        for name in ("log_private_key", "log_public_key", "rial_nobody", "kafka_password_nobody", "s3_access_key_id_nobody", "nothing"):
            run = self.run_script("renew", name)
            self.assertEqual(run.returncode, 1, name)
            self.assertRegex(run.stderr, "close the shard|that can be renewed")
        self.assertEqual(contents(self.folder), before)

    def test_modes_let_containers_read_and_nobody_else_in(self):
        self.renew("link_key")
        self.assertEqual(self.folder.stat().st_mode & 0o777, 0o700)
        self.assertEqual({path.stat().st_mode & 0o777 for path in self.folder.iterdir()}, {0o444})


if __name__ == "__main__":
    unittest.main()
