"""docs/openapi.yaml: its descriptions of the operations, and validators for its schemas."""

import base64
import binascii
import datetime
import pathlib
import re
import urllib.parse
import uuid

import jsonschema
import referencing
import referencing.jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docs/openapi.yaml"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
CODE = re.compile(r"\b[A-Z]{2,}(?:_[A-Z]+)+\b|\b(?:GONE|FORBIDDEN)\b")
BASE = "urn:rial:openapi"

formats = jsonschema.FormatChecker(formats=())


@formats.checks("uuid")
def _is_uuid(value):
    return not isinstance(value, str) or bool(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value))


@formats.checks("date-time")
def _is_time(value):
    if not isinstance(value, str):
        return True
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", value):
        return False
    try:
        return bool(datetime.datetime.fromisoformat(re.sub(r"\.\d+", "", value).replace("Z", "+00:00")))
    except ValueError:
        return False


@formats.checks("uri")
def _is_address(value):
    if not isinstance(value, str):
        return True
    parts = urllib.parse.urlsplit(value)
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _encoding(_validator, encoding, value, _schema):
    """Validates contentEncoding, which JSON Schema only annotates: either alphabet of base64, padded or not."""
    if encoding != "base64" or not isinstance(value, str):
        return
    text = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        yield jsonschema.ValidationError(f"{value[:60]!r} is not base64")


_Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"contentEncoding": _encoding})


class Document:
    """The file, or a modified copy of its content."""

    def __init__(self, content=None):
        self.content = yaml.safe_load(FILE.read_text()) if content is None else content
        self.paths = self.content["paths"]
        resource = referencing.Resource(contents=self.content, specification=referencing.jsonschema.DRAFT202012)
        self.registry = referencing.Registry().with_resource(BASE, resource)

    def resolve(self, node):
        """Resolves a $ref; returns any other node unchanged."""
        while isinstance(node, dict) and "$ref" in node:
            target = self.content
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def operations(self):
        """[(path, method in capitals)]"""
        return [(path, method.upper()) for path, item in self.paths.items() for method in METHODS if method in item]

    def methods(self, path):
        """The methods of the path; GET implies HEAD."""
        named = {method.upper() for method in METHODS if method in self.paths[path]}
        return named | ({"HEAD"} if "GET" in named else set())

    def path_of(self, target):
        """The path template that matches a request's path, or None."""
        path = urllib.parse.urlsplit(target).path
        for template in sorted(self.paths, key=lambda one: one.count("{")):
            # Only this parameter has slashes.
            parts = [".+" if p == "{path}" else "[^/]+" if i % 2 else p for i, p in enumerate(re.split(r"(\{[^}]+\})", template))]
            if re.fullmatch("".join(parts), path):
                return template
        return None

    def responses(self, path, method):
        """{status: response}"""
        item = self.paths[path].get(method.lower()) or self.paths[path]["get"]
        return {int(status): self.resolve(response) for status, response in item["responses"].items()}

    def codes(self, response):
        """The possible error codes of a response: the most specific enum of each of its schemas."""
        found = set()

        def walk(node, name):
            if isinstance(node, dict):
                if name == "code" and "enum" in node:
                    found.update(node["enum"])
                for key, value in node.items():
                    walk(value, key)
            elif isinstance(node, list):
                for value in node:
                    walk(value, name)

        walk(response.get("content", {}), "")
        return found

    def problems(self, schema, value):
        """The violations of the schema by the value, a sentence each. References in the schema are relative to the file."""
        validator = _Validator(_absolute(schema), registry=self.registry, format_checker=formats)
        return [f"{'/'.join(map(str, e.absolute_path)) or 'body'}: {e.message[:300]}" for e in validator.iter_errors(value)]


def _absolute(node):
    """The schema with references that include the document's address."""
    if isinstance(node, dict):
        return {k: BASE + v if k == "$ref" and v.startswith("#") else _absolute(v) for k, v in node.items()}
    return [_absolute(one) for one in node] if isinstance(node, list) else node


def is_uuid(text):
    """Whether the gateway would accept it as a request id."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
