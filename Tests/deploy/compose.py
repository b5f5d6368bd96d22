"""Reads docker-compose.yml through compose itself, version 1 or 2."""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import tools


def _commands():
    if shutil.which("docker-compose"):
        yield ["docker-compose"]
    if shutil.which("docker"):
        yield ["docker", "compose"]


def load(root, *overrides, **settings):
    """The configuration with its defaults, without the caller's environment.

    `overrides` are further compose files, `settings` the operator's variables.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RIAL_", "COMPOSE_"))} | settings
    reasons = []
    with tempfile.NamedTemporaryFile(suffix=".env") as nothing:
        return _load(root, ["docker-compose.yml", *overrides], environment, nothing.name, reasons)


def _load(root, files, environment, env_file, reasons):
    with tempfile.TemporaryDirectory() as folder:
        for command in _commands():
            old = _is_version_1(command[0])
            names = [_for_version_1(root, file, folder) for file in files] if old else files
            base = command + ["--project-directory", str(root), "--env-file", env_file, "--profile", "tools"]
            base += [word for name in names for word in ("-f", name)] + ["config"]
            # Version 2 can print JSON, version 1 only YAML.
            for arguments in [base] if old else [base + ["--format", "json"], base]:
                run = subprocess.run(arguments, cwd=root, env=environment, capture_output=True, text=True)
                if run.returncode == 0 and run.stdout.lstrip().startswith("{"):
                    return json.loads(run.stdout)
                if run.returncode == 0 and "services:" in run.stdout:
                    return tools.documents(run.stdout)[0]
                reasons.append(f"{' '.join(arguments)}: {run.stderr.strip()}")
    raise RuntimeError("docker-compose.yml could not be read:\n" + "\n".join(reasons or ["docker-compose is not installed"]))


@functools.cache
def _is_version_1(program):
    if program != "docker-compose":
        return False
    return subprocess.run([program, "version", "--short"], capture_output=True, text=True).stdout.startswith("1.")


def _for_version_1(root, file, folder):
    """A copy without the two keys that version 1, which Debian 12 has, does not know. check_compose.py looks at them in the file itself."""
    copy = pathlib.Path(folder) / file
    copy.write_text(re.sub(r"(?m)^(name: .*|  start_interval: .*)\n", "", (pathlib.Path(root) / file).read_text()))
    return str(copy)


def listed(value):
    return [value] if isinstance(value, str) else value or []


def target_port(entry):
    """The container's port in a `ports` entry of the short or the long form."""
    if isinstance(entry, dict):
        return int(entry["target"])
    return int(str(entry).partition("/")[0].rpartition(":")[2])
