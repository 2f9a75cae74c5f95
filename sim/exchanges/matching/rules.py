"""Which elements link messages: the rows of `spec/data/matching.csv`.

A row of link `answer` says what a response has in common with its request, one of link `original` what a
reversal or a completion has in common with the request that it reverses or continues, one of link `approved`
what it has in common with the response to that; rows are tried in file order.
Values are compared without leading zeros. All zeros are no value: the original or the reference is unknown.
Only elements that a response must repeat may be zeros: STAN 000000 comes back as 000000.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from sim.codec import Message
from sim.elements.card import account
from sim.elements.mti import response_mti
from sim.spec import VERSIONS
from sim.spec.layouts import layouts
from sim.spec.tables import read_csv

Link = Literal["answer", "original", "approved"]
REFERENCES: tuple[Link, ...] = ("original", "approved")  # of a later transaction to an earlier one

# The roles of a message type. A notification expects no response, but may get an acknowledgement.
NONE, ASK, REPEAT, ANSWER, ACKNOWLEDGEMENT = range(5)
_MTI, _CARD, _ZERO = 0, 2, "0"
_KEPT_OF_MTI = 3  # digits compared: the original of a reversal may be a repeat, so the fourth is ignored
# The function digit that a response answers; 8 and 9 acknowledge a response.
_ANSWERED = {"1": "0", "3": "2", "5": "4", "7": "6", "8": "0", "9": "0"}
_REPEATS, _ACKNOWLEDGES = "135", "89"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a value: an element, or its characters from `start` to `end`, counted from the first
    `mark` in it, if any. `zeros`: all zeros are a value. A `text` is the same for every message. DE 2 stands
    for the card number, which may be in a track."""

    number: int
    start: int = 0
    end: int | None = None
    zeros: bool = False
    mark: str = ""
    text: str = ""

    def of(self, message: Message) -> str:
        """The value in *message*, without leading zeros; empty if there is none."""
        if self.text:
            return self.text
        value = message.mti[:_KEPT_OF_MTI] if self.number == _MTI else message.get(self.number) or ""
        if self.number == _CARD and not value:
            value = account(message)[1]
        if self.mark:
            value = value.partition(self.mark)[2]
        value = value[self.start : self.end]
        return plain(value) or (_ZERO if self.zeros and value else "")


@dataclass(frozen=True, slots=True)
class Tie:
    """The place of a value in the earlier message and its place in the later one."""

    earlier: Place
    later: Place


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to find the earlier message. `ties` must be present in both messages and equal, `agree` equal
    if present in both; `named` are the places of the ties in the earlier message, without texts. `classes`
    are those of the later message, `of` those of the earlier one (second digits of MTIs; empty: any).
    `network` is that of the earlier message (empty: any)."""

    link: Link
    version: str
    network: str
    classes: str
    of: str
    named: str
    ties: tuple[Tie, ...]
    agree: tuple[Tie, ...]
    source: str

    @property
    def label(self) -> str:
        """The elements of the later message, for people: `DE 7, 11`."""
        numbers = sorted({tie.later.number for tie in self.ties} - {_MTI})
        return f"DE {', '.join(map(str, numbers))}"

    def key(self, message: Message, *, later: bool) -> str:
        """The key by which *message* is found or, as the *later* one, finds; empty if it lacks a value."""
        key = [message.version, self.named]
        for tie in self.ties:
            value = (tie.later if later else tie.earlier).of(message)
            if not value or tie.earlier.text not in ("", value):
                return ""
            key += () if tie.earlier.text else (value,)
        return "\n".join(key)

    def agrees(self, earlier: Message, later: Message) -> bool:
        """Whether nothing in `agree` that both messages have differs."""
        sides = ((tie.earlier.of(earlier), tie.later.of(later)) for tie in self.agree)
        return all(not first or not then or first == then for first, then in sides)

    def seeks(self, kind: str) -> bool:
        """Whether this rule finds an earlier message for one of this class, the second digit of its MTI."""
        return not self.classes or kind in self.classes

    def found(self, kind: str, network: str) -> bool:
        """Whether a message of this class and network (empty: unknown) may be the earlier one."""
        return (not self.of or kind in self.of) and (not self.network or network in ("", self.network))


def plain(value: str) -> str:
    """*value* in the form that is compared.

    >>> plain("000421"), plain("000000")
    ('421', '')
    """
    return value.lstrip("0")


@cache
def rules(version: str, link: Link) -> tuple[Rule, ...]:
    """The rules of *link* for messages of *version*, in the order they are tried in."""
    return tuple(
        Rule(
            link,
            version,
            row["network"],
            row["classes"].replace("|", ""),
            row["of"].replace("|", ""),
            " ".join(text.partition("=")[0] for text in row["elements"].split() if text[0] != "'"),
            tuple(_tie(version, text, zeros=link == "answer") for text in row["elements"].split()),
            tuple(_tie(version, text) for text in row["agree"].split()),
            row["source"],
        )
        for row in read_csv("matching")
        if row["link"] == link and version in (row["versions"].split("|") if row["versions"] else VERSIONS)
    )


@cache
def seeking(version: str, kind: str) -> tuple[Rule, ...]:
    """The rules by which a message of this class may find an earlier one that it refers to."""
    return tuple(rule for link in REFERENCES for rule in rules(version, link) if rule.seeks(kind))


@cache
def finding(version: str, link: Link, kind: str, network: str) -> tuple[Rule, ...]:
    """The rules of *link* by which a message of this class and network may be found, one of each that seek
    the same."""
    found = (rule for rule in rules(version, link) if rule.found(kind, network))
    return tuple({rule.named: rule for rule in found}.values())


def _tie(version: str, text: str, *, zeros: bool = False) -> Tie:
    left, _, other = text.partition("=")
    earlier = _slice(left) or Place(int(left), zeros=zeros)
    if not other:
        return Tie(earlier, earlier)
    whole = Place(int(other)) if other.isdecimal() else None
    return Tie(earlier, whole or _slice(other) or _part(version, other, earlier.number))


_SLICE = re.compile(r"([0-9]+)(?:/([0-9]+))?\[([0-9]+):([0-9]+)\]")


def _slice(text: str) -> Place | None:
    """The characters `62[16:31]` of an element, counted from 0, `48/6315[0:9]` counted from 6315 in it, or a
    value in quotes; None for any other notation."""
    if text.startswith("'"):
        return Place(_MTI, text=text.strip("'"))
    match = _SLICE.fullmatch(text)
    return Place(int(match[1]), int(match[3]), int(match[4]), mark=match[2] or "") if match else None


def _part(version: str, text: str, earlier: int) -> Place:
    """The subfield `90.2`; subfields have fixed widths, but the last may be shorter."""
    number, _, key = text.partition(".")
    start = 0
    for cell in layouts(version, int(number))[0].cell.cells:
        if cell.key == key:
            size = _KEPT_OF_MTI if earlier == _MTI else cell.most
            return Place(int(number), start, start + size)
        start += cell.most
    raise KeyError(text)


@cache
def role(mti: str) -> int:
    """The role of a message of this type in an exchange.

    >>> role("0100") == ASK, role("0401") == REPEAT, role("0130") == ANSWER, role("0180") == ACKNOWLEDGEMENT
    (True, True, True, True)
    """
    function, origin = mti[2:3], mti[3:4]
    if function in _ACKNOWLEDGES:
        return ACKNOWLEDGEMENT
    if function in _ANSWERED:
        return ANSWER
    return REPEAT if origin in _REPEATS else ASK


@cache
def kind(mti: str) -> str:
    """The part of the MTI that request and response share: version, class, and the request's function.

    >>> kind("0100"), kind("0110"), kind("0430")
    ('010', '010', '042')
    """
    function = mti[2:3]
    return mti[:2] + _ANSWERED.get(function, function)


@cache
def awaits(mti: str) -> bool:
    """Whether a message of this type expects a response; a notification does not."""
    return response_mti(mti) is not None
