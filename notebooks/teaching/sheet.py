"""The cheat sheet: formats, codes and tags on one page, from the tables of the toolkit."""

from __future__ import annotations

from pathlib import Path

from sim.spec import VERSIONS, code_list, emv, lookup, spec

# What stands in the chip requests of the course and the exam, and in their answers.
_ELEMENTS = (2, 3, 4, 7, 11, 12, 13, 14, 18, 19, 22, 23, 25, 32, 33, 35, 37, 38, 39, 41, 42, 43, 48, 49, 55)
_MORE = (15, 44, 60, 61, 62, 63, 70, 90)
_CODES = ("00", "05", "14", "41", "43", "51", "54", "55", "75", "91", "96")
_TAGS = (
    "9F26", "9F27", "9F10", "9F37", "9F36", "95", "9A", "9C", "9F02",
    "5F2A", "82", "9F1A", "9F03", "9F33", "9F34", "9F35", "84", "5F34",
)  # fmt: skip
_ENTRIES = ("01", "02", "05", "07", "90")
_TEMPLATE = Path(__file__).parent / "sheet.md"
_CHIP = 55
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
    prefix = f" ({one.prefix} digits in front)" if one.prefix else ""
    name = "Chip data" if number == _CHIP else one.name.partition(" (")[0]
    return f"**{number}** | {one.format}{prefix} | {name}"


def cheat_sheet() -> str:
    """One page of Markdown, to be printed."""
    codes = [
        f"**{code}** | {found.meaning} ({found.kind})"
        for code in _CODES
        if (found := lookup("response_code", code, version=VERSIONS[0]))
    ]
    tags = [f"**{tag}** | {emv.tags()[tag].name}" for tag in _TAGS]
    entries = ", ".join(
        f"{one.code} {one.meaning}"
        for one in code_list("pos_entry_mode")
        if one.code in _ENTRIES and not one.network and VERSIONS[0] in one.versions
    )
    return _TEMPLATE.read_text(encoding="utf-8").format(
        elements=_columns([_element(number) for number in (*_ELEMENTS, *_MORE)], "DE | Format | Name"),
        codes=_columns(codes, "Code | Meaning"),
        tags=_columns(tags, "Tag | Name"),
        entries=entries,
    )
