"""The next message of an exchange, built from the earlier ones.

The card, the merchant and the network's transaction identifiers come from the first request and its response;
`sim.operations.generation` supplies everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sim.codec import Message
from sim.elements import mti as mtis
from sim.elements.card import account, chosen_network
from sim.elements.pos import read_location
from sim.errors import ChoiceError, OptionError
from sim.exchanges.amounts import ASKED, CREDITED, Booking, authorized, bookings, standing
from sim.exchanges.exchange import Exchange
from sim.exchanges.roles import COMPLETION, INCREMENT, REPEAT, REQUEST, REVERSAL, Step, asking_role
from sim.operations.answering import carried, fill, left_out, naming, next_stan, original_currency, reverse
from sim.operations.asked import usual_entry
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
    stan: str | Callable[[], str] | None = None,
    at: datetime | None = None,
    checked: bool = True,
) -> Step:
    """The step *word*, one of `STEPS`, after those of *exchange*.

    *amount_minor_units* is the amount of an increment (None: the original amount again), of a completion or
    refund (None: all of it), or what remains after a partial reversal (None: half). *reason* is the reversal
    reason; None means timeout if no response came. *entry* is the card entry of an increment, a refund or an
    original credit. *stan* (or what returns it, if the step has its own) and *at* default to the next number
    and now. With *checked* False, a reversal may follow a decline or another reversal, as host tests need.
    Raises ChoiceError for another word, OptionError if the exchange has nothing for such a step to follow or
    the amount does not fit.
    """
    if word not in STEPS:
        raise ChoiceError.of("then", word, STEPS)
    if not exchange.steps and word not in LINK:
        raise OptionError("then", f"a request before a step {word!r}", "none")
    stans = [step.message.get(11) for step in exchange.steps if not step.is_answer]
    number = stan or partial(next_stan, max(stans, default="0")[-6:] or "0")
    step = _Next(exchange, word, amount_minor_units, entry, number, at)
    if word == REPEAT:
        return step.repeat()
    if word in LINK:
        version = exchange.steps[0].message.version if exchange.steps else None
        generated = generate(word, network=exchange.network, version=version, stan=step.own_stan, at=at)
        return Step(asking_role(generated.message, None), generated.message, at)
    if word in REVERSALS:
        return step.reversal(reason, checked)
    if any(step.message.get(3)[:2] in _CASH for step in exchange.steps[:1]) and word != ORIGINAL_CREDIT:
        raise OptionError("then", f"a purchase before a step {word!r}", "cash")
    return {INCREMENT: step.increment, COMPLETION: step.completion}.get(word, step.credit)()


@dataclass(frozen=True, slots=True)
class _Next:
    """The step `word` that comes after those of `exchange`, with the options of `follow`."""

    exchange: Exchange
    word: str
    amount: int | None
    entry: str | None
    stan: str | Callable[[], str]
    at: datetime | None

    @property
    def own_stan(self) -> str:
        """The STAN of a step that has its own."""
        return self.stan if isinstance(self.stan, str) else self.stan()

    def repeat(self) -> Step:
        """A repeat of the last message sent."""
        place = max(at for at, other in enumerate(self.exchange.steps) if not other.is_answer)
        step = self.exchange.steps[place]
        of = step.of if step.role == REPEAT else place
        return Step(REPEAT, step.message.replace(mti=mtis.repeat_mti(step.message.mti)), self.at, of)

    def reversal(self, reason: str | None, checked: bool) -> Step:
        """A reversal of the last transaction that stands."""
        exchange, word, final = self.exchange, self.word, None
        undone = standing(exchange.steps, exchange.network)
        if word == PARTIAL_REVERSAL:  # without a response, the approved amount is unknown
            undone = [booking for booking in undone if booking.state != ASKED]
        if not undone and not checked:
            undone = bookings(exchange.steps, exchange.network)
        if not undone:
            raise OptionError("then", f"a transaction to reverse before {word!r}", "none left")
        last = undone[-1]
        request, answer = exchange.steps[last.step].message, exchange.answer_to(last.step)
        if word == PARTIAL_REVERSAL:
            most = last.stays or last.asked
            final = self._units("what stays", most // 2, most - 1, least=1)
        elif self.amount is not None:
            raise OptionError(
                "then", "no amount for a full reversal; see partial_reversal", str(self.amount), 95
            )
        if reason is None and answer is None and final is None and not mtis.is_advice(request.mti):
            reason = "timeout"
        message = reverse(
            request,
            answer=answer,
            reason=reason,
            stan=self.stan,
            at=self.at,
            final_amount_minor_units=final,
            network=exchange.network,
        ).message
        if word == REVERSAL_ADVICE:
            message = message.replace(mti=mtis.advice_mti(message.mti))
        return Step(
            REVERSAL, message, self.at, last.step, reason or ("customer" if final is None else "partial")
        )

    def increment(self) -> Step:
        """An increment of the first authorization; its amount is checked by the rules."""
        first = self._authorized()[0]
        units = first.asked if self.amount is None else self.amount
        message = self._message("auth", self._entry("incremental"), first.step, units)
        return Step(INCREMENT, message, self.at, first.step)

    def completion(self) -> Step:
        """A completion of all that is authorized."""
        holds = self._authorized()
        first, most = holds[0].step, sum(booking.stays for booking in holds)
        # Some merchant categories may exceed it: for tips and fuel, for example.
        request, rows = self.exchange.steps[first].message, read_toml("templates")["exceeds"]
        category = request.get(number_of("category", request.version))
        more = _MOST if category in rows["any"] else most * int(rows["percent"].get(category, 0)) // 100
        units = self._units("the amount", most, min(_MOST, most + more))
        return Step(COMPLETION, self._message("financial_advice", "manual", first, units), self.at, first)

    def credit(self) -> Step:
        """A refund or an original credit: a separate transaction for the same card."""
        entries = bookings(self.exchange.steps, self.exchange.network)
        paid = [booking for booking in entries if booking.stays and booking.way != CREDITED]
        if not paid:
            raise OptionError("then", f"an approved payment before a step {self.word!r}", "none")
        most = sum(booking.stays for booking in paid)
        units = most if self.amount is None else self.amount
        if self.word == REFUND:
            units = self._units("the amount", most, most)
        first = self.exchange.steps[paid[0].step].message
        # The message class of the payment, if the network has it.
        kinds = read_toml("templates")["purposes"][self.word]["kinds"]
        available = [kind for kind in kinds if kind in kinds_of(self.exchange.network, first.version)]
        preferred = "auth" if first.mti[1] == "1" else "financial"
        kind = preferred if preferred in available else next(iter(available), kinds[0])
        return Step(REQUEST, self._message(kind, self._entry(self.word), paid[0].step, units), self.at)

    def _entry(self, purpose: str) -> str:
        """The card entry: the requested one if *purpose* allows it, else the usual one."""
        return self.entry if self.entry in entries_of(purpose) else usual_entry(purpose)

    def _authorized(self) -> list[Booking]:
        holds = authorized(self.exchange.steps, self.exchange.network)
        if not holds:
            raise OptionError(
                "then", f"an approved authorization before a step {self.word!r}", "no held amount"
            )
        return holds

    def _units(self, what: str, usual: int, most: int, least: int = 0) -> int:
        """The requested amount, or the *usual* one, which must be from *least* to *most*."""
        units = usual if self.amount is None else self.amount
        if isinstance(units, bool) or not isinstance(units, int) or not least <= units <= most:
            raise OptionError("then", f"{what} in minor units, {least} to {most}", str(units)[:20], 4)
        return units

    def _message(self, kind: str, entry: str, first: int, units: int) -> Message:
        """A message of *kind* that continues the transaction of step *first*."""
        request, answer = self.exchange.steps[first].message, self.exchange.answer_to(first)
        version, purpose, at = request.version, _PURPOSE.get(self.word, self.word), self.at
        brand = self.exchange.network or chosen_network(request, None)
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
        context = Context(template.setting, template.known, card, units, self.own_stan, moment)
        fields = template.outline.written(context, {})
        after = "completion" if self.word == COMPLETION else "other"
        kept = read_toml("templates")["continued"][after][version]
        fields |= {number: request[number] for number in kept if number in request}
        if self.word == COMPLETION:  # its own elements override those it keeps
            more = required(network, template.mti)
            fields = {number: request[number] for number in more if number in request} | fields
            fill(fields, template, context, purpose)
        fields |= carried(purpose, request, answer, fields, network)
        if (number := number_of("original", version)) in fields:
            fields[number] = naming(request)
        for number in left_out(template.setting):
            fields.pop(number, None)
        return Message(template.mti, dict(sorted(fields.items())), version, dialect=request.dialect)
