"""Negative test data in the notebook interface: `break_message`, `cases`, `faults`."""

from __future__ import annotations

import pytest
from support import AT

import sim

CARD = "411111111"


def good() -> sim.Message:
    """A chip purchase."""
    return sim.generate("auth", network="VISA", entry="chip", at=AT).iso.to_message()


def test_a_content_fault_gives_a_message_table() -> None:
    """The table is the broken message; the notes say what was broken and what must be found, and it is
    found."""
    table = sim.break_message(good(), "chip-amount-differs")
    assert table.iso.source == "fault"
    assert table.iso.notes == (
        "The amount the chip signed (9F02) differs from DE 4.",
        "The rule chip-amount must find it: DE 55.9F02 at offset 339 (warning).",
    )
    found = sim.validate(table)
    assert found[["rule", "start"]].to_numpy().tolist() == [["chip-amount", 339]]


@pytest.mark.parametrize("fault", ["cash-machine-attended", "chip-declined-offline", "month-13"])
def test_every_rule_that_finds_a_fault_is_named(fault: str) -> None:
    """The one that must, and others that may: nothing is found that the notes do not tell."""
    table = sim.break_message(sim.generate("auth", network="VISA", at=AT), fault)
    found = set(sim.validate(table)["rule"])
    assert {rule for rule in found if f"The rule {rule} m" in " ".join(table.iso.notes)} == found
    assert len(found) == len(table.iso.notes) - 1


def test_a_framing_fault_shows_where_reading_stops() -> None:
    """A text that does not parse gives its pieces, with the finding at the promised element and offset."""
    table = sim.break_message(good(), "length-letter")
    row = table[table["finding"].fillna("") != ""].iloc[0]
    assert (row["number"], row["start"]) == (2, 20)
    assert "The rule framing must find it: DE 2 at offset 20 (error)." in table.iso.notes
    assert not table.iso.valid


def test_a_fault_read_as_another_version_keeps_that_version() -> None:
    """The table is read as the version in which the fault shows."""
    table = sim.break_message(good(), "version-later")
    assert table.iso.version == "1987"
    assert sim.validate(table)["rule"].tolist() == ["mti-version"]


def test_a_fault_that_does_not_apply() -> None:
    """The choices of the error are the faults that apply; an unreadable text is a BuildError as well."""
    with pytest.raises(sim.ChoiceError) as caught:
        sim.break_message(good(), "no such fault")
    assert "month-13" in caught.value.choices
    with pytest.raises(sim.BuildError):
        sim.break_message("0100", "month-13")
    with pytest.raises(sim.BuildError):
        sim.faults("0100")


def test_cases() -> None:
    """Each case is a row; validate, with its version and network, finds in the text what the row says."""
    table = sim.cases("VISA", "1987")
    assert list(table.columns) == [
        *("fault", "rule", "severity", "field", "path", "start", "what"),
        *("message", "version", "network", "kind"),
    ]
    for row in table.iloc[::7].to_dict("records"):
        name = str(row["network"]) or None
        found = sim.validate(str(row["message"]), version=str(row["version"]), network=name, format="text")
        assert row["rule"] in found["rule"].tolist()
    assert set(sim.cases(version="2003")["network"]) > {"VISA"}
    with pytest.raises(sim.ChoiceError):
        sim.cases("ELO")


def test_cases_hide_card_data() -> None:
    """Displays mask card data in the messages; a cell is the true text."""
    table = sim.cases("VISA", "1987")
    chosen = table[table["fault"] == "month-13"]
    assert CARD in chosen["message"].iloc[0]
    texts = [
        *(repr(table), table._repr_html_(), table.to_string(), repr(table["message"])),
        *(repr(chosen[["message"]]), repr(chosen.iloc[0]), table.to_html()),
    ]
    assert not any(CARD in text for text in texts)


def test_faults() -> None:
    """The faults are listed, all of them or those that apply to a message."""
    table = sim.faults()
    assert list(table.columns) == ["fault", "group", "rule", "network", "versions", "what"]
    assert table["fault"].is_unique
    assert set(table["group"]) == {"framing", "content", "exchange"}
    mine = sim.faults(sim.generate("echo", at=AT))
    assert set(mine["fault"]) < set(table["fault"])
    assert "check-digit-wrong" not in mine["fault"].tolist()


def test_the_catalogue_has_examples() -> None:
    """The example of each rule is a fault that causes it."""
    rules = sim.rules().set_index("rule")["example"]
    causes = sim.faults().set_index("fault")["rule"]
    assert all(causes[example] == rule for rule, example in rules.items())
