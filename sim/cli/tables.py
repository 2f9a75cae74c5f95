"""The commands for many rows: read, match, search, learn, the reference tables; and every verb without a
command of its own."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import click

from sim.cli import shown
from sim.cli.options import FIND, SOURCE, command, rows
from sim.files import replaced
from sim.masking.files import masked_names
from sim.verbs import verb

_LEFT_OUT = ("source", "hint", "pattern", "call", "text")  # omitted in displays; JSON has them
_OF_FORMATS = ("extends", "mti", "track_2", "binary", "lengths", "differs", "framing", "note")
_WRITERS = {".csv": "to_csv", ".parquet": "to_parquet", ".json": "to_json", ".xlsx": "to_excel"}


@command(
    "read",
    *SOURCE,
    click.Option(
        ["--out", "-o"], type=click.Path(dir_okay=False), help="A .csv, .parquet, .json or .xlsx file."
    ),
    click.Option(["--clear"], is_flag=True, help="Show card data in clear. Default: masked."),
    without=("chunksize", "progress", "engine"),
    note="SOURCE is a file, a folder or a pattern, 'logs/*.txt'; without it, or as -, standard input is "
    "read. Rows that cannot be read are kept, with the error. Without --out the table is printed as CSV.",
)
def read(source: Any, out: str | None, clear: bool, as_json: bool, **options: Any) -> None:
    """Print or write a table of messages."""
    from sim.tables import Table

    ending = Path(out or "").suffix
    if out is not None and ending not in _WRITERS:
        raise click.UsageError(f"--out: expected a name ending in {', '.join(_WRITERS)}")
    table = verb("read")(source, **{name: value for name, value in options.items() if value})
    output: Any = table if clear else Table(table.masked())
    ending = ending or (".json" if as_json else ".csv")
    how = {"orient": "records", "lines": True} if ending == ".json" else {"index": False}
    write = getattr(output, _WRITERS[ending])
    if out is None:
        write(sys.stdout, **how)
        return
    with masked_names(), replaced(out) as new:
        write(new, **how)
    shown.line(f"{len(table):,} rows in {out}", err=True)


@command(
    "match",
    *SOURCE,
    FIND,
    without=("messages", "times"),
    note="SOURCE is like that of `read`, in chronological order. "
    "`request`, `answer`, `original` and `reversed_by` are lines, as in `read`. Only a capture has "
    "the times that latencies need.",
)
def match(source: Any, as_json: bool, find: str | None, timeout: float, **options: Any) -> None:
    """Print the transactions of a log."""
    log = verb("read")(source, **options)
    lines = log["file"] + ":" + log["line"].astype(str) if "file" in log else log["line"]
    rows(verb("match")(log.set_index(lines), timeout=timeout), as_json, find)


@command(
    "search",
    click.Argument(["words"], nargs=-1, required=True),
    without=("text",),
    note="Best match first. The exit status is 1 if nothing contains all the WORDS.",
)
def search(words: tuple[str, ...], as_json: bool, kind: str | None) -> bool:
    """Print everything that contains all of the words."""
    matches = verb("search")(" ".join(words), kind)
    if matches.empty:
        shown.line("Nothing contains all of these words; try fewer words, or the beginning of one.", err=True)
    else:
        rows(matches, as_json, left_out=() if as_json else _LEFT_OUT)
    return not matches.empty


@command(
    "learn",
    *SOURCE,
    click.Option(
        ["--out", "-o"], type=click.Path(dir_okay=False), help="Write the format to this .toml file."
    ),
    note="SOURCE is a file; without it, or as -, standard input is read. Every command accepts the file "
    "from --out as --format.",
)
def learn(source: Any, out: str | None, as_json: bool, name: str) -> bool:
    """Print the dialect of some messages."""
    table = verb("learn")(Path(source) if isinstance(source, str) else source.buffer.read(), name=name)
    rows(table, as_json)
    if not as_json:
        shown.line(table.read_as, err=True)
    if out is not None:
        table.save(out)
    return True


def of_table(name: str) -> click.Command:
    """The command of a verb that returns a table or a text."""

    def show(*message: str, as_json: bool, find: str | None, **options: Any) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            result = verb(name)(*message, **options)
        for warning in caught:
            shown.line(str(warning.message), err=True)
        if hasattr(result, "masked"):
            left_out = _LEFT_OUT + (_OF_FORMATS if name == "formats" else ())
            rows(result, as_json, find, () if as_json else left_out)
        elif isinstance(result, str) and not as_json:
            for text_line in result.splitlines():
                shown.line(text_line)
        else:
            shown.json_line(result)

    return command(name.replace("_", "-"), FIND)(show)
