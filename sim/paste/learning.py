"""A dialect learned from its messages: the format of which all of them read to their ends.

What one message leaves open, many settle. Each format that writes MTI and bitmap so is tried as it stands,
then the nearest of them with what links do otherwise, and with elements of any length that one may have; what
reads all messages with the fewest changes is proposed, and what the messages do not settle is said.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sim.codec.wire.catalogue import loaded, ready, wire_format
from sim.codec.wire.decode import Views
from sim.codec.wire.formats import BCD, BINARY, BYTES, HEX, RAW, Field, Format
from sim.codec.wire.framing import ETX, STX
from sim.codec.wire.pages import PAGES, SINGLE_BYTE
from sim.paste.anchors import Anchor, Head, anchors, known, usual
from sim.paste.front import Front, explain
from sim.paste.lattice import Lattice, Sample, lattice, read_by, sample, worth
from sim.paste.padding import settle
from sim.paste.search import Step, Work
from sim.paste.spellings import Sighting, sightings
from sim.paste.ways import TriedFormat, Way, kinds, made_way, ways
from sim.spec import VERSIONS, version_of
from sim.spec.tables import read_toml

GIVEN = "bytes"
FEW = 3  # an element seen in fewer messages is not sure
_SAMPLES, _MOST_SAMPLES = 12, 32
_PLACES, _NEAREST, _ROUNDS = 3, 2, 4
_LIKELY = 10.0
_AS_BYTES = (RAW, HEX, "gbk")
_USUAL_ODD = "left 0"
# How many elements in front of where a layout goes wrong are looked at, and which of their ways stay.
_BACK = (4, 7)
_FARTHER = 4
_MOST_WORK = 400_000  # steps of a lattice near one format: some seconds
_KEPT, _MOST_KEPT = 200.0, 12
_FEW_CHANGES = 4
_CLOSE = 20.0  # bits by which another reading is behind and as good
_LEGIBLE = 0.95
_READ = 0.9


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned: the `format`, and the ready one that is its `base`; the `evidence` for each element;
    the `framing` in front of a message; how many `messages` there were, and the places of those `unread`."""

    format: Format
    base: Format
    evidence: tuple[Evidence, ...]
    framing: tuple[str, ...]
    spelling: str
    messages: int
    unread: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the messages say of an element: in how many it is, `seen` in words; whether it is otherwise than
    in the base (`differs`); what is `open`, empty where the messages settle it."""

    field: Field
    messages: int
    seen: str
    differs: bool
    open: str


@dataclass(frozen=True, slots=True)
class _Body:
    """The bytes of a message behind an anchor; `place` is where it stands among the messages given."""

    place: int
    data: bytes
    end: int
    anchor: Anchor


@dataclass(frozen=True, slots=True)
class _Tried:
    """A format, and how far it reads some messages."""

    kind: TriedFormat
    version: str
    bodies: Sequence[_Body]
    spelling: str
    read: Lattice

    @property
    def rank(self) -> tuple[bool, float, float]:
        """What is better is more."""
        return self.read.whole, self.read.reached / (len(self.read.numbers) or 1), self.read.best.score


@dataclass(frozen=True, slots=True)
class _Fit:
    """A layout near a format: the way of each element, and the messages that do not read so."""

    tried: _Tried
    read: Lattice
    chosen: Mapping[int, Way]
    unread: Sequence[_Body]

    @property
    def changed(self) -> list[int]:
        """The elements that are otherwise than in the format."""
        return [number for number, way in self.chosen.items() if way.change]

    @property
    def rank(self) -> tuple[int, float]:
        """What is better is more."""
        return -len(self.unread), self.read.best.score / len(self.read.samples)


def learn(items: Sequence[str | bytes], name: str) -> Learned | None:
    """The dialect of the messages *items*, as a format called *name*; None where there is none in which
    most of them read."""
    best: _Fit | None = None
    found = [one for spelling, bodies in _places(items) for one in _nearest(spelling, bodies)]
    for tried in sorted(found, key=lambda one: one.rank, reverse=True):
        made = _fitted(tried, Work(_MOST_WORK))
        if made is not None and (best is None or made.rank > best.rank):
            best = made
        if best is not None and not best.unread and len(best.changed) <= _FEW_CHANGES:
            return _learned(best, items, name)
    if best is None or len(best.unread) > (1 - _READ) * len(items):
        return None
    return _learned(best, items, name)


def _nearest(spelling: str, bodies: Sequence[_Body]) -> list[_Tried]:
    """The formats that read *bodies* farthest as they stand."""
    some, found = _samples(_spread(bodies, _SAMPLES)), []
    for kind, version in _kinds_of(bodies[0].anchor.head, bodies):
        table = {number: ways(kind, version, number, True) for one in some for number in one.numbers}
        found.append(_Tried(kind, version, bodies, spelling, lattice(some, table, Work(_MOST_WORK))))
    # Of those that read as far, as code pages that differ in a few characters do, the first.
    apart = {one.rank: one for one in reversed(found)}
    return [apart[rank] for rank in sorted(apart, reverse=True)[:_NEAREST]]


def _places(items: Sequence[str | bytes]) -> list[tuple[str, list[_Body]]]:
    """Where messages may stand in *items*, each in the same place and written alike, the likeliest first,
    each with how its bytes are spelled."""
    by_place: dict[tuple[str, Head, int], list[_Body]] = defaultdict(list)
    likely: dict[tuple[str, Head, int], float] = defaultdict(float)
    for place, item in enumerate(items):
        seen = set()
        for one in _sightings(item):
            if one.data in seen:
                continue
            seen.add(one.data)
            for anchor in anchors(Views(one.data), tried=_all_kinds(loaded())):
                if one.text and anchor.head[0] != "ascii":
                    continue
                key = (one.name, anchor.head, anchor.at)
                by_place[key].append(_Body(place, one.data, _end(one.data), anchor))
                is_usual = usual(anchor.mti) and known(anchor.mti)
                likely[key] += anchor.rank + _LIKELY * is_usual + min(one.saved, 0.0) / 4
    found = [
        (likely[key] / len(bodies) + _front_of(bodies[0]).bits, key[0], bodies)
        for key, bodies in by_place.items()
        if len(bodies) >= _READ * len(items)
    ]
    found.sort(key=lambda one: -one[0])
    apart: dict[tuple[Head, bytes], tuple[str, list[_Body]]] = {}
    for _, name, bodies in found:
        # The same bytes, seen behind more or less of what stands in front, are one place.
        first = bodies[0]
        apart.setdefault((first.anchor.head, first.data[first.anchor.at :]), (name, bodies))
    return list(apart.values())[:_PLACES]


def _front_of(body: _Body) -> Front:
    """What stands in front of a message."""
    return explain(body.data[: body.anchor.at], len(body.data), body.end)


def _end(data: bytes) -> int:
    """Where a message ends: in front of ETX, with or without its check byte, or of the end of a line."""
    if data[:1] == bytes([STX]) and data[-2:-1] == bytes([ETX]):
        return len(data) - 2
    return len(data.rstrip(b"\r\n").removesuffix(bytes([ETX])))


def _sightings(item: str | bytes) -> list[Sighting]:
    if isinstance(item, str):
        return sightings(item)
    legible = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in item) >= _LEGIBLE * len(item)
    given = Sighting(GIVEN, item, 0.0)
    return [given, *(sightings(item.decode("latin-1")) if legible else ())]


@lru_cache(maxsize=2)
def _all_kinds(own: tuple[Format, ...]) -> tuple[TriedFormat, ...]:
    """Every format, with *own* ones that were loaded and those that are read only where they are named, and
    each with a bitmap that always has 16 bytes."""
    named = (TriedFormat(wire_format(name), 0.0) for name in ready() if name in read_toml("guess")["named"])
    found = [*kinds(), *named]
    wide = [
        TriedFormat(one.format.with_(bitmap_bytes=16, bit_1=False), one.cost + 8.0)
        for one in found
        if not one.format.bitmap_bytes and not one.format.third
    ]
    return (*found, *wide)


def _kinds_of(head: Head, bodies: Sequence[_Body]) -> Iterator[tuple[TriedFormat, str]]:
    """The formats that write MTI and bitmap as *head* says, each with the version to read by; of those that
    read all elements alike the plainest."""
    said = Counter(version_of(body.anchor.mti) or VERSIONS[0] for body in bodies).most_common(1)[0][0]
    numbers = sorted({number for body in bodies for number in body.anchor.numbers})
    seen = set()
    for kind in _all_kinds(loaded()):
        if kind.head != head or kind.format.version not in (None, said):
            continue
        first = (ways(kind, said, number, True)[:1] for number in numbers)
        key = tuple(id(some[0].field) if some else 0 for some in first)
        if key not in seen:
            seen.add(key)
            yield kind, said


def _spread(bodies: Sequence[_Body], most: int) -> list[_Body]:
    """Some of *bodies*, which have among them every element as often as can be."""
    left, seen = list(bodies), Counter[int]()
    chosen: list[_Body] = []
    while left and len(chosen) < most:
        best = max(
            left,
            key=lambda body: sum(1.0 / (1 + seen[number]) ** 2 for number in body.anchor.numbers),
        )
        left.remove(best)
        chosen.append(best)
        seen.update(best.anchor.numbers)
    return chosen


def _samples(bodies: Sequence[_Body]) -> list[Sample]:
    return [sample(body.data, body.anchor.end, body.end, body.anchor.numbers) for body in bodies]


def _fitted(tried: _Tried, work: Work) -> _Fit | None:
    """The layout near a format in which all its messages read, found from some of them; those that do not
    read are taken in until all do or nothing more helps."""
    some = _spread(tried.bodies, _SAMPLES)
    table: dict[int, Sequence[Way]] = {
        number: ways(tried.kind, tried.version, number, False)
        for body in tried.bodies
        for number in body.anchor.numbers
    }
    made: _Fit | None = None
    for _ in range(_ROUNDS):
        found = _mended(lattice(_samples(some), table, work), table, tried, work)
        if found is None:
            return made
        every = {
            number: _wide(tried.kind, tried.version, number, every=True)
            for number, way in found.chosen().items()
            if way.change
        }
        chosen = found.plainest({**table, **every})
        made = _Fit(tried, found, chosen, _unread(tried.bodies, chosen))
        more = [body for body in made.unread if body not in some][:_SAMPLES]
        if not more or len(some) >= _MOST_SAMPLES:
            return made
        some += more
    return made


def _mended(found: Lattice, table: dict[int, Sequence[Way]], tried: _Tried, work: Work) -> Lattice | None:
    """*found* with other ways for elements in front of where it goes wrong, until it reads to the ends: these
    stay in *table*. None where nothing helps."""
    while (trouble := found.trouble()) < len(found.numbers):
        best: Lattice = found
        window: Sequence[int] = ()
        for some in _windows(found.numbers, trouble):
            wide = {number: _wide(tried.kind, tried.version, number, every=False) for number in some}
            made = lattice(found.samples, {**table, **wide}, work)
            if made.progress > best.progress:
                best, window = made, some
            far = best.trouble() >= trouble + _FARTHER and best.progress > found.progress
            if far or best.whole or work.done:
                break
        if best is found:
            return None
        close = best.rivals()
        for number in window:
            kept = [way for behind, way in close.get(number, ()) if behind < _KEPT][:_MOST_KEPT]
            table[number] = tuple(dict.fromkeys((*table[number], *kept)))
        found = best
    return found


def _windows(numbers: Sequence[int], trouble: int) -> Iterator[Sequence[int]]:
    """Which elements may be otherwise where a layout goes wrong at place *trouble*: the last two, then each
    alone, then several."""
    last = trouble + 1
    yield numbers[max(0, last - 2) : last]
    for place in range(min(last, len(numbers)) - 1, -1, -1):
        yield numbers[place : place + 1]
    for back in _BACK:
        yield numbers[max(0, last - back) : last]


def _unread(bodies: Sequence[_Body], chosen: Mapping[int, Way]) -> list[_Body]:
    return [body for body, one in zip(bodies, _samples(bodies), strict=True) if read_by(one, chosen)[1]]


def _wide(kind: TriedFormat, version: str, number: int, *, every: bool) -> tuple[Way, ...]:
    """The ways to write an element that links of a kind have, and every other that its bytes may be; of those
    that end alike only a few, unless *every* one is asked for."""
    found = list(ways(kind, version, number, False))
    seen = {way.field for way in found}
    for cost, change in _changes(kind.format, version, number, every=every):
        field = kind.format.field(number, version, **change)
        if field is not None and field not in seen:
            seen.add(field)
            found.append(made_way(field, change, cost, ""))
    return tuple(found)


def _changes(
    made: Format, version: str, number: int, *, every: bool
) -> Iterator[tuple[float, dict[str, Any]]]:
    """What may be otherwise of an element, each with its cost in bits."""
    rows = read_toml("guess")["learned"]
    plain = made.field(number, version)
    digits, track = bool(plain and plain.content in ("n", "x+n")), bool(plain and plain.content == "z")
    own = plain.written if plain and plain.written in PAGES else made.text
    pages = dict.fromkeys(
        one for one in (own, made.text, *(rows["pages"] if every else ())) if one in SINGLE_BYTE
    )
    packed = (BCD,) if made.digits == BCD or made.lengths in (BCD, BINARY) else ()
    for written in (*pages, *packed, RAW, *((HEX,) if every else ())):
        base = rows["written"] * (plain is None or written != plain.written)
        change: dict[str, Any] = {"written": written}
        # Digits are worth more than characters, so that numbers of any length would swallow what follows.
        contents: dict[str, float] = {"z": 0.0} if track and written not in (RAW, HEX) else {}
        if written in pages:
            change["page"] = written
            contents |= {"ans": rows["text"] * (digits and every), **({"n": 0.0} if digits and every else {})}
        elif written == BCD:
            contents |= {"n": 0.0}
        else:
            change["counts"], contents = BYTES, {"b": 0.0}
        for content, more in contents.items():
            for size in rows["sizes"]:
                near = plain is not None and plain.fixed and plain.size == size
                cost = 0.0 if near else rows["fixed"] + rows["unusual"] * (size not in rows["usual"])
                yield base + more + cost, {"format": f"{content} {size}", **change}
            for lengths, width, count in rows["prefixes"]:
                page = next(iter(pages), "ascii") if lengths == "{page}" else lengths
                same = plain is not None and plain.prefix == width and plain.lengths == page
                prefix = {"format": f"{content}..{10**count - 1}", "lengths": page, "length_bytes": width}
                yield base + more + rows["prefix"] * (not same), {**prefix, **change}
                if written == BCD:
                    yield base + rows["prefix"] + rows["bytes"], {**prefix, **change, "counts": BYTES}


def _learned(fit: _Fit, items: Sequence[str | bytes], name: str) -> Learned:
    tried, chosen = fit.tried, fit.chosen
    read: dict[int, list[tuple[Sample, Step]]] = defaultdict(list)
    unread = set(range(len(items)))
    for body, one in zip(tried.bodies, _samples(tried.bodies), strict=True):
        some, stop = read_by(one, chosen)
        if stop:
            continue
        unread.discard(body.place)
        for step in some:
            read[step.number].append((one, step))
    steps = {number: [step for _, step in some] for number, some in sorted(read.items())}
    front = _front_of(tried.bodies[0])
    count = len(items) - len(unread)
    made, either = _format_of(tried, chosen, steps, name, count, front)
    layout, rivals, rows = made.layout(tried.version), fit.read.rivals(), []
    for number, some in steps.items():
        field = layout[number]
        if field is not None:
            # What tells the rivals apart may be what they cost alone: that is no evidence.
            count = sum(number in one.numbers for one in fit.read.samples)
            near = rivals.get(number, ())
            others = [way for behind, way in near if behind < _CLOSE + way.cost * count]
            said = _open(tried, read[number], chosen[number], others) or either.get(number, "")
            differs = bool(chosen[number].change) or made.elements.get(
                number
            ) != tried.kind.format.elements.get(number)
            rows.append(Evidence(field, len(some), _seen(field, some), differs, said))
    labels = tuple(layer.label for layer in front.layers)
    return Learned(
        made, tried.kind.format, tuple(rows), labels, tried.spelling, len(items), tuple(sorted(unread))
    )


def _format_of(
    tried: _Tried,
    chosen: Mapping[int, Way],
    steps: Mapping[int, Sequence[Step]],
    name: str,
    count: int,
    front: Front,
) -> tuple[Format, dict[int, str]]:
    """The format, and what is open of packed digits that may be filled up on either side, by element."""
    base = tried.kind.format
    changed = {number: _settled(way, steps.get(number, ())) for number, way in chosen.items() if way.change}
    padding = settle([step for number in sorted(steps) for step in steps[number]])
    for number, odd in padding.elements.items():
        changed.setdefault(number, {})["odd"] = odd
    rows = {number: dict(row) for number, row in base.elements.items()}
    for number, change in changed.items():
        kept = rows.get(number, {})
        # Parts of another length are no parts of this.
        kept = {key: kept[key] for key in kept if key == "name" or "format" not in change}
        rows[number] = kept | change
    filled = {one: said for one, said in padding.groups.items() if said != base.odd.get(one, _USUAL_ODD)}
    frames = tuple(layer.name for layer in front.layers)
    made = base.with_(
        name=name,
        title=f"Learned, near {base.title}" if changed else f"Learned: {base.title}",
        source=f"learned from {count} messages",
        note="",
        extends=base.name,
        elements=rows,
        odd={**base.odd, **filled},
        version=tried.version,
        frames=frames if frames and all(frames) else base.frames,
    )
    both = next((said for said in padding.unsettled if said.startswith("odd packed")), "")
    named = {int(one) for one in re.findall(r"DE ([0-9]+)", both)}
    return made, dict.fromkeys(named, "odd packed digits may be filled up on either side")


def _settled(way: Way, steps: Sequence[Step]) -> dict[str, Any]:
    """What a way says of an element: digits where there are no other characters, and of packed digits an odd
    number where half a byte is 0 in all messages."""
    change = dict(way.change or {})
    notation = str(change.get("format", ""))
    content, _, size = notation.partition(" ")
    values = {step.value for step in steps}
    if way.field.written == BCD and content == "n" and len(values) >= FEW and not int(size or 1) % 2:
        for side, half in (("left 0", 0), ("right 0", -1)):
            if all(value[half] == "0" for value in values):
                change |= {"format": f"n {int(size) - 1}", "odd": side}
                break
    elif content.startswith("ans") and len(values) >= FEW and all(map(str.isdecimal, values)):
        change["format"] = notation.replace("ans", "n", 1)
    return change


def _open(tried: _Tried, read: Sequence[tuple[Sample, Step]], way: Way, others: Sequence[Way]) -> str:
    """What the messages do not settle of an element: it is in too few of them, or something else reads them
    as well, *others* with another end."""
    if len(read) < FEW:
        return f"in {len(read)} message{'s' * (len(read) > 1)} only"
    number, plain = read[0][1].number, worth(read, way) - way.cost * len(read) / 2
    for other in (*others, *ways(tried.kind, tried.version, number, False)):
        if other.field == way.field or other.field.written in _AS_BYTES or _says_the_same(read, other):
            continue  # the same bytes shown otherwise are no other reading
        saved = worth(read, other)
        if other in others or saved + other.cost * len(read) / 2 > plain - _CLOSE / 2:
            return f"{other.field.format} reads as well"
    return ""


def _says_the_same(read: Sequence[tuple[Sample, Step]], other: Way) -> bool:
    """Whether another way gives the same values."""
    made = [(step, one.search.step(other, step.number, step.at)) for one, step in read]
    return all(again is not None and again[0].value == step.value for step, again in made)


def _seen(field: Field, steps: Sequence[Step]) -> str:
    """The evidence in words: sizes, and what the values are made of; never a value."""
    sizes = sorted({len(step.value) for step in steps})
    values = [step.value for step in steps]
    if field.written in (RAW, HEX):
        sizes, what = sorted({len(value) // 2 for value in values}), "byte"
    elif all(value.isascii() and value.isdigit() for value in values):
        what = "digit"
    else:
        what = "character"
    most = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
    how = f"{most} {what}{'s' * (sizes[-1] != 1)}"
    many = f"all {len(steps)}" if len(steps) > 1 else "1"
    if field.prefix:
        width = f"{field.prefix} length byte{'s' * (field.prefix > 1)} ({_written(field.lengths)})"
        return f"{width}, {how} in {many}"
    return f"{how} in {many}"


def _written(lengths: str) -> str:
    return {BCD: "packed", BINARY: "binary", "ascii": "ASCII"}.get(lengths, "EBCDIC")
