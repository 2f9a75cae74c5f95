"""Learns a dialect from its messages: the format by which most of them read to the end.

Many messages settle what one leaves open. Of the formats that fit the MTI and the bitmap, we take those that
read furthest; of the layouts close to these, with elements of any encoding and length, the most likely one.
What other layouts read equally well is reported as open.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from typing import Any

from sim.codec.wire.catalogue import loaded, names, ready, wire_format
from sim.codec.wire.decode import Views
from sim.codec.wire.formats import BCD, BINARY, BYTES, HEX, NIBBLES, RAW, Field, Format
from sim.codec.wire.framing import ETX, STX
from sim.codec.wire.pages import SINGLE_BYTE
from sim.errors import SpecError
from sim.paste.anchors import Anchor, Head, anchors, is_known_mti, usual
from sim.paste.front import Front, explain
from sim.paste.lattice import Block, Lattice, Sample, lattice, read_by
from sim.paste.padding import settle
from sim.paste.pipeline import different_kinds
from sim.paste.search import Search, Step
from sim.paste.spellings import GIVEN, Sighting, is_legible, sightings
from sim.paste.ways import TriedFormat, Way, kinds, made_way, ways
from sim.spec import VERSIONS, version_of
from sim.spec.tables import read_toml

FEW = 3  # an element seen in fewer messages is uncertain
_LOOKED_AT = 60  # messages searched for the place
_SAMPLES, _MORE = 48, 12
_RARE = 0.01
_PLACES, _NEAREST, _FEW_NODES = 3, 3, 60
_LIKELY = 10.0
_USUAL_ODD = "left 0"
# The padding of an odd number of packed digits: side, index of the padding half byte, index of its neighbor.
_HALVES = (("left 0", 0, 1), ("right 0", -1, -2))
_CLOSE = 14.0  # a reading that falls short by fewer bits is equally good
_READ = 0.9


@dataclass(frozen=True, slots=True)
class Learned:
    """The result: the `format`, and the known one that is its `base`; the `evidence` for each element; the
    `framing` before a message; the number of `messages`, and the indexes of those `unread`."""

    format: Format
    base: Format
    evidence: tuple[Evidence, ...]
    framing: tuple[str, ...]
    spelling: str
    messages: int
    unread: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence on an element: the number of messages with it, `seen` in words; whether it `differs` from
    the base; what is `open`, empty if the messages settle it."""

    field: Field
    messages: int
    seen: str
    differs: bool
    open: str


@dataclass(frozen=True, slots=True, eq=False)
class _Body:
    """A message with its anchor and its `end`; `place` is its index in the input."""

    place: int
    data: bytes
    end: int
    anchor: Anchor
    sample: Sample


@dataclass(frozen=True, slots=True)
class _Fit:
    """A layout close to a format: the way of each element of `bodies`, and the messages that it cannot
    read."""

    kind: TriedFormat
    version: str
    bodies: Sequence[_Body]
    found: Lattice
    chosen: Mapping[int, Way]
    unread: Sequence[_Body]

    @property
    def rank(self) -> tuple[bool, int, float]:
        """The quality of the fit; higher is better."""
        return not self.found.stop, -len(self.unread), self.found.rank[1] - self.kind.cost

    @property
    def otherwise(self) -> list[_Body]:
        """The unread messages that are encoded differently: all if there are very many, else those with an
        element that most messages with it fail on. The others are damaged."""
        if len(self.unread) > (1 - _READ) * len(self.bodies):
            return [*self.unread]
        have, lack = (
            Counter(number for body in some for number in body.anchor.numbers)
            for some in (self.bodies, self.unread)
        )
        odd = {number for number, count in lack.items() if count > 1 and 2 * count > have[number]}
        return [body for body in self.unread if not odd.isdisjoint(body.anchor.numbers)]


def learn(items: Sequence[str | bytes], name: str) -> Learned:
    """The dialect of the messages *items*, as a format called *name*. Raises SpecError, with the reason, if
    no format reads most of them."""
    near = [
        (*entry, spelling, bodies, which)
        for spelling, bodies in _places(items)
        for which, entry in enumerate(_nearest(bodies))
    ]
    near.sort(key=lambda entry: entry[0], reverse=True)
    # Of incomplete ones, the best of each place first: how far they read is not comparable.
    near.sort(key=lambda entry: 0 if entry[0][0] else 1 + entry[-1])
    fits: list[tuple[tuple[bool, int, float], str, _Fit]] = []
    for (complete, _), kind, version, guide, spelling, bodies, _ in near[: 2 * _NEAREST]:
        fit = _fitted(kind, version, bodies, guide)
        fits.append((fit.rank, spelling, fit))
        done = complete and not fit.found.stop and not fit.otherwise
        if done or sum(not other.found.stop for _, _, other in fits) == _NEAREST:
            break
    if not fits:
        raise SpecError(None, None, "an MTI and a bitmap in the same place of nine of ten messages", "none")
    _, spelling, best = max(fits, key=lambda entry: entry[0])
    read = len(best.bodies) - len(best.unread)
    if best.found.stop or read < _READ * len(items):
        where = (
            f"none that continues after DE {best.found.stop}"
            if best.found.stop
            else f"{read} of {len(items)}"
        )
        expected = "messages in one dialect, most of which fit a single layout"
        raise SpecError(None, None, expected, f"{where}, near {best.kind.format.title}")
    return _learned(best, spelling, len(items), name)


def _nearest(
    bodies: Sequence[_Body],
) -> list[tuple[tuple[bool, float], TriedFormat, str, Mapping[int, Way]]]:
    """The formats that read *bodies* furthest, unchanged or with the usual deviations of links, each with its
    layout."""
    version = Counter(version_of(body.anchor.mti) or VERSIONS[0] for body in bodies).most_common(1)[0][0]
    block = Block([body.sample for body in _spread(bodies)], version)
    by_rank: dict[tuple[bool, float], tuple[TriedFormat, Lattice]] = {}
    numbers = tuple(sorted({number for body in bodies for number in body.anchor.numbers}))
    for kind in different_kinds(_all_kinds(loaded()), bodies[0].anchor.head, version, numbers):
        graph = lattice(block, {number: ways(kind, version, number, False) for number in numbers}, _FEW_NODES)
        # The first of those that read equally far, such as code pages that differ in a few characters.
        by_rank.setdefault((graph.rank[0], graph.rank[1] - kind.cost), (kind, graph))
    best = ((rank, *by_rank[rank]) for rank in sorted(by_rank, reverse=True)[:_NEAREST])
    return [(rank, kind, version, best_graph.chosen()) for rank, kind, best_graph in best]


def _places(items: Sequence[str | bytes]) -> list[tuple[str, list[_Body]]]:
    """The likeliest places of a message in *items*, found in a sample of them: each is a spelling of the
    bytes, with all messages at the same byte with the same encoding of MTI and bitmap."""
    some = items[:: -(-len(items) // _LOOKED_AT)]
    likely: dict[tuple[str, Head, int], list[float]] = defaultdict(list)
    first: dict[tuple[str, Head, int], bytes] = {}
    for item in some:
        for sighting in {candidate.data: candidate for candidate in reversed(_sightings(item))}.values():
            for anchor in anchors(Views(sighting.data), tried=_all_kinds(loaded())):
                if not sighting.text or anchor.head[0] == "ascii":
                    key = sighting.name, anchor.head, anchor.at
                    is_usual = usual(anchor.mti) and is_known_mti(anchor.mti)
                    likely[key].append(anchor.rank + _LIKELY * is_usual + min(sighting.saved, 0.0) / 4)
                    first.setdefault(key, sighting.data)
    rank = {
        key: sum(bits) / len(bits) + explain(first[key][: key[2]], len(first[key]), _end(first[key])).bits
        for key, bits in likely.items()
        if len(bits) >= _READ * len(some)
    }
    # The same bytes after more or less of what precedes them are one place.
    places = {(key[1], first[key][key[2] :]): key for key in sorted(rank, key=lambda spot: rank[spot])}
    best = sorted(places.values(), key=lambda spot: -rank[spot])[:_PLACES]
    groups: list[tuple[str, list[_Body]]] = [(name, []) for name, _, _ in best]
    for place, item in enumerate(items if best else ()):
        item_sightings = _sightings(item)
        for key, (_, bodies) in zip(best, groups, strict=True):
            bodies += _body(place, item_sightings, *key)
    return [(name, bodies) for name, bodies in groups if len(bodies) >= _READ * len(items)]


def _body(place: int, seen: Sequence[Sighting], name: str, head: Head, at: int) -> Iterator[_Body]:
    """The message in an item's sightings *seen* that has spelling *name*, starts at byte *at* and has its MTI
    and bitmap encoded as *head*."""
    for sighting in seen:
        if sighting.name == name:
            for anchor in anchors(Views(sighting.data), at, head, _all_kinds(loaded())):
                end = _end(sighting.data)
                message = Sample(Search(sighting.data[anchor.end : end]), anchor.numbers)
                yield _Body(place, sighting.data, end, anchor, message)
            return


def _end(data: bytes) -> int:
    """The end of a message: before ETX, with or without a check byte, or before the line end."""
    if data[:1] == bytes([STX]) and data[-2:-1] == bytes([ETX]):
        return len(data) - 2
    return len(data.rstrip(b"\r\n").removesuffix(bytes([ETX])))


def _sightings(item: str | bytes) -> list[Sighting]:
    """The possible message bytes in an item."""
    if isinstance(item, str):
        return sightings(item)
    sighting = Sighting(GIVEN, item, 0.0)
    return [sighting, *(sightings(item.decode("latin-1")) if is_legible(item) else ())]


@lru_cache(maxsize=2)
def _all_kinds(formats: tuple[Format, ...]) -> tuple[TriedFormat, ...]:
    """Every format, including loaded ones (*formats*, for the cache) and those that a guess reads only if
    named; and each of them with a bitmap that always has 16 bytes."""
    named_kinds = (
        TriedFormat(wire_format(name), 10.0) for name in ready() if name in read_toml("guess")["named"]
    )
    base_kinds = [*kinds(), *named_kinds]
    wide = [
        TriedFormat(kind.format.with_(bitmap_bytes=16, bit_1=False), kind.cost + 8.0)
        for kind in base_kinds
        if not kind.format.bitmap_bytes and not kind.format.third
    ]
    return (*base_kinds, *wide)


def _spread(bodies: Sequence[_Body]) -> list[_Body]:
    """A sample of *bodies* in which every element is as frequent as possible, except very rare ones, which a
    damaged bitmap announces."""
    count = Counter(number for body in bodies for number in body.anchor.numbers)
    left: dict[tuple[int, ...], list[_Body]] = defaultdict(list)
    for body in reversed(bodies):
        if all(count[number] >= _RARE * len(bodies) for number in body.anchor.numbers):
            left[body.anchor.numbers].append(body)
    chosen: list[_Body] = []
    tally = Counter[int]()
    while left and len(chosen) < _SAMPLES:
        best = max(left, key=lambda some: sum(1.0 / (1 + tally[number]) ** 2 for number in some))
        chosen.append(left[best].pop())
        tally.update(best)
        if not left[best]:
            del left[best]
    return chosen


def _fitted(kind: TriedFormat, version: str, bodies: Sequence[_Body], guide: Mapping[int, Way]) -> _Fit:
    """The layout close to a format that reads most of its messages, found from a sample, then again with some
    that it does not read; no worse than the *guide*."""
    table = {number: _wide(kind, version, number) for body in bodies for number in body.anchor.numbers}
    some = _spread(bodies)
    while True:
        graph = lattice(Block([body.sample for body in some], version), table, guide=guide)
        # An element in none of the sample is read in the format's own way.
        chosen = {number: options[0] for number, options in table.items()} | graph.chosen()
        unread = [body for body in bodies if graph.stop or read_by(body.sample, chosen)[1]]
        fit = _Fit(kind, version, bodies, graph, chosen, unread)
        more = [body for body in fit.otherwise if body not in some][:_MORE]
        if graph.stop or not more or len(some) > _SAMPLES:
            return fit
        some += more


@lru_cache(maxsize=512)
def _wide(kind: TriedFormat, version: str, number: int) -> tuple[Way, ...]:
    """The ways in which links of a kind write an element, the format's own first, then every other possible
    one."""
    options = [
        way for way in ways(kind, version, number, False) if (way.change or {}).get("written") != "gbk"
    ]
    fields = {way.field for way in options}
    for cost, change in _changes(kind.format, version, number):
        field = kind.format.field(number, version, **change)
        if field is not None and field not in fields:
            fields.add(field)
            options.append(made_way(field, change, cost, ""))
    return tuple(options)


def _changes(fmt: Format, version: str, number: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """The possible deviations of an element, each with its cost in bits."""
    rows = read_toml("guess")["learned"]
    plain = fmt.field(number, version)
    content = plain.content if plain else "ans"
    text_page = plain.written if plain and plain.written in SINGLE_BYTE else fmt.text
    # Only the first of the code pages that differ in a few characters.
    pages = {name == "ascii": name for name in (*reversed(rows["pages"]), text_page) if name in SINGLE_BYTE}
    for written in (*pages.values(), BCD, RAW):
        base = rows["written"] * (plain is None or written != plain.written) * (1 + (written == RAW))
        change: dict[str, Any] = {"written": written}
        if written == RAW:
            change["counts"], content_class = BYTES, "b"
        elif written == BCD:
            content_class = "z" if content == "z" else "n"
        else:
            change["page"], content_class = written, content if content in ("n", "z") else "ans"
        for size in rows["sizes"]:
            cost = rows["unusual"] * (size not in rows["usual"]) + rows["fixed"]
            if plain is not None and plain.fixed:
                cost += rows["strict"] * (content in ("n", "an", "anp"))
                cost = (cost + rows["farther"] * abs(log2(size / plain.size))) * (size != plain.size)
            yield base + cost, {"format": f"{content_class} {size}", **change}
        for lengths, width, count in rows["prefixes"]:
            page = text_page if lengths == "{page}" else lengths
            cost = 0.0 if plain and (plain.prefix, plain.lengths) == (width, page) else rows["prefix"]
            prefix = {"format": f"{content_class}..{10**count - 1}", "lengths": page, "length_bytes": width}
            yield base + cost, {**prefix, **change}
            if written == BCD:
                yield base + rows["prefix"] + rows["bytes"], {**prefix, **change, "counts": BYTES}


def _learned(fit: _Fit, spelling: str, count: int, name: str) -> Learned:
    chosen, base = fit.chosen, fit.kind.format
    read: dict[int, list[tuple[Sample, Step]]] = defaultdict(list)
    good = [body for body in fit.bodies if body not in fit.unread]
    for body in good:
        for step in read_by(body.sample, chosen)[0]:
            read[step.number].append((body.sample, step))
    steps = {number: [step for _, step in some] for number, some in sorted(read.items())}
    front = explain(good[0].data[: good[0].anchor.at], len(good[0].data), good[0].end)
    fmt, either = _format_of(fit, steps, name, front)
    layout, rivals, rows = fmt.layout(fit.version), fit.found.rivals(), []
    for number, some in steps.items():
        field = layout[number]
        if field is not None:
            others = [way for behind, way in rivals.get(number, ()) if behind < _CLOSE]
            doubt = _open(read[number], chosen[number], others) or either.get(number, "")
            differs = bool(chosen[number].change) or fmt.elements.get(number) != base.elements.get(number)
            rows.append(Evidence(field, len(some), _evidence_in_words(field, some), differs, doubt))
    unseen = (field for field in layout.fields if field is not None and field.number not in steps)
    rows += [Evidence(field, 0, "", False, f"in no message; taken from {base.title}") for field in unseen]
    labels = tuple(layer.label for layer in front.layers)
    unread = set(range(count)) - {body.place for body in good}
    return Learned(fmt, base, tuple(rows), labels, spelling, count, tuple(sorted(unread)))


def _format_of(
    fit: _Fit, steps: Mapping[int, Sequence[Step]], name: str, front: Front
) -> tuple[Format, dict[int, str]]:
    """The format, and a note for each element whose packed digits may be padded on either side."""
    base = fit.kind.format
    changed = {
        number: _settled(fit.chosen[number], some)
        for number, some in steps.items()
        if fit.chosen[number].change
    }
    padding = settle([step for number in sorted(steps) for step in steps[number]])
    for number, odd in padding.elements.items():
        changed.setdefault(number, {})["odd"] = odd
    rows = {number: dict(row) for number, row in base.elements.items()}
    for number, change in changed.items():
        kept = rows.get(number, {})
        # The base's parts do not apply to an element of another length.
        kept = {key: kept[key] for key in kept if key == "name" or "format" not in change}
        rows[number] = kept | change
    filled = {
        group: side for group, side in padding.groups.items() if side != base.odd.get(group, _USUAL_ODD)
    }
    frames = tuple(layer.name for layer in front.layers)
    fmt = base.with_(
        name=name,
        title=f"Learned, near {base.title}" if changed else f"Learned: {base.title}",
        source=f"learned from {len(fit.bodies)} messages",
        note="",
        extends=_ready_below(base),
        elements=rows,
        odd={**base.odd, **filled},
        version=fit.version,
        frames=frames if frames and all(frames) else base.frames,
    )
    both = next((reason for reason in padding.unsettled if reason.startswith("odd packed")), "")
    numbers = {int(digits) for digits in re.findall(r"DE ([0-9]+)", both)}
    return fmt, dict.fromkeys(numbers, "odd packed digits may be padded on either side")


def _ready_below(fmt: Format) -> str:
    """The built-in format that a format extends, directly or not: a format may be learned again under its own
    name, and must not extend itself."""
    while fmt.name not in ready() and fmt.extends in names():
        fmt = wire_format(str(fmt.extends))
    return fmt.name if fmt.name in ready() else ready()[0]


def _settled(way: Way, steps: Sequence[Step]) -> dict[str, Any]:
    """The deviation of a way, refined: class n if all values are digits, packed hex digits if several of
    packed digits are not, and an odd number of packed digits if one half byte is 0 in all messages and its
    neighbor is not."""
    change = dict(way.change or {})
    notation = str(change.get("format", ""))
    content, _, size = notation.partition(" ")
    values = {step.value for step in steps}
    if content.startswith("ans") and len(values) >= FEW and all(map(str.isdecimal, values)):
        change["format"] = notation.replace("ans", "n", 1)
    letters = sum(not step.value.isdecimal() for step in steps if step.value)
    if (way.field.written, way.field.content) == (BCD, "n") and letters > (1 - _READ) * len(steps):
        return change | {"format": notation.replace("n", "an", 1), "written": NIBBLES}
    for side, half, beside in _HALVES if _is_even(way) else ():
        if {value[half] for value in values} == {"0"} != {value[beside] for value in values}:
            return change | {"format": f"n {int(size) - 1}", "odd": side}
    return change


def _is_even(way: Way) -> bool:
    """Whether a way reads an even number of packed digits, which may be an odd number and padding."""
    field = way.field
    return (
        bool(way.change)
        and field.written == BCD
        and field.content == "n"
        and field.fixed
        and not field.size % 2
    )


def _open(read: Sequence[tuple[Sample, Step]], way: Way, others: Sequence[Way]) -> str:
    """What the messages do not settle: too few of them have the element, or *others* read it equally well."""
    if len(read) < FEW:
        return f"in {len(read)} message{'s' * (len(read) > 1)} only"
    halves = [{step.value[half] for _, step in read} for _, half, _ in _HALVES] if _is_even(way) else ()
    if {"0"} in halves:
        return f"n {way.field.size - 1} reads as well"
    prefix = way.field.prefix, way.field.lengths
    for other in others:
        # The same bytes with another representation are not another reading.
        pairs = [(step, message.search.step(other, step.number, step.at)) for message, step in read]
        alike = all(again is not None and again[0].end == step.end for step, again in pairs)
        if not alike or (other.field.prefix, other.field.lengths) != prefix:
            return f"{other.field.format} reads as well"
    return ""


def _evidence_in_words(field: Field, steps: Sequence[Step]) -> str:
    """The evidence in words: sizes and kinds of characters, but never a value."""
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
