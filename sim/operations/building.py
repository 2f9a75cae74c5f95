"""Write a message from its elements, as text or as the bytes of a format, and report every element that
cannot be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sim.codec import BuildError, Message, build
from sim.codec import misfits as text_misfits
from sim.codec.wire import Format, encode, misfits, names, otherwise, wire_format
from sim.errors import ChoiceError
from sim.parts.layout import fitting
from sim.spec.layouts import FOREIGN

TEXT = "text"


@dataclass(frozen=True, slots=True)
class Built:
    """A written message: `written` is its text form or, for another `format`, its bytes in upper-case hex;
    `length` is in characters for the text form, in bytes for other formats."""

    message: Message
    written: str
    format: str
    length: int


class UnwritableError(BuildError):
    """Elements cannot be written; `errors` has one error for each, and the text is that of the first."""

    @classmethod
    def of(cls, errors: tuple[BuildError, ...]) -> UnwritableError:
        """One error for several, which it keeps in `partial`."""
        first = errors[0]
        return cls(first.field, first.offset, first.expected, first.found, errors)

    @property
    def errors(self) -> tuple[BuildError, ...]:
        """One error per element, ascending."""
        failures: tuple[BuildError, ...] = self.partial
        return failures


def known_format(name: str | None, option: str = "format", others: tuple[str, ...] = ()) -> str:
    """*name*, `text` for None. Raises ChoiceError for *option* if neither a ready format nor one of *others*
    has this name."""
    choices = (*others, TEXT, *names())
    if name is not None and name not in choices:
        raise ChoiceError.of(option, name, choices)
    return name or TEXT


def named_format(format: Format | str | None) -> Format | None:
    """*format*, or the ready one of that name; None for the text form. Raises as `known_format` does."""
    if not isinstance(format, str):
        return format
    return None if known_format(format) == TEXT else wire_format(format)


def build_from(
    mti: str, fields: Mapping[int, str], *, version: str = "1987", format: str | None = None
) -> Built:
    """Write a message of *version* from its elements, by number and with values as in the text form: as the
    text form, or in the ready format of that name. Raises UnwritableError with all elements that cannot be
    written, ChoiceError for an unknown format.

    >>> build_from("0800", {3: "990000", 11: "123456"}, format="bcd").written
    '08002020000000000000990000123456'
    """
    fmt, ordered = named_format(format), dict(sorted(fields.items()))
    # In the format's dialect if an element is one that the format defines differently.
    message = Message(mti, ordered, version, dialect=fmt.layout(version).table_of(ordered) if fmt else None)
    if errors := text_misfits(message):
        raise UnwritableError.of(tuple(errors))
    text = written(message, fmt)
    return Built(message, text, fmt.name if fmt else TEXT, len(text) // 2 if fmt else len(text))


def written(message: Message, format: Format | str | None) -> str:
    """The text form of *message*, or its bytes in *format* (one, or the name of one), as hex digits. Raises
    UnwritableError naming every element that *format* cannot carry, ChoiceError for an unknown name."""
    fmt = named_format(format)
    if fmt is None:
        return build(message)
    if errors := misfits(message, fmt):
        raise UnwritableError.of(errors)
    return encode(message, fmt).hex().upper()


def told_otherwise(message: Message, format: Format | str | None) -> tuple[str, ...]:
    """The elements that a reader of the bytes from `written` sees differently than *message* has them, one
    sentence each; empty for the text form."""
    return () if format is None or format == TEXT else tuple(otherwise(message, format).values())


def in_format(message: Message, format: Format | str) -> tuple[Message, tuple[str, ...]]:
    """*message* as links of *format* send it, and a note on each element that changes.

    Values are padded to the length of an element that the format defines differently. Elements are left out
    if the value fits neither that length and class nor the format's subfields, or if the format cannot carry
    them.

    >>> in_format(Message("0200", {11: "123456", 41: "TERM0001"}), "base24")[0][41]
    'TERM0001        '
    """
    fmt = named_format(format)
    if fmt is None:
        return message, ()
    layout = fmt.layout(message.version)
    fields: dict[int, str] = {}
    notes = []
    for number, value in message.fields.items():
        element = layout.dialect[number] if layout.dialect and number in layout.own else None
        filled = value if element is None else element.filled(value)
        trial = Message(
            message.mti, {number: filled}, message.version, dialect=layout.dialect if element else None
        )
        laid_out = any(part.number == number for part in layout.dialect.parts) if layout.dialect else False
        if layout[number] is None:
            notes.append(f"DE {number} is left out: {fmt.name} has no such element.")
        elif laid_out and layout.dialect and fitting(layout.dialect, number, filled) is None:
            notes.append(f"DE {number} is left out: {fmt.name} has its own layout for it.")
        elif errors := misfits(trial, fmt) or text_misfits(trial):
            notes.append(f"DE {number} is left out: {fmt.name} has {errors[0].expected} there.")
        elif element and FOREIGN[element.content].search(filled):
            notes.append(f"DE {number} is left out: {fmt.name} has {element.format} there.")
        else:
            fields[number] = filled
    travels = message.dialect if message.spec.interface else None
    return replace(message, fields=fields, dialect=layout.table_of(fields) or travels), tuple(notes)
