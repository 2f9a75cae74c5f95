"""What is searched is found: elements, parts, codes, tags, rules, faults, flows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from support import together

import sim
from sim.operations import search as searching
from sim.operations.search import KINDS, search
from sim.spec.tables import read_csv

# What is typed, the kind that is asked for, and among how many the entry is.
ROWS = list(csv.DictReader(Path(__file__).with_name("found.csv").read_text(encoding="utf-8").splitlines()))


@together("row", ROWS, lambda row: row["text"])
def test_what_is_searched_is_found(row: dict[str, str]) -> None:
    """An element however it is written, first; an entry of each kind by a word of its name or by its key; the
    words of the trade, abbreviated or begun, also where a name has none of them."""
    entries = search(row["text"], row["asked"] or None)[: int(row["among"])]
    assert (row["kind"], row["key"]) in [(one.kind, one.key) for one in entries]


def test_every_row_of_what_people_say_says_something() -> None:
    """It finds an entry that there is, and has a source."""
    for row in read_csv("search_words"):
        assert row["source"]
        for said in row["said"].split("|"):
            assert said == said.strip().casefold() != ""
            found = [one for one in search(said, row["kind"]) if row["key"] in ("", one.key)]
            assert any(row["name"] in one.name.casefold() for one in found), (said, row)


def test_all_words_must_be_there() -> None:
    """More words find less; the words may stand in different texts of an entry."""
    both, one = search("visa token"), search("token")
    assert 0 < len(both) < len(one)
    assert {entry.network for entry in both} >= {"VISA"}
    assert search("visa nosuchword") == ()


def test_a_paste_costs_no_more_than_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that comes again is looked for once, and none behind one that is nowhere."""
    asked: list[str] = []
    monkeypatch.setattr(searching, "_of", lambda word, texts: asked.append(word) or searching._NOWHERE)
    assert search("4111 0000 " * 1000) == ()
    assert set(asked) == {"4111"}
    monkeypatch.undo()
    assert search("visa visa token") == search("visa token")


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
    assert table["source"][table["kind"] != "fault"].astype(bool).all()  # a fault has its rule's
    assert repr(sim.search("nosuchword")) == "Nothing found."
