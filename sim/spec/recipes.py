"""What generated messages and answers have inside: rows of `recipes.toml` and of the networks' own files.

A recipe says which words have to hold (`when`) and which parts of elements it then fills. Later rows win over
earlier ones, a network's own over those of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sim.spec.elements import VERSIONS
from sim.spec.interfaces import interface
from sim.spec.networks import NETWORKS
from sim.spec.tables import read_toml

DROPPED = "-"  # the value of a part that is left out
_SHARED = "recipes"


@dataclass(frozen=True, slots=True)
class Test:
    """One condition: one of `words` holds, or, `negated`, none of them does. A word that begins with a digit
    asks the message itself: `48.82` for a part that is there, `3.1=30` for one with that value; then `path`
    is that part, and `values` those that it may have (none: any)."""

    words: tuple[str, ...]
    negated: bool
    path: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """`parts` by path (`60.8`, or `22` for a whole element), each a text with placeholders, filled in where
    all of `tests` hold. `network` is empty in a row for all of them."""

    network: str
    tests: tuple[Test, ...]
    parts: Mapping[str, str]
    source: str

    def mentions(self, word: str) -> bool:
        """Whether the row is about *word*: asks for it, or puts it into a part."""
        asked = any(word in test.words and not test.negated for test in self.tests)
        return asked or any("{" + word in text for text in self.parts.values())

    def asks_for(self, word: str) -> bool:
        """Whether the row is for *word* and for nothing beside it."""
        return any(test.words == (word,) and not test.negated for test in self.tests)


@cache
def recipes(name: str | None, version: str) -> tuple[Recipe, ...]:
    """How messages of *version* are filled: the rows for all networks, then those of *name*, a network or an
    interface.

    >>> any(one.mentions("preauthorization") for one in recipes("MASTERCARD", "1987"))
    True
    """
    return _rows("recipes", name, version)


@cache
def answers(name: str | None, version: str) -> tuple[Recipe, ...]:
    """How answers of *version* are filled, in the same form."""
    return _rows("answers", name, version)


@cache
def carried(name: str | None, version: str) -> tuple[Recipe, ...]:
    """What later messages of a transaction have from its first request and answer, in the same form."""
    return _rows("carried", name, version)


def _rows(kind: str, name: str | None, version: str) -> tuple[Recipe, ...]:
    shared = [_recipe("", row) for row in read_toml(_SHARED).get(kind, ()) if _applies(row, version)]
    if name is None:
        return tuple(shared)
    if name not in NETWORKS:
        rows = [row for row in interface(name).fills[kind] if _applies(row, version)]
        return (*shared, *(_recipe(name, row) for row in rows))
    own = read_toml(f"networks/{name}")
    default = [own["native_version"]]
    rows = [row for row in own.get(kind, ()) if version in row.get("versions", default)]
    if kind == "recipes" and (added := own.get("dialects", {}).get(version, {}).get("add")):
        rows.insert(0, {"when": "card", "parts": added, "source": ""})
    return (*shared, *(_recipe(name, row) for row in rows))


def _applies(row: Mapping[str, Any], version: str) -> bool:
    return version in row.get("versions", VERSIONS)


def _recipe(network: str, row: Mapping[str, Any]) -> Recipe:
    return Recipe(network, tuple(map(_test, row["when"].split())), dict(row["parts"]), row["source"])


def _test(text: str) -> Test:
    first, *others = words = tuple(text.removeprefix("!").split("|"))
    if not first[:1].isdigit():
        return Test(words, text.startswith("!"))
    path, valued, value = first.partition("=")
    return Test(words, text.startswith("!"), path, (value, *others) if valued else ())
