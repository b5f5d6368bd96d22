"""Runs each block of commands in README.md, then in docs/*.md, in a new shell that has only HOME, PATH and a device of its own.

    paste.py STACK      a running stack, in the place of the one that `make up` starts

Blocks of `make` are not run, what they name has to be there. ID becomes the capture that a block before has sent.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# In this order: docs/clients.md sends the capture that pages after it use.
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text, kind=""):
    """The fenced blocks: `console` has commands for another installation, which are not run; `text` is what files and answers look like."""
    for name, block in re.findall(r"(?ms)^```(\w*)\n(.*?)^```$", text):
        # Diagrams are indented.
        if name == kind and not block.startswith("  "):
            yield block


def missing(text):
    """Make targets, scripts and programs that the text names but that do not exist."""
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text()))
    code = re.findall(r"`([^`\n]+)`", text) + list(blocks(text))
    for piece in code:
        for target in re.findall(r"(?m)(?:^|[;&] ?)make ([a-z-]+)", piece):
            if target not in targets:
                yield f"make {target}"
        for path in re.findall(r"(?:^|[\s`])((?:scripts|deploy|Tests|docs|Services|Shared|Clients|Benchmarks|Fuzz)/[\w./-]*\w)", piece):
            if not (ROOT / path).exists():
                yield path
    elsewhere = re.findall(r"(?m)^rial ((?:[a-z-]+ ?)+)", "\n".join(blocks(text, "console")))
    for command in re.findall(r"`rial ((?:[a-z-]+ ?)+)", text) + elsewhere:
        words = command.split()
        while words:
            run = subprocess.run([ROOT / ".build/debug/rial", *words, "--help"], capture_output=True, text=True)
            if run.returncode == 0:
                break
            words.pop()
        if not words:
            yield f"rial {command}"


def paste(block, stack, folder, capture):
    block = block.replace(".local/stack.env", f".local/{stack}/stack.env")
    block = re.sub(r"/tmp/(?=\w)", f"{folder}/", block)
    block = re.sub(r"(?m)^(scripts/stack\.sh)", rf"STACK={stack} \1", block)
    block = re.sub(r"\bID\b", capture or "ID", block)
    script = pathlib.Path(folder) / "block"
    script.write_text(block)
    environment = {name: os.environ[name] for name in ("HOME", "PATH")}
    # Not the device of a stack in use.
    environment["RIAL_DEVICE_STATE"] = f"{folder}/device.json"
    return block, subprocess.run(
        ["bash", "-eo", "pipefail", script], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=180)


def main():
    stack = sys.argv[1]
    problems = []
    ran, capture = 0, None
    with tempfile.TemporaryDirectory() as folder:
        for page in PAGES:
            text = page.read_text()
            problems += [f"{page.name} names {what}, which is not there" for what in missing(text)]
            for block in blocks(text):
                if re.match(r"(make|docker|deploy/)", block):
                    continue
                # A block may use the capture that it has just sent.
                parts = [block]
                if " ID" in block and capture is None:
                    lines = block.splitlines(keepends=True)
                    cut = next(index for index, line in enumerate(lines) if " ID" in line)
                    parts = ["".join(lines[:cut]), "".join(lines[:2] + lines[cut:])]
                for part in parts:
                    pasted, run = paste(part, stack, folder, capture)
                    ran += 1
                    if run.returncode != 0:
                        problems.append(f"{page.name}: ended with {run.returncode}:\n{pasted}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
                    sent = re.search(r"(?m)^capture ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", run.stderr + run.stdout)
                    capture = capture or (sent and sent.group(1))
    if ran < 3:
        problems.append(f"the pages have only {ran} blocks of commands")
    for problem in problems:
        print(f"✘ {problem}")
    if problems:
        sys.exit(1)
    print(f"{ran} blocks of README.md and docs work in a new shell")


main()
