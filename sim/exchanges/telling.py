"""An exchange in a sentence: the request, its outcome, and the amounts that remain."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from sim.codec import Message
from sim.elements import mti as mtis
from sim.elements import pos
from sim.elements.money import amount, say_amount
from sim.errors import with_article
from sim.exchanges.amounts import (
    CHARGED,
    CREDITED,
    DECLINED,
    HELD,
    accepted,
    bookings,
    final_amount,
    minor_units,
)
from sim.exchanges.exchange import Exchange
from sim.exchanges.roles import (
    ADVICE,
    COMPLETION,
    INCREMENT,
    LATE,
    REPEAT,
    REQUEST,
    REVERSAL,
    Step,
    management,
)
from sim.masking import mask
from sim.operations.answering import reasons_of
from sim.operations.own_parts import purchase_meant
from sim.spec import is_particular, lookup
from sim.spec.networks import answer as code_of
from sim.spec.networks import network as network_of
from sim.spec.tables import read_toml

_PLACE, _CASH = 43, "01"


def tell(exchange: Exchange) -> str:
    """The story of *exchange*.

    >>> from sim.exchanges import make
    >>> words = {"outcome": "partial", "approved_minor_units": 6000, "then": "reversal:timeout"}
    >>> tell(make("preauthorization", version="2003", amount_minor_units=10000, **words))
    'Visa pre-authorization of 100.00 USD: approved for 60.00 of 100.00 USD, then reversed after a timeout; \
nothing remains held.'
    """
    if not exchange.steps:
        return "No messages."
    return _Telling(exchange).text()


class _Telling:
    """The story of one exchange."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange, self.steps, self.network = exchange, exchange.steps, exchange.network
        self.booked = {booking.step: booking for booking in bookings(self.steps, self.network)}
        self.asked = [at for at, step in enumerate(self.steps) if not step.is_answer and step.role != REPEAT]

    def text(self) -> str:
        """The whole story."""
        if not self.asked:
            count = len(self.steps)
            if count == 1:
                return "A response without its request."
            return f"{count} responses without their requests."
        first, *others = self.asked
        story = f"{self._opening(first)}: {self._outcome(first)}"
        for clause, same in groupby(map(self._clause, others)):
            count = len(list(same))
            story += f", then {clause}" if count == 1 else f", then, {count} times, {clause}"
        ending = self._ending()
        return f"{story}; {ending}." if ending else f"{story}."

    def _opening(self, at: int) -> str:
        message = self.steps[at].message
        noun = self._noun(at)
        if self.steps[at].role == REVERSAL:
            noun = f"reversal of {with_article(noun)}"
        name = network_of(self.network).title if self.network else ""
        text = f"{name} {noun}".strip()
        if units := minor_units(message):
            text += f" of {self._say(units, message)}"
        place = pos.say_location(mask(_PLACE, message.get(_PLACE), message.version), message.version)
        text += f" at {place}" if place else ""
        return text[:1].upper() + text[1:]

    def _noun(self, at: int) -> str:
        """What step *at* requests, in a word or two."""
        message = self.steps[at].message
        if mtis.is_network_management(message.mti):
            return _management(message, self.network)
        purpose = read_toml("templates")["purposes"].get(self.exchange.purpose if at == 0 else "", {})
        if purpose and not purpose.get("plain"):
            return str(purpose["title"])
        meant = purchase_meant(message, self.network)
        code, words = message.get(3)[:2], read_toml("phrases")
        entry = lookup("transaction_type", code, version=message.version, network=self.network)
        noun = meant or (entry.meaning if entry and entry.meaning in words["meant"] else "")
        noun = noun or words["nouns"].get(code, "transaction")
        if any(self.steps[other].role in (COMPLETION, INCREMENT) for other in self.asked) and at == 0:
            return "pre-authorization"
        return noun

    def _say(self, units: int, message: Message | None = None) -> str:
        """*units* in the currency of *message*, else in that of the exchange."""
        money = amount(message) if message is not None else None
        currency = money[1] if money else ""
        return say_amount(
            str(units), currency or next((booking.currency for booking in self.booked.values()), "")
        )

    def _answer(self, at: int) -> Step | None:
        """The response to step *at* or its repeats; one in time comes before a late one."""
        answers = [step for step in self.steps if step.is_answer and step.of == at]
        return next((step for step in answers if step.role != LATE), answers[0] if answers else None)

    def _repeated(self, at: int) -> str:
        count = sum(step.role == REPEAT and step.of == at for step in self.steps)
        times = {1: "once", 2: "twice"}.get(count, f"{count} times")
        return f"(repeated {times})" if count else ""

    def _outcome(self, at: int) -> str:
        """The outcome of step *at*: the first, or a transaction of its own."""
        step, answer = self.steps[at], self._answer(at)
        text = _decision(step.message, answer, self.network, self._say)
        if step.role == ADVICE and step.message.mti[1] in "12":
            booked = self.booked.get(at)
            decided = "declined" if booked and booked.state == DECLINED else "approved"
            well = "and acknowledged" if _well(answer, self.network) else self._refused(answer, "the advice")
            text = f"reported as {decided}, {well}"
        return " ".join((text, self._repeated(at))).strip()

    def _clause(self, at: int) -> str:
        """The effect of a later step."""
        step, answer = self.steps[at], self._answer(at)
        well, units = _well(answer, self.network), self._say(minor_units(step.message), step.message)
        if step.role in (REVERSAL, COMPLETION):
            text = self._reversed(step) if step.role == REVERSAL else f"completed for {units}"
            text += "" if well else f", {self._refused(answer, f'the {step.role}')}"
        elif step.role == INCREMENT:
            decision = _decision(step.message, answer, self.network, self._say)
            text = f"increased by {units}" if well else f"an increase of {units} was {decision}"
        elif step.role in (REQUEST, ADVICE):
            of = f" of {units}" if minor_units(step.message) else ""
            return f"{with_article(self._noun(at))}{of} was {self._outcome(at)}"
        else:
            return "acknowledged"
        return " ".join((text, self._repeated(at))).strip()

    def _refused(self, answer: Step | None, what: str) -> str:
        if answer is None:
            return f"but {what} was not answered"
        return f"but {what} was declined ({_code(answer.message, self.network)})"

    def _reversed(self, step: Step) -> str:
        undone = self.steps[step.of].role if step.of is not None else ""
        what = {INCREMENT: "the increase was ", COMPLETION: "the completion was "}.get(undone, "")
        if final := final_amount(step.message):
            return f"{what}reversed in part, to {self._say(final, step.message)}"
        return f"{what}reversed {read_toml('phrases')['reversed'][self._reason(step)]}".strip()

    def _reason(self, step: Step) -> str:
        """The reason of a reversal: the one it was made for, the one in the message, or, if its code has
        several meanings or none, the likely one."""
        if step.reason:
            return step.reason
        reasons = reasons_of(step.message, self.network)
        waited = step.of is not None and self.exchange.answer_to(step.of) is None
        if waited and ("timeout" in reasons or not reasons):
            return "timeout"
        cash = step.message.get(3)[:2] == _CASH
        likely = [reason for reason in reasons if (reason == "misdispense") == cash]
        return next(iter([*likely, *reasons]), "customer")

    def _ending(self) -> str:
        """The amounts that remain."""
        entries = list(self.booked.values())
        if not any(booking.asked for booking in entries):
            return ""
        now, remains = self.exchange.left, "remains" if len(self.asked) > 1 else "is"
        parts = []
        if now.charged:
            parts.append(f"{self._say(now.charged)} is charged")
        if now.held:
            parts.append(f"{self._say(now.held)} {remains} held")
        if now.credited:
            parts.append(f"{self._say(now.credited)} is credited to the cardholder")
        if now.unknown:
            way = next(booking.way for booking in entries if booking.unknown)
            parts.append(f"it is not known whether {self._say(now.unknown)} is {way}")
        ways = {booking.way for booking in entries}
        if not parts and HELD in ways and CHARGED not in ways:
            return f"nothing {remains} held"
        return " and ".join(parts) or f"nothing is {CREDITED if ways == {CREDITED} else CHARGED}"


def _well(answer: Step | None, network: str | None) -> bool:
    return answer is not None and answer.role != LATE and accepted(answer.message, network)


def _decision(request: Message, answer: Step | None, network: str | None, say: Any) -> str:
    """The decision on *request*, in words."""
    if answer is None:
        return "not answered"
    message = answer.message
    code = _code(message, network)
    if answer.role == LATE:
        return f"answered too late ({code})"
    if not accepted(message, network):
        return f"declined ({code})" if request.mti[1] in "12" else f"rejected ({code})"
    if is_particular("partial", message.version, message.get(39)):
        part, total = say(minor_units(message), message), say(minor_units(request), request)
        return f"approved for {part.partition(' ')[0]} of {total}"
    return "approved" if request.mti[1] in "12" else "accepted"


def _code(message: Message, network: str | None) -> str:
    code = message.get(39)
    entry = code_of(code, message.version, network)
    return f"{code}, {entry.meaning}" if entry else code


def _management(message: Message, network: str | None) -> str:
    """The purpose of a network management message."""
    kind = management(message, network) or "network management"
    return {"key": "key exchange", "echo": "echo test"}.get(kind, kind)
