"""Many messages of an interface: read, validated, matched and broken like a single one."""

from __future__ import annotations

import pytest
from support import AT, requested

import sim

LINKS = ("nac", "base24", "postilion", "elavon")


def sales(link: str, count: int = 30) -> list[sim.Message]:
    """Purchases on interface *link*, with consecutive STANs."""
    asked = {"network": "VISA", "entry": "chip", "interface": link, "at": AT}
    return [requested("financial", stan=f"{at:06}", **asked) for at in range(1, count + 1)]


@pytest.mark.parametrize("link", LINKS)
def test_a_row_is_judged_as_its_message(link: str) -> None:
    """Errors counted by column, findings by row, and the message of a row all follow its interface."""
    packed = [bytes.fromhex(sim.build(one, format=link)) for one in sales(link)]
    log = sim.read(packed, format=link, validate=True)
    assert not log["errors"].any()
    assert len(log.iso.validate()) == 0
    assert log.iso.message(0).spec.interface == link
    assert sim.match(log)["state"].tolist() == ["unanswered"] * len(packed)


def test_what_most_messages_must_travel_on_is_that_of_all() -> None:
    """Packed digits of many interfaces prove nothing, but the elements of terminals do, for a whole log."""
    lines = [sim.build(one, format="nac") for one in sales("nac")]
    echo = sim.generate("echo", network="VISA", at=AT)
    lines.append(sim.build(echo, format="bcd"))
    log = sim.read(lines, validate=True)
    assert not log["errors"][:-1].any()
    assert {log.iso.message(row).spec.interface for row in (0, 30)} == {"nac"}


def test_the_interface_that_is_named_decides() -> None:
    """Text with an interface's own lengths is validated by it, and elements have its names."""
    texts = [sim.build(one) for one in sales("base24", 3)]
    assert sim.read(texts)["DE41"].tolist() == [one[41] for one in sales("base24", 3)]
    log = sim.read(texts, interface="base24", validate=True)
    assert not log["errors"].any()
    assert log.iso.message(2)[41] == sales("base24", 3)[2][41]
    terminal = [sim.build(one) for one in sales("nac", 1)]
    named = sim.read(terminal, interface="NAC", columns=["Network international identifier (NII)"])
    assert named["DE24"].tolist() == [sales("nac", 1)[0][24]]
    stopped = sim.read([texts[0][:-3]], interface="base24")
    assert stopped.iso.validate()["message"].tolist() == stopped["error"].tolist()
    with pytest.raises(sim.ChoiceError, match="interface: expected"):
        sim.read(texts, interface="base25")


def test_messages_in_a_list_keep_their_interfaces() -> None:
    """Each message of a list keeps its own interface, whatever the next one uses."""
    mixed = [sales("base24", 1)[0], sales("nac", 1)[0], sim.generate("echo", at=AT)]
    log = sim.read(mixed, validate=True)
    assert not log["errors"].any()
    request = sim.generate("financial", network="VISA", interface="base24", at=AT)
    assert sim.match([request, sim.respond(request)])["state"].tolist() == ["answered"]


@pytest.mark.parametrize("link", LINKS)
def test_a_message_of_an_interface_is_broken_there(link: str) -> None:
    """A fault causes its finding on the message's interface, and stays on it."""
    good = sim.generate("financial", network="VISA", interface=link, at=AT)
    assert "letter-in-digits" in {*sim.faults(good)["fault"]}
    broken = sim.break_message(good, "letter-in-digits")
    assert broken.iso.to_message().spec.interface == link
    assert sim.validate(broken)["rule"].tolist() == ["character-class"]
