"""Cross-checks between elements: what one element confirms about another, or lets us restore."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from sim.elements import mti as message_types
from sim.elements.card import read_track_2
from sim.judge.between import DAYS_OF_YEAR
from sim.operations.repairing.framing import UNKNOWN
from sim.parts import chip_data
from sim.spec import Spec, lookup, number_of
from sim.spec.networks import detect, luhn_ok

_PAN, _AMOUNT, _SENT, _STAN, _TIME, _DAY, _EXPIRY = 2, 4, 7, 11, 12, 13, 14
_TRACK_2, _RRN, _APPROVAL, _ANSWER, _CURRENCY, _CHIP = 35, 37, 38, 39, 49, 55
_RRN_WIDTH, _RRN_HEAD = 12, 6
# A leap year: messages seldom give the year.
_ANY_YEAR, _LEAP = 2028, "048"  # the last digits of this decade's leap years
_QUARTER, _HOUR, _MOST_APART, _YEAR = 15, 60, 14 * 60, 366 * 24 * 60
_UNDOING = "4"
_TURNED = 8.0
_FIRST_YEAR, _LAST_YEAR = 20, 49  # expiry years of cards in use

CARD = "DE 2 has a valid check digit and a length its network uses"
TRACK = "DE 35 has the card number in DE 2"
TRACK_CARD = "the card number in DE 35 has a valid check digit"
EXPIRY = "DE 35 has the expiry in DE 14"
ZONE = "DE 7 and the local time are whole hours apart"
STAN = "DE 37 ends with the STAN (DE 11)"
JULIAN = "the day in DE 37 matches the message"
HOUR = "the hour in DE 37 matches the message"
AMOUNT = "DE 4 is the amount in the chip data (9F02)"
CURRENCY = "DE 49 is the currency in the chip data (5F2A)"
CHIP_DAY = "the local date is the date in the chip data (9A)"
CHIP = "the tags fill DE 55 exactly"

# The agreement with other elements that makes an edit inside an element certain.
PROOF: Mapping[int, frozenset[str]] = {
    _PAN: frozenset((CARD, TRACK)),
    _AMOUNT: frozenset((AMOUNT,)),
    _SENT: frozenset((ZONE, JULIAN, HOUR)),
    _STAN: frozenset((STAN,)),
    _EXPIRY: frozenset((EXPIRY,)),
    _TRACK_2: frozenset((TRACK, EXPIRY)),
    _RRN: frozenset((STAN, JULIAN, HOUR)),
    _CURRENCY: frozenset((CURRENCY,)),
}


@dataclass(slots=True)
class Testimony:
    """The agreements, in words, and the bits of disagreement by element (0: no element in particular)."""

    agree: list[str] = field(default_factory=list)
    odd: dict[int, float] = field(default_factory=dict)

    def clashes(self, first: int) -> bool:
        """Whether cross-checks fail in element *first* or a later one."""
        # An RRN does not have to contain the STAN and the day.
        loose = {_RRN, _STAN, _SENT} if STAN not in self.agree else set()
        return any(number >= first for number in self.odd.keys() - {0} - loose)

    def hear(self, holds: bool, bits: float, words: str, *who: int) -> None:
        """Record one cross-check between the elements *who*."""
        if holds:
            if words:
                self.agree.append(words)
            return
        for number in who or (0,):
            self.odd[number] = self.odd.get(number, 0.0) + bits / max(len(who), 1)


@lru_cache(maxsize=4096)
def tags(value: str) -> Mapping[str, str] | None:
    """The tags of chip data; None if they do not fill the value exactly."""
    chip = chip_data.read(value)
    return None if chip.error else chip.values


@lru_cache(maxsize=1 << 14)
def card_holds(pan: str) -> bool:
    """Whether the check digit is correct and the network has cards of this length."""
    if not (pan.isascii() and pan.isdigit() and 12 <= len(pan) <= 19 and luhn_ok(pan)):
        return False
    owner = detect(pan)
    return owner is not None and len(pan) in owner.range.lengths


def moments(fields: Mapping[int, str], table: Spec) -> tuple[datetime | None, datetime | None]:
    """The transmission time (DE 7) and the local time; None if invalid or missing."""
    since_1993 = table[_TIME].width > 6
    local = fields.get(_TIME, "")[-10:] if since_1993 else fields.get(_DAY, "") + fields.get(_TIME, "")
    return _moment(fields.get(_SENT, "")), _moment(local)


@lru_cache(maxsize=4096)
def _moment(digits: str) -> datetime | None:
    try:
        month, day, hour, minute, second = (int(digits[at : at + 2]) for at in range(0, 10, 2))
        moment = datetime(_ANY_YEAR, month, day, hour, minute, second)  # noqa: DTZ001, its zone is what is asked
    except ValueError:
        return None
    return moment if len(digits) == 10 else None


def _year(fields: Mapping[int, str], table: Spec) -> str:
    """The last digit of the year, if an element contains it."""
    local = fields.get(_TIME, "")
    if len(local) == table[_TIME].width > 10:  # with a year, before month, day and time
        return local[-11]
    return (tags(fields.get(_CHIP, "")) or {}).get("9A", "  ")[1:2].strip()


class Fact(NamedTuple):
    """What other elements say about element `number`: it equals or starts with one of `patterns`, where a
    dot stands for any character. `words` describe agreement. Disagreement costs `bits` (0 if another fact
    covers it), charged to the elements `who`; a mere habit is charged to none."""

    number: int
    patterns: Collection[str]
    bits: float = 0.0
    words: str = ""
    who: tuple[int, ...] = ()

    def holds(self, value: str) -> bool:
        """Whether the element can be *value*, which may contain unknown characters."""
        if lost := value.count(UNKNOWN):
            return any(fits(value.replace(UNKNOWN, ""), pattern, lost) for pattern in self.patterns)
        return any(_begins(value, pattern) for pattern in self.patterns)

    def odd(self, value: str) -> float:
        """The cost of *value* if the fact does not hold: a mere swap of two characters is hardly chance."""
        return self.bits + _TURNED * any(is_turned(value, pattern) for pattern in self.patterns)


def _begins(value: str, pattern: str) -> bool:
    return len(pattern) <= len(value) and all(a in (".", b) for a, b in zip(pattern, value, strict=False))


def is_turned(value: str, pattern: str) -> bool:
    """Whether *value* matches *pattern* except for two adjacent characters that are swapped."""
    pairs = enumerate(zip(pattern, value, strict=False))
    positions = [at for at, (want, have) in pairs if want not in (".", have)]
    if len(positions) != 2 or positions[1] - positions[0] != 1 or len(pattern) > len(value):
        return False
    return pattern[positions[0]] == value[positions[1]] and pattern[positions[1]] == value[positions[0]]


# The tags that repeat an element, and what precedes its value in the tag.
_IN_CHIP = (
    (_AMOUNT, "9F02", "", 7.0, AMOUNT),
    (_CURRENCY, "5F2A", "0", 6.0, CURRENCY),
    (_DAY, "9A", "..", 6.0, CHIP_DAY),
    (_PAN, "5A", "", 0.0, ""),
    (_TRACK_2, "57", "", 0.0, ""),
)


def tags_given(fields: Mapping[int, str]) -> Mapping[str, str]:
    """Tag values as other elements give them; a dot stands for any character."""
    values = dict(fields) | {_TRACK_2: fields.get(_TRACK_2, "").replace("=", "D")}
    values[_DAY] = fields.get(_DAY, "") or fields.get(_TIME, "")[2:6]
    patterns = {tag: front + values.get(number, "") for number, tag, front, _, _ in _IN_CHIP}
    return patterns | {"9C": fields.get(3, "")[:2]}


def facts(fields: Mapping[int, str], table: Spec) -> Iterator[Fact]:
    """All cross-checks between the elements of a message."""
    chip, since_1993 = tags(fields.get(_CHIP, "")) or {}, table[_TIME].width > 6
    for number, tag, front, bits, words in _IN_CHIP:
        if bits and tag in chip:
            value, at = chip[tag][len(front) :], number
            if number == _DAY and since_1993:
                value, at = "." * (table[_TIME].width - 10) + value, _TIME
            if number == _AMOUNT:
                value = "." * (table[_AMOUNT].width - len(value)) + value
            yield Fact(at, (value,), bits, words, (at,))
    track = read_track_2(fields.get(_TRACK_2, ""))
    if track is not None:
        yield Fact(_PAN, (track.pan,), 9, TRACK, (_PAN, _TRACK_2))
        if track.expiry:
            yield Fact(_EXPIRY, (track.expiry,), 7, EXPIRY, (_EXPIRY, _TRACK_2))
    if _PAN in fields and _EXPIRY in fields:
        yield Fact(_TRACK_2, (f"{fields[_PAN]}={fields[_EXPIRY]}",), 9.0 * (track is None), "", (_TRACK_2,))
    sent, local_time = moments(fields, table)
    yield from _clocks(fields, table, sent, local_time)
    yield from _reference(fields, table, [moment for moment in (sent, local_time) if moment])


def _clocks(
    fields: Mapping[int, str], table: Spec, sent: datetime | None, local_time: datetime | None
) -> Iterator[Fact]:
    """DE 7 and the local time, each from the other (same minutes and seconds) and from DE 37."""
    if _SENT not in fields:
        reference = fields.get(_RRN, "")
        if days := [day for day, numbers in DAYS_OF_YEAR.items() if reference[1:4] in numbers]:
            yield Fact(_SENT, [f"{day}{reference[4:6]}...." for day in days], 0, "", (_SENT,))
        if local_time:
            yield Fact(_SENT, (f"......{local_time:%M%S}",), 0, "", (_SENT,))
    if _TIME not in fields and sent:
        yield Fact(_TIME, ("." * (table[_TIME].width - 4) + f"{sent:%M%S}",), 0, "", (_TIME,))


def _reference(fields: Mapping[int, str], table: Spec, times: Sequence[datetime]) -> Iterator[Fact]:
    """DE 37 is often the last digit of the year, the day of the year, the hour, and the STAN; *times* are
    those of the message, UTC and local."""
    if len(fields.get(_RRN, "")) == _RRN_WIDTH:
        tail = "." * (table[_STAN].width - _RRN_HEAD) + fields[_RRN][_RRN_HEAD:]
        yield Fact(_STAN, (tail,), 8.0 * (_STAN not in fields), "", (_STAN,))
    if _STAN not in fields:
        return
    # A reversal repeats the RRN of the original.
    original = fields.get(number_of("original", table.version) or 0, "")
    undone = message_types.read_original(original, table.version) if original else None
    pattern = f"......{fields[_STAN][-_RRN_HEAD:]}"
    of_original = (f"......{undone.stan[-_RRN_HEAD:]}",) if undone else ()
    yield Fact(_RRN, (pattern, *of_original), 8, STAN, (_RRN, _STAN))
    if undone:
        yield Fact(_RRN, (pattern,), 3)
        yield Fact(_STAN, (undone.stan,), 0, "", (_STAN,))
        if len(undone.when) == table[_SENT].width:
            yield Fact(_SENT, (undone.when,), 0, "", (_SENT,))
    days, hours, of_year = set[str](), set[str](), set[str]()
    for moment in times:
        leap, common = DAYS_OF_YEAR[f"{moment:%m%d}"]
        days |= {f".{leap}........", f".{common}........"}
        of_year |= {f"{digit}{leap if digit in _LEAP else common}" for digit in "0123456789"}
        hours.add(f"....{moment.hour:02}......")
    if days:
        yield Fact(_RRN, sorted(days), 8, JULIAN, (_RRN, _SENT))
        yield Fact(_RRN, of_year, 3)
        yield Fact(_RRN, sorted(hours), 8, HOUR, (_RRN, _SENT))
    if year := _year(fields, table):
        yield Fact(_RRN, (f"{year}...........",), 4, "", (_RRN,))


def testimony(fields: Mapping[int, str], mti: str, table: Spec) -> Testimony:
    """The result of all cross-checks on *fields*. An element with an unknown character confirms nothing,
    but can fail a check."""
    evidence, sound = Testimony(), {number: value for number, value in fields.items() if UNKNOWN not in value}
    sent, local_time = moments(sound, table)
    if _SENT in sound and _TIME in sound:
        _times(evidence, sent, local_time, undoes=mti[1] in _UNDOING)
    if table[_TIME].width == 6 and (_TIME in fields) != (_DAY in fields):
        evidence.hear(False, 6, "")  # local date and time occur together
    for fact in facts(sound, table):
        value = fields.get(fact.number)
        if value is None:
            continue
        if fact.holds(value):
            evidence.agree += [fact.words] * bool(fact.words and value == sound.get(fact.number))
        elif bits := fact.odd(value):
            evidence.hear(False, bits, "", *fact.who)
    _card(evidence, sound)
    if tags(sound.get(_CHIP, "")):
        evidence.agree.append(CHIP)
    if _APPROVAL in sound and _ANSWER in sound and message_types.is_response(mti):
        answer = lookup("response_code", sound[_ANSWER], version=table.version)
        evidence.hear(answer is None or answer.kind == "approved", 4, "")
    return evidence


def _times(said: Testimony, sent: datetime | None, local_time: datetime | None, undoes: bool) -> None:
    """DE 7 is UTC, so local time differs by the zone's hours. A reversal has its own DE 7, but may repeat
    the local time of the original."""
    who = (_SENT, _TIME, _DAY)
    if sent and local_time and is_turned(f"{sent:%m%d%H%M%S}", f"{local_time:%m%d..%M%S}"):
        said.hear(False, _TURNED, "", *who)
    if undoes:
        return
    if sent is None or local_time is None:
        said.hear(False, 8, "", *who)
        return
    minutes = (sent - local_time).total_seconds() / 60
    if abs(minutes) > _YEAR / 2:
        minutes -= _YEAR if minutes > 0 else -_YEAR
    is_zone = abs(minutes) <= _MOST_APART
    said.hear(is_zone and minutes % _QUARTER == 0, 8, "", *who)
    said.hear(is_zone and minutes % _HOUR == 0, 2, ZONE)


def _card(said: Testimony, fields: Mapping[int, str]) -> None:
    """Check digits and expiry dates."""
    pan, track = fields.get(_PAN, ""), read_track_2(fields.get(_TRACK_2, ""))
    if pan:
        said.hear(card_holds(pan), 8, CARD, _PAN)
    if track is not None:
        said.hear(card_holds(track.pan), 8, "" if pan else TRACK_CARD, _TRACK_2)
    for expiry, number in ((fields.get(_EXPIRY, ""), _EXPIRY), (track.expiry if track else "", _TRACK_2)):
        if expiry:
            sound = expiry.isdigit() and 1 <= int(expiry[2:] or 0) <= 12
            said.hear(sound and _FIRST_YEAR <= int(expiry[:2]) <= _LAST_YEAR, 7, "", number)


def fits(short: str, pattern: str, lost: int) -> set[str]:
    """What *short* was if *lost* characters are missing from a value that starts with *pattern*, where dots
    stand for any character."""
    values, size = set(), len(pattern) - lost
    for at in range(size + 1 if size <= len(short) else 0):
        head = pattern[:at] + pattern[at + lost :]
        if all(want in (".", have) for want, have in zip(head, short, strict=False)):
            values.add(short[:at] + pattern[at : at + lost].replace(".", UNKNOWN) + short[at:])
    return values


def expected(number: int, fields: Mapping[int, str], table: Spec) -> Iterator[str]:
    """Patterns for element *number*: all facts combined, then each alone; a dot stands for any character."""
    patterns = [fact.patterns for fact in facts(fields, table) if fact.number == number and fact.who]
    for together in product(*patterns):
        if len({len(pattern) for pattern in together}) == 1:
            yield "".join(
                next((char for char in chars if char != "."), ".") for chars in zip(*together, strict=True)
            )
    for alone in patterns[1:] and patterns[:1]:
        yield from alone
