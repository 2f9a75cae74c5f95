"""One candidate: a way to read a paste, with everything for and against it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import log2

from sim.codec import Message, ParseError
from sim.codec.wire.catalogue import interface_table
from sim.codec.wire.decode import read
from sim.codec.wire.formats import RAW, Format
from sim.codec.wire.pages import view
from sim.elements.card import read_track_2
from sim.errors import WireError
from sim.paste.anchors import Anchor
from sim.paste.front import Front, FrontLayer, network_headers
from sim.paste.padding import Padding, settle
from sim.paste.reading import TEXT, Reading
from sim.paste.search import UNREAD_ELEMENT, Search, State, Step
from sim.paste.spellings import Sighting
from sim.paste.ways import TriedFormat, Way
from sim.paste.weights import WEIGHTS
from sim.paste.worth import STARRED, starred
from sim.spec import version_of
from sim.spec.interfaces import told_by

# The layer after a message that another one follows, though no length says where it ends.
NEXT = "next"
OTHER_CARD = "DE 35 has another card number than DE 2"
PAGES_DIFFER = "the EBCDIC code pages differ in characters that it uses"
_STOPPED = WEIGHTS["stopped"]
_OWN = WEIGHTS["own"]
_OTHER_VERSION = WEIGHTS["other_version"]
_FAR, _NEARER = 12, 4
_FEW_ODD = 2
_FEW_LETTERS = 3
_MOST_ODD = 3
_FORMATS = 64
_PAN, _TRACK_2 = 2, 35
_SHOWN_OTHERWISE = {"ascii", "gbk"}
_PAGES_DIFFER = frozenset("[]^|!¢¬")
# Bits per byte in the simplest explanation of some bytes: digits, hex digits, capitals, printable characters.
_PLAIN = tuple(
    (cost, re.compile(what))
    for cost, what in ((3.4, rb"[0-9]*"), (4.1, rb"[0-9A-Fa-f]*"), (5.4, rb"[0-9A-Z ]*"), (6.1, rb"[ -~]*"))
)
_PACKED, _ANY = 6.7, 7.9
_HEX_DIGITS = b"0123456789ABCDEFabcdef"


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One reading to try: of which bytes, where, as what. `ahead` says that another message may follow."""

    reading: Sighting
    data: bytes
    skipped: tuple[str, ...]
    search: Search
    anchor: Anchor
    kind: TriedFormat
    version: str
    ahead: bool = True


@dataclass(eq=False)
class Candidate:
    """A way to read a paste. `score` is the number of bits saved; `evidence` is near 0 for a chance reading.
    `odd` is what a correct reading should not have, `unusual` what is allowed but not stated in the
    message."""

    job: Job
    state: State
    stop: int
    front: Front
    behind: FrontLayer | None
    confidence: str = "unsure"
    odd: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    score: float = 0.0
    # The same reading with characters in place of bytes: what is true of one is true of the other.
    plainer: Candidate | None = None

    def __post_init__(self) -> None:
        self.reading, self.data, self.skipped = self.job.reading, self.job.data, self.job.skipped
        self.anchor, self.kind, self.version = self.job.anchor, self.job.kind, self.job.version
        self.steps = self.state.steps()
        behind = [self.behind.odd] if self.behind and self.behind.odd else []
        self.odd += [*self.front.odd, *(step.odd for step in self.steps if step.odd), *behind]
        self._worth_of_bytes = self.state.score + self.front.bits + (self.behind.bits if self.behind else 0.0)
        score = self._worth_of_bytes + self.reading.saved
        score -= _OTHER_VERSION * self.foreign
        left = self.data[self.state.at :]
        if self.stop:
            self.odd.append(
                f"DE {self.stop} cannot be read at byte {self.state.at}, where {len(left)} bytes are left"
            )
            score -= _STOPPED + UNREAD_ELEMENT * sum(number >= self.stop for number in self.anchor.numbers)
        if self.reading.text and (self.stop or (self.behind and not self.behind.name)):
            # Unread hex digits are cheap in every other reading of the paste, so they are here, too.
            score += 4.0 * (len(left) - len(left.translate(None, _HEX_DIGITS)))
        # A loaded format is believed if the message has an element that only that format has so.
        if self.kind.own:
            numbers = self.kind.format.layout(self.version).own
            score += -_OWN if numbers.isdisjoint(step.number for step in self.steps) else _OWN
        self.score = score

    @cached_property
    def evidence(self) -> float:
        """The bits saved against the simplest explanation of the bytes read; if the reading does not fit, of
        the bytes before what spoils it: a damaged message is a message up to the damage."""
        bits = self._saved(self._worth_of_bytes, self.state.at)
        if self.fits:
            return bits
        at = ((score + self.front.bits, step.end) for step, score in self.state.trail())
        for most, end in sorted(at, reverse=True):
            if most <= bits:
                break  # the simplest explanation only lowers it
            bits = max(bits, self._saved(most, end))
        return bits

    def _saved(self, score: float, end: int) -> float:
        return score - (8 - plain_bits(self.data[:end])) * end

    @cached_property
    def padding(self) -> Padding:
        """The padding of packed numbers with an odd digit count."""
        return settle(self.steps, own=self.kind.own)

    @cached_property
    def message(self) -> Message:
        """The message, as far as it was read."""
        secondary = self.anchor.secondary and not any(number > 64 for number in self.anchor.numbers)
        values = dict(self.padding.values)
        layout = self.kind.format.layout(self.version)
        return Message(self.anchor.mti, values, self.version, secondary, layout.table_of(values))

    @cached_property
    def unusual(self) -> list[str]:
        """What is allowed but not stated in the message."""
        notes = [self.anchor.note] if self.anchor.note else []
        if self.foreign:
            notes.append(f"read with the lengths of {self.version}, but the MTI is {self.anchor.mti}")
        notes += [*self.dialect, *self.reading.notes, *self.padding.unsettled, *self.padding.doubtful]
        # An extra bit in the bitmap takes two bytes of another element for such a length.
        notes += [f"DE {step.number} is empty" for step in self.steps if step.start == step.end]
        texts = (step.value for step in self.steps if step.way.field.written.startswith("cp"))
        values = self.padding.values
        if starred(values):
            notes.append(STARRED)
        pan, track = values.get(_PAN, ""), read_track_2(values.get(_TRACK_2, ""))
        if pan.isdigit() and track is not None and track.pan.isdigit() and track.pan != pan:
            notes.append(OTHER_CARD)
        raw = {step.number: step.value for step in self.steps if step.way.field.written == RAW}
        notes += [
            f"DE {number} is binary, but made of letters" for number, value in raw.items() if _is_text(value)
        ]
        if any(_PAGES_DIFFER.intersection(value) for value in texts):
            notes.append(PAGES_DIFFER)
        return notes

    @property
    def foreign(self) -> bool:
        """Whether its version is not the one named by the first digit of the MTI."""
        return self.version != (version_of(self.anchor.mti) or "1987")

    @property
    def complete(self) -> bool:
        """Whether every element announced was read."""
        return not self.stop

    @cached_property
    def dialect(self) -> list[str]:
        """How elements differ from the format, each difference once."""
        return [note for note in dict.fromkeys(step.way.note for step in self.steps) if note]

    @cached_property
    def fits(self) -> bool:
        """Whether it reads to the end with nothing left over, and its framing is mostly understood."""
        left = self.behind is not None and not self.behind.name and self.behind.size
        far = _FAR if len(self.odd) < _FEW_ODD else _NEARER
        return self.complete and len(self.odd) < _MOST_ODD and not left and self.front.unknown <= far

    @property
    def goes_on(self) -> bool:
        """Whether another message follows though no length says so."""
        return self.behind is not None and self.behind.name == NEXT

    @property
    def is_text(self) -> bool:
        """Whether it is the text form, unchanged in the paste."""
        return self.reading.text and self.kind.format.name == "ascii" and not self.dialect

    @property
    def layers(self) -> tuple[str, ...]:
        """The kinds of framing before the message, outermost first."""
        return tuple(layer.name for layer in self.front.layers)

    @property
    def framing(self) -> tuple[str, ...]:
        """The framing of the message in words, outermost first."""
        labels = [layer.label for layer in self.front.layers]
        if self.behind and self.behind.label:
            labels.append(self.behind.label)
        return (*self.skipped, *labels)

    @property
    def name(self) -> str:
        """The format's name; `text` for the text form."""
        return TEXT if self.is_text else self.kind.format.name

    @property
    def title(self) -> str:
        """The format in words, with its padding."""
        words = "text form" if self.is_text else self.kind.format.title
        return ", ".join([words, *self.padding.said])

    @cached_property
    def format(self) -> Format:
        """The format with all deviations of this message: it reads and writes exactly these bytes."""
        ways = tuple((step.number, step.way) for step in self.steps if step.way.change)
        padded = tuple(self.padding.elements.items())
        return _written(self.kind, self.version, ways, padded, tuple(self.padding.groups.items()))

    @property
    def spans(self) -> dict[int, tuple[int, int, int]]:
        """The place of each element in `data`: start of its prefix, start of its value, end, in bytes; 0 is
        the MTI, 1 the bitmap."""
        page = self.anchor.head[0]
        bits = self.anchor.at + (2 if page == "bcd" else 4)
        places = {0: (self.anchor.at, self.anchor.at, bits), 1: (bits, bits, self.anchor.end)}
        return places | {step.number: (step.at, step.start, step.end) for step in self.steps}

    @cached_property
    def error(self) -> ParseError | None:
        """The reader's error where reading stops, at the byte of the paste; None if it reads to the end."""
        if self.complete:
            return None
        end = len(self.data) - (self.behind.size if self.behind else 0)
        try:
            read(self.data[self.anchor.at : end], self.format, self.version)
        except WireError as error:
            # The reader counts from the first byte of the message, a person from that of the paste.
            at = None if error.offset is None else error.offset + self.anchor.at
            return WireError(error.field, at, error.expected, error.found, error.partial)
        # The reader accepts values that the guess rejects.
        expected = f"DE {self.stop} as links write it"
        return WireError(self.stop, self.state.at, expected, f"{end - self.state.at} bytes of something else")


@lru_cache(maxsize=_FORMATS)
def _written(
    kind: TriedFormat,
    version: str,
    ways: tuple[tuple[int, Way], ...],
    padded: tuple[tuple[int, str], ...],
    groups: tuple[tuple[str, str], ...],
) -> Format:
    """The format of *kind* with elements written in other *ways* or *padded* differently. Links write all
    messages alike, and making a layout takes longer than reading with it."""
    base = kind.format
    changed = {number: dict(row) for number, row in base.elements.items()}
    for number, way in ways:
        changed[number] = {**changed.get(number, {}), **(way.change or {})}
    for number, odd in padded:
        changed[number] = {**changed.get(number, {}), "odd": odd}
    return base.with_(elements=changed, odd={**base.odd, **dict(groups)}, version=version)


def of_candidate(candidate: Candidate) -> Reading:
    """Return a candidate as a Reading."""
    end = candidate.state.at
    return Reading(
        message=_on_its_interface(candidate),
        spelling=candidate.reading.name,
        framing=candidate.framing,
        layers=candidate.front.layers,
        format=candidate.name,
        title=candidate.title,
        written=candidate.format,
        version=candidate.version,
        data=candidate.data,
        ahead=network_headers(candidate.reading.data)[0],
        start=candidate.anchor.at,
        end=end,
        spans=candidate.spans,
        as_text=candidate.reading.text,
        announced=candidate.anchor.numbers,
        read=end,
        size=len(candidate.data),
        complete=candidate.complete,
        confidence=candidate.confidence,
        reasons=tuple(candidate.reasons),
        misfits=(candidate.error,) if candidate.error else (),
        origin=candidate,
    )


def _on_its_interface(one: Candidate) -> Message:
    """The message on the interface that its signs reveal, if its format alone does not. A format of an
    interface that stops before the end of the message reveals none."""
    message, own = one.message, one.message.dialect
    if own is not None and (one.complete or one.kind.own or not own.interface):
        return message
    name = told_by(one.name, message.version, message.fields, one.layers)
    if own is None:
        return replace(message, dialect=interface_table(name, message.version)) if name else message
    return message if name == own.interface else replace(message, dialect=replace(own, interface=""))


def plain_bits(data: bytes) -> float:
    """Return the bits per byte of the simplest explanation of *data*."""
    size = len(data) or 1
    entropy = sum(-count * log2(count / size) for count in Counter(data).values()) / size + 2.0
    ebcdic = view(data, "cp037").encode("latin-1", "replace")
    for cost, what in _PLAIN:
        if what.fullmatch(data) or what.fullmatch(ebcdic):
            return min(cost, entropy)
    return min(_PACKED if data.hex().isdigit() else _ANY, entropy)


def _is_text(value: str) -> bool:
    """Whether the bytes of *value* are letters and digits, and not hex digits alone, as some MACs are."""
    data = bytes.fromhex(value)
    return data.isalnum() and len(data) > _FEW_LETTERS and bool(data.strip(_HEX_DIGITS))


def same(candidate: Candidate, other: Candidate) -> bool:
    """Whether two candidates have the same MTI and values, regardless of padding, letter case, and whether
    bytes are shown as hex or characters."""
    if candidate.anchor.mti != other.anchor.mti or len(candidate.steps) != len(other.steps):
        return False
    return all(
        first.number == second.number and _alike(first, second)
        for first, second in zip(candidate.steps, other.steps, strict=True)
    )


def _alike(first: Step, second: Step) -> bool:
    written = {first.way.field.written, second.way.field.written}
    # ASCII shows Chinese characters, too, as characters that do not print.
    alike = len(written) == 1 or written == _SHOWN_OTHERWISE
    if first is second or (alike and (first.start, first.end) == (second.start, second.end)):
        return True
    mine = {_plain(value) for _, value in first.values}
    theirs = {_plain(value) for _, value in second.values}
    if mine & theirs:
        return True
    # Upper case changes bytes that are not letters.
    hexed = {_hex(value) for _, value in first.values}, {_hex(value) for _, value in second.values}
    return bool(hexed[0] & theirs or hexed[1] & mine)


def _plain(value: str) -> str:
    return value.upper().replace("=", "D")


def _hex(value: str) -> str:
    return value.encode("latin-1", "replace").hex().upper()
