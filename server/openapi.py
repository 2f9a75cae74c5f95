"""The OpenAPI 3.1 document, made from the records and the list of endpoints; and its page, GET /docs,
which works offline."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from server.endpoints import Endpoint
from server.errors import JSON
from server.records import INTERFACE_VERSION, TITLE, Health, HTTPValidationError

_REF = "#/components/schemas/{model}"
_LLM_ERRORS = {
    "403": "An LLM was requested on a public demo",
    "502": "The LLM provider failed",
    "503": "No LLM provider is configured",
    "504": "The LLM provider did not answer in time",
}
_ERRORS = {
    "413": "The body is too large",
    "415": "The body is compressed",
    "422": "The request violates a constraint",
    "500": "The server failed",
}
_GUESS_ERRORS = {"503": "Identifying the format of the message took too long"}
UNKNOWN_KEYS = "Keys that are not listed are ignored."


def document(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """The document for *endpoints* and `GET /health`."""
    paths: dict[str, Any] = {endpoint.path: {"post": _operation(endpoint)} for endpoint in endpoints}
    health = {"operationId": "health", "summary": "Is the service up?"}
    paths["/health"] = {"get": {**health, "responses": {"200": _content("Success", Health)}}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "version": INTERFACE_VERSION,
            "description": "For testing only: use test card numbers.",
        },
        "paths": paths,
        "components": {"schemas": _schemas(endpoints)},
    }


def _schemas(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    models: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = []
    for endpoint in endpoints:
        models += [(endpoint.request, "validation"), (endpoint.response, "serialization")]
    # Validation mode: an error entry omits `ctx` and `input` if it has none.
    models += [(HTTPValidationError, "validation"), (Health, "serialization")]
    _, definitions = models_json_schema(models, ref_template=_REF)
    schemas: dict[str, Any] = definitions["$defs"]
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            if field.get("default", ...) is None:  # remove a default of null
                del field["default"]
    return dict(sorted(schemas.items()))


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    errors = _ERRORS | (_LLM_ERRORS if endpoint.llm else {}) | (_GUESS_ERRORS if endpoint.guesses else {})
    responses = {"200": _content("Success", endpoint.response)}
    responses |= {status: _content(text, HTTPValidationError) for status, text in sorted(errors.items())}
    return {
        "operationId": endpoint.path.strip("/"),
        "summary": endpoint.summary,
        "description": endpoint.description,
        "requestBody": {
            "description": UNKNOWN_KEYS,
            "required": True,
            "content": {JSON: {"schema": _reference(endpoint.request), "example": endpoint.example}},
        },
        "responses": responses,
    }


def _content(text: str, record: type[BaseModel]) -> dict[str, Any]:
    return {"description": text, "content": {JSON: {"schema": _reference(record)}}}


def _reference(record: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=record.__name__)}


_PAGE = Path(__file__).with_name("page")


def page(document: dict[str, Any]) -> tuple[str, str]:
    """The HTML for an OpenAPI *document*, and its Content-Security-Policy: only the page's own style and
    script may run, and only this server may be called."""
    style, script = _read("docs.css"), _read("docs.js")
    html = _read("docs.html")
    # The document is data: "<" is escaped so that no text in it can close its script element.
    data = json.dumps(document).replace("<", "\\u003c")
    title = escape(document["info"]["title"])
    for mark, text in (("title", title), ("style", style), ("document", data), ("script", script)):
        html = html.replace(f"{{{{{mark}}}}}", text)
    allowed = {"default-src": "'none'", "style-src": _hash(style), "script-src": _hash(script)}
    allowed |= {"connect-src": "'self'", "base-uri": "'none'", "form-action": "'none'"}
    allowed |= {"frame-ancestors": "'none'"}
    return html, "; ".join(f"{name} {value}" for name, value in allowed.items())


def _read(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
