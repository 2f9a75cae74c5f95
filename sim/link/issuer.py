"""How a host decides: what response a request gets, and why.

The rule table comes first. Without a matching rule an invalid message is declined, an amount within the
balance is approved, and network management is handled. A repeat gets the response that the original got, and
nothing is booked twice. There are no sockets here: message in, decision out.

An issuer's memory (balances, bookings, responses given) is bounded: the account unused for longest and the
oldest transaction are dropped. Amounts are in minor units of the message's own currency; a test account has
one currency.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from sim.codec import BuildError, Message, build, parse
from sim.codec.text import is_digits
from sim.elements import mti as mtis
from sim.elements.card import account, chosen_network, detect_network
from sim.errors import OptionError, ParseError
from sim.exchanges.amounts import accepted, final_amount, minor_units
from sim.exchanges.roles import management
from sim.kept import Kept
from sim.link.rules import Rule, Table
from sim.operations.answering import respond, transaction_name
from sim.operations.building import in_format
from sim.operations.filling import Values, filled
from sim.operations.generation import generate
from sim.operations.options import LARGEST_AMOUNT
from sim.operations.validation import judge
from sim.spec import number_of, spec
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.codec.wire import Format
    from sim.link.keys.ring import KeyRing


BookingKey = tuple[str, ...]
_MOST_OF_ONE = 100  # authorizations of a transaction


class Accounts:
    """The balances of an issuer, in minor units by card number. A card that is not listed has the opening
    balance."""

    def __init__(
        self,
        balances: Mapping[str, int] | None = None,
        opening: int | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        limits = {**read_toml("link")["host"], **(limits or {})}
        self.opening: int = limits["balance"] if opening is None else opening
        self._balances: Kept[str, int] = Kept(limits["accounts"])
        self.remembered: int = limits["remembered"]
        # Bookings by number: the account, the amount not yet reversed (below 0 for a credit), and whether
        # it was completed. Tuples of texts and numbers: small, and ignored by the garbage collector.
        self._booked: Kept[int, tuple[str, int, bool]] = Kept(self.remembered)
        self._numbers: Kept[BookingKey, int] = Kept(3 * self.remembered)
        # The authorizations of a transaction with a network identifier: the first, and its increments.
        self._transactions: Kept[str, tuple[int, ...]] = Kept(self.remembered)
        self._count = 0
        for pan, balance in (balances or {}).items():
            self._balances.keep(pan, balance)

    def __repr__(self) -> str:
        return f"Accounts({len(self._balances)})"

    def balance(self, pan: str) -> int:
        """The available balance of the account of *pan*."""
        balance = self._balances.get(pan)
        return self.opening if balance is None else balance

    def book(self, message: Message, amount: int, approval: str = "", name: str = "") -> None:
        """Debit *amount* (below 0: credit) for *message*. A reversal or completion may refer to the booking,
        a completion also by the *approval* code of the response; *name* is the network's identifier of the
        transaction."""
        pan = account(message)[1]
        self._balances.keep(pan, self.balance(pan) - amount)
        self._count = number = self._count + 1
        self._booked.keep(number, (pan, amount, False))
        is_authorization = message.mti[1] == _AUTHORIZATION
        for key in _keys(message, message.get(11), approval if is_authorization else ""):
            self._numbers.keep(key, number)
        if name and is_authorization:
            numbers = (*(self._transactions.get(f"{pan} {name}") or ()), number)
            self._transactions.keep(f"{pan} {name}", numbers[-_MOST_OF_ONE:])

    def complete(self, message: Message, amount: int, name: str = "") -> bool:
        """Replace the authorization that *message* completes, and its increments with the same *name*, by
        *amount*. A reversal may refer to either from then on. False if the authorization is unknown or
        already completed: two shipments are two sales."""
        booking = self._find(_keys(message, _original_stan(message), message.get(38)))
        if booking is None or booking[3]:
            return False
        number, pan, taken, _ = booking
        self._balances.keep(pan, self.balance(pan) + taken - amount)
        self._booked.keep(number, (pan, amount, True))
        for key in _keys(message, message.get(11)):
            self._numbers.keep(key, number)
        for other in self._transactions.get(f"{pan} {name}") or ():
            increment = self._booked.get(other)
            if increment is not None and not increment[2]:
                self._balances.keep(pan, self.balance(pan) + increment[1])
                self._booked.keep(other, (pan, 0, True))
        return True

    def _find(self, keys: list[BookingKey]) -> tuple[int, str, int, bool] | None:
        """The booking of the first known key in *keys*: its number and its record."""
        for key in keys:
            number = self._numbers.get(key)
            if number is not None and (booking := self._booked.get(number)) is not None:
                return number, *booking
        return None

    def give_back(self, reversal: Message) -> int | None:
        """Reverse what *reversal* refers to, in part if it has a replacement amount; returns the amount, or
        None if the transaction is unknown. A second reversal returns nothing more."""
        booking = self._find(_keys(reversal, _original_stan(reversal)))
        if booking is None:
            return None
        number, pan, taken, completed = booking
        final = final_amount(reversal)
        stays = max(-final, min(taken, final))
        self._booked.keep(number, (pan, stays, completed))
        self._balances.keep(pan, self.balance(pan) + taken - stays)
        return taken - stays


def _keys(message: Message, stan: str, approval: str = "") -> list[BookingKey]:
    """The keys by which another message may refer to a transaction of the card of *message*: its *stan*, its
    retrieval reference number, the *approval* code of its response."""
    pan, keys = account(message)[1], list[BookingKey]()
    if stan := stan.lstrip("0"):
        keys.append(("stan", pan, stan))
    if reference := message.get(37):
        keys.append(("reference", pan, reference, message.get(41)))
    if approval := approval.strip():
        keys.append(("approval", pan, approval))
    return keys


def _original_stan(message: Message) -> str:
    """The STAN in the original data elements of a reversal or completion."""
    original = mtis.read_original(message.get(number_of("original", message.version)), message.version)
    return original.stan if original else ""


_ACCOUNTED = "12"  # message classes that move money
_AUTHORIZATION, _REVERSAL = "1", "4"
_TRANSMITTED, _CODE = 7, 39
_COMPLETES = "22"  # the advice of a financial transaction
_ADVICES = "23"  # functions that report what has already happened
_SIGNED_ON = "sign-on"
_SIGNS = {"debit": 1, "credit": -1}
# The note on a request whose MAC or PIN is wrong.
_WRONG = {
    "no_mac": "it has no MAC, but this host requires one",
    "wrong_mac": "the MAC is wrong",
    "pin_block": "the PIN block cannot be read with the PIN key",
    "wrong_pin": "wrong PIN",
}


@dataclass(slots=True)
class Decision:
    """What to do with a message: `answer` (None: no response), `action` and `delay` as in a rule, `rule` its
    label, `note` why; `text` is the response in text form, empty if not written yet."""

    answer: Message | None
    action: str = "answer"
    delay: float = 0.0
    rule: str = ""
    note: str = ""
    text: str = ""

    @property
    def code(self) -> str:
        """The response code, empty if there is no response."""
        return self.answer.get(39) if self.answer else ""


@dataclass(slots=True)
class Session:
    """What a host remembers of one connection."""

    signed_on: bool = False


class Issuer:
    """The responding side. *network* has the rules that apply (None: the network of each card). With
    *sign_on*, only network management gets a response before a sign-on. *keys* are exchanged, and verify PINs
    and MACs; *format* is the wire format that MACs cover."""

    def __init__(
        self,
        table: Table,
        accounts: Accounts,
        *,
        network: str | None = None,
        sign_on: bool = False,
        keys: KeyRing | None = None,
        format: Format | str = "text",
    ) -> None:
        self.table = table
        self.accounts = accounts
        self.network = network
        self.sign_on = sign_on
        self.keys, self.format = keys, format
        self.business_days = 0  # the number of cutovers
        self._approvals = 0
        # The direction of the money, by transaction type.
        self._moves = {
            f"{code:02}": way
            for way, (low, high) in read_toml("link")["moves"].items()
            for code in range(int(low), int(high) + 1)
        }
        self._same: tuple[int, ...] = tuple(read_toml("link")["keys"]["same"])
        self._known_by: tuple[int, ...] = tuple(read_toml("link")["keys"]["answer"])
        self._answers: Mapping[str, Any] = read_toml("link")["answers"]
        # Responses, in text form if they have one, a tenth of the size of messages; their notes, and the
        # transmission times of their requests.
        self._given: Kept[str, tuple[str | Message, str, str]] = Kept(accounts.remembered)

    def ready(self) -> None:
        """Read the tables that the first response needs, so that it takes no longer than the next."""
        sample = generate("financial", network=self.network, version=None).message
        judge(sample, self.network, ())
        respond(sample)

    def decide(self, request: Message, session: Session) -> Decision:
        """The decision on *request*."""
        if mtis.response_mti(request.mti) is None:
            return Decision(None, note="not a request: it has no response")
        rule = self.table.find(request)
        if rule is not None and rule.action == "ignore":
            return Decision(None, "ignore", rule=rule.label)
        ruled, key = rule is not None and rule.decides, None
        if self.keys and mtis.is_network_management(request.mti):
            # Taken before a key exchange replaces it: the response uses the key of its request.
            key = self.keys.mac_key(request, self.format, self.network)
        if self.keys and not ruled and (wrong := self.keys.wrong(request, self.format, self.network)):
            decision = Decision(self._answer(request, self._refused(wrong, request)), note=_WRONG[wrong])
        elif mtis.is_network_management(request.mti):
            answer, note = self._managed(request, session, rule)
            decision = Decision(answer, note=note)
        else:
            decision = self._accounted(request, session, rule)
        if decision.answer is not None:
            answer = decision.answer if rule is None else self._changed(decision.answer, rule)
            if self.keys:
                try:
                    answer = self.keys.sealed(answer, request, self.format, key)
                except BuildError:  # the format cannot encode the bytes that the MAC covers
                    answer, decision.note = self.fitted(answer, decision.note)
                    answer = self.keys.sealed(answer, request, self.format, key)
            if answer is not decision.answer:
                decision.answer, decision.text = answer, ""
        if rule is not None:
            decision.action, decision.delay, decision.rule = rule.action, rule.delay, rule.label
        return decision

    def _changed(self, answer: Message, rule: Rule) -> Message:
        """*answer* with the elements and subfields that *rule* sets, or with a wrong STAN."""
        network = chosen_network(answer, self.network) if rule.answer else None
        for path, text in rule.answer:
            number, _, inside = path.partition(".")
            base = answer.get(int(number)) if inside else ""
            parts = {inside: text}
            value = filled(int(number), base, parts, Values({}, str), answer.version, network)
            answer = answer.replace(**{f"de{number}": value or None})
        return answer.replace(de11=_other(answer.get(11))) if rule.action == "wrong-stan" else answer

    def fitted(self, answer: Message, note: str) -> tuple[Message, str]:
        """*answer* reduced to what the format can encode, and *note* with what is left out. Raises BuildError
        if that is the response code or a matching element."""
        fitting, left = in_format(answer, self.format)
        for number in (*self._known_by, _CODE):
            if number in answer and number not in fitting:
                raise BuildError(number, None, "a value that the format can encode", "another")
        return fitting, " ".join((note, *left)).strip()

    def unreadable(self, error: ParseError, why: str) -> Decision:
        """The decision on a frame that cannot be read, for the reason *why*: a response if its MTI and STAN
        were read."""
        partial, answer = error.partial, None
        # A response gets none, however broken.
        if partial and 11 in partial and mtis.response_mti(partial.mti) is not None:
            readable = Message(partial.mti, {11: partial[11]}, partial.version)
            answer = self._answer(readable, self._code("format_error", readable))
        return Decision(answer, note=f"unreadable: {why}")

    def _accounted(self, request: Message, session: Session, rule: Rule | None) -> Decision:
        if self.sign_on and not session.signed_on:
            return Decision(self._answer(request, self._code("signed_off", request)), note="not signed on")
        key, when, before = self._key(request), request.get(_TRANSMITTED), None
        given = self._given.get(key)
        if given and (mtis.is_repeat(request.mti) or given[2] == when):
            form, note, then = given
            before = parse(form, request.dialect or request.version) if isinstance(form, str) else form
            if rule is None or not rule.decides:
                if before.get(_TRANSMITTED) == then != when:  # it has its request's time
                    before = form = before.replace(de7=when or None)
                text = form if isinstance(form, str) else ""
                return Decision(before, note=f"repeat: {note}".removesuffix(": "), text=text)
        answer, note = self._fresh(request, rule, before)
        text = ""
        with suppress(BuildError):  # an answer without a text form
            text = build(answer)
        self._given.keep(key, (text or answer, note, when))
        return Decision(answer, note=note, text=text)

    def _key(self, request: Message) -> str:
        # 0100 and 0101 are the same transmission, 0100 and 0200 are not.
        return "\n".join((request.mti[:3], *map(request.fields.get, self._same, repeat(""))))

    def _fresh(self, request: Message, rule: Rule | None, before: Message | None) -> tuple[Message, str]:
        """The response and a note; *before* is the response to the same request before."""
        if rule is not None and rule.decides:
            answer, note = self._ruled(request, rule.code)
            network = chosen_network(request, self.network)
            if not accepted(answer, network):
                return answer, note
            if request.mti[1] == _REVERSAL:
                self.accounts.give_back(request)
            elif request.mti[1] in _ACCOUNTED and not (before is not None and accepted(before, network)):
                self._book(request, self._taken(request), answer)  # otherwise it was booked then
            return answer, note
        report = judge(request, self.network, ())
        if not report.valid:
            return self._answer(request, self._code("format_error", request)), report.errors[0]
        if request.mti[1] == _REVERSAL:
            back = self.accounts.give_back(request)
            if back is None:
                code = self._code("unknown_original", request)
                return self._answer(request, code), "original unknown"
            return self._answer(request, None), "" if back else "already reversed"
        if request.mti[1] in _ACCOUNTED:
            return self._moved(request, rule)
        return self._answer(request, None), ""

    def _ruled(self, request: Message, code: str) -> tuple[Message, str]:
        """The response with a rule's *code*, and a note; if the version has no room for the code, a system
        malfunction."""
        try:
            return self._answer(request, code), ""
        except BuildError as error:
            answer = self._answer(request, self._code("malfunction", request))
            return answer, f"the rule's code {code} is not a code of {request.version}: {error}"

    def _moved(self, request: Message, rule: Rule | None) -> tuple[Message, str]:
        taken, available = self._taken(request), self.accounts.balance(account(request)[1])
        if self._moves.get(request.get(3)[:2]) == "inquiry":
            balance = max(-LARGEST_AMOUNT, min(available, LARGEST_AMOUNT))
            answer = self._answer(request, None, balance=balance)
            self.accounts.book(request, 0)  # nothing, which a reversal may name
            return answer, "balance returned"
        if rule is not None and rule.approved is not None and taken > 0:
            part = min(rule.approved, taken)
            answer = self._answer(request, rule.code or None, part=part)
            self.accounts.book(request, part, answer.get(38), self._transaction_id(request, answer))
            return answer, "approved in part"
        if taken > available and request.mti[2] not in _ADVICES:
            return self._answer(request, self._code("no_funds", request)), "insufficient funds"
        answer = self._answer(request, None)
        return answer, self._book(request, taken, answer)

    def _book(self, request: Message, amount: int, answer: Message) -> str:
        """Book what *request* debits, and return a note if it is special: a financial advice that refers to
        an authorization completes and replaces it."""
        completes = request.mti[1:3] == _COMPLETES
        if completes and self.accounts.complete(request, amount, self._transaction_id(request)):
            return "completes its authorization"
        self.accounts.book(request, amount, answer.get(38), self._transaction_id(request, answer))
        return ""

    def _transaction_id(self, request: Message, answer: Message | None = None) -> str:
        """The network's transaction identifier, which links increments and completions with the first
        authorization."""
        if request.mti[1] != _AUTHORIZATION and request.mti[1:3] != _COMPLETES:
            return ""
        return transaction_name(request, chosen_network(request, self.network), answer)

    def _managed(self, request: Message, session: Session, rule: Rule | None) -> tuple[Message, str]:
        kind = management(request, self.network)
        if rule is not None and rule.decides:
            answer, note = self._ruled(request, rule.code)
            if not accepted(answer, self.network):
                return answer, note or kind
        else:
            answer = self._answer(request, None)
        if kind in (_SIGNED_ON, "sign-off"):
            session.signed_on = kind == _SIGNED_ON
        elif kind == "cutover":
            self.business_days += 1
        if kind != "key" or self.keys is None:
            return answer, kind
        try:
            more, note = self.keys.exchange(request, self.network)
        except OptionError as error:  # its text never contains a key
            return self._answer(request, self._code("key_refused", request)), str(error)
        return answer.replace(**{f"de{number}": value for number, value in more.items()}), note

    def _answer(
        self, request: Message, code: str | None, *, part: int | None = None, balance: int | None = None
    ) -> Message:
        """The response that `respond` builds: with *part* of the amount approved, with the *balance*."""
        self._approvals += code is None or part is not None
        # An earlier approval, by voice or stand-in, keeps its code.
        approval = request[38] if request.get(38).strip() else f"{self._approvals % 1_000_000:06}"
        return respond(
            request, code, approval=approval, amount_minor_units=part, balance_minor_units=balance
        ).message

    def _code(self, name: str, request: Message) -> str:
        return str(self._answers[request.version][name])

    def _refused(self, wrong: str, request: Message) -> str:
        """The response code for the *wrong* MAC or PIN of a request: the network's own, if it has one."""
        detection = detect_network(request) if self.network is None else None
        network = str(detection.network) if detection else self.network
        codes = self._answers["networks"].get(network, {}).get(request.version, {})
        return str(codes.get(wrong) or self._code(wrong, request))

    def _taken(self, request: Message) -> int:
        """The amount that the request debits; below 0 for a credit."""
        return minor_units(request) * _SIGNS.get(self._moves.get(request.get(3)[:2], ""), 0)


def _other(stan: str) -> str:
    """A different STAN of the same width."""
    width = len(stan) or spec("1987")[11].width
    return f"{(int(stan) + 1) % 10**width if is_digits(stan) else 1:0{width}}"
