"""The data elements of each version of ISO 8583: rows of `data/elements_<version>.csv`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from sim.errors import ChoiceError, SpecError, quoted_value
from sim.spec.codes import codes_of_kind
from sim.spec.layouts import CLASS, CLASS_NAMES, Layout, keep_of_dialect, text_width
from sim.spec.tables import read_csv

VERSIONS = ("1987", "1993", "2003")
_BY_DIGIT = dict(zip("012", VERSIONS, strict=True))

_EXACT = frozenset(("b", "x+n", "z"))  # never padded

_FORMAT = re.compile(rf"(?P<content>{CLASS})(?P<var> |\.\.)(?P<size>[0-9]+)")
_LONGEST_SIZE = 6  # digits; no message is longer


@dataclass(frozen=True, slots=True)
class ElementSpec:
    """One data element of one version.

    `format` is the standard's notation: `n 6`, `n..19`, `x+n 8`, `b 8`. `size` is the number in it, in
    characters (bytes for `b`); `width` is the size in characters of the text form: two hex digits per byte,
    and the sign of `x+n` counts. `prefix` is the number of length digits, 0 for a fixed element. `pattern` is
    the layout of a date or time: `MMDDhhmmss`.
    """

    number: int
    name: str
    format: str
    content: str
    size: int
    prefix: int
    width: int
    pattern: str
    source: str
    note: str

    @property
    def binary(self) -> bool:
        """Whether the text form writes the element as hex digits."""
        return self.content == "b"

    @property
    def fixed(self) -> bool:
        """Whether the element always has `width` characters."""
        return self.prefix == 0

    def filled(self, value: str) -> str:
        """*value* at the length of a fixed element: digits with zeros on the left, text with blanks on the
        right, or without those in excess. Unchanged if it is too long, or neither padding makes sense.

        >>> spec("1987")[11].filled("42"), spec("1987")[41].filled("TILL"), spec("1987")[39].filled("00  ")
        ('000042', 'TILL    ', '00')
        """
        if not self.fixed or self.content in _EXACT:
            return value
        if self.content == "n":
            return value.zfill(self.width) if value.isascii() and value.isdigit() else value
        bare = value.rstrip(" ").ljust(self.width)
        return bare if len(bare) == self.width else value


@dataclass(frozen=True, slots=True)
class Spec:
    """The 128 data elements of one version, by number: `ISO_1987[4].format == "n 12"`.

    `dialect` names a table that differs from the standard's, else it is empty; `parts` are the dialect's own
    layouts of its elements; `interface` is the interface of messages with this table, empty if it is that of
    the card's brand.
    """

    version: str
    elements: tuple[ElementSpec, ...]
    dialect: str = ""
    parts: tuple[Layout, ...] = ()
    interface: str = ""

    def __hash__(self) -> int:
        return hash((self.version, self.dialect, self.interface))

    def __getitem__(self, number: int) -> ElementSpec:
        if not 1 <= number <= len(self.elements):
            raise SpecError(number, None, f"a data element 1 to {len(self.elements)}", str(number))
        return self.elements[number - 1]


def parse_format(number: int, notation: str) -> tuple[str, int, int]:
    """The content class, the size and the number of length digits in the *notation* of data element *number*.
    Raises SpecError if it is not valid.

    >>> parse_format(2, "n..19")
    ('n', 19, 2)
    """
    match = _FORMAT.fullmatch(notation)
    if match is None or len(match["size"]) > _LONGEST_SIZE:
        expected = f"a format such as n 6 or ans..25, of class {', '.join(CLASS_NAMES)}"
        raise SpecError(number, None, expected, quoted_value(notation))
    # The prefix has as many digits as the maximum: n..19 is LLVAR, ans..999 LLLVAR, b..9999 LLLLVAR.
    return match["content"], int(match["size"]), len(match["size"]) if match["var"] == ".." else 0


def with_elements(
    standard: Spec,
    dialect: str,
    rows: Iterable[dict[str, str]],
    parts: tuple[Layout, ...],
    interface: str = "",
) -> Spec:
    """The table of a *dialect*: *standard* with the elements in *rows* (`number`, and any of `format`,
    `name`, `source`, `note` that differ) and the layouts *parts*. Raises SpecError for an invalid row."""
    elements = list(standard.elements)
    for row in rows:
        number = int(row["number"])
        old = standard[number]
        kept = {"name": old.name, "format": old.format, "source": old.source, "note": old.note}
        # A date of another length has another layout, which we do not know.
        pattern = old.pattern if row.get("format", old.format) == old.format else ""
        elements[number - 1] = _element({**kept, "pattern": pattern, **row})
    keep_of_dialect(parts)
    return Spec(standard.version, tuple(elements), dialect, parts, interface)


@lru_cache(maxsize=64)
def reshaped(table: Spec) -> frozenset[int]:
    """The elements to which the dialect of *table* gives another content class or fixed length than its
    version does."""
    pairs = zip(table.elements, spec(table.version).elements, strict=True)
    return frozenset(element.number for element, plain in pairs if _shape(element) != _shape(plain))


def _shape(element: ElementSpec) -> tuple[str, int]:
    """The content class and fixed length of an element; length 0 if it varies."""
    return element.content, element.width if element.fixed else 0


def _element(row: dict[str, str]) -> ElementSpec:
    content, size, prefix = parse_format(int(row["number"]), row["format"])
    width = text_width(content, size)
    # A prefix counts characters, here hex digits: even for b..999, LLL ends at 999.
    width = min(width, 10**prefix - 1) if prefix else width
    values: dict[str, Any] = row | {"number": int(row["number"]), "content": content, "size": size}
    return ElementSpec(**values, prefix=prefix, width=width)


@cache
def spec(version: str) -> Spec:
    """The data elements of *version*: `1987`, `1993` or `2003`. Raises ChoiceError for any other.

    >>> spec("1987")[4].format
    'n 12'
    >>> spec("2003")[11].format
    'n 12'
    """
    if version not in VERSIONS:
        raise ChoiceError.of("version", version, VERSIONS)
    return Spec(version, tuple(_element(row) for row in read_csv(f"elements_{version}")))


def table(version: str | Spec) -> Spec:
    """The element table named *version*; a table is returned unchanged. Raises ChoiceError for an unknown
    version."""
    return version if isinstance(version, Spec) else spec(version)


@dataclass(frozen=True, slots=True)
class Role:
    """The element with a job that moved between versions, the part that has it (empty: the whole element),
    and its code list there (empty: none)."""

    number: int
    part: str
    codes: str


@cache
def _roles() -> dict[tuple[str, str], Role]:
    return {
        (row["role"], version): Role(int(row["number"]), row["part"], row["codes"])
        for row in read_csv("roles")
        for version in row["versions"].split("|")
    }


def role(name: str, version: str) -> Role | None:
    """The element with job *name* in *version*, None if there is none.

    >>> [found.number for version in VERSIONS if (found := role("original", version))]
    [90, 56, 56]
    """
    return _roles().get((name, version))


def number_of(name: str, version: str) -> int:
    """The number of the element with job *name* in *version*, 0 (no element's number) if there is none.

    >>> number_of("settlement", "1987"), number_of("settlement", "1993")
    (66, 0)
    """
    entry = _roles().get((name, version))
    return entry.number if entry else 0


_JOB = re.compile("<([a-z-]+)>|<([a-z_]+)=([a-z-]+)>")


@cache
def coded(text: str, version: str) -> re.Pattern[str]:
    """A pattern in which `<chip>` means one of the codes of *version* with that job, and
    `<response_code=declined>` one of that kind in a code list.

    >>> coded("<chip>.", "1987").fullmatch("051") is not None
    True
    """

    def any_of(job: re.Match[str]) -> str:
        codes = particular(job[1], version) if job[1] else codes_of_kind(job[2], job[3], version)
        return f"(?:{'|'.join(codes) or '(?!)'})"

    return re.compile(_JOB.sub(any_of, text), re.ASCII | re.DOTALL)


@cache
def _particular() -> dict[tuple[str, str], tuple[str, re.Pattern[str]]]:
    return {
        (row["job"], version): (row["codes"], re.compile(row["codes"], re.DOTALL))
        for row in read_csv("particular")
        for version in row["versions"].split("|")
    }


def is_particular(job: str, version: str, code: str) -> bool:
    """Whether *code* has *job* in *version*, such as the response code of a partial approval.

    >>> is_particular("partial", "1987", "10"), is_particular("partial", "1993", "10")
    (True, False)
    """
    entry = _particular().get((job, version))
    return entry is not None and entry[1].fullmatch(code) is not None


def particular(job: str, version: str) -> tuple[str, ...]:
    """The codes with *job* in *version*; empty if there are none.

    >>> particular("acknowledged", "1993")
    ('900', '901')
    """
    entry = _particular().get((job, version))
    return tuple(entry[0].split("|")) if entry else ()


def version_of(mti: str) -> str | None:
    """The version in an MTI's first digit: 0 is 1987, 1 is 1993, 2 is 2003; None for any other.

    >>> version_of("1100")
    '1993'
    """
    return _BY_DIGIT.get(mti[:1])


# Elements with a short code, whose values recur from message to message.
_CODED = (3, 18, 19, 20, 21, 22, 24, 25, 26, 39, 40, 49, 50, 51, 68, 69, 70, 91)
_LONGEST_CODE = 32  # DE 22 of 2003


@cache
def codes_of(version: str) -> frozenset[int]:
    """The elements of *version* with a short code."""
    elements = (spec(version)[number] for number in _CODED)
    return frozenset(
        element.number for element in elements if element.fixed and element.width <= _LONGEST_CODE
    )
