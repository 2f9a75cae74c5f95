"""Any message argument (text, pasted data, bytes, message table, `Message`, dict of elements) as a Reading.

A table of a text that did not parse contains the pieces of that text, and is read from them. Any other table
is a message: its rows are the elements, and the bitmap follows from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.codec import Message, ParseError, bitmap, build
from sim.errors import BITMAP_FIELD, MTI_FIELD, BuildError, OptionError, SpecError, WireError, closest_name
from sim.operations.reading import on_interface, read
from sim.paste.reading import TEXT, Reading, read_text
from sim.spec import Spec, spec
from sim.spec.spellings import chosen_version, network_named, version_named
from sim.spec.tables import read_toml
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion, Payment
from sim.tables.card_data import element_number, is_missing

if TYPE_CHECKING:
    from sim.codec.wire import Format

MessageArgument = str | Message | pd.DataFrame

_BITMAP_START = 4
_KEYS = "the keys 0 (or mti) and data element numbers 2 to 128"
_PRIMARY_WIDTH = 16


def take(
    message: object,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
    interface: AnyInterface | None = None,
) -> Reading:
    """A message argument as a Reading. *version* and *network* default to the table's, else the MTI's and the
    card's; *format* is the format of pasted text or bytes (None: recognized); *interface* defaults to the
    table's, the format's, or that of the card's brand.

    Raises TypeError if it is not a message argument, BuildError for a table whose rows are not a message,
    ChoiceError for an unknown version or network, SpecError for an unknown format.
    """
    network = None if network is None else network_named(network)
    version = None if version is None else version_named(version)
    if isinstance(message, Reading):
        return on_interface(replace(message, network=network or message.network), interface)
    if isinstance(message, str | bytes | bytearray):
        # The true text, even of a cell that displays itself masked.
        given = message[:] if isinstance(message, str) else bytes(message)
        return read(given, format=format, version=version, network=network, interface=interface)
    if isinstance(message, pd.DataFrame):
        facts = facts_of(message)
        reading = _of_rows(message, facts, version or facts.get("version"), network or facts.get("network"))
        return on_interface(reading, interface)
    if isinstance(message, Message):
        return on_interface(_of_message(message, version, network, format), interface)
    hint = ": sim.read takes many messages" if isinstance(message, Iterable) else ""
    hint = ": sim.build makes one of elements" if isinstance(message, Mapping) else hint
    kind = type(message).__name__
    raise TypeError(f"a message is a raw string, a message table or a Message, not {kind}{hint}")


def _of_message(
    message: Message, version: str | None, network: str | None, format: Format | str | None = None
) -> Reading:
    """*message* as links of *format* send it, or its text read in another *version*."""
    if version in (None, message.version):
        return replace(read(message, network=network, format=format), pinned=version is not None)
    return read(build(message), format=TEXT, version=version, network=network)


def is_pinned(reading: Reading) -> bool:
    """Whether the version was given, or differs from the one that the MTI implies."""
    return reading.pinned or reading.version != chosen_version(str(reading.mti), None)


def facts_of(table: pd.DataFrame | pd.Series[Any]) -> dict[str, Any]:
    """The metadata of a table, or of the table that a column belongs to."""
    facts = table.attrs.get("iso", {})
    return facts if isinstance(facts, dict) else {}


def _cells(table: pd.DataFrame) -> list[tuple[object, object]]:
    """Number and value of every row. Raises TypeError for a frame without them."""
    plain = pd.DataFrame(table)
    if "number" in plain.index.names and "number" not in plain.columns:
        plain = plain.reset_index()
    if {"line", "mti"} <= set(plain.columns):
        raise TypeError(
            "this table has many messages, as sim.read returns; use .iso.validate() for all of them or"
            " .iso.message(row) for one"
        )
    if {"step", "role", "mti"} <= set(plain.columns):
        raise TypeError(
            "this table is an exchange: .iso.findings has what is wrong in its messages and between them,"
            " .iso.messages the messages"
        )
    if not plain.columns.is_unique or not {"number", "value"} <= set(plain.columns):
        raise TypeError("a message table has the columns number and value")
    # A cell displays itself masked; slicing gives its true text.
    values = [cell[:] if isinstance(cell, str) else cell for cell in plain["value"].tolist()]
    return list(zip(plain["number"].tolist(), values, strict=True))


def _of_rows(
    table: pd.DataFrame, facts: Mapping[str, Any], version: str | None, network: str | None
) -> Reading:
    """The reading of the rows of *table*: a message, whose values may be invalid; the joined pieces of a text
    that did not parse; or the elements decoded from incomplete bytes. Raises BuildError if the rows are none
    of these."""
    cells = _cells(table)
    if stopped := facts.get("stopped"):
        at = stopped["field"]  # neither this row nor the bytes left after it are of the message
        whole = [row for row in cells if not is_missing(row[0]) and element_number(row[0]) != at]
        base = read(_message(whole, facts), network=network)
        error = WireError(at, stopped["offset"], stopped["expected"], stopped["found"])
        fields = base.message.fields if base.message else {}
        announced = tuple(sorted({*fields, *facts["unread"]}))
        return replace(base, complete=False, misfits=(error,), announced=announced)
    if facts.get("broken") or any(is_missing(cell) for cell, _ in cells):
        raw = _joined(cells, facts)
        if facts.get("kind"):
            return read(raw, version=version, network=network)
        edition = chosen_version(raw, version)
        reading = read_text(raw, dialect_of(facts, edition) or edition)
        return replace(reading, network=network, pinned=version is not None)
    return _of_message(_message(cells, facts), version, network)


def _joined(cells: list[tuple[object, object]], facts: Mapping[str, Any]) -> str:
    """The text of a table that did not parse. The invalid piece and the unread rest are unchanged; the
    elements before them get their length prefixes back."""
    mti = next((str(value) for cell, value in cells if element_number(cell) == 0), "")
    version = facts.get("version") or chosen_version(mti, None)
    elements = dialect_of(facts, version) or spec(version)
    parts = []
    for cell, value in cells:
        text = "" if is_missing(value) else str(value)
        number = element_number(cell) or 0
        prefixed = number != facts.get("failing") and 2 <= number <= bitmap.ALL_BITS
        prefix = elements[number].prefix if prefixed else 0
        parts.append(f"{len(text):0{prefix}}{text}" if prefix else text)
    return "".join(parts)


def _message(cells: list[tuple[object, object]], facts: Mapping[str, Any]) -> Message:
    """The message in the rows. Raises BuildError for a row that is not an element, or an edited bitmap that
    does not match the rows."""
    values = _by_number(cells, "a data element number 0 to 128 in each row", "row")
    mti, bits = values.pop(MTI_FIELD, ""), values.pop(BITMAP_FIELD, None)
    version = facts.get("version") or chosen_version(mti if isinstance(mti, str) else "", None)
    fields: dict[int, str] = {}
    for number, value in values.items():
        if not isinstance(value, str):
            kind = "a missing value" if is_missing(value) else type(value).__name__
            raise BuildError(number, None, f"{spec(version)[number].format} as text", kind)
        fields[number] = value
    if not isinstance(mti, str):
        raise BuildError(MTI_FIELD, None, "4 digits as text", type(mti).__name__)
    # A bitmap cell may have a second half without any element.
    digits = bits if isinstance(bits, str) else ""
    doubled = len(digits) == 2 * _PRIMARY_WIDTH and bitmap.HEX_DIGITS.issuperset(digits)
    empty = doubled and not any(number > bitmap.PRIMARY_BITS for number in bitmap.numbers(digits))
    message = Message(mti, dict(sorted(fields.items())), version, empty, dialect_of(facts, version))
    # An unedited cell may be out of date, because the bitmap follows from the rows.
    edited = "bitmap" in facts and not is_missing(bits) and bits != facts["bitmap"]
    if edited and digits.upper() != message.bitmap:
        expected = f"{message.bitmap}, which announces the elements of the rows"
        raise BuildError(BITMAP_FIELD, _BITMAP_START, expected, "another bitmap")
    return message


def _by_number(cells: Iterable[tuple[Any, Any]], expected: str, place: str) -> dict[int, Any]:
    """Values by element, each in a *place*. Raises BuildError for a number that is not *expected*, or occurs
    twice."""
    values: dict[int, Any] = {}
    for key, value in cells:
        number = element_number(key)
        if number is None or not 0 <= number <= bitmap.ALL_BITS:
            raise BuildError(None, None, expected, repr(key)[:8])
        if number in values:
            raise BuildError(number, None, f"one {place}", "two or more")
        values[number] = value
    return values


def leniently(table: pd.DataFrame) -> Message:
    """The MTI, version and text elements of the rows, whether or not they can be built."""
    cells, facts = _cells(table), facts_of(table)
    texts = {element_number(cell): value for cell, value in cells if isinstance(value, str)}
    mti = texts.get(MTI_FIELD, "")
    fields = {
        number: value
        for number, value in texts.items()
        if number is not None and 2 <= number <= bitmap.ALL_BITS and number != facts.get("failing")
    }
    version = facts.get("version") or chosen_version(mti, None)
    return Message(mti, dict(sorted(fields.items())), version, dialect=dialect_of(facts, version))


def dialect_of(facts: Mapping[str, Any], version: str) -> Spec | None:
    """The element table of the message's interface or format, if that has its own."""
    from sim.codec.wire import interface_table, wire_format

    name, link = facts.get("dialect"), facts.get("interface")
    own = None
    with suppress(SpecError):  # an interface's name, or a format loaded in another session
        own = wire_format(name).layout(version).dialect if name else None
    return interface_table(link, version, own) if link else own


def from_elements(elements: Mapping[Any, Any], version: AnyVersion | None) -> Message:
    """A dict `{0 or "mti": "0100", 2: "4111…", …}` as a Message; numbers may be texts, as in JSON, and it may
    name its "version". Raises BuildError for another key, or if the MTI is missing."""
    version = version or elements.get("version")
    cells = [(0 if key == "mti" else key, value) for key, value in elements.items() if key != "version"]
    if any(element_number(key) == BITMAP_FIELD for key, _ in cells):
        raise BuildError(None, None, _KEYS, "1")
    values = _by_number(cells, _KEYS, "value")
    mti = values.pop(MTI_FIELD, None)
    if not isinstance(mti, str):
        raise BuildError(MTI_FIELD, None, "4 digits as text", "none" if mti is None else type(mti).__name__)
    return Message(mti, dict(sorted(values.items())), chosen_version(mti, version))


def readable(reading: Reading) -> Message:
    """The message that was read. Raises BuildError if there is none, or it is invalid."""
    try:
        return reading.whole()
    except ParseError as error:
        raise BuildError(error.field, error.offset, error.expected, error.found) from error
    except BuildError as error:
        if reading.message and (link := reading.message.spec.interface):
            reads = "interface='iso' reads it by the standard's"
            error.args = (f"{error}. That is the element table of {link}; {reads}",)
        raise


def digest(raw: str) -> str:
    """A short hash of a text, to recognize it without storing it."""
    return sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def check_words(payment: Mapping[str, object], options: Mapping[str, object]) -> None:
    """Raises OptionError for the first word of *payment* that is not an option, with the nearest one."""
    names = (*options, *Payment.__annotations__)
    for name in payment:
        if name not in names and name not in read_toml("templates")["details"]:
            near = closest_name(name, names)
            expected = "the name of an option" if near else f"one of {', '.join(names)}"
            raise OptionError(name, expected, "an unknown one", None, near)
