"""Programs and packages that scripts/setup.sh --tests installs for these tests, and YAML, which Python cannot read by itself."""

import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".local/tools"


def program(name, package):
    """The path of a program: the one in the Debian package that setup.sh unpacked, or else of this machine; None if there is neither."""
    unpacked = TOOLS / package / "usr/bin" / name
    return str(unpacked) if unpacked.exists() else shutil.which(name)


def environment_program(name):
    """The path of a program that a package of requirements.txt brings, or None."""
    found = TOOLS / "venv-deploy/bin" / name
    return str(found) if found.exists() else None


def documents(text):
    """The documents of a YAML text, by the first Python that can read it: Debian's python3-yaml is only for Debian's own."""
    script = "import json, sys, yaml; json.dump([one for one in yaml.safe_load_all(sys.stdin) if one is not None], sys.stdout)"
    for python in (sys.executable, "/usr/bin/python3", TOOLS / "venv-deploy/bin/python"):
        if pathlib.Path(python).exists():
            run = subprocess.run([python, "-c", script], input=text, capture_output=True, text=True)
            if run.returncode == 0:
                return json.loads(run.stdout)
            if "yaml.safe_load_all" in run.stderr or "yaml.scanner" in run.stderr or "yaml.parser" in run.stderr:
                raise ValueError(run.stderr.strip().splitlines()[-1])
    raise RuntimeError("python3-yaml is needed: apt-get install python3-yaml")


def put(node, path, value):
    """Sets what is at the end of a path of keys and indexes; None takes it away."""
    for key in path[:-1]:
        node = node[key]
    if value is None:
        node.pop(path[-1])
    else:
        node[path[-1]] = value
