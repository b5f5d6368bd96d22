"""Parses the sources: the gateway's routes, and the error codes with their statuses."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
GATEWAY = ROOT / "Services/gateway"
PROTOCOL = ROOT / "Shared/CaptureProtocol"
STATUSES = {
    "badRequest": 400, "unauthorized": 401, "forbidden": 403, "notFound": 404, "methodNotAllowed": 405, "conflict": 409, "gone": 410,
    "contentTooLarge": 413, "unsupportedMediaType": 415, "unprocessableContent": 422, "tooManyRequests": 429, "internalServerError": 500,
    "notImplemented": 501, "serviceUnavailable": 503,
}
# Where routes are added to the router.
REGISTRY = GATEWAY / "HTTP/Routes.swift"
ADDED = re.compile(r'\broutes\s*\.\s*(get|post|put|patch|delete|head|options)\s*\(\s*"([^"]+)"')
ADDED_OTHERWISE = re.compile(
    r"\broutes\s*\.\s*(?:get|post|put|patch|delete|head|options|on)\s*\((?!\s*\")"
    r"|\brouter\s*\.\s*(?:get|post|put|patch|delete|head|on|group|ws|addRoutes)\s*\(")


def paths():
    """{name: path} of the constants of APIPath."""
    found = {}
    for name, path in re.findall(r'static let (\w+) = "([^"]+)"', (PROTOCOL / "APIPath.swift").read_text()):
        found[name] = re.sub(r"\\\((\w+)\)", lambda other: found[other[1]], path)
    return found


def sources():
    """All sources but those of the site, whose pages are not part of the API; constants of APIPath are written out."""
    files = [file for file in sorted(GATEWAY.rglob("*.swift")) if GATEWAY / "Site" not in file.parents and file != REGISTRY]
    return {file: written_out(file.read_text(), paths()) for file in files}


def written_out(text, known):
    """A source with the values of APIPath in the place of its constants, in a literal or alone."""
    text = re.sub(r"\\\(APIPath\.(\w+)\)", lambda found: known.get(found[1], found[0]), text)
    return re.sub(r"\bAPIPath\.(\w+)\b(?!\()", lambda found: f'"{known[found[1]]}"' if found[1] in known else found[0], text)


def normal(path):
    """Parameters by position instead of name; wildcards in one notation."""
    return re.sub(r"\{[^}]+\}|:\w+|\*\*", "{}", path)


def added():
    """{(path, METHOD)} of the routes."""
    return {(path, method.upper()) for text in sources().values() for method, path in ADDED.findall(text)}


def unreadable():
    """Routes that are added in a form that this module cannot parse."""
    return [f"{file.name}: {found.group(0)}" for file, text in sources().items() for found in ADDED_OTHERWISE.finditer(text)]


def codes():
    """{code: status} of ErrorCode."""
    names = dict(re.findall(r'case (\w+) = "([A-Z_]+)"', (PROTOCOL / "ErrorCode.swift").read_text()))
    found = {}
    for cases, status in re.findall(r"case ((?:\.\w+(?:,\s*)?)+): \.(\w+)", (GATEWAY / "HTTP/ErrorCode+status.swift").read_text()):
        for case in re.findall(r"\.(\w+)", cases):
            found[names[case]] = STATUSES[status]
    return found
