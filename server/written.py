"""The responses to POST /parse, /build, /convert and /plan, and to /generate with a description.

Each function takes the request's record or a plan, and returns the response or raises Problem.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, TypeAlias

from server.errors import Problem, iso_fault, iso_problem, problem
from sim import operations
from sim.codec import Message
from sim.errors import MTI_FIELD, BuildError, ChoiceError
from sim.exchanges.plan import Plan, Run, UnclearError, masked_description
from sim.operations import building, reading

Answer: TypeAlias = dict[str, Any]  # as in the endpoint's response record

_MOST_TRIED = 5
_ELEMENTS = frozenset(map(str, range(2, 129)))
_MESSAGE: list[str | int] = ["body", "message"]


def fields_of(message: Message) -> list[Answer]:
    """The data elements of *message*, ascending."""
    return [
        {"number": number, "name": name, "value": value}
        for number, name, value in operations.field_values(message)
    ]


def parse(asked: Any, *, guess: bool = True) -> Answer | None:
    """The response to POST /parse; None if the format must be guessed and *guess* is False."""
    form = None if asked.format is None else _checked_format(asked.format)
    reading = _read(asked, form, guess)
    return None if reading is None else _parsed(reading)


def _parsed(reading: operations.Reading) -> Answer:
    if reading.message is None:
        raise _refused(reading)
    view = operations.dissect(reading)
    return {
        "mti": reading.mti,
        "version": reading.version,
        "network": view.network,
        "interface": reading.interface,
        "fields": fields_of(reading.message),
        "findings": [finding.message for finding in view.findings],
        "message": reading.text,
        "format": {
            "name": reading.format,
            "framing": reading.framing,
            "confidence": reading.confidence,
            "reasons": reading.reasons,
        },
        "more": len(reading.more),
    }


def build(asked: Any) -> Answer:
    """The response to POST /build."""
    name = _checked_format(asked.format)
    unknown = [key for key in asked.fields if key not in _ELEMENTS]
    if unknown:
        faults = [BuildError(None, None, "a data element 2 to 128", repr(key[:9])) for key in unknown]
        raise Problem(422, [_unwritable(key, fault) for key, fault in zip(unknown, faults, strict=True)])
    fields = {int(number): value for number, value in asked.fields.items()}
    try:
        built = building.build_from(asked.mti, fields, version=asked.version, format=name)
    except building.UnwritableError as error:
        raise Problem(422, [_unwritable(str(fault.field), fault) for fault in error.errors]) from None
    return {
        "message": built.written,
        "mti": asked.mti,
        "version": asked.version,
        "format": built.format,
        "length": built.length,
    }


def _unwritable(key: str, error: BuildError) -> dict[str, Any]:
    place: list[str | int] = ["body", "fields", key] if error.field != MTI_FIELD else ["body", "mti"]
    return iso_fault("iso8583_build", place, error)


def convert(asked: Any, *, guess: bool = True) -> Answer | None:
    """The response to POST /convert; None if the format must be guessed and *guess* is False."""
    reading = _read(asked, None, guess)
    return None if reading is None else _converted(asked, reading)


def _converted(asked: Any, reading: operations.Reading) -> Answer:
    if reading.message is None or reading.misfits:
        raise _refused(reading)
    result = operations.convert(reading.message, asked.target_version, network=asked.network)
    return {
        "message": result.raw,
        "mti": result.message.mti,
        "version": asked.target_version,
        "fields": fields_of(result.message),
        "notes": [asdict(note) for note in result.notes],
        "lossless": result.lossless,
    }


def _read(asked: Any, form: str | None, guess: bool) -> operations.Reading | None:
    """The message, as far as it can be read; None if it is not in text form and *guess* is False."""
    guessed = form != operations.TEXT and not guess
    if form is not None and guessed:
        return None
    how = operations.TEXT if guessed else form
    try:
        reading = operations.read(
            asked.message,
            format=how,
            version=asked.version,
            network=asked.network,
            interface=asked.interface,
        )
    except ChoiceError as error:
        if error.option != "interface":
            raise
        ctx = {"expected": error.expected}
        where: list[str | int] = ["body", "interface"]
        text = str(error)
        raise problem(422, "interface_unknown", where, text, input=asked.interface, ctx=ctx) from None
    return None if guessed and not reading.complete else reading


def _refused(attempt: operations.Reading) -> Problem:
    """The Problem for *attempt*, with the reason, the elements that were read (card data masked), and what
    was tried."""
    error = reading.refusal(attempt)
    if isinstance(error, operations.NotIso8583Error):
        ctx: dict[str, Any] = {"kind": attempt.kind or None, "reasons": list(error.reasons)}
        if attempt.pieces:
            ctx["inside"] = [piece._asdict() for piece in attempt.pieces]
        return problem(422, "not_iso8583", _MESSAGE, "This is not an ISO 8583 message", ctx=ctx)
    values = operations.dissect(attempt).shown_values if attempt.message else {}
    fields = {str(number): value for number, value in values.items() if number > 1}
    return iso_problem("iso8583_parse", _MESSAGE, error, fields=fields, **_tried(attempt))


def _tried(attempt: operations.Reading) -> dict[str, Any]:
    """The formats tried when bytes were guessed, and how far each could be read."""
    attempts = [reading for reading in (attempt, *attempt.rivals) if reading.format][:_MOST_TRIED]
    tried = [{"format": reading.format, "read": reading.read, "of": reading.size} for reading in attempts]
    return {"tried": tried} if any(reading.data for reading in attempts) else {}


def _checked_format(name: str | None) -> str:
    try:
        return building.known_format(name)
    except ChoiceError as error:
        ctx = {"expected": error.expected}
        raise problem(422, "format_unknown", ["body", "format"], str(error), input=name, ctx=ctx) from None


def generate(exchange_plan: Plan) -> dict[str, Any]:
    """The response to POST /generate: the message that the description of a plan is about. Raises Problem."""
    try:
        run = exchange_plan.run()
    except UnclearError as error:
        raise _not_made(exchange_plan, error) from None
    message = _message(run, run.subject)
    del message["role"]
    return message | {"network": run.exchange.network, "source": exchange_plan.source}


def plan(exchange_plan: Plan) -> dict[str, Any]:
    """The response to POST /plan, even if nothing can be made."""
    messages = []
    if exchange_plan.makes_messages and not exchange_plan.unclear and not exchange_plan.not_possible:
        run = exchange_plan.run()
        messages = [_message(run, at) for at in range(len(run.exchange))]
    doubts = exchange_plan.doubts
    unclear = [
        f"{'Unclear' if text in doubts else 'Not understood'}: {masked_description(text)}"
        for text in exchange_plan.unclear
    ]
    impossible = [f"Not possible: {exchange_plan.not_possible}"] if exchange_plan.not_possible else []
    steps: list[dict[str, Any]] = []
    for number, call, name, value, words in exchange_plan.rows():
        if number > len(steps):
            steps.append({"call": call, "options": {}, "words": {}})
        if name:
            steps[-1]["options"][name] = value
        if words:
            steps[-1]["words"][name] = masked_description(words)
    return {
        "steps": steps,
        "notes": [
            *exchange_plan.remarks,
            *unclear,
            *impossible,
            *filter(None, [exchange_plan.cost]),
        ],
        "code": exchange_plan.code,
        "messages": messages,
        "source": exchange_plan.source,
    }


def _message(run: Run, at: int) -> dict[str, Any]:
    step = run.exchange.steps[at]
    fields = fields_of(step.message)
    return {"message": run.text(at), "mti": step.message.mti, "role": step.role, "fields": fields}


def _not_made(exchange_plan: Plan, error: UnclearError) -> Problem:
    unclear = [masked_description(words) for words in error.words]
    ctx = {"understood": exchange_plan.understood(), "unclear": unclear}
    type_ = "not_possible" if error.not_possible else "description_unclear"
    return problem(422, type_, ["body", "description"], str(error), ctx=ctx)
