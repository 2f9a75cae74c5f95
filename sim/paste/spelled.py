"""From the elements named in a paste to a message: leading zeros and blanks that printing dropped are
restored, parts are joined, and every assumption is reported."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from sim.codec import BuildError, Message, misfits
from sim.codec.wire import interface_table, names, wire_format
from sim.elements import money
from sim.parts import chip_data
from sim.parts.layout import tried
from sim.parts.writing import write
from sim.paste.reading import LIKELY, NAMED, SURE, UNSURE, Reading, of_message
from sim.paste.spellings import WORDED, Named
from sim.paste.worth import STARRED, judged, oddities
from sim.spec import VERSIONS, ElementSpec, Spec, currency, spec, version_of
from sim.spec.emv import tags
from sim.spec.interfaces import told_by

_MASKED = re.compile(r"\*|X{4}|x{4}")
_TAG = re.compile(r"[0-9A-Fa-f]{2}|[5-9A-Fa-f][Ff][0-9A-Fa-f]{2}|[Dd][Ff][0-9A-Fa-f]{2,4}")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})*")
_BLANK = re.compile(r"\s")
_DECIMAL = re.compile(r"([0-9]{1,9})[.,]([0-9]{1,3})(?: ?([A-Z]{3}))?")
_ALPHA = re.compile("[A-Z]{3}")
_LAST = 128
_FEW_ODD, _ODD_SHARE = 2, 3
_CHIP = 55


def read_named(listing: Named) -> Reading:
    """Read the message that *listing* spells, with its confidence. Elements named in words alone are unsure
    if a value does not fit, as in a letter about a payment."""
    message, notes, blanks = message_of(listing)
    if link := told_by(NAMED, message.version, message.fields):
        table = interface_table(link, message.version)
        message = replace(message, fields=_mapped(listing, message.fields, table), dialect=table)
    worded = listing.name == WORDED
    odd, faults = oddities(message), misfits_of(message)
    reasons = (*notes, *odd, *map(str, faults))
    # If much is odd, something else was taken for the values.
    count = len({error.field for error in faults} | {number for number, why in judged(message) if why})
    wrong = count >= _FEW_ODD and _ODD_SHARE * count >= len(message.fields)
    return replace(
        of_message(message),
        spelling=listing.name,
        format=NAMED,
        title="" if worded else "elements by number",
        confidence=UNSURE if wrong or (worded and odd) else LIKELY if reasons else SURE,
        reasons=(*(reasons or ("every element is named in the paste",)), *blanks),
        misfits=faults,
    )


def _mapped(listing: Named, fields: dict[int, str], table: Spec) -> dict[int, str]:
    """*fields* with the own bitmap and the lengths of elements that are shown in parts and that *table* lays
    out so."""
    mapped = dict(fields)
    for number in fields:
        parts = _parts(listing, number)
        layout = next((some for some in tried(table, number) if some.cell.cut == "bits"), None)
        if parts and layout and not listing.fields.get(str(number)):
            with suppress(BuildError):  # parts of another interface
                mapped[number] = write(layout, {path: value for path, value in parts.items() if path != "1"})
    return mapped


def _parts(listing: Named, number: int) -> dict[str, str]:
    """The parts of element *number* that *listing* spells, by their path in it."""
    head = f"{number}."
    return {path[len(head) :]: value for path, value in listing.fields.items() if path.startswith(head)}


def fits_at_all(listing: Named) -> bool:
    """Whether any value that *listing* spells fits its element: in program text, notes and lists numbered for
    other reasons, none does."""
    message = message_of(listing)[0]
    wrong = {error.field for error in misfits(message)}
    return any(number not in wrong and not odd for number, odd in judged(message))


def message_of(listing: Named) -> tuple[Message, tuple[str, ...], tuple[str, ...]]:
    """Return the message that *listing* spells, notes on assumptions, and on restored blanks."""
    version = version_of(listing.mti) or "1987"
    elements = spec(version).elements
    notes = list(listing.notes)
    fields: dict[int, str] = {}
    tops = sorted({int(path.split(".")[0]) for path in listing.fields})
    for number in tops:
        if number > _LAST:
            notes.append(f"DE {number} is left out: the text form has {_LAST} elements")
            continue
        fields[number] = _value(listing, elements[number - 1], version, notes)
    _in_digits(fields, version, notes)
    if any(_MASKED.search(value) for value in listing.fields.values()):
        notes.append(STARRED)
    if listing.bits is not None:
        announced = set(listing.bits) - {1, 65}
        if missing := sorted(announced - fields.keys()):
            notes.append(f"its bitmap names DE {', '.join(map(str, missing))}, which the paste does not show")
        if more := sorted(fields.keys() - announced):
            notes.append(f"its bitmap lacks DE {', '.join(map(str, more))}, which the paste shows")
    values = {key: value for key, value in listing.fields.items() if key.isdigit()}
    padded = [
        f"DE {number}"
        for number, value in fields.items()
        if value != value.rstrip() == values.get(str(number))
    ]
    blanks = (f"blanks that printing dropped are put back: {', '.join(padded)}",) if padded else ()
    return Message(listing.mti, fields, version), tuple(notes), blanks


def _in_digits(fields: dict[int, str], version: str, notes: list[str]) -> None:
    """Convert amounts written for people and alphabetic currencies to the form of their elements."""
    for number, currency_number in money.CURRENCY_OF.items():
        if money.composite(version, number):
            continue  # the currency is in the amount
        written = _DECIMAL.fullmatch(fields.get(number, ""))
        letters = (written and written[3]) or fields.get(currency_number, "")
        unit = currency(letters) if letters else None
        if unit and _ALPHA.fullmatch(fields.get(currency_number, letters)):
            fields[currency_number] = unit.numeric
            notes.append(f"DE {currency_number} is written in letters: {letters}")
        if written and unit and unit.exponent == len(written[2]):
            fields[number] = spec(version)[number].filled(written[1] + written[2])
            notes.append(f"DE {number} is written with its decimals")


def _value(listing: Named, element: ElementSpec, version: str, notes: list[str]) -> str:
    key = str(element.number)
    inner = _parts(listing, element.number)
    if inner and not listing.fields.get(key):
        if element.number == _CHIP and all(_TAG.fullmatch(part) for part in inner):
            return chip_data.write_tags(
                (tag.upper(), _chip_value(tag.upper(), value)) for tag, value in inner.items()
            )
        joined = "".join(value for part, value in inner.items() if "." not in part)
        if not (element.fixed and len(joined) == element.width):
            notes.append(f"DE {element.number} is shown in parts, put together")
        return joined
    return _filled(listing.fields.get(key, ""), element, version, notes)


def _filled(value: str, element: ElementSpec, version: str, notes: list[str]) -> str:
    """Return *value* with the zeros or blanks that printing dropped."""
    if element.binary:
        bare = _BLANK.sub("", value)
        return bare.upper() if _HEX.fullmatch(bare) else value
    if text := _of_hex(value, element):
        notes.append(f"DE {element.number} was printed in hex")
        return text
    filled = element.filled(value)
    if filled == value or _MASKED.search(value) or length_of(element.number, len(value), version):
        return value  # its length is right in some format: nothing was lost
    if element.content == "n":
        notes.append(f"DE {element.number} was printed without its leading zeros")
    return filled


def _of_hex(value: str, element: ElementSpec) -> str:
    """The characters whose hex digits are *value*, if they fill an element of fixed length; else empty."""
    bare = _BLANK.sub("", value)
    if not element.fixed or len(bare) != 2 * element.width or not _HEX.fullmatch(bare):
        return ""
    text = bytes.fromhex(bare).decode("latin-1")
    allowed = text.isdigit() if element.content == "n" else text.isascii() and text.isprintable()
    return text if allowed else ""


@lru_cache(maxsize=256)
def length_of(number: int, size: int, version: str) -> str:
    """Return which other version of the standard, or else which built-in format, has element *number* with
    exactly *size* characters, in words; empty if none does.

    >>> length_of(12, 6, "1993"), length_of(3, 5, "1987")
    ('as 1987 has it (n 6)', '')
    """
    for edition in VERSIONS:
        element = spec(edition)[number]
        if edition != version and element.fixed and element.width == size:
            return f"as {edition} has it ({element.format})"
    for name in names():
        layout = wire_format(name).layout(version)
        if layout.dialect is not None and number in layout.own:
            element = layout.dialect[number]
            if element.fixed and element.width == size:
                return f"as {name} has it ({element.format})"
    return ""


def misfits_of(message: Message) -> tuple[BuildError, ...]:
    """Return the values that the text form cannot carry, and where their length is right."""
    errors = []
    for error in misfits(message):
        size = len(message.get(error.field or 0))
        explanation = length_of(error.field, size, message.version) if error.field and size else ""
        description = f"{error.found}, {explanation}" if explanation else error.found
        errors.append(BuildError(error.field, None, error.expected, description))
    return tuple(errors)


def _chip_value(tag: str, value: str) -> str:
    """Return the hex digits of a tag's value: numbers are printed without leading zeros."""
    entry = tags().get(tag)
    digits = value if _HEX.fullmatch(value) else value.zfill(len(value) + len(value) % 2)
    if not _HEX.fullmatch(digits):
        return value.encode("latin-1", "replace").hex().upper()
    least = 2 * entry.minimum if entry is not None else 0
    return digits.zfill(least).upper()
