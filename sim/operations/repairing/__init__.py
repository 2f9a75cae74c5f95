"""What a broken message was: proposals, the likeliest first, each with what speaks for it.

A proposal undoes one fault known from practice. Nothing is made up: a value comes from the text itself or
from another element of it, and where nothing tells what was there, the proposal says so and changes nothing.
Every edit after which the text can be read is weighed by how plausible its elements are, alone and together;
the judge says the rest. A proposal is *restored* only where no other fault explains the text, else *likely*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from math import log2
from typing import Any

from sim.codec import IsoError, Message, ParseError, build, parse
from sim.codec.text import is_digits
from sim.codec.wire import Format, wire_format
from sim.codec.wire import names as formats
from sim.elements.card import detect_network
from sim.errors import element_label
from sim.judge import Finding, Severity
from sim.judge.causes import DECODED, READ, STRIPPED, causes
from sim.masking import mask_text
from sim.operations.anatomy import dissect
from sim.operations.choosing import chosen_version
from sim.operations.project import strip_line_ending
from sim.operations.reading import recognised
from sim.operations.repairing import chip, halves
from sim.operations.repairing import edits as undoing
from sim.operations.repairing.edits import Edit, Frame, frame
from sim.operations.repairing.weighing import UNKNOWN, Weight, announced, share, usually_odd, weigh
from sim.operations.repairing.wire import Found, readings
from sim.operations.repairing.witnesses import CARD, PROOF, TRACK
from sim.operations.validation import Report, judge, validate
from sim.paste.reading import Reading
from sim.spec import Spec, spec, version_of
from sim.spec.networks import detect, told_name
from sim.spec.spellings import network_named

__all__ = ["LIKELY", "RESTORED", "UNKNOWN_VALUE", "Proposal", "Repair", "repair"]

# What a proposal is: what the message was, what it likely was, or where the fault is and no more.
RESTORED, LIKELY, UNKNOWN_VALUE = "restored", "likely", "unknown"

# So many texts are judged, and so many bits apart; so far ahead of all others a proposal is sure.
_JUDGED, _NEAR, _MARGIN, _MOST = 40, 30.0, 8.0, 8
_BITS = {Severity.ERROR: 10.0, Severity.WARNING: 5.0, Severity.INFO: 0.5}
# What is absent is weighed with the elements that are there.
_OF_ABSENT = 0.2
_OTHER_LENGTH, _NO_TAGS, _LEFT = 6.0, 14.0, 8.0
# What is longer is no message with one fault; it is only read.
_LONGEST = 20_000
_SHOWN = 24
_ENDS = "\x02\x03\0\r\n"
_MOST_EVIDENCE = 4
_WITNESSES = 2  # one may agree by chance
_FEW = 0.0  # bits for which an element is as often there as not


@dataclass(frozen=True, slots=True)
class Proposal:
    """One way to repair a message: a `verdict` (restored, likely, or unknown: where the fault is, and nothing
    tells what stood there), what is done (`action`) to which element (`field`: 0 the MTI, 1 the bitmap, None
    the whole text; `name`), `before` and `after` as they may be shown, and the `evidence`, sentences.

    `text` is the message after it, `message` the same as a Message (None and empty where nothing tells what
    it was), `left` the errors of it, `bits` how unlikely all of it is.
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
        """What may be shown of it, by name."""
        names = ("verdict", "field", "name", "action", "before", "after", "evidence")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Repair:
    """The `proposals` for a message, the likeliest first; none where it needs none, or nothing explains it.

    `text` and `message` are those after the first proposal where it has any, else those that came (None for a
    text that cannot be read); `left` are the errors of them.
    """

    proposals: tuple[Proposal, ...]
    message: Message | None
    text: str = attribute(repr=False)
    version: str = ""
    left: tuple[Finding, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the message has no error: as it came, or restored."""
        sure = not self.proposals or self.proposals[0].verdict == RESTORED
        return sure and self.message is not None and not self.left


def repair(
    message: str | Message | Reading,
    *,
    version: str | None = None,
    network: str | None = None,
    sure: bool = False,
) -> Repair:
    """Propose what *message* (a text, sound or broken, a Message, or what was read) was before a fault.
    With *sure* the first proposal alone, and it only where it is restored. Raises ChoiceError where no
    version or network is called that.

    >>> echo = "08002020000000000000990000123456"
    >>> [(one.verdict, one.action) for one in repair(f"6000010000{echo}").proposals]
    [('restored', 'stripped')]
    """
    own = None if network is None else network_named(network)
    if isinstance(message, Reading):
        return _of_reading(message, own, sure)
    report = validate(message, network=own, version=version)
    raw = message if isinstance(message, str) else _text(message)
    if isinstance(message, Message):
        table = message.spec
    else:
        table = spec(chosen_version(strip_line_ending(raw), version))
    pinned = isinstance(message, Message) or version is not None
    proposals = _Search(strip_line_ending(raw), table, own, pinned).proposals() if raw else ()
    return _chosen(proposals, report, raw, sure)


def _of_reading(reading: Reading, network: str | None, sure: bool) -> Repair:
    """What was read: bytes that stop are repaired as bytes, all else as its text."""
    seen = dissect(reading)
    pinned = reading.version if reading.pinned or isinstance(seen.content, Message) else None
    sound = reading.complete and not reading.left and not _errors(validate(seen.content, network=network))
    if not reading.data or reading.raw is not None or sound:
        return repair(seen.content, version=pinned, network=network or reading.network, sure=sure)
    data = reading.data[reading.start :]
    # A guess that does not fit has bent its format.
    named = wire_format(reading.format) if reading.format in formats() else reading.written
    own = [named] if named else []
    made = _of_bytes(data, own, reading, network)
    if not made or made[0].verdict != RESTORED:
        # A fault may have misled the guess of the format, too.
        made = _of_bytes(data, [*own, *map(wire_format, formats())], reading, network)
    if reading.complete and reading.believed and not made:
        return repair(seen.content, version=pinned, network=network or reading.network, sure=sure)
    report = Report(None, reading.version, network, seen.fault)
    return _chosen(made, report, seen.raw, sure)


def _of_bytes(
    data: bytes, tried: Iterable[Format], reading: Reading, network: str | None
) -> tuple[Proposal, ...]:
    """What *data* are by the formats *tried*."""
    search = _Search("", spec(reading.version), network or reading.network, True)
    best: dict[str, _Trial] = {}
    if reading.complete and reading.believed and reading.message is not None:
        # What is left may be of the link.
        as_it_came = search.trial_of((reading.message, _LEFT, "", 0, "", "", ""))
        best[as_it_came.edit.text] = as_it_came
    for fmt in tried:
        for found in readings(data, fmt):
            trial = search.trial_of(found)
            if trial.edit.text not in best or trial.bits < best[trial.edit.text].bits:
                best[trial.edit.text] = trial
    return search.ranked([*best.values()])


def _chosen(proposals: tuple[Proposal, ...], report: Report, raw: str, sure: bool) -> Repair:
    """The proposals, or the first alone where it is sure."""
    if sure:
        proposals = proposals[:1] if proposals and proposals[0].verdict == RESTORED else ()
    if proposals and (first := proposals[0]).message is not None:
        return Repair(proposals, first.message, first.text, first.message.version, first.left)
    left = (report.framing,) if report.framing else _errors(report)
    return Repair(proposals, report.message, raw, report.version, left)


def _text(message: Message) -> str:
    try:
        return build(message)
    except IsoError:
        return ""


def _errors(report: Report) -> tuple[Finding, ...]:
    return tuple(one for one in report.findings if one.is_error)


@dataclass(slots=True)
class _Trial:
    """A text that can be read after an edit: how it weighs, and by what table it is read."""

    edit: Edit
    table: Spec
    weight: Weight
    bits: float
    report: Report | None = None
    judged: dict[int | None, float] = attribute(default_factory=dict)

    @property
    def warned(self) -> bool:
        """Whether the judge finds something odd in a value."""
        found = self.report.findings if self.report else ()
        return any(one.start is not None and one.severity != Severity.INFO for one in found)

    @property
    def owner(self) -> str | None:
        """The network of its card."""
        found = detect_network(Message(self.edit.text[:4], self.weight.fields, self.table.version))
        return found.network if found else None

    @property
    def lost(self) -> bool:
        """Whether nothing tells a character of it, or what it was at all."""
        return UNKNOWN in self.edit.text or self.edit.action in (undoing.CUT, undoing.WRONG)


class _Search:
    """The search for what a text was."""

    def __init__(self, raw: str, table: Spec, network: str | None, pinned: bool) -> None:
        self.raw, self.table, self.network, self.pinned = raw, table, network, pinned
        self.outermost = True
        self.stated = -1  # the length that stands in front

    def proposals(self) -> tuple[Proposal, ...]:
        """The proposals, the likeliest first."""
        if len(self.raw) > _LONGEST:
            return ()
        found = frame(self.raw, self.table)
        if found is None and halves.is_half(self.raw):
            return self.ranked([*self._halves()])
        if self.outermost and (found is None or not found.whole):
            for edit, table in self._around():
                if outside := self._inside(edit, table):
                    return outside
        return self.ranked(self._trials(found))

    # What stands around a message.

    def _around(self) -> Iterator[tuple[Edit, Spec]]:
        """What is known to stand around a message, taken off: quotes, headers, a hex dump, another version;
        bytes in a spelling."""
        for cause in causes(self.raw, self.table.version) if not self.table.dialect else ():
            if cause.text is None or (cause.action == READ and not self.pinned):
                continue  # the MTI names the version, and is wrong then
            if cause.action == STRIPPED and cause.text not in "".join(self.raw.splitlines()):
                continue  # blanks inside a message are data
            before = self.raw.removesuffix(cause.text) if self.raw.endswith(cause.text) else ""
            why = cause.hint.rstrip(".")
            yield Edit(cause.text, 0.0, cause.action, None, why, before), spec(cause.version)
        bare = self.raw.strip(_ENDS)
        if bare != self.raw and frame(bare, self.table):
            why = "control characters of the link were pasted along"
            yield Edit(bare, 0.0, STRIPPED, None, why), self.table
        for front in undoing.fronts(self.raw):
            named = None if self.pinned else version_of(front.text)
            yield front, spec(named) if named else self.table
        if frame(self.raw, self.table) is None:
            best = recognised(self.raw)
            if best and best.message and best.complete and best.believed and best.text is not None:
                why = f"it reads as {best.read_as}"
                yield Edit(best.text, 0.0, DECODED, None, why), best.message.spec

    def _inside(self, edit: Edit, table: Spec) -> tuple[Proposal, ...]:
        """The message without what stands around it, and its own repair where it needs one."""
        inner = _Search(edit.text, table, self.network, True)
        inner.stated = undoing.stated_length(edit.before, len(edit.text))
        inner.outermost = len(edit.text) < len(self.raw)  # nothing is taken off for ever
        if found := inner.proposals():
            outside = f"{edit.action}: {edit.why}"
            return tuple(
                replace(one, evidence=(*one.evidence[:1], outside, *one.evidence[1:])) for one in found
            )
        try:
            message = parse(edit.text, table)
        except ParseError:
            return ()
        left = _errors(judge(message, self.network, ()))
        verdict, before = LIKELY if left else RESTORED, mask_text(edit.before)[:_SHOWN]
        why = (edit.why,)
        return (Proposal(verdict, None, "message", edit.action, before, "", why, edit.text, message, left),)

    # What stands in it.

    def _halves(self) -> Iterator[_Trial]:
        """What the text may be whose raw bitmap lost the upper half of its code page."""
        for text in halves.texts(self.raw, self.table):
            if (found := frame(text, self.table)) is not None:
                fields = {place.number: text[place.first : place.end] for place in found.places}
                edit = Edit(text, 0.0, undoing.HALVES, 1, "with this bitmap all elements can be read")
                weight = weigh(text[:4], fields, self.table)
                yield _Trial(edit, self.table, weight, weight.bits)

    def trial_of(self, found: Found) -> _Trial:
        """What bytes are after an edit."""
        message, bits, action, number, why, before, after = found
        edit = Edit(_text(message), bits, action, number, why, before, after)
        weight = weigh(message.mti, message.fields, message.spec)
        return _Trial(edit, message.spec, weight, bits + weight.bits)

    def ranked(self, trials: list[_Trial]) -> tuple[Proposal, ...]:
        """The likeliest of *trials*, judged."""
        trials = [one for one in trials if one.edit.text]
        if not trials:
            return ()
        trials.sort(key=lambda one: one.bits)
        near = trials[0].bits + _NEAR
        owners = (one.owner for one in trials)
        self.network = self.network or next((owner for owner in owners if owner), None)
        kept = [one for one in trials[:_JUDGED] if one.bits <= near]
        for one in tuple(kept):
            if one.edit.action != undoing.CUT:
                one.bits += self._judged(one)
        kept += [wrong for one in kept if one.edit.text == self.raw for wrong in self._wrong(one)]
        kept.sort(key=lambda one: one.bits)
        made = []
        for at, one in enumerate(kept[: _MOST + 1]):
            if not one.edit.action:
                break  # as it came, it is likelier than what follows
            ahead = at == 0 and (len(kept) < 2 or kept[1].bits - one.bits >= _MARGIN)
            made.append(self._proposal(one, ahead))
        return tuple(made[:_MOST])

    def _trials(self, found: Frame | None) -> list[_Trial]:
        """All edits after which the text can be read, weighed; the text as it came where it can."""
        best: dict[str, _Trial] = {}
        for edit, table in self._edits(found):
            shown = edit.text.replace(UNKNOWN, "0")
            again = frame(shown, table)
            if again is None or not again.whole:
                continue
            fields = {place.number: edit.text[place.first : place.end] for place in again.places}
            weight = weigh(edit.text[:4], fields, table)
            bits = edit.bits + weight.bits
            if 0 < abs(self.stated - len(self.raw)) <= 2 and len(shown) != self.stated:
                bits += _OTHER_LENGTH
            if shown not in best or bits < best[shown].bits:
                best[shown] = _Trial(edit, table, weight, bits)
        trials = list(best.values())
        if found is not None and found.stop is not None and (cut := self._cut(found)):
            trials.append(cut)
        return trials

    def _edits(self, found: Frame | None) -> Iterator[tuple[Edit, Spec]]:
        raw, table = self.raw, self.table
        if not table.dialect:
            for edit in undoing.heads(raw):
                named = version_of(edit.text)
                yield edit, table if self.pinned and edit.field != 0 else spec(named or table.version)
        if found is None or not found.whole:
            yield from ((edit, table) for edit in undoing.bitmap_digits(raw, table))
        if found is None:
            return
        yield from ((edit, table) for edit in undoing.edits(raw, found, table))
        if found.whole:
            as_it_came = Edit(raw, 0.0, "", None, "")
            yield as_it_came, table
            fields = {place.number: raw[place.first : place.end] for place in found.places}
            trial = _Trial(as_it_came, table, weigh(raw[:4], fields, table), 0.0)
            self._judged(trial)
            odd = {*trial.weight.odd, *trial.judged}
            suspects = {number for number in odd if number and number > 1} - {41, 42, 43, 55}
            yield from ((edit, table) for edit in undoing.values(raw, found, table, suspects))

    def _cut(self, found: Frame) -> _Trial | None:
        """The end is missing, and what was read before it is sound; None where the text goes on."""
        element, start, size = self.table[found.stop or 0], found.end, len(self.raw)
        stated = self.raw[start : start + element.prefix]
        left = size - start - element.prefix
        if len(stated) == element.prefix > 0 and not (
            is_digits(stated) and left < int(stated) <= element.width
        ):
            return None
        missing_here = (int(stated) if element.prefix and is_digits(stated) else element.width) - left
        fields = {place.number: self.raw[place.first : place.end] for place in found.places}
        mti = self.raw[:4]
        weight = weigh(mti, fields, self.table)
        missing = [number for number in found.numbers if number not in fields]
        whole = fields | dict.fromkeys(missing, "")
        bits = weight.bits - announced(fields, mti, self.table) + announced(whole, mti, self.table)
        bits += sum(usually_odd(number, self.table) for number in missing) + log2(max(missing_here, 1))
        if found.stop == 55 and not chip.is_begun(self.raw[start + element.prefix :]):
            bits += _NO_TAGS
        edit = Edit(self.raw, 0.0, undoing.CUT, found.stop, "the text ends inside or before this element")
        return _Trial(edit, self.table, weight, undoing.PRIOR_OF_CUT + bits)

    def _judged(self, one: _Trial) -> float:
        """The bits of the judge's findings."""
        text = one.edit.text.replace(UNKNOWN, "0")
        dialect = one.table if one.table.dialect else None
        again = frame(text, one.table)
        if again is None:
            return 0.0
        fields = {place.number: text[place.first : place.end] for place in again.places}
        empty = len(again.bits) > 16 and not any(number > 64 for number in again.numbers)
        message = Message(text[:4], fields, one.table.version, empty, dialect)
        one.report = judge(message, self.network, ())
        for finding in one.report.findings:
            bits = _BITS[finding.severity] * (_OF_ABSENT if finding.start is None else 1)
            one.judged[finding.field] = one.judged.get(finding.field, 0.0) + bits
        return sum(one.judged.values())

    def _wrong(self, one: _Trial) -> Iterator[_Trial]:
        """Something is wrong in the element of which the judge says most, and nothing tells what."""
        found = {number: bits for number, bits in one.judged.items() if number}
        if found:
            number = max(found, key=found.__getitem__)
            edit = Edit(self.raw, 0.0, undoing.WRONG, number, "nothing tells which character it is")
            explained = found[number] + one.weight.said.odd.get(number, 0.0)
            bits = one.bits - explained + undoing.PRIOR_OF_WRONG
            yield _Trial(edit, self.table, one.weight, bits, one.report)

    # What is told of it.

    def _proposal(self, one: _Trial, ahead: bool) -> Proposal:
        edit, report = one.edit, one.report
        name = self._name(one)
        if one.lost:
            return Proposal(UNKNOWN_VALUE, edit.field, name, edit.action, "", "", (edit.why,), bits=one.bits)
        left = _errors(report) if report else ()
        message = report.message if report else None
        is_sure = ahead and not left and not one.weight.said.clash and _sure(one) and not self._intact(one)
        before, after = self._shown(one)
        verdict = RESTORED if is_sure else LIKELY
        shown = (verdict, edit.field, name, edit.action, before, after, self._evidence(one))
        return Proposal(*shown, edit.text, message, left, one.bits)

    def _intact(self, one: _Trial) -> bool:
        """Whether a character is lost or added at the end of its element, so that it may be of the next."""
        found = frame(one.edit.text, one.table) if one.edit.action in (undoing.LOST, undoing.ADDED) else None
        ends = [place.end for place in found.places if place.number == one.edit.field] if found else []
        return bool(ends) and self.raw[: ends[0]] == one.edit.text[: ends[0]]

    def _evidence(self, one: _Trial) -> tuple[str, ...]:
        """What speaks for it: what others say of the element first."""
        about = re.compile(rf"\bDE {one.edit.field}\b")
        agree = sorted(one.weight.said.agree, key=lambda text: about.search(text) is None)
        return (one.edit.why, *agree[: _MOST_EVIDENCE - 1])

    def _name(self, one: _Trial) -> str:
        number = one.edit.field
        if number is None or number < 2:
            return {0: "MTI", 1: "bitmap"}.get(number or 0, "message") if number is not None else "message"
        return told_name(one.table, number, self.network or "")

    def _shown(self, one: _Trial) -> tuple[str, str]:
        """What stood there and what stands there after it, card data hidden."""
        edit = one.edit
        if edit.action in (undoing.BIT_SET, undoing.BIT_CLEARED, undoing.SECOND):
            return "", ""
        if edit.field is None or edit.field < 2 or edit.action == undoing.LENGTH:
            return edit.before, edit.after
        masked = [
            Message(self.raw[:4], {edit.field: value}, one.table.version).masked()[edit.field]
            for value in (edit.before, edit.after)
        ]
        return masked[0], masked[1]


_INSIDE = (undoing.GIVEN, undoing.LENGTH, undoing.LOST, undoing.ADDED, undoing.SWAPPED)


def _sure(one: _Trial) -> bool:
    """Whether no other fault explains the text: a wrong length may be a lost character, digits swapped one
    wrong digit, so that others have to say what the element says. The edit of a bit moves whole elements, one
    in front whole messages."""
    edit, fields, agree = one.edit, one.weight.fields, set(one.weight.said.agree)
    number, disagree = edit.field or 0, one.weight.said.odd
    if edit.action in (undoing.BIT_SET, undoing.BIT_CLEARED):
        more = share(number, fields, edit.text[:4])
        if len(agree) < _WITNESSES:
            return False
        if edit.action == undoing.BIT_CLEARED:
            return more < _FEW and _width(number, fields, one.table) > 1
        return more > -4 and _width(number, fields, one.table) > 1
    if edit.action in _INSIDE and (disagree or one.warned):
        return False
    if edit.action == undoing.SWAPPED and sorted(edit.before) != sorted(edit.after):
        return False  # of two elements, of which no other tells both
    if edit.action == undoing.TAG or (edit.action == undoing.LOST and number == 55):
        return False  # a digit of a tag or of a value: the dictionary knows no more
    if edit.action == undoing.GIVEN:
        return number == 2 and {CARD, TRACK} <= agree
    if edit.action == undoing.SWAPPED and number not in (2, 7):
        return False  # where two differ, either may be wrong; of these a third one knows
    if edit.action == undoing.HALVES:
        return len(agree) >= _WITNESSES
    if edit.action == undoing.DIGIT or (number < 2 and edit.action in _INSIDE):
        return False  # several elements come and go with it
    if number == 2 and TRACK not in agree and (edit.action != undoing.LENGTH or not _one_length(fields[2])):
        return False  # one wrong card number in ten has a valid check digit
    if edit.action == undoing.LENGTH:
        if number == 35:
            return False  # nothing repeats the end of a track
        return number == 55 or (number in PROOF and PROOF[number] <= agree)
    if edit.action in (undoing.LOST, undoing.ADDED, undoing.SWAPPED):
        if number == 35 and _changed_at(edit) > edit.after.find("=") + 4:
            return False
        return number in PROOF and PROOF[number] <= agree
    return True


def _one_length(pan: str) -> bool:
    """Whether all cards of its kind have the same number of digits."""
    owner = detect(pan)
    return owner is not None and len(owner.range.lengths) == 1


def _changed_at(edit: Edit) -> int:
    """The first character that is another one."""
    pairs = zip(edit.before, edit.after, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), len(edit.before))


def _width(number: int, fields: dict[int, str], table: Spec) -> int:
    """How many characters an element has with its length, or at least has."""
    element = table[number]
    if number in fields:
        return len(fields[number]) + element.prefix
    return element.prefix or element.width
