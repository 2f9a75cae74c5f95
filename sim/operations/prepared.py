"""What answers to messages of one kind have in common, found out once.

A kind is an MTI with the elements that are present, a network and a decision. Its rows are chosen by those,
and by what they ask of the message itself; for each outcome that comes it is known which elements are
repeated, which are the same in every answer, and which have to be worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Generic, TypeVar

from sim.codec import Message
from sim.elements import chip_data
from sim.elements.layout import Part, fits, fitting, standing
from sim.kept import Kept
from sim.masking.search import SHORTEST_PAN
from sim.operations.filling import Said, Text, Values, filled, filler, holding, holds, parts_of, worded
from sim.operations.recipes import approved
from sim.operations.values import placeholders
from sim.spec import Spec, lookup
from sim.spec.elements import codes_of
from sim.spec.recipes import Recipe, Test, answers
from sim.spec.tables import read_toml

T = TypeVar("T")

_CLASSES = {
    "1": "authorization",
    "2": "financial",
    "3": "file",
    "4": "reversal",
    "5": "settlement",
    "8": "network",
}
_ADVICE = "2"
_DECIDED = "12"  # message classes whose answers carry an approval
_CHIP_DATA, _DECISION = 55, 39
_OUTCOMES = 64  # of one kind of message
_CODES = 128  # of one element


class Inside:
    """The parts of a message by path: `48.82`, `55.9F26`, `22` for a whole element; empty where it has
    none."""

    __slots__ = ("_read", "message", "network")

    def __init__(self, message: Message, network: str | None) -> None:
        self.message, self.network = message, network
        self._read: dict[int, dict[str, str]] = {}

    def __getitem__(self, path: str | int) -> Text:
        text, _, inside = str(path).partition(".")
        number = int(text)
        message = self.message
        value = message.get(number)
        if not (inside and value):
            return Text(value)
        if message.dialect is None and (stands := standing(message.version, number, self.network, inside)):
            layout, place = stands
            return Text(value[place] if fits(layout, value) else "")
        if number == _CHIP_DATA:
            chip = chip_data.read(value)
            return Text("" if chip.error else chip.value(inside))
        if number not in self._read:
            self._read[number] = self._parts(number, value)
        return Text(self._read[number].get(inside, ""))

    def _parts(self, number: int, value: str) -> dict[str, str]:
        own = self.message.spec
        repeated = _repeats(number, value, self.message.version) and not own.dialect
        read = _read_code if repeated else _read
        return read(own if own.dialect else own.version, number, value, self.network)


def _repeats(number: int, value: str, version: str) -> bool:
    """Whether messages repeat such a value, and it holds nothing of a card: it may be remembered."""
    return len(value) < SHORTEST_PAN or number in codes_of(version)


def _read(own: str | Spec, number: int, value: str, network: str | None) -> dict[str, str]:
    found = fitting(own, number, value, network)
    texts: dict[str, str] = {}
    if found:
        _collect(found.parts, len(found.layout.cell.path) + 1, texts)
    return texts


def _collect(parts: tuple[Part, ...], behind: int, texts: dict[str, str]) -> None:
    """The values of *parts* and of what is in them, by their paths behind the element's own."""
    for part in parts:
        texts[part.cell.path[behind:]] = part.value
        if part.children:
            _collect(part.children, behind, texts)


_read_code = lru_cache(maxsize=512)(_read)


class _Asked(Generic[T]):
    """Rows for messages with the same elements, and what *make* makes of those that hold."""

    __slots__ = ("_elements", "_made", "_make", "_rows")

    def __init__(self, rows: tuple[Recipe, ...], make: Callable[[list[Recipe]], T]) -> None:
        by_element: dict[int, dict[Test, None]] = {}
        for test in (test for row in rows for test in row.tests):
            by_element.setdefault(_element(test), {})[test] = None
        # What each element answers, by its value where that is repeated.
        self._elements: tuple[tuple[int, tuple[Test, ...], Kept[str, tuple[bool, ...]]], ...] = tuple(
            (number, tuple(tests), Kept(_CODES)) for number, tests in by_element.items()
        )
        self._rows, self._make = rows, make
        self._made: Kept[tuple[tuple[bool, ...], ...], T] = Kept(_OUTCOMES)

    def of(self, inside: Inside) -> T:
        """What is made for the message that *inside* looks into."""
        message = inside.message
        get, dialect = message.fields.get, message.dialect
        outcome = []
        for number, tests, known in self._elements:
            value = get(number, "")
            found = known.young.get(value) if dialect is None else None
            if found is None:
                found = tuple([holds(test, _NO_WORDS, inside.__getitem__) for test in tests])
                if dialect is None and _repeats(number, value, message.version):
                    known.keep(value, found)
            outcome.append(found)
        made = self._made.young.get(key := tuple(outcome))
        return self._first(key) if made is None else made

    def _first(self, outcome: tuple[tuple[bool, ...], ...]) -> T:
        said = {
            test: yes
            for (_, tests, _), found in zip(self._elements, outcome, strict=True)
            for test, yes in zip(tests, found, strict=True)
        }
        return self._made.keep(
            outcome, self._make([row for row in self._rows if all(map(said.get, row.tests))])
        )


_NO_WORDS: frozenset[str] = frozenset()


def _element(test: Test) -> int:
    return int(test.path.partition(".")[0])


def _rows(
    network: str | None, version: str, words: frozenset[str], present: tuple[int, ...], code: str | None
) -> Iterable[Recipe]:
    """The rows for answers to messages with the elements *present* that no word, no missing element and not
    the *code* stand against, with what they still ask of the message."""
    for row in worded(answers(network, version), words):
        known = [
            test
            for test in row.tests
            if not test.path or _element(test) not in present or _element(test) == _DECISION
        ]
        if holding(
            [replace(row, tests=tuple(known))], words, lambda path: code or "" if path == "39" else ""
        ):
            yield replace(row, tests=tuple(test for test in row.tests if test not in known))


def _words(mti: str) -> tuple[str, str]:
    return _CLASSES.get(mti[1], ""), "advice" if mti[2] == _ADVICE else "request"


@lru_cache(maxsize=512)
def decisions(network: str | None, version: str, mti: str, present: tuple[int, ...]) -> _Asked[str]:
    """DE 39 of an issuer that says yes to messages of a kind: by the rows that say it otherwise."""
    words = frozenset((*_words(mti), "approved"))
    rows = [row for row in _rows(network, version, words, present, None) if _DECISION in parts_of([row])]
    usual = approved(version, *mti[1:3])
    return _Asked(tuple(rows), lambda held: parts_of(held).get(_DECISION, {}).get("") or usual)


@dataclass(frozen=True, slots=True)
class Outline:
    """What the answers to messages of one kind have in common: their elements, ascending, with the values
    that are the same in all of them and empty where they are not; the elements that are `repeated`; what
    makes others; and the parts that those get that have something already. `approves` says whether there is
    an approval code."""

    fields: dict[int, str]
    repeated: tuple[int, ...]
    made: tuple[tuple[int, Callable[[Said], str]], ...]
    completed: tuple[tuple[int, dict[str, str]], ...]
    approves: bool


@lru_cache(maxsize=512)
def outlines(
    network: str | None, version: str, mti: str, present: tuple[int, ...], code: str, partial: bool
) -> _Asked[Outline]:
    """The outlines of answers with DE 39 *code* to messages of a kind; *partial*: of less than was asked
    for."""
    known = lookup("response_code", code, version=version)
    kind = known.kind if known else ""
    words = frozenset((*_words(mti), kind, *(["partial"] if partial else [])))
    approves = mti[1] in _DECIDED and kind == "approved"
    repeated = tuple(number for number in _echoed(version) if number in present)

    def outline(rows: list[Recipe]) -> Outline:
        begun = {*repeated, _DECISION, *([38] if approves else []), *([4] if partial else [])}
        fields, made, completed = dict.fromkeys(begun, ""), [], []
        for number, parts in parts_of(rows).items():
            if number == _DECISION:
                continue
            if number in begun:
                completed.append((number, parts))
            elif any(map(placeholders, parts.values())):
                fields[number] = ""
                made.append((number, filler(number, parts, version, network)))
            else:
                fields[number] = filled(number, "", parts, Values({}, str), version, network)
        fields[_DECISION] = code
        return Outline(dict(sorted(fields.items())), repeated, tuple(made), tuple(completed), approves)

    return _Asked(tuple(_rows(network, version, words, present, code)), outline)


@cache
def _echoed(version: str) -> tuple[int, ...]:
    return tuple(read_toml("templates")["echoed"][version])
