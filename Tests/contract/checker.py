"""Validates one exchange against the OpenAPI file."""

import base64
import hashlib
import json

from document import is_uuid

# Headers added by HTTP itself.
TRANSPORT = {"content-type", "content-length", "date", "connection", "transfer-encoding", "keep-alive"}


def operation_of(document, exchange):
    """(path, method, {status: response}); the path is None if the file does not document it, the method None if the path does not support
    it."""
    path = document.path_of(exchange.target)
    components = document.content["components"]["responses"]
    if path is None:
        return None, None, {404: components["NotFound"]}
    if exchange.method not in document.methods(path):
        return path, None, {405: components["MethodNotAllowed"]}
    return path, exchange.method, document.responses(path, exchange.method)


def problems(document, exchange):
    """The deviations of the response from the file, a sentence each."""
    path, method, responses = operation_of(document, exchange)
    if exchange.status not in responses:
        return [f"status {exchange.status} is not documented"]
    response = responses[exchange.status]
    found = _header_problems(document, exchange, response) + _body_problems(document, exchange, response)
    if method is None and path is not None and exchange.status == 405:
        allowed = set(exchange.headers.get("allow", "").split(", "))
        if allowed != document.methods(path):
            found.append(f"Allow says {sorted(allowed)}, the file {sorted(document.methods(path))}")
    given = exchange.request_headers.get("x-request-id", "")
    if is_uuid(given) and exchange.headers.get("x-request-id") != given.lower():
        found.append("X-Request-Id is not echoed")
    return found


def _header_problems(document, exchange, response):
    found, documented = [], set()
    for name, header in response.get("headers", {}).items():
        header = document.resolve(header)
        documented.add(name.lower())
        value = exchange.headers.get(name.lower())
        if value is None:
            if header.get("required"):
                found.append(f"header {name} is missing")
            continue
        found += [f"header {name}: {problem}" for problem in document.problems(header["schema"], value)]
    for name in sorted(set(exchange.headers) - documented - TRANSPORT):
        found.append(f"header {name} is not documented")
    return found


def _body_problems(document, exchange, response):
    content = response.get("content", {})
    if exchange.method == "HEAD":
        if exchange.body:
            return ["HEAD has a body"]
        return [] if not content or exchange.media_type in content else [f"content type {exchange.media_type!r} is not documented"]
    if not content:
        return ["a body is not documented"] if exchange.body else []
    begun = exchange.headers.get("upload-complete") == "?0" or exchange.headers.get("upload-incomplete") == "?1"
    if exchange.status == 201 and begun and not exchange.body:
        # Of an upload that only begins there is no capture yet.
        return []
    if exchange.media_type not in content:
        return [f"content type {exchange.media_type!r} is not documented"]
    media = content[exchange.media_type]
    if exchange.media_type.endswith("json"):
        return _json_problems(document, exchange, media["schema"])
    if exchange.media_type == "text/event-stream":
        return _event_problems(document, exchange, media["x-events"])
    if exchange.media_type.startswith("text/"):
        return document.problems(media["schema"], exchange.body.decode())
    digest = exchange.headers.get("content-digest")
    actual = f"sha-256=:{base64.b64encode(hashlib.sha256(exchange.body).digest()).decode()}:"
    return ["Content-Digest is not the body's"] if digest not in (None, actual) else []


def _json_problems(document, exchange, schema):
    try:
        body = exchange.json
    except ValueError:
        return ["the body is not JSON"]
    found = document.problems(schema, body)
    if found or not isinstance(body, dict):
        return found
    own = exchange.headers.get("x-request-id")
    if body.get("meta", {}).get("request_id", own) != own:
        found.append("meta.request_id is not X-Request-Id")
    if body.get("instance", f"urn:uuid:{own}") != f"urn:uuid:{own}":
        found.append("instance is not X-Request-Id")
    if "instance" in body and body.get("status") != exchange.status:
        found.append("the problem's status is another")
    return found


def events(body):
    """[(id, name, data)] of an event stream, without comments."""
    found = []
    for block in body.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if "data" in fields:
            found.append((fields.get("id"), fields.get("event"), fields["data"]))
    return found


def _event_problems(document, exchange, schemas):
    found = []
    for identifier, name, data in events(exchange.body):
        if name not in schemas:
            found.append(f"event {name} is not documented")
            continue
        if not identifier:
            found.append(f"event {name} has no id")
        try:
            found += [f"event {name}: {problem}" for problem in document.problems(schemas[name], json.loads(data))]
        except ValueError:
            found.append(f"event {name} is not JSON")
    return found
