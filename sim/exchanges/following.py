"""The next message of an exchange, built from the earlier ones.

The card, the merchant and the network's transaction identifiers come from the first request and its response;
`sim.operations.generation` supplies everything else.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sim.codec import Message
from sim.elements import mti as mtis
from sim.elements.card import account
from sim.elements.pos import read_location
from sim.errors import ChoiceError, OptionError
from sim.exchanges.amounts import ASKED, CREDITED, Booking, authorized, bookings, standing
from sim.exchanges.exchange import Exchange
from sim.exchanges.roles import COMPLETION, INCREMENT, REPEAT, REQUEST, REVERSAL, Step, asking_role
from sim.operations.answering import carried, fill, left_out, naming, next_stan, original_currency, reverse
from sim.operations.asked import usual_entry
from sim.operations.choosing import chosen_network
from sim.operations.generation import generate, template_of
from sim.operations.options import entries_of, kinds_of
from sim.operations.recipes import Context, clock
from sim.spec import country, number_of
from sim.spec.interfaces import fills_of, required
from sim.spec.networks import NETWORKS
from sim.spec.tables import read_toml

PARTIAL_REVERSAL, REVERSAL_ADVICE = "partial_reversal", "reversal_advice"
REFUND, ORIGINAL_CREDIT = "refund", "original_credit"
REVERSALS = (REVERSAL, REVERSAL_ADVICE, PARTIAL_REVERSAL)
LINK = ("sign_on", "sign_off", "key_exchange", "echo")
_MOST = 10**12 - 1  # minor units, the maximum of DE 4
_CASH = ("01", "17")  # transaction types that are final once the notes are dispensed
# The purpose of each step that has another name.
_PURPOSE = {INCREMENT: "incremental", COMPLETION: "completion"}
STEPS = (REPEAT, INCREMENT, COMPLETION, *REVERSALS, REFUND, ORIGINAL_CREDIT, *LINK)


def follow(
    exchange: Exchange,
    word: str,
    *,
    amount_minor_units: int | None = None,
    reason: str | None = None,
    entry: str | None = None,
    stan: str | None = None,
    at: datetime | None = None,
    checked: bool = True,
) -> Step:
    """The step *word*, one of `STEPS`, after those of *exchange*.

    *amount_minor_units* is the amount of an increment (None: the original amount again), of a completion or
    refund (None: all of it), or what remains after a partial reversal (None: half). *reason* is the reversal
    reason; None means timeout if no response came. *entry* is the card entry of an increment, a refund or an
    original credit. *stan* and *at* default to the next number and now. With *checked* False, a reversal may
    follow a decline or another reversal, as host tests need. Raises ChoiceError for another word, OptionError
    if the exchange has nothing for such a step to follow or the amount does not fit.
    """
    if word not in STEPS:
        raise ChoiceError.of("then", word, STEPS)
    if not exchange.steps and word not in LINK:
        raise OptionError("then", f"a request before a step {word!r}", "none")
    number = stan or next_stan(_last_stan(exchange))
    if word == REPEAT:
        return _repeat(exchange, at)
    if word in LINK:
        version = exchange.steps[0].message.version if exchange.steps else None
        generated = generate(word, network=exchange.network, version=version, stan=number, at=at)
        return Step(asking_role(generated.message, None), generated.message, at)
    if word in REVERSALS:
        return _reversal(exchange, word, amount_minor_units, reason, number, at, checked)
    if any(step.message.get(3)[:2] in _CASH for step in exchange.steps[:1]) and word != ORIGINAL_CREDIT:
        raise OptionError("then", f"a purchase before a step {word!r}", "cash")
    make = {INCREMENT: _increment, COMPLETION: _completion}.get(word, _credit)
    return make(exchange, word, amount_minor_units, entry, number, at)


def _last_stan(exchange: Exchange) -> str:
    stans = [step.message.get(11) for step in exchange.steps if not step.is_answer]
    return max(stans, default="0")[-6:] or "0"


def _repeat(exchange: Exchange, at: datetime | None) -> Step:
    """A repeat of the last message sent."""
    place = max(at for at, other in enumerate(exchange.steps) if not other.is_answer)
    step = exchange.steps[place]
    of = step.of if step.role == REPEAT else place
    return Step(REPEAT, step.message.replace(mti=mtis.repeat_mti(step.message.mti)), at, of)


def _reversal(
    exchange: Exchange,
    word: str,
    amount: int | None,
    reason: str | None,
    stan: str,
    at: datetime | None,
    checked: bool,
) -> Step:
    undone = standing(exchange.steps, exchange.network)
    if word == PARTIAL_REVERSAL:  # without a response, the approved amount is unknown
        undone = [booking for booking in undone if booking.state != ASKED]
    if not undone and not checked:
        undone = bookings(exchange.steps, exchange.network)
    if not undone:
        raise OptionError("then", f"a transaction to reverse before {word!r}", "none left")
    last = undone[-1]
    answer = exchange.answer_to(last.step)
    final = None
    if word == PARTIAL_REVERSAL:
        most = last.stays or last.asked
        final = most // 2 if amount is None else amount
        _check("what stays", final, most - 1, least=1)
    elif amount is not None:
        raise OptionError("then", "no amount for a full reversal; see partial_reversal", str(amount), 95)
    if reason is None and answer is None and not mtis.is_advice(exchange.steps[last.step].message.mti):
        reason = "timeout" if final is None else None
    reversal = reverse(
        exchange.steps[last.step].message,
        answer=answer,
        reason=reason,
        stan=stan,
        at=at,
        final_amount_minor_units=final,
        network=exchange.network,
    )
    message = reversal.message
    if word == REVERSAL_ADVICE:
        message = message.replace(mti=mtis.advice_mti(message.mti))
    return Step(REVERSAL, message, at, last.step, reason or ("customer" if final is None else "partial"))


def _increment(
    exchange: Exchange, word: str, amount: int | None, entry: str | None, stan: str, at: datetime | None
) -> Step:
    first = _authorized(exchange, word)[0]
    units = first.asked if amount is None else amount
    message = _later(exchange, "auth", word, _entry("incremental", entry), first.step, units, stan, at)
    return Step(INCREMENT, message, at, first.step)


def _completion(
    exchange: Exchange, word: str, amount: int | None, entry: str | None, stan: str, at: datetime | None
) -> Step:
    holds = _authorized(exchange, word)
    most = sum(booking.stays for booking in holds)
    units = most if amount is None else amount
    first = holds[0].step
    _check("the amount", units, min(_MOST, most + exceeding(exchange.steps[first].message, most)))
    message = _later(exchange, "financial_advice", word, "manual", first, units, stan, at)
    return Step(COMPLETION, message, at, first)


def exceeding(request: Message, authorized: int) -> int:
    """How much a completion of *request* may exceed the *authorized* amount, in minor units, by merchant
    category: for tips and fuel, for example."""
    rows, code = read_toml("templates")["exceeds"], request.get(number_of("category", request.version))
    return _MOST if code in rows["any"] else authorized * int(rows["percent"].get(code, 0)) // 100


def _credit(
    exchange: Exchange, word: str, amount: int | None, entry: str | None, stan: str, at: datetime | None
) -> Step:
    """A refund or an original credit: a separate transaction for the same card."""
    paid = [
        booking
        for booking in bookings(exchange.steps, exchange.network)
        if booking.stays and booking.way != CREDITED
    ]
    if not paid:
        raise OptionError("then", f"an approved payment before a step {word!r}", "none")
    most = sum(booking.stays for booking in paid)
    units = most if amount is None else amount
    if word == REFUND:
        _check("the amount", units, most)
    first = paid[0].step
    kind = _kind(word, exchange.steps[first].message, exchange.network)
    message = _later(exchange, kind, word, _entry(word, entry), first, units, stan, at)
    return Step(REQUEST, message, at)


def _entry(purpose: str, entry: str | None) -> str:
    """The card entry: *entry* if *purpose* allows it, else the usual one."""
    return entry if entry in entries_of(purpose) else usual_entry(purpose)


def _kind(purpose: str, first: Message, network: str | None) -> str:
    """The message type of a purpose after *first*: the same class, if the network has it."""
    kinds = read_toml("templates")["purposes"][purpose]["kinds"]
    available = [kind for kind in kinds if kind in kinds_of(network, first.version)]
    preferred = "auth" if first.mti[1] == "1" else "financial"
    return preferred if preferred in available else next(iter(available), kinds[0])


def _authorized(exchange: Exchange, word: str) -> list[Booking]:
    holds = authorized(exchange.steps, exchange.network)
    if not holds:
        raise OptionError("then", f"an approved authorization before a step {word!r}", "no held amount")
    return holds


def _check(what: str, units: int, most: int, least: int = 0) -> None:
    if isinstance(units, bool) or not isinstance(units, int) or not least <= units <= most:
        raise OptionError("then", f"{what} in minor units, {least} to {most}", str(units)[:20], 4)


def _later(
    exchange: Exchange,
    kind: str,
    word: str,
    entry: str,
    first: int,
    units: int,
    stan: str,
    at: datetime | None,
) -> Message:
    """A message of *kind* that continues the transaction of step *first*."""
    request, answer = exchange.steps[first].message, exchange.answer_to(first)
    version, purpose = request.version, _PURPOSE.get(word, word)
    brand = exchange.network or chosen_network(request, None)
    network = fills_of(request.spec, brand)
    options = (kind, network, version, purpose, entry, original_currency(request))
    # Card and location come from the request.
    details: dict[str, Any] = {"timezone": at.tzinfo} if at is not None and at.utcoffset() else {}
    if (expiry := request.get(14)).isdecimal():
        details["expiry"] = expiry
    if stands := country(read_location(request.get(43), version)[2].strip()):
        details["country"] = stands.alpha2
    template = template_of(*options, details or None, None if network == brand else brand or NETWORKS[0])
    card = account(request)[1]
    moment = clock(version, at, template.zone_at(at))
    context = Context(template.setting, template.known, card, units, stan, moment)
    fields = template.outline.written(context, {})
    kept = read_toml("templates")["continued"]["completion" if word == COMPLETION else "other"][version]
    kept = [*kept, *required(network, template.mti)] if word == COMPLETION else kept
    fields |= {number: request[number] for number in kept if number in request}
    if word == COMPLETION:  # its own elements override those it keeps
        fill(fields, template, context, purpose)
    fields |= carried(purpose, request, answer, fields, network)
    if (number := number_of("original", version)) in fields:
        fields[number] = naming(request)
    for number in left_out(template.setting):
        fields.pop(number, None)
    return Message(template.mti, dict(sorted(fields.items())), version, dialect=request.dialect)
