"""All error responses: one JSON shape, whatever the status.

`{"detail": [{"loc": [...], "msg": ..., "type": ...}]}`, with `input` and `ctx` if they help. Neither
responses nor the log reveal server internals or card data.
"""

from __future__ import annotations

import logging
import traceback
from asyncio import CancelledError, get_running_loop
from http import HTTPStatus
from typing import Any

from pydantic_core import to_json
from sanic import HTTPResponse, Request
from sanic.exceptions import RequestTimeout, SanicException, ServiceUnavailable
from sanic.handlers import ErrorHandler

from sim.errors import IsoError
from sim.operations.project import covered

MAX_INPUT = 256  # our choice: longer inputs are not echoed
MAX_KEY = 64  # characters of an object's key that are echoed
MAX_FAULTS = 100  # our choice: list no more, so that no response is much larger than its request
_CARD = "pan"  # the option whose value is a card number, even if it does not look like one
JSON = "application/json"
LINGER = 1.0  # seconds for a rejected client to read the reason

# Status -> (loc, type, msg). The names are our choice; HTTPStatus words differ between Python versions.
_STATUS: dict[int, tuple[str, str, str]] = {
    400: ("request", "bad_request", "Bad Request"),
    404: ("path", "not_found", "Not Found"),
    405: ("method", "method_not_allowed", "Method Not Allowed"),
    408: ("request", "request_timeout", "Request Timeout"),
    413: ("body", "payload_too_large", "Payload Too Large"),
    414: ("path", "uri_too_long", "URI Too Long"),
    417: ("header", "expectation_failed", "Expectation Failed"),
    421: ("header", "misdirected_request", "Misdirected Request"),
    431: ("header", "request_header_fields_too_large", "Request Header Fields Too Large"),
    500: ("server", "internal_server_error", "Internal Server Error"),
    503: ("server", "service_unavailable", "Service Unavailable"),
}

log = logging.getLogger("server.error")


class Problem(SanicException):
    """An error response with its details; may be raised anywhere in a handler."""

    quiet = True

    def __init__(
        self, status: int, detail: list[dict[str, Any]], headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(HTTPStatus(status).phrase, status_code=status, quiet=True, headers=headers)
        self.detail = detail


def problem(status: int, type_: str, loc: list[str | int], msg: str, **more: Any) -> Problem:
    """A Problem with a single detail; *more* has `ctx` and `input`."""
    return Problem(status, [{"type": type_, "loc": loc, "msg": msg, **more}])


def iso_problem(type_: str, loc: list[str | int], error: IsoError, **more: Any) -> Problem:
    """The Problem for a message that cannot be read or built; *more* is added to its `ctx`."""
    return Problem(422, [iso_fault(type_, loc, error, **more)])


def iso_fault(type_: str, loc: list[str | int], error: IsoError, **more: Any) -> dict[str, Any]:
    """The detail for a message that cannot be read or built. It has no `input`, which might contain card
    data."""
    ctx = {"field": error.field, "offset": error.offset, "expected": error.expected, "found": error.found}
    return {"type": type_, "loc": loc, "msg": str(error), "ctx": ctx | more}


def to_body(detail: list[dict[str, Any]]) -> bytes:
    """The JSON of an error body: at most MAX_FAULTS of *detail*, without inputs longer than MAX_INPUT
    characters of JSON, and with card data in the others masked."""
    return _dumps({"detail": [_masked_entry(entry) for entry in detail[:MAX_FAULTS]]})


def _masked_entry(entry: dict[str, Any]) -> dict[str, Any]:
    # An object's key may be the client's own text.
    loc = [covered(part[:MAX_KEY]) if isinstance(part, str) else part for part in entry["loc"]]
    entry = {**entry, "loc": loc}
    if "input" not in entry:
        return entry
    if len(_dumps(entry["input"]).decode()) > MAX_INPUT:
        return {key: value for key, value in entry.items() if key != "input"}
    return {**entry, "input": covered(entry["input"], card=_CARD in entry["loc"])}


def _dumps(value: Any) -> bytes:
    # Infinite numbers, which JSON does not have (1e400 parses as one), become null.
    return to_json(value, inf_nan_mode="null", serialize_unknown=True)


class JsonErrors(ErrorHandler):
    """Reports every exception of the server as JSON, including those raised before there is a request."""

    def default(self, request: Request, exception: BaseException) -> HTTPResponse:
        status = _status(request, exception)
        if status == 500:
            detail = failure(request.route.uri if request.route else "(no route)", exception)
        else:
            detail = _detail(exception, status)
        if isinstance(exception, RequestTimeout | ServiceUnavailable):
            # Promise about slow clients: Sanic would wait for the rest of the body, or until they read.
            transport: Any = request.transport
            get_running_loop().call_later(LINGER, transport.abort)
        headers = dict(getattr(exception, "headers", None) or {}) if status != 404 else {}
        if allow := headers.get("Allow"):
            headers["Allow"] = ", ".join(sorted(allow.split(", ")))
        return HTTPResponse(to_body(detail), status, headers=headers, content_type=JSON)


def failure(path: str, exception: BaseException) -> list[dict[str, Any]]:
    """The detail for an unexpected *exception*; the log gets its location. *path* is the route's, because
    a client's URL may contain card data."""
    log.error("%s %s", path, _trace(exception))
    return _detail(exception, 500)


def _status(request: Request, exception: BaseException) -> int:
    if isinstance(exception, CancelledError):
        return 400  # the client left; nobody reads this
    if not isinstance(exception, SanicException):
        return 500
    status = exception.status_code
    if isinstance(exception, Problem):
        return status
    if isinstance(exception, ServiceUnavailable) and request.stream and request.stream.request_body:
        return 408  # the response is late because the body is
    if status == 413 and not request.head:
        return 431  # Sanic also uses 413 for an oversized header
    if status == 405 and request.path.endswith("/"):
        return 404  # Sanic's router treats /generate/ as /generate here, although slashes are strict
    if status in _STATUS:
        return status
    return 400 if 400 <= status < 500 else 500


def _detail(exception: BaseException, status: int) -> list[dict[str, Any]]:
    if isinstance(exception, Problem):
        return exception.detail
    place, type_, msg = _STATUS[status]
    return [{"type": type_, "loc": [place], "msg": msg}]


def _trace(exception: BaseException) -> str:
    """Type and frames of *exception* and its causes, without their texts, which may quote a message."""
    lines = []
    cause: BaseException | None = exception
    while cause is not None:
        frames = traceback.format_list(traceback.extract_tb(cause.__traceback__))
        lines.append(type(cause).__name__ + "\n" + "".join(frames))
        cause = cause.__cause__ or cause.__context__
    return "\ncaused by ".join(lines)
