"""Splits the value of an element into named parts, by the layout rows in `spec/data/layouts`.

`read` returns the parts, each a slice of the value, and what does not fit, and where. A value that does not
fit raises no error: the rules decide how serious it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from sim.errors import counted
from sim.parts.chip_data import TlvError, read_tags
from sim.spec import Code, Spec, country, currency, lookup, lookup_anywhere, merchant_category, region
from sim.spec.layouts import FOREIGN, Cell, Layout, layouts

# Not codes: words, ids, amounts, dates. The element's rules check those.
_NO_CODES = frozenset(("", "text", "id", "date", "amount", "flags", "minor_unit", "mti", "ebcdic", "bits"))
_REGISTRIES: dict[str, Callable[[str], object]] = {
    "country": country,
    "currency": currency,
    "mcc": merchant_category,
    "region": region,
}
# Lists in which no code has different meanings on two networks.
_SHARED = frozenset(("pos_entry_mode",))
# Text is padded at its end, so text that reaches its last position contains no gap.
_GAP = "  "
_DIGITS = frozenset(f"{byte:02X}" for byte in range(0x30, 0x3A))


def is_known_code(cell: Cell, value: str, version: str, network: str = "") -> bool:
    """Whether *value* is among the codes of *cell*, or *cell* has no codes."""
    kind = cell.codes
    if kind == "text" and cell.must:
        return not (value[-1:].strip() and _GAP in value.strip())
    if kind in _NO_CODES:
        return True
    if kind in _REGISTRIES:
        return bool(_REGISTRIES[kind](value.strip()))
    if kind == "is":
        return value in cell.argument.split(" ")
    if kind == "blank":
        return not value.strip()
    if kind == "digits":
        return all(value[at : at + 2] in _DIGITS for at in range(0, len(value), 2))
    return code_of(cell, value, version, network) is not None


def code_of(cell: Cell, value: str, version: str, network: str) -> Code | None:
    """The row for *value* in the code list of *cell*, None if there is none."""
    if cell.codes == "sub_field":
        return cell.values.get(value) or cell.values.get(value.strip())
    position, _, other = cell.argument.partition("@")  # the version whose list to use, if this one has none
    version = other or version
    row = lookup(cell.codes, value, version=version, network=network or None, position=position)
    return row or (lookup_anywhere(cell.codes, value, version=version) if cell.codes in _SHARED else None)


_DEPTH = 6
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_NUMBER_WORDS = (*_NUMBERS, "twelve")
_SHOWN = 12


class Part(NamedTuple):
    """One part of a value, from `start` to `end` in the element, with its own parts as `children`. `key` is
    its position, tag or bit, or the number of a group, from 1."""

    cell: Cell
    key: str
    start: int
    end: int
    value: str
    children: tuple[Part, ...] = ()

    @property
    def name(self) -> str:
        """The name of the part."""
        return self.cell.name

    @property
    def sensitive(self) -> str:
        """`pan` or `hidden` if the part contains card data, else empty."""
        return self.cell.sensitive

    def __repr__(self) -> str:
        # Some parts contain card data.
        return f"Part({self.cell.path!r}, {self.start}, {self.end})"


class Misfit(NamedTuple):
    """Where a value does not fit its layout: from `start` to `end` in the element, in the part `path`;
    `unknown` means no row describes that. `found` never shows possible card data."""

    start: int
    end: int
    path: str
    expected: str
    found: str
    unknown: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Cutting:
    """One value being read: the text, the layout, and the misfits found so far."""

    layout: Layout
    text: str
    misfits: list[Misfit] = field(default_factory=list)

    def wrong(
        self, start: int, end: int, cell: Cell, expected: str, found: str, *, unknown: bool = False
    ) -> None:
        """Note a misfit."""
        self.misfits.append(Misfit(start, end, cell.path, expected, found, unknown))


def count(size: int, noun: str) -> str:
    """A count with its noun, in words up to twelve: `twelve digits`, `one digit`."""
    number = _NUMBER_WORDS[size] if size < len(_NUMBER_WORDS) else str(size)
    return f"{number} {noun}{'' if size == 1 else 's'}"


def inside(reading: Cutting, cell: Cell, at: int, end: int, depth: int) -> tuple[Part, ...]:
    """The parts of *cell* between *at* and *end*; none if it has no cut, or deeper than any layout goes."""
    if not cell.cut or depth > _DEPTH:
        return ()
    return tuple(_CUTTERS[cell.cut](reading, cell, at, end, depth))


def _part(reading: Cutting, cell: Cell, key: str, at: int, end: int, depth: int) -> Part:
    """The part between *at* and *end*, checked, with its own parts."""
    value, size = reading.text[at:end], end - at
    if not cell.least <= size <= cell.most:
        sizes = str(cell.least) if cell.least == cell.most else f"{cell.least} to {cell.most}"
        reading.wrong(at, end, cell, f"{sizes} characters of {cell.name}", counted(size, "character"))
        return Part(cell, key, at, end, value)
    if cell.cut:
        return Part(cell, key, at, end, value, inside(reading, cell, at, end, depth + 1))
    if wrong := FOREIGN[cell.content].search(value):
        _foreign(reading, cell, at, end, wrong.start())
    elif cell.must and not is_known_code(cell, value, reading.layout.version, reading.layout.network):
        reading.wrong(at, end, cell, expected_of(cell), found_of(cell, value))
    return Part(cell, key, at, end, value)


def _foreign(reading: Cutting, cell: Cell, at: int, end: int, wrong: int) -> None:
    """Note a character, at *wrong*, that the part's class does not allow."""
    sign = cell.content == "x+n"
    if sign and not wrong:
        char = ascii(reading.text[at : at + 1])
        reading.wrong(at, at + 1, cell, f"C or D before the {cell.name}", char)
        return
    units = "hex digit" if cell.content == "b" else "digit" if cell.content in ("n", "x+n") else "character"
    size = end - at - sign
    expected, at = f"{count(size, units)} of {cell.name}", at + wrong
    reading.wrong(at, at + 1, cell, expected, ascii(reading.text[at]))


def found_of(cell: Cell, value: str) -> str:
    """A value as findings show it: unchanged if short and not card data, else its length."""
    return ascii(value) if len(value) <= _SHOWN and not cell.sensitive else counted(len(value), "character")


def expected_of(cell: Cell) -> str:
    """What a part should contain, in words."""
    if cell.codes == "is":
        return f"{cell.name} {' or '.join(cell.argument.split(' '))}"
    if cell.codes in _REGISTERED:
        return _REGISTERED[cell.codes]
    return f"a known {cell.name}"


_REGISTERED = {
    "blank": "a blank",
    "country": "an ISO 3166 country",
    "currency": "an ISO 4217 currency code",
    "region": "a state or province",
    "digits": "digits as characters, 30 to 39 each",
}


def _places(reading: Cutting, cell: Cell, at: int, end: int, depth: int) -> Iterator[Part]:
    """Parts one after the other; with `short`, the value may end before any of them."""
    short, last = "short" in cell.words, cell.cells[-1]
    for child in cell.cells:
        if at == end and (short or not child.least):
            continue
        part = _next(reading, child, at, end, depth, last=child is last)
        if part is None:
            return
        yield part
        at = part.end
    if at < end:
        reading.wrong(at, end, last, f"nothing after {last.name}", counted(end - at, "more character"))


def _next(reading: Cutting, cell: Cell, at: int, end: int, depth: int, *, last: bool = False) -> Part | None:
    """The part at *at*, after its own length if it has one; None and a misfit if it does not fit. If it is
    the *last*, its own length must leave nothing over."""
    size = cell.most
    if cell.own:
        head = len(cell.own)
        start, digits = at + head, reading.text[at : at + head]
        size = _number(digits, "b" if cell.own[0] == "H" else "n")
        over = start + size > end or (last and start + size < end)
        if size < 0 or over or not cell.least <= size <= cell.most:
            units = "digit" if cell.content == "n" else "character"
            left = f"{digits}, with {max(end - start, 0)} {units}s after it"
            found = left if digits.isdigit() else "other characters"
            reading.wrong(at, min(start, end), cell, f"the length of {cell.name}", found)
            return None
        at = start
    elif not cell.fixed:
        size = min(cell.most, end - at)
    if at + size > end or size < cell.least:
        units = "digits" if cell.content in ("n", "x+n") else "characters"
        reading.wrong(at, end, cell, f"{max(cell.least, size)} {units} of {cell.name}", f"{end - at}")
        return None
    return _part(reading, cell, cell.key, at, at + size, depth)


def _number(digits: str, content: str) -> int:
    """A length in characters of the text form, from decimal digits, or from hex digits that count bytes; -1
    if it is not a number."""
    if not digits.isascii() or FOREIGN[content].search(digits) or not digits:
        return -1
    return 2 * int(digits, 16) if content == "b" else int(digits)


def _groups(reading: Cutting, cell: Cell, at: int, end: int, depth: int) -> Iterator[Part]:
    """The same parts, repeated to the end."""
    width = cell.width
    over = (end - at) % width
    if over or at == end:
        reading.wrong(end - over, end, cell, f"groups of {width} characters", counted(end - at, "character"))
        return
    for index, start in enumerate(range(at, end, width), 1):
        inside = tuple(_places(reading, cell, start, start + width, depth + 1))
        yield Part(cell, str(index), start, start + width, reading.text[start : start + width], inside)


def _list(reading: Cutting, cell: Cell, at: int, end: int, depth: int) -> Iterator[Part]:
    """Tag, length, data, repeated; with `lead`, one part that does not start with a digit may come first."""
    tag_class, tag_width, size_class, size_width = list_heads(cell.words)
    if "lead" in cell.words and at < end and not reading.text[at].isdigit():
        lead = cell.cells[0]
        yield _part(reading, lead, lead.key, at, at + lead.most, depth)
        at += lead.most
    while at < end:
        start = at + tag_width + size_width
        tag = reading.text[at : at + tag_width]
        size = _number(reading.text[at + tag_width : start], size_class)
        if size < 0 or start > end or FOREIGN[tag_class].search(tag) or " " in tag:
            expected = f"an id of {tag_width} and a length of {size_width} characters"
            reading.wrong(at, end, cell, expected, "something else")
            return
        if start + size > end:
            units = f"{counted(size, 'character')} of subelement {tag}, as its length requires"
            reading.wrong(start, end, cell, units, f"{end - start}", unknown=tag not in cell.by_key)
            return
        yield _tagged(reading, cell, tag, start, start + size, depth)
        at = start + size


@cache
def list_heads(words: tuple[str, ...]) -> tuple[str, int, str, int]:
    """Content class and width of a list's tags, then of its lengths, by the *words* of its cell."""
    tag, size = words[:2]
    content, length = tag.rstrip("0123456789"), size.rstrip("0123456789")
    wide, long = int(tag.removeprefix(content)), int(size.removeprefix(length))
    return content, wide * (1 + (content == "b")), length, long * (1 + (length == "b"))


def _unknown(path: str, cut: str, content: str) -> Cell:
    """A part that no row describes."""
    name = {"ber": "unknown tag", "bits": "unknown bit", "tokens": "unknown token"}.get(
        cut, "unknown subelement"
    )
    key = path.rpartition(".")[2]
    return Cell(key, path, name, "", (), content, 0, 9999, "", "", "", False, None, "", "", "", ())


def _tagged(reading: Cutting, cell: Cell, tag: str, start: int, end: int, depth: int) -> Part:
    """A part found by its tag, with its length checked by its row."""
    child = cell.by_key.get(tag) or _unknown(f"{cell.path}.{tag}", cell.cut, "ans")
    return _part(reading, child, tag, start, end, depth)


def _ber(reading: Cutting, cell: Cell, at: int, end: int, depth: int) -> Iterator[Part]:
    """BER-TLV in hex digits."""
    text = reading.text[at:end]
    try:
        tags = read_tags(text, strict=False)
    except TlvError as error:
        tags = tuple(error.partial or ())
        reading.wrong(at + (error.offset or 0), end, cell, error.expected, error.found)
    for tag in tags:
        yield _tagged(reading, cell, tag.tag, at + tag.value_start, at + tag.end, depth)


def _bits(reading: Cutting, cell: Cell, at: int, end: int, depth: int) -> Iterator[Part]:
    """A bitmap in hex digits, then the parts whose bits are set."""
    first = cell.cells[0]
    start = at + first.most
    text = reading.text[at:start]
    if start > end or FOREIGN["b"].search(text):
        reading.wrong(at, end, first, f"{first.most} hex digits of {first.name}", "something else")
        return
    yield Part(first, first.key, at, start, text)
    for bit in flags(text):
        child = cell.by_key.get(str(bit))
        if child is None:
            reading.wrong(start, end, cell, "only known bits", f"bit {bit}")
            return
        part = _next(reading, child, start, end, depth)
        if part is None:
            return
        yield part
        start = part.end
    if start < end:
        reading.wrong(start, end, cell, "nothing after the last part", counted(end - start, "more character"))


# BASE24 tokens are text: a header with the number of tokens and of characters, both including the header,
# then each token with its id and length.
HEADER_KEY = "&"
_HEADER = re.compile(r"& (\d{5})(\d{5})", re.ASCII)
_TOKEN = re.compile(r"! (\S\S)(\d{5}) ", re.ASCII)


def _tokens(reading: Cutting, cell: Cell, at: int, end: int, depth: int) -> Iterator[Part]:
    """BASE24 tokens, after the header that counts them; with `open`, the value may be something else."""
    text, origin = reading.text, at
    header = _HEADER.match(text, at, end)
    if header is None and "open" in cell.words:
        return
    if header is None:
        opening = ascii(text[at : min(at + len("& 0000000000"), end)])
        reading.wrong(at, end, cell, "& and 10 digits in front of the tokens", opening)
        return
    child = cell.by_key.get(HEADER_KEY) or _unknown(f"{cell.path}.{HEADER_KEY}", "", "ans")
    yield _part(reading, child, HEADER_KEY, at + len("& "), header.end(), depth)
    at, number = header.end(), 1
    while at < end:
        head = _TOKEN.match(text, at, end)
        if head is None:
            reading.wrong(at, end, cell, "a token: !, its id and length", ascii(text[at : min(at + 10, end)]))
            return
        start, size = head.end(), int(head[2])
        if start + size > end:
            units = f"{counted(size, 'character')} of token {head[1]}, as its length requires"
            reading.wrong(start, end, cell, units, f"{end - start}")
            return
        yield _tagged(reading, cell, head[1], start, start + size, depth)
        at, number = start + size, number + 1
    if (number, end - origin) != (int(header[1]), int(header[2])):
        header_says = f"{number} tokens with the header, {end - origin} characters"
        reading.wrong(
            origin + len("& "), header.end(), child, header_says, f"{int(header[1])} and {int(header[2])}"
        )


def _split(reading: Cutting, cell: Cell, at: int, end: int, depth: int) -> Iterator[Part]:
    """Parts with a separator between them; the last one takes the rest."""
    sign, cells = cell.words[0], cell.cells
    texts = reading.text[at:end].split(sign, len(cells) - 1)
    if len(texts) < len(cells):
        expected = ", ".join(part.name for part in cells[:-1]) + f", each followed by {sign}"
        reading.wrong(at, end, cell, expected, "fewer parts")
        return
    for child, text in zip(cells, texts, strict=True):
        yield _part(reading, child, child.key, at, at + len(text), depth)
        at += len(text) + len(sign)


_Cutter = Callable[[Cutting, Cell, int, int, int], Iterator[Part]]
_CUTTERS: dict[str, _Cutter] = {
    "places": _places,
    "groups": _groups,
    "list": _list,
    "ber": _ber,
    "bits": _bits,
    "split": _split,
    "tokens": _tokens,
}


class Parts(NamedTuple):
    """A value split by one layout. With `misfits`, only the parts that could be read."""

    layout: Layout
    parts: tuple[Part, ...]
    misfits: tuple[Misfit, ...]

    @property
    def fits(self) -> bool:
        """Whether the whole value fits the layout."""
        return not self.misfits

    def get(self, name: str) -> str:
        """The value of the first part with that key or name, empty if there is none."""
        return next((part.value for part in self.parts if name in (part.key, part.cell.name)), "")

    def walk(self) -> Iterator[tuple[Part, int]]:
        """All parts with their depth, each before its children."""
        yield from _walk(self.parts, 0)


def _walk(parts: tuple[Part, ...], depth: int) -> Iterator[tuple[Part, int]]:
    for part in parts:
        yield part, depth
        yield from _walk(part.children, depth + 1)


def read(layout: Layout, value: str) -> Parts:
    """Split *value* by *layout*.

    >>> [part.value for part in read(layouts("1987", 3)[0], "002030").parts]
    ['00', '20', '30']
    """
    reading = Cutting(layout, value)
    parts = inside(reading, layout.cell, 0, len(value), 0)
    return Parts(layout, parts, tuple(reading.misfits))


def fits(layout: Layout, value: str) -> bool:
    """Whether *value* fits *layout*; cheap if its parts have fixed positions.

    >>> fits(layouts("1987", 3)[0], "002030"), fits(layouts("1987", 3)[0], "00203")
    (True, False)
    """
    pattern = layout.pattern
    if pattern is not None:
        if pattern.fullmatch(value) is None:
            return False
        if (strict := layout.strict) is not None:
            network, size = layout.network, len(value)  # a part that is left out is not checked
            return all(
                at >= size or is_known_code(cell, value[at:end], layout.version, network)
                for cell, at, end in strict
            )
    return not read(layout, value).misfits


def fitting(version: str | Spec, number: int, value: str, network: str | None = None) -> Parts | None:
    """*value* split by the layout of its element that fits; if several do, by the one that splits the fewest
    words, then by the first. None if none fits.

    >>> found = fitting("1987", 43, f"{'CORNER SHOP':<22} {'LONDON':<13} GBR")
    >>> found.get("city") if found else None
    'LONDON       '
    """
    best: dict[int, Parts] = {}
    for layout in tried(version, number, network):
        if layout.pattern is not None and not fits(layout, value):
            continue
        parts = read(layout, value)
        if not parts.misfits:
            torn = _torn(parts)
            if not torn:
                return parts
            best.setdefault(torn, parts)
    return best[min(best)] if best else None


def closest(version: str | Spec, number: int, value: str, network: str | None = None) -> Parts | None:
    """*value* split by the layout that fits, else by the one that fits furthest; None if the element has no
    layout."""
    every = (read(layout, value) for layout in tried(version, number, network))
    return fitting(version, number, value, network) or max(
        every, key=lambda parts: parts.misfits[0].start, default=None
    )


def tried(version: str | Spec, number: int, network: str | None = None) -> tuple[Layout, ...]:
    """The layouts to try: the dialect's own if it has any, else the network's and the standard's."""
    if isinstance(version, Spec):
        own_layouts = tuple(layout for layout in version.parts if layout.number == number)
        return own_layouts or layouts(version.version, number, network)
    return layouts(version, number, network)


def _torn(parts: Parts) -> int:
    """How many words a boundary between two text parts splits."""
    return sum(
        one.cell.codes == two.cell.codes == "text" and one.value[-1:].isalnum() and two.value[:1].isalnum()
        for one, two in zip(parts.parts, parts.parts[1:], strict=False)
    )


@cache
def standing(version: str, number: int, network: str | None, key: str) -> tuple[Layout, slice] | None:
    """The layout of an element and the fixed position of part *key* in every value that fits; None if that
    depends on the value, or the element has several layouts. A value may end before it."""
    candidates = layouts(version, number, network)
    if len(candidates) != 1 or candidates[0].pattern is None:
        return None
    places = (slice(start, end) for cell, start, end in candidates[0].cell.front if cell.key == key)
    return next(((candidates[0], position) for position in places), None)


@cache
def place(version: str, number: int, name: str) -> slice:
    """The position of the part with that key or name in an element of fixed positions. Raises KeyError if the
    first layout of *version* has no such part.

    >>> "002030"[place("1987", 3, "to account")]
    '30'
    """
    for layout in layouts(version, number)[:1]:
        for cell, start, end in layout.cell.slices or ():
            if name in (cell.key, cell.name):
                return slice(start, end)
    raise KeyError(name)


def set_bits(value: str) -> list[tuple[int, int]]:
    """The bits set in *value* (hex): (byte from 1, bit 8 to 1), the most significant first."""
    octets = enumerate(bytes.fromhex(value), 1)
    return [(at, bit) for at, octet in octets if octet for bit in range(8, 0, -1) if octet >> bit - 1 & 1]


def flags(value: str) -> list[int]:
    """The bits set in *value* (hex), bit 1 the most significant; none if it is not whole bytes in hex.

    >>> flags("8001")
    [1, 16]
    """
    if len(value) % 2 or FOREIGN["b"].search(value):
        return []
    return [8 * byte - bit + 1 for byte, bit in set_bits(value)]
