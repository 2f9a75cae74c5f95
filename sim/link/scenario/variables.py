"""What stands in a suite's texts for something else: `${1.38}` is DE 38 of the answer of step 1 (of its
request where the answer has none), `${stan}` the next trace number, `${now}` the moment, in DE 7, 12 and 13,
and `${column}` a cell of the case's `rows`. `{{...}}` is read like `${...}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sim.errors import OptionError, shown

TIMES = (7, 12, 13)
_VARIABLE = re.compile(r"\$\{([^{}]{0,80})\}|\{\{([^{}]{0,80})\}\}")
_ELEMENT = re.compile(r"([1-9][0-9]{0,3})\.([0-9]{1,3})")


def filled(text: str, value: Callable[[str], str | None]) -> str:
    """*text* with the *value* of each variable in its place; None leaves it as it stands."""

    def put(place: re.Match[str]) -> str:
        found = value(_name(place))
        return place[0] if found is None else found

    return _VARIABLE.sub(put, text)


def variables(text: str) -> Iterator[str]:
    """The names of the variables in *text*."""
    return map(_name, _VARIABLE.finditer(text))


def element_of(name: str) -> tuple[int, int] | None:
    """Step and element that a variable's *name* is of; None of another's."""
    found = _ELEMENT.fullmatch(name)
    return (int(found[1]), int(found[2])) if found else None


def check(where: str, key: str | int, text: str, step: int) -> None:
    """Raises OptionError where *text*, of *key* in a *step*, has a variable that nothing gives a value."""
    if text.startswith("~"):  # a pattern, in which brackets say something else
        return
    for name in variables(text):
        of = element_of(name)
        if (of and of[0] < step) or name == "stan" or (name == "now" and key in TIMES):
            continue
        expected = "a variable: ${stan}, ${now} in DE 7, 12 or 13, or ${1.38} of an earlier step"
        raise OptionError(where, expected, shown("${" + name + "}"))


def put_cells(texts: Any, row: Mapping[str, str]) -> Any:
    """A table, a list or a text with the cells of *row* for the variables that are called as its columns."""
    if isinstance(texts, Mapping):
        return {key: put_cells(value, row) for key, value in texts.items()}
    if isinstance(texts, list):
        return [put_cells(value, row) for value in texts]
    return filled(texts, row.get) if isinstance(texts, str) else texts


def _name(place: re.Match[str]) -> str:
    return (place[1] if place[1] is not None else place[2]).strip()
