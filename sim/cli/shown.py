"""How a command shows things: tables of plain text, findings with sign and colour, JSON. Card data hidden."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from sim.judge import Finding


_GAP = "  "
_LEAST = 8
_WIDE = 100  # characters of a line of sentences
_SIGNS = {"error": ("✖", "red"), "warning": ("▲", "yellow"), "info": ("·", "blue")}


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows beneath their heads. On a terminal wide columns are cut to fit; a pipe gets all."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    used = [at for at, head in enumerate(heads) if any(row[at] for row in cells)]
    widths = [max(len(heads[at]), *(len(row[at]) for row in cells)) for at in used]
    if sys.stdout.isatty():
        widths = _fitted(widths, shutil.get_terminal_size().columns - len(_GAP) * (len(used) - 1))
    click.echo(click.style(_line([heads[at] for at in used], widths), bold=True))
    for row in cells:
        click.echo(_line([row[at] for at in used], widths))


def _fitted(widths: list[int], room: int) -> list[int]:
    """The widest columns give way until all fit."""
    widths = list(widths)
    while sum(widths) > room and max(widths) > _LEAST:
        widest = widths.index(max(widths))
        second = max([_LEAST, *(width for at, width in enumerate(widths) if at != widest)])
        widths[widest] = max(
            _LEAST, min(widths[widest] - 1, max(second, widths[widest] - (sum(widths) - room)))
        )
    return widths


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = (
        cell if len(cell) <= width else cell[: width - 1] + "…"
        for cell, width in zip(cells, widths, strict=True)
    )
    return _GAP.join(cell.ljust(width) for cell, width in zip(shown, widths, strict=True)).rstrip()


def heading(text: str) -> None:
    """Print a line that says what follows."""
    click.echo(click.style(text, bold=True))


def prose(text: str, margin: str = "") -> None:
    """Print sentences. On a terminal lines end between words; a pipe gets one line."""
    if sys.stdout.isatty():
        text = click.wrap_text(text, min(shutil.get_terminal_size().columns, _WIDE), margin, margin)
        click.echo(text)
    else:
        click.echo(margin + text)


def verdict(well: bool, text: str) -> None:
    """Print what came of it, with a sign."""
    click.echo(click.style(("✔ " if well else "✖ ") + text, fg="green" if well else "red", bold=True))


def findings(found: Iterable[Finding]) -> None:
    """Print each finding: sign, what is wrong where, what to do about it, its rule."""
    for one in found:
        sign, colour = _SIGNS[one.severity]
        owner = f"{one.network} " if one.network else ""
        rule = click.style(f"[{owner}{one.rule}]", dim=True)
        click.echo(f"{click.style(f'{sign} {one.severity}', fg=colour)} {one.message} {rule}")
        if one.hint:
            prose(one.hint, "    ")


def json_line(record: Any) -> None:
    """Print one JSON object on a line of its own."""
    click.echo(json.dumps(record, ensure_ascii=False))
