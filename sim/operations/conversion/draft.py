"""A message during conversion to another version: the new elements, the notes, and the rows of
`data/conversion` that apply.

`elements.csv` has rows for each step between two adjacent versions: the elements of the older and the newer
one with the same facts, and `how` to convert them. `codes.csv` has the codes that change; `*` is any code
without its own row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from itertools import pairwise

from sim.codec import Message
from sim.errors import BuildError, size
from sim.parts import writing
from sim.parts.writing import Value
from sim.spec import VERSIONS, layouts, spec
from sim.spec.layouts import CLASS_NAMES, FOREIGN
from sim.spec.tables import read_csv

ANY = "*"


@dataclass(frozen=True, slots=True)
class ConversionRow:
    """A row in one direction: `sources` become `targets`."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]
    how: str
    detail: str


def path(version: str, to: str) -> list[tuple[str, str]]:
    """The steps from *version* to *to*, each between adjacent versions.

    >>> path("2003", "1987")
    [('2003', '1993'), ('1993', '1987')]
    """
    start, end = VERSIONS.index(version), VERSIONS.index(to)
    way = VERSIONS[start : end + 1] if start <= end else VERSIONS[end : start + 1][::-1]
    return list(pairwise(way))


@cache
def rules(version: str, to: str) -> tuple[ConversionRow, ...]:
    """The rules of a step from *version* to the adjacent *to*, in the order they apply in."""
    source, target = ("old", "new") if version < to else ("new", "old")
    step = tuple(sorted((version, to)))
    return tuple(
        ConversionRow(sources, tuple(_numbers(row[target])), row["how"], row["detail"])
        for row in read_csv("conversion/elements")
        if (row["older"], row["newer"]) == step and (sources := tuple(_numbers(row[source])))
    )


@cache
def codes_of(version: str, to: str, name: str) -> Mapping[str, str]:
    """The codes in the adjacent version *to* by those of *version*, of list *name*; `ANY` is that of all
    others."""
    source, target, way = ("old", "new", "up") if version < to else ("new", "old", "down")
    key, codes = (*sorted((version, to)), name), dict[str, str]()
    for row in read_csv("conversion/codes"):
        if (row["older"], row["newer"], row["list"]) == key and row["way"] in ("both", way):
            codes.setdefault(row[source], row[target])
    return codes


def _numbers(text: str) -> Iterator[int]:
    """`2-4 9` as 2, 3, 4, 9."""
    for part in text.split():
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


ACTIONS = ("kept", "reformatted", "moved", "split", "merged", "filled", "lost")
KEPT, REFORMATTED, MOVED, SPLIT, MERGED, FILLED, LOST = ACTIONS


@dataclass(frozen=True, slots=True)
class Note:
    """A note on one element of the original.

    `number` is the element, 0 the MTI; `to` the elements it became, empty if it is lost; `action` one of
    ACTIONS; `note` one sentence.
    """

    number: int
    to: tuple[int, ...]
    action: str
    note: str

    def with_text(self, text: str) -> Note:
        """This note, with *text* added."""
        return replace(self, note="; ".join(filter(None, (self.note, text))))


def misfit(version: str, number: int, value: str) -> str:
    """Why *value* does not fit element *number* of *version*; empty if it does."""
    element = spec(version)[number]
    if len(value) > element.width or (element.fixed and len(value) != element.width):
        return f"{version} has {element.format} there; the value has {size(value)}"
    if FOREIGN[element.content].search(value):
        return f"{version} allows {CLASS_NAMES[element.content]} there"
    return f"{version} has whole bytes there" if element.binary and len(value) % 2 else ""


@dataclass(slots=True)
class Draft:
    """One step: `message` in its version becomes `mti` and `fields` in the adjacent version `to`.

    `at` is the clock, a local time: missing years and centuries are those nearest to it.
    """

    message: Message
    to: str
    at: datetime
    mti: str = ""
    fields: dict[int, str] = field(default_factory=dict)
    notes: dict[int, Note] = field(default_factory=dict)

    @property
    def up(self) -> bool:
        """Whether the new version is the later one."""
        return self.message.version < self.to

    def code(self, name: str, value: str) -> str | None:
        """The code for *value* of list *name* in the new version, None if there is no row."""
        codes = codes_of(self.message.version, self.to, name)
        return codes.get(value, codes.get(ANY))

    def put(self, number: int, value: str) -> str:
        """Write *value*, with more or fewer blanks after a text, to element *number* if it fits; returns why
        not, empty if it does."""
        element = spec(self.to)[number]
        value = value if element.content == "n" else element.filled(value)
        reason = misfit(self.to, number, value)
        if not reason:
            self.fields[number] = value
        return reason

    def carry(
        self, source: int, values: Mapping[int, str], action: str, text: str, lost: str | None = None
    ) -> None:
        """Write *values*, which carry the facts of element *source*, and note it; if one does not fit,
        *source* is lost, for that reason or for *lost*."""
        if reasons := [reason for number, value in values.items() if (reason := self.put(number, value))]:
            self.lose([source], lost or reasons[0])
        else:
            self.note(source, action, values, text)

    def write(self, source: int, target: int, parts: Value) -> bool:
        """Write *parts* of element *source* as element *target* of the new version; if they do not fit,
        *source* is lost. Returns whether they fit."""
        try:
            reason = self.put(target, writing.write(layouts.layouts(self.to, target)[0], parts))
        except BuildError as error:
            reason = f"it does not fit: {error}"
        if reason:
            self.lose([source], reason)
        return not reason

    def note(self, number: int, action: str, to: Iterable[int], text: str) -> None:
        """Note the conversion of element *number*; a second note is appended to the first, and the action
        that changes more applies."""
        new = Note(number, tuple(to), action, text)
        self.notes[number] = joined(self.notes[number], new) if number in self.notes else new

    def lose(self, numbers: Iterable[int], why: str) -> None:
        """Note that those of *numbers* that the message has are lost."""
        for number in numbers:
            if number in self.message.fields:
                self.note(number, LOST, (), why)


def joined(one: Note, other: Note) -> Note:
    """Two notes on one element as one: all its targets, and the action that changes more."""
    to = tuple(sorted({*one.to, *other.to}))
    first, second = sorted((one, other), key=lambda note: -ACTIONS.index(note.action))
    action = first.action if to or first.action == LOST else LOST
    action = second.action if action == LOST and to and second.action != LOST else action
    texts = dict.fromkeys(text for note in (one, other) for text in note.note.split("; ") if text)
    return replace(one, to=to, action=action, note="; ".join(texts))
