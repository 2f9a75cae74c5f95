"""One part of a value written anew in its place: the lengths around it follow.

The layouts say where a length stands, as they do for reading (`cutting`); nothing here knows an element.
"""

from __future__ import annotations

from sim.codec import Message
from sim.elements import tlv
from sim.elements.chip_data import read as read_chip
from sim.elements.cutting import Part, list_heads
from sim.elements.layout import Parts, fitting, read, tried
from sim.errors import BuildError
from sim.spec.layouts import Cell

_CHIP = 55
_DATASET = "dataset"
_DATASET_ID = 2  # hex digits of a dataset's id, in front of its length
_DATASET_LENGTH = 4


def replaced(
    message: Message, number: int, start: int, end: int, text: str, network: str | None = None
) -> str:
    """The value of element *number* with *text* in place of its characters *start* to *end*, and with the
    lengths of what that part stands in.

    Parameters
    ----------
    message : Message
        The message that has the element.
    number : int
        The element.
    start, end : int
        The part, in characters of the element's value from 0: as `Part` and chip data tags give them.
    text : str
        What is to stand there, as the text form writes it; bytes as hex digits.
    network : str, optional
        Whose layouts to read by, too.

    Raises
    ------
    BuildError
        Where *text* does not fit the part.

    Examples
    --------
    >>> replaced(Message("0100", {55: "9F2701809C0100"}), 55, 6, 8, "4000")
    '9F270240009C0100'
    >>> replaced(Message("0100", {3: "002000"}), 3, 2, 4, "30")
    '003000'
    """
    try:
        return _replaced(message, number, start, end, text, network)
    except BuildError as error:
        if error.field is not None:
            raise
        # Lengths are written where no element is known.
        raise BuildError(number, None, error.expected, error.found) from None


def _replaced(message: Message, number: int, start: int, end: int, text: str, network: str | None) -> str:
    value = message.get(number)
    if not 0 <= start <= end <= len(value):
        raise BuildError(number, None, f"a part of its {len(value)} characters", f"{start} to {end}")
    if number == _CHIP and read_chip(value).tags:
        return _chip(value, start, end, text)
    found = fitting(message.spec, number, value, network)
    if found is None:
        known = tried(message.spec, number, network)
        found = read(known[0], value) if len(known) == 1 else None
    if found is None:
        return value[:start] + text + value[end:]
    made = _inside(found.layout.cell, found.parts, value, 0, len(value), (start, end, text))
    _check(found, made, number)
    return made


def _check(before: Parts, made: str, number: int) -> None:
    """A value that fitted its layout must fit it still."""
    wrong = read(before.layout, made).misfits
    if before.fits and wrong:
        raise BuildError(number, None, wrong[0].expected, wrong[0].found)


Change = tuple[int, int, str]


def _inside(cell: Cell, parts: tuple[Part, ...], value: str, at: int, end: int, change: Change) -> str:
    """What stands in *value* between *at* and *end*, cut by *cell* into *parts*, with the change in it."""
    start, stop, text = change
    for part in parts:
        if not (part.start <= start and stop <= part.end):
            continue
        whole = (part.start, part.end) == (start, stop)
        inner = text if whole else _inside(part.cell, part.children, value, part.start, part.end, change)
        front, head = _head(cell, part, value, inner)
        return value[at:front] + head + inner + value[part.end : end]
    return value[at:start] + text + value[stop:end]


def _head(cell: Cell, part: Part, value: str, inner: str) -> tuple[int, str]:
    """Where the length in front of *part* begins, and what it says of *inner*; where none stands there, the
    part's own beginning and nothing."""
    if cell.cut == "ber":
        size = len(tlv.write_length((part.end - part.start) // 2))
        return part.start - size, tlv.write_length(_bytes(inner))
    own = part.cell.own
    if cell.cut == "list" and not ("lead" in cell.words and part.cell is cell.cells[0]):
        _, _, content, width = list_heads(cell)
        return part.start - width, _length(inner, width, content == "b")
    if own:
        return part.start - len(own), _length(inner, len(own), own[0] == "H")
    return part.start, ""


def _length(inner: str, width: int, in_bytes: bool) -> str:
    made = f"{_bytes(inner):0{width}X}" if in_bytes else f"{len(inner):0{width}}"
    if len(made) > width:
        what, most = ("bytes", 16**width - 1) if in_bytes else ("characters", 10**width - 1)
        found = _bytes(inner) if in_bytes else len(inner)
        raise BuildError(None, None, f"a part of at most {most} {what}", f"{found} {what}")
    return made


def _bytes(inner: str) -> int:
    if len(inner) % 2:
        raise BuildError(None, None, "whole bytes, two hex digits each", f"{len(inner)} hex digits")
    return len(inner) // 2


def _chip(value: str, start: int, end: int, text: str) -> str:
    chip = read_chip(value)
    tags = tuple(tag for tag in chip.tags if not tag.depth)
    made = _tags(value, tags, tags[0].start, len(value), (start, end, text.upper()))
    front = value[: tags[0].start]
    if chip.layout == _DATASET:
        front = front[:_DATASET_ID] + _length(made, _DATASET_LENGTH, True)
    made = front + made
    wrong = read_chip(made).error
    if wrong is not None and chip.error is None:
        raise BuildError(_CHIP, None, wrong.expected, wrong.found)
    return made


def _tags(value: str, tags: tuple[tlv.Tag, ...], at: int, end: int, change: Change) -> str:
    start, stop, text = change
    for tag in tags:
        if not (tag.value_start <= start and stop <= tag.end):
            continue
        if tag.children and (tag.value_start, tag.end) != (start, stop):
            inner = _tags(value, tag.children, tag.value_start, tag.end, change)
        else:
            inner = value[tag.value_start : start] + text + value[stop : tag.end]
        head = tag.tag + tlv.write_length(_bytes(inner))
        return value[at : tag.start] + head + inner + value[tag.end : end]
    return value[at:start] + text + value[stop:end]
