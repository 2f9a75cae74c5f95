"""The findings table and the difference of two messages."""

from __future__ import annotations

import re

import pytest
from support import AT

import sim

COLUMNS = [
    *("severity", "network", "field", "name", "rule", "message"),
    *("start", "end", "expected", "found", "hint", "source"),
]
AUTH = sim.generate("auth", network="VISA", at=AT, amount_minor_units=1000).iso.message


def test_shape_with_and_without_rows() -> None:
    """Columns and dtypes are the same for a valid, an invalid and a broken message."""
    tables = [sim.validate(AUTH), sim.validate("0100" + AUTH[4:20] + "x" * 300), sim.validate("0100")]
    for table in tables:
        assert list(table.columns) == COLUMNS
        assert {str(table.dtypes[name]) for name in ("field", "start", "end")} == {"Int64"}
        assert {str(table.dtypes[name]) for name in set(COLUMNS) - {"field", "start", "end"}} == {"str"}


def test_all_is_well() -> None:
    """A valid message has no findings, and the empty table says so."""
    report = sim.validate(sim.generate("echo", at=AT))
    assert report.empty
    assert (report.iso.valid, report.iso.errors) == (True, [])
    assert repr(report) == "No findings."
    assert report._repr_html_() == "<p>No findings.</p>"


def test_a_finding_is_located() -> None:
    """A finding has its element, rule, sentence and position, which is that of the fault."""
    raw = AUTH.replace("1120", "1399", 1)
    report = sim.validate(raw)
    row = report[report["severity"] == "error"].iloc[0]
    assert (row["rule"], row["field"]) == ("date", 7)
    assert "DE 7 at offset" in row["message"]
    assert raw[row["start"] : row["end"]] in row["found"] + raw
    assert row["hint"]
    assert row["source"]


def test_broken_text_is_one_finding() -> None:
    """A text that does not parse is one framing error, without network results."""
    report = sim.validate("0800202000000000000099000012")
    assert report["rule"].tolist() == ["framing"]
    assert report["message"].tolist() == ["DE 11 at offset 26: expected n 6, found 2 characters"]
    assert report.iso.errors == report["message"].tolist()
    assert not report.iso.valid
    assert report.iso.networks.empty
    assert list(report.iso.networks.columns) == ["network", "passed", "errors", "warnings"]


def test_own_network_by_default() -> None:
    """By default only the message's own network is checked."""
    assert set(sim.validate(AUTH)["network"]) <= {"", "VISA"}
    report = sim.validate(AUTH, against=["MASTERCARD", "AMEX"])
    assert "MASTERCARD" in set(report["network"])
    assert "DISCOVER" not in set(report["network"])
    assert report.iso.valid
    assert sim.validate(AUTH, against="AMEX").to_dict() == sim.validate(AUTH, against=["AMEX"]).to_dict()


def test_network_matrix() -> None:
    """`.iso.networks` has every requested network, all of them by default, with its counts."""
    matrix = sim.validate(AUTH).iso.networks.set_index("network")
    assert list(matrix.index) == list(sim.NETWORKS)
    assert matrix["passed"].dtype == bool
    assert matrix.loc["VISA", "passed"]
    assert not matrix.loc["AMEX", "passed"]
    assert matrix.loc["AMEX", "errors"] >= 1
    asked = sim.validate(AUTH, against=["AMEX"])
    assert asked.iso.networks["network"].tolist() == ["AMEX"]
    errors = asked[(asked["network"] == "AMEX") & (asked["severity"] == "error")]
    assert asked.iso.networks.loc[0, "errors"] == len(errors)


def test_verdict_is_the_messages() -> None:
    """Filtering rows does not change the verdict; without the report it follows from the rows."""
    report = sim.validate("0800")
    assert not report[report["severity"] == "warning"].iso.valid
    report.attrs.clear()
    assert not report.iso.valid
    assert report.iso.errors == report["message"].tolist()


def test_given_network() -> None:
    """The given network is the message's own; a table keeps the one that it was made for."""
    assert sim.validate(AUTH, network="AMEX").iso.network == "AMEX"
    assert not sim.validate(AUTH, network="AMEX").iso.valid
    assert not sim.validate(sim.parse(AUTH, network="AMEX")).iso.valid
    assert sim.validate(AUTH).iso.network == "VISA"


def test_display_leaves_out_what_repeats() -> None:
    """Displays show the sentence without repeating what was expected and found; the columns exist."""
    report = sim.validate("0800")
    assert '<th class="t">message</th>' in report._repr_html_()
    assert ">expected</th>" not in report._repr_html_()
    assert ">network</th>" not in report._repr_html_()
    assert report.loc[0, "expected"] == "16 hex digits of the primary bitmap"


def test_diff() -> None:
    """Elements that differ are side by side with their meanings; a missing one is missing."""
    other = sim.parse(AUTH)
    other.loc[other["number"] == 4, "value"] = "000000002500"
    other = other[other["number"] != 18]
    table = sim.diff(AUTH, other)
    assert list(table.columns) == ["number", "name", "a", "b", "meaning_a", "meaning_b"]
    assert table["number"].tolist() == [4, 18]
    assert table.loc[0, ["a", "b"]].tolist() == ["000000001000", "000000002500"]
    assert "25.00" in table.loc[0, "meaning_b"]
    assert table["b"].isna().tolist() == [False, True]
    assert "<NA>" not in repr(table) + table._repr_html_()
    assert re.search(r"^1 +18 .* 5411 +Groceries", repr(table), re.MULTILINE)


def test_diff_of_equals() -> None:
    """Equal messages have no differences, and the empty table says so."""
    table = sim.diff(AUTH, AUTH + "\n")
    assert table.empty
    assert list(table.columns) == ["number", "name", "a", "b", "meaning_a", "meaning_b"]
    assert repr(table) == "No differences."


@pytest.mark.parametrize("version", ["1993", "2003"])
def test_diff_across_versions(version: str) -> None:
    """Messages of two versions differ at least in their MTIs; each element has the name of its version."""
    newer = sim.generate("auth", network="VISA", at=AT, version=version)
    table = sim.diff(AUTH, newer).set_index("number")
    assert table.loc[0, ["a", "b"]].tolist() == ["0100", newer.iso.mti]
    assert " / " in table.loc[22, "name"]


def test_diff_of_broken_text() -> None:
    """A broken text is compared as far as it was read, and its unread rest is a difference."""
    table = sim.diff(AUTH, AUTH + "777")
    assert table["number"].isna().tolist() == [True]
    assert table["b"].tolist() == ["777"]
