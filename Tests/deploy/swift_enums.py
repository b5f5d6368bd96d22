"""The words of Swift's enums: the raw values of each `enum NAME: String`."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECLARATION = re.compile(
    r"^( *)(?:(?:public|package|private|fileprivate|indirect|final|nonisolated|@\w+) )*(enum|struct|class|actor|extension) ([\w.]+)([^{\n]*)\{(.*)$",
    re.M)


def swift(*folders):
    """(path, text without comments) of each source."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.swift")):
            yield path.relative_to(ROOT).as_posix(), re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)


def cases(text, declaration):
    """[(case, word)] of an enum of strings."""
    indent, rest = declaration[1], declaration[5].rstrip()
    if rest.endswith("}"):
        lines = re.findall(r"case ([^}]*)", rest)
    else:
        inside = text[declaration.end():re.compile(rf"^{indent}\}}", re.M).search(text, declaration.end()).start()]
        lines = re.findall(rf"^{indent}    case (\w[^:(\n]*)$", inside, re.M)
    return [(case, word or case) for line in lines for case, word in re.findall(r'(\w+)(?: = "([^"]*)")?(?:, |\s*$)', line)]


def derived(text, declaration, found):
    """[(case, word)] of an enum whose raw values are those of another enum's cases; empty if it is none."""
    inside = text[declaration.end():re.compile(r"^\}", re.M).search(text, declaration.end()).start()]
    other = re.search(r"var \w+: (\w+) \{\s*switch self \{((?:\s*case \.\w+: \.\w+$)+)", inside, re.M)
    words = dict(found[other[1]][1]) if other and other[1] in found else {}
    return [(case, words[same]) for case, same in re.findall(r"case \.(\w+): \.(\w+)", other[2])] if words else []


def enums(*folders):
    """{name, after those of its outer types: (path, [(case, word)])}."""
    found, others = {}, []
    for path, text in swift(*folders):
        outer = []
        for declaration in DECLARATION.finditer(text):
            indent, kind, name, conformances, _ = declaration.groups()
            outer = [(column, other) for column, other in outer if column < len(indent)] + [(len(indent), name)]
            full = ".".join(other for _, other in outer)
            if kind == "enum" and re.match(r": String\b", conformances):
                found[full] = (path, cases(text, declaration))
            elif kind == "enum" and re.match(r": RawRepresentable\b", conformances):
                others.append((full, path, text, declaration))
    for full, path, text, declaration in others:
        found[full] = (path, derived(text, declaration, found))
    return found
