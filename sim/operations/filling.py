"""Elements built from recipes: the matching rows, the values of their placeholders, and the parts written by
the element's layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from sim.codec import Message
from sim.errors import BuildError
from sim.parts import chip_data
from sim.parts.layout import Part, fits, fitting, standing
from sim.parts.writing import Value, write
from sim.spec.layouts import Cell, Layout, layouts
from sim.spec.recipes import DROPPED, Recipe, Test

_CHIP_DATA = 55

Ask = Callable[[str], str]  # the value of a part, by path; empty if missing


class Said(Protocol):
    """The values of placeholders, by name."""

    def __getitem__(self, name: str, /) -> Any: ...


class Text(str):
    """A value in a recipe's text: `{city:ebcdic}` is its hex digits in EBCDIC, `{city:<9}` fills up."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return self.encode("cp037").hex().upper() if spec == "ebcdic" else super().__format__(spec)


class Inside:
    """The parts of a message by path: `48.82`, `55.9F26`, `22` for a whole element; empty if missing."""

    __slots__ = ("_read", "message", "network")

    def __init__(self, message: Message, network: str | None) -> None:
        self.message, self.network = message, network
        self._read: dict[int, dict[str, str]] = {}

    def __getitem__(self, path: str | int) -> Text:
        text, _, inside = str(path).partition(".")
        number, message = int(text), self.message
        value = message.get(number)
        if not (inside and value):
            return Text(value)
        if message.dialect is None and (fixed := standing(message.version, number, self.network, inside)):
            layout, place = fixed
            return Text(value[place] if fits(layout, value) else "")
        if number == _CHIP_DATA:
            chip = chip_data.read(value)
            return Text("" if chip.error else chip.value(inside))
        if number not in self._read:
            split = fitting(message.dialect or message.version, number, value, self.network)
            parts = split.walk() if split else ()
            self._read[number] = {part.cell.path.partition(".")[2]: part.value for part, _ in parts}
        return Text(self._read[number].get(inside, ""))


class Values(dict[str, Text]):
    """The values of placeholders: `known` texts, others computed by *derive*."""

    def __init__(self, known: Mapping[str, Any], derive: Callable[[str], str]) -> None:
        super().__init__({name: Text(text) for name, text in known.items()})
        self._derive = derive

    def __missing__(self, name: str) -> Text:
        text = self[name] = Text(self._derive(name))
        return text


def holding(rows: Iterable[Recipe], words: frozenset[str], ask: Ask = lambda path: "") -> list[Recipe]:
    """The rows whose conditions all hold for *words* and for the message that *ask* reads."""
    return [row for row in rows if all(holds(test, words, ask) for test in row.tests)]


def holds(test: Test, words: frozenset[str], ask: Ask) -> bool:
    """Whether one condition holds."""
    if test.path:
        value = ask(test.path)
        return (value in test.values if test.values else bool(value)) != test.negated
    return any(word in words for word in test.words) != test.negated


def parts_of(rows: Iterable[Recipe]) -> dict[int, dict[str, str]]:
    """The texts that *rows* put into each element, by inner path (empty: the whole); later rows win."""
    elements: dict[int, dict[str, str]] = {}
    for row in rows:
        for path, text in row.parts.items():
            number, _, inside = path.partition(".")
            of_element = elements.setdefault(int(number), {})
            if not inside:
                of_element.clear()
            of_element[inside] = text
    return elements


def filled(
    number: int,
    base: str,
    parts: Mapping[str, str],
    values: Said,
    version: str,
    network: str | None,
) -> str:
    """Element *number* with *parts* applied to its value *base*; empty if nothing is left. Raises BuildError
    for a part that no layout has or that does not fit."""
    texts = {path: text if text == DROPPED else text.format_map(values) for path, text in parts.items()}
    if "" in texts:
        value = texts.pop("")
        base = "" if value == DROPPED else value
    texts = {path: text for path, text in texts.items() if text}
    if not texts:
        return base
    if number == _CHIP_DATA:
        return _tagged(base, texts)
    split = fitting(version, number, base, network) if base else None
    layout = split.layout if split else _layout_with(version, number, network, tuple(texts))
    tree = _read(split.parts) if split else {}
    for path, text in texts.items():
        _put(tree, path.split("."), text)
    return write(layout, _ordered(layout.cell, tree)) if tree else ""


def filler(number: int, parts: Mapping[str, str], version: str, network: str | None) -> Callable[[Said], str]:
    """A fast `filled` for empty elements that are built from the same *parts* many times."""

    def usual(values: Said) -> str:
        return filled(number, "", parts, values, version, network)

    if DROPPED in parts.values() or any("." in path for path in parts) or number == _CHIP_DATA:
        return usual
    if "" in parts:
        return parts[""].format_map if len(parts) == 1 else usual
    try:
        layout = _layout_with(version, number, network, tuple(parts))
        order = tuple(_ordered(layout.cell, dict.fromkeys(parts, "")))
    except BuildError:
        return usual  # it raises the error when there is something to write
    texts = tuple(parts[key].format_map for key in order)

    def element(values: Said) -> str:
        strings = [text(values) for text in texts]
        return write(layout, dict(zip(order, strings, strict=True))) if all(strings) else usual(values)

    return element


def _tagged(base: str, texts: Mapping[str, str]) -> str:
    chip = chip_data.read(base)
    if chip.layout == chip_data.FIXED:
        return chip_data.write_fixed({**chip.values, **texts})
    tags = {**{tag.tag: tag.value for tag in chip_data.read_tags(base)}, **texts}
    return chip_data.write_tags({tag: text for tag, text in tags.items() if text != DROPPED})


@lru_cache(maxsize=512)
def _layout_with(version: str, number: int, network: str | None, paths: tuple[str, ...]) -> Layout:
    for layout in layouts(version, number, network):
        if all(_has(layout.cell, path.split(".")) for path in paths):
            return layout
    raise BuildError(number, None, f"a layout with {', '.join(paths)}", "none")


def _read(parts: Iterable[Part]) -> dict[str, Any]:
    return {part.key: _read(part.children) if part.children else part.value for part in parts}


def _has(cell: Cell, keys: list[str]) -> bool:
    if not keys:
        return True
    below = cell.by_key.get(keys[0])
    return below is not None and _has(below, keys[1:])


def _put(tree: dict[str, Any], keys: list[str], text: str) -> None:
    """Set the part at *keys* to *text*, or remove it."""
    first, *rest = keys
    if rest:
        below = tree.setdefault(first, {})
        if isinstance(below, dict):
            _put(below, rest, text)
        if not below:
            del tree[first]
    elif text == DROPPED:
        tree.pop(first, None)
    else:
        tree[first] = text


def _ordered(cell: Cell, tree: Mapping[str, Any]) -> dict[str, Value]:
    """The parts in the order of the layout, at every depth."""
    places = {part.key: at for at, part in enumerate(cell.cells)} if len(tree) > 1 else {}
    return {
        key: _ordered(cell.by_key[key], value) if isinstance(value, dict) and key in cell.by_key else value
        for key, value in sorted(tree.items(), key=lambda item: places.get(item[0], len(places)))
    }


@dataclass(frozen=True, slots=True)
class Outline:
    """What similar messages share: their elements, ascending, empty if they vary; the elements `repeated`
    from another message; the recipes of the other varying elements."""

    fields: Mapping[int, str]
    varied: Sequence[tuple[int, Callable[[Any], str]]]
    repeated: Sequence[int] = ()

    def written(self, context: Any, other: Mapping[int, str]) -> dict[int, str]:
        """The elements of one message, from *context* for its recipes and *other*, which is repeated."""
        fields = dict(self.fields)
        for number in self.repeated:
            fields[number] = text = other[number]
            if not text:
                del fields[number]
        for number, recipe in self.varied:
            fields[number] = text = recipe(context)
            if not text:
                del fields[number]
        return fields
