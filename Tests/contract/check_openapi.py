"""Holds a running gateway to docs/openapi.yaml, and the file to the gateway's sources.

RIAL_PUBLIC_URL   the gateway of a stack in development mode, with limits on but far away
RIAL_CLI          the `rial` program; it reads RIAL_DEVELOPMENT_ROOT_DIR and RIAL_ADMIN_ATTESTATION_VERIFIER of .local/STACK/stack.env
RIAL_DATABASE_URL (optional, with psql) to register one key twice: only a key that a challenge of ours is given back to can
RIAL_CONTRACT_LIMITS  (optional) a second gateway of the same stack, with every limit at 2 and RIAL_S3_PUBLIC_ENDPOINT set
RIAL_CONTRACT_FAULTS  (optional) 1: scripts/stack.sh may stop parts of the stack STACK, and starts them again
"""

import os
import pathlib
import sys
import unittest

import checker
import coverage_table
import jsonschema
import routes
import scenarios
from document import CODE, Document
from selfcheck import SelfCheck

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from timed import TimedResult

DOCUMENT = Document()


class File(unittest.TestCase):
    """The file alone, and against the sources."""

    def test_every_schema_is_one_and_every_reference_leads_somewhere(self):
        def walk(node):
            if isinstance(node, dict):
                if isinstance(node.get("$ref"), str):
                    DOCUMENT.resolve(node)
                if "schema" in node:
                    jsonschema.Draft202012Validator.check_schema(node["schema"])
                for value in node.values():
                    walk(value)
            elif isinstance(node, list):
                for value in node:
                    walk(value)

        walk(DOCUMENT.content)
        for schema in DOCUMENT.content["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_codes_in_descriptions_are_codes_of_the_operation(self):
        for path, method in DOCUMENT.operations():
            responses = DOCUMENT.responses(path, method)
            operation = DOCUMENT.paths[path][method.lower()]
            every = set().union(*(DOCUMENT.codes(response) for response in responses.values()))
            said = set(CODE.findall(operation.get("description", "")))
            self.assertLessEqual(said, every, f"{method} {path}: described, but in no enum of its responses")
            if said:
                self.assertLessEqual(every, said, f"{method} {path}: in an enum, but not described")
            for status, response in responses.items():
                described = set(CODE.findall(response.get("description", "")))
                codes = DOCUMENT.codes(response)
                self.assertLessEqual(described, codes, f"{method} {path} {status}: described, but in no enum")
                self.assertLessEqual(codes, described, f"{method} {path} {status}: in an enum, but not described")

    def test_codes_have_the_status_that_the_gateway_gives_them(self):
        known = routes.codes()
        self.assertGreater(len(known), 20)
        self.assertLessEqual(set(DOCUMENT.content["components"]["schemas"]["Code"]["enum"]), set(known))
        for path, method in DOCUMENT.operations():
            for status, response in DOCUMENT.responses(path, method).items():
                for code in DOCUMENT.codes(response):
                    self.assertEqual(known.get(code), status, f"{method} {path}: {code}")

    def test_the_file_names_every_route_of_the_gateway_and_no_other(self):
        self.assertEqual(routes.unreadable(), [])
        file = {(routes.normal(path), method) for path, method in DOCUMENT.operations()}
        gateway = {(routes.normal(path), method) for path, method in routes.added()}
        unnamed = sorted(gateway - file)
        # Written, but in no router of the gateway that runs: its table of methods does not know the address.
        absent = {one for one in unnamed if scenarios.is_unknown(one[0].replace("{}", "x"))}
        for path, method in sorted(absent):
            print(f"not in the gateway that runs: {method} {path}", file=sys.stderr)
        self.assertEqual(sorted(set(unnamed) - absent), [], "routes that the file does not name")
        self.assertEqual(sorted(file - gateway), [], "operations that the gateway does not have")


class Outcome(unittest.TestCase):
    """All that passed between the scenarios and the gateway. Runs last."""

    def test_every_answer_is_as_the_file_says(self):
        wrong = [f"{exchange}\n    {problem}" for exchange in scenarios.LOG for problem in checker.problems(DOCUMENT, exchange)]
        self.assertEqual(wrong, [], f"{len(wrong)} of {len(scenarios.LOG)} answers:\n  " + "\n  ".join(sorted(set(wrong))[:40]))

    def test_every_operation_was_exercised(self):
        seen = {checker.operation_of(DOCUMENT, exchange)[:2] for exchange in scenarios.LOG}
        self.assertEqual([one for one in DOCUMENT.operations() if one not in seen], [])
        for path in DOCUMENT.paths:
            self.assertIn((path, None), seen, f"{path}: no wrong method was tried")
            if "get" in DOCUMENT.paths[path]:
                self.assertIn((path, "HEAD"), seen, f"{path}: HEAD was not tried")

    def test_every_status_and_code_was_produced(self):
        missing, excused = coverage_table.missing(DOCUMENT, scenarios.LOG, scenarios.ABLE)
        for line in excused:
            print(f"not produced: {line}", file=sys.stderr)
        self.assertEqual(missing, [])


def load_tests(loader, _tests, _pattern):
    """The scenarios before their sum; faults last of the scenarios."""
    suite = unittest.TestSuite()
    for case in [SelfCheck, File, *scenarios.CASES, Outcome]:
        suite.addTests(loader.loadTestsFromTestCase(case))
    return suite


if __name__ == "__main__":
    if "RIAL_PUBLIC_URL" not in os.environ:
        sys.exit("check_openapi.py: RIAL_PUBLIC_URL is not set; source .local/STACK/stack.env first")
    unittest.main(testRunner=unittest.TextTestRunner(verbosity=2, resultclass=TimedResult))
