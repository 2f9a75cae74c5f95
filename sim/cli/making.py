"""The verbs that make a message: generate, respond, reverse, build, convert, break. They print it whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from sim.cli import shown
from sim.cli.given import messages
from sim.cli.options import FORMAT, TO, command, option
from sim.codec import Message
from sim.errors import OptionError
from sim.operations.asked import generated, moment
from sim.operations.reading import parse_any
from sim.spec.spellings import version_named
from sim.spec.words import OF_A_MODEL, Payment

if TYPE_CHECKING:
    from sim.operations.generation import Generated

_MOST = 1_000_000
_READ_AS = (option("parse", "version"), option("parse", "network"))


@command(
    "generate",
    TO,
    click.Option(["--count", "-c"], default=1, show_default=True, help="How many, with STANs in a row."),
    note="MESSAGE_TYPE is auth, financial, echo, advice or reversal, an MTI, or a purpose such as refund.",
)
def generate(message_type: str, count: int, to: str | None, as_json: bool, **options: Any) -> None:
    """Test messages."""
    from sim.operations.building import known_format

    if not 1 <= count <= _MOST:
        raise OptionError("count", f"1 to {_MOST:,}", str(count))
    carried = Payment.__annotations__
    options = {name: value for name, value in options.items() if value is not None or name not in carried}
    asked = {name: options.pop(name) for name in OF_A_MODEL}
    options["format"] = known_format(options["format"] or to)
    if asked["description"]:
        from sim.operations import llm

        edition = version_named(options["version"]) if options["version"] else "1987"
        made = llm.generate(version=edition, at=moment(options["at"]), **asked)
        _print_made(made, options["format"], to, as_json)
        return
    options["stan"] = _counted(options["stan"])
    first = int(options["stan"]) if str(options["stan"]).isdecimal() else 0
    for at in range(count):
        if at:
            options["stan"] = f"{(first + at - 1) % 999_999 + 1:06}"
        _print_made(generated(message_type, **options), options["format"], to, as_json)


@command("respond", *_READ_AS, TO)
def respond(
    message: str,
    as_json: bool,
    code: str | None,
    to: str | None,
    amount_minor_units: int | None,
    balance_minor_units: int | None,
    **how: Any,
) -> None:
    """The response to a request."""
    from sim import operations

    amounts: dict[str, Any] = {
        "amount_minor_units": amount_minor_units,
        "balance_minor_units": balance_minor_units,
    }
    made = operations.respond(parse_any(message, **how).whole(), code, **amounts)
    _print_made(made, to or how["format"], to, as_json)


@command("reverse", *_READ_AS, TO)
def reverse(
    message: str,
    as_json: bool,
    stan: str | None,
    at: str | None,
    to: str | None,
    final_amount_minor_units: int | None,
    **how: Any,
) -> None:
    """The reversal of a message."""
    from sim import operations

    read, final = parse_any(message, **how).whole(), final_amount_minor_units
    made = operations.reverse(read, stan=_counted(stan), at=moment(at), final_amount_minor_units=final)
    _print_made(made, to or how["format"], to, as_json)


@command(
    "build",
    click.Argument(["mti"]),
    click.Argument(["elements"], nargs=-1),
    TO,
    without=("fields", "format"),
    note="MTI is the message type, ELEMENTS are such as 3=000000 11=123456; without any, a JSON object "
    'such as {"3": "000000"} is read from standard input.',
)
def build(mti: str, elements: tuple[str, ...], version: str | None, to: str | None, as_json: bool) -> None:
    """A message from its elements."""
    from sim.operations.building import build_from
    from sim.operations.choosing import chosen_version

    if "=" in mti:
        raise click.UsageError(f"the message type stands first: build 0800 {mti}")
    found = dict(_pair(one) for one in elements) if elements else _of_json()
    edition = version_named(version) if version else chosen_version(mti, None)
    _print(build_from(mti, found, version=edition).message, to, as_json)


@command(
    "convert",
    click.Option(
        ["--to", "-t"],
        type=FORMAT,
        required=True,
        help="1987, 1993 or 2003, or a wire format, by its name or as a file; see `iso8583 formats`.",
    ),
    click.Option(["--notes"], is_flag=True, help="Say of each element what became of it, on stderr."),
    note="Or write it in a wire format.",
)
def convert(message: str, as_json: bool, to: str, notes: bool, at: str | None, **how: Any) -> None:
    """A message in another version or a wire format."""
    from sim import operations

    read = parse_any(message, **how).whole()
    if to not in operations.VERSIONS:
        _print(read, to, as_json)
        return
    made = operations.convert(read, to, network=how["network"], at=moment(at))
    for note in made.notes if notes else ():
        goes = ", ".join(map(str, note.to))
        shown.line(f"{note.number:>3} -> {goes or '-':<8} {note.action}: {note.note}", err=True)
    if not made.lossless:
        shown.line("Converting back would not give the same message: --notes says why.", err=True)
    _print(made.message, None, as_json)


@command(
    "break",
    *_READ_AS,
    click.Option(["--fault", "-x"], help="The name of a fault; without it, those that apply are listed."),
    of="break_message",
)
def break_(message: str, as_json: bool, fault: str | None, **how: Any) -> None:
    """A message broken in one place, or the faults that apply to it."""
    from sim import operations

    read, network = parse_any(message, **how).whole(), how["network"]
    if fault is None:
        found = operations.faults_for(read, network=network)
        if as_json:
            for one in found:
                shown.json_line({"fault": one.id, "rule": one.rule, "what": one.what})
        else:
            shown.table(("fault", "rule", "what"), [(one.id, one.rule, one.what) for one in found])
        return
    made = operations.break_message(read, fault, network=network)
    if as_json:
        names = ("fault", "rule", "field", "path", "start", "what")
        shown.json_line({"message": made.raw} | {name: getattr(made, name) for name in names})
    else:
        shown.message(made.raw)


def _print_made(made: Generated, format: str | None, to: str | None, as_json: bool) -> None:
    """Print a message that was made as *format* has it, and a note on each element that is left out."""
    from sim.operations.building import in_format, known_format

    message, left = in_format(made.message, known_format(format))
    _print(message, to, as_json, (*made.notes, *left), made.network, left)


def _print(
    message: Message,
    to: str | None,
    as_json: bool,
    notes: tuple[str, ...] = (),
    network: str | None = None,
    lost: tuple[str, ...] = (),
) -> None:
    """Print *message*; of its *notes*, which an object has all, what was *lost* is said beside its text."""
    from sim.operations.building import known_format, told_otherwise, written

    name = known_format(to)
    text = written(message, name)
    otherwise = told_otherwise(message, name)
    if as_json:
        record = {"message": text, "mti": message.mti, "version": message.version, "format": name}
        shown.json_line(record | ({"network": network} if network else {}) | {"notes": [*notes, *otherwise]})
    else:
        shown.message(text)
        for note in (*lost, *(f"{one[0].upper()}{one[1:]}." for one in otherwise)):
            shown.line(note, err=True)


def _counted(stan: str | None) -> str | None:
    """A trace number as a person writes it: 42 is 000042."""
    return stan.zfill(6) if stan is not None and stan.isdecimal() else stan


def _pair(one: str) -> tuple[int, str]:
    number, equals, value = one.partition("=")
    if not equals or not number.isdecimal() or len(number) > 3:
        raise click.UsageError("an element is written as its number, an equals sign and its value: 3=000000")
    return int(number), value


def _of_json() -> dict[int, str]:
    try:
        held = json.loads(next(iter(messages((), None))))
        return {int(number): str(value) for number, value in held.items()}
    except (ValueError, AttributeError, RecursionError):
        raise click.UsageError('elements: expected a JSON object such as {"3": "000000"}') from None
