"""Commands as projections of verbs, with an option for each of the verb's, in the words of its docstring;
and the messages of a command, from arguments, files and pipes."""

from __future__ import annotations

import re
import sys
import warnings
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import click

from sim import answers
from sim.cli import shown
from sim.files import is_file
from sim.masking import mask_words
from sim.operations.reading import TEXT_FORM, separate
from sim.verbs import MESSAGES, Option, elsewhere, verb

# A text shorter than an MTI and a bitmap is only a piece of a message.
_LEAST = 20
_NAME = re.compile(r"(?:\.{1,2}|~)[/\\].{1,250}|.{1,250}\.[A-Za-z]\w{0,4}")
_HEX = re.compile(r"[0-9A-Fa-f]+")
_MOST = 1 << 20


def messages(arguments: tuple[str, ...], path: str | None) -> Iterator[str]:
    """The messages in the arguments *arguments*, else in the file at *path*, else on standard input."""
    sources = _rejoin(arguments) if arguments or path is not None else ("-",)
    pastes = (_standard_input() if source == "-" else source for source in sources)
    files = [] if path is None else [text_of(Path(path).read_bytes())]
    any_found = False
    for paste in chain(files, pastes):
        if paste in arguments and (is_file(paste) or _is_name(paste)):
            how = "is a file" if is_file(paste) else "is no message, and no such file exists"
            raise click.UsageError(
                f"{mask_words(paste)} {how}: give its content, with --file or through a pipe"
            )
        for text in separate(paste):
            any_found = True
            yield text
    if not any_found:
        raise click.UsageError("no message: give one as an argument, with --file or through a pipe")


def _is_name(text: str) -> bool:
    """Whether an argument has the form of a file's name and holds no message."""
    if not _NAME.fullmatch(text):
        return False
    from sim.tables.columns.sources import is_paste

    return not is_paste(text)


def _rejoin(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments, joined again if the shell has split a message at its blanks."""
    if len(arguments) > 1 and all(_HEX.fullmatch(arg) and len(arg) < _LEAST for arg in arguments):
        return (" ".join(arguments),)
    if len(arguments) > 1 and any(
        arg != "-" and not TEXT_FORM.match(arg) and len(arg) < _LEAST for arg in arguments
    ):
        raise click.UsageError("several arguments: quote a message that contains spaces, or pipe it in")
    return arguments


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
    """Bytes as text if they are text; otherwise in hexadecimal, so that the format can be guessed. Windows
    writes text in UTF-16, too."""
    try:
        text = data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8")
    except UnicodeDecodeError:
        return data.hex()
    return text if text.isprintable() or not set(text) & _CONTROL else data.hex()


# Tabs and line ends are text.
_CONTROL = {chr(code) for code in range(32)} - {"\t", "\n", "\r"}


Function = Callable[..., Any]
# Options with a letter, or another name, in a shell.
_SHORT = {
    **{"version": "-v", "network": "-n", "against": "-a", "kind": "-k", "code": "-c", "to": "-t"},
    **{"rules": "-r", "port": "-p", "framing": "-l", "mix": "-m", "count": "-c"},
    **{"amount_minor_units": "--amount", "cases": "--case"},
}
# Optional parameters that are arguments nevertheless.
_IN_PLACE = ("message_type", "message", "name")
# Replacements in the help texts of options.
_IN_A_SHELL = (
    (r", one of `sim\.formats\(\)`, or `text`", ", by its name (`iso8583 formats`, `text`) or as a file"),
    (r", one of `sim\.formats\(\)`", ", by name or as a file"),
    (r"The wire format of the message\.", "The wire format of the message, by name or as a file."),
    (r"`\.iso\.notes` says so", "standard error says so"),
    (r"`\.iso\.read_as` says\s+what it was", "the first line says what it was"),
    (r"`sim\.faults\(\)` lists them", "without it, they are listed"),
    (r"; see `sim\.llm\.status\(\)`", "; the README lists them"),
)


def in_a_shell(text: str) -> str:
    """*text* of a docstring, worded for a shell."""
    for pattern, words in _IN_A_SHELL:
        text = re.sub(pattern, words, text)
    return re.sub(r"`sim\.(\w+)`", r"`iso8583 \1`", elsewhere(text, _option_name))


def _option_name(option: re.Match[str]) -> str:
    name = option[1]
    return name.upper() if name == "message_type" else f"--{name.replace('_', '-')}"


class FormatName(click.ParamType[Any]):
    """A wire format by its name, or a file that describes one; the file is loaded, and its format's name
    used."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if Path(re.sub(r"(?<=\.py):\w+$", "", str(value))).suffix.lower() not in _DESCRIBED:
            return value
        from sim.codec.wire.dialects import named_format, told_left_out

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fmt = named_format(value)
        if fmt.left_out:
            click.echo(f"left out of {mask_words(Path(str(value)).name)}: {told_left_out(fmt)}", err=True)
        return fmt.name


_DESCRIBED = (".toml", ".xml", ".json", ".py")
FORMAT = FormatName()


class MinorUnits(click.types.IntParamType):
    """An amount. The error for a decimal point names the unit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            expected = "expected a whole number of minor units, as 1250 for 12.50"
            self.fail(f"{expected}, found {value!r}", param, ctx)


TO = click.Option(
    ["--to", "-t"], type=FORMAT, help="Print in this wire format, in hexadecimal; see `iso8583 formats`."
)
FILE = click.Option(
    ["--file", "-f", "path"], type=click.Path(dir_okay=False), help="Read messages from a file."
)
# The source of many messages, which also has the name of FILE.
SOURCE = (
    click.Argument(["source"], required=False),
    click.Option(["--file", "-f", "path"], type=click.Path(), help="The same as SOURCE."),
)
JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print a JSON object per line.")
FIND = click.Option(["--find", "-s"], help="Only rows that contain this text.")


def option(verb_name: str, name: str, **changed: Any) -> click.Parameter:
    """The option *name* of a verb, for another verb's command."""
    return _parameter(verb(verb_name).option(name), **changed)


def command(
    name: str, *own: click.Parameter, of: str = "", without: tuple[str, ...] = (), note: str = ""
) -> Callable[[Function], click.Command]:
    """The function as the command *name*: it has the options of the verb *of* (default: its own name),
    except those in *without*, and its *own*, which replace a verb's of the same name. A command about
    messages is called with each of them in turn; the exit status is 1 if a call returns False. *note* is
    added to the verb's text."""

    def made(function: Function) -> click.Command:
        about = verb(of or name.replace("-", "_"))
        left_out = {*without, *(parameter.name for parameter in own)}
        options = [option for option in about.options if option.name not in left_out]
        about_a_message = bool(options) and options[0].required and options[0].name in MESSAGES
        taken = [option for option in options[about_a_message:] if option.is_plain]
        parameters: list[click.Parameter] = [_parameter(option) for option in taken]
        if about_a_message:
            parameters = [click.Argument(["message"], nargs=-1), FILE, *parameters]
        parameters = [*parameters, *own, JSON]
        text = in_a_shell(about.text) + (f"\n\n{note}" if note else "")
        several = {option.name: option.default for option in taken if option.many}

        def run(**options: Any) -> None:
            options |= {key: list(options[key]) or default for key, default in several.items()}
            if SOURCE[0] in own:
                options["source"] = _source(options["source"], options.pop("path"))
            if about_a_message:
                texts = messages(options.pop("message"), options.pop("path"))
                done = [function(message, **options) for message in texts]
            else:
                done = [function(**options)]
            if any(well is False for well in done):
                click.get_current_context().exit(1)

        return click.Command(name, callback=run, params=parameters, help=text)

    return made


def _source(argument: str | None, path: str | None) -> Any:
    """Where many messages come from: a name, or standard input."""
    if argument is not None and path is not None:
        raise click.UsageError("SOURCE and --file are the same: use only one of them")
    if (name := argument or path or "-") != "-":
        return name
    if sys.stdin is None:
        raise click.UsageError("standard input is closed: give the name of a file")
    if sys.stdin.isatty():
        shown.line("Paste messages, then Ctrl-D:", err=True)
    return sys.stdin


def _parameter(option: Option, **changed: Any) -> click.Parameter:
    """A verb's option as a shell option or argument."""
    about = in_a_shell(option.about)
    if option.positional and (option.required or option.name in _IN_PLACE):
        how: dict[str, Any] = {} if option.required else {"default": option.default}
        how |= {"type": FORMAT} if option.name == "format" else {}
        return click.Argument([option.name], required=option.required, **how)
    flag = f"--{option.name.replace('_', '-')}"
    flags = [flag, *([_SHORT[option.name]] if option.name in _SHORT else []), option.name]
    if option.plain is bool:
        return click.Option(flags, **{"is_flag": True, "default": option.default, "help": about} | changed)
    kind: Any = option.plain
    if option.name in ("format", "to"):
        kind = FORMAT
    elif option.name.endswith("minor_units"):
        kind = MinorUnits()
    usual = None if option.default in ((), "") else option.default
    options = {"type": kind, "default": usual, "show_default": usual is not None, "multiple": option.many}
    return click.Option(flags, **options | {"help": about} | changed)


def rows(table: Any, as_json: bool, find: str | None = None, left_out: tuple[str, ...] = ()) -> None:
    """Print a table, or only the rows that contain *find*, with card data masked; missing values are
    empty. Standard error says that there are none."""
    columns = [name for name in table.columns if name not in left_out]
    records = answers.rows(table)
    if find:
        word = find.casefold()
        records = [record for record in records if word in " ".join(map(str, record.values())).casefold()]
    if as_json:
        shown.json_line(*records)
    elif not records:
        none = f"No row contains {mask_words(find)!r}." if find and not table.empty else repr(table)
        shown.line(none, err=True)
    else:
        shown.table(columns, [[record[name] for name in columns] for record in records])
