"""What is found out once for a kind of answer, and holds for the next."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from random import Random

from sim.codec import Message
from sim.errors import OptionError
from sim.operations import generate, respond
from sim.operations.answering import answers_of
from sim.operations.filling import Inside
from sim.parts.layout import fitting, standing
from sim.spec.layouts import layouts
from sim.spec.networks import NETWORKS

_AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
_CODES = {"1987": ("05", "82", "55"), "1993": ("100", "904"), "2003": ("1016", "9109")}


def _requests() -> list[Message]:
    """Messages of the same kinds, whose values differ."""
    made = []
    kinds, entries = ("auth", "financial", "advice", "reversal"), ("manual", "chip", "ecommerce")
    for at, (network, kind, entry) in enumerate(product(NETWORKS, kinds, entries)):
        for purpose in ("purchase", "balance", "refund"):
            try:
                one = generate(
                    kind, network=network, purpose=purpose, entry=entry, version=None, stan=f"{at:06}", at=_AT
                )
            except OptionError:
                continue
            made += [one.message, one.message.replace(de3="300000", de11=None)]
    return made


def test_an_answer_does_not_depend_on_the_answers_before() -> None:
    """What earlier messages of a kind left behind changes no answer to a later one, whatever it holds."""
    some = Random(8)
    asked = [(one, code) for one in _requests() for code in (None, some.choice(_CODES[one.version]))]
    some.shuffle(asked)
    warm = [respond(one, code).message for one, code in asked]
    for (one, code), answer in list(zip(asked, warm, strict=True))[::7]:
        answers_of.cache_clear()
        assert respond(one, code).message == answer


def test_answers_have_their_elements_in_order() -> None:
    """However an element came to be in an answer, it stands in its place."""
    for one in _requests():
        numbers = list(respond(one).message.fields)
        assert numbers == sorted(numbers)


def test_a_part_asked_for_alone_is_what_the_whole_reading_has() -> None:
    """Where a part is cut out without reading what stands around it, it is the part that the layout has;
    nothing of an element that fits no layout."""
    asked = 0
    for one in _requests()[::9]:
        for owner in (None, *NETWORKS):
            for number, value in one.fields.items():
                for text in (value, value[:-1], value + "9", "x" + value[1:]):
                    found = fitting(one.version, number, text, owner)
                    inside = Inside(one.replace(**{f"de{number}": text}), owner)
                    for layout in layouts(one.version, number, owner):
                        for cell in layout.cell.cells:
                            expected = (found.get(cell.key) if found else "") if text else ""
                            if standing(one.version, number, owner, cell.key):
                                asked += 1
                                assert inside[f"{number}.{cell.key}"] == expected
    assert asked > 1000
