"""What is searched is found: elements, parts, codes, tags, rules, faults, flows."""

from __future__ import annotations

import pytest
from support import together

import sim
from sim.operations import search as searching
from sim.operations.search import KINDS, search
from sim.spec.tables import read_csv


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


@together(
    "said, kind, key",
    [
        ("insufficient funds", "code", "51"),
        ("insuff", "code", "51"),
        ("NSF", "code", "51"),
        ("stolen", "code", "43"),
        ("hotlisted", "code", "43"),
        ("expired", "code", "54"),
        ("do not honor", "code", "05"),
        ("logon", "code", "001"),
        ("ARQC", "tag", "9F26"),
        ("IAD", "tag", "9F10"),
        ("CVC2", "part", "DE 48.92"),
        ("CVV2", "part", "DE 126.10"),
        ("CID", "part", "DE 48.92"),
    ],
)
def test_what_people_say_is_found(said: str, kind: str, key: str) -> None:
    """The words of the trade, abbreviated or begun, find the entry whose name has none of them."""
    assert key in [one.key for one in search(said, kind)[:12]]


@together(
    "said, key",
    [
        ("stan", "DE 11"),
        ("rrn", "DE 37"),
        ("auth code", "DE 38"),
        ("PAN", "DE 2"),
        ("track 2", "DE 35"),
        ("track2", "DE 35"),
        ("MCC", "DE 18"),
        ("acquirer id", "DE 32"),
        ("service code", "DE 40"),
        ("terminal id", "DE 41"),
        ("exp date", "DE 14"),
        ("pos entry", "DE 22"),
        ("response code", "DE 39"),
    ],
)
def test_an_element_that_people_name_stands_first(said: str, key: str) -> None:
    """Before the many that only mention the words."""
    assert search(said)[0].key == key


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
    assert table["source"].astype(bool).mean() > 0.85
    assert repr(sim.search("nosuchword")) == "Nothing found."
