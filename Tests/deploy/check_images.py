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
        compose = (ROOT / "docker-compose.yml").read_text()
        for image in re.findall(r"(?m)^    image: (.+)$", compose):
            self.assertRegex(image, r"^(rial/\S+:\$\{RIAL_VERSION:-.+\}|\$\{RIAL_IMAGE_[A-Z0-9]+:-[^:}]+:[^}]+\})$")
        for image in re.findall(r"(?m)^FROM (\S+) AS", (ROOT / "deploy/Dockerfile").read_text()):
            self.assertRegex(image, r"^(\$\{(SWIFT|RUNTIME)_IMAGE\}|runtime|runtime-c2pa)$")

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
            for change in (("16.9", "16.8"), (DIGEST, "sha256:0")):
                settings.write_text("\n".join(lines).replace(*change))
                self.assertEqual(self.run_script(folder, "--check").returncode, 1)

    def test_settings_are_neither_committed_nor_built_in(self):
        self.assertIn(".env", (ROOT / ".gitignore").read_text().split())
        self.assertTrue(dockerfile.is_ignored((ROOT / ".dockerignore").read_text(), ".env"))


if __name__ == "__main__":
    unittest.main()
