"""The panels of a line without a browser: a host, a message to it, a load on it."""

from __future__ import annotations

import asyncio
import re
import time
from html import unescape

import pytest
from support import AT

import sim
from sim.link.host import AsyncHost
from sim.link.line import Line
from sim.link.traffic import Traffic
from sim.operations import generate
from sim.widgets import HostPanel, LoadPanel, SendPanel
from sim.widgets.panels.host import TrafficView
from sim.widgets.panels.panel import Panel

RAW = generate("auth", network="VISA", at=AT).raw


def test_a_message_goes_to_the_host_and_its_answer_is_shown() -> None:
    """The host is started, the message sent, the answer stands in the anatomy; both are in the traffic, and
    a row that is chosen is shown whole."""
    host = HostPanel([{"card": "4111*", "code": "51"}])
    assert (host.running, host.button.description) == (False, "Start")
    host.run()
    send = SendPanel(host.host.address, RAW)
    send.run()
    assert send.exchange.code == "51"
    assert send.views.anatomy.message.startswith("0110")
    assert "0110, insufficient funds (51) in" in send.said.value
    host.look()
    lines = dict(host.traffic.lines.rows)
    request = next(number for number, text in lines.items() if "request" in text)
    assert "4111111111111111" not in "".join(lines.values())
    host.traffic.lines.chosen = request
    assert host.traffic.views.anatomy.message == RAW
    host.run()
    assert (host.running, host.button.description) == (False, "Start")


def test_what_accounts_hold_is_chosen() -> None:
    """As much as any host's, unless asked otherwise; beyond it is declined."""
    assert HostPanel().opening == AsyncHost().accounts.opening
    host = HostPanel(opening=1000)
    host.form.fields["opening"].box.value = 999
    host.run()
    send = SendPanel(host.host.address, RAW)
    send.run()
    assert (send.exchange.code, host.form.fields["opening"].disabled) == ("51", True)
    host.run()


def test_what_is_chosen_is_known_by_its_number() -> None:
    """It stays chosen while lines come; what has given way, or was another host's, is chosen no more."""
    traffic, view = Traffic(Line.of()), TrafficView("nothing yet")
    view.put(traffic)
    assert (view.lines.nothing, view.lines.rows) == ("nothing yet", [])
    for at in range(3):
        traffic.add(0.0, "", "event", f"kind{at + 1}")
    view.put(traffic)
    view.lines.chosen = 2
    traffic.add(0.0, "", "event", "kind4")
    view.put(traffic)
    assert (view.lines.chosen, view.lines.rows[0][0]) == (2, 4)
    for _ in range(600):
        traffic.add(0.0, "", "event", "more")
    view.put(traffic)
    assert (view.lines.chosen, len(view.lines.rows)) == (0, 500)
    view.lines.chosen = 604
    view.put(None)
    assert (view.lines.chosen, view.lines.rows) == (0, [])


CARD = "453957876362148" + "6"


@pytest.mark.parametrize("format", ["ascii", "nac"])
def test_bytes_that_are_no_message_are_shown_and_told(format: str) -> None:
    """Chosen, they come with the reason: as far as they were read in the anatomy, else as they begin; card
    data is hidden in both, and what is chosen next takes their place."""
    line, view = Line.of(format, "length-2"), TrafficView("nothing yet")
    traffic = Traffic(line)
    sent = line.encode(generate("auth", network="VISA", pan=CARD, at=AT).message)
    cases = [
        (sent[:60], "DE "),
        (b"\0\x10" + CARD.encode(), "453957******1486" if format == "ascii" else "at byte "),
        (b"\0\x08" + bytes.fromhex(CARD), "45 39 57 ** ** ** 14 86"),
        (b"\0\x04" + bytes.fromhex("16030102"), "16 03 01 02"),
        (b"\0\0", "no bytes after the length"),
    ]
    for data in (*(data for data, _ in cases), sent):
        traffic.add(0.0, "1", "in", "request", data)
    view.put(traffic)
    for number, (_, shown) in enumerate(cases, 1):
        view.lines.chosen = number
        said = unescape(view.said.value)
        assert "This cannot be read." in said
        assert shown in said
        digits = re.sub("[^0-9]", "", said + str(view.views.anatomy.view))
        assert CARD[5:12] not in digits
        assert (view.views.anatomy.message[:4] == "0100") == (number == 1)
    view.lines.chosen = len(cases) + 1
    assert (view.said.value, view.views.anatomy.message[:4]) == ("", "0100")


def test_rules_change_while_the_host_runs() -> None:
    """A row is added, filled in, and removed; each holds for the next message. A rule that cannot be met is
    told beneath the grid, and the one before holds on."""
    host = HostPanel()
    host.run()
    try:
        send = SendPanel(host.host.address, RAW)
        host.grid.add()
        assert host.rules == ()
        host.grid.rules[0].inputs["code"].value = "05"
        assert host.rules == ({"code": "05", "action": "answer"},)
        send.run()
        assert send.exchange.code == "05"
        host.grid.rules[0].inputs["amount"].value = "much"
        assert "rule 1, amount" in host.grid_field.problem
        assert len(host.host.rules) == 1
        host.rules = ()
        assert (host.grid.rules, host.grid_field.problem) == ((), "")
        send.message = generate("auth", network="VISA", at=AT, stan="000002").raw
        send.run()
        assert send.exchange.code == "00"
    finally:
        host.cancel()


def test_what_a_rule_says_beside_its_inputs_stays() -> None:
    """A change of one input loses no condition that has none; such a rule says it in its head, masked."""
    host = HostPanel(
        [
            {"terminal": "TERM0001", "code": "51"},
            {"action": "partial", "approved": 100, "merchant": "4111111111111111"},
        ]
    )
    host.grid.rules[0].inputs["code"].value = "05"
    assert host.rules == (
        {"terminal": "TERM0001", "code": "05", "action": "answer"},
        {"action": "partial", "approved": 100, "merchant": "4111111111111111"},
    )
    heads = [row.heading.value for row in host.grid.rules]
    assert "Rule 1: terminal TERM0001" in heads[0]
    assert "4111111111111111" not in heads[1]
    host.grid.rules[0].remove_button.click()
    assert [row.inputs["action"].tooltip for row in host.grid.rules] == ["Rule 1"]
    assert [rule["action"] for rule in host.rules] == ["partial"]


@pytest.mark.parametrize(
    ("address", "message", "problem"),
    [
        ("nowhere", RAW, "address: expected host:port"),
        ("127.0.0.1:1", RAW, "127.0.0.1:1: expected a connection"),
        ("127.0.0.1:1", "0100zz", "This needs a message that can be read"),
        ("127.0.0.1:1", "", "No message to send"),
        ("127.0.0.1:1", "0" * 40_000, "No message to send"),
    ],
)
def test_what_cannot_be_sent_is_told(address: str, message: str, problem: str) -> None:
    """A wrong address, nobody there, no message: a sentence, no traceback."""
    panel = SendPanel(address, message)
    panel.run()
    assert problem in panel.problem
    assert 'role="alert"' in panel.said.value
    assert not panel.busy


@pytest.mark.parametrize(
    "made", [sim.parse(RAW), sim.parse(RAW).iso.to_message(), RAW], ids=["table", "message", "text"]
)
def test_a_message_alone_is_the_message(made: object) -> None:
    """Where nothing else is given, what is not an address is what is to be sent."""
    for panel in (SendPanel(made), SendPanel("127.0.0.1:8583", made), SendPanel(made, "127.0.0.1:8583")):
        assert panel.message == RAW
        assert panel.address in ("", "127.0.0.1:8583")
        panel.close()
    assert SendPanel("127.0.0.1:8583").address == "127.0.0.1:8583"


@pytest.mark.parametrize("classes", [(), "one two", ("one", "two")])
def test_a_panel_has_the_classes_it_is_given(classes: object) -> None:
    """None, a text, several."""
    named = set(Panel(classes=classes).get_state()["_dom_classes"])
    assert named - {"iso-panel"} == ({"one", "two"} if classes else set())


def test_a_message_is_sent_as_the_version_that_was_chosen() -> None:
    """What the box above it is read as is what goes out: here as one that it is not, which is told."""
    panel = SendPanel("127.0.0.1:1", RAW)
    panel.input.version = "2003"
    panel.run()
    assert "This needs a message that can be read" in panel.problem


def test_the_button_does_not_wait() -> None:
    """In a running loop the button comes back at once, and the answer is taken when it is there."""

    async def kernel() -> None:
        host = HostPanel([{"delay": "0.2"}])
        host.run()
        send = SendPanel(host.host.address, RAW)
        send.button.click()
        assert send.busy
        end = time.monotonic() + 120
        while send.exchange is None:
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
        assert send.exchange.code == "00"
        while not any("code 00" in text for _, text in host.traffic.lines.rows):  # shown as it comes
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
        host.close()
        assert not host.running

    asyncio.run(kernel())


def test_a_load_is_driven_and_told() -> None:
    """It ends at its count; rates, percentiles and codes stand in a sentence; a wrong mix is told."""
    host = HostPanel()
    host.run()
    try:
        panel = LoadPanel(host.host.address, count=200, mix="auth 3, echo 1")
        panel.run()
        assert (panel.numbers.answered, panel.busy) == (200, False)
        assert "200 sent, 200 answered" in panel.said.value
        assert "p99 " in panel.said.value
        assert "code 00: 200" in panel.said.value
        for wrong, said in (
            ("authh 1", "found 'authh'; did you mean 'auth'?"),
            ("auth 3 echo 1", "such as auth 70, financial 20, echo 10, found 'auth 3 echo 1'"),
            ("echo 1, auth -3", "found 'auth -3'"),
            (" ,", "found none"),
        ):
            panel.mix = wrong
            panel.run()
            assert panel.problem.startswith("mix: expected ")
            assert panel.problem.endswith(said)
            assert panel.problem in unescape(panel.said.value)
    finally:
        host.cancel()


def test_a_number_that_no_load_has_is_put_right() -> None:
    """Nothing, or less, in an input is the least that can be driven."""
    panel = LoadPanel("127.0.0.1:1")
    for name in ("count", "seconds", "rate"):
        panel.form.fields[name].box.value = -1
    assert (panel.count, panel.seconds, panel.rate) == (1, 0.1, 0.0)


def test_a_load_is_stopped() -> None:
    """Stop ends it before its count; what is in flight is answered; closing the panel waits for nothing."""

    async def kernel() -> None:
        host = HostPanel()
        host.run()
        panel, other = (LoadPanel(host.host.address, count=1_000_000) for _ in range(2))
        for one in (panel, other):
            one.button.click()
            assert (one.busy, repr(one)) == (True, "LoadPanel(running)")
        other.close()
        panel.cancel_button.click()
        end = time.monotonic() + 120
        while panel.busy:
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
        assert panel.numbers.sent == panel.numbers.answered < 1_000_000
        assert (repr(panel), other.busy) == ("LoadPanel(over)", False)
        host.close()

    asyncio.run(kernel())
