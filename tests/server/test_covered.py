"""An error response quotes no card number of the request, in any JSON type and at any position."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from support import together

PAN = "4539578763621486"
TELLING = ("4539578", "787636")  # more of its first digits than are shown, and its middle
ENDPOINTS = {
    "/generate": {},
    "/explain": {"message": "x"},
    "/validate": {"message": "x"},
    "/parse": {"message": "x"},
    "/build": {"mti": "0800", "fields": {}},
    "/convert": {"message": "x", "target_version": "1993"},
}
FIELDS = ("message", "pan", "stan", "network", "version", "against", "fields", "mti", "format", "currency")
# A card number as JSON may hold it; each is tried as the value of every field.
SPELLINGS: dict[str, Any] = {
    "number": int(PAN),
    "negative": -int(PAN),
    "float": float(PAN),
    "with a fraction": 4539578763621486.5,
    "as a fraction": float(f"0.{PAN}"),
    "text": PAN,
    "blanks": "4539 5787 6362 1486",
    "hyphens": "4539-5787-6362-1486",
    "in words": f"card {PAN} declined",
    "list": [int(PAN), PAN],
    "object": {"pan": int(PAN), "x": [PAN]},
    "nested": [[{"a": {"b": [int(PAN), {"c": float(PAN)}]}}]],
    "key": {PAN: 1},
    "key of a text": {PAN: "1"},
    "key of a key": {"a": {f"x{PAN}": {}}},
}
# JSON that is none, around a card number.
BROKEN = (
    *(b'{"pan":%b', b'{"%b"', b'{"pan":"%b}', b'{"pan":%b,}', b'{"a":\xff%b}', b"[%b", b'"%b'),
    *(b"%b", b'{"pan":%be400}', b'{"pan": NaN, "x": %b}'),
)


def refusals() -> Iterator[tuple[str, bytes]]:
    """Path and body: each notation in each field of each endpoint, and as the whole body."""
    for path, base in ENDPOINTS.items():
        for value in SPELLINGS.values():
            yield path, json.dumps(value).encode()
            for field in FIELDS:
                yield path, json.dumps({**base, field: value}).encode()
        yield path, json.dumps({**base, PAN: 1, "network": {PAN: PAN}}).encode()


def broken() -> Iterator[tuple[str, bytes]]:
    """Path and body: invalid JSON around a card number."""
    text = PAN.encode()
    for path in ENDPOINTS:
        for body in (
            b'{"pan":%b',
            b'{"%b"',
            b'{"pan":"%b}',
            b"%b",
            b'{"pan":%b,}',
            b'{"a":\xff%b}',
            b"[%b",
            b'"%b',
        ):
            yield path, body % text
        yield path, b'{"pan":%be400}' % text
        yield path, b'{"pan": NaN, "x": %b}' % text


def tells(answer: Any) -> bool:
    """Whether the digits in the faults of a response, in order, have those of the card number."""
    digits = "".join(filter(str.isdigit, json.dumps(answer.json()["detail"])))
    return any(telling in digits for telling in TELLING)


@together("path, body", refusals)
def test_no_refusal_quotes_a_card_number(client: Any, path: str, body: bytes) -> None:
    """Input, message and context of every fault of every endpoint."""
    answer = client.post(path, body)
    if answer.status_code == 422:
        assert not tells(answer)


@together("path, body", broken)
def test_broken_json_is_not_quoted(client: Any, path: str, body: bytes) -> None:
    """Invalid JSON is not quoted."""
    answer = client.post(path, body)
    assert answer.status_code == 422
    assert not tells(answer)


def test_numbers_that_are_no_cards_are_quoted(client: Any) -> None:
    """Other faulty input is quoted unchanged: a short number, or one with another check digit."""
    for value in (5, -1, 123456, 1234567890123456, 10**20, 1.5, True):
        (fault,) = client.post("/generate", {"stan": value}).json()["detail"]
        assert fault["input"] == value


@together("path", ENDPOINTS)
def test_a_header_is_not_quoted(client: Any, path: str) -> None:
    """The head of a request is not quoted."""
    answer = client("POST", path, content=b"{}", headers={"content-type": f"text/{PAN}; a={PAN}"})
    assert answer.status_code == 422
    assert not tells(answer)
