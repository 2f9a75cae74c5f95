"""What is surely fine: one pattern per version and element, whatever else the message has.

A value its pattern fits has only characters of its class, its fixed width, whole bytes, a date other than
29 February, and, for the elements of `finer`, nothing that a rule about this one element reports. A value
it does not fit may be fine, too: then the rules are asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from sim.judge.layout import listed
from sim.spec import VERSIONS, ElementSpec, countries, spec
from sim.spec.contents import CHARACTER
from sim.spec.registries import regions

_PARTS = {
    "CCYY": "[0-9]{4}",
    "YY": "[0-9]{2}",
    "MM": "(?:0[1-9]|1[0-2])",
    # 29 February depends on the year: the rule about dates looks at that.
    "MMDD": "(?:(?:0[1-9]|1[0-2])(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])(?:29|30)|(?:0[13578]|1[02])31)",
    "hh": "(?:[01][0-9]|2[0-3])",
    "mm": "[0-5][0-9]",
    "ss": "[0-5][0-9]",
}
_PART = re.compile("|".join(sorted(_PARTS, key=len, reverse=True)))

Fits = Callable[[str], object]


def date_pattern(pattern: str) -> str:
    """The regular expression of the dates of *pattern*, but for 29 February.

    >>> date_pattern("mmss")
    '[0-5][0-9][0-5][0-9]'
    """
    return "".join(_PARTS[part] for part in _PART.findall(pattern))


def _class_pattern(element: ElementSpec) -> str:
    if element.pattern:
        return date_pattern(element.pattern)
    if element.content == "x+n":
        return f"[CD][0-9]{{{element.width - 1}}}"
    if element.fixed:
        return f"{CHARACTER[element.content]}{{{element.width}}}"
    return "(?:[0-9A-Fa-f]{2})*" if element.binary else f"{CHARACTER[element.content]}*"


@cache
def finer() -> dict[tuple[str, int], str]:
    """Elements whose own rules say more than class and width, and what fits all of these rules."""
    service = "".join(f"[{''.join(sorted(listed('service_code', '', str(at))))}]" for at in (1, 2, 3))
    track = f"(?!59)[0-9]{{1,19}}[=D]{date_pattern('YYMM')}{service}[0-9]*"
    original = f"0[12][0246][0-5][0-9]{{6}}{date_pattern('MMDDhhmmss')}[0-9]{{22}}"
    # Name, city and country, or state and a blank, in the ways that most links have.
    alpha2 = "|".join(_by_first_letter(country.alpha2 for country in countries()))
    alpha3 = "|".join(sorted(country.alpha3 for country in countries()))
    states = "|".join(sorted(regions()))
    place = f"[ -~]{{38}}(?:{alpha2})|[ -~]{{22}} [ -~]{{13}} (?:{alpha3}|(?:{states}) )"
    made = {("1987", 43): place, ("1987", 90): original, ("1987", 95): "[0-9]{12}[0-9A-Za-z ]{30}"}
    for version in VERSIONS:
        made |= dict.fromkeys(((version, 2), (version, 32)), "[0-9]+")
        made |= dict.fromkeys(((version, 9), (version, 10)), "[0-7](?!0{7})[0-9]{7}")
        made |= {(version, 35): track, (version, 37): "(?!0{12})[0-9A-Za-z]{12}"}
        made |= {(version, number): _no_filler(version, number) for number in (11, 41, 42)}
    return made


def _no_filler(version: str, number: int) -> str:
    """Digits but zeros alone, or characters that begin with another than a blank."""
    element = spec(version)[number]
    if element.content == "n":
        return f"(?!0{{{element.width}}}){_class_pattern(element)}"
    return f"(?! ){_class_pattern(element)}" if element.fixed else f"[!-~]{CHARACTER[element.content]}*"


def _by_first_letter(codes: Iterable[str]) -> list[str]:
    """Expressions for codes of two letters, one for those that begin alike: fewer to be tried."""
    seconds: dict[str, str] = {}
    for code in codes:
        seconds[code[0]] = seconds.get(code[0], "") + code[1]
    return [f"{first}[{found}]" for first, found in seconds.items()]


def fine_pattern(version: str, number: int) -> str:
    """The regular expression of values of the element that are surely fine. None fits a NUL."""
    return finer().get((version, number)) or _class_pattern(spec(version)[number])


@cache
def fine(version: str, number: int) -> Fits:
    """What tells whether a value of the element is surely fine."""
    return re.compile(fine_pattern(version, number)).fullmatch
