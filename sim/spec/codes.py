"""Code lists: rows of `data/codes/<name>.csv`.

Columns: `position` (empty unless the list has one table per position), `code`, `meaning`,
`kind`, `versions` (`1987|1993`, empty for all), `network` (empty for the standard), `source`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sim.errors import ChoiceError
from sim.spec import tables


@dataclass(frozen=True, slots=True)
class Code:
    """One code of a list. `network` is empty for the standard's own meaning."""

    position: str
    code: str
    meaning: str
    kind: str
    versions: tuple[str, ...]
    network: str
    source: str


def code_lists() -> tuple[str, ...]:
    """The names of all code lists."""
    return tables.names("codes", ".csv")


@cache
def code_list(name: str) -> tuple[Code, ...]:
    """The rows of one code list. Raises ChoiceError, with the names there are, for an unknown one."""
    if name not in code_lists():
        raise ChoiceError.of("name", name, code_lists())
    return tuple(
        Code(**row | {"versions": tuple(filter(None, row["versions"].split("|")))})  # type: ignore[arg-type]
        for row in tables.read_csv(f"codes/{name}")
    )


@cache
def _index(name: str) -> Mapping[tuple[str, str, str, str], Code]:
    index: dict[tuple[str, str, str, str], Code] = {}
    for row in code_list(name):
        for version in row.versions or ("",):
            index.setdefault((row.position, row.code, version, row.network), row)
    return index


def lookup(
    name: str, code: str, *, version: str = "", network: str | None = None, position: str | int = ""
) -> Code | None:
    """What *code* means in list *name*: the network's own meaning first, then the standard's.

    None where the list does not have it: callers say "unknown", they never guess.
    """
    get, place = _index(name).get, str(position)
    own = (get((place, code, version, network)) or get((place, code, "", network))) if network else None
    return own or get((place, code, version, "")) or get((place, code, "", ""))


def lookup_anywhere(name: str, code: str, *, version: str) -> Code | None:
    """The first meaning any network gives *code* in list *name*; None where none does. For messages
    that name no network: the caller says whose meaning it is."""
    found = (row for row in code_list(name) if row.code == code and row.network)
    return next((row for row in found if not row.versions or version in row.versions), None)
