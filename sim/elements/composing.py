"""Parts of an element put together as its layout says: the way back from `layout.read`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sim.elements import tlv
from sim.errors import BuildError, shown
from sim.spec.contents import FOREIGN
from sim.spec.layouts import Cell, Layout

# What stands in a part: text, its own parts by key or name, or, of groups, one mapping each.
Value = str | Mapping[str, "Value"] | Sequence[Mapping[str, "Value"]]

_BITS_A_DIGIT = 4


def write(layout: Layout, parts: Value) -> str:
    """The value that holds *parts*, by key or name; digits are filled up with zeros in front, texts with
    blanks behind. Raises BuildError for a part that is too long, has other characters or is unknown.

    >>> from sim.spec.layouts import layouts
    >>> write(layouts("1987", 3)[0], {"transaction type": "09", "from account": "20", "to account": "00"})
    '092000'
    """
    return _inside(layout.cell, parts, layout.number)


def writer(layout: Layout, keys: Sequence[str]) -> Callable[[Sequence[str]], str]:
    """`write` for parts that are given time and again, one text for each of *keys*: what stands around
    them in a layout of bits is found out once."""
    cell, number = layout.cell, layout.number
    flat = cell.cut == "bits" and all(key in cell.by_key and not cell.by_key[key].cut for key in keys)
    if not flat:
        return lambda texts: write(layout, dict(zip(keys, texts, strict=True)))
    head = _bits(cell, {}, number)
    bits = sum(1 << _BITS_A_DIGIT * len(head) - int(key) for key in keys)
    head = f"{bits:0{len(head)}X}"
    places = [(at, cell.by_key[keys[at]]) for at in sorted(range(len(keys)), key=lambda at: int(keys[at]))]
    return lambda texts: head + "".join([_own(one, _leaf(one, texts[at], number)) for at, one in places])


def _inside(cell: Cell, value: Value, number: int) -> str:
    if isinstance(value, str):
        return value if cell.cut else _leaf(cell, value, number)
    if not isinstance(value, Mapping):
        return "".join(_places(cell, one, number) for one in value)
    if not value.keys() <= cell.called and cell.cut in ("places", "groups", "split", "bits"):
        unknown = next(name for name in value if name not in cell.called)
        raise BuildError(number, None, "parts of " + cell.name, shown(unknown))
    return _WRITERS[cell.cut](cell, value, number)


def _given(cell: Cell, values: Mapping[str, Value]) -> Value | None:
    found = values.get(cell.key)
    return values.get(cell.name) if found is None else found


def _leaf(cell: Cell, text: str, number: int) -> str:
    filled = text.rjust(cell.least, "0") if cell.content in ("n", "b") else text.ljust(cell.least)
    if len(filled) > cell.most:
        expected = f"at most {cell.most} characters of {cell.name}"
        raise BuildError(number, None, expected, f"{len(text)} characters")
    if FOREIGN[cell.content].search(filled):
        raise BuildError(number, None, f"{cell.name} of class {cell.content}", "other characters")
    return filled


def _own(cell: Cell, text: str) -> str:
    if not cell.own:
        return text
    return f"{len(text) // 2:02X}{text}" if cell.own[0] == "H" else f"{len(text):0{len(cell.own)}}{text}"


def _places(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    texts: list[str] = []
    last = len(cell.cells)
    if "short" in cell.words:
        last = max((at for at, one in enumerate(cell.cells) if _given(one, values) is not None), default=-1)
    for at, one in enumerate(cell.cells):
        if at > last:
            break
        given = _given(one, values)
        if given is None:
            given = one.argument.split(" ")[0] if one.codes == "is" else ""
        texts.append(_own(one, _inside(one, given, number)))
    return "".join(texts)


def _list(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    width = int("".join(filter(str.isdigit, cell.words[1])))
    texts: list[str] = []
    for key, value in values.items():
        one = cell.by_key.get(key) or cell.by_name.get(key)
        text = _inside(one, value, number) if one else str(value)
        if one is not None and "lead" in cell.words and one is cell.cells[0]:
            texts.insert(0, text)
        elif cell.words[1].startswith("b"):
            texts.append(f"{one.key if one else key}{len(text) // 2:0{2 * width}X}{text}")
        else:
            texts.append(f"{one.key if one else key}{len(text):0{width}}{text}")
    return "".join(texts)


def _ber(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    pairs = []
    for key, value in values.items():
        one = cell.by_key.get(key) or cell.by_name.get(key)
        pairs.append((one.key if one else key, _inside(one, value, number) if one else str(value)))
    return tlv.write(pairs)


def _bits(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    first = cell.cells[0]
    size = first.most * _BITS_A_DIGIT
    given = {int((cell.by_key.get(key) or cell.by_name[key]).key): value for key, value in values.items()}
    given.pop(int(first.key), None)
    bits, texts = 0, []
    for bit in sorted(given):
        one = cell.by_key[str(bit)]
        bits |= 1 << size - bit
        texts.append(_own(one, _inside(one, given[bit], number)))
    return f"{bits:0{first.most}X}" + "".join(texts)


def _split(cell: Cell, values: Mapping[str, Value], number: int) -> str:
    return cell.words[0].join(_inside(one, _given(one, values) or "", number) for one in cell.cells)


_Writer = Callable[[Cell, Mapping[str, Value], int], str]
_WRITERS: dict[str, _Writer] = {
    "places": _places,
    "groups": _places,
    "list": _list,
    "ber": _ber,
    "bits": _bits,
    "split": _split,
}
