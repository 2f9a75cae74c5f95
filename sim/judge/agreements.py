"""Rules that are rows of `data/rules_agreements.csv`: if the parts `given` match their patterns, so must
`part`, one or several elements or tags of DE 55.

Elements with characters outside their class are not compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from sim.errors import counted, quoted_value
from sim.judge.elements import clean, part_of_pos
from sim.judge.finding import Hit, Severity
from sim.judge.parts import DE, Tag, maybe
from sim.judge.rules import EVERY_DIGIT, Told, of_parts
from sim.spec import VERSIONS, number_of, spec
from sim.spec.elements import coded
from sim.spec.tables import read_csv


def _with_number(path: str, version: str) -> str:
    """A path with the number of the element that has a job: `category` is 18 in 1987."""
    name, dot, inside = path.partition(".")
    return f"{name if name.isdecimal() else number_of(name, version)}{dot}{inside}"


def _place(text: str, version: str) -> slice:
    """The characters `2:4` of a value, or the part of DE 22 with a job; empty: all."""
    if text and not text[0].isdecimal():
        return part_of_pos(version, text)
    start, _, end = text.partition(":")
    return slice(int(start or 0), int(end) if end else None)


def _bind(row: Mapping[str, str], path: str, version: str) -> None:
    """Bind *row* to the element or tag at *path*."""
    element, _, tag = path.partition(".")
    number, place = int(element), _place(row["place"], version)
    table, start = spec(version), place.start or 0
    inside = {"path": path, "tag": tag} if tag else {}
    severity = Severity(row["severity"]) if row["severity"] else None
    given = [condition.split("~") for condition in row["given"].split(" & ") if condition]

    def check(value: str, *beside: str) -> Told:
        # Patterns are compiled when a message first needs them: most versions and rows are never asked.
        if coded(row["pattern"], version).fullmatch(value) or not (tag or clean(value, number, table)):
            return None
        conditions = (coded(pattern, version) for _, pattern in given)
        if not all(pattern.fullmatch(text) for pattern, text in zip(conditions, beside, strict=True)):
            return None
        text = value[place]
        counts = {f"{noun}s": counted(len(value), noun) for noun in ("digit", "character")}
        found = (row["found"] or "{}").format(quoted_value(text), **counts)
        return Hit(
            number, row["expected"], found, start, len(text), hint=row["hint"], severity=severity, **inside
        )

    of_parts(
        row["rule"],
        [Tag[tag] if tag else DE[number], *(maybe(_with_number(name, version)) for name, _ in given)],
        check,
        "" if given else tag,
        versions=(version,),
        classes=row["classes"] or EVERY_DIGIT,
        functions=row["functions"] or EVERY_DIGIT,
        needs=map(int, row["needs"].split()),
        lacks=map(int, row["lacks"].split()),
        any_mti=not row["versions"],
        interfaces=tuple(row["interfaces"].split()),
    )


for _row in read_csv("rules_agreements"):
    for _version in _row["versions"].split("|") if _row["versions"] else VERSIONS:
        for _name in _row["part"].split():
            _bind(_row, _with_number(_name, _version), _version)
