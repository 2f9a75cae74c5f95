"""The commands that examine a message: parse, explain, validate, guess, diff, mask."""

from __future__ import annotations

from typing import Any

import click

from sim import answers
from sim.cli import shown
from sim.cli.options import FILE, command, messages, option
from sim.operations.anatomy import UNREAD

_HEADS = ("DE", "name", "format", "value", "meaning", "start", "end")
_LABELS = {0: "MTI", 1: "bitmap", UNREAD: ""}


@command("parse", note="A broken message is shown as far as it could be read, and the exit status is 1.")
def parse(message: str, as_json: bool, **how: Any) -> bool:
    """Print the data elements of a message."""
    record = answers.parse(message, **how)
    if as_json:
        shown.json_line(record)
    elif "kind" in record:
        shown.heading(f"Not an ISO 8583 message. {record['about']}")
        shown.table(("part", "value", "meaning"), _rows(record.get("inside", [])))
    else:
        read_as = "" if record["read_as"] == "text" else f"read as {record['read_as']}"
        parts = [record["mti"], f"ISO 8583:{record['version']}", record["network"], read_as]
        shown.heading(" · ".join(filter(None, parts)))
        shown.table(_HEADS, [(_label(number), *row) for number, *row in _rows(record["elements"])])
        shown.findings(record["findings"])
    return not record["findings"]


def _rows(records: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(record.values()) for record in records]


def _label(number: int) -> str:
    return _LABELS.get(number, str(number))


@command("explain")
def explain(message: str, as_json: bool, **how: Any) -> bool:
    """Print a message in plain English."""
    record = answers.explain(message, **how)
    if as_json:
        shown.json_line(record)
    else:
        shown.prose(record["summary"])
    return "kind" not in record


@command(
    "validate",
    click.Option(["--fix"], is_flag=True, help="Repair the message and print it; stderr has the proposals."),
    click.Option(["--sure"], is_flag=True, help="With --fix: only a repair with no other explanation."),
    note="The exit status is 1 for a message with an error; networks in --against do not change it.",
)
def validate(
    message: str, as_json: bool, against: tuple[str, ...], fix: bool, sure: bool, **how: Any
) -> bool:
    """Print the verdict on a message, and its findings."""
    if fix:
        return _fix(answers.repair(message, sure=sure, **how), as_json)
    record = answers.validate(message, against=against, **how)
    valid: bool = record["valid"]
    if as_json:
        shown.json_line(record)
        return valid
    label = f"ISO 8583:{record['version']}" + (f", {record['network']}" if record["network"] else "")
    shown.verdict(valid, f"{'valid' if valid else 'not valid'} ({label})")
    shown.findings(record["findings"])
    if against:
        verdicts = [(name, "passed" if passed else "failed") for name, passed in record["networks"].items()]
        shown.table(("network", "verdict"), verdicts)
    return valid


def _fix(repaired: answers.Made, as_json: bool) -> bool:
    """Print the message after the first proposal, and the proposals."""
    record = repaired.record()
    if as_json:
        shown.json_line(record)
    else:
        for proposal in repaired.notes:
            shown.line(proposal, err=True)
        for finding in record["left"]:
            shown.line(f"Left: {finding['message']}", err=True)
        shown.message(record["message"])
    return bool(record["valid"])


@command("guess", note="The exit status is 1 if no message is found.")
def guess(message: str, as_json: bool, **how: Any) -> bool:
    """Print the possible formats of a paste."""
    records = answers.guess(message, **how)
    for record in records:
        if as_json:
            shown.json_line(record)
            continue
        mti, read_as = record["mti"], record["read_as"]
        shown.heading(f"{mti} {read_as} ({record['read']} of {record['size']} read)" if mti else read_as)
        for reason in record["reasons"]:
            shown.line(f"    {reason}")
    return bool(records[0]["mti"]) and records[0]["confidence"] != "none"


@command(
    "diff",
    click.Argument(["message"], nargs=-1),
    FILE,
    option("parse", "version"),
    without=("a", "b"),
    note="The two are given as arguments, in files or through a pipe, also one here and one there; - is "
    "standard input. The exit status is 1 if they differ.",
)
def diff(message: tuple[str, ...], path: str | None, as_json: bool, **how: Any) -> bool:
    """Print the elements in which two messages differ."""
    both = list(messages(message, path))
    if len(both) != 2:
        raise click.UsageError(f"diff compares two messages, not {len(both)}")
    records = answers.diff(*both, **how)
    if as_json:
        shown.json_line(records)
    elif records:
        shown.table(("DE", "name", "a", "b"), [(_label(number), *row) for number, *row in _rows(records)])
    else:
        shown.line("No differences.")
    return not records


@command("mask")
def mask(message: str, as_json: bool, **how: Any) -> None:
    """Print a message with its card data masked."""
    record = answers.mask(message, **how)
    if as_json:
        shown.json_line(record)
        return
    shown.message(record["message"])
    if record["message"] == message:
        shown.line("It contains no card data: nothing is masked.", err=True)
