"""What a command is given: messages from arguments, files and pipes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from sim.cli import shown
from sim.operations.reading import TEXT_FORM, separate

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
