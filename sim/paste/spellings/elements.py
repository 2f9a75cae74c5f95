"""A message whose elements a paste names one by one, and the notation of element names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sim.codec.message import MTI, is_mti

# F2, DE002, field_39, Bit 4, P3, S102, "002 PAN", 127.22: the number, and the path inside it.
_LABEL = re.compile(
    r"(?i)(?:data[ _]?element|data[ _]?field|field|fld|bit|de|df|f|p|s)?[ _.\-#]{0,2}"
    r"0{0,3}([1-9][0-9]{0,2}|0)"
    r"((?:\.[0-9A-Za-z]{1,8}){0,4})(?:[ _.\-:].{0,80})?"
)
_MTI_LABEL = re.compile(r"(?i)mti|msg_?type|message[ _]?type(?:[ _]?(?:indicator|id|identifier))?|type|t")
MTI_PATH = "0"
BITMAP_PATHS = ("1", "-1")
# What languages print for a value that is not there.
_NOTHING = frozenset(("null", "None", "nil", "undefined", "(null)"))

Pairs = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Named:
    """One message whose elements a paste names.

    `fields` maps paths (`2`, `43.1`, `55.9F02`) to values as printed, `binary` are the paths whose values are
    bytes in hex. `bits` are the elements in its own bitmap, if that is shown. The repr omits values.
    """

    name: str
    mti: str
    fields: dict[str, str]
    binary: frozenset[str] = frozenset()
    bits: tuple[int, ...] | None = None
    notes: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        return f"Named({self.name!r}, {self.mti!r}, elements {', '.join(self.fields)})"


def path_of(label: str) -> str | None:
    """The path in a label: `F02_PAN` is `2`, `127.022` is `127.22`; None if it has none.

    >>> path_of("DE004"), path_of("field_39"), path_of("amount")
    ('4', '39', None)
    """
    if _MTI_LABEL.fullmatch(label):
        return MTI_PATH
    match = _LABEL.fullmatch(label)
    if match is None:
        return None
    inner = [
        part.lstrip("0") or "0" if part.isdigit() and len(part) > 1 else part for part in match[2].split(".")
    ]
    return ".".join([match[1], *inner[1:]]) if match[2] else match[1]


def divided(pairs: Iterable[tuple[str, str]]) -> Iterator[Pairs]:
    """The pairs of path and value of each message; every further MTI starts a new one.

    >>> list(divided([("0", "0800"), ("11", "000001"), ("0", "0810"), ("11", "000001"), ("39", "00")]))
    [[('0', '0800'), ('11', '000001')], [('0', '0810'), ('11', '000001'), ('39', '00')]]
    """
    now: Pairs = []
    for path, value in pairs:
        if path == MTI_PATH and not is_mti(value):
            continue
        if path == MTI_PATH and MTI_PATH in dict(now):
            if len(now) > 1:
                yield now
            now = []  # of two MTIs in a row, the last one is the message's
        now.append((path, value))
    if now:
        yield now


def collected(
    name: str, pairs: Iterable[tuple[str, str]], bitmap: str = "", binary: Iterable[str] = ()
) -> Named | None:
    """The message with these *pairs* of path and value; None without an MTI or any value. Some logs show the
    MTI as element 1."""
    fields: dict[str, str] = {}
    for path, value in pairs:
        fields.setdefault(path, value)
    mti = fields.pop(MTI_PATH, "")
    bits = fields.pop("1", "")
    if not MTI.fullmatch(mti) and MTI.fullmatch(bits):
        mti = bits
    elements = {
        path: value for path, value in fields.items() if 2 <= _top(path) <= 192 and value not in _NOTHING
    }
    if not MTI.fullmatch(mti) or not any(elements.values()):
        return None
    numbers, digits = _bits(bitmap or bits), len(bitmap)
    damaged = (f"its bitmap has {digits} digits, one too many or too few",) * (digits % 16 in (1, 15))
    if (
        not bitmap
        and numbers
        and {number + 64 for number in numbers} == {*map(_top, elements)} - {*range(65)}
    ):
        numbers = None  # element 1 is only the secondary bitmap
    return Named(name, mti, elements, frozenset(binary), numbers, damaged)


def messages_of(
    name: str, pairs: Iterable[tuple[str, str]], bitmap: str = "", fewest: int = 1
) -> Iterator[Named]:
    """The messages in *pairs* of path and value, each with at least *fewest* of them; the *bitmap* is that
    of the only message."""
    groups = list(divided(pairs))
    for group in groups:
        bits = bitmap if len(groups) == 1 else ""
        if len(group) >= fewest and (message := collected(name, group, bits)):
            yield message


def _top(path: str) -> int:
    """The element that *path* is in."""
    return int(path.split(".")[0])


def _bits(text: str) -> tuple[int, ...] | None:
    """The elements in a hex bitmap; None if *text* is not one."""
    digits = re.sub(r"[^0-9A-Fa-f]", "", text[:64])
    if len(digits) not in (16, 32) or len(text) > 64:
        return None
    value, size = int(digits, 16), 4 * len(digits)
    return tuple(at for at in range(2, size + 1) if value >> (size - at) & 1)
