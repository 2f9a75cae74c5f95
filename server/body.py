"""A request's body -> a record, or a 422 that lists every fault.

pydantic reads and checks the bytes in one call; only a rejected body, or one that may contain NaN or
Infinity, is examined again, to locate the fault.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from sanic import Request

from server.errors import JSON, Problem, problem

Record = TypeVar("Record", bound=BaseModel)

_BOM = b"\xef\xbb\xbf"  # Windows tools add it; RFC 8259, section 8.1 allows a reader to skip it
_MISSING: dict[str, Any] = {"type": "missing", "loc": ["body"], "msg": "Field required", "input": None}
_POSITION = re.compile(r"(?P<reason>.*) at line (?P<line>\d+) column (?P<column>\d+)$", re.DOTALL)


def read_body(request: Request, record: type[Record]) -> Record:
    """The body of *request* as a *record*. Raises Problem 422, or 415 for a compressed body."""
    _check_coding(request)
    if faults := _content_type_faults(request):
        raise Problem(422, faults if request.body.removeprefix(_BOM) else [*faults, _MISSING])
    return read_json(request.body, record)


def read_json(raw: bytes, record: type[Record]) -> Record:
    """*raw* as a *record*. Raises Problem 422."""
    raw = raw.removeprefix(_BOM)
    try:
        instance = record.model_validate_json(raw)
    except ValidationError as error:
        refused = error
    else:
        if b"NaN" in raw or b"Infinity" in raw:  # records do not check ignored keys
            _check_json(raw)
        return instance
    if not raw:
        raise Problem(422, [_MISSING])
    _check_json(raw)
    faults = refused.errors(include_url=False)
    raise Problem(422, [{**fault, "loc": ["body", *fault["loc"]]} for fault in faults])


def _check_coding(request: Request) -> None:
    if "content-encoding" not in request.headers:
        return
    codings = {coding.strip().lower() for coding in request.headers.getall("content-encoding")}
    if codings - {"", "identity"}:
        detail = {"type": "unsupported_media_type", "loc": ["header", "content-encoding"]}
        accepted = {"Accept-Encoding": "identity"}  # RFC 9110, section 15.5.16
        raise Problem(415, [{**detail, "msg": "Unsupported content coding"}], headers=accepted)


def _content_type_faults(request: Request) -> list[dict[str, Any]]:
    """The faults of the Content-Type. Our choice: it is required and must be JSON, so that a browser asks
    for permission (preflight) before a foreign page can call a local server."""
    values = request.headers.getall("content-type", [])
    if len(values) == 1 and values[0].partition(";")[0].strip().lower() == JSON:
        return []
    fault: dict[str, Any] = {"loc": ["header", "content-type"]}
    if not values:
        return [{"type": "missing", **fault, "msg": "Field required", "input": None}]
    text = ", ".join(values).encode(errors="surrogateescape").decode(errors="replace")
    expected = f"'{JSON}'"
    ctx = {"expected": expected}
    return [
        {"type": "literal_error", **fault, "msg": f"Input should be {expected}", "input": text, "ctx": ctx}
    ]


def _check_json(raw: bytes) -> None:
    """Raises Problem unless *raw* is a JSON object by RFC 8259: UTF-8, no NaN, no lone surrogate, and no
    excessive numbers or nesting."""
    try:
        value = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        offset, reason = _locate(raw, str(error))
        ctx = {"error": reason}
        raise problem(422, "json_invalid", ["body", offset], "JSON decode error", input={}, ctx=ctx) from None
    if not isinstance(value, dict):
        msg = "Input should be a valid dictionary or object to extract fields from"
        raise problem(422, "model_attributes_type", ["body"], msg, input=value)


def _locate(raw: bytes, sentence: str) -> tuple[int, str]:
    """Where the JSON is invalid (characters from 0) and why; *sentence* is the Rust parser's message."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return len(raw[: error.start].decode()), "Invalid UTF-8"
    match = _POSITION.match(sentence)
    reason, line, column = match.group("reason", "line", "column") if match else (sentence, "1", "1")
    if not reason.startswith("recursion"):
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            return error.pos, error.msg
        except ValueError:  # a number too long for Python
            pass
    # Python's parser accepts this text; the Rust parser counts bytes, and lines from 1.
    start = sum(len(part) + 1 for part in raw.split(b"\n")[: int(line) - 1])
    before = raw[: start + max(int(column) - 1, 0)].decode(errors="ignore")
    return min(len(before), len(text)), reason[:1].upper() + reason[1:]
