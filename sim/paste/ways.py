"""The ways to write each data element that a guess tries: those of the built-in formats, of mixtures of them,
and exceptions for single elements (rows of `data/guess.toml`). Equal fields are one object, so that bytes are
read once for all formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any

from sim.codec.wire.catalogue import loaded, names, ready, wire_format
from sim.codec.wire.formats import BCD, CHARACTERS, NIBBLES, SIGNED, Field, Format, Odd
from sim.codec.wire.pages import PAGES
from sim.paste.worth import Worth, prefix_worth, weigher
from sim.spec.tables import read_toml

_PACKED = (BCD, SIGNED, NIBBLES)
_FILLERS = (Odd(True, "0"), Odd(False, "F"), Odd(False, "0"), Odd(True, "F"))
_CACHE_SIZE = 16384
_LOADINGS, _MOST_OWN = 4, 24


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way to read an element. `field` is the format's, `fields` add the other paddings of odd packed
    digits; `change` is the deviation from the format, None if there is none; `cost` is in bits; `note`
    describes the deviation, empty if it is ordinary. `weigh` returns what a value is worth; `gain` is what
    the prefix saves, less the cost."""

    field: Field
    fields: tuple[Field, ...]
    change: Mapping[str, Any] | None
    cost: float
    note: str
    weigh: Callable[[str], Worth]
    gain: float


@cache
def _way(field: Field, change: tuple[tuple[str, Any], ...], cost: float, note: str) -> Way:
    """The one way that reads *field* so, shared by all formats."""
    return made_way(field, dict(change) or None, cost, note)


def made_way(field: Field, change: Mapping[str, Any] | None, cost: float, note: str) -> Way:
    """A new way that reads *field*; `ways` has those of the formats, each made once."""
    odd = field.written in _PACKED and field.counts == CHARACTERS and (not field.fixed or field.size % 2)
    padded = [replace(field, odd=filler) for filler in _FILLERS if odd and filler != field.odd]
    return Way(field, (field, *padded), change, cost, note, weigher(field), prefix_worth(field) - cost)


@dataclass(frozen=True, eq=False)
class TriedFormat:
    """A format to try: built-in, a variant, or loaded (`own`); rare ones have a `cost` in bits."""

    format: Format
    cost: float
    own: bool = False

    @cached_property
    def head(self) -> tuple[str, str, int, bool]:
        """What determines how the MTI and the bitmap are read."""
        fmt = self.format
        page = fmt.mti if fmt.mti == BCD else "ebcdic" if fmt.mti.startswith("cp") else fmt.mti
        return page, fmt.bitmap, fmt.bitmap_bytes, fmt.third

    @property
    def packed(self) -> bool:
        """Whether numbers are packed."""
        return self.format.digits == BCD


def kinds() -> tuple[TriedFormat, ...]:
    """All formats to try, the plainest first: each comes after the one it extends, loaded ones come last."""
    return _kinds(loaded())


@lru_cache(maxsize=_LOADINGS)
def _kinds(formats: tuple[Format, ...]) -> tuple[TriedFormat, ...]:
    return (*_ready_kinds(), *(TriedFormat(fmt, float(_depth(fmt)), True) for fmt in formats[-_MOST_OWN:]))


@cache
def _ready_kinds() -> tuple[TriedFormat, ...]:
    tried = [name for name in ready() if name not in read_toml("guess")["named"]]
    plain_first = sorted(map(wire_format, tried), key=_depth)
    formats = [TriedFormat(fmt, float(_depth(fmt))) for fmt in plain_first]
    for row in read_toml("guess")["variant"]:
        base = wire_format(row["extends"])
        changed = base.with_(name=base.name, title=row["title"], extends=base.name, **row["change"])
        formats.append(TriedFormat(changed, row["cost"]))
    return tuple(formats)


def _depth(fmt: Format) -> int:
    """The number of formats that a format extends, directly or not."""
    depth = 0
    while fmt.extends in names():
        fmt, depth = wire_format(str(fmt.extends)), depth + 1
    return depth + (fmt.version is not None)


@lru_cache(maxsize=_CACHE_SIZE)
def ways(kind: TriedFormat, version: str, number: int, strict: bool) -> tuple[Way, ...]:
    """Return the ways in which links of *kind* may write data element *number*, the plain one first; without
    rare ones if *strict*. Empty if the format has no such element."""
    plain = kind.format.field(number, version)
    by_field = {} if plain is None else {plain: _way(plain, (), 0.0, "")}
    page = kind.format.text if kind.format.text in PAGES else "ascii"
    for row in read_toml("guess")["alternative"]:
        if (strict and not row.get("free")) or not _applies(row, kind, version, number, plain):
            continue
        change = {key: page if value == "{text}" else value for key, value in row["change"].items()}
        field = kind.format.field(number, version, **change)
        if field is not None and field not in by_field:
            by_field[field] = _way(
                field, tuple(change.items()), row["cost"], row["note"].format(number=number)
            )
    return tuple(by_field.values())


def _applies(
    row: Mapping[str, Any], kind: TriedFormat, version: str, number: int, plain: Field | None
) -> bool:
    if number not in row.get("numbers", (number,)) or version not in row.get("versions", (version,)):
        return False
    if plain is None:
        return "format" in row["change"]
    if "content" in row and plain.content not in row["content"]:
        return False
    if row.get("when") == "packed" and not kind.packed:
        return False
    return not (row.get("variable") and plain.fixed)


def odd_said(field: Field) -> str:
    """The padding of odd digits in a format's terms: `right F`."""
    return f"{'left' if field.odd.left else 'right'} {field.odd.filler}"
