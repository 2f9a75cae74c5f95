"""The message specifications of links: the files of `data/interfaces` as typed records.

A card network is a brand: card ranges, check digits, applications. An interface specifies the messages on a
link: wire format, element names and layouts, the elements of each message, code lists, what a response
carries. A brand's own interface uses the network's rows; a terminal, switch or processor has another, which
carries cards of every brand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sim.errors import ChoiceError, SpecError
from sim.spec.elements import VERSIONS, Spec
from sim.spec.networks import NETWORKS, Presence, presence, record
from sim.spec.tables import names, read_toml

STANDARD = "iso"  # the standard alone


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface.

    `format` is the wire format whose element table it uses, empty for the standard's; `version` is its
    version, empty for any. `network` is the brand whose rows (layouts, presence, codes, responses) it uses,
    empty if it is no brand's. `rows` are the elements of its messages; `elements` are its differences from
    the standard by element number (names, lengths, parts), in rows like a format's; `without` are the ids of
    the standard's rules that do not apply. `guess` has the signs of its messages for when their format is a
    common one: see `told_by`. `fills` are the rows that fill generated messages, like a network's: `recipes`,
    `answers`, `carried`.
    """

    name: str
    title: str
    source: str
    note: str = ""
    format: str = ""
    version: str = ""
    network: str = ""
    without: tuple[str, ...] = ()
    guess: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    rows: tuple[Presence, ...] = ()
    elements: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False, hash=False)
    fills: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict, repr=False, hash=False)

    @property
    def speaker(self) -> str:
        """The name that findings cite for its rows: the network, if it is a network's own, else its own."""
        return self.network or self.name

    @property
    def maker(self) -> str | None:
        """Whose rows fill its messages: the network's, if it is a network's own, else its own; None for the
        standard."""
        return self.network or (self.name if self.name != STANDARD else None)

    def presence(self, mti: str) -> tuple[Presence, ...]:
        """Its rows for messages *mti*."""
        rows = presence(self.network, mti) if self.network else ()
        return (*rows, *(row for row in self.rows if row.mti == mti))


# A message is an interface's if its signs are worth so many bits, and so many more than any other's.
_ENOUGH, _AHEAD = 8.0, 2.0


def told_by(format: str, version: str, fields: Mapping[int, str], layers: Collection[str] = ()) -> str | None:
    """The interface whose signs a message in a common *format* has: headers among the *layers*, elements, and
    what these contain. None if no interface has enough of them, or two have about as many.

    >>> told_by("bcd", "1987", {3: "920000", 11: "000001", 24: "003", 41: "12345678"})
    'nac'
    """
    worth = [(0.0, ""), (0.0, "")]
    for candidate in map(_shipped, names("interfaces", ".toml")):
        guess = candidate.guess
        if guess and format in (*guess["formats"], candidate.format) and candidate.version in ("", version):
            bits = sum(sign["bits"] for sign in guess["signs"] if _has(sign, fields, layers))
            worth.append((bits, candidate.name))
    (most, name), (next_most, _) = sorted(worth, reverse=True)[:2]
    return name if most >= _ENOUGH and most - next_most >= _AHEAD else None


def _has(sign: Mapping[str, Any], fields: Mapping[int, str], layers: Collection[str]) -> bool:
    """Whether a message has the *sign*: a layer of framing, an element, or a value that is like a pattern."""
    if "layer" in sign:
        return sign["layer"] in layers
    value = fields.get(sign["element"])
    return value is not None and re.fullmatch(sign.get("like", ".*"), value, re.DOTALL) is not None


# The user's interfaces, by name.
_LOADED: dict[str, Interface] = {}


def interfaces() -> tuple[str, ...]:
    """The names of all interfaces: the plain standard, the built-in ones, then those that were loaded."""
    shipped = names("interfaces", ".toml")
    return (STANDARD, *(name for name in shipped if name != STANDARD), *_LOADED)


def interface(name: str) -> Interface:
    """The interface *name*. Raises ChoiceError if unknown.

    >>> interface("visa").network, interface("iso").network
    ('VISA', '')
    """
    if name in _LOADED:
        return _LOADED[name]
    if name not in interfaces():
        raise ChoiceError.of("interface", name, interfaces())
    return _shipped(name)


@cache
def _shipped(name: str) -> Interface:
    return described(read_toml(f"interfaces/{name}"), name)


_NO_BASE = Interface("", "", "")
_FILLS = ("recipes", "answers", "carried")
_TAKEN_APART = ("extends", "presence", "elements", "parts", *_FILLS)


def described(table: Mapping[str, Any], name: str) -> Interface:
    """The interface that *table* (a parsed TOML file) describes. Raises SpecError for an invalid row."""
    base = interface(table["extends"]) if "extends" in table else _NO_BASE
    settings = {key: value for key, value in table.items() if key not in _TAKEN_APART}
    if "without" in table:
        settings["without"] = tuple(table["without"])
    elements = dict(base.elements)
    for number, row in table.get("elements", {}).items():
        elements[number] = {**elements.get(number, {}), **_element(row, table.get("parts", {}), name)}
    source = settings.get("source", "")
    values = {
        **{key: getattr(base, key) for key in ("format", "version", "network")},
        "name": name,
        "guess": {},
        **settings,
        "elements": elements,
        "rows": (
            *base.rows,
            *(row for each in table.get("presence", ()) for row in _rows(each, name, source)),
        ),
        "fills": {kind: (*base.fills.get(kind, ()), *table.get(kind, ())) for kind in _FILLS},
    }
    result = record(Interface, values, name)
    if result.network and result.network not in NETWORKS:
        raise SpecError(None, None, f"a network in interface {name}", repr(result.network))
    if result.version and result.version not in VERSIONS:
        raise SpecError(None, None, f"a version in interface {name}", repr(result.version))
    return result


def _element(row: Mapping[str, Any], shared: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The row of an element, with a name in `parts` replaced by the *shared* parts of that name."""
    parts = row.get("parts")
    if not isinstance(parts, str):
        return row
    if parts not in shared:
        raise SpecError(None, None, f"parts.{parts} in interface {name}", "none")
    return {**row, "parts": shared[parts]}


_ROW = {"presence": "M", "severity": "warning", "when": "", "condition": "", "confidence": "secondary"}


def _rows(row: Mapping[str, Any], name: str, source: str) -> Iterator[Presence]:
    """The presence rows of one table: each of its `fields` in each of its `mtis`."""
    shared = _ROW | {"source": source} | {key: row[key] for key in row if key not in ("mtis", "fields")}
    for mti in row.get("mtis", ()):
        for number in row.get("fields", ()):
            values = {"network": name, "mti": mti, "field": number, **shared}
            yield record(Presence, values, f"a row of [[presence]] in interface {name}")


def keep(entry: Interface) -> Interface:
    """Register an interface by its name. Raises SpecError for the name of a built-in one."""
    if entry.name in names("interfaces", ".toml"):
        raise SpecError(None, None, "a name that no built-in interface uses", repr(entry.name))
    _LOADED[entry.name] = entry
    return entry


def rows_of(table: Spec, network: str | None) -> str | None:
    """The network whose layouts, names and codes apply to a message with element table *table* and a card of
    *network*: that network, unless the table is an interface's; then the interface's network, if any."""
    return network if not table.interface else interface(table.interface).network or None


def fills_of(table: Spec, network: str | None) -> str | None:
    """Whose rows fill messages with element table *table* and a card of *network*: a network's or an
    interface's; None for the plain standard."""
    return interface(table.interface).maker if table.interface else network


def required(name: str | None, mti: str) -> tuple[int, ...]:
    """The elements required in every message *mti* on interface *name*; none if *name* is a network or
    None."""
    if name is None or name in NETWORKS:
        return ()
    return tuple(row.field for row in interface(name).rows if row.mti == mti and row.presence == "M")
