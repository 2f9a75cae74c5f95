"""Elements that keep what they hold: as they are, filled up or cut, or written in other characters."""

from __future__ import annotations

from sim.operations.conversion.draft import KEPT, LOST, MERGED, MOVED, REFORMATTED, Draft
from sim.operations.conversion.rules import ConversionRow
from sim.spec import spec


def same(draft: Draft, rule: ConversionRow) -> None:
    """Each element as it is, under its own number or another."""
    for source, target in zip(rule.sources, rule.targets, strict=True):
        if source in draft.message.fields:
            _write(draft, source, target, draft.message[source], rule.detail)


def text(draft: Draft, rule: ConversionRow) -> None:
    """Text with the blanks that the new version wants behind it; what is too long is cut."""
    (source,), (target,) = rule.sources, rule.targets
    value, element = draft.message[source], spec(draft.to)[target]
    bare = value.rstrip(" ")
    wanted = bare.ljust(element.width) if element.fixed else bare or value[:1]
    _write(
        draft, source, target, wanted[: element.width], _cut(len(bare), element.width, "characters"), value
    )


def number(draft: Draft, rule: ConversionRow) -> None:
    """Digits with zeros in front; of too many those on the right stay."""
    (source,), (target,) = rule.sources, rule.targets
    value, width = draft.message[source], spec(draft.to)[target].width
    cut = _cut(len(value.lstrip("0")), width, "digits on the right")
    _write(draft, source, target, value.zfill(width)[-width:], cut, value)


def merchant(draft: Draft, rule: ConversionRow) -> None:
    """The merchant category code, which 1987 keeps in one element and 1993 in one of two."""
    present = [one for one in rule.sources if one in draft.message.fields]
    for at, source in enumerate(present):
        value = draft.message[source]
        if at and draft.fields.get(rule.targets[0]) == value:
            draft.note(source, MERGED, rule.targets[:1], "it says the same")
        elif at:
            draft.note(source, LOST, (), f"DE {rule.targets[0]} has another merchant category")
        else:
            _write(draft, source, rule.targets[0], value, "")


def text_as_bytes(draft: Draft, rule: ConversionRow) -> None:
    """Text as the hex digits of its characters, and back where the bytes are characters."""
    for source in rule.sources:
        if source not in draft.message.fields:
            continue
        value = draft.message[source]
        if draft.up:
            wanted = value.encode("ascii", "replace").hex().upper()
        else:
            wanted = bytes.fromhex(value).decode("latin-1")
        _write(draft, source, source, wanted, rule.detail, value)


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
