"""The command and its verbs, each imported when it is called: a plain one starts in well under 0.2 s."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from sim import __version__
from sim.cli import shown
from sim.errors import IsoError, OptionError
from sim.visible import visible_lines

# Where each verb lives, and what a list of them says of it: the list imports none.
_HOMES = {
    "generate": ("making", "Make a valid test message."),
    "respond": ("making", "Answer a request."),
    "reverse": ("making", "Undo a message."),
    "build": ("making", "Write a message from its data elements."),
    "convert": ("making", "Write a message in another version, or as bytes."),
    "break": ("making", "Break a message on purpose."),
    "parse": ("looking", "Show the data elements of a message."),
    "explain": ("looking", "Say in plain English what a message says."),
    "validate": ("looking", "Judge a message by the standard and its network."),
    "guess": ("looking", "Find out what a paste is, with reasons."),
    "diff": ("looking", "Show where two messages differ."),
    "mask": ("looking", "Star out the card data of a message."),
    "read": ("many", "Read a log, capture or file of messages into a table."),
    "search": ("many", "Look for words in all that the toolkit knows."),
    "fields": ("many", "List the data elements of a version."),
    "codes": ("many", "List a code list."),
    "rules": ("many", "List the rules."),
    "formats": ("many", "List the wire formats."),
    "host": ("linking", "Answer on a TCP port, as an issuer does."),
    "send": ("linking", "Send messages to a host, and print its answers."),
    "suite": ("linking", "Run a suite of scenarios against a host."),
    "load": ("linking", "Send many requests to a host, and measure."),
    "serve": ("running", "Run the HTTP service."),
    "lab": ("running", "Open JupyterLab."),
    "mcp": ("running", "Be a tool of an assistant (MCP over stdio)."),
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
        found = getattr(import_module(f"sim.cli.{_HOMES[name][0]}"), f"{name}_command")
        gc.enable()
        return found if isinstance(found, click.Command) else None

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that was asked for; an unknown one is told with the nearest."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError as wrong:
            from sim.errors import closest

            near = closest(args[0], {name: name for name in self.list_commands(context)})
            if near is None:
                raise
            said = f"{wrong.message.rstrip('.')}. Did you mean {near!r}?"
            raise click.UsageError(said, context) from None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, said) for name, (_, said) in _HOMES.items()]
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
    if argv is not None:
        _run(argv)
        return
    # Modules and tables live as long as the process: the collector need look at them neither while they are
    # loaded nor at the end, which is a fifth of what a plain verb takes.
    gc.disable()
    try:
        _run(None)
    finally:
        gc.freeze()


def _run(argv: list[str] | None) -> None:
    try:
        status = iso8583.main(argv, prog_name="iso8583", standalone_mode=False)
    except click.Abort:
        sys.exit(130)
    except _UnreadError:
        sys.exit(_cut_off())
    except click.ClickException as wrong:
        from sim.masking import mask_words

        # Click quotes arguments as they were typed.
        wrong.message = visible_lines(mask_words(wrong.message))  # type: ignore[misc]  # no other way in
        wrong.show()
        sys.exit(wrong.exit_code)
    except _told() as error:
        sys.exit(_complain(error))
    sys.exit(status if isinstance(status, int) else 0)


def _told() -> tuple[type[Exception], ...]:
    """What is told in a line; what a language model may raise as well, where one was called: nothing is
    imported for it."""
    models = sys.modules.get("sim.operations.llm.errors")
    own = (IsoError, ImportError, OSError, UnicodeDecodeError)
    return own if models is None else (*own, models.LlmError)


def _cut_off() -> int:
    """The status of a program whose output nobody reads to its end: what a shell says of one that SIGPIPE
    ended."""
    # Python would complain once more at its end, where it writes what is left.
    sys.stdout = sys.stderr = None
    return 128 + _SIGPIPE


def _complain(error: Any) -> int:
    """Say what is wrong: 2 where the command was called wrongly, 1 where the message is."""
    from sim.masking import mask_words

    words = (
        error.strerror + (f": {mask_words(str(error.filename))}" if error.filename else "")
        if isinstance(error, OSError) and error.strerror
        else str(error)
    )
    shown.error(words)
    return 1 if isinstance(error, IsoError) and not isinstance(error, OptionError) else 2
