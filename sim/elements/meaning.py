"""The meaning of each data element of a message, in words, and of its subfields: the `meaning` column, the
subfields in the anatomy, and the explanation.

There is one small function for each kind of element in `data/meanings.csv`, and one for each kind of code
that a layout row may name. Other elements are described by their subfields; card data is never described.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from sim.codec import Message
from sim.elements import dates, emv, money, mti, pos
from sim.errors import counted
from sim.masking import (
    cover_parts,
    cover_value,
    is_data_sets,
    is_sensitive,
    mask,
    mask_pan,
    mask_words,
    tells_itself,
)
from sim.parts.layout import Part, code_of, fitting, flags, read, set_bits, tried
from sim.spec import lookup, region, role, spec
from sim.spec.codes import say_country, say_merchant
from sim.spec.layouts import Cell, tag_layouts
from sim.spec.networks import answer, detect, luhn_ok
from sim.spec.tables import read_csv

NOT_LISTED = "not in the list"
_UNKNOWN = {"pos_entry_mode": "unknown entry mode", "pin_entry_capability": "unknown PIN capability"}
NO_FLAG = "no known bit set"
_LONGEST = 240
# In these layouts subfields have fixed positions; in the others they are found by a tag or a bit.
_PLACED = ("places", "groups", "split")


class Told(NamedTuple):
    """One subfield for display: `label` is its position or tag; `meaning` is empty if the value is
    self-explanatory; `shown` is the masked value; `depth` is 0 at the top."""

    part: Part
    label: str
    name: str
    meaning: str
    shown: str
    depth: int


class _Around(NamedTuple):
    """What the meaning of a subfield may depend on: the message, the network, the other subfields."""

    message: Message
    network: str | None
    siblings: tuple[Part, ...]

    def value(self, key: str) -> str:
        """The value of the sibling with this key, or of an element: `DE49`."""
        if key.startswith("DE"):
            return self.message.get(int(key[2:]))
        return next((part.value for part in self.siblings if part.key == key), "")


def unfold(message: Message, number: int, network: str | None = None) -> list[Told]:
    """The subfields of an element with a known layout, each before its own subfields. If the only layout does
    not fit, those that can be read; if several are known and none fits, none.

    >>> [(told.label, told.meaning) for told in unfold(Message("0100", {3: "002000"}), 3)]
    [('1-2', 'goods and services'), ('3-4', 'checking'), ('5-6', 'default')]
    """
    value = message.get(number)
    reading = fitting(message.spec, number, value, network)
    if reading is None:
        layouts = tried(message.spec, number, network)
        if len(layouts) != 1:
            return []
        reading = read(layouts[0], value)
    covered = cover_value(number, value, message.version, message.get(2))
    if not covered.strip("*"):  # entirely masked: mask its subfields instead
        covered = mask_words(cover_parts(message.version, number, value))
    for part, _ in reading.walk():
        if part.sensitive:
            hidden = mask_pan(part.value) if part.sensitive == "pan" else "*" * len(part.value)
            covered = covered[: part.start] + hidden + covered[part.end :]
    parts = reading.parts if covered == value else _unsaid(reading.parts, covered)
    return list(_tell(reading.layout.cell, parts, covered, message, network, 0))


def _unsaid(parts: tuple[Part, ...], covered: str) -> tuple[Part, ...]:
    """*parts*; those that are partly masked are marked as card data, so that they get no meaning."""
    new_parts = []
    for part in parts:
        inside = _unsaid(part.children, covered)
        hidden = not inside and covered[part.start : part.end] != part.value and not part.sensitive
        cell = replace(part.cell, sensitive="hidden") if hidden else part.cell
        new_parts.append(part._replace(cell=cell, children=inside))
    return tuple(new_parts)


def _tell(
    cell: Cell, parts: tuple[Part, ...], covered: str, message: Message, network: str | None, depth: int
) -> Iterator[Told]:
    around = _Around(message, network, parts)
    placed = cell.cut in _PLACED and all(part.key.isdecimal() for part in parts)
    for part in parts:
        label = _place(part) if placed else part.key
        text = covered[part.start : part.end]
        yield Told(part, label, part.name, _meaning_of(part, around), text, depth)
        yield from _tell(part.cell, part.children, covered, message, network, depth + 1)


def _place(part: Part) -> str:
    """The position of a subfield, from 1; a group has its number."""
    if part.children:
        return part.key
    first = part.start + 1
    return str(first) if part.end <= first else f"{first}-{part.end}"


def _meaning_of(part: Part, around: _Around) -> str:
    """The meaning of a subfield's value, by the kind of its codes; empty for card data."""
    if part.sensitive:
        return ""
    kind = part.cell.codes
    if not kind:
        inside = _Around(around.message, around.network, part.children)
        currencies = {child.cell.argument for child in part.children if child.cell.codes == "amount"}
        meanings = (_meaning_of(child, inside) for child in part.children if child.key not in currencies)
        return ", ".join(filter(None, meanings))
    if teller := _TELLERS.get(kind):
        return teller(part, around)
    code = code_of(part.cell, part.value, around.message.version, around.network or "")
    # The public codes of a network are never complete.
    return code.meaning if code else "" if kind == "sub_field" else NOT_LISTED


def _country_of_part(part: Part, around: _Around) -> str:
    code = part.value.strip()
    # In chip data a three-digit code takes two bytes.
    return say_country(code[1:] if part.cell.content == "b" and code[:1] == "0" else code)


def _currency(part: Part, around: _Around) -> str:
    if not part.value.strip("0"):
        return ""  # zeros mean no amount
    return money.say_currency(part.value)


def _amount_of_part(part: Part, around: _Around) -> str:
    digits, code = part.value, around.value(part.cell.argument)
    if not digits[-1:].isdecimal() or not (digits + code).strip("0"):
        return ""  # zeros without a currency mean no amount
    if part.cell.content == "x+n":
        return money.say_signed(digits, code)
    return money.say_amount(digits, code)


def _flags(part: Part, around: _Around) -> str:
    name, _, position = part.cell.argument.partition(" ")
    version = around.message.version
    codes = (lookup(name, str(bit), version=version, position=position) for bit in flags(part.value))
    return ", ".join(code.meaning for code in codes if code) or NO_FLAG


def _bits(part: Part, around: _Around) -> str:
    """The meanings of the bits set, by byte (from 1) and bit (8 to 1)."""
    places = set_bits(part.value) if len(part.value) % 2 == 0 else []
    codes = (part.cell.values.get(f"{byte}.{bit}") for byte, bit in places)
    return "; ".join(code.meaning for code in codes if code) or NO_FLAG


def _ebcdic(part: Part, around: _Around) -> str:
    text = bytes.fromhex(part.value).decode("cp037") if len(part.value) % 2 == 0 else ""
    return mask(0, text) if text.isprintable() else ""


_TELLERS: dict[str, Callable[[Part, _Around], str]] = {
    "amount": _amount_of_part,
    "bits": _bits,
    "country": _country_of_part,
    "currency": _currency,
    "date": lambda part, around: dates.readable_date(part.cell.argument, part.value),
    "ebcdic": _ebcdic,
    "flags": _flags,
    "id": lambda part, around: part.value.lstrip("0"),
    "mcc": lambda part, around: say_merchant(part.value),
    "mti": lambda part, around: mti.split(part.value).name,
    "region": lambda part, around: region(part.value),
    **dict.fromkeys(("blank", "digits", "is", "minor_unit", "text"), lambda part, around: ""),
}


def inside_tag(tag: str, value: str, network: str | None) -> list[Told]:
    """The subfields of a chip data tag's value (hex), if *network* is known to define some.

    >>> [told.meaning for told in inside_tag("9F10", "06010A03A00000", "VISA")][2]
    'version 10'
    """
    for layout in tag_layouts(tag, network or ""):
        reading = read(layout, value)
        if reading.fits:
            return list(_tell(layout.cell, reading.parts, value, Message("", {}), network, 0))
    return []


def first_amount(message: Message, number: int) -> str:
    """The first amount in an element that has several, in words; empty if there is none.

    >>> first_amount(Message("0400", {49: "840", 95: "000000000500" + "0" * 30}), 95)
    '5.00 USD'
    """
    parts = unfold(message, number) if number in message else []
    return next((part.meaning for part in parts if part.part.cell.codes == "amount"), "")


def say_parts(message: Message, number: int, network: str | None = None) -> str:
    """An element in one line, subfield by subfield: the meaning, else the value; truncated if it gets long.

    >>> say_parts(Message("1100", {57: "107"}, "1993"), 57)
    'unit of time: days; how many: 07'
    """
    if not tried(message.spec, number, network):
        return ""
    hidden = is_sensitive(number, message.version) and not is_data_sets(number, message.get(number))
    leaves = [part for part in unfold(message, number, network) if not part.part.children]
    # A masked element shows the meanings of its codes, but no values.
    named_texts = [(leaf.name, leaf.meaning or (leaf.shown.strip() if not hidden else "")) for leaf in leaves]
    texts = [f"{name}: {text}" for name, text in named_texts if text]
    line = "; ".join(texts)
    while len(line) > _LONGEST and len(texts) > 1:
        texts.pop()
        line = f"{'; '.join(texts)}; and {len(leaves) - len(texts)} more"
    return line


Sayer = Callable[[Message, int, str | None], str]


def meaning(message: Message, number: int, network: str | None = None) -> str:
    """The meaning of data element *number* of *message*; 0 is the MTI, 1 the bitmap. Empty if the value needs
    no explanation. *network* selects that network's code lists.

    >>> meaning(Message("0110", {39: "51"}), 39)
    'not sufficient funds'
    """
    if number == 0:
        return _mti(message)
    if number == 1:
        return _bitmap(message)
    if not tells_itself(number, message.version):  # the meaning could repeat card data in the value
        covered = cover_value(number, message[number], message.version, message.get(2))
        if covered != message[number]:
            message = replace(message, fields={**message.fields, number: covered})
    return _sayers(message.version).get(number, say_parts)(message, number, network)


def _mti(message: Message) -> str:
    parts = mti.split(message.mti)
    version = f"ISO 8583:{parts.version}" if parts.version else "no known version"
    name = parts.name or " ".join(part for part in (parts.message_class, parts.function) if part)
    # A response keeps the originator of its request: the digit says who initiated it.
    by = "initiated by" if mti.is_response(message.mti) else "from"
    who = parts.origin.removesuffix(" (repeat)") if "repeat" in name else parts.origin
    origin = who and f"{by} the {who}"
    return ", ".join(part for part in (version, name, origin) if part)


def _bitmap(message: Message) -> str:
    return f"{counted(len(message.fields), 'data element')}: " + ", ".join(map(str, sorted(message.fields)))


def _pan(message: Message, number: int, network: str | None) -> str:
    pan = message[number]
    if mti.is_network_management(message.mti):
        return "group or member ID, not a card number"
    if not (pan.isascii() and pan.isdigit()):
        return "not a card number: it contains characters other than digits"
    detection = detect(pan)
    card = f"{detection.brand if detection else 'unknown brand'} card {mask_pan(pan)}"
    if detection and len(pan) not in detection.range.lengths:
        return f"{card}, wrong length: {counted(len(pan), 'digit')}"
    if luhn_ok(pan):
        return f"{card}, check digit correct"
    return f"{card}, check digit wrong" + (
        f", which {detection.brand} allows" if detection and not detection.range.luhn else ""
    )


def _processing_code(message: Message, number: int, network: str | None) -> str:
    texts = []
    leads = (("", "transaction type"), ("; from ", "account type"), (", to ", "account type"))
    for part, (lead, what) in zip(unfold(message, 3, network), leads, strict=False):
        texts.append(f"{lead}{part.shown} {_or_unknown(part, f'unknown {what}')}")
    return "".join(texts)


def _date(message: Message, number: int, network: str | None) -> str:
    text = dates.readable_date(message.spec[number].pattern, message[number])
    return f"{text} UTC" if text and number == 7 else text


def _code(name: str, message: Message, number: int, network: str | None) -> str:
    row = lookup(name, message[number], version=message.version, network=network)
    return row.meaning if row else f"not in the list of {name.replace('_', ' ')}s"


def _response(message: Message, number: int, network: str | None) -> str:
    where = "response" if mti.is_response(message.mti) else "request"
    row = answer(message[number], message.version, network, where=where)
    return row.meaning if row else "not in the list of response codes"


def _service_code(message: Message, number: int, network: str | None) -> str:
    codes = (
        lookup("service_code", digit, position=position)
        for position, digit in enumerate(message[number], start=1)
    )
    return "; ".join(code.meaning for code in codes if code)


def _first_amount(message: Message, number: int, network: str | None) -> str:
    """The name and value of the first amount in an element that has several."""
    parts = (part for part in unfold(message, number) if part.part.cell.codes == "amount")
    amount = next(parts, None)
    return f"{amount.name.partition(',')[0]} {amount.meaning}" if amount and amount.meaning else ""


def _pos(message: Message, number: int, network: str | None) -> str:
    """DE 22 in words, by the codes of *network* if it has its own."""
    parts = unfold(message, number, network)
    if any(part.part.cell.codes == "flags" for part in parts):
        meanings = (part.meaning for part in parts)
        return "; ".join(text for text in meanings if text != NO_FLAG) or NO_FLAG
    if role("pin-capability", message.version) and len(parts) <= len(_UNKNOWN):
        unknown = (_UNKNOWN.get(part.part.cell.codes, NOT_LISTED) for part in parts)
        pairs = zip(parts, unknown, strict=True)
        return ", ".join(f"{part.shown} {_or_unknown(part, words)}" for part, words in pairs)
    words = "(not in the standard's list)"
    return "; ".join(f"{part.name} {part.shown} {_or_unknown(part, words)}" for part in parts)


def _or_unknown(part: Told, unknown: str) -> str:
    """The meaning of a subfield, *unknown* if its code is not listed."""
    return unknown if part.meaning == NOT_LISTED else part.meaning


# By the kinds of `data/meanings.csv`; any other kind is a code list.
_SAYERS: dict[str, Sayer] = {
    "additional amounts": lambda message, number, network: money.say_additional_amounts(
        message[number], message.version, network
    ),
    "amount": lambda message, number, network: money.say(message, number),
    "card number": _pan,
    "chip data": lambda message, number, network: emv.headline(message[number], network),
    "country": lambda message, number, network: say_country(message[number]),
    "currency": lambda message, number, network: money.say_currency(message[number]),
    "first of amounts": _first_amount,
    "location": lambda message, number, network: pos.say_location(
        mask(number, message[number], message.version), message.version
    ),
    "merchant category": lambda message, number, network: say_merchant(message[number]),
    "one amount": lambda message, number, network: first_amount(message, number),
    "original": lambda message, number, network: mti.say_original(message[number], message.version),
    "point of service": _pos,
    "processing code": _processing_code,
    "rate": lambda message, number, network: money.say_rate(message[number]),
    "response": _response,
    "service code": _service_code,
}


@cache
def _sayers(version: str) -> dict[int, Sayer]:
    sayers: dict[int, Sayer] = {
        element.number: _date for element in spec(version).elements if element.pattern
    }
    for row in read_csv("meanings"):
        if version in row["versions"].split("|"):
            kind, words = row["kind"], row["words"]
            sayer = _SAYERS.get(kind) or partial(_code, kind)
            sayers[int(row["number"])] = sayer if kind else partial(_words, words)
    return sayers


def _words(words: str, message: Message, number: int, network: str | None) -> str:
    return words
