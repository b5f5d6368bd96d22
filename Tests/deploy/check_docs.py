"""docs/configuration.md lists the variables and defaults of the sources, documented metrics exist, links are not broken, and the README is
short and leads to every page."""

import pathlib
import re
import unittest

import check_compose

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "deploy/kubernetes/README.md"]


def sources(*folders):
    return "".join(path.read_text() for folder in folders for path in sorted((ROOT / folder).rglob("*.swift")))


def readers():
    """{variable: {service}} of scripts/service-env.list."""
    found = {}
    for service, variables in check_compose.service_settings()[0].items():
        for variable in variables:
            found.setdefault(variable, set()).add(service)
    return found


def rows(text):
    """(services, variable, default) of each row under a heading that names services."""
    services = set()
    for line in text.splitlines():
        if line.startswith("## "):
            services = {service for service in check_compose.SERVICES if line == "## Every service" or service in line}
        row = re.match(r"\| `((?:RIAL|OTEL)_[A-Z0-9_]+)` \| ([^|]+) \|", line)
        if row and services:
            yield services, row[1], row[2]


def configuration_problems(text, listed):
    """Each variable has one row, under the services that read it; the page lists no variable that no service reads."""
    problems = []
    documented = set()
    for services, variable, _ in rows(text):
        if variable in documented:
            problems.append(f"{variable} has two rows")
        documented.add(variable)
        if variable in listed and services != listed[variable]:
            problems.append(f"{variable} is read by {sorted(listed[variable])}, not by {sorted(services)}")
    problems += [f"{variable} has no row" for variable in sorted(set(listed) - documented)]
    problems += [f"{variable} has a row, and no service reads it" for variable in sorted(documented - set(listed))]
    commands = set(re.findall(r'"((?:RIAL|OTEL)_[A-Z0-9_]+)"', sources("Clients/rial")))
    compose = set(re.findall(r"\$\{((?:RIAL|OTEL)_[A-Z0-9_]+)", "".join(path.read_text() for path in ROOT.glob("docker-compose*.yml"))))
    named = set(re.findall(r"(?:RIAL|OTEL)_[A-Z0-9_]+", text))
    problems += [f"{variable} is read by the rial command and not named" for variable in sorted(commands - named)]
    return problems + [f"{variable} is named, and nobody reads it" for variable in sorted(named - set(listed) - commands - compose)]


def default_problems(text):
    """Compares the default numbers in the sources with those of the page."""
    documented = {variable: default.replace(",", "") for _, variable, default in rows(text)}
    given = re.findall(r'\.integer\(\s*"(RIAL_[A-Z0-9_]+)", default: ([0-9_]+),', sources("Services", "Shared"))
    assert len(given) > 20, "the sources read numbers in another way now"
    return [
        f"{variable} is {number} by default, not {documented.get(variable)}" for variable, number in given
        if documented.get(variable) != number.replace("_", "")
    ]


def metric_problems(text):
    measured = set(re.findall(r'"(rial_[a-z0-9_]+)"', sources("Services", "Shared")))
    roles = {"rial_owner", *("rial_" + service.replace("-", "_") for service in check_compose.SERVICES)}
    return [f"{name} is not measured" for name in sorted(set(re.findall(r"\brial_[a-z0-9_]+", text)) - measured - roles)]


def link_problems(page, text):
    """Links to our files and to headings in them; links to other sites are not checked."""
    problems = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        file = (page.parent / path) if path else page
        if re.match(r"\w+:", target):
            continue
        if not file.exists():
            problems.append(f"{page.name}: {target} does not exist")
        elif heading:
            titles = re.findall(r"(?m)^#+ (.+)$", file.read_text())
            if heading not in {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}:
                problems.append(f"{page.name}: {target} names no heading")
    return problems


def section(text, heading):
    """What is under a heading, on one line."""
    return " ".join(re.search(rf"(?ms)^#+ {re.escape(heading)}$(.*?)(?=^##|\Z)", text)[1].split())


def restore_problems(text):
    """What was withdrawn is withdrawn again before services show it or announce it, what the database lacks is kept from them, and what was
    revoked is revoked again while no gateway accepts anything of it."""
    rule = "Before services start, withdraw again what is `gone` because it was withdrawn, and copy each `lost_capture` elsewhere"
    starts = {
        "From an empty host": "Start all services but `transparency-log`", "Restoring a backup": "start everything but `transparency-log`"}
    revoke = "revoke again what was revoked since"
    return [
        f"{heading}: nothing is withdrawn or revoked again before services start" for heading, start in starts.items()
        if not 0 <= section(text, heading).find(rule) < section(text, heading).find(revoke) < section(text, heading).find(start)
    ]


def file_problems(name, text):
    """Files of the composition are named in `.env`, for every command: those of one command are lost with the next."""
    return [f"{name}: {found}" for found in re.findall(r"docker compose (?:-\S+ \S+ )*(?:-f|--file)\b.*", text)]


class DocumentTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.configuration = (ROOT / "docs/configuration.md").read_text()
        cls.operations = (ROOT / "docs/operations.md").read_text()
        cls.listed = readers()

    def test_every_variable_is_documented_where_it_is_read_and_no_other(self):
        self.assertEqual(configuration_problems(self.configuration, self.listed), [])

    def test_documented_defaults_are_those_of_the_sources(self):
        self.assertEqual(default_problems(self.configuration), [])

    def test_documented_metrics_are_measured(self):
        self.assertEqual(metric_problems(self.operations), [])

    def test_the_readme_is_a_screen_and_a_half_and_leads_to_every_page(self):
        text = (ROOT / "README.md").read_text()
        self.assertLessEqual(len(text.splitlines()), 60)
        self.assertEqual([page.name for page in PAGES[1:] if f"]({page.relative_to(ROOT).as_posix()})" not in text], [])

    def test_links_are_not_broken(self):
        self.assertEqual([problem for page in PAGES for problem in link_problems(page, page.read_text())], [])

    def test_what_was_withdrawn_is_withdrawn_again_before_services_start(self):
        self.assertEqual(restore_problems(self.operations), [])
        self.assertIn("withdraw it again, before services start", section(self.operations, "What backup-check says"))

    def test_what_was_restored_to_a_moment_is_migrated_and_given_todays_passwords_before_the_next_step(self):
        words = section(self.operations, "To any moment")
        command, folder = "run `rial admin migrate`", "with `RIAL_ROLE_PASSWORDS_DIR`"
        self.assertTrue(0 <= words.find(command) < words.find(folder) < words.find("Then continue with step 4 above."), words)
        kubernetes = (ROOT / "deploy/kubernetes/prepare/jobs.yaml").read_text()
        for job in ((ROOT / "docker-compose.yml").read_text().split("\n  migrate:\n")[1], kubernetes.split("\n  name: migrate\n")[1]):
            self.assertRegex(job, r"\A(?s:.*?)\badmin\W+migrate\b(?s:.*?)\bRIAL_ROLE_PASSWORDS_DIR\b")

    def test_no_command_empties_the_last_copy_before_it_has_another(self):
        words = section(self.operations, "Backup and restore")
        written = re.findall(r"docker compose \S[^`]*? >(\S+) && mv (\S+) (\S+)", words)
        self.assertEqual(written, [(f"rial.{name}.new", f"rial.{name}.new", f"rial.{name}") for name in ("dump", "revoked")])
        self.assertRegex(words, r"rclone sync [^`]*--max-delete \d+ --backup-dir ")
        steps = section(self.operations, "From an empty host")
        self.assertTrue(steps.startswith("1. Stop whatever copies the bucket"), steps[:80])
        self.assertIn("copy:rial-old/DATE", steps)

    def test_no_command_names_the_files_of_the_composition(self):
        paths = [*PAGES, *ROOT.glob("docker-compose*.yml"), *ROOT.glob("deploy/*.sh")]
        self.assertEqual([problem for path in paths for problem in file_problems(path.name, path.read_text())], [])
        self.assertIn("COMPOSE_FILE=docker-compose.yml:docker-compose.tls.yml", section(self.operations, "With Docker"))

    def test_each_check_finds_what_it_looks_for(self):
        row = next(line for line in self.configuration.splitlines() if line.startswith("| `RIAL_LINK_KEY`"))
        changes = {
            "a missing variable": self.configuration.replace(row, ""),
            "an unknown variable": self.configuration.replace(row, f"{row}\n{row.replace('LINK', 'CHAIN')}"),
            "two rows": self.configuration.replace(row, f"{row}\n{row}"),
            "another service": self.configuration.replace(row, "").replace("## upload-sync\n", f"## upload-sync\n{row}\n"),
            "an unknown variable in a sentence": f"{self.configuration}\nSet `RIAL_CHAIN_KEY`.\n",
            "a command's variable that is missing": self.configuration.replace("RIAL_DEVICE_STATE", "state"),
        }
        for name, text in changes.items():
            with self.subTest(name):
                self.assertNotEqual(configuration_problems(text, self.listed), [], "not found")
        self.assertNotEqual(configuration_problems(self.configuration, self.listed | {"RIAL_NEW": {"gateway"}}), [])
        self.assertNotEqual(default_problems(self.configuration.replace("| 800 |", "| 900 |")), [])
        self.assertNotEqual(metric_problems("`rial_dependency_down`"), [])
        for command in ("-f docker-compose.yml -f other.yml up", "--profile tools --file other.yml up"):
            self.assertEqual(len(file_problems("page", f"Run `docker compose {command}`.")), 1)
        self.assertEqual(file_problems("page", "docker compose logs -f gateway"), [])
        for heading in ("From an empty host", "Restoring a backup"):
            before, after = self.operations.split(f"### {heading}\n")
            for text in (
                after.replace("Before services", "After services", 1), re.sub(r"again what\s+was\s+revoked", "", after, count=1),
                re.sub(r"[Ss]tart (\w+ )+but", r"\g<0> x", after, count=1),
            ):
                self.assertEqual(len(restore_problems(f"{before}### {heading}\n{text}")), 1)
        for target in ("missing.md", "docs/operations.md#missing"):
            self.assertNotEqual(link_problems(ROOT / "README.md", f"[there]({target})"), [])


if __name__ == "__main__":
    unittest.main()
