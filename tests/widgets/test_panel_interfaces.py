"""Panels and what links speak: an interface that is chosen is shown, judged by and kept, and a file that is
dropped is a format from then on."""

from __future__ import annotations

import warnings

import pytest
from support import AT

import sim
from sim.widgets import ExplainPanel, GeneratePanel, MessageAnatomy, ValidatePanel

PAN = "4111111111111111"
OWN = """extends = "bcd"
title = "Our host"
source = "its manual"
[elements.3]
name = "Processing code"
"""


def names(panel: GeneratePanel | ValidatePanel | ExplainPanel) -> list[str]:
    """The names of the elements that a panel shows."""
    return [element["name"] for element in panel.views.anatomy.view["elements"]]


def sale(link: str) -> str:
    """A purchase on interface *link*, as text."""
    return str(sim.build(sim.generate("financial", network="VISA", interface=link, at=AT)))


@pytest.mark.parametrize("link", ["nac", "base24", "postilion"])
def test_a_message_is_shown_and_judged_by_the_interface_that_is_chosen(link: str) -> None:
    """Names, lengths and findings are the interface's as soon as it is chosen."""
    own = sim.fields(interface=link).set_index("number").name
    number = {"nac": 24, "base24": 60, "postilion": 123}[link]
    panel = ValidatePanel(sale(link), interface=link)
    assert own[number] in names(panel)
    assert "Valid for Visa over " in repr(panel)
    panel.actions.reply()
    assert panel.message.startswith("0210")
    assert panel.report.valid
    panel.interface = None
    panel.message = sale(link)
    panel.interface = link
    assert own[number] in names(panel)
    assert not panel.table["severity"].isin(["error", "warning"]).any()
    told = ExplainPanel(sale(link), interface=link)
    assert (told.problem, own[number] in names(told)) == ("", True)


@pytest.mark.parametrize("link", ["nac", "base24"])
def test_a_message_brings_its_interface_along(link: str) -> None:
    """A table of a message that was made for a link is shown as such, in panels and alone."""
    table = sim.generate("financial", network="VISA", interface=link, at=AT)
    for message in (table, table.iso.to_message()):
        assert ValidatePanel(message).interface == link
        view = MessageAnatomy(message).view
        assert view["valid"]
        assert not view["findings"]
    panel = GeneratePanel(at=AT, network="VISA", interface=link, message_type="financial")
    panel.run()
    assert panel.views.anatomy.view["valid"]
    assert panel.table["name"].tolist() == table["name"].tolist()


def test_a_text_cut_short_is_told_by_its_interface() -> None:
    """What is no longer whole is not read as something else, whatever its digits could be."""
    text = sale("nac")[:-3]
    assert "DE 62" in ValidatePanel(text, interface="nac").report.findings[0].message
    assert sim.validate(text, interface="nac")["field"].tolist() == [62]


@pytest.mark.parametrize("kind", ["jpos", "moov", "toml"])
def test_a_format_that_is_dropped_is_in_use_at_once(kind: str) -> None:
    """A file of another toolkit on the panel, and the message in its box is one of its format."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a specification of moov says what it leaves out
        text = OWN if kind == "toml" else str(sim.export_format("bcd", kind))
    data = text.replace("Processing code", "What to do").encode()
    suffix = {"jpos": "xml", "moov": "json"}.get(kind, "toml")
    message = sim.generate("auth", network="VISA", at=AT)
    panel = ValidatePanel(str(sim.build(message, format="bcd")))
    asked = {"ask": "piece", "at": 0, "size": len(data), "name": f"dropped-{kind}.{suffix}"}
    panel.input.drop._take(panel.input.drop, asked, [data])
    assert "are now recognized" in panel.input.drop.words
    assert "What to do" in names(panel)
    panel.input.drop._take(panel.input.drop, asked | {"size": 3}, [b"abc"])
    assert "expected" in panel.input.drop.words
    assert "What to do" in names(panel)


def test_a_dropped_format_shows_no_card_number() -> None:
    """Neither in its own words nor in its name, whether it can be used or not; what it says is no markup."""
    said = f"<b>{PAN}</b>"
    text = OWN.replace("Our host", said).replace("its manual", said).replace("Processing code", said)
    message = sim.generate("auth", network="VISA", at=AT)
    for name, data in (("masked.toml", text), (f"card {PAN}.toml", text), (f"{PAN}.toml", "extends =")):
        panel = ValidatePanel(str(sim.build(message, format="bcd")))
        asked = {"ask": "piece", "at": 0, "size": len(data), "name": name}
        panel.input.drop._take(panel.input.drop, asked, [data.encode()])
        shown = [panel.input.drop.words, panel.input.recognised._said.value, str(panel.views.anatomy.view)]
        shown += [repr(panel), str(panel._repr_mimebundle_()), str(sim.formats())]
        assert not [one for one in shown if PAN in one]
        assert "411111******1111" in panel.input.drop.words
        assert "<b>4" not in panel.input.recognised._said.value
    assert panel.input.drop.busy == ""
