"""`iso8583 mcp`: the toolkit's verbs as tools for an assistant, over the Model Context Protocol on stdio.

A tool has the options of its verb (`sim.verbs`), with their types and descriptions, except those that would
call a language model, because the user's account would pay. Verbs that `sim.answers` does not have return the
rows of their table. Card data is masked in every result; a tool that makes a message returns it in clear only
if the assistant asks with `clear`, which is for test cards only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, Literal

import sim
from sim import answers
from sim.answers import Made, MadeExchange
from sim.errors import IsoError, OptionError, quoted_value
from sim.masking import mask_words
from sim.operations.building import known_format
from sim.verbs import MESSAGES, OF_A_MODEL, Option, elsewhere, names, verb
from sim.visible import json_text

if find_spec("mcp") is None:
    raise ModuleNotFoundError(
        "AI assistants need the package mcp: pip install 'iso8583-lab[mcp]'", name="mcp"
    )

from pydantic import ConfigDict, Field  # the protocol's package describes arguments with it

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

# Verbs that are not tools, and why.
NO_TOOLS = {
    **dict.fromkeys(("client", "host", "load", "run_suite"), "opens connections"),
    **dict.fromkeys(
        ("read", "match", "load_format", "load_rules", "export_suite"),
        "reads or writes files of this machine",
    ),
    **dict.fromkeys(("plot", "show"), "draws for a notebook"),
    "drill": "asks and waits for the answer",
}
_INSTRUCTIONS = (
    "ISO 8583 card-payment messages, for testing and teaching. A message is text, or bytes in any "
    "notation: a hex dump, a log line, base64. Data elements are counted from 2; amounts are in minor "
    "units. Card data in results is masked with asterisks: pass on messages as the user gave them, not as "
    "a result shows them. Only test card numbers belong here."
)
_CLEAR = "Whether to return the message unmasked, with its card data; for test cards only."
_MOST_DIGITS = 3
Answer = dict[str, Any]

tools: dict[str, Callable[..., Answer]] = {}


def _own_parameter(
    name: str, annotation: Any, about: str, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    words = Annotated[annotation, Field(description=about)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=words)


def _tool(
    name: str,
    function: Callable[..., Any],
    *own: inspect.Parameter,
    of: str = "",
    to: str = "",
    rows: str = "rows",
    clear: bool = False,
) -> None:
    """Register the tool *name*: *function* with the options of the verb *of* (default: *name*) and its *own*,
    which replace a verb's of the same name. An invalid argument is reported in the result.

    Rows that it returns are called *rows*. With *clear* it makes a message, which is returned in clear on
    request, in the format in the option *to*.
    """
    about = verb(of or name)
    left_out = {*OF_A_MODEL, "llm", *(parameter.name for parameter in own)}
    options = [opt for opt in about.options if opt.name not in left_out and (opt.is_plain or opt.is_message)]
    parameters = [
        *map(_parameter, options),
        *own,
        *([_own_parameter("clear", bool, _CLEAR, False)] if clear else []),
    ]
    signature = inspect.Signature(parameters, return_annotation=Answer)

    def run(**given: Any) -> Answer:
        bound = signature.bind(**given)
        bound.apply_defaults()
        arguments = bound.arguments
        in_clear = arguments.pop("clear", False)
        try:
            answer = function(**arguments)
            if isinstance(answer, Made | MadeExchange):
                target = arguments.get(to)  # a wire format, or a version
                wire = None if target in sim.VERSIONS else target
                record = answer.record(wire) if in_clear else answer.masked()
                return record | {"masked": not in_clear}
        except IsoError as error:
            return {"error": str(error)}
        return {rows: answer} if isinstance(answer, list) else answer

    run.__name__, run.__doc__ = name, elsewhere(about.text)
    run.__signature__ = signature  # type: ignore[attr-defined]
    tools[name] = run


def _parameter(option: Option) -> inspect.Parameter:
    """*option* as the protocol describes it; the message is always called `message`."""
    each: Any = Literal[option.choices] | option.plain if option.choices and not option.many else option.plain
    name = "message" if option.name in MESSAGES else option.name
    return _own_parameter(name, option.in_json(each), elsewhere(option.about), option.default)


def _build(mti: str, fields: dict[str, str], version: str | None = None, format: str | None = None) -> Made:
    wrong = [key for key in fields if not (key.isascii() and key.isdecimal() and len(key) <= _MOST_DIGITS)]
    if wrong:
        raise OptionError("fields", "numbers of data elements, such as 11", quoted_value(wrong[0]))
    known_format(format)
    return answers.build(mti, {int(number): value for number, value in fields.items()}, version)


def _break(message: str, fault: str | None = None, **how: Any) -> Made | list[Answer]:
    return answers.faults(message, **how) if fault is None else answers.break_message(message, fault, **how)


def _plan(description: str) -> Answer:
    table = sim.plan(description)
    return {"rows": answers.rows(table), "code": mask_words(table.code)}


def _learn(messages: list[str], name: str = "learned") -> Answer:
    table = sim.learn(messages, name=name)
    return {"rows": answers.rows(table), "read_as": table.read_as, "toml": table.toml}


def _of_table(name: str) -> Callable[..., Any]:
    """A verb as a tool that returns the rows of its table, or a text unchanged."""

    def run(**given: Any) -> Any:
        answer = verb(name)(**given)
        return answers.rows(answer) if hasattr(answer, "masked") else {"result": answer}

    return run


for _name in ("parse", "explain", "validate", "mask"):
    _tool(_name, getattr(answers, _name))
_tool("guess", answers.guess, rows="candidates")
_tool("diff", answers.diff, rows="differences")
for _name in ("repair", "respond", "reverse"):
    _tool(_name, getattr(answers, _name), clear=True)
_tool("generate", answers.generate, to="format", clear=True)
_tool("exchange", answers.exchange, to="format", clear=True)
_tool("convert", answers.convert, to="to", clear=True)
_tool(
    "build_message",
    _build,
    _own_parameter("mti", str, "The message type, such as 0800."),
    _own_parameter("fields", dict[str, str], "Data elements by number, such as 11."),
    of="build",
    to="format",
    clear=True,
)
_tool(
    "break_message",
    _break,
    _own_parameter("fault", str | None, "The name of a fault. Default: list those that apply.", None),
    rows="faults",
    clear=True,
)
_tool("plan", _plan, _own_parameter("description", str, verb("plan").option("description").about))
_tool("learn", _learn, _own_parameter("messages", list[str], "The messages, each in any notation."))
for _name in names():
    if _name not in (*tools, *NO_TOOLS, "build"):
        _tool(_name, _of_table(_name))


def _resource(server: MCPServer[Any], path: str) -> None:
    """Register the table of a verb as a resource; an error is returned as its text."""
    name, _, option = path.partition("/")
    parameter = option.strip("{}")

    def rows(**given: str) -> str:
        answer = tools[name](**given)
        return json_text(answer.get("rows", answer))

    taken = [inspect.Parameter(parameter, inspect.Parameter.KEYWORD_ONLY, annotation=str)] if option else []
    rows.__annotations__ = {parameter.name: str for parameter in taken} | {"return": str}
    rows.__signature__ = inspect.Signature(taken, return_annotation=str)  # type: ignore[attr-defined]
    rows.__name__, rows.__doc__ = name, elsewhere(verb(name).text)
    server.resource(f"iso8583://{path}", mime_type="application/json")(rows)


def main() -> None:
    """Serve on standard input and output until they are closed."""
    from mcp.server.mcpserver import MCPServer  # takes a second, and only serving needs it
    from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase

    # Invalid arguments may be card data; an option that no tool has would be left out silently.
    ArgModelBase.model_config.update(ConfigDict(hide_input_in_errors=True, extra="forbid"))
    server: MCPServer[Any] = MCPServer(
        "iso8583", title="ISO 8583 Lab", version=sim.__version__, instructions=_INSTRUCTIONS
    )
    for name, run in tools.items():
        server.tool(name)(run)
    for path in ("fields/{version}", "codes/{name}", "rules", "formats", "flows/{network}"):
        _resource(server, path)
    server.run("stdio")


if __name__ == "__main__":
    main()
