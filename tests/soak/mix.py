"""What a soak sends: good requests, broken ones, hostile ones, as the bytes that go over the line."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from sim.codec import ParseError, parse

VECTORS = Path(__file__).parents[1] / "vectors"
_HEAD = (
    "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Content-Length: {size}\r\n\r\n"
)
_GENERATED = (
    {},
    {"message_type": "financial"},
    {"message_type": "echo"},
    {"network": "AMEX", "stan": "000001"},
)


def post(path: str, body: Any) -> bytes:
    """A request: *body* as JSON, or bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return _HEAD.format(path=path, size=len(data)).encode() + data


def good(some: Random, count: int) -> list[bytes]:
    """*count* requests that are answered with 200, on each endpoint."""
    known = map(json.loads, (VECTORS / "messages.jsonl").read_text("utf-8").splitlines())
    rows = [row for row in known if _is_read(row)]
    made = []
    for at in range(count):
        row = some.choice(rows)
        said = {"message": row["message"], "version": row["version"]}
        made.append(
            (
                lambda: post("/generate", some.choice(_GENERATED)),
                lambda said=said: post("/validate", said),
                lambda said=said: post("/explain", said),
                lambda said=said: post("/parse", {**said, "format": "text"}),
                lambda said=said: post("/validate", {**said, "against": ["VISA"]}),
            )[at % 5]()
        )
    return made


def _is_read(row: dict[str, Any]) -> bool:
    try:
        parse(row["message"], row["version"])
    except ParseError:
        return False
    return True


def broken(some: Random, count: int) -> list[bytes]:
    """*count* requests that break a constraint, or carry a message that cannot be read."""
    files = sorted(VECTORS.glob("faults_*.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    faulty = (
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"\xff\xfe",
        b'{"message": 1}',
        b'{"stan": "12"}',
        b'{"pan": "\xd9\xa3"}',
    )
    made = [
        post(some.choice(("/generate", "/validate", "/explain")), some.choice(faulty))
        for _ in range(count // 4)
    ]
    for _ in range(count - len(made)):
        row = some.choice(rows)
        path = some.choice(("/validate", "/explain", "/convert"))
        made.append(
            post(path, {"message": row["message"], "version": row["version"], "target_version": "1993"})
        )
    return made


def hostile(some: Random, count: int) -> list[bytes]:
    """*count* requests that cost the most there is: long pastes, deep JSON, many faults, absent models."""
    made = []
    for at in range(count):
        size = some.choice((500, 2_000, 10_000))
        text = "".join(some.choices("0123456789ABCDEF", k=size))
        made.append(
            (
                lambda text=text: post("/parse", {"message": text}),
                lambda text=text: post("/validate", {"message": "0100" + text}),
                lambda size=size: post("/validate", b'{"message":' + b"[" * size),
                lambda size=size: post("/validate", {"message": "0", "against": ["X"] * size}),
                lambda: post("/explain", {"message": "0800" + "0" * 16, "llm": True}),
                lambda text=text: post("/convert", {"message": text, "target_version": "2003"}),
            )[at % 6]()
        )
    return made
