"""How a host decides: what a request gets as its answer, and why.

The rule table speaks first; without a rule an invalid message is declined, money is moved where there is
enough of it, the line is managed. A repeat gets the answer that its message got, and nothing is booked twice.
No sockets here: message in, decision out.

What an issuer remembers (balances, the transactions that were booked, the answers that were given) is
bounded: the longest unused account, the oldest transaction give way. Amounts are in minor units of the
message's own currency; a test account has one currency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from sim.codec import BuildError, Message, build, parse
from sim.codec.text import is_digits
from sim.elements import mti as mtis
from sim.elements.card import account, detect_network
from sim.elements.money import amount
from sim.errors import OptionError, ParseError, SpecError
from sim.kept import Kept
from sim.link.rules import Rule, Table
from sim.operations.answering import respond, transaction_name
from sim.operations.building import in_format
from sim.operations.choosing import chosen_network
from sim.operations.filling import Values, filled
from sim.operations.generation import generate
from sim.operations.options import LARGEST_AMOUNT
from sim.operations.validation import judge
from sim.parts.layout import place
from sim.spec import lookup, number_of, spec
from sim.spec.networks import NETWORKS
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.codec.wire import Format
    from sim.link.keys.ring import KeyRing


_REPLACEMENT = slice(0, 12)  # DE 95 of 1987: the amount that stays
_MOST_OF_ONE = 100  # authorizations of a transaction


class Accounts:
    """The balances of an issuer, in minor units, by card number. A card that is not named has the opening
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
        # A booking by its number: the account, what a reversal has not given back yet (below 0: not taken
        # back), whether it was completed. Texts and numbers alone, which take little room and nobody has to
        # look at again.
        self._booked: Kept[int, tuple[str, int, bool]] = Kept(self.remembered)
        self._numbers: Kept[str, int] = Kept(3 * self.remembered)
        # The authorizations of a transaction that the network has a name for: the first, and its increments.
        self._transactions: Kept[str, tuple[int, ...]] = Kept(self.remembered)
        self._count = 0
        for pan, balance in (balances or {}).items():
            self._balances.keep(pan, balance)

    def __repr__(self) -> str:
        return f"Accounts({len(self._balances)})"

    def balance(self, pan: str) -> int:
        """What is available on the account of *pan*."""
        found = self._balances.get(pan)
        return self.opening if found is None else found

    def book(self, message: Message, amount: int, approval: str = "", name: str = "") -> None:
        """Take *amount* (below 0: give) for *message*, which a reversal may name, and a completion, also by
        the *approval* code of its answer; *name* is the network's of its transaction."""
        pan = account(message)[1]
        self._balances.keep(pan, self.balance(pan) - amount)
        self._count = number = self._count + 1
        self._booked.keep(number, (pan, amount, False))
        names = _names(message, pan)
        if message.mti[1] == _AUTHORIZATION and approval.strip():
            names.append(_by_approval(pan, approval))
        for key in names:
            self._numbers.keep(key, number)
        if name and message.mti[1] == _AUTHORIZATION:
            known = f"{pan} {name}"
            self._transactions.keep(known, (*(self._transactions.get(known) or ()), number)[-_MOST_OF_ONE:])

    def complete(self, message: Message, amount: int, name: str = "") -> bool:
        """Let *message* take *amount* in the place of what the authorization took that it completes, and its
        increments, which have the same *name*; False where none is known that it names, or another completed
        it: goods that are sent in two parcels are two sales. A reversal may name either of them from then
        on."""
        named = _named(message)
        if approval := message.get(38).strip():
            named.append(_by_approval(account(message)[1], approval))
        found = self._find(named)
        if found is None:
            return False
        number, pan, taken, completed = found
        if completed:
            return False
        self._balances.keep(pan, self.balance(pan) + taken - amount)
        self._booked.keep(number, (pan, amount, True))
        for key in _names(message, pan):
            self._numbers.keep(key, number)
        for other in self._transactions.get(f"{pan} {name}") or ():
            held = self._booked.get(other)
            if held is not None and not held[2]:
                self._balances.keep(pan, self.balance(pan) + held[1])
                self._booked.keep(other, (pan, 0, True))
        return True

    def _find(self, named: list[str]) -> tuple[int, str, int, bool] | None:
        """The booking that one of the keys *named* is of: its number, and what is kept of it."""
        for key in named:
            number = self._numbers.get(key)
            if number is not None and (found := self._booked.get(number)) is not None:
                return number, *found
        return None

    def give_back(self, reversal: Message) -> int | None:
        """Undo what *reversal* names, in part where it says what stays; how much came back, None where
        there is no such transaction. A second reversal gives nothing back."""
        found = self._find(_named(reversal))
        if found is None:
            return None
        number, pan, taken, completed = found
        back = taken
        stays = reversal.get(95)[_REPLACEMENT] if reversal.version == "1987" else ""
        if is_digits(stays) and 0 < int(stays) < taken:
            back = taken - int(stays)
        self._booked.keep(number, (pan, taken - back, completed))
        self._balances.keep(pan, self.balance(pan) + back)
        return back


def _names(message: Message, pan: str) -> list[str]:
    """The keys by which a reversal may name *message*, of card *pan*: its STAN, its reference number."""
    get = message.fields.get
    by_stan = _by_stan(pan, get(11, ""))
    return [by_stan, _by_reference(pan, reference, get(41, ""))] if (reference := get(37)) else [by_stan]


def _by_stan(pan: str, stan: str) -> str:
    return f"stan {pan} {stan.lstrip('0')}"


def _by_reference(pan: str, reference: str, terminal: str) -> str:
    return f"reference {pan} {reference} {terminal}"


def _by_approval(pan: str, approval: str) -> str:
    return f"approval {pan} {approval.strip()}"


def _named(reversal: Message) -> list[str]:
    """The keys of what *reversal* undoes, or a completion completes: by its original data elements, else by
    the reference number."""
    pan = account(reversal)[1]
    found: list[str] = []
    number = number_of("original", reversal.version)
    if original := reversal.get(number):
        try:
            stan = original[place(reversal.version, number, "its STAN")]
        except (KeyError, SpecError):
            stan = ""
        if stan.strip("0"):
            found.append(_by_stan(pan, stan))
    if 37 in reversal:
        found.append(_by_reference(pan, reversal[37], reversal.get(41)))
    return found


_ACCOUNTED = "12"  # message classes that move money
_AUTHORIZATION, _REVERSAL = "1", "4"
_CODE = 39
_COMPLETES = "22"  # the advice of a financial transaction
_ADVICES = "23"  # functions that tell what was done already
_SIGNED_ON = "sign-on"
_SIGNS = {"debit": 1, "credit": -1}
# What a person is told of secrets that do not fit.
_WRONG = {
    "no_mac": "it has no MAC, but this host requires one",
    "wrong_mac": "the MAC is wrong",
    "pin_block": "the PIN block cannot be read with the PIN key",
    "wrong_pin": "wrong PIN",
}


@dataclass(slots=True)
class Decision:
    """What is done with a message: `answer` (None: there is none), `action` and `delay` as a rule has them,
    `rule` its label, `note` why, `findings` how many errors the message has; `text` is the answer as text,
    empty where it was not written yet."""

    answer: Message | None
    action: str = "answer"
    delay: float = 0.0
    rule: str = ""
    note: str = ""
    findings: int = 0
    text: str = ""

    @property
    def plain(self) -> bool:
        """Whether the answer goes out as it is, at once."""
        return self.action == "answer" and not self.delay

    @property
    def code(self) -> str:
        """The response code of the answer, empty without one."""
        return self.answer.get(39) if self.answer else ""


@dataclass(slots=True)
class Session:
    """What a host knows of one connection."""

    signed_on: bool = False


class Issuer:
    """The side that answers. *network* is the one whose rules hold, None that of each card; *sign_on* has
    nothing but network management answered before a sign-on. *keys* are exchanged, and PINs and MACs checked
    with them; *format* is how messages are written, which a MAC covers."""

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
        self.business_days = 0  # how many cut-overs there were
        self._approvals = 0
        # Which way the money goes, by transaction type.
        self._moves = {
            f"{one:02}": way
            for way, (low, high) in read_toml("link")["moves"].items()
            for one in range(int(low), int(high) + 1)
        }
        self._same: tuple[int, ...] = tuple(read_toml("link")["keys"]["same"])
        self._known_by: tuple[int, ...] = tuple(read_toml("link")["keys"]["answer"])
        self._answers: Mapping[str, Any] = read_toml("link")["answers"]
        # Answers as texts, which take a tenth of the room of messages.
        self._given: Kept[str, tuple[str, str]] = Kept(accounts.remembered)

    def ready(self) -> None:
        """Read the tables that a first answer asks for, so that it comes as soon as the next."""
        sample = generate("financial", network=self.network, version=None).message
        judge(sample, self.network, ())
        respond(sample)

    def decide(self, request: Message, session: Session) -> Decision:
        """What *request* gets."""
        if mtis.response_mti(request.mti) is None:
            return Decision(None, note="not a request: it has no response")
        rule = self.table.find(request)
        if rule is not None and rule.action == "ignore":
            return Decision(None, "ignore", rule=rule.label)
        ruled, key = rule is not None and rule.decides, None
        if self.keys and mtis.is_network_management(request.mti):
            # Before another takes its place: a key exchange is answered with the key that it came with.
            key = self.keys.mac_key(request, self.format, self.network)
        if self.keys and not ruled and (wrong := self.keys.wrong(request, self.format, self.network)):
            made = Decision(self._answer(request, self._refused(wrong, request)), note=_WRONG[wrong])
        elif mtis.is_network_management(request.mti):
            answer, note = self._managed(request, session, rule)
            made = Decision(answer, note=note)
        else:
            made = self._accounted(request, session, rule)
        if rule is not None and rule.answer and made.answer is not None:
            made.answer, made.text = self._changed(made.answer, rule), ""
        if rule is not None and rule.action == "wrong-stan" and made.answer is not None:
            # Before its MAC, which would else be what is wrong with it.
            made.answer, made.text = made.answer.replace(de11=_other(made.answer.get(11))), ""
        if self.keys and made.answer is not None:
            try:
                made.answer = self.keys.sealed(made.answer, request, self.format, key)
            except BuildError:  # its bytes, which the MAC covers, cannot be written
                answer, made.note = self.fitted(made.answer, made.note)
                made.answer = self.keys.sealed(answer, request, self.format, key)
            made.text = ""
        if rule is None:
            return made
        made.action, made.delay, made.rule = rule.action, rule.delay, rule.label
        return made

    def _changed(self, answer: Message, rule: Rule) -> Message:
        """*answer* with the elements and parts of elements that *rule* has it carry."""
        network = chosen_network(answer, self.network)
        for path, text in rule.answer:
            number, _, inside = path.partition(".")
            base = answer.get(int(number)) if inside else ""
            parts = {inside: text}
            value = filled(int(number), base, parts, Values({}, str), answer.version, network)
            answer = answer.replace(**{f"de{number}": value or None})
        return answer

    def fitted(self, answer: Message, note: str) -> tuple[Message, str]:
        """*answer* as the format has it, and *note* with what is left out. Raises BuildError where that is
        its code, or what it is matched by."""
        made, left = in_format(answer, self.format)
        for number in (*self._known_by, _CODE):
            if number in answer and number not in made:
                raise BuildError(number, None, "a value that the format can encode", "another")
        return made, " ".join((note, *left)).strip()

    def unreadable(self, error: ParseError, why: str) -> Decision:
        """What a frame gets that cannot be read, as *why* tells: an answer where its type and trace number
        could be."""
        partial = error.partial
        if (
            not isinstance(partial, Message)
            or 11 not in partial
            or mtis.response_mti(partial.mti) is None  # an answer is not answered, however broken
        ):
            return Decision(None, note=f"unreadable: {why}", findings=1)
        known = Message(partial.mti, {11: partial[11]}, partial.version)
        answer = self._answer(known, self._code("format_error", known))
        return Decision(answer, note=f"unreadable: {why}", findings=1)

    def _accounted(self, request: Message, session: Session, rule: Rule | None) -> Decision:
        if self.sign_on and not session.signed_on:
            return Decision(self._answer(request, self._code("signed_off", request)), note="not signed on")
        key = self._key(request)
        if (known := self._given.get(key)) and (rule is None or not rule.decides):
            text, note = known
            answer = parse(text, request.dialect or request.version) if text else None
            return Decision(answer, note=f"repeat: {note}".removesuffix(": "), text=text)
        answer, note, findings = self._fresh(request, rule, known)
        text = "" if answer is None else _text(answer)
        if answer is not None:
            self._given.keep(key, (text, note))
        return Decision(answer, note=note, findings=findings, text=text)

    def _approved(self, text: str, request: Message) -> bool:
        answer = parse(text, request.dialect or request.version) if text else None
        return answer is not None and _approves(answer.get(39), request.version)

    def _key(self, request: Message) -> str:
        # 0100 and 0101 are the same transmission, 0100 and 0200 are not.
        return "\n".join((request.mti[:3], *map(request.fields.get, self._same, repeat(""))))

    def _fresh(
        self, request: Message, rule: Rule | None, known: tuple[str, str] | None
    ) -> tuple[Message | None, str, int]:
        if rule is not None and rule.decides:
            return (*self._by_rule(request, rule, known), 0)
        report = judge(request, self.network, ())
        if not report.valid:
            errors = report.errors
            return self._answer(request, self._code("format_error", request)), errors[0], len(errors)
        if request.mti[1] == _REVERSAL:
            return (*self._reversed(request), 0)
        if request.mti[1] in _ACCOUNTED:
            return (*self._moved(request, rule), 0)
        return self._answer(request, None), "", 0

    def _by_rule(
        self, request: Message, rule: Rule, known: tuple[str, str] | None
    ) -> tuple[Message | None, str]:
        """The answer with the rule's code. What was approved before (*known*) is not booked again."""
        answer, note = self._ruled(request, rule.code)
        approved = request.mti[1] in _ACCOUNTED and _approves(rule.code, request.version)
        if approved and not (known and self._approved(known[0], request)):
            self._book(request, self._taken(request), answer)
        return answer, note

    def _ruled(self, request: Message, code: str) -> tuple[Message | None, str]:
        """The answer with a rule's *code*; of one that its version has no room for, a malfunction: why."""
        try:
            return self._answer(request, code), ""
        except BuildError as error:
            answer = self._answer(request, self._code("malfunction", request))
            return answer, f"the rule's code {code} is not a code of {request.version}: {error}"

    def _moved(self, request: Message, rule: Rule | None) -> tuple[Message | None, str]:
        taken = self._taken(request)
        if self._moves.get(request.get(3)[:2]) == "inquiry":
            told = self._with_balance(request)
            self.accounts.book(request, 0)  # nothing, which a reversal may name
            return told, "balance told"
        if rule is not None and rule.approved is not None and taken > 0:
            return self._partly(request, min(rule.approved, taken), rule.code or None), "approved in part"
        available = self.accounts.balance(account(request)[1])
        if taken > available and request.mti[2] not in _ADVICES:
            return self._answer(request, self._code("no_funds", request)), "insufficient funds"
        answer = self._answer(request, None)
        return answer, self._book(request, taken, answer)

    def _book(self, request: Message, amount: int, answer: Message | None) -> str:
        """Book what *request* takes, and say what is particular: the advice of a financial transaction that
        names an authorization is its completion, and takes its place."""
        if request.mti[1:3] == _COMPLETES and self.accounts.complete(request, amount, self._named(request)):
            return "completes its authorization"
        self.accounts.book(request, amount, _approval(answer), self._named(request, answer))
        return ""

    def _named(self, request: Message, answer: Message | None = None) -> str:
        """What the network calls the transaction, by which increments are completed with the first."""
        if request.mti[1] != _AUTHORIZATION and request.mti[1:3] != _COMPLETES:
            return ""
        return transaction_name(request, chosen_network(request, self.network), answer)

    def _reversed(self, request: Message) -> tuple[Message | None, str]:
        back = self.accounts.give_back(request)
        if back is None:
            return self._answer(request, self._code("unknown_original", request)), "its original is unknown"
        return self._answer(request, None), "" if back else "was already reversed"

    def _managed(self, request: Message, session: Session, rule: Rule | None) -> tuple[Message | None, str]:
        kind = management(request)
        if rule is not None and rule.decides:
            answer, note = self._ruled(request, rule.code)
            return answer, note or kind
        if kind in (_SIGNED_ON, "sign-off"):
            session.signed_on = kind == _SIGNED_ON
        elif kind == "cutover":
            self.business_days += 1
        answer = self._answer(request, None)
        return self._with_key(request, answer) if kind == "key" and self.keys else (answer, kind)

    def _with_key(self, request: Message, answer: Message | None) -> tuple[Message | None, str]:
        """The answer to a key exchange: with the key that is new, or its refusal."""
        if self.keys is None or answer is None:
            return answer, ""
        try:
            more, note = self.keys.exchange(request, self.network)
        except OptionError as error:  # of which no text holds a key
            return self._answer(request, self._code("key_refused", request)), str(error)
        return answer.replace(**{f"de{number}": value for number, value in more.items()}), note

    def _answer(
        self, request: Message, code: str | None, *, part: int | None = None, balance: int | None = None
    ) -> Message | None:
        """The answer that `respond` makes: with *part* of the amount approved, with the *balance*."""
        self._approvals += code is None or part is not None
        # What was approved before, by voice or in stand-in, keeps its code.
        approval = request[38] if request.get(38).strip() else f"{self._approvals % 1_000_000:06}"
        return respond(
            request, code, approval=approval, amount_minor_units=part, balance_minor_units=balance
        ).message

    def _code(self, name: str, request: Message) -> str:
        return str(self._answers[request.version][name])

    def _refused(self, wrong: str, request: Message) -> str:
        """The code of what is *wrong* with a request's secrets: its network's own, where it has one."""
        found = detect_network(request) if self.network is None else None
        network = str(found.network) if found else self.network
        own = self._answers["networks"].get(network, {}).get(request.version, {})
        return str(own.get(wrong) or self._code(wrong, request))

    def _taken(self, request: Message) -> int:
        """How much the request takes from its account; below 0, what it gives."""
        way, found = self._moves.get(request.get(3)[:2]), amount(request)
        if found is None or not is_digits(found[0]):
            return 0
        return int(found[0]) * _SIGNS.get(way or "", 0)

    def _partly(self, request: Message, approved: int, code: str | None) -> Message | None:
        """An approval of less than was asked for, with *code* or the version's own."""
        answer = self._answer(request, code, part=approved)
        self.accounts.book(request, approved, _approval(answer), self._named(request, answer))
        return answer

    def _with_balance(self, request: Message) -> Message | None:
        """The answer with the balance, as far as the digits of an amount can say it."""
        balance = self.accounts.balance(account(request)[1])
        balance = max(-LARGEST_AMOUNT, min(balance, LARGEST_AMOUNT))
        return self._answer(request, None, balance=balance)


def management(request: Message) -> str:
    """What a network management request is for, by DE 70 (1987) or DE 24: sign-on, sign-off, echo, key,
    cutover, other; empty where no list has its code."""
    version = request.version
    name, code = (
        ("network_management", request.get(70)) if version == "1987" else ("function_code", request.get(24))
    )
    # Such a request carries no card, so any network's own code is known.
    rows = (lookup(name, code, version=version, network=network) for network in (None, *NETWORKS))
    return next((row.kind for row in rows if row), "")


def _approves(code: str, version: str) -> bool:
    known = lookup("response_code", code, version=version)
    return known is not None and known.kind == "approved"


def _approval(answer: Message | None) -> str:
    return answer.get(38) if answer is not None else ""


def _text(answer: Message) -> str:
    """*answer* as text, empty where it cannot be written."""
    try:
        return build(answer)
    except BuildError:
        return ""


def _other(stan: str) -> str:
    """Another trace number of the same width."""
    width = len(stan) or spec("1987")[11].width
    return f"{(int(stan) + 1) % 10**width if is_digits(stan) else 1:0{width}}"
