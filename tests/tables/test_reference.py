"""The toolkit's own tables: the data dictionary, code lists, the catalog of rules."""

from __future__ import annotations

import pandas as pd
import pytest

import sim
from sim.errors import SpecError
from sim.tables import reference


@pytest.mark.parametrize("version", ["1987", "1993", "2003"])
def test_fields(version: str) -> None:
    """The data dictionary has all 128 elements of a version, each with name, format and source."""
    table = sim.fields(version)
    assert list(table.columns) == ["number", "name", "format", "pattern", "note", "source"]
    assert table["number"].tolist() == list(range(1, 129))
    assert table[["name", "format", "source"]].ne("").all(axis=None)


def test_fields_differ_between_versions() -> None:
    """Two versions can be compared as tables."""
    old, new = (sim.fields(version).set_index("number")["format"] for version in ("1987", "1993"))
    assert old[11] == new[11] == "n 6"
    assert old[12] != new[12]


def test_fields_of_a_network() -> None:
    """With a network, the table says where it requires an element, and in which format."""
    table = sim.fields("1987", "VISA").set_index("number")
    assert "0100" in table.loc[3, "required_in"].split(", ")
    assert table.loc[3, "network_format"]
    assert table.loc[127, "required_in"] == ""
    amex = sim.fields("1993", "AMEX").set_index("number")
    assert "1100" in amex.loc[4, "required_in"].split(", ") or amex["required_in"].str.contains("1100").any()
    assert not amex["required_in"].str.contains("0100").any()


def test_unknown_version_or_network() -> None:
    """An unknown name is a ChoiceError that lists the known ones, and a ValueError."""
    with pytest.raises(sim.ChoiceError, match="1987, 1993 or 2003"):
        sim.fields("1988")
    with pytest.raises(ValueError, match="VISA"):
        sim.fields("1987", "DINERS")


def test_code_lists() -> None:
    """Without a name, the names of all lists and the number of codes in each."""
    table = sim.codes()
    assert list(table.columns) == ["name", "codes"]
    assert {"response_code", "currencies", "countries"} <= set(table["name"])
    assert table["codes"].min() >= 1
    for row in table.itertuples():
        assert len(sim.codes(row.name)) == row.codes


def test_a_code_list() -> None:
    """A list has code and meaning, and only the other columns that some row of it uses."""
    table = sim.codes("response_code")
    assert table.loc[table["code"] == "05", "meaning"].tolist()
    assert "position" not in table.columns
    assert "position" in sim.codes("service_code").columns
    for name in sim.codes()["name"]:
        shown = sim.codes(name)
        text = shown.select_dtypes("str")
        assert text.ne("").any().all(), name


def test_the_code_list_of_an_element() -> None:
    """An element's number names its list, too."""
    assert sim.codes(39).equals(sim.codes("response_code"))
    assert sim.codes("49").equals(sim.codes("currencies"))
    with pytest.raises(sim.ChoiceError):
        sim.codes(12)


def test_registries() -> None:
    """Currencies have their minor units, countries their codes; codes keep their leading zeros."""
    currencies = sim.codes("currencies").set_index("alpha")
    assert currencies.loc[["USD", "JPY", "KWD"], "exponent"].tolist() == [2, 0, 3]
    assert currencies.loc["ALL", "code"] == "008"
    assert pd.isna(currencies.loc["XXX", "exponent"])
    countries = sim.codes("countries").set_index("alpha2")
    assert countries.loc["AL", ["code", "alpha3"]].tolist() == ["008", "ALB"]


def test_unknown_list() -> None:
    """An unknown list is a ChoiceError that lists all of them."""
    with pytest.raises(sim.ChoiceError, match=r"account_type, .*countries, currencies.*found 'colours'"):
        sim.codes("colours")


def test_rules() -> None:
    """The catalog has a row for every rule in findings, each explained."""
    table = sim.rules()
    assert list(table.columns) == ["rule", "network", "severity", "checks", "source", "hint", "example"]
    assert table["rule"].is_unique
    assert table.drop(columns="network").ne("").all(axis=None)
    assert set(table["severity"]) <= {"error", "warning", "info"}
    findings = sim.validate("0100" + "7" + "0" * 15 + "164111111111111112" + "9" * 18, against=sim.NETWORKS)
    assert set(findings["rule"]) <= set(table["rule"])


def test_reference_tables_show_left_aligned() -> None:
    """The toolkit's tables are drawn like the others, without masking."""
    table = sim.codes("currencies")
    assert 'class="dataframe iso8583"' in table._repr_html_()
    assert "UAE Dirham" in repr(table)


def test_a_rule_without_a_fault_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error for a rule without a fault that causes it names the rule."""
    faults = [one for one in reference.all_faults() if one.rule != "mac-position"]
    monkeypatch.setattr(reference, "all_faults", lambda: faults)
    with pytest.raises(SpecError, match="rule mac-position"):
        sim.rules()
