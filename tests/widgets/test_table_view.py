"""A table in the grid: filtered, sorted, read whole, card data masked in all of it."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

import anywidget
import pytest

import sim
import sim.widgets

CARD = "4539578763621486"  # of nobody


def shown(view: Any, name: str) -> list[str]:
    """A column as the grid shows it."""
    at = [column["name"] for column in view.columns].index(name)
    cells = [row[2][at] for row in view.first]
    return [one if isinstance(one, str) else one[0] for one in cells]


def test_rows_are_filtered_and_sorted() -> None:
    """By a text anywhere in a row, in any case, and by any column; without them all rows come back."""
    view = sim.show(sim.rules())
    everything = view.count
    view.text = "LUHN"
    assert shown(view, "rule") == ["luhn", "luhn-unknown-network"]
    view.order = {"name": "rule", "descending": True}
    assert shown(view, "rule") == ["luhn-unknown-network", "luhn"]
    assert view.to_html().index("luhn-unknown-network") < view.to_html().index("ISO/IEC 7812-1, annex B")
    view.text, view.order = "", {}
    assert (view.count, view.total) == (everything, everything)
    view.text = "no such text"
    assert (view.count, view.nothing) == (0, "No rows match.")


def test_a_rule_leads_to_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The severity has its sign; the cell of the rule is a link where pages are known."""
    monkeypatch.setenv("SIM_DOCS", "https://docs.test/lab/")
    view = sim.show(sim.validate(sim.generate("auth", pan="4111111111111112")))
    assert shown(view, "severity") == ["✖ error"]
    links = [cell for cell in view.first[0][2] if not isinstance(cell, str)]
    assert links == [["luhn", "https://docs.test/lab/rules/luhn.html"]]


def test_what_is_masked_is_neither_sent_nor_found() -> None:
    """The digits that are shown are found, the whole number is not, and nothing of it is in the page."""
    messages = [sim.build(sim.generate("auth", pan=CARD, stan=stan)) for stan in (1, 2, 3)]
    view = sim.show(sim.read(messages, progress=False))
    view.order = {"name": "DE2", "descending": True}
    view.text = CARD
    assert view.count == 0
    view.text = CARD[:6]
    assert view.count == 3
    assert CARD not in str(view.get_state()) + view.to_html() + repr(view)


def test_what_is_typed_into_the_filter_is_not_saved() -> None:
    """It comes and goes as a message, and is no part of what a notebook saves."""
    view = sim.show(sim.rules())
    sent: list[Any] = []
    view.send = lambda content, buffers=None: sent.append(content)
    view._on_request(view, {"ask": "filter", "text": CARD}, [])
    view._on_request(view, {"ask": "filter"}, [])
    assert (view.text, sent[-1]) == (CARD, {"kind": "filter", "text": CARD})
    assert CARD not in str(view.get_state())


def test_an_empty_table_says_what_it_would_hold() -> None:
    """Its heading stands in the place of rows."""
    view = sim.show(sim.read([], progress=False))
    assert view.count == 0
    assert "mti" in view.nothing


def test_what_a_script_reads_is_sent_to_it() -> None:
    """Each trait that the JavaScript of a widget names is synchronized."""
    for module in pkgutil.walk_packages(sim.widgets.__path__, "sim.widgets."):
        importlib.import_module(module.name)
    kinds = [*anywidget.AnyWidget.__subclasses__()]
    assert len(kinds) > 8
    for kind in kinds:
        named = re.findall(r"model\.[gs]et\(\s*[\"'](\w+)|[\"']change:(\w+)", str(kind._esm))
        assert {one or other for one, other in named} <= {*kind.class_trait_names(sync=True)}, kind
