"""The contents of generated messages and responses: rows of `recipes.toml` and of the networks' own files.

A recipe has conditions (`when`) and the parts of elements that it fills if they are met. Later rows override
earlier ones, and a network's own rows override the shared ones.
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

DROPPED = "-"  # means: leave the part out
_SHARED = "recipes"


@dataclass(frozen=True, slots=True)
class Test:
    """One condition: any of `words` is true, or, if `negated`, none is. A word that starts with a digit is
    about the message itself: `48.82` if that part is present, `3.1=30` if it has that value; `path` is then
    the part, and `values` are the allowed values (none: any)."""

    words: tuple[str, ...]
    negated: bool
    path: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """Texts with placeholders for `parts` (`60.8`, or `22` for a whole element), filled in if all of `tests`
    are true. `network` is empty in a row for all networks."""

    network: str
    tests: tuple[Test, ...]
    parts: Mapping[str, str]
    source: str

    def mentions(self, word: str) -> bool:
        """Whether the row has *word* as a condition, or fills a part with it."""
        is_condition = any(word in test.words and not test.negated for test in self.tests)
        return is_condition or any("{" + word in text for text in self.parts.values())

    def asks_for(self, word: str) -> bool:
        """Whether one of the row's conditions is *word* alone."""
        return any(test.words == (word,) and not test.negated for test in self.tests)


@cache
def recipes(name: str | None, version: str) -> tuple[Recipe, ...]:
    """The rows that fill messages of *version*: those for all networks, then those of *name*, a network or an
    interface.

    >>> any(one.mentions("preauthorization") for one in recipes("MASTERCARD", "1987"))
    True
    """
    return _rows("recipes", name, version)


@cache
def answers(name: str | None, version: str) -> tuple[Recipe, ...]:
    """The rows that fill responses of *version*, like `recipes`."""
    return _rows("answers", name, version)


@cache
def carried(name: str | None, version: str) -> tuple[Recipe, ...]:
    """The rows for what later messages of a transaction repeat from its first request and response, like
    `recipes`."""
    return _rows("carried", name, version)


def _rows(kind: str, name: str | None, version: str) -> tuple[Recipe, ...]:
    shared = [_recipe("", row) for row in read_toml(_SHARED).get(kind, ()) if _applies(row, version)]
    if name is None:
        return tuple(shared)
    if name not in NETWORKS:
        rows = [row for row in interface(name).fills[kind] if _applies(row, version)]
        return (*shared, *(_recipe(name, row) for row in rows))
    table = read_toml(f"networks/{name}")
    default = [table["native_version"]]
    rows = [row for row in table.get(kind, ()) if version in row.get("versions", default)]
    if kind == "recipes" and (added := table.get("dialects", {}).get(version, {}).get("add")):
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
