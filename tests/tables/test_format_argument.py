"""`format=` on every function that accepts a message: dumps are read with it, dialects keep their
elements."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import sim
from sim.codec import Message
from sim.codec.wire import Format, encode
from sim.codec.wire.dialects import load_format

_OWN = """
extends = "bcd"
name = "side-bank"
title = "Side bank"
source = "its specification"

[elements.41]
name = "Till"
format = "ans 12"

[elements.48]
cut = "places"
parts = [{ path = "1", name = "branch", format = "n 4" }]
"""
_TAKES_MESSAGES = {
    *("break_message", "build", "convert", "diff", "explain", "faults", "guess", "mask", "match", "parse"),
    *("read", "repair", "respond", "reverse", "validate"),
}
_MAKES_MESSAGES = {"client", "exchange", "export_format", "generate", "host", "load", "run_suite"}


@pytest.fixture
def own(tmp_path: Path) -> Format:
    """A dialect loaded from a file."""
    path = tmp_path / "side.toml"
    path.write_text(_OWN, encoding="utf-8")
    return load_format(path)


@pytest.fixture
def dump(own: Format) -> str:
    """A sale in that dialect, as hex."""
    return str(sim.build(sim.generate("auth", entry="stripe", at="2026-11-20", format=own), format=own))


def test_every_function_that_takes_or_makes_a_message_has_a_format() -> None:
    """The public functions with a parameter `format` are those that accept or make messages."""
    found = {
        name
        for name in sim.__all__
        if inspect.isfunction(one := getattr(sim, name)) and "format" in inspect.signature(one).parameters
    }
    assert found == _TAKES_MESSAGES | _MAKES_MESSAGES


def test_generate_makes_a_message_of_the_dialect(own: Format) -> None:
    """Elements have the dialect's names and lengths; what its subfields cannot represent is left out, with
    a note."""
    table = sim.generate("auth", network="MASTERCARD", format=own)
    row = table.set_index("number").loc[41]
    assert (row["name"], row["format"], len(row["value"])) == ("Till", "ans 12", 12)
    assert 48 not in table["number"].tolist()
    assert any("DE 48 is left out: side-bank" in str(note) for note in table.iso.notes)
    assert "framing" not in sim.validate(table)["rule"].tolist()
    as_text, plain = (sim.generate("auth", at="2026-11-20", format=format) for format in ("text", None))
    assert as_text.iso.message == plain.iso.message


def test_build_writes_the_bytes_of_a_format(own: Format, dump: str) -> None:
    """A table, a dict and a dump are encoded in the format; elements that it cannot encode are named."""
    table = sim.parse(dump, format=own)
    assert sim.build(table, format=own) == dump
    assert sim.build(table, format="side-bank") == dump
    fields = {"mti": "0800", 3: "990000", 11: "123456"}
    assert sim.build(fields, format="bcd") == "08002020000000000000990000123456"
    assert sim.build("0800 2020 0000 0000 0000 9900 0012 3456") == sim.build(fields)
    with pytest.raises(sim.BuildError, match="DE 11"):
        sim.build({**fields, 11: "12345X"}, format="bcd")
    with pytest.raises(sim.ChoiceError):
        sim.build(fields, format="no-such")


def test_a_dump_goes_through_every_verb(own: Format, dump: str) -> None:
    """What `parse` reads with a format, the other verbs also read, as text and as bytes."""
    held = sim.parse(dump, format=own).iso.to_message()
    assert sim.parse(dump, format=own)["name"].tolist().count("Till") == 1
    for given in (dump, bytes.fromhex(dump)):
        assert sim.diff(given, given, format=own).empty
        assert sim.respond(given, "05", format=own).iso.to_message()[39] == "05"
        assert sim.reverse(given, format=own).iso.mti == "0400"
        assert sim.convert(given, "1993", format=own).iso.mti == "1100"
        assert "4111111111111111" not in sim.mask(given, format=own)
        assert sim.repair(given, format=own).valid == sim.validate(given, format=own).iso.valid
    assert held.dialect is not None
    assert len(sim.match([dump], format=own)) == 1


def test_what_is_made_in_a_format_goes_over_its_line() -> None:
    """`generate`, `respond` and `reverse` leave out what the format has no room for, with a note; for a
    message that has it, `send` says what to do."""
    options: dict[str, Any] = {"network": "VISA", "at": "2026-11-20"}
    asked = sim.generate("auth", format="visa-base1", **options)
    answer, undone = sim.respond(asked, format="visa-base1"), sim.reverse(asked, format="visa-base1")
    whole = sim.respond(sim.generate("auth", **options)).iso.to_message()
    assert answer.iso.to_message().fields == whole.replace(de62=None).fields
    assert [note for note in answer.iso.notes if "DE 62 is left out: visa-base1" in note]
    with sim.host(format="visa-base1") as issuer, sim.client(issuer, format="visa-base1") as bank:
        assert [bank.send(one).status for one in (asked, undone)] == ["answered", "answered"]
        with pytest.raises(sim.BuildError, match=r"DE 60: .*`format='visa-base1'` of sim.generate"):
            bank.send(sim.generate("auth", **options))
        with pytest.raises(sim.BuildError, match=r"DE 4: [^.]*$"):  # no format carries that
            bank.send(asked.iso.to_message().replace(de4="12"))


def test_a_dump_is_broken_by_the_faults_of_its_message() -> None:
    """`break_message` and `faults` accept the bytes of a built-in format."""
    dump = sim.build(sim.generate("auth", entry="stripe", at="2026-11-20"), format="bcd")
    assert "month-13" in sim.faults(dump, format="bcd")["fault"].tolist()
    assert sim.validate(sim.break_message(dump, "month-13", format="bcd"))["rule"].tolist() == ["date"]


def test_the_message_of_a_dialect_stays_one_when_it_is_repaired(own: Format) -> None:
    """The card number comes from the track, and the dialect's own elements stay."""
    fields: dict[int, Any] = {
        2: "4111111111111112",
        35: "4111111111111111=29122010000000000000",
        3: "000000",
        4: "000000001000",
        7: "1120120000",
    }
    fields |= {11: "000042", 41: "TILL00000001", 49: "840"}
    table = own.layout("1987").dialect
    data = encode(Message("0100", fields, "1987", dialect=table), own)
    repaired = sim.repair(data, format=own).message.iso.to_message()
    assert (repaired[2], repaired[41]) == ("4111111111111111", "TILL00000001")


def test_a_dialect_of_an_interface_keeps_its_own_elements(tmp_path: Path) -> None:
    """A file that extends an interface's format: its names and lengths in every table, and also if the
    interface is named beside it; the interface's own elsewhere."""
    rows = 'extends = "nac"\ntitle = "Side acquirer"\n[elements.41]\nname = "Till"\nformat = "an 10"\n'
    (tmp_path / "side-nac.toml").write_text(rows, encoding="utf-8")
    own = load_format(tmp_path / "side-nac.toml")
    sale = sim.generate("auth", entry="stripe", at="2026-11-20", format=own)
    dump = sim.build(sale, format=own)
    (tmp_path / "lines.txt").write_text(f"{dump}\n{dump}\n", encoding="utf-8")
    for interface in (None, "nac"):
        table = sim.parse(dump, format=own, interface=interface)
        assert table.iso.message == sale.iso.message
        assert table.set_index("number").loc[[24, 41], "name"].tolist() == [
            "Network international identifier (NII)",
            "Till",
        ]
        assert sim.validate(table).iso.valid
        many = sim.read(tmp_path / "lines.txt", format=own, interface=interface, validate=True)
        assert many["valid"].tolist() == [True, True]
        assert sim.build(many.iso.message(0), format=own) == dump
        answer = sim.respond(dump, format=own, interface=interface)
        assert answer.set_index("number").loc[41, ["name", "format"]].tolist() == ["Till", "an 10"]
        with (
            sim.host(format=own, interface=interface) as issuer,
            sim.client(issuer.address, format=own, interface=interface) as bank,
        ):
            assert bank.send(sale).answer[41] == "TERM0001  "


def test_generate_leaves_out_what_a_dialects_class_does_not_allow(tmp_path: Path) -> None:
    """A terminal identification of digits alone: DE 41 is left out, with a note."""
    (tmp_path / "digits.toml").write_text(
        'extends = "ascii"\ntitle = "Digits"\n[elements.41]\nformat = "n 8"\n'
    )
    table = sim.generate("auth", format=load_format(tmp_path / "digits.toml"))
    assert 41 not in table["number"].tolist()
    assert "DE 41 is left out: digits has n 8 there." in table.iso.notes


def test_a_header_of_a_format_goes_behind_the_usual_length(tmp_path: Path) -> None:
    """A packager's or a specification's header says nothing about where a message ends."""
    (tmp_path / "headed.toml").write_text(
        'extends = "bcd"\ntitle = "Headed"\nframes = ["header-4"]', encoding="utf-8"
    )
    own = load_format(tmp_path / "headed.toml")
    with sim.host(format=own) as issuer, sim.client(issuer.address, format=own) as bank:
        assert bank.send(sim.generate("echo")).status == "answered"
        assert issuer.server.line.framing == ("length-2", "header-4")


def test_a_message_without_a_table_is_one_of_the_format_given() -> None:
    """As a dict of the same elements is: DE 41 of BASE24 has 16 characters."""
    fields = {3: "990000", 11: "000001", 41: "TERM000000000001"}
    message, dump = Message("0800", fields), sim.build({0: "0800", **fields}, format="base24")
    assert sim.build(message, format="base24") == dump
    assert sim.parse(message, format="base24").iso.message == sim.parse(dump, format="base24").iso.message
    assert "framing" not in sim.validate(message, format="base24")["rule"].tolist()
    with pytest.raises(sim.BuildError, match="DE 41"):
        sim.build(message)
    with pytest.raises(sim.ChoiceError):
        sim.build(message, format="no-such")


def test_blanks_of_a_dialect_are_no_reason_to_lose_an_element() -> None:
    """DE 41 of BASE24 has 16 characters, half of them blanks: it is kept in another version."""
    dump = sim.build(sim.generate("auth", network="VISA", format="base24"), format="base24")
    table = sim.convert(dump, "1993", format="base24")
    assert table.iso[41] == "TERM0001"
    assert [row["action"] for row in table.iso.notes.to_dict("records") if row["number"] == 41] == ["kept"]
