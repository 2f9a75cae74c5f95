"""Grades the exercises of the notebooks: `check.mti(1, answer)` prints what the answer deserves.

An answer still `...` is "not tried yet", a wrong one gets a hint. What is right is worked out by the
toolkit itself; an exercise that asks for a message accepts every message that does what was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any

from made_up import NOON, a_day

import sim
from sim.codec import bitmap as bitmaps
from sim.codec import parse
from sim.elements import dates, emv, pan, tlv
from sim.elements import mti as mtis
from sim.judge import catalogue
from sim.masking import mask_pan
from sim.spec import code_list, currency, lookup, spec
from sim.spec.networks import detect, network, test_cards

# Takes an answer; gives a hint, empty when the answer is right.
Judge = Callable[[Any], str]
# What a message must be like, and the hint when it is not.
Wish = tuple[Callable[[sim.Message], bool], str]


class Lesson:
    """The exercises of one notebook, numbered from 1."""

    def __init__(self, *judges: Judge) -> None:
        self._judges = judges

    def __len__(self) -> int:
        return len(self._judges)

    def __call__(self, number: int, answer: object) -> None:
        """Print the verdict on *answer* to exercise *number*."""
        print(f"Exercise {number}: {self.verdict(number, answer)}")

    def verdict(self, number: int, answer: object) -> str:
        """`not tried yet`, `right`, or `not yet` with a hint. Raises IndexError for an unknown number."""
        if not 1 <= number <= len(self):
            raise IndexError(f"this notebook has exercises 1 to {len(self)}")
        if answer is ...:
            return "not tried yet. Put your answer in place of the three dots."
        try:
            hint = self._judges[number - 1](answer)
        except (TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
            hint = (
                f"an answer of type {type(answer).__name__} cannot be judged here ({type(error).__name__})."
            )
        return f"not yet. {hint[:1].upper()}{hint[1:]}" if hint else "right. Well done."


def _equal(expected: Callable[[], object], hint: str) -> Judge:
    def judge(answer: Any) -> str:
        right = expected()
        answer = answer.item() if hasattr(answer, "item") else answer  # a number out of a table
        if type(answer) is not type(right):
            return f"the answer should be a {type(right).__name__}, not a {type(answer).__name__}."
        return "" if answer == right else hint

    return judge


def _members(expected: Callable[[], Iterable[Any]], hint: str) -> Judge:
    """For an answer in which neither the order nor the kind of collection matters."""
    return lambda answer: "" if sorted(answer) == sorted(expected()) else hint


def _wants(*wishes: Wish) -> Judge:
    """For a message in any form; the first of *wishes* that it does not meet gives its hint."""

    def meets(met: Callable[[sim.Message], bool], message: sim.Message) -> bool:
        try:
            return met(message)
        except (KeyError, IndexError, ValueError):  # an element that the wish is about is not there
            return False

    def judge(answer: Any) -> str:
        table = sim.parse(answer, format="text")
        if (table["finding"].fillna("") != "").any():
            return f"this is no message yet: {table['finding'].iloc[-1]}."
        message = table.iso.to_message()
        return next((hint for met, hint in wishes if not meets(met, message)), "")

    return judge


def _broken_rules(message: sim.Message, severity: str) -> list[str]:
    found = sim.validate(message)
    return [str(rule) for rule in found.loc[found["severity"] == severity, "rule"]]


def _is_card(message: sim.Message, name: str) -> bool:
    found = pan.detect_network(message)
    return found is not None and found.network == name


def _answers(message: sim.Message, kind: str, meaning: str) -> bool:
    found = lookup("response_code", message.get(39), version=message.version)
    return message.mti == kind and found is not None and found.meaning == meaning


start = Lesson(
    _wants(
        (lambda m: m.mti == "0100", "the message type is auth, which is MTI 0100."),
        (lambda m: _is_card(m, "MASTERCARD"), "the card should be a Mastercard; see `network=`."),
        (lambda m: int(m[4]) == 4000, "DE 4 counts cents: how many cents are 40.00 dollars?"),
    ),
    _equal(
        lambda: next(number for number in range(2, 65) if spec("1987")[number].pattern == "YYMM"),
        "look for December 2029 in the column `meaning`.",
    ),
    _wants(
        (lambda m: m.mti == "0110", "the answer to an 0100; see `sim.respond`."),
        (lambda m: _answers(m, "0110", "expired card"), "which code says expired card, and no more?"),
    ),
)

_ADVICE = "financial transaction advice"

mti = Lesson(
    _equal(
        lambda: "0" + next(one.code for one in code_list("message_types") if one.meaning == _ADVICE),
        "version 1987, class financial, function advice, originator acquirer: one digit each.",
    ),
    _equal(lambda: mtis.response_mti("0421"), "a response answers the message, not its repeat."),
    _members(
        lambda: [one for one in ("0100", "0101", "0110", "0401", "0420", "0421") if mtis.is_repeat(one)],
        "look at the fourth digit only: is it odd?",
    ),
)

bitmap = Lesson(
    _members(lambda: bitmaps.numbers("7020000000C00000"), "write four bits for each digit; count from 1."),
    _equal(lambda: bitmaps.to_hex([7, 11, 39, 70]), "70 is above 64, so there are 32 hex digits."),
    _equal(lambda: len(bitmaps.to_hex([2, 3, 4, 128])), "one bitmap reaches to DE 64."),
)

prefixes = Lesson(
    _equal(
        lambda: parse("080000200001000100006543210876543210011MAINTENANCE")[32],
        "DE 11 ends at 26; there the length of DE 32 stands.",
    ),
    _equal(
        lambda: str(sim.build({0: "0800", 48: "HELLO WORLD"}))[20:], "three digits first; a blank counts."
    ),
    _equal(lambda: spec("1987")[44].width + spec("1987")[44].prefix, "its length prefix travels, too."),
)

generate = Lesson(
    _wants(
        (lambda m: m.mti == "0200", "a financial message: MTI 0200."),
        (lambda m: _is_card(m, "MASTERCARD"), "the card should be a Mastercard."),
        (lambda m: m[3][:2] == "01", "DE 3 should say cash withdrawal; see `purpose=`."),
        (lambda m: (m[4].lstrip("0"), m[49]) == ("6000", "978"), "60.00 EUR, in cents."),
    ),
    _wants(
        (lambda m: mtis.is_network_management(m.mti), "an echo test, MTI 0800."),
        (lambda m: int(m[11]) == 777, "the STAN is six digits, with zeros in front."),
    ),
    _wants(
        (lambda m: m[12] == "093000", "the merchant's clock (DE 12) should show 09:30:00."),
        (lambda m: m[7][4:] == "083000", "DE 7 is in UTC: give `at` a time zone one hour ahead of UTC."),
    ),
)

validate = Lesson(
    _wants((lambda m: _broken_rules(m, "error") == ["date"], "one error, of rule `date`: a month 13, say.")),
    _equal(
        lambda: next(name for name, rule in catalogue().items() if "are in ISO 4217" in rule.checks),
        "filter `sim.rules()` by its column `checks`, and take the name of an error, not of a warning.",
    ),
    _wants(
        (lambda m: not _broken_rules(m, "error"), "it has an error; take another way."),
        (lambda m: _broken_rules(m, "warning") != [], "whose cards do not belong in an 0100?"),
    ),
)

card = Lesson(
    _equal(lambda: pan.check_digit("7992739872"), "begin to double with the last of the ten digits."),
    _equal(lambda: getattr(detect("2720990000000000"), "network", ""), "look for the range around 272099."),
    _equal(
        lambda: mask_pan(next(one.pan for one in test_cards() if one.network == "AMEX" and one.default)),
        "six digits, stars, four digits; as many characters as the card has digits: 15.",
    ),
)


def _minor(units: str, alpha: str) -> int:
    known = currency(alpha)
    whole, _, part = units.partition(".")
    return int(whole + part.ljust((known.exponent if known else None) or 0, "0"))


money = Lesson(
    _equal(lambda: _minor("1250", "JPY"), "the yen has no smaller unit: its exponent is 0."),
    _equal(lambda: f"{_minor('7.5', 'KWD'):0{spec('1987')[4].width}}", "three decimals, twelve digits."),
    _equal(
        lambda: dates.write(
            spec("1987")[7].pattern,
            datetime(2026, 11, 20, 21, 15, tzinfo=timezone(-timedelta(hours=5))).astimezone(UTC),
        ),
        "UTC is five hours ahead of New York in November, which may change the day as well.",
    ),
)

networks = Lesson(
    _members(
        lambda: {*sim.generate(network="MASTERCARD")["number"]} - {*sim.generate(network="VISA")["number"]},
        "compare the two columns of the table of elements, or subtract one set of numbers from the other.",
    ),
    _equal(
        lambda: sim.generate("echo", network="MASTERCARD").iso.to_message()[70],
        "generate the echo test of each network and look at DE 70.",
    ),
    _members(
        lambda: [name for name in sim.NETWORKS if network(name).native_version == "1993"],
        "validate a message of version 1993 for each network: two of them do not warn about its MTI.",
    ),
)

life = Lesson(
    _wants(
        (lambda m: m.mti == "0110", "an authorization response: `sim.respond` to an 0100."),
        (lambda m: _answers(m, "0110", "incorrect PIN"), "which code says incorrect PIN?"),
    ),
    _members(
        lambda: set(sim.respond(sim.generate())["number"]) - set(sim.generate()["number"]),
        "the decision, and its proof.",
    ),
    _wants(
        (lambda m: m.mti[1] == "4", "a reversal; see `sim.reverse`."),
        (lambda m: m[90][4:10] == "004242", "DE 90 should hold the original's STAN, 004242."),
        (lambda m: int(m[4]) == 7500, "the amount is 75.00 USD."),
    ),
)


def _entry_kinds() -> dict[str, str]:
    """What the entry modes are to Mastercard: `80` is a fallback of the stripe."""
    codes = (f"{number:02}" for number in range(100))
    found = {code: lookup("pos_entry_mode", code, version="1987", network="MASTERCARD") for code in codes}
    return {code: f"{one.kind}, {one.meaning}" for code, one in found.items() if one}


service_point = Lesson(
    _equal(
        lambda: sim.generate(entry="contactless").iso.to_message()[22],
        "two digits of entry mode, contactless chip, and one for a terminal that can accept a PIN.",
    ),
    _wants(
        (lambda m: _is_card(m, "MASTERCARD"), "the card should be a Mastercard."),
        (lambda m: _entry_kinds()[m[22][:2]].startswith("ecommerce"), "DE 22 should say e-commerce."),
    ),
    _equal(
        lambda: next(code for code, kind in _entry_kinds().items() if kind.startswith("fallback, magnetic")),
        'it is a code of one network only; filter `sim.codes("pos_entry_mode")`.',
    ),
)

chip = Lesson(
    _equal(
        lambda: [tag.tag for tag in tlv.read("5F2A0209789A032611209C0100")],
        "5F ends in five ones, so that tag has two bytes; 9A has one.",
    ),
    _equal(lambda: tlv.write({"9F02": f"{1234:012}"}), "tag, length, value: twelve digits are six bytes."),
    lambda answer: (
        "" if emv.cryptogram(answer).startswith("TC") else "the top two bits are 01: approved offline, a TC."
    ),
)

versions = Lesson(
    _equal(lambda: sim.generate(version="1993").iso.mti, "only the first digit of 0100 changes."),
    _equal(lambda: spec("2003")[12].format, 'filter `sim.fields("2003")` by number, take `format`.'),
    _equal(lambda: next(one for one in sim.VERSIONS if spec(one)[39].width == 3), "see DE 39 in each."),
)

# The message that was damaged in three ways.
ECHO = str(sim.generate("echo", stan="000042", at=NOON).iso.message)


def _mended(hint: str) -> Judge:
    return _wants((lambda m: str(sim.build(m)) == ECHO, hint))


broken = Lesson(
    _mended("the message starts with its MTI; take away only what stands in front of it."),
    _mended("it can be read, but the STAN was 000042: put the lost character back where it was lost."),
    _mended("the data are sound, the bitmap is not: take the bit of an element away that was never sent."),
)


def _body(**wanted: object) -> Judge:
    """For the body of a request: each wish is a key of the interface with its value."""

    def judge(answer: Any) -> str:
        wrong = [
            key
            for key, value in wanted.items()
            if (type(answer.get(key)), answer.get(key)) != (type(value), value)
        ]
        return f"look at {', '.join(wrong)}; mind the types, too." if wrong else ""

    return judge


def _status(raw: str, *, explained: bool) -> int:
    """What the service answers: a broken message is a finding to validate, an error to explain."""
    return 422 if explained and (sim.parse(raw)["finding"].fillna("") != "").any() else 200


_yen = currency("JPY")

http = Lesson(
    _body(
        message_type="financial",
        network="JCB",
        currency=_yen.numeric if _yen else "",
        amount_minor_units=_minor("500", "JPY"),
    ),
    _equal(
        lambda: _status("0800", explained=False),
        "the request is in order; only the message in it is not, and that is what the answer says.",
    ),
    _equal(
        lambda: _status("0800", explained=True),
        "nothing can be said of a message that cannot be read: what was sent cannot be processed.",
    ),
)


@cache
def _rows(mti: str) -> Any:
    log = sim.read(a_day(), progress=False)
    return log[log["error"].isna() & (log["mti"] == mti)]


day = Lesson(
    _equal(lambda: (_rows("0110")["DE39"] == "51").sum().item(), "count the responses whose DE39 is 51."),
    _equal(
        lambda: (_rows("0110")["DE39"] == "00").groupby(_rows("0110")["network"]).mean().idxmax(),
        "sort the shares of approvals; the name of the network with the largest.",
    ),
    _equal(
        lambda: len(set(_rows("0100")["DE11"]) - set(_rows("0110")["DE11"])),
        "requests (0100) whose DE11 no response (0110) has.",
    ),
)


def _panel(*wishes: Wish) -> Judge:
    """For an answer that is a panel or an anatomy whose message must meet all *wishes*."""
    judge = _wants(*wishes)
    return lambda answer: judge(answer.message) if answer.message else "it has no message yet; see `run()`."


panels = Lesson(
    _panel(
        (lambda m: (m.mti, m[11]) == ("0800", "000777"), "an 0800 with the STAN 000777; see `set_value`.")
    ),
    _panel(
        (lambda m: m.mti == "0200", "the message type should be financial."),
        (lambda m: _is_card(m, "UNIONPAY"), "the card should be a UnionPay card."),
    ),
    _panel((lambda m: (int(m[4]), m[49]) == (1234, "978"), "1234 euro cents, currency 978.")),
)

dumps = Lesson(
    _equal(lambda: 0x8F, "the two bytes in front, 008f, are one number. What is it in decimal digits?"),
    _equal(lambda: 70, "`byte_start` of the row whose number is 41, as an int."),
    _wants(
        (lambda m: m.mti == "0110", "read the dump `answered` with `sim.parse`."),
        (lambda m: m.get(39) == "51", "change the row of DE 39 to the code for not sufficient funds."),
    ),
)
