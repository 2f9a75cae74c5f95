"""What is wrong between the messages of an exchange: an answer that repeats something else, a reversal of a
decline. What is wrong with a message by itself, the rules of `sim.judge` say.

Each rule is a row of `data/rules_exchange.csv` and a function of the exchange before a step, the step, and
the message that it speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sim.codec import Message
from sim.elements.mti import read_original, response_mti
from sim.errors import with_article
from sim.exchanges.amounts import COMPLETED, HELD, accepted, bookings, final_amount, left, minor_units
from sim.exchanges.roles import COMPLETION, INCREMENT, REPEAT, REQUEST, REVERSAL
from sim.judge.finding import Finding, Hit, Places, catalogue, finding
from sim.operations.answering import Inside, carried
from sim.spec import is_particular, number_of
from sim.spec.recipes import carried as carried_rows
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.exchanges.exchange import Exchange, Step

_CLOCKS = (7, 12, 13)  # which a host of a link of its own may answer by its own clock
_INSTITUTIONS = (32, 33, 100)  # written with zeros in front or without
_PROCESSING_CODE, _AMOUNT, _REFUND = 3, 4, "20"
_TIP = 5  # a completion may be a fifth above what was authorized
_PURPOSES = {REVERSAL: "reversal", COMPLETION: "completion", INCREMENT: "incremental"}  # as recipes say it
_WHEN = {"1987": 7, "1993": 12, "2003": 12}  # the element that DE 90 or DE 56 repeats

# Of the exchange before a step, the step, and the message of the step that it speaks of.
Check = Callable[["Exchange", "Step", "Message"], Iterator[Hit]]
# Of the exchange before a step, and the step that speaks of none.
CheckAlone = Callable[["Exchange", "Step"], Iterator[Hit]]


def findings(exchange: Exchange) -> tuple[tuple[int, Finding], ...]:
    """What is wrong between the messages of *exchange*: the step (from 0), and the finding on its message."""
    found = []
    for at, step in enumerate(exchange.steps):
        places = Places(step.message)
        for name, hit in _hits(exchange.upto(at), step):
            found.append((at, finding(places, catalogue()[name], hit)))
    return tuple(found)


def _hits(before: Exchange, step: Step) -> Iterator[tuple[str, Hit]]:
    if step.of is None:
        for name, alone in _ALONE.items() if before.steps else ():
            yield from ((name, hit) for hit in alone(before, step))
        return
    about = before.steps[step.of].message
    if about.version == step.message.version:
        for name, check in _CHECKS.items():
            yield from ((name, hit) for hit in check(before, step, about))


def _others(asked: Message, told: Message, network: str | None) -> Iterator[int]:
    """The elements that *told* should have from *asked*, and has with another value."""
    own = network is None or bool(told.spec.interface)
    for number in read_toml("templates")["echoed"][told.version]:
        if number not in asked or number not in told or (own and number in _CLOCKS):
            continue
        first, second = asked[number].strip(), told[number].strip()
        if number in _INSTITUTIONS:
            first, second = first.lstrip("0"), second.lstrip("0")
        elif number == _PROCESSING_CODE:  # a network may fill in the accounts
            first, second = first[:2], second[:2]
        if first != second:
            yield number


def _answer_repeats(before: Exchange, step: Step, request: Message) -> Iterator[Hit]:
    """An answer, and a request that is sent again, have what the request had."""
    message, repeat = step.message, step.role == REPEAT
    if not step.is_answer and not repeat:
        return
    partly = is_particular("partial", message.version, message.get(39))
    for number in _others(request, message, before.network):
        if not (number == _AMOUNT and partly) and not (repeat and number in _CLOCKS):
            yield Hit(number, f"the DE {number} of the request", "another value")


def _answered_twice(before: Exchange, step: Step, request: Message) -> Iterator[Hit]:
    earlier = before.answer_to(step.of or 0) if step.is_answer else None
    if earlier is not None and 39 in earlier and step.message.get(39) != earlier[39]:
        yield Hit(39, f"{earlier[39]}, as the request was answered before", repr(step.message.get(39)))


def _named_by_none(before: Exchange, step: Step) -> Iterator[Hit]:
    """An answer or a reversal of nothing that was sent: what tells it from the message that waits for it."""
    message = step.message
    for one in before.steps if step.role == REQUEST and message.get(37).strip() else ():
        if one.of is None and one.message.get(37) == message[37]:
            yield Hit(0, f"{message.mti} before what speaks of it", f"{one.message.mti} before it", 0, 4)
            return
    if not step.is_answer and step.role != REVERSAL:
        return
    waiting = [
        one.message
        for at, one in enumerate(before.steps)
        if not one.is_answer and (step.role == REVERSAL) == (before.answer_to(at) is not None)
    ]
    if not waiting:
        yield Hit(0, f"the message that {message.mti} speaks of before it", "none")
        return
    wanted = response_mti(waiting[-1].mti)
    if step.is_answer and wanted != message.mti:
        yield Hit(0, f"{wanted}, the response to {waiting[-1].mti}", message.mti, 0, 4)
        return
    number = next(_others(waiting[-1], message, before.network), 0)
    yield Hit(number, f"what the message before it has ({waiting[-1].mti})", "another value")


def _refund_within(before: Exchange, step: Step) -> Iterator[Hit]:
    if step.message.get(_PROCESSING_CODE)[:2] != _REFUND:
        return
    paid = left(before.steps, before.network)
    most = paid.held + paid.charged
    if most and not paid.unknown and minor_units(step.message) > most:
        yield Hit(_AMOUNT, "no more than was paid", "more")


def _counter_rises(before: Exchange, step: Step) -> Iterator[Hit]:
    """The chip counts its transactions."""
    own = _counter(step.message, before.network)
    for one in before.steps:
        earlier = _counter(one.message, before.network)
        if step.role == REQUEST == one.role and own and earlier and own <= earlier:
            path = "55.9F36"
            yield Hit(55, f"a counter above {earlier}, that of the card before", own, path=path, tag="9F36")
            return


def _counter(message: Message, network: str | None) -> str:
    return str(Inside(message, network)["55.9F36"])


def _original_named(before: Exchange, step: Step, original: Message) -> Iterator[Hit]:
    if step.role != REVERSAL:
        return
    number = number_of("original", step.message.version)
    named = read_original(step.message.get(number), step.message.version)
    if named is None:
        return
    told = (named.mti[:3], named.stan), (original.mti[:3], original.get(11))
    if named.stan.strip("0") and told[0] != told[1]:
        yield Hit(
            number, f"{original.mti} and its STAN, the message that is reversed", "another message", 0, 10
        )
    sent = original.get(_WHEN[original.version])
    if sent and named.when.strip("0") and named.when[-len(sent) :] != sent[-len(named.when) :]:
        yield Hit(number, "the date and time of the original", "another", named.at, len(named.when))


def _reversed_amount(before: Exchange, step: Step, original: Message) -> Iterator[Hit]:
    reversal = step.message
    if step.role != REVERSAL or reversal.version != "1987" or 4 not in reversal or 4 not in original:
        return
    answer = before.answer_to(step.of or 0)
    known = {minor_units(one) for one in (original, answer) if one is not None}
    if minor_units(reversal) not in known:
        yield Hit(4, "the amount of the original", "another amount")


def _approval_code_carried(before: Exchange, step: Step, earlier: Message) -> Iterator[Hit]:
    if step.role not in (REVERSAL, COMPLETION) or 38 not in step.message:
        return
    answer = before.answer_to(step.of or 0)
    if answer is not None and answer.get(38).strip() and answer.get(38) != step.message[38]:
        yield Hit(38, "the approval code of the response", "another")


def _reversal_of_decline(before: Exchange, step: Step, original: Message) -> Iterator[Hit]:
    if step.role not in _PURPOSES:
        return
    answer = before.answer_to(step.of or 0)
    if answer is not None and 39 in answer and not accepted(answer, before.network):
        what = "approved, or not answered" if step.role == REVERSAL else "approved"
        yield Hit(0, f"{with_article(step.role)} of something {what}", f"one of a decline ({answer[39]})")


def _reversed_twice(before: Exchange, step: Step, original: Message) -> Iterator[Hit]:
    if step.role != REVERSAL or final_amount(step.message):
        return
    for at, one in enumerate(before.steps):
        if one.role == REVERSAL and one.of == step.of and not final_amount(one.message):
            answer = before.answer_to(at)
            if answer is None or accepted(answer, before.network):
                yield Hit(0, "no second reversal of the same transaction", "one")
                return


def _completion_within(before: Exchange, step: Step, first: Message) -> Iterator[Hit]:
    if step.role != COMPLETION:
        return
    held = [one for one in bookings(before.steps, before.network) if one.way == HELD]
    most = sum(one.asked if one.state == COMPLETED else one.stays for one in held)
    earlier = sum(minor_units(one.message) for one in before.steps if one.role == COMPLETION)
    if most and earlier + minor_units(step.message) > most + most // _TIP:
        yield Hit(_AMOUNT, "no more than was authorized", "more")


def _transaction_id_carried(before: Exchange, step: Step, earlier: Message) -> Iterator[Hit]:
    """The parts that the network's rows carry over: as the response has them that is continued, or, where it
    has one, as another response of the same transaction."""
    purpose, network, message = _PURPOSES.get(step.role), before.network, step.message
    if purpose is None or network is None or message.dialect is not None:
        return
    known = [before.answer_to(at) for at, one in enumerate(before.steps) if not one.is_answer]
    nearest = before.answer_to(step.of or 0)
    for path in _carried_parts(network, message.version, purpose):
        wanted = _carried(path, purpose, earlier, nearest, network)
        found = str(Inside(message, network)[path]).strip()
        others = {_carried(path, purpose, earlier, one, network) for one in known}
        if wanted and found not in others:
            number = int(path.partition(".")[0])
            yield Hit(number, "the id that the response has", "another" if found else "none", path=path)


def _carried_parts(network: str, version: str, purpose: str) -> list[str]:
    """The parts inside elements that a message for *purpose* has from the first response."""
    rows = carried_rows(network, version)
    return sorted({path for row in rows if row.mentions(purpose) for path in row.parts if "." in path})


def _carried(path: str, purpose: str, request: Message, answer: Message | None, network: str) -> str:
    """What *path* is to be after *answer*; empty where that says nothing of it, or nothing but zeros."""
    if answer is None or answer.version != request.version:
        return ""
    fields = carried(purpose, request, answer, {}, network)
    made = str(Inside(Message(request.mti, fields, request.version), network)[path]).strip()
    return made if made.strip("0 ") else ""


_CHECKS: dict[str, Check] = {
    "answer-repeats": _answer_repeats,
    "answered-twice": _answered_twice,
    "original-named": _original_named,
    "reversed-amount": _reversed_amount,
    "approval-code-carried": _approval_code_carried,
    "reversal-of-decline": _reversal_of_decline,
    "reversed-twice": _reversed_twice,
    "completion-within": _completion_within,
    "transaction-id-carried": _transaction_id_carried,
}
_ALONE: dict[str, CheckAlone] = {
    "named-by-none": _named_by_none,
    "refund-within": _refund_within,
    "chip-counter-rises": _counter_rises,
}
