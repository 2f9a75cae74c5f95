"""The single view of a message, valid or broken: positions, meanings, and what may be shown.

Tables, the widgets' anatomy, `sim.mask` and prompts are projections of it; nothing else locates or masks the
pieces of a text. `sim.masking` decides what to mask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sim.codec import Message, ParseError, bitmap, spans
from sim.codec.text import BITMAP_WIDTH, MTI_WIDTH, is_digits
from sim.elements.card import chosen_network
from sim.elements.meaning import meaning
from sim.errors import BITMAP_FIELD, MTI_FIELD
from sim.judge import Finding
from sim.masking import UNREAD, Stretch, cover, described, mask_pan, tells_itself
from sim.operations.findings import BITMAP_NAME, MTI_NAME, framing_finding, misfit_findings
from sim.paste.reading import Reading, read_text
from sim.spec import Spec, version_of
from sim.spec.elements import table
from sim.spec.interfaces import rows_of
from sim.spec.networks import told_name

__all__ = ["FAULT", "LEFT", "READ", "UNREAD", "Anatomy", "Difference", "Place", "differences", "dissect"]

# The states of a place: read, where reading stopped, the rest after that.
READ, FAULT, LEFT = "read", "fault", "unread"
MTI_FORMAT = "n 4"
_PAN = 2


@dataclass(frozen=True, slots=True)
class Place:
    """The position of one element in the text, in characters from 0: its length prefix, if any, at `start`,
    its value from `value_start` to `end`. `number` 0 is the MTI, 1 the bitmap, UNREAD the unread rest;
    `state` is READ, FAULT or LEFT."""

    number: int
    start: int
    value_start: int
    end: int
    state: str = READ


@dataclass(frozen=True)
class Anatomy:
    """A text, its places, in order and without gaps, and its message.

    `raw` is the text form, valid or broken; if a message has none, its elements in a row (`is_text` is then
    False, and the places are not those of the input). `message` is the part of a broken text that could be
    read. `network` is the given one, else the card's; `fault` is the finding where reading stopped, `misfits`
    are those on elements that do not fit, by number; `unread` are the elements in the bitmap that were not
    read, including the failing one.
    """

    raw: str
    version: str
    message: Message
    network: str | None
    places: tuple[Place, ...]
    fault: Finding | None = None
    is_text: bool = True
    misfits: Mapping[int | None, Finding] = field(default_factory=dict)
    unread: frozenset[int] = frozenset()

    @property
    def interface(self) -> str | None:
        """The interface of the message; None for that of the card's brand."""
        return self.message.spec.interface or None

    @property
    def rows(self) -> str | None:
        """The network whose names, layouts and codes apply to the elements."""
        return rows_of(self.message.spec, self.network)

    @property
    def stop(self) -> Place | None:
        """Where reading stopped; None if the message was read to the end."""
        return next((place for place in self.places if place.state != READ), None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The finding where reading stopped, or one for each element that does not fit."""
        return (self.fault,) if self.fault else tuple(self.misfits.values())

    @property
    def content(self) -> str | Message:
        """The message, or the text if it was not read to the end."""
        return self.raw if self.fault else self.message

    def value(self, place: Place) -> str:
        """The value at a place, without its length prefix."""
        return self.raw[place.value_start : place.end]

    def name(self, place: Place) -> str:
        """The name of the element at a place."""
        return _NAMES.get(place.number) or told_name(self.message.spec, place.number, self.rows or "")

    def format(self, place: Place) -> str:
        """The format of the element in the standard's notation; empty for the unread rest."""
        if place.number == BITMAP_FIELD:
            return f"b {bitmap_width(self.raw) // 2}"
        return _FORMATS[place.number] if place.number in _FORMATS else self.message.spec[place.number].format

    def meaning(self, place: Place) -> str:
        """The meaning of the value, without card data; empty for anything that could not be read."""
        number = place.number
        if place.state != READ or number in self.misfits:
            return ""
        value, message = self.covered[number][1], self.message
        if number == BITMAP_FIELD:
            if self.fault is not None and bitmap.HEX_DIGITS.issuperset(value):
                message = replace(message, fields=dict.fromkeys(bitmap.numbers(self.value(place)), ""))
        elif value != self.value(place) and not tells_itself(number, self.version):
            message = replace(message, fields=message.fields | {number: value})
        return self.hidden_alike(meaning(message, number, self.rows))

    def hidden_alike(self, text: str) -> str:
        """*text* about the message, with the card number masked as in its place: one that is longer than its
        element in a broken message would otherwise show more digits in the text."""
        pan = self.message.get(_PAN) if self.fault and _PAN in self.covered else ""
        return text.replace(mask_pan(pan), self.covered[_PAN][1]) if pan else text

    @cached_property
    def covered(self) -> dict[int, tuple[str, str]]:
        """Prefix and value of every place by number, at the same lengths, with card data masked."""
        pairs = cover(self.cells, self.version, broken=self.fault is not None, unread=self.unread)
        return {place.number: pair for place, pair in zip(self.places, pairs, strict=True)}

    @property
    def shown_text(self) -> str:
        """The text at the same length, with card data masked."""
        return "".join(prefix + value for prefix, value in self.covered.values())

    @property
    def shown_values(self) -> dict[int, str]:
        """The values by number, ready to show; hidden ones are described."""
        return {number: described(number, value, self.version) for number, (_, value) in self.covered.items()}

    @property
    def cells(self) -> list[Stretch]:
        """The places in the form that masking takes."""
        return [
            Stretch(place.number, self.raw[place.start : place.value_start], self.value(place))
            for place in self.places
        ]


_NAMES = {MTI_FIELD: MTI_NAME, BITMAP_FIELD: BITMAP_NAME, UNREAD: "unread"}
_FORMATS = {MTI_FIELD: MTI_FORMAT, UNREAD: ""}


def dissect(given: str | Reading, version: str | Spec | None = None, network: str | None = None) -> Anatomy:
    """The anatomy of a reading, or of a text form, valid or broken.

    A text is read as *version* (one, or the element table of a dialect; None reads it off the MTI).
    *network* None is the reading's, else the card's. Raises SpecError for an unknown version or network.
    """
    reading = read_text(given, version or version_of(given) or "1987") if isinstance(given, str) else given
    network = reading.network if network is None else network
    text, message, error = reading.text, reading.message, reading.error
    if text is not None and message is not None and error is None:
        places = tuple(Place(number, *place) for number, place in spans(message).items())
        return Anatomy(text, message.version, message, chosen_network(message, network), places)
    if reading.raw is not None and error is not None:
        return _broken(reading.raw, reading.table, error, network)
    return _in_pieces(reading, network)


def bitmap_width(raw: str) -> int:
    """The number of hex digits in the bitmap of *raw*: 16 or 32."""
    return (1 + bitmap.has_secondary(raw[MTI_WIDTH : MTI_WIDTH + 1])) * BITMAP_WIDTH


def _in_pieces(reading: Reading, network: str | None) -> Anatomy:
    """The anatomy of truncated bytes, or of elements that do not fit their lengths, which have no text
    form."""
    message = reading.message or Message("", {}, reading.version or "1987")
    numbers = [number for number in reading.announced if number <= bitmap.ALL_BITS]
    bits = bitmap.to_hex(numbers, secondary=message.has_secondary) if numbers else message.bitmap
    parts = [(MTI_FIELD, "", message.mti), (BITMAP_FIELD, "", bits)]
    for number, value in message.fields.items():
        width = message.spec[number].prefix
        parts.append((number, f"{len(value):0{width}}" if width else "", value))
    places, raw = [], ""
    for number, prefix, value in parts if reading.message else ():
        first = len(raw) + len(prefix)
        places.append(Place(number, len(raw), first, first + len(value)))
        raw += prefix + value
    findings = list(misfit_findings(reading))
    fault = findings[0] if findings and not reading.complete else None
    if fault is not None:
        left = (reading.data[reading.end :] or b"").hex().upper() if fault.field is None else ""
        number, state = (UNREAD, LEFT) if fault.field is None else (fault.field, FAULT)
        places.append(Place(number, len(raw), len(raw), len(raw) + len(left), state))
        raw += left
    name = chosen_network(message, network) if reading.message else network
    misfits = {} if fault else {finding.field: finding for finding in findings}
    unread = frozenset(numbers).difference(message.fields) if fault else frozenset[int]()
    head = raw, message.version, message, name, tuple(places), fault
    return Anatomy(*head, is_text=False, misfits=misfits, unread=unread)


def _broken(raw: str, version: str | Spec, error: ParseError, network: str | None) -> Anatomy:
    """The anatomy of a broken text: the elements read, the misfit, and the rest, which make up the text."""
    partial, edition = error.partial, table(version).version
    if partial is not None:
        message, network = partial, chosen_network(partial, network)
    else:  # input that is something else has no MTI
        mti = raw[:MTI_WIDTH] if error.offset is not None and is_digits(raw[:MTI_WIDTH]) else ""
        message = Message(mti, {}, edition)
    places = _read(raw, error)
    start = places[-1].end if places else 0
    if error.field is not None:
        places.append(_failing(raw, message, error.field, start))
        start = places[-1].end
    if error.field is None or start < len(raw):
        places.append(Place(UNREAD, start, start, len(raw), LEFT))
    fault, bits = framing_finding(error, version, raw=raw), raw[MTI_WIDTH : MTI_WIDTH + bitmap_width(raw)]
    known = bitmap.numbers(bits) if partial is not None and bitmap.HEX_DIGITS.issuperset(bits) else ()
    unread = frozenset(known).difference(message.fields)
    return Anatomy(raw, edition, message, network, tuple(places), fault, unread=unread)


def _read(raw: str, error: ParseError) -> list[Place]:
    if error.partial is None:
        return [Place(MTI_FIELD, 0, 0, MTI_WIDTH)] if error.field == BITMAP_FIELD else []
    # The bitmap announces more than was read, so it may have a second half.
    message = replace(error.partial, empty_secondary=bitmap_width(raw) > BITMAP_WIDTH)
    return [Place(number, *place) for number, place in spans(message).items()]


def _failing(raw: str, message: Message, number: int, start: int) -> Place:
    """The misfit: the place that the element should fill, or its faulty length prefix."""
    if number <= BITMAP_FIELD:
        end = MTI_WIDTH + (bitmap_width(raw) if number == BITMAP_FIELD else 0)
        return Place(number, start, start, min(end, len(raw)), FAULT)
    element = message.spec[number]
    first = min(start + element.prefix, len(raw))
    prefix = raw[start:first]
    legal = len(prefix) == element.prefix and is_digits(prefix) and int(prefix) <= element.width
    place = (first, len(raw)) if element.fixed or legal else (start, first)
    return Place(number, start, *place, FAULT)


@dataclass(frozen=True, slots=True)
class Difference:
    """An element in which two messages differ, with its place in each; None if missing there."""

    number: int
    a: Place | None
    b: Place | None


def differences(a: Anatomy, b: Anatomy) -> list[Difference]:
    """The elements that differ, by number, with the unread rest last. The bitmap is left out, because it only
    lists the elements.

    Examples
    --------
    >>> one, other = (dissect(f"08002020000000000000990000{stan}", "1987") for stan in ("123456", "123457"))
    >>> [found.number for found in differences(one, other)]
    [11]
    """
    places_a, places_b = ({place.number: place for place in side.places} for side in (a, b))
    changes = []
    for number in sorted({*places_a, *places_b} - {BITMAP_FIELD}, key=lambda number: (number < 0, number)):
        at_a, at_b = places_a.get(number), places_b.get(number)
        if not (at_a and at_b and (a.value(at_a), at_a.state) == (b.value(at_b), at_b.state)):
            changes.append(Difference(number, at_a, at_b))
    return changes


def masked_text(raw: str, version: str | Spec | None = None) -> str:
    """*raw*, valid or broken, at the same length, with card data masked; *version* may be the table of a
    dialect, None takes it from the MTI.

    Examples
    --------
    >>> masked_text("0100" + "4000000000000000" + "16" + "4111111111111111")
    '0100400000000000000016411111******1111'
    """
    return dissect(raw, version).shown_text
