"""A message as it was read: the input of every interface, whatever the message was written in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sim.codec import BuildError, IsoError, Message, ParseError, build, misfits, parse
from sim.spec import Spec
from sim.spec.elements import table

if TYPE_CHECKING:
    from sim.codec.wire import Format, WireMessage
    from sim.paste.beside import Piece
    from sim.paste.front import FrontLayer

# The confidence of a reading.
SURE, LIKELY, UNSURE, NONE = "sure", "likely", "unsure", "none"
# The text form, a message with named elements, and a `Message` that was given as such.
TEXT, NAMED, MESSAGE = "text", "elements", "message"
TEXT_TITLE = "text form"
AS_IT_STANDS = ("the text form, read to its end",)
HEX_OF_OTHERS = "its characters are hex digits throughout: the hex of other bytes, damaged, perhaps"
_HEX = re.compile("[0-9A-Fa-f]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A message and how it was read; tables, anatomies, records and findings are views of it.

    `message` is the result, None if nothing was read; its values are unchanged, with their own lengths.
    `given` is the input: a paste, bytes, or None for a `Message`.

    Encoding: `spelling` is the notation of the bytes in the paste; `framing` is what surrounds the message,
    outermost first, and `layers` is the same as parts of the bytes. `format` is the name of its format
    (`text` for the text form, `elements` if the paste names each element, `message` for a `Message`, empty if
    unknown), `title` is the format in words, `written` the format that reads and writes exactly these bytes,
    `version` the version of the standard. `pinned` says that the caller chose the version, `network` is the
    network that the caller chose.

    Position: `data` are the bytes in the paste (`seen` if they were changed since), without the `ahead` bytes
    of network headers; the message is from `start` to `end`. `raw` is the text form, valid or broken. `spans`
    are the elements, with 0 the MTI and 1 the bitmap: start of the prefix, start of the value and end, in
    bytes of `data` or characters of `raw`; `as_text` says that `data` are characters within the paste.
    `announced` are the elements in its bitmap. `read` of its `size` bytes or characters were read; it is
    `complete` if every element was.

    Confidence: `confidence` is sure, likely, unsure or none, for the `reasons`; `kind` is what the input is
    if it is no message, if known, and `part` the text in it that shows that. `misfits` are the located
    errors. `rivals` are other ways to read the same input, `more` the other messages in the paste. `origin`
    is for the guess, to read other messages of the paste alike.
    """

    message: Message | None = field(default=None, repr=False)  # a wrong reading may have card data anywhere
    given: str | bytes | None = field(default=None, repr=False)
    spelling: str = ""
    framing: tuple[str, ...] = ()
    layers: tuple[FrontLayer, ...] = field(default=(), repr=False)
    format: str = ""
    title: str = ""
    written: Format | None = field(default=None, repr=False)
    version: str = ""
    pinned: bool = False
    network: str | None = None
    data: bytes = field(default=b"", repr=False)
    seen: bytes = field(default=b"", repr=False)
    ahead: int = 0
    raw: str | None = field(default=None, repr=False)
    by: Spec | None = field(default=None, repr=False)
    start: int = 0
    end: int = 0
    spans: Mapping[int, tuple[int, int, int]] = field(default_factory=dict, repr=False)
    as_text: bool = False
    announced: tuple[int, ...] = ()
    read: int = 0
    size: int = 0
    complete: bool = False
    confidence: str = SURE
    reasons: tuple[str, ...] = ()
    kind: str = ""
    part: str = field(default="", repr=False)
    misfits: tuple[IsoError, ...] = field(default=(), repr=False)
    origin: object = field(default=None, repr=False, compare=False)
    rivals: tuple[Reading, ...] = field(default=(), repr=False, compare=False)
    more: tuple[Reading, ...] = field(default=(), repr=False, compare=False)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The contents of input that is not a message but concerns a card, with card data masked."""
        from sim.paste.beside import inside

        return inside(self.kind, self.part)

    @property
    def believed(self) -> bool:
        """Whether it is sure or likely."""
        return self.confidence in (SURE, LIKELY)

    @property
    def messages(self) -> tuple[Reading, ...]:
        """Every message in the input; empty if there is none."""
        return () if self.message is None else (self, *self.more)

    @property
    def error(self) -> ParseError | None:
        """Why reading stopped; None if it reached the end."""
        return next((misfit for misfit in self.misfits if isinstance(misfit, ParseError)), None)

    @property
    def mti(self) -> str:
        """The MTI; empty if no message was found."""
        return self.message.mti if self.message else ""

    @property
    def interface(self) -> str | None:
        """The interface of the link, if the format determines it or it was requested; None for the card
        brand's own."""
        spec = self.message.dialect if self.message else self.by
        return spec.interface or None if spec else None

    @property
    def table(self) -> str | Spec:
        """How its text form is read: the element table of a dialect, or the version."""
        return (self.message.dialect if self.message else None) or self.by or self.version

    def whole(self) -> Message:
        """The message, read to its end and valid in the text form. Raises the first misfit otherwise."""
        if self.misfits or self.message is None:
            nothing = ParseError(None, None, "an ISO 8583 message", "; ".join(self.reasons))
            raise self.misfits[0] if self.misfits else nothing
        return self.message

    @property
    def text(self) -> str | None:
        """The text form; None if not all was read, or an element exceeds its length there."""
        if self.message is None or not self.complete:
            return None
        if self.raw is not None:
            return self.raw
        try:
            return build(self.message)
        except BuildError:
            return None

    @property
    def left(self) -> bytes:
        """The bytes that follow a complete message."""
        return self.data[self.end :] if self.complete else b""

    @property
    def read_as(self) -> str:
        """One line that says what was recognized: `hex, 2-byte length 005D, TPDU 6000060000, BCD, sure`."""
        return ", ".join(part for part in (self.spelling, *self.framing, self.title, self.confidence) if part)


def is_hexed(text: str, *, whole: bool = True) -> bool:
    """Whether *text* is hex digits throughout, which may be those of bytes; if not *whole*, even of bytes
    that have lost a digit."""
    return _HEX.fullmatch(text) is not None and not (whole and len(text) % 2)


def of_text(
    raw: str, message: Message, confidence: str = SURE, reasons: tuple[str, ...] = AS_IT_STANDS
) -> Reading:
    """A reading of the text form *raw*, which reads to its end as *message*."""
    return Reading(
        message=message,
        given=raw,
        spelling=TEXT,
        format=TEXT,
        title=TEXT_TITLE,
        version=message.version,
        raw=raw,
        end=len(raw),
        read=len(raw),
        size=len(raw),
        complete=True,
        confidence=confidence,
        reasons=reasons,
    )


def read_text(raw: str, version: str | Spec) -> Reading:
    """A reading of the text form *raw*, valid or broken, by *version*, which may be a dialect's element
    table."""
    try:
        return of_text(raw, parse(raw, version))
    except ParseError as error:
        return of_broken(raw, version, error)


def of_broken(raw: str, version: str | Spec, stopped: ParseError) -> Reading:
    """A reading of the broken text form *raw*, as far as *version* reads it; *stopped* is the error there."""
    message: Message | None = stopped.partial
    at = min(stopped.offset or 0, len(raw))
    return replace(
        of_text(raw, message or Message("")),
        message=message,
        version=table(version).version,
        by=version if isinstance(version, Spec) else None,
        end=at,
        read=at if message else 0,
        complete=False,
        confidence=UNSURE if message else NONE,
        reasons=(str(stopped),),
        misfits=(stopped,),
    )


def of_wire(wire_message: WireMessage, data: bytes, spelling: str = "") -> Reading:
    """A reading of the bytes *data*, in which the format that the caller named read *wire_message*;
    *spelling* is their notation in the paste."""
    fmt, stopped = wire_message.format, wire_message.error
    end = max(span[2] for span in wire_message.spans.values())
    return Reading(
        message=wire_message.message,
        spelling=spelling,
        format=fmt.name,
        title=fmt.title,
        version=wire_message.message.version,
        data=data,
        end=end,
        spans=wire_message.spans,
        announced=wire_message.announced,
        read=end,
        size=len(data),
        complete=stopped is None,
        confidence=UNSURE if stopped else SURE,
        reasons=(str(stopped) if stopped else f"read to its end as {fmt.name}, which was named",),
        misfits=(stopped,) if stopped else (),
        written=fmt,
    )


def of_nothing(given: str | bytes, stopped: ParseError, fmt: Format) -> Reading:
    """A reading of input that *fmt*, the format that the caller named, cannot read at all; *stopped* is
    why."""
    data = given if isinstance(given, bytes) else given.encode("latin-1", "replace")
    return Reading(
        format=fmt.name,
        title=fmt.title,
        data=data,
        size=len(data),
        confidence=NONE,
        reasons=(str(stopped),),
        misfits=(stopped,),
        written=fmt,
    )


def of_message(message: Message) -> Reading:
    """A reading of a `Message`, which has no text or bytes."""
    count = len(message.fields)
    try:
        build(message)
        faults: tuple[IsoError, ...] = ()
    except BuildError as error:
        faults = misfits(message) or (error,)
    return Reading(
        message=message,
        format=MESSAGE,
        version=message.version,
        read=count,
        size=count,
        complete=True,
        misfits=faults,
    )


def of_no_message(
    spelling: str, reasons: tuple[str, ...], framing: tuple[str, ...] = (), kind: str = "", part: str = ""
) -> Reading:
    """A reading of input that is not an ISO 8583 message: why, and what *kind* of thing it is instead, by the
    *part* of it that shows that."""
    return Reading(spelling=spelling, framing=framing, confidence=NONE, reasons=reasons, kind=kind, part=part)
