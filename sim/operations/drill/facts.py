"""Facts that an answer may state, each with a reader for all the ways people write it.

The right answer is the `value` of a fact; `fits` says whether an answer states it. A number may be text with
a unit, an amount may have a decimal comma, a code may be in quotes or in pandas and numpy objects. An answer
that also states something else, denies the fact or leaves it open does not fit. `spec/data/answers.toml` has
the words for choices.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, KeysView, Mapping, ValuesView
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any, Self

from sim.errors import IsoError
from sim.operations.numbers import in_words
from sim.spec.spellings import currency_named, network_named
from sim.spec.tables import read_toml

# Items that are read: a generator may be infinite.
_MOST = 1000
_LONGEST = 4000  # characters of an answer that are read
_LEADS = re.compile(
    r"^(?:the\s+)?(?:my\s+)?(?:answer|result|solution)\s*(?:is|:|=)\s*|^(?:it\s+is|it's|its|that\s+is|that's)\s+",
    re.I,
)
_NOT = r"not|no|never|n't|without|neither|nor|non|isn't|rather than|instead of|all but|except|wrong"
_DENIED = re.compile(rf"(?:^|[^\w])(?:{_NOT})\b|\wn['’]t\b", re.I)
_NOT_OPEN = 3  # words between a denial and what it denies
_HEDGED = re.compile(r"\bor\b|\beither\b|\bmaybe\b|\bperhaps\b|\bdepends\b|\?\s*$|\bunless\b", re.I)


def plain(answer: Any) -> Any:
    """*answer* without pandas and numpy wrappers: a number, a text, or a list, also for a generator, a range
    or the keys of a dict."""
    if hasattr(answer, "tolist"):
        answer = answer.tolist()
    if isinstance(answer, Iterator | range | KeysView | ValuesView):
        answer = list(islice(answer, _MOST))
    if isinstance(answer, list | tuple):
        return [plain(item) for item in answer]
    return str(answer) if isinstance(answer, str) else answer


def text_of(answer: Any) -> str | None:
    """*answer* as a text, if it is a text or bytes; None for anything else.

    >>> text_of(b"0220"), text_of(220)
    ('0220', None)
    """
    if isinstance(answer, bytes | bytearray | memoryview):
        answer = bytes(answer).decode("ascii", "replace")
    return unicodedata.normalize("NFKC", answer[:_LONGEST]) if isinstance(answer, str) else None


def clean(answer: Any) -> str | None:
    """*answer* as a text without surrounding blanks, quotes and full stops, and without "the answer is"; None
    for an empty text and anything else.

    >>> clean("It is `0220`."), clean("''")
    ('0220', None)
    """
    text = text_of(answer)
    # Messages have no digits of other scripts.
    if text is None or any(char.isdigit() and not char.isascii() for char in text):
        return None
    text = text.strip().rstrip(".!").strip()
    text = _LEADS.sub("", text).strip(" \t\n\"'`“”‘’=")
    return text or None


def words_for(kind: str) -> Mapping[str, list[str]]:
    """What people write for each choice of *kind*."""
    table: Mapping[str, list[str]] = read_toml("answers")[kind]
    return table


def denied(text: str) -> bool:
    """Whether *text* has a negation."""
    return bool(_DENIED.search(text))


def hedged(text: str) -> bool:
    """Whether *text* leaves open which of several it means."""
    return bool(_HEDGED.search(text))


def phrases(text: str, choices: Mapping[str, Collection[str]], *, opposite: bool = False) -> set[str]:
    """Those of *choices* that *text* states, without those it denies; with *opposite*, denying one of two
    states the other.

    >>> sorted(phrases("not goods, a refund", words_for("purpose")))
    ['refund']
    >>> phrases("chip or contactless", words_for("entry"))
    set()
    """
    plain_text = text.casefold().replace("’", "'")
    # A word of several choices is that of the first.
    choice_of = {word: option for option, words in [*choices.items()][::-1] for word in words}
    longest_first = sorted(map(re.escape, choice_of), key=len, reverse=True)
    picks, last = set[str](), 0
    for match in re.finditer(rf"(?<![\w'])(?:{'|'.join(longest_first)})(?!\w)", plain_text):
        choice, before = choice_of[match[0]], plain_text[last : match.start()]
        last = match.end()
        if not _DENIED.search(" ".join(before.split()[-_NOT_OPEN:])):
            picks.add(choice)
        elif opposite:
            picks.add(next(other for other in choices if other != choice))
    if not picks or (len(picks) > 1 and hedged(text)):
        return set()
    return picks if opposite else {next(option for option in choices if option in picks)}


_UNITS = {
    "characters": r"characters?|chars?|positions?|places?|digits?|letters?|columns?",
    "bytes": r"bytes?|octets?",
    "bits": r"bits?",
}
CHARACTERS, BYTES, PLACES = ("characters",), ("bytes",), ("characters", "bytes")
_ELEMENT = re.compile(
    r"\b(?:data\s+elements?|DEs?|fields?|elements?|F|P|S)[\s.#:-]*(?=\d)|[#№]\s*(?=\d)|\b(?:no|number)\b\.?\s*(?=\d)",
    re.I,
)
_NUMBER = re.compile(r"(?<![\w.,'-])-?\d+(?:[,' _]\d{3})+(?:\.0+)?(?![\w,.'])|-?\d+(?:\.\d+)?")
_SPLIT = re.compile(r"[,;|/\n&+]|\band\b|\bthen\b|->|→")
_RANGE = re.compile(r"\D*?(\d+)\s*(?:-|–|\bto\b|\.\.+|…|\bthrough\b)\s*\D*?(\d+)")
_SEPARATORS = re.compile(r"[\s\-:/._,'|]")
_WORDS = re.compile(r"(?<![^\W_])[^\W\d_]+(?![^\W_])")
_LEAD = re.compile(r"^\W*(?:DE|data element|field|F|tag)\s*[0-9A-F]{1,4}\s*(?:is|holds|[:=])\s*", re.I)


@dataclass(frozen=True)
class Fact:
    """A fact, with its `value`."""

    value: Any

    @property
    def answer(self) -> Any:
        """The right answer, which fits."""
        return self.value

    def fits(self, given: object) -> bool:
        """Whether *given* states it."""
        value = plain(given)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        return not isinstance(value, bool) and self._reads(value)

    def like(self, value: Any) -> Self:
        """A fact of the same kind with another value."""
        return replace(self, value=value)

    def _reads(self, given: Any) -> bool:
        """Whether *given*, without wrappers, states it; by default, as a text."""
        text = clean(given)
        return text is not None and not hedged(text) and not self._denies(text) and self._says(text)

    def _denies(self, text: str) -> bool:
        return denied(text)

    def _says(self, text: str) -> bool:
        raise TypeError(text)


class _Stated(Fact):
    """A number or a code: a negation after its digits does not count."""

    def _denies(self, text: str) -> bool:
        return denied(re.split(r"\d", text)[0])


class _Numeric(_Stated):
    """A number, which an answer may give as such."""

    def _reads(self, given: Any) -> bool:
        number = Decimal(str(given)) if isinstance(given, float) else given
        return bool(number == self.value) if isinstance(number, int | Decimal) else super()._reads(given)


@dataclass(frozen=True)
class Number(_Numeric):
    """A whole number, with or without one of its `units`."""

    units: tuple[str, ...] = PLACES

    def _says(self, text: str) -> bool:
        units = {
            name for name, words in _UNITS.items() if re.search(rf"(?<![^\W\d_])(?:{words})\b", text, re.I)
        }
        if units and not units & set(self.units):
            return False
        text = text.rpartition("=")[2]
        digits = [Decimal(re.sub(r"[,' _]", "", number)) for number in _NUMBER.findall(text)]
        return (digits or in_words(text)) == [self.value]


@dataclass(frozen=True)
class Element(Number):
    """The number of a data element: `DE 14`, `field 14`, `F14`."""

    units: tuple[str, ...] = ("bits",)

    def _reads(self, given: Any) -> bool:
        return super()._reads(_ELEMENT.sub("", given) if isinstance(given, str) else given)


@dataclass(frozen=True)
class Digits(_Stated):
    """A text of a fixed number of digits, such as an MTI or DE 4; a number without its leading zeros does not
    fit. `padded`: leading zeros may be left out."""

    padded: bool = False

    def _reads(self, given: Any) -> bool:
        if isinstance(given, float):
            return given.is_integer() and self._reads(int(given))
        if isinstance(given, int):
            return str(given) == self.value or (self.padded and given == int(self.value))
        if isinstance(given, list):
            plain_parts = len(given) > 1 and all(isinstance(part, str | int) for part in given)
            return plain_parts and "".join(map(str, given)) == self.value
        return super()._reads(given)

    def _says(self, text: str) -> bool:
        if re.search(r"(?:^|\s)-\d", text):
            return False
        text = re.sub(r"(?<=\d)T(?=\d)", " ", text)
        if set(self.value) <= {"0", "1"}:
            text = text.removeprefix("0b")
        bare = (_WORDS.sub(" ", re.sub(r"[()=?]", " ", form)) for form in _without_lead(text))
        numbers = [digits for form in bare if (digits := _SEPARATORS.sub("", form)).isdecimal()]
        return self.value in numbers or (self.padded and int(self.value) in map(int, numbers))


@dataclass(frozen=True)
class Hex(_Stated):
    """Bytes as hex digits, in any grouping, as bytes, or after `0x`."""

    def _reads(self, given: Any) -> bool:
        if isinstance(given, int):
            return self.value in (str(given), f"{given:X}")
        if isinstance(given, bytes | bytearray | memoryview):
            return bytes(given).hex().upper() == self.value or self._reads(text_of(given))
        if isinstance(given, list):
            parts = [f"{part:02X}" if isinstance(part, int) else text_of(part) for part in given]
            return len(parts) > 1 and None not in parts and self._reads(" ".join(map(str, parts)))
        return super()._reads(given)

    def _says(self, text: str) -> bool:
        return self.value in map(_hex_digits, _without_lead(text))


def _without_lead(text: str) -> tuple[str, ...]:
    """*text* as it is, after the last equals sign, and without the element in front."""
    return text, text.rpartition("=")[2], _LEAD.sub("", text)


def _hex_digits(text: str) -> str:
    text = re.sub(r"\\x|(?<![0-9A-Fa-f])0x|^[xX](?=')|(?<=[0-9A-Fa-f])h\b", "", text, flags=re.I)
    text = re.sub(r"\b[A-Za-z]*[G-Zg-z][A-Za-z]*\b", " ", text)
    return re.sub(r"[\s\-:|.,_'\"()\[\]]", "", text).upper()


@dataclass(frozen=True)
class Text(Fact):
    """Characters, exactly: inner blanks count and, if `exact`, so does letter case."""

    exact: bool = False

    def _reads(self, given: Any) -> bool:
        if isinstance(given, list) and all(isinstance(char, str) and len(char) == 1 for char in given):
            given = "".join(given) or None
        text = text_of(given)
        if text is None:
            return False
        forms = {text.strip(), clean(text) or "", *(form.strip(" '\"`") for form in _without_lead(text)[1:])}
        if self.exact:
            return self.value in {text, *forms}
        value, folded = str(self.value).casefold(), text.casefold()
        if value in {form.casefold() for form in forms}:
            return True
        others = re.sub(rf"(?<!\S)['\"`]?{re.escape(value)}['\"`]?(?!\S)", " ", folded)
        return others != folded and not (re.search(r"\d", others) or denied(text) or hedged(text))


@dataclass(frozen=True)
class Decimals(_Numeric):
    """A number with decimals after a point or a comma; in no other currency than `alpha`."""

    alpha: str = ""

    @property
    def answer(self) -> str:
        """The number as people write it."""
        return f"{self.value:f}"

    def _says(self, text: str) -> bool:
        numbers = re.findall(r"-?\d[\d.,]*", re.sub(r"(?<=\d)['’ _](?=\d{3}(?!\d))", "", text))
        if len(numbers) != 1 or self._of_another(text):
            return False
        forms = (numbers[0].replace(",", mark) for mark in ("", "."))
        return any(Decimal(form) == self.value for form in forms if re.fullmatch(r"\d+\.?\d*", form))

    def _of_another(self, text: str) -> bool:
        for name in re.findall(r"€|(?<![^\W\d_])[^\W\d_]{3}(?![^\W\d_])", text):
            with suppress(IsoError):
                if currency_named(name).alpha != self.alpha:
                    return True
        return False


@dataclass(frozen=True)
class NetworkName(Fact):
    """A card network by any of its names."""

    def _denies(self, text: str) -> bool:
        return False  # the networks are compared below

    def _says(self, text: str) -> bool:
        return set(_networks(text)) == {self.value}


def _networks(text: str) -> Iterator[str]:
    """The networks that *text* names without denying them."""
    parts = re.findall(r"[\w-]+", text)
    at = last = 0
    while at < len(parts):
        for size in (3, 2, 1):
            name = " ".join(parts[at : at + size])
            with suppress(IsoError):
                network = network_named(name if size > 1 or len(name) > 1 else "-")
                if not denied(" ".join(parts[last:at][-3:])):
                    yield network
                at += size - 1
                last = at + 1
                break
        at += 1


@dataclass(frozen=True)
class Choice(Fact):
    """One of the choices of `kind` in `answers.toml`."""

    kind: str = ""

    def _reads(self, given: Any) -> bool:
        if isinstance(given, float):
            given = int(given) if given.is_integer() else None
        text = clean(str(given) if isinstance(given, int) else given)
        return text is not None and phrases(text, words_for(self.kind)) == {self.value}


@dataclass(frozen=True)
class YesNo(Fact):
    """Yes or no; `kind` names the words that mean either, besides yes and no."""

    kind: str = "yes"

    @property
    def answer(self) -> str:
        """Yes or no."""
        return "yes" if self.value else "no"

    def fits(self, given: object) -> bool:
        """Whether *given* states it."""
        value = plain(given)
        if isinstance(value, bool | int | float):
            return bool(value == self.value)
        text = clean(value)
        if text is None or text.startswith("-"):
            return False
        kinds = {"yes", self.kind}
        both = {key: [word for kind in kinds for word in words_for(kind)[key]] for key in ("yes", "no")}
        return phrases(text, both, opposite=True) == {"yes" if self.value else "no"}


@dataclass(frozen=True)
class Several(Fact):
    """Several values, each a fact like `of`; `ordered`: their order counts, or that of their `names` in an
    answer that gives them."""

    of: Fact = Text("")
    ordered: bool = True
    names: tuple[str, ...] = ()

    def _reads(self, given: Any) -> bool:
        if isinstance(given, dict) and self.ordered:
            pairs = ", ".join(f"{name} {value}" for name, value in given.items())
            given = pairs if self.names else list(given.values())
        if isinstance(given, set | frozenset):
            if self.ordered:
                return False
            given = sorted(given, key=str)
        if isinstance(given, list):
            return self._agree(given)
        if isinstance(given, int | float):
            return self._agree([given])
        text = text_of(given)
        if text is None or hedged(text) or self.of._denies(text):
            return False
        at = [text.casefold().find(name) for name in self.names]
        named = bool(at) and min(at) >= 0
        values = [value for _, value in sorted(zip(at, self.value, strict=True))] if named else self.value
        return any(self.like(values)._agree(parts) for parts in self._parts(text))

    def _agree(self, given: list[Any]) -> bool:
        if not self.ordered:
            return self.differs(given) == ([], 0)
        items = map(self.of.like, self.value)
        return len(given) == len(self.value) and all(
            item.fits(part) for item, part in zip(items, given, strict=True)
        )

    def differs(self, given: Any) -> tuple[list[Any], int]:
        """The items of *given* that are wrong, and the number of missing ones."""
        if (text := text_of(given)) is not None:
            *_, parts = self._parts(text)
        else:
            parts = [given] if isinstance(given, int) else list(given)
        items = [self.of.like(value) for value in self.value]
        extra = [part for part in parts if not any(item.fits(part) for item in items)]
        return extra, sum(not any(item.fits(part) for part in parts) for item in items)

    def _parts(self, text: str) -> Iterator[list[Any]]:
        """The items of *text*, split at separators, or also at blanks."""
        text = re.sub(r"[\[\](){}\"'`]", " ", text).strip(" .=")
        parts = [part.strip() for part in _SPLIT.split(text) if part.strip(" .")]
        yield parts
        if isinstance(self.of, Element):
            parts = [number for part in parts for number in _ranged(part)]
            yield parts
            text = _ELEMENT.sub("", ", ".join(map(str, parts)))
        words = [
            word for word in re.split(r"[\s,;|/&+-]+", text) if word and word.lower() not in ("and", "then")
        ]
        yield words
        yield [word for word in words if re.search(r"\d", word)]


def _ranged(part: str) -> list[Any]:
    """The numbers of the range in *part*; else *part* unchanged."""
    if (match := _RANGE.fullmatch(part)) and 0 < int(match[2]) - int(match[1]) < 128:
        return list(range(int(match[1]), int(match[2]) + 1))
    return [part]


def fact(value: Any) -> Fact:
    """The fact with *value*, of the kind that fits it: a text of digits keeps its zeros.

    >>> fact("0220").fits("MTI 0220"), fact("0220").fits(220), fact(27).fits("27 characters")
    (True, False, True)
    """
    if isinstance(value, Fact):
        return value
    if isinstance(value, bool):
        return YesNo(value)
    if isinstance(value, int):
        return Number(value)
    if isinstance(value, list | tuple):
        return Several(tuple(value), fact(next(iter(value), "")), True)
    return Digits(value) if value.isascii() and value.isdigit() else Text(value)
