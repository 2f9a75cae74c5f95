"""`sim.show`: tables dressed for reading."""

from __future__ import annotations

import re

from support import AT

import sim

PAN = "4111111111111111"
MESSAGE = sim.generate("auth", entry="chip", at=AT)


def test_card_data_is_hidden() -> None:
    """Neither the card number, the track nor the chip data of a message stands in its dressed table."""
    html = sim.show(MESSAGE).to_html()
    for number in (2, 35, 55):
        assert MESSAGE.iso.to_message()[number] not in html
    assert "411111******1111" in html


def test_the_same_table_gives_the_same_html() -> None:
    """Two runs store the same output."""
    assert sim.show(MESSAGE).to_html() == sim.show(MESSAGE.copy()).to_html()


def test_severity_is_a_sign_and_a_colour() -> None:
    """A finding's severity shows by a sign beside its colour."""
    html = sim.show(sim.validate(sim.generate("auth", pan="4111111111111112", at=AT))).to_html()
    assert "✖ error" in html
    assert "--jp-error-color1" in html


def test_the_failing_row_is_marked() -> None:
    """Of a broken message the row that fails is marked, the others are not."""
    broken = str(MESSAGE.iso.message)[:80]
    html = sim.show(broken).to_html()
    style = re.search(r"([^}]*)\{[^}]*color-mix[^}]*\}", html)
    assert style is not None
    assert len(set(re.findall(r"_row(\d+)_", style[1]))) == 1
    assert "color-mix" not in sim.show(MESSAGE).to_html()


def test_every_kind_of_table() -> None:
    """Comparisons, empty findings and the toolkit's own lists can be shown, too."""
    for table in (sim.diff(MESSAGE, sim.respond(MESSAGE)), sim.validate(MESSAGE), sim.codes("fee_type")):
        assert "<table" in sim.show(table).to_html()
