"""What is typed into the filter of a log, as conditions.

    DE39=05  39!=00  DE4>1000  DE43~shop  mti=0110    an element or a column, compared
    DE55  -DE55                                       the element is there, or is not
    anything else                                     a text in any element

All of them must hold; a value with blanks stands in double quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

Operator = Literal["=", "!=", ">", "<", ">=", "<=", "~", "there", "missing", "anywhere"]

_TOKEN = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_COMPARED = re.compile(
    r"(?:(?:DE|F)?0*(?P<number>[1-9][0-9]{0,2})|(?P<name>[a-z_]+))(?P<how>!=|>=|<=|[=><~])(?P<value>.*)",
    re.I | re.S,
)
_THERE = re.compile(r"(?P<not>-?)DE0*(?P<number>[1-9][0-9]{0,2})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a column; the empty column is any element."""

    column: str
    operator: Operator
    value: str = ""


def conditions(text: str, columns: frozenset[str]) -> tuple[Condition, ...]:
    """What *text* asks for; a name that is none of *columns* makes a plain text of it.

    >>> conditions('39=05 -DE55 "main street"', frozenset({"DE39"}))[0]
    Condition(column='DE39', operator='=', value='05')
    """
    return tuple(_condition(token, columns) for token in _TOKEN.findall(text))


def _condition(token: str, columns: frozenset[str]) -> Condition:
    if there := _THERE.fullmatch(token):
        return Condition(f"DE{there['number']}", "missing" if there["not"] else "there")
    compared = _COMPARED.fullmatch(token)
    if compared:
        column = f"DE{compared['number']}" if compared["number"] else compared["name"].lower()
        if compared["number"] or column in columns:
            return Condition(column, cast(Operator, compared["how"]), _bare(compared["value"]))
    return Condition("", "anywhere", _bare(token))


def _bare(text: str) -> str:
    return text.replace('"', "")
