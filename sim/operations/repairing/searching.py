"""The candidates: every text that can be read after undoing one fault, with its cost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from math import log2
from unicodedata import normalize

from sim.codec import IsoError, Message
from sim.codec.text import walk
from sim.codec.wire import Format
from sim.judge import Severity
from sim.judge.causes import READ, REWRITTEN, STRIPPED, causes
from sim.operations.repairing import chip, halves
from sim.operations.repairing import edits as undoing
from sim.operations.repairing.edits import Edit
from sim.operations.repairing.framing import UNKNOWN, Bytes, Frame, Place, Source, Text, Units
from sim.operations.repairing.weighing import Weight, announced, weigh
from sim.operations.validation import Report, judge
from sim.spec import Spec, spec, version_of

# Longer texts are not searched: they do not have just one fault.
_LONGEST = 20_000
_BITS = {Severity.ERROR: 10.0, Severity.WARNING: 5.0, Severity.INFO: 0.5}
_NO_TAGS = 14.0
_SECOND = 3.0  # bits for a second fault
_CHIP = 55
_ENDS = "\x02\x03\0\r\n"


@dataclass(slots=True)
class Trial:
    """A text that can be read after an edit of `raw`: its weight, the table it is read by, and the edit that
    removed what surrounded it (`outside`)."""

    raw: str
    edit: Edit
    table: Spec
    weight: Weight
    bits: float
    outside: Edit | None = None
    report: Report | None = None
    judged: dict[int | None, float] = attribute(default_factory=dict)

    @property
    def lost(self) -> bool:
        """Whether the original value cannot be known."""
        return UNKNOWN in self.edit.text or self.edit.action in undoing.UNTOLD

    def inside(self, outside: Edit) -> Trial:
        """The same candidate in a message that *outside* was removed from."""
        if not self.edit.action:
            return replace(self, edit=outside, bits=self.bits + outside.bits)
        return replace(self, outside=outside, bits=self.bits + outside.bits + _SECOND)

    def judge(self, network: str | None) -> None:
        """Validate the text and add the cost of its findings."""
        if self.report is not None:
            return
        self.report = judge(walk(self.edit.text.replace(UNKNOWN, "0"), self.table), network, ())
        for finding in self.report.findings:
            self.judged[finding.field] = self.judged.get(finding.field, 0.0) + _BITS[finding.severity]
        self.bits += sum(self.judged.values())


def weighed(raw: str, edit: Edit, table: Spec) -> Trial | None:
    """The candidate after *edit*; None if it cannot be read to the end."""
    table = edit.table or table
    try:
        fields = walk(edit.text, table).fields
    except IsoError:
        return None
    weight = weigh(edit.text[:4], fields, table)
    return Trial(raw, edit, table, weight, edit.bits + weight.bits)


def valued(raw: str, table: Spec) -> list[Trial]:
    """The candidates for *raw*, which can be read: unchanged, or with other values."""
    trial = weighed(raw, Edit(raw, 0.0, "", None, ""), table)
    if trial is None:
        return []
    copy = replace(trial, judged={})
    copy.judge(None)
    odd = {*trial.weight.said.odd, *copy.judged}
    suspects = {number for number in odd if number and number > 1} - {41, 42, 43, 55}
    frame = Text(table).frame(raw)
    return [trial, *_weighed(raw, undoing.values(raw, frame, table, suspects) if frame else (), table)]


def trials_of(raw: str, table: Spec, pinned: bool, outermost: bool = True) -> list[Trial]:
    """All candidates for the text *raw*, read by *table*, or by another version unless it is *pinned*."""
    if not 0 < len(raw) <= _LONGEST:
        return []
    source, trials = Text(table), list[Trial]()
    frame = source.frame(raw)
    if outermost and (frame is None or not frame.whole):
        for around, inner in _around(raw, table, pinned):
            further = len(around.text) < len(raw)  # each round must shorten the text
            trials += [trial.inside(around) for trial in trials_of(around.text, inner, True, further)]
    if frame is None and halves.is_half(raw):
        why = "with this bitmap, the message can be read to its end"
        edits = [Edit(text, 0.0, undoing.HALVES, 1, why) for text in halves.texts(raw, table)]
        if edits:
            return trials + _weighed(raw, edits, table)
    trials += _weighed(raw, undoing.heads(raw, frame, table, pinned), table)
    trials += within(raw, frame, source, table)
    return trials + valued(raw, table) if frame is not None and frame.whole else trials


def within(raw: Units, frame: Frame | None, source: Source, table: Spec) -> list[Trial]:
    """The candidates for faults inside the message, and for a missing end."""
    if frame is None:
        return []
    text = raw if isinstance(raw, str) else ""
    trials = _weighed(text, undoing.edits(raw, frame, source), table)
    if frame.ended and (cut := source.begun(raw, frame)):
        trials.append(_cut(text, cut, frame, frame.ended, len(raw)))
    return trials


def _weighed(raw: str, edits: Iterable[Edit], table: Spec) -> list[Trial]:
    return [trial for edit in edits if (trial := weighed(raw, edit, table))]


def bytes_trials(data: bytes, fmt: Format) -> list[Trial]:
    """The candidates for *data*, bytes of *fmt*."""
    source = Bytes.of(data, fmt)
    return within(data, source.frame(data), source, spec(source.layout.version)) if source else []


def _around(raw: str, table: Spec, pinned: bool) -> Iterator[tuple[Edit, Spec]]:
    """*raw* without what surrounds the message (quotes, headers, a hex dump), or read as another version."""
    for cause in causes(raw, table.version) if not table.dialect else ():
        if cause.text is None or (cause.action == READ and not pinned):
            continue  # then the MTI, which gives the version, is wrong
        if cause.action == STRIPPED and cause.text not in "".join(raw.splitlines()):
            continue  # blanks inside a message are data
        before = raw.removesuffix(cause.text) if raw.endswith(cause.text) else ""
        yield Edit(cause.text, 0.0, cause.action, None, fact_of(cause.hint), before), spec(cause.version)
    for text, bits, action, why in _rewritten(raw):
        if text != raw and Text(table).frame(text):
            yield Edit(text, bits, action, None, why), table
    for front in undoing.fronts(raw):
        version = None if pinned else version_of(front.text)
        yield front, spec(version) if version else table


def fact_of(hint: str) -> str:
    """The fact that a hint states, without its advice."""
    clause = re.split("[;.] ", hint.rstrip("."))[0]
    return clause[:1].lower() + clause[1:]


def _rewritten(raw: str) -> Iterator[tuple[str, float, str, str]]:
    """*raw* without link control characters, a duplicate, or the wrong code page."""
    yield raw.strip(_ENDS), 0.0, STRIPPED, "control characters from the link were pasted as well"
    half, usual = len(raw) // 2, undoing.PRIOR[STRIPPED]
    if raw[:half] == raw[half:]:
        yield raw[:half], usual, REWRITTEN, "the message occurs twice"
    for page in ("latin-1", "cp1252") if not raw.isascii() else ():
        with suppress(UnicodeError):
            yield raw.encode(page).decode(), usual, REWRITTEN, "UTF-8 was read as another code page"
    why = "its digits are full-width or from another script"
    yield normalize("NFKC", raw), usual, REWRITTEN, why


def _cut(raw: str, read: Message, frame: Frame, ended: Place, size: int) -> Trial:
    """The candidate that the end is missing, in element *ended* or before it; *read* is what precedes it."""
    fields, mti, table = dict(read.fields), read.mti, read.spec
    weight = weigh(mti, fields, table)
    absent = [number for number in frame.numbers if number not in fields and number > 1]
    bits = undoing.PRIOR_OF_CUT + weight.bits + log2(max(ended.end - size, 1))
    bits += announced({*fields, *absent}, mti, weight.network) - announced(fields, mti, weight.network)
    if ended.number == _CHIP and raw:
        bits += chip.odd(raw[ended.first :]) if chip.is_begun(raw[ended.first :]) else _NO_TAGS
    edit = Edit(raw, 0.0, undoing.CUT, ended.number, "the text ends inside or before this element")
    return Trial(raw, edit, table, weight, bits)
