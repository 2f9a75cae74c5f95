"""A short form of `make differential`: what others read otherwise has a clause that decides."""

from __future__ import annotations

from random import Random

from harness.differential import Tally, texts, wires, wireshark


def test_every_disagreement_has_its_clause() -> None:
    """Some hundred generated and mutated messages, as text and bytes, by pyiso8583 and, where it is
    installed, Wireshark: what is read otherwise, or by one alone, is listed in differs.csv."""
    some, tally = Random(1), Tally()
    texts(150, some, tally)
    wires(300, some, tally)
    wireshark(300, some, tally)
    assert tally.wrong == []
    assert sum(tally.same.values()) > 500


def test_a_disagreement_without_a_row_is_told() -> None:
    """A value that differs for no listed reason fails the run."""
    tally = Tally()
    tally.differ("pyiso8583 text", "DE 4 000000001000", "DE 4 000000001001")
    tally.differ("pyiso8583 bytes", "DE 35 4111=29", "DE 35 4111D29")
    assert (len(tally.wrong), tally.known.total()) == (1, 1)
