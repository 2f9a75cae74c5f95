"""Words whose meaning depends on their neighbors: a number before a plural, `more` after a hold, `not` before
a refund."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from fractions import Fraction

from sim.elements.money import say_amount
from sim.exchanges import sums
from sim.exchanges.deciding import approves, codes_known
from sim.exchanges.lexicon import TOKEN, fold, pattern, phrases_of
from sim.exchanges.words import Mark, Reader, Sum
from sim.spec.networks import NETWORKS, response_code

_MOST = 50  # messages of a kind: our choice
# What a negation may cancel, and how many words may come between.
MEANT = ("head", "answer", "decision", "kind", "entry", "network", "reason", "reason!", "then", "option",
          "code", "trade", "city", "country")  # fmt: skip
_NEAR = 4
_MONEY = ("amount", "bare")
_SINGLING = ("network", "entry", "amount", "currency", "decision")
_SLOTS = {"reason": "decision", "reason!": "decision", "code": "decision", "answer": "decision",
          "pan": "network", "tail": "network", "bare": "amount"}  # fmt: skip
_CLOSE = re.compile(r"\W*(?:[a-z]+\W+){0,3}")
_LONE = re.compile(r"\d+(?:[.,]\d+)?")
EMPTY = frozenset(("aside", "polite", "same", "order", "it", "change"))  # keys of marks that change nothing
MOST_COUNTED = 12  # our choice: a smaller number may count messages
_LONE_CODE = re.compile(r"0\d *[.)]?")  # `chip 20 usd, 00`
_GRANTING = ("approved", "partial")
_PART = frozenset(("partial", "partially", "parcial", "partiel", "partielle", "in part", "teilweise"))


def settle(reader: Reader) -> None:
    """Settle the marks of *reader* whose meaning depends on their neighbors."""
    for step in (_in_cash, _granted, sized, failed, tried, excepted, _counts, _shares, _one_of_them,
                 _codes, _lone_number, _causes, _stages, _replied, excluded, _only):  # fmt: skip
        step(reader)


def _shares(reader: Reader) -> None:
    """Half of the only amount, or of the plan before; a tip of 15%. With a count, half of them."""
    amounts = [mark.value for mark in reader.all("amount")] or [reader.whole]
    total = amounts[0] if len(amounts) == 1 else None
    every = {mark.start for mark in reader.all("every")}
    for mark in reader.all("share"):
        if mark.value == "1/1":
            mark.key = "aside"  # completed for the full amount
        elif reader.all("count") and mark.start in every:
            mark.key = "aside"
        elif total and not total.figures and not reader.all("bare", "raw", "cashbackof"):
            exact = total.minor_units * Fraction(mark.value)
            units = math.floor(exact + Fraction(1, 2))
            if units != exact:
                reader.notes.append(f"{mark.words} is rounded: {say_amount(str(units), total.currency)}")
            mark.key, mark.value = "amount", Sum(units, total.currency)
            for other in reader.all("every"):
                other.key = "aside" if other.start == mark.start else other.key
            if refund := next((head for head in reader.all("head") if head.value == "refund"), None):
                at = min(refund.start, mark.start)  # after the payment
                reader.marks.append(Mark("order", "", at - 1, at - 1, ""))


def _lone_number(reader: Reader) -> None:
    """In a follow-up, `for 55` and `make it 400` are amounts; `make it 51` after code 05 is a code."""
    text, others = reader.folded, {mark.key for mark in reader.marks} - EMPTY
    years = [mark for mark in reader.all("mti") if mark.value[0] != "0"]  # MTIs of 1993, or amounts
    numbers = reader.all("unknown", "number") if reader.whole else []
    lone = [mark for mark in numbers if sums.whole_number(mark.words)]
    for unit in reader.all("currency") if not reader.all(*_MONEY) else ():
        near = [mark for mark in years if not (reader.gap(mark, unit) or reader.gap(unit, mark)).strip(" ,")]
        for mark in near or (lone if len(lone) == 1 else ()):
            mark.key, mark.value = "bare", mark.words  # in won, 96000
    for mark in [*reader.all("unknown", "number"), *years] if reader.whole else ():
        number = _LONE.match(text, mark.start)
        before = pattern("ends-in-to").search(text, 0, mark.start)
        if not (number and before) or text[number.end() :][:1].isalnum():
            continue
        whole = number[0].isdecimal()
        unsure = whole or any(other.end > number.end() for other in reader.all(*others))
        if unsure and before["alone"] is not None:
            continue  # `51` alone is an amount or a code
        for part in reader.all("unknown"):
            part.key = "aside" if mark.start < part.start < number.end() else part.key
        if reader.code and len(number[0]) == len(reader.code) and number[0] in codes_known():
            mark.key, mark.value = "code", number[0]
            reader.notes.append(f"{number[0]} is taken as the response code, in place of {reader.code}")
        elif before["for"] or not whole or int(number[0]) > MOST_COUNTED:  # `make it 5`: a count?
            mark.key, mark.value = "bare", number[0]


def _only(reader: Reader) -> None:
    """`Only` before an amount adds nothing to the decision."""
    for mark in reader.all("remain"):
        if pattern("ends-in-the").search(reader.folded, 0, mark.start):
            mark.key = "aside"  # the remaining 100
    for mark in reader.all("unknown"):
        if mark.value in phrases_of("only-word"):
            later, earlier = reader.after(mark, *_MONEY, "part"), reader.before(mark, *_MONEY)
            near = [amount for amount in later if reader.joins(mark, amount)]
            near += [amount for amount in earlier if not reader.gap(amount, mark).strip()]
            mark.key = "aside" if near else mark.key


def _granted(reader: Reader) -> None:
    """An amount received out of a requested one is a partial approval; it is unclear if it could also be a
    response code."""
    match = pattern("asked-got").search(reader.folded)
    if match is None:
        return
    start, end = match.span("n")
    network = next((str(brand.value) for brand in reader.all("network")), NETWORKS[0])
    for mark in reader.all("unknown", "code", "decision"):
        if match.start("got") <= mark.start and mark.end <= end:
            mark.key = "aside"
    if not any(mark.start == start for mark in reader.all(*_MONEY)):
        if pattern("got").match(match["got"]) and response_code(network, match["n"]):
            reader.unclear.append(f"{match['got']} {match['n']}: an amount or a code")
        reader.marks.append(Mark("bare", match["n"], start, end, match["n"]))
    reader.marks.append(Mark("decision", "partial", match.start("got"), match.end("got"), match["got"]))


def _counts(reader: Reader) -> None:
    """A number before a plural or before instalments counts them."""
    known_marks = reader.all(*{mark.key for mark in reader.marks})
    for mark in reader.all("twice"):
        earlier = [other for other in known_marks if other.end <= mark.start and other.key != "it"]
        before = max(earlier, key=lambda other: other.end, default=mark)
        counted = before.key in ("head", "amount", "bare", "alone", "network") or (
            reader.whole and before.key != "then"
        )
        if any(other.words.endswith("as a repeat") for other in reader.all("repeat")):
            counted, mark.key = False, "aside"  # sent twice, the second time as a repeat
            continue
        mark.key = "count" if counted else "repeat" if before.key == "then" else "unknown"
        mark.value = 2 if counted else fold(mark.words)
    priced = reader.whole or (reader.all("amount") and reader.all("head"))
    for mark in reader.all("unknown", "several", "number"):
        value = sums.whole_number(str(mark.value)) if str(mark.value).isalnum() else None
        if not value:
            continue
        after = [other for other in known_marks if other.start >= mark.end][:1]
        rest = TOKEN.findall(reader.folded[mark.end : mark.end + 60])[:4]
        of = pattern("of-them").match(reader.folded, mark.end)
        if any(other.key == "instalments" or other.value == "instalment" for other in after):
            mark.key, mark.value = "instalments", value
        elif priced and value > 1 and of and not (reader.whole and of["many"]):
            # `20 dollars, 15 of them refunded`: part of an amount, changed afterwards
            mark.key, mark.value = "bare", mark.words
            reader.marks.append(Mark("order", "", mark.start, mark.start, ""))
        elif 2 <= value <= _MOST and not phrases_of("plural").keys().isdisjoint(rest):
            mark.key, mark.value = "count", value
        elif rest and rest[0] in phrases_of("sized-word"):
            mark.key, mark.value = "sized", value
    if any(other.value == "instalment" for other in reader.marks) and not reader.all("instalments"):
        for mark in reader.all("count"):
            mark.key = "instalments"  # in 4 times
    for mark in reader.all("repeat"):
        if any(pattern("it").fullmatch(reader.gap(mark, count)) for count in reader.after(mark, "count")):
            mark.key = "aside" if reader.whole else "unknown"  # repeat it five times
    many = [mark for mark in reader.all("instalments") if isinstance(mark.value, int)]
    uncounted = reader.all("each") and not reader.all("count", "instalments")
    if uncounted or (reader.all("instalments") and not many):
        reader.unclear.append("how many")


def sized(reader: Reader) -> None:
    """`The last two` are as many."""
    ends = {mark.end + 1: mark for mark in reader.all("which") if str(mark.value) in ("1", "-1")}
    every = {mark.end + 1 for mark in reader.all("every")}
    starts = {mark.start for mark in reader.all("which")}
    for mark in reader.all("unknown", "number"):
        if mark.start in every and mark.value in ("one", "ones"):
            mark.key = "aside"  # every fifth one
        size = sums.whole_number(str(mark.value)) if str(mark.value).isalnum() else None
        if mark.start in ends and size:
            mark.key, ends[mark.start].value = "aside", f"{ends[mark.start].value}*{size}"
        elif (size or 0) > MOST_COUNTED and any(
            reader.joins(one, mark) for one in reader.before(mark, "which")
        ):
            mark.key, mark.value = "bare", mark.words  # the second of 20
        elif mark.value in phrases_of("only-word") and mark.end + 1 in starts:
            mark.key = "aside"  # only the fourth


def failed(reader: Reader) -> None:
    """`The fourth fails` is a decline; of 3-D Secure or a PIN it may be more."""
    for which, mark in itertools.product(reader.all("which"), reader.all("negation")):
        if mark.start == which.end + 1 and pattern("failing").match(fold(mark.words)):
            mark.key, mark.value = "decision", "declined"


def singled(text: str, mark: Mark) -> int:
    """Where `the visa one` ends, if *mark* stands in such words; else 0."""
    if mark.key not in _SINGLING:
        return 0
    one = pattern("the-one").match(text, mark.end)
    return one.end() if one and pattern("ends-in-the").search(text, 0, mark.start) else 0


def excepted(reader: Reader) -> None:
    """`All declined but the third`; `all approved but the third` declines the third."""
    every = [mark for mark in reader.all("every", "except") if mark.value in ("1", "")]
    for which in reader.all("which", *_SINGLING) if every else ():
        but = pattern("ends-in-but").search(reader.folded, 0, which.start)
        named = every[0].end <= which.start and (every[0].key == "except" or but)
        if not (named and (which.key == "which" or singled(reader.folded, which))):
            continue
        granted = [mark for mark in reader.all("decision") if mark.value == "approved"]
        declines = len(reader.all("decision", "reason", "reason!", "code")) > len(granted)
        every[0].key, every[0].value = "aside" if granted else "except", ""
        for mark in reader.all("less", "negation"):
            mark.key = "aside" if but and mark.start == but.start() else mark.key
        for mark in granted:
            mark.key, mark.value = "aside" if declines else "decision", "declined"
        return


def tried(reader: Reader) -> None:
    """`Send it again` is a further attempt."""
    for mark in reader.all("same"):
        before = pattern("ends-in-try").search(reader.folded, 0, mark.start)
        after = pattern("try").match(reader.folded, mark.end)
        if mark.value == "again" and (before or after):
            start, end = before.start() if before else mark.start, after.end() if after else mark.end
            for other in reader.marks:
                if start <= other.start < end:
                    other.key = "aside"
            mark.key, mark.start, mark.end = "retry", start, end


def _one_of_them(reader: Reader) -> None:
    """`Three purchases, one declined`: the last, as none is named. `A Mastercard one` is a payment."""
    ends = {mark.end + 1 for mark in reader.all("network")}
    for mark in reader.all("unknown"):
        if mark.value in ("one", "ones") and mark.start in ends:
            mark.key = "aside"
    said = reader.all("decision", "reason", "reason!", "code")
    before = [(mark, pattern("one-of").search(reader.folded, 0, mark.start)) for mark in said]
    every = [(mark, found) for mark, found in before if found]
    if len(every) == 1 and every[0][0].value not in _GRANTING and reader.all("count"):
        mark, found = every[0]
        for one in reader.all("unknown", "number", "it"):
            if found.start("one") <= one.start < mark.start:
                one.key = "aside"
        reader.marks.append(Mark("which", "-1", *found.span("one"), reader.text[slice(*found.span("one"))]))
        reader.notes.append("Which one was not given: the last")


def _codes(reader: Reader) -> None:
    """A response code right after a word for a decision or a response, `abgelehnt (05)`, or in parentheses; a
    number after an approval, `approved 80`, is an amount."""
    text, money = reader.text, reader.all(*_MONEY)
    said = reader.all("decision", "answer", "reason", "reason!")
    for mark in reader.all("unknown", "bare"):
        code = re.compile(r"\w*").match(text, mark.start)[0].upper()  # type: ignore[index]
        if code not in codes_known():
            continue
        before = [word for word in said if word.end <= mark.start]
        start = text[: mark.start].rstrip()
        gap = reader.gap(before[-1], mark) if before else ","
        last = pattern("ends-in-with").search(start) and not text[mark.start + len(code) :].strip(" .")
        if mark.key == "bare" and not (last and before and before[-1].value == "declined"):
            continue  # decline the Visa with 51
        alone = _LONE_CODE.fullmatch(text, mark.start) and start[-1:] in (",", ":", ">", "/")
        apart = said and start[-1:] == "(" and text[mark.start + len(code) :][:1] == ")"
        others = [other for other in reader.marks if before and before[-1].end <= other.start < mark.start]
        granted = before and before[-1].value in _GRANTING and not approves(code)
        if granted and (money or pattern("of").search(gap)):
            mark.key, mark.value = "bare", mark.words
        elif (before and last) or alone or apart or (before and not re.search("[.,;]", gap) and not others):
            mark.key, mark.value = "code", code


def _in_cash(reader: Reader) -> None:
    """`50 EUR, of which 20 in cash` is cashback."""
    for mark in reader.all("in-cash"):
        part = pattern("ends-in-part").search(reader.folded, 0, mark.start)
        others = [other for other in reader.marks if other.start == mark.start and other is not mark]
        mark.key, mark.value = "cashbackof" if part else "aside" if others else "unknown", fold(mark.words)
        for other in others if part else ():
            other.key = "aside"  # no bar


def _causes(reader: Reader) -> None:
    """`Customer cancellation` is why a payment is declined only beside that word, else why it is reversed."""
    declined = any(mark.value == "declined" for mark in reader.all("decision"))
    both = {mark.start for mark in reader.all("why")} & {one.start for one in reader.all("reason", "reason!")}
    for mark in reader.all(*(("why",) if declined and not reader.all("then") else ("reason", "reason!"))):
        if mark.start in both:
            mark.key = "aside"


def _stages(reader: Reader) -> None:
    """The meaning of `47.63 actual` and `+25` after a pre-authorization, of `(partial)` after a reversal."""
    money, plus = reader.all("amount", "bare", "raw"), pattern("ends-in-plus")
    for mark in reader.all("decision"):
        back = reader.before(mark, "then")
        if mark.value == "partial" and mark.words.lower() in _PART and back and not reader.all("part"):
            back[-1].value, mark.key = "partial_reversal", "aside"
    every = reader.all("also", "head", "amount", "bare", "raw")
    every = [mark for mark in every if mark.key != "head" or mark.value == "incremental"]
    for first, other in itertools.pairwise(every):
        if {first.key, other.key} in ({"also"}, {"also", "head"}):
            (first if first.key == "also" else other).key = "aside"  # increased by another 50
    for first, other in itertools.pairwise(reader.all("then")):
        if re.fullmatch(r"\s*of (?:an? |the )?", reader.gap(first, other)):
            reader.unclear.append(reader.text[first.start : other.end])  # nobody reverses a reversal
    if not any(mark.value == "preauthorization" for mark in reader.all("head")):
        return
    for start in [mark.start for mark in money if plus.search(reader.folded, 0, mark.start)]:
        reader.marks.append(Mark("head", "incremental", start, start, "+"))
    for mark in reader.all("also", "actual"):
        stage = "completion" if mark.key == "actual" else "incremental"
        earlier = reader.before(mark, "amount", "bare", "raw")
        ends = [amount.start for amount in earlier if not reader.gap(amount, mark).strip()]
        nexts = [amount.start for amount in money[1:] if _CLOSE.fullmatch(reader.gap(mark, amount))]
        if ends or nexts:
            mark.key, mark.value, mark.start = "head", stage, min([mark.start, *ends])


def _replied(reader: Reader) -> None:
    """An approval of a reversal decides nothing: such a response never varies."""
    for _, mark in replies(reader, "decision"):
        mark.key = "aside" if mark.value == "approved" else mark.key


def replies(reader: Reader, key: str) -> list[tuple[Mark, Mark]]:
    """The words for a reversal and, of *key*, for its response: `the reversal gets approved`."""
    return [
        (back, mark)
        for back, mark in itertools.product(reader.all("then"), reader.all(key))
        if (reader.joins(back, mark, "is") if back.end <= mark.start else reader.joins(mark, back, "the"))
    ]


def excluded(reader: Reader) -> None:
    """Set aside what a negation excludes, if the text says what is meant: `chip instead of contactless`."""
    for off in pattern("taken-off").finditer(reader.folded):  # take the reversal away
        ends = (off.start(), off.end())
        for mark in reader.marks:
            if mark.end == ends[1] or (mark.start == ends[0] and mark.key in ("unknown", "actual", "polite")):
                mark.key, mark.value = "aside" if mark.start > ends[0] else "negation", "not"
    for mark in reader.all("negation"):
        if mark.words.lower() == "no" and reader.portuguese:
            mark.key = "aside"  # in the
            continue
        after = next(iter(reader.after(mark, *MEANT)), None)
        gap = reader.gap(mark, after) if after else ""
        if after is None or gap.count(" ") > _NEAR or not mark.value:
            continue
        meant = [other for other in reader.all(*MEANT) if slot(other) == slot(after)]
        others = any(other.value != after.value for other in meant) and not re.search("[,;.]", gap)
        unsent = after.key in ("answer", "decision") and reader.all("only")
        # `Never an answer` before a reversal stays unclear: the reason is not known.
        if others or unsent or (after.key == "answer" and not reader.all("then")):
            mark.key = after.key = "aside"


def slot(mark: Mark) -> str:
    """What *mark* determines: only one mark of each slot can hold."""
    return str(mark.value).partition("=")[0] if mark.key == "option" else _SLOTS.get(mark.key, mark.key)


def chosen(marks: Sequence[Mark], count: int) -> list[int]:
    """The indices of those of *count* transactions that *marks* of `which`, `every` or `each` name; empty if
    there is no such one, as no middle of two."""
    places: set[int] = set()
    for mark in marks:
        number, _, many = str(mark.value or 1).partition("*")
        first, size = int(number), int(many or 1)
        if mark.key == "except":
            continue
        if mark.key != "which":
            named = range(first - 1, count, first)
        elif first == 0:
            named = range(count // 2, count // 2 + count % 2)
        else:
            start = first - 1 if first > 0 else count - size
            named = range(start, start + size)
        if not named or not 0 <= named[0] <= named[-1] < count:
            return []
        places.update(named)
    if any(mark.key == "except" for mark in marks):  # all but the last
        places = {*range(count)} - places if places else set()
    return sorted(places)
