"""What elements of a message say of one another: what one of them confirms, or gives back, of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from sim.elements import mti as message_types
from sim.elements.card import read_track_2
from sim.operations.repairing.framing import UNKNOWN
from sim.parts import chip_data
from sim.spec import Spec, lookup, number_of
from sim.spec.networks import detect, luhn_ok

_PAN, _AMOUNT, _SENT, _STAN, _TIME, _DAY, _EXPIRY = 2, 4, 7, 11, 12, 13, 14
_TRACK_2, _RRN, _APPROVAL, _ANSWER, _CURRENCY, _CHIP = 35, 37, 38, 39, 49, 55
_RRN_WIDTH, _RRN_HEAD = 12, 6
# A year that has a leap day; messages seldom say which it was.
_ANY_YEAR = 2028
_QUARTER, _HOUR, _MOST_APART, _YEAR = 15, 60, 14 * 60, 366 * 24 * 60
_UNDOING = "4"
_FIRST_YEAR, _LAST_YEAR = 20, 49  # an expiry of a card in use

CARD = "DE 2 has a valid check digit and a length its network uses"
TRACK = "DE 35 has the card number in DE 2"
TRACK_CARD = "the card number in DE 35 has a valid check digit"
EXPIRY = "DE 35 has the expiry in DE 14"
ZONE = "DE 7 and the local time are whole hours apart"
STAN = "DE 37 ends with the STAN (DE 11)"
STAN_UNDONE = "DE 37 ends with the original's STAN"
JULIAN = "the day in DE 37 matches the message"
HOUR = "the hour in DE 37 matches the message"
AMOUNT = "DE 4 is the amount in the chip data (9F02)"
CURRENCY = "DE 49 is the currency in the chip data (5F2A)"
CHIP_DAY = "the local date is the date in the chip data (9A)"
CHIP = "the tags fill DE 55 exactly"

# What others have to say of an element before an edit inside it is sure.
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
    """What agrees, in words, and the bits by which elements disagree (number 0 where none is to blame)."""

    agree: list[str] = field(default_factory=list)
    odd: dict[int, float] = field(default_factory=dict)

    def clashes(self, first: int) -> bool:
        """Whether facts contradict each other in element *first* or after it."""
        # A reference need not have the STAN and the day.
        loose = {_RRN, _STAN, _SENT} if STAN not in self.agree else set()
        return any(number >= first for number in self.odd.keys() - {0} - loose)

    def hear(self, holds: bool, bits: float, words: str, *who: int) -> None:
        """One thing that elements *who* are to agree on."""
        if holds:
            if words:
                self.agree.append(words)
            return
        for number in who or (0,):
            self.odd[number] = self.odd.get(number, 0.0) + bits / max(len(who), 1)


@lru_cache(maxsize=4096)
def tags(value: str) -> Mapping[str, str] | None:
    """The tags of chip data; None where they do not end where the value ends."""
    chip = chip_data.read(value)
    return None if chip.error else chip.values


@lru_cache(maxsize=1 << 14)
def card_holds(pan: str) -> bool:
    """Whether the check digit is right, and the length one that the network's cards have."""
    if not (pan.isascii() and pan.isdigit() and 12 <= len(pan) <= 19 and luhn_ok(pan)):
        return False
    owner = detect(pan)
    return owner is not None and len(pan) in owner.range.lengths


def moments(fields: Mapping[int, str], table: Spec) -> tuple[datetime | None, datetime | None]:
    """DE 7 and the terminal's own time, None where they are none."""
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
    """The last digit of the year, where an element has it."""
    local = fields.get(_TIME, "")
    if len(local) == 12 == table[_TIME].width:
        return local[1]
    if len(local) == 14 == table[_TIME].width:
        return local[3]
    return (tags(fields.get(_CHIP, "")) or {}).get("9A", "  ")[1:2].strip()


def _days(moment: datetime) -> set[str]:
    """The day of the year, as it is in common years and in leap years."""
    day = moment.timetuple().tm_yday
    return {f"{day:03}", f"{day - (moment.month > 2):03}"}


def testimony(fields: Mapping[int, str], mti: str, table: Spec) -> Testimony:
    """What the elements *fields* of a message say of one another."""
    said = Testimony()
    sent, here = moments(fields, table)
    if _SENT in fields and _TIME in fields and mti[1] not in _UNDOING:
        _times(said, sent, here)  # what undoes a message has its own DE 7 and may have the other's DE 12
    if table[_TIME].width == 6 and (_TIME in fields) != (_DAY in fields):
        said.hear(False, 6, "")  # the date and the time of the terminal come together
    _reference(said, fields, table, sent, here)
    _card(said, fields)
    chip = tags(fields.get(_CHIP, "")) or {}
    if chip:
        said.agree.append(CHIP)
    if "9F02" in chip and _AMOUNT in fields and mti[1] in "12":
        said.hear(fields[_AMOUNT][-12:] == chip["9F02"], 7, AMOUNT, _AMOUNT)
    if "9A" in chip and here:
        said.hear(chip["9A"][2:] == here.strftime("%m%d"), 6, CHIP_DAY, _DAY, _TIME)
    if "5F2A" in chip and _CURRENCY in fields:
        said.hear(chip["5F2A"][1:] == fields[_CURRENCY], 6, CURRENCY, _CURRENCY)
    if _APPROVAL in fields and _ANSWER in fields and message_types.is_response(mti):
        answer = lookup("response_code", fields[_ANSWER], version=table.version)
        said.hear(answer is None or answer.kind == "approved", 4, "")
    return said


def _times(said: Testimony, sent: datetime | None, here: datetime | None) -> None:
    """DE 7 is UTC: the terminal's own time differs by the hours of its zone."""
    if sent is None or here is None:
        said.hear(False, 8, "", _SENT, _TIME, _DAY)
        return
    apart = (sent - here).total_seconds() / 60
    if abs(apart) > _YEAR / 2:
        apart -= _YEAR if apart > 0 else -_YEAR
    said.hear(apart % _QUARTER == 0 and abs(apart) <= _MOST_APART, 8, "", _SENT, _TIME, _DAY)
    whole = apart % _HOUR == 0 and abs(apart) <= _MOST_APART
    said.hear(whole, 2, ZONE)


def _reference(
    said: Testimony, fields: Mapping[int, str], table: Spec, sent: datetime | None, here: datetime | None
) -> None:
    """DE 37 is often the last digit of the year, the day of the year, the hour and the STAN."""
    reference = fields.get(_RRN, "")
    if len(reference) != _RRN_WIDTH or _STAN not in fields:
        return
    # A reversal has the reference of what it undoes.
    held = fields.get(number_of("original", table.version) or 0, "")
    undone = message_types.read_original(held, table.version) if held else None
    own = reference[_RRN_HEAD:] == fields[_STAN][-_RRN_HEAD:]
    if not own and undone is not None and reference[_RRN_HEAD:] == undone.stan[-_RRN_HEAD:]:
        said.agree.append(STAN_UNDONE)
        said.hear(False, 3, "")
    else:
        said.hear(own, 8, STAN, _RRN, _STAN)
    said.hear(reference.isdigit(), 4, "")
    known = [moment for moment in (sent, here) if moment]
    if not known:
        return
    days = {day for moment in known for day in _days(moment)}
    is_day = reference[1:4] in days
    is_hour = reference[4:6] in {f"{one.hour:02}" for one in known}
    # Who builds two parts of it so builds the third so.
    own = STAN in said.agree or STAN_UNDONE in said.agree
    said.hear(is_day, 8 if own and is_hour else 4, JULIAN, _RRN, _SENT)
    said.hear(is_hour, 8 if own and is_day else 3, HOUR, _RRN, _SENT)
    if year := _year(fields, table):
        said.hear(reference[0] == year, 4, "", _RRN)


def _card(said: Testimony, fields: Mapping[int, str]) -> None:
    """DE 2 and 14 are those of the track."""
    pan, stated = fields.get(_PAN, ""), fields.get(_EXPIRY, "")
    if pan:
        said.hear(card_holds(pan), 8, CARD, _PAN)
    track = read_track_2(fields.get(_TRACK_2, ""))
    if track is not None:
        said.hear(card_holds(track.pan), 8, "" if pan else TRACK_CARD, _TRACK_2)
        if pan:
            said.hear(track.pan == pan, 9, TRACK, _PAN, _TRACK_2)
        if stated and track.expiry:
            said.hear(track.expiry == stated, 7, EXPIRY, _EXPIRY, _TRACK_2)
    for expiry, number in ((stated, _EXPIRY), (track.expiry if track else "", _TRACK_2)):
        if expiry:
            sound = expiry.isdigit() and 1 <= int(expiry[2:] or 0) <= 12
            said.hear(sound and _FIRST_YEAR <= int(expiry[:2]) <= _LAST_YEAR, 7, "", number)


def tags_given(fields: Mapping[int, str]) -> Mapping[str, str]:
    """What other elements say that chip tags are; a dot for a character that none of them says."""
    found = {"9F02": fields.get(_AMOUNT, ""), "57": fields.get(_TRACK_2, "").replace("=", "D")}
    found |= {
        "5F2A": f"0{fields.get(_CURRENCY, '')}",
        "5A": fields.get(_PAN, ""),
        "9C": fields.get(3, "")[:2],
    }
    return found | {"9A": f"..{fields.get(_DAY, '') or fields.get(_TIME, '')[2:6]}"}


def fits(short: str, pattern: str, lost: int) -> set[str]:
    """What *short* was, if it is *pattern*, or begins with it, less *lost* characters. Dots stand for
    characters that *short* gives."""
    found, size = set(), len(pattern) - lost
    for at in range(size + 1 if size <= len(short) else 0):
        head = pattern[:at] + pattern[at + lost :]
        if all(want in (".", have) for want, have in zip(head, short, strict=False)):
            found.add(short[:at] + pattern[at : at + lost].replace(".", UNKNOWN) + short[at:])
    return found


def expected(number: int, fields: Mapping[int, str], table: Spec) -> Iterator[str]:
    """What other elements say that element *number* is; a dot for a character that none of them says."""
    if number == _RRN and _STAN in fields:
        sent, here = moments(fields, table)
        year = _year(fields, table) or "."
        known = [moment for moment in (sent, here) if moment]
        heads = {f"{year}{day}{(sent or one).hour:02}" for one in known for day in _days(one)}
        stan = fields[_STAN][-_RRN_HEAD:]
        yield from (head + stan for head in sorted(heads))
        yield "." * _RRN_HEAD + stan
    chip = tags(fields.get(_CHIP, "")) or {}
    track = read_track_2(fields.get(_TRACK_2, ""))
    if number == _STAN and len(fields.get(_RRN, "")) == _RRN_WIDTH:
        yield "." * (table[_STAN].width - _RRN_HEAD) + fields[_RRN][_RRN_HEAD:]
    if number == _AMOUNT and "9F02" in chip and table[_AMOUNT].width == len(chip["9F02"]):
        yield chip["9F02"]
    if number == _CURRENCY and "5F2A" in chip:
        yield chip["5F2A"][1:]
    if number == _PAN and track is not None:
        yield track.pan
    if number == _EXPIRY and track is not None and track.expiry:
        yield track.expiry
    if number == _TRACK_2 and _PAN in fields and _EXPIRY in fields:
        yield f"{fields[_PAN]}={fields[_EXPIRY]}"
    if number == _DAY and "9A" in chip:
        yield chip["9A"][2:]
