"""Every expression of deploy/grafana/dashboard.json can be read by Prometheus and names only series that the sources measure."""

import copy
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import check_prometheus

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Measured by others: KEDA's operator, where deploy/kubernetes scales by it.
OTHERS = {"keda_scaler_metrics_value": ("gauge", {"namespace", "metric", "scaledObject", "scaler", "triggerIndex", "type"})}
# What an operator looks for first.
MAIN = [
    "rial_captures_accepted_total", "rial_captures_completed_total", "rial_capture_completion_seconds_bucket", "rial_depth_analysis_seconds_bucket",
    "rial_signing_seconds_bucket", "keda_scaler_metrics_value", "rial_dead_letters_total", "rial_log_size", "rial_log_published_size",
    "rial_log_witness_age_seconds", "rial_storage_bytes_total", "process_cpu_seconds_total", "process_resident_memory_bytes",
]


def targets(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"{panel['title']} {target['refId']}", target


def filled(expression):
    """The expression with Grafana's variables replaced."""
    return re.sub(r"\$__(rate_interval|range|interval)", "5m", expression)


def dashboard_problems(dashboard, measured):
    problems = []
    ids = [panel["id"] for panel in dashboard["panels"]]
    problems += [f"panel {one} is there twice" for one in sorted({one for one in ids if ids.count(one) > 1})]
    taken = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        if cells & taken or place["x"] + place["w"] > 24:
            problems.append(f"{panel['title']}: lies over another panel, or outside")
        taken |= cells
        if panel["type"] == "row":
            continue
        if not panel["targets"] or not panel["fieldConfig"]["defaults"].get("unit"):
            problems.append(f"{panel['title']}: shows nothing, or without a unit")
        if {source["uid"] for source in [panel["datasource"]] + [one["datasource"] for one in panel["targets"]]} != {"${datasource}"}:
            problems.append(f"{panel['title']}: asks one Prometheus only")
    for where, target in targets(dashboard):
        expression = filled(target["expr"])
        if "$" in expression:
            problems.append(f"{where}: {target['expr']} has a variable that nothing sets")
        shown = re.sub(r"\{\{\s*(\w+)\s*\}\}", r"$labels.\1", target["legendFormat"])
        problems += check_prometheus.expression_problems(where, expression, measured, shown)
        kept = set(re.findall(r"\$labels\.(\w+)", shown))
        grouped = re.search(r"\b(?:sum|min|max) by \(([^)]*)\)", expression)
        if grouped and kept - {label.strip() for label in grouped[1].split(",")}:
            problems.append(f"{where}: the legend shows a label that the expression drops")
    return problems


class GrafanaTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dashboard = json.loads((ROOT / "deploy/grafana/dashboard.json").read_text())
        cls.measured = check_prometheus.series() | OTHERS

    def test_every_expression_is_on_series_that_there_are(self):
        self.assertEqual(dashboard_problems(self.dashboard, self.measured), [])

    def test_the_main_series_are_shown(self):
        text = " ".join(target["expr"] for _, target in targets(self.dashboard))
        for name in MAIN:
            self.assertRegex(text, rf"\b{name}\b")

    @unittest.skipUnless(check_prometheus.PROMTOOL, "promtool is missing: scripts/setup.sh --tests")
    def test_every_expression_can_be_read_by_prometheus(self):
        def check(expressions):
            rules = [{"record": f"dashboard:{number}", "expr": filled(one)} for number, one in enumerate(expressions)]
            with tempfile.TemporaryDirectory() as folder:
                # JSON is YAML.
                path = pathlib.Path(folder, "rules.yml")
                path.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
                return subprocess.run([check_prometheus.PROMTOOL, "check", "rules", path], capture_output=True, text=True)

        expressions = [target["expr"] for _, target in targets(self.dashboard)]
        expressions += [one["expr"] for one in self.dashboard["annotations"]["list"]]
        self.assertGreater(len(expressions), 50)
        run = check(expressions)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertNotEqual(check(expressions + ["sum by (job (rial_log_size)"]).returncode, 0)

    def test_each_check_finds_what_it_looks_for(self):
        def change(**values):
            dashboard = copy.deepcopy(self.dashboard)
            panel = next(panel for panel in dashboard["panels"] if panel["title"] == "The oldest of them")
            panel["targets"][0].update(values)
            return dashboard

        def place(**values):
            dashboard = copy.deepcopy(self.dashboard)
            dashboard["panels"][5]["gridPos"].update(values)
            return dashboard

        twice = copy.deepcopy(self.dashboard)
        twice["panels"][1]["id"] = twice["panels"][2]["id"]
        changes = {
            "an unknown series": change(expr="max by (job) (rial_outbox_age)"),
            "an unknown label": change(expr="max by (service) (rial_outbox_pending)"),
            "a legend without its label": change(expr="max by (instance) (rial_outbox_pending)"),
            "an unknown variable": change(expr="max by (job) (rial_outbox_pending offset $past)"),
            "one Prometheus": change(datasource={"type": "prometheus", "uid": "mine"}),
            "a panel over another": place(x=0),
            "a panel outside": place(x=21),
            "an id twice": twice,
        }
        for name, dashboard in changes.items():
            with self.subTest(name):
                self.assertNotEqual(dashboard_problems(dashboard, self.measured), [], "not found")


if __name__ == "__main__":
    unittest.main()
