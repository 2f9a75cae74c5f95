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
from itertools import product, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from sim.codec import BuildError, Message, build, parse
from sim.codec.text import is_digits
from sim.elements import mti as mtis
from sim.elements.card import account, chosen_network, detect_network
from sim.errors import OptionError, ParseError
from sim.exchanges.amounts import accepted, final_amount, minor_units
from sim.exchanges.matching.rules import REFERENCES, Link, finding, rules, seeking
from sim.exchanges.roles import is_credit, management
from sim.kept import Kept
from sim.link.rules import Rule, Table
from sim.operations.answering import respond
from sim.operations.building import in_format
from sim.operations.filling import Values, filled
from sim.operations.generation import generate
from sim.operations.options import LARGEST_AMOUNT
from sim.operations.validation import judge
from sim.spec import VERSIONS, spec
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.codec.wire import Format
    from sim.link.keys.ring import KeyRing


_MOST_OF_ONE = 100  # authorizations of a transaction, and bookings that one key finds
_KEYS = 8  # of a booking, about


class Booking(NamedTuple):
    """A booking: its account, the amount not yet reversed (below 0 for a credit), whether it was completed,
    and the number of the first authorization, if it increases one. `mti`, `version` and `said`, the elements
    in `_SAID`, are those of its message. Texts and numbers alone: small, and ignored by the garbage
    collector."""

    pan: str
    amount: int
    completed: bool
    first: int
    mti: str
    version: str
    said: tuple[str, ...]

    @property
    def message(self) -> Message:
        """What links compare of its message; its card number may have been in a track."""
        fields = {number: text for number, text in zip(_SAID, self.said, strict=True) if text}
        fields[2] = self.pan
        return Message(self.mti, fields, self.version)


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
        self._booked: Kept[int, Booking] = Kept(self.remembered)
        # The bookings that a later message finds by each key, and the increments by first authorization.
        self._numbers: Kept[str, tuple[int, ...]] = Kept(_KEYS * self.remembered)
        self._increments: Kept[int, tuple[int, ...]] = Kept(self.remembered)
        self._count = 0
        for pan, balance in (balances or {}).items():
            self._balances.keep(pan, balance)

    def __repr__(self) -> str:
        return f"Accounts({len(self._balances)})"

    def balance(self, pan: str) -> int:
        """The available balance of the account of *pan*."""
        balance = self._balances.get(pan)
        return self.opening if balance is None else balance

    def _keep(self, number: int, booking: Booking, amount: int, *, completed: bool = False) -> int:
        """Have *amount* remain of a *booking*, and return what was given back."""
        back = booking.amount - amount
        self._balances.keep(booking.pan, self.balance(booking.pan) + back)
        self._booked.keep(number, booking._replace(amount=amount, completed=booking.completed or completed))
        return back

    def book(self, message: Message, amount: int, answer: Message | None = None) -> None:
        """Debit *amount* (below 0: credit) for *message*, to which later messages refer by its elements, or
        by those of its *answer*. An increment joins the authorization that it increases."""
        is_authorization = message.mti[1] == _AUTHORIZATION
        found = self._find(message) if is_authorization and amount > 0 else None
        first = (found[1].first or found[0]) if found else 0
        self._count = number = self._count + 1
        said = tuple([message.get(element) for element in _SAID])
        pan = account(message)[1]
        self._keep(number, Booking(pan, 0, False, first, message.mti, message.version, said), amount)
        self._enter(number, message, "original")
        if answer is not None:
            joint = Message(message.mti, {**message.fields, **answer.fields}, message.version)
            self._enter(number, joint, "approved")
        if first:
            _add(self._increments, first, number)

    def _enter(self, number: int, message: Message, link: Link) -> None:
        """Have later messages find booking *number* by the elements of *message*."""
        network = chosen_network(message, None) or ""
        for rule in finding(message.version, link, message.mti[1], network):
            if key := rule.key(message, later=False):
                _add(self._numbers, key, number)

    def _find(self, message: Message) -> tuple[int, Booking] | None:
        """The latest booking that *message* refers to, and its number; None if there is none."""
        for rule in seeking(message.version, message.mti[1]):
            if key := rule.key(message, later=True):
                for number in reversed(self._numbers.get(key) or ()):
                    if (booking := self._booked.get(number)) is None:
                        continue
                    # A refund, which may have the reference of its purchase, is only reversed.
                    earlier = booking.message
                    able = message.mti[1] == _REVERSAL or not is_credit(earlier)
                    if able and rule.agrees(earlier, message):
                        return number, booking
        return None

    def complete(self, message: Message, amount: int) -> bool:
        """Replace the authorization that *message* completes, and its increments, by *amount*. A reversal may
        refer to either from then on. False if the authorization is unknown or already completed: two
        shipments are two sales."""
        found = self._find(message)
        if found is None or found[1].completed:
            return False
        number, booking = found
        self._keep(number, booking, amount, completed=True)
        self._enter(number, message, "original")
        self._end_others(number, booking)
        return True

    def _end_others(self, number: int, booking: Booking) -> int:
        """Give back what remains of the other authorizations of a transaction, and return the amount."""
        first = booking.first or number
        others = {first, *(self._increments.get(first) or ())} - {number}
        parts = ((other, self._booked.get(other)) for other in others)
        return sum(
            self._keep(other, part, 0, completed=True) for other, part in parts if part and not part.completed
        )

    def give_back(self, reversal: Message) -> int | None:
        """Reverse what *reversal* refers to, in part if it has a replacement amount, with its increments if
        the amount includes them; returns the amount, or None if the transaction is unknown. A second reversal
        returns nothing more."""
        found = self._find(reversal)
        if found is None:
            return None
        number, booking = found
        final = final_amount(reversal)
        back = self._keep(number, booking, max(-final, min(booking.amount, final)))
        if not final and minor_units(reversal) > minor_units(booking.message):
            back += self._end_others(number, booking)
        return back


def _add(kept: Kept[Any, tuple[int, ...]], key: Any, number: int) -> None:
    """Add *number* to those of *key*, of which the latest are kept."""
    numbers = kept.get(key) or ()
    if number not in numbers:
        kept.keep(key, (*numbers, number)[-_MOST_OF_ONE:])


# What is debited, and the elements that the links compare in an earlier message, besides its keys.
_COMPARED = [
    tie.earlier.number
    for version, link in product(VERSIONS, REFERENCES)
    for rule in rules(version, link)
    for tie in rule.agree
]
_SAID = sorted({3, 4, *_COMPARED})
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


class _Given(NamedTuple):
    """A response: its text form, a tenth of the size of a message, if it has one; its note; the transmission
    time of its request, and whether the response is `timed` with that; whether the request was `booked` by an
    earlier response, and whether it was `overtaken`: only repeats of it have come."""

    form: str | Message
    note: str
    when: str
    timed: bool
    booked: bool
    overtaken: bool


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
        self._given: Kept[str, _Given] = Kept(accounts.remembered)

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
        key, when, again = self._key(request), request.get(_TRANSMITTED), mtis.is_repeat(request.mti)
        given, booked = self._given.get(key), False
        if given and not (again or given.overtaken or given.when == when):
            given = None  # another transaction with the same number
        if given:
            form, booked = given.form, given.booked
            before = parse(form, request.dialect or request.version) if isinstance(form, str) else form
            if rule is None or not rule.decides:
                if given.timed and before.get(_TRANSMITTED) != when:
                    before = form = before.replace(de7=when or None)
                if given.overtaken and not again:
                    self._given.keep(key, given._replace(when=when, overtaken=False))
                text = form if isinstance(form, str) else ""
                return Decision(before, note=f"repeat: {given.note}".removesuffix(": "), text=text)
            booked = booked or accepted(before, chosen_network(request, self.network))
        answer, note = self._fresh(request, rule, booked)
        text, timed = "", answer.get(_TRANSMITTED) == when
        with suppress(BuildError):  # an answer without a text form
            text = build(answer)
        overtaken = again and (given is None or given.overtaken)
        first = given.when if given and again else when
        self._given.keep(key, _Given(text or answer, note, first, timed, booked, overtaken))
        return Decision(answer, note=note, text=text)

    def _key(self, request: Message) -> str:
        # 0100 and 0101 are the same transmission, 0100 and 0200 are not.
        return "\n".join((request.mti[:3], *map(request.fields.get, self._same, repeat(""))))

    def _fresh(self, request: Message, rule: Rule | None, booked: bool) -> tuple[Message, str]:
        """The response and a note; *booked* is whether the same request was approved before."""
        if rule is not None and rule.decides:
            answer, note = self._ruled(request, rule.code)
            if not accepted(answer, chosen_network(request, self.network)):
                return answer, note
            if request.mti[1] == _REVERSAL:
                self.accounts.give_back(request)
            elif request.mti[1] in _ACCOUNTED and not booked:
                self._book(request, self._taken(request), answer)
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
            self.accounts.book(request, part, answer)
            return answer, "approved in part"
        if taken > available and request.mti[2] not in _ADVICES:
            return self._answer(request, self._code("no_funds", request)), "insufficient funds"
        answer = self._answer(request, None)
        return answer, self._book(request, taken, answer)

    def _book(self, request: Message, amount: int, answer: Message) -> str:
        """Book what *request* debits, and return a note if it is special: a financial advice that refers to
        an authorization completes and replaces it."""
        completes = request.mti[1:3] == _COMPLETES and amount >= 0  # a refund completes nothing
        if completes and self.accounts.complete(request, amount):
            return "completes its authorization"
        self.accounts.book(request, amount, answer)
        return ""

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
