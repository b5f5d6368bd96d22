"""Third-party images are named once, with a version, and can be pinned to digests for production."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import dockerfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGEST = "sha256:" + "0123456789abcdef" * 4
# A stand-in for docker: pulls nothing and returns the same digest for every image.
DOCKER = f"""#!/bin/sh
case "$1 $2" in
"pull --quiet") echo pulled "$3" >>"$PULLED" ;;
"image inspect") echo "registry.example/some@{DIGEST}" ;;
*) exit 1 ;;
esac
"""


class ImageTests(unittest.TestCase):
    def run_script(self, folder, *arguments):
        environment = os.environ | {
            "PATH": f"{folder}:{os.environ['PATH']}", "RIAL_ENV_FILE": f"{folder}/.env", "PULLED": f"{folder}/pulled"}
        return subprocess.run(
            [ROOT / "deploy/pin-images.sh", *arguments], env=environment, capture_output=True, text=True)

    def test_every_third_party_image_can_be_pinned(self):
        images = re.findall(r"(?m)^    image: (.+)$", (ROOT / "docker-compose.yml").read_text())
        self.assertGreater(len(images), 10)
        for image in images:
            self.assertRegex(image, r"^(rial/\S+:\$\{RIAL_VERSION:-.+\}|\$\{RIAL_IMAGE_[A-Z0-9]+:-[^:}]+:[^}]+\})$")
        # Each stage is made from one of the two, or from a stage before it.
        stages = set()
        for image, stage in re.findall(r"(?m)^FROM (\S+) AS (\S+)$", (ROOT / "deploy/Dockerfile").read_text()):
            self.assertIn(image, {"${SWIFT_IMAGE}", "${RUNTIME_IMAGE}"} | stages)
            stages.add(stage)
        self.assertGreater(len(stages), 10)

    def test_unpinned_images_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            docker = pathlib.Path(folder) / "docker"
            docker.write_text(DOCKER)
            docker.chmod(0o755)
            settings = pathlib.Path(folder) / ".env"
            settings.write_text("RIAL_PUBLIC_URL=https://rial.example\n")
            self.assertEqual(self.run_script(folder, "--check").returncode, 1)
            for _ in range(2):
                self.assertEqual(self.run_script(folder).returncode, 0)
            self.assertEqual(self.run_script(folder, "--check").returncode, 0)
            lines = settings.read_text().splitlines()
            self.assertIn("RIAL_PUBLIC_URL=https://rial.example", lines)
            pinned = dict(line.split("=", 1) for line in lines if line.startswith("RIAL_IMAGE_"))
            self.assertEqual(len(pinned), 5)
            self.assertEqual(len(lines), 6)
            self.assertTrue(all(value.endswith(f"@{DIGEST}") for value in pinned.values()))
            # A version other than the tested one, or an invalid digest.
            for change in (("16.13", "16.12"), (DIGEST, "sha256:0")):
                settings.write_text("\n".join(lines).replace(*change))
                self.assertEqual(self.run_script(folder, "--check").returncode, 1)

    def build(self, engines, *arguments, **settings):
        """Runs build-images.sh with stand-ins for the engines; returns its run and the builds that they were asked for."""
        with tempfile.TemporaryDirectory() as folder:
            for engine in ("docker", "buildah"):
                program = pathlib.Path(folder) / engine
                # What is not there fails as a daemon does that does not run, or is not found.
                works = engine in engines
                program.write_text(f'#!/bin/sh\ncase $1 in build) echo {engine} "$@" >>{folder}/builds ;; *) [ {int(works)} = 1 ] && echo 1 MB ;; esac\n')
                if works or engine == "docker":
                    program.chmod(0o755)
            environment = {name: value for name, value in os.environ.items() if not name.startswith("RIAL_")} | settings
            path = folder if "buildah" in engines else f"{folder}:/usr/bin:/bin"
            run = subprocess.run(
                [ROOT / "deploy/build-images.sh", *arguments], env=environment | {"PATH": f"{path}:{os.environ['PATH']}"}, capture_output=True, text=True)
            builds = pathlib.Path(folder) / "builds"
            return run, builds.read_text().splitlines() if builds.exists() else []

    def test_all_targets_are_built_by_either_engine(self):
        revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip() or "unknown"
        version = re.search(r'version = "([\d.]+)"', (ROOT / "Shared/CaptureProtocol/Product.swift").read_text())[1]
        for engines, engine in ((["docker", "buildah"], "docker build"), (["buildah"], "buildah build --layers")):
            run, builds = self.build(engines, RIAL_IMAGE_RUNTIME="debian@sha256:0")
            self.assertEqual(run.returncode, 0, run.stderr)
            stages = dockerfile.stages((ROOT / "deploy/Dockerfile").read_text())
            images = [name for name in stages if any(word == "ENTRYPOINT" for word, _ in stages[name][1])]
            self.assertEqual([re.search(r"--target (\S+)", line)[1] for line in builds], images)
            for image, line in zip(images, builds):
                self.assertTrue(line.startswith(engine), line)
                self.assertIn(f"--tag rial/{image}:{version} ", line)
                self.assertIn(f"VERSION={version} --build-arg REVISION={revision}", line)
                self.assertIn("RUNTIME_IMAGE=debian@sha256:0", line)

    def test_some_targets_with_options_of_the_engine(self):
        run, builds = self.build(["buildah"], "rial", "--", "--pull-never", RIAL_VERSION="2")
        self.assertEqual((run.returncode, len(builds)), (0, 1))
        self.assertTrue(builds[0].startswith("buildah build --layers --pull-never "))
        self.assertIn("--tag rial/rial:2 ", builds[0])
        run, builds = self.build(["docker"], "unknown")
        self.assertEqual((run.returncode, builds), (1, []))
        self.assertIn("there is no target", run.stderr)

    def test_settings_are_neither_committed_nor_built_in(self):
        self.assertIn(".env", (ROOT / ".gitignore").read_text().split())
        self.assertTrue(dockerfile.is_ignored((ROOT / ".dockerignore").read_text(), ".env"))


if __name__ == "__main__":
    unittest.main()
