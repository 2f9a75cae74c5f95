"""The filter of a log: its syntax and its meaning, defined only here.

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
    DE39, F39, 39, or the element's name (`response code`), or a short name: see `vocabulary.NAMES`;
    `line`, `time`, `mti`, `network`, `verdict` (valid, invalid, unreadable) and any other column of the log.

Letter case, blanks around a sign, leading zeros (`DE11=77` finds 000077) and trailing blanks do not matter. A
value with blanks needs quotes. A filter without a meaning is a `FilterError` that says why.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sim.masking import mask_words
from sim.spec import currency
from sim.widgets.explorer.filtering import Flags, RowFilter
from sim.widgets.explorer.vocabulary import ELEMENT, FilterError

# The examples shown next to the filter, with what they find.
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

_NAME_AND_PLACE = "DE43"  # the merchant's place follows the name
_BY_CODE = "Search for codes instead of their meanings, such as DE39=51 or mti=04xx"
_DEEPEST = 50  # brackets
_MOST = 100  # conditions
_PRESENT = re.compile(r"(?:DE|field)[ -]?0*([1-9][0-9]{0,2})(?![\w./-])", re.IGNORECASE)
_BLANKS = re.compile(r"\s*")
_OR = re.compile(r"or(?=[\s()]|$)|\|\|?", re.IGNORECASE)
_AND = re.compile(r"and(?=[\s()]|$)|&&?", re.IGNORECASE)
_NOT = re.compile(r"not(?=[\s()]|$)|!|-(?=[A-Za-z(\"'])|without (?=(?:DE|field)[ -]?[0-9])", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_WORD = re.compile(r"[^\s()]+")
_LISTED = re.compile(r"\"([^\"]*)\"|'([^']*)'|([^\s,\"'](?:[^,]*[^\s,])?)")
# The words of a name, up to the sign.
_CALLED = re.compile(r"[A-Za-z0-9_-][\w./-]*(?:[, ]{1,2}[A-Za-z0-9(][\w./)-]*){0,5}")
_SIGN = re.compile(
    r"\s{0,9}(!=|<>|≠|>=|≥|<=|≤|=~|==|!~|=|>|<|~|:|(?<=\s)(?:(?:not\s{1,9})?in(?=[\s(])|is(?:\s{1,9}not)?(?=\s)"
    r"|between(?=\s)|contains(?=\s)))\s{0,9}",
    re.IGNORECASE,
)
_SIGNS = {
    **{"<>": "!=", "≠": "!=", "≥": ">=", "≤": "<=", "=~": "~", "==": "=", ":": "=", "contains": "~"},
    **{"in": "=", "not in": "!=", "is": "=", "is not": "!="},
}
_THERE = re.compile(r"(?:present|(null|missing|absent))(?=[\s()]|$)", re.IGNORECASE)
_CODE = re.compile(r"\s{0,9}([A-Z]{3})(?![\w=<>~!])", re.IGNORECASE)
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_LONG_NUMBER = re.compile(r"[0-9*]{4,}")
_MASKED = re.compile(r"\[[0-9]+ characters masked")


def meet(rows: RowFilter, query: str) -> tuple[Flags, tuple[str, ...]]:
    """The *rows* that match *query*, and notes for the user. Raises FilterError."""
    rows.notes = []
    met = Query(query, rows).flags() if query.strip() else rows.all()
    return met, tuple(dict.fromkeys(map(mask_words, rows.notes)))


class Query:
    """A parser of filters: `at` is its position, and *rows* evaluates the conditions."""

    def __init__(self, text: str, rows: RowFilter) -> None:
        self.text, self.rows = text, rows
        self.at = self.depth = self.count = 0
        # A name with its sign, and the start of its unquoted value: the next word may be part of it.
        self.open: tuple[str, int] | None = None

    def flags(self) -> Any:
        """The matching rows. Raises FilterError for a filter without a meaning."""
        if _MASKED.search(self.text):
            raise FilterError("Masked values cannot be searched.")
        met = self._either("")
        if self.at < len(self.text):
            raise FilterError(f"A closing bracket has no opening one: {self._masked_excerpt(self.at)}")
        return met

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def _quoted(self) -> str | None:
        match = self._take(_QUOTED)
        return None if match is None else match[1] or match[2] or ""

    def _masked_excerpt(self, start: int) -> str:
        return mask_words(self.text[start:][:40])

    def _ends(self) -> bool:
        self._take(_BLANKS)
        return self.at == len(self.text) or self.text[self.at] == ")"

    def _either(self, before: str) -> Any:
        met = self._both(before)
        while not self._ends() and (word := self._take(_OR)):
            met = met | self._both(word[0])
        return met

    def _both(self, before: str) -> Any:
        met = self._operand(before)
        while not self._ends() and not _OR.match(self.text, self.at):
            word = self._take(_AND)
            met = met & self._operand(word[0] if word else "")
        return met

    def _operand(self, before: str) -> Any:
        """One condition; *before* is the preceding word."""
        if self._ends():
            nothing = f'Nothing comes after "{before}". Quote it to search for the text.'
            raise FilterError(nothing if before else "The brackets are empty.")
        if word := _OR.match(self.text, self.at) or _AND.match(self.text, self.at):
            raise FilterError(f'Nothing comes before "{word[0]}". Quote it to search for the text.')
        if word := self._take(_NOT):
            return ~self._deeper(self._operand, word[0])
        if not self.text.startswith("(", self.at):
            return self._condition()
        self.at += 1
        met = self._deeper(self._either, "")
        if not self.text.startswith(")", self.at):
            raise FilterError("A bracket is not closed.")
        self.at += 1
        self.open = None
        return met

    def _deeper(self, read: Callable[[str], Any], before: str) -> Any:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise FilterError(f"More than {_DEEPEST} nested brackets.")
        met = read(before)
        self.depth -= 1
        return met

    def _condition(self) -> Any:
        self.count += 1
        if self.count > _MOST:
            raise FilterError(f"More than {_MOST} conditions. Quote text that contains spaces.")
        start = self.at
        for name, end in self._names():
            if columns := self.rows.vocabulary.named(name):
                self.at = end
                sign = self._take(_SIGN)
                if sign and not (sign[1] == ":" and name.isdigit()):  # 12:30 is a time
                    return self._compared(name, columns, " ".join(sign[1].casefold().split()))
                self.at = end
                if self._alone(name, columns, self.text[start]):
                    return self.rows.having(columns)
                self.at = start
        return self._text()

    def _names(self) -> list[tuple[str, int]]:
        """The possible names at this point, longest first, with their ends."""
        if quoted := _QUOTED.match(self.text, self.at):
            return [(quoted[1] or quoted[2] or "", quoted.end())]
        called = _CALLED.match(self.text, self.at)
        if called is None:
            return []
        ends = [called.start() + word.end() for word in re.finditer(r"[^ ]+", called[0])]
        return [(self.text[self.at : end].rstrip(","), end) for end in reversed(ends)]

    def _alone(self, name: str, columns: tuple[str, ...], first: str) -> bool:
        """Whether *name* without a sign selects messages that have it; numbers and quoted text do not."""
        if first in "\"'" or (ELEMENT.fullmatch(name) and not _PRESENT.fullmatch(name)):
            return False
        if not _PRESENT.fullmatch(name):
            label = " or ".join(re.sub("^DE", "DE ", column) for column in columns)
            write = f'for a value write {name}=…, for the text "{name}"'
            self.rows.notes.append(f"{name}: messages that have {label}; {write}")
        self.open = None
        return True

    def _compared(self, name: str, columns: tuple[str, ...], word: str) -> Any:
        """The condition on *columns* after the sign or the *word*."""
        self.open = None
        if word == "between":
            low = self._value(name, columns, ">=")
            self._take(_BLANKS)
            if not self._take(_AND):
                raise FilterError(f"{name} between needs two values: {name} between 10.00 and 20.00")
            self._take(_BLANKS)
            return low & self._value(name, columns, "<=")
        if word.startswith("is") and (match := self._take(_THERE)):
            met = self.rows.having(columns)
            return met if bool(match[1]) == word.endswith("not") else ~met
        sign = _SIGNS.get(word, word)
        if not word.endswith("in") or not self.text.startswith("(", self.at):
            return self._value(name, columns, sign)
        end = self.text.find(")", self.at)
        values = ["".join(groups) for groups in _LISTED.findall(self.text[self.at + 1 : max(end, self.at)])]
        if end < 0 or not values:
            raise FilterError(f"{name} in needs values in brackets: {name} in (05, 51)")
        self.at = end + 1
        return self._several(columns, sign, values)

    def _several(self, columns: tuple[str, ...], sign: str, values: list[str]) -> Any:
        """Rows whose *columns* equal one of *values* (or none of them); a single value may use any sign."""
        met = self._checked(columns, sign, values[0])
        for value in values[1:]:
            other = self._checked(columns, sign, value)
            met = met & other if sign == "!=" else met | other
        return met

    def _value(self, name: str, columns: tuple[str, ...], sign: str) -> Any:
        start = self.at
        if (quoted := self._quoted()) is not None:
            return self._checked(columns, sign, quoted)
        value = self._word(f"A value is missing after {name}{sign}")
        code = ""
        if self.rows.vocabulary.is_amount(columns[0]):
            match = _CODE.match(self.text, self.at)
            if match and currency(match[1].upper()):
                self.at, code = match.end(), match[1].upper()
        if sign in ("=", "!=", "~"):
            self.open = f"{name}{'~' if _NAME_AND_PLACE in columns else sign}", start
            if sign != "~" and "," in value and not _THOUSANDS.fullmatch(value):
                return self._several(columns, sign, [part for part in value.split(",") if part] or [""])
        return self._checked(columns, sign, value, code)

    def _word(self, missing: str) -> str:
        """The next word. Raises FilterError with *missing* if there is none, and for an unclosed quote."""
        start, word = self.at, self._take(_WORD)
        if word is None:
            raise FilterError(missing)
        if word[0][0] in "\"'":
            raise FilterError(f"The quote that opens at {self._masked_excerpt(start)} is not closed.")
        return word[0]

    def _checked(self, columns: tuple[str, ...], sign: str, value: str, code: str = "") -> Any:
        if self.rows.vocabulary.is_amount(columns[0]):
            amount, _, suffix = value.partition(" ")
            iso_currency = currency(suffix.strip().upper()) if suffix else None
            value, code = (amount, iso_currency.alpha) if iso_currency else (value, code)
            value = value.replace(",", "") if _THOUSANDS.fullmatch(value) else value
            if value.isdigit() and not code and int(value) and sign != "~":
                write = f"write {value}.00 for units of the currency"
                self.rows.notes.append(f"{value} is in minor units; {write}")
        return self.rows.compared(columns, sign, value, code)

    def _text(self) -> Any:
        """A text in any element."""
        start, opened = self.at, self.open
        self.open = None
        if (quoted := self._quoted()) is not None:
            if _SIGN.match(self.text, self.at):
                raise self.rows.vocabulary.unknown(quoted)
            return self._anywhere(quoted)
        word = self._word("")
        self._unsigned(word)
        if opened and self.text[opened[1] : start].count(" ") <= 1:
            write = f'{opened[0]}"{mask_words(self.text[opened[1] : self.at])}"'
            self.rows.notes.append(f"{word} is searched for everywhere; for one value, write {write}")
        return self._anywhere(word)

    def _anywhere(self, text: str) -> Any:
        met = self.rows.anywhere(text)
        if not met.any() and not text.isdecimal():
            self.rows.notes += f'No value in the log contains "{text}"', _BY_CODE
        return met

    def _unsigned(self, word: str) -> None:
        """Raises FilterError if *word* compares something that is not a column."""
        inside = re.search(r"!=|<>|[=<>~≠≥≤]", word)
        behind = _SIGN.match(self.text, self.at)
        name = word[: inside.start()] if inside else word
        words = behind is not None and behind[1][-1].isalpha() and not self.text.startswith("(", behind.end())
        if inside is None and (behind is None or words):
            return
        if inside is not None and _LONG_NUMBER.fullmatch(name):
            return  # a track or card number, longer than an element number
        if not name:
            raise FilterError(f"A column is missing before {word}")
        raise self.rows.vocabulary.unknown(name)
