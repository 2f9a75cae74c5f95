"""The endpoints: read the record, call the core, project what it returns.

ENDPOINTS is the one list of them: the application routes by it and the OpenAPI document is made from it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from sanic import Request
from sanic.response import BaseHTTPResponse

from server import answers, llm, written
from server.body import body_of, read_json
from server.errors import Problem, iso_problem
from server.records import (
    BuildRequest,
    BuildResponse,
    ConvertRequest,
    ConvertResponse,
    ExplainRequest,
    ExplainResponse,
    GenerateRequest,
    GenerateResponse,
    ParseRequest,
    ParseResponse,
    ValidateRequest,
    ValidateResponse,
    name_of,
)
from server.responses import Answer
from sim import operations
from sim.errors import BuildError, OptionError, ParseError

_IN_MESSAGE: list[str | int] = ["body", "message"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One operation of the service: how it is documented and what answers it.

    `example` is a request that works. `llm`: it can ask for an LLM, so it has the LLM's answers, too.
    `at_once` gives the answer to a body that needs no waiting, and None for another one.
    """

    path: str
    summary: str
    description: str
    request: type[BaseModel]
    response: type[BaseModel]
    handler: Callable[[Request], Awaitable[BaseHTTPResponse]]
    example: dict[str, Any]
    llm: bool = False
    at_once: Callable[[bytes], bytes | None] | None = None


async def generate(request: Request) -> BaseHTTPResponse:
    """POST /generate."""
    raw = body_of(request)
    if (answer := generate_at_once(raw)) is not None:
        return Answer(answer)
    asked = read_json(raw, GenerateRequest)
    try:
        return Answer(answers.generated(await llm.write(request.app.ctx.settings, asked)))
    except BuildError as error:
        raise _unbuilt(error) from None


def generate_at_once(raw: bytes) -> bytes | None:
    """The answer of POST /generate to the body *raw*; None where an LLM is asked."""
    asked = read_json(raw, GenerateRequest)
    if asked.description and asked.description.strip():  # our choice: only blanks are no description
        return None
    try:
        return answers.generated(operations.generate(**_options(asked)))
    except BuildError as error:
        raise _unbuilt(error) from None


def _unbuilt(error: BuildError) -> Problem:
    place = [error.option] if isinstance(error, OptionError) else []
    return iso_problem("iso8583_build", ["body", *place], error)


async def explain(request: Request) -> BaseHTTPResponse:
    """POST /explain."""
    raw = body_of(request)
    if (answer := explain_at_once(raw)) is not None:
        return Answer(answer)
    asked = read_json(raw, ExplainRequest)
    try:
        told = await llm.tell(request.app.ctx.settings, asked)
    except ParseError as error:
        raise iso_problem("iso8583_parse", _IN_MESSAGE, error) from None
    return Answer(answers.explained(told, asked.message))


def explain_at_once(raw: bytes) -> bytes | None:
    """The answer of POST /explain to the body *raw*; None where an LLM is asked."""
    asked = read_json(raw, ExplainRequest)
    if asked.llm:
        return None
    message, version, network = asked.message, str(asked.version), name_of(asked.network)
    try:
        return answers.explained(operations.explain(message, version=version, network=network), message)
    except ParseError as error:
        raise iso_problem("iso8583_parse", _IN_MESSAGE, error) from None


async def validate(request: Request) -> BaseHTTPResponse:
    """POST /validate."""
    return Answer(validate_at_once(body_of(request)))


def validate_at_once(raw: bytes) -> bytes:
    """The answer of POST /validate to the body *raw*."""
    asked = read_json(raw, ValidateRequest)
    against = tuple(map(str, asked.against))
    version, network = str(asked.version), name_of(asked.network)
    report = operations.validate(asked.message, against=against, network=network, version=version)
    return answers.validated(report)


def prepare() -> None:
    """Read the tables that the first requests would wait for, by doing their work for a message or two of
    each network."""
    for name in operations.NETWORKS:
        for entry in ("chip", "manual"):
            raw = operations.generate("auth", network=name, entry=entry).raw
            operations.explain(raw)
            operations.validate(raw, against=())


def _options(asked: GenerateRequest) -> dict[str, Any]:
    """The option fields; those of the LLM are for the LLM alone."""
    return {
        "amount_minor_units": asked.amount_minor_units,
        "currency": asked.currency,
        "message_type": asked.message_type,
        "network": name_of(asked.network),
        "pan": asked.pan,
        "stan": asked.stan,
    }


# An echo test with elements 7, 11 and 70: short enough to read by eye.
_MESSAGE = "080082200000000000000400000000000000" + "1120093000" + "123456" + "301"

ENDPOINTS = (
    Endpoint(
        "/generate",
        "Generate a test message",
        "Builds a valid message from the option fields, or by an LLM from a description.",
        GenerateRequest,
        GenerateResponse,
        generate,
        {"message_type": "auth", "network": "VISA", "amount_minor_units": 2500},
        llm=True,
        at_once=generate_at_once,
    ),
    Endpoint(
        "/explain",
        "Explain a message",
        "Says in plain English what a raw message means, by rules or by an LLM.",
        ExplainRequest,
        ExplainResponse,
        explain,
        {"message": _MESSAGE},
        llm=True,
        at_once=explain_at_once,
    ),
    Endpoint(
        "/validate",
        "Validate a message",
        "Checks a raw message against the rules of its card network and, if asked, of others. A message that "
        "does not parse is reported as invalid, with status 200.",
        ValidateRequest,
        ValidateResponse,
        validate,
        {"message": _MESSAGE, "against": ["VISA", "MASTERCARD"]},
        at_once=validate_at_once,
    ),
    Endpoint(
        "/parse",
        "Read a message",
        "Splits a message into its data fields: the text form, or bytes in any spelling, framing and format, "
        "which are guessed with reasons.",
        ParseRequest,
        ParseResponse,
        written.parse,
        {"message": _MESSAGE},
    ),
    Endpoint(
        "/build",
        "Write a message",
        "Writes MTI and data fields as text, or as the bytes of a format.",
        BuildRequest,
        BuildResponse,
        written.build,
        {"mti": "0800", "fields": {"7": "1120093000", "11": "123456", "70": "301"}},
    ),
    Endpoint(
        "/convert",
        "Convert a message",
        "Writes a message of one edition as one of another, with a note on each element: kept, reformatted, "
        "moved, split, merged, filled in or lost.",
        ConvertRequest,
        ConvertResponse,
        written.convert,
        {"message": _MESSAGE, "target_version": "1993"},
    ),
)
