"""Markup in a message stays text in all HTML from public calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import pytest
from IPython.core.formatters import DisplayFormatter
from support import turns
from surfaces import planted

import sim
from sim.codec import Message, build
from sim.spec import VERSIONS, spec
from sim.widgets import MessageAnatomy, MessageDiff, anatomy_html

TAG = "<img src=x onerror=alert(1)>"
ECHO = "08002020000000000000990000123456"


def everywhere(version: str) -> Message:
    """A message with the tag in every element that has room for it."""
    fields: dict[int, str] = {}
    for number, message in planted(version, TAG, with_card=True):
        fields[number] = message[number]
    mti = {"1987": "0100", "1993": "1100", "2003": "2100"}[version]
    return Message(mti, dict(sorted(fields.items())), version)


def notebook(thing: Any) -> str:
    """The HTML that a notebook shows for *thing*."""
    return str(DisplayFormatter().format(thing)[0].get("text/html", ""))


def held(widget: Any, seen: set[int]) -> Iterator[str]:
    """The content of the HTML widgets in *widget*."""
    if id(widget) in seen:
        return
    seen.add(id(widget))
    if isinstance(widget, ipywidgets.HTML | ipywidgets.HTMLMath):
        yield str(widget.value)
    for child in getattr(widget, "children", ()):
        yield from held(child, seen)


def tables(text: str) -> Iterator[tuple[str, Any]]:
    """The tables of the notebook interface, and what pandas derives from them."""
    table = sim.parse(text)
    yield "message", table
    yield "explained", sim.explain(text)
    yield "findings", sim.validate(text, against=["VISA"])
    yield "difference", sim.diff(text, ECHO)
    yield "many", sim.read([text, text])
    yield "by value", table.set_index("value")
    yield "on its side", table.set_index("value").T
    yield "renamed", table.rename(columns={"name": TAG}).rename_axis(TAG).rename_axis(TAG, axis=1)
    yield "edited", table.assign(name=TAG, meaning=TAG, hint=TAG, finding=TAG)
    yield "counted", table["value"].value_counts().to_frame()


def pages(text: str) -> Iterator[tuple[str, str]]:
    """All HTML for the message *text*, with names."""
    for name, table in tables(text):
        yield f"{name}, notebook", notebook(table)
        yield f"{name}, to_html", table.to_html()
        if table.index.is_unique and table.columns.is_unique:
            yield f"{name}, style", table.style.to_html()
            yield f"{name}, show", sim.show(table).to_html()
    yield "page", anatomy_html(text)
    for name, widget in widgets(text):
        bundle = widget._repr_mimebundle_()
        yield f"{name}, stored", (bundle[0] if isinstance(bundle, tuple) else bundle)["text/html"]
        yield f"{name}, shown", "".join(held(widget, set()))


def widgets(text: str) -> Iterator[tuple[str, Any]]:
    """The widgets of a message."""
    from sim.widgets.panels.explain import ExplainPanel
    from sim.widgets.panels.validate import ValidatePanel

    yield "anatomy", MessageAnatomy(text)
    yield "diff", MessageDiff(text, ECHO)
    panel = ValidatePanel(text)
    panel.views.choice.value = "Table"
    yield "validate panel", panel
    yield "explain panel", ExplainPanel(text)


@pytest.mark.parametrize(("version", "damage"), turns(VERSIONS, ["none", "cut", "unread"]))
def test_no_html_runs_what_a_message_holds(version: str, damage: str) -> None:
    """The tag is in every element, or in what could not be read, and is escaped in all HTML."""
    raw = build(everywhere(version))
    text = {"none": raw, "cut": raw[: len(raw) * 2 // 3], "unread": TAG + raw}[damage]
    assert [name for name, page in pages(text) if "<img" in page.casefold()] == []


def test_the_tag_is_there_to_be_escaped() -> None:
    """The test can fail: the message contains the tag many times, and its page shows it escaped."""
    for version in VERSIONS:
        message = everywhere(version)
        assert len(message.fields) > 20
        assert anatomy_html(message).count("&lt;img") >= len(message.fields)
        assert spec(version)[43].number in message
