"""Answer a message as an issuer would; reverse one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from sim.codec import BuildError, Message
from sim.codec.walk import is_digits
from sim.elements import chip_data
from sim.elements import mti as mtis
from sim.elements.layout import fitting
from sim.elements.money import amount as amount_in
from sim.elements.pan import account, detect_network
from sim.errors import OptionError, shown
from sim.judge.engine import codes_of
from sim.masking.search import SHORTEST_PAN
from sim.operations.filling import Text, Values, filled, holding, parts_of, worded
from sim.operations.generation import SOURCE_TEMPLATE, Generated, Template, template_of
from sim.operations.options import LARGEST_AMOUNT
from sim.operations.recipes import (
    Context,
    additional_amount,
    amount_of,
    approved,
    clock,
    original_data,
)
from sim.operations.values import digest, digits, reference, values_of
from sim.spec import Spec, lookup, number_of, spec
from sim.spec.recipes import Recipe, answers
from sim.spec.tables import read_toml

_CLASSES = {
    "1": "authorization",
    "2": "financial",
    "3": "file",
    "4": "reversal",
    "5": "settlement",
    "8": "network",
}
_REQUEST, _ADVICE = "0", "2"
_LEDGER, _AVAILABLE, _ORIGINAL = "01", "02", "57"  # amount types in DE 54
_CHIP_DATA = 55
_USUAL_CURRENCY = "840"


class Inside:
    """The parts of a message by path: `48.82`, `55.9F26`, `22` for a whole element; empty where it has
    none."""

    def __init__(self, message: Message, network: str | None) -> None:
        self.message, self.network = message, network
        self._read: dict[int, dict[str, str]] = {}

    def __getitem__(self, path: str | int) -> Text:
        text, _, inside = str(path).partition(".")
        number = int(text)
        value = self.message.get(number)
        if not (inside and value):
            return Text(value)
        if number == _CHIP_DATA:
            chip = chip_data.read(value)
            return Text("" if chip.error else chip.value(inside))
        if number not in self._read:
            self._read[number] = self._parts(number, value)
        return Text(self._read[number].get(inside, ""))

    def _parts(self, number: int, value: str) -> dict[str, str]:
        own = self.message.spec
        repeated = len(value) < SHORTEST_PAN or number in codes_of(self.message.version)
        read = _read_code if repeated and not own.dialect else _read
        return read(own if own.dialect else own.version, number, value, self.network)


def _read(own: str | Spec, number: int, value: str, network: str | None) -> dict[str, str]:
    found = fitting(own, number, value, network)
    return {part.cell.path.partition(".")[2]: part.value for part, _ in found.walk()} if found else {}


_read_code = lru_cache(maxsize=512)(_read)  # messages repeat them, and they hold nothing of a card


def respond(
    request: Message,
    code: str | None = None,
    *,
    approval: str | None = None,
    amount_minor_units: int | None = None,
    balance_minor_units: int | None = None,
    network: str | None = None,
) -> Generated:
    """The answer to *request*, as an issuer gives it: its MTI by the request -> response rule, what is
    repeated, the decision, and what was asked for: results of checks, balances, an answer to the chip.

    *code* is DE 39; None approves. *approval* is DE 38 of an approval. *amount_minor_units* is what is
    approved where that is less than was asked for, *balance_minor_units* the balance of the account, below
    zero where it is overdrawn.
    *network* None is the card's. Raises BuildError where nothing answers such a message or the code has
    the wrong length, OptionError for an amount that cannot be.
    """
    answer_mti = mtis.response_mti(request.mti)
    if answer_mti is None:
        raise BuildError(0, 2, "a request or an advice", f"MTI {request.mti}")
    version = request.version
    asked = amount_in(request, 4)
    part = _checked(
        "amount_minor_units", amount_minor_units, int(asked[0]) if asked and is_digits(asked[0]) else 0
    )
    balance = _checked("balance_minor_units", balance_minor_units, LARGEST_AMOUNT, -LARGEST_AMOUNT)
    network = network or _network_of(request)
    inside = Inside(request, network)
    decided = code or _code(request, inside, part is not None)
    width = request.spec[39].width
    if len(decided) != width:
        raise BuildError(39, None, spec(version)[39].format, f"{len(decided)} characters")
    made = _Answer(request, network, inside, decided, part, balance)
    fields = made.fields(approval)
    return Generated(Message(answer_mti, fields, version, dialect=request.dialect), network, SOURCE_TEMPLATE)


def _checked(option: str, value: int | None, most: int, least: int = 0) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and least <= value <= most):
        return value
    raise OptionError(option, f"a whole number, {least} to {most}", shown(value), 4)


def _code(request: Message, inside: Inside, part: bool) -> str:
    """DE 39 of an issuer that says yes, by the rows that say it otherwise."""
    version = request.version
    if part:
        return str(read_toml("templates")["answer"]["partial"][version])
    words = frozenset((*_words(request.mti), "approved"))
    asked = _worded(inside.network, version, words, tuple(inside.message.fields), 39)
    rows = holding(asked, words, inside.__getitem__)
    own = parts_of(rows).get(39, {}).get("")
    return own or approved(version, *request.mti[1:3])


# Words and sets of elements are few, and messages repeat them: only what asks for a value is asked of each.
@lru_cache(maxsize=512)
def _worded(
    network: str | None,
    version: str,
    words: frozenset[str],
    present: tuple[int, ...],
    number: int | None = None,
) -> tuple[Recipe, ...]:
    """The rows for answers to messages with the elements *present* that no word and no missing element stands
    against, all of them or those that fill element *number*, with what they still ask of the message."""
    made = []
    for row in worded(answers(network, version), words):
        open_tests = [test for test in row.tests if test.path]
        of_present = [test for test in open_tests if int(test.path.partition(".")[0]) in present]
        absent = [test for test in open_tests if test not in of_present]
        fills = number is None or number in parts_of([row])
        if fills and holding([replace(row, tests=tuple(absent))], words):
            made.append(replace(row, tests=tuple(of_present)))
    return tuple(made)


def _words(mti: str) -> tuple[str, str]:
    return _CLASSES.get(mti[1], ""), "advice" if mti[2] == _ADVICE else "request"


class _Answer:
    """An answer in the making."""

    def __init__(
        self,
        request: Message,
        network: str | None,
        inside: Inside,
        code: str,
        part: int | None,
        balance: int | None,
    ) -> None:
        self.request, self.network, self.inside = request, network, inside
        self.code, self.part = code, part
        self.version = request.version
        usual = int(read_toml("templates")["answer"]["balance"])
        self.balance = usual if balance is None else balance
        self.seed = f"{account(request)[1]}{request.get(11)}{request.get(7)}{code}"

    def fields(self, approval: str | None) -> dict[int, str]:
        """All elements, ascending."""
        request, version = self.request, self.version
        echoed = read_toml("templates")["echoed"][version]
        given = request.fields
        fields = {number: given[number] for number in echoed if number in given}
        fields[39] = self.code
        known = lookup("response_code", self.code, version=version)
        kind = known.kind if known else ""
        if request.mti[1] in "12" and kind == "approved":
            fields[38] = approval or request.get(38) or str(read_toml("templates")["sample"]["approval"])
        if self.part is not None:
            fields[4] = amount_of(version, self._currency(), self.part)
        words = {*_words(request.mti), kind}
        if self.part is not None:
            words.add("partial")
        said = frozenset(words)
        rows = holding(_worded(self.network, version, said, (*request.fields, 39)), said, self._ask)
        values = self._values()
        for number, parts in parts_of(rows).items():
            if number == 39:
                continue
            text = filled(number, fields.get(number, ""), parts, values, version, self.network)
            fields[number] = text
        return {number: fields[number] for number in sorted(fields) if fields[number]}

    def _ask(self, path: str) -> str:
        return self.code if path == "39" else self.inside[path]

    def _currency(self) -> str:
        found = amount_in(self.request, 4)
        return (found[1] if found else "") or self.request.get(49) or _USUAL_CURRENCY

    def _values(self) -> Values:
        values = Values({"code": self.code}, lambda name: _DERIVED[name](self))
        values["request"] = self.inside
        return values

    def group(self, kind: str, minor_units: int) -> str:
        """One group of DE 54: a credit, a debit below zero."""
        sign = "D" if minor_units < 0 else "C"
        return additional_amount(self.version, kind, self._currency(), sign, abs(minor_units))

    def original(self) -> str:
        """The amount that was asked for, as a group of DE 54. C, as in the one open sample with type 57:
        docs.thredd.com takes C for a positive and D for a negative amount."""
        found = amount_in(self.request, 4)
        return self.group(_ORIGINAL, int(found[0]) if found and is_digits(found[0]) else 0)

    def original_amounts(self) -> str:
        """DE 30 of 1993 and 2003."""
        asked = self.request.get(4)
        return asked + "0" * len(asked)

    def cryptogram(self) -> str:
        """Tag 91: eight bytes that stand for the issuer's cryptogram, and the code in two characters."""
        two = self.code if len(self.code) == 2 else "00" if self.code.strip("0") == "" else "05"
        return digest(self.seed + self.inside["55.9F26"], "answer", 16) + two.encode("ascii").hex().upper()


_DERIVED: dict[str, Callable[[_Answer], str]] = {
    "ledger": lambda made: made.group(_LEDGER, made.balance),
    "available": lambda made: made.group(_AVAILABLE, made.balance),
    "original": _Answer.original,
    "original_amounts": _Answer.original_amounts,
    "issuer_cryptogram": _Answer.cryptogram,
    "transaction_id": lambda made: digits(made.seed, "transaction", 15),
    "network_reference": lambda made: reference(made.seed, "network", 9),
    "last_four": lambda made: account(made.request)[1][-4:],
    "token_pan": lambda made: account(made.request)[1],
}


def reverse(
    original: Message,
    *,
    stan: str | None = None,
    at: datetime | None = None,
    final_amount_minor_units: int | None = None,
) -> Generated:
    """The message that undoes *original*: what it repeats, original data elements, reason.

    *stan* and *at* are the reversal's own; without them the next number and the original's own
    transmission time. *final_amount_minor_units* is what stays of the amount where only a part is undone.
    Raises BuildError when *original* is no authorization or financial message, OptionError for an amount
    above it.
    """
    if original.mti[1] not in "12":
        raise BuildError(0, 1, "an authorization or financial message", f"MTI {original.mti}")
    version = original.version
    network = _network_of(original)
    found = amount_in(original, 4)
    digits_of, code = found or ("", "")
    asked = int(digits_of) if is_digits(digits_of) else 0
    final = _checked("final_amount_minor_units", final_amount_minor_units, asked)
    details = {} if final is None else {"final_amount_minor_units": str(final)}
    code = code or original.get(49) or _USUAL_CURRENCY
    template = template_of("reversal", network, version, "purchase", "manual", code, details)
    kept = read_toml("templates")["kept"][version]
    fields = {number: original[number] for number in kept if number in original}
    width = spec(version)[11].width
    number = stan or _next(original.get(11))
    fields[11] = number.zfill(width)
    moment = clock(version, at, template.zone_at(at))
    sent = "" if at else original.get(7)
    fields[7] = sent or moment.elements[7]
    earlier = original.get(number_of("sent-of-original", version))
    data = original_data(version, original.mti, original.get(11), earlier, original.get(32), original.get(33))
    fields[number_of("original", version)] = data
    if version != "1987":
        kinds = template.setting.kinds
        fields[24], fields[25] = str(kinds["function"]), str(kinds["reason"])
    context = Context(template.setting, account(original)[1], asked, number[-6:], moment)
    _undo(fields, template, context)
    message = Message(template.mti, dict(sorted(fields.items())), version, dialect=original.dialect)
    return Generated(message, network, SOURCE_TEMPLATE)


def _undo(fields: dict[int, str], template: Template, context: Context) -> None:
    """Fill in what recipes say of reversals, and take out what they drop."""
    setting = template.setting
    values = values_of(context)
    rows = [row for row in setting.rows if row.mentions("reversal")]
    for number, parts in parts_of(rows).items():
        base = fields.get(number, "")
        if base or any(text != "-" for text in parts.values()):
            fields[number] = filled(number, base, parts, values, setting.version, setting.network)
    for number in [number for number, text in fields.items() if not text]:
        del fields[number]


def _next(stan: str) -> str:
    """The STAN after *stan*, six digits, 000001 after 999999."""
    if not is_digits(stan):
        raise BuildError(11, None, "digits in the original's STAN", f"{len(stan)} characters")
    return f"{int(stan) % 999_999 + 1:06}"


def _network_of(message: Message) -> str | None:
    found = detect_network(message)
    return found.network if found else None
