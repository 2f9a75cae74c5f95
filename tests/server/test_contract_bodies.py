"""The body of a request: content types, codings, and every way of not being a JSON object."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from support import together

PATHS = ("/generate", "/explain", "/validate", "/parse", "/build", "/convert")
GOOD = b'{"message": "0800822000000000000004000000000000001120093000123456301"}'


def test_last_of_two_equal_keys_counts(client: Any) -> None:
    """JSON does not define duplicate keys; the last one is used."""
    good = b'{"message_type": 5, "message_type": "echo"}'
    assert client.post("/generate", good).json()["mti"] == "0800"
    assert client.post("/generate", b'{"stan": "000001", "stan": 5}').status_code == 422


# From 3.13 on Python points at a comma that ends a list or an object, before at what stands behind it.
_AT_THE_COMMA = 15 if sys.version_info >= (3, 13) else 16
MALFORMED: list[tuple[str, bytes, list[Any], str]] = [
    ("empty", b"", ["body"], "missing"),
    ("blanks", b"  \n ", ["body", 4], "json_invalid"),
    ("word", b"hello", ["body", 0], "json_invalid"),
    ("open", b"{", ["body", 1], "json_invalid"),
    ("no value", b'{"message": ', ["body", 12], "json_invalid"),
    ("trailing comma", b'{"message": "x",}', ["body", _AT_THE_COMMA], "json_invalid"),
    ("two values", b'{"message":"a"} x', ["body", 16], "json_invalid"),
    ("second line", b'{\n "message": "a",\n "llm": tru\n}', ["body", 27], "json_invalid"),
    ("single quotes", b"{'message': 'a'}", ["body", 1], "json_invalid"),
    ("comment", b'{/**/"message":"a"}', ["body", 1], "json_invalid"),
    ("after wide characters", '{"é": "😀" x}'.encode(), ["body", 10], "json_invalid"),
    ("leading zero", b'{"a":01}', ["body", 6], "json_invalid"),
    ("control character", b'{"message":"a\x01"}', ["body", 13], "json_invalid"),
    ("line end in text", b'{"message":"a\n"}', ["body", 13], "json_invalid"),
    ("NUL after", b"{}\x00", ["body", 2], "json_invalid"),
    ("NaN", b'{"amount_minor_units": NaN}', ["body", 23], "json_invalid"),
    ("Infinity", b'{"amount_minor_units": Infinity}', ["body", 23], "json_invalid"),
    ("-Infinity", b'{"amount_minor_units": -Infinity}', ["body", 24], "json_invalid"),
    ("NaN in an unknown key", b'{"unknown": NaN}', ["body", 12], "json_invalid"),
    ("bad UTF-8", b'{"message":"\xff\xfe"}', ["body", 12], "json_invalid"),
    ("cut UTF-8", '{"message":"é'.encode()[:-1], ["body", 12], "json_invalid"),
    ("overlong UTF-8", b'{"message":"\xc0\x80"}', ["body", 12], "json_invalid"),
    ("UTF-8 surrogate", b'{"message":"\xed\xa0\x80"}', ["body", 12], "json_invalid"),
    ("UTF-16", '{"message":"a"}'.encode("utf-16"), ["body", 0], "json_invalid"),
    ("lone surrogate", b'{"message":"\\ud800"}', ["body", 18], "json_invalid"),
    ("lone low surrogate", b'{"message":"\\udc00"}', ["body"], "json_invalid"),
    ("surrogate in an unknown key", b'{"unknown":"\\ud800"}', ["body", 18], "json_invalid"),
    ("surrogate as a key", b'{"\\ud800":1}', ["body", 8], "json_invalid"),
    ("bad escape", b'{"message":"\\x41"}', ["body"], "json_invalid"),
    ("deep list", b'{"message":' + b"[" * 5000 + b"]" * 5000 + b"}", ["body"], "json_invalid"),
    ("deep in an unknown key", b'{"u":' + b"[" * 300 + b"]" * 300 + b"}", ["body"], "json_invalid"),
    ("deeper than any stack", b"[" * 500_000, ["body"], "json_invalid"),
    ("deep object", b'{"a":' * 100_000, ["body"], "json_invalid"),
    ("endless number", b'{"amount_minor_units": ' + b"9" * 5000 + b"}", ["body"], "json_invalid"),
    ("endless number in an unknown key", b'{"u": -' + b"9" * 90_000 + b"}", ["body"], "json_invalid"),
    ("list", b"[]", ["body"], "model_attributes_type"),
    ("list of records", b'[{"message":"a"}]', ["body"], "model_attributes_type"),
    ("string", b'"abc"', ["body"], "model_attributes_type"),
    ("number", b"5", ["body"], "model_attributes_type"),
    ("true", b"true", ["body"], "model_attributes_type"),
    ("null", b"null", ["body"], "model_attributes_type"),
]


@pytest.mark.parametrize("path", PATHS)
@together("body, loc, type_", [case[1:] for case in MALFORMED])
def test_malformed_body(client: Any, path: str, body: bytes, loc: list[Any], type_: str) -> None:
    """A body that is not a JSON object gets a 422 with the position of the fault, never a 400 or a 500."""
    answer = client.post(path, body)
    assert answer.status_code == 422
    (fault,) = answer.json()["detail"]
    assert fault["type"] == type_
    if loc == ["body"] and type_ == "json_invalid":
        assert fault["loc"][0] == "body"
        assert 0 <= fault["loc"][1] <= len(body)
    else:
        assert fault["loc"] == loc
    if type_ == "json_invalid":
        assert fault["msg"] == "JSON decode error"
        assert fault["input"] == {}
        assert fault["ctx"]["error"]


def test_infinite_number_is_a_wrong_type(client: Any) -> None:
    """1e400 is well-formed JSON that no integer can represent; the response shows it as null."""
    (fault,) = client.post("/generate", b'{"amount_minor_units": 1e400}').json()["detail"]
    assert (fault["type"], fault["input"]) == ("int_type", None)


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf{}",
        b" \r\n\t{} ",
        b'{"unknown": "\\ud83d\\ude00"}',
        b'{"unknown": ' + b"[" * 100 + b"]" * 100 + b"}",
        b'{"currency": "\\u0038\\u0034\\u0030"}',
        b'{"amount_minor_units": -0}',
    ],
    ids=["byte order mark", "blanks around", "surrogate pair", "nesting", "escapes", "minus zero"],
)
def test_unusual_but_good_body(client: Any, body: bytes) -> None:
    """Everything that RFC 8259 allows is accepted."""
    assert client.post("/generate", body).status_code == 200


@pytest.mark.parametrize("path", PATHS)
@together(
    "content_type",
    [
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/vnd.api+json",
        "application/jsonx",
        "application/json, text/plain",
        "json",
        "*/*",
        "",
    ],
)
def test_other_content_type_is_refused(client: Any, path: str, content_type: str) -> None:
    """Only application/json is accepted, so that a browser asks before a foreign page may call."""
    answer = client("POST", path, content=GOOD, headers={"content-type": content_type})
    assert answer.status_code == 422
    (fault,) = answer.json()["detail"]
    assert fault["loc"] == ["header", "content-type"]
    assert fault["type"] == "literal_error"
    assert fault["input"] == content_type


@pytest.mark.parametrize("path", PATHS)
def test_content_type_is_required(client: Any, path: str) -> None:
    """A missing Content-Type is a separate fault; an empty body is reported as well."""
    answer = client("POST", path, content=GOOD)
    assert answer.status_code == 422
    assert [(fault["type"], fault["loc"]) for fault in answer.json()["detail"]] == [
        ("missing", ["header", "content-type"])
    ]
    faults = client("POST", path).json()["detail"]
    assert [fault["loc"] for fault in faults] == [["header", "content-type"], ["body"]]


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;x=y ; z"],
)
def test_content_type_with_parameters(client: Any, content_type: str) -> None:
    """Parameters of the media type are ignored, and so is letter case."""
    answer = client("POST", "/generate", content=b"{}", headers={"content-type": content_type})
    assert answer.status_code == 200


@pytest.mark.parametrize(("coding", "status"), [("gzip", 415), ("br, gzip", 415), ("identity", 200)])
def test_compressed_body_is_refused(client: Any, coding: str, status: int) -> None:
    """An unsupported content coding is rejected, and the supported one is named."""
    headers = {"content-type": "application/json", "content-encoding": coding}
    answer = client("POST", "/generate", content=b"{}", headers=headers)
    assert answer.status_code == status
    if status == 415:
        assert answer.json()["detail"][0]["type"] == "unsupported_media_type"
        assert answer.headers["accept-encoding"] == "identity"
