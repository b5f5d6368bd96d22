"""The site's string table, in the form that pages show."""

import functools
import json
import re

from world import ROOT


@functools.cache
def table():
    return json.loads((ROOT / "Shared/Site/Resources/strings.json").read_text())


def words(key, language="en", **values):
    """The string of a key, without the emphasis marks of badges."""
    text = table()[key][language].replace("*", "")
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def shown(text):
    """Normalises text as readers see it: one line, plain spaces, no invisible isolates around untrusted text."""
    return re.sub(r"\s+", " ", re.sub("[\u2066-\u2069]", "", text)).strip()
