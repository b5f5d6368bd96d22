"""A local stack with its measurements: CPU time and memory of its parts, PostgreSQL's statements, bytes of the object store."""

import os
import pathlib
import subprocess
import urllib.parse
import urllib.request

SERVICES = ("gateway", "attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler")
TICKS = os.sysconf("SC_CLK_TCK")


def processor_ticks(stat):
    """Parses a line of /proc/PID/stat: (parent, ticks of the process and of its reaped children). The name may contain spaces."""
    fields = stat[stat.rindex(")") + 2:].split()
    return int(fields[1]), sum(map(int, fields[11:15]))


def processes():
    """{pid: (parent, ticks)} of all processes."""
    found = {}
    for folder in os.listdir("/proc"):
        if folder.isdigit():
            try:
                found[int(folder)] = processor_ticks(pathlib.Path("/proc", folder, "stat").read_text())
            except OSError:
                continue  # the process has exited
    return found


def tree(pid, table):
    """A process and its descendants."""
    children = {}
    for child, (parent, _) in table.items():
        children.setdefault(parent, []).append(child)
    waiting, found = [pid], []
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def tree_seconds(pid, table):
    """CPU seconds of a process and its descendants."""
    return sum(table.get(one, (0, 0))[1] for one in tree(pid, table)) / TICKS


def resident(pid, table):
    """Resident memory in MB: (of the process, of it and its descendants)."""
    def of(one):
        try:
            return memory(one)[0]
        except (OSError, KeyError):
            return 0  # the process has exited
    all_of_them = [of(one) for one in tree(pid, table)]
    return all_of_them[0], sum(all_of_them)


def memory(pid):
    """(resident, peak) in MB."""
    lines = dict(line.split(":", 1) for line in pathlib.Path("/proc", str(pid), "status").read_text().splitlines())
    return tuple(int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def stolen_and_all():
    """Ticks of all processors so far: (stolen by the host for other machines, total)."""
    line = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    return int(line[7]), sum(map(int, line))


def counters(text, name):
    """{labels: value} of a labelled metric in Prometheus' text format."""
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if line.startswith(name + "{"))
    return {labels[len(name):]: float(value) for labels, value in lines}


class Stack:
    """The stack `name` of the checkout at `root`."""

    def __init__(self, root, name):
        self.root = pathlib.Path(root)
        self.name = name
        self.home = self.root / ".local" / name
        self.settings = {}

    def script(self, *arguments):
        """Runs scripts/stack.sh of its checkout, whose output is shown only if it fails."""
        done = subprocess.run(
            [self.root / "scripts/stack.sh", *arguments], env={**os.environ, "STACK": self.name}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise SystemExit(f"error: scripts/stack.sh {' '.join(arguments)} failed\n{done.stdout}")

    def up(self):
        """Starts an empty stack. PostgreSQL counts statements if the extension is installed."""
        self.script("clean", self.name)
        self.script("infra", self.name)
        self.settings = self.file("test.env")
        if self.sql("SELECT 1 FROM pg_available_extensions WHERE name = 'pg_stat_statements'"):
            self.sql("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
            self.script("restart", "postgres")
            self.sql("CREATE EXTENSION pg_stat_statements")
        self.script("up", self.name)
        self.settings = self.file("stack.env")

    def clean(self):
        self.script("clean", self.name)

    def file(self, name):
        lines = (line.split("=", 1) for line in (self.home / name).read_text().splitlines() if "=" in line)
        return {key: value.strip("'") for key, value in lines}

    def sql(self, text, file=None):
        """Runs SQL as the database's owner and returns the rows as lists of texts. The password is not on a command line."""
        url = urllib.parse.urlsplit(self.settings.get("RIAL_DATABASE_URL") or self.settings["RIAL_TEST_DATABASE_URL"])
        login = {
            "PGHOST": url.hostname, "PGPORT": str(url.port), "PGUSER": url.username, "PGPASSWORD": url.password,
            "PGDATABASE": url.path[1:],
        }
        done = subprocess.run(
            ["psql", "-qXAt", "-F", "\t", "-v", "ON_ERROR_STOP=1"] + (["-c", text, "-f", str(file)] if file else []),
            env={**os.environ, **login}, input=None if file else text, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"error: {done.stderr.strip()}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def parts(self):
        """{name: pid} of the running processes."""
        return {file.stem: int(file.read_text().split()[0]) for file in sorted((self.home / "run").glob("*.pid"))}

    def seconds(self):
        """{part: CPU seconds so far}."""
        table = processes()
        return {name: tree_seconds(pid, table) for name, pid in self.parts().items()}

    def memory(self):
        return {name: memory(pid) for name, pid in self.parts().items()}

    def statements(self):
        """{(role, statement): calls} since the statistics were reset; empty if they are not counted. BEGIN and COMMIT count as
        statements."""
        if not self.sql("SELECT 1 FROM pg_extension WHERE extname = 'pg_stat_statements'"):
            return {}
        rows = self.sql(
            r"""
            SELECT rolname, regexp_replace(query, '\s+', ' ', 'g'), sum(calls) FROM pg_stat_statements
            JOIN pg_roles ON pg_roles.oid = userid WHERE toplevel AND rolname <> 'rial_owner' GROUP BY 1, 2
            """)
        return {(role.removeprefix("rial_").replace("_", "-"), query): int(calls) for role, query, calls in rows}

    def traffic(self):
        """{(service, "sent" | "received"): bytes} between services and object store; empty for a version that does not count them."""
        found = {}
        for service in SERVICES:
            address = self.settings[f"RIAL_ADMIN_{service.upper().replace('-', '_')}"]
            with urllib.request.urlopen(address + "/metrics", timeout=10) as answer:
                text = answer.read().decode()
            for labels, value in counters(text, "rial_storage_bytes_total").items():
                found[service, labels.split('"')[1]] = value
        return found
