"""`ExchangePanel` without a browser: options in, an exchange and its story out."""

from __future__ import annotations

import pytest
from support import AT

from sim.exchanges import Exchange, make
from sim.widgets import ExchangePanel


def test_what_is_chosen_is_made_and_told() -> None:
    """As sim.exchange makes it of the same options; the table shows no card number."""
    options = {
        "network": "VISA",
        "outcome": "timeout",
        "then": "reversal repeat",
        "amount_minor_units": 10000,
    }
    panel = ExchangePanel(at=AT, **options)
    assert repr(panel) == "ExchangePanel(no messages)"
    panel.run()
    assert panel.exchange.messages == make(**options, at=AT).messages
    assert "after a timeout (repeated once)" in panel.table.value
    assert panel.exchange.messages[0][2] not in panel.table.value


def test_what_cannot_be_made_is_told_and_the_one_before_stays() -> None:
    """Beside the option that is wrong."""
    panel = ExchangePanel(at=AT)
    panel.run()
    made = panel.exchange
    panel.outcome, panel.then = "declined", "completion"
    panel.run()
    assert "approved authorization" in panel.problem
    assert panel.exchange is made
    with pytest.raises(TypeError, match="merchant"):
        ExchangePanel(merchant="SHOP")


def test_a_decline_may_name_its_response_code() -> None:
    """It is found by the code or the words; what is not in the list is refused beneath the input."""
    panel = ExchangePanel(at=AT, outcome="51")
    panel.run()
    assert panel.exchange.messages[-1][39] == "51"
    field = panel.form.fields["outcome"]
    field.choice.box.value = "stolen card"
    panel.run()
    assert (panel.outcome, panel.exchange.messages[-1][39]) == ("43", "43")
    field.choice.box.value = "certainly"
    panel.run()
    assert "Not in the list" in field.problem
    assert panel.problem == "Fix Outcome first"


def test_one_message_of_it_is_shown() -> None:
    """The first of each exchange; then the one chosen or assigned. The table has no second count."""
    panel = ExchangePanel(at=AT, outcome="timeout", then="reversal repeat")
    panel.run()
    raw = [message.mti for message in panel.exchange.messages]
    assert raw[0] == panel.views.anatomy.message[:4]
    panel.steps.value = 2
    assert (panel.step, panel.views.anatomy.message[:4]) == (2, raw[1])
    panel.step = 99
    assert (panel.steps.value, panel.views.anatomy.message[:4]) == (len(raw), raw[-1])
    assert "<th>0</th>" not in panel.table.value
    panel.outcome, panel.then = "approved", ""
    panel.run()
    assert (panel.step, panel.views.anatomy.message[:4]) == (1, "0100")


def test_messages_of_an_interface_are_shown_as_it_writes_them() -> None:
    """With its layouts; nothing is left of the message when there is no exchange, or an empty one."""
    panel = ExchangePanel(at=AT)
    for options in ({"interface": "nac", "message_type": "financial"}, {"interface": "base24"}):
        panel.exchange = make(network="VISA", at=AT, **options)
        assert (panel.views.anatomy.view["fault"], panel.views.anatomy.view["findings"]) == (None, [])
    for nothing in (Exchange.of([], network="VISA"), None):
        panel.exchange = nothing
        assert panel.views.anatomy.message == ""
