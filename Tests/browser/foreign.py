"""Photos with foreign Content Credentials, signed with the C2PA library that scripts/setup.sh unpacks."""

import io
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAF = """basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=critical,emailProtection
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
"""
ROOT_EXTENSIONS = """basicConstraints=critical,CA:TRUE
keyUsage=critical,keyCertSign,cRLSign
subjectKeyIdentifier=hash
"""


def library():
    """The module `c2pa`. Raises an error if the wheel is missing."""
    found = sorted((ROOT / ".local/tools").glob("c2pa-python-*/c2pa/__init__.py"))
    if not found:
        raise RuntimeError("the C2PA library for Python is not in .local/tools: run scripts/setup.sh --tests")
    folder = str(found[-1].parents[1])
    if folder not in sys.path:
        sys.path.append(folder)
    import c2pa
    return c2pa


def _openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr.strip()}")


def _subject(organisation, name):
    escaped = "".join("\\" + each if each in "/+\\" else each for each in organisation)
    return f"/O={escaped}/CN={name}"


class Authority:
    """A root and a signer issued by it, whose organisation may be any text of at most 64 characters."""

    def __init__(self, folder, organisation="Example Press", days=2):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("root", "leaf"):
            _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self._file(f"{name}.key"))
        self._certificate("root", _subject("Test authority", "Test root"), ROOT_EXTENSIONS, "root", 3)
        self._certificate("leaf", _subject(organisation, "Signer"), LEAF, "root", days)
        self.root_pem = self._file("root.pem").read_text()
        self.chain = self._file("leaf.pem").read_bytes() + self._file("root.pem").read_bytes()

    def _file(self, name):
        return self.folder / name

    def _certificate(self, name, subject, extensions, issuer, days):
        request, wanted = self._file(f"{name}.csr"), self._file(f"{name}.ext")
        wanted.write_text(extensions)
        _openssl("req", "-new", "-utf8", "-subj", subject, "-key", self._file(f"{name}.key"), "-out", request)
        by = ["-signkey", self._file("root.key")] if name == issuer else ["-CA", self._file("root.pem"), "-CAkey", self._file("root.key")]
        _openssl(
            "x509", "-req", "-in", request, *by, "-set_serial", int.from_bytes(os.urandom(8), "big") >> 1, "-days", days, "-sha256",
            "-extfile", wanted, "-out", self._file(f"{name}.pem"))

    def sign(self, photo, title="A photo", generator="Example Camera", assertions=(), ingredients=()):
        """The JPEG with a manifest. `assertions`: [(label of ASCII without "/" and "=", object)]; `ingredients`: titles."""
        c2pa = library()
        definition = {
            "claim_generator_info": [{"name": generator, "version": "1"}], "title": title, "format": "image/jpeg",
            "assertions": [{"label": "c2pa.actions", "data": {"actions": [{
                "action": "c2pa.created",
                "digitalSourceType": "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"}]}}]
            + [{"label": label, "data": data} for label, data in assertions],
        }
        info = c2pa.C2paSignerInfo(alg=b"es256", sign_cert=self.chain, private_key=self._file("leaf.key").read_bytes(), ta_url=None)
        target = io.BytesIO()
        with c2pa.Builder(json.dumps(definition)) as builder:
            for each in ingredients:
                builder.add_ingredient(json.dumps({"title": each, "relationship": "componentOf"}), "image/jpeg", io.BytesIO(photo))
            builder.sign(c2pa.Signer.from_info(info), "image/jpeg", io.BytesIO(photo), target)
        return target.getvalue()


def damaged(signed):
    """Changes the last byte of the picture's data, so that the hard binding does not match."""
    changed = bytearray(signed)
    changed[-20] ^= 1
    return bytes(changed)


def unreadable(signed):
    """Truncates the manifest's box in the middle; the picture is complete."""
    start = signed.index(b"\xff\xeb")
    length = int.from_bytes(signed[start + 2:start + 4], "big")
    inside = bytearray(signed[start + 4:start + 2 + length])
    inside[60:] = os.urandom(len(inside) - 60)
    return signed[:start + 4] + bytes(inside) + signed[start + 2 + length:]


def elsewhere(photo, address):
    """The JPEG with XMP that refers to a remote manifest."""
    xmp = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
        f'rdf:about="" xmlns:dcterms="http://purl.org/dc/terms/" dcterms:provenance="{address}"/></rdf:RDF></x:xmpmeta>')
    segment = b"http://ns.adobe.com/xap/1.0/\0" + xmp.encode()
    return photo[:2] + b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment + photo[2:]
