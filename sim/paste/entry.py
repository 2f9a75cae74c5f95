"""The guess itself: the text form first, then elements named in the paste, then bytes in every notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sim.codec import Message, ParseError, parse
from sim.codec.wire import Format, wire_format
from sim.paste.anchors import strangeness
from sim.paste.beside import recognized, what_else
from sim.paste.blocks import blocks, paragraphs
from sim.paste.candidate import Candidate, of_candidate, same
from sim.paste.confidence import believable, judge
from sim.paste.pipeline import Known, as_first, candidates, following
from sim.paste.reading import (
    AS_IT_STANDS,
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
from sim.paste.spelled import fits_at_all, oddities, read_named
from sim.paste.spellings import (
    AS_UTF8,
    GIVEN,
    MOST_CHARACTERS,
    Named,
    Sighting,
    is_legible,
    named,
    narrowed,
    narrowed_utf8,
    sighting_named,
    sightings,
    worded,
)
from sim.paste.spellings.dictionaries import is_json, texts
from sim.paste.ways import TriedFormat
from sim.paste.worth import STARRED, starred
from sim.spec import VERSIONS, version_of
from sim.spec.spellings import version_named
from sim.spec.words import AnyVersion

_FEWEST = 2
_MOST_PARTS = 200
_MOST_APART = 8
# Readings that may be text again: how many are tried, and their size in bytes.
_MOST_TWICE, _SHORTEST, _LONGEST = 3, 24, 8192
# Work for all parts unlike the first one; searching each of them in every notation takes some, too.
_MOST_OTHERS, _A_PART = 1000, 50
_HEX = re.compile(r"[0-9A-Fa-f]+")
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
    asked = _asked(format, version)
    if isinstance(data, bytes | bytearray | memoryview):
        return _of_bytes(narrowed(bytes(data[:MOST_CHARACTERS])), asked)
    if not isinstance(data, str):
        raise TypeError(f"a paste is a str or bytes, not {type(data).__name__}")
    if "\0" in data[:2]:
        data = narrowed(data[:MOST_CHARACTERS].encode("latin-1", "replace")).decode("latin-1")
    bare = data[:MOST_CHARACTERS].lstrip("\ufeff").removesuffix("\n").removesuffix("\r")
    if format == TEXT:
        return _text_form(bare, asked, hexed=False) or of_no_message(
            TEXT, ("no text form that reads to its end",)
        )
    if asked.kinds:
        return _of_sightings(sightings(bare), bare, asked)
    return _proven(bare, _of_text(bare, asked))


def _proven(text: str, found: Reading) -> Reading:
    """Return *found*, or what *text* is by its shape if the message is not believed."""
    if not found.believed and (known := recognized(text, proof=True)):
        return of_no_message(found.spelling, (known[1],), kind=known[0])
    return found


def _asked(format: Format | str | None, version: AnyVersion | None) -> Known:
    if version is not None:
        version = version_named(version)
    if format is None or format == TEXT:
        return Known((), version)
    made = wire_format(format)
    return Known((TriedFormat(made, 0.0),), made.version or version)


def _of_bytes(data: bytes, asked: Known) -> Reading:
    """Guess bytes, which may be the bytes of text."""
    if is_legible(data) and not asked.kinds:
        text = data.decode("latin-1")
        return _proven(text, _of_text(text, asked, raw=data))
    found = _of_sightings([Sighting(GIVEN, data, 0.0)], data.hex(), asked)
    return found if asked.kinds else _proven(data.hex(), found)


def _of_text(bare: str, asked: Known, *, enclosed: bool = False, raw: bytes = b"") -> Reading:
    """Guess the text *bare*; *raw* are its bytes, if those were given. Text *enclosed* in another paste is
    not parsed as JSON."""
    if found := _text_form(bare, asked):
        return found
    if not enclosed and bare.lstrip()[:1] in ("{", "["):
        inside = (
            _within(f"JSON {key}: ", _of_text(value, asked, enclosed=True)) for key, value in texts(bare)
        )
        if read := [one for one in inside if one.message is not None]:
            return _together(read[0], read)
    record = not enclosed and is_json(bare)
    if elements := _all_named(bare):
        spelled = _each(elements)
        # Values that do not fit their elements are notes on the bytes next to them.
        beside = _of_sightings(sightings(bare), bare, asked) if spelled.misfits else spelled
        return beside if beside.believed and beside.mti == spelled.mti else spelled
    lines = [] if record else [line for line in bare.splitlines() if line.strip()]
    if len(lines) > 1 and (first := _text_form(lines[0].strip(), asked)):
        return _with_parts(first, lines, asked, lines=True)
    seen = [*sightings(bare), *([Sighting(GIVEN, raw, 0.0)] if raw else ())]
    whole = _of_sightings(seen, bare, asked)
    # Lines that the whole does not read: the second message is perhaps damaged.
    left = len(whole.messages) < len(lines) - 1 and any(map(_LEFT.match, whole.reasons))
    if len(lines) > 1 and (left or not whole.believed) and _HEX.fullmatch(lines[0].strip()):
        first = _of_sightings(sightings(lines[0]), lines[0], asked)
        if first.believed:
            return _with_parts(first, lines, asked, lines=True)
    if not record:
        in_blocks = _with_parts(whole, blocks(lines), asked)
        in_paragraphs = _with_parts(in_blocks, paragraphs(bare), asked)
        # Words between messages make their paragraphs harder to read than their own lines.
        fewer = in_blocks is not whole and len(in_paragraphs.messages) < len(in_blocks.messages)
        whole = in_blocks if fewer else in_paragraphs
    if whole.believed and "among" in whole.spelling:
        whole = _with_parts(whole, lines, asked)
    elif not whole.believed and len(apart := list(_lines_apart(lines, asked))) > 1:
        return replace(apart[0], more=tuple(apart[1:]))
    if whole.believed or enclosed:
        return whole
    twice = next(_written_twice(seen, bare, asked), None)
    return twice or (_each(words) if (words := worded(bare)) else whole)


def _lines_apart(lines: list[str], asked: Known) -> Iterator[Reading]:
    """Yield the messages of lines that each have one that reads to its end, whatever surrounds it; none
    unless all lines that start like a message do."""
    begun = [line for line in lines if _HEAD.search(line)]
    if not 1 < len(begun) <= _MOST_APART:
        return
    found = [_of_text(line.strip(), replace(asked, work=None), enclosed=True) for line in begun]
    if all(one.complete for one in found):
        yield from (replace(one, more=()) for one in found)


def _each(elements: Sequence[Named]) -> Reading:
    first, *others = map(read_named, elements)
    return replace(first, more=tuple(others))


def _written_twice(seen: list[Sighting], text: str, asked: Known) -> Iterator[Reading]:
    """Yield readings of bytes *seen* in *text* that are text again: hex of hex digits, base64 of a dump; or
    bytes that were encoded as UTF-8 characters."""
    asked = replace(asked, work=Work(_MOST_OTHERS))
    for sighting in [one for one in seen if not one.text][:_MOST_TWICE]:
        inner = sighting.data
        if not _SHORTEST <= len(inner) <= _LONGEST:
            continue
        if is_legible(inner, 1.0):
            found = _of_text(inner.decode("latin-1"), asked, enclosed=True)
        elif bare := narrowed_utf8(inner):
            found = _of_sightings(
                [replace(sighting, data=bare, notes=(*sighting.notes, AS_UTF8))], text, asked
            )
        else:
            continue
        if found.believed:
            yield _within(f"{sighting.name}: ", found) if inner.isascii() else found


def _all_named(text: str) -> list[Named]:
    """Return the messages whose elements *text* names with at least one valid value; if there is only one,
    those of its paragraphs, if more."""
    found = [one for one in named(text) if fits_at_all(one)]
    if len(found) != 1:
        return found
    apart = [one for part in paragraphs(text) for one in named(part)]
    whole = any(one.fields == found[0].fields for one in apart)
    return apart if whole and len(apart) > 1 else found


def _with_parts(whole: Reading, parts: list[str], asked: Known, *, lines: bool = False) -> Reading:
    """Return what the *whole* paste is, or, if that is not believed, one of its first parts, with the
    messages of all parts that are written alike. Together they take no more work than one paste. If the
    parts are *lines*, each is a message, damaged ones as far as they read."""
    if len(parts) < _FEWEST:
        return whole
    first = whole
    if not whole.believed:
        tried = (_of_text(part, asked, enclosed=True) for part in parts[:_FEWEST])
        first = next((one for one in tried if one.believed), whole)
        if not first.believed:
            return whole
    # Both ends of a link use the same format.
    alike = replace(
        _asked(first.written or "ascii", asked.version), work=Work(_MOST_OTHERS), searches=asked.searches
    )
    read = [(part, _part(first, part.strip("\r\n"), alike, lines)) for part in parts[:_MOST_PARTS]]
    found = [(part, one) for part, made in read if made for one in made.messages if lines or one.believed]
    messages = [replace(one, more=()) for _, one in found]
    if lines:
        return replace(first, more=tuple(messages[1:]))
    if messages and _says_the_same(messages[0], first):
        return replace(first, more=tuple(_once(messages)[1:]))
    if any(_says_the_same(one, first) for one in messages[1:]):
        # A later message, which saves more bits, was taken for the whole paste.
        again = _of_text(found[0][0], asked, enclosed=True)
        first = replace(again if again.believed else messages[0], more=())
        return replace(first, more=tuple(_once(messages)[1:]))
    return _together(first, messages)


def _once(messages: list[Reading]) -> list[Reading]:
    """The *messages* of parts: one sent twice appears twice, one shown in two notations once."""
    return [
        one
        for at, one in enumerate(messages)
        if at == 0
        or (
            one.believed
            and not any(
                _says_the_same(one, other) and one.spelling != other.spelling for other in messages[:at]
            )
        )
    ]


def _part(first: Reading, part: str, alike: Known, lines: bool) -> Reading | None:
    """Read a *part* of a paste whose *first* message is known."""
    if one := _text_form(part, alike) or _as_first(first, part):
        return one
    work = alike.work or Work()
    if not work.done:
        work.left -= _A_PART
        return _of_text(part, alike, enclosed=True)
    return _as_first(first, part, whole=False) if lines else None


def _as_first(first: Reading, text: str, *, whole: bool = True) -> Reading | None:
    """Read the messages in *text* if it is spelled, framed and written like *first*, else return None; if it
    need not be *whole*, as far as it reads."""
    origin = first.origin
    if not isinstance(origin, Candidate) or origin.skipped:
        return None
    sighting = sighting_named(text, origin.reading.name)
    one = as_first(origin, sighting, sighting.data, whole=whole) if sighting else None
    if one is None or not one.steps:
        return None
    if not whole:
        return of_candidate(one)
    if not one.fits or one.odd or one.layers != origin.layers:
        return None
    return replace(of_candidate(one), more=tuple(map(of_candidate, following(one))))


def _within(around: str, found: Reading) -> Reading:
    """Return *found* with what is *around* it added to its spelling."""
    rivals, more = (
        tuple(replace(one, spelling=f"{around}{one.spelling}") for one in some)
        for some in (found.rivals, found.more)
    )
    return replace(found, spelling=f"{around}{found.spelling}", rivals=rivals, more=more)


def _together(first: Reading, others: Sequence[Reading]) -> Reading:
    """Return *first* with the other messages of the paste, each once."""
    messages = list(first.messages)
    for one in (one for other in others for one in other.messages):
        if one.believed and not any(_says_the_same(one, other) for other in messages):
            messages.append(replace(one, more=()))
    return replace(first, more=tuple(messages[1:]))


def _says_the_same(one: Reading, other: Reading) -> bool:
    """Whether two messages are equal, regardless of the formats they were read by."""
    mine, theirs = one.message, other.message
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
        reasons.append("its characters are hex digits throughout: the hex of other bytes, damaged, perhaps")
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
    known = Known(version=asked.version, searches=asked.searches, at=at) if asked else Known(at=at)
    found, _ = candidates([Sighting("hex", bytes.fromhex(text), 0.0)], known)
    clean = [one for one in found if one.fits and not one.odd]
    rivals = [one for one in clean if one.message.fields != message.fields]
    if not rivals:
        return None
    best = max(rivals, key=lambda one: one.evidence)
    said = f"read as hex digits, it is {best.title} as well, with other values"
    plain, _ = candidates([Sighting(TEXT, text.encode(), 0.0)], known)
    as_said = (one.evidence for one in plain if not one.odd and one.message.fields == message.fields)
    if best.evidence <= max(as_said, default=0.0):
        return of_no_message(TEXT, (said,))
    judge(best, [one for one in rivals if one is not best])
    read = of_candidate(best)
    form = of_text(text, message, UNSURE, (said,))
    as_form = "the text form reads to its end as well, with other values"
    if read.confidence == SURE:
        return replace(read, confidence=LIKELY, reasons=(as_form,), rivals=(form,))
    return replace(read, reasons=(*read.reasons, as_form), rivals=(form,))


def _of_sightings(found: list[Sighting], text: str, asked: Known) -> Reading:
    kept, layers = candidates(found, asked)
    kept.sort(key=believable, reverse=True)
    if not kept or not believable(kept[0]):
        kind, why = what_else(found, text, layers)
        odd = tuple(kept[0].odd[:2]) if kept and not kind else ()
        return of_no_message(found[0].name, (*why, *odd), (layers,) * bool(layers), kind)
    more = _in_order(kept)
    if (
        more
        and (behind := more[-1].behind)
        and behind.size
        and behind.name not in ("line-end", "fill", "etx")
    ):
        kept[0].unusual.append(f"the data after message {len(more) + 1} cannot be read")
    for read in kept:
        # Another message of the paste is not a rival reading of this one.
        judge(
            read, [other for other in kept if other is not read and not any(same(other, one) for one in more)]
        )
    for read in kept[1:]:
        if kept[0].confidence == SURE:
            read.confidence = UNSURE
        elif read.confidence == SURE:
            read.confidence = LIKELY
    best, *rivals = map(of_candidate, kept)
    return replace(best, rivals=tuple(rivals), more=tuple(map(of_candidate, more)))


def _in_order(kept: list[Candidate]) -> list[Candidate]:
    """Return the messages after the first one, which is moved to the front: a later one may save more
    bits."""
    for one in kept[1:]:
        more = list(following(one)) if one.goes_on else []
        if any(same(kept[0], other) for other in more):
            kept.remove(one)
            kept.insert(0, one)
            return more
    return list(following(kept[0]))
