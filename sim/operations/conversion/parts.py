"""Elements that keep their content: unchanged, padded or truncated, re-encoded, or rearranged like the
merchant location."""

from __future__ import annotations

from sim.operations.conversion.draft import KEPT, LOST, MERGED, MOVED, REFORMATTED, ConversionRow, Draft
from sim.operations.recipes import STATE
from sim.parts import layout
from sim.parts.writing import Value
from sim.spec import Country, country, country_of_region, layouts, spec

_LOST = ("street", "postal code", "region")


def merchant_place(split: layout.Parts) -> tuple[dict[str, str], str, str, Country | None]:
    """The parts of DE 43 by name, and the merchant's name, state and country if known."""
    parts = {part.name: part.value.strip() for part, _ in split.walk()}
    name = parts.get("name") or parts.get("name and street", "")
    state = parts.get(STATE) or parts.get("region", "")
    return parts, name, state, country(parts.get("country", "")) or country_of_region(state)


def place(draft: Draft, rule: ConversionRow) -> None:
    """Name, city and country; 1987 has no street or postal code."""
    (source,), (target,) = rule.sources, rule.targets
    split = layout.fitting(draft.message.version, source, draft.message[source])
    if split is None:
        draft.lose([source], "its parts cannot be separated")
        return
    parts, name, state, land = merchant_place(split)
    city, code = parts.get("city", ""), parts.get("country", "")
    if draft.up:
        # By position: name, street, city; the last one has postal code, region and country.
        inner = {"1": "", "2": state, "3": land.numeric if land else code}
        new_parts: dict[str, Value] = {"1": name, "2": "", "3": city, "4": inner}
        note = "parts separated by backslashes, the country in digits; the 1987 widths are not kept"
    else:
        cells = layouts.layouts("1987", target)[0].cell.cells
        texts = list(zip(cells, (name, city, land.alpha2 if land else code), strict=False))
        new_parts = {cell.name: text[: cell.most] for cell, text in texts}
        lost = [part for part in _LOST if parts.get(part)]
        labels = zip(("name", "city"), texts, strict=False)
        cut = [part for part, (cell, text) in labels if len(text) > cell.most]
        note = "in the 1987 widths" + (f"; {', '.join(lost)} lost" if lost else "")
        note += f"; {', '.join(cut)} cut" if cut else ""
    if draft.write(source, target, new_parts):
        draft.note(source, REFORMATTED, (target,), note)


def same(draft: Draft, rule: ConversionRow) -> None:
    """Each element unchanged, possibly renumbered."""
    for source, target in zip(rule.sources, rule.targets, strict=True):
        if source in draft.message.fields:
            _write(draft, source, target, draft.message[source], rule.detail)


def text(draft: Draft, rule: ConversionRow) -> None:
    """Text, padded or truncated for the new version."""
    (source,), (target,) = rule.sources, rule.targets
    value, element = draft.message[source], spec(draft.to)[target]
    bare = value.rstrip(" ")
    new_value = bare.ljust(element.width) if element.fixed else bare or value[:1]
    cut = _cut(len(bare), element.width, "characters")
    _write(draft, source, target, new_value[: element.width], cut, value)


def number(draft: Draft, rule: ConversionRow) -> None:
    """Digits, zero-filled or truncated on the left."""
    (source,), (target,) = rule.sources, rule.targets
    value, width = draft.message[source], spec(draft.to)[target].width
    cut = _cut(len(value.lstrip("0")), width, "digits on the right")
    _write(draft, source, target, value.zfill(width)[-width:], cut, value)


def merchant(draft: Draft, rule: ConversionRow) -> None:
    """The merchant category code: one element in 1987, one of two in 1993."""
    present = [element for element in rule.sources if element in draft.message.fields]
    for at, source in enumerate(present):
        value = draft.message[source]
        if at and draft.fields.get(rule.targets[0]) == value:
            draft.note(source, MERGED, rule.targets[:1], "it has the same meaning")
        elif at:
            draft.note(source, LOST, (), f"DE {rule.targets[0]} has another merchant category")
        else:
            _write(draft, source, rule.targets[0], value, "")


def text_as_bytes(draft: Draft, rule: ConversionRow) -> None:
    """Text as hex digits of its characters, and back."""
    for source in rule.sources:
        if source not in draft.message.fields:
            continue
        value = draft.message[source]
        if draft.up:
            new_value = value.encode("ascii", "replace").hex().upper()
        else:
            new_value = bytes.fromhex(value).decode("latin-1")
        _write(draft, source, source, new_value, rule.detail, value)


def chip_data(draft: Draft, rule: ConversionRow) -> None:
    """EMV data: hex digits as text in 1987, bytes in 1993."""
    (source,), (target,) = rule.sources, rule.targets
    value = draft.message[source]
    _write(draft, source, target, value.upper(), rule.detail, value)


def _write(
    draft: Draft, source: int, target: int, value: str, detail: str, before: str | None = None
) -> None:
    if reason := draft.put(target, value):
        draft.note(source, LOST, (), reason)
        return
    changed = before is not None and before != value
    action = REFORMATTED if changed else MOVED if source != target else KEPT
    usual = {REFORMATTED: f"written as {spec(draft.to)[target].format}", MOVED: f"now DE {target}", KEPT: ""}
    draft.note(source, action, (target,), detail or usual[action])


def _cut(size: int, width: int, what: str) -> str:
    return f"cut to its {width} {what}" if size > width else ""
