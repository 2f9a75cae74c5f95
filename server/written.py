"""The responses to POST /parse, /build, /convert and /plan, and to /generate with a description.

Each function takes the request's record or a plan, and returns the response or raises Problem.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, TypeAlias

from server.errors import Problem, iso_fault, iso_problem, problem
from sim import operations
from sim.errors import MTI_FIELD, BuildError, ChoiceError, quoted_value
from sim.exchanges.plan import Plan, Run, UnclearError, masked_description
from sim.operations import building, reading

Answer: TypeAlias = dict[str, Any]  # as in the endpoint's response record

_MOST_TRIED = 5
_ELEMENTS = frozenset(map(str, range(2, 129)))
_MESSAGE: list[str | int] = ["body", "message"]


def parse(body: Any, *, guess: bool = True) -> Answer | None:
    """The response to POST /parse; None if the format must be guessed and *guess* is False."""
    reading = _read(body, None if body.format is None else _checked_format(body.format), guess)
    if reading is None:
        return None
    if reading.message is None:
        raise _refused(reading)
    view = operations.dissect(reading)
    return {
        "mti": reading.mti,
        "version": reading.version,
        "network": view.network,
        "interface": reading.interface,
        "fields": operations.field_values(reading.message, view.network),
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


def build(body: Any) -> Answer:
    """The response to POST /build."""
    name = _checked_format(body.format)
    if unknown := [key for key in body.fields if key not in _ELEMENTS]:
        expected = "a data element 2 to 128"
        faults = {key: BuildError(None, None, expected, quoted_value(key)) for key in unknown}
        raise Problem(422, [_unwritable(key, fault) for key, fault in faults.items()])
    fields = {int(number): value for number, value in body.fields.items()}
    try:
        built = building.build_from(body.mti, fields, version=body.version, format=name)
    except building.UnwritableError as error:
        raise Problem(422, [_unwritable(str(fault.field), fault) for fault in error.errors]) from None
    return {
        "message": built.written,
        "mti": body.mti,
        "version": body.version,
        "format": built.format,
        "length": built.length,
    }


def _unwritable(key: str, error: BuildError) -> dict[str, Any]:
    place: list[str | int] = ["body", "fields", key] if error.field != MTI_FIELD else ["body", "mti"]
    return iso_fault("iso8583_build", place, error)


def convert(body: Any, *, guess: bool = True) -> Answer | None:
    """The response to POST /convert; None if the format must be guessed and *guess* is False."""
    reading = _read(body, None, guess)
    if reading is None:
        return None
    if reading.message is None or reading.misfits:
        raise _refused(reading)
    result = operations.convert(reading.message, body.target_version, network=body.network)
    try:
        raw = result.raw
    except BuildError as error:  # an element as long as another interface has it
        raise iso_problem("iso8583_build", _MESSAGE, error) from None
    return {
        "message": raw,
        "mti": result.message.mti,
        "version": body.target_version,
        "fields": operations.field_values(result.message, body.network),
        "notes": [asdict(note) for note in result.notes],
        "lossless": result.lossless,
    }


def _read(body: Any, form: str | None, guess: bool) -> operations.Reading | None:
    """The message, as far as it can be read; None if it is not in text form and *guess* is False."""
    text_only = form != operations.TEXT and not guess
    if form is not None and text_only:
        return None
    how = {name: getattr(body, name) for name in ("version", "network", "interface")}
    try:
        reading = operations.read(body.message, format=operations.TEXT if text_only else form, **how)
    except ChoiceError as error:
        if error.option != "interface":
            raise
        raise _unknown("interface", body.interface, error) from None
    return None if text_only and not reading.complete else reading


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
    # The formats tried when bytes were guessed, and how far each could be read.
    attempts = [reading for reading in (attempt, *attempt.rivals) if reading.format][:_MOST_TRIED]
    tried = [{"format": reading.format, "read": reading.read, "of": reading.size} for reading in attempts]
    more = {"tried": tried} if any(reading.data for reading in attempts) else {}
    return iso_problem("iso8583_parse", _MESSAGE, error, fields=fields, **more)


def _checked_format(name: str | None) -> str:
    try:
        return building.known_format(name)
    except ChoiceError as error:
        raise _unknown("format", name, error) from None


def _unknown(option: str, name: str | None, error: ChoiceError) -> Problem:
    ctx = {"expected": error.expected}
    return problem(422, f"{option}_unknown", ["body", option], str(error), input=name, ctx=ctx)


def generate(exchange_plan: Plan) -> Answer:
    """The response to POST /generate: the message that the description of a plan is about. Raises Problem."""
    try:
        run = exchange_plan.run()
    except UnclearError as error:
        unclear = [masked_description(words) for words in error.words]
        ctx = {"understood": exchange_plan.understood(), "unclear": unclear}
        type_ = "not_possible" if error.not_possible else "description_unclear"
        raise problem(422, type_, ["body", "description"], str(error), ctx=ctx) from None
    message = _message(run, run.subject)
    del message["role"]
    return message | {"network": run.exchange.network, "source": exchange_plan.source}


def plan(exchange_plan: Plan) -> Answer:
    """The response to POST /plan, even if nothing can be made."""
    messages = []
    if exchange_plan.makes_messages and not exchange_plan.unclear and not exchange_plan.not_possible:
        run = exchange_plan.run()
        messages = [_message(run, at) for at in range(len(run.exchange))]
    steps: list[Answer] = []
    for number, call, name, value, words in exchange_plan.rows():
        if number > len(steps):
            steps.append({"call": call, "options": {}, "words": {}})
        if name:
            steps[-1]["options"][name] = value
        if words:
            steps[-1]["words"][name] = masked_description(words)
    return {
        "steps": steps,
        "notes": [f"{note}: {words}" if words else note for words, note in exchange_plan.reports],
        "code": exchange_plan.code,
        "messages": messages,
        "source": exchange_plan.source,
    }


def _message(run: Run, at: int) -> Answer:
    step = run.exchange.steps[at]
    fields = operations.field_values(step.message, run.exchange.network)
    return {"message": run.text(at), "mti": step.message.mti, "role": step.role, "fields": fields}
