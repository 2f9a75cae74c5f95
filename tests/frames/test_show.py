"""`sim.show`: tables dressed for reading."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from support import AT

import sim

PAN = "4111111111111111"
MESSAGE = sim.generate("auth", entry="chip", at=AT)


def test_card_data_is_hidden() -> None:
    """Neither the card number, the track nor the chip's copies of them stand in a message's dressed table;
    the tags that hold nothing of the card do."""
    message = MESSAGE.iso.to_message()
    copies = f"5A08{PAN}5713{PAN}D29122010000012345678F"
    html = sim.show(message.replace(de55=copies + message[55])).to_html()
    for secret in (message[2], message[35], PAN, "D29122010000012345678F"):
        assert secret not in html
    assert message[55] in html
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


TAG = "<img src=x onerror=alert(1)>"
_DRESSED: dict[str, Callable[[Any], Any]] = {
    "shown": sim.show,
    "styled": lambda table: table.style,
    "formatted": lambda table: table.style.format("{}", na_rep="-"),
    "labels formatted": lambda table: table.style.format_index(str.upper, axis=1),
    "by value": lambda table: table.set_index("value").style,
    "on its side": lambda table: table.set_index("value").T.style,
    "column renamed": lambda table: table.rename(columns={"name": TAG}).style,
    "rows named": lambda table: table.rename_axis(TAG).style,
    "columns named": lambda table: table.rename_axis(TAG, axis=1).style,
    "a part": lambda table: table[["number", "value"]].style,
}


@pytest.mark.parametrize("name", _DRESSED)
def test_markup_in_a_message_stays_text(name: str) -> None:
    """What stands in an element, a label or a name of labels is escaped, also after a format of one's own."""
    table = sim.parse(sim.build({"mti": "0100", 3: "000000", 43: TAG.ljust(40), 63: TAG}))
    html = _DRESSED[name](table).to_html()
    assert TAG.casefold() not in html.casefold()
    assert "&lt;img" in html.casefold()
