"""The commands that make a message: generate, respond, reverse, build, convert, break. They print it in
clear."""

from __future__ import annotations

import json
from typing import Any

import click

from sim import answers
from sim.cli import shown
from sim.cli.options import FORMAT, TO, command, messages, option
from sim.errors import OptionError

_MOST = 1_000_000
_READ_AS = (option("parse", "version"), option("parse", "network"))


@command(
    "generate",
    TO,
    click.Option(
        ["--count", "-c"], default=1, show_default=True, help="Number of messages, with consecutive STANs."
    ),
    note="MESSAGE_TYPE is auth, financial, echo, advice or reversal, an MTI, or a purpose such as refund.",
)
def generate(message_type: str, count: int, to: str | None, as_json: bool, **options: Any) -> None:
    """Print test messages."""
    if not 1 <= count <= _MOST:
        raise OptionError("count", f"1 to {_MOST:,}", str(count))
    stan, options["format"] = options.pop("stan"), options["format"] or to
    stan = stan.zfill(6) if stan.isdecimal() else stan
    first = int(stan) if stan.isdecimal() else 0
    for at in range(1 if options["description"] else count):
        stan = f"{(first + at - 1) % 999_999 + 1:06}" if at else stan
        _print(answers.generate(message_type, stan=stan, **options), to, as_json)


@command("respond", *_READ_AS, TO)
def respond(message: str, as_json: bool, to: str | None, **how: Any) -> None:
    """Print the response to a request."""
    _print(answers.respond(message, to=to, **how), to, as_json)


@command("reverse", *_READ_AS, TO)
def reverse(message: str, as_json: bool, to: str | None, **how: Any) -> None:
    """Print the reversal of a message."""
    _print(answers.reverse(message, to=to, **how), to, as_json)


@command(
    "exchange",
    click.Argument(["purpose"], default="purchase"),
    TO,
    note="PURPOSE is like MESSAGE_TYPE of generate. The messages go to stdout, the summary to stderr.",
)
def exchange(purpose: str, to: str | None, as_json: bool, **options: Any) -> None:
    """Print an exchange: a request, its response, and what follows."""
    result = answers.exchange(purpose, **options | {"format": options["format"] or to})
    for record in result.records(to or options["format"]):
        if as_json:
            shown.json_line(record)
        else:
            shown.message(record["message"])
    for line in (result.more["summary"], *result.more["notes"]):
        shown.line(line, err=True)


@command(
    "build",
    click.Argument(["mti"]),
    click.Argument(["elements"], nargs=-1),
    TO,
    without=("fields", "format"),
    note="MTI is the message type. ELEMENTS look like 3=000000 11=123456; without any, a JSON object "
    'such as {"3": "000000"} is read from standard input.',
)
def build(mti: str, elements: tuple[str, ...], version: str | None, to: str | None, as_json: bool) -> None:
    """Print a message built from its elements."""
    if "=" in mti:
        raise click.UsageError(f"the message type comes first: build 0800 {mti}")
    fields = dict(map(_pair, elements)) if elements else _of_json()
    _print(answers.build(mti, fields, version), to, as_json)


def _pair(element: str) -> tuple[int, str]:
    number, equals, value = element.partition("=")
    if not equals or not number.isdecimal() or len(number) > 3:
        raise click.UsageError("write an element as its number, an equals sign and its value: 3=000000")
    return int(number), value


def _of_json() -> dict[int, str]:
    try:
        fields = json.loads(next(iter(messages((), None))))
        return {int(number): str(value) for number, value in fields.items()}
    except (ValueError, AttributeError, RecursionError):
        raise click.UsageError('elements: expected a JSON object such as {"3": "000000"}') from None


@command(
    "convert",
    click.Option(
        ["--to", "-t"],
        type=FORMAT,
        required=True,
        help="1987, 1993 or 2003, or a wire format, by name or as a file; see `iso8583 formats`.",
    ),
    click.Option(["--notes"], is_flag=True, help="List what happened to each element on stderr."),
    note="With a wire format as --to, the message keeps its version and is written in that format.",
)
def convert(message: str, as_json: bool, to: str, notes: bool, **how: Any) -> None:
    """Print a message in another version or a wire format."""
    result = answers.convert(message, to, **how)
    for note in result.more.get("notes", ()) if notes else ():
        goes = ", ".join(map(str, note["to"]))
        shown.line(f"{note['number']:>3} -> {goes or '-':<8} {note['action']}: {note['note']}", err=True)
    if not result.more.get("lossless", True):
        shown.line("Converting back would not give the same message; --notes says why.", err=True)
    _print(result, None if result.more else to, as_json)


@command(
    "break",
    *_READ_AS,
    click.Option(["--fault", "-x"], help="Name of a fault. Default: list those that apply."),
    of="break_message",
)
def break_(message: str, as_json: bool, fault: str | None, **how: Any) -> None:
    """Print a message with one fault, or the faults that apply to it."""
    if fault is not None:
        _print(answers.break_message(message, fault, **how), None, as_json)
        return
    records = answers.faults(message, **how)
    if as_json:
        shown.json_line(*records)
    else:
        shown.table(("fault", "rule", "what"), [tuple(record.values()) for record in records])


def _print(result: answers.Made, to: str | None, as_json: bool) -> None:
    """Print the message in the format *to*, and on stderr what its text does not show."""
    record = result.record(to)
    if as_json:
        shown.json_line(record)
        return
    shown.message(record["message"])
    for warning in result.warnings(to):
        shown.line(warning, err=True)
