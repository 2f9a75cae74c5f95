"""The cheat sheet: formats, codes and tags on three pages, from the tables of the toolkit."""

from __future__ import annotations

from pathlib import Path

from sim.spec import VERSIONS, emv, lookup, spec
from sim.spec.layouts import layouts

# What stands in the chip requests of the course and the exam, and in their answers.
_ELEMENTS = (2, 3, 4, 7, 11, 12, 13, 14, 18, 19, 22, 23, 25, 32, 33, 35, 37, 38, 39, 41, 42, 43, 48, 49, 55)
_MORE = (15, 44, 60, 61, 62, 63, 70, 90)
_CODES = ("00", "05", "14", "41", "43", "51", "54", "55", "75", "91", "96")
_TAGS = (
    "9F26", "9F27", "9F10", "9F37", "9F36", "95", "9A", "9C", "9F02",
    "5F2A", "82", "9F1A", "9F03", "9F33", "9F34", "9F35", "84", "5F34",
)  # fmt: skip
_ENTRIES = ("01", "02", "05", "07", "90")
_TYPES = ("00", "01", "09", "20", "21", "30", "31", "40")
_CONDITIONS = ("00", "01", "02", "05", "08", "27")
# The findings of a terminal that stand in ordinary messages: byte and bit of tag 95.
_FOUND = (
    (1, 8), (1, 7), (1, 6), (1, 4), (1, 3), (2, 8), (2, 7), (2, 5), (3, 8), (3, 6), (3, 5), (3, 4), (3, 3),
    (4, 8), (4, 7), (4, 6), (4, 5), (4, 4), (5, 7),
)  # fmt: skip
_TEMPLATE = Path(__file__).parent / "sheet.md"
_CHIP, _PLACE, _TVR = 55, 43, "95"
_COLUMNS = 3


def _columns(rows: list[str], head: str) -> str:
    """*rows* beside each other, `_COLUMNS` of them to a line, read from the top down."""
    height = -(-len(rows) // _COLUMNS)
    empty = " | ".join([""] * head.count("|"))
    cells = [rows[at * height : (at + 1) * height] for at in range(_COLUMNS)]
    lines = [" | ".join(c[at] if at < len(c) else empty or " | " for c in cells) for at in range(height)]
    heads = " | ".join([head] * _COLUMNS)
    rule = "|".join(["---"] * (heads.count("|") + 1))
    return "\n".join([f"| {heads} |", f"|{rule}|", *(f"| {line} |" for line in lines)])


def _element(number: int) -> str:
    one = spec(VERSIONS[0])[number]
    name = "Chip data" if number == _CHIP else one.name.partition(" (")[0]
    return f"**{number}** | {one.format} {'L' * one.prefix}".rstrip() + f" | {name}"


def _codes(name: str, wanted: tuple[str, ...]) -> str:
    """The codes *wanted* of a list with the meaning that the standard gives them."""
    found = (lookup(name, code, version=VERSIONS[0]) for code in wanted)
    return "; ".join(f"**{one.code}** {one.meaning}" for one in found if one)


def _places() -> str:
    """How DE 43 is cut: each layout with its parts and their widths."""
    told = [
        ", ".join(f"{one.name} {one.most}" for one in layout.cell.cells)
        for layout in layouts(VERSIONS[0], _PLACE)
    ]
    return "; or ".join(told)


def _findings() -> str:
    """What a terminal finds, by byte, each with what its bit is worth."""
    told = []
    for byte in sorted({byte for byte, _ in _FOUND}):
        bits = [f"{1 << bit - 1:02X} {emv.bits(_TVR)[byte, bit]}" for one, bit in _FOUND if one == byte]
        told.append(f"**byte {byte}:** {', '.join(bits)}")
    return "; ".join(told)


def cheat_sheet() -> str:
    """Markdown, three pages when it is printed."""
    codes = [
        f"**{code}** | {found.meaning} ({found.kind})"
        for code in _CODES
        if (found := lookup("response_code", code, version=VERSIONS[0]))
    ]
    tags = [f"**{tag}** | {emv.tags()[tag].name}" for tag in _TAGS]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        elements=_columns(
            [_element(number) for number in sorted((*_ELEMENTS, *_MORE))], "DE | Format | Name"
        ),
        codes=_columns(codes, "Code | Meaning"),
        tags=_columns(tags, "Tag | Name"),
        entries=_codes("pos_entry_mode", _ENTRIES),
        types=_codes("transaction_type", _TYPES),
        conditions=_codes("pos_condition", _CONDITIONS),
        places=_places(),
        findings=_findings(),
    )
