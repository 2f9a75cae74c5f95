"""GET /openapi.json and GET /docs describe the interface."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from typing import Any

import jsonschema
import pytest

from server.endpoints import ENDPOINTS
from server.openapi import document
from sim import operations

NETWORKS = ["VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB", "UNIONPAY"]
# Section by section as in the interface: record -> fields, required ones.
RECORDS: dict[str, tuple[list[str], list[str]]] = {
    "FieldValue": (["number", "name", "value"], ["number", "name", "value"]),
    "GenerateRequest": (
        [
            "amount_minor_units",
            "currency",
            "description",
            "message_type",
            "model",
            "network",
            "pan",
            "provider",
            "stan",
        ],
        [],
    ),
    "GenerateResponse": (
        ["message", "mti", "network", "fields", "source"],
        ["message", "mti", "network", "fields", "source"],
    ),
    "ExplainRequest": (["message", "llm", "model", "network", "provider", "version"], ["message"]),
    "ExplainResponse": (["fields", "mti", "source", "summary"], ["fields", "mti", "source", "summary"]),
    "ValidateRequest": (["message", "against", "network", "version"], ["message"]),
    "ValidateResponse": (["valid", "errors", "networks"], ["valid", "errors", "networks"]),
    "ParseRequest": (["message", "format", "version", "network", "interface"], ["message"]),
    "ParseResponse": (
        ["mti", "version", "network", "interface", "fields", "findings", "message", "format", "more"],
        ["mti", "version", "network", "interface", "fields", "findings", "message", "format", "more"],
    ),
    "WireRead": (["name", "framing", "confidence", "reasons"], ["name", "framing", "confidence", "reasons"]),
    "BuildRequest": (["mti", "fields", "version", "format"], ["mti", "fields"]),
    "BuildResponse": (
        ["message", "mti", "version", "format", "length"],
        ["message", "mti", "version", "format", "length"],
    ),
    "ConvertRequest": (
        ["message", "version", "target_version", "network", "interface"],
        ["message", "target_version"],
    ),
    "ConvertResponse": (
        ["message", "mti", "version", "fields", "notes", "lossless"],
        ["message", "mti", "version", "fields", "notes", "lossless"],
    ),
    "ConvertNote": (["number", "to", "action", "note"], ["number", "to", "action", "note"]),
    "HTTPValidationError": (["detail"], ["detail"]),
    "ValidationError": (["loc", "msg", "type", "ctx", "input"], ["loc", "msg", "type"]),
}
STATUSES = {
    "/generate": {"200", "403", "413", "415", "422", "500", "502", "503", "504"},
    "/explain": {"200", "403", "413", "415", "422", "500", "502", "503", "504"},
    "/validate": {"200", "413", "415", "422", "500"},
    "/parse": {"200", "413", "415", "422", "500", "503"},
    "/build": {"200", "413", "415", "422", "500"},
    "/convert": {"200", "413", "415", "422", "500", "503"},
}


@pytest.fixture(scope="module")
def spec(client: Any) -> dict[str, Any]:
    """The document as served."""
    answer = client("GET", "/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    made: dict[str, Any] = answer.json()
    return made


def test_document_is_made_from_the_endpoints(spec: dict[str, Any]) -> None:
    """The served document follows from the records and the list of endpoints."""
    assert spec == json.loads(json.dumps(document(ENDPOINTS)))
    assert spec["openapi"].startswith("3.1")
    assert spec["info"]["version"] == "1"


@pytest.mark.parametrize("name", RECORDS)
def test_record(spec: dict[str, Any], name: str) -> None:
    """Every record of the interface is listed by name, with its fields in order."""
    schema = spec["components"]["schemas"][name]
    fields, required = RECORDS[name]
    assert list(schema["properties"]) == fields
    assert sorted(schema.get("required", [])) == sorted(required)


def test_enumerations_and_constraints(spec: dict[str, Any]) -> None:
    """Allowed values, bounds, patterns and defaults are those of the interface."""
    schemas = spec["components"]["schemas"]
    assert schemas["CardNetwork"]["enum"] == NETWORKS
    assert schemas["ProtocolVersion"]["enum"] == ["1987", "1993", "2003"]
    fields = schemas["GenerateRequest"]["properties"]
    assert {key: fields["amount_minor_units"][key] for key in ("minimum", "maximum", "default")} == {
        "minimum": 0,
        "maximum": 999_999_999_999,
        "default": 1000,
    }
    assert (fields["currency"]["pattern"], fields["currency"]["default"]) == (r"^\d{3}$", "840")
    assert (fields["stan"]["pattern"], fields["stan"]["default"]) == (r"^\d{6}$", "123456")
    assert fields["pan"]["anyOf"][0]["pattern"] == r"^\d{12,19}$"
    assert fields["description"]["anyOf"][0]["maxLength"] == 2000
    assert fields["message_type"]["enum"] == ["auth", "financial", "echo"]
    assert fields["message_type"]["default"] == "auth"
    for name in ("ExplainRequest", "ValidateRequest"):
        assert schemas[name]["properties"]["message"]["maxLength"] == 32768
        assert schemas[name]["properties"]["version"]["default"] == "1987"
    assert schemas["ExplainRequest"]["properties"]["llm"]["default"] is False
    assert schemas["ValidateRequest"]["properties"]["against"]["default"] == []


@pytest.mark.parametrize("path", STATUSES)
def test_operation(spec: dict[str, Any], path: str) -> None:
    """Each endpoint is a POST with its records and every possible status."""
    assert list(spec["paths"][path]) == ["post"]
    operation = spec["paths"][path]["post"]
    name = path[1:].capitalize()
    assert operation["operationId"] == path[1:]
    body = operation["requestBody"]
    assert body["required"] is True
    assert body["content"]["application/json"]["schema"]["$ref"].endswith(f"/{name}Request")
    assert set(operation["responses"]) == STATUSES[path]
    for status, response in operation["responses"].items():
        wanted = f"{name}Response" if status == "200" else "HTTPValidationError"
        assert response["content"]["application/json"]["schema"]["$ref"].endswith(f"/{wanted}")


@pytest.mark.parametrize("path", STATUSES)
def test_unknown_keys_are_ignored_as_is_said(client: Any, spec: dict[str, Any], path: str) -> None:
    """Every request body says that unknown keys are ignored, and they are."""
    body = spec["paths"][path]["post"]["requestBody"]
    assert body["description"] == "Keys that are not listed are ignored."
    example = body["content"]["application/json"]["example"]
    assert client.post(path, example | {"colour": "blue"}).status_code == 200


def test_references_lead_somewhere_and_schemas_are_schemas(spec: dict[str, Any]) -> None:
    """Every $ref names a schema of the document, and every schema is valid JSON Schema 2020-12."""
    schemas = spec["components"]["schemas"]
    references = set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(spec)))
    assert references <= {f"#/components/schemas/{name}" for name in schemas}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.path)
def test_example_works(client: Any, endpoint: Any) -> None:
    """The documented example request gets 200, and its message is valid."""
    answer = client.post(endpoint.path, endpoint.example)
    assert answer.status_code == 200
    if "message" in endpoint.example:
        assert operations.validate(endpoint.example["message"]).valid


class Page(HTMLParser):
    """The parts of an HTML page that a browser would fetch or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.inline: list[str] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self.element = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.element = tag
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action", "data")]
        self.inline += [name for name, _ in attrs if name.startswith("on") or name == "style"]

    def handle_endtag(self, tag: str) -> None:
        self.element = ""

    def handle_data(self, data: str) -> None:
        if self.element in self.texts:
            self.texts[self.element].append(data)


def test_docs_page_works_offline(client: Any, spec: dict[str, Any]) -> None:
    """One self-contained page: no external address, and the OpenAPI document as its data."""
    answer = client("GET", "/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", answer.text)
    page = Page(answer.text)
    assert page.links == ["openapi.json"]
    assert page.inline == []
    assert json.loads(page.texts["script"][0]) == spec


def test_docs_page_only_writes_text(client: Any) -> None:
    """The script never turns text into markup."""
    script = Page(client("GET", "/docs").text).texts["script"][1]
    assert "textContent" in script
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", script
    )


def test_docs_page_may_run_its_own_script_only(client: Any) -> None:
    """The policy allows exactly the page's style and script, and calls to this server."""
    answer = client("GET", "/docs")
    page = Page(answer.text)
    rules = dict(rule.split(" ", 1) for rule in answer.headers["content-security-policy"].split("; "))
    for kind, text in (("style-src", page.texts["style"][0]), ("script-src", page.texts["script"][1])):
        digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[kind] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == "'self'"
