"""The text of a message as it may be shown: as long as it was, card data starred out.

Unlike `sim.masking.mask`, which names what it hides (`[16 characters hidden]`), this keeps every
character's place, so that offsets still hold. What is hidden is decided by `sim.masking` and
`sim.elements.emv`; here it is only put in its place.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from sim.codec import Message, spans
from sim.elements import emv
from sim.elements.pan import luhn_ok
from sim.masking import mask, mask_pan, mask_text
from sim.spec.networks import detect

CHIP = 55
_STAR = "*"
_SHORTEST_PAN = 12
# Where the length of DE 2, the first element, may stand: behind one bitmap or two, a few characters lost or
# added in front; or, when what was read makes no sense, behind headers of the link, too.
_NEAR = (*range(16, 27), *range(32, 43))
_FAR = range(16, 80)
# The length prefix of a card number, wherever it stands; the digits after it are looked at one by one.
_PAN_PREFIX = re.compile(r"(?=(1[2-9])([0-9]{12,19}))")
_TRACKS = re.compile(r"[0-9]{12,19}=[0-9]{4}[0-9]*|[A-Z][0-9]{12,19}\^[^^]*\^?[0-9]*")


def sound_text(message: Message, raw: str, *, suspect: bool = False) -> str:
    """*raw*, which reads as *message*, with card data starred out.

    *suspect*: values do not look like what they should be, so that a card number may stand in the
    wrong element; what looks like one is hidden wherever it is.
    """
    shown = [raw[: _header(message)]]
    places = spans(message)
    for number, value in sorted(message.fields.items()):
        start, first, _ = places[number]
        shown += [raw[start:first], shown_value(message, number, value)]
    text = "".join(shown)
    return _without_cards(raw, text, _FAR) if suspect else text


def broken_text(raw: str, partial: Message | None, version: str, *, suspect: bool = True) -> str:
    """*raw*, which is no message, with card data starred out; *partial* is what could be read.

    A card number read into other elements is looked for where DE 2 would stand, and farther off when values
    do not look like what they should be (*suspect*): elsewhere dates in a row pass for a card.
    """
    if partial is None:
        return _without_cards(raw, mask_text(raw), range(len(raw)))
    end = at = _header(partial)
    # Sixteen digits that pass for a bitmap may be a card number.
    shown = [raw[:4], mask(0, raw[4:end], version)]
    for number, (start, first, end) in list(spans(partial).items())[2:]:
        value = shown_value(partial, number, partial.fields[number])
        shown += [raw[start:first], mask_text(value)]
        at = end
    return _without_cards(raw, "".join(shown) + mask_text(raw[at:]), _FAR if suspect else _NEAR)


def shown_value(message: Message, number: int, value: str) -> str:
    """One value, as long as it was."""
    pan = message.get(2)
    if number == CHIP:
        return _chip(value, pan)
    shown = mask(number, value, message.version, pan)
    return shown if len(shown) == len(value) else _STAR * len(value)


def _header(message: Message) -> int:
    return 4 + len(message.bitmap)


def _chip(value: str, pan: str) -> str:
    """Tags and lengths in clear; of the values those that `emv` shows as they are."""
    shown = [_STAR] * len(value)
    for tag, said in zip(emv.read(value).tags, emv.decode(value), strict=True):
        open_value = not (tag.constructed or _STAR in said.value_shown or said.value_shown.startswith("["))
        stop = tag.end if open_value else tag.value_start
        shown[tag.start : stop] = value[tag.start : stop]
    text = "".join(shown)
    return text.replace(pan, mask_pan(pan)) if len(pan) >= _SHORTEST_PAN else text


def _without_cards(raw: str, shown: str, places: Container[int]) -> str:
    """*shown* without what looks in *raw* like a card number whose length stands at one of *places*, or
    like a track."""
    stars = list(shown)
    for start, end in _suspects(raw, places):
        masked = mask_pan(raw[start:end]) if raw[start:end].isdigit() else _STAR * (end - start)
        for at, char in enumerate(masked, start):
            if char == _STAR:
                stars[at] = _STAR
    return "".join(stars)


def _suspects(raw: str, places: Container[int]) -> Iterable[tuple[int, int]]:
    for found in _PAN_PREFIX.finditer(raw):
        size = int(found[1])
        pan = found[2][:size]
        if found.start() in places and len(pan) == size and luhn_ok(pan) and detect(pan):
            yield found.start(2), found.start(2) + size
    for track in _TRACKS.finditer(raw):
        yield track.span()
