"""How messages are looked at of which many alike came: all in one go, and texts without a message being made.

For a head (MTI and bitmap) that has come often one function is generated. It sees in a text, or in a
message, what `Kind.look` sees in the message, and nothing else; it answers None where a text does not fit
its bitmap or a value is not surely fine, and then the message is read, and looked at element by element. The
source is kept as `look.source`, to be read: nothing but numbers of elements and rules, places and widths
enters it.

Elements of fixed width that stand together are one piece, each other element is one of its own. One regular
expression looks at all pieces, joined by NUL, which none has that fits, and gives the values that are part
of the key or that a rule needs. Where some rule is always asked, a message is made after all, and given.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from functools import partial
from typing import Any, Protocol

from sim.codec import Message, parse
from sim.codec.plan import compiled
from sim.codec.sizes import sizes
from sim.elements.money import composite
from sim.judge.engine import Rule
from sim.judge.fine import fine_pattern
from sim.judge.kind import AMOUNT, CHIP, IIN_DIGITS, PAN, Key, Kind, announced, card_facts, lasting
from sim.kept import Earned
from sim.spec import VERSIONS, ElementSpec, spec
from sim.spec.luhn import luhn_ok

# What is seen, and the message, where there is one.
Seen = tuple[Key, Message | None]


class Look(Protocol):
    """What looks at a text, or at a *message* instead."""

    source: str

    def __call__(self, raw: str, message: Message | None = None) -> Seen | None: ...


CACHE_SIZE = 512
# Making a look costs as much as about so many without it.
EARNED = 100


def look_for(text: str, version: str) -> Look | None:
    """What looks at texts that begin as *text* does; None where too few of them came."""
    known = LOOKS[version].young
    try:
        # No 16 digits that announce a secondary bitmap are ever a key.
        return known.get(text[:20]) or known.get(text[:36])
    except TypeError:  # who reads it says that it is no text
        return None


def see(kind: Kind, message: Message) -> Key:
    """What *kind*, a lasting one, sees of *message*, which is well framed: in one go, once that is earned."""
    looks, head = LOOKS[kind.version], kind.head
    if (look := looks.young.get(head)) is not None:
        seen = look("", message)
        return kind.look(message) if seen is None else seen[0]
    if head:
        looks.came(head)
    return kind.look(message)


class _Cut:
    """How texts of *kind* and the values of messages become the same pieces. `pattern` is what those fit,
    joined, that are surely fine; `groups`, elements of fixed width that are *needed*, are its groups."""

    def __init__(self, kind: Kind, needed: Container[int], names: dict[str, Any]) -> None:
        self._kind, self._needed, self._names = kind, needed, names
        self._lines: list[str] = []
        self._of_text: list[str] = []
        self._of_values: list[str] = []
        self._patterns: list[str] = []
        self.groups: list[int] = []
        # Elements of fixed width since the last other one, from whose end places count.
        self._run: list[int] = []
        self._since, self._begun, self._at = "", len(kind.head), len(kind.head)
        for number in kind.numbers:
            element = spec(kind.version)[number]
            if element.fixed:
                self._run.append(number)
                self._at += element.width
            else:
                self._end_run()
                self._varying(element)
        self._end_run()

    @property
    def pattern(self) -> str:
        """What the pieces fit that are surely fine."""
        return "\0".join(self._patterns)

    def lines(self) -> list[str]:
        """The pieces of a text or message."""
        values = [f"v{number}" for number in self._kind.numbers]
        of_text = [*self._lines, f"if len(raw) != {self._place(self._at)}:", "    return None"]
        of_text.append(f"pieces = {_tuple(self._of_text)}")
        of_values = [f"{_tuple(values)} = message.fields.values()"] if values else []
        of_values.append(f"pieces = {_tuple(self._of_values)}")
        return ["if message is None:", *_inside(of_text), "else:", *_inside(of_values)]

    def _place(self, at: int) -> str:
        """*at* characters behind the last element of varying width."""
        return " + ".join([self._since] * bool(self._since) + [str(at)] * bool(at))

    def _end_run(self) -> None:
        """Elements of fixed width up to here are a piece."""
        if self._run:
            values = [f"v{number}" for number in self._run]
            self._of_text.append(f"raw[{self._place(self._begun)}:{self._place(self._at)}]")
            self._of_values.append(f"''.join({_tuple(values)})")
            self._patterns.append("".join(map(self._pattern, self._run)))
            self.groups += [number for number in self._run if number in self._needed]
            self._run = []

    def _pattern(self, number: int) -> str:
        code, width = number in self._kind.codes, spec(self._kind.version)[number].width
        pattern = f"[^\0]{{{width}}}" if code else fine_pattern(self._kind.version, number)
        return f"({pattern})" if number in self._needed else f"(?:{pattern})"

    def _varying(self, element: ElementSpec) -> None:
        table, value, end = f"L{element.prefix}_{element.width}", f"v{element.number}", f"e{element.number}"
        self._names[table] = sizes("ascii", element.prefix, element.width)
        at, start = self._place(self._at), self._place(self._at + element.prefix)
        self._lines += [f"n = {table}(raw[{at}:{start}])", "if n is None:", "    return None"]
        self._lines += [f"{end} = {start} + n", f"{value} = raw[{start}:{end}]"]
        if element.number != CHIP:  # at which another looks
            self._of_text.append(value)
            self._of_values.append(value)
            self._patterns.append(f"(?:{fine_pattern(self._kind.version, element.number)})")
        self._since, self._begun, self._at = end, 0, 0


class _Source:
    """The source of the look at messages of *kind*, and the `names` it uses."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self.names: dict[str, Any] = {"kind": kind, "luhn_ok": luhn_ok, "card_facts": card_facts}
        self.names |= {"look_at_chip": kind.look_at_chip, "disagreeing": kind.disagreeing}
        self.names |= {"read": partial(parse, version=kind.version)}
        self.names |= {"made": lambda fields: Message(kind.mti, fields, kind.version, kind.secondary)}
        # Where chip data are plain, what asks for no more has its answer.
        self._inquiries = [one for one in kind.inquiries if not (one.of_tags and one.number == CHIP)]
        self._needed: set[int] = set()
        # Whether anything is always asked: then a message is made, of all values.
        self._asks = bool(
            kind.compared
            or (kind.has_card and PAN not in kind.numbers)
            or not all(one.usual for one in self._inquiries)
            or not all(map(self._differs, kind.always))
        )
        self._message = "message" if self._asks else "message or read(raw)"
        if self._asks:
            self._needed.update(kind.numbers)

    def lines(self) -> list[str]:
        """All of it."""
        key, said = self._key(), self._said()  # first, since they say what is needed
        ends = ["wrong = said = ()", *said, f"return ({', '.join(key)}, wrong, said), message"]
        return ["def look(raw, message=None):", *_inside([*self._cut(), *ends])]

    def _value(self, number: int) -> str:
        """The name of a value that is needed."""
        self._needed.add(number)
        return f"v{number}"

    def _cut(self) -> list[str]:
        """What gives the values, where all are surely fine, and the message."""
        cut = _Cut(self._kind, self._needed, self.names)
        self.names["fine"] = re.compile(cut.pattern).fullmatch
        lines = [*cut.lines(), "found = fine('\\0'.join(pieces))", "if found is None:", "    return None"]
        values = [f"{_tuple([f'v{number}' for number in cut.groups])} = found.groups()"] * bool(cut.groups)
        if self._asks:
            fields = ", ".join(f"{number}: v{number}" for number in self._kind.numbers)
            values.append(f"message = made({{{fields}}})")
        if values:
            lines += ["if message is None:", *_inside(values)]
        if self._kind.has_chip:
            lines += [f"chip = look_at_chip(v{CHIP})", "if chip is None:", "    return None"]
        return lines

    def _key(self) -> list[str]:
        """What stands in front of answers in a key: codes, lengths, the amount, the card, chip data."""
        kind, value = self._kind, self._value
        seen = ["kind", *map(value, kind.codes), *(f"len({value(number)})" for number in kind.sized)]
        if kind.has_amount:
            inside = composite(kind.version, AMOUNT)
            digits = f"[{inside[1].start}:{inside[1].stop}]" if inside else ""
            seen.append(f"not {value(AMOUNT)}{digits}.strip('0')")
        if kind.has_card:
            facts = f"card_facts({self._message})"
            if PAN in kind.numbers:  # which is digits, where it is fine
                pan = value(PAN)
                facts = f"({PAN}, {pan}[:{IIN_DIGITS}], len({pan}), luhn_ok({pan})) if {pan} else {facts}"
            seen.append(f"({facts})")
        return [*seen, "chip"] if kind.has_chip else seen

    def _said(self) -> list[str]:
        """What asks the formats and rules that say something of values which are no part of the key."""
        lines, message = [], self._message
        for one in self._inquiries:
            self.names |= {f"q{one.number}": one.ask, f"p{one.number}": one.usual}
            value = self._value(one.number)
            usual = f"if not p{one.number}({value}): " if one.usual else ""
            lines.append(f"{usual}wrong += q{one.number}({message}, {value})")
        for item in self._kind.always:
            self.names[f"c{item.place}"] = item.check
            ask = f"for hit in c{item.place}({message}): said += (({item.place}, hit),)"
            differs = self._differs(item)
            lines += [f"if {differs}:", *_inside([ask])] if differs else [ask]
        if self._kind.compared:
            lines.append("for item in disagreeing(chip, message.fields):")
            lines.append("    said += tuple([(item.place, hit) for hit in item.check(message)])")
        return lines

    def _differs(self, item: Rule) -> str:
        """Whether the parts that a rule compares differ, else it is spared; empty where it has none."""
        numbers = self._kind.numbers
        if item.equal is None or item.equal.first not in numbers or item.equal.second not in numbers:
            return ""
        first, second, *parts = item.equal
        one, other = (f"[{part.start or 0}:{'' if part.stop is None else part.stop}]" for part in parts)
        return f"{self._value(first)}{one} != {self._value(second)}{other}"


def _tuple(names: Sequence[str]) -> str:
    return f"({', '.join(names)},)" if names else "()"


def _inside(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _made(version: str, head: str) -> Look:
    source = _Source(lasting((version, head[:4], *announced(head))))
    made: Look = compiled("look", source.lines(), source.names)
    return made


# Version -> MTI and bitmap as they stand in the text, in upper case -> what looks at such texts.
LOOKS = {version: Earned(partial(_made, version), CACHE_SIZE, EARNED) for version in VERSIONS}
