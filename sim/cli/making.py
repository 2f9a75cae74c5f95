"""The verbs that make a message: generate, respond, reverse, build, convert, break. They print it whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_type_hints

import click

from sim.cli import shown
from sim.cli.given import FORMAT, each, format_option, json_option, message_arguments, messages, to_option
from sim.codec import Message
from sim.errors import OptionError
from sim.operations.asked import generated, moment
from sim.operations.reading import parse_any
from sim.spec.elements import VERSIONS
from sim.spec.networks import NETWORKS
from sim.spec.spellings import version_named
from sim.spec.words import OF_A_MODEL, Payment
from sim.verbs import verb

if TYPE_CHECKING:
    from sim.operations.generation import Generated

_CARRIED = get_type_hints(Payment)
_MOST = 1_000_000
# What a docstring says to callers from Python, said to those from a shell.
_IN_A_SHELL = (
    (r"\*message_type\*", "MESSAGE_TYPE"),
    (r"\*([a-z_]+)\*", lambda found: f"--{found[1].replace('_', '-')}"),
    (r"One of `sim\.NETWORKS`", f"{', '.join(NETWORKS[:-1])} or {NETWORKS[-1]}"),
    (r"One of `sim\.VERSIONS`", f"{', '.join(VERSIONS[:-1])} or {VERSIONS[-1]}"),
    (r"is None, too\b", "is left out, too"),
    (r"\bNone is\b", "By default it is"),
    (
        r"a datetime, a date \(its midnight\) or a text in ISO 8601",
        "a date (its midnight) or a time in ISO 8601",
    ),
    (r", an offset such as `(.*?)`, or a tzinfo", r" or an offset such as `\1`"),
    (r"`\.iso\.notes` says so", "standard error says so"),
    (r"; see `sim\.llm\.status\(\)`", "; the README says which there are"),
    (r"^(?:whether|how|what|the)\b", lambda found: found[0].capitalize()),
)


def _options() -> Iterator[click.Parameter]:
    """An option for each of `sim.generate`, by its name there; what a payment may carry is asked for where it
    is given."""
    for one in verb("generate").options:
        said = _in_a_shell(one.about)
        if one.name == "message_type":
            yield click.Argument([one.name], default=one.default)
        elif one.plain is bool:
            flags = [f"--{one.name.replace('_', '-')}", one.name]
            yield click.Option(flags, is_flag=True, default=one.default, help=said)
        else:
            flags = [f"--{one.name.replace('_', '-')}", one.name]
            flags += ["--amount"] if one.name == "amount_minor_units" else []
            kind, shown = _kind(one.name, one.plain), one.default is not None
            yield click.Option(flags, default=one.default, type=kind, show_default=shown, help=said)


def _in_a_shell(text: str) -> str:
    for pattern, told in _IN_A_SHELL:
        text = re.sub(pattern, told, text)
    return text


class _MinorUnits(click.types.IntParamType):
    """An amount. Who writes it with a decimal point is told the unit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(
                f"expected a whole number of minor units, as 1250 for 12.50, found {value!r}", param, ctx
            )


def _kind(name: str, kind: object) -> click.ParamType[Any] | type:
    if name == "format":
        return FORMAT
    if kind is int:
        return _MinorUnits() if name.endswith("minor_units") else int
    return str


def _generate(message_type: str, count: int, to: str | None, as_json: bool, **options: Any) -> None:
    """Make a valid test message, or several.

    MESSAGE_TYPE is auth, financial, echo, advice or reversal, an MTI, or a purpose such as refund.
    """
    if not 1 <= count <= _MOST:
        raise OptionError("count", f"1 to {_MOST:,}", str(count))
    options = {name: given for name, given in options.items() if given is not None or name not in _CARRIED}
    asked = {name: options.pop(name) for name in OF_A_MODEL}
    from sim.operations.building import known_format

    format = known_format(options.pop("format") or to)

    def show(made: Generated) -> None:
        _print_made(made, format, to, as_json)

    if asked["description"]:
        from sim.operations import llm

        edition = version_named(options["version"]) if options["version"] else "1987"
        return show(llm.generate(version=edition, at=moment(options["at"]), **asked))
    options["stan"] = _counted(options["stan"])
    first = int(options["stan"]) if str(options["stan"]).isdecimal() else 0
    for at in range(count):
        if at:
            options["stan"] = f"{(first + at - 1) % 999_999 + 1:06}"
        show(generated(message_type, format=format, **options))
    return None


generate_command = click.Command(
    "generate",
    callback=_generate,
    help=_generate.__doc__,
    params=[
        *_options(),
        click.Option(
            ["--count", "-c"], default=1, show_default=True, help="How many, with trace numbers in a row."
        ),
        click.Option(
            ["--to", "-t"],
            type=FORMAT,
            help="Print it in this wire format, in hexadecimal; see `iso8583 formats`.",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print a JSON object a line."),
    ],
)


@click.command("respond")
@message_arguments
@format_option
@json_option
@click.option("--code", "-c", help="The response code, DE 39; without it, the request is approved.")
@to_option
@each
def respond_command(message: str, as_json: bool, code: str | None, to: str | None, **how: str | None) -> None:
    """Answer each MESSAGE, a request or an advice."""
    from sim import operations

    made = operations.respond(parse_any(message, **how).whole(), code)
    _print_made(made, to or how["format"], to, as_json)


@click.command("reverse")
@message_arguments
@format_option
@json_option
@click.option("--stan", help="The reversal's own trace number; without it, the next one.")
@click.option("--at", help="The reversal's own moment, in ISO 8601; without it, the original's.")
@to_option
@each
def reverse_command(
    message: str, as_json: bool, stan: str | None, at: str | None, to: str | None, **how: str | None
) -> None:
    """Make the reversal of each MESSAGE."""
    from sim import operations

    read = parse_any(message, **how).whole()
    made = operations.reverse(read, stan=_counted(stan), at=moment(at))
    _print_made(made, to or how["format"], to, as_json)


@click.command("build")
@click.argument("mti")
@click.argument("elements", nargs=-1)
@click.option("--version", "-v", default="1987", show_default=True, help="1987, 1993 or 2003.")
@to_option
@json_option
def build_command(mti: str, elements: tuple[str, ...], version: str, to: str | None, as_json: bool) -> None:
    """Write a message of type MTI from ELEMENTS such as 3=000000 11=123456; from a JSON object such as
    {"3": "000000"} on standard input where none are given."""
    from sim.operations.building import build_from

    if "=" in mti:
        raise click.UsageError(f"the message type stands first: build 0800 {mti}")
    found = dict(_pair(one) for one in elements) if elements else _of_json()
    made = build_from(mti, found, version=version_named(version))
    _print(made.message, to, as_json)


@click.command("convert")
@message_arguments
@format_option
@json_option
@click.option(
    "--to",
    "-t",
    type=FORMAT,
    required=True,
    help="1987, 1993 or 2003, or a wire format; see `iso8583 formats`.",
)
@click.option("--notes", is_flag=True, help="Say of each element what became of it, on standard error.")
@each
def convert_command(message: str, as_json: bool, to: str, notes: bool, **how: str | None) -> None:
    """Write each MESSAGE in another version of the standard, or in a wire format."""
    from sim import operations

    read = parse_any(message, **how).whole()
    if to not in operations.VERSIONS:
        return _print(read, to, as_json)
    made = operations.convert(read, to, network=how["network"])
    for note in made.notes if notes else ():
        goes = ", ".join(map(str, note.to))
        shown.line(f"{note.number:>3} -> {goes or '-':<8} {note.action}: {note.note}", err=True)
    if not made.lossless:
        shown.line("Converting back would not give the same message: --notes says why.", err=True)
    return _print(made.message, None, as_json)


@click.command("break")
@message_arguments
@format_option
@json_option
@click.option("--fault", "-x", help="Which fault; without it, those that are possible are listed.")
@each
def break_command(message: str, as_json: bool, fault: str | None, **how: str | None) -> None:
    """Break each MESSAGE in one way that a rule finds, for negative tests."""
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
    told: tuple[str, ...] = (),
) -> None:
    """Print *message*; of its *notes*, which an object has all, those that must be *told* beside its text."""
    from sim.operations.building import known_format, told_otherwise, written

    name = known_format(to)
    text = written(message, name)
    otherwise = told_otherwise(message, name)
    if as_json:
        record = {"message": text, "mti": message.mti, "version": message.version, "format": name}
        shown.json_line(record | ({"network": network} if network else {}) | {"notes": [*notes, *otherwise]})
    else:
        shown.message(text)
        for note in (*told, *(f"{one[0].upper()}{one[1:]}." for one in otherwise)):
            shown.line(note, err=True)


def _counted(stan: str | None) -> str | None:
    """A trace number as a person writes it: 42 is 000042."""
    return stan.zfill(6) if stan is not None and stan.isdecimal() else stan


def _pair(one: str) -> tuple[int, str]:
    number, equals, value = one.partition("=")
    if not equals or not number.isdecimal():
        raise click.UsageError("an element is written as its number, an equals sign and its value: 3=000000")
    return int(number), value


def _of_json() -> dict[int, str]:
    try:
        held = json.loads(next(iter(messages((), None))))
        return {int(number): str(value) for number, value in held.items()}
    except (ValueError, AttributeError):
        raise click.UsageError('elements: expected a JSON object such as {"3": "000000"}') from None
