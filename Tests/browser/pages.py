"""All pages of the site, and the texts that each must contain."""

from dataclasses import dataclass

import world
from words import words


class Key(str):
    """A value that is a key of the string table."""


@dataclass
class Page:
    """`says` and `h1`: keys of strings, or (key, values)."""
    name: str
    path: str
    h1: object
    says: tuple = ()
    badge: str | None = None


PLAIN = [
    Page("landing", "/", "home.h1", ("home.note", "home.try", "home.limits", "site.foot")),
    Page("methodology", "/methodology", "how.h1", ("how.levels.high", "how.defeats.staged", "how.defeats.words", "how.stored.p2")),
    Page("verify-file", "/verify-file", "file.h1", ("file.zone.limits",)),
    Page("log", "/log", "log.h1", ("log.note", "log.what.p1", "log.follow.p1", "log.run.p1", "log.limits.p1")),
    Page("bundle", "/bundle", "bundle.h1", ("bundle.note",)),
    Page("missing", "/nothing-here", "err.404", ("err.404.more", "err.neutral", "err.file")),
]
CITY = ("fact.city", {"city": "Lyon, France"})
MODEL = ("fact.reported", {"model": "iPhone 15 Pro"})
EVIDENCE = ("note", "fact.checks", "ev.h", "cc.h", "ck.hardware", "ck.depth", "ck.time", "ck.model", "ck.size", "ck.location")
REAL = ("depth.real", "depth.real.is", "m.relief", "m.variance", "m.layers", "m.edges")
FLAT = ("depth.flat", "depth.flat.is", "depth.flat.not", "depth.flat.see")
RECORDS = {
    "high": ("h1.high", (*EVIDENCE, *REAL, CITY, MODEL, "hw.pass", "cc.out"), "high"),
    "development": ("dev.h1", (*EVIDENCE, *REAL, CITY, "dev.band", "hw.dev", "hw.dev.more"), "high"),
    "without_location": ("h1.high", (*EVIDENCE, "fact.noplace", "loc.none"), "high"),
    "portrait": ("h1.high", (*EVIDENCE, *REAL), "high"),
    "medium": ("h1.medium.device", (*EVIDENCE, *FLAT), "medium"),
    "low": ("h1.low", (*EVIDENCE, *FLAT, "hw.none", "cc.withheld.hardware"), "low"),
    "unverified": ("h1.low", (*EVIDENCE, "hw.unverified", "cc.withheld.hardware"), "low"),
    "suspicious": (
        ("h1.suspicious", {"check": Key("ck.model")}),
        (*EVIDENCE, "note.suspicious", "model.other.plain", "st.fail", "cc.withheld.suspicious"), "suspicious"),
    "unreadable": ("h1.medium.device", (*EVIDENCE, "cc.withheld.photo"), "medium"),
    "similar": ("h1.high", (*EVIDENCE, "similar", ("similar.why", {"n": 3}), "similar.this"), "high"),
    "processing": ("proc.h1", ("proc.steps", "proc.signature", "proc.credentials"), "proc"),
    "failed": ("failed.h1", ("failed.ours", "failed.todo"), "failed"),
    "hash_only": (
        "hash.h1", ("badge.hash", "hash.stored", "hash.device", "hash.known.file", "hash.unknown.shows", "hash.ask", "dp.device",
                    "cc.withheld.hash"), "high"),
    "hash_only_day": ("hash.h1", ("hash.stored", "time.day", "size.private", "dp.device"), "high"),
}


def every_page():
    """The static pages and a record of every state."""
    records = world.shared().records
    return PLAIN + [Page(name, records[name].path, *content) for name, content in RECORDS.items()]


def spoken(key, language):
    """The string for an item of `says`."""
    if isinstance(key, str):
        return words(key, language)
    values = {name: words(value, language) if isinstance(value, Key) else value for name, value in key[1].items()}
    return words(key[0], language, **values)
