"""The exceptions of the toolkit.

They form one tree under `IsoError`, a `ValueError`: `ParseError` is about input text (`WireError` about
bytes), `BuildError` about elements to be written, `SpecError` about the toolkit's own tables, `OptionError`
about a caller's argument, `ChoiceError` about an argument that is not one of its choices.

Every error has a location: field, offset, expected, found. Texts never contain card data: `found` is a count,
a length prefix or an already masked value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sim.visible import visible, visible_lines

MTI_FIELD = 0
BITMAP_FIELD = 1
_ALIKE, _VERY_ALIKE = 0.6, 0.8  # of the words that an error suggests
_MOST_SHOWN = 40
_MOST_CHOICES = 40  # words that an error lists
_MOST_DIGITS = 11  # fewer than the shortest card number has
_LARGE = 10**_MOST_SHOWN
_FIRST = 6  # digits of a card number that may be shown
_LAST = 4
_PACKED = re.compile(r"[0-9]{8,}|(?:F[0-9]){8,}")
# A card number, possibly passed as the name of an option, a host or a file.
_LONG_NUMBER = re.compile(r"[0-9]{13,}|[0-9]{4}(?:[ -][0-9]{4}){2}[ -][0-9]{1,7}")


def element_label(field: int | None) -> str:
    """How a sentence names a data element: `MTI`, `bitmap`, `DE 4`, or `message` for the whole."""
    if field is None:
        return "message"
    return f"DE {field}" if field > BITMAP_FIELD else "bitmap" if field == BITMAP_FIELD else "MTI"


def locate(field: int | None, offset: int | None, expected: str, found: str, unit: str = "offset") -> str:
    """The sentence in which errors and findings say what is wrong where; *unit* is what *offset* counts,
    `byte` if it is not a character of the text form.

    >>> locate(4, 36, "n 12", "7 characters")
    'DE 4 at offset 36: expected n 12, found 7 characters'
    """
    return located(element_label(field), offset, expected, found, unit)


def located(label: str, offset: int | None, expected: str, found: str, unit: str = "offset") -> str:
    """The same sentence for a place called *label*."""
    if offset is None:
        return f"{label}: expected {expected}, found {found}"
    return f"{label} at {unit} {offset}: expected {expected}, found {found}"


class IsoError(ValueError):
    """Base of all errors. `field` 0 is the MTI, 1 the bitmap, None the whole message; `offset` counts from
    0 in characters of the text form, in a `WireError` in bytes; in a `SpecError` it is a line number, from
    1."""

    unit = "offset"

    def __init__(
        self, field: int | None, offset: int | None, expected: str, found: str, partial: Any = None
    ) -> None:
        self.say(locate(field, offset, expected, found, self.unit))
        self.field = field
        self.offset = offset
        self.expected = expected
        self.found = found
        self.partial = partial

    def say(self, text: str) -> None:
        """Set the error's text to *text*, in printable characters."""
        self.args = (visible_lines(text),)

    def __reduce__(self) -> tuple[Any, ...]:
        # ValueError would rebuild from its one text argument and lose the attributes.
        return type(self), (self.field, self.offset, self.expected, self.found, self.partial)


class ParseError(IsoError):
    """A text is not a message of its version. `partial` is the Message read up to the fault, or None if
    not even the MTI and bitmap could be read. `part` is the faulty part: the `mti`, the `bitmap`, a length
    `prefix`, a `value` or the `end` of the text; `wanted` is its expected number of characters."""

    def __init__(
        self,
        field: int | None,
        offset: int | None,
        expected: str,
        found: str,
        partial: Any = None,
        part: str = "",
        wanted: int = 0,
    ) -> None:
        super().__init__(field, offset, expected, found, partial)
        self.part = part
        self.wanted = wanted

    def __reduce__(self) -> tuple[Any, ...]:
        factory, arguments = super().__reduce__()
        return factory, (*arguments, self.part, self.wanted)


class WireError(ParseError):
    """Bytes are not a message of their format: a ParseError whose `offset` counts bytes from 0."""

    unit = "byte"


class CutShortError(WireError):
    """Bytes end before the message does: more bytes may complete it, at least `wanted` if that is known."""


class BuildError(IsoError):
    """Elements cannot be written as a message: a value of the wrong length, an unknown element."""


class SpecError(IsoError):
    """A table is not what the code expects: an invalid row, an element that no version has. In a user's
    file, `offset` is the line."""

    unit = "line"


class OptionError(IsoError):
    """An invalid argument: `option` is its name, `field` the element it would fill, if any, and `nearest` a
    suggestion."""

    def __init__(
        self, option: str, expected: str, found: str, field: int | None = None, nearest: str | None = None
    ) -> None:
        super().__init__(field, None, expected, found)
        self.option = quotable(option)
        self.say(f"{self.option}: expected {expected}, found {found}{_or(nearest)}")
        self.nearest = nearest

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.option, self.expected, self.found, self.field, self.nearest)


class ChoiceError(OptionError):
    """A word that is not one of the choices: `choices` are the words allowed, `nearest` is the closest
    one."""

    def __init__(self, option: str, found: str, choices: Iterable[str], nearest: str | None = None) -> None:
        self.choices = tuple(choices)
        expected = either(self.choices)
        if len(self.choices) > _MOST_CHOICES:
            expected = f"one of {len(self.choices)} words, such as {self.choices[0]!r}"
        super().__init__(option, expected, found, None, nearest)

    @classmethod
    def of(cls, option: str, value: object, choices: Iterable[str]) -> ChoiceError:
        """The error for an argument with the value *value*."""
        words = tuple(choices)
        return cls(option, quoted_value(value), words, closest(value, {word: word for word in words}))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.option, self.found, self.choices, self.nearest)


def quotable(text: str) -> str:
    """A caller's name for an option, a host or a rule, safe to quote: a number as long as a card's is masked.

    >>> quotable("for 4111111111111111")
    'for 411111******1111'
    """
    return visible(_LONG_NUMBER.sub(_starred, text))


def _starred(number: re.Match[str]) -> str:
    hidden = len(number[0]) - _FIRST - _LAST
    return number[0][:_FIRST] + "*" * hidden + number[0][-_LAST:]


def quoted_value(value: object) -> str:
    """How an error quotes a caller's value: shortened, and without numbers as long as a card's.

    >>> quoted_value("VISSA"), quoted_value(4111111111111111)
    ("'VISSA'", '16 characters')
    """
    if isinstance(value, int) and abs(value) >= _LARGE:  # Python refuses to print very long numbers
        return "a large number"
    if isinstance(value, str | int | float | None):
        digits = sum(char.isdecimal() for char in str(value))
        return size(str(value)) if digits > _MOST_DIGITS else repr(value)[:_MOST_SHOWN]
    return f"a value of type {type(value).__name__}"


def hexed(data: bytes) -> str:
    """How an error quotes bytes that may be part of a card number: only the first of many digits.

    >>> hexed(bytes.fromhex("45395787")), hexed(b"HTTP/1.1")
    ('453957**', '485454***F312E31')
    """
    return _PACKED.sub(lambda run: run[0][:_FIRST].ljust(len(run[0]), "*"), data.hex().upper())


def quoted(text: str, data: bytes) -> str:
    """How an error quotes characters, one per byte of *data*, which may be packed digits.

    >>> quoted("E9Wg", bytes.fromhex("45395767")), quoted("08O0", b"08O0")
    ("'E9W*'", "'08O0'")
    """
    hidden = _PACKED.search(data.hex()) is not None
    return repr(text[: _FIRST // 2].ljust(len(text), "*") if hidden else text)


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "byte"), counted(2, "byte")
    ('1 byte', '2 bytes')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def size(text: str) -> str:
    """The length of a text, in words: `4 characters`."""
    return counted(len(text), "character")


def fold(text: str) -> str:
    """*text* without letter case, blanks and punctuation.

    >>> fold("Master Card") == fold("MASTERCARD")
    True
    """
    return "".join(char for char in text.casefold() if char.isalnum())


def closest(value: object, spellings: Mapping[str, str], alike: float = _ALIKE) -> str | None:
    """The meaning of the spelling that *value* resembles, at least *alike*; None for a number, or if it
    resembles none."""
    from difflib import get_close_matches

    folded = {fold(spelling): meant for spelling, meant in spellings.items()}
    text = fold(value[:_MOST_SHOWN]) if isinstance(value, str) else ""
    near = [] if text.isdecimal() else get_close_matches(text, folded, n=1, cutoff=alike)
    # Who misspells a word seldom misspells its first letter: Narnia is not Armenia.
    sure = near and (near[0][:1] == text[:1] or get_close_matches(text, near, cutoff=_VERY_ALIKE))
    return folded[near[0]] if sure else None


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """Which of the *known* names of options *name* resembles, whole or by its first word.

    >>> closest_name("amount", ["stan", "amount_minor_units"])
    'amount_minor_units'
    """
    names = tuple(known)
    return closest(
        name, {option.split("_")[0]: option for option in names} | {option: option for option in names}
    )


def did_you_mean(value: object, words: Iterable[str]) -> str:
    """The suffix of an error about a word that resembles one of *words*; empty if it resembles none.

    >>> did_you_mean("visaa", ["visa", "amex"])
    "; did you mean 'visa'?"
    """
    return _or(closest(value, {word: word for word in words}))


def _or(near: str | None) -> str:
    return f"; did you mean {near!r}?" if near else ""


def either(choices: Sequence[str]) -> str:
    """The *choices* in words: separated by commas, with `or` before the last."""
    return " or ".join(", ".join(choices).rsplit(", ", 1))


def with_article(noun: str) -> str:
    """*noun* with a or an, by its sound: an issuer, a UnionPay card.

    >>> with_article("issuer"), with_article("UnionPay card")
    ('an issuer', 'a UnionPay card')
    """
    vowel = noun[:1].lower() in "aeiou" and not noun.lower().startswith(("unio", "unit", "univ", "eu", "one"))
    return ("an " if vowel else "a ") + noun
