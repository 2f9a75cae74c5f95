"""Elements that a paste names only in words: `Primary Account Number: …`, `"stan": "42"`, `| MCC | 5411 |`.

The words are the element names of the version and those in `data/element_names.csv`. Words are weak evidence:
they make a message only with an MTI, and if several of them, and at least half, are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sim.codec.message import is_mti
from sim.paste.spellings.dictionaries import plain_values
from sim.paste.spellings.elements import Named, collected
from sim.spec import VERSIONS, spec, version_of
from sim.spec.tables import read_csv

WORDED = "elements named in words"
_FEWEST = 3
_MOST_LINE = 2000
_MOST_LINES = 2000
_NOTE = ("their numbers follow from the names",)
# Blanks that divide are not given back: a line of blanks would be read in as many ways as it has.
_LINE = re.compile(
    r"[^A-Za-z\r\n]{0,40}([A-Za-z][A-Za-z0-9 ,./()'_#&-]{0,70}?)['\"*`]{0,2}"
    r"(?:\s{0,40}+(?:[:=]>?|\||->|\.{2,})|[^\S\t]{0,40}+\t|\s{2,80}+)[\s|]{0,40}(\S.*)"
)
_INLINE = re.compile(r"(?<![\w.])([A-Za-z][\w-]{1,40})\s?[:=]\s?(?:'([^']*)'|\"([^\"]*)\"|([^\s,;|{}\[\]]+))")
# The size of a value before it: `Processing code : 6 : 000000`.
_SIZED = re.compile(r"[\[(]?([0-9]{1,4})[\])]?\s{0,4}[:=|,]\s{0,4}(.*)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BRACKETS = re.compile(r"\(([^()]{1,40})\)")
_NO_WORD = re.compile(r"[^a-z0-9]+")
_MTI = re.compile(r"mti|msg type|message type(?: id| indicator)?")
# Words with several forms, or without significance.
_SAME = {
    "identification": "id",
    "identifier": "id",
    "ident": "id",
    "authorisation": "authorization",
    "systems": "system",
    "point of service": "pos",
    "point of sale": "pos",
    "merchant s": "merchant",
    "num": "number",
    "nr": "number",
}
_ALIKE = re.compile(rf"\b(?:{'|'.join(_SAME)})\b")
_WRAPPING = " \t'\"`|,;*"


def words_of(label: str) -> str:
    """*label* in the form of the tables: lower case, blanks between words, one form of each word.

    >>> words_of("primaryAccountNumber"), words_of("Acquiring Institution Identification Code")
    ('primary account number', 'acquiring institution id code')
    """
    small = _NO_WORD.sub(" ", _CAMEL.sub(" ", label).lower()).strip()
    return _ALIKE.sub(lambda match: _SAME[match[0]], small)


@cache
def _numbers(version: str) -> dict[str, int]:
    """The element of each name in *version*; ambiguous names are left out."""
    by_name: dict[str, set[int]] = {}
    for element in spec(version).elements[1:]:
        full_name = element.name
        names = [full_name, _BRACKETS.sub(" ", full_name), *_BRACKETS.findall(full_name)]
        if ", " in full_name:
            first, _, rest = _BRACKETS.sub(" ", full_name).partition(", ")
            names.append(f"{rest} {first}")
        for name in names:
            by_name.setdefault(words_of(name), set()).add(element.number)
    table = {name: numbers.pop() for name, numbers in by_name.items() if len(numbers) == 1}
    for row in read_csv("element_names"):
        if version in (row["versions"] or version).split("|"):
            table |= dict.fromkeys(map(words_of, row["said"].split("|")), int(row["number"]))
    return table


def worded(text: str) -> list[Named]:
    """The messages whose elements *text* names in words, each with its MTI.

    >>> [one.fields for one in worded("MTI: 0800\\nSTAN: 42\\nNetwork management code: 301\\nRRN: 1")]
    [{'11': '42', '70': '301', '37': '1'}]
    """
    recorded = [(words_of(key), value) for key, value in plain_values(text)]
    for pairs in (recorded, _of_lines(text), _inline(text)):
        if messages := [message for part in _divided(pairs) if (message := _message(part))]:
            return messages
    return []


def path_in_words(label: str) -> str | None:
    """The path of the element, or of the MTI, that *label* names in words; None if it names none.

    >>> path_in_words("Processing code"), path_in_words("Message type"), path_in_words("line")
    ('3', '0', None)
    """
    words = words_of(label)
    number = 0 if _MTI.fullmatch(words) else _numbers(VERSIONS[0]).get(words)
    return None if number is None else str(number)


def _of_lines(text: str) -> list[tuple[str, str]]:
    lines = (line[:_MOST_LINE] for line in text.splitlines()[:_MOST_LINES])
    return [
        (words_of(match[1]), match[2].rstrip(_WRAPPING)) for line in lines if (match := _LINE.match(line))
    ]


def _inline(text: str) -> list[tuple[str, str]]:
    matches = _INLINE.finditer(text)
    return [(words_of(match[1]), match[2] or match[3] or match[4] or "") for match in matches]


def _divided(pairs: list[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """The pairs of each message; none without an MTI. The first message includes the pairs before its MTI."""
    starts = [at for at, (label, value) in enumerate(pairs) if _MTI.fullmatch(label) and _mti(value)]
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else len(pairs)
        yield [pairs[start], *(pairs[:start] if not place else ()), *pairs[start + 1 : end]]


def _mti(value: str) -> str:
    """The MTI at the start of *value*; empty if there is none."""
    value = _unsized(value)
    return value[:4] if is_mti(value[:4]) and not value[4:5].isalnum() else ""


def _unsized(value: str) -> str:
    """*value* without its size before it."""
    sized = _SIZED.fullmatch(value)
    return sized[2] if sized and int(sized[1]) == len(sized[2]) else value


def _message(pairs: list[tuple[str, str]]) -> Named | None:
    """The message of *pairs*; None if too few, or fewer than half, of the labels name an element."""
    mti = _mti(pairs[0][1])
    numbers = _numbers(version_of(mti) or "1987")
    elements = [
        (str(numbers[label]), _unsized(value.strip(_WRAPPING)))
        for label, value in pairs[1:]
        if label in numbers
    ]
    if len(dict(elements)) < _FEWEST or 2 * len(elements) < len(pairs) - 1:
        return None
    message = collected(WORDED, [("0", mti), *elements])
    return message and Named(message.name, message.mti, message.fields, notes=_NOTE)
