"""What the parts of an element mean, in words: the anatomy unfolds them, explain tells them.

One small function per kind of code that a layout row may name. Nothing is said of a part with card data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from sim.codec import Message
from sim.elements import dates, money, mti
from sim.elements.emv import set_bits
from sim.masking import cover_parts, cover_value, is_sensitive, mask, mask_pan, mask_words
from sim.parts.layout import Part, code_of, fitting, read, tried
from sim.spec import lookup, region
from sim.spec.codes import say_country, say_merchant
from sim.spec.layouts import FOREIGN, Cell, tag_layouts

NOT_LISTED = "not in the list"
NO_FLAG = "no known bit set"
_LONGEST = 240
# Parts of these stand where they stand; those of the others are found by a tag or a bit.
_PLACED = ("places", "groups", "split")


class Told(NamedTuple):
    """One part for a reader: `label` is where it stands, or its tag; `meaning` is empty where the value
    speaks for itself, `shown` the value as it may be shown; `depth` is 0 at the top."""

    part: Part
    label: str
    name: str
    meaning: str
    shown: str
    depth: int


class _Around(NamedTuple):
    """What the meaning of a part may depend on: the message, the network, the parts beside it."""

    message: Message
    network: str | None
    siblings: tuple[Part, ...]

    def value(self, key: str) -> str:
        """The value of the part beside with that key, or of an element: `DE49`."""
        if key.startswith("DE"):
            return self.message.get(int(key[2:]))
        return next((part.value for part in self.siblings if part.key == key), "")


def unfold(message: Message, number: int, network: str | None = None) -> list[Told]:
    """The parts of an element that has a known inside, each before its own: those that can be read where the
    only layout does not fit, none where several are known and none fits.

    >>> [(told.label, told.meaning) for told in unfold(Message("0100", {3: "002000"}), 3)]
    [('1-2', 'goods and services'), ('3-4', 'cheque'), ('5-6', 'default')]
    """
    value = message.get(number)
    found = fitting(message.spec, number, value, network)
    if found is None:
        known = tried(message.spec, number, network)
        if len(known) != 1:
            return []
        found = read(known[0], value)
    covered = cover_value(number, value, message.version, message.get(2))
    if not covered.strip("*"):  # nothing is left to tell: what hides it here are its parts
        covered = mask_words(cover_parts(message.version, number, value))
    for part, _ in found.walk():
        if part.sensitive:
            hidden = mask_pan(part.value) if part.sensitive == "pan" else "*" * len(part.value)
            covered = covered[: part.start] + hidden + covered[part.end :]
    parts = found.parts if covered == value else _unsaid(found.parts, covered)
    return list(_tell(found.layout.cell, parts, covered, message, network, 0))


def _unsaid(parts: tuple[Part, ...], covered: str) -> tuple[Part, ...]:
    """*parts*, those in which something is hidden as such that hold card data: nothing is told of them."""
    made = []
    for one in parts:
        inside = _unsaid(one.children, covered)
        hidden = not inside and covered[one.start : one.end] != one.value and not one.sensitive
        cell = replace(one.cell, sensitive="hidden") if hidden else one.cell
        made.append(one._replace(cell=cell, children=inside))
    return tuple(made)


def _tell(
    cell: Cell, parts: tuple[Part, ...], covered: str, message: Message, network: str | None, depth: int
) -> Iterator[Told]:
    around = _Around(message, network, parts)
    placed = cell.cut in _PLACED and all(part.key.isdecimal() for part in parts)
    for part in parts:
        label = _place(part) if placed else part.key
        shown = covered[part.start : part.end]
        yield Told(part, label, part.name, _meaning(part, around), shown, depth)
        yield from _tell(part.cell, part.children, covered, message, network, depth + 1)


def _place(part: Part) -> str:
    """Where a part stands, from 1; a group by its number."""
    if part.children:
        return part.key
    first = part.start + 1
    return str(first) if part.end <= first else f"{first}-{part.end}"


def _meaning(part: Part, around: _Around) -> str:
    return "" if part.sensitive else meaning(part, around)


def meaning(part: Part, around: _Around) -> str:
    """What the value of one part says, by the kind of its codes; empty where it says nothing more."""
    kind = part.cell.codes
    if not kind:
        inside = _Around(around.message, around.network, part.children)
        told_by_amounts = {child.cell.argument for child in part.children if child.cell.codes == "amount"}
        said = (_meaning(child, inside) for child in part.children if child.key not in told_by_amounts)
        return ", ".join(filter(None, said))
    teller = _TELLERS.get(kind)
    return teller(part, around) if teller else _code(part, around)


def _code(part: Part, around: _Around) -> str:
    found = code_of(part.cell, part.value, around.message.version, around.network or "")
    # A network's public codes are never all that it has.
    unknown = "" if part.cell.codes == "sub_field" else NOT_LISTED
    return found.meaning if found else unknown


def _country(part: Part, around: _Around) -> str:
    code = part.value.strip()
    # In chip data a code of three digits stands in two bytes.
    return say_country(code[1:] if part.cell.content == "b" and code[:1] == "0" else code)


def _currency(part: Part, around: _Around) -> str:
    if not part.value.strip("0"):
        return ""  # zeros stand for no amount
    return money.say_currency(part.value)


def _amount(part: Part, around: _Around) -> str:
    digits, code = part.value, around.value(part.cell.argument)
    if not digits[-1:].isdecimal() or not (digits + code).strip("0"):
        return ""  # zeros without a currency stand for no amount
    if part.cell.content == "x+n":
        return money.say_signed(digits, code)
    return money.say_amount(digits, code)


def flags(value: str) -> list[int]:
    """The bits set in *value* (hex), bit 1 the most significant; none where it is not whole bytes in hex.

    >>> flags("8001")
    [1, 16]
    """
    if len(value) % 2 or FOREIGN["b"].search(value):
        return []
    return [8 * byte - bit + 1 for byte, bit in set_bits(value)]


def _flags(part: Part, around: _Around) -> str:
    name, _, position = part.cell.argument.partition(" ")
    version = around.message.version
    known = (lookup(name, str(bit), version=version, position=position) for bit in flags(part.value))
    return ", ".join(code.meaning for code in known if code) or NO_FLAG


def _bits(part: Part, around: _Around) -> str:
    """The bits that are set, by byte from 1 and bit 8 to 1."""
    places = set_bits(part.value) if len(part.value) % 2 == 0 else []
    known = (part.cell.values.get(f"{byte}.{bit}") for byte, bit in places)
    return "; ".join(code.meaning for code in known if code) or NO_FLAG


def _ebcdic(part: Part, around: _Around) -> str:
    text = bytes.fromhex(part.value).decode("cp037") if len(part.value) % 2 == 0 else ""
    return mask(0, text) if text.isprintable() else ""


def _silent(part: Part, around: _Around) -> str:
    return ""


_TELLERS: dict[str, Callable[[Part, _Around], str]] = {
    "amount": _amount,
    "bits": _bits,
    "blank": _silent,
    "country": _country,
    "currency": _currency,
    "date": lambda part, around: dates.told(part.cell.argument, part.value),
    "digits": _silent,
    "ebcdic": _ebcdic,
    "flags": _flags,
    "id": lambda part, around: part.value.lstrip("0"),
    "is": _silent,
    "mcc": lambda part, around: say_merchant(part.value),
    "minor_unit": _silent,
    "mti": lambda part, around: mti.split(part.value).name,
    "region": lambda part, around: region(part.value),
    "text": _silent,
}


def inside_tag(tag: str, value: str, network: str | None) -> list[Told]:
    """The parts of a chip data tag's value (hex), where *network* is known to put some into it.

    >>> [told.meaning for told in inside_tag("9F10", "06010A03A00000", "VISA")][2]
    'version 10'
    """
    for one in tag_layouts(tag, network or ""):
        found = read(one, value)
        if found.fits:
            return list(_tell(one.cell, found.parts, value, Message("", {}), network, 0))
    return []


def first_amount(message: Message, number: int) -> str:
    """The amount that an element of several begins with, in words; empty where there is none to read.

    >>> first_amount(Message("0400", {49: "840", 95: "000000000500" + "0" * 30}), 95)
    '5.00 USD'
    """
    told = unfold(message, number) if number in message else []
    return next((one.meaning for one in told if one.part.cell.codes == "amount"), "")


def say(message: Message, number: int, network: str | None = None) -> str:
    """An element in one line, part by part: what it means, else how it reads; cut off where it grows long.

    >>> say(Message("1100", {57: "107"}, "1993"), 57)
    'unit of time: days; how many: 07'
    """
    if not tried(message.spec, number, network) or is_sensitive(number, message.version):
        return ""
    leaves = [told for told in unfold(message, number, network) if not told.part.children]
    texts = [f"{told.name}: {told.meaning or told.shown.strip()}" for told in leaves if told.shown.strip()]
    line = "; ".join(texts)
    while len(line) > _LONGEST and len(texts) > 1:
        texts.pop()
        line = f"{'; '.join(texts)}; and {len(leaves) - len(texts)} more"
    return line
