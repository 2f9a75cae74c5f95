"""How answers are made, by the rows of recipes: found out once for answers that are alike.

Alike are those to messages with the same elements, of one network, for which the same rows hold: which
elements are repeated, which are the same in every answer, and which have to be worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from sim.codec import Message
from sim.kept import Kept
from sim.operations.filling import Said, Text, Values, filled, filler, holds, parts_of
from sim.operations.recipes import approved
from sim.operations.values import placeholders
from sim.parts import chip_data
from sim.parts.layout import Part, fits, fitting, standing
from sim.spec import Spec, lookup
from sim.spec.recipes import Recipe, Test, answers
from sim.spec.tables import read_toml

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
_OUTLINES = 512  # of a network and version


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
        return _read(own if own.dialect else own.version, number, value, self.network)


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


class _Row(NamedTuple):
    recipe: Recipe
    facts: tuple[int, ...]
    others: tuple[Test, ...]


class Answers:
    """The rows for answers of a network and version, and the outlines of those that were made last."""

    def __init__(self, network: str | None, version: str) -> None:
        self.network, self.version = network, version
        rows = answers(network, version)
        asked = (test for row in rows for test in row.tests if test.path not in ("", str(_DECISION)))
        self._tests = tuple(dict.fromkeys(asked))
        at = {test: at for at, test in enumerate(self._tests)}
        # Each row with the places of what it asks of the message, and what it asks of words and the code.
        self._rows = tuple(
            _Row(
                row,
                tuple(at[test] for test in row.tests if test in at),
                tuple(test for test in row.tests if test not in at),
            )
            for row in rows
        )
        self._deciding = tuple(row for row in self._rows if _DECISION in parts_of([row.recipe]))
        self._outlines: Kept[tuple[object, ...], Outline] = Kept(_OUTLINES)

    def facts(self, inside: Inside) -> tuple[bool, ...]:
        """Which conditions on the message hold."""
        return tuple([holds(test, _NO_WORDS, inside.__getitem__) for test in self._tests])

    def code(self, mti: str, facts: tuple[bool, ...]) -> str:
        """DE 39 of an issuer that says yes, to a message with *mti*: by the rows that say it otherwise."""
        rows = self._holding(self._deciding, frozenset((*_words(mti), "approved")), "", facts)
        return parts_of(rows).get(_DECISION, {}).get("") or approved(self.version, *mti[1:3])

    def outline(self, request: Message, code: str, partial: bool, facts: tuple[bool, ...]) -> Outline:
        """The outline of the answer to *request* with DE 39 *code*; *partial*: of less than was asked for."""
        key = (request.mti, tuple(request.fields), code, partial, facts)
        found = self._outlines.get(key)
        if found is None:
            found = self._outlines.keep(key, self._outlined(request, code, partial, facts))
        return found

    def _holding(
        self, rows: Iterable[_Row], words: frozenset[str], code: str, facts: tuple[bool, ...]
    ) -> list[Recipe]:
        return [
            row.recipe
            for row in rows
            if all(map(facts.__getitem__, row.facts))
            and all(holds(test, words, lambda path: code) for test in row.others)
        ]

    def _outlined(self, request: Message, code: str, partial: bool, facts: tuple[bool, ...]) -> Outline:
        mti, version, network = request.mti, self.version, self.network
        listed = lookup("response_code", code, version=version)
        kind = listed.kind if listed else ""
        words = frozenset((*_words(mti), kind, *(["partial"] if partial else [])))
        approves = mti[1] in _DECIDED and kind == "approved"
        echoed = read_toml("templates")["echoed"][version]
        repeated = tuple(number for number in echoed if number in request.fields)
        begun = {*repeated, _DECISION, *([38] if approves else []), *([4] if partial else [])}
        fields, made, completed = dict.fromkeys(begun, ""), [], []
        for number, parts in parts_of(self._holding(self._rows, words, code, facts)).items():
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


@cache
def answers_of(network: str | None, version: str) -> Answers:
    """The answers of a network, None that of none, and a version."""
    return Answers(network, version)


_NO_WORDS: frozenset[str] = frozenset()


def _words(mti: str) -> tuple[str, str]:
    return _CLASSES.get(mti[1], ""), "advice" if mti[2] == _ADVICE else "request"
