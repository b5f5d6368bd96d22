"""The adapters of Clients/AppleServices and the Swift in the READMEs fit the declarations in Tests/apple-stubs; each declaration names its
documentation and iOS version.

The script needs the package's modules, so this runs after the build.
"""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUBS = ROOT / "Tests/apple-stubs"
NEWEST = (18, 0)
ADDRESS = re.compile(r"\s*// iOS (\d+)\.(\d+): https://developer\.apple\.com/documentation/[\w./():~-]+$")
DECLARATION = re.compile(
    r"\s*(?:public |open |final |class (?=func|var)|static |mutating |convenience )*"
    r"(?:(?:class|struct|enum|protocol|actor|func|var|let|init|typealias|case)\b)")


def undocumented(text):
    """Declarations without the address of their documentation above them, or newer than what the app supports."""
    problems = []
    above = []
    for line in text.splitlines():
        if DECLARATION.match(line):
            found = next((match for match in map(ADDRESS.match, above) if match), None)
            if not found:
                problems.append(f"no address: {line.strip()}")
            elif (int(found[1]), int(found[2])) > NEWEST:
                problems.append(f"iOS {found[1]}.{found[2]}: {line.strip()}")
        # Comments and attributes belong to the declaration after them.
        above = above + [line] if re.match(r"\s*(//|@)", line) else []
    return problems


class Declarations(unittest.TestCase):
    def test_each_has_its_address_and_version(self):
        stubs = sorted(STUBS.glob("*.swift"))
        self.assertGreater(len(stubs), 9)
        self.assertEqual([f"{path.name}: {problem}" for path in stubs for problem in undocumented(path.read_text())], [])

    def test_one_without_or_too_new_is_found(self):
        address = "// iOS %s: https://developer.apple.com/documentation/uikit/uidevice\n@MainActor\nopen class UIDevice: NSObject {}\n"
        self.assertEqual(undocumented(address % "2.0"), [])
        self.assertEqual(len(undocumented(address % "26.0")), 1)
        self.assertEqual(undocumented("public func f() {}"), ["no address: public func f() {}"])
        self.assertEqual(len(undocumented(address % "2.0" + "    open class var current: UIDevice { fatalError() }")), 1)


class TypeCheck(unittest.TestCase):
    def test_adapters_and_readmes_pass_and_wrong_declarations_do_not(self):
        run = subprocess.run([ROOT / "scripts/typecheck-apple.sh", "--self-test"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(run.stdout.count("refused, as it should be"), 4)

    def test_the_reader_is_told_what_was_checked(self):
        text = " ".join((ROOT / "Clients/AppleServices/README.md").read_text().split())
        self.assertIn("type-checked against hand-written declarations, not built with Xcode, not run", text)

    def test_stubs_and_adapters_are_no_targets(self):
        manifest = (ROOT / "Package.swift").read_text()
        self.assertNotIn("apple-stubs", manifest)
        self.assertNotIn("AppleServices", manifest)


if __name__ == "__main__":
    unittest.main()
