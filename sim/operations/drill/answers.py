"""What counts as the same answer, whoever typed it."""

from __future__ import annotations

import re
from typing import Any


def same(given: Any, right: Any, *, exact: bool = False) -> bool:
    """Whether *given* says what *right* says.

    Upper or lower case, blanks around it and, unless *exact*, blanks inside make no difference, and a number
    may come as text where no leading zero is lost, that of an element behind `DE`.

    >>> same("n16", "N 16"), same(" 14 ", 14), same((1, 2), [1, 2]), same("DE 14", 14), same(220, "0220")
    (True, True, True, True, False)
    """
    if isinstance(given, bool) or isinstance(right, bool):
        return given is right
    if isinstance(right, list | tuple):
        many = isinstance(given, list | tuple) and len(given) == len(right)
        return many and all(same(one, other, exact=exact) for one, other in zip(given, right, strict=True))
    if isinstance(right, int) and isinstance(given, str):
        digits = re.sub(r"^DE\s*", "", given.strip(), flags=re.IGNORECASE)
        return digits.isascii() and digits.isdecimal() and digits.lstrip("0") == (str(right).lstrip("0"))
    if isinstance(right, str) and isinstance(given, int):
        return str(given) == right
    if isinstance(right, str) and isinstance(given, float):
        return "." in right and right.replace(".", "").isdecimal() and float(right) == given
    if isinstance(right, str) and isinstance(given, str):
        return folded(given, exact=exact) == folded(right, exact=exact)
    return type(given) is type(right) and bool(given == right)


def folded(text: str, *, exact: bool = False) -> str:
    """*text* without what makes no difference.

    >>> folded("ans 16"), folded(" Hello", exact=True)
    ('ANS16', ' Hello')
    """
    return text if exact else re.sub(r"\s+", "", text).upper()


def listed(given: Any) -> list[str]:
    """*given* as a list of texts: a collection, or what stands in a text between commas and blanks.

    >>> listed("2, 3 and 4"), listed((2, 3)), listed(7)
    (['2', '3', '4'], ['2', '3'], ['7'])
    """
    if isinstance(given, str):
        return [one.upper() for one in re.findall(r"\w+", given) if one.lower() != "and"]
    if isinstance(given, int) and not isinstance(given, bool):
        return [str(given)]
    return [folded(str(one)) for one in given]
