"""POST /parse, /build and /convert: what the service's own summary names and its document does not show."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, cast

from pydantic import BaseModel
from sanic import Request
from sanic.response import BaseHTTPResponse

from server.body import read_body
from server.errors import Problem, iso_fault, iso_problem, problem
from server.records import (
    Action,
    BuildRequest,
    BuildResponse,
    CardNetwork,
    Confidence,
    ConvertNote,
    ConvertRequest,
    ConvertResponse,
    FieldValue,
    ParseRequest,
    ParseResponse,
    ProtocolVersion,
    WireRead,
    name_of,
)
from server.responses import Answer
from sim import operations
from sim.codec import Message
from sim.errors import MTI_FIELD, BuildError, ChoiceError
from sim.operations import building, reading

_MOST_TRIED = 5
_ELEMENTS = frozenset(map(str, range(2, 129)))
_MESSAGE: list[str | int] = ["body", "message"]


async def parse(request: Request) -> BaseHTTPResponse:
    """POST /parse."""
    asked = read_body(request, ParseRequest)
    if asked.format is not None:
        _known(asked.format)
    found = await _read(asked.message, asked.format, asked.version, asked.network)
    if found.message is None:
        raise _refused(found)
    view = operations.dissect(found)
    read = WireRead(
        name=found.format,
        framing=list(found.framing),
        confidence=cast("Confidence", found.confidence),
        reasons=list(found.reasons),
    )
    return _answer(
        ParseResponse(
            mti=found.mti,
            version=ProtocolVersion(found.version),
            network=CardNetwork(view.network) if view.network else None,
            interface=found.interface,
            fields=_fields(found.message),
            findings=[one.message for one in view.findings],
            message=found.text,
            format=read,
            more=len(found.more),
        )
    )


async def build(request: Request) -> BaseHTTPResponse:
    """POST /build."""
    asked = read_body(request, BuildRequest)
    name = _known(asked.format)
    unknown = [key for key in asked.fields if key not in _ELEMENTS]
    if unknown:
        faults = [BuildError(None, None, "a data element 2 to 128", repr(key[:9])) for key in unknown]
        raise Problem(422, [_unwritable(key, fault) for key, fault in zip(unknown, faults, strict=True)])
    fields = {int(number): value for number, value in asked.fields.items()}
    try:
        built = building.build_from(asked.mti, fields, version=str(asked.version), format=name)
    except building.UnwritableError as error:
        raise Problem(422, [_unwritable(str(one.field), one) for one in error.errors]) from None
    return _answer(
        BuildResponse(
            message=built.written,
            mti=asked.mti,
            version=asked.version,
            format=built.format,
            length=built.length,
        )
    )


def _unwritable(key: str, error: BuildError) -> dict[str, Any]:
    place: list[str | int] = ["body", "fields", key] if error.field != MTI_FIELD else ["body", "mti"]
    return iso_fault("iso8583_build", place, error)


async def convert(request: Request) -> BaseHTTPResponse:
    """POST /convert."""
    asked = read_body(request, ConvertRequest)
    found = await _read(asked.message, None, asked.version, asked.network)
    if found.message is None or found.misfits:
        raise _refused(found)
    made = operations.convert(found.message, str(asked.target_version), network=name_of(asked.network))
    notes = [
        ConvertNote(number=note.number, to=list(note.to), action=cast("Action", note.action), note=note.note)
        for note in made.notes
    ]
    return _answer(
        ConvertResponse(
            message=made.raw,
            mti=made.message.mti,
            version=asked.target_version,
            fields=_fields(made.message),
            notes=notes,
            lossless=made.lossless,
        )
    )


# One guess at a time: several would hold up each other and all other requests.
_GUESSING = ThreadPoolExecutor(1, "guessing")


async def _read(
    message: str, form: str | None, version: ProtocolVersion | None, network: CardNetwork | None
) -> operations.Reading:
    """*message* read, as far as it can be. What has to be guessed is guessed beside the event loop, so that
    other requests are answered meanwhile."""
    asked = {"version": name_of(version), "network": name_of(network)}
    found = operations.read(message, format=operations.TEXT, **asked)
    if form == operations.TEXT or (form is None and found.complete):
        return found
    work = partial(operations.read, message, format=form, **asked)
    return await asyncio.get_running_loop().run_in_executor(_GUESSING, work)


def _refused(found: operations.Reading) -> Problem:
    """Why *found* is not taken, with what was read of it, card data covered, and what was tried."""
    error = reading.refusal(found)
    if isinstance(error, operations.NotIso8583Error):
        ctx = {"reasons": list(error.reasons)}
        return problem(422, "not_iso8583", _MESSAGE, "This is no ISO 8583 message", ctx=ctx)
    shown = operations.dissect(found).shown_values if found.message else {}
    fields = {str(number): value for number, value in shown.items() if number > 1}
    return iso_problem("iso8583_parse", _MESSAGE, error, fields=fields, **_tried(found))


def _tried(found: operations.Reading) -> dict[str, Any]:
    """What was tried, where bytes were guessed: each format and how far it read."""
    shown = [one for one in (found, *found.rivals) if one.format][:_MOST_TRIED]
    tried = [{"format": one.format, "read": one.read, "of": one.size} for one in shown]
    return {"tried": tried} if any(one.data for one in shown) else {}


def _known(name: str | None) -> str:
    try:
        return building.known_format(name)
    except ChoiceError as error:
        ctx = {"expected": error.expected}
        raise problem(422, "format_unknown", ["body", "format"], str(error), input=name, ctx=ctx) from None


def _fields(message: Message) -> list[FieldValue]:
    values = operations.field_values(message)
    return [FieldValue(number=number, name=name, value=value) for number, name, value in values]


def _answer(record: BaseModel) -> Answer:
    return Answer(record.model_dump_json().encode())
