"""Builds an element's value from its parts, the inverse of `layout.read`, or replaces one part and updates
the lengths around it. Where lengths are is up to the layouts, as in reading: nothing here is about one
element."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sim.errors import BuildError, counted, quoted_value
from sim.parts.chip_data import ChipData, Tag, write_length, write_tags
from sim.parts.chip_data import read as read_chip
from sim.parts.layout import HEADER_KEY, Part, Parts, fitting, list_heads, read, tried
from sim.spec import Spec
from sim.spec.layouts import FOREIGN, Cell, Layout

# The content of a part: text, its own parts by key or name, or one mapping for each group.
Value = str | Mapping[str, "Value"] | Sequence[Mapping[str, "Value"]]

_BITS_A_DIGIT = 4


def write(layout: Layout, parts: Value) -> str:
    """The value with *parts*, by key or name; digits are padded with zeros on the left, text with blanks on
    the right. Raises BuildError for a part that is too long, has characters that are not allowed, or is
    unknown.

    >>> from sim.spec.layouts import layouts
    >>> write(layouts("1987", 3)[0], {"transaction type": "09", "from account": "20", "to account": "00"})
    '092000'
    """
    return _inside(layout.cell, parts, layout.number)


def _inside(cell: Cell, value: Value, number: int) -> str:
    if isinstance(value, str):
        return value if cell.cut else _leaf(cell, value, number)
    if not isinstance(value, Mapping):
        return "".join(_places(cell, item, number) for item in value)
    if not value.keys() <= cell.called and cell.cut in ("places", "groups", "split", "bits"):
        unknown = next(name for name in value if name not in cell.called)
        raise BuildError(number, None, "parts of " + cell.name, quoted_value(unknown))
    return _WRITERS[cell.cut](cell, value, number)


def _value_for(cell: Cell, values: Mapping[str, Value]) -> Value | None:
    value = values.get(cell.key)
    return values.get(cell.name) if value is None else value


def _leaf(cell: Cell, text: str, number: int) -> str:
    filled = text.rjust(cell.least, "0") if cell.content in ("n", "b") else text.ljust(cell.least)
    if len(filled) > cell.most:
        expected = f"at most {cell.most} characters of {cell.name}"
        raise BuildError(number, None, expected, counted(len(text), "character"))
    if FOREIGN[cell.content].search(filled):
        raise BuildError(number, None, f"{cell.name} of class {cell.content}", "other characters")
    return filled


def _with_length(cell: Cell, text: str) -> str:
    if not cell.own:
        return text
    return f"{len(text) // 2:02X}{text}" if cell.own[0] == "H" else f"{len(text):0{len(cell.own)}}{text}"


def _places(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    parts = [(child, _value_for(child, values)) for child in cell.cells]
    if "short" in cell.words:  # it ends after the last part that is given
        parts = parts[: max((at for at, (_, value) in enumerate(parts, 1) if value is not None), default=0)]
    texts: list[str] = []
    for child, value in parts:
        if value is None:  # the first of its constants, if it has any
            value = child.argument.split(" ")[0] if child.codes == "is" else ""
        texts.append(_with_length(child, _inside(child, value, number)))
    return "".join(texts)


def _tagged(cell: Cell, values: Mapping[str, Value], number: int) -> Iterator[tuple[str, str]]:
    """The tag and the text of each of *values*; those without a row are written as they are."""
    for key, value in values.items():
        child = cell.by_key.get(key) or cell.by_name.get(key)
        yield (child.key, _inside(child, value, number)) if child else (key, str(value))


def _list(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    _, _, content, width = list_heads(cell.words)
    lead = cell.cells[0].key if "lead" in cell.words else None
    texts: list[str] = []
    for key, text in _tagged(cell, values, number):
        if key == lead:
            texts.insert(0, text)
        else:
            size = f"{len(text) // 2:0{width}X}" if content == "b" else f"{len(text):0{width}}"
            texts.append(key + size + text)
    return "".join(texts)


def _ber(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    return write_tags(_tagged(cell, values, number))


def _bits(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    first = cell.cells[0]
    size = first.most * _BITS_A_DIGIT
    by_bit = {(cell.by_key.get(key) or cell.by_name[key]).key: value for key, value in values.items()}
    bits, texts = 0, []
    for bit in sorted(by_bit, key=int):
        child = cell.by_key[bit]
        if child is not first:
            bits |= 1 << size - int(bit)
            texts.append(_with_length(child, _inside(child, by_bit[bit], number)))
    return f"{bits:0{first.most}X}" + "".join(texts)


def _split(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    return cell.words[0].join(_inside(child, _value_for(child, values) or "", number) for child in cell.cells)


def _tokens(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    pairs = _tagged(cell, values, number)
    texts = [f"! {key}{len(text):05} {text}" for key, text in pairs if key != HEADER_KEY]
    return _counted("& 0000000000" + "".join(texts), len(texts) + 1)


def _counted(tokens: str, number: int) -> str:
    """*tokens* with a header that counts *number* of them."""
    return f"& {number:05}{len(tokens):05}{tokens[len('& 0000000000') :]}"


_Writer = Callable[[Cell, Mapping[str, Value], int], str]
_WRITERS: dict[str, _Writer] = {
    "places": _places,
    "groups": _places,
    "list": _list,
    "ber": _ber,
    "bits": _bits,
    "split": _split,
    "tokens": _tokens,
}


# A replacement: start and end of the characters, new text.
Change = tuple[int, int, str]

_CHIP = 55
_DATASET = "dataset"
_DATASET_ID = 2  # hex digits of a dataset's id, before its length
_DATASET_LENGTH = 4


def replaced(
    table: str | Spec, number: int, value: str, start: int, end: int, text: str, network: str | None = None
) -> str:
    """The *value* of element *number* with *text* in place of its characters *start* to *end*, and the
    lengths around that part updated.

    Parameters
    ----------
    table : str or Spec
        The version of the message that has the element, or its dialect.
    number, value : int, str
        The element.
    start, end : int
        The part, in characters of the element's value from 0: as `Part` and chip data tags give them.
    text : str
        The new content, in text form; bytes as hex digits.
    network : str, optional
        A network whose layouts to read by as well.

    Raises
    ------
    BuildError
        *text* does not fit the part.

    Examples
    --------
    >>> replaced("1987", 55, "9F2701809C0100", 6, 8, "4000")
    '9F270240009C0100'
    >>> replaced("1987", 3, "002000", 2, 4, "30")
    '003000'
    """
    try:
        return _replaced(table, number, value, (start, end, text), network)
    except BuildError as error:
        if error.field is not None:
            raise
        # The code that writes lengths does not know the element.
        raise BuildError(number, None, error.expected, error.found) from None


def _replaced(table: str | Spec, number: int, value: str, change: Change, network: str | None) -> str:
    start, end, text = change
    if not 0 <= start <= end <= len(value):
        raise BuildError(
            number, None, f"a part of its {counted(len(value), 'character')}", f"{start} to {end}"
        )
    if number == _CHIP and (chip := read_chip(value)).tags:
        return _chip(chip, value, (start, end, text.upper()))
    layouts = tried(table, number, network)
    parts = fitting(table, number, value, network) or (read(layouts[0], value) if len(layouts) == 1 else None)
    if parts is None:
        return value[:start] + text + value[end:]
    result = _changed(parts.layout.cell, parts.parts, value, 0, len(value), change)
    _check(parts, result, number)
    return result


def _check(before: Parts, result: str, number: int) -> None:
    """Raise BuildError if *result* no longer fits a layout that the value fitted before."""
    wrong = read(before.layout, result).misfits
    if before.fits and wrong:
        raise BuildError(number, None, wrong[0].expected, wrong[0].found)


def _changed(cell: Cell, parts: tuple[Part, ...], value: str, at: int, end: int, change: Change) -> str:
    """*value* between *at* and *end*, which *cell* splits into *parts*, with the change made."""
    start, stop, text = change
    for part in parts:
        if not (part.start <= start and stop <= part.end):
            continue
        is_whole = (part.start, part.end) == (start, stop)
        inner = text if is_whole else _changed(part.cell, part.children, value, part.start, part.end, change)
        front, head = _head(cell, part, value, inner)
        result = value[at:front] + head + inner + value[part.end : end]
        return _counted(result, len(parts)) if cell.cut == "tokens" else result
    return value[at:start] + text + value[stop:end]


def _head(cell: Cell, part: Part, value: str, inner: str) -> tuple[int, str]:
    """The start of the length before *part*, and the new length for *inner*; the start of the part and no
    text if it has none."""
    if cell.cut == "ber":
        size = len(write_length((part.end - part.start) // 2))
        return part.start - size, write_length(_bytes(inner))
    own_length = part.cell.own
    if cell.cut == "tokens" and part.key != HEADER_KEY:
        head = f"{_length(inner, len('00000'), False)} "
        return part.start - len(head), head
    if cell.cut == "list" and not ("lead" in cell.words and part.cell is cell.cells[0]):
        _, _, content, width = list_heads(cell.words)
        return part.start - width, _length(inner, width, content == "b")
    if own_length:
        return part.start - len(own_length), _length(inner, len(own_length), own_length[0] == "H")
    return part.start, ""


def _length(inner: str, width: int, in_bytes: bool) -> str:
    digits = f"{_bytes(inner):0{width}X}" if in_bytes else f"{len(inner):0{width}}"
    if len(digits) > width:
        what, most = ("bytes", 16**width - 1) if in_bytes else ("characters", 10**width - 1)
        count = _bytes(inner) if in_bytes else len(inner)
        raise BuildError(None, None, f"a part of at most {most} {what}", f"{count} {what}")
    return digits


def _bytes(inner: str) -> int:
    if len(inner) % 2:
        raise BuildError(None, None, "whole bytes, two hex digits each", counted(len(inner), "hex digit"))
    return len(inner) // 2


def _chip(chip: ChipData, value: str, change: Change) -> str:
    tags = tuple(tag for tag in chip.tags if not tag.depth)
    text = _tags(value, tags, tags[0].start, len(value), change)
    front = value[: tags[0].start]
    if chip.layout == _DATASET:
        front = front[:_DATASET_ID] + _length(text, _DATASET_LENGTH, True)
    text = front + text
    wrong = read_chip(text).error
    if wrong is not None and chip.error is None:
        raise BuildError(_CHIP, None, wrong.expected, wrong.found)
    return text


def _tags(value: str, tags: tuple[Tag, ...], at: int, end: int, change: Change) -> str:
    start, stop, text = change
    for tag in tags:
        if not (tag.value_start <= start and stop <= tag.end):
            continue
        if tag.children and (tag.value_start, tag.end) != (start, stop):
            inner = _tags(value, tag.children, tag.value_start, tag.end, change)
        else:
            inner = value[tag.value_start : start] + text + value[stop : tag.end]
        head = tag.tag + write_length(_bytes(inner))
        return value[at : tag.start] + head + inner + value[tag.end : end]
    return value[at:start] + text + value[stop:end]
