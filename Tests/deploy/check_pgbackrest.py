"""Runs docs/operations.md's commands of point-in-time recovery with deploy/pgbackrest, on a cluster of its own: rows that were deleted are
back, and those that came later are not. Compares what it says of the age of backups with the settings."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# As the files in deploy/pgbackrest name it.
VERSION = "15"
BINARIES = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
AS_POSTGRES = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"] if os.geteuid() == 0 else []


def section(heading):
    """What is under a heading of docs/operations.md."""
    return re.search(rf"(?ms)^### {heading}$(.*?)(?=^##)", (ROOT / "docs/operations.md").read_text())[1]


def commands(heading):
    """The lines of the blocks under a heading of docs/operations.md."""
    lines = "".join(re.findall(r"(?ms)^```console\n(.*?)^```$", section(heading))).replace("\\\n", " ").splitlines()
    return [re.sub(r"\s+#.*", "", line).removeprefix("sudo -u postgres ") for line in lines]


class Cluster:
    """A PostgreSQL cluster and a repository of pgBackRest in a folder of their own, with the settings of deploy/pgbackrest."""

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "data"
        self.environment = os.environ | {
            "PATH": f"{BINARIES[-1].parent}:{os.environ['PATH']}", "PGHOST": str(folder), "PGPORT": "5432", "PGUSER": "postgres",
            "PGBACKREST_CONFIG": str(folder / "pgbackrest.conf"), "PGBACKREST_LOG_PATH": str(folder / "log"),
            "PGBACKREST_LOCK_PATH": str(folder / "lock")}
        for name in ("repository", "log"):
            (folder / name).mkdir()
        (folder / "pgbackrest.conf").write_text(self.moved("pgbackrest.conf"))
        if AS_POSTGRES:
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, "postgres", "postgres")
        self.run(
            "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8", "--no-instructions",
            "--no-sync")
        settings_of_test = f"fsync = off\nlisten_addresses = ''\nunix_socket_directories = '{folder}'\n{self.moved('rial.conf')}"
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write(settings_of_test)

    def moved(self, name):
        """A file of deploy/pgbackrest with this cluster's paths."""
        text = (ROOT / "deploy/pgbackrest" / name).read_text()
        paths = {
            f"/var/lib/postgresql/{VERSION}/main": self.data, "/var/lib/pgbackrest": self.folder / "repository",
            "/var/run/postgresql": self.folder}
        for old, new in paths.items():
            if name == "pgbackrest.conf":
                assert old in text, old
            text = text.replace(old, str(new))
        return text

    def run(self, *words):
        run = subprocess.run(
            [*AS_POSTGRES, *map(str, words)], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=120)
        assert run.returncode == 0, f"{words}: {run.stdout}{run.stderr}"
        return run.stdout.strip()

    def line(self, line):
        """Runs a line of the documents; the server of this cluster is started and stopped without systemd."""
        if line.startswith("systemctl "):
            verb = line.split()[1]
            log = [] if verb == "stop" else ["-l", self.folder / "log/postgresql"]
            with open(os.devnull, "w") as nowhere:
                subprocess.run(
                    [*AS_POSTGRES, "pg_ctl", "-D", self.data, "-w", "-m", "fast", *log, verb], cwd=self.folder, env=self.environment,
                    stdin=subprocess.DEVNULL, stdout=nowhere, stderr=nowhere, timeout=120, check=True)
            return ""
        return self.run("bash", "-ec", line)

    def sql(self, statement):
        return self.run("psql", "-X", "-tA", "-v", "ON_ERROR_STOP=1", "-c", statement, "rial")


class RetentionTests(unittest.TestCase):
    def test_the_documents_say_for_how_long_the_settings_keep_backups(self):
        settings = (ROOT / "deploy/pgbackrest/pgbackrest.conf").read_text()
        self.assertIn("\nrepo1-retention-full-type=time\n", settings)
        kept = int(re.search(r"(?m)^repo1-retention-full=(\d+)$", settings)[1])
        text = " ".join(section("To any moment").split())
        self.assertIn("--type=full backup # once a week; --type=incr once a day", text)
        self.assertEqual(int(re.search(r"Any moment of the last (\d+) days", text)[1]), kept)
        # Until the next full backup is so old, and a backup is made after that.
        oldest = kept + 7 + 1
        said = [
            re.search(r"what was withdrawn for (\d+) days at most", text)[1], re.search(r"nothing is older than (\d+) days", settings)[1],
            re.search(r"`deploy/pgbackrest` (\d+) days later", " ".join(section("Closing it, and going on with the next key").split()))[1]]
        self.assertEqual([int(days) for days in said], [oldest] * 3)


@unittest.skipUnless(shutil.which("pgbackrest") and BINARIES, "pgBackRest or PostgreSQL is not installed")
class PointInTimeTests(unittest.TestCase):
    def test_the_documented_commands_go_back_to_a_moment_before_a_deletion(self):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            cluster = Cluster(pathlib.Path(folder))
            lines = commands("To any moment")
            first = next(number for number, line in enumerate(lines) if "stanza-create" in line)
            stop = next(number for number, line in enumerate(lines) if line.startswith("systemctl stop"))
            backup = [line for line in lines[first:stop] if line.startswith("pgbackrest")]
            restore = [line for line in lines[stop:] if line.startswith(("pgbackrest", "systemctl"))]
            self.assertEqual(len(backup), 4, backup)
            self.assertEqual(len(restore), 3, restore)
            cluster.line("systemctl start postgresql")
            try:
                cluster.run("createdb", "rial")
                cluster.sql("CREATE TABLE captures AS SELECT generate_series(1, 1000) AS n")
                for line in backup:
                    cluster.line(line)
                cluster.sql("INSERT INTO captures VALUES (1001)")
                # A backup's end is known to the second.
                time.sleep(1.1)
                moment = cluster.sql("SELECT now()")
                time.sleep(0.1)
                cluster.sql("DELETE FROM captures WHERE n < 500")
                cluster.sql("INSERT INTO captures VALUES (1002)")
                for line in restore:
                    replaced, count = re.subn(r'--target="[^"]*"', f'--target="{moment}"', line)
                    self.assertEqual(count, "restore" in line and 1 or 0)
                    cluster.line(replaced)
                deadline = time.monotonic() + 30
                while cluster.sql("SELECT pg_is_in_recovery()") == "t" and time.monotonic() < deadline:
                    time.sleep(0.1)
                self.assertEqual(cluster.sql("SELECT count(*), max(n), pg_is_in_recovery() FROM captures"), "1001|1001|f")
                # It goes on archiving, on a timeline of its own.
                cluster.line("pgbackrest --stanza=rial check")
            finally:
                cluster.line("systemctl stop postgresql")


if __name__ == "__main__":
    unittest.main()
