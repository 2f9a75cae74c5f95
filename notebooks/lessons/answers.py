"""Facts of the course alone, with readers of the ways in which people write them down; those of the drills,
too, are in `sim.operations.drill.facts`, whose words hold here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any

from sim.errors import IsoError
from sim.operations.drill.facts import Fact, clean, text_of, words_for
from sim.spec import currency
from sim.spec.spellings import currency_named, version_named

_SMALL = re.compile(r"\b(?:p|pence|penny|cents?|rappen|centimes?|fils|minor|smallest)\b", re.I)


@dataclass(frozen=True)
class Amount(Fact):
    """So many of the smallest unit of `alpha`, written with decimals; `both` asks for the currency, too, and
    `units` takes the number of smallest units as well."""

    alpha: str = "USD"
    both: bool = False
    units: bool = False

    @property
    def answer(self) -> str:
        """The amount with its decimals."""
        return f"{Decimal(self.value).scaleb(-self._exponent):f}"

    @property
    def _exponent(self) -> int:
        known = currency(self.alpha)
        return (known.exponent if known else None) or 0

    def _reads(self, given: Any) -> bool:
        if isinstance(given, int | float | Decimal):
            return not self.both and self._right(Decimal(str(given)), of_units=self.units)
        return super()._reads(given)

    def _says(self, text: str) -> bool:
        return any(self._states(rest) for rest in self._without_currency(text))

    def _right(self, number: Decimal, *, of_units: bool = False) -> bool:
        return number.scaleb(self._exponent) == self.value or (of_units and number == self.value)

    def _without_currency(self, text: str) -> Iterator[str]:
        """*text*, where it names no other currency; without the number of the currency, where it has one."""
        known = currency(self.alpha)
        numeric = known.numeric if known else ""
        for pattern in (rf"(?:\s|^)\(?{numeric}\)?$", rf"^{numeric}\s"):
            if numeric and re.search(pattern, text) and re.search(r"\d", re.sub(pattern, "", text)):
                yield re.sub(pattern, "", text)
        named: set[str] = set()
        for word in re.findall(r"[$€£¥]|[^\W\d_]+(?:[ .$-]+[^\W\d_]+)*\.?", text):
            named |= _currencies(word)
        named |= {self.alpha} & {word.upper() for word in re.findall(r"[^\W\d_]{3}", text)}
        if named <= {self.alpha} and (named or not self.both or _SMALL.search(text)):
            yield text

    def _states(self, text: str) -> bool:
        digits = [one.strip(" ,.'_") for one in re.findall(r"\d[\d.,'’ _]*", text)]
        if re.search(r"-\s*\d", text) or not digits:
            return False
        small = _SMALL.search(text)
        if small and len(digits) == 2:
            major, minor = (_decimals(one, 0) for one in digits)
            return any(self._right(a + b.scaleb(-self._exponent)) for a in major for b in minor)
        if len(digits) != 1:
            return False
        ways = _decimals(digits[0], self._exponent)
        return any(one == self.value if small else self._right(one, of_units=self.units) for one in ways)


def _decimals(text: str, exponent: int) -> list[Decimal]:
    """What a number may be whose decimals stand behind a point or a comma, and its thousands apart."""
    text = re.sub(r"(?<=\d)['’ _](?=\d{3}(?!\d))", "", text)
    thousands = [re.sub(rf"{one}(?=\d{{3}}(?!\d))", "", text) for one in (",", r"\.")]
    ways = [thousands[0]]
    if re.fullmatch(r"\d+,\d*", text) and not (re.fullmatch(r"\d{1,3},\d{3}", text) and exponent != 3):
        ways.append(text.replace(",", "."))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}", text):
        ways = [thousands[1].replace(",", ".")]
    found = []
    for way in ways:
        with suppress(InvalidOperation):
            found.append(Decimal(way))
    return found


def _currencies(words: str) -> set[str]:
    """The currencies that *words* name: the longest name in them, read from the left."""
    parts = words.split()
    found = set()
    while parts:
        for size in range(min(len(parts), 4), 0, -1):
            if named := _currency(" ".join(parts[:size])):
                found.add(named)
                parts = parts[size:]
                break
        else:
            parts = parts[1:]
    return found


def _currency(name: str) -> str:
    name = name.strip(" .")
    one = re.sub(r"s\b", "", name.casefold()) if len(name) > 3 else name.casefold()
    for alpha, names in words_for("currency").items():
        if one in names or name.casefold() in names:
            return alpha
    for way in (name, one):
        with suppress(IsoError):
            # A word of three letters is a code in capitals alone, or half of English would be money.
            if len(way) != 3 or name.isupper() or name.isdigit():
                return currency_named(way).alpha
    return ""


@dataclass(frozen=True)
class Spelling(Fact):
    """A short notation or an identifier, in which blanks, hyphens and letter case make no difference."""

    def _text(self, given: Any) -> str | None:
        return text_of(given)

    def _says(self, text: str) -> bool:
        wanted = self._folded(self.value)
        ways = [text, re.split("[=:]", text)[-1], clean(text) or "", *re.findall(r"[\w-]+", text)]
        return any(self._folded(one) == wanted for one in ways)

    @staticmethod
    def _folded(text: str) -> str:
        # Two dots say "up to", and one is the end of a sentence.
        return re.sub(r"[\s_'\"`‐-]|(?<!\.)\.(?!\.)", "", text).casefold()


@dataclass(frozen=True)
class Masked(Fact):
    """A card number with what is not shown starred out, by whatever sign."""

    def _reads(self, given: Any) -> bool:
        text = text_of(given)
        if text is None:
            return False
        hidden = re.sub(r"[xX•●·.#_?∗×◦…]", "*", re.sub(r"[\s'\"`]", "", text))
        return self.value in (hidden.replace("-", ""), hidden.replace("-", "*"))


@dataclass(frozen=True)
class CurrencyName(Fact):
    """A currency by letters, number, name or sign."""

    def _reads(self, given: Any) -> bool:
        if isinstance(given, int):
            known = currency(f"{given:03}")
            return known is not None and known.alpha == self.value
        return super()._reads(given)

    def _says(self, text: str) -> bool:
        digits = re.findall(r"\d+", text)
        named = {
            known.alpha for one in digits if (known := currency(one.zfill(4)[-3:] if len(one) > 3 else one))
        }
        for word in re.findall(r"[$€£¥]|[^\W\d_]+(?:[ .$-]+[^\W\d_]+)*", text):
            named |= _currencies(word) or _currencies(word.upper() if len(word) == 3 else "")
        return named == {self.value} and len(set(digits)) <= 1


@dataclass(frozen=True)
class VersionName(Fact):
    """A version of the standard by its year."""

    def _reads(self, given: Any) -> bool:
        if isinstance(given, int | float):
            return given == int(self.value)
        return super()._reads(given)

    def _says(self, text: str) -> bool:
        with suppress(IsoError):
            return version_named(text) == str(self.value)
        return re.findall(r"(?<!\d)\d{4}(?!\d)", re.sub(r"ISO\W*8583", "", text, flags=re.I)) == [self.value]


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True)
class Month(Fact):
    """The month of a year, `YYMM`: `12/29`, `December 2029`, not a day of a month."""

    def _reads(self, given: Any) -> bool:
        if isinstance(given, date | datetime):
            return bool(f"{given:%Y%m}" == f"20{self.value}")
        return super()._reads(given)

    def _says(self, text: str) -> bool:
        month = 2000 + int(self.value[:2]), int(self.value[2:])
        of_a_day = re.search(r"\bday\s*\d|\d\w*\s+day\b", text, re.I)
        return of_a_day is None and month in set(_months(text.lower()))


def _months(text: str) -> Iterator[tuple[int, int]]:
    """The year and month that *text* tells: at most one."""
    numbers = re.findall(r"\d+", text)
    if words := set(re.findall(rf"\b({'|'.join(_MONTHS)})[a-z]*", text)):
        if len(words) == 1:
            yield from _month_by_name(text, numbers, words.pop())
        return
    if len(numbers) != 2:
        return
    first, second = numbers
    if said := re.search(r"year\D*(\d+)|yy\D*(\d+)", text):
        year = said[1] or said[2]
        yield _year(year), int(second if first == year else first)
    elif re.search(r"month\W*(?:of|in)?\W*\d", text) and len(second) in (2, 4):
        yield _year(second), int(first)
    elif len(first) == 4:
        yield _year(first), int(second)
    elif re.search(rf"{first}(?:\s*[/.\-‐–]\s*\d|\s+\d{{4}})", text):
        yield _year(second), int(first)


def _month_by_name(text: str, numbers: list[str], name: str) -> Iterator[tuple[int, int]]:
    """The same of a month in letters. Two digits are a year only where something says so: `Dec '29`, `expires
    Dec 29`; a day of the month is none."""
    month = _MONTHS.index(name) + 1
    others = [one for one in numbers if int(one) != month or len(one) == 4]
    if len(others) != 1:
        return
    year = others[0]
    marked = re.search(rf"['’/-]\s*{year}|year|expir|exp\b|valid|until|end of", text)
    day = re.search(rf"\b{year}(?:st|nd|rd|th)?[\s.-]+(?:of\s+)?{name}", text)
    if len(year) == 4 or (marked and not day):
        yield _year(year), month


def _year(digits: str) -> int:
    return int(digits) + (2000 if len(digits) == 2 else 0)


_CLOCK = re.compile(
    r"(?<![\d.:])(\d{1,2})\s*[:.h]\s*(\d{2})(?:\s*[:.m]\s*(\d{2})(?:\.0+)?s?)?(?!\d)\s*(?:(a|p)\.?\s?m\b\.?)?"
    r"|(?<!\d)(\d{2})(\d{2})(\d{2})?(?!\d)\s*(?:(a|p)\.?\s?m\b\.?)?|(?<!\d)(\d{1,2})\s*(?:(a|p)\.?\s?m\b\.?)",
    re.I,
)


@dataclass(frozen=True)
class Moment(Fact):
    """A time of day in UTC, `hhmm` or `hhmmss`; `day` is its `MMDD`, which may stand before it."""

    day: str = ""

    def _reads(self, given: Any) -> bool:
        if isinstance(given, datetime):
            return self.day in ("", f"{given:%m%d}") and self._reads(given.time())
        if isinstance(given, time):
            return self._is(given.hour, given.minute, f"{given.second:02}" if given.second else "")
        return super()._reads(f"{given:04}" if isinstance(given, int) and given >= 0 else given)

    def _says(self, text: str) -> bool:
        if re.search(r"\blocal\b|\b(?:C|E)E?S?T\b|\b[ECMP][SD]T\b|\b(?:BST|JST|IST)\b", text):
            return False
        if re.fullmatch(r"\d{1,2} \d\d(?: \d\d)?", text):
            text = text.replace(" ", ":")
        minutes = 0
        if shift := re.search(r"(?<=\d)\s*(?:UTC|GMT)?\s*([+-])(\d\d):?(\d\d)$", text):
            text = text[: shift.start()]
            minutes = int(f"{shift[1]}{int(shift[2]) * 60 + int(shift[3])}")
        if self.day and re.fullmatch(rf"{self.day}\d{{6}}", text):
            text = text[4:]
        if self.day:
            month, day = self.day[:2], self.day[2:]
            text = re.sub(
                rf"(?:\d{{4}}[-/])?{month}[-/.]{day}(?:[T ]|, )|{int(day)}\.? [A-Z][a-z]+,?(?: \d{{4}},?)? ",
                "",
                text,
            )
        found = [self._of(*one) for one in _CLOCK.findall(text)]
        if len(found) != 1 or re.search(r"\d", _CLOCK.sub("", text)):
            return False
        hour, minute, second = found[0]
        total = (hour * 60 + minute - minutes) % (24 * 60)
        return self._is(total // 60, total % 60, second)

    @staticmethod
    def _of(*parts: str) -> tuple[int, int, str]:
        hour, minute, second = parts[0] or parts[4] or parts[8], parts[1] or parts[5], parts[2] or parts[6]
        half = (parts[3] or parts[7] or parts[9]).lower()
        number = int(hour) % 12 + 12 * (half == "p") if half and int(hour) <= 12 else int(hour)
        return number, int(minute or 0), second

    def _is(self, hour: int, minute: int, second: str) -> bool:
        right = self.value
        return f"{hour:02}{minute:02}" == right[:4] and (not second or len(right) == 4 or second == right[4:])


@dataclass(frozen=True)
class OneOf(Fact):
    """A fact that can be told in more than one way: `value` are the facts that tell it."""

    @property
    def answer(self) -> Any:
        """What is right, said in the first way."""
        return self.value[0].answer

    def fits(self, given: object) -> bool:
        """Whether *given* states it in one of the ways."""
        return any(one.fits(given) for one in self.value)
