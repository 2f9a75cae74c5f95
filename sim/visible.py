"""Makes text from others safe to display: whatever would control a terminal, reverse a line or break a
file is escaped. Messages, hosts' responses, suite titles and command arguments may contain anything."""

from __future__ import annotations

import json
import re
from typing import Any

# The unprintable characters include the control characters that XML 1.0 forbids.
_LINES = re.compile(r"[^\n]+")
FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def visible(text: str) -> str:
    r"""*text* with an escape for each unprintable character: control characters (C0, C1), bidirectional
    controls, lone surrogates, unusual blanks.

    >>> print(visible("\x1b[2J \x9b31m \u202eevil\n"))
    \x1b[2J \x9b31m \u202eevil\n
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def visible_lines(text: str) -> str:
    r"""`visible` for a text of several lines, which keeps its line ends.

    >>> print(visible_lines("one\ntwo\a"))
    one
    two\x07
    """
    return text if text.isprintable() else _LINES.sub(lambda line: visible(line[0]), text)


def json_text(record: Any) -> str:
    r"""*record* as JSON on one line, with unprintable characters escaped.

    >>> print(json_text({"name": "Zoë \x9b\u202e"}))
    {"name": "Zoë \u009b\u202e"}
    """
    text = json.dumps(record, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def csv_cell(text: str) -> str:
    """A cell of a CSV file that no spreadsheet treats as a formula: an apostrophe precedes text that begins
    like a formula and is not a number.

    >>> csv_cell("=1+1"), csv_cell("-12.50"), csv_cell("SHOP")
    ("'=1+1", '-12.50', 'SHOP')
    """
    return f"'{text}" if FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def csv_value(cell: str) -> str:
    """The text that `csv_cell` wrote as *cell*.

    >>> csv_value("'=1+1"), csv_value("'quoted'")
    ('=1+1', "'quoted'")
    """
    return cell[1:] if cell[:1] == "'" and FORMULA.match(cell, 1) else cell
