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
from itertools import takewhile
from math import inf
from typing import Any

from sim.codec import Message
from sim.codec.bitmap import HEX_DIGITS
from sim.codec.text import strip_line_ending
from sim.codec.wire import Format, wire_format
from sim.codec.wire import names as formats
from sim.errors import element_label
from sim.judge import Finding
from sim.judge.causes import BLANKS, STRIPPED
from sim.masking import mask_text
from sim.operations.anatomy import dissect
from sim.operations.reading import read
from sim.operations.repairing import chip
from sim.operations.repairing import edits as undoing
from sim.operations.repairing.edits import Edit
from sim.operations.repairing.framing import common, text_of
from sim.operations.repairing.searching import Trial, bytes_trials, fact_of, trials_of, valued
from sim.operations.repairing.weighing import alone, presence_costs
from sim.operations.repairing.witnesses import PROOF, card_holds, tags
from sim.operations.validation import Report, verdict_on
from sim.paste.reading import TEXT, Reading
from sim.spec.elements import table as spec_of
from sim.spec.elements import version_of
from sim.spec.networks import told_name
from sim.spec.spellings import chosen_version, network_named
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion

__all__ = ["LIKELY", "RESTORED", "UNKNOWN_VALUE", "Proposal", "Repair", "repair"]

# The verdicts: certain, likely, or fault located but original value unknown.
RESTORED, LIKELY, UNKNOWN_VALUE = "restored", "likely", "unknown"

# How many candidates are validated, and how many bits after the first one; how many bits after it a proposal
# may be; the lead over the next candidate that makes the first one certain; how many are proposed.
_JUDGED, _WITHIN, _NEAR, _MARGIN, _MOST = 40, 30.0, 12.0, 8.0, 8
_LEFT = 8.0  # trailing bytes may belong to the link
_LONGEST = 4_096  # bytes; longer data are not searched
_SHOWN, _CONTEXT = 40, 8  # characters of a value, and around a change
_MOST_EVIDENCE = 4
_WITNESSES = 2  # a single agreement may be chance
# The lead needed by edits with weaker evidence.
_FAR = 13.0
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
        change = f" ({self.before} → {self.after})" if self.changes else ""
        return f"{self.verdict.capitalize()}: {self.what}{change}. {self.because}"

    @property
    def what(self) -> str:
        """What is done to which element."""
        label = "surrounding text" if self.action == STRIPPED else element_label(self.field)
        return self.action if self.action.startswith(label) else f"{label} {self.action}"

    @property
    def changes(self) -> bool:
        """Whether there is a value before and one after."""
        return bool(self.before and self.after)

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

    >>> echo = "0800822000000000000004000000000000001120091500123456301"
    >>> [(one.verdict, one.action) for one in repair(f"6000010000{echo}").proposals[:1]]
    [('restored', 'stripped')]
    """
    paste = message if isinstance(message, str) and format is None else ""
    if isinstance(message, Reading):
        reading = message
    else:
        reading = read(message, format=TEXT if paste else format, version=version, interface=interface)
    name = reading.network if network is None else network_named(network)
    try:
        trials = _trials(reading)
        texts = [trial.edit.text for trial in trials]
        if paste and strip_line_ending(paste) not in texts and (not texts or _SPELLED.issuperset(paste)):
            # It may be bytes, or surrounded by other text.
            guess = read(paste, version=version, interface=interface)
            if guess.raw is None and guess.message is not None and not (trials and guess.as_text):
                reading, trials = guess, [*trials, *_trials(guess)]
        proposals = _ranked(trials, name)
    finally:
        for cache in _OF_VALUES:
            cache.cache_clear()
    if sure:
        proposals = proposals[:1] if proposals and proposals[0].verdict == RESTORED else ()
    if proposals and (first := proposals[0]).message is not None:
        return Repair(proposals, first.message, first.text, first.message.version, first.left)
    report = verdict_on(replace(reading, network=name))
    return Repair(proposals, report.message, dissect(reading).raw, report.version, _errors(report))


def _errors(report: Report) -> tuple[Finding, ...]:
    return tuple(finding for finding in report.findings if finding.is_error)


# Candidates.


def _trials(reading: Reading) -> list[Trial]:
    """All candidates for what was read."""
    message = reading.message if reading.complete else None
    if reading.raw is not None:
        raw, pinned = strip_line_ending(reading.raw), reading.pinned
        table = reading.table if pinned or reading.by else chosen_version(raw, None)
        return trials_of(raw, spec_of(table), pinned)
    trials: list[Trial] = []
    if message is not None and reading.believed and (raw := text_of(message)):
        if not reading.data:
            return trials_of(raw, message.spec, True)
        trials = valued(raw, message.spec)
        for trial in trials if reading.left else ():
            trial.bits += _LEFT
        if not reading.left and not any(candidate.judged for candidate in trials[:1]):
            return trials
    written = wire_format(reading.format) if reading.format in formats() else reading.written
    if written is None:
        return trials
    # A message found after unknown bytes may be a chance reading of one that starts with them.
    starts = (reading.start,) if reading.believed else dict.fromkeys((reading.start, 0))
    for data in (reading.data[start:] for start in starts):
        trials += bytes_trials(data, written) if 0 < len(data) <= _LONGEST else []
    return trials


# Ranking.


def _ranked(trials: list[Trial], network: str | None) -> tuple[Proposal, ...]:
    """The most likely of *trials*, validated."""
    best: dict[str, Trial] = {}
    for trial in sorted(trials, key=lambda candidate: candidate.bits):
        best.setdefault(trial.edit.text if trial.edit.action != undoing.CUT else "", trial)
    kept = list(best.values())[:_JUDGED]
    kept = [candidate for candidate in kept if candidate.bits <= kept[0].bits + _WITHIN]
    network = network or next((owner for candidate in kept if (owner := candidate.weight.network)), None)
    for trial in kept:
        if trial.edit.action != undoing.CUT:
            trial.judge(network)
    usual = min((sum(candidate.judged.values()) for candidate in kept if candidate.report), default=0.0)
    for trial in kept:
        if trial.report is None:  # a truncated message is not validated: assume the best score
            trial.bits += usual
    kept += [wrong for candidate in kept if not candidate.edit.action for wrong in _wrong(candidate)]
    kept.sort(key=lambda candidate: candidate.bits)
    rivals = [other.bits for other in kept[1:2]]
    if kept and kept[0].edit.action == undoing.LOST:
        # Unknown values are ranked last, but are as likely as the visible rivals.
        unseen = (other for other in trials if other.lost and other.edit.action != undoing.CUT)
        rivals += [other.bits - undoing.UNSEEN for other in unseen if other.edit.field != kept[0].edit.field]
    if not kept or not kept[0].edit.action:
        return ()
    first = _proposal(kept[0], min(rivals, default=inf) - kept[0].bits, network)
    # A sound message with something around it needs no other idea of what was wrong.
    if first.field is None and not first.left:
        return (first,)
    # The unchanged text is more likely than what comes after it.
    near = [trial for trial in kept[1:_MOST] if trial.bits <= kept[0].bits + _NEAR]
    others = [_proposal(trial, 0.0, network) for trial in takewhile(lambda trial: trial.edit.action, near)]
    return first, *sorted(others, key=lambda proposal: proposal.verdict == UNKNOWN_VALUE)


def _wrong(trial: Trial) -> Iterator[Trial]:
    """The candidate that a character is wrong in the element with the worst findings."""
    costs = {number: bits for number, bits in trial.judged.items() if number}
    if costs:
        number = max(costs, key=costs.__getitem__)
        edit = Edit(trial.raw, 0.0, undoing.WRONG, number, "nothing shows which one")
        explained = costs[number] + trial.weight.said.odd.get(number, 0.0)
        yield replace(trial, edit=edit, bits=trial.bits - explained + undoing.PRIOR_OF_WRONG)


# Presentation.


def _proposal(trial: Trial, ahead: float, network: str | None) -> Proposal:
    edit, report = trial.edit, trial.report
    name = {None: "message", 0: "MTI", 1: "bitmap"}.get(edit.field)
    name = name or told_name(trial.table, edit.field or 0, network or "")
    if trial.lost:
        action = undoing.MISSING if edit.action == undoing.LOST else edit.action
        return Proposal(UNKNOWN_VALUE, edit.field, name, action, "", "", (edit.why,), bits=trial.bits)
    left = _errors(report) if report else ()
    message = report.message if report else None
    is_sure = ahead >= _MARGIN and not left and _sure(trial, ahead)
    verdict = RESTORED if is_sure else LIKELY
    head = (verdict, edit.field, name, edit.action, *_masked_edit(trial), _evidence(trial))
    return Proposal(*head, edit.text, message, left, trial.bits)


def _evidence(trial: Trial) -> tuple[str, ...]:
    """The evidence, cross-checks of the edited element first."""
    about = re.compile(rf"\bDE {trial.edit.field}\b")
    agree = sorted(trial.weight.said.agree, key=lambda text: about.search(text) is None)
    around = (f"{trial.outside.action}: {trial.outside.why}",) if trial.outside else ()
    return (trial.edit.why, *around, *agree[: _MOST_EVIDENCE - 1])


def _masked_edit(trial: Trial) -> tuple[str, str]:
    """The edited part before and after, card data masked."""
    edit = trial.edit
    if edit.action in (undoing.BIT_SET, undoing.BIT_CLEARED, undoing.SECOND):
        return "", ""
    if edit.field is None:
        return mask_text(edit.before)[:_SHOWN], ""
    if edit.field < 2 or edit.action == undoing.LENGTH:
        return edit.before, edit.after
    # Masked in the whole message: the value may contain part of the card number.
    fields, mti = trial.weight.fields, edit.text[:4]
    before, after = (
        Message(mti, {**fields, edit.field: value}, trial.table.version).masked()[edit.field]
        for value in (edit.before, edit.after)
    )
    return _near_the_change(before, after)


def _near_the_change(before: str, after: str) -> tuple[str, str]:
    """Two long values, cut to the characters in which they differ and a few around these."""
    if max(len(before), len(after)) <= _SHOWN:
        return before, after
    start = common(before, after)
    end = common(before[start:][::-1], after[start:][::-1])
    head, tail = max(start - _CONTEXT, 0), max(end - _CONTEXT, 0)
    first, last = "…" * (head > 0), "…" * (tail > 0)
    texts = (f"{first}{text[head : len(text) - tail]}{last}" for text in (before, after))
    return next(texts), next(texts)


def _sure(trial: Trial, ahead: float) -> bool:
    """Whether no other fault explains the text. A wrong length may be a lost character, and swapped digits
    one wrong digit, so other elements have to confirm the value."""
    edit, testimony, number = trial.edit, trial.weight.said, trial.edit.field or 0
    agree = set(testimony.agree)
    is_proven = number in PROOF and PROOF[number] <= agree
    if testimony.clashes(number):
        return False
    if edit.why == fact_of(BLANKS):
        return False  # the last element ends with blanks: the extra character may be before these
    if edit.action in (undoing.BIT_SET, undoing.BIT_CLEARED):
        # It shifts whole elements; a short one may also be lost or added characters.
        present, absent = presence_costs(edit.text[:4], trial.weight.network)[number]
        more, is_told = absent - present, len(agree) >= _WITNESSES
        element, value = trial.table[number], trial.weight.fields.get(number, "")
        # A missing element had at least its length prefix, or its full width.
        wide = len(value) + element.prefix if value else element.prefix or element.width
        if wide <= _FEW:
            return False
        if edit.action == undoing.BIT_CLEARED:
            last = number > max(trial.weight.fields, default=0)  # the end may be missing instead
            blank = "s" in element.content and not element.prefix  # or its trailing blanks
            return more < _RARE * last and not blank and (is_told or ahead >= _FAR)
        return more > _RARE and is_told
    if edit.action == undoing.LENGTH:
        off = abs(int(edit.after) - int(edit.before)) if edit.before.isdigit() else 0
        is_told = edit.why not in (undoing.FITS, undoing.WRONG_DIGIT) and off > _FEW
        is_chip = number == 55 and chip.is_sound(trial.weight.fields[55])
        is_whole = is_proven and number != 35  # the end of track 2 is confirmed by nothing
        return is_told or (is_whole and off <= _FEW) or (is_chip and off != _FEW)
    if edit.action == undoing.TAG:
        if len(edit.before) < len(edit.after) or not edit.why.startswith(chip.OF_LENGTH):
            return False  # a byte may be missing from a value instead
        return ahead >= _FAR and chip.goes_on(edit.before, edit.after)
    if edit.action == undoing.ADDED:
        return ahead >= _FAR
    if edit.action == undoing.LOST:
        return is_proven or edit.why == undoing.TOLD
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
