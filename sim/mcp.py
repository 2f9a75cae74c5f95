"""`iso8583 mcp`: the verbs of the toolkit as tools of an assistant, over the Model Context Protocol on stdio.

Card data are hidden in every answer. What makes a message shows it whole only where the assistant asks with
`clear`, which is for test cards alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any, ParamSpec

import sim
from sim import operations
from sim.codec import Message, build
from sim.errors import IsoError, OptionError, shown
from sim.operations import anatomy, building, parse_any, records
from sim.operations.asked import moment
from sim.spec.spellings import version_named

try:
    from mcp.server.mcpserver import MCPServer
except ModuleNotFoundError as missing:
    text = "assistants need the package mcp: pip install 'iso8583-lab[mcp]'"
    raise ModuleNotFoundError(text, name=missing.name) from missing

_INSTRUCTIONS = (
    "ISO 8583 card-payment messages, for testing and teaching. A message is its text, or bytes in any "
    "spelling: a hex dump, a log line, base64. Data elements are counted from 2; amounts are in minor units. "
    "Card data in answers are hidden by stars: pass messages on as the user gave them, not as an answer "
    "shows them. Only test card numbers belong here."
)
_P = ParamSpec("_P")

server = MCPServer("iso8583", title="ISO 8583 Lab", version=sim.__version__, instructions=_INSTRUCTIONS)


def _tool(function: Callable[_P, dict[str, Any]]) -> Callable[_P, dict[str, Any]]:
    """*function* as a tool; what is wrong with its arguments is its answer."""

    @wraps(function)
    def run(*args: _P.args, **options: _P.kwargs) -> dict[str, Any]:
        try:
            return function(*args, **options)
        except IsoError as error:
            return {"error": str(error)}

    server.tool()(run)
    return run


@_tool
def parse(
    message: str, version: str | None = None, network: str | None = None, format: str | None = None
) -> dict[str, Any]:
    """Read a message: its data elements with name, value, meaning and place; one that cannot be read to its
    end as far as it was read, with the finding. `version` is 1987, 1993 or 2003; else it is found."""
    return records.message_record(*records.seen(message, version=version, network=network, format=format))


@_tool
def explain(
    message: str, version: str | None = None, network: str | None = None, format: str | None = None
) -> dict[str, Any]:
    """Say in plain English what a message says."""
    read = _read(message, version, network, format)
    told = operations.explain(read, network=network)
    return {"mti": told.mti, "version": read.version, "network": told.network, "summary": told.summary}


@_tool
def validate(
    message: str,
    against: list[str] | None = None,
    version: str | None = None,
    network: str | None = None,
    format: str | None = None,
) -> dict[str, Any]:
    """Judge a message by the standard, by its own network, and by those of `against` (VISA, MASTERCARD, AMEX,
    DISCOVER, JCB, UNIONPAY): findings with place, cause, hint and source."""
    asked = tuple(against or ())
    return records.report_record(
        records.judged(message, version=version, network=network, format=format, against=asked), asked
    )


@_tool
def repair(
    message: str,
    version: str | None = None,
    network: str | None = None,
    clear: bool = False,
    format: str | None = None,
) -> dict[str, Any]:
    """Find the shortest edits that make a message read or valid, each marked safe or unsafe."""
    held = records.held(message, version=version, network=network, format=format)
    done = operations.repair(held, version=version, network=network)
    text = done.text if clear else anatomy.masked_text(done.text, done.version or None)
    edits = [asdict(edit) for edit in done.edits]
    left = [records.finding_record(one) for one in done.left]
    return {"message": text, "masked": not clear, "valid": done.valid, "edits": edits, "left": left}


@_tool
def guess(message: str, version: str | None = None, format: str | None = None) -> dict[str, Any]:
    """Find out what a paste is: spelling, framing, format, version, with reasons and how sure that is. Of a
    known `format` only spelling and framing are guessed."""
    found = operations.guess(message, format=format, version=version)
    names = ("confidence", "read_as", "mti", "version", "format", "read", "size", "reasons")
    return {"candidates": [{name: getattr(one, name) for name in names} for one in found.candidates]}


@_tool
def diff(a: str, b: str, format: str | None = None) -> dict[str, Any]:
    """Show the data elements in which two messages differ."""
    left, right = (records.seen(one, format=format)[0] for one in (a, b))
    return {"differences": records.difference_records(left, right)}


@_tool
def mask(message: str, format: str | None = None) -> dict[str, Any]:
    """Star out the card data of a message, as long as it was; also of one that cannot be read."""
    return {"message": records.masked(message, format=format)}


@_tool
def generate(
    message_type: str = "auth",
    network: str | None = None,
    amount_minor_units: int = 1000,
    currency: str = "840",
    version: str | None = None,
    options: dict[str, Any] | None = None,
    clear: bool = False,
    format: str = "text",
) -> dict[str, Any]:
    """Make a valid test message: `message_type` is auth, financial, echo, advice or reversal, an MTI, or a
    purpose such as refund. `options` holds others of `sim.generate` by name: purpose, entry, stan, at. With a
    wire `format` and `clear` it is given as hexadecimal."""
    given = {
        "network": network,
        "amount_minor_units": amount_minor_units,
        "currency": currency,
        "version": version,
    }
    try:
        made = sim.generate(message_type, **given | {"format": format} | (options or {}))
    except TypeError as error:
        return {"error": str(error)}
    return _made(made.iso.to_message(), clear, format=format, notes=[str(note) for note in made.iso.notes])


@_tool
def respond(
    message: str, code: str | None = None, clear: bool = False, format: str | None = None
) -> dict[str, Any]:
    """Answer a request or an advice with the response code `code`; left out, it is approved. `format` is the
    one that the request is in, where it is known; what it has no place for is left out of the answer."""
    return _fitted(operations.respond(_read(message, format=format), code).message, clear, format)


@_tool
def reverse(message: str, clear: bool = False, format: str | None = None) -> dict[str, Any]:
    """Make the reversal of a message. `format` is the one that the message is in, where it is known; what it
    has no place for is left out of the reversal."""
    return _fitted(operations.reverse(_read(message, format=format)).message, clear, format)


@_tool
def build_message(
    mti: str, fields: dict[str, str], version: str = "1987", format: str = "text", clear: bool = False
) -> dict[str, Any]:
    """Write a message from its MTI and its data elements by number; in a wire format, as hexadecimal."""
    if wrong := [number for number in fields if not (number.isascii() and number.isdecimal())]:
        raise OptionError("fields", "numbers of data elements, such as 11", shown(wrong[0]))
    numbered = {int(number): value for number, value in fields.items()}
    made = building.build_from(mti, numbered, version=version_named(version))
    return _made(made.message, clear, format=format)


@_tool
def convert(message: str, to: str, clear: bool = False, format: str | None = None) -> dict[str, Any]:
    """Write a message in another version (1987, 1993, 2003), with a word on what became of each element, or
    in a wire format, as hexadecimal digits."""
    read = _read(message, format=format)
    if to not in operations.VERSIONS:
        return _made(read, clear, format=to)
    made = operations.convert(read, to, at=moment(None))
    notes = [
        {"number": one.number, "to": list(one.to), "action": one.action, "note": one.note}
        for one in made.notes
    ]
    return _made(made.message, clear, lossless=made.lossless, notes=notes)


@_tool
def break_message(
    message: str, fault: str | None = None, clear: bool = False, format: str | None = None
) -> dict[str, Any]:
    """Break a message in one way that a rule finds, for negative tests; without `fault`, list the ways."""
    read = _read(message, format=format)
    if fault is None:
        found = operations.faults_for(read)
        return {"faults": [{"fault": one.id, "rule": one.rule, "what": one.what} for one in found]}
    made = operations.break_message(read, fault)
    text = made.raw if clear else anatomy.masked_text(made.raw, made.version)
    return {"message": text, "rule": made.rule, "field": made.field, "start": made.start, "what": made.what}


def _read(
    message: str, version: str | None = None, network: str | None = None, format: str | None = None
) -> Message:
    return parse_any(message, format=format, version=version, network=network).message


def _fitted(message: Message, clear: bool, format: str | None) -> dict[str, Any]:
    fitted, notes = building.in_format(message, format or building.TEXT)
    more: dict[str, Any] = {"notes": list(notes)} if notes else {}
    return _made(fitted, clear, **more)


def _made(message: Message, clear: bool, *, format: str = "text", **more: Any) -> dict[str, Any]:
    name = building.known_format(format)
    head = {"mti": message.mti, "version": message.version, "format": name, "masked": not clear}
    if not clear:
        return {"message": anatomy.masked_text(build(message), message.version)} | head | more
    return {"message": building.written(message, name)} | head | more


def _rows(made: Callable[[], Any]) -> str:
    """A table as JSON, a record a row; what is wrong with what was asked for is told in its place."""
    try:
        plain = made().masked()
    except IsoError as error:
        return json.dumps({"error": str(error)})
    return json.dumps(
        plain.astype(object).where(plain.notna(), None).to_dict("records"), ensure_ascii=False, default=str
    )


@server.resource("iso8583://fields/{version}", mime_type="application/json")
def fields(version: str) -> str:
    """The data elements of a version: number, name, format."""
    return _rows(lambda: sim.fields(version))


@server.resource("iso8583://codes/{name}", mime_type="application/json")
def codes(name: str) -> str:
    """A code list, such as response_code."""
    return _rows(lambda: sim.codes(name))


@server.resource("iso8583://rules", mime_type="application/json")
def rules() -> str:
    """The rules: what each checks, how bad it is, its source."""
    return _rows(sim.rules)


@server.resource("iso8583://formats", mime_type="application/json")
def formats() -> str:
    """The wire formats that messages are read and written in."""
    return _rows(sim.formats)


@server.resource("iso8583://flows/{network}", mime_type="application/json")
def flows(network: str) -> str:
    """What a network calls each flow, and which elements carry it."""
    return _rows(lambda: sim.flows(network))


def main() -> None:
    """Speak over standard input and output until they are closed."""
    server.run("stdio")


if __name__ == "__main__":
    main()
