"""From the sightings in a paste to candidates: anchors, formats strictly, then the habits of links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from sim.codec.wire.formats import RAW
from sim.codec.wire.framing import STX
from sim.paste.anchors import Head, anchors, usual
from sim.paste.blocks import after
from sim.paste.candidate import NEXT, Candidate, Job, same
from sim.paste.front import (
    Front,
    FrontLayer,
    behind,
    between,
    explain,
    network_headers,
    unblocked,
)
from sim.paste.search import Found, Search, State, Work
from sim.paste.spellings import GIVEN, Sighting
from sim.paste.spellings.characters import IN_LINES
from sim.paste.ways import TriedFormat, kinds, ways
from sim.paste.weights import WEIGHTS
from sim.spec import VERSIONS, version_of

_OTHER_VERSIONS, _RESCUED, _RELAXED = 6, 3, 8
_OTHER_PLACES, _OF_A_PLACE = 3, 2
_KEPT = 6
_SPOILED = 2  # bytes after a message
_WINDOW = 4096  # bytes searched for the next message
# Elements read with all habits of links: each costs some tenths of a millisecond.
_MOST_ELEMENTS = 200
_ASCII = "ascii"
_AS_BYTES = (RAW, "gbk")
_TEXT_FIRST = WEIGHTS["text_first"]
_WHOLE = WEIGHTS["whole"]
_TEXT_HEAD = re.compile(
    rb"(?:(?:[0-9]{4})?(?:ISO[0-9]{9}|A4M[0-9]{5})|0[0-9A-Fa-f]{3})?[0-9]{4}[0-9A-Fa-f]{16}"
)
_LETTER = re.compile(rb"[G-Zg-z]")
_HEXED = re.compile(rb"[0-9]{4}[0-9A-Fa-f]{16}[0-9]*[A-Fa-f][0-9A-Fa-f]*")
# No byte of a message saves more on average.
_MOST_A_BYTE = WEIGHTS["most_a_byte"]
# Cache sizes: lists of elements, ways to write the MTI and the bitmap, elements in each of these.
_ANNOUNCED, _HEADS, _FIELDS = 512, 64, 2048


@dataclass(frozen=True, slots=True)
class Known:
    """What the caller knows already: the formats to try (none means all) and the version; the remaining
    `work`, if several guesses share it; the `searches` shared by parts of a paste, as a dump and its lines
    are the same bytes; and the byte `at` which the message starts, if it can start nowhere else."""

    kinds: tuple[TriedFormat, ...] = ()
    version: str | None = None
    work: Work | None = None
    searches: dict[bytes, Search] = field(default_factory=dict, repr=False)
    at: int | None = None

    def search(self, data: bytes, work: Work) -> Search:
        """Return the search through *data*, continued at the expense of *work*."""
        shared_search = self.searches.setdefault(data, Search(data))
        shared_search.work = work
        return shared_search


def _tried(job: Job, strict: bool) -> list[Candidate]:
    """Return the best readings of *job*."""
    read: Found = job.search.read(job.anchor, job.kind, job.version, strict)
    return [_candidate(job, state, read.stop, strict) for state in read.finished[:2] or (read.partial,)]


def _best_of(job: Job, strict: bool) -> Candidate:
    return max(_tried(job, strict), key=lambda candidate: (candidate.fits, candidate.score))


def _candidate(job: Job, state: State, stop: int, strict: bool) -> Candidate:
    front, rest = _around(job, None if stop else state.at)
    doubtful = job.ahead and rest is not None and rest.size and rest.odd
    if rest is not None and doubtful and _goes_on(job, state.at, rest.name, strict):
        ended = between(job.data, state.at, _after(job, state.at))
        rest = replace(ended, name=rest.name or NEXT, size=rest.size)
    return Candidate(job, state, stop, front, rest)


def _goes_on(job: Job, end: int, framed: str, strict: bool) -> bool:
    """Whether another message of the same kind can be read after byte *end* and as many bytes of framing, the
    same bytes unless a length is part of them (*framed*)."""
    data, anchor, start = job.data, job.anchor, _after(job, end)
    next_anchor = next(iter(anchors(job.search.views, start + anchor.at, anchor.head)), None)
    if next_anchor is None or not usual(next_anchor.mti) or not next_anchor.numbers:
        return False
    if not framed and data[start : next_anchor.at] != data[: anchor.at]:
        return False
    if not framed and data[start : start + end] == data[:end]:
        return False  # repeated bytes are not another message
    version = job.version if job.version != version_of(anchor.mti) else version_of(next_anchor.mti)
    return not job.search.read(next_anchor, job.kind, version or job.version, strict).stop


def _after(job: Job, end: int) -> int:
    return after(job.data, end, job.reading.text, job.data[:1] == bytes([STX]))


def _around(job: Job, end: int | None) -> tuple[Front, FrontLayer | None]:
    """The framing of a message that ends at byte *end*, found once for all formats."""
    key, around = (job.anchor.at, end), job.search.around
    if key not in around:
        front = explain(job.data[: job.anchor.at], len(job.data), end)
        around[key] = front, None if end is None else behind(job.data, end, front)
    return around[key]


def candidates(sightings: list[Sighting], asked: Known | None = None) -> tuple[list[Candidate], str]:
    """Return every candidate worth keeping, the best first, and the name of network headers, if any."""
    tried: list[Candidate] = []
    layers = ""
    keys: set[tuple[bytes, bool]] = set()
    asked = asked or Known()
    work = asked.work or Work()
    work.begin()
    for reading in sorted(sightings, key=_promise):
        skip, name = network_headers(reading.data)
        layers = layers or name
        if (reading.data, reading.text) in keys or _hopeless(reading, tried):
            continue
        if work.strictly_done:
            break
        keys.add((reading.data, reading.text))
        body = unblocked(reading.data[skip:])
        skipped = (name,) * bool(name) + ("1014-byte blocks",) * (len(body) < len(reading.data) - skip)
        tried += _strictly(reading, body, skipped, asked, work)
    if asked.at is None and not any(candidate.fits and not candidate.odd for candidate in tried):
        tried.sort(key=_order)
        tried += _relaxed(tried, work)
    return _best(tried), layers


def _relaxed(tried: list[Candidate], work: Work) -> list[Candidate]:
    """Read the best candidates again with the habits of links; fewer if bitmaps announce very much."""
    results: list[Candidate] = []
    left = _MOST_ELEMENTS
    for candidate in (*tried[:_RELAXED], *_elsewhere(tried)):
        left -= len(candidate.anchor.numbers)
        if (left < 0 and results) or work.done:
            break
        results += _better(candidate, _tried(candidate.job, strict=False))
    return results


def _elsewhere(tried: list[Candidate]) -> Iterator[Candidate]:
    """Yield the best later candidates that start elsewhere: the first ones may all start at digits that only
    look like a message."""
    places = Counter({_place(leader): _OF_A_PLACE for leader in tried[:_RELAXED]})
    left = len(places) + _OTHER_PLACES
    for candidate in tried[_RELAXED:]:
        place = _place(candidate)
        if places[place] < _OF_A_PLACE and (place in places or len(places) < left):
            places[place] += 1
            yield candidate


def _place(candidate: Candidate) -> tuple[int, int]:
    """The bytes that a candidate reads, and where it starts in them."""
    return id(candidate.job.search), candidate.anchor.at


def following(first: Candidate) -> Iterator[Candidate]:
    """Yield the messages after *first* in the same bytes, framed and written alike; none if nothing suggests
    that there are more."""
    candidate: Candidate | None = first
    at, goes_on = 0, first.goes_on
    while (
        candidate
        and candidate.behind
        and (candidate.behind.name in ("more", "vbs") or (goes_on and candidate.behind.size))
    ):
        at += candidate.state.at
        at = after(first.data, at, first.reading.text, "stx" in first.layers) if goes_on else at
        # Not all that is left: messages are about equally long, and the search must not take quadratic time.
        candidate = as_first(first, first.reading, first.data[at : at + _WINDOW + 2 * candidate.state.at])
        if candidate:
            yield candidate


def as_first(first: Candidate, reading: Sighting, data: bytes, *, whole: bool = True) -> Candidate | None:
    """Read the message at the start of *data*, framed and written like *first*; None if none can be read to
    its end or, if it need not be *whole*, none with a usual MTI."""
    search = Search(data)
    anchor = next(iter(anchors(search.views, first.anchor.at, first.anchor.head)), None)
    if anchor is None or not (whole or usual(anchor.mti)):
        return None
    version = version_of(anchor.mti) or VERSIONS[0]
    job = Job(reading, data, first.skipped, search, anchor, first.kind, version, ahead=False)
    candidate = _best_of(job, strict=not first.dialect)
    if not whole:
        candidate.reasons = [*candidate.odd, "read as the first message is, as far as that goes"]
        return candidate
    if not candidate.complete:
        return None
    candidate.confidence, candidate.reasons = first.confidence, ["read as the first message is"]
    return candidate


def _promise(reading: Sighting) -> tuple[int, float]:
    """The order of reading: first bytes given as bytes and a whole paste that starts like the text form,
    which nothing may displace; then a part that starts so and has letters or several lines, since its runs of
    hex digits would use up the work; then what explains the most; a part that starts like the text form
    before other parts."""
    if reading.name == GIVEN:
        return 0, 1.0
    begins = reading.text and _TEXT_HEAD.match(reading.data) is not None
    if begins and reading.saved > _WHOLE:
        return 0, -reading.saved
    if begins and (_LETTER.search(reading.data) or reading.name == IN_LINES):
        return 1, -reading.saved
    return 2 if reading.saved > 0 else 3 if begins else 4, -reading.saved


def _hopeless(reading: Sighting, tried: list[Candidate]) -> bool:
    """Whether *reading* cannot rival what was found already, whatever its bytes are."""
    most = reading.saved + _MOST_A_BYTE * len(reading.data)
    return any(candidate.fits and not candidate.odd and candidate.score > most for candidate in tried)


def _best(pool: list[Candidate]) -> list[Candidate]:
    pool.sort(key=_rank)
    kept: list[Candidate] = []
    for candidate in pool:
        alike = next((at for at, other in enumerate(kept) if _alike(candidate, other)), None)
        if alike is None and len(kept) < _KEPT:
            kept.append(candidate)
        elif alike is not None and kept[alike].foreign and not candidate.foreign:
            kept[alike] = candidate  # the lengths of another version add nothing to its own
        elif alike is not None and _shows_more(candidate, kept[alike]):
            candidate.plainer = kept[alike].plainer or kept[alike]
            kept[alike] = candidate
    return kept


def _shows_more(candidate: Candidate, other: Candidate) -> bool:
    """Whether *candidate* has raw bytes where *other* has characters that do not print, all else alike."""
    otherwise = (
        mine.way is its.way or (mine.way.change or {}).get("written") in _AS_BYTES
        for mine, its in zip(candidate.steps, other.steps, strict=True)
    )
    better = len(candidate.odd) < len(other.odd) and candidate.score > other.score
    return better and candidate.foreign == other.foreign and all(otherwise)


def _alike(candidate: Candidate, other: Candidate) -> bool:
    return candidate.fits == other.fits and same(candidate, other) and candidate.framing == other.framing


def _rank(candidate: Candidate) -> tuple[bool, bool, bool, float]:
    bare = all(name == "stx" for name in candidate.layers)
    plain = candidate.is_text and candidate.fits and bare and len(candidate.odd) < 2
    # What starts like the text form is more likely a damaged one than the hex of something else, unless all
    # of it is hex digits: no text has the letters up to F and no others.
    broken_text = candidate.is_text and not candidate.anchor.at and not candidate.fits
    bonus = (-_TEXT_FIRST if _HEXED.fullmatch(candidate.data) else _TEXT_FIRST) * broken_text
    strange = not candidate.fits and (bool(candidate.front.unknown) or not usual(candidate.anchor.mti))
    # A few characters at the end of a message that an extra character spoils read by chance.
    left = (
        candidate.behind.size
        if candidate.complete and candidate.behind and candidate.layers and candidate.reading.text
        else len(candidate.data)
    )
    misfit = not candidate.fits and (strange or left > _SPOILED)
    return (
        not plain,
        misfit,
        (candidate.fits and bool(candidate.dialect)) or strange,
        -candidate.score - bonus,
    )


def _strictly(
    reading: Sighting, body: bytes, skipped: tuple[str, ...], asked: Known, work: Work
) -> list[Candidate]:
    """Try each format unchanged, and the lengths of other versions for the best of them."""
    tried: list[Candidate] = []
    for job in _jobs(reading, body, skipped, asked.search(body, work), asked):
        if work.strictly_done:
            break
        candidate = _best_of(job, strict=True)
        if candidate.fits and not candidate.odd and candidate.score > 0:
            work.settled(job.anchor)
        tried.append(candidate)
    tried.sort(key=_order)
    fitting = sum(trial.fits for trial in tried)
    for candidate in tried[: min(fitting, _OTHER_VERSIONS) or _RESCUED]:
        if asked.version or candidate.kind.format.version is not None:
            continue
        for version in VERSIONS:
            if version != candidate.version and not work.done:
                trial = _best_of(replace(candidate.job, version=version), strict=True)
                tried += _better(candidate, [trial])
    return tried


def _better(plain: Candidate, trials: list[Candidate]) -> list[Candidate]:
    """The *trials* that are worth keeping beside the *plain* reading: what does not fit any better is no
    reason to read elements otherwise."""
    return [
        trial for trial in trials if trial.fits or not plain.complete or not (trial.dialect or trial.foreign)
    ]


def _order(candidate: Candidate) -> tuple[bool, float]:
    return not candidate.fits, -candidate.score


def _jobs(
    reading: Sighting, body: bytes, skipped: tuple[str, ...], search: Search, asked: Known
) -> Iterator[Job]:
    """Yield each anchor with each format that writes its head so, unless a plainer one reads the same."""
    for anchor in anchors(search.views, asked.at):
        if reading.text and anchor.head[0] != _ASCII:
            continue
        if anchor.rank < search.work.least_rank:
            break  # the likeliest come first
        version = asked.version or version_of(anchor.mti) or VERSIONS[0]
        for kind in different_kinds(asked.kinds or kinds(), anchor.head, version, anchor.numbers):
            yield Job(reading, body, skipped, search, anchor, kind, version)


@lru_cache(maxsize=_ANNOUNCED)
def different_kinds(
    tried: tuple[TriedFormat, ...], head: Head, version: str, numbers: tuple[int, ...]
) -> tuple[TriedFormat, ...]:
    """The formats that write MTI and bitmap as *head* says; of those that read *numbers* alike, the first:
    the sightings of a paste announce the same. A loaded format is kept if it defines some of them itself."""
    written = _written_so(tried, head, version)
    plain = zip(*[_plain_fields(written, version, number) for number in numbers], strict=True)
    by_fields: dict[tuple[object, ...], TriedFormat] = {}
    for kind, fields in zip(written, plain if numbers else [()] * len(written), strict=True):
        redefines = kind.own and not kind.format.layout(version).own.isdisjoint(numbers)
        by_fields.setdefault((kind.format.name if redefines else "", *fields), kind)
    return tuple(by_fields.values())


@lru_cache(maxsize=_HEADS)
def _written_so(tried: tuple[TriedFormat, ...], head: Head, version: str) -> tuple[TriedFormat, ...]:
    return tuple(kind for kind in tried if kind.head == head and kind.format.version in (None, version))


@lru_cache(maxsize=_FIELDS)
def _plain_fields(written: tuple[TriedFormat, ...], version: str, number: int) -> tuple[int, ...]:
    """The id of the plain field by which each format reads element *number*, 0 if it has none: equal fields
    are one object."""
    plain = (ways(kind, version, number, True)[:1] for kind in written)
    return tuple([id(some[0].field) if some else 0 for some in plain])
