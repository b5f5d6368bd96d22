"""Crawls everything on the site that links lead to, and searches the responses for secrets."""

import base64
import concurrent.futures
import contextlib
import dataclasses
import html
import http.client
import json
import re
import struct
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zlib

LIMIT = 3000
IN_MARKUP = re.compile(r"""\b(href|src|action|content|data-events)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
IN_SETS = re.compile(r'\b(?:srcset|imagesrcset)\s*=\s*"([^"]*)"')
IN_STYLES = re.compile(r"""url\(\s*['"]?([^'")]+)""")
IN_TEXT = re.compile(r"""["'`](\.{0,2}/[^"'`\s<>{}$]+|https?://[^"'`\s<>{}$]+)["'`]""")


@dataclasses.dataclass
class Answer:
    url: str
    status: int
    headers: dict
    body: bytes

    @property
    def kind(self):
        return self.headers.get("content-type", "").split(";")[0].strip()

    def texts(self):
        """The bytes as received, and in decoded form if something was encoded."""
        yield self.body
        head = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
        yield head.encode()
        yield urllib.parse.unquote_to_bytes(self.url)
        if self.kind in ("text/html", "image/svg+xml"):
            text = html.unescape(self.body.decode("utf-8", "replace"))
            yield text.encode()
            yield urllib.parse.unquote_to_bytes(text)
        elif self.kind.endswith("json"):
            yield json.dumps(json.loads(self.body), ensure_ascii=False).encode()
        elif self.body[:8] == b"\x89PNG\r\n\x1a\n":
            yield from _png_texts(self.body)


def _png_texts(body):
    """The content of a PNG's compressed chunks."""
    at = 8
    while at + 8 <= len(body):
        size, name = struct.unpack_from(">I4s", body, at)
        chunk = body[at + 8:at + 8 + size]
        if name in (b"zTXt", b"iTXt", b"iCCP"):
            for start in range(min(len(chunk), 100)):
                try:
                    yield zlib.decompress(chunk[start:])
                    break
                except zlib.error:
                    continue
        at += size + 12


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def get(url, **headers):
    """One response of any status. An event stream is read until a second without data after its first event."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    if urllib.parse.urlsplit(url).path.endswith("/events"):
        return _events(url, fields)
    try:
        answer = _opener.open(urllib.request.Request(url, headers=fields), timeout=20)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return Answer(url, answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read())


def _events(url, fields):
    """One response of an event stream, which counts as open for an address until the gateway has seen it end."""
    parts = urllib.parse.urlsplit(url)
    deadline = time.monotonic() + 30
    while True:
        body = b""
        with contextlib.closing(http.client.HTTPConnection(parts.netloc, timeout=30)) as connection:
            connection.connect()
            # The connection forgets its socket when the response is the last one on it.
            sock = connection.sock
            connection.request("GET", parts.path, headers=fields)
            with connection.getresponse() as answer:
                if answer.status == 429 and time.monotonic() < deadline:
                    time.sleep(0.2)
                    continue
                with contextlib.suppress(TimeoutError):
                    while len(body) < 1 << 20 and (piece := answer.read1(65536)):
                        body += piece
                        if b"event:" in body:
                            sock.settimeout(1)
                return Answer(url, answer.status, {name.lower(): value for name, value in answer.headers.items()}, body)


def _links(answer):
    """The addresses in a response, as written."""
    if "location" in answer.headers:
        yield answer.headers["location"]
    for link in re.findall(r"<([^>]+)>", answer.headers.get("link", "")):
        yield link
    if not (answer.kind.startswith("text/") or answer.kind.endswith(("json", "javascript", "xml", "svg+xml"))):
        return
    text = answer.body.decode("utf-8", "replace")
    if answer.kind.endswith("json"):
        for value in values(json.loads(text)):
            if isinstance(value[1], str) and re.match(r"https?://|/", value[1]):
                yield value[1]
    for attribute, *found in IN_MARKUP.findall(text):
        link = html.unescape("".join(found))
        if attribute != "content" or re.match(r"https?://|/", link):
            yield link
    for found in IN_SETS.findall(text):
        for candidate in html.unescape(found).split(","):
            yield candidate.strip().split(" ")[0]
    yield from IN_STYLES.findall(text)
    if not answer.kind.endswith(("html", "json")):
        yield from IN_TEXT.findall(text)
    yield from re.findall(r"^(?:Sitemap|Allow|Disallow):\s*(\S+)", text, re.M)


def values(node, path=()):
    """(path, value) of all members and elements of JSON, including objects."""
    yield path, node
    if isinstance(node, dict):
        for name, each in node.items():
            yield from values(each, (*path, name))
    elif isinstance(node, list):
        for number, each in enumerate(node):
            yield from values(each, (*path, number))


def crawl(origin, starts, headers=({},)):
    """All responses below `origin` that can be reached, by address and index of the request's headers."""
    answers, known = {}, {urllib.parse.urljoin(origin, start) for start in starts}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        new = sorted(known)
        while new:
            wanted = [(url, number) for url in new for number in range(len(headers))]
            if len(answers) + len(wanted) > LIMIT:
                raise AssertionError(f"the site has no end: {new[:10]}")
            found = dict(zip(wanted, pool.map(lambda each: get(each[0], **headers[each[1]]), wanted)))
            answers |= found
            new = sorted({target for answer in found.values() for target in _targets(answer, origin)} - known)
            known.update(new)
    return answers


def _targets(answer, origin):
    """The links of a response that stay below `origin`, as absolute addresses."""
    for link in _links(answer):
        try:
            target = urllib.parse.urldefrag(urllib.parse.urljoin(answer.url, link)).url
        except ValueError:
            continue
        if target.startswith(origin + "/") and re.fullmatch(r"[\x21-\x7e]+", target):
            yield target


def number_forms(value, name):
    """A precise number as text (three decimals or more) and in binary form."""
    forms = set()
    for places in range(3, 8):
        for text in (f"{abs(value):.{places}f}", str(int(abs(value) * 10**places) / 10**places)):
            if len(text.split(".")[1]) >= 3:
                forms |= {text, text.replace(".", ","), text.replace(".", "%2E")}
    binary = {struct.pack(form, sign * value) for form in ("<d", ">d") for sign in (1, -1)}
    return [(f"{name} {text}", text.encode()) for text in sorted(forms)] + [(f"{name} in binary", each) for each in binary]


def degree_forms(value, name):
    """Degrees, minutes and seconds as text and in EXIF's format."""
    degrees, rest = divmod(abs(value) * 60, 60)
    degrees, minutes, seconds = int(degrees), int(rest), (rest - int(rest)) * 60
    texts = [
        f"{degrees}{d}{space}{minutes:{pad}}{m}{space}{int(seconds):{pad}}"
        for d in ("°", "º", " deg", "d", ",") for m in ("'", "′", "m", ",") for space in ("", " ") for pad in ("", "02")
    ] + [f"{degrees},{rest:.{places}f}"[:-1] for places in range(3, 7)]
    # GPSLatitude: three rationals.
    binary = [struct.pack(form, degrees, 1, minutes, 1) for form in (">IIII", "<IIII")]
    return [(f"{name} {text}", text.encode()) for text in texts] + [(f"{name} as EXIF", each) for each in binary]


def bytes_forms(value, name, raw=True):
    """Bytes in hex and base64, and raw."""
    plain, safe = base64.b64encode(value).rstrip(b"="), base64.urlsafe_b64encode(value).rstrip(b"=")
    forms = {value.hex().encode(), value.hex().upper().encode(), plain, safe} | ({value} if raw else set())
    if len(value) == 16:
        text = str(uuid.UUID(bytes=value))
        forms |= {text.encode(), text.upper().encode()}
    return [(name, each) for each in sorted(forms)]


def piece_forms(content, name, size=48):
    """Parts of a file that another file with the same meaning would not contain."""
    starts = {len(content) * share // 8 for share in range(1, 8)}
    pieces = {content[start:start + size] for start in starts if len(set(content[start:start + size])) > 8}
    return [(f"a piece of {name}", each) for each in sorted(pieces)]


def untimed(content):
    """The bytes without times of day: seconds such as 45.764 would be taken for a place."""
    return re.sub(rb"T\d\d:\d\d:\d\d(?:\.\d+)?Z", b"", content)


def leaks(answers, secrets):
    """[(secret, place)] for every secret found in a response. `secrets`: [(name, bytes)]"""
    found = []
    for answer in answers:
        texts = [untimed(text) for text in answer.texts()]
        found += [(name, answer.url) for name, secret in secrets if any(secret in text for text in texts)]
    return sorted(set(found))
