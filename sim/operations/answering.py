"""Respond to a message as an issuer would; reverse a message.

An outline of the response is built once for requests of one network with the same elements that match the
same recipe rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from sim.codec import BuildError, Message
from sim.codec.text import is_digits
from sim.elements import mti as mtis
from sim.elements.card import account, chosen_network
from sim.elements.money import amount as amount_in
from sim.errors import ChoiceError, OptionError, quoted_value, size
from sim.kept import Kept
from sim.operations.filling import Inside, Outline, Text, Values, filled, filler, holding, holds, parts_of
from sim.operations.generation import SOURCE_TEMPLATE, Generated, Template, template_of
from sim.operations.options import LARGEST_AMOUNT, Setting, speaks_of
from sim.operations.recipes import (
    Clock,
    Context,
    additional_amount,
    amount_of,
    approved,
    clock,
    digest,
    digits,
    original_data,
    placeholders,
    reference,
)
from sim.spec import is_particular, lookup, number_of, spec
from sim.spec.interfaces import fills_of, required
from sim.spec.networks import NETWORKS
from sim.spec.recipes import DROPPED, Recipe, Test, answers, recipes
from sim.spec.recipes import carried as carried_rows
from sim.spec.tables import read_toml

_CLASSES = {
    "1": "authorization",
    "2": "financial",
    "3": "file",
    "4": "reversal",
    "5": "settlement",
    "8": "network",
}
_ADVICE = "2"
_DECIDED = "12"  # message classes whose answers carry an approval
_DECISION = 39
_OUTLINES = 512  # of a network and version


class Answers:
    """The response recipes of a network and version, with recently used outlines."""

    def __init__(self, network: str | None, version: str) -> None:
        self.network, self.version = network, version
        self._rows = answers(network, version)
        tests = (test for row in self._rows for test in row.tests if test.path not in ("", str(_DECISION)))
        # The conditions on the message, each with its element.
        self._tests = {test: int(test.path.partition(".")[0]) for test in tests}
        self._outlines: Kept[tuple[object, ...], Outline] = Kept(_OUTLINES)
        self._codes: Kept[tuple[object, ...], str] = Kept(_OUTLINES)

    def facts(self, inside: Inside) -> tuple[bool, ...]:
        """The conditions on the message: which ones hold."""
        fields, ask, tests = inside.message.fields, inside.__getitem__, self._tests.items()
        return tuple(
            [holds(test, _NO_WORDS, ask) if number in fields else test.negated for test, number in tests]
        )

    def code(self, mti: str, facts: tuple[bool, ...]) -> str:
        """DE 39 of an approval for *mti*, as recipe rows override it."""
        if (code := self._codes.get((mti, facts))) is None:
            rows = self._holding(frozenset((*_words(mti), "approved")), "", facts)
            code = parts_of(rows).get(_DECISION, {}).get("") or approved(self.version, *mti[1:3])
            self._codes.keep((mti, facts), code)
        return code

    def outline(self, request: Message, code: str, partial: bool, facts: tuple[bool, ...]) -> Outline:
        """The outline of the response to *request* with DE 39 *code*; *partial*: for part of the amount."""
        key = (request.mti, tuple(request.fields), code, partial, facts)
        if (outline := self._outlines.get(key)) is None:
            outline = self._outlines.keep(key, self._outlined(request, code, partial, facts))
        return outline

    def _holding(self, words: frozenset[str], code: str, facts: tuple[bool, ...]) -> list[Recipe]:
        """The rows whose conditions on the message, on *words* and on DE 39, *code*, all hold."""
        known = dict(zip(self._tests, facts, strict=True))

        def is_met(test: Test) -> bool:
            return known[test] if test in known else holds(test, words, lambda path: code)

        return [row for row in self._rows if all(map(is_met, row.tests))]

    def _outlined(self, request: Message, code: str, partial: bool, facts: tuple[bool, ...]) -> Outline:
        mti, version, network = request.mti, self.version, self.network
        listed = lookup("response_code", code, version=version)
        kind = listed.kind if listed else ""
        words = frozenset((*_words(mti), kind, *(["partial"] if partial else [])))
        echoed = {
            *read_toml("templates")["echoed"][version],
            *required(network, mtis.response_mti(mti) or ""),
        }
        repeated = [number for number in sorted(echoed) if number in request.fields]
        varied: dict[int, _Recipe] = {}
        if mti[1] in _DECIDED and kind == "approved":
            varied[38] = _Answer.approval_code
        if partial:
            varied[4] = _Answer.amount
        fields = {**dict.fromkeys((*repeated, *varied), ""), _DECISION: code}
        for number, parts in parts_of(self._holding(words, code, facts)).items():
            if number == _DECISION:
                continue
            if number in fields:
                varied[number] = _completed(varied.get(number), number, parts)
            elif any(map(placeholders, parts.values())):
                varied[number] = filler(number, parts, version, network)
            elif text := filled(number, "", parts, Values({}, str), version, network):
                fields[number] = text
        fields = dict.fromkeys(varied, "") | fields
        return Outline(dict(sorted(fields.items())), tuple(varied.items()), repeated)


@cache
def answers_of(network: str | None, version: str) -> Answers:
    """The response recipes of a network (None: the standard) and version."""
    return Answers(network, version)


_NO_WORDS: frozenset[str] = frozenset()


def _words(mti: str) -> tuple[str, str]:
    return _CLASSES.get(mti[1], ""), "advice" if mti[2] == _ADVICE else "request"


_LEDGER, _AVAILABLE, _ORIGINAL = "01", "02", "57"  # amount types in DE 54
_USUAL_CURRENCY = "840"


def respond(
    request: Message,
    code: str | int | None = None,
    *,
    approval: str | None = None,
    amount_minor_units: int | None = None,
    balance_minor_units: int | None = None,
    at: datetime | None = None,
    network: str | None = None,
) -> Generated:
    """An issuer's response to *request*: its MTI, the repeated elements, the decision, and what was
    requested: results of checks, balances, data for the chip.

    *code* is DE 39; None approves. *approval* is DE 38 of an approval. *amount_minor_units* is the amount
    approved if less than requested, *balance_minor_units* the account balance, negative if overdrawn. *at*
    is the time of the response (default: now), for links whose hosts send it. *network* None is the card's.
    Raises BuildError if such a message has no response or the code has the wrong length, OptionError for an
    impossible amount or a code that is no text or number.
    """
    mti, version = request.mti, request.version
    answer_mti = mtis.response_mti(mti)
    if answer_mti is None:
        raise BuildError(0, 2, "a request or an advice", f"MTI {mti}")
    if amount_minor_units is not None:
        if mti[1] not in "12" or mti[2] != "0":
            expected = "none, or an authorization or financial request; only these can be partially approved"
            raise OptionError("amount_minor_units", expected, f"MTI {mti}", 4)
        _check("amount_minor_units", amount_minor_units, _minor_units(request))
    _check("balance_minor_units", balance_minor_units, LARGEST_AMOUNT, -LARGEST_AMOUNT)
    width = request.spec[39].width
    if type(code) is int and code >= 0:
        code = f"{code:0{width}}"
    if not isinstance(code, str | None):
        raise OptionError("code", "a text or a number", quoted_value(code), 39)
    if approval is not None and approval != request.get(38):
        _check_approval(approval, request)
    network = network or chosen_network(request, None)
    owner = fills_of(request.spec, network)
    inside, rows = Inside(request, owner), answers_of(owner, version)
    facts = rows.facts(inside)
    if code:
        decided = code
    elif amount_minor_units is not None:
        decided = str(read_toml("templates")["answer"]["partial"][version])
    else:
        decided = rows.code(mti, facts)
    if len(decided) != width:
        expected = f"{request.spec[39].format}, a code of {version}: see sim.codes('response_code')"
        raise BuildError(39, None, expected, size(decided))
    outline = rows.outline(request, decided, amount_minor_units is not None, facts)
    answer = _Answer(request, version, inside, decided, approval, amount_minor_units, balance_minor_units, at)
    fields = outline.written(answer, request.fields)
    return Generated(Message(answer_mti, fields, version, dialect=request.dialect), network, SOURCE_TEMPLATE)


def _check(option: str, value: int | None, most: int, least: int = 0) -> None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and least <= value <= most):
        return
    raise OptionError(option, f"a whole number, {least} to {most}", quoted_value(value), 4)


def _check_approval(approval: object, request: Message) -> None:
    """Raises OptionError if *approval* is not valid in DE 38 of a response to *request*."""
    element = request.spec[38]
    least = element.width if element.fixed else 1
    if not isinstance(approval, str) or not least <= len(approval) <= element.width:
        text = size(approval) if isinstance(approval, str) else quoted_value(approval)
        raise OptionError("approval", f"a text of {element.format}", text, 38)


@dataclass(slots=True)
class _Answer:
    """A response under construction; `part` is the amount approved if less than requested."""

    request: Message
    version: str
    inside: Inside
    code: str
    approval: str | None
    part: int | None
    balance: int | None
    at: datetime | None

    def __getitem__(self, name: str) -> Inside | Text:
        """The value of a placeholder."""
        if name == "request":
            return self.inside
        return Text(self.code if name == "code" else _DERIVED[name](self))

    def approval_code(self) -> str:
        """DE 38: as given, otherwise the request's, otherwise a sample."""
        return self.approval or self.request.get(38) or str(read_toml("templates")["sample"]["approval"])

    def amount(self) -> str:
        """DE 4 of a partial approval."""
        return amount_of(self.version, original_currency(self.request), self.part or 0)

    def seed(self) -> str:
        """The seed of values that only a network could assign."""
        request = self.request
        return f"{account(request)[1]}{request.get(11)}{request.get(7)}{self.code}"

    def clock(self) -> Clock:
        """The host's clock, for links that send it to the terminal."""
        return clock(self.version, self.at, UTC)

    def balance_group(self, kind: str) -> str:
        """The balance as a group of DE 54."""
        usual = int(read_toml("templates")["answer"]["balance"])
        return self.group(kind, usual if self.balance is None else self.balance)

    def group(self, kind: str, minor_units: int) -> str:
        """One group of DE 54: C, or D below zero, as docs.thredd.com also has it for the original amount."""
        sign = "D" if minor_units < 0 else "C"
        return additional_amount(self.version, kind, original_currency(self.request), sign, abs(minor_units))

    def original_amounts(self) -> str:
        """DE 30 of 1993 and 2003."""
        value = self.request.get(4)
        return value + "0" * len(value)

    def cryptogram(self) -> str:
        """Tag 91: eight bytes in place of the issuer cryptogram, then a two-character code."""
        two = self.code if len(self.code) == 2 else "00" if self.code.strip("0") == "" else "05"
        return digest(self.seed() + self.inside["55.9F26"], "answer", 16) + two.encode("ascii").hex().upper()


_Recipe = Callable[[_Answer], str]


def _completed(recipe: _Recipe | None, number: int, parts: dict[str, str]) -> _Recipe:
    """The recipe that adds *parts* to an element with a *recipe*, or repeated from the request."""

    def element(answer: _Answer) -> str:
        base = recipe(answer) if recipe else answer.request.fields[number]
        return filled(number, base, parts, answer, answer.version, answer.inside.network)

    return element


_DERIVED: dict[str, _Recipe] = {
    "ledger": lambda answer: answer.balance_group(_LEDGER),
    "available": lambda answer: answer.balance_group(_AVAILABLE),
    "original": lambda answer: answer.group(_ORIGINAL, _minor_units(answer.request)),
    "original_amounts": _Answer.original_amounts,
    "issuer_cryptogram": _Answer.cryptogram,
    "transaction_id": lambda answer: digits(answer.seed(), "transaction", 15),
    "network_reference": lambda answer: reference(answer.seed(), "network", 6),
    "time": lambda answer: answer.clock().elements[12],
    "date": lambda answer: answer.clock().elements[13],
    "reference": lambda answer: answer.clock().hour + answer.request.get(11)[-6:].rjust(6, "0"),
    "last_four": lambda answer: account(answer.request)[1][-4:],
    "token_pan": lambda answer: account(answer.request)[1],
}


def reverse(
    request: Message,
    *,
    answer: Message | None = None,
    reason: str | None = None,
    stan: str | Callable[[], str] | None = None,
    at: datetime | None = None,
    final_amount_minor_units: int | None = None,
    network: str | None = None,
) -> Generated:
    """The reversal of *request*: the repeated elements, the original data elements, the reason. *answer* is
    its response, from which the approval code, the approved amount and the network's transaction id are
    taken. *reason* is customer, timeout, misdispense, malfunction or partial; None is partial if
    *final_amount_minor_units* remains, otherwise customer. *stan* and *at* are the reversal's own; by
    default the next number, called for if it is a function, and the original's transmission time. On a link
    whose reversals repeat the STAN, the default is the original's. *network* None is the card's. Raises
    BuildError if *request* is not an authorization or financial request or advice, or *answer* is not its
    response; OptionError for an amount above the approved one, a STAN that is no text or an unknown reason.
    """
    _check_undone(request, answer)
    version = request.version
    network = network or chosen_network(request, None)
    owner = fills_of(request.spec, network)
    brand = None if owner == network else network or NETWORKS[0]
    code, amount = original_currency(request), _minor_units(request)
    if answer is not None and is_particular("partial", answer.version, answer.get(39)):
        amount = _minor_units(answer, amount)
    final = final_amount_minor_units
    _check("final_amount_minor_units", final, amount)
    details, notes = _reason(reason, final, owner, version)
    template = template_of("reversal", owner, version, "purchase", "manual", code, details, brand)
    kept = (*read_toml("templates")["kept"][version], *required(owner, template.mti))
    fields = {number: request[number] for number in kept if number in request}
    if pan := account(request)[1]:  # which a track may have, and a reversal has no track
        fields[2] = pan
    if not isinstance(stan, str | None) and not callable(stan):
        raise OptionError("stan", "a text", quoted_value(stan), 11)
    if callable(stan) or not stan:
        same = carried("reversal", request, None, {}, owner).get(11)
        stan = same or (stan() if stan else next_stan(request.get(11)))
    moment = clock(version, at, template.zone_at(at))
    sent = "" if at else request.get(7)
    fields[7] = sent or moment.elements[7]
    if answer is not None and 4 in request:
        fields[4] = amount_of(version, code, amount)
    fields[number_of("original", version)] = naming(request)
    if version != "1987":
        kinds = template.setting.kinds
        fields[24], fields[25] = str(kinds["function"]), str(kinds["reason"])
    context = Context(template.setting, template.known, pan, amount, stan[-6:], moment)
    fill(fields, template, context, "reversal")
    fields |= carried("reversal", request, answer, fields, owner)
    fields[11] = stan.zfill(spec(version)[11].width)
    for dropped in left_out(template.setting):
        fields.pop(dropped, None)
    message = Message(template.mti, dict(sorted(fields.items())), version, dialect=request.dialect)
    return Generated(message, network, SOURCE_TEMPLATE, notes)


REASONS = ("customer", "timeout", "misdispense", "malfunction", "partial")


def _check_undone(request: Message, answer: Message | None) -> None:
    """Raises BuildError if *request* cannot be reversed or *answer* is not its response."""
    mti = request.mti
    if mti[1] not in "12" or (not mtis.is_response(mti) and mtis.response_mti(mti) is None):
        raise BuildError(0, 1, "an authorization or financial request or advice", f"MTI {mti}")
    if mtis.is_response(mti):
        expected = "the request, whose elements a reversal repeats; pass the response as *answer*"
        raise BuildError(0, 2, expected, f"MTI {mti}")
    if answer is not None and answer.mti != mtis.response_mti(mti):
        raise BuildError(0, 0, f"its response, MTI {mtis.response_mti(mti)}", f"MTI {answer.mti}")


def _minor_units(message: Message, usual: int = 0) -> int:
    """DE 4 in minor units, *usual* if it is missing or not digits."""
    amount, _ = amount_in(message) or ("", "")
    return int(amount) if is_digits(amount) else usual


def original_currency(request: Message) -> str:
    """The currency of *request*, also used by follow-up messages."""
    _, code = amount_in(request) or ("", "")
    return code or request.get(49) or _USUAL_CURRENCY


def _reason(
    reason: str | None, final: int | None, network: str | None, version: str
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The details of a reversal with *reason* and *final* amount, and a note if the network cannot express
    the reason."""
    if reason is None:
        reason = "customer" if final is None else "partial"
    elif reason not in REASONS:
        raise ChoiceError.of("reason", reason, REASONS)
    if reason == "partial" and final is None:
        raise OptionError("reason", "final_amount_minor_units with reason 'partial'", "none", 95)
    details = {} if final is None else {"final_amount_minor_units": str(final)}
    if reason in ("customer", "partial"):
        return details, ()
    if speaks_of(reason, network, version):
        return details | {"reason": reason}, ()
    where = f"{network} in {version}" if network else f"{version} without a network"
    return details, (f"No public source says how {where} encodes reason {reason!r}, so it is omitted.",)


def reasons_of(reversal: Message, network: str | None) -> tuple[str, ...]:
    """The reasons that *reversal* states, according to the recipes."""
    inside = Inside(reversal, network)
    rows = recipes(network, reversal.version)
    return tuple(
        word
        for word in ("timeout", "misdispense", "malfunction")
        for row in rows
        if row.mentions(word) and all(inside[path] == text for path, text in row.parts.items())
    )


def naming(request: Message) -> str:
    """The original data elements (DE 90 of 1987, DE 56) that name *request*."""
    get = request.get
    sent = get(number_of("sent-of-original", request.version))
    return original_data(request.version, request.mti, get(11), sent, get(32), get(33))


def carried(
    word: str, request: Message, answer: Message | None, fields: Mapping[int, str], network: str | None
) -> dict[int, str]:
    """The elements that a follow-up message (*word*: its kind or purpose, *fields* so far) takes from the
    first *request* and its *answer*, if there is one."""
    inside = Inside(answer or Message("", {}, request.version), network)
    values = {"request": Inside(request, network), "answer": inside}
    rows = holding(carried_rows(network, request.version), frozenset((word,)), inside.__getitem__)
    return {
        number: value
        for number, parts in parts_of(rows).items()
        if (value := filled(number, fields.get(number, ""), parts, values, request.version, network))
    }


def fill(fields: dict[int, str], template: Template, context: Context, word: str) -> None:
    """Apply the recipe rows for *word*, such as `reversal`, and remove dropped elements."""
    setting = template.setting
    rows = [row for row in setting.rows if row.mentions(word)]
    for number, parts in parts_of(rows).items():
        base = fields.get(number, "")
        if base or any(text != "-" for text in parts.values()):
            fields[number] = filled(number, base, parts, context, setting.version, setting.network)
    for number in [number for number, text in fields.items() if not text]:
        del fields[number]


def left_out(setting: Setting) -> tuple[int, ...]:
    """The elements that matching recipes drop."""
    return tuple(number for number, parts in setting.parts.items() if parts.get("") == DROPPED)


def next_stan(stan: str) -> str:
    """The STAN after *stan*, six digits, 000001 after 999999."""
    if not is_digits(stan):
        raise BuildError(11, None, "digits in the original's STAN", size(stan))
    return f"{int(stan) % 999_999 + 1:06}"
