"""`iso8583 mcp`: the verbs of the toolkit as tools of an assistant, over the Model Context Protocol on stdio.

The options of a tool are those of its verb (`sim.verbs`), with their types and words; those that would ask a
language model are left out, as it is the user's account that pays. A verb without a function here gives the
rows of its table. Card data are hidden in every answer; what makes a message shows it whole only where the
assistant asks with `clear`, which is for test cards alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Annotated, Any, Literal

import sim
from sim import operations
from sim.codec import Message, build
from sim.errors import IsoError, OptionError, shown
from sim.operations import anatomy, building, parse_any, records
from sim.operations.asked import generated, moment
from sim.operations.choosing import chosen_version
from sim.spec.spellings import version_named
from sim.verbs import MESSAGES, OF_A_MODEL, Option, elsewhere, names, verb
from sim.visible import json_text

try:
    from mcp.server.mcpserver import MCPServer
    from pydantic import Field  # what the protocol's own package describes arguments with
except ModuleNotFoundError as missing:
    text = "assistants need the package mcp: pip install 'iso8583-lab[mcp]'"
    raise ModuleNotFoundError(text, name=missing.name) from missing

# Verbs that are no tools, and why.
NO_TOOLS = {
    **dict.fromkeys(("client", "host", "load", "run_suite"), "opens connections"),
    **dict.fromkeys(
        ("read", "match", "load_format", "load_rules", "export_suite"),
        "reads or writes files of this machine",
    ),
    **dict.fromkeys(("plot", "show"), "draws for a notebook"),
    "drill": "asks, and waits for the answer",
}
_INSTRUCTIONS = (
    "ISO 8583 card-payment messages, for testing and teaching. A message is its text, or bytes in any "
    "spelling: a hex dump, a log line, base64. Data elements are counted from 2; amounts are in minor units. "
    "Card data in answers are hidden by stars: pass messages on as the user gave them, not as an answer "
    "shows them. Only test card numbers belong here."
)
_CLEAR = "Whether the message is given whole, with its card data: for test cards alone."
_ALLOWED = Annotated[bool, Field(description=_CLEAR)]
_CLEAR_OPTION = inspect.Parameter("clear", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=_ALLOWED)
Answer = dict[str, Any]

server = MCPServer("iso8583", title="ISO 8583 Lab", version=sim.__version__, instructions=_INSTRUCTIONS)
tools: dict[str, Callable[..., Answer]] = {}


def _tool(
    name: str, *, of: str = "", without: tuple[str, ...] = (), clear: bool = False
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """A tool with the options of the verb *of*, its name where that is another, but those *without*; what is
    wrong with an argument is the answer."""

    def projected(function: Callable[..., Answer]) -> Callable[..., Answer]:
        told = verb(of or name)
        left_out = (*without, *OF_A_MODEL)
        options = [
            one for one in told.options if one.name not in left_out and (one.is_plain or one.is_message)
        ]
        own = list(inspect.signature(function, eval_str=True).parameters.values())
        parameters = [_parameter(one) for one in options]
        parameters += [one for one in own if one.kind is one.KEYWORD_ONLY]
        parameters += [_CLEAR_OPTION] if clear else []

        signature = inspect.Signature(parameters, return_annotation=Answer)

        @wraps(function)
        def run(**given: Any) -> Answer:
            asked = signature.bind(**given)
            asked.apply_defaults()
            try:
                return function(**asked.arguments)
            except IsoError as error:
                return {"error": str(error)}

        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__doc__ = elsewhere(told.text)
        server.tool(name)(run)
        tools[name] = run
        return run

    return projected


def _parameter(option: Option) -> inspect.Parameter:
    """*option* as the protocol describes it; what is the message is called so."""
    each: Any = Literal[option.choices] | option.plain if option.choices and not option.many else option.plain
    return inspect.Parameter(
        "message" if option.name in MESSAGES else option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.required else option.default,
        annotation=Annotated[option.in_json(each), Field(description=elsewhere(option.about))],
    )


@_tool("parse")
def _parse(message: str, **how: Any) -> Answer:
    return records.message_record(*records.seen(message, **how))


@_tool("explain", without=("llm",))
def _explain(message: str, network: str | None = None, **how: Any) -> Answer:
    read = parse_any(message, network=network, **how)
    told = operations.explain(read)
    return {"mti": told.mti, "version": read.version, "network": told.network, "summary": told.summary}


@_tool("validate")
def _validate(message: str, against: list[str] | None = None, **how: Any) -> Answer:
    asked = tuple(against or ())
    return records.report_record(records.judged(message, against=asked, **how), asked)


@_tool("repair", clear=True)
def _repair(
    message: str,
    version: str | None = None,
    network: str | None = None,
    format: str | None = None,
    unsafe: bool = True,
    clear: bool = False,
) -> Answer:
    held = records.held(message, version=version, network=network, format=format)
    done = operations.repair(held, version=version, network=network, unsafe=unsafe)
    text = done.text if clear else anatomy.masked_text(done.text, done.version or None)
    edits = [asdict(edit) for edit in done.edits]
    left = [records.finding_record(one) for one in done.left]
    return {"message": text, "masked": not clear, "valid": done.valid, "edits": edits, "left": left}


@_tool("guess")
def _guess(message: str, **how: Any) -> Answer:
    found = operations.guess(message, **how)
    return {"candidates": [records.guess_record(one) for one in (found, *found.rivals)]}


@_tool("diff")
def _diff(a: str, b: str, format: str | None = None) -> Answer:
    left, right = (records.seen(one, format=format)[0] for one in (a, b))
    return {"differences": records.difference_records(left, right)}


@_tool("mask")
def _mask(message: str, **how: Any) -> Answer:
    return {"message": records.masked(message, **how)}


@_tool("generate", clear=True)
def _generate(message_type: str, format: str | None = None, clear: bool = False, **options: Any) -> Answer:
    made = generated(message_type, format=format, **options)
    message, left = building.in_format(made.message, building.known_format(format))
    return _made(message, clear, format=format, notes=[*made.notes, *left])


@_tool("respond", clear=True)
def _respond(
    message: str, code: str | None = None, format: str | None = None, clear: bool = False, **amounts: Any
) -> Answer:
    read = parse_any(message, format=format).whole()
    return _fitted(operations.respond(read, code, **amounts).message, clear, format)


@_tool("reverse", clear=True)
def _reverse(
    message: str, at: str | None = None, format: str | None = None, clear: bool = False, **how: Any
) -> Answer:
    read = parse_any(message, format=format).whole()
    return _fitted(operations.reverse(read, at=moment(at), **how).message, clear, format)


@_tool("build_message", of="build", without=("fields",), clear=True)
def _build(
    version: str | None = None,
    format: str | None = None,
    clear: bool = False,
    *,
    mti: Annotated[str, Field(description="The message type, such as 0800.")],
    fields: Annotated[dict[str, str], Field(description="Data elements by number, such as 11.")],
) -> Answer:
    wrong = [one for one in fields if not (one.isascii() and one.isdecimal() and len(one) <= _MOST_DIGITS)]
    if wrong:
        raise OptionError("fields", "numbers of data elements, such as 11", shown(wrong[0]))
    numbered = {int(number): value for number, value in fields.items()}
    edition = version_named(version) if version else chosen_version(mti, None)
    made = building.build_from(mti, numbered, version=edition)
    return _made(made.message, clear, format=format)


_MOST_DIGITS = 3


@_tool("convert", clear=True)
def _convert(
    message: str,
    to: str,
    version: str | None = None,
    network: str | None = None,
    at: str | None = None,
    format: str | None = None,
    clear: bool = False,
) -> Answer:
    read = parse_any(message, format=format, version=version, network=network).whole()
    if to not in operations.VERSIONS:
        return _made(read, clear, format=to)
    made = operations.convert(read, to, network=network, at=moment(at))
    notes = [
        {"number": one.number, "to": list(one.to), "action": one.action, "note": one.note}
        for one in made.notes
    ]
    return _made(made.message, clear, lossless=made.lossless, notes=notes)


@_tool("break_message", without=("fault",), clear=True)
def _break(
    message: str,
    format: str | None = None,
    clear: bool = False,
    *,
    fault: Annotated[
        str | None, Field(description="The name of a fault; without it, those that are possible are listed.")
    ] = None,
) -> Answer:
    read = parse_any(message, format=format).whole()
    if fault is None:
        found = operations.faults_for(read)
        return {"faults": [{"fault": one.id, "rule": one.rule, "what": one.what} for one in found]}
    made = operations.break_message(read, fault)
    text = made.raw if clear else anatomy.masked_text(made.raw, made.version)
    return {"message": text, "rule": made.rule, "field": made.field, "start": made.start, "what": made.what}


def _of_table(name: str) -> Callable[..., Answer]:
    """A verb as a tool that gives the rows of its table, card data hidden; a text that is no table as it
    is."""

    def run(**given: Any) -> Answer:
        found = verb(name)(**given)
        return {"rows": records_of(found)} if hasattr(found, "masked") else {"result": found}

    return run


def records_of(table: Any) -> list[dict[str, Any]]:
    """The rows of a table, card data hidden, what is missing None."""
    plain = table.masked()
    rows: list[dict[str, Any]] = plain.astype(object).where(plain.notna(), None).to_dict("records")
    return rows


for _name in names():
    if _name not in (*tools, *NO_TOOLS, "build"):
        _tool(_name)(_of_table(_name))


def _fitted(message: Message, clear: bool, format: str | None) -> Answer:
    fitted, notes = building.in_format(message, format or building.TEXT)
    more: dict[str, Any] = {"notes": list(notes)} if notes else {}
    return _made(fitted, clear, **more)


def _made(message: Message, clear: bool, *, format: str | None = None, **more: Any) -> Answer:
    name = building.known_format(format)
    head = {"mti": message.mti, "version": message.version, "format": name, "masked": not clear}
    if not clear:
        return {"message": anatomy.masked_text(build(message), message.version)} | head | more
    return {"message": building.written(message, name)} | head | more


def _resource(path: str) -> None:
    """The table of a verb as a resource; what is wrong with what was asked for is told in its place."""
    name, _, option = path.partition("/")
    parameter = option.strip("{}")

    def rows(**given: str) -> str:
        answer = tools[name](**given)
        return json_text(answer.get("rows", answer))

    taken = [inspect.Parameter(parameter, inspect.Parameter.KEYWORD_ONLY, annotation=str)] if option else []
    rows.__annotations__ = {one.name: str for one in taken} | {"return": str}
    rows.__signature__ = inspect.Signature(taken, return_annotation=str)  # type: ignore[attr-defined]
    rows.__name__, rows.__doc__ = name, elsewhere(verb(name).text)
    server.resource(f"iso8583://{path}", mime_type="application/json")(rows)


for _path in ("fields/{version}", "codes/{name}", "rules", "formats", "flows/{network}"):
    _resource(_path)


def main() -> None:
    """Speak over standard input and output until they are closed."""
    server.run("stdio")


if __name__ == "__main__":
    main()
