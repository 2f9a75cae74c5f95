"""Findings between the messages of an exchange: a response that repeats another value, a reversal of a
decline. The rules of `sim.judge` check each message on its own.

Each rule is a row of `data/rules_exchange.csv` and a function that compares messages; `_CHECKS` says which
roles it applies to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from sim.codec import Message
from sim.codec.text import is_digits
from sim.elements import pos
from sim.elements.card import account
from sim.elements.money import amount, read_additional_amounts
from sim.elements.mti import read_original, response_mti
from sim.errors import counted, with_article
from sim.exchanges.amounts import COMPLETED, HELD, accepted, bookings, final_amount, left, minor_units
from sim.exchanges.exchange import Exchange
from sim.exchanges.roles import (
    ADVICE,
    ANSWER,
    COMPLETION,
    INCREMENT,
    LATE,
    REPEAT,
    REQUEST,
    REVERSAL,
    Step,
    is_credit,
    management,
)
from sim.judge.between import DAYS_OF_YEAR, days_between
from sim.judge.finding import ABSENT, Finding, Hit, Places, catalogue, finding
from sim.operations.answering import carried, reasons_of
from sim.operations.filling import Inside, holds
from sim.spec import is_particular, number_of
from sim.spec.layouts import layouts
from sim.spec.networks import presence
from sim.spec.recipes import Test, answers, recipes
from sim.spec.recipes import carried as carried_rows
from sim.spec.tables import read_toml

_CLOCKS = (7, 12, 13)  # a host on a private interface may respond with its own clock
_INSTITUTIONS = (32, 33, 100)  # with or without leading zeros
_PROCESSING_CODE, _AMOUNT, _CHIP_DATA, _CASH, _REFUND = 3, 4, 55, "01", "20"
# Elements that a response returns unchanged, if at all; those that a later message takes from the original.
_RETURNED = {
    "1987": (18, 19, 20, 22, 23, 25, 38, 40, 90, 95, 96, 101),
    "1993": (19, 20, 22, 23, 26, 38),
    "2003": (19, 20, 22, 23, 26, 38),
}
_CONTINUED = (2, 14, 18, 19, 23, 26, 32, 33, 42, 49, 100)
_UNDONE = (*_CONTINUED, 3, 22, 41, 43)
_SENT_AGAIN = frozenset((7, 64, 128))  # transmission time and MAC, which differ in a repeat
_COUNTER = "55.9F36"
_ISSUERS = "55.91"  # the issuer's authentication data
# What card and terminal compute anew for each transaction.
_FRESH = {"55.9F26": "cryptogram", "55.9F37": "unpredictable number"}
_REMOTE, _READ = "ecommerce", ("chip", "contactless", "magnetic stripe", "fallback")  # kinds of card entry
_TRACKS = frozenset((35, 36, 45))
_NOTHING = Message("", {})
_ORIGINAL_AMOUNT = "57"
_PROOFS = ("{cavv}", "{cryptogram}", "{cryptogram_text}")  # placeholders of recipes
_ADVICE, _NO_RETRY = "48.84", "03"  # Mastercard's merchant advice code: do not try again
_VALID = 30  # days that an authorization stays valid on any network
_TIP = 5  # a completion may exceed the authorized amount by a fifth
_PURPOSES = {REVERSAL: "reversal", COMPLETION: "completion", INCREMENT: "incremental"}  # names in recipes
_WHEN = {"1987": 7, "1993": 12, "2003": 12}  # the element that DE 90 or DE 56 repeats
_ANSWERS = (ANSWER, LATE)
_SETTLEMENT = "5"  # message class
_NETWORK_MANAGEMENT, _SIGNS = "8", {"sign-on": False, "sign-off": True}  # message class; kinds of codes
_ECHOED = "echoed"  # in a presence row: the response has the element if the request had it


class History:
    """Of the exchange so far: the MTIs of first messages by retrieval reference number; the responses in time
    by the step that they answer; the highest counter of each card's chip, the cryptograms and unpredictable
    numbers; the cryptograms of authentications in approved payments; the cards that were refused for good,
    each with the response code; whether the connection is signed off; and the ids that an increment has, by
    path and card (None: any), as far as the answered requests have been `unread` for them."""

    def __init__(self, network: str | None) -> None:
        self.network = network
        self.references: dict[str, str] = {}
        self.counters: dict[str, str] = {}
        self.answers: dict[int | None, Message] = {}
        self.fresh: set[str] = set()
        self.proofs: set[str] = set()
        self.refused: dict[str, str] = {}
        self.signed_off = False
        self.ids: defaultdict[tuple[str, str | None], set[str]] = defaultdict(set)
        self.unread: list[tuple[Message, Message]] = []

    def add(self, step: Step, about: Message, chip: Mapping[str, str]) -> None:
        """Add *step*, which refers to the message *about*; *chip* are its counter and what is new in it."""
        if step.of is None and (reference := step.message.get(37).strip()):
            self.references.setdefault(reference, step.message.mti)
        card = account(about)[1]
        self.counters[card] = max(self.counters.get(card, ""), chip.get(_COUNTER, ""))
        self.fresh.update(chip.values())
        if step.role != ANSWER:
            return
        if step.of is not None and step.of not in self.answers:
            self.unread.append((about, step.message))
        self.answers.setdefault(step.of, step.message)
        if accepted(step.message, self.network):
            self.proofs.update(proof for _, proof in _proofs(about, self.network))
        code = step.message.get(39)
        if is_particular("never-retried", step.message.version, code):
            self.refused[card] = code
        elif _advises_against(step.message, self.network):
            self.refused[card] = f"merchant advice code {_NO_RETRY}"
        if about.mti[1:2] == _NETWORK_MANAGEMENT and accepted(step.message, self.network):
            self.signed_off = _SIGNS.get(management(about, self.network), self.signed_off)


class Seen(NamedTuple):
    """A step, its message, the exchange before it, the earlier message that it refers to (else its own), and
    the chip's counter, cryptogram and unpredictable number in a request."""

    step: Step
    message: Message
    before: Exchange
    about: Message
    history: History
    chip: Mapping[str, str]

    @property
    def answers(self) -> Mapping[int | None, Message]:
        """The responses in time, by the step that they answer."""
        return self.history.answers

    @property
    def answer(self) -> Message | None:
        """The response to the message that it refers to."""
        return None if self.step.of is None else self.answers.get(self.step.of)

    @property
    def network(self) -> str | None:
        """The network whose code lists apply."""
        return self.before.network


Check = Callable[[Seen], Iterator[Hit]]


def findings(exchange: Exchange) -> tuple[tuple[int, Finding], ...]:
    """The findings between the messages of *exchange*, each with its step, counted from 0."""
    pairs: list[tuple[int, Finding]] = []
    history = History(exchange.network)
    for at, step in enumerate(exchange.steps):
        about = step.message if step.of is None else exchange.steps[step.of].message
        inside = Inside(step.message if step.role in (REQUEST, ANSWER) else _NOTHING, exchange.network)
        own = (_ISSUERS,) if step.role == ANSWER else (_COUNTER, *_FRESH)
        chip = {path: str(inside[path]) for path in own}
        if at and about.version == step.message.version:
            context = Seen(step, step.message, exchange.upto(at), about, history, chip)
            for name, alone, roles, check in _CHECKS:
                if step.role in roles and alone == (step.of is None):
                    places = Places(step.message)
                    pairs += [(at, finding(places, catalogue()[name], hit)) for hit in check(context)]
        history.add(step, about, chip)
    return tuple(pairs)


def _others(
    asked: Message, later: Message, network: str | None, numbers: Iterable[int] = ()
) -> Iterator[int]:
    """The elements, among *numbers* or those that a response repeats, that *later* should take from *asked*
    but has with another value."""
    lenient = network is None or bool(later.spec.interface)
    for number in numbers or (*read_toml("templates")["echoed"][later.version], *_RETURNED[later.version]):
        if number not in asked or number not in later or (lenient and number in _CLOCKS):
            continue
        first, second = asked[number].strip(), later[number].strip()
        if number in _INSTITUTIONS:
            first, second = first.lstrip("0"), second.lstrip("0")
        elif number == _PROCESSING_CODE:  # a network may change the account types
            first, second = first[:2], second[:2]
        if first != second:
            yield number


def _hit_in(path: str, expected: str, actual: str) -> Hit:
    """A hit on what is at *path*: an element, or a part of one."""
    number, _, part = path.partition(".")
    return Hit(int(number), expected, actual, path=path if part else "")


def _answer_repeats(seen: Seen) -> Iterator[Hit]:
    """A response repeats the elements of the request that it and its network must return; a repeat equals its
    original."""
    message, about = seen.message, seen.about
    again = about.fields.keys() - _SENT_AGAIN if seen.step.role == REPEAT else set()
    rows = presence(seen.network, message.mti) if seen.network and message.dialect is None else ()
    numbers = again or {row.field for row in rows if row.when == _ECHOED and row.severity == "warning"}
    for number in sorted(numbers & about.fields.keys() - message.fields.keys()):
        yield Hit(number, f"the DE {number} of the request", ABSENT)
    partly = is_particular("partial", message.version, message.get(39))
    for number in _others(about, message, seen.network, sorted(again)):
        later = number in _CLOCKS and any(
            step.role == REPEAT and step.of == seen.step.of and step.message.get(number) == message[number]
            for step in seen.before.steps
        )
        if not later and not (number == _AMOUNT and partly):
            yield Hit(number, f"the DE {number} of the request", "another value")
    if partly and _AMOUNT in about and minor_units(message) >= minor_units(about):
        yield Hit(_AMOUNT, "less than was requested, because the approval is partial", "as much or more")
    if seen.step.is_answer and _CHIP_DATA in message and _CHIP_DATA not in about:
        yield Hit(_CHIP_DATA, "no chip data, because the request had none", "some")
    for group in read_additional_amounts(message.get(54), message.version) if partly else ():
        if group.kind == _ORIGINAL_AMOUNT and group.amount != about.get(_AMOUNT, group.amount):
            yield Hit(54, "the amount of the request as the original amount", "another", group.at)


def _continued(seen: Seen) -> Iterator[Hit]:
    """A reversal, completion or increment has the card, merchant and currency of the original."""
    undone = seen.step.role == REVERSAL
    for number in _others(seen.about, seen.message, seen.network, _UNDONE if undone else _CONTINUED):
        yield Hit(number, f"the DE {number} of the original", "another value")
    kinds = {pos.kind_of(one.get(22), one.version, seen.network) for one in (seen.about, seen.message)}
    if not undone and _REMOTE in kinds and not kinds.isdisjoint(_READ):
        yield Hit(22, "the entry mode of the original", "one that contradicts it")


def _answered_twice(seen: Seen) -> Iterator[Hit]:
    code = seen.message.get(39)
    if seen.answer is not None and 39 in seen.answer and code != seen.answer[39]:
        yield Hit(39, f"{seen.answer[39]}, as in the first response", repr(code))


def _early(seen: Seen) -> Iterator[Hit]:
    """A request, other than a refund, that comes after a message with its retrieval reference number."""
    if not is_credit(seen.message) and (earlier := seen.history.references.get(seen.message.get(37).strip())):
        # Another request has the reference of this one; a response or a reversal has come too early.
        number, size = (37, None) if earlier[1:3] == seen.message.mti[1:3] else (0, 4)
        what = "the first message with this retrieval reference number (DE 37)"
        yield Hit(number, what, f"an earlier {earlier} with it", 0, size)


def _named_by_none(seen: Seen) -> Iterator[Hit]:
    """A response or reversal without its original: how it differs from the pending message."""
    message, answers, steps = seen.message, seen.step.is_answer, seen.before.steps
    waiting = next(
        (
            steps[at].message
            for at in reversed(range(len(steps)))
            if not steps[at].is_answer and answers == (at not in seen.answers)
        ),
        None,
    )
    if waiting is None:
        yield Hit(0, f"the message that this {message.mti} refers to, before it", "none")
    elif answers and (expected := response_mti(waiting.mti)) != message.mti:
        yield Hit(0, f"{expected}, the response to {waiting.mti}", message.mti, 0, 4)
    else:
        number = next(_others(waiting, message, seen.network), 0)
        yield Hit(number, f"the value in the {waiting.mti} before it", "another value")


def _refund_within(seen: Seen) -> Iterator[Hit]:
    if seen.message.get(_PROCESSING_CODE)[:2] != _REFUND:
        return
    paid = left(seen.before.steps, seen.network)
    most = paid.held + paid.charged
    currency = amount(seen.message)
    if most and currency and paid.currency and currency[1] != paid.currency:
        yield Hit(49, "the currency of what was paid", "another")
    if most and not paid.unknown and paid.credited + minor_units(seen.message) > most:
        yield Hit(_AMOUNT, "no more than was paid", "more")
    for number, what, of in _PAID:
        known = {of(step.message) for step in seen.before.steps} - {""}
        if most and (own := of(seen.message)) and known and own not in known:
            yield Hit(number, f"the {what} of the payment", "another")


# Who paid and who was paid, as a refund names them.
_PAID: tuple[tuple[int, str, Callable[[Message], str]], ...] = (
    (2, "card", lambda message: account(message)[1]),
    (42, "merchant", lambda message: message.get(42).strip()),
)


def _counter_rises(seen: Seen) -> Iterator[Hit]:
    """The chip's application transaction counter (9F36) increases, and with it the cryptogram (9F26) and the
    terminal's unpredictable number (9F37) change."""
    counter, last = seen.chip[_COUNTER], seen.history.counters.get(account(seen.message)[1], "")
    if counter and counter <= last:
        yield _hit_in(_COUNTER, f"a counter above {last}, the card's last", counter)
        return
    for path, name in _FRESH.items():
        if seen.chip[path] and seen.chip[path] in seen.history.fresh:
            yield _hit_in(path, f"{with_article(name)} of this transaction", "that of an earlier one")


def _issuer_data_new(seen: Seen) -> Iterator[Hit]:
    """The issuer answers each cryptogram with data (91) of its own; only the same response may come again."""
    if seen.answer is None and seen.chip[_ISSUERS] and seen.chip[_ISSUERS] in seen.history.fresh:
        yield _hit_in(_ISSUERS, "issuer authentication data of this transaction", "those of an earlier one")


def _authenticated_before(seen: Seen) -> Iterator[Hit]:
    """An authentication, or the cryptogram of a token, is for one payment."""
    for path, proof in _proofs(seen.message, seen.network):
        if proof in seen.history.proofs:
            yield _hit_in(path, "the cryptogram of this payment", "that of an earlier one")


def _proofs(message: Message, network: str | None) -> Iterator[tuple[str, str]]:
    """The cryptograms of an authentication or a token in *message*, each with its path."""
    if network is None or message.dialect is not None:
        return
    inside = Inside(message, network)
    for path in _proof_paths(network, message.version):
        if (proof := inside[path].strip()).strip("0"):
            yield path, proof


@cache
def _proof_paths(network: str, version: str) -> list[str]:
    rows = (row.parts.items() for row in recipes(network, version))
    return sorted({path for parts in rows for path, text in parts if text in _PROOFS})


def _totals_of_batch(seen: Seen) -> Iterator[Hit]:
    """Totals that count as many sales or refunds as the exchange has since the last settlement, of the same
    terminal if that is said, have their amount, if it is in the same currency."""
    message, steps = seen.message, seen.before.steps
    if message.mti[1:2] != _SETTLEMENT:
        return
    ours = [message.get(41) in ("", step.message.get(41)) for step in steps]
    settled = (at for at in reversed(range(len(steps))) if steps[at].message.mti[1:2] == _SETTLEMENT)
    start = next((at for at in settled if ours[at]), -1) + 1
    batch = [one for one in bookings(steps, seen.network, start) if ours[one.step]]
    currencies = {message.get(50), *(one.currency for one in batch)} - {""}
    if len(currencies) > 1 or any(one.unknown for one in batch):
        return
    for row in read_toml("link")["totals"].get(message.spec.interface, ()):
        amounts = [booking.stays for booking in batch if booking.way == row["way"] and booking.stays]
        count, total = (
            message.get(number)[begin:end] for number, begin, end in (row["count"], row["amount"])
        )
        known = is_digits(count) and is_digits(total)
        if amounts and known and int(count) == len(amounts) and int(total) != sum(amounts):
            number, begin, end = row["amount"]
            expected = f"{sum(amounts)}, the total of {counted(len(amounts), 'transaction')} in the batch"
            yield Hit(number, expected, str(int(total)), begin, end - begin)


def _refused_before(seen: Seen) -> Iterator[Hit]:
    """A card that will never be approved is not tried again."""
    number, card = account(seen.message)
    if (code := seen.history.refused.get(card)) and not is_credit(seen.message):
        yield Hit(number, f"no retry after {code}, which refuses the card for good", "the same card")


def _after_sign_off(seen: Seen) -> Iterator[Hit]:
    """A connection that is signed off carries network management only."""
    if seen.history.signed_off and seen.message.mti[1:2] != _NETWORK_MANAGEMENT:
        yield Hit(0, "a sign-on first, because the connection is signed off", seen.message.mti, 0, 4)


def _unasked(seen: Seen) -> Iterator[Hit]:
    """The results in an approval are those that the request asked for, and the amount is approved in part
    only if the request accepts that: as the recipes of responses and requests say."""
    network, message, version = seen.network, seen.message, seen.message.version
    if network is None or message.dialect is not None:
        return
    asked, told, code = Inside(seen.about, network), Inside(message, network), message.get(39)
    role = seen.before.steps[seen.step.of or 0].role
    decided = role == REQUEST and is_particular("approved", version, code)
    for path, ways in _results(network, version).items():
        values = {value for value, _ in ways}
        asks = any(all(holds(one, frozenset(), asked.__getitem__) for one in tests) for _, tests in ways)
        if told[path] in values and not asks:
            yield _hit_in(path, "no result of what the request did not ask for", "one")
        elif asks and decided and not told[path].strip() and path not in _OPTIONAL:
            yield _hit_in(path, "the result of what the request asked for", ABSENT)
    read = pos.kind_of(seen.about.get(22), version, network) in _READ
    for job, path in _SENT.items():
        number, _, part = path.partition(".")
        if not part and read and _TRACKS.isdisjoint(seen.about.fields):
            continue  # the card was read, but a log keeps neither its track nor the PIN
        known = not part or layouts(version, int(number), network)
        if known and is_particular(job, version, code) and not asked[path]:
            yield Hit(39, f"another code, because the request has no DE {path}", repr(code))
    if not is_particular("partial", version, code):
        return
    accepting = [row.parts.items() for row in recipes(network, version) if row.asks_for("partial_approval")]
    parts = {part for one in accepting for part in one}
    if parts and not any(asked[path] == value for path, value in parts):
        path = min(parts)[0]
        yield Hit(39, f"no partial approval, because {path} of the request accepts none", repr(code))


# Results that the request asks for and need not come: a token's card digits, a PIN that the issuer verifies.
_OPTIONAL = ("44.15", "48.80")
# What a request has if a response code of this job can answer it: a PIN block, Visa's CVV2.
_SENT = {"pin-refused": "52", "code-refused": "126.10"}


def _advises_against(answer: Message, network: str | None) -> bool:
    """Whether *answer* is a decline with the merchant advice code not to try again, on a network that has
    such codes."""
    if accepted(answer, network):
        return False
    has_codes = any(_ADVICE in row.parts for row in answers(network, answer.version))
    return has_codes and Inside(answer, network)[_ADVICE] == _NO_RETRY


@cache
def _results(network: str, version: str) -> dict[str, list[tuple[str, list[Test]]]]:
    """The subfields of a response that are filled only if the request has certain elements: their values,
    each with the conditions on the request."""
    found: dict[str, list[tuple[str, list[Test]]]] = {}
    rows = answers(network, version)
    # What depends on the decision alone is the issuer's own advice: nobody asks for it.
    always = [row for row in rows if all(test.path != "39" for test in row.tests)]
    checked = {path for row in always for path in row.parts if "." in path}
    for row in rows:
        tests = [test for test in row.tests if test.path not in ("", "39")]
        for path, value in row.parts.items():
            found.setdefault(path, []).append((value, tests))
    return {
        path: ways
        for path, ways in found.items()
        if path in checked and all(any(not test.negated for test in tests) for _, tests in ways)
    }


def _ended(seen: Seen) -> Iterator[Hit]:
    """Nothing follows a full reversal of the same transaction, and no increment its completion."""
    role, network = seen.step.role, seen.network
    for at, step in enumerate(seen.before.steps):
        if step.of != seen.step.of:
            continue
        answer = seen.answers.get(at)
        undone = step.role == REVERSAL and not final_amount(step.message)
        if undone and answer is not None and accepted(answer, network):
            yield Hit(
                0, f"{with_article(role)} of a transaction that was not reversed", "one of a reversed one"
            )
            return
        if step.role == COMPLETION and role == INCREMENT:
            yield Hit(0, "an increment before the completion", "one after it")
            return


def _original_named(seen: Seen) -> Iterator[Hit]:
    original, version = seen.about, seen.message.version
    number = number_of("original", version)
    reference = read_original(seen.message.get(number), version)
    if reference is None:
        return
    pairs = (reference.mti[:3], reference.stan), (original.mti[:3], original.get(11))
    if reference.stan.strip("0") and pairs[0] != pairs[1]:
        yield Hit(
            number, f"{original.mti} and its STAN, the message that is reversed", "another message", 0, 10
        )
    sent = original.get(_WHEN[original.version])
    if sent and reference.when.strip("0") and reference.when[-len(sent) :] != sent[-len(reference.when) :]:
        yield Hit(number, "the date and time of the original", "another", reference.at, len(reference.when))


def _reversed_amount(seen: Seen) -> Iterator[Hit]:
    """DE 4 is the amount of the original or of its partial approval, which may include its increments; since
    1993 also what remains of it."""
    if _AMOUNT not in seen.message or _AMOUNT not in seen.about:
        return
    amounts = {minor_units(message) for message in (seen.about, seen.answer) if message is not None}
    increments = [step for step in seen.before.steps if step.role == INCREMENT and step.of == seen.step.of]
    added = sum(minor_units(step.message) for step in increments)
    amounts |= {amount + added for amount in amounts}
    later, stays = seen.message.version != "1987", minor_units(seen.message)
    if stays > max(amounts) if later else stays not in amounts:
        yield Hit(
            _AMOUNT, "no more than the original" if later else "the amount of the original", "another amount"
        )


def _approval_code_carried(seen: Seen) -> Iterator[Hit]:
    """The approval code of the response comes back; hosts on interfaces of their own may leave it out."""
    code, found = seen.answer.get(38) if seen.answer is not None else "", seen.message.get(38)
    optional = seen.network is None or seen.message.dialect is not None
    if code.strip() and found != code and (found or not optional):
        yield Hit(38, "the approval code of the response", "another" if found else ABSENT)
    if found.strip() and seen.answer is None and not optional and _timed_out(seen):
        yield Hit(38, "no approval code, because the reason for the reversal is that no response came", "one")


def _timed_out(seen: Seen) -> bool:
    """Whether the reason for a reversal is that the response did not come; on a network where the same code
    says that a machine dispensed nothing, a withdrawal may have been answered."""
    reasons = reasons_of(seen.message, seen.network)
    dispenses = seen.message.get(_PROCESSING_CODE)[:2] == _CASH
    return "timeout" in reasons and not (dispenses and "misdispense" in reasons)


def _reversal_of_decline(seen: Seen) -> Iterator[Hit]:
    answer, role = seen.answer, seen.step.role
    if answer is not None and 39 in answer and not accepted(answer, seen.network):
        what = "approved or unanswered" if role == REVERSAL else "approved"
        yield Hit(0, f"{with_article(role)} of an {what} transaction", f"one of a decline ({answer[39]})")


def _reversed_twice(seen: Seen) -> Iterator[Hit]:
    """A second reversal that leaves the same amount is the first one again, and none leaves more."""
    stays = final_amount(seen.message)
    for at, step in enumerate(seen.before.steps):
        if step.role == REVERSAL and step.of == seen.step.of and final_amount(step.message) <= stays:
            answer = seen.answers.get(at)
            if answer is None or accepted(answer, seen.network):
                yield Hit(0, "no second reversal of the same transaction", "one")
                return


def _completion_within(seen: Seen) -> Iterator[Hit]:
    steps = seen.before.steps
    held = [booking for booking in bookings(steps, seen.network) if booking.way == HELD]
    most = sum(booking.asked if booking.state == COMPLETED else booking.stays for booking in held)
    undone = {step.of for step in steps if step.role == REVERSAL and not final_amount(step.message)}
    completed = [step for at, step in enumerate(steps) if step.role == COMPLETION and at not in undone]
    earlier = sum(minor_units(step.message) for step in completed)
    if most and earlier + minor_units(seen.message) > most + most // _TIP:
        yield Hit(_AMOUNT, "no more than was authorized", "more")
    first, last = (message.get(7)[:4] for message in (steps[-1].message, seen.message))
    if {first, last} <= DAYS_OF_YEAR.keys() and (days := days_between(first, last)) > _VALID:
        expected = f"a completion within {_VALID} days of the authorization"
        yield Hit(7, expected, f"one after {days} days", 0, 4)


def _transaction_id_carried(seen: Seen) -> Iterator[Hit]:
    """The subfields that the network carries over match the original response, or another of the transaction;
    the response to such a message repeats them."""
    network, message, answers = seen.network, seen.message, seen.step.is_answer
    role = seen.before.steps[seen.step.of or 0].role if answers else seen.step.role
    purpose = _PURPOSES.get(role)
    if network is None or purpose is None or message.dialect is not None:
        return
    for path in _carried_parts(network, message.version, purpose):
        value = str(Inside(message, network)[path]).strip()
        if answers:
            expected = str(Inside(seen.about, network)[path]).strip() if value else ""
        else:
            expected = _carried(path, purpose, seen.about, seen.answer, network)
        if expected in ("", value):
            continue
        replies = (seen.answers.get(at) for at, step in enumerate(seen.before.steps) if not step.is_answer)
        if answers or all(value != _carried(path, purpose, seen.about, reply, network) for reply in replies):
            what = "the id in the message" if answers else "the id in the response"
            yield _hit_in(path, what, "another" if value else ABSENT)


def _increment_of_none(seen: Seen) -> Iterator[Hit]:
    """The id in an increment is that of an authorization of the card, if the exchange has any; that in
    another request, such as one of a series, is not another card's."""
    network, message = seen.network, seen.message
    if network is None or message.dialect is not None:
        return
    inside, purpose = Inside(message, network), _PURPOSES[INCREMENT]
    paths = [path for path in _carried_parts(network, message.version, purpose) if inside[path].strip()]
    if not paths:
        return
    card, ids = account(message)[1], seen.history.ids
    marks = _marks(network, message.version, purpose)
    increases = bool(marks) and all(inside[path] == value for path, value in marks)
    while seen.history.unread:
        request, answer = seen.history.unread.pop()
        owner = account(request)[1]
        for path in _carried_parts(network, message.version, purpose):
            if known_id := _carried(path, purpose, request, answer, network):
                ids[path, owner].add(known_id)
                ids[path, None].update({known_id} if owner else ())
    for path in paths:
        value, known = str(inside[path]).strip(), ids[path, card]
        if value not in known and ((increases and known) or (card and value in ids[path, None])):
            yield _hit_in(path, "the id of an authorization of this card", "another")


@cache
def _marks(network: str, version: str, purpose: str) -> tuple[tuple[str, str], ...]:
    """The subfields that say *purpose*, with their values, besides those carried over."""
    carried_paths = {
        path for row in carried_rows(network, version) if row.mentions(purpose) for path in row.parts
    }
    rows = (row.parts.items() for row in recipes(network, version) if row.asks_for(purpose))
    return tuple(
        (path, text)
        for parts in rows
        for path, text in parts
        if "." in path and "{" not in text and path not in carried_paths
    )


def _carried_parts(network: str, version: str, purpose: str) -> list[str]:
    """The elements and subfields, besides the approval code, that a message for *purpose* takes from the
    first response."""
    rows = [row.parts for row in carried_rows(network, version) if row.mentions(purpose)]
    return sorted({path for parts in rows for path in parts if path != "38" and "{answer" in parts[path]})


def _carried(path: str, purpose: str, request: Message, answer: Message | None, network: str) -> str:
    """The value of *path* carried over from *answer*; empty if there is none, or only zeros."""
    if answer is None or answer.version != request.version:
        return ""
    fields = carried(purpose, request, answer, {}, network)
    value = str(Inside(Message(request.mti, fields, request.version), network)[path]).strip()
    return value if value.strip("0 ") else ""


# Each rule: its name, whether it applies to steps that refer to no earlier one, the roles, and the check.
_CHECKS: tuple[tuple[str, bool, tuple[str, ...], Check], ...] = (
    ("answer-repeats", False, (*_ANSWERS, REPEAT), _answer_repeats),
    ("answer-repeats", False, tuple(_PURPOSES), _continued),
    ("answered-twice", False, _ANSWERS, _answered_twice),
    ("original-named", False, (REVERSAL,), _original_named),
    ("reversed-amount", False, (REVERSAL,), _reversed_amount),
    ("approval-code-carried", False, (REVERSAL, COMPLETION), _approval_code_carried),
    ("reversal-of-decline", False, tuple(_PURPOSES), _reversal_of_decline),
    ("reversed-twice", False, (REVERSAL,), _reversed_twice),
    ("completion-within", False, (COMPLETION,), _completion_within),
    ("completion-within", False, (COMPLETION, INCREMENT), _ended),
    ("result-unasked", False, _ANSWERS, _unasked),
    ("transaction-id-carried", False, (*_PURPOSES, *_ANSWERS), _transaction_id_carried),
    ("transaction-id-carried", True, (REQUEST,), _increment_of_none),
    ("named-by-none", True, (REVERSAL, *_ANSWERS), _named_by_none),
    ("named-by-none", True, (REQUEST,), _early),
    ("refund-within", True, (REQUEST,), _refund_within),
    ("totals-of-batch", True, (REQUEST, ADVICE), _totals_of_batch),
    ("chip-counter-rises", True, (REQUEST,), _counter_rises),
    ("chip-counter-rises", False, (ANSWER,), _issuer_data_new),
    ("authentication-once", True, (REQUEST,), _authenticated_before),
    ("never-retried", True, (REQUEST,), _refused_before),
    ("signed-off", True, (REQUEST, ADVICE), _after_sign_off),
)
