"""Several transactions in one description: a sequence, a list, the cases of a suite.

The text is cut into clauses; a transaction takes as many of them as are clear together. What it does not name
comes from what is said of all (`two Visa sales: ...`, `..., 20 USD each`) and, for an item such as `one of 20
EUR`, from the item before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sim.exchanges import beside
from sim.exchanges.changing import KEPT, changed, named, next_of
from sim.exchanges.deciding import said_by
from sim.exchanges.hosting import suite_of
from sim.exchanges.lexicon import fold, pattern
from sim.exchanges.plan import Plan, together
from sim.exchanges.words import Mark, Reader

WITHOUT_AMOUNT = frozenset(("balance", "verification", "pin_change"))

_LAST = -1  # the number of `the last one`; 0 is that of the middle
_MOST, _LONGEST = 12, 6  # clauses of a text, of one of several transactions
_SUM = re.compile(r"[$€£¥]?\d")
_MONEY = frozenset(("amount", "bare", "raw"))
_DECIDING = ("decision", "reason", "reason!", "code", "why")
# What an item may inherit, each kind as a whole.
_INHERITED = (
    *(("amount", "bare", "raw"), ("head", "alone", "atm"), ("currency",), ("network",), ("entry",)),
    *(("kind", "mti"), ("trade",), ("city",), ("country",), ("option",)),
)
_REMARKED = frozenset((*_DECIDING, "entry", "option", "then"))
_SAID = _MONEY | {*_DECIDING, "head", "alone", "entry", "network", "currency"}
_PLAIN = _MONEY | {*_DECIDING, "currency", "entry", "network"}
_COUNTS = ("count", "each", "every", "number")
_SHARED = frozenset(key for kind in (*_INHERITED, _DECIDING, _COUNTS) for key in kind)

Compose = Callable[..., Plan]


class _Clause:
    """A clause of a text: its marks; whether it `opens` an item (`another`, `the second`, `again`), which may
    try again or repeat the one before; the `number` of the item that it names; whether it is `of_all`."""

    def __init__(self, text: str, after: int, start: int, end: int, marks: Sequence[Mark]) -> None:
        self.start, self.end = start, end
        every = [mark for mark in marks if start <= mark.start < end]
        another = pattern("another").match(text, start, end)
        ones = {mark.start: at for mark in every if (at := beside.singled(text, mark))}
        self.which = [mark for mark in every if mark.key in ("which", "except") or mark.start in ones]
        self.opening = opening = [*self.which, *(mark for mark in every if mark.key in ("same", "retry"))]
        transaction = any(mark.key in ("head", "alone") for mark in every)
        article = another and transaction and pattern("article").fullmatch(another[0])
        ordered = any(mark.key == "order" and after <= mark.start < end for mark in marks)
        said = {mark.key for mark in every}
        # `declined, then approved with the correct PIN`
        self.retries = "retry" in said or (
            ordered and not said.isdisjoint(_DECIDING) and said.isdisjoint(("head", "alone", "then", *_MONEY))
        )
        self.opens = bool((another and not article) or opening) or self.retries
        self.repeats = any((mark.key, mark.value) == ("same", "payment") for mark in opening)
        numbers = (str(mark.value).partition("*")[0] for mark in self.which if mark.key == "which")
        self.number = next(map(int, numbers), None)
        self.of_all = any(mark.key == "each" or (mark.key, mark.value) == ("every", "1") for mark in every)
        self.counts = [int(mark.value) for mark in every if mark.key == "count"]
        begun = another.end() if another else start
        self.marks = [
            mark for mark in every
            if mark.start >= begun and mark not in opening
            and not any(at <= mark.start < ones[at] for at in ones)]  # fmt: skip
        for mark in self.marks:
            if mark.key == "unknown" and str(mark.value).isdigit() and mark.end == end:
                mark.key = "bare"  # of `10 USD, 20 and 30`

    @property
    def keys(self) -> set[str]:
        return {mark.key for mark in self.marks} - {"aside", "order", "polite"}

    def leads(self, clauses: int) -> bool:
        """Whether the clause, first of so many, is said of all that follow: `two Visa sales: ...`."""
        if self.opens or (self.counts and clauses == self.counts[0] + 1):
            return not self.opens
        return self.keys.isdisjoint(_MONEY) and (
            bool(self.counts) or self.keys.isdisjoint(("head", "alone", *_DECIDING)))  # fmt: skip

    @property
    def is_remark(self) -> bool:
        """Whether the clause only adds to one of the items: `the last one declined`."""
        return bool(self.which) and bool(self.keys) and self.keys <= _REMARKED


@dataclass(slots=True)
class _Item:
    """A transaction: its marks, the keys of its own, whether it `stands` by itself or `opens` as one of a
    list, else it is just a sum."""

    marks: list[Mark]
    own: set[str]
    stands: bool
    opens: bool
    plan: Plan


def several(reader: Reader, compose: Compose) -> Plan | None:
    """The plan of a text with several transactions, each by *compose*; None if one of them is not clear."""
    suite = bool(reader.all("suite"))
    settled = reader.part()
    settled.marks = [mark for mark in settled.marks if mark.key != "suite"]
    beside.settle(settled)
    settled.unclear = [*reader.unclear]
    clauses = _clauses(settled)
    if not 2 - suite <= len(clauses) <= _MOST:
        return None
    plans = _List(settled, compose).plans(clauses, suite)
    if not plans:
        return None
    if suite:
        return suite_of(plans, reader.text, said_by(reader.all("suite")))
    return replace(together(plans), text=reader.text).check()


def separated(text: str) -> bool:
    """Whether *text* holds the end of a clause."""
    return pattern("clause-end").search(fold(text)) is not None


def _clauses(settled: Reader) -> list[_Clause]:
    """The clauses of the text; none begins or ends within a mark."""
    text = settled.folded
    gaps = [match.span() for match in pattern("clause-end").finditer(text)]
    edges = [(0, 0), *gaps, (len(text), len(text))]
    edges = [(start, end) for start, end in edges
             if not any(mark.start < start and end < mark.end for mark in settled.marks)]  # fmt: skip
    spans = [(end, start) for (_, end), (start, _) in pairwise(edges) if end < start]
    remarks = [mark.start for mark in settled.all("which")]
    sums = [(start, end) for start, end in spans if not any(start <= at < end for at in remarks)]
    for count in settled.all("count"):
        numbers = [_SUM.search(text, max(start, count.end), end) for start, end in sums]
        if len(sums) == count.value and sums[0] == spans[0] and all(numbers) and (number := numbers[0]):
            spans[:1] = [(spans[0][0], number.start()), (number.start(), spans[0][1])]  # 3 taps of | 3
    ends = [0, *(end for _, end in spans)]
    clauses = [_Clause(text, after, *span, settled.marks) for after, span in zip(ends, spans, strict=False)]
    for clause, after in reversed([*pairwise(clauses)]):
        if clause.number is not None and not clause.keys and after.is_remark:
            clause.marks = after.marks  # the first | and the third declined
    return clauses


class _List:
    """The items of a text, and what is said of all of them."""

    def __init__(self, settled: Reader, compose: Compose) -> None:
        self.reader, self.compose = settled, compose
        self.shared: list[Mark] = []
        self.count = 0
        money = settled.all("amount", "currency")
        self.named = {
            "network": {str(mark.value) for mark in settled.all("network")},
            "currency": {str(getattr(mark.value, "currency", mark.value)) for mark in money},
        }

    def plans(self, clauses: list[_Clause], suite: bool) -> list[Plan]:
        """The plan of each transaction; none if one is not clear or they make no list."""
        ones = (at for at, clause in enumerate(clauses) if clause.number == 1 and not clause.is_remark)
        first = next(ones, 0)
        first = 0 if any(clause.opens for clause in clauses[:first]) else first
        rest = [clause for clause in clauses[first:]
                if (clause.keys or clause.repeats or clause.retries) and not clause.of_all]  # fmt: skip
        shared = [*clauses[:first], *(clause for clause in clauses if clause.of_all)]
        while len(rest) > 1 and rest[0].leads(len(rest)):
            shared.append(rest.pop(0))
        self.shared = [mark for clause in shared for mark in clause.marks]
        if not {key for clause in shared for key in clause.keys} <= _SHARED:
            return []
        self.count = next((count for clause in shared for count in clause.counts), 0)
        items: list[_Item] = []
        remarks: list[_Clause] = []
        while rest:
            if rest[0].is_remark and rest[0].number != len(items) + 1 and len(items) != 1:
                remarks.append(rest.pop(0))
                continue
            for size in range(min(len(rest), _LONGEST), 0, -1):
                own = (clause for clause in rest[1:size] if not (clause.is_remark and rest[0].counts))
                if any(clause.opens or clause.is_remark for clause in own):
                    continue
                if item := self._item(rest[:size], items, rest[size:]):
                    items.append(item)
                    del rest[:size]
                    break
            else:
                return []
        used = {id(mark) for item in items for mark in item.marks}
        if any(mark.key in _MONEY and id(mark) not in used for mark in self.shared):
            return []
        return self._remarked(items, remarks) if items and self._holds(items, suite) else []

    def _item(self, run: Sequence[_Clause], items: list[_Item], later: Sequence[_Clause]) -> _Item | None:
        gaps = [(clause.end, after.start) for clause, after in pairwise(run)]
        marks = [mark for clause in run for mark in clause.marks]
        marks += [mark for clause in run[1:] for mark in clause.opening]
        marks += [mark for mark in self.reader.all("order") if any(a <= mark.start < b for a, b in gaps)]
        own = {key for clause in run for key in clause.keys}
        heads = {mark.value for mark in marks if mark.key == "head"}
        stands = "alone" in own or bool(heads and (own & _MONEY or heads <= WITHOUT_AMOUNT))
        goes_on = items and (run[0].repeats or run[0].retries)
        if not (stands or goes_on or own & (_SAID if run[0].opens else _MONEY)):
            return None
        numbered = not items or items[-1].opens or self.count or items[-1].own & {*_DECIDING}
        if run[0].is_remark and not numbered:  # one payment, `the second declined`
            return None
        if run[0].retries and not (items and items[-1].own & {*_DECIDING}):
            return None
        if run[0].number not in (None, 0, _LAST, len(items) + 1):
            return None
        near = items[-1].plan.asked if items and (run[0].opens or not stands) else None
        shared = self.shared if items or not (later and run[0].opens) else [*self.shared, *later[0].marks]
        lacking = {key for kind in (*_INHERITED, _DECIDING) if own.isdisjoint(kind) for key in kind}
        marks += [mark for mark in shared if mark.key in lacking]
        options, keys = {}, {mark.key for mark in marks}
        for name, others in (("network", ("pan", "tail")), ("currency", ("amount", "alone"))):
            if (values := self.named[name]) and keys.isdisjoint((name, *others)) and not near:
                if len(values) > 1:
                    return None
                options[name] = min(values)
        if near and stands:
            options = {name: value for name, value in near.options.items() if name in KEPT}
        asked = next_of(near, bool(own & _MONEY)) if near and not stands else None
        plan = self.compose(self.reader.part(run[0].start, run[-1].end, marks), options, asked)
        if not plan.steps or plan.unclear or plan.not_possible:
            return None
        return _Item(marks, own, stands, run[0].opens, plan)

    def _remarked(self, items: list[_Item], remarks: list[_Clause]) -> list[Plan]:
        """The plans of *items* with what *remarks* change; none if one of them repeats or is not clear."""
        plans = [item.plan for item in items]
        for remark in remarks:
            part = self.reader.part(remark.start, remark.end, [*remark.which, *remark.marks])
            places = named(part.part(), [plan.asked for plan in plans])
            if not places or any(items[at].own & remark.keys for at in places):
                return []
            plans = changed(plans, part, self.compose)
        return [] if any(plan.unclear or plan.not_possible for plan in plans) else plans

    def _holds(self, items: list[_Item], suite: bool) -> bool:
        """Whether the *items* make a list: they are as many as are said, or each begins as one."""
        counted, rest = any(item.plan.asked.count > 1 for item in items), items[1:]
        if not rest:
            return suite and counted
        if counted and not all(item.stands and not item.opens for item in items):
            return False
        if self.count:
            return len(items) == self.count
        if all(item.opens or (item.stands and items[0].stands) for item in rest):
            return True
        decided = all(item.own & {*_DECIDING} for item in items)
        branded = all("network" in item.own and item.own & _MONEY for item in items)
        return all(item.own <= _PLAIN for item in rest) and (len(items) > 2 or decided or branded or suite)
