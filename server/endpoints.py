"""The endpoints: read the record, call the core, project what it returns.

ENDPOINTS is the one list of them: the application routes by it and the OpenAPI document is made from it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json
from sanic import HTTPResponse, Request

from server import llm
from server.body import read_body
from server.errors import JSON, iso_problem
from server.records import (
    CardNetwork,
    ExplainRequest,
    ExplainResponse,
    GenerateRequest,
    GenerateResponse,
    ValidateRequest,
    ValidateResponse,
)
from sim import operations
from sim.errors import BuildError, ParseError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One operation of the service: how it is documented and what answers it.

    `example` is a request that works. `llm`: it can ask for an LLM, so it has the LLM's answers, too.
    """

    path: str
    summary: str
    description: str
    request: type[BaseModel]
    response: type[BaseModel]
    handler: Callable[[Request], Awaitable[HTTPResponse]]
    example: dict[str, Any]
    llm: bool = False


async def generate(request: Request) -> HTTPResponse:
    """POST /generate."""
    asked = read_body(request, GenerateRequest)
    try:
        if asked.description and asked.description.strip():  # our choice: only blanks are no description
            made = await llm.write(request.app.ctx.settings, asked)
        else:
            made = operations.generate(**_options(asked))
    except BuildError as error:
        option = [error.option] if error.option else []
        raise iso_problem("iso8583_build", ["body", *option], error) from None
    return _answer(_generated(made))


async def explain(request: Request) -> HTTPResponse:
    """POST /explain."""
    asked = read_body(request, ExplainRequest)
    version, network = asked.version.value, _name(asked.network)
    try:
        if asked.llm:
            told = await llm.tell(request.app.ctx.settings, asked)
        else:
            told = operations.explain(asked.message, version=version, network=network)
    except ParseError as error:
        raise iso_problem("iso8583_parse", ["body", "message"], error) from None
    fields = _fields(told.message)
    return _answer({"fields": fields, "mti": told.mti, "source": told.source, "summary": told.summary})


async def validate(request: Request) -> HTTPResponse:
    """POST /validate."""
    asked = read_body(request, ValidateRequest)
    against = tuple(network.value for network in asked.against)
    network, version = _name(asked.network), asked.version.value
    report = operations.validate(asked.message, against=against, network=network, version=version)
    networks = {
        name: {"passed": result.passed, "errors": result.errors} for name, result in report.networks.items()
    }
    return _answer({"valid": report.valid, "errors": report.errors, "networks": networks})


def _options(asked: GenerateRequest) -> dict[str, Any]:
    """The option fields; those of the LLM are for the LLM alone."""
    return {
        "amount_minor_units": asked.amount_minor_units,
        "currency": asked.currency,
        "message_type": asked.message_type,
        "network": _name(asked.network),
        "pan": asked.pan,
        "stan": asked.stan,
    }


def _generated(made: operations.Generated) -> dict[str, Any]:
    return {
        "message": made.raw,
        "mti": made.mti,
        "network": made.network,
        "fields": _fields(made.message),
        "source": made.source,
    }


def _name(network: CardNetwork | None) -> str | None:
    return network.value if network else None


def _fields(message: Any) -> list[dict[str, int | str]]:
    return [{"number": n, "name": name, "value": v} for n, name, v in operations.field_values(message)]


def _answer(content: dict[str, Any]) -> HTTPResponse:
    """A success. *content* has the keys of the endpoint's response record, in its order; it is written as
    it is, since making records of our own values would take longer than all the rest of an answer."""
    return Answer(to_json(content), content_type=JSON)


class Answer(HTTPResponse):
    """A success in JSON.

    Sanic looks through every header for what must not stand in one, which takes a fifth of what it needs for
    a request. The two that it sets itself cannot hold any such thing; with others, its own way is taken.
    """

    @property
    def processed_headers(self) -> Iterator[tuple[bytes, bytes]]:
        """Name and value of each header, as they are sent."""
        size, connection = self.headers.get("content-length"), self.headers.get("connection")
        if len(self.headers) != 2 or not isinstance(size, int) or connection not in _CONNECTION:
            return super().processed_headers
        length = (b"content-length", b"%d" % size)
        return iter((length, _CONNECTION[connection], (b"content-type", JSON.encode())))


_CONNECTION = {text: (b"connection", text.encode()) for text in ("keep-alive", "close")}


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
)
