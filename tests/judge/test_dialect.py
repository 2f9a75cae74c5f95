"""What a dialect says of its own elements is judged; what the standard says of another's is not."""

from __future__ import annotations

import tomllib
from itertools import product
from random import Random

import pytest

from sim.codec import Message
from sim.codec.wire import Format
from sim.codec.wire.catalogue import format_of
from sim.errors import SpecError
from sim.judge import Severity
from sim.judge.dialect import own_elements
from sim.operations import explain, generate, validate
from sim.spec import VERSIONS, spec
from sim.spec.elements import with_elements

_OWN = """
extends = "bcd"
title = "Corner bank"
source = "its specification"

[elements.48]
name = "Branch data"
cut = "places"
parts = [
  { path = "1", name = "branch", format = "n 4" },
  { path = "2", name = "teller", format = "an 6" },
  { path = "3", name = "currency", format = "n 3", codes = "currency" },
]

[elements.60]
cut = "list n2 n2"
source = "its specification, page 12"
parts = [{ path = "01", name = "shop", format = "n 4" }]

[elements.22]
format = "n 4"

[elements.63]
format = "b..99"
"""
_SHAPES = ("n 3", "n..30", "an 5", "b 8", "b..40", "x+n 8")
_SALE = {
    **{2: "4111111111111111", 3: "000000", 4: "000000001000", 7: "1120120000", 11: "000042"},
    **{22: "9990", 49: "840"},
}


def _own() -> Format:
    return format_of(tomllib.loads(_OWN), "corner")


def _said(extra: dict[int, str]) -> list[tuple[str, str, str, str]]:
    """Severity, rule, path and found text of what the dialect's own rules say."""
    table = _own().layout("1987").dialect
    message = Message("0100", dict(sorted((_SALE | extra).items())), "1987", dialect=table)
    findings = validate(message).findings
    own = [one for one in findings if one.rule.startswith("corner-")]
    return [(str(one.severity), one.rule, one.path, one.found) for one in own]


@pytest.mark.parametrize("version", VERSIONS)
def test_elements_of_any_shape_are_judged_and_told(version: str) -> None:
    """Whatever a dialect makes of an element, no rule of the standard and no sentence fails over it."""
    some = Random(8583)
    kinds = [
        generate(kind, network="VISA", version=version, entry="chip").message
        for kind in ("auth", "financial", "reversal")
    ]
    for number, shape in product((3, 4, 12, 22, 30, 54, 56, 90), _SHAPES):
        made = some.choice(kinds)
        table = with_elements(spec(version), "mine", [{"number": str(number), "format": shape}], ())
        size = table[number].width if table[number].fixed else some.randrange(9)
        fields = {**made.fields, number: "".join(some.choices("0123456789ABCDEF", k=size))}
        message = Message(made.mti, dict(sorted(fields.items())), version, dialect=table)
        assert validate(message).all_findings is not None
        assert explain(message).summary


def test_what_fits_the_parts_is_not_spoken_of() -> None:
    """Parts in their places, a list with its sub-elements: nothing is said of them."""
    assert _said({48: "1234TELLER840", 60: "01041234"}) == []


@pytest.mark.parametrize(
    ("number", "value", "path", "found"),
    [
        (48, "12X4TELLER840", "48.1", "'X'"),
        (48, "1234TELLER84", "48.3", "2"),
        (48, "1234TELLER840!", "48.3", "1 more character"),
        (60, "01041234X104", "60", "something else"),
        (60, "010312", "60", "2"),
        (60, "0103123", "60.01", "3 characters"),
    ],
)
def test_what_does_not_fit_a_part_is_an_error_there(number: int, value: str, path: str, found: str) -> None:
    """A character of another class, one too few, one too many, a wrong length: an error at that part."""
    assert _said({number: value}) == [("error", "corner-layout", path, found)]


def test_an_unknown_code_in_a_part_is_a_warning() -> None:
    """A part with a code list: a value that it lacks is warned of, and the message stays valid by it."""
    assert _said({48: "1234TELLER000"}) == [("warning", "corner-code", "48.3", "'000'")]


def test_a_finding_says_where_it_stands_and_who_says_so() -> None:
    """Offset in the text form, the element's own name, the dialect's source."""
    table = _own().layout("1987").dialect
    fields = {3: "990000", 11: "000042", 48: "12X4TELLER840", 60: "0103123"}
    message = Message("0800", fields, "1987", dialect=table)
    found = [one for one in validate(message).findings if one.rule == "corner-layout"]
    assert [(one.field, one.name, one.start, one.end, one.source) for one in found] == [
        (48, "Branch data", 37, 38, "its specification"),
        (60, found[1].name, 55, 58, "its specification, page 12"),
    ]
    assert {one.severity for one in found} == {Severity.ERROR}


def test_rules_on_the_inside_of_the_standards_element_are_not_asked() -> None:
    """DE 22 of four digits has no entry mode of three; DE 63 of bytes is hex, and nothing else passes."""
    table = _own().layout("1987").dialect
    assert table is not None
    assert own_elements(table) == {22, 48, 60, 63}
    plain = validate(Message("0100", {**_SALE, 22: "440", 63: "ZZ"}))
    assert (22, "pos-entry-mode") in {(one.field, one.rule) for one in plain.findings}
    own = validate(Message("0100", {**_SALE, 63: "ZZ"}, dialect=table))
    rules = {(one.field, one.rule) for one in own.findings}
    assert (22, "pos-entry-mode") not in rules
    assert (63, "character-class") in rules


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ('cut = "slices"\nparts = [{ path = "1", name = "a", format = "n 4" }]', "cut as places"),
        ('cut = "list"\nparts = [{ path = "1", name = "a", format = "n 4" }]', "cut as places"),
        ('cut = "places"\nparts = [{ path = "1", name = "a", format = "n 4", codes = "b" }]', "codes as"),
        ('cut = "places"\nparts = [{ path = "1", name = "a", format = "n 4", agreed = "(" }]', "agreed as"),
    ],
)
def test_a_row_that_cannot_be_read_by_is_refused_on_loading(row: str, expected: str) -> None:
    """A cut, a code list or a pattern that there is not: an error naming the element, before any message."""
    text = f'extends = "bcd"\ntitle = "t"\nsource = "s"\n[elements.48]\n{row}\n'
    with pytest.raises(SpecError, match=f"DE 48: expected {expected}"):
        format_of(tomllib.loads(text), "corner")


def test_a_rule_of_the_standard_names_an_element_as_the_dialect_does() -> None:
    """DE 62 is the invoice number of a NAC terminal."""
    message = generate("financial", interface="nac").message.replace(de62="000000")
    (finding,) = [one for one in validate(message).findings if one.rule == "only-zeros"]
    assert finding.expected == "invoice number other than zeros"
