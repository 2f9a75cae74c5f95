"""Read a message from any input: the text form, or bytes in any notation, framing and format."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sim.codec import Message, ParseError, bitmap
from sim.codec.text import is_digits, strip_line_ending
from sim.errors import IsoError
from sim.paste.reading import (
    HEX_OF_OTHERS,
    LIKELY,
    MESSAGE,
    NAMED,
    NONE,
    TEXT,
    Reading,
    is_hexed,
    of_message,
    of_nothing,
    of_wire,
    read_text,
)
from sim.spec import Spec
from sim.spec.interfaces import interface as interface_of
from sim.spec.spellings import chosen_version, interface_named, network_named, version_named
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion

if TYPE_CHECKING:
    from sim.codec.wire import Format

# The start of the text form. If every line of a paste starts so, each is a message.
TEXT_FORM = re.compile(r"[0-9]{4}[0-9A-Fa-f]{16}")
# Input with such a start is a damaged text form rather than an implausible guess.
_MTI, _BITMAP_END, _MOSTLY = 4, 20, 12
# Hex digits of other bytes: a text would have letters above F, too.
_HEXED = re.compile("[0-9]*[A-Fa-f][0-9A-Fa-f]*")
# Above this many lines, each is a message: more than a screen.
_FEW_LINES = 40


class NotIso8583Error(ParseError):
    """The input is certainly not an ISO 8583 message. `reasons` say why."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not a message."""
        sentences: tuple[str, ...] = self.partial or ()
        return sentences


def read(
    given: str | bytes | Message,
    *,
    format: Format | str | None = None,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    interface: AnyInterface | None = None,
) -> Reading:
    """Read what was *given*, in any notation, once.

    Parameters
    ----------
    given : str, bytes or Message
        The text form, bytes, or bytes in any notation that `guess` reads; a Message is used unchanged.
    format : Format or str, optional
        None takes the text form if it reads to its end, and otherwise guesses; `text` takes the text form
        only; otherwise the format, or its name, in which the bytes are read.
    version : str, optional
        The version to read by; None reads it off the MTI.
    network : str, optional
        The message's network; None is the card's.
    interface : str, optional
        What the link speaks; None is the format's own interface, else that of the card's brand.

    Returns
    -------
    Reading
        What was read, as far as it could be: never an exception for what was given.

    Raises
    ------
    SpecError
        Unknown format.
    ChoiceError
        For an unknown version, network or interface.

    Examples
    --------
    >>> read("0800 2020 0000 0000 0000 9900 0012 3456").text
    '08002020000000000000990000123456'
    >>> read("0800202000000000000099000012345").misfits
    (ParseError('DE 11 at offset 26: expected n 6, found 5 characters'),)
    """
    name = None if network is None else network_named(network)
    link = None if interface is None else interface_named(interface)
    reading = _read(given, format, version, link)
    paste = None if isinstance(given, Message) else given
    return replace(reading, given=paste, network=name, pinned=version is not None)


def _read(
    given: str | bytes | Message, format: Format | str | None, version: AnyVersion | None, link: str | None
) -> Reading:
    if isinstance(given, Message):
        return of_message(_in_format(given, format) if link is None else _on(given, link))
    if format is not None and format != TEXT:
        return _of_link(_as_named(given, format, version), link)
    raw = strip_line_ending(given) if isinstance(given, str) else given.decode("latin-1")
    edition = chosen_version(raw, version)
    broken = read_text(raw, edition if link is None else _table(link, edition))
    if format == TEXT:
        return broken
    if broken.complete:
        return _of_link(_as_hex(broken), link)
    return _of_link(_of_bytes(given, raw, version, link, broken), link)


def _in_format(message: Message, format: Format | str | None) -> Message:
    """*message* with the element table of *format*, if it has none of its own."""
    from sim.codec.wire import wire_format

    layout = None if format in (None, TEXT) else wire_format(format or "").layout(message.version)
    if layout is None or message.dialect is not None or layout.version != message.version:
        return message
    return replace(message, dialect=layout.table_of(message.fields))


def _as_hex(form: Reading) -> Reading:
    """The complete text *form*, or the bytes that its characters are hex digits of, if that is more
    plausible."""
    raw, message = form.raw, form.message
    if raw is None or message is None or not is_hexed(raw):
        return form
    from sim.paste.entry import as_hex

    other = as_hex(raw, message)
    if other is None:
        return form
    return other if other.message is not None else replace(form, confidence=LIKELY, reasons=other.reasons)


def _table(link: str, version: str, own: Spec | None = None) -> Spec:
    """The element table of interface *link*: *own*, if that is one."""
    from sim.codec.wire import interface_table

    return interface_table(link, version, own)


def _on(message: Message, link: str) -> Message:
    """*message* as sent on interface *link*."""
    table = _table(link, message.version, message.dialect)
    return replace(message, version=table.version, dialect=table)


def on_interface(reading: Reading, interface: AnyInterface | None) -> Reading:
    """The reading *reading*, on *interface* if given. Raises ChoiceError for an unknown one."""
    return _of_link(reading, None if interface is None else interface_named(interface))


def _of_link(reading: Reading, link: str | None) -> Reading:
    if link is None or reading.message is None:
        return reading
    message = _on(reading.message, link)
    again = of_message(message)  # elements that fit one interface may not fit another
    if reading.format in (MESSAGE, NAMED):
        return replace(reading, message=message, version=message.version, misfits=again.misfits)
    if again.misfits and message.version != reading.version:
        return replace(reading, reasons=(*reading.reasons, f"not of {link}: {again.misfits[0]}"))
    return replace(reading, message=message)


def _of_bytes(
    given: str | bytes, raw: str, version: AnyVersion | None, link: str | None, broken: Reading
) -> Reading:
    """Guess input that is not a text form; or read it by the format of interface *link*, if that fits and the
    guess is of another interface."""
    from sim.paste.anchors import strangeness
    from sim.paste.beside import is_proven

    guess = _guessed(given if isinstance(given, bytes) else raw, None, version)
    if broken.message is not None and is_hexed(raw, whole=False):
        broken = replace(broken, reasons=(*broken.reasons, HEX_OF_OTHERS))
    fmt = interface_of(link).format if link is not None and guess.interface != link else ""
    by_name = _as_named(given, fmt, version) if fmt else guess
    if fmt and by_name.complete and (broken.message is None or _reads_further(by_name, broken)):
        return by_name
    if guess.message is None:
        # The guess gives the reasons why it is not a message, the text form where it stops.
        if broken.message is not None and not is_proven(guess.kind) and strangeness(broken.mti) is not None:
            return broken
        if broken.message is None and (not guess.kind or not raw):
            return replace(broken, reasons=guess.reasons)
        fault = ParseError(None, None, "an ISO 8583 message", _clause(guess.reasons[0]))
        nothing = replace(broken, message=None, read=0, end=0, confidence=NONE, misfits=(fault,))
        return replace(nothing, reasons=guess.reasons, kind=guess.kind, part=guess.part)
    strange = strangeness(broken.mti) is None if broken.message else not _looks_like_text(raw)
    return guess if strange or _reads_further(guess, broken) else broken


def _guessed(given: str | bytes, format: Format | str | None, version: AnyVersion | None) -> Reading:
    # The text form does not need `sim.paste.entry`.
    from sim.paste.entry import guess

    reading = guess(given, format=format, version=version)
    first = (f"it is the first of {len(reading.more) + 1} messages",) if reading.more else ()
    return replace(reading, reasons=(*reading.reasons, *first)) if first else reading


def _as_named(given: str | bytes, format: Format | str, version: AnyVersion | None) -> Reading:
    """Read *given* by a named format: strictly first, then within framing and in common variants; if neither
    works, as far as the format reads it."""
    from sim.codec.wire import WireError, read_so_far, wire_format
    from sim.paste.spellings import sightings

    fmt, edition = wire_format(format), None if version is None else version_named(version)
    notations = (
        [("", given)]
        if isinstance(given, bytes)
        else [(sighting.name, sighting.data) for sighting in sightings(given)]
    )
    notations.sort(key=lambda pair: pair[0].startswith(TEXT))
    partials: list[Reading] = []
    refused: list[WireError] = []
    for name, data in notations:
        try:
            reading = of_wire(read_so_far(data, fmt, edition), data, name)
        except WireError as error:
            refused.append(error)
            continue
        if reading.complete:
            return reading
        partials.append(reading)
    guessed = _guessed(given, fmt, version)
    if guessed.message is not None and (guessed.complete or guessed.layers or not partials):
        return guessed
    return partials[0] if partials else of_nothing(given, refused[0], fmt)


def _clause(sentence: str) -> str:
    """*sentence* as a clause, after `found`."""
    words = sentence.removesuffix(".")
    return words[:1].lower() + words[1:] if words[1:2].islower() or words[1:2] == " " else words


def _reads_further(guess: Reading, broken: Reading) -> bool:
    """Whether the guess reads further than the text form, which stops before its end."""
    if guess.as_text and guess.spelling == TEXT and not guess.framing and not guess.start:
        return guess.complete and guess.believed  # the same characters in another format
    starts_as_text = _looks_like_text(broken.raw or "")
    if guess.complete and (guess.believed or not starts_as_text):
        return True
    if not guess.believed and guess.mti != (raw := broken.raw or "")[:_MTI]:
        # Another message further on is a chance reading.
        inside = (
            starts_as_text and guess.as_text and guess.data[:_MTI] != raw[:_MTI].encode("latin-1", "replace")
        )
        if inside or (not guess.as_text and not guess.complete and _begun_well(broken)):
            return False
    # Of characters, and of input that begins like the text form, a chance reading covers only a beginning, or
    # a part in the middle.
    hexed = not guess.as_text and _HEXED.fullmatch(broken.raw or "")
    least = 0.5 if guess.as_text or (starts_as_text and not hexed) else 0.0
    size = broken.size if guess.as_text else max(guess.size, starts_as_text * broken.size // 2)
    share = (guess.read - guess.start) / (size or 1)
    return share > max(least, broken.read / (broken.size or 1))


def recognised(
    raw: str, *, version: AnyVersion | None = None, interface: AnyInterface | None = None
) -> Reading | None:
    """The reading of *raw* if it is not a text form, or is one of *interface*, if given; None for the text
    form, even damaged, and for unreadable input."""
    reading = read(raw, version=version, interface=interface)
    plain = reading.raw is not None and (interface is None or not reading.complete)
    return None if plain or reading.message is None else reading


def _looks_like_text(raw: str) -> bool:
    """Whether *raw* begins like the text form, even damaged: an MTI, then mostly hex digits."""
    from sim.paste.anchors import strangeness

    text = raw.lstrip()
    head, bits = text[:_MTI], text[_MTI:_BITMAP_END]
    return (
        len(head) == _MTI
        and sum(map(is_digits, head)) >= _MTI - 1
        and (not is_digits(head) or strangeness(head) is not None)
        and sum(char in bitmap.HEX_DIGITS for char in bits) >= _MOSTLY
    )


def _begun_well(broken: Reading) -> bool:
    """Whether a text form begins with a common MTI, a bitmap, and an element that fits."""
    from sim.paste.anchors import is_known_mti, usual

    return (
        broken.message is not None
        and bool(broken.message.fields)
        and usual(broken.mti)
        and is_known_mti(broken.mti)
    )


def parse_any(
    message: str | bytes,
    *,
    format: Format | str | None = None,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    interface: AnyInterface | None = None,
) -> Reading:
    """Read *message*, in any notation, to its end; the parameters are those of `read`.

    Raises
    ------
    NotIso8583Error
        The input is certainly not an ISO 8583 message.
    ParseError
        For a message that cannot be read to its end; its offset counts characters of the text form, or bytes
        where bytes were read (a WireError).
    SpecError
        For an unknown format, version or network.

    Examples
    --------
    >>> parse_any("0800 2020 0000 0000 0000 9900 0012 3456").text
    '08002020000000000000990000123456'
    """
    reading = read(message, format=format, version=version, network=network, interface=interface)
    if reading.error is not None or reading.message is None:
        raise refusal(reading)
    return reading


def refusal(reading: Reading) -> IsoError:
    """The error for a reading: it is not a message, stops before its end, or does not fit."""
    if reading.kind or (reading.confidence == NONE and not _looks_like_text(reading.raw or "")):
        return NotIso8583Error(None, 0, "an ISO 8583 message", "; ".join(reading.reasons), reading.reasons)
    return reading.misfits[0]


def separate(paste: str) -> list[str]:
    """The messages of a paste: each line, if every line begins like the text form and, in a short paste, one
    reads to its end; else the whole paste, perhaps a dump, or one message in lines. Empty lines are dropped;
    blanks stay, because they may be data.

    >>> [len(one) for one in separate("08002020000000000000990000123456\\n" * 2)]
    [32, 32]
    """
    lines = [line.rstrip("\r") for line in paste.split("\n") if line.strip()]
    if len(lines) > 1 and not all(map(TEXT_FORM.match, lines)):
        return [paste]
    if 1 < len(lines) <= _FEW_LINES and not any(_is_whole(line) for line in lines):
        return [paste]
    return lines


def _is_whole(text: str) -> bool:
    return read_text(text, chosen_version(text, None)).complete
