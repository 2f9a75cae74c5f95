"""Card data planted in every element and notation must not appear on any surface."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

import pytest
from support import ALL, MORE, some, together, turns
from surfaces import (
    PAN,
    SPELLINGS,
    TRACK_1,
    TRACK_2,
    dump,
    leaks,
    planted,
    plots,
    printed,
    quick,
    tables,
    widgets,
)

from sim.codec import Message, build
from sim.elements.meaning import meaning, say_parts, unfold
from sim.parts import chip_data, writing
from sim.spec import VERSIONS, layouts, spec
from sim.spec.layouts import FOREIGN, STANDARD, Cell, owners
from sim.widgets.model import view

MTIS = {"1987": "0200", "1993": "1200", "2003": "2200"}
LOCATION = 40  # characters of DE 43 in 1987


def everywhere(version: str, spelling: str) -> Message:
    """A message with card data in its own elements, and a copy of it in others."""
    chip = chip_data.write_tags(
        {"5A": PAN, "57": TRACK_2.replace("=", "D") + "0", "9F26": "A1B2C3D4E5F60718"}
    )
    fields = {2: PAN, 3: "000000", 35: TRACK_2, 45: TRACK_1, 52: "DEADBEEFCAFE4711", 55: chip}
    copy = SPELLINGS[spelling]
    for number in (44, 48, 60, 61, 62, 63, 104, 120):
        if len(copy) <= spec(version)[number].width:
            fields[number] = copy
    if len(copy) <= LOCATION:
        fields[43] = copy.ljust(LOCATION)
    return Message(MTIS[version], dict(sorted(fields.items())), version)


def damaged(raw: str) -> Iterator[tuple[str, str]]:
    """*raw*, damaged in transit."""
    yield "as it is", raw
    for part in (0.2, 0.45, 0.7, 0.95):
        yield f"cut at {part}", raw[: int(len(raw) * part)]
    yield "first character lost", raw[1:]
    yield "a character lost in the bitmap", raw[:9] + raw[10:]
    yield "a length header in front", "0123" + raw
    yield "a letter in a length", raw[:20] + "X" + raw[21:]
    for bit in (1, 2, 3, 12, 35, 52):
        at = 4 + (bit - 1) // 4
        flipped = int(raw[at], 16) ^ (8 >> (bit - 1) % 4)
        yield f"bit {bit} flipped", f"{raw[:at]}{flipped:X}{raw[at + 1 :]}"


def unread(text: str) -> Iterator[tuple[str, str]]:
    """*text* in forms that cannot be read."""
    yield "alone", text
    for encoding in ("latin-1", "cp037"):
        data = text.encode(encoding)
        yield f"hex, {encoding}", data.hex()
        yield f"hex in pairs, {encoding}", data.hex(" ").upper()
        yield f"escaped, {encoding}", "".join(f"\\x{byte:02x}" for byte in data)
        yield f"dump, {encoding}", dump(data, encoding)


@together("version, spelling", turns(VERSIONS, SPELLINGS))
def test_no_element_shows_a_card(version: str, spelling: str) -> None:
    """A card number in any element, with the message's own or without it, read as its version or another,
    appears on no surface of the core."""
    found = []
    for with_card in (True, False):
        for number, message in some(planted(version, SPELLINGS[spelling], with_card=with_card), 3):
            raw = build(message)
            for read_as in VERSIONS if number % 16 == 0 else (version,):
                found += [
                    (number, with_card, read_as, name, leaked)
                    for name, text in quick(raw, read_as)
                    if (leaked := leaks(text))
                ]
    assert found == []


def parts(cell: Cell, path: tuple[Cell, ...] = ()) -> Iterator[tuple[Cell, ...]]:
    """The paths to the subfields of *cell* that have no subfields themselves."""
    for one in cell.cells:
        yield from parts(one, (*path, one)) if one.cells else [(*path, one)]


def in_parts(owner: str) -> Iterator[tuple[str, Message]]:
    """A card number in one subfield after another of every layout of *owner*, each time plain and in
    another notation."""
    network = "" if owner == STANDARD else owner.upper()
    others = cycle(("hex of EBCDIC", "track 2", "hex of ASCII", "packed track"))
    held = {**SPELLINGS, "packed track": TRACK_2.replace("=", "D") + "F"}
    for version, number in product(VERSIONS, range(2, 129)):
        for one in layouts.layouts(version, number, network):
            for path in parts(one.cell) if one.network == network else ():
                cell = path[-1]
                fit = [name for name in held if len(held[name]) <= cell.most]
                fit = [name for name in fit if not FOREIGN[cell.content].search(held[name])]
                for name in {"plain", next(others)}.intersection(fit):
                    value: Any = held[name]
                    for step in reversed(path):
                        value = {step.key: value}
                    text = writing.write(one, [value] if one.cell.cut == "groups" else value)
                    yield (
                        f"{cell.path} {one.variant}: {name}",
                        Message(MTIS[version], {number: text}, version),
                    )


@together("owner", owners())
def test_no_part_of_a_layout_shows_a_card(owner: str) -> None:
    """No subfield shows a card number, even if digits precede it: a tag, a length, zero padding."""
    network = None if owner == STANDARD else owner.upper()
    found, count = [], 0
    for count, (where, message) in enumerate(in_parts(owner), 1):
        (number,) = message.fields
        shown = {"repr": repr(message), "line": say_parts(message, number, network)}
        shown["meaning"] = meaning(message, number, network)
        told = unfold(message, number, network)
        shown["parts"] = "".join(one.shown for one in told if not one.part.children)
        shown["told"] = " ".join(one.shown + one.meaning for one in told)
        if count % 16 == 0:
            shown |= dict(quick(build(message), message.version))
            shown["view"] = json.dumps(view(build(message), message.version, network))
        found += [(where, name, leaked) for name, text in shown.items() if (leaked := leaks(text))]
    assert count or owner == "discover", "its element is too short for a card"
    assert found == []


@together("version, spelling", turns(VERSIONS, SPELLINGS))
def test_no_damage_shows_a_card(version: str, spelling: str) -> None:
    """However a message is damaged, the core's surfaces mask its card data."""
    raw = build(everywhere(version, spelling))
    found = [
        (damage, name, leaked)
        for damage, text in damaged(raw)
        for name, shown in quick(text, version)
        if (leaked := leaks(shown))
    ]
    assert found == []


@together("spelling", SPELLINGS)
def test_unread_text_shows_no_card(spelling: str) -> None:
    """Card numbers are masked in text that is not a message, in hex, as EBCDIC bytes or as a dump."""
    texts = {"spelling": SPELLINGS[spelling], "message": build(everywhere("1987", spelling))}
    found = [
        (what, form, name, leaked)
        for what, text in texts.items()
        for form, pasted in unread(text)
        for name, shown in quick(pasted, None)
        if (leaked := leaks(shown))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("version", "spelling", "most"),
    [("1987", "with blanks", 4), ("1993", "plain", 1), ("2003", "hex of ASCII", 1)][: 3 if ALL else 1],
)
def test_no_table_widget_or_plot_shows_a_card(version: str, spelling: str, most: int) -> None:
    """Nothing that notebooks show and store, widgets save and send, or that is drawn, printed or logged
    shows card data, for good, misread, broken and unread texts."""
    raw = build(everywhere(version, spelling))
    other = VERSIONS[(VERSIONS.index(version) + 1) % 3]
    texts = [(raw, version), (raw[1:], None), (raw, other), (dump(raw.encode()), None)]
    found = []
    for at, (text, read_as) in enumerate(texts[: most if MORE else 2]):
        shown = [*tables(text, read_as), *widgets(text, read_as), *printed(text, read_as)]
        shown += plots(text) if at == 0 else ()
        found += [(at, name, leaked) for name, one in shown if (leaked := leaks(one))]
    assert found == []
