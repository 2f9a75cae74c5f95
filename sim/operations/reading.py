"""Read a message from whatever was pasted: the text form, or bytes in any spelling, framing and format."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sim.codec import Message, ParseError, bitmap, build, parse
from sim.codec.walk import is_digits
from sim.errors import BuildError
from sim.operations.choosing import chosen_network, chosen_version
from sim.operations.project import strip_line_ending
from sim.paste.sureness import NONE, SURE
from sim.spec.words import AnyVersion

if TYPE_CHECKING:
    from sim.codec.wire import Format
    from sim.paste import Guess, Guessed

TEXT = "text"
# How the text form begins. Where each line of a paste does, each is a message.
TEXT_FORM = re.compile(r"[0-9]{4}[0-9A-Fa-f]{16}")
# What begins so is the text form: damaged, unless something else fits without anything odd.
_MTI, _BITMAP_END, _MOSTLY = 4, 20, 12
_A_WORD = 3  # letters and digits: more than a length header of two bytes can have


class NotIso8583Error(ParseError):
    """A paste is surely no ISO 8583 message. `reasons` say why."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is none."""
        found: tuple[str, ...] = self.partial or ()
        return found


@dataclass(frozen=True, slots=True)
class Parsed:
    """A message read: the message, its text form, its network (given, or its card's), and how it was written:
    `format` (`text` for the text form), `framing` outermost first, `confidence` and `reasons`."""

    message: Message
    text: str = field(repr=False)
    network: str | None
    format: str
    framing: tuple[str, ...]
    confidence: str
    reasons: tuple[str, ...]

    @property
    def mti(self) -> str:
        """The message type indicator."""
        return self.message.mti

    @property
    def version(self) -> str:
        """The version that the message was read as."""
        return self.message.version


def read_text_form(raw: str, version: AnyVersion | None) -> Message | None:
    """The message where *raw* is the text form and reads to its end; None where it is something else."""
    try:
        return parse(raw, chosen_version(raw, version))
    except ParseError:
        return None


def parse_any(
    message: str,
    *,
    format: Format | str | None = None,
    version: AnyVersion | None = None,
    network: str | None = None,
) -> Parsed:
    """Read *message*, written in any way.

    Parameters
    ----------
    message : str
        The text form, or bytes in any spelling that `guess` reads.
    format : Format or str, optional
        None guesses; `text` takes the text form only; else the format, or the name of one.
    version : str, optional
        The version to read by; None reads it off the MTI.
    network : str, optional
        The message's network; None is the card's.

    Returns
    -------
    Parsed
        The message and how it was written.

    Raises
    ------
    NotIso8583Error
        For what is surely no ISO 8583 message.
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
    raw = strip_line_ending(message)
    if format is None or format == TEXT:
        held = read_text_form(raw, version)
        if held is not None:
            return Parsed(held, raw, chosen_network(held, network), TEXT, (), SURE, _AS_IT_STANDS)
    if format == TEXT:
        parse(raw, chosen_version(raw, version))
    # Looking for bytes takes a room of its own, which the text form does without.
    from sim.paste import guess

    return parse_guessed(guess(raw, format=format, version=version), raw, version, network)


_AS_IT_STANDS = ("the text form, read to its end",)


def parse_guessed(found: Guess, raw: str, version: AnyVersion | None, network: str | None) -> Parsed:
    """The message that was *found* in *raw*. Raises as `parse_any` does."""
    best = found.best
    held = best.message
    if held is None or best.confidence == NONE:
        raise NotIso8583Error(None, 0, "an ISO 8583 message", "; ".join(best.reasons), best.reasons)
    if best.error is not None:
        if best.format == TEXT and not best.framing and TEXT_FORM.match(raw):
            parse(raw, chosen_version(raw, version))
        raise best.error
    try:
        text = build(held)
    except BuildError as error:
        raise ParseError(error.field, None, error.expected, error.found, held) from error
    count = len(found.messages)
    reasons = (*best.reasons, f"it is the first of {count} messages") if count > 1 else best.reasons
    return Parsed(
        held, text, chosen_network(held, network), best.format, best.framing, best.confidence, reasons
    )


def recognised(
    raw: str, *, format: Format | str | None = None, version: AnyVersion | None = None
) -> Guess | None:
    """What *raw* is where it is no text form that reads to its end; None where it is the text form, damaged
    perhaps, or nothing that can be read. The text form needs no guess: nothing changes for it."""
    if format == TEXT or (format is None and read_text_form(raw, version) is not None):
        return None
    from sim.paste import guess

    found = guess(raw, format=format, version=version)
    best = found.best
    if best.message is None:
        return None
    if best.format == TEXT and best.raw is None and not best.framing and not _in_a_line(raw, best):
        return None  # the text form, damaged, or in quotes: a finding says so
    if best.raw is not None and best.raw == raw:
        return None
    clean = best.clean and best.believed
    return None if format is None and not clean and (best.as_text or _begun(raw)) else found


def _in_a_line(raw: str, best: Guessed) -> bool:
    """Whether the text form was surely read out of a line of words, such as a log's."""
    text = best.text if best.complete and best.believed else None
    around = raw.replace(text, "", 1) if text else ""
    return sum(char.isascii() and char.isalnum() for char in around) >= _A_WORD


def _begun(raw: str) -> bool:
    """Whether *raw* begins as the text form does, damaged perhaps: an MTI, then mostly hex digits."""
    from sim.paste.anchors import strangeness

    head, bits = raw[:_MTI], raw[_MTI:_BITMAP_END]
    return (
        is_digits(head)
        and strangeness(head) is not None
        and sum(char in bitmap.HEX_DIGITS for char in bits) >= _MOSTLY
    )


def separate(paste: str) -> list[str]:
    """The messages of a paste: each line where every line begins as the text form does, else all of it, which
    is a dump of one perhaps. Empty lines are none; blanks stay, for they may be data.

    >>> [len(one) for one in separate("08002020000000000000990000123456\\n" * 2)]
    [32, 32]
    """
    lines = [line.rstrip("\r") for line in paste.split("\n") if line.strip()]
    if len(lines) > 1 and not all(TEXT_FORM.match(line) for line in lines):
        return [paste]
    return lines
