"""The images as docker-compose.yml runs them: started in its order, used, scaled, and ended. Run by Tests/images/run.sh.

Everything runs in the trial's composition, with a simulated device. PostgreSQL, broker and object store stand in for those of compose; the
broker has neither TLS nor logins.
"""

import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/deploy"), str(ROOT / "Tests")]

import compose
from containers import Composition, output, until
from timed import TimedResult

FOLDER = pathlib.Path(os.environ["RIAL_TEST_FOLDER"])
SECRETS = FOLDER / "secrets"
VERSION = os.environ["RIAL_VERSION"]
SERVICES = ["attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler", "transparency-log", "gateway"]
IMAGES = [*SERVICES, "rial"]
LARGEST = 350_000_000
# Programs of each image beside its own.
PROGRAMS = {"gateway": ["c2pa-inspector"], "depth-analyzer": ["video-decoder"], "rial": ["transparency-log"]}
SETTINGS = {name: os.environ[name] for name in os.environ if name.startswith("RIAL_IMAGE_")} | {
    "RIAL_SECRETS_DIR": str(SECRETS), "RIAL_LIMIT_CAPTURES_PER_HOUR": "0", "RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR": "0",
    "RIAL_LIMIT_REGISTRATIONS_PER_MINUTE": "0", "RIAL_LIMIT_CHALLENGES_PER_MINUTE": "0",
}
# What differs from compose because of the broker that is here.
BROKER = {
    "RIAL_KAFKA_SECURITY_PROTOCOL": "PLAINTEXT", "RIAL_KAFKA_ALLOW_PLAINTEXT": "1", "RIAL_KAFKA_LEAVE_GROUP": "0", "RIAL_KAFKA_SASL_MECHANISM": "",
    "RIAL_KAFKA_SASL_USERNAME": "", "RIAL_KAFKA_SASL_PASSWORD_FILE": "", "RIAL_KAFKA_CA": "",
}
# For the closing report of what was measured.
MEASURED = []
composition = None


def image_config(image):
    return json.loads(output("buildah", "inspect", "--type", "image", f"localhost/rial/{image}:{VERSION}"))["OCIv1"]["config"]


class ImageTests(unittest.TestCase):
    """What is in the images, before anything runs."""

    @classmethod
    def setUpClass(cls):
        cls.roots, cls.working = {}, []
        for image in IMAGES:
            working = output("buildah", "from", "--pull-never", f"localhost/rial/{image}:{VERSION}")
            cls.working.append(working)
            cls.roots[image] = pathlib.Path(output("buildah", "mount", working))

    @classmethod
    def tearDownClass(cls):
        for working in cls.working:
            output("buildah", "rm", working)

    def test_each_is_small(self):
        for image in IMAGES:
            with self.subTest(image):
                size = int(output("du", "--bytes", "--summarize", "--one-file-system", self.roots[image]).split()[0])
                MEASURED.append(f"image {image}: {size / 1e6:.0f} MB")
                self.assertLess(size, LARGEST)

    def test_each_says_what_it_is_and_runs_as_nobody_in_particular(self):
        for image in IMAGES:
            with self.subTest(image):
                config = image_config(image)
                labels = config["Labels"]
                self.assertEqual(labels["org.opencontainers.image.title"], image)
                self.assertEqual(labels["org.opencontainers.image.version"], VERSION)
                self.assertRegex(labels["org.opencontainers.image.revision"], r"^[0-9a-f]{40}(-changed)?$")
                self.assertEqual((config["User"], config["StopSignal"]), ("10001:10001", "SIGTERM"))
                self.assertEqual(config["Entrypoint"], [f"/opt/rial/{image}"])

    def test_each_has_its_programs_stripped_and_with_their_libraries(self):
        needed = {"rdkafka": b"librdkafka.so.1", "c2pa": b"libc2pa_c.so"}
        for image in IMAGES:
            root = self.roots[image]
            programs = [each for each in (root / "opt/rial").iterdir() if each.is_file()]
            self.assertEqual({each.name for each in programs}, {image, *PROGRAMS.get(image, [])})
            found = {name: (root / f"usr/local/lib/{file.decode()}").exists() for name, file in needed.items()}
            wanted = {name: any(file in each.read_bytes() for each in programs) for name, file in needed.items()}
            for program in programs:
                with self.subTest(program.name):
                    self.assertNotIn(".symtab", output("readelf", "--section-headers", "--wide", program))
                    said = output("chroot", "--userspec=10001:10001", root, "ldd", f"/opt/rial/{program.name}")
                    self.assertNotIn("not found", said)
            self.assertTrue(found["rdkafka"])
            self.assertEqual(found["c2pa"], wanted["c2pa"], f"{image}: the C2PA library is there if it is used")

    def test_librdkafka_and_c2pa_are_those_that_the_tests_run(self):
        pins = dict(re.findall(r"(?m)^ *(\w+)=(\S+)$", (ROOT / "scripts/wheels.sh").read_text()))
        self.assertEqual(self.version_of_librdkafka(), pins["KAFKA_WHEEL"])
        there = output("sha256sum", self.roots["gateway"] / "usr/local/lib/libc2pa_c.so").split()[0]
        self.assertEqual(there, os.environ["C2PA_LIBRARY_HASH"])

    def version_of_librdkafka(self):
        library = ctypes.CDLL(str(self.roots["upload-sync"] / "usr/local/lib/librdkafka.so.1"))
        library.rd_kafka_version_str.restype = ctypes.c_char_p
        return library.rd_kafka_version_str().decode()

    def test_no_image_holds_a_secret_or_a_source(self):
        for image in IMAGES:
            with self.subTest(image):
                root = self.roots[image]
                strays = [
                    each for pattern in ("src", ".git", "run/secrets/*", "opt/rial/**/*.swift", "root/.cache/*")
                    for each in root.glob(pattern)]
                self.assertEqual(strays, [])
                # Programs have the words, but not at the beginning of a line.
                keys = [
                    each for folder in ("etc", "home", "opt", "root", "run", "tmp", "usr/local", "var") for each in (root / folder).rglob("*")
                    if each.is_file() and not each.is_symlink()
                    and re.search(rb"(?m)^-----BEGIN [A-Z ]*PRIVATE KEY-----$", each.read_bytes())]
                self.assertEqual(keys, [])

    def test_the_terms_of_libraries_under_the_gpl_are_in_the_image_that_has_them(self):
        for image in IMAGES:
            root = self.roots[image]
            terms = ["usr/share/doc/libavcodec/copyright", "usr/share/doc/libavcodec/COPYING.GPLv2", "usr/share/doc/libx264-164/copyright"]
            with self.subTest(image):
                if not list((root / "usr/local/lib").glob("libavcodec.so.*")):
                    self.assertNotIn("GPL", image_config(image)["Labels"]["org.opencontainers.image.licenses"])
                    continue
                self.assertEqual(image_config(image)["Labels"]["org.opencontainers.image.licenses"], "Apache-2.0 AND GPL-2.0-or-later")
                self.assertEqual([name for name in terms if not (root / name).is_file()], [])
                self.assertRegex((root / "usr/share/doc/libavcodec/source").read_text(), r"^built from Debian's source package ffmpeg \S+\n$")


def sql(text):
    """The rows that the owner sees, as text."""
    postgres = composition.containers["postgres"]
    address = postgres.address("jobs")
    password = (SECRETS / "postgres_owner_password").read_text()
    return output(
        "psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-h", address, "-U", "rial_owner", "-d", "rial", "-c", text,
        env=os.environ | {"PGPASSWORD": password})


def run(service, *command, **options):
    """What a container's one command printed."""
    status, printed, said = composition.run(service, *command, environment=BROKER, **options)
    if status != 0:
        raise AssertionError(f"{service} {' '.join(command)} ended with {status}: {said[-3000:]}")
    return printed


def rial(*command, seconds=180, volumes=()):
    """An operator's or a device's command, as `docker compose run --rm rial` runs it."""
    return run("rial", *command, seconds=seconds, volumes=volumes)


def start_service(service, name=None):
    return composition.start(service, name=name, environment=BROKER)


def setUpModule():
    global composition
    output(ROOT / "deploy/make-secrets.sh", SECRETS)
    configuration = compose.load(ROOT, "docker-compose.trial.yml", **SETTINGS)
    composition = Composition(configuration, FOLDER, os.environ["RIAL_TEST_SECCOMP"])
    unittest.addModuleCleanup(composition.close)


class StartTests(unittest.TestCase):
    """In compose's order, each part once what it depends on is healthy or has ended well."""

    def test_everything_starts_in_its_order(self):
        started = time.monotonic()
        for service in ("postgres", "kafka", "s3"):
            composition.start(service)
        for service in ("postgres", "kafka", "s3"):
            composition.containers[service].await_health()
        run("migrate")
        # As in a database that was restored into a new server, which has no roles: what is said then is read in the end.
        sql("ALTER ROLE rial_gateway RENAME TO away")
        run("migrate")
        self.assertIn("rial_gateway", sql("SELECT rolname FROM pg_roles"))
        sql("DROP ROLE rial_gateway; ALTER ROLE away RENAME TO rial_gateway")
        run("migrate")
        for service in ("open-log", "log-policy", "bucket", "development-root"):
            run(service)
        # Without access lists, which this broker does not have.
        run("topics", "admin", "topics")
        for service in ("witness-1", "witness-2"):
            composition.start(service)
        for service in SERVICES:
            start_service(service)
        for service in SERVICES:
            composition.containers[service].await_health()
        composition.start("monitor")
        MEASURED.append(f"from nothing to all healthy: {time.monotonic() - started:.1f} s")


class Running(unittest.TestCase):
    def gateway(self):
        return f"http://{composition.containers['gateway'].address('public')}:8080"

    def get(self, url):
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read()

    def metrics(self, name, series):
        """The sum of a series with these words in it, as the container's own network sees it."""
        container = composition.containers[name]
        run = subprocess.run(
            ["ip", "netns", "exec", container.namespace, "curl", "-sf", "http://127.0.0.1:9090/metrics"], capture_output=True, text=True, check=True)
        lines = [line for line in run.stdout.splitlines() if re.match(series, line)]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)


class RunningTests(Running):
    # Rights

    def test_each_has_the_rights_that_compose_gives_it_and_no_more(self):
        for service in [*SERVICES, "witness-1", "monitor", "postgres", "s3", "kafka"]:
            with self.subTest(service):
                container = composition.containers[service]
                status = pathlib.Path(f"/proc/{container.first()}/status").read_text()
                said = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
                self.assertEqual(said["Uid"].split(), [str(container.user)] * 4)
                self.assertEqual({said[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}, {"0" * 16})
                self.assertEqual((said["NoNewPrivs"], said["Seccomp"], said["NSpid"].split()[1]), ("1", "2", "1"))
                self.assertNotEqual(container.user, 0)

    def test_nothing_can_be_written_but_in_tmp(self):
        for service in SERVICES:
            with self.subTest(service):
                container = composition.containers[service]
                status, text = container.execute("sh", "-c", "touch /opt/rial/x /usr/x /etc/x; touch /tmp/x && rm /tmp/x")
                self.assertEqual((status, text.count("Read-only file system")), (0, 3))

    def test_a_service_reaches_its_dependencies_and_no_other_service(self):
        def reached(source, target, port):
            for network, address in composition.containers[target].addresses.items():
                run = subprocess.run(
                    ["ip", "netns", "exec", composition.containers[source].namespace, "bash", "-c", f"exec 3<>/dev/tcp/{address}/{port}"],
                    capture_output=True, timeout=20)
                if run.returncode == 0:
                    return True
            return False

        for source in SERVICES:
            for target, port in {"postgres": 5432, "kafka": 9092, "s3": 8333}.items():
                self.assertTrue(reached(source, target, port), f"{source} → {target}")
            for target in SERVICES:
                if target != source:
                    self.assertFalse(reached(source, target, 9090), f"{source} → {target}")

    # Use

    def test_the_demo_and_its_page(self):
        started = time.monotonic()
        text = rial("demo")
        MEASURED.append(f"rial demo in its container: {time.monotonic() - started:.1f} s")
        self.assertIn("HIGH", text)
        identifier = re.search(r"/verify/([0-9a-f-]{36})", text)[1]
        status, page = self.get(f"{self.gateway()}/verify/{identifier}")
        self.assertEqual(status, 200)
        self.assertIn(b"<html", page)
        # The share card needs the assembler's fonts and libraries.
        card = re.search(rb'property="og:image" content="[^"]*?(/[^"/][^"]*)"', re.sub(rb"https?://[^/]+", b"", page))
        status, image = self.get(self.gateway() + card[1].decode().replace("&amp;", "&"))
        self.assertEqual((status, image[:8]), (200, b"\xff\xd8\xff\xe0\x00\x10JF"))
        assembler = composition.containers["evidence-assembler"]
        self.assertNotIn("Fontconfig", assembler.log())

    def test_a_file_is_verified_and_the_inspector_is_shut_in(self):
        rial("scene", "room", "--out", "/var/lib/rial/operator/room", "--size", "640x480")
        photo = FOLDER / "volumes/operator-data/room/photo.jpg"
        sent = json.loads(rial(
            "capture", "send", "--json", "--photo", "room/photo.jpg", "--depth", "room/depth.f32.gz", "--width", "256", "--height", "192"))
        identifier = sent["capture_id"]

        def copy():
            shown = json.loads(self.get(f"{self.gateway()}/api/v1/captures/{identifier}")[1])["data"]
            link = (shown.get("c2pa_media_url") or shown.get("c2pa_url")) if shown["status"] == "complete" else None
            return link and self.get(self.gateway() + re.sub(r"^https?://[^/]+", "", link))[1]

        signed = FOLDER / "signed.jpg"
        signed.write_bytes(until(copy, "the signed copy"))
        found = json.loads(rial("verify", "--json", "/tmp/photo.jpg", volumes=[(photo, "/tmp/photo.jpg")]))
        self.assertIn(identifier, json.dumps(found))
        changed = FOLDER / "changed.jpg"
        content = bytearray(signed.read_bytes())
        content[-100] ^= 1
        changed.write_bytes(content)
        with Watcher(composition.containers["gateway"], "c2pa-inspector") as watcher:
            found = json.loads(self.verify_from_outside(changed))
        self.assertIn("dataHash.mismatch", json.dumps(found))
        watcher.check(self, processes=0)

    def verify_from_outside(self, file):
        return output(
            "curl", "-sS", "--fail-with-body", "-F", f"file=@{file}", f"{self.gateway()}/api/v1/verify-file")

    def test_videos_and_their_decoder_is_shut_in(self):
        outside = os.environ | {
            "RIAL_PUBLIC_URL": self.gateway(), "RIAL_DEVELOPMENT_ROOT_DIR": str(FOLDER / "volumes/trial"),
            "RIAL_DEVICE_STATE": str(FOLDER / "phone.json"), "RIAL_APP_ATTEST_ENVIRONMENT": "development"}
        program = os.environ["RIAL_CLI"]
        for codec in ("h264", "hevc"):
            folder = FOLDER / f"video-{codec}"
            output(
                program, "video", "record", "--scene", "room", "--seconds", "4", "--size", "320x240", "--codec", codec, "--out", folder,
                env=outside)
            with Watcher(composition.containers["depth-analyzer"], "video-decoder") as watcher:
                report = output(program, "video", "send", folder, "--watch", env=outside)
            self.assertRegex(report, r"(?m)^confidence +HIGH$")
            watcher.check(self, processes=0)
            identifier = re.findall(r"(?m)^capture +([0-9a-f-]{36})$", report)[-1]
            shown = self.get(f"{self.gateway()}/api/v1/captures/{identifier}")[1].decode()
            # A smaller copy for browsers, of what they cannot play, which the image's own libavcodec encodes.
            self.assertEqual("playback.mp4" in shown, codec == "hevc")

    def test_the_public_log_is_sound(self):
        monitor = composition.containers["monitor"]
        policy = (FOLDER / "volumes/log-policy/policy").read_text()
        shard = re.findall(r"(?m)^log \S+ .*/log/(\S+)/$", policy)[-1]
        rial("log", "monitor", f"http://gateway:8080/log/{shard}/", "--policy", "/var/lib/rial/policy/policy", "--state", "/tmp/state", "--once")
        self.assertTrue(monitor.running, monitor.log()[-500:])
        self.assertIn(": open;", rial("log", "status"))

    def test_an_operator_has_the_commands_of_the_documents(self):
        run("migrate")
        rial("admin", "backup-check")
        rial("admin", "damage")
        self.assertEqual(json.loads(rial("dlq", "list", "--json") or "[]"), [])
        # The log's own program runs, and leaves a log that is written alone.
        status, printed, said = composition.run("rial", "log", "recover", environment=BROKER)
        self.assertEqual(status, 2, said)
        self.assertIn("An instance of transparency-log writes the log.", printed)

    # Scaling

    def test_three_analyzers_share_the_work(self):
        for number in (2, 3):
            start_service("depth-analyzer", name=f"depth-analyzer-{number}")
        names = ["depth-analyzer", "depth-analyzer-2", "depth-analyzer-3"]
        for name in names[1:]:
            composition.containers[name].await_health()
        # A new member has work once the group has been divided again.
        handled = r"rial_records_handled_total\{.*outcome=\"done\""
        before = {name: self.metrics(name, handled) for name in names}
        report = json.loads(rial("soak", "--rate", "4", "--seconds", "25", "--devices", "6", "--drain", "120", seconds=240))
        work = {name: self.metrics(name, handled) - before[name] for name in names}
        MEASURED.append(f"three depth-analyzers shared {report.get('accepted')} captures: {', '.join(f'{each:.0f}' for each in work.values())}")
        self.assertTrue(all(work.values()), work)
        for name in names[1:]:
            composition.containers[name].stop()


class TokenTests(Running):
    def test_a_token_signs_in_the_place_of_the_key_in_a_file(self):
        pin = SECRETS / "c2pa_pkcs11_pin"
        pin.write_text(os.urandom(8).hex())
        pin.chmod(0o444)
        composition.containers["evidence-assembler"].stop()
        composition.configuration = compose.load(ROOT, "docker-compose.trial.yml", "docker-compose.softhsm.yml", **SETTINGS)
        # The second time there is nothing to do.
        for _ in range(2):
            run("token")
        start_service("evidence-assembler").await_health()
        self.assertEqual(self.metrics("evidence-assembler", "rial_signing_key_in_file "), 0)
        self.assertIn("HIGH", rial("demo"))


class Watcher:
    """Looks for a program among a container's processes, and keeps what the kernel says of the first that it sees."""

    def __init__(self, container, program):
        self.container, self.program, self.seen = container, program, None
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.ended.is_set():
            for process in self.container.processes():
                try:
                    if pathlib.Path(f"/proc/{process}/comm").read_text().strip() != self.program[:15]:
                        continue
                    status = pathlib.Path(f"/proc/{process}/status").read_text()
                    limits = pathlib.Path(f"/proc/{process}/limits").read_text()
                except OSError:
                    continue
                filters = int((re.search(r"Seccomp_filters:\t(\d+)", status) or [0, 0])[1])
                if self.seen is None or filters > self.seen[0]:
                    self.seen = filters, status, limits
            self.ended.wait(0.002)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def check(self, test, processes):
        test.assertIsNotNone(self.seen, f"{self.program} was at work")
        filters, status, limits = self.seen
        said = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        # Docker's filter, and the program's own.
        test.assertGreaterEqual(filters, 2)
        test.assertEqual((said["Uid"].split()[0], said["CapEff"], said["NoNewPrivs"]), ("10001", "0" * 16, "1"))
        test.assertRegex(limits, rf"(?m)^Max processes +{processes} ")


class EndTests(unittest.TestCase):
    """The last: everything is ended."""

    def test_each_ends_within_its_grace(self):
        running = [name for name in (*SERVICES, "witness-1", "witness-2", "monitor", "s3", "kafka", "postgres") if composition.containers[name].running]
        self.assertEqual(len(running), 12)
        peaks = {name: composition.containers[name].limits.peak() for name in SERVICES}
        MEASURED.append("most memory: " + ", ".join(f"{name} {peak / 1e6:.0f} MB" for name, peak in peaks.items()))
        with concurrent.futures.ThreadPoolExecutor(len(running)) as pool:
            parts = running[:-3]
            took = dict(zip(parts, pool.map(lambda name: composition.containers[name].stop(), parts)))
        for name in parts:
            with self.subTest(name):
                status = composition.containers[name].process.returncode
                self.assertIn(status, (0,) if name in SERVICES else (0, 143, -15), composition.containers[name].log()[-500:])
        MEASURED.append("ended after SIGTERM: " + ", ".join(f"{name} {took[name]:.2f} s" for name in SERVICES))
        for name in running[-3:]:
            composition.containers[name].stop()

    def test_no_log_has_a_password(self):
        secret = {
            each.name: each.read_text().strip() for each in SECRETS.iterdir()
            if re.match(r"(rial_|postgres_owner_password|kafka_password_|c2pa_pkcs11_pin|s3_secret_access_key|s3_access_key_id|link_key|admin_token|.*private_key|s3_internal_key)", each.name)}
        self.assertGreater(len(secret), 30)
        logs = list((FOLDER / "logs").iterdir())
        self.assertGreater(len(logs), 20)
        for file in logs:
            text = file.read_text(errors="replace")
            for name, value in secret.items():
                # Of a key in PEM its first line of base64.
                value = value.splitlines()[1] if value.startswith("-----") else value
                self.assertNotIn(value, text, f"{name} in {file.name}")

    def test_logs_are_json(self):
        for service in SERVICES:
            with self.subTest(service):
                lines = composition.containers[service].log().splitlines()
                self.assertGreater(len(lines), 1)
                for line in lines:
                    self.assertIn("level", json.loads(line), line)


def load_tests(loader, _tests, _pattern):
    """In this order: what runs needs what was started."""
    suite = unittest.TestSuite()
    for case in (ImageTests, StartTests, RunningTests, TokenTests, EndTests):
        suite.addTests(loader.loadTestsFromTestCase(case))
    return suite


if __name__ == "__main__":
    try:
        unittest.main(testRunner=unittest.TextTestRunner(verbosity=2, resultclass=TimedResult, failfast="--failfast" in sys.argv), exit=True)
    finally:
        print("\n".join(["measured:", *MEASURED]))
