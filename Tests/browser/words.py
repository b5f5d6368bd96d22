"""The site's own table of words, as the pages print them."""

import functools
import json
import re

from world import ROOT


@functools.cache
def table():
    return json.loads((ROOT / "Shared/Site/Resources/strings.json").read_text())


def words(key, language="en", **values):
    """The text of a key. A badge's emphasis is left out."""
    text = table()[key][language].replace("*", "")
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def shown(text):
    """Text as a reader meets it: one line, plain spaces, no invisible isolates around untrusted words."""
    return re.sub(r"\s+", " ", re.sub("[\u2066-\u2069]", "", text)).strip()
