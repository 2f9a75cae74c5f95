"""The output of commands: tables of plain text, findings with sign and color, JSON. Control characters are
escaped. Commands print only through these functions."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import click

from sim.visible import json_text, visible, visible_lines

_GAP = "  "
_LEAST = 8
_WORD = 22  # words up to this length, such as the name of a rule, are broken only as a last resort
_MOST_LINES = 3  # of a row
_WIDE = 100  # characters of a line of sentences
_SIGNS = {"error": ("✖", "red"), "warning": ("▲", "yellow"), "info": ("·", "blue")}


def line(text: str, *, err: bool = False, **style: Any) -> None:
    """Print *text* on one line, in the colors of *style*."""
    text = visible(text)
    click.echo(click.style(text, **style) if style else text, err=err)


def message(text: str) -> None:
    """Print a message for the next program: a pipe gets it unchanged, a terminal in printable form."""
    # Otherwise Click would remove whatever looks like color codes.
    click.echo(visible(text) if is_terminal() else text, color=True)


def error(text: str) -> None:
    """Print an error on standard error."""
    click.echo(click.style("error: ", fg="red", bold=True, reset=True) + visible_lines(text), err=True)


def is_terminal() -> bool:
    """Whether the output goes to a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headers. On a terminal wide columns wrap, up to a few lines; a pipe gets
    everything, one line per row."""
    cells = [["" if cell is None else visible(str(cell)) for cell in row] for row in rows]
    used = [at for at, head in enumerate(heads) if any(row[at] for row in cells)]
    widths = [max(len(heads[at]), *(len(row[at]) for row in cells)) for at in used]
    if is_terminal():
        words = [max((len(word) for row in cells for word in row[at].split()), default=0) for at in used]
        room = shutil.get_terminal_size().columns - len(_GAP) * (len(used) - 1)
        for most in (_WORD, _LEAST):
            widths = _fitted(widths, [min(max(_LEAST, word), most) for word in words], room)
    line(_line([heads[at] for at in used], widths), bold=True)
    for row in cells:
        for drawn in _lines([row[at] for at in used], widths):
            line(drawn)


def _fitted(widths: list[int], least: list[int], room: int) -> list[int]:
    """*widths* with the widest columns narrowed until all fit, or each has its *least*."""
    widths = [min(width, max(room, low)) for width, low in zip(widths, least, strict=True)]
    while sum(widths) > room:
        wide = [at for at, width in enumerate(widths) if width > least[at]]
        if not wide:
            break
        widest = max(wide, key=lambda at: widths[at])
        widths[widest] -= 1
    return widths


def _lines(cells: Sequence[str], widths: Sequence[int]) -> Iterable[str]:
    """The lines of a row; text wider than its column wraps."""
    columns = (
        [cell]
        if len(cell) <= width
        else textwrap.wrap(cell, width, max_lines=_MOST_LINES, placeholder="…", break_on_hyphens=False)
        for cell, width in zip(cells, widths, strict=True)
    )
    return (_line(parts, widths) for parts in zip_longest(*columns, fillvalue=""))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def heading(text: str) -> None:
    """Print a heading."""
    line(text, bold=True)


def prose(text: str, margin: str = "") -> None:
    """Print sentences. On a terminal lines break between words; a pipe gets one line."""
    if is_terminal():
        width = min(shutil.get_terminal_size().columns, _WIDE)
        for part in click.wrap_text(visible(text), width, margin, margin).splitlines():
            line(part)
    else:
        line(margin + text)


def verdict(well: bool, text: str) -> None:
    """Print the result, with a sign."""
    line(("✔ " if well else "✖ ") + text, fg="green" if well else "red", bold=True)


def findings(records: Iterable[Mapping[str, Any]]) -> None:
    """Print each finding: its sign, text and rule, and its hint."""
    for record in records:
        severity, hint = record["severity"], record["hint"]
        sign, colour = _SIGNS[severity]
        owner = f"{record['network']} " if record["network"] else ""
        rule = click.style(visible(f"[{owner}{record['rule']}]"), dim=True)
        click.echo(f"{click.style(f'{sign} {severity}', fg=colour)} {visible(record['message'])} {rule}")
        if hint:
            prose(hint, "    ")


def json_line(*records: Any) -> None:
    """Print JSON objects, each on a line of its own."""
    for record in records:
        click.echo(json_text(record))
