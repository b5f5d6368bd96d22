"""The images hold what their programs need and nothing else, and say what they are; the build sees no settings and no secrets."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import check_vocabulary
import dockerfile
import tools

ROOT = pathlib.Path(__file__).resolve().parents[2]
HADOLINT = tools.environment_program("hadolint")
SERVICES = ["gateway", "attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler", "transparency-log"]
# The programs beside those with the images' names.
BESIDE = {"gateway": ["c2pa-inspector"], "depth-analyzer": ["video-decoder"], "rial": ["transparency-log"]}
# What a program needs at run time, by the module that it imports; Swift's own libraries are linked statically.
LIBRARIES = {
    "CLibPQ": ["libpq5"], "CRdKafka": ["/usr/local/lib/librdkafka.so.1"], "CZlib": ["zlib1g"], "CExpat": ["libexpat1"],
    "GRDB": ["libsqlite3-0"], "CPNG": ["libpng16-16"], "CTurboJPEG": ["libturbojpeg0"], "CC2PA": ["/usr/local/lib/libc2pa_c.so"],
    "CAVCodec": ["/opt/codec/lib/*.so.*", "libx264-164"],
    "CPango": ["libcairo2", "libpango-1.0-0", "libpangocairo-1.0-0", "fontconfig", "fonts-noto-core", "fonts-dejavu-core"],
    # Its library is loaded by a path in the settings.
    "CPKCS11": [],
}
# What every image has; the image of upload-sync needs zlib for a package of others.
EVERYWHERE = {"libpq5", "libexpat1", "zlib1g", "/usr/local/lib/librdkafka.so.1"}


def programs():
    """{program: target}"""
    return dict(re.findall(r'\.executable\(name: "([^"]+)", targets: \["(\w+)"\]\)', (ROOT / "Package.swift").read_text()))


def needed(targets, program):
    """What the program's modules, and those that they depend on, need."""
    reached, open_, imported = set(), [programs()[program]], set()
    while open_:
        target = open_.pop()
        if target not in reached:
            reached.add(target)
            path, depends = targets.get(target, (None, set()))
            open_ += depends
            if path:
                imported |= {module for _, text in check_vocabulary.swift(path) for module in check_vocabulary.imports(text)}
    return {library for module in imported & set(LIBRARIES) for library in LIBRARIES[module]}


def image_problems(text, targets):
    stages = dockerfile.stages(text)
    problems = []
    built = re.search(r"for product in ([^;]*);", dockerfile.chain(stages, "build")[-1][1])
    if not built or set(built[1].split()) != set(programs()):
        problems.append("the build stage builds other programs than there are")
    all_libraries = {library for libraries in LIBRARIES.values() for library in libraries}
    for image in SERVICES + ["rial"]:
        chain = dockerfile.chain(stages, image)
        # Not one of the build: that has compilers.
        if "build" in (stages[image][0], stages.get(stages[image][0], ("",))[0]):
            problems.append(f"{image}: is made from the build stage")
        for program in [image, *BESIDE.get(image, [])]:
            if not any(word == f"/out/{program}/" for word in dockerfile.words(chain)):
                problems.append(f"{image}: lacks the program {program}")
        has = {library for library in all_libraries if library in dockerfile.words(chain)}
        wanted = EVERYWHERE.union(*(needed(targets, program) for program in [image, *BESIDE.get(image, [])]))
        problems += [f"{image}: lacks {library}" for library in sorted(wanted - has)]
        problems += [f"{image}: has {library}, which it does not need" for library in sorted(has - wanted)]
        for instruction, value in (("USER", "10001:10001"), ("STOPSIGNAL", "SIGTERM"), ("ENTRYPOINT", f'["/opt/rial/{image}"]')):
            if [arguments for name, arguments in chain if name == instruction][-1:] != [value]:
                problems.append(f"{image}: {instruction} is not {value}")
        labels = " ".join(arguments for name, arguments in chain if name == "LABEL")
        own = [name for name, _ in stages[image][1]]
        for label in (f'title="{image}"', 'version="$VERSION"', 'revision="$REVISION"', 'licenses="Apache-2.0"'):
            if f"org.opencontainers.image.{label}" not in labels:
                problems.append(f"{image}: has no label {label}")
        # Whatever follows them is built again with each commit; before its ARG a variable is empty.
        if own[-4:] != ["ARG", "ARG", "LABEL", "ENV"] or "ARG" in own[:-4]:
            problems.append(f"{image}: the labels of the commit are not the last instructions")
        # What /metrics says of the build.
        if stages[image][1][-1] != ("ENV", 'RIAL_REVISION="$REVISION"'):
            problems.append(f"{image}: its program does not know its revision")
    return problems


class DockerfileTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = (ROOT / "deploy/Dockerfile").read_text()
        cls.targets = check_vocabulary.targets()

    def test_images_hold_what_their_programs_need_and_no_more(self):
        self.assertEqual(image_problems(self.text, self.targets), [])
        modules = {path.parent.name for path in (ROOT / "Shared").glob("*/module.modulemap")}
        self.assertLessEqual(modules, set(LIBRARIES), "a system library whose package nobody named")

    def test_what_the_built_programs_load_is_what_the_modules_say(self):
        names = {
            "libpq.so": "libpq5", "libsqlite3.so": "libsqlite3-0", "libpng16.so": "libpng16-16", "libturbojpeg.so": "libturbojpeg0",
            "libc2pa_c.so": "/usr/local/lib/libc2pa_c.so", "libavcodec.so": "/opt/codec/lib/*.so.*", "libexpat.so": "libexpat1", "libpango-1.0.so": "libpango-1.0-0",
            "librdkafka.so": "/usr/local/lib/librdkafka.so.1",
        }
        for program in programs():
            path = ROOT / ".build/debug" / program
            if not path.exists():
                self.skipTest("nothing is built: make build")
            dynamic = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
            loaded = {package for name, package in names.items() if f"[{name}" in dynamic}
            self.assertEqual(loaded, needed(self.targets, program) & set(names.values()), program)

    def test_programs_are_stripped_and_no_removed_bundle_is_shipped(self):
        build = dockerfile.chain(dockerfile.stages(self.text), "build")[-1][1]
        self.assertRegex(build, r'strip -o "/out/\$product/\$product"')
        self.assertLess(build.index('rm -rf "$built"/*.resources'), build.index("swift build -c release --static-swift-stdlib"))

    def test_the_font_cache_is_not_older_than_the_fonts(self):
        run = next(arguments for name, arguments in dockerfile.stages(self.text)["evidence-assembler"][1] if "fc-cache" in arguments)
        seconds = re.search(r"find /usr/share/fonts /usr/local/share/fonts -type d -exec touch -d @(\d+) ", run)
        self.assertIsNotNone(seconds, "times with fractions of a second do not survive in a layer")
        self.assertLess(seconds.start(), run.index("fc-cache -f"))

    def test_each_check_finds_what_it_looks_for(self):
        changes = {
            "a library too few": (" libpng16-16 libturbojpeg0 libx264-164 ", " libpng16-16 libturbojpeg0 "),
            "no decoder": ("COPY --from=codec /opt/codec/lib/*.so.* /usr/local/lib/\n", ""),
            "a library too many": ("FROM runtime AS upload-sync", "FROM runtime-c2pa AS upload-sync"),
            "the system's librdkafka": ("COPY --from=build /usr/local/lib/librdkafka.so.1 /usr/local/lib/\n", ""),
            "an inspector that is not there": ("COPY --from=build /out/gateway/ /out/c2pa-inspector/ ./", "COPY --from=build /out/gateway/ ./"),
            "no recovery of the log": ("COPY --from=build /out/rial/ /out/transparency-log/ ./", "COPY --from=build /out/rial/ ./"),
            "root": ("USER 10001:10001\nCOPY --from=build /out/rial/", "COPY --from=build /out/rial/"),
            "no labels": ('LABEL org.opencontainers.image.title="gateway"', 'LABEL title="gateway"'),
            "labels that are empty": ("ARG VERSION=unknown\nARG REVISION=unknown\nLABEL org.opencontainers.image.title=\"rial\"", "LABEL org.opencontainers.image.title=\"rial\""),
            "an unknown revision": ('ENV RIAL_REVISION="$REVISION"\n\nFROM runtime AS depth-analyzer', "ENV RIAL_REVISION=\n\nFROM runtime AS depth-analyzer"),
            "a program that is not built": (" video-decoder attestation-verifier", " attestation-verifier"),
            "the compilers": ("FROM runtime AS transparency-log", "FROM build AS transparency-log"),
        }
        for name, (old, new) in changes.items():
            with self.subTest(name):
                self.assertIn(old, self.text)
                self.assertNotEqual(image_problems(self.text.replace(old, new), self.targets), [], "not noticed")


class WheelTests(unittest.TestCase):
    NAMES = ("BROKER_HASH", "S3_HASH", "KAFKA_HASH", "C2PA_HASH", "C2PA_LIBRARY_HASH")

    def digests(self, architecture):
        """What scripts/wheels.sh says on a machine of that architecture."""
        with tempfile.TemporaryDirectory() as folder:
            uname = pathlib.Path(folder) / "uname"
            uname.write_text(f"#!/bin/sh\necho {architecture}\n")
            uname.chmod(0o755)
            # As in the Dockerfile, whose shell is dash.
            script = f'PATH={folder}:$PATH TOOLS=/tmp; . "{ROOT}/scripts/wheels.sh"; ' + "; ".join(f'echo "${name}"' for name in self.NAMES)
            run = subprocess.run(["sh", "-euc", script], check=True, capture_output=True, text=True)
        return dict(zip(self.NAMES, run.stdout.splitlines(), strict=True))

    def test_every_wheel_has_a_digest_for_each_architecture(self):
        one, other = self.digests("x86_64"), self.digests("aarch64")
        for name in self.NAMES:
            self.assertRegex(one[name], r"^[0-9a-f]{64}$")
            self.assertRegex(other[name], r"^[0-9a-f]{64}$")
            self.assertNotEqual(one[name], other[name])
        self.assertEqual(set(self.digests("riscv64").values()), {""})
        for path in ("scripts/setup.sh", "deploy/Dockerfile"):
            self.assertNotIn("x86_64", (ROOT / path).read_text(), f"{path} fetches for one architecture")

    def test_compiled_wheels_of_tests_have_them_too(self):
        for folder in ("browser", "contract"):
            listed = (ROOT / f"Tests/{folder}/requirements.txt").read_text()
            wheels = re.findall(r"(?m)^(\S+)==\S+ \\\n((?:    --hash=\S+(?: \\)?\n?)+)", listed)
            self.assertGreater(len(wheels), 3, folder)
            for name, digests in wheels:
                # One wheel for all, or one for each of three Pythons on two architectures.
                self.assertIn(digests.count("sha256:"), (1, 6), name)

    def test_the_image_takes_the_wheels_that_the_tests_run(self):
        build = dockerfile.words(dockerfile.stages((ROOT / "deploy/Dockerfile").read_text())["build"][1])
        for word in ('"$C2PA_HASH"', '"$KAFKA_HASH"', "--require-hashes"):
            self.assertIn(word, build)


@unittest.skipIf(HADOLINT is None, "hadolint is not installed: scripts/setup.sh --tests")
class LintTests(unittest.TestCase):
    # Debian's packages are not pinned: their versions leave the mirrors with the next security fix.
    IGNORED = ["--ignore", "DL3008"]

    def lint(self, text):
        return subprocess.run(
            [HADOLINT, "--no-color", *self.IGNORED, "-"], input=text, capture_output=True, text=True, env={"PATH": ""}).stdout

    def test_hadolint_finds_nothing(self):
        self.assertEqual(self.lint((ROOT / "deploy/Dockerfile").read_text()), "")

    def test_it_would_find_something(self):
        text = (ROOT / "deploy/Dockerfile").read_text()
        self.assertIn("DL3002", self.lint(text + "\nUSER root\n"))
        self.assertIn("DL3015", self.lint(text.replace("--no-install-recommends ", "", 1).replace("--no-install-recommends ", "", 1)))


class ContextTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = (ROOT / ".dockerignore").read_text()

    def test_the_build_gets_what_it_needs(self):
        manifest = (ROOT / "Package.swift").read_text()
        paths = [f"{path}/Any.swift" for path in re.findall(r'path: "([^"]+)"', manifest)] + ["Package.swift"]
        for instruction, arguments in dockerfile.stages((ROOT / "deploy/Dockerfile").read_text())["build"][1]:
            if instruction == "COPY" and arguments != ". .":
                paths += arguments.split()[:-1]
        self.assertGreater(len(paths), 50)
        self.assertEqual([path for path in paths if dockerfile.is_ignored(self.text, path)], [])

    def test_it_gets_nothing_else(self):
        kept = (
            ".env", ".env.production", "Services/.env", "deploy/secrets/link_key", ".git/config", ".local/dev/keys/log.pem", ".build/release/gateway",
            "docker-compose.yml", "Package.resolved", "photo.jpg", "scripts/setup.sh", "Tests/deploy/check_compose.py", "notes/.env", "Shared/Evidence/README.md",
        )
        self.assertEqual([path for path in kept if not dockerfile.is_ignored(self.text, path)], [])
        # A file that comes later is not admitted by its name.
        first = [line for line in self.text.splitlines() if line and not line.startswith("#")][0]
        self.assertEqual(first, "*")

    def test_the_rules_are_docker_s(self):
        for rules, path, ignored in (
            ("*", "a/b", True), ("*\n!a", "a/b", False), ("*\n!a/b", "a/c", True), ("*\n!a\na/b", "a/b/c", True), ("a/*", "a/b/c", True),
            ("**/*.md", "x.md", True), ("**/*.md", "a/b/x.md", True), ("*.md", "a/x.md", False), ("a?", "ab", True), ("# a", "a", False), ("a", "ab", False),
        ):
            self.assertEqual(dockerfile.is_ignored(rules, path), ignored, (rules, path))


if __name__ == "__main__":
    unittest.main()
