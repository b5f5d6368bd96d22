"""Evidence bundles: the sample ones, and new ones by logs and witnesses of the tests' own, right or wrong in one thing."""

import atexit
import base64
import functools
import hashlib
import itertools
import json
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import zlib

import world

SAMPLES = world.ROOT.parent / "shared/data/tlog/bundle"
ORIGIN = "rial.example/log/2026"
SUBJECT = "36d5ece5ebe25a89905a187acb9416f3"
TIME = 1_793_534_402


def sample(name):
    return (SAMPLES / name).read_bytes()


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


# The one form of the archive

def archive(entries):
    """Of (name, content) pairs."""
    body, directory = b"", b""
    for name, content in entries:
        common = struct.pack("<HHHHHIIIHH", 10, 0, 0, 0, 0x21, zlib.crc32(content), len(content), len(content), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\3\4" + common + name.encode() + content
    count = len(entries)
    return body + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)


def entries(content):
    """The (name, content) pairs of a bundle in the one form."""
    found, at = [], 0
    while content[at:at + 4] == b"PK\3\4":
        size, length = struct.unpack("<I", content[at + 22:at + 26])[0], struct.unpack("<H", content[at + 26:at + 28])[0]
        start = at + 30 + length
        found.append((content[at + 30:start].decode(), content[start:start + size]))
        at = start + size
    return found


def changed(content, **changes):
    """A bundle with other contents; `changes` by parts of names, as `manifest=b"…"`, each a content or a function of the one before."""
    names = {part: [name for name, _ in entries(content) if part in name] for part in changes}
    assert all(len(found) == 1 for found in names.values()), names
    by_name = {found[0]: changes[part] for part, found in names.items()}
    return archive([(name, (by_name[name](each) if callable(by_name[name]) else by_name[name]) if name in by_name else each)
                    for name, each in entries(content)])


# Keys and notes

_numbers = itertools.count()


@functools.cache
def _folder():
    held = tempfile.mkdtemp(prefix="rial-keys-")
    atexit.register(shutil.rmtree, held)
    return pathlib.Path(held)


class Key:
    """An Ed25519 key of a log (kind 1) or a witness (kind 4)."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.file = _folder() / f"key-{next(_numbers)}.pem"
        self._openssl("genpkey", "-algorithm", "ed25519", "-out", self.file)
        self.public = self._openssl("pkey", "-in", self.file, "-pubout", "-outform", "DER")[-32:]
        self.material = bytes([kind]) + self.public
        self.id = sha256(name.encode() + b"\n" + self.material)[:4]

    @staticmethod
    def _openssl(*arguments):
        return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=30).stdout

    @property
    def text(self):
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(self.material).decode()}"

    def line(self, text, seconds=None):
        """A signature line, of a witness with its time."""
        message = text if self.kind == 1 else f"cosignature/v1\ntime {seconds}\n".encode() + text
        # openssl signs files only.
        told = self.file.with_suffix(".message")
        told.write_bytes(message)
        signature = self._openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.file, "-in", told)
        blob = self.id + (struct.pack(">Q", seconds) if self.kind == 4 else b"") + signature
        return f"— {self.name} {base64.b64encode(blob).decode()}\n".encode()


class Maker:
    """A log with three witnesses, of which two must have cosigned."""

    def __init__(self):
        self.log = Key(ORIGIN, 1)
        self.witnesses = [Key(f"witness.example/t{number}", 4) for number in range(3)]
        self.policy = self.policy_text("group ours 2 w0 w1 w2\nquorum ours\n")

    def policy_text(self, end):
        named = "".join(f"witness w{number} {key.text}\n" for number, key in enumerate(self.witnesses))
        return f"log {self.log.text}\n{named}{end}"

    def proof(self, statement, salt, seconds=TIME + 2, cosigners=(0, 1)):
        """The proof that a statement is entry 1 of a tree of two."""
        value = json.loads(statement)
        commitment = sha256(b"rial.statement/1\n", salt, statement).hex()
        leaf = f"rial.leaf/1\n{value['kind']}\n{value['time']}\n{value['subject']}\n{commitment}\n".encode()
        other = sha256(b"\0another leaf")
        root = sha256(b"\1", other, sha256(b"\0", leaf))
        text = f"{ORIGIN}\n2\n{base64.b64encode(root).decode()}\n".encode()
        lines = self.log.line(text) + b"".join(self.witnesses[each].line(text, seconds) for each in cosigners)
        head = f"c2sp.org/tlog-proof@v1\nextra {base64.b64encode(salt).decode()}\nindex 1\n{base64.b64encode(other).decode()}\n\n"
        return head.encode() + text + b"\n" + lines, commitment

    def bundle(self, *statements, extra=(), others={}, **signing):
        """Of statements with their evidence (`None` for a revocation); each gets `sequence` and `previous` unless it has them. `others` are
        makers whose logs have a statement instead of this one's, by its index."""
        found, previous = [("mimetype", b"application/vnd.rial.bundle.v1+zip")], None
        for index, (value, evidence) in enumerate(statements):
            value = {"sequence": index, **({"previous": previous} if index else {}), **value}
            statement = canonical(value)
            proof, previous = others.get(index, self).proof(statement, sha256(b"salt", bytes([index])), **signing)
            found += [(f"{index}/statement.json", statement), *([(f"{index}/evidence.json", evidence)] if evidence else []),
                      (f"{index}/proof.tlog-proof", proof)]
        return archive(found + list(extra))


def canonical(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


# Statements after the samples'

def evidence(kind="photo", mode="full", **statuses):
    """Evidence whose checks have other statuses: `hardware`, `depth`, `chain`, `time`, `model`, `size`, `location`."""
    value = json.loads(dict(entries(sample("example.rial")))["0/evidence.json"])
    places = {"hardware": value["hardware_attestation"], "depth": value["depth_analysis"], "time": value["metadata"]["timestamp"],
              "model": value["metadata"]["model"], "size": value["metadata"]["resolution"], "location": value["metadata"]["location"]}
    value["type"], value["media_stored"] = kind, mode == "full"
    if "chain" in statuses:
        places["chain"] = value["hash_chain"] = {}
    for name, status in statuses.items():
        places[name]["status"] = status
    return canonical(value)


def assessment(content=None, **members):
    """(the sample's statement with other members, its evidence)"""
    content = content or evidence()
    value = json.loads(dict(entries(sample("example.rial")))["0/statement.json"])
    del value["sequence"]
    return {**value, "evidence": sha256(content).hex(), **members}, content


def revocation(**members):
    first, _ = assessment()
    return {"type": "rial.statement/1", "kind": "revocation", "capture": first["capture"], "subject": SUBJECT, "time": TIME + 100,
            "reason": "device_revoked", **members}, None


def script_of(page):
    """The script that stands in a page."""
    return re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]
