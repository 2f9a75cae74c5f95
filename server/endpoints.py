"""The endpoints: read the record, call the core, return its result as JSON.

ENDPOINTS lists them all: both the application's routes and the OpenAPI document are made from it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json
from sanic import HTTPResponse, Request

from server import llm, written
from server.body import read_body
from server.errors import JSON, iso_problem
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
    PlanRequest,
    PlanResponse,
    ValidateRequest,
    ValidateResponse,
)
from server.written import fields_of
from sim import operations
from sim.errors import BuildError, OptionError, ParseError
from sim.verbs import OF_A_MODEL

_IN_MESSAGE: list[str | int] = ["body", "message"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One operation of the service: its documentation and its handler.

    `example` is a working request. `llm` says that it may use an LLM, so the document lists the LLM's errors
    as well; `guesses` that it may have to identify a format, which has a time limit.
    """

    path: str
    summary: str
    description: str
    request: type[BaseModel]
    response: type[BaseModel]
    handler: Callable[[Request], Awaitable[HTTPResponse]]
    example: dict[str, Any]
    llm: bool = False
    guesses: bool = False


async def generate(request: Request) -> HTTPResponse:
    """POST /generate."""
    body = read_body(request, GenerateRequest)
    try:
        if body.description and body.description.strip():  # our choice: blanks are no description
            return _answer(written.generate(await llm.plan(request.app.ctx.settings, body)))
        result = operations.generate(**body.model_dump(exclude=set(OF_A_MODEL)))
    except BuildError as error:
        place = [error.option] if isinstance(error, OptionError) else []
        raise iso_problem("iso8583_build", ["body", *place], error) from None
    return _answer(
        {
            "message": result.raw,
            "mti": result.mti,
            "network": result.network,
            "fields": fields_of(result.message),
            "source": result.source,
        }
    )


async def plan(request: Request) -> HTTPResponse:
    """POST /plan."""
    body = read_body(request, PlanRequest)
    return _answer(written.plan(await llm.plan(request.app.ctx.settings, body)))


async def explain(request: Request) -> HTTPResponse:
    """POST /explain."""
    body = read_body(request, ExplainRequest)
    try:
        if body.llm:
            explanation = await llm.tell(request.app.ctx.settings, body)
        else:
            explanation = operations.explain(body.message, version=body.version, network=body.network)
    except ParseError as error:
        raise iso_problem("iso8583_parse", _IN_MESSAGE, error) from None
    return _answer(
        {
            "fields": fields_of(explanation.message),
            "mti": explanation.mti,
            "source": explanation.source,
            "summary": explanation.summary,
        }
    )


async def validate(request: Request) -> HTTPResponse:
    """POST /validate."""
    body = read_body(request, ValidateRequest)
    report = operations.validate(**vars(body))
    networks = {
        name: {"passed": result.passed, "errors": result.errors} for name, result in report.networks.items()
    }
    return _answer({"valid": report.valid, "errors": report.errors, "networks": networks})


async def parse(request: Request) -> HTTPResponse:
    """POST /parse."""
    answer = written.parse(read_body(request, ParseRequest), guess=False)
    return await _guessed(request) if answer is None else _answer(answer)


async def build(request: Request) -> HTTPResponse:
    """POST /build."""
    return _answer(written.build(read_body(request, BuildRequest)))


async def convert(request: Request) -> HTTPResponse:
    """POST /convert."""
    answer = written.convert(read_body(request, ConvertRequest), guess=False)
    return await _guessed(request) if answer is None else _answer(answer)


async def _guessed(request: Request) -> HTTPResponse:
    """The response of the process that identifies the message's format."""
    status, body = await request.app.ctx.guesser.answer(request.path, request.body)
    return HTTPResponse(body, status, content_type=JSON)


def _answer(record: Mapping[str, Any]) -> HTTPResponse:
    """*record* as JSON. It matches the endpoint's response record; the tests check this for every
    response."""
    return HTTPResponse(to_json(record), content_type=JSON)


def prepare() -> None:
    """Read the tables that the first requests need, by processing a message or two of each network."""
    for name in operations.NETWORKS:
        for entry in ("chip", "manual"):
            raw = operations.generate("auth", network=name, entry=entry).raw
            operations.explain(raw)
            operations.validate(raw, against=())


# An echo test with elements 7, 11 and 70: short enough to read by eye.
_MESSAGE = "080082200000000000000400000000000000" + "1120093000" + "123456" + "301"

ENDPOINTS = (
    Endpoint(
        "/generate",
        "Generate a test message",
        "Builds a valid message from options or from a description, by rules, or by an LLM if one is "
        "named or configured.",
        GenerateRequest,
        GenerateResponse,
        generate,
        {"message_type": "auth", "network": "VISA", "amount_minor_units": 2500},
        llm=True,
    ),
    Endpoint(
        "/plan",
        "Plan a description",
        "Reads a description and returns the calls that carry it out, the words behind each option, "
        "assumptions, words that were not understood, and the messages. Nothing is generated from words "
        "that were not understood.",
        PlanRequest,
        PlanResponse,
        plan,
        {"description": "Visa contactless 12.50 EUR in Lyon, declined for insufficient funds"},
        llm=True,
    ),
    Endpoint(
        "/explain",
        "Explain a message",
        "Explains a raw message in plain English, by rules or by an LLM.",
        ExplainRequest,
        ExplainResponse,
        explain,
        {"message": _MESSAGE},
        llm=True,
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
    ),
    Endpoint(
        "/parse",
        "Read a message",
        "Splits a message into its data fields: the text form, or bytes in any notation, framing and "
        "format, which are guessed, with reasons.",
        ParseRequest,
        ParseResponse,
        parse,
        {"message": _MESSAGE},
        guesses=True,
    ),
    Endpoint(
        "/build",
        "Write a message",
        "Writes an MTI and data fields as text, or as bytes in a format.",
        BuildRequest,
        BuildResponse,
        build,
        {"mti": "0800", "fields": {"7": "1120093000", "11": "123456", "70": "301"}},
    ),
    Endpoint(
        "/convert",
        "Convert a message",
        "Converts a message from one version to another, with a note on each element: kept, reformatted, "
        "moved, split, merged, filled in or lost.",
        ConvertRequest,
        ConvertResponse,
        convert,
        {"message": _MESSAGE, "target_version": "1993"},
        guesses=True,
    ),
)
