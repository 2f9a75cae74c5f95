"""The filter of a log: what may be typed, and what it means. This is the one place that says so.

Conditions
    DE39=05  DE39!=05        equal; different (messages without DE 39 meet neither)
    DE4>500.00  DE4>50000    with decimals: in units of the message's currency; without: in minor units
    DE4>500 USD              in US dollars, and only messages in US dollars
    DE7>1120  DE12=12:30     dates and times: as many digits of them as are given
    DE43~shop  DE43!~shop    contains; does not contain
    DE39 in (05, 51)         one of several; also DE39=05,51 and DE39 not in (05, 51)
    DE4 between 10.00 and 20.00
    DE55  -DE55              present; absent; also DE55 is present, DE55 is absent
    shop  "main street"      a text anywhere in the message
    411111******1111         a masked value as the grid shows it; * alone stands for any characters

All conditions must be met. `or`, `not` (also `-` and `!`) and brackets combine them, `and` may be written:
`(DE39=05 or DE39=51) and not network=VISA`. `and` binds more tightly than `or`.

Names
    DE39, F39, 39, or the element's name (`response code`), or a short name: see `NAMES`;
    `line`, `time`, `mti`, `network`, `verdict` (valid, invalid, unreadable) and any other column of the log.

Upper and lower case are the same, blanks around a sign do not matter, nor do leading zeros (`DE11=77` finds
000077) and trailing blanks. A value with blanks stands in quotes. What cannot be meant is a `FilterError`
that says why.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeAlias

from sim.masking import mask_words
from sim.operations.search import elements_called
from sim.spec import currency
from sim.spec.elements import spec

# What people call the columns of the grid, and the columns that are meant, the first that a message has.
NAMES: dict[str, tuple[str, ...]] = {
    "card": ("DE2", "DE35"),
    "amount": ("DE4",),
    "stan": ("DE11",),
    "expiry": ("DE14",),
    "mcc": ("DE18",),
    "entry": ("DE22",),
    "rrn": ("DE37",),
    "approval": ("DE38",),
    "response": ("DE39",),
    "terminal": ("DE41",),
    "merchant": ("DE42", "DE43"),
    "currency": ("DE49",),
    "chip": ("DE55",),
    "verdict": ("verdict",),
}
# What the panel shows beside the filter: an example, and what it finds.
HELP: tuple[tuple[str, str], ...] = (
    ("DE39!=00", "DE 39 is present and not 00"),
    ("amount>500.00", "more than 500.00 in the message's currency"),
    ("DE4>50000", "more than 50,000 minor units"),
    ("DE43~shop", "DE 43 contains shop"),
    ("response in (05, 51)", "either of these response codes"),
    ("-DE55", "messages without DE 55"),
    ("mti=0110 or mti=0210", "either MTI; and, not and ( ) work as well"),
    ("411111******1111", "a masked card number"),
    ('"main street"', "this text in any element"),
)

_LAST = 128
_NAME_AND_PLACE = "DE43"  # has the merchant's place behind the name
_DEEPEST = 50  # brackets
_MOST = 100  # conditions
_ELEMENT = re.compile(r"(?:DE|F|field|bit)?[ -]?0*([1-9][0-9]{0,2})", re.IGNORECASE)
_PRESENT = re.compile(r"(?:DE|field)[ -]?0*([1-9][0-9]{0,2})(?![\w./-])", re.IGNORECASE)
_PART = re.compile(r"(?:DE|field)[ -]?0*([1-9][0-9]{0,2})[./]([0-9A-Za-z.]+)", re.IGNORECASE)
_BLANKS = re.compile(r"\s*")
_END_OF_WORD = r"(?=[\s()]|$)"
_OR = re.compile(rf"(?:or{_END_OF_WORD}|\|\|?)", re.IGNORECASE)
_AND = re.compile(rf"(?:and{_END_OF_WORD}|&&?)", re.IGNORECASE)
_NOT = re.compile(
    rf"(?:not{_END_OF_WORD}|!|-(?=[A-Za-z(\"'])|(?:without|no) (?=(?:DE|field)[ -]?[0-9]))", re.IGNORECASE
)
_WITH = re.compile(r"(?:with|has)\s{1,9}(?=(?:DE|field)[ -]?[0-9])", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_WORD = re.compile(r"[^\s()]+")
_LISTED = re.compile(r"[^\s(),]+(?: +[^\s(),]+)*")
# The words of a name, up to the sign behind it.
_CALLED = re.compile(r"[A-Za-z0-9_-][\w./-]*(?:[, ]{1,2}[A-Za-z0-9(][\w./)-]*){0,5}")
_SIGN = re.compile(r"\s{0,9}(!=|<>|≠|>=|≥|<=|≤|=~|==|!~|=|>|<|~)\s{0,9}")
_COLON = re.compile(r"\s{0,9}:\s{0,9}")
_AMONG = re.compile(r"\s{1,9}(not\s{1,9})?in(?=[\s(])\s{0,9}", re.IGNORECASE)
_BETWEEN = re.compile(r"\s{1,9}between\s{1,9}", re.IGNORECASE)
_CONTAINS = re.compile(r"\s{1,9}contains\s{1,9}", re.IGNORECASE)
_IS = re.compile(
    r"\s{1,9}(?:is\s{1,9})?(not\s{1,9})?(null|missing|absent|empty|present|there|exists)" + _END_OF_WORD,
    re.IGNORECASE,
)
_EQUALS = re.compile(r"\s{1,9}(?:is\s{1,9}(not)|is|equals)\s{1,9}", re.IGNORECASE)
_CODE = re.compile(r"\s{0,9}([A-Z]{3})(?![\w=<>~!])", re.IGNORECASE)
_SIGNS = {"<>": "!=", "≠": "!=", "≥": ">=", "≤": "<=", "=~": "~", "==": "="}
_ABSENT = frozenset({"null", "missing", "absent", "empty"})
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_LONG_NUMBER = re.compile(r"[0-9*]{4,}")


class FilterError(ValueError):
    """What was typed cannot be meant; the text says why, and shows no card number."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text in any element."""

    value: str


@dataclass(frozen=True, slots=True)
class Present:
    """One of *columns* is there."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """One of *columns* compares so with a value; `currency` is that of an amount, where it was typed."""

    columns: tuple[str, ...]
    sign: str
    value: str
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Not:
    """What does not meet *part*."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Both:
    """What meets all of *parts*."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """What meets one of *parts*."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Text | Present | Compared | Not | Both | Either


@dataclass(frozen=True)
class Filter:
    """A filter as it was understood, and what its writer may want to know."""

    condition: Condition
    notes: tuple[str, ...] = ()


@dataclass
class Vocabulary:
    """What a log calls its columns: `columns` of its table, `versions` of its messages."""

    columns: Collection[str]
    versions: tuple[str, ...]
    _cache: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def named(self, name: str) -> tuple[str, ...]:
        """The columns that *name* means; none where it means nothing. Raises FilterError for an element that
        does not exist, and for a part of one."""
        key = " ".join(name.casefold().split())
        if key not in self._cache:
            self._cache[key] = self._named(key)
        return self._cache[key]

    def _named(self, name: str) -> tuple[str, ...]:
        if part := _PART.fullmatch(name):
            number, path = part[1], part[2].upper()
            raise FilterError(
                f"DE{number}.{path}: a filter sees whole elements; try DE{number}~{path} or a text."
            )
        if element := _ELEMENT.fullmatch(name):
            number = int(element[1])
            if not 2 <= number <= _LAST:
                if name[0].isdigit():  # a text
                    return ()
                raise FilterError(f"There is no DE{number}; elements are DE2 to DE{_LAST}.")
            return (f"DE{number}",)
        if name in NAMES:
            return NAMES[name]
        if name in self.columns:
            return (name,)
        if "_" in name or not name:
            return ()
        return tuple(f"DE{number}" for number in elements_called(name, self.versions))

    def unknown(self, name: str) -> FilterError:
        """The error for a name that means nothing, with what may have been meant."""
        words = " ".join(name.replace("_", " ").casefold().split())
        near = [f"DE{number}" for number in elements_called(words, self.versions)]
        for one in difflib.get_close_matches(words, [*NAMES, *self.columns], 1, 0.75):
            near += NAMES.get(one, (one,))
        hint = f"; did you mean {near[0]}?" if near else f'. To search for the text, quote it: "{name}".'
        return FilterError(mask_words(f"There is no column {name}{hint}"))

    def is_amount(self, column: str) -> bool:
        """Whether *column* holds amounts in minor units."""
        return any(amount_element(column, version) for version in self.versions)


def amount_element(column: str, version: str) -> bool:
    """Whether *column* is an amount in minor units, with a sign or not, in *version*."""
    if not column.startswith("DE"):
        return False
    element = spec(version)[int(column[2:])]
    return element.content in ("n", "x+n") and element.name.casefold().startswith("amount")


def understood(text: str, vocabulary: Vocabulary) -> Filter:
    """What *text* asks for. Raises FilterError where it can mean nothing.

    >>> log = Vocabulary({"mti", "DE39"}, ("1987",))
    >>> understood("response != 00", log).condition
    Compared(columns=('DE39',), sign='!=', value='00', currency='')
    >>> understood("response_code=00", log)
    Traceback (most recent call last):
    sim.widgets.explorer.query.FilterError: There is no column response_code; did you mean DE39?
    """
    return _Parser(text, vocabulary).filter()


class _Parser:
    """Reads the text from left to right; `at` is how far."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.text = text
        self.at = 0
        self.depth = self.count = 0
        self.vocabulary = vocabulary
        self.notes: list[str] = []
        # A value without quotes that was just read, and its column: a word behind it may belong to it.
        self.open: tuple[str, str, int] | None = None

    def filter(self) -> Filter:
        self._take(_BLANKS)
        if self.at == len(self.text):
            return Filter(Both(()))
        condition = self._either()
        if self.at < len(self.text):
            raise FilterError(f"A closing bracket has no opening one: {self._rest()}")
        return Filter(condition, tuple(dict.fromkeys(self.notes)))

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def _rest(self) -> str:
        return mask_words(self.text[self.at :][:40])

    def _ends(self) -> bool:
        self._take(_BLANKS)
        return self.at == len(self.text) or self.text[self.at] == ")"

    def _joined(self, word: re.Pattern[str]) -> bool:
        """Whether *word* comes next, and something that it joins."""
        self._take(_BLANKS)
        found = self._take(word)
        if found and self._ends():
            raise FilterError(f'Nothing comes after "{found[0]}". Quote it to search for the text.')
        return found is not None

    def _either(self) -> Condition:
        parts = [self._both()]
        while self._joined(_OR):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _both(self) -> Condition:
        if word := _OR.match(self.text, self.at) or _AND.match(self.text, self.at):
            raise FilterError(f'Nothing comes before "{word[0]}". Quote it to search for the text.')
        parts = [self._one()]
        while not self._ends() and not _OR.match(self.text, self.at):
            self._joined(_AND)
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _one(self) -> Condition:
        self._take(_BLANKS)
        if word := self._take(_NOT):
            if self._ends():
                raise FilterError(f'Nothing comes after "{word[0]}". Quote it to search for it.')
            return Not(self._deeper(self._one))
        if self._take(_WITH):
            return self._one()
        if self.text.startswith("(", self.at):
            return self._bracket()
        return self._condition()

    def _deeper(self, read: Callable[[], Condition]) -> Condition:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise FilterError(f"More than {_DEEPEST} nested brackets.")
        made = read()
        self.depth -= 1
        return made

    def _bracket(self) -> Condition:
        self.at += 1
        if self._ends():
            raise FilterError("The brackets are empty.")
        condition = self._deeper(self._either)
        if not self.text.startswith(")", self.at):
            raise FilterError("A bracket is not closed.")
        self.at += 1
        self.open = None
        return condition

    def _condition(self) -> Condition:
        self.count += 1
        if self.count > _MOST:
            raise FilterError(f"More than {_MOST} conditions. Quote text that contains spaces.")
        start = self.at
        quoted = self.text[start] in "\"'"
        for name, end in self._names():
            columns = self.vocabulary.named(name)
            if not columns:
                continue
            self.at = end
            if found := self._compared(name, columns):
                return found
            if not quoted and self._alone(name, columns):
                return Present(columns)
            self.at = start
        return self._text()

    def _alone(self, name: str, columns: tuple[str, ...]) -> bool:
        """Whether *name* without a sign asks for messages that have it: a bare number is a text."""
        if not _PRESENT.fullmatch(name):
            if _ELEMENT.fullmatch(name):
                return False
            there = " or ".join(f"DE {one[2:]}" if one.startswith("DE") else one for one in columns)
            self.notes.append(
                f'{name}: messages that have {there}; for a value write {name}=…, for the text "{name}"'
            )
        self.open = None
        return True

    def _names(self) -> list[tuple[str, int]]:
        """What may be a name here, the longest first, and where each ends."""
        if quoted := _QUOTED.match(self.text, self.at):
            return [(quoted[1] or quoted[2] or "", quoted.end())]
        called = _CALLED.match(self.text, self.at)
        if called is None:
            return []
        ends = [called.start() + word.end() for word in re.finditer(r"[^ ]+", called[0])]
        return [(self.text[self.at : end].rstrip(","), end) for end in reversed(ends)]

    def _compared(self, name: str, columns: tuple[str, ...]) -> Condition | None:
        """The condition on *columns* whose sign or word comes next; None where none does."""
        if word := self._take(_IS):
            present: Condition = Present(columns)
            return Not(present) if (word[2].casefold() in _ABSENT) != bool(word[1]) else present
        if word := self._take(_AMONG):
            return self._among(name, columns, bool(word[1]))
        if self._take(_BETWEEN):
            low = self._value(name, columns, ">=")
            if not self._joined(_AND):
                raise FilterError(f"{name} between needs two values: {name} between 10.00 and 20.00")
            return Both((low, self._value(name, columns, "<=")))
        if self._take(_CONTAINS):
            return self._value(name, columns, "~")
        if sign := self._take(_SIGN):
            return self._value(name, columns, _SIGNS.get(sign[1], sign[1]))
        if not name.isdigit() and self._take(_COLON):  # 12:30 is a time
            return self._value(name, columns, "=")
        if word := self._take(_EQUALS):
            return self._value(name, columns, "!=" if word[1] else "=")
        return None

    def _among(self, name: str, columns: tuple[str, ...], out: bool) -> Condition:
        if not self.text.startswith("(", self.at):
            return self._value(name, columns, "!=" if out else "=")
        self.at += 1
        values = []
        while not self._ends():
            quoted = self._take(_QUOTED)
            listed = quoted or self._take(_LISTED)
            if listed is None:
                raise FilterError(f"{name} in (…): a value is missing before {self._rest()}")
            values.append((quoted[1] or quoted[2] or "") if quoted else listed[0])
            self._take(_BLANKS)
            if self.text.startswith(",", self.at):
                self.at += 1
        if self.at == len(self.text) or not values:
            raise FilterError(f"{name} in needs values in brackets: {name} in (05, 51)")
        self.at += 1
        self.open = None
        return self._several(columns, "!=" if out else "=", values)

    def _several(self, columns: tuple[str, ...], sign: str, values: list[str]) -> Condition:
        parts = tuple(self._checked(columns, sign, value) for value in values)
        return parts[0] if len(parts) == 1 else Both(parts) if sign == "!=" else Either(parts)

    def _value(self, name: str, columns: tuple[str, ...], sign: str) -> Condition:
        quoted = self._take(_QUOTED)
        bare = quoted or self._take(_WORD)
        if bare is None:
            raise FilterError(f"A value is missing after {mask_words(name)}{sign}")
        if bare[0][0] in "\"'" and not quoted:
            raise FilterError(f"The quote that opens at {self._quoted(bare[0])} is not closed.")
        self.open = None
        if quoted:
            return self._checked(columns, sign, quoted[1] or quoted[2] or "")
        value = bare[0]
        if sign in ("=", "!=") and "," in value and not _THOUSANDS.fullmatch(value):
            return self._several(columns, sign, [one for one in value.split(",") if one])
        code = ""
        if self.vocabulary.is_amount(columns[0]):
            said = _CODE.match(self.text, self.at)
            if said and currency(said[1].upper()):
                self.at, code = said.end(), said[1].upper()
        if sign in ("=", "!=", "~"):
            self.open = (name, "~" if _NAME_AND_PLACE in columns else sign, bare.start())
        return self._checked(columns, sign, value, code)

    def _checked(self, columns: tuple[str, ...], sign: str, value: str, code: str = "") -> Condition:
        if value.startswith("[") and "characters masked" in self.text:
            raise FilterError("Masked values cannot be searched.")
        if self.vocabulary.is_amount(columns[0]):
            amount, _, said = value.partition(" ")
            known = currency(said.strip().upper()) if said else None
            value, code = (amount, known.alpha) if known else (value, code)
            value = value.replace(",", "") if _THOUSANDS.fullmatch(value) else value
            if value.isdigit() and not code and int(value) and sign != "~":
                self.notes.append(f"{value} is in minor units; write {value}.00 for units of the currency")
        return Compared(columns, sign, value, code)

    def _quoted(self, text: str) -> str:
        return mask_words(text[:20])

    def _text(self) -> Condition:
        """A text in any element."""
        start = self.at
        if quoted := self._take(_QUOTED):
            value = quoted[1] or quoted[2] or ""
            if _SIGN.match(self.text, self.at):
                raise self.vocabulary.unknown(value)
            self.open = None
            return Text(value)
        word = self._take(_WORD)
        if word is None or word[0][0] in "\"'":
            given = self._quoted(self.text[start:])
            raise FilterError(f"The quote that opens at {given} is not closed.")
        if word[0].startswith("[") and "characters masked]" in self.text:
            raise FilterError("Masked values cannot be searched.")
        self._unsigned(word[0])
        if self.open is not None and self.text[self.open[2] : start].count(" ") <= 1:
            name, sign, begins = self.open
            whole = mask_words(self.text[begins : self.at])
            self.notes.append(
                f'{word[0]} is searched for everywhere; for one value, write {name}{sign}"{whole}"'
            )
        self.open = None
        return Text(word[0])

    def _unsigned(self, word: str) -> None:
        """Raises FilterError where *word* compares something that is no column."""
        sign = re.search(r"!=|<>|[=<>~≠≥≤]", word)
        name = word[: sign.start()] if sign else word
        listed = (among := _AMONG.match(self.text, self.at)) and self.text.startswith("(", among.end())
        if sign is None and not listed and not _SIGN.match(self.text, self.at):
            return
        if sign is not None and _LONG_NUMBER.fullmatch(name):
            return  # a track, a card number: what has more digits than a number of an element
        if not name:
            raise FilterError(f"A column is missing before {mask_words(word)}")
        raise self.vocabulary.unknown(name)
