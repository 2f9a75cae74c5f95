"""What a command is given: messages from arguments, files and pipes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from sim.cli import shown
from sim.operations.reading import TEXT_FORM, separate

_F = TypeVar("_F", bound=Callable[..., Any])
# Less than an MTI and a bitmap is a piece of a message.
_LEAST = 20
_HEX = re.compile(r"[0-9A-Fa-f]+")
_MOST = 1 << 20


def messages(given: tuple[str, ...], path: str | None) -> Iterator[str]:
    """The messages of the arguments *given*, else of the file at *path*, else of standard input."""
    found = False
    for paste in _pastes(given, path):
        for one in separate(paste):
            found = True
            yield one
    if not found:
        raise click.UsageError("no message: give one as an argument, with --file, or through a pipe")


def _pastes(given: tuple[str, ...], path: str | None) -> Iterator[str]:
    if path is not None:
        yield text_of(Path(path).read_bytes())
    if not given and path is None:
        given = ("-",)
    for one in _whole(given):
        yield _standard_input() if one == "-" else one


def _whole(given: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments, put together again where a shell has split one at its blanks."""
    if len(given) > 1 and all(_HEX.fullmatch(one) and len(one) < _LEAST for one in given):
        return (" ".join(given),)
    if len(given) > 1 and any(one != "-" and not TEXT_FORM.match(one) and len(one) < _LEAST for one in given):
        raise click.UsageError(
            "several arguments: put a message with blanks into quotes, or send it through a pipe"
        )
    return given


def _standard_input() -> str:
    if sys.stdin is None:
        raise click.UsageError("standard input is closed: give a message as an argument, or with --file")
    if sys.stdin.isatty():
        shown.line("Paste a message, then Ctrl-D:", err=True)
    data = sys.stdin.buffer.read(_MOST + 1)
    if len(data) > _MOST:
        raise click.UsageError("more than 1 MB: `iso8583 read` is for many messages")
    return text_of(data)


def text_of(data: bytes) -> str:
    """Bytes as text where they are; else in hexadecimal, for the guess to find out what they are."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data.hex()
    return text if text.isprintable() or not set(text) & _CONTROL else data.hex()


# Tabs and line ends are text.
_CONTROL = {chr(code) for code in range(32)} - {"\t", "\n", "\r"}


def message_arguments(command: _F) -> _F:
    """MESSAGE..., --file, --version and --network, as most commands take them."""
    for decorate in (
        click.option("--network", "-n", help="Its network; without it, the card's."),
        click.option("--version", "-v", help="1987, 1993 or 2003; without it, what the MTI says."),
        click.option(
            "--file", "-f", "path", type=click.Path(exists=True, dir_okay=False), help="Read it from a file."
        ),
        click.argument("message", nargs=-1),
    ):
        command = decorate(command)
    return command


class FormatName(click.ParamType[Any]):
    """A wire format by its name, or a file that describes one, which is loaded by its own name."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if Path(str(value)).suffix.lower() not in _DESCRIBED:
            return value
        from sim.codec.wire.dialects import named_format

        return named_format(value).name


_DESCRIBED = (".toml", ".xml", ".json", ".py")
FORMAT = FormatName()
FORMAT_HELP = "The wire format, by its name or as a file (.toml; jPOS .xml; moov or pyiso8583 .json)."


def format_option(command: _F) -> _F:
    """--format, of what is read."""
    about = f"{FORMAT_HELP} Without it, it is found out."
    return click.option("--format", "format", type=FORMAT, help=about)(command)


def to_option(command: _F) -> _F:
    """--to, of what is written."""
    about = "Print it in this wire format, in hexadecimal; see `iso8583 formats`."
    return click.option("--to", "-t", type=FORMAT, help=about)(command)


def json_option(command: _F) -> _F:
    """--json."""
    return click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")(command)


def each(work: Callable[..., bool | None]) -> Callable[..., None]:
    """Call *work* with each message in turn; the exit status is 1 where one was not well."""

    @wraps(work)
    def run(message: tuple[str, ...], path: str | None, **options: Any) -> None:
        worse = False
        for one in messages(message, path):
            worse |= work(one, **options) is False
        if worse:
            click.get_current_context().exit(1)

    return run
