"""Rules about elements made of several parts: additional amounts, fees, original data, name and location,
and the composite elements of 2003.

Where the parts stand and what may stand in them is said by the layout rows. One function says what does
not fit (`misfits`), one which codes are unknown (`unknown`); a rule is a line, or adds what only it knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.codec import Message
from sim.elements import dates
from sim.elements.cutting import wanted
from sim.elements.groups import read_original
from sim.elements.layout import Part, Parts, closest, fits, fitting, laid_out, layouts, read
from sim.elements.pan import luhn_ok
from sim.judge.content import clean
from sim.judge.engine import each, rule
from sim.judge.finding import Hit, Severity
from sim.judge.layout import LATER, listed
from sim.spec import VERSIONS, country, currency, region, spec, version_of

_NONE: tuple[Hit, ...] = ()
_CARD_CLASSES = "1234567"
_UNSOURCED = "unsourced"
_ALPHA_3 = 3  # letters of an ISO 3166 country code of three
_NO_LIST = frozenset(("", "text", "id", "date", "amount", "flags", "is", "blank", "mti", "digits", "country"))


def misfits(message: Message, number: int, found: Parts | None = None) -> Iterator[Hit]:
    """What does not fit the layout of an element; where it fits that of another version, a hint says so."""
    if not clean(message, number):
        return
    value = message.fields[number]
    near = found or closest(message.version, number, value)
    wrong = near.misfits if near else ()
    hint = _of_another_version(message, number) if wrong else ""
    for one in wrong:
        yield Hit(number, one.expected, one.found, one.start, one.end - one.start, hint=hint)


def _of_another_version(message: Message, number: int) -> str:
    value = message.fields[number]
    others = [
        version
        for version in VERSIONS
        if version != message.version and layouts(version, number) and fitting(version, number, value)
    ]
    return f"The value fits the layout of {' and '.join(others)}." if others else ""


def unknown(message: Message, number: int) -> Iterator[Hit]:
    """Codes that no list has, in the parts of an element; after the first misfit nothing is sure."""
    found = closest(message.version, number, message.fields[number])
    if found is None or not clean(message, number):
        return
    stop = found.misfits[0].start if found.misfits else len(message.fields[number])
    groups = [part.children for part in found.parts if part.children and part.end <= stop]
    for parts in groups or [tuple(part for part in found.parts if part.end <= stop)]:
        yield from _unknown_in(parts, number)


def _unknown_in(parts: tuple[Part, ...], number: int, beside: tuple[Part, ...] = ()) -> Iterator[Hit]:
    """Unknown codes among *parts*; *beside* are those in which a currency may stand, where they are more."""
    for part in parts:
        kind, value = part.cell.codes, part.value
        if kind == "minor_unit":
            yield from _minor_unit(part, beside or parts, number)
        elif kind == "currency":
            if currency(value) is None:
                yield _unknown_code(part, number)
        elif kind not in _NO_LIST and value not in listed(kind, "", part.cell.argument):
            agreed = part.cell.agreed
            if not (agreed and agreed.fullmatch(value)):
                yield _unknown_code(part, number)


def _unknown_code(part: Part, number: int) -> Hit:
    return Hit(number, wanted(part.cell), repr(part.value), part.start, part.end - part.start)


def _minor_unit(part: Part, parts: tuple[Part, ...], number: int) -> Iterator[Hit]:
    """The number of decimals agrees with ISO 4217; the currency stands in a part beside."""
    code = next(one.value for one in parts if one.key == part.cell.argument)
    known = currency(code)
    if known and not known.withdrawn and known.exponent is not None and part.value != str(known.exponent):
        expected = f"minor unit {known.exponent}, as ISO 4217 has for {known.alpha}"
        yield Hit(number, expected, repr(part.value), part.start, part.end - part.start)


# Elements whose layout is all that there is to say: rule, element, versions.
_LAID_OUT = (
    ("additional-amounts", 54, VERSIONS),
    ("fee-groups", 46, LATER),
    ("fee-groups", 66, LATER),
    ("life-cycle-id", 21, ("2003",)),
    ("pos-capability", 27, ("2003",)),
    ("batch-control", 69, ("2003",)),
    ("replacement-amounts", 95, ("1987",)),
)
for _id, _number, _versions in _LAID_OUT:
    each(_id, _number, versions=_versions)(misfits)
each("additional-amount-codes", 54)(unknown)


def _composite() -> tuple[int, ...]:
    """The elements of 2003 whose amounts hold their currency; DE 4 has rules of its own."""
    numbers = sorted(laid_out("2003").difference({4}))
    cells = {number: layouts("2003", number)[0].cell.cells for number in numbers}
    return tuple(number for number in numbers if any(one.codes == "minor_unit" for one in cells[number]))


# Amounts whose currency has a rule of its own.
_CURRENCY_TOLD = (5, 6, 8)


@each("composite-amount", *_composite(), versions=("2003",))
def composite_amount(message: Message, number: int) -> Iterator[Hit]:
    """Each amount of a 2003 element has a currency and that currency's minor unit."""
    if not clean(message, number):
        return
    parts = read(layouts("2003", number)[0], message.fields[number]).parts
    amounts = {one.cell.argument: one for one in parts if one.cell.codes == "amount"}
    for at, code in enumerate(parts):
        amount = amounts.get(code.key)
        if code.cell.codes != "currency" or amount is None:
            continue
        inside = parts[at : parts.index(amount) + 1]
        if not "".join(one.value for one in inside).strip("0"):
            continue  # zeros stand for no amount
        told = number in _CURRENCY_TOLD and currency(code.value) is None
        yield from _unknown_in(inside[1:] if told else inside, number, parts)


@rule("message-error", 18, versions=("2003",))
def message_error(message: Message) -> Iterator[Hit]:
    """DE 18 of 2003: groups of severity, error code, element and place."""
    wrong = next(misfits(message, 18), None)
    if wrong is None:
        yield from unknown(message, 18)
        return
    value = message.fields[18]
    hint = "DE 18 was the merchant category in 1987; in 2003 that is DE 26."
    was_category = len(value) == 4 and value.isdigit()
    yield Hit(18, wrong.expected, wrong.found, wrong.at, wrong.size, hint=hint if was_category else "")


@each("original-size", 56, versions=LATER)
def original_size(message: Message, number: int) -> Iterable[Hit]:
    """DE 56 is long enough for MTI, STAN and date of the original."""
    least, size = layouts(message.version, number)[0].cell.width, len(message.fields[number])
    if size >= least or not clean(message, number):
        return _NONE
    return (Hit(number, f"at least {least} digits: MTI, STAN, date and time", f"{size} digits"),)


@each("original-mti", 90, versions=("1987",))
@each("original-mti", 56, versions=LATER)
def original_mti(message: Message, number: int) -> Iterable[Hit]:
    """The original is a request or an advice of this version."""
    original = read_original(message.fields[number], message.version)
    if original is None or not original.mti.strip("0"):  # zeros stand for an unknown original
        return _NONE
    mti = original.mti
    if version_of(mti) != message.version:
        hint = "The original's MTI names another version; a converter may have left it as it was."
        return (Hit(number, f"an MTI of ISO 8583:{message.version}", repr(mti), 0, 1, "", hint),)
    if mti[1] in "09" or mti[2] not in "0246" or mti[3] > "5":
        return (Hit(number, "the MTI of a request or an advice", repr(mti), 0, 4),)
    if message.mti[1] == "4" and mti[1] not in "12":
        return (Hit(number, "an authorization or financial original", repr(mti), 1, 1),)
    return _NONE


@each("original-date", 90, versions=("1987",))
@each("original-date", 56, versions=LATER)
def original_date(message: Message, number: int) -> Iterable[Hit]:
    """The original's date and time are in the calendar."""
    original = read_original(message.fields[number], message.version)
    if original is None or not original.when.strip("0"):
        return _NONE
    if (wrong := dates.problem(original.pattern, original.when)) is None:
        return _NONE
    start, end, text = wrong
    return (Hit(number, original.pattern, text, original.at + start, end - start),)


@rule("original-acquirer", 56, versions=("1993",))
def original_acquirer(message: Message) -> Iterable[Hit]:
    """The acquirer's id in DE 56 of 1993 has its own two-digit length."""
    found = read(layouts("1993", 56)[0], message.fields[56])
    acquirer = found.layout.cell.cells[-1]
    if found.fits or found.misfits[0].path != acquirer.path:
        return _NONE
    return [hit._replace(hint="") for hit in misfits(message, 56, found)]


@rule("location-country", 43, versions=("1987",), classes=_CARD_CLASSES)
def location_country(message: Message) -> Iterable[Hit]:
    """DE 43 of 1987 ends with the country, in one of its layouts."""
    value = message.fields[43]
    if any(fits(one, value) for one in layouts("1987", 43)):
        return _NONE
    if not clean(message, 43) or _only_a_place_unknown(value):
        return _NONE
    tail = value[-_ALPHA_3:]
    at = len(value) - len(tail)
    known = country(tail) or country(tail[1:]) or region(tail.strip())
    if len(value) != spec("1987")[43].width or known:
        return _NONE  # the rest of a layout does not fit, which networks judge
    if not tail.strip():
        hint = "Nothing stands in the last three places; name, city and country have fixed places in DE 43."
        return (Hit(43, "a country in the last places", "blanks", at, _ALPHA_3, "", hint, Severity.INFO),)
    return (Hit(43, "an ISO 3166 country in the last two or three places", repr(tail), at, _ALPHA_3),)


def _only_a_place_unknown(value: str) -> bool:
    """Whether all fits a layout with blanks between, but for letters that are a state or province of another
    country."""
    tried = (read(one, value) for one in layouts("1987", 43))
    return any(
        len(found.misfits) == 1
        and found.misfits[0].start > found.parts[-1].start - _ALPHA_3
        and value[found.misfits[0].start].isalpha()
        for found in tried
        if found.misfits and any(part.cell.codes == "blank" for part in found.parts)
    )


@rule("location-layout", 43, versions=("1993",), classes=_CARD_CLASSES)
def location_layout(message: Message) -> Iterable[Hit]:
    """DE 43 of 1993: name, street and city between backslashes, then 16 characters."""
    found = fitting("1993", 43, message.fields[43])
    if found and found.layout.cell.confidence != _UNSOURCED:
        return _NONE
    return misfits(message, 43, read(layouts("1993", 43)[0], message.fields[43]))


@rule("acquirer-reference", 31, versions=("2003",))
def acquirer_reference(message: Message) -> Iterable[Hit]:
    """DE 31 of 2003 ends with a check digit."""
    if not clean(message, 31) or luhn_ok(message.fields[31]):
        return _NONE
    return (Hit(31, "a right check digit", "a wrong one", len(message.fields[31]) - 1, 1),)
