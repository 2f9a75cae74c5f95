"""A raw bitmap that went through a 7-bit code page: bytes above 7F are replaced or lost their high bit."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from sim.codec import bitmap
from sim.codec.message import is_mti
from sim.codec.text import MTI_WIDTH, is_digits
from sim.judge.elements import misfit
from sim.operations.repairing.weighing import presence_costs
from sim.spec import Spec

# The replacement characters for lost bytes.
LOST = "\ufffd?"
_MAP, _TOP = 8, 0x80
_MOST_STEPS, _MOST_FOUND = 20_000, 24


def is_half(raw: str) -> bool:
    """Whether *raw* starts with an MTI and a raw bitmap that lost bytes or their high bits."""
    bits = raw[MTI_WIDTH : MTI_WIDTH + _MAP]
    is_narrow = all(ord(char) < _TOP or char in LOST for char in bits)
    odd = any(char in LOST or char < " " for char in bits)
    return len(bits) == _MAP and is_narrow and odd and is_mti(raw[:MTI_WIDTH])


def texts(raw: str, table: Spec) -> Iterator[str]:
    """The text forms that *raw* can be, most likely first: with every bitmap under which all elements fit and
    the text is used up."""
    # With replacement characters, all other bytes are intact.
    marked = any(char in LOST for char in raw[MTI_WIDTH : MTI_WIDTH + _MAP])
    for wide in (_MAP * (1 + (raw[MTI_WIDTH] in LOST)),) if marked else (_MAP, 2 * _MAP):
        yield from _texts(raw, table, wide, marked)


def _texts(raw: str, table: Spec, wide: int, marked: bool) -> Iterator[str]:
    bits = raw[MTI_WIDTH : MTI_WIDTH + wide]
    flags: dict[int, bool] = {1: wide > _MAP}
    for place, char in enumerate(bits):
        lost = char in LOST and marked
        byte = _TOP if lost else ord(char)
        for bit in range(0 if marked else 1, 1 if lost else 8):
            flags[8 * place + bit + 1] = bool(byte >> (7 - bit) & 1)
    costs, start = presence_costs(raw[:MTI_WIDTH], None), MTI_WIDTH + wide
    # Cost so far, next element, its position, elements present.
    queue: list[tuple[float, int, int, tuple[int, ...]]] = [(0.0, 2, start, ())]
    count = 0
    for _ in range(_MOST_STEPS):
        if not queue or count >= _MOST_FOUND:
            return
        cost, number, at, numbers = heappop(queue)
        if number > 8 * wide:
            if at == len(raw):
                count += 1
                yield raw[:MTI_WIDTH] + bitmap.to_hex(numbers, secondary=wide > _MAP) + raw[start:]
            continue
        if not flags.get(number, False):
            heappush(queue, (cost + costs[number][1], number + 1, at, numbers))
        if flags.get(number, True) and (end := _end(raw, number, at, table)):
            heappush(queue, (cost + costs[number][0], number + 1, end, (*numbers, number)))


def _end(raw: str, number: int, at: int, table: Spec) -> int:
    """The end of element *number* if it starts at *at*; 0 if it does not fit."""
    element = table[number]
    first, width = at + element.prefix, element.width
    if element.binary or first > len(raw):
        return 0  # binary data lost bits as well
    if element.prefix:
        stated = raw[at:first]
        if not is_digits(stated) or int(stated) > width:
            return 0
        width = int(stated)
    value = raw[first : first + width]
    return first + width if len(value) == width and misfit(value, element, table) is None else 0
