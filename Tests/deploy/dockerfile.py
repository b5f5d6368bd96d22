"""Reads deploy/Dockerfile, and .dockerignore as Docker does."""

import re


def stages(text):
    """{stage: (what it is made from, [(instruction, arguments)])}, in their order; lines that go on are joined."""
    found, current = {}, None
    text = re.sub(r"(?m)^\s*#.*\n", "", text)
    for line in re.sub(r"\\\n", " ", text).splitlines():
        instruction, _, arguments = line.strip().partition(" ")
        if instruction == "FROM":
            base, _, current = arguments.partition(" AS ")
            found[current] = (base, [])
        elif current and instruction:
            found[current][1].append((instruction, arguments.strip()))
    return found


def chain(found, stage):
    """The instructions of a stage after those of the stages that it is made from."""
    base, own = found[stage]
    return (chain(found, base) if base in found else []) + own


def words(instructions):
    return {word for _, arguments in instructions for word in arguments.split()}


def _pattern(text):
    """A pattern as a regular expression: `*` and `?` stop at a slash, `**` does not."""
    out = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", text.strip("/")):
        out += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
    return re.compile(out + "(?:/.*)?")


def is_ignored(text, path):
    """Whether .dockerignore keeps a file out of the build: the last line decides that matches it or a folder that it is in."""
    ignored = False
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith("#") and _pattern(line.removeprefix("!")).fullmatch(path):
            ignored = not line.startswith("!")
    return ignored
