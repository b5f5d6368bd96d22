"""deploy/prometheus: every alarm of docs/operations.md has a rule, and every rule measures what the sources do, fires and clears.

promtool runs the rules' own tests; it comes with scripts/setup.sh --tests.
"""

import copy
import pathlib
import re
import subprocess
import tempfile
import unittest

import check_compose
import swift_enums
import tools

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROMTOOL = tools.program("promtool", "prometheus")
# What Prometheus adds to every series.
SCRAPED = {"job", "instance"}
# What it measures itself, of everything that it scrapes.
SCRAPING = {"up": ("gauge", set())}
WORDS = {"and", "or", "unless", "offset", "bool", "inf", "nan"}


def series():
    """{name: (counter or gauge or bucket, its labels)} of what the sources measure, histograms as their three series."""
    found = {}
    for folder in ("Services", "Shared"):
        for path in sorted((ROOT / folder).rglob("*.swift")):
            text = path.read_text()
            calls = re.findall(r'\b(Counter|Meter|Timer|Recorder)\(\s*label:\s*"(rial_\w+)"(?:,\s*dimensions:\s*\[([^\[\]]*)\])?', text)
            for kind, name, dimensions in calls:
                labels = set(re.findall(r'\("(\w+)",', dimensions))
                if kind == "Timer":
                    found[name + "_bucket"] = ("counter", labels | {"le"})
                    found[name + "_sum"] = found[name + "_count"] = ("counter", labels)
                else:
                    known = found.get(name, (None, set()))[1]
                    found[name] = ("counter" if kind == "Counter" else "gauge", labels | known)
            found |= {name: ("gauge", set()) for name in re.findall(r'metric: "(rial_\w+)"', text)}
            found |= {name: (kind, set()) for name, kind in re.findall(r'\btext\(\s*"((?:rial|process)_\w+)", \.(counter|gauge)', text)}
    return found


def help_problems(texts, measured):
    """Every metric has a text of one sentence, and each text a metric; `texts` is the table's source."""
    table = re.findall(r'^        "(\w+)":\s*"(.*)",$', texts, re.M)
    names = [name for name, _ in table]
    # A histogram's three series are one metric.
    histograms = {name.removesuffix("_bucket") for name in measured if name.endswith("_bucket")}
    parts = {name + part for name in histograms for part in ("_bucket", "_sum", "_count")}
    metrics = (set(measured) - parts) | histograms
    problems = [f"{name}: has two texts" for name in sorted(set(names)) if names.count(name) > 1]
    problems += [f"{name}: nothing says what it measures" for name in sorted(metrics - set(names))]
    problems += [f"{name}: is described and not measured" for name in sorted(set(names) - metrics)]
    for name, text in table:
        if not re.fullmatch(r"[A-Z][^.]*(\.[a-z][^.]*)*\.", text):
            problems.append(f"{name}: its text is no sentence")
        for unit in ("bytes", "seconds", "days"):
            if re.search(rf"_{unit}(_|$)", name) and unit not in text.lower():
                problems.append(f"{name}: its text does not say that it is in {unit}")
    return problems


def expression_problems(where, expression, measured, shown=""):
    """The expression names only series that there are, with labels that they have; increases are those of counters.

    `shown` is text with labels in it, such as an alarm's summary.
    """
    plain = re.sub(r'"[^"]*"', '""', expression)
    grouped = re.findall(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)", plain)
    matched = re.findall(r"(\w+)\s*[=!]~?\s*\"", "".join(re.findall(r"\{([^}]*)\}", plain)))
    bare = re.sub(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)|\{[^}]*\}|\[[^\]]*\]", " ", plain)
    names = {name for name in re.findall(r"(?<![\w.])[A-Za-z_:][\w:]*\b(?!\s*\()", bare) if name.lower() not in WORDS}
    if not names:
        return [f"{where}: measures nothing"]
    problems = [f"{where}: {name} is not measured" for name in sorted(names - set(measured))]
    allowed = SCRAPED.union(*(measured[name][1] for name in names & set(measured)))
    labels = {label.strip() for group in grouped for label in group.split(",") if label.strip()} | set(matched)
    labels |= set(re.findall(r"\$labels\.(\w+)", shown))
    problems += [f"{where}: there is no label {label}" for label in sorted(labels - allowed)]
    for name in re.findall(r"\b(?:rate|irate|increase)\(\s*(\w+)", plain):
        if measured.get(name, ("counter",))[0] != "counter":
            problems.append(f"{where}: {name} is no counter")
    return problems


def headings():
    text = (ROOT / "docs/operations.md").read_text()
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in re.findall(r"(?m)^#+ (.+)$", text)}


def alarms():
    """The metrics of each row of the table under "Metrics" in docs/operations.md."""
    text = (ROOT / "docs/operations.md").read_text().split("\n## Metrics\n")[1].split("\n## ")[0]
    return [set(re.findall(r"`(rial_\w+)`", line.split("|")[1])) for line in text.splitlines() if line.startswith("| `")]


def remedies():
    """The alarms of the table under "Alarms" in docs/operations.md, which says what to do."""
    text = (ROOT / "docs/operations.md").read_text().split("\n## Alarms\n")[1].split("\n## ")[0]
    return re.findall(r"(?m)^\| `(\w+)` \| \S", text)


def unexplained_reasons(text):
    """The reasons of witnesses' failures that the remedy of their alarm does not name."""
    row = re.search(r"(?m)^\| `RialLogWitnessFailing` \|.*$", text)[0]
    reasons = swift_enums.enums("Services/transparency-log/Witnesses")["WitnessFailure"][1]
    return [reason for _, reason in reasons if f"`{reason}`" not in row]


def rule_problems(rules, measured, rows):
    problems = []
    used = set()
    names = [rule["alert"] for rule in rules]
    problems += [f"{name}: is there twice" for name in sorted({name for name in names if names.count(name) > 1})]
    for rule in rules:
        name, notes = rule["alert"], rule.get("annotations", {})
        problems += expression_problems(name, rule["expr"], measured | SCRAPING, notes.get("summary", ""))
        if re.search(r"\bup\b(?!\{job=)", rule["expr"]):
            problems.append(f"{name}: is of all that Prometheus scrapes")
        used |= set(re.findall(r"\brial_\w+", rule["expr"]))
        if not name.startswith("Rial") or rule.get("labels", {}).get("severity") not in ("critical", "warning"):
            problems.append(f"{name}: has no name of ours, or no severity")
        page, _, heading = notes.get("runbook", "").partition("#")
        if page != "docs/operations.md" or heading not in headings():
            problems.append(f"{name}: {notes.get('runbook')} is no section")
        if not notes.get("summary"):
            problems.append(f"{name}: does not say what is wrong")
    for row in rows:
        problems += [f"{name} is an alarm of docs/operations.md without a rule" for name in sorted(row) if name not in used and name + "_bucket" not in used]
    return problems


def test_problems(rules, tests):
    """Every rule has a test in which it is quiet, fires, and is quiet again."""
    seen = {}
    for test in tests:
        for look in test["alert_rule_test"]:
            seen.setdefault((look["alertname"], test["name"]), []).append(bool(look["exp_alerts"]))
    whole = {alert for (alert, _), looks in seen.items() if looks == [False, True, False]}
    return [f"{rule['alert']}: no test in which it is quiet, fires and clears" for rule in rules if rule["alert"] not in whole]


class PrometheusTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = (ROOT / "deploy/prometheus/rules.yml").read_text()
        cls.rules = [rule for group in tools.documents(cls.text)[0]["groups"] for rule in group["rules"]]
        cls.tests = tools.documents((ROOT / "deploy/prometheus/rules.test.yml").read_text())[0]["tests"]
        cls.measured = series()
        cls.rows = alarms()

    def promtool(self, *arguments, folder=ROOT / "deploy/prometheus"):
        return subprocess.run([PROMTOOL, *arguments], cwd=folder, capture_output=True, text=True)

    def test_the_series_of_the_sources_are_found(self):
        self.assertGreater(len(self.measured), 80, "the sources measure in another way now")
        self.assertEqual(self.measured["rial_storage_bytes_total"], ("counter", {"direction"}))
        self.assertEqual(self.measured["rial_record_handling_seconds_bucket"], ("counter", {"topic", "le"}))
        self.assertEqual(self.measured["process_cpu_seconds_total"], ("counter", set()))
        self.assertGreater(len(self.rows), 20)

    def test_every_metric_says_what_it_measures(self):
        texts = (ROOT / "Shared/Observability/MetricHelp.swift").read_text()
        self.assertEqual(help_problems(texts, self.measured), [])
        self.assertEqual(
            help_problems(texts, self.measured | {"rial_new_total": ("counter", set())}), ["rial_new_total: nothing says what it measures"])
        row = next(line for line in texts.splitlines() if '"rial_log_size"' in line)
        for name, changed in {
            "a text too many": f"{row}\n{row.replace('log_size', 'log_length')}", "a text too few": "", "two texts": f"{row}\n{row}",
            "no sentence": row.replace('.",', '",'),
        }.items():
            with self.subTest(name):
                self.assertNotEqual(help_problems(texts.replace(row, changed), self.measured), [], "not found")
        self.assertEqual(
            help_problems(texts.replace("Bytes of files that", "Files that"), self.measured),
            ["rial_scratch_bytes: its text does not say that it is in bytes"])

    def test_every_alarm_has_a_rule_on_series_that_there_are(self):
        self.assertEqual(rule_problems(self.rules, self.measured, self.rows), [])

    def test_each_service_is_missed_when_it_is_gone(self):
        expression = next(rule["expr"] for rule in self.rules if rule["alert"] == "RialServiceGone")
        self.assertEqual(set(re.search(r'up\{job=~"([^"]*)"\}', expression)[1].split("|")), set(check_compose.SERVICES))
        self.assertEqual(set(re.findall(r'absent\(up\{job="([^"]*)"\}\)', expression)), set(check_compose.SERVICES))

    def test_the_document_says_what_to_do_at_each_alarm(self):
        self.assertEqual(remedies(), [rule["alert"] for rule in self.rules])

    def test_the_document_says_what_each_failure_of_a_witness_means(self):
        text = (ROOT / "docs/operations.md").read_text()
        self.assertEqual(unexplained_reasons(text), [])
        self.assertEqual(unexplained_reasons(text.replace("`refused`", "else")), ["refused"])

    def test_every_rule_has_a_test_on_series_that_there_are(self):
        self.assertEqual(test_problems(self.rules, self.tests), [])
        for test in self.tests:
            for one in test["input_series"]:
                self.assertEqual(expression_problems(test["name"], one["series"], self.measured | SCRAPING), [])

    @unittest.skipUnless(PROMTOOL, "promtool is missing: scripts/setup.sh --tests")
    def test_the_rules_fire_and_clear(self):
        check = self.promtool("check", "rules", "rules.yml")
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        run = self.promtool("test", "rules", "rules.test.yml")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    @unittest.skipUnless(PROMTOOL, "promtool is missing: scripts/setup.sh --tests")
    def test_a_wrong_rule_fails_its_test(self):
        with tempfile.TemporaryDirectory() as folder:
            # Only the tests of this rule: all together take seconds.
            tests = (ROOT / "deploy/prometheus/rules.test.yml").read_text()
            head, *rest = tests.split("  - name: ")
            kept = [test for test in rest if "RialDeadLetters" in test]
            pathlib.Path(folder, "rules.test.yml").write_text("  - name: ".join([head, *kept]))
            for wrong in ("rial_dead_letters_total[1h]", "rial_dead_letter_total[10m]"):
                pathlib.Path(folder, "rules.yml").write_text(self.text.replace("rial_dead_letters_total[10m]", wrong))
                self.assertNotEqual(self.promtool("test", "rules", "rules.test.yml", folder=folder).returncode, 0, wrong)

    def test_each_check_finds_what_it_looks_for(self):
        def changed(**values):
            rules = copy.deepcopy(self.rules)
            rule = next(rule for rule in rules if rule["alert"] == "RialDeadLetters")
            rule.update(values)
            return rules

        notes = next(rule for rule in self.rules if rule["alert"] == "RialDeadLetters")["annotations"]
        changes = {
            "an unknown series": changed(expr="sum by (topic) (increase(rial_dead_letter_total[10m])) > 0"),
            "an unknown label": changed(expr="sum by (subject) (increase(rial_dead_letters_total[10m])) > 0"),
            "an unknown label to match": changed(expr='rial_dead_letters_total{subject="a"} > 0'),
            "an unknown label to show": changed(annotations=notes | {"summary": "{{ $labels.subject }}"}),
            "the increase of a gauge": changed(expr="increase(rial_outbox_pending[10m]) > 0"),
            "another system's series": changed(expr="kafka_up == 0"),
            "another system's service": changed(expr="up == 0"),
            "no severity": changed(labels={}),
            "no section": changed(annotations=notes | {"runbook": "docs/operations.md#nothing"}),
            "an alarm without a rule": [rule for rule in self.rules if rule["alert"] != "RialDeadLetters"],
            "two of one name": self.rules + [self.rules[0]],
        }
        for name, rules in changes.items():
            with self.subTest(name):
                self.assertNotEqual(rule_problems(rules, self.measured, self.rows), [], "not found")
        self.assertNotEqual(test_problems(self.rules, self.tests[1:]), [])
        quiet = copy.deepcopy(self.tests)
        quiet[0]["alert_rule_test"].pop()
        self.assertNotEqual(test_problems(self.rules, quiet), [])


if __name__ == "__main__":
    unittest.main()
