"""What a follow-up changes in a plan: `the second by chip`, `without the PIN`, `another one of 12 USD`.

It names transactions (else it changes the only one, or the last if they differ), takes options and steps
away, and adds transactions. All else that it says is set anew by the composer.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sim.exchanges import beside, sums
from sim.exchanges.lexicon import fold, pattern
from sim.exchanges.plan import Asked, Plan, stan_after, steps_of, together
from sim.exchanges.words import Mark, Reader, Sum

_DECIDING = frozenset(("decision", "reason", "reason!", "code"))
_NAMING = frozenset(("which", "every", "each", "except"))
_SILENT = beside.EMPTY - {"change"}
_CHANGING = (*beside.MEANT, "amount", "bare", "currency", "only")
_REPLACED = {*_CHANGING, "tip"} - {"head", "kind", "then", "currency"}
# Purposes that begin a further transaction, and the options that it keeps.
NEW = frozenset(
    ("purchase", "cash", "balance", "verification", "pin_change", "preauthorization", "quasi_cash")
)
KEPT = ("network", "version", "pan", "entry", "pin", "currency", "city", "country")
_BY = ("network", "entry", "amount")  # what `drop the Visa` tells transactions by
_WHICH = "which of the {} transactions: the first, the last or all"
_NEAR = 3  # spaces between two words
_OPTIONS = {"city": ("city", "country"), "trade": ("mcc",), "network": ("network", "pan")}


def continued(before: Plan, reader: Reader, compose: Callable[..., Plan]) -> Plan:
    """The plan *before* as the follow-up of *reader* changes it; `undo that` takes back the last change."""
    if before.previous and pattern("taken-back").fullmatch(reader.folded):
        return replace(before.previous, notes=(*before.previous.notes, "The last change is taken back"))
    plans = [*map(_plan, before.requests)]
    for part in _parts(reader):
        plans = changed(plans, part, compose)
    plan = together(plans)
    # What was unknown stays so; a doubt may be answered now.
    settled = _settled(before, reader)
    unclear = [words for words in before.unclear if words not in settled]
    return replace(
        plan,
        text=f"{before.text}; {reader.text}",
        notes=(*before.notes, *plan.notes),
        unclear=tuple(dict.fromkeys((*unclear, *plan.unclear))),
        source=before.source,
        cost=before.cost,
        previous=before,
    )


def _settled(before: Plan, reader: Reader) -> list[str]:
    """The doubts of *before* about what the follow-up says anew: the entry, the amount, the decision."""
    said = {beside.slot(mark) for mark in reader.all(*_REPLACED)}
    said |= {"city"} if "country" in said else set()
    marks = Reader(before.text).all(*_REPLACED) if before.doubts else []
    about = {doubt: {beside.slot(mark) for mark in marks if mark.words in doubt} for doubt in before.doubts}
    return [doubt for doubt, slots in about.items() if set() < slots <= said]


def _parts(reader: Reader) -> Iterator[Reader]:
    """The follow-up, cut where it turns to another transaction: `decline the first, | the second by chip`."""
    ends, whole = [match.end() for match in pattern("clause-end").finditer(reader.folded)], []
    for begin, end in itertools.pairwise([0, *ends, len(reader.text)]):
        said = {mark.key for mark in reader.marks if begin <= mark.start < end}
        if "which" in said and said - _NAMING - _SILENT:  # it names a transaction and what changes in it
            whole.append(begin)
    for begin, end in itertools.pairwise([0, *whole[1:], len(reader.text)]):
        yield reader.part(begin, end, [mark for mark in reader.marks if begin <= mark.start < end])


def changed(plans: list[Plan], part: Reader, compose: Callable[..., Plan]) -> list[Plan]:
    """The *plans* of the transactions after the change of *part*."""
    for mark in part.all("everything"):
        mark.key, mark.value = "every", "1"
    for step in (beside.sized, beside.tried, beside.failed, beside.excepted):
        step(part)
    early = part.all("earlier")
    if new := _added(plans[-1].asked, part, compose):
        return [new, *plans] if early else [*plans, new]
    if any(plan.asked.count > 1 for plan in plans) and not part.all("count") and part.all(*_NAMING):
        keys = {mark.key for mark in part.marks}
        if len(plans) > 1 or keys - _DECIDING - _NAMING - _SILENT:
            plans = [_after(plan, _plan(asked)) for plan in plans for asked in _each(plan.asked)]
    requests = [plan.asked for plan in plans]
    places = named(part, requests)
    negations = part.all("negation")
    if places and negations and {mark.key for mark in part.marks} <= {"negation", *_SILENT}:
        left = [plan for at, plan in enumerate(plans) if at not in places]
        return left or [*plans[:-1], replace(plans[-1], unclear=(negations[0].words,))]
    if not places and len(plans) > 1 and _alike(requests):
        part.unclear.append(_WHICH.format(len(plans)))
    decides, places = bool(places), places or [len(plans) - 1]
    for at in places:
        own = part.part()
        request = _reduced(requests[at], own)
        plans[at] = _after(plans[at], compose(own, asked=request))
        if plans[at].asked == requests[at] and not (plans[at].unclear or part.all(*_CHANGING)):
            plans[at] = replace(plans[at], unclear=(part.text.strip(),))  # it changes nothing
    decided = decides and any(plans[at].asked.outcome for at in places)
    for at, request in enumerate(requests):
        if decided and not request.outcome and at not in places:  # the others are approved
            plans[at] = _after(plans[at], _plan(replace(request, outcome="approved")))
    return plans


def _plan(asked: Asked) -> Plan:
    return Plan("", asked, steps_of(asked))


def _after(earlier: Plan, plan: Plan) -> Plan:
    """The *plan* of the same transaction as *earlier*, with what was assumed and unclear there."""
    return replace(
        plan,
        notes=(*earlier.notes, *plan.notes),
        unclear=(*earlier.unclear, *plan.unclear),
        not_possible=earlier.not_possible or plan.not_possible,
    )


def step_of(purpose: str) -> str:
    """The name of the later step with *purpose*."""
    return "increment" if purpose == "incremental" else purpose


def kind_of(step: str) -> str:
    """The kind of a later *step*; any reversal is one."""
    name = step.partition(":")[0]
    return "reversal" if "reversal" in name else name


def _each(asked: Asked) -> Iterator[Asked]:
    """The requests that *asked* stands for, one by one."""
    for at in range(asked.count):
        applies = asked.which is None or at in asked.which
        options = dict(asked.options)
        if "stan" in options:
            options["stan"] = stan_after(options, at)
        outcome = asked.outcome if applies else "approved"
        yield replace(asked, count=1, which=None, outcome=outcome, options=options)


def _alike(requests: Sequence[Asked]) -> bool:
    """Whether nothing but amounts tells the *requests* apart, so that `it` may be any of them."""
    rest = [{**request.options, "amount_minor_units": 0, "stan": ""} for request in requests]
    return all(each == rest[0] for each in rest) and len({request.purpose for request in requests}) == 1


def named(part: Reader, requests: Sequence[Asked]) -> list[int]:
    """The indices of the *requests* that *part* names: `the second`, `all but the visa one`."""
    if len(requests) < 2:
        return []
    verbs = part.all("negation", "decision", "then", "head")
    for mark in sorted(part.marks, key=lambda mark: mark.start):
        end = beside.singled(part.folded, mark)
        off = [verb for verb in verbs if verb.end <= mark.start][-1:] if mark.key in _BY else []
        if off and part.joins(off[0], mark, "and-the" if off[0].key == "aside" else "the"):
            end = end or mark.end  # drop the JCB, decline the Visa and the Amex
        same = [at for at, request in enumerate(requests, 1) if end and _is(request, mark)]
        if same:
            verbs.append(mark)
        if len(same) > 1 and part.folded[end - 1] != "s":
            part.unclear.append(_WHICH.format(len(requests)))
        for other in part.marks if same else ():
            if mark.start <= other.start < end:
                other.key = "aside"
        part.marks += [replace(mark, key="which", value=str(at)) for at in same]
    marks = part.all(*_NAMING)
    places = beside.chosen(marks, len(requests))
    for mark in marks if places else ():
        mark.key = "aside"
    return places


def _is(request: Asked, mark: Mark) -> bool:
    """Whether *request* is the one that *mark* describes."""
    if isinstance(mark.value, Sum):
        return bool(request.options.get("amount_minor_units") == mark.value.minor_units)
    if mark.key == "decision":
        return request.is_declined if mark.value == "declined" else request.outcome == mark.value
    return bool(request.options.get(mark.key) == mark.value)


def _added(last: Asked, part: Reader, compose: Callable[..., Plan]) -> Plan | None:
    """The transaction that a follow-up adds, if any: `another one of 12 USD`, `and an echo test`."""
    text = part.folded
    start = part.text.find(part.text.strip())
    one_more = pattern("one-more").match(text, start)
    further, end = one_more is not None, one_more.end() if one_more else start
    keys = ("retry", "same", "repeat") if last.is_declined and part.all(*_DECIDING) else ("retry", "same")
    tries = part.all(*keys) if last.is_declined or last.outcome == "timeout" else []
    again = [mark for mark in tries if mark.key != "same" or mark.value == "again"]
    if again and pattern("attempt").fullmatch(text, start, again[0].start):
        further, end = False, again[0].end
    elif not further and pattern("as-well").search(text):
        for mark in part.all("same"):
            further, mark.key = True, "aside"  # the same for Mastercard too
    if further or end > start:
        numbers = [mark for mark in part.all("unknown", "number") if (sums.whole_number(mark.words) or 0) > 1]
        for mark in part.marks:
            if mark.key == "earlier" or (start <= mark.start < end and mark not in numbers):
                mark.key = "aside"
        own = [mark for mark in (*part.all("amount", "bare"), *numbers)
               if pattern("joined").fullmatch(text, end, mark.start)]  # fmt: skip
        for mark in own:
            if mark in numbers:  # another of 10
                mark.key, mark.value = "bare", mark.words
        asked = next_of(last, not further and bool(own))
        if further:  # an attempt has its own amount and response
            asked = replace(asked, outcome=last.outcome, approved=last.approved)
        return compose(part, asked=asked)
    lead = pattern("adds").match(text, start)
    if not lead:
        return None
    heads = [mark.start for mark in part.all("head") if mark.value in NEW]
    if lead[0].split()[-1] in ("a", "an") or sums.whole_number(lead[0].split()[-1]) == 1:
        heads += [noun.start() for noun in pattern("payment").finditer(text)]
    heads = [start for start in heads if _leads(part, lead.end(), start)]
    if not (heads or part.all("alone")):
        return None
    for mark in part.marks:
        if mark.key in ("order", "earlier", "it") or mark.end < lead.end():
            mark.key = "aside"  # and then one payment
    names = KEPT if heads else ("network", "version")
    return compose(part, {name: value for name, value in last.options.items() if name in names})


def _leads(part: Reader, start: int, end: int) -> bool:
    """Whether nothing but `contactless Visa` is between *start* and *end*."""
    text = part.folded[:end]
    for mark in part.all("network", "entry", "option", "aside"):
        text = text[: mark.start] + " " * (mark.end - mark.start) + text[mark.end :]
    return start <= end and not text[start:].strip(" -")


def next_of(asked: Asked, own_amount: bool) -> Asked:
    """A payment like *asked* after it, not yet decided; *own_amount*: of another amount."""
    left = ("stan", "amount_minor_units") if own_amount else ("stan",)
    options = {name: value for name, value in asked.options.items() if name not in left}
    return replace(asked, options=options, outcome=None, approved=None, then=(), count=1, which=None)


def _reduced(asked: Asked, part: Reader) -> Asked:
    """*asked* without what *part* takes away: `without the PIN`, `no reversal`, `chip, not contactless`."""
    beside.excluded(part)
    if any("reversal" in step for step in asked.then):
        for pair in beside.replies(part, "decision"):
            for mark in pair if pair[1].value == "approved" else ():
                mark.key = "aside"  # it is there, and such a response never varies
        for mark, again in itertools.product(part.all("then"), part.all("repeat")):
            first, last = sorted((mark, again), key=lambda each: each.start)
            if part.text[first.end : last.start].count(" ") <= _NEAR:
                mark.key = "aside"  # a repeat of the reversal
    if any(step.startswith("partial_reversal") for step in asked.then) and part.all("rest"):
        for mark in part.all("rest", "then"):
            mark.key = "aside"  # it is reversed
    for mark in part.all("change"):
        later = part.after(mark, *beside.MEANT)
        if len(later) > 1 and beside.slot(later[0]) == beside.slot(later[1]):
            later[0].key = "aside"  # change the chip to a tap
    money = asked.options.get("amount_minor_units"), str(asked.options.get("currency", "USD"))
    for mark in part.all("negation"):
        after = next(iter(part.after(mark, *{other.key for other in part.marks} - _SILENT)), None)
        if after and after.key == "unknown" and fold(after.words) in (asked.outcome, *asked.options.values()):
            mark.key = after.key = "aside"  # instead of 51
            continue
        numbers = [one for one in part.all("unknown") if one.words.isdecimal()]
        if after in numbers[1:] and sums.minor_units(after.words, money[1], comma=part.comma) == money[0]:
            mark.key = after.key = "aside"  # 100 instead of 80
            first = numbers[numbers.index(after) - 1]
            first.key, first.value = "bare", first.words
            continue
        apart = after and re.search("[,;.]", part.gap(mark, after))
        less = _without(asked, after) if after and mark.value and not apart else None
        if after and less:
            asked, mark.key, after.key = less, "aside", "aside"
    return asked


def _without(asked: Asked, mark: Mark) -> Asked | None:
    """*asked* without what *mark* says; None if it is not part of it."""
    name, value = beside.slot(mark), mark.value
    if mark.key == "cashbackof" and asked.purpose == "cashback":
        options = {key: held for key, held in asked.options.items() if key != "cashback_minor_units"}
        return replace(asked, purpose="purchase", kind=None, options=options)
    if name == "decision":
        return replace(asked, outcome="approved") if asked.is_declined and value == "declined" else None
    if mark.key in ("then", "head", "repeat"):
        step = {"then": "reversal", "repeat": "repeat"}.get(mark.key) or step_of(value)
        then = tuple(word for word in asked.then if kind_of(word) != step)
        return replace(asked, then=then) if then != asked.then else None
    if mark.key == "fault":
        return replace(asked, fault="") if asked.fault in str(value).split("/") else None
    if mark.key == "option" and str(value).endswith("=yes"):
        return replace(asked, options={**asked.options, name: False})
    options = {key: held for key, held in asked.options.items() if key not in _OPTIONS.get(mark.key, (name,))}
    return replace(asked, options=options) if len(options) < len(asked.options) else None
