"""The command and its verbs, each imported when it is called: a plain one starts in well under 0.2 s."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from sim import __version__
from sim.errors import IsoError

# Where each verb lives.
_HOMES = {
    "generate": "making",
    "respond": "making",
    "reverse": "making",
    "build": "making",
    "convert": "making",
    "break": "making",
    "parse": "looking",
    "explain": "looking",
    "validate": "looking",
    "guess": "looking",
    "diff": "looking",
    "mask": "looking",
    "read": "many",
    "fields": "many",
    "codes": "many",
    "rules": "many",
    "formats": "many",
    "host": "linking",
    "send": "linking",
    "suite": "linking",
    "load": "linking",
    "serve": "running",
    "lab": "running",
    "mcp": "running",
}


_SIGPIPE = 13  # also where the system has no such signal


class _UnreadError(Exception):
    """Whoever reads the output has enough. Click would end with 1, as for a bad message."""


@contextmanager
def _noticing() -> Iterator[None]:
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise _UnreadError from None


class _Verbs(click.Group):
    """Finds a verb without importing the others."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with _noticing():
            return super().make_context(*args, **options)

    def invoke(self, context: click.Context) -> Any:
        with _noticing():
            return super().invoke(context)

    def list_commands(self, context: click.Context) -> list[str]:
        return list(_HOMES)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _HOMES:
            return None
        found = getattr(import_module(f"sim.cli.{_HOMES[name]}"), f"{name}_command")
        return found if isinstance(found, click.Command) else None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [
            (name, command.get_short_help_str(70))
            for name in _HOMES
            if (command := self.get_command(context, name))
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="iso8583")
def iso8583() -> None:
    """Generate, read, explain and validate ISO 8583 card-payment messages, for testing and teaching.

    A MESSAGE is its text, or bytes in any spelling: a hex dump, a log line, base64. Where it is left out,
    or -, it is read from standard input.
    """


def main(argv: list[str] | None = None) -> None:
    """Run the command; ends the process with its exit status."""
    try:
        status = iso8583.main(argv, prog_name="iso8583", standalone_mode=False)
    except click.Abort:
        sys.exit(130)
    except _UnreadError:
        sys.exit(_cut_off())
    except click.ClickException as wrong:
        wrong.show()
        sys.exit(wrong.exit_code)
    except (IsoError, ImportError, OSError, UnicodeDecodeError) as error:
        sys.exit(_complain(error))
    sys.exit(status if isinstance(status, int) else 0)


def _cut_off() -> int:
    """The status of a program whose output nobody reads to its end: what a shell says of one that SIGPIPE
    ended."""
    # Python would complain once more at its end, where it writes what is left.
    sys.stdout = sys.stderr = None
    return 128 + _SIGPIPE


def _complain(error: Any) -> int:
    """Say what is wrong: 2 where the command was called wrongly, 1 where the message is."""
    from sim.errors import OptionError
    from sim.masking import mask_words

    words = (
        f"{error.strerror}: {mask_words(str(error.filename))}"
        if isinstance(error, OSError) and error.strerror
        else str(error)
    )
    click.echo(click.style("error: ", fg="red", bold=True, reset=True) + words, err=True)
    return 1 if isinstance(error, IsoError) and not isinstance(error, OptionError) else 2
