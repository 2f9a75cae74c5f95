"""Parts of an element put together as its layout says: the way back from `layout.read`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sim.elements import tlv
from sim.errors import BuildError, shown
from sim.spec.layouts import FOREIGN, Cell, Layout

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
    them is found out once. Raises BuildError where nothing can be written."""
    cell, number = layout.cell, layout.number
    around = _AROUND.get(cell.cut)
    bytewise = cell.cut == "list" and cell.words[1].startswith("b")
    if around is None or bytewise or not all(key in cell.by_key and not cell.by_key[key].cut for key in keys):
        return lambda texts: write(layout, dict(zip(keys, texts, strict=True)))
    head, places, tail = around(cell, keys, number)

    def written(texts: Sequence[str]) -> str:
        found = [head]
        for at, one, front, width in places:
            text = _leaf(one, texts[at], number)
            found += (front, f"{len(text):0{width}}{text}" if width else _own(one, text))
        return "".join(found) + tail

    return written


# Which of the texts comes next, its cell, what stands in front of it, and the width of a length behind that.
_Place = tuple[int, Cell, str, int]


def _around_bits(cell: Cell, keys: Sequence[str], number: int) -> tuple[str, list[_Place], str]:
    head = _bits(cell, {}, number)
    given = sorted((int(key), at) for at, key in enumerate(keys) if key != cell.cells[0].key)
    bits = sum(1 << _BITS_A_DIGIT * len(head) - bit for bit, _ in given)
    return f"{bits:0{len(head)}X}", [(at, cell.by_key[keys[at]], "", 0) for _, at in given], ""


def _around_list(cell: Cell, keys: Sequence[str], number: int) -> tuple[str, list[_Place], str]:
    width = int("".join(filter(str.isdigit, cell.words[1])))
    lead = cell.cells[0].key if "lead" in cell.words else ""
    places = [(at, cell.by_key[key], key, width) for at, key in enumerate(keys) if key != lead]
    leading = [(at, cell.by_key[key], "", 0) for at, key in enumerate(keys) if key == lead]
    return "", leading + places, ""


def _around_places(cell: Cell, keys: Sequence[str], number: int) -> tuple[str, list[_Place], str]:
    cells = list(cell.cells)
    while "short" in cell.words and cells[-1].key not in keys:
        del cells[-1]
    places: list[_Place] = []
    between = ""
    for one in cells:
        if one.key in keys:
            places.append((keys.index(one.key), one, between, 0))
            between = ""
        else:
            between += _own(one, _inside(one, _usual(one), number))
    return "", places, between


_AROUND: dict[str, Callable[[Cell, Sequence[str], int], tuple[str, list[_Place], str]]] = {
    "bits": _around_bits,
    "list": _around_list,
    "places": _around_places,
}


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


def _usual(cell: Cell) -> str:
    """What stands in a part that was not given: what must, where one thing must."""
    return cell.argument.split(" ")[0] if cell.codes == "is" else ""


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
            given = _usual(one)
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
