"""What a guess gives: candidates, each with its message, how it was written, how sure that is and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sim.codec import BuildError, Message, ParseError, bitmap, build
from sim.codec.wire import Format
from sim.paste.candidate import TEXT, Candidate
from sim.paste.front import FrontLayer
from sim.paste.spelled import Spelled
from sim.paste.spellings import WORDED
from sim.paste.sureness import LIKELY, NONE, SURE

NAMED = "elements"


@dataclass(frozen=True, slots=True)
class Guessed:
    """One candidate.

    `spelling` is how the bytes were written in the paste, `framing` what stands around the message, outermost
    first, `format` the name of its format (`text` for the text form, `elements` where the paste names each
    element, empty for none), `title` the same in words. `message` is what was read, whole when `complete`;
    `read` of `size` bytes (characters of a text form) were. `confidence` is sure, likely, unsure or none, and
    `reasons` say why. `data` are its bytes, `start` and `end` bound the message in them, and `spans` its
    elements: start of the prefix, start of the value, end; `announced` are those that its bitmap names.
    `clean` says that nothing about it is odd, `as_text` that the characters of the paste are the message's.
    """

    spelling: str
    framing: tuple[str, ...]
    format: str
    title: str
    version: str
    message: Message | None = field(repr=False)  # of a wrong guess card data may stand anywhere in it
    complete: bool
    read: int
    size: int
    confidence: str
    reasons: tuple[str, ...]
    data: bytes = field(default=b"", repr=False)
    start: int = 0
    end: int = 0
    spans: Mapping[int, tuple[int, int, int]] = field(default_factory=dict, repr=False)
    announced: tuple[int, ...] = ()
    clean: bool = True
    as_text: bool = False
    layers: tuple[FrontLayer, ...] = field(default=(), repr=False)
    raw: str | None = field(default=None, repr=False)
    origin: Candidate | None = field(default=None, repr=False, compare=False)

    @property
    def believed(self) -> bool:
        """Whether it is sure or likely."""
        return self.confidence in (SURE, LIKELY)

    @property
    def written(self) -> Format | None:
        """The format that reads and writes exactly these bytes; None where no bytes were read."""
        return self.origin.format if self.origin else None

    @property
    def error(self) -> ParseError | None:
        """Why it stops, as the reader says it; None where it reads to the end."""
        return self.origin.error if self.origin else None

    @property
    def mti(self) -> str:
        """The MTI; empty where no message was found."""
        return self.message.mti if self.message else ""

    @property
    def text(self) -> str | None:
        """The text form; None where the message is not whole or cannot be written so."""
        if self.raw is not None:
            return self.raw
        if self.message is None or not self.complete:
            return None
        try:
            return build(self.message)
        except BuildError:
            return None

    @property
    def partial_text(self) -> str:
        """The text form as far as it was read: MTI, the bitmap as announced, the elements read."""
        if self.message is None:
            return ""
        held, elements = self.message, self.message.spec
        known = [number for number in self.announced if number <= bitmap.ALL_BITS]
        parts = [held.mti, bitmap.to_hex(known, secondary=held.has_secondary)]
        for number, value in held.fields.items():
            prefix = elements[number].prefix
            parts.append(f"{len(value):0{prefix}}{value}" if prefix else value)
        return "".join(parts)

    @property
    def read_as(self) -> str:
        """One line that says what was recognised: `hex, 2-byte length 005D, TPDU 6000060000, BCD, sure`."""
        return ", ".join(part for part in (self.spelling, *self.framing, self.title, self.confidence) if part)


@dataclass(frozen=True, slots=True)
class Guess:
    """The candidates for the first message of a paste, the best first, and the best of each message in it."""

    candidates: tuple[Guessed, ...]
    messages: tuple[Guessed, ...]

    @property
    def best(self) -> Guessed:
        """The best candidate; its confidence is `none` where the paste is no ISO 8583 message."""
        return self.candidates[0]


def of_candidate(one: Candidate) -> Guessed:
    """A candidate as it is given to callers."""
    end = one.state.at
    return Guessed(
        one.reading.name,
        one.framing,
        one.name,
        one.title,
        one.version,
        one.message,
        one.complete,
        end,
        len(one.data),
        one.confidence,
        tuple(one.reasons),
        one.data,
        one.anchor.at,
        end,
        one.spans,
        one.anchor.numbers,
        not one.odd and not one.dialect,
        one.reading.text,
        one.front.layers,
        origin=one,
    )


def of_text(raw: str, message: Message, confidence: str, reasons: tuple[str, ...]) -> Guessed:
    """The text form *raw*, which reads to its end."""
    size, title = len(raw), "text form"
    return Guessed(
        TEXT, (), TEXT, title, message.version, message, True, size, size, confidence, reasons, raw=raw
    )


def of_spelled(name: str, one: Spelled, confidence: str, reasons: tuple[str, ...]) -> Guessed:
    """A message whose elements the paste names."""
    message, count = one.message, len(one.message.fields)
    title = "" if name == WORDED else "elements by number"
    return Guessed(name, (), NAMED, title, message.version, message, True, count, count, confidence, reasons)


def nothing(spelling: str, reasons: tuple[str, ...], framing: tuple[str, ...] = ()) -> Guessed:
    """What is no ISO 8583 message, and why."""
    return Guessed(spelling, framing, "", "", "", None, False, 0, 0, NONE, reasons)
