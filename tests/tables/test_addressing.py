"""`table.iso[4]`: elements of a message table, read and set by number."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import sim
from sim.errors import SpecError

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(name="table")
def _table() -> sim.tables.MessageTable:
    """An authorization request for 25.00 US dollars."""
    return sim.generate("auth", network="VISA", amount_minor_units=2500, at=NOON)


def test_the_number_is_the_elements_and_not_the_rows(table: sim.tables.MessageTable) -> None:
    """The number is the element's, whatever the row labels are."""
    assert table.iso[0] == "0100"
    assert table.iso[4] == "000000002500"
    assert table.iloc[::-1].iso[49] == table.iso[49] == "840"


def test_a_written_value_changes_the_message_and_what_is_said_of_it(
    table: sim.tables.MessageTable,
) -> None:
    """Text, meaning and summary follow; the rest of the table stays."""
    before = table.copy()
    table.iso[4] = "000000009900"
    assert "000000009900" in table.iso.message
    assert table.loc[table["number"] == 4, "meaning"].item() == "99.00 USD"
    assert sim.diff(before, table)["number"].tolist() == [4]
    assert table.dtypes.equals(before.dtypes)


def test_a_new_element_gets_its_row_and_its_bit(table: sim.tables.MessageTable) -> None:
    """It is inserted in order, with its name; the rows after it move down."""
    table.iso[54] = "0040840D000000001000"
    message = table.iso.to_message()
    assert message[54] == "0040840D000000001000"
    assert table["number"].is_monotonic_increasing
    assert table.iso[1] == message.bitmap
    assert table.loc[table["number"] == 54, "name"].item() == "Additional amounts"
    assert repr(sim.parse(table.iso.message)) == repr(table)


def test_a_value_that_does_not_fit_is_told_when_built(table: sim.tables.MessageTable) -> None:
    """The table accepts it, because several cells may have to change; the old meaning is removed."""
    table.iso[4] = "12"
    assert table.loc[table["number"] == 4, "meaning"].item() == ""
    with pytest.raises(sim.BuildError, match="DE 4: expected n 12"):
        sim.build(table)


def test_what_is_no_element_is_refused(table: sim.tables.MessageTable) -> None:
    """The error gives the reason, and nothing changes."""
    before = table.copy()
    with pytest.raises(KeyError, match="no DE 99"):
        table.iso[99]
    with pytest.raises(TypeError, match="a text"):
        table.iso[99] = None  # type: ignore[assignment]
    with pytest.raises(ValueError, match="the bitmap is derived"):
        table.iso[1] = "0000000000000000"
    with pytest.raises(TypeError, match=r"\.iso\[4\] = '12'"):
        table.iso[4] = 12  # type: ignore[assignment]
    with pytest.raises(TypeError, match="a number"):
        table.iso["4"]  # type: ignore[index]
    with pytest.raises(SpecError, match="DE 129"):
        table.iso[129] = "1"
    assert table.equals(before)
