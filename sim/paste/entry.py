"""The guess itself: the text form first, then elements named in the paste, then bytes in every notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from sim.codec import Message, ParseError, parse
from sim.codec.text import strip_line_ending
from sim.codec.wire import Format, wire_format
from sim.paste.anchors import strangeness
from sim.paste.beside import recognized, what_else
from sim.paste.blocks import blocks, paragraphs
from sim.paste.candidate import Candidate, of_candidate, same
from sim.paste.confidence import believable, judge
from sim.paste.pipeline import Known, as_first, candidates, following
from sim.paste.reading import (
    AS_IT_STANDS,
    HEX_OF_OTHERS,
    LIKELY,
    SURE,
    TEXT,
    UNSURE,
    Reading,
    is_hexed,
    of_no_message,
    of_text,
)
from sim.paste.search import Work
from sim.paste.spelled import fits_at_all, read_named
from sim.paste.spellings import (
    AS_UTF8,
    GIVEN,
    MOST_CHARACTERS,
    Named,
    Sighting,
    is_legible,
    named_messages,
    narrowed,
    narrowed_utf8,
    sighting_named,
    sightings,
    worded,
)
from sim.paste.spellings.dictionaries import is_json, texts
from sim.paste.spellings.element_log import mti_said
from sim.paste.ways import TriedFormat
from sim.paste.worth import STARRED, oddities, starred
from sim.spec import VERSIONS, version_of
from sim.spec.spellings import version_named
from sim.spec.words import AnyVersion

_FEWEST = 2
_COMPARED = 7  # messages after the first of a series, to choose one
_MOST_PARTS = 200
_MOST_APART = 8
# Readings that may be text again: how many are tried, and their size in bytes.
_MOST_TWICE, _SHORTEST, _LONGEST = 3, 24, 8192
# Work for all parts unlike the first one; searching each of them in every notation takes some, too.
_MOST_OTHERS, _A_PART = 1000, 50
_HEX = re.compile(r"[0-9A-Fa-f]+")
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1f]")
_HEAD = re.compile(r"(?:0[1-8]|1[1-8])[0-9]{2}[0-9A-Fa-f]{16}")
_LEFT = re.compile("the data after message [0-9]+ cannot be read")


def guess(
    data: str | bytes, *, format: Format | str | None = None, version: AnyVersion | None = None
) -> Reading:
    """Identify pasted data: its notation, framing and format, and the message in it.

    Parameters
    ----------
    data : str or bytes
        A message in any notation: the text form, hex, a dump, a literal, base64, a log line, jPOS XML, JSON;
        or its bytes themselves. Only the first 65,536 characters or bytes are read.
    format : Format or str, optional
        The format, or its name, if known; then only notation and framing are guessed. `text` means the text
        form only. None tries the built-in formats and those that were loaded.
    version : str, optional
        The version of ISO 8583 to read by; None is that of the MTI, or whichever fits.

    Returns
    -------
    Reading
        The best one, with its reasons; `rivals` are other ways to read the same, `more` the further messages
        of the paste. Its confidence is `none` for what is no ISO 8583 message.

    Raises
    ------
    TypeError
        *data* is neither text nor bytes.
    SpecError
        Unknown format.
    ChoiceError
        Unknown version.

    Examples
    --------
    >>> guess("0800 2020 0000 0000 0000 9900 0012 3456").read_as
    'hex, BCD, odd digits padded left, likely'
    """
    context = _known_options(format, version)
    if isinstance(data, bytes | bytearray | memoryview):
        return _of_bytes(narrowed(bytes(data[:MOST_CHARACTERS])), context)
    if not isinstance(data, str):
        raise TypeError(f"a paste is a str or bytes, not {type(data).__name__}")
    if "\0" in data[:2]:
        data = narrowed(data[:MOST_CHARACTERS].encode("latin-1", "replace")).decode("latin-1")
    bare = strip_line_ending(data[:MOST_CHARACTERS].lstrip("\ufeff"))
    if format == TEXT:
        return _text_form(bare, context, hexed=False) or of_no_message(
            TEXT, ("no text form that reads to its end",)
        )
    if context.kinds:
        return _of_sightings(sightings(bare), bare, context)
    raw = bare.encode("latin-1", "replace") if _CONTROL.search(bare) else b""
    return _proven(bare, _of_text(bare, context, raw=raw))


def _proven(text: str, reading: Reading) -> Reading:
    """Return *reading*, or what *text* is by its shape if the message is not believed."""
    if not reading.believed and (verdict := recognized(text, proof=True)):
        return of_no_message(reading.spelling, verdict.reasons, kind=verdict.kind, part=verdict.part)
    return reading


def _known_options(format: Format | str | None, version: AnyVersion | None) -> Known:
    if version is not None:
        version = version_named(version)
    if format is None or format == TEXT:
        return Known((), version)
    fmt = wire_format(format)
    return Known((TriedFormat(fmt, 0.0),), fmt.version or version)


def _of_bytes(data: bytes, asked: Known) -> Reading:
    """Guess bytes, which may be the bytes of text."""
    if is_legible(data) and not asked.kinds:
        text = data.decode("latin-1")
        return _proven(text, _of_text(text, asked, raw=data))
    reading = _of_sightings([Sighting(GIVEN, data, 0.0)], data.hex(), asked)
    return reading if asked.kinds else _proven(data.hex(), reading)


def _of_text(bare: str, asked: Known, *, enclosed: bool = False, raw: bytes = b"") -> Reading:
    """Guess the text *bare*; *raw* are its bytes, if those were given. Text *enclosed* in another paste is
    not parsed as JSON."""
    if form := _text_form(bare, asked):
        return form
    if not enclosed and bare.lstrip()[:1] in ("{", "["):
        inside = (
            _within(f"JSON {key}: ", _of_text(value, asked, enclosed=True)) for key, value in texts(bare)
        )
        if read := [part for part in inside if part.message is not None]:
            return _together(read[0], read)
    record = not enclosed and is_json(bare)
    if elements := _all_named(bare):
        spelled = _each(elements)
        # Values that do not fit their elements are notes on the bytes next to them.
        beside = _of_sightings(sightings(bare), bare, asked) if spelled.misfits else spelled
        alike = beside.mti == spelled.mti and (beside.believed or _agrees(beside, spelled))
        return beside if alike else spelled
    lines = [] if record else [line for line in bare.splitlines() if line.strip()]
    by_line, is_whole = _line_by_line(lines, asked) if len(lines) > 1 else (None, False)
    if by_line and is_whole:
        return by_line
    all_sightings = [*sightings(bare), *([Sighting(GIVEN, raw, 0.0)] if raw else ())]
    reading = _of_sightings(all_sightings, bare, asked)
    # Lines that the whole does not read: the second message is perhaps damaged.
    left = len(reading.messages) < len(lines) - 1 and any(map(_LEFT.match, reading.reasons))
    if by_line and (left or not reading.believed) and _HEX.fullmatch(lines[0].strip()):
        return by_line
    if not record:
        reading = _with_parts(_with_parts(reading, blocks(lines), asked), paragraphs(bare), asked)
    if reading.believed and "dump" not in reading.spelling:
        reading = _with_parts(reading, lines, asked)
    elif not reading.believed and len(readings := list(_lines_apart(lines, asked))) > 1:
        return replace(readings[0], more=tuple(readings[1:]))
    if reading.believed or enclosed:
        return reading
    if twice := next(_written_twice(all_sightings, bare, asked), None):
        return twice
    named = [message for part in paragraphs(bare) for message in _all_named(part)] or worded(bare)
    return _each(named) if named else reading


def _line_by_line(lines: list[str], asked: Known) -> tuple[Reading | None, bool]:
    """Read *lines* that are written like the first, damaged ones as far as they read; None if the first is no
    message. Also returns whether all are messages, as after a text form, which continues in no other line."""
    form = _text_form(lines[0].strip(), asked)
    first = form or _of_sightings(sightings(lines[0]), lines[0], asked)
    if not form and not first.believed:
        return None, False
    reading = _with_parts(first, lines, asked, lines=True)
    return reading, bool(form) or len(reading.messages) >= min(len(lines), _MOST_PARTS)


def _lines_apart(lines: list[str], asked: Known) -> Iterator[Reading]:
    """Yield the messages of lines that each have one that reads to its end, whatever surrounds it; none
    unless all lines that start like a message do."""
    head_lines = [line for line in lines if _HEAD.search(line)]
    if not 1 < len(head_lines) <= _MOST_APART:
        return
    readings = [_of_text(line.strip(), replace(asked, work=None), enclosed=True) for line in head_lines]
    if all(reading.complete for reading in readings):
        pairs = zip(head_lines, readings, strict=True)
        yield from (replace(reading, given=line, more=()) for line, reading in pairs)


def _each(elements: Sequence[Named]) -> Reading:
    first, *others = map(read_named, elements)
    return replace(first, more=tuple(others))


def _written_twice(seen: list[Sighting], text: str, asked: Known) -> Iterator[Reading]:
    """Yield readings of bytes *seen* in *text* that are text again: hex of hex digits, base64 of a dump; or
    bytes that were encoded as UTF-8 characters."""
    asked = replace(asked, work=Work(_MOST_OTHERS))
    for sighting in [candidate for candidate in seen if not candidate.text][:_MOST_TWICE]:
        inner = sighting.data
        if not _SHORTEST <= len(inner) <= _LONGEST:
            continue
        if is_legible(inner, 1.0):
            reading = _of_text(inner.decode("latin-1"), asked, enclosed=True)
        elif bare := narrowed_utf8(inner):
            reading = _of_sightings(
                [replace(sighting, data=bare, notes=(*sighting.notes, AS_UTF8))], text, asked
            )
        else:
            continue
        if reading.believed:
            yield _within(f"{sighting.name}: ", reading) if inner.isascii() else reading


def _all_named(text: str) -> list[Named]:
    """Return the messages whose elements *text* names with at least one valid value; if there is only one,
    those of its paragraphs or of the lines with an MTI, if more."""
    messages = list(filter(fits_at_all, named_messages(text)))
    if len(messages) != 1:
        return messages
    for parts in (paragraphs(text), list(filter(mti_said, text.splitlines()))):
        by_part = list(filter(fits_at_all, chain.from_iterable(map(named_messages, parts[:_MOST_PARTS]))))
        if len(by_part) > 1 and any(part.fields.keys() <= messages[0].fields.keys() for part in by_part):
            return by_part
    return messages


def _with_parts(reading: Reading, parts: list[str], asked: Known, *, lines: bool = False) -> Reading:
    """Return what the *reading* paste is, or, if that is not believed, one of its first parts, with the
    messages of all parts that are written alike. Together they take no more work than one paste. If the
    parts are *lines*, each is a message, damaged ones as far as they read."""
    if len(parts) < _FEWEST:
        return reading
    first = reading
    if not reading.believed:
        tried = (_of_text(part, asked, enclosed=True) for part in parts[:_FEWEST])
        first = next((trial for trial in tried if trial.believed), reading)
        if not first.believed:
            return reading
    # Both ends of a link use the same format.
    alike = replace(
        _known_options(first.written or "ascii", asked.version),
        work=Work(_MOST_OTHERS),
        searches=asked.searches,
    )
    read = [(part, _part(first, part.strip("\r\n"), alike, lines)) for part in parts[:_MOST_PARTS]]
    pairs = [
        (part, message)
        for part, result in read
        if result
        for message in result.messages
        if lines or message.believed or (message.complete and _HEAD.search(part))
    ]
    messages = [replace(message, given=part, more=()) for part, message in pairs]
    if lines:
        return replace(first, more=tuple(messages[1:]))
    # Words between messages, and line ends within them, make parts harder to read than the whole.
    if _distinct_count(messages) < _distinct_count(reading.messages):
        return reading
    place = next((at for at, message in enumerate(messages) if _says_the_same(message, first)), None)
    if place is None:
        return _together(first, messages)
    if place:  # a later message, which saves more bits, was taken for the whole paste
        again = _of_text(pairs[0][0], asked, enclosed=True)
        first = again if again.believed else messages[0]
    return replace(first, more=tuple(_once(messages)[1:]))


def _distinct_count(messages: Sequence[Reading]) -> int:
    """The number of different messages among *messages*."""
    return len({(reading.mti, *reading.message.fields.items()) for reading in messages if reading.message})


def _once(messages: list[Reading]) -> list[Reading]:
    """The *messages* of parts: one sent twice appears twice, one shown in two notations once."""

    def shown_before(at: int, message: Reading) -> bool:
        others = (other for other in messages[:at] if other.spelling != message.spelling)
        return any(_says_the_same(message, other) for other in others)

    return [message for at, message in enumerate(messages) if at == 0 or not shown_before(at, message)]


def _part(first: Reading, part: str, alike: Known, lines: bool) -> Reading | None:
    """Read a *part* of a paste whose *first* message is known."""
    if reading := _text_form(part, alike) or _as_first(first, part):
        return reading
    as_far = _as_first(first, part, whole=False) if lines else None
    work = alike.work or Work()
    if not work.done and not (as_far and as_far.complete and as_far.end == len(as_far.data)):
        work.left -= _A_PART
        reading = _of_text(part, alike, enclosed=True)
        if reading.message or not lines:
            return reading
    return as_far


def _as_first(first: Reading, text: str, *, whole: bool = True) -> Reading | None:
    """Read the messages in *text* if it is spelled, framed and written like *first*, else return None; if it
    need not be *whole*, as far as it reads."""
    origin = first.origin
    if not isinstance(origin, Candidate) or origin.skipped:
        return None
    sighting = sighting_named(text, origin.reading.name)
    candidate = as_first(origin, sighting, sighting.data, whole=whole) if sighting else None
    if candidate is None or not candidate.steps:
        return None
    if not whole:
        return of_candidate(candidate)
    if not candidate.fits or candidate.odd or candidate.layers != origin.layers:
        return None
    return replace(of_candidate(candidate), more=tuple(map(of_candidate, following(candidate))))


def _within(around: str, reading: Reading) -> Reading:
    """Return *reading* with what is *around* it added to its spelling."""
    rivals, more = (
        tuple(replace(other, spelling=f"{around}{other.spelling}") for other in some)
        for some in (reading.rivals, reading.more)
    )
    return replace(reading, spelling=f"{around}{reading.spelling}", rivals=rivals, more=more)


def _together(first: Reading, others: Sequence[Reading]) -> Reading:
    """Return *first* with the other messages of the paste, each once."""
    messages = list(first.messages)
    for reading in (message for other in others for message in other.messages):
        if reading.believed and not any(_says_the_same(reading, other) for other in messages):
            messages.append(replace(reading, more=()))
    return replace(first, more=tuple(messages[1:]))


def _agrees(reading: Reading, other: Reading) -> bool:
    """Whether a whole message has every value of another one."""
    mine, theirs = reading.message, other.message
    return reading.complete and bool(mine and theirs and theirs.fields.items() <= mine.fields.items())


def _says_the_same(reading: Reading, other: Reading) -> bool:
    """Whether two messages are equal, regardless of the formats they were read by."""
    mine, theirs = reading.message, other.message
    return mine is not None and theirs is not None and (mine.mti, mine.fields) == (theirs.mti, theirs.fields)


def _text_form(text: str, asked: Known, *, hexed: bool = True) -> Reading | None:
    """Read a text form to its end, or, if it may be *hexed*, the bytes that its digits more likely are; None
    for other text."""
    if not (text[:4].isascii() and text[:4].isdigit()):
        return None
    try:
        message = parse(text, asked.version or version_of(text[:4]) or VERSIONS[0])
    except ParseError:
        return None
    reasons = [*oddities(message), *(STARRED,) * starred(message.fields)]
    otherwise = as_hex(text, message, asked) if hexed else None
    if otherwise and otherwise.message is not None:
        return otherwise
    if reasons and is_hexed(text):
        reasons.append(HEX_OF_OTHERS)
    if len(message.fields) < _FEWEST:
        reasons.append("few elements, so little to check")
    if not reasons and otherwise:
        reasons += otherwise.reasons
    confidence = LIKELY if len(reasons) == 1 else UNSURE if reasons else SURE
    return of_text(text, message, confidence, tuple(reasons) or AS_IT_STANDS)


def as_hex(text: str, message: Message, asked: Known | None = None) -> Reading | None:
    """Read the text form of *message* as the hex of bytes, if that is more likely; if it is less likely,
    return no message and the reason why the text form is not sure. None if there is no other reading."""
    if not is_hexed(text):
        return None
    # The MTI of the text form is that of the bytes, too.
    at = None if strangeness(message.mti) is None else 0
    search_context = replace(asked or Known(), kinds=(), work=None, at=at)
    hex_candidates, _ = candidates([Sighting("hex", bytes.fromhex(text), 0.0)], search_context)
    clean = [candidate for candidate in hex_candidates if candidate.fits and not candidate.odd]
    rivals = [candidate for candidate in clean if candidate.message.fields != message.fields]
    if not rivals:
        return None
    best = max(rivals, key=lambda candidate: candidate.evidence)
    reason = f"read as hex digits, it is {best.title} as well, with other values"
    plain, _ = candidates([Sighting(TEXT, text.encode(), 0.0)], search_context)
    as_said = (
        candidate.evidence
        for candidate in plain
        if not candidate.odd and candidate.message.fields == message.fields
    )
    if best.evidence <= max(as_said, default=0.0):
        return of_no_message(TEXT, (reason,))
    judge(best, [candidate for candidate in rivals if candidate is not best])
    read = of_candidate(best)
    form = of_text(text, message, UNSURE, (reason,))
    as_form = "the text form reads to its end as well, with other values"
    if read.confidence == SURE:
        return replace(read, confidence=LIKELY, reasons=(as_form,), rivals=(form,))
    return replace(read, reasons=(*read.reasons, as_form), rivals=(form,))


def _of_sightings(all_sightings: list[Sighting], text: str, asked: Known) -> Reading:
    kept, layers = candidates(all_sightings, asked)
    kept.sort(key=believable, reverse=True)
    if not kept or not believable(kept[0]):
        kind, why, part = what_else(all_sightings, text, layers)
        odd = tuple(kept[0].odd[:2]) if kept and not kind else ()
        return of_no_message(all_sightings[0].name, (*why, *odd), (layers,) * bool(layers), kind, part)
    more = _in_order(kept)
    behind = more[-1].behind if more else None
    if behind and behind.size and behind.name not in ("line-end", "fill", "etx"):
        kept[0].unusual.append(f"the data after message {len(more) + 1} cannot be read")
    # Another message of the paste is not a rival reading of this one.
    readings = [other for other in kept if not any(same(other, message) for message in more)]
    for read in kept:
        judge(read, readings)
    for read in kept[1:]:
        if kept[0].confidence == SURE:
            read.confidence = UNSURE
        elif read.confidence == SURE:
            read.confidence = LIKELY
    best, *rivals = map(of_candidate, kept)
    return replace(best, rivals=tuple(rivals), more=tuple(map(of_candidate, more)))


def _in_order(kept: list[Candidate]) -> list[Candidate]:
    """Return the messages after the first one, which is moved to the front: a later one may save more bits,
    and a series in which nothing is odd explains more than a reading that has something odd."""
    best, ranks = kept[0], dict[int, tuple[int, float]]()
    sent = best.data[best.anchor.at : best.state.at]
    for place, candidate in enumerate(kept):
        if place and (candidate.odd or not candidate.fits):
            continue
        series = [candidate, *islice(following(candidate), _COMPARED)]
        ahead = len(candidate.data) if place and sent in candidate.data[candidate.state.at :] else 0
        if not place or (series[1:] and (ahead or best.odd or same(best, candidate))):
            ranks[place] = ahead, sum(message.evidence for message in series)
    first = kept.pop(max(ranks, key=ranks.__getitem__))
    kept.insert(0, first)
    return list(following(first))
