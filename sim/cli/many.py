"""The verbs of many rows: read a log into a table, search, list elements, codes, rules and formats."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from sim.cli import shown
from sim.cli.given import format_option
from sim.files import replaced
from sim.masking.files import masked_names

_LEFT_OUT = ("source", "hint", "pattern", "call")  # of what is shown; JSON has them
_DETAILS = (*_LEFT_OUT, "extends", "mti", "track_2", "binary", "lengths", "differs", "framing", "note")
_WRITERS = {".csv": "to_csv", ".parquet": "to_parquet", ".json": "to_json", ".xlsx": "to_excel"}


@click.command("read")
@click.argument("source")
@click.option(
    "--out", "-o", type=click.Path(dir_okay=False), help="CSV, Parquet or JSON lines, by its ending."
)
@click.option("--validate", is_flag=True, help="Add a verdict to each row.")
@format_option
@click.option("--version", "-v", help="1987, 1993 or 2003.")
@click.option("--network", "-n", help="The network of all of them.")
@click.option("--clear", is_flag=True, help="Write card data as they stand; without it, they are hidden.")
@click.option("--json", "as_json", is_flag=True, help="Without --out: print a JSON object a line.")
def read_command(source: str, out: str | None, clear: bool, as_json: bool, **options: Any) -> None:
    """Read SOURCE, a file, a folder or a pattern such as 'logs/*.txt' (- is standard input), a row each.

    Rows that cannot be read stay in the table, with what is wrong. Without --out the table is printed as CSV.
    """
    import sim
    from sim.tables import Table

    ending = Path(out or "").suffix
    if out is not None and ending not in _WRITERS:
        raise click.UsageError(f"--out: expected a name that ends in {', '.join(_WRITERS)}")
    given: Any = sys.stdin if source == "-" else source
    table = sim.read(given, **{name: value for name, value in options.items() if value})
    rows: Any = table if clear else Table(table.masked())
    ending = ending or (".json" if as_json else ".csv")
    how = {"orient": "records", "lines": True} if ending == ".json" else {"index": False}
    write = getattr(rows, _WRITERS[ending])
    if out is None:
        write(sys.stdout, **how)
        return
    with masked_names(), replaced(out) as new:
        write(new, **how)
    shown.line(f"{len(table):,} rows in {out}", err=True)


def _reference(
    table: Any, as_json: bool, find: str | None = None, left_out: tuple[str, ...] = _LEFT_OUT
) -> None:
    """Print a table of the toolkit's own, the rows that hold *find*."""
    columns = [name for name in table.columns if name not in left_out]
    rows = table.masked().astype(object).where(table.notna(), None)
    if find:
        held = rows.apply(lambda row: find.casefold() in " ".join(map(str, row)).casefold(), axis=1)
        rows = rows[held]
    if as_json:
        for record in rows.to_dict("records"):
            shown.json_line(record)
    else:
        shown.table(columns, rows[columns].itertuples(index=False))


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--kind", "-k", help="Only these: element, part, code, tag, rule, fault or flow.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
def search_command(words: tuple[str, ...], kind: str | None, as_json: bool) -> None:
    """Look for WORDS in elements, parts, codes, chip tags, rules, faults and flows, the best first.

    The exit status is 1 where nothing has all of them.
    """
    import sim

    found: Any = sim.search(" ".join(words), kind)  # type: ignore[arg-type]  # it refuses other words
    if found.empty:
        shown.line("Nothing has all of these words; try fewer, or the beginning of one.", err=True)
        click.get_current_context().exit(1)
    _reference(found if as_json else found.drop(columns="text"), as_json)


@click.command("fields")
@click.option("--version", "-v", default="1987", show_default=True, help="1987, 1993 or 2003.")
@click.option("--network", "-n", help="Add what this network asks of them.")
@click.option("--find", "-s", help="The rows that hold this word.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
def fields_command(version: str, network: str | None, find: str | None, as_json: bool) -> None:
    """List the data elements of a version: number, name, format."""
    import sim

    _reference(sim.fields(version, network=network), as_json, find)


@click.command("codes")
@click.argument("name", required=False)
@click.option("--find", "-s", help="The rows that hold this word.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
def codes_command(name: str | None, find: str | None, as_json: bool) -> None:
    """List the code list NAME, such as response_code; without it, which lists there are."""
    import sim

    _reference(sim.codes(name), as_json, find)


@click.command("rules")
@click.option("--find", "-s", help="The rows that hold this word.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
def rules_command(find: str | None, as_json: bool) -> None:
    """List the rules: what each checks, how bad it is."""
    import sim

    _reference(sim.rules(), as_json, find)


@click.command("formats")
@click.option("--find", "-s", help="The rows that hold this word.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
def formats_command(find: str | None, as_json: bool) -> None:
    """List the wire formats that messages are read and written in."""
    import sim

    _reference(sim.formats(), as_json, find, _DETAILS)
