"""What runs on the phone is portable: CaptureKit and the modules below it import and name nothing that iOS 18 or Linux lacks.

Linux shows none of this: availability cannot be checked without Apple's SDK.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KIT = "Clients/CaptureKit"
# Everything that CaptureKit may import; the modules of ours among them are checked too.
# Synchronization belongs to the language since iOS 18.
KIT_IMPORTS = {
    "Foundation", "Synchronization", "Crypto", "CryptoKit", "GRDB", "CaptureProtocol", "Depth", "Compression", "Movie", "VideoChain", "JPEGMetadata", "Models",
}
PROTOCOL_IMPORTS = {"Foundation", "Crypto"}
# The one file with system calls.
SYSTEM_FILE = f"{KIT}/Files/PosixFiles.swift"
SYSTEM_MODULES = {"Glibc", "Darwin"}
# Types of the standard library, Foundation, CryptoKit and Network that came with iOS 26.
TOO_NEW = """
    Observations Span MutableSpan RawSpan MutableRawSpan OutputSpan OutputRawSpan UTF8Span InlineArray
    MainActorMessage AsyncMessage HTTPFormatStyle ProgressManager ProgressReporter systemEpoch
    NetworkConnection NetworkListener NetworkBrowser
    MLKEM768 MLKEM1024 MLDSA65 MLDSA87 XWingMLKEM768X25519 SHA3_256 SHA3_384 SHA3_512
"""
# What Foundation has on macOS or Linux only.
NOT_ON_IOS = """
    Process Host XMLDocument XMLElement NSUserName NSFullUserName homeDirectoryForCurrentUser FoundationNetworking FoundationEssentials
"""
# Members, and `isolated deinit`, which needs the runtime of iOS 18.4.
PHRASES = [r"\.(?:span|mutableSpan|utf8Span)\b", r"\bTask\.immediate\w*", r"\baddImmediateTask\w*", r"\bisolated deinit\b"]
FORBIDDEN = re.compile("|".join([rf"\b(?:{'|'.join((TOO_NEW + NOT_ON_IOS).split())})\b", *PHRASES]))
IMPORT = re.compile(
    r"^\s*(?:@\w+ |public |package |internal |private |fileprivate )*"
    r"import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)", re.M)


def code(text):
    """A source without comments and the text of its literals."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'"""(?:.*?)"""', '""', text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|//.*', lambda found: '""' if found[0].startswith('"') else "", text)


def import_problems(path, text):
    """Imports that the module of the file may not have."""
    found = set(IMPORT.findall(code(text)))
    if path.startswith(f"{KIT}/"):
        found -= KIT_IMPORTS | (SYSTEM_MODULES if path == SYSTEM_FILE else set())
    elif path.startswith("Shared/CaptureProtocol/"):
        found -= PROTOCOL_IMPORTS
    else:
        return []
    return [f"{path} imports {module}" for module in sorted(found)]


def name_problems(path, text):
    return [f"{path} uses {name}" for name in sorted(set(FORBIDDEN.findall(code(text))))]


def modules():
    """The folders of CaptureKit, the adapters and all modules of ours that CaptureKit imports, directly or indirectly."""
    folders = {path.name: path for path in (ROOT / "Shared").iterdir() if path.is_dir()}
    reached, open_ = {ROOT / "Clients/AppleServices"}, [ROOT / KIT]
    while open_:
        folder = open_.pop()
        if folder not in reached:
            reached.add(folder)
            for path in folder.rglob("*.swift"):
                open_ += [folders[name] for name in IMPORT.findall(code(path.read_text())) if name in folders]
    return sorted(reached)


def sources():
    for folder in modules():
        for path in sorted(folder.rglob("*.swift")):
            yield path.relative_to(ROOT).as_posix(), path.read_text()


class Portability(unittest.TestCase):
    def test_modules_import_what_both_systems_have(self):
        self.assertEqual([problem for path, text in sources() for problem in import_problems(path, text)], [])

    def test_nothing_is_newer_than_ios_18(self):
        self.assertEqual([problem for path, text in sources() for problem in name_problems(path, text)], [])

    def test_the_modules_below_are_checked_too(self):
        self.assertLessEqual({"CaptureKit", "CaptureProtocol", "AppleServices"}, {folder.name for folder in modules()})

    def test_a_forbidden_import_is_found(self):
        for line in ["import NIOCore", "public import AsyncHTTPClient", "@preconcurrency import Glibc",
                     "import struct FoundationNetworking.URLRequest"]:
            self.assertEqual(len(import_problems(f"{KIT}/Store/A.swift", f"import Foundation\n{line}\n")), 1, line)
        self.assertEqual(import_problems(SYSTEM_FILE, "#if canImport(Glibc)\n    import Glibc\n#else\n    import Darwin\n#endif\n"), [])
        self.assertEqual(len(import_problems(f"{KIT}/Files/Other.swift", "import Darwin\n")), 1)
        self.assertEqual(len(import_problems("Shared/CaptureProtocol/A.swift", "import Crypto\nimport GRDB\n")), 1)
        self.assertEqual(import_problems(f"{KIT}/A.swift", "// import NIOCore\nimport Crypto\npublic import GRDB\n"), [])

    def test_a_newer_name_is_found(self):
        for line in ["let a: InlineArray<4, UInt8>", "for await x in Observations({ y }) {}", "bytes.span", "MLDSA65.PrivateKey()",
                     "isolated deinit {}", "Task.immediate {}", "let p = Process()"]:
            self.assertEqual(len(name_problems("A.swift", line)), 1, line)
        for line in ["// a Span", 'log("Observations")', "ProcessInfo.processInfo", "TimeSpan()", "let span = 1", "case .immediate"]:
            self.assertEqual(name_problems("A.swift", line), [], line)


if __name__ == "__main__":
    unittest.main()
