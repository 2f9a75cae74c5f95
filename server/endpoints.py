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

from server import llm, records, written
from server.body import read_body
from server.errors import JSON, iso_problem
from sim import operations
from sim.errors import BuildError, OptionError, ParseError
from sim.verbs import OF_A_MODEL

Respond = Callable[[Request, Any], Awaitable[Mapping[str, Any] | None]]


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


ENDPOINTS: list[Endpoint] = []
# An echo test with elements 7, 11 and 70: short enough to read by eye.
_MESSAGE = "080082200000000000000400000000000000" + "1120093000" + "123456" + "301"


def _endpoint(
    summary: str, record: type[Any], response: type[BaseModel], example: dict[str, Any], **marks: bool
) -> Callable[[Respond], Respond]:
    """Make an endpoint of a function, whose name is the path and whose docstring the description. It takes a
    request and its *record*, and returns what *response* describes (the tests check this for every response),
    or None if another process has to identify the message's format."""

    def added(respond: Respond) -> Respond:
        async def handler(request: Request) -> HTTPResponse:
            answer = await respond(request, read_body(request, record))
            if answer is not None:
                return HTTPResponse(to_json(answer), content_type=JSON)
            status, body = await request.app.ctx.guesser.answer(request.path, request.body)
            return HTTPResponse(body, status, content_type=JSON)

        path, description = f"/{respond.__name__}", " ".join((respond.__doc__ or "").split())
        ENDPOINTS.append(Endpoint(path, summary, description, record, response, handler, example, **marks))
        return respond

    return added


@_endpoint(
    "Generate a test message",
    records.GenerateRequest,
    records.GenerateResponse,
    {"message_type": "auth", "network": "VISA", "amount_minor_units": 2500},
    llm=True,
)
async def generate(request: Request, body: Any) -> Mapping[str, Any]:
    """Builds a valid message from options or from a description, by rules, or by an LLM if one is named or
    configured."""
    try:
        if body.description and body.description.strip():  # our choice: blanks are no description
            return written.generate(await llm.plan(request.app.ctx.settings, body))
        result = operations.generate(**body.model_dump(exclude=set(OF_A_MODEL)))
    except BuildError as error:
        place = [error.option] if isinstance(error, OptionError) else []
        raise iso_problem("iso8583_build", ["body", *place], error) from None
    return {
        "message": result.raw,
        "mti": result.mti,
        "network": result.network,
        "fields": operations.field_values(result.message, result.network),
        "source": result.source,
    }


@_endpoint(
    "Plan a description",
    records.PlanRequest,
    records.PlanResponse,
    {"description": "Visa contactless 12.50 EUR in Lyon, declined for insufficient funds"},
    llm=True,
)
async def plan(request: Request, body: Any) -> Mapping[str, Any]:
    """Reads a description and returns the calls that carry it out, the words behind each option, assumptions,
    words that were not understood, and the messages. Nothing is generated from words that were not
    understood."""
    return written.plan(await llm.plan(request.app.ctx.settings, body))


@_endpoint(
    "Explain a message",
    records.ExplainRequest,
    records.ExplainResponse,
    {"message": _MESSAGE},
    llm=True,
)
async def explain(request: Request, body: Any) -> Mapping[str, Any]:
    """Explains a raw message in plain English, by rules or by an LLM."""
    try:
        if body.llm:
            explanation = await llm.tell(request.app.ctx.settings, body)
        else:
            explanation = operations.explain(body.message, version=body.version, network=body.network)
    except ParseError as error:
        raise iso_problem("iso8583_parse", ["body", "message"], error) from None
    return {
        "fields": operations.field_values(explanation.message, explanation.network),
        "mti": explanation.mti,
        "source": explanation.source,
        "summary": explanation.summary,
    }


@_endpoint(
    "Validate a message",
    records.ValidateRequest,
    records.ValidateResponse,
    {"message": _MESSAGE, "against": ["VISA", "MASTERCARD"]},
)
async def validate(request: Request, body: Any) -> Mapping[str, Any]:
    """Checks a raw message against the rules of its card network and, if asked, of others. A message that
    does not parse is reported as invalid, with status 200."""
    report = operations.validate(**vars(body))
    networks = {
        name: {"passed": result.passed, "errors": result.errors} for name, result in report.networks.items()
    }
    return {"valid": report.valid, "errors": report.errors, "networks": networks}


@_endpoint("Read a message", records.ParseRequest, records.ParseResponse, {"message": _MESSAGE}, guesses=True)
async def parse(request: Request, body: Any) -> Mapping[str, Any] | None:
    """Splits a message into its data fields: the text form, or bytes in any notation, framing and format,
    which are guessed, with reasons."""
    return written.parse(body, guess=False)


@_endpoint(
    "Write a message",
    records.BuildRequest,
    records.BuildResponse,
    {"mti": "0800", "fields": {"7": "1120093000", "11": "123456", "70": "301"}},
)
async def build(request: Request, body: Any) -> Mapping[str, Any]:
    """Writes an MTI and data fields as text, or as bytes in a format."""
    return written.build(body)


@_endpoint(
    "Convert a message",
    records.ConvertRequest,
    records.ConvertResponse,
    {"message": _MESSAGE, "target_version": "1993"},
    guesses=True,
)
async def convert(request: Request, body: Any) -> Mapping[str, Any] | None:
    """Converts a message from one version to another, with a note on each element: kept, reformatted, moved,
    split, merged, filled in or lost."""
    return written.convert(body, guess=False)


def prepare() -> None:
    """Read the tables that the first requests need, by processing a message or two of each network."""
    for name in operations.NETWORKS:
        for entry in ("chip", "manual"):
            raw = operations.generate("auth", network=name, entry=entry).raw
            operations.explain(raw)
            operations.validate(raw, against=())
