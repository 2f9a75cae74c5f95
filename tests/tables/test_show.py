"""`sim.show`: tables styled for reading."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from support import AT, together

import sim

PAN = "4111111111111111"
MESSAGE = sim.generate("auth", entry="chip", at=AT)
RAW = str(MESSAGE.iso.message)


def test_card_data_is_hidden() -> None:
    """A message's styled table shows neither the card number, nor the track, nor the chip's copies of
    them; tags without card data are shown."""
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
    """A finding's severity has a sign as well as a color."""
    html = sim.show(sim.validate(sim.generate("auth", pan="4111111111111112", at=AT))).to_html()
    assert "✖ error" in html
    assert "--jp-error-color1" in html


def test_the_failing_row_is_marked() -> None:
    """In a broken message only the row with the fault is highlighted."""
    broken = str(MESSAGE.iso.message)[:80]
    html = sim.show(broken).to_html()
    assert re.findall(r'<tr class="failing"><th>(\d+)</th>', html) == [
        str(sim.parse(broken)["finding"].ne("").argmax())
    ]
    assert "color-mix" not in sim.show(MESSAGE).to_html()


def test_every_kind_of_table() -> None:
    """Comparisons, empty findings and the toolkit's own lists can be shown, too."""
    for table in (sim.diff(MESSAGE, sim.respond(MESSAGE)), sim.read([RAW]), sim.codes("fee_type")):
        assert "<table" in sim.show(table).to_html()
    assert sim.show(sim.validate(MESSAGE)).to_html() == "<p>No findings.</p>"
    assert sim.show(RAW).to_html() == sim.show(MESSAGE).to_html()
    with pytest.raises(TypeError):
        sim.show(7)  # type: ignore[arg-type]


def test_rows_are_sent_as_they_are_seen() -> None:
    """The browser receives only the visible rows of a long table; the page without a kernel has all."""
    table = sim.codes("currencies")
    shown = sim.show(table, rows=50)
    assert (shown.count, shown.total) == (len(table), len(table))
    assert len(str(shown.get_state())) < len(shown.to_html())
    assert shown.to_html().count("<tr>") == 1 + len(table)


def test_a_filter_and_an_order() -> None:
    """Rows that contain the text anywhere stay, in any letter case; a column sorts them in both
    directions, missing values last; without both they keep their order."""
    table = sim.codes("currencies")
    shown = sim.show(table)
    shown.text = "dollar"
    dollars = table[table["name"].str.contains("dollar", case=False)]
    assert shown.count == len(dollars) == len(shown.shown)
    shown.order = {"name": "name", "descending": False}
    assert shown.shown["name"].tolist() == sorted(dollars["name"])
    shown.order = {"name": "name", "descending": True}
    assert shown.shown["name"].tolist() == sorted(dollars["name"], reverse=True)
    shown.text, shown.order = "no currency is called that", {}
    assert shown.count == 0
    shown.text = ""
    assert shown.shown.index.tolist() == table.index.tolist()
    shown.order = {"name": "exponent", "descending": False}
    assert shown.shown["exponent"].isna().tolist() == sorted(table["exponent"].isna())


def test_what_is_masked_is_not_found() -> None:
    """A filter searches the masked texts, so that it cannot reveal masked digits, which the page sent to
    the browser does not contain."""
    for table in (MESSAGE, sim.read([RAW]), sim.cases("VISA", "1987")):
        shown = sim.show(table)
        shown.text = PAN
        assert shown.count == 0
        shown.text = "411111******1111"
        assert shown.count > 0
        assert PAN not in str(shown.get_state())


def test_many_rows() -> None:
    """Ten thousand messages are shown, filtered and sorted; the browser receives only visible rows."""
    table = sim.read([sim.build(sim.generate("echo", stan=f"{at:06}", at=AT)) for at in range(1, 41)] * 250)
    shown = sim.show(table)
    assert len(str(shown.get_state())) < 100_000
    shown.text = "000007"
    assert shown.count == 250
    shown.text, shown.order = "", {"name": "DE11", "descending": True}
    assert shown.shown["DE11"].iloc[0] == "000040"


TAG = "<img src=x onerror=alert(1)>"
_DRESSED: dict[str, Callable[[Any], Any]] = {
    "shown": sim.show,
    "styled": lambda table: table.style,
    "formatted": lambda table: table.style.format("{}", na_rep="-"),
    "formatted by position": lambda table: table.style.format("{}", None, "-", 2, ".", None, "html"),
    "labels formatted": lambda table: table.style.format_index(str.upper, axis=1),
    "by value": lambda table: table.set_index("value").style,
    "on its side": lambda table: table.set_index("value").T.style,
    "column renamed": lambda table: table.rename(columns={"name": TAG}).style,
    "rows named": lambda table: table.rename_axis(TAG).style,
    "columns named": lambda table: table.rename_axis(TAG, axis=1).style,
    "a part": lambda table: table[["number", "value"]].style,
}


@together("name", _DRESSED)
def test_markup_in_a_message_stays_text(name: str) -> None:
    """Text in an element, a label or a label's name is escaped, also after the user's own format."""
    table = sim.parse(sim.build({"mti": "0100", 3: "000000", 43: TAG.ljust(40), 63: TAG}))
    html = _DRESSED[name](table).to_html()
    assert TAG.casefold() not in html.casefold()
    assert "&lt;img" in html.casefold()
