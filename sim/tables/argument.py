"""Any message argument (raw text, message table, `Message`, dict of elements) as text or `Message`.

A table whose text did not parse is a text in pieces: its message is the pieces in a row. Any other
table is a message: its elements are the rows, and the bitmap follows from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal

import pandas as pd

from sim.codec import Message, ParseError, bitmap, build, parse
from sim.errors import BITMAP_FIELD, MTI_FIELD, BuildError, SpecError
from sim.operations import chosen_version, strip_line_ending
from sim.operations.reading import TEXT_FORM
from sim.spec import Spec, spec
from sim.spec.spellings import network_named, version_named
from sim.spec.words import AnyNetwork, AnyVersion
from sim.tables.shown import element_number, is_missing

MessageArgument = str | Message | pd.DataFrame

_BITMAP_START = 4
_PRIMARY_WIDTH = 16


@dataclass(frozen=True, slots=True)
class Given:
    """A message argument, and the version and network to treat it by. `version` is what it is read as,
    `chosen` whether that was asked for; `network` None is the card's; `dialect` the element table of a text
    that has it otherwise than the version."""

    content: str | Message = field(repr=False)  # it may be a card number
    version: str
    chosen: bool
    network: str | None
    dialect: Spec | None = field(default=None, repr=False)

    @property
    def own(self) -> Spec | None:
        """The element table of the dialect that text or message is in; None for the version's."""
        return self.dialect if isinstance(self.content, str) else self.content.dialect

    @property
    def table(self) -> str | Spec:
        """What to read its text by: the table of its dialect, or the version."""
        return self.own or self.version

    def message(self) -> Message:
        """The message. Raises ParseError for a text that is none, BuildError for one that cannot be
        written."""
        if isinstance(self.content, str):
            return parse(self.content, self.table)
        build(self.content)
        return self.content

    def text(self) -> str:
        """The text, also of elements that do not fit: as a careless sender would write them."""
        if isinstance(self.content, str):
            return self.content
        try:
            return build(self.content)
        except BuildError:
            return _careless(self.content)


def take(message: object, version: AnyVersion | None, network: AnyNetwork | None) -> Given:
    """*message* in one form. *version* and *network* None are those of the table, else the MTI's and
    the card's. Raises TypeError for what is no message argument, BuildError for a table whose rows
    are no message, ChoiceError for an unknown version or network."""
    network = None if network is None else network_named(network)
    version = None if version is None else version_named(version)
    if isinstance(message, str):
        raw = strip_line_ending(str(message))
        refuse_many(raw)
        return Given(raw, chosen_version(raw, version), version is not None, network)
    if isinstance(message, pd.DataFrame):
        facts = facts_of(message)
        held = content(message)
        made = _held(held, version or facts.get("version"), network or facts.get("network"))
        return replace(made, dialect=_dialect(facts, made.version)) if isinstance(held, str) else made
    if isinstance(message, Message):
        return _held(message, version, network)
    kind = type(message).__name__
    raise TypeError(f"a message is a raw string, a message table or a Message, not {kind}{_way_on(message)}")


def _way_on(message: object) -> str:
    """What to do with what is no message."""
    if isinstance(message, bytes | bytearray):
        return ": turn bytes into a str first"
    if isinstance(message, Mapping):
        return ": sim.build makes one of elements"
    if isinstance(message, Iterable):
        return ": sim.read takes many messages"
    return ""


def refuse_many(text: str) -> None:
    """Raise TypeError for a text of several lines with a message each: only one of them could be meant."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and all(map(TEXT_FORM.match, lines[:2])):
        raise TypeError(
            f"one message belongs here, not {len(lines)} lines of them: sim.read takes many messages"
        )


def _held(held: str | Message, version: str | None, network: str | None) -> Given:
    if isinstance(held, Message) and version in (None, held.version):
        agrees = held.version == chosen_version(str(held.mti), None)
        return Given(held, held.version, version is not None or not agrees, network)
    text = held if isinstance(held, str) else build(held)
    return Given(text, chosen_version(text, version), version is not None, network)


def facts_of(table: pd.DataFrame | pd.Series[Any]) -> dict[str, Any]:
    """What a table, or the one that a column was cut from, knows beside its rows."""
    facts = table.attrs.get("iso", {})
    return facts if isinstance(facts, dict) else {}


def _cells(table: pd.DataFrame) -> list[tuple[object, object]]:
    """Number and value of every row. Raises TypeError for a frame without them."""
    plain = pd.DataFrame(table)
    if "number" in plain.index.names and "number" not in plain.columns:
        plain = plain.reset_index()
    if {"line", "mti"} <= set(plain.columns):
        raise TypeError(
            "this table holds many messages, as sim.read gives them: .iso.message(row) is one of them"
        )
    if not plain.columns.is_unique or not {"number", "value"} <= set(plain.columns):
        raise TypeError("a message table has the columns number and value")
    return list(zip(plain["number"].tolist(), plain["value"].tolist(), strict=True))


def content(table: pd.DataFrame) -> str | Message:
    """What the rows of *table* are: a Message, whose values may not fit yet, or for a text that did not
    parse its pieces in a row. Raises BuildError when the rows are neither."""
    cells, facts = _cells(table), facts_of(table)
    if facts.get("broken") or any(is_missing(cell) for cell, _ in cells):
        return _joined(cells, facts)
    return _message(cells, facts)


def _joined(cells: list[tuple[object, object]], facts: Mapping[str, Any]) -> str:
    """The pieces of a broken text. The piece that misfits and the unread rest stand as they stood, the
    elements before them get their length prefixes back."""
    mti = next((str(value) for cell, value in cells if element_number(cell) == 0), "")
    version = facts.get("version") or chosen_version(mti, None)
    elements = _dialect(facts, version) or spec(version)
    parts = []
    for cell, value in cells:
        text = "" if is_missing(value) else str(value)
        number = element_number(cell)
        whole = number is None or number == facts.get("failing") or not 2 <= number <= bitmap.ALL_BITS
        parts.append(text if whole else _prefixed(number or 0, text, elements))
    return "".join(parts)


def _prefixed(number: int, text: str, elements: Spec) -> str:
    prefix = elements[number].prefix
    return f"{len(text):0{prefix}}{text}" if prefix else text


def _careless(message: Message) -> str:
    values = (
        _prefixed(number, "" if is_missing(value) else str(value), message.spec)
        for number, value in sorted(message.fields.items())
    )
    return f"{message.mti}{message.bitmap}{''.join(values)}"


def _message(cells: list[tuple[object, object]], facts: Mapping[str, Any]) -> Message:
    found: dict[int, object] = {}
    for cell, value in cells:
        number = element_number(cell)
        if number is None or not 0 <= number <= bitmap.ALL_BITS:
            raise BuildError(None, None, "a data element number 0 to 128 in each row", repr(cell)[:8])
        if number in found:
            raise BuildError(number, None, "one row", "two or more")
        found[number] = value
    mti, bits = found.pop(MTI_FIELD, ""), found.pop(BITMAP_FIELD, None)
    version = facts.get("version") or chosen_version(mti if isinstance(mti, str) else "", None)
    fields: dict[int, str] = {}
    for number, value in found.items():
        if not isinstance(value, str):
            kind = "a missing value" if is_missing(value) else type(value).__name__
            raise BuildError(number, None, f"{spec(version)[number].format} as text", kind)
        fields[number] = value
    if not isinstance(mti, str):
        raise BuildError(MTI_FIELD, None, "4 digits as text", type(mti).__name__)
    own = _dialect(facts, version)
    message = Message(mti, dict(sorted(fields.items())), version, _empty_secondary(bits), own)
    _check_bitmap(bits, message, facts)
    return message


def _empty_secondary(bits: object) -> bool:
    """Whether a bitmap cell has a second half that announces nothing."""
    if not isinstance(bits, str) or len(bits) != 2 * _PRIMARY_WIDTH or not bitmap.HEX_DIGITS.issuperset(bits):
        return False
    return not any(number > bitmap.PRIMARY_BITS for number in bitmap.numbers(bits))


def _check_bitmap(bits: object, message: Message, facts: Mapping[str, Any]) -> None:
    """The bitmap follows from the rows, so that its cell may be out of date; but one that was itself
    changed must be right, or the change would be lost without a word."""
    changed = "bitmap" in facts and not is_missing(bits) and bits != facts["bitmap"]
    if changed and not (isinstance(bits, str) and bits.upper() == message.bitmap):
        expected = f"{message.bitmap}, which announces the elements of the rows"
        raise BuildError(BITMAP_FIELD, _BITMAP_START, expected, "another bitmap")


def leniently(table: pd.DataFrame) -> Message:
    """What can be said of the rows whether or not they can be written: MTI, version and the elements
    that are texts."""
    cells, facts = _cells(table), facts_of(table)
    texts = {element_number(cell): value for cell, value in cells if isinstance(value, str)}
    mti = texts.get(MTI_FIELD, "")
    fields = {
        number: value
        for number, value in texts.items()
        if number is not None and 2 <= number <= bitmap.ALL_BITS and number != facts.get("failing")
    }
    version = facts.get("version") or chosen_version(mti, None)
    return Message(mti, dict(sorted(fields.items())), version, dialect=_dialect(facts, version))


def _dialect(facts: Mapping[str, Any], version: str) -> Spec | None:
    """The element table of the format that a table's message is in, where that has one of its own."""
    from sim.codec.wire import wire_format

    name = facts.get("dialect")
    try:
        return wire_format(name).layout(version).dialect if name else None
    except SpecError:
        return None  # a format loaded in another session


def from_elements(elements: Mapping[Any, Any], version: AnyVersion | None) -> Message:
    """A dict `{0 or "mti": "0100", 2: "4111…", …}` as a Message; numbers may be texts, as in JSON.
    Raises BuildError for another key or when the MTI is missing."""
    found: dict[int | Literal["mti"], Any] = {}
    for key, value in elements.items():
        number = MTI_FIELD if key == "mti" else element_number(key)
        if number is None or number == BITMAP_FIELD or number > bitmap.ALL_BITS or number < 0:
            expected = "the keys 0 (or mti) and data element numbers 2 to 128"
            raise BuildError(None, None, expected, repr(key)[:8])
        if number in found:
            raise BuildError(number, None, "one value", "two")
        found[number] = value
    mti = found.pop(MTI_FIELD, None)
    if not isinstance(mti, str):
        raise BuildError(MTI_FIELD, None, "4 digits as text", "none" if mti is None else type(mti).__name__)
    fields = {int(number): value for number, value in found.items()}
    return Message(mti, dict(sorted(fields.items())), chosen_version(mti, version))


def readable(given: Given) -> Message:
    """What was given as a message. Raises BuildError for a text that is none."""
    try:
        return given.message()
    except ParseError as error:
        raise BuildError(error.field, error.offset, error.expected, error.found) from error


def digest(raw: str) -> str:
    """A short name for a text, by which it is recognised without being kept."""
    return sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()[:16]
