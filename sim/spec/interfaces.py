"""What a link speaks: the files of `data/interfaces` as typed records.

A card network is a brand: card ranges, check digits, applications. An interface is what travels on a link:
wire format, element names and layouts, which elements a message has, code lists, what a response carries. A
brand has an interface of its own, whose rows are those of the network; a terminal, a switch or a processor
has another, on which cards of every brand travel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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

    `format` names the wire format whose element table it has, empty for the standard's; `version` the
    version that it speaks, empty for any. `network` is the brand whose rows (layouts, presence, codes,
    responses) are its own, empty where it is no brand's. `rows` say which elements its messages have;
    `elements` what it has otherwise than the standard, by element number: names, lengths and parts, in
    rows as those of a format; `without` the ids of the standard's rules that do not hold on it. `guess` says
    by what its messages are known where they are written as many links write theirs: see `told_by`; `fills`
    has the rows by which messages are made, as networks have them: `recipes`, `answers`, `carried`.
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
        """Who says what its rows say: the network, where it is one's own, else the interface by its name."""
        return self.network or self.name

    @property
    def maker(self) -> str | None:
        """By whose rows its messages are made: the network's, where it is one's own, its own, or nobody's."""
        return self.network or (self.name if self.name != STANDARD else None)

    def presence(self, mti: str) -> tuple[Presence, ...]:
        """Its rows for messages *mti*."""
        own = presence(self.network, mti) if self.network else ()
        return (*own, *(row for row in self.rows if row.mti == mti))


def told_by(
    format: str, version: str, mti: str, numbers: Iterable[int], layers: Iterable[str] = ()
) -> str | None:
    """The interface that a message with elements *numbers*, written in a *format* of many links, must travel
    on; None where nothing says so. A header that only its messages have, among the *layers* in front, says
    more than elements.

    >>> told_by("bcd", "1987", "0200", (3, 4, 11, 22, 24, 25, 35, 41, 42, 62))
    'nac'
    """
    found = frozenset(numbers)
    for name in names("interfaces", ".toml"):
        one = interface(name)
        if not one.guess or version not in (one.version or version,) or format not in one.guess["formats"]:
            continue
        if "header" in one.guess:
            if one.guess["header"] in layers and found.isdisjoint(one.guess["lacks"]):
                return name
            continue
        of_class = mti[1] in one.guess["classes"]
        if of_class and found.issuperset(one.guess["has"]) and found.isdisjoint(one.guess["lacks"]):
            return name
    return None


# Interfaces that somebody loaded, by name.
_LOADED: dict[str, Interface] = {}


def interfaces() -> tuple[str, ...]:
    """The names of all interfaces: the standard alone, the shipped ones, then those that were loaded."""
    shipped = names("interfaces", ".toml")
    return (STANDARD, *(name for name in shipped if name != STANDARD), *_LOADED)


def interface(name: str) -> Interface:
    """The interface *name*. Raises ChoiceError for another.

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


_FILLS = ("recipes", "answers", "carried")
_TAKEN_APART = ("extends", "presence", "elements", "parts", *_FILLS)


def described(table: Mapping[str, Any], name: str) -> Interface:
    """The interface that *table* (a TOML file, read) describes. Raises SpecError for a row that is none."""
    base = interface(table["extends"]) if "extends" in table else None
    kept = {"format": base.format, "version": base.version, "network": base.network} if base else {}
    own = {key: value for key, value in table.items() if key not in _TAKEN_APART}
    if "without" in table:
        own["without"] = tuple(table["without"])
    elements = dict(base.elements) if base else {}
    for number, row in table.get("elements", {}).items():
        elements[number] = {**elements.get(number, {}), **_element(row, table.get("parts", {}), name)}
    rows = tuple(
        row for each in table.get("presence", ()) for row in _rows(each, name, own.get("source", ""))
    )
    rows = (*(base.rows if base else ()), *rows)
    fills = {kind: (*(base.fills[kind] if base else ()), *table.get(kind, ())) for kind in _FILLS}
    told = {"name": name, "guess": {}, **kept, **own, "rows": rows, "elements": elements, "fills": fills}
    made = record(Interface, told, name)
    if made.network and made.network not in NETWORKS:
        raise SpecError(None, None, f"a network in interface {name}", repr(made.network))
    if made.version and made.version not in VERSIONS:
        raise SpecError(None, None, f"a version in interface {name}", repr(made.version))
    return made


def _element(row: Mapping[str, Any], shared: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The row of an element, its parts in place where they are named as the *shared* ones of several."""
    parts = row.get("parts")
    if not isinstance(parts, str):
        return row
    if parts not in shared:
        raise SpecError(None, None, f"parts.{parts} in interface {name}", "none")
    return {**row, "parts": shared[parts]}


_ROW = {"presence": "M", "severity": "warning", "when": "", "condition": "", "confidence": "secondary"}


def _rows(row: Mapping[str, Any], name: str, source: str) -> Iterator[Presence]:
    """The presence rows of one table: every one of its `fields` in every one of its `mtis`."""
    shared = _ROW | {"source": source} | {key: row[key] for key in row if key not in ("mtis", "fields")}
    for mti in row.get("mtis", ()):
        for number in row.get("fields", ()):
            made = {"network": name, "mti": mti, "field": number, **shared}
            yield record(Presence, made, f"a row of [[presence]] in interface {name}")


def keep(made: Interface) -> Interface:
    """Make an interface known by its name. Raises SpecError for the name of a shipped one."""
    if made.name in names("interfaces", ".toml"):
        raise SpecError(None, None, "a name that no built-in interface uses", repr(made.name))
    _LOADED[made.name] = made
    return made


def rows_of(table: Spec, network: str | None) -> str | None:
    """The network whose layouts, names and codes are those of a message with element table *table* and a card
    of *network*: the card's own, unless the message travels on an interface that is not its brand's."""
    return network if not table.interface else interface(table.interface).network or None


def fills_of(table: Spec, network: str | None) -> str | None:
    """Whose rows make messages with element table *table* and a card of *network*: the network by whose rows
    they are made, or the interface; None where it is the standard alone."""
    return interface(table.interface).maker if table.interface else network


def required(name: str | None, mti: str) -> tuple[int, ...]:
    """The elements that every message *mti* on the interface *name* has; none for a network or None."""
    if name is None or name in NETWORKS:
        return ()
    return tuple(row.field for row in interface(name).rows if row.mti == mti and row.presence == "M")
