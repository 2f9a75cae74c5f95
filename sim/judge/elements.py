"""Rules about the value of one element: its characters, dates, codes, and the layout of what is inside.

A value with characters outside its class gets only that finding: the other rules check `clean` first. Unknown
codes are warnings, since links agree on their own codes. The layout rows define the positions and contents of
parts: `misfits` reports what does not fit, `unknown` the codes in no list; a rule is one line, or adds what
only it knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import Any

from sim.elements import dates, money
from sim.elements.card import read_track_1
from sim.elements.mti import Original
from sim.elements.pos import read_location
from sim.errors import counted
from sim.judge.finding import Hit, Severity, catalogue, wrong_check_digit
from sim.judge.parts import ACCOUNT, CARD, DE, MTI, NUMBER, TABLE, VALUE, Card, Maybe, Stripe
from sim.judge.rules import EVERY_DIGIT, Bound, Told, each, of_parts, rule, standard
from sim.masking import is_sensitive
from sim.masking.search import SHORTEST_PAN, is_card
from sim.parts import layout
from sim.parts.layout import Misfit, Part, Parts, closest, expected_of, fits, fitting, place, read
from sim.spec import (
    VERSIONS,
    Country,
    ElementSpec,
    Spec,
    code_list,
    country,
    country_of_region,
    currency,
    lookup,
    merchant_category,
    region,
    role,
    spec,
    version_of,
)
from sim.spec.layouts import CLASS_NAMES, FOREIGN, Cell, laid_out, layouts
from sim.spec.networks import NETWORKS, luhn_ok, network, response_code
from sim.spec.tables import read_csv

LATER = ("1993", "2003")
_CARD_CLASSES = "1234567"
_UNSOURCED = "unsourced"
_REGION_WIDTH = 16  # postal code, region and country in DE 43 of 1993
_ALPHA_3 = 3  # letters of an ISO 3166 alpha-3 code
_NO_LIST = frozenset(("", "text", "id", "date", "amount", "flags", "is", "blank", "mti", "digits", "country"))
_TRACK_2, _CHIP_DATA = 35, 55  # the former has a rule for its whole layout
# Clear ISO 9564 blocks of formats 0 to 2, and 3 with its own fill digits: PIN length, PIN, F to the end.
_CLEAR_BLOCK = re.compile(
    "|".join(
        f"[0-2]{size:X}[0-9]{{{size}}}F{{{14 - size}}}|3{size:X}[0-9]{{{size}}}[A-F]{{{14 - size}}}"
        for size in range(4, 13)
    )
)


def clean(value: str, number: int, table: Spec) -> bool:
    """Whether the element is present, not empty, and has only characters of its class."""
    return bool(value) and FOREIGN[table[number].content].search(value) is None


def purpose_kind(processing_code: str, version: str) -> str:
    """The kind of transaction in the processing code, such as `debit`; empty if unknown."""
    entry = lookup("transaction_type", processing_code[:2], version=version)
    return entry.kind if entry else ""


def part_of_pos(version: str, job: str) -> slice:
    """The position of the part of DE 22 with this *job*; an empty slice if there is none."""
    row = role(job, version)
    return place(version, 22, row.part) if row else slice(0, 0)


@lru_cache(maxsize=512)
def country_of_place(place: str, version: str) -> Country | None:
    """The country of the terminal in DE 43."""
    where = read_location(place, version)[2].strip()
    return country(where) or country_of_region(where)


# Any element.


def of_element(element: ElementSpec, table: Spec) -> Iterator[Bound]:
    """The rules about any element of *table*: its characters, whole bytes, the calendar."""
    part = DE[element.number].tagged if element.number == _CHIP_DATA else DE[element.number].characters
    if element.number != _TRACK_2:
        foreign = FOREIGN[element.content].search
        yield _searching("character-class", part, foreign, partial(character_class, element), table)
    if element.binary:
        half = lambda value: value if len(value) % 2 else ""  # noqa: E731
        yield _searching("whole-bytes", part, half, partial(whole_bytes, element), table)
    if element.pattern:
        unusual = dates.unusual(element.pattern).match
        yield _searching("date", DE[element.number].moment, unusual, partial(date, element, table), table)


_OF_ELEMENT = ("character-class", "whole-bytes", "date")


def _searching(
    rule_id: str, part: Any, find: Callable[[str], Any], check: Callable[[Any], Told], table: Spec
) -> Bound:
    """A rule that passes to *check* what *find* finds in a value, if anything."""
    text = catalogue()[rule_id]
    say = standard(text, _OF_ELEMENT.index(rule_id) - len(_OF_ELEMENT))
    error = text.severity is Severity.ERROR
    return Bound(find, lambda wrong: say(check(wrong) or ()), (part,), table, error=error)


def character_class(element: ElementSpec, wrong: re.Match[str]) -> Hit:
    """Every value has only the characters of its class."""
    expected = f"{element.format}, {CLASS_NAMES[element.content]}"
    return Hit(element.number, expected, _describe(wrong[0]), wrong.start(), 1)


def _describe(char: str) -> str:
    code = ord(char)
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"control character U+{code:04X}"
    return repr(char) if code < 0x7F else f"{char!r} (U+{code:04X})"


def whole_bytes(element: ElementSpec, value: str) -> Hit:
    """Binary values have two hex digits per byte."""
    return Hit(element.number, "two hex digits per byte", counted(len(value), "hex digit"))


def date(element: ElementSpec, table: Spec, unusual: re.Match[str]) -> Told:
    """Dates and times exist in the calendar."""
    value = unusual.string
    if not (value.isascii() and value.isdigit()):
        return None  # the character class says so
    if (wrong := dates.problem(element.pattern, value)) is None:
        return None
    start, end, text = wrong
    actual = "an impossible date" if is_sensitive(element.number, table.version) else text
    return Hit(element.number, element.pattern, actual, start, end - start)


def misfit(value: str, element: ElementSpec, table: Spec) -> Told:
    """What is wrong with the characters of a value, or with its date."""
    if element.number != _TRACK_2 and (wrong := FOREIGN[element.content].search(value)):
        return character_class(element, wrong)
    if element.pattern and (wrong := dates.unusual(element.pattern).match(value)):
        return date(element, table, wrong)
    return None


# Currencies and countries.


@cache
def currencies(version: str) -> dict[int, slice]:
    """The positions of currencies: separate elements, or the start of amounts."""
    inside = ((number, money.composite(version, number)) for number in money.CURRENCY_OF)
    slices = {number: places[0] for number, places in inside if places}
    return slices or {number: slice(None) for number in sorted({*money.CURRENCY_OF.values()})}


@each("currency", *currencies("1987"), versions=("1987", "1993"), classes="1234567", any_mti=True)
@each("currency", *currencies("2003"), versions=("2003",), classes="1234567", any_mti=True)
def currency_known(value: str = VALUE, number: int = NUMBER, table: Spec = TABLE) -> Told:
    """Currencies are in ISO 4217."""
    code = value[currencies(table.version)[number]]
    entry = currency(code)
    if entry is None:
        unknown_code = Hit(number, "an ISO 4217 currency code", repr(code), 0, 3)
        return unknown_code if clean(value, number, table) else None
    if entry.exponent is None and entry.alpha == "XXX":
        hint = "999 (XXX) means that no currency is involved; an amount needs a real currency."
        return Hit(number, "a currency", "999, no currency", 0, 3, "", hint, Severity.WARNING)
    if entry.withdrawn:
        actual = f"{entry.numeric}, {entry.alpha} until {entry.withdrawn}"
        new = currency(entry.successor)
        hint = f"ISO 4217 withdrew it; use {new.numeric} ({new.alpha})." if new else ""
        return Hit(number, "a currency in use", actual, 0, 3, "", hint, Severity.WARNING)
    return None


@rule("minor-unit", versions=("2003",))
def minor_unit(amount: str = DE[4], table: Spec = TABLE) -> Told:
    """The minor unit digit of a 2003 amount agrees with ISO 4217."""
    where = place("2003", 4, "minor unit")
    digit = amount[where]
    expected = _other_minor_unit(amount[place("2003", 4, "currency")], digit)
    return Hit(4, expected, digit, where.start, len(digit)) if expected and clean(amount, 4, table) else None


def _other_minor_unit(code: str, digit: str) -> str:
    """The number of decimals that ISO 4217 gives the currency *code*, in words, if it is not *digit*."""
    entry = currency(code)
    if entry is None or entry.exponent is None or entry.withdrawn or digit == str(entry.exponent):
        return ""
    return f"minor unit {entry.exponent}, the ISO 4217 value for {entry.alpha}"


# Cards and tracks.


@rule("luhn-unknown-network", classes="1234567")
def luhn_of_unknown_network(card: Card = CARD) -> Told:
    """A card of an unknown network should have a correct check digit, too."""
    if card.network is not None or not card.field or not card.digits or card.right:
        return None
    return wrong_check_digit(card.field, card.size - 1)


@rule("track-2")
def track_2(stripe: Stripe = DE[35].stripe) -> Told:
    """DE 35 has the layout of track 2."""
    if stripe.pan_size:
        return None
    expected = "PAN, = or D, expiry YYMM, service code, then digits"
    return Hit(
        35, expected, f"{counted(stripe.size, 'character')} in another layout" if stripe.size else "length 00"
    )


@rule("track-2-expiry", classes=_CARD_CLASSES)
def track_2_expiry(stripe: Stripe = DE[35].stripe) -> Told:
    """The expiry on track 2 has a month."""
    at, expiry = stripe.expiry_at, stripe.expiry
    if at is None or not expiry or dates.problem("YYMM", expiry) is None:
        return None
    return Hit(35, "an expiry YYMM", "an impossible month", at + 2, 2)


@rule("track-2-service", classes=_CARD_CLASSES)
def track_2_service(stripe: Stripe = DE[35].stripe) -> Told:
    """The service code on track 2 has known digits."""
    at, service = stripe.expiry_at, stripe.service
    if at is None:
        return None
    if not service:
        expected = "a service code after the expiry" if stripe.expiry else "an expiry and a service code"
        return Hit(35, expected, "none", at, len(stripe.expiry))
    if not service or not _service_problem(service):
        return None
    return Hit(35, "a service code with known digits", "another", at + (len(stripe.expiry) or 1), 3)


def _service_problem(code: str) -> int:
    """The first position (1 to 3) of a service code that has no meaning; 0 when all have one."""
    return next(
        (at for at, digit in enumerate(code, 1) if digit not in listed("service_code", "", str(at))), 0
    )


@rule("service-code")
def service_code(value: str = DE[40], table: Spec = TABLE) -> Told:
    """DE 40 has three digits, each with its own list."""
    position = _service_problem(value)
    if not position or not clean(value, 40, table):
        return None
    return Hit(40, f"a known digit in position {position}", repr(value[position - 1]), position - 1, 1)


@rule("track-1", classes=_CARD_CLASSES)
def track_1(value: str = DE[45], table: Spec = TABLE) -> Told:
    """DE 45 has the layout of track 1, with a valid expiry."""
    if not clean(value, 45, table):
        return None
    track = read_track_1(value)
    if track is None:
        expected = "B, PAN, ^, name, ^, expiry YYMM, service code, then discretionary data"
        return Hit(45, expected, f"{counted(len(value), 'character')} in another layout")
    if track.expiry and dates.problem("YYMM", track.expiry):
        return Hit(45, "an expiry YYMM", "an impossible month", track.at + 2, 2)
    return None


# Free-form elements: those of private use, and names.
_FREE = (43, 44, 46, 47, 48, *range(58, 64), *range(104, 125))
# The character before is checked after the first digit, which finds candidates quickly.
_ANOTHER_CARD = re.compile(r"[2-6](?<![0-9A-Za-z][2-6])[0-9]{12,18}(?![0-9A-Za-z])")


@each("card-number-in-clear", *_FREE, classes="12478")
def card_number_in_clear(
    value: str = VALUE, account: tuple[int, str] = ACCOUNT, number: int = NUMBER, table: Spec = TABLE
) -> Told:
    """A card number, the message's own or another, is only in the elements that are masked and encrypted for
    it."""
    pan = account[1]
    if len(pan) > SHORTEST_PAN and pan in value:
        at = value.index(pan)
    elif len(value) > SHORTEST_PAN and (match := _ANOTHER_CARD.search(value)) and is_card(match[0]):
        at, pan = match.start(), match[0]
    else:
        return None
    return Hit(number, "no card number", "one in clear", at, len(pan))


@rule("pin-block", classes=_CARD_CLASSES)
def pin_block(block: str = DE[52], account: tuple[int, str] = ACCOUNT, table: Spec = TABLE) -> Told:
    """DE 52 is encrypted: neither empty nor a clear PIN block, combined with the card number or not."""
    value = block.upper()
    if not clean(value, 52, table):
        return None
    if len(set(value)) == 1:
        return Hit(52, "an encrypted PIN block", "one digit repeated")
    number = account[1][-13:-1]
    joined = f"{int(value, 16) ^ int(number, 16):016X}" if number.isdecimal() else ""
    if _CLEAR_BLOCK.fullmatch(value) or _CLEAR_BLOCK.fullmatch(joined):
        return Hit(52, "an encrypted PIN block", "a clear PIN block")
    return None


@each("only-zeros", 55, 62, 63, 96, 125)
def only_zeros(value: str = VALUE, number: int = NUMBER, table: Spec = TABLE) -> Told:
    """Chip data, private data and keys are not all zeros."""
    if not value or value.strip("0"):
        return None
    return Hit(number, f"{table[number].name.lower()} other than zeros", "zeros")


_OPEN = (36, *range(44, 49), 54, *range(56, 64), *range(104, 128))


@each("empty-element", *_OPEN)
@each("empty-card-number", 2)
@each("empty-acquirer", 32)
def empty_element(value: str = VALUE, number: int = NUMBER) -> Told:
    """An element that is announced has a value."""
    if value.strip():
        return None
    expected = {2: "a card number", 32: "the acquirer's ID"}.get(number, "a value, or no element")
    return Hit(number, expected, "blanks" if value else "length zero")


# Codes.


@cache
def _parts_of(version: str, number: int) -> tuple[tuple[Cell, int, int], ...]:
    """The parts of an element with fixed positions, with their start and end."""
    return layouts(version, number)[0].cell.slices or ()


@cache
def listed(name: str, version: str = "", position: str = "") -> frozenset[str]:
    """The codes of a list for *version* (empty: all versions), including those of networks."""
    return frozenset(
        row.code
        for row in code_list(name)
        if row.position == position and (not version or not row.versions or version in row.versions)
    )


def _on_a_network(version: str, number: int, value: str, at: tuple[int, int | None]) -> bool:
    """Whether any network lists *value*, or the part *at* a position in it."""
    for item in (item for name in NETWORKS for item in network(name).formats):
        if number not in item.fields or version not in item.versions:
            continue
        if item.check == "values" and (item.at or (0, None)) == at and value[slice(*at)] in item.values:
            return True
        if item.id.endswith("-values") and item.pattern and item.pattern.fullmatch(value):
            return True
    return False


# Lists that are not in `data/codes`.
_REGISTRIES: Mapping[str, Callable[[str], object]] = {"country": country, "mcc": merchant_category}


class _Coded:
    """A code in an element, or in the part of it that is *cell*, by a row of `data/rules_codes.csv`: its list
    (of any version or its own), and the codes left to agreement, with or without a remark."""

    def __init__(
        self, row: Mapping[str, str], version: str, number: int, cell: Cell | None, place: slice
    ) -> None:
        self.version, self.number, self.place = version, number, place
        self.key, self.list, self.position = (
            (cell.key, cell.codes, cell.argument) if cell else ("", row["list"], "")
        )
        self.edition = "" if row["of"] == "any" else version
        self.agreed = re.compile(row["agreed"]) if row["agreed"] else cell.agreed if cell else None
        self.remarked = bool(row["severity"])
        self.expected = row["expected"].format(part=self.key)

    def listed(self, code: str) -> bool:
        """Whether the standard lists *code*; without a list, only agreed codes count."""
        if registry := _REGISTRIES.get(self.list):
            return bool(registry(code))
        if not self.list:
            return self.is_agreed(code)
        return code in listed(self.list, self.edition, self.position)

    def is_agreed(self, code: str) -> bool:
        """Whether *code* is left to agreement."""
        return self.agreed is not None and self.agreed.fullmatch(code) is not None

    def check(self, value: str) -> Told:
        """The hit on the code in *value*, if any."""
        number, code = self.number, value[self.place]
        if self.listed(code) or not clean(value, number, spec(self.version)):
            return None
        if self._of_a_network(value, code):
            return None
        if (agreed := self.is_agreed(code)) and not self.remarked:
            return None
        known = listed(self.list, "", self.position) if self.list and self.list not in _REGISTRIES else ()
        elsewhere = agreed or code in known
        hint = "The code is not on this version's list; some links define it by agreement."
        severity = Severity.INFO if agreed else None
        at, size = self.place.start or 0, len(code)
        return Hit(
            number, self.expected, repr(code), at, size, hint=hint if elsewhere else "", severity=severity
        )

    def _of_a_network(self, value: str, code: str) -> bool:
        """Whether the table or the lists of any network have *code*."""
        if self.number == _ANSWER and any(response_code(name, code) for name in NETWORKS):
            return self.version == "1987"
        if not self.list or self.list in _REGISTRIES:
            return False
        cells = (
            candidate.cell.by_key.get(self.key)
            for name in NETWORKS
            for candidate in layouts(self.version, self.number, name)
            if candidate.network
        )
        if any(code in cell.values for cell in cells if cell):
            return True
        return _on_a_network(self.version, self.number, value, (self.place.start or 0, self.place.stop))


_ANSWER = 39

_CODES: dict[tuple[str, int], list[_Coded]] = {}


def known_later(code: str, number: int, version: str) -> bool:
    """Whether DE 24, 25 or 39 of 1993 or 2003 is in a list, or left to agreement."""
    return all(coded.listed(code) or coded.is_agreed(code) for coded in _CODES[version, number])


def _bind_codes(row: Mapping[str, str], version: str) -> None:
    """Bind *row* to its elements, or to the parts of its element."""
    # Countries are checked in all versions; their rows have versions because the elements differ.
    any_mti = not row["versions"] or row["list"] == "country"
    classes = row["classes"] or EVERY_DIGIT
    for number in map(int, row["element"].split()):
        places: list[tuple[Cell | None, slice]] = [] if row["part"] else [(None, slice(None))]
        for cell, start, end in _parts_of(version, number) if row["part"] else ():
            if row["part"] in ("*", cell.key):
                places.append((cell, slice(start, end)))
        for part, at in places:
            code = _Coded(row, version, number, part, at)
            _CODES.setdefault((version, number), []).append(code)
            of_parts(
                row["rule"], [DE[number]], code.check, versions=(version,), classes=classes, any_mti=any_mti
            )


for _row in read_csv("rules_codes"):
    for _version in _row["versions"].split("|") if _row["versions"] else VERSIONS:
        _bind_codes(_row, _version)


@rule("pos-data-bits", versions=("2003",))
def pos_data_bits(value: str = DE[22], table: Spec = TABLE) -> Iterator[Hit]:
    """DE 22 of 2003 has no bits set that are reserved for ISO."""
    if not clean(value, 22, table):
        return
    for cell, at, end in _parts_of("2003", 22):
        name, _, part = cell.argument.partition(" ")
        defined, agreed = listed(name, "2003", part), cell.agreed
        bits = map(str, layout.flags(value[at:end]))
        if wrong := [bit for bit in bits if bit not in defined and not (agreed and agreed.fullmatch(bit))]:
            actual = "bit " + ", ".join(wrong)
            yield Hit(22, f"only defined bits in {part}", actual, at, end - at, part)


@rule("retrieval-reference")
def retrieval_reference(value: str = DE[37], table: Spec = TABLE) -> Told:
    """DE 37 names the transaction: it is neither blank nor zeros, and has no blank in the middle."""
    if value.isalnum() and value.strip("0"):
        return None
    if not clean(value, 37, table):
        return None
    if not value.strip(" 0"):
        return Hit(37, "a reference", "blanks" if value.isspace() else "zeros")
    inner = value.strip().find(" ")
    if inner < 0:
        return None
    at = len(value) - len(value.lstrip()) + inner
    return Hit(37, "a reference without blanks inside", "a blank", at, 1, severity=Severity.INFO)


# Elements of several parts.


def misfits(value: str, number: int, table: Spec, reading: Parts | None = None) -> Iterator[Hit]:
    """What does not fit the layout of an element, with a hint if it fits that of another version."""
    if not clean(value, number, table):
        return
    near = reading or closest(table.version, number, value)
    if near is None or not near.misfits:
        return
    others = [
        version
        for version in VERSIONS
        if version != table.version and layouts(version, number) and fitting(version, number, value)
    ]
    hint = f"The value fits the layout of {' and '.join(others)}." if others else ""
    yield from (hit_of_misfit(number, wrong)._replace(hint=hint) for wrong in near.misfits)


def hit_of_misfit(number: int, wrong: Misfit) -> Hit:
    """The hit on a *wrong* place in an element."""
    return Hit(number, wrong.expected, wrong.found, wrong.start, wrong.end - wrong.start)


@each("additional-amount-codes", 54)
def unknown(value: str = VALUE, number: int = NUMBER, table: Spec = TABLE) -> Iterator[Hit]:
    """Codes that are in no list, in the groups of an element before the first misfit."""
    reading = closest(table.version, number, value)
    if reading is None or not clean(value, number, table):
        return
    stop = reading.misfits[0].start if reading.misfits else len(value)
    for group in reading.parts:
        if group.end <= stop:
            yield from _unknown_in(group.children, number)


def _unknown_in(parts: tuple[Part, ...], number: int, beside: tuple[Part, ...] = ()) -> Iterator[Hit]:
    """Unknown codes in *parts*; *beside* are all the parts that may have their currency."""
    for part in parts:
        kind, value = part.cell.codes, part.value
        if kind == "minor_unit":
            code = next(other.value for other in beside or parts if other.key == part.cell.argument)
            if expected := _other_minor_unit(code, part.value):
                yield _hit_of_part(part, number, expected)
        elif kind == "currency":
            if (unit := currency(value)) is None or unit.alpha == "XXX":
                yield _hit_of_part(part, number)
        elif kind not in _NO_LIST and value not in listed(kind, "", part.cell.argument):
            agreed = part.cell.agreed
            if not (agreed and agreed.fullmatch(value)):
                yield _hit_of_part(part, number)


def _hit_of_part(part: Part, number: int, expected: str = "") -> Hit:
    """The hit on an unknown code in *part*."""
    return Hit(
        number, expected or expected_of(part.cell), repr(part.value), part.start, part.end - part.start
    )


@each("additional-amounts", 54)
@each("fee-groups", 46, 66, versions=LATER)
@each("life-cycle-id", 21, versions=("2003",))
@each("pos-capability", 27, versions=("2003",))
@each("batch-control", 69, versions=("2003",))
@each("replacement-amounts", 95, versions=("1987",))
def laid_out_as_told(value: str = VALUE, number: int = NUMBER, table: Spec = TABLE) -> Told:
    """The element has its layout."""
    return misfits(value, number, table)


def _composite() -> tuple[int, ...]:
    """The elements of 2003 whose amounts include their currency; DE 4 has its own rules."""
    numbers = sorted(laid_out("2003").difference({4}))
    cells = {number: layouts("2003", number)[0].cell.cells for number in numbers}
    return tuple(number for number in numbers if any(cell.codes == "minor_unit" for cell in cells[number]))


# Amounts whose currency has its own rule.
_CURRENCY_TOLD = (5, 6, 8)


@each("composite-amount", *_composite(), versions=("2003",))
def composite_amount(value: str = VALUE, number: int = NUMBER, table: Spec = TABLE) -> Iterator[Hit]:
    """Each amount of a 2003 element has a currency and that currency's minor unit."""
    if not clean(value, number, table):
        return
    parts = read(layouts("2003", number)[0], value).parts
    amounts = {part.cell.argument: part for part in parts if part.cell.codes == "amount"}
    for at, code in enumerate(parts):
        amount = amounts.get(code.key)
        if code.cell.codes != "currency" or amount is None:
            continue
        inside = parts[at : parts.index(amount) + 1]
        if not "".join(part.value for part in inside).strip("0"):
            continue  # zeros mean no amount
        reported = number in _CURRENCY_TOLD and currency(code.value) is None
        yield from _unknown_in(inside[1:] if reported else inside, number, parts)


@rule("message-error", versions=("2003",))
def message_error(value: str = DE[18], table: Spec = TABLE) -> Iterator[Hit]:
    """DE 18 of 2003: groups of severity, error code, element and place."""
    wrong = next(misfits(value, 18, table), None)
    if wrong is None:
        yield from unknown(value, 18, table)
        return
    hint = "DE 18 was the merchant category in 1987; in 2003 it is DE 26."
    was_category = len(value) == 4 and value.isdigit()
    yield Hit(18, wrong.expected, wrong.found, wrong.at, wrong.size, hint=hint if was_category else "")


@each("original-mti", 90, versions=("1987",))
@each("original-mti", 56, versions=LATER)
def original_mti(
    original: Original | None = VALUE.original, number: int = NUMBER, mti: str = MTI, table: Spec = TABLE
) -> Told:
    """The original is a request or an advice of this version."""
    if original is None or not original.mti.strip("0"):  # zeros mean an unknown original
        return None
    undone = original.mti
    if version_of(undone) != table.version:
        hint = "The original's MTI has another version; a converter may have left it unchanged."
        return Hit(number, f"an MTI of ISO 8583:{table.version}", repr(undone), 0, 1, "", hint)
    if undone[1] in "09" or undone[2] not in "0246" or undone[3] > "5":
        return Hit(number, "the MTI of a request or an advice", repr(undone), 0, 4)
    if mti[1] == "4" and undone[1] not in "12":
        return Hit(number, "an authorization or financial original", repr(undone), 1, 1)
    return None


@each("original-date", 90, versions=("1987",))
@each("original-date", 56, versions=LATER)
def original_date(original: Original | None = VALUE.original, number: int = NUMBER) -> Told:
    """The original's date and time are in the calendar."""
    if original is None or not original.when.strip("0"):
        return None
    if (wrong := dates.problem(original.pattern, original.when)) is None:
        return None
    start, end, text = wrong
    return Hit(number, original.pattern, text, original.at + start, end - start)


@rule("original-acquirer", versions=("1993",))
def original_acquirer(value: str = DE[56], institution: str = Maybe[32], table: Spec = TABLE) -> Told:
    """The acquirer's id in DE 56 of 1993 has its own two-digit length."""
    reading = read(layouts("1993", 56)[0], value)
    acquirer = reading.layout.cell.cells[-1]
    if reading.fits or reading.misfits[0].path != acquirer.path:
        return None
    # Many readers take the rest; a length beyond the end of the whole ID (DE 32) stops the others.
    stated, rest = value[reading.misfits[0].start :][:2], value[reading.misfits[0].start + 2 :]
    is_cut = stated.isdecimal() and int(stated) > len(rest) > 0 and rest == institution
    severity = None if is_cut else Severity.INFO
    return (hit._replace(hint="", severity=severity) for hit in misfits(value, 56, table, reading))


@rule("location-country", versions=("1987",), classes=_CARD_CLASSES)
def location_country(value: str = DE[43], table: Spec = TABLE) -> Told:
    """DE 43 of 1987 ends with the country, in one of its layouts."""
    if value.strip() and any(fits(candidate, value) for candidate in layouts("1987", 43)):
        return None
    if not clean(value, 43, table) or _only_a_place_unknown(value):
        return None
    tail = value[-_ALPHA_3:]
    at = len(value) - len(tail)
    location = country(tail) or country(tail[1:]) or region(tail.strip())
    if len(value) != spec("1987")[43].width or location:
        return None  # the rest does not fit, which the networks' rules check
    if not tail.strip():
        hint = "The last three positions are blank; name, city and country have fixed positions in DE 43."
        severity = Severity.INFO if value.strip() else None
        return Hit(43, "a country in the last positions", "blanks", at, _ALPHA_3, "", hint, severity)
    return Hit(43, "an ISO 3166 country in the last two or three positions", repr(tail), at, _ALPHA_3)


def _only_a_place_unknown(value: str) -> bool:
    """Whether *value* fits a layout with blanks between its parts, except letters in place of a known state
    or province."""
    tried = (read(candidate, value) for candidate in layouts("1987", 43))
    return any(
        len(reading.misfits) == 1
        and reading.misfits[0].start > reading.parts[-1].start - _ALPHA_3
        and value[reading.misfits[0].start].isalpha()
        for reading in tried
        if reading.misfits and any(part.cell.codes == "blank" for part in reading.parts)
    )


@rule("location-layout", versions=("1993",), classes=_CARD_CLASSES)
def location_layout(value: str = DE[43], table: Spec = TABLE) -> Told:
    """DE 43 of 1993: name, street and city between backslashes, then 16 characters."""
    reading = fitting("1993", 43, value)
    if reading and reading.layout.cell.confidence != _UNSOURCED:
        return None
    # The part after the last backslash differs between links if it is not of the standard's size.
    *names, tail = value.split("\\")
    severity = Severity.INFO if names and len(tail) != _REGION_WIDTH else None
    hits = misfits(value, 43, table, read(layouts("1993", 43)[0], value))
    return (hit._replace(severity=severity) for hit in hits)


@rule("acquirer-reference", versions=("2003",))
@rule("acquirer-reference", versions=("1993",), interfaces=("ipm",))
def acquirer_reference(value: str = DE[31], table: Spec = TABLE) -> Told:
    """DE 31 of 2003, and of clearing, ends with a check digit."""
    if not clean(value, 31, table) or not value.isdecimal() or luhn_ok(value):
        return None
    return wrong_check_digit(31, len(value) - 1)
