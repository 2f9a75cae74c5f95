"""The command and its subcommands, each imported when it is called: a simple one starts in well under 0.2
s."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click

from sim import __version__, verbs
from sim.cli import shown
from sim.errors import IsoError, OptionError
from sim.visible import visible_lines

# Commands that run a program, with their summaries; they are not verbs.
_PROGRAMS = {
    "serve": "Run the HTTP service.",
    "lab": "Open JupyterLab.",
    "mcp": "Run an MCP server for AI assistants (stdio).",
}
# The modules of the commands that do more than print the table of their verb.
_HOMES = {
    "making": ("generate", "respond", "reverse", "exchange", "build", "convert", "break"),
    "looking": ("parse", "explain", "validate", "guess", "diff", "mask"),
    "tables": ("read", "match", "search", "learn"),
    "linking": ("host", "send", "suite", "load"),
    "running": tuple(_PROGRAMS),
}
# The verbs of commands with another name.
CALLED = {"break": "break_message", "send": "client", "suite": "run_suite"}
# Verbs that are not commands, and what to use in a shell.
NO_COMMANDS = {
    "drill": "It asks and waits for the answer: sim.drill in Python.",
    "export_suite": "Use suite --export.",
    "load_format": "Use --format FILE with any command.",
    "load_rules": "It runs the Python of a pack: sim.load_rules.",
    "plot": "It draws for a notebook: sim.plot.",
    "show": "It draws for a notebook: sim.show.",
}


def commands() -> dict[str, str]:
    """The names of all commands, and the module of each; empty for one that prints its verb's table."""
    homes = {name: home for home, names in _HOMES.items() for name in names}
    others = {*verbs.names()} - {*homes, *CALLED.values(), *NO_COMMANDS}
    return homes | {name.replace("_", "-"): "" for name in sorted(others)}


_SIGPIPE = 13  # also on systems without this signal


class _UnreadError(Exception):
    """The reader of the output has closed the pipe. Click would exit with 1, as for an invalid message."""


@contextmanager
def _noticing() -> Iterator[None]:
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise _UnreadError from None


class _Verbs(click.Group):
    """Finds a command without importing the others."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with _noticing():
            return super().make_context(*args, **options)

    def invoke(self, context: click.Context) -> Any:
        with _noticing():
            return super().invoke(context)

    def list_commands(self, context: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        home = commands().get(name)
        if home is None:
            return None
        room = import_module(f"sim.cli.{home or 'tables'}")
        command = (
            getattr(room, f"{name}_" if iskeyword(name) else name)
            if home
            else room.of_table(name.replace("-", "_"))
        )
        gc.enable()
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The requested command; the error for an unknown one suggests the nearest."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError as wrong:
            from sim.errors import closest

            near = closest(args[0], {name: name for name in self.list_commands(context)})
            more = NO_COMMANDS.get(args[0].replace("-", "_")) or (near and f"Did you mean {near!r}?")
            if not more:
                raise
            raise click.UsageError(f"{wrong.message.rstrip('.')}. {more}", context) from None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [
            (name, _PROGRAMS.get(name) or verbs.verb(CALLED.get(name, name.replace("-", "_"))).summary)
            for name in commands()
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="iso8583")
def iso8583() -> None:
    """Generate, read, explain and validate ISO 8583 card-payment messages, for testing and teaching.

    A MESSAGE is its text form, or bytes in any notation: a hex dump, a log line, base64. If it is omitted or
    -, it is read from standard input.
    """


def main(argv: list[str] | None = None) -> None:
    """Run the command, and end the process with its exit status."""
    if argv is not None:
        _run(argv)
        return
    # Modules and tables live as long as the process, so the garbage collector need not scan them, neither
    # while they load nor at the end; this saves a fifth of the time of a simple command.
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
        # At its end Python would flush the rest and report the error again.
        sys.stdout = sys.stderr = None
        sys.exit(128 + _SIGPIPE)  # as a shell reports a program whose output is not read to its end
    except click.ClickException as wrong:
        from sim.masking import mask_words

        # Click quotes arguments unchanged.
        wrong.message = visible_lines(mask_words(wrong.message))  # type: ignore[misc]  # no other way in
        wrong.show()
        sys.exit(wrong.exit_code)
    except _reported_errors() as error:
        sys.exit(_complain(error))
    sys.exit(status if isinstance(status, int) else 0)


def _reported_errors() -> tuple[type[Exception], ...]:
    """The exceptions reported in one line, including those of language models if these were loaded;
    nothing is imported for this."""
    models = sys.modules.get("sim.models.errors")
    errors = (IsoError, ImportError, OSError, UnicodeDecodeError)
    return errors if models is None else (*errors, models.LlmError)


def _complain(error: Any) -> int:
    """Print the error, and return 2 for wrong usage, 1 for a problem with the message."""
    from sim.masking import mask_words

    words = (
        error.strerror + (f": {mask_words(str(error.filename))}" if error.filename else "")
        if isinstance(error, OSError) and error.strerror
        else str(error)
    )
    shown.error(words)
    return 1 if isinstance(error, IsoError) and not isinstance(error, OptionError) else 2
