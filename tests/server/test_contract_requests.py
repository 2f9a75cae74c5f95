"""The fields of a request: every constraint, every wrong type."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import together

ECHO = "0800822000000000000004000000000000001120093000123456301"
PATHS = ("/generate", "/explain", "/validate")

# Wrong values per kind of field -> pydantic's type of the fault.
NO_STRING: list[Any] = [5, 1.5, True, [], {}]
NO_ENUM: list[Any] = ["visa", "Visa", " VISA", "VISA\n", "", 5, 1987, True, [], {}]
WRONG: dict[str, tuple[list[Any], str]] = {
    "integer": (["1000", "", True, False, 1000.5, 1000.0, 1e3, None, [], {}], "int_type"),
    "string": ([*NO_STRING, None], "string_type"),
    "string or null": (NO_STRING, "string_type"),
    "boolean": ([1, 0, 1.0, "true", "false", "", None, [], {}], "bool_type"),
    "network or null": (NO_ENUM, "enum"),
    "version": ([*NO_ENUM, None, "1988", "87"], "enum"),
    "message type": ([*NO_ENUM, None, "AUTH", "reversal"], "literal_error"),
    "networks": (["VISA", "", 5, True, None, {}, {"VISA": 1}], "list_type"),
}
FIELDS: dict[str, dict[str, str]] = {
    "/generate": {
        "amount_minor_units": "integer",
        "currency": "string",
        "description": "string or null",
        "message_type": "message type",
        "model": "string or null",
        "network": "network or null",
        "pan": "string or null",
        "provider": "string or null",
        "stan": "string",
    },
    "/explain": {
        "message": "string",
        "llm": "boolean",
        "model": "string or null",
        "network": "network or null",
        "provider": "string or null",
        "version": "version",
    },
    "/validate": {
        "message": "string",
        "against": "networks",
        "network": "network or null",
        "version": "version",
    },
}


def base(path: str) -> dict[str, Any]:
    """A request that *path* accepts."""
    return {} if path == "/generate" else {"message": ECHO}


TYPE_CASES = [
    (path, field, value, WRONG[kind][1])
    for path, fields in FIELDS.items()
    for field, kind in fields.items()
    for value in WRONG[kind][0]
]


@together("path, field, value, type_", TYPE_CASES)
def test_wrong_type_is_refused(client: Any, path: str, field: str, value: Any, type_: str) -> None:
    """A value of another JSON type, or outside the enumeration, gets a 422 at that field; nothing is
    coerced."""
    answer = client.post(path, base(path) | {field: value})
    assert answer.status_code == 422
    (fault,) = answer.json()["detail"]
    assert fault["loc"] == ["body", field]
    assert fault["type"] == type_
    assert fault["input"] == value
    assert "url" not in fault


@pytest.mark.parametrize("path", PATHS)
def test_null_is_accepted_where_it_may_stand(client: Any, path: str) -> None:
    """null is allowed for every optional field without a default, and means that it is missing."""
    nullable = {name: None for name, kind in FIELDS[path].items() if kind.endswith("or null")}
    assert client.post(path, base(path) | nullable).status_code == 200


NOT_DIGITS = {
    3: [
        "",
        "84",
        "8400",
        "84A",
        "84 ",
        " 84",
        "-84",
        "+84",
        "8.4",
        "84O",
        "٨٤٠",
        "８４０",
        "84٠",
        "²³¹",
        "840\n",
    ],
    6: [
        "",
        "12345",
        "1234567",
        "12345A",
        "12345 ",
        "-12345",
        "١٢٣٤٥٦",
        "１２３４５６",
        "123456\n",
        "\n123456",
    ],
}
NOT_A_PAN = [
    "",
    "4" * 11,
    "4" * 20,
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "411111111111111A",
    "٤١١١١١١١١١١١١١١١",
    "４１１１１１１１１１１１１１１１",
    "4111111111111111\n",
    " 4111111111111111",
]
PATTERN_CASES = [
    *(("currency", value, r"^\d{3}$") for value in NOT_DIGITS[3]),
    *(("stan", value, r"^\d{6}$") for value in NOT_DIGITS[6]),
    *(("pan", value, r"^\d{12,19}$") for value in NOT_A_PAN),
]


@together("field, value, pattern", PATTERN_CASES)
def test_pattern_holds_in_ascii_digits(client: Any, field: str, value: str, pattern: str) -> None:
    """A digit pattern accepts only ASCII digits of the right number."""
    answer = client.post("/generate", {field: value})
    assert answer.status_code == 422
    (fault,) = answer.json()["detail"]
    assert fault["type"] == "string_pattern_mismatch"
    assert fault["loc"] == ["body", field]
    assert fault["ctx"] == {"pattern": pattern}
    assert fault["msg"] == f"String should match pattern '{pattern}'"


@pytest.mark.parametrize(
    ("amount", "type_", "ctx"),
    [
        (-1, "greater_than_equal", {"ge": 0}),
        (-(10**30), "greater_than_equal", {"ge": 0}),
        (10**12, "less_than_equal", {"le": 10**12 - 1}),
        (2**63, "less_than_equal", {"le": 10**12 - 1}),
        (10**300, "less_than_equal", {"le": 10**12 - 1}),
        (10**4000, "less_than_equal", {"le": 10**12 - 1}),
    ],
)
def test_amount_beyond_its_bounds(client: Any, amount: int, type_: str, ctx: dict[str, int]) -> None:
    """An amount below 0 or above 999999999999 is rejected, however long it is."""
    answer = client.post("/generate", {"amount_minor_units": amount})
    assert answer.status_code == 422
    (fault,) = answer.json()["detail"]
    assert (fault["type"], fault["loc"], fault["ctx"]) == (type_, ["body", "amount_minor_units"], ctx)


ACCEPTED = [
    {},
    *({"amount_minor_units": amount} for amount in (0, 1, 1000, 999_999_999_999)),
    *({"currency": code} for code in ("000", "036", "840", "978", "999")),
    *({"stan": stan} for stan in ("000000", "000001", "999999")),
    *({"pan": pan} for pan in ("4" * 12, "4111111111111111", "4" * 19, "0" * 16, "5555555555554444")),
    *({"message_type": kind} for kind in ("auth", "financial", "echo")),
    *({"network": name} for name in ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB", "UNIONPAY")),
    *({"description": blank} for blank in ("", " ", " \t\r\n ", "\u00a0\u2003", " " * 2000)),
    {"provider": "no such provider", "model": "x" * 5000},
    {"provider": "", "model": ""},
    {"unknown": 1, "message": 5, "network_": "x"},
    {"pan": "5555555555554444", "network": "AMEX"},
    {"pan": "4111111111111112"},
]


@together("body", ACCEPTED, label=lambda body: json.dumps(body)[:60])
def test_generate_accepts(client: Any, body: dict[str, Any]) -> None:
    """A request within the constraints gets a 200 with exactly what was requested."""
    answer = client.post("/generate", body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["source"] == "template"


@pytest.mark.parametrize("path", ["/explain", "/validate"])
@pytest.mark.parametrize("character", ["9", "é", "€", "😀"])
def test_message_limit_counts_characters(client: Any, path: str, character: str) -> None:
    """32768 characters are within the limit, whatever their size in bytes; one more is not."""
    longest = client.post(path, {"message": character * 32768})
    assert longest.status_code == (422 if path == "/explain" else 200)
    assert "string_too_long" not in longest.text
    answer = client.post(path, {"message": character * 32769})
    assert answer.status_code == 422
    (fault,) = answer.json()["detail"]
    assert fault["type"] == "string_too_long"
    assert fault["loc"] == ["body", "message"]
    assert fault["ctx"] == {"max_length": 32768}
    assert "input" not in fault


@pytest.mark.parametrize("character", ["a", " ", "😀"])
def test_description_limit_counts_characters(client: Any, character: str) -> None:
    """2000 characters are allowed, 2001 are not, even if they are blanks."""
    held = client.post("/generate", {"description": character * 2000})
    assert held.status_code == 200 or held.json()["detail"][0]["type"] == "description_unclear"
    answer = client.post("/generate", {"description": character * 2001})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["type"] == "string_too_long"
    assert answer.json()["detail"][0]["ctx"] == {"max_length": 2000}


@pytest.mark.parametrize("path", ["/explain", "/validate"])
def test_message_is_required(client: Any, path: str) -> None:
    """A request without its message gets an error whose input is the whole body."""
    answer = client.post(path, {"version": "1987"})
    assert answer.status_code == 422
    assert answer.json()["detail"] == [
        {
            "type": "missing",
            "loc": ["body", "message"],
            "msg": "Field required",
            "input": {"version": "1987"},
        }
    ]


def test_every_fault_is_named_at_once(client: Any) -> None:
    """All faulty fields of a request are in one response, in the order of the record."""
    body = {
        "stan": "1",
        "pan": "4",
        "currency": 1,
        "amount_minor_units": -5,
        "network": 3,
        "description": [],
        "message_type": "x",
        "provider": 1,
        "model": 1,
    }
    faults = client.post("/generate", body).json()["detail"]
    assert [fault["loc"] for fault in faults] == [["body", field] for field in FIELDS["/generate"]]


def test_faults_within_a_list_are_located(client: Any) -> None:
    """An invalid member of a list is identified by its index."""
    body = {"message": ECHO, "against": ["VISA", "x", "JCB", 3, None]}
    faults = client.post("/validate", body).json()["detail"]
    assert [fault["loc"] for fault in faults] == [["body", "against", index] for index in (1, 3, 4)]
    assert {fault["type"] for fault in faults} == {"enum"}


@pytest.mark.parametrize(("length", "echoed"), [(253, True), (254, True), (255, False), (5000, False)])
def test_long_input_is_left_out(client: Any, length: int, echoed: bool) -> None:
    """`input` is echoed up to 256 characters of JSON, quotes included."""
    (fault,) = client.post("/generate", {"network": "x" * length}).json()["detail"]
    assert ("input" in fault) is echoed
    assert "msg" in fault
