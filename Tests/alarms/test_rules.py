"""Compares the alarms of deploy/prometheus/rules.yml with those that the tests beside this one fire."""

import pathlib
import re
import unittest

from prometheus import ROOT


class Rules(unittest.TestCase):
    def test_every_alarm_is_fired_here(self):
        tests = "".join(file.read_text() for file in pathlib.Path(__file__).parent.glob("test_*.py"))
        fired = {name for call in re.findall(r"self\.fault\(([^)]*)", tests) for name in re.findall(r'"(Rial\w+)"', call)}
        self.assertEqual(fired, set(re.findall(r"- alert: (\w+)", (ROOT / "deploy/prometheus/rules.yml").read_text())))
