"""Repair of broken messages: proposals with their evidence, most likely first.

A proposal undoes one fault known from practice. Nothing is made up: a value comes from the text itself or
from another element, and where the original value cannot be known, the proposal says so and changes nothing.
Every edit that makes the text readable is weighed by how plausible the elements are, alone and together; the
best are validated. A proposal is *restored* only if no other fault explains the text, otherwise *likely*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from math import inf
from typing import Any

from sim.codec import Message
from sim.codec.bitmap import HEX_DIGITS
from sim.codec.wire import Format, wire_format
from sim.codec.wire import names as formats
from sim.errors import element_label
from sim.judge import Finding
from sim.masking import mask_text
from sim.operations.anatomy import dissect
from sim.operations.choosing import chosen_version
from sim.operations.project import strip_line_ending
from sim.operations.reading import read
from sim.operations.repairing import chip
from sim.operations.repairing import edits as undoing
from sim.operations.repairing.edits import Edit
from sim.operations.repairing.framing import text_of
from sim.operations.repairing.searching import Trial, bytes_trials, trials_of, valued
from sim.operations.repairing.weighing import alone, presence_costs
from sim.operations.repairing.witnesses import PROOF, card_holds, tags
from sim.operations.validation import Report
from sim.operations.verdict import verdict_on
from sim.paste.reading import TEXT, Reading
from sim.spec.elements import table as spec_of
from sim.spec.elements import version_of
from sim.spec.networks import told_name
from sim.spec.spellings import network_named
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion

__all__ = ["LIKELY", "RESTORED", "UNKNOWN_VALUE", "Proposal", "Repair", "repair"]

# The verdicts: certain, likely, or fault located but original value unknown.
RESTORED, LIKELY, UNKNOWN_VALUE = "restored", "likely", "unknown"

# How many candidates are validated, and how many bits apart; the lead over the next candidate that makes a
# proposal certain, inside a message and around it.
_JUDGED, _NEAR, _MARGIN, _OUTSIDE, _MOST = 40, 30.0, 8.0, 6.0, 8
_LEFT = 8.0  # trailing bytes may belong to the link
_LONGEST = 4_096  # bytes; longer data are not searched
_SHOWN = 24
_MOST_EVIDENCE = 4
_WITNESSES = 2  # a single agreement may be chance
# The lead needed by edits with weaker evidence.
_NEARER, _FAR, _FARTHER = 10.0, 13.0, 18.0
_RARE = -2.0  # the cost of a rare element, in bits
_FEW = 2  # characters that can be lost or added at once
# Other elements repeat these, and a third shows which copy is right.
_TOLD_TWICE = (2, 7, 11, 14, 35, 37)
_SPELLED = HEX_DIGITS | set(" \t\r\n")
# Caches of values, which may include card data: cleared after each repair.
_OF_VALUES = (alone, card_holds, tags)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One way to repair a message: a `verdict` (restored, likely, or unknown: the fault is located, but the
    original value is not known), what is done (`action`) to which element (`field`: 0 the MTI, 1 the
    bitmap, None the whole text; `name`), `before` and `after` as they may be shown, and the `evidence`,
    sentences.

    `text` is the repaired message, `message` the same as a Message (empty and None if the original value is
    unknown), `left` its remaining errors, `bits` its total cost.
    """

    verdict: str
    field: int | None
    name: str
    action: str
    before: str
    after: str
    evidence: tuple[str, ...]
    text: str = attribute(default="", repr=False)
    message: Message | None = None
    left: tuple[Finding, ...] = ()
    bits: float = attribute(default=0.0, compare=False)

    @property
    def said(self) -> str:
        """The proposal in a sentence or two."""
        where = f"{element_label(self.field)}: " if self.field is not None else ""
        change = f" ({self.before} → {self.after})" if self.before and self.after else ""
        done = f"{where}{self.action}{change}"
        return f"{self.verdict.capitalize()}: {done}. {self.because}"

    @property
    def because(self) -> str:
        """The evidence as a sentence."""
        text = "; ".join(self.evidence)
        return f"{text[:1].upper()}{text[1:]}."

    def record(self) -> dict[str, Any]:
        """The attributes that may be shown, by name."""
        names = ("verdict", "field", "name", "action", "before", "after", "evidence")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Repair:
    """The `proposals` for a message, most likely first; none if none is needed or found.

    `text` and `message` are those after the first proposal, if any, otherwise those received (None for a
    text that cannot be read); `left` are the remaining errors.
    """

    proposals: tuple[Proposal, ...]
    message: Message | None
    text: str = attribute(repr=False)
    version: str = ""
    left: tuple[Finding, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the message has no errors, as received or as restored."""
        sure = not self.proposals or self.proposals[0].verdict == RESTORED
        return sure and self.message is not None and not self.left


def repair(
    message: str | bytes | Message | Reading,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    sure: bool = False,
    format: Format | str | None = None,
    interface: AnyInterface | None = None,
) -> Repair:
    """Propose what *message* (pasted data, valid or broken, a Message or a Reading) was before a fault.
    With *sure*, only the first proposal, and only if it is restored. *format* is that of pasted data or
    bytes; without it the text form is tried first. *interface* is that of its link. Raises ChoiceError for
    an unknown version, network or interface.

    >>> echo = "08002020000000000000990000123456"
    >>> [(one.verdict, one.action) for one in repair(f"6000010000{echo}").proposals[:1]]
    [('restored', 'stripped')]
    """
    paste = message if isinstance(message, str) and format is None else ""
    if isinstance(message, Reading):
        reading = message
    else:
        reading = read(message, format=TEXT if paste else format, version=version, interface=interface)
    own = reading.network if network is None else network_named(network)
    try:
        trials = _trials(reading)
        found = [one.edit.text for one in trials]
        if paste and strip_line_ending(paste) not in found and (not found or _SPELLED.issuperset(paste)):
            # It may be bytes, or surrounded by other text.
            seen = read(paste, version=version, interface=interface)
            if seen.raw is None and seen.message is not None and not (trials and seen.as_text):
                reading, trials = seen, [*trials, *_trials(seen)]
        proposals = _ranked(trials, own)
    finally:
        for cache in _OF_VALUES:
            cache.cache_clear()
    if sure:
        proposals = proposals[:1] if proposals and proposals[0].verdict == RESTORED else ()
    if proposals and (first := proposals[0]).message is not None:
        return Repair(proposals, first.message, first.text, first.message.version, first.left)
    report = verdict_on(replace(reading, network=own))
    left = (report.framing,) if report.framing else _errors(report)
    return Repair(proposals, report.message, dissect(reading).raw, report.version, left)


def _errors(report: Report) -> tuple[Finding, ...]:
    return tuple(one for one in report.findings if one.is_error)


# Candidates.


def _trials(reading: Reading) -> list[Trial]:
    """All candidates for what was read."""
    message = reading.message if reading.complete else None
    if reading.raw is not None:
        raw, pinned = strip_line_ending(reading.raw), reading.pinned
        table = reading.table if pinned or reading.by else chosen_version(raw, None)
        return trials_of(raw, spec_of(table), pinned)
    made: list[Trial] = []
    if message is not None and reading.believed and (raw := text_of(message)):
        if not reading.data:
            return trials_of(raw, message.spec, True)
        made = valued(raw, message.spec)
        for one in made if reading.left else ():
            one.bits += _LEFT
        if not reading.left and not any(one.judged for one in made[:1]):
            return made
    written = wire_format(reading.format) if reading.format in formats() else reading.written
    if written is None:
        return made
    # A message found after unknown bytes may be a chance reading of one that starts with them.
    starts = (reading.start,) if reading.believed else dict.fromkeys((reading.start, 0))
    for data in (reading.data[start:] for start in starts):
        made += bytes_trials(data, written) if 0 < len(data) <= _LONGEST else []
    return made


# Ranking.


def _ranked(trials: list[Trial], network: str | None) -> tuple[Proposal, ...]:
    """The most likely of *trials*, validated."""
    best: dict[str, Trial] = {}
    for one in sorted(trials, key=lambda one: one.bits):
        best.setdefault(one.edit.text if one.edit.action != undoing.CUT else "", one)
    kept = [one for one in best.values() if one.bits <= next(iter(best.values())).bits + _NEAR][:_JUDGED]
    network = network or next((owner for one in kept if (owner := one.weight.network)), None)
    for one in kept:
        if one.edit.action != undoing.CUT:
            one.judge(network)
    usual = min((sum(one.judged.values()) for one in kept if one.report), default=0.0)
    for one in kept:
        one.bits += usual * (
            one.report is None
        )  # a truncated message is not validated: assume the best score
    kept += [wrong for one in kept if not one.edit.action for wrong in _wrong(one)]
    kept.sort(key=lambda one: one.bits)
    # Unknown values are ranked last, but are as likely as the visible rivals.
    unseen = [one for one in trials if one.lost and one.edit.action != undoing.CUT]
    made = []
    for at, one in enumerate(kept[: _MOST + 1]):
        if not one.edit.action:
            break  # the unchanged text is more likely than the rest
        rivals = [other.bits for other in kept[at + 1 : at + 2]]
        if one.edit.action == undoing.LOST:
            rivals += [other.bits - undoing.UNSEEN for other in unseen if other.edit.field != one.edit.field]
        ahead = min(rivals, default=inf) - one.bits if at == 0 else 0.0
        made.append(_proposal(one, ahead, network))
    return tuple(made[:_MOST])


def _wrong(one: Trial) -> Iterator[Trial]:
    """The candidate that a character is wrong in the element with the worst findings."""
    found = {number: bits for number, bits in one.judged.items() if number}
    if found:
        number = max(found, key=found.__getitem__)
        edit = Edit(one.raw, 0.0, undoing.WRONG, number, "nothing shows which character is missing")
        explained = found[number] + one.weight.said.odd.get(number, 0.0)
        yield replace(one, edit=edit, bits=one.bits - explained + undoing.PRIOR_OF_WRONG)


# Presentation.


def _proposal(one: Trial, ahead: float, network: str | None) -> Proposal:
    edit, report = one.edit, one.report
    name = _name(one, network)
    if one.lost:
        return Proposal(UNKNOWN_VALUE, edit.field, name, edit.action, "", "", (edit.why,), bits=one.bits)
    left = _errors(report) if report else ()
    message = report.message if report else None
    is_sure = ahead >= (_OUTSIDE if edit.field is None else _MARGIN) and not left and _sure(one, ahead)
    before, after = _shown(one)
    verdict = RESTORED if is_sure else LIKELY
    shown = (verdict, edit.field, name, edit.action, before, after, _evidence(one))
    return Proposal(*shown, edit.text, message, left, one.bits)


def _evidence(one: Trial) -> tuple[str, ...]:
    """The evidence, cross-checks of the edited element first."""
    about = re.compile(rf"\bDE {one.edit.field}\b")
    agree = sorted(one.weight.said.agree, key=lambda text: about.search(text) is None)
    around = (f"{one.outside.action}: {one.outside.why}",) if one.outside else ()
    return (one.edit.why, *around, *agree[: _MOST_EVIDENCE - 1])


def _name(one: Trial, network: str | None) -> str:
    number = one.edit.field
    whole = {None: "message", 0: "MTI", 1: "bitmap"}.get(number)
    return whole or told_name(one.table, number or 0, network or "")


def _shown(one: Trial) -> tuple[str, str]:
    """The edited part before and after, card data masked."""
    edit = one.edit
    if edit.action in (undoing.BIT_SET, undoing.BIT_CLEARED, undoing.SECOND):
        return "", ""
    if edit.field is None:
        return mask_text(edit.before)[:_SHOWN], ""
    if edit.field < 2 or edit.action == undoing.LENGTH:
        return edit.before, edit.after
    # Masked in the whole message: the value may contain part of the card number.
    fields, mti = one.weight.fields, edit.text[:4]
    before, after = (
        Message(mti, {**fields, edit.field: value}, one.table.version).masked()[edit.field]
        for value in (edit.before, edit.after)
    )
    return before, after


def _sure(one: Trial, ahead: float) -> bool:
    """Whether no other fault explains the text. A wrong length may be a lost character, and swapped digits
    one wrong digit, so other elements have to confirm the value."""
    edit, said, number = one.edit, one.weight.said, one.edit.field or 0
    agree = set(said.agree)
    is_proven = number in PROOF and PROOF[number] <= agree
    if said.clashes(number):
        return False
    if edit.action in (undoing.BIT_SET, undoing.BIT_CLEARED):
        # It shifts whole elements; a short one may also be lost or added characters.
        there, absent = presence_costs(edit.text[:4], one.weight.network)[number]
        more, is_told = absent - there, len(agree) >= _WITNESSES
        element, held = one.table[number], one.weight.fields.get(number, "")
        # A missing element had at least its length prefix, or its full width.
        wide = len(held) + element.prefix if held else element.prefix or element.width
        if wide <= _FEW or ahead < _NEARER:
            return False
        if edit.action == undoing.BIT_CLEARED:
            last = number > max(one.weight.fields, default=0)  # the end may be missing instead
            blank = "s" in element.content and not element.prefix  # or its trailing blanks
            return more < _RARE * last and not blank and (is_told or ahead >= _FARTHER)
        return more > _RARE and is_told and not one.warns(number)
    if edit.action == undoing.LENGTH:
        off = abs(int(edit.after) - int(edit.before)) if edit.before.isdigit() else 0
        is_told = edit.why != undoing.FITS and off > _FEW
        is_chip = number == 55 and chip.is_sound(one.weight.fields[55])
        is_whole = is_proven and number != 35  # the end of track 2 is confirmed by nothing
        return is_told or (is_whole and off <= _FEW) or (is_chip and off == 1)
    if edit.action == undoing.TAG:
        return edit.why.startswith(chip.OF_LENGTH) and ahead >= _FAR and chip.goes_on(edit.before, edit.after)
    if edit.action == undoing.ADDED:
        return ahead >= _FAR
    if edit.action == undoing.LOST:
        return (is_proven or edit.why == undoing.TOLD) and not one.warns(number)
    if edit.action == undoing.SWAPPED:
        inside = sorted(edit.before) == sorted(edit.after)
        return inside and number in _TOLD_TWICE and is_proven
    if edit.action == undoing.GIVEN:
        return number == 2 and is_proven
    if edit.action == undoing.HALVES:
        return len(agree) >= _WITNESSES
    if edit.action == undoing.VERSION:
        return version_of(edit.before) is not None  # otherwise any digit may be wrong
    return edit.action != undoing.DIGIT  # a bitmap digit adds and removes several elements
