"""Pictures for the lessons, drawn by code as SVG: who talks to whom, chip data as nested boxes, bits.

Each has a background of its own, so that it can be read in light and dark themes, needs neither widgets
nor a network, and says the same as text where no pictures are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sim.parts import chip_data

_INK, _PAPER, _EDGE, _SOFT = "#1c2733", "#ffffff", "#8a96a3", "#eef2f6"
_TAG, _LENGTH, _VALUE = "#cfe3f7", "#fde3bd", "#d8efd3"
_FONT = "font-family='Helvetica,Arial,sans-serif'"
_MONO = "font-family='DejaVu Sans Mono,Menlo,Consolas,monospace'"
_BYTE, _PAD, _ROW = 20, 5, 30
_WIDEST = 860


class Picture:
    """An SVG picture with the same in words."""

    def __init__(self, width: int, height: int, parts: Iterable[str], text: str) -> None:
        frame = f"<rect width='{width}' height='{height}' rx='8' fill='{_PAPER}' stroke='{_EDGE}'/>"
        self.svg = (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
            f"viewBox='0 0 {width} {height}' role='img'>"
            f"<title>{escape(text)}</title>{frame}{''.join(parts)}</svg>"
        )
        self.text = text

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return self.text


def _words(x: float, y: float, said: str, size: int = 13, where: str = "middle", font: str = _FONT) -> str:
    return (
        f"<text x='{x:g}' y='{y:g}' {font} font-size='{size}' fill='{_INK}' text-anchor='{where}'>"
        f"{escape(said)}</text>"
    )


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    return (
        f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='4' "
        f"fill='{fill}' stroke='{_EDGE}'/>"
    )


def _arrow(x1: float, x2: float, y: float, dashed: bool = False) -> str:
    back = 7 if x2 < x1 else -7
    dash = " stroke-dasharray='5 4'" if dashed else ""
    return (
        f"<line x1='{x1:g}' y1='{y:g}' x2='{x2:g}' y2='{y:g}' stroke='{_INK}' stroke-width='1.5'{dash}/>"
        f"<path d='M{x2:g} {y:g} l{back} -4 v8 z' fill='{_INK}'/>"
    )


_PARTIES = (
    ("cardholder", "has the card"),
    ("card acceptor", "the shop"),
    ("acquirer", "the shop's bank"),
    ("network", "carries messages"),
    ("issuer", "gave the card"),
)


def parties() -> Picture:
    """The five parties of a payment by card, and where ISO 8583 is spoken."""
    wide, gap, top = 124, 40, 56
    parts = []
    for at, (name, does) in enumerate(_PARTIES):
        x = 20 + at * (wide + gap)
        parts += [
            _box(x, top, wide, 56, _SOFT if at < 2 else _TAG),
            _words(x + wide / 2, top + 25, name, 14),
            _words(x + wide / 2, top + 44, does, 11),
        ]
        if at:
            parts += [_arrow(x - gap + 2, x - 3, top + 18), _arrow(x - 2, x - gap + 3, top + 40, dashed=True)]
    first, last = 20 + 2 * (wide + gap), 20 + 4 * (wide + gap) + wide
    parts += [
        _words((first + last) / 2, 26, "ISO 8583: 0100 asks  →   ←  0110 answers", 13),
        f"<line x1='{first}' y1='38' x2='{last}' y2='38' stroke='{_INK}'/>",
        _words((20 + first) / 2 - 20, 26, "card and terminal", 13),
        _words((first + last) / 2, 136, "the request goes to the issuer, and its decision comes back", 12),
    ]
    return Picture(
        last + 20,
        152,
        parts,
        "cardholder -> card acceptor (shop) -> acquirer (its bank) -> network -> issuer (gave the card)\n"
        "Acquirer and issuer use ISO 8583: 0100 requests, 0110 responds.",
    )


def talk(*messages: tuple[str, str, str]) -> Picture:
    """A conversation of acquirer and issuer, from the top down. A message is its MTI, `>` (to the issuer),
    `<` (to the acquirer) or `x` (to the acquirer, lost on its way), and a few words."""
    left, right, top = 130, 610, 54
    parts = [
        _box(left - 60, 12, 120, 28, _TAG),
        _words(left, 31, "acquirer", 14),
        _box(right - 60, 12, 120, 28, _TAG),
        _words(right, 31, "issuer", 14),
    ]
    height = top + 34 * len(messages) + 14
    parts += [f"<line x1='{x}' y1='40' x2='{x}' y2='{height - 10}' stroke='{_EDGE}'/>" for x in (left, right)]
    for at, (mti, way, said) in enumerate(messages):
        y = top + 34 * at + 20
        ends = {">": (left, right), "<": (right, left), "x": (right, (left + right) / 2)}[way]
        parts += [
            _arrow(*ends, y, dashed=way == "x"),
            _words((left + right) / 2, y - 6, f"{mti}  {said}", 13),
        ]
        if way == "x":
            parts.append(_words((left + right) / 2 - 14, y + 5, "✕", 13))
    signs = {">": "acquirer -> issuer", "<": "issuer -> acquirer", "x": "issuer -> lost"}
    text = "\n".join(f"{signs[way]:20} {mti}  {said}" for mti, way, said in messages)
    return Picture(right + 130, height, parts, text)


def bits(digits: str, numbers: Sequence[int], called: str = "") -> Picture:
    """The bits of hexadecimal *digits*, each under its digit and over its number; those that are set are
    filled. *numbers* counts them: from 1 in a bitmap, 8 down to 1 in a byte of chip data."""
    pattern = "".join(f"{int(digit, 16):04b}" for digit in digits)
    side, left = 34, 20
    parts = [_words(left, 22, called, 13, "start")] if called else []
    for at, digit in enumerate(digits):
        x = left + at * 4 * (side + 4)
        parts.append(_words(x + 2 * (side + 4) - 2, 48, digit, 16, font=_MONO))
        parts.append(f"<path d='M{x} 54 h{4 * (side + 4) - 4}' stroke='{_EDGE}'/>")
    for at, (bit, number) in enumerate(zip(pattern, numbers, strict=True)):
        x = left + at * (side + 4)
        parts += [
            _box(x, 60, side, side, _VALUE if bit == "1" else _PAPER),
            _words(x + side / 2, 82, bit, 15, font=_MONO),
            _words(x + side / 2, 112, str(number), 12),
        ]
    on = ", ".join(str(number) for bit, number in zip(pattern, numbers, strict=True) if bit == "1")
    text = f"{called + ': ' if called else ''}{digits} = {pattern}; set: {on or 'none'}"
    return Picture(left + len(pattern) * (side + 4) + 16, 124, parts, text)


def _width(tag: chip_data.Tag) -> float:
    value = sum(_width(one) + _PAD for one in tag.children) + _PAD if tag.children else _value_width(tag)
    return len(tag.tag) / 2 * _BYTE + 10 + _BYTE + 10 + value + 4 * _PAD


def _value_width(tag: chip_data.Tag) -> float:
    return max(len(tag.value) / 2 * _BYTE, _BYTE) + 6


def _draw(tag: chip_data.Tag, x: float, y: float, height: float) -> list[str]:
    inner, middle = height - 2 * _PAD, y + height / 2 + 4
    parts = [_box(x, y, _width(tag), height, _SOFT)]
    x += _PAD
    for said, wide, fill in (
        (tag.tag, len(tag.tag) / 2 * _BYTE + 10, _TAG),
        (f"{(tag.end - tag.value_start) // 2:02X}", _BYTE + 10, _LENGTH),
    ):
        parts += [_box(x, y + _PAD, wide, inner, fill), _words(x + wide / 2, middle, said, 12, font=_MONO)]
        x += wide + _PAD
    if not tag.children:
        wide = _value_width(tag)
        return [
            *parts,
            _box(x, y + _PAD, wide, inner, _VALUE),
            _words(x + wide / 2, middle, tag.value, 12, font=_MONO),
        ]
    wide = sum(_width(one) + _PAD for one in tag.children) + _PAD
    parts.append(_box(x, y + _PAD, wide, inner, _VALUE))
    x += _PAD
    for one in tag.children:
        parts += _draw(one, x, y + 2 * _PAD, inner - 2 * _PAD)
        x += _width(one) + _PAD
    return parts


def _depth(tag: chip_data.Tag) -> int:
    return 1 + max((_depth(one) for one in tag.children), default=0)


def boxes(data: str) -> Picture:
    """Chip data as boxes: tag, length, value; what a template holds stands inside its value."""
    tags = chip_data.read_tags(data)
    height = _ROW + 4 * _PAD * (max(map(_depth, tags)) - 1)
    parts, x, y, widest = [], 16.0, 44.0, 0.0
    for tag in tags:
        if x > 16 and x + _width(tag) > _WIDEST:
            x, y = 16.0, y + height + 8
        parts += _draw(tag, x, y, height)
        x += _width(tag) + 8
        widest = max(widest, x)
    legend = [
        part
        for at, (said, fill) in enumerate((("tag", _TAG), ("length in bytes", _LENGTH), ("value", _VALUE)))
        for part in (_box(16 + at * 140, 12, 18, 18, fill), _words(40 + at * 140, 26, said, 12, "start"))
    ]
    return Picture(
        int(max(widest, 420) + 8), int(y + height + 14), [*legend, *parts], "\n".join(_lines(tags, ""))
    )


def _lines(tags: Iterable[chip_data.Tag], indent: str) -> list[str]:
    found = []
    for tag in tags:
        size = (tag.end - tag.value_start) // 2
        found.append(f"{indent}{tag.tag} | {size:02X} | {'' if tag.children else tag.value}".rstrip())
        found += _lines(tag.children, indent + "    ")
    return found
