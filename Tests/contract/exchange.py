"""Requests to the gateway and their responses, as transferred."""

import dataclasses
import http.client
import json
import urllib.parse

TIMEOUT = 60


@dataclasses.dataclass
class Exchange:
    """One request and its response; header names in lower case."""

    method: str
    target: str
    request_headers: dict
    request_body: bytes
    status: int
    headers: dict
    body: bytes

    @property
    def media_type(self):
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The error code, in either error format; None if there is none."""
        if not self.body or not self.media_type.endswith("json"):
            return None
        try:
            body = self.json
            return body["error"]["code"] if "error" in body else body.get("code")
        except (ValueError, TypeError, KeyError, AttributeError):
            return None  # Not a documented error format; the checker reports it.

    def __str__(self):
        return f"{self.method} {self.target[:120]} → {self.status} {self.code or ''} {self.body[:200]!r}"


class FinalResponse(http.client.HTTPResponse):
    """A response after any interim ones."""

    def _read_status(self):
        while True:
            version, status, reason = super()._read_status()
            if status >= 200 or status == 100:
                return version, status, reason
            http.client.parse_headers(self.fp)


class Server:
    """A gateway; all exchanges with it are kept in `log`, and passed to observers."""

    def __init__(self, url, log):
        self.url = url.rstrip("/")
        self.log = log
        parts = urllib.parse.urlsplit(self.url)
        self.secure = parts.scheme == "https"
        self.host, self.port = parts.hostname, parts.port or (443 if self.secure else 80)

    def connect(self):
        kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
        connection = kind(self.host, self.port, timeout=TIMEOUT)
        connection.response_class = FinalResponse
        return connection

    def send(self, method, target, headers=None, body=b"", chunked=False):
        """Sends one request and reads the whole response. `chunked` sends the body without a length."""
        given = {"Host": f"{self.host}:{self.port}", **(headers or {})}
        connection = self.connect()
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            names = {name.lower() for name in given}
            if chunked:
                given["Transfer-Encoding"] = "chunked"
            elif (body or method in ("POST", "PUT", "PATCH")) and "content-length" not in names:
                given["Content-Length"] = str(len(body))
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders()
            try:
                for start in range(0, len(body), 65536):
                    piece = body[start:start + 65536]
                    connection.send(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
                if chunked:
                    connection.send(b"0\r\n\r\n")
            except (BrokenPipeError, ConnectionResetError):
                pass  # The gateway responded before the end of the body.
            answer = connection.getresponse()
            lower = {}
            for name, value in answer.getheaders():
                lower[name.lower()] = f"{lower[name.lower()]}, {value}" if name.lower() in lower else value
            exchange = Exchange(
                method, target, {k.lower(): v for k, v in given.items()}, body, answer.status, lower, answer.read())
        finally:
            connection.close()
        self.log.append(exchange)
        return exchange

    def get(self, target, **headers):
        return self.send("GET", target, {name.replace("_", "-"): value for name, value in headers.items()})
