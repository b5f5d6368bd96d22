"""Stable words are spelled once in Swift, and identically where SQL and OpenAPI must repeat them.

Modules import only what Package.swift declares and nothing of a higher layer; services do not depend on each other; the folders of a module
have no cyclic dependencies. docs/architecture.md shows these layers. Sizes and the version are defined once in Swift, and are the same in
scripts, documents and compositions.
"""

import json
import re
import unittest

from swift_enums import ROOT, enums, swift

NAMES = "Shared/Models/MediaName.swift"
# Names of a bundle's entries, in a module that device and browser could use and that imports no Models.
ENTRIES = "Shared/TransparencyLog/Bundles/BundleEntries.swift"
LIMITS = "Shared/CaptureProtocol/SizeLimits.swift"
CODES = "Shared/CaptureProtocol/ErrorCode.swift"
HEADERS = {"DeviceHeader": "Shared/CaptureProtocol/DeviceHeader.swift", "UploadHeader": "Shared/CaptureProtocol/UploadHeader.swift"}
PATHS = "Shared/CaptureProtocol/APIPath.swift"
PAGES = "Shared/CaptureProtocol/PagePath.swift"
PARTS = "Shared/CaptureProtocol/UploadPart.swift"
EVERYWHERE = ("Shared", "Services", "Clients")
# Names of files in a request's body, which say nothing to the server.
UPLOADS = "Clients/CaptureKit/Uploads/"
# Files in which the words of reasons have another meaning.
ELSEWHERE = {
    "Shared/Models/MediaProblem.swift": "how stored media are damaged, in the database",
    "Shared/Attestation/AttestationVerdict.swift": "classes of attestations' failures",
    "Shared/ShareCard/ShareCardError.swift": "codes of its own error",
    "Services/attestation-verifier/Devices/DeviceAdministration.swift": "answers of the admin port",
    "Services/evidence-assembler/Upkeep/CredentialDigests.swift": "why a row stays without digests",
}
# Where multipart bodies are made and read: no name of a part stands here, not even one that is an English word.
BODIES = (
    "Clients/CaptureKit", "Clients/RialClient", "Clients/SimulatedDevice", "Services/gateway/Captures", "Services/gateway/Routes",
    "Services/gateway/Uploads", "Services/gateway/Verification", "Shared/CaptureProtocol", "Shared/Multipart",
)
# Names of parts that mean nothing else anywhere.
PARTS_ALONE = {"depth_map", "depth_data"}
# What names of parts mean elsewhere.
NO_PARTS = {
    ("Clients/RialClient/APIClient+verification.swift", "file"): "a file's name",
    ("Services/gateway/Captures/CaptureRow.swift", "detection"): "a column",
    ("Services/gateway/Routes/EventCursor.swift", "hash_chain"): "a check",
    ("Shared/CaptureProtocol/HashOnly/HashOnlyBody.swift", "assertion"): "a member of a body of JSON",
}


def words(name):
    """The raw values of a Swift enum of strings."""
    return [word for _, word in enums("Shared")[name][1]]


def reasons():
    """{name: (path, words)} of the reasons that the API shows: the enums of Shared called so."""
    return {
        name: (path, [word for _, word in cases]) for name, (path, cases) in enums("Shared").items() if re.fullmatch(r"\w+Reason", name)
    }


def spellings(words, text):
    """The words that are a string of Swift, or of SQL in it."""
    return sorted({word for _, word in re.findall("([\"'])(" + "|".join(map(re.escape, sorted(words))) + r")\1", text)})


def spelled_again(words, allowed, folders=EVERYWHERE):
    """The words in sources of the folders other than those whose paths begin as `allowed` says."""
    return [
        f"{path} spells {word}" for path, text in swift(*folders) if not path.startswith(tuple(allowed))
        for word in spellings(words, text)
    ]


def part_problems():
    """Names of parts that are literals again."""
    allowed = {f"{path} spells {word}" for path, word in NO_PARTS}
    return sorted({*spelled_again(words("UploadPart"), {PARTS}, BODIES), *spelled_again(PARTS_ALONE, {PARTS})} - allowed)


def api_paths():
    """The constants of APIPath."""
    found = {}
    for name, path in re.findall(r'static let (\w+) = "([^"]+)"', (ROOT / PATHS).read_text()):
        found[name] = re.sub(r"\\\((\w+)\)", lambda other: found[other[1]], path)
    return set(found.values())


def form_parts(text):
    """Names of the parts of all multipart bodies in the OpenAPI file."""
    bodies = re.findall(r"^ +multipart/form-data:\n(?: {12,}.*\n)*? {14}properties:\n((?: {16}.*\n)+)", text, re.M)
    return [re.findall(r"^ {16}(\w+):", body, re.M) for body in bodies]


def schema_enums(text):
    """{schema: values} of the enums in the OpenAPI file."""
    return {
        name: re.findall(r"[\w.+-]+", words)
        for name, words in re.findall(r"^    (\w+):\n(?:      description: .*\n)?      enum: \[([^\]]*)\]", text, re.M)
    }


def name_lists(sql):
    """All lists of media names in the migrations, newest last."""
    return [re.findall(r"'([^']+)'", found) for found in re.findall(r"(?:CHECK \(name IN \(|ARRAY\[)\s*([^)\]]*\.(?:jpg|png)'[^)\]]*)", sql)]


def imports(text):
    return set(re.findall(r"^(?:@testable |public |package )?import (?:struct |class |enum |func )?(\w+)", text, re.M))


def targets():
    """{target: (path, dependencies)} of Package.swift."""
    manifest = (ROOT / "Package.swift").read_text()
    backbone = re.search(r"let backbone: \[Target\.Dependency\] = \[(.*?)\]", manifest, re.S)[1]
    found = {}
    for chunk in re.split(r"\n        \.(?=target|executableTarget|testTarget)", manifest)[1:]:
        name = re.search(r'name: "(\w+)"', chunk)[1]
        path = re.search(r'path: "([^"]+)"', chunk)[1]
        listed = re.search(r"dependencies: (backbone)?(?: \+ )?(?:\[(.*?)\])?", chunk, re.S)
        depends = set(re.findall(r'"(\w+)"', listed[2] or "")) if listed else set()
        if listed and listed[1]:
            depends |= set(re.findall(r'"(\w+)"', backbone))
        found[name] = (path, depends)
    return found


# The layers, lowest first: imports go only downward, and sideways only as listed below.
LAYERS = (
    {"CaptureProtocol", "Movie", "Secrets"},
    {"Models"},
    {
        "AreaAverage", "Attestation", "Depth", "JPEGMetadata", "VideoChain", "Imaging", "Evidence", "ShareCard", "Signing", "ContentCredentials", "ManifestStore",
        "TransparencyLog", "Site",
    },
    {"Blocking", "Compression", "HTTPServing", "Multipart", "Persistence", "Messaging", "ObjectStorage", "MediaStore", "Observability", "Inspection",
     "VideoDecoding"},
    {"Delivery"},
    {"ServiceRuntime"},
    {"AttestationVerifier", "DepthAnalyzer", "UploadSync", "EvidenceAssembler", "TransparencyLogService", "Gateway", "C2PAInspector", "VideoDecoder"},
)
DOMAIN = LAYERS[2]
# Layers above the domain that must not import it.
WITHOUT_DOMAIN = (3, 4, 5)
# Modules for input and output, which neither domain modules nor those below them may import.
INPUT_OUTPUT = re.compile(r"Hummingbird|HTTPTypes|NIO|AsyncHTTPClient|ServiceLifecycle|Logging|Metrics")
# Allowed imports within a layer.
SIDEWAYS = {
    "Depth": {"AreaAverage"}, "Imaging": {"JPEGMetadata"}, "ShareCard": {"Imaging", "JPEGMetadata"}, "ContentCredentials": {"JPEGMetadata", "ManifestStore", "Signing"}, "ManifestStore": {"Attestation"},
    "Persistence": {"Blocking", "Observability"}, "ObjectStorage": {"Blocking", "Observability"}, "Messaging": {"Blocking"}, "Inspection": {"Blocking"}, "Observability": {"HTTPServing"}, "VideoDecoding": {"Inspection"}, "VideoChain": {"Depth"}, "MediaStore": {"Blocking", "ObjectStorage"}, "Site": {"Evidence"},
}


# Top-level type declarations.
DECLARATION = re.compile(r"^(?:(?:public|package|private|fileprivate|final|indirect|@\w+) +)*(?:struct|class|enum|actor|protocol|typealias) (\w+)", re.M)


def folder_uses(module):
    """{folder: {other folder: types used from it}} of a module, by the types that only one folder declares."""
    root = ROOT / module
    texts = {path: re.sub(r'"(?:\\.|[^"\\])*"|//.*', "", path.read_text()) for path in sorted(root.rglob("*.swift"))}
    folder = {path: path.relative_to(root).parent.as_posix() for path in texts}
    declared = {}
    for path, text in texts.items():
        for name in DECLARATION.findall(text):
            declared.setdefault(name, set()).add(folder[path])
    uses = {}
    for path, text in texts.items():
        for name in set(re.findall(r"\b[A-Z]\w+", text)):
            homes = declared.get(name, set())
            if len(homes) == 1 and folder[path] not in homes:
                uses.setdefault(folder[path], {}).setdefault(*homes, set()).add(name)
    return uses


def cycles(uses):
    """Pairs of folders that depend on each other, directly or indirectly."""
    def reach(start):
        found, open_ = set(), [start]
        while open_:
            for other in uses.get(open_.pop(), {}):
                if other not in found:
                    found.add(other)
                    open_.append(other)
        return found
    return [(one, other) for one in sorted(uses) for other in sorted(uses[one]) if one in reach(other)]


def limits():
    """{name: bytes} of the constants of SizeLimits.swift."""
    text = (ROOT / LIMITS).read_text()
    found = {name: next(numbers(value)) for name, value in re.findall(r"static let (\w+) = ([\d_]+(?: << \d+)?)$", text, re.M)}
    assert len(found) == text.count("static let "), f"{LIMITS} has a constant of another form"
    return found


def constant(name):
    """A size of SizeLimits.swift, in bytes."""
    return limits()[name]


def numbers(text):
    """The values of the number literals in a source, multiplied and shifted where they are."""
    for first, others in re.findall(r"(?<![\w.])(\d+)((?: ?(?:\*|<<) ?\d+)*)\b", text.replace("_", "")):
        value = int(first)
        for operator, other in re.findall(r"(\*|<<) ?(\d+)", others):
            value = value * int(other) if operator == "*" else value << int(other)
        yield value


def sizes_said(text):
    """The sizes that a document says something may have, in bytes."""
    for number, unit in re.findall(r"(?:at most|over|a video|max-size=\() ?([\d,]+) ?(bytes|KiB|MiB|(?=\|))", text, re.I):
        yield int(number.replace(",", "")) << {"KiB": 10, "MiB": 20}.get(unit, 0)


def layer(module):
    return next((number for number, names in enumerate(LAYERS) if module in names), None)


def layer_problems(found):
    """Imports that go upward or sideways, or that Package.swift does not declare."""
    problems = []
    modules = set().union(*LAYERS)
    for name, (path, depends) in found.items():
        if layer(name) is None:
            continue
        for file, text in swift(path):
            for module in sorted(imports(text) & modules - {name}):
                if module not in depends:
                    problems.append(f"{file} imports {module}, which Package.swift does not give {name}")
                above, own = layer(module), layer(name)
                is_domain = module in DOMAIN and own in WITHOUT_DOMAIN
                if above > own or (above == own and module not in SIDEWAYS.get(name, set())) or is_domain:
                    problems.append(f"{file} of {name} must not know {module}")
    return problems


def page_layers(page):
    """The table of layers in docs/architecture.md: [(modules, {module: modules of its layer that it may import}, whether it knows the domain)].

    The last row names the services by their folders.
    """
    section = page.split("\n## Layers\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")][2:]
    return [
        (
            set(re.findall(r"`([\w-]+)`", modules)),
            {name: set(re.findall(r"`(\w+)`", used)) for name, used in re.findall(r"`(\w+)` → (`\w+`(?:, `\w+`)*)", beside)},
            "nothing of the domain" not in beside,
        )
        for _, modules, beside in rows
    ]


def page_problems(page, found):
    """Differences between docs/architecture.md and the layers here and in Package.swift."""
    problems = []
    rows = page_layers(page)
    if len(rows) != len(LAYERS):
        return [f"the page has {len(rows)} layers, not {len(LAYERS)}"]
    folders = {found[name][0].split("/")[1] for name in LAYERS[-1]}
    for number, ((modules, sideways, knows_domain), names) in enumerate(zip(rows, (*LAYERS[:-1], folders))):
        problems += [f"the page does not have {name} in layer {number}" for name in sorted(names - modules)]
        problems += [f"the page has {name} in layer {number}" for name in sorted(modules - names)]
        expected = {name: SIDEWAYS[name] for name in names if name in SIDEWAYS}
        for name in sorted(sideways | expected):
            if sideways.get(name) != expected.get(name):
                problems.append(f"{name} may import {sorted(expected.get(name, ()))} of its layer, not {sorted(sideways.get(name, ()))}")
        if knows_domain == (number in WITHOUT_DOMAIN):
            problems.append(f"the page is wrong about the domain and layer {number}")
    kit = " ".join(page.split()).split("of ours it imports only ")[1].split(". ")[0]
    given = found["CaptureKit"][1] & set(found)
    if set(re.findall(r"`(\w+)`", kit)) != given:
        problems.append(f"CaptureKit imports {sorted(given)}")
    return problems


def manifest_problems(found):
    """Differences between the dependencies in Package.swift and the imports. Services are given a common set."""
    problems = []
    for name, (path, depends) in found.items():
        used = {module for _, text in swift(path) for module in imports(text)} & set(found) - {name}
        given = depends & set(found)
        if layer(name) == len(LAYERS) - 1:
            given &= used
        # A dependency on its program, not an import.
        given -= {"C2PAInspector", "VideoDecoder"}
        problems += [f"{name} does not import {module}" for module in sorted(given - used)]
        problems += [f"{name} is not given {module}" for module in sorted(used - given)]
    return problems


class Vocabulary(unittest.TestCase):
    def test_media_names_are_spelled_once(self):
        self.assertEqual(spelled_again(words("MediaName"), {NAMES, ENTRIES, UPLOADS}), [])

    def test_reasons_are_spelled_once(self):
        known = reasons().values()
        # Single words, such as "missing", are ambiguous.
        ours = {word for _, listed in known for word in listed if "_" in word}
        self.assertGreater(len(ours), 55)
        self.assertEqual(spelled_again(ours, {*(path for path, _ in known), *ELSEWHERE}), [])

    def test_error_codes_are_spelled_once(self):
        self.assertEqual(spelled_again(words("ErrorCode"), {CODES}), [])

    def test_headers_are_spelled_once(self):
        for name, path in HEADERS.items():
            names = words(name)
            self.assertEqual(spelled_again({*names, *map(str.lower, names)}, {path}), [])

    def test_the_type_of_a_partial_upload_is_spelled_once(self):
        paths = [path for path, text in swift(*EVERYWHERE) if "application/partial-upload" in text]
        self.assertEqual(paths, [HEADERS["UploadHeader"]])

    def test_paths_of_the_api_are_spelled_once(self):
        self.assertEqual([path for path, text in swift(*EVERYWHERE) if path != PATHS and re.search(r"/api/v\d", text)], [])

    def test_the_path_of_captures_pages_is_spelled_once(self):
        # Of our site, not of another.
        self.assertEqual([path for path, text in swift(*EVERYWHERE) if re.search(r"(?<!\w)/verify(?![\w-])", text)], [PAGES])

    def test_parts_are_spelled_once(self):
        self.assertEqual(part_problems(), [])
        self.assertLessEqual(PARTS_ALONE, set(words("UploadPart")))
        for path, word in NO_PARTS:
            self.assertIn(f'"{word}"', (ROOT / path).read_text(), f"{path} needs no exception")

    def test_exceptions_are_needed(self):
        ours = {word for _, listed in reasons().values() for word in listed if "_" in word}
        for path in ELSEWHERE:
            self.assertTrue(spellings(ours, (ROOT / path).read_text()), f"{path} needs no exception")

    def test_a_word_in_sql_is_found(self):
        self.assertEqual(spellings({"counter_replay", "no_depth"}, "(failure = 'counter_replay')"), ["counter_replay"])

    def test_sql_names_the_same_media(self):
        sql = "".join(path.read_text() for path in sorted((ROOT / "Shared/Persistence/Migrations").glob("*.sql")))
        lists = name_lists(sql)
        self.assertGreaterEqual(len(lists), 3)
        names = set(words("MediaName"))
        checks = [set(listed) for listed in lists if len(listed) > 8]
        self.assertEqual(checks[-1], names)
        writers = [set(listed) for listed in lists if len(listed) <= 8]
        self.assertLessEqual(set().union(*writers[-2:]), names)

    def test_the_api_lists_the_same_reasons(self):
        listed = schema_enums((ROOT / "docs/openapi.yaml").read_text())
        for name, (_, ours) in reasons().items():
            self.assertEqual(listed.get(name), ours, name)

    def test_the_api_lists_the_same_error_codes(self):
        listed = schema_enums((ROOT / "docs/openapi.yaml").read_text())["Code"]
        # /oembed is a page's, and not in the file.
        self.assertEqual(sorted(listed), sorted(set(words("ErrorCode")) - {"NOT_IMPLEMENTED"}))

    def test_the_api_lists_the_same_headers(self):
        text = (ROOT / "docs/openapi.yaml").read_text()
        listed = re.findall(r"name: (X-Device-[\w-]+), in: header", text)
        self.assertEqual(set(listed), set(words("DeviceHeader")))
        self.assertEqual(set(re.findall(r"\b(?:Upload-[A-Z][\w-]+|Repr-Digest)\b", text)), set(words("UploadHeader")))

    def test_documents_and_scripts_name_the_same_paths(self):
        known = api_paths()
        listed = re.findall(r"^  (/api/\S+):$", (ROOT / "docs/openapi.yaml").read_text(), re.M)
        self.assertEqual({path for path in known if not any(f"{other}/".startswith(f"{path}/") for other in listed)}, set())
        self.assertEqual({other for other in listed if not any(f"{other}/".startswith(f"{path}/") for path in known)}, set())
        scripts = "".join(path.read_text() for path in sorted((ROOT / "Shared/Site/Resources/js").glob("*.js")))
        called = set(re.findall(r"/api/v\d[\w/-]*\w", scripts))
        self.assertGreaterEqual(len(called), 2)
        self.assertLessEqual(called, known)

    def test_the_api_lists_the_same_parts(self):
        bodies = form_parts((ROOT / "docs/openapi.yaml").read_text())
        self.assertEqual(len(bodies), 3)
        self.assertEqual(set().union(*bodies), set(words("UploadPart")))

    def test_a_missing_word_is_found(self):
        text = (ROOT / "docs/openapi.yaml").read_text()
        self.assertIn("counter_replay", schema_enums(text)["HardwareReason"])
        self.assertNotIn("counter_replay", schema_enums(text.replace("counter_replay, ", ""))["HardwareReason"])


class Constants(unittest.TestCase):
    def test_sizes_stand_once(self):
        # A number below is as likely a buffer's size, or no size at all.
        sizes = {size for size in limits().values() if size >= 1 << 20}
        self.assertGreater(len(sizes), 4)
        self.assertEqual([
            f"{path} has {size}" for path, text in swift("Shared", "Services", "Clients") if path != LIMITS
            for size in sizes & set(numbers(text))
        ], [])

    def test_scripts_and_documents_say_the_same_sizes(self):
        script = (ROOT / "Shared/Site/Resources/js/file.js").read_text()
        self.assertEqual(
            list(numbers(re.search(r"^const LIMITS = (.*)$", script, re.M)[1])), [constant("file"), constant("video")])
        strings = json.loads((ROOT / "Shared/Site/Resources/strings.json").read_text())
        for text in strings["file.zone.limits"].values():
            self.assertEqual([int(size) << 20 for size in re.findall(r"(\d+) MB", text)], [constant("file"), constant("video")])
        api = (ROOT / "docs/openapi.yaml").read_text()
        said = [int(size) << 20 for said in re.findall(r"At most [^.]*", api) for size in re.findall(r"(\d+) MiB", said)]
        self.assertEqual(said, [constant("capture"), constant("file"), constant("video")])
        self.assertEqual({int(size) << 10 for size in re.findall(r"over (\d+) KiB", api)}, {constant("unknownPart")})
        self.assertIn(f"At most {constant('registration') >> 10} KiB", api)

    def test_the_api_says_every_limit_and_no_other_size(self):
        said = set(sizes_said((ROOT / "docs/openapi.yaml").read_text()))
        # What is read of a refused request is no limit of it, and what was fixed when a recording began is in the metadata.
        self.assertEqual(said - {1 << 20}, {size for name, size in limits().items() if name != "recording"})

    def test_the_version_stands_once(self):
        home = "Shared/CaptureProtocol/Product.swift"
        version = re.search(r'version = "([\d.]+)"', (ROOT / home).read_text())[1]
        self.assertEqual([path for path, text in swift("Shared", "Services", "Clients") if path != home and version in text], [])
        for path, pattern in {
            "docs/openapi.yaml": r"^  version: ([\d.]+)$", "docs/asyncapi.yaml": r"^  version: ([\d.]+)$",
            "docs/configuration.md": r"^\| `RIAL_VERSION` \| ([\d.]+) \|", "docker-compose.yml": r"\$\{RIAL_VERSION:-([\d.]+)\}",
            "docker-compose.softhsm.yml": r"\$\{RIAL_VERSION:-([\d.]+)\}",
            "docker-compose.trial.yml": r"\$\{RIAL_VERSION:-([\d.]+)\}",
        }.items():
            self.assertEqual(set(re.findall(pattern, (ROOT / path).read_text(), re.M)), {version}, path)

    def test_another_spelling_is_found(self):
        self.assertEqual(list(numbers("let a = 20 * 1024 * 1024, b = 20 << 20, c = 1_000 * 3, d = 0x10, e = 007")), [20 << 20, 20 << 20, 3000, 7])
        self.assertEqual(list(sizes_said("At most 20 MiB, a video 1,000 bytes; or over 3 KiB")), [20 << 20, 1000, 3 << 10])


class Layers(unittest.TestCase):
    def test_nothing_is_imported_upward_or_undeclared(self):
        self.assertEqual(layer_problems(targets()), [])

    def test_targets_are_given_what_they_import(self):
        self.assertEqual(manifest_problems(targets()), [])

    def test_allowed_imports_within_a_layer_are_needed(self):
        found = targets()
        self.assertEqual([f"{name} does not import {module}" for name in SIDEWAYS for module in sorted(SIDEWAYS[name] - found[name][1])], [])

    def test_the_architecture_page_shows_the_layers(self):
        self.assertEqual(page_problems((ROOT / "docs/architecture.md").read_text(), targets()), [])

    def test_the_architecture_is_on_one_page(self):
        self.assertLessEqual(len((ROOT / "docs/architecture.md").read_text().splitlines()), 90)

    def test_a_wrong_architecture_page_is_found(self):
        page, found = (ROOT / "docs/architecture.md").read_text(), targets()
        changes = {
            "a module in another layer": page.replace("`Persistence`, `VideoDecoding` |", "`Persistence` |").replace("`VideoChain` |", "`VideoChain`, `VideoDecoding` |"),
            "a missing import": page.replace("`VideoDecoding` → `Inspection`; ", ""),
            "an import too many": page.replace("`Messaging` → `Blocking`", "`Messaging` → `Blocking`, `Observability`"),
            "the domain": page.replace("`Delivery` | nothing of the domain", "`Delivery` | "),
            "a missing service": page.replace("`upload-sync`, `evidence-assembler`, `transparency-log`", "`evidence-assembler`, `transparency-log`"),
            "a missing layer": page.replace("| what services say to each other | `Models` | |\n", ""),
            "an import of the device library": page.replace("`CaptureProtocol`, `Compression`, `Depth`, `JPEGMetadata`", "`CaptureProtocol`, `Compression`, `JPEGMetadata`"),
        }
        for name, text in changes.items():
            with self.subTest(name):
                self.assertNotEqual(text, page)
                self.assertNotEqual(page_problems(text, found), [])

    def test_the_domain_knows_no_network(self):
        found = targets()
        self.assertEqual([
            f"{file} imports {module}" for name in sorted(set().union(*LAYERS[:3])) for file, text in swift(found[name][0])
            for module in sorted(imports(text)) if INPUT_OUTPUT.match(module)
        ], [])

    def test_api_errors_are_thrown_at_the_edge(self):
        edge = tuple(f"Services/gateway/{folder}/" for folder in ("Routes", "Middleware", "HTTP", "Site"))
        inside = {path for path, text in swift("Services/gateway") if re.search(r"\bAPIError\b", text) and not path.startswith(edge)}
        self.assertEqual(inside, set())

    def test_no_number_is_read_as_a_bit_pattern(self):
        # Of a UInt64, `map(Double.init)` takes `init(bitPattern:)`: `map { Double($0) }` does not.
        found = [path for path, text in swift("Services", "Shared", "Clients") if re.search(r"\bmap\((?:Double|Float)\.init\)", text)]
        self.assertEqual(found, [])

    def test_every_module_has_a_layer(self):
        modules = {name for name, (path, _) in targets().items() if path.startswith(("Shared/", "Services/")) and not name.startswith("C")}
        self.assertEqual({name for name in modules if layer(name) is None}, set())

    def test_no_two_folders_need_each_other(self):
        modules = {path for path, _ in targets().values() if path.startswith(("Shared/", "Services/", "Clients/"))}
        self.assertEqual({module: found for module in modules if (found := cycles(folder_uses(module)))}, {})

    def test_a_cycle_is_found(self):
        self.assertEqual(cycles({"A": {"B": {"X"}}, "B": {"C": {"Y"}}, "C": {"A": {"Z"}}, ".": {"A": {"X"}}}), [("A", "B"), ("B", "C"), ("C", "A")])

    def test_what_goes_up_is_found(self):
        found = targets()
        found["Models"] = ("Shared/Delivery", found["Models"][1])
        self.assertTrue(any("must not know" in problem for problem in layer_problems(found)))


if __name__ == "__main__":
    unittest.main()
