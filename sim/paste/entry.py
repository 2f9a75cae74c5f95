"""The guess itself: the text form first, then elements that the paste names, then bytes in every spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sim.codec import Message, ParseError, parse
from sim.codec.wire import Format, wire_format
from sim.paste.believable import believable
from sim.paste.blocks import blocks, paragraphs
from sim.paste.candidate import Candidate, same
from sim.paste.confidence import judge
from sim.paste.pipeline import GIVEN, Known, as_first, candidates, following
from sim.paste.reading import AS_IT_STANDS, TEXT, Reading, of_text
from sim.paste.result import Guess, nothing, of_candidate, of_spelled
from sim.paste.search import Work
from sim.paste.spelled import misfits_of, oddities, spelled
from sim.paste.spellings import (
    AS_UTF8,
    MOST_CHARACTERS,
    Named,
    Sighting,
    named,
    narrowed,
    narrowed_utf8,
    sighting_named,
    sightings,
    worded,
)
from sim.paste.spellings.dictionaries import texts
from sim.paste.sureness import LIKELY, SURE, UNSURE
from sim.paste.ways import TriedFormat
from sim.paste.worth import STARRED, starred
from sim.spec import VERSIONS, version_of
from sim.spec.spellings import version_named
from sim.spec.words import AnyVersion

_FEWEST = 2
_MOST_LINES = 200
# Readings looked at that may be a text again, and how many bytes they hold.
_MOST_TWICE, _SHORTEST, _LONGEST = 3, 24, 8192
# Work for all lines that are not as the first one; to see each such line in every spelling takes some, too.
_MOST_OTHERS, _A_LINE = 1000, 50
_HEX = re.compile(r"[0-9A-Fa-f]+")
_HTTP = re.compile(r"(?:HTTP/[0-9.]+ [0-9]{3}|(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH) \S+ HTTP/)")
_LEFT = re.compile("what stands behind message [0-9]+ cannot be read")
_NO_MTI = "no MTI followed by a bitmap whose elements can be read"
_NDC = (b"\x1c", 3)
_LEGIBLE = 0.95


def guess(
    data: str | bytes, *, format: Format | str | None = None, version: AnyVersion | None = None
) -> Guess:
    """Say what a paste is: how its bytes are written, framed and coded, and the message in it.

    Parameters
    ----------
    data : str or bytes
        A message in any spelling: the text form, hex, a dump, a literal, base64, a log line, jPOS XML, JSON;
        or its bytes themselves. Only the first 65,536 characters or bytes are looked at.
    format : Format or str, optional
        The format, or the name of one, where it is known: only spelling and framing are guessed then. `text`
        is the text form and nothing else. None tries the ready formats and those that were loaded.
    version : str, optional
        The version of ISO 8583 to read by; None is the one that the MTI names, or that fits.

    Returns
    -------
    Guess
        Candidates with their reasons, the best first: never empty. Its confidence is `none` for what is no
        ISO 8583 message.

    Raises
    ------
    TypeError
        For what is neither text nor bytes.
    SpecError
        For an unknown format.
    ChoiceError
        For an unknown version.

    Examples
    --------
    >>> guess("0800 2020 0000 0000 0000 9900 0012 3456").best.read_as
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
        found = _text_form(bare, asked) or nothing(TEXT, ("no text form that reads to its end",))
        return Guess((found,), (found,) if found.message else ())
    return _of_readings(sightings(bare), bare, asked) if asked.kinds else _of_text(bare, asked)


def _asked(format: Format | str | None, version: AnyVersion | None) -> Known:
    if version is not None:
        version = version_named(version)
    if format is None or format == TEXT:
        return Known((), version)
    made = wire_format(format)
    return Known((TriedFormat(made, 0.0),), made.version or version)


def _of_bytes(data: bytes, asked: Known) -> Guess:
    """Bytes as they are, or the text that they are."""
    legible = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in data) >= _LEGIBLE * len(data)
    if legible and not asked.kinds:
        return _of_text(data.decode("latin-1"), asked, raw=data)
    return _of_readings([Sighting(GIVEN, data, 0.0)], "", asked)


def _of_text(bare: str, asked: Known, *, enclosed: bool = False, raw: bytes = b"") -> Guess:
    """The text *bare*; *raw* are its bytes, where those were given."""
    if found := _text_form(bare, asked):
        return Guess((found,), (found,))
    if not enclosed and bare.lstrip()[:1] in ("{", "["):
        inside = [_inside(key, _of_text(value, asked, enclosed=True)) for key, value in texts(bare)]
        if read := [one for one in inside if one.best.message is not None]:
            return _with_more(read[0], read)
    if spelled_out := [_named(one) for one in _all_named(bare)]:
        return Guess((spelled_out[0],), tuple(spelled_out))
    lines = [line for line in bare.splitlines() if line.strip()]
    if len(lines) > 1 and (found := _text_form(lines[0].strip(), asked)):
        return Guess((found,), _by_lines(lines, asked))
    itself = [Sighting(GIVEN, raw, 0.0)] if raw else []
    seen = [*sightings(bare), *itself]
    whole = _of_readings(seen, bare, asked)
    # Lines that the whole does not read: the message behind the first one is damaged, perhaps.
    left = len(whole.messages) < len(lines) - 1 and any(map(_LEFT.match, whole.best.reasons))
    ended = whole.best.believed and not left
    if len(lines) > 1 and not ended and _HEX.fullmatch(lines[0].strip()):
        first = _of_readings(sightings(lines[0]), lines[0], asked)
        if first.best.believed:
            return Guess(first.candidates, _by_lines(lines, asked, first.best))
    given = _of_lines(_of_paragraphs(_of_blocks(whole, blocks(lines), asked), bare, asked), lines)
    if not given.best.believed and not enclosed:
        given = next(_written_twice(seen, bare, asked), given)
    if not given.best.believed and (told := [_worded(one) for one in worded(bare)]):
        return Guess((told[0],), tuple(told))
    return given


def _written_twice(seen: list[Sighting], text: str, asked: Known) -> Iterator[Guess]:
    """What the bytes *seen* in *text* are where these are a text again: the hex of hex digits, base64 of a
    dump; or characters in UTF-8 that were bytes before."""
    asked = replace(asked, work=Work(_MOST_OTHERS))
    for reading in [one for one in seen if not one.text][:_MOST_TWICE]:
        inner = reading.data
        if not _SHORTEST <= len(inner) <= _LONGEST:
            continue
        if all(32 <= byte < 127 or byte in b"\r\n\t" for byte in inner):
            found = _of_text(inner.decode("latin-1"), asked, enclosed=True)
        elif bare := narrowed_utf8(inner):
            found = _of_readings([replace(reading, data=bare, notes=(*reading.notes, AS_UTF8))], text, asked)
        else:
            continue
        if found.best.believed:
            yield _within(f"{reading.name}: ", found) if inner.isascii() else found


def _all_named(text: str) -> list[Named]:
    """The messages whose elements *text* names; where that is one, those of its paragraphs, if more."""
    found = named(text)
    if len(found) != 1:
        return found
    apart = [one for part in paragraphs(text) for one in named(part)]
    whole = any(one.fields == found[0].fields for one in apart)
    return apart if whole and len(apart) > 1 else found


def _of_paragraphs(whole: Guess, text: str, asked: Known) -> Guess:
    """What *whole* is, or where it is nothing sure, its first paragraph that is; and where that is one,
    the messages of other paragraphs that are written alike."""
    parts = paragraphs(text)
    if not whole.best.believed and not asked.work:
        asked = replace(asked, work=Work())
        tried = (_of_readings(sightings(part), part, asked) for part in parts)
        whole = next((one for one in tried if one.best.believed), whole)
    if len(whole.messages) != 1 or not whole.best.believed or whole.best.as_text:
        return whole
    name = whole.best.written
    alike = replace(_asked(name, asked.version), work=Work(_MOST_OTHERS), searches=asked.searches)
    found = [_as_first(whole.best, part) or _of_readings(sightings(part), part, alike) for part in parts]
    read = [one for one in found if one.best.believed]
    return _in_place(whole, read)


def _in_place(whole: Guess, read: list[Guess]) -> Guess:
    """What *whole* is and the messages *read* of its parts, in their order where one before was not seen."""
    later = any(_says_the_same(one.best, whole.best) for one in read[1:])
    return _with_more(read[0] if later else whole, read)


def _of_lines(whole: Guess, lines: list[str]) -> Guess:
    """What *whole* is, and the messages that other lines have among their words, each written alike."""
    best = whole.best
    if len(lines) < _FEWEST or not best.believed or "among" not in best.spelling:
        return whole
    return _in_place(whole, [one for line in lines[:_MOST_LINES] if (one := _as_first(best, line))])


def _of_blocks(whole: Guess, parts: list[str], asked: Known) -> Guess:
    """What the *whole* paste is, or where it is nothing sure, its first part; and the messages of all."""
    if len(parts) < _FEWEST:
        return whole
    first, others = whole, parts
    if not whole.best.believed:
        first, others = _of_text(parts[0], asked, enclosed=True), parts[1:]
    if not first.best.believed:
        return whole
    # The other end of a line speaks no other format; and all of them are no more work than one paste.
    name = "ascii" if first.best.format == TEXT else first.best.format
    alike = replace(_asked(first.best.written or name, asked.version), work=Work(), searches=asked.searches)
    found: list[Guess] = []
    for part in others:
        if sum(len(one.messages) for one in found) < _MOST_LINES:
            found.append(_as_first(first.best, part) or _of_text(part, alike, enclosed=True))
    later = any(one.best.message == first.best.message for one in found[1:])
    if later and found[0].best.believed:
        first, found = found[0], found[1:]  # the longest part was taken for all of it
    return _with_more(first, found)


def _as_first(first: Reading, text: str) -> Guess | None:
    """The messages in *text*, spelled, framed and written as *first* is; None where it is otherwise."""
    origin = first.origin
    if origin is None or origin.skipped:
        return None
    reading = sighting_named(text, origin.reading.name)
    one = as_first(origin, reading, reading.data) if reading else None
    if one is None or not one.fits or one.odd or one.layers != origin.layers:
        return None
    given = tuple(of_candidate(read) for read in (one, *following(one)))
    return Guess(given[:1], given)


def _cut_short(first: Reading | None, text: str) -> list[Reading]:
    """What *text* is, spelled and written as *first* is, as far as it reads; empty where it is otherwise."""
    if first is None or first.origin is None or first.origin.skipped:
        return []
    reading = sighting_named(text, first.origin.reading.name)
    one = as_first(first.origin, reading, reading.data, whole=False) if reading else None
    return [of_candidate(one)] if one and one.steps else []


def _inside(key: str, found: Guess) -> Guess:
    return _within(f"JSON {key}: ", found)


def _within(around: str, found: Guess) -> Guess:
    """*found*, whose spelling says what stands *around* it."""
    candidates, messages = (
        tuple(replace(one, spelling=f"{around}{one.spelling}") for one in some)
        for some in (found.candidates, found.messages)
    )
    return Guess(candidates, messages)


def _with_more(first: Guess, others: list[Guess]) -> Guess:
    """*first*, and the other messages that stand beside it in the paste, each once."""
    messages = list(first.messages)
    for one in (one for other in others for one in other.messages):
        known = any(_says_the_same(one, other) for other in messages)
        if one.believed and not known:
            messages.append(one)
    return Guess(first.candidates, tuple(messages))


def _says_the_same(one: Reading, other: Reading) -> bool:
    """Whether two messages do, whatever format each was read by."""
    mine, theirs = one.message, other.message
    return mine is not None and theirs is not None and (mine.mti, mine.fields) == (theirs.mti, theirs.fields)


def _by_lines(lines: list[str], asked: Known, first: Reading | None = None) -> tuple[Reading, ...]:
    """The messages of each line, as the *first* one is written, else the best candidate; where that takes
    more work than one hard paste, damaged lines are read as the first one as far as they go."""
    found: list[Reading] = []
    work = Work(_MOST_OTHERS)
    asked = replace(asked, work=work)
    for line in lines[:_MOST_LINES]:
        bare = line.strip("\r\n")
        if one := _text_form(bare, asked):
            found.append(one)
        elif alike := first and _as_first(first, bare):
            found += alike.messages
        elif work.done:
            found += _cut_short(first, bare)
        else:
            work.left -= _A_LINE
            other = _of_readings(sightings(bare), bare, asked).best
            found += [other] if other.message is not None else []
    return tuple(found)


def _text_form(text: str, asked: Known) -> Reading | None:
    """The text form that reads to its end; None for another text."""
    if not (text[:4].isascii() and text[:4].isdigit()):
        return None
    try:
        message = parse(text, asked.version or version_of(text[:4]) or VERSIONS[0])
    except ParseError:
        return None
    reasons = [*oddities(message), *(STARRED,) * starred(message.fields)]
    hexed = len(text) % 2 == 0 and _HEX.fullmatch(text) is not None
    if reasons and hexed:
        reasons.append("its characters are hex digits throughout: the hex of other bytes, damaged, perhaps")
    if len(message.fields) < _FEWEST:
        reasons.append("few elements: little to check it by")
    if not reasons and hexed:
        reasons += _beside_text(text, message, asked)
    confidence = LIKELY if len(reasons) == 1 else UNSURE if reasons else SURE
    return of_text(text, message, confidence, tuple(reasons) or AS_IT_STANDS)


def _beside_text(text: str, message: Message, asked: Known) -> list[str]:
    """What else the same digits may be: the hex of other bytes."""
    found, _ = candidates([Sighting("hex", bytes.fromhex(text), 0.0)], Known(searches=asked.searches))
    rivals = [one for one in found if one.fits and not one.odd and one.message.fields != message.fields]
    return [f"read as hex digits, it is {rivals[0].title} as well, with other values"] if rivals else []


def _named(one: Named) -> Reading:
    made = spelled(one)
    odd = oddities(made.message)
    faults = misfits_of(made.message)
    reasons = (*made.notes, *odd, *map(str, faults))
    confidence = LIKELY if reasons else SURE
    if len(odd) >= _FEWEST and 3 * len(odd) >= len(made.message.fields):
        confidence = UNSURE  # something else was taken for the values
    told = (*(reasons or ("every element is named in the paste",)), *made.blanks)
    return of_spelled(one.name, made.message, confidence, told, faults)


def _worded(one: Named) -> Reading:
    """What words name; unsure where a value is none of its element's, as in a letter about a payment."""
    made = _named(one)
    odd = made.message is not None and oddities(made.message)
    return replace(made, confidence=UNSURE) if odd else made


def _of_readings(found: list[Sighting], text: str, asked: Known) -> Guess:
    kept, layers = candidates(found, asked)
    kept.sort(key=believable, reverse=True)
    if not kept or not believable(kept[0]):
        why = _not_a_message(found, text, layers)
        odd = tuple(kept[0].odd[:2]) if kept else ()
        one = nothing(found[0].name, (*why, *odd), (layers,) * bool(layers))
        return Guess((one,), ())
    more = _in_order(kept)
    if (
        more
        and (behind := more[-1].behind)
        and behind.size
        and behind.name not in ("line-end", "fill", "etx")
    ):
        kept[0].unusual.append(f"what stands behind message {len(more) + 1} cannot be read")
    for read in kept:
        # Another message of the paste is no other way to read this one.
        judge(
            read, [other for other in kept if other is not read and not any(same(other, one) for one in more)]
        )
    for read in kept[1:]:
        if kept[0].confidence == SURE:
            read.confidence = UNSURE
        elif read.confidence == SURE:
            read.confidence = LIKELY
    given = tuple(of_candidate(read) for read in kept)
    return Guess(given, (given[0], *(of_candidate(read) for read in more)))


def _in_order(kept: list[Candidate]) -> list[Candidate]:
    """The messages behind the first one, which is brought to the front: a later one may save more bits."""
    for one in kept[1:]:
        more = list(following(one)) if one.goes_on else []
        if any(same(kept[0], other) for other in more):
            kept.remove(one)
            kept.insert(0, one)
            return more
    return list(following(kept[0]))


def _not_a_message(found: list[Sighting], text: str, layers: str) -> tuple[str, ...]:
    """Why a paste is no ISO 8583 message."""
    if layers:
        return (f"{layers} in front, and no ISO 8583 message behind them",)
    if not text.strip() and not any(one.data.strip() for one in found):
        return ("there is nothing in it",)
    if _HTTP.search(text[:200]):
        return ("this is HTTP; paste what its body holds",)
    mark, least = _NDC
    if any(one.data.count(mark) >= least for one in found[:3]):
        return ("fields divided by 1C, as NDC and DDC messages of cash machines have them", _NO_MTI)
    return (_NO_MTI,)
