"""What is searched is found: elements, parts, codes, tags, rules, faults, flows."""

from __future__ import annotations

import pytest

import sim
from sim.operations.search import KINDS, search


@pytest.mark.parametrize("text", ["de41", "DE 41", "field 41", "F41", "bit 041", "de041"])
def test_an_element_is_found_however_it_is_written(text: str) -> None:
    """The element itself stands first."""
    first = search(text)[0]
    assert (first.kind, first.key) == ("element", "DE 41")


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("terminal identification", "element", "DE 41"),
        ("9f1c", "tag", "9F1C"),
        ("not sufficient funds", "code", "51"),
        ("euro", "code", "978"),
        ("germany", "code", "276"),
        ("luhn", "rule", "luhn"),
        ("month-13", "fault", "month-13"),
        ("partial approval", "flow", "0110"),
    ],
)
def test_each_kind_is_found(text: str, kind: str, key: str) -> None:
    """By a word of its name or by its key, in any case."""
    assert any(one.kind == kind and key in one.key for one in search(text)[:40])


def test_all_words_must_be_there() -> None:
    """More words find less; the words may stand in different texts of an entry."""
    both, one = search("visa token"), search("token")
    assert 0 < len(both) < len(one)
    assert {entry.network for entry in both} >= {"VISA"}
    assert search("visa nosuchword") == ()


def test_every_kind_has_entries_and_can_be_asked_for() -> None:
    """`kind` leaves the others out."""
    for kind in KINDS:
        found = search("a", kind)
        assert found
        assert {one.kind for one in found} == {kind}


def test_what_gives_all_of_it_runs() -> None:
    """The calls that an entry names give tables."""
    calls = {one.call for one in search("a") if one.call and "message" not in one.call}
    for call in sorted(calls):
        assert len(eval(call, {"sim": sim}))  # noqa: S307, our own words


@pytest.mark.parametrize("text", ["", "  ", ",;"])
def test_nothing_to_look_for(text: str) -> None:
    """An empty search is told, not answered with everything."""
    with pytest.raises(sim.OptionError, match="text: expected a word"):
        sim.search(text)


def test_the_table() -> None:
    """A row per entry, best first; nothing found says so."""
    table = sim.search("terminal")
    assert len(table) == len(search("terminal")) > 20
    assert table["source"].astype(bool).mean() > 0.9
    assert repr(sim.search("nosuchword")) == "Nothing found."
