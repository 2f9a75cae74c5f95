"""Secrets in the wrong element and card numbers instead of file names stay masked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import turns

import sim
from sim.codec.wire import encode, wire_format, wrap
from sim.link.keys.pin import pin_block
from sim.operations import generate

PAN = "4111111111111111"
KEY = "0123456789ABCDEFFEDCBA9876543210"


@pytest.mark.parametrize(
    ("written", "read_as"),
    turns(["nac", "bcd", "mastercard"], ["visa", "ascii", "ebcdic", "smartvista", "unionpay"]),
)
def test_a_pin_block_is_hidden_wherever_a_wrong_format_finds_it(written: str, read_as: str) -> None:
    """Reading bytes in the wrong format shifts all elements: the PIN block may end up in DE 60 or the
    rest."""
    block = pin_block("1234", PAN, key=KEY).value
    message = generate("auth", network="VISA", stan="000007").message.replace(de52=block)
    raw = encode(message, wire_format(written))
    for data in (raw, wrap(raw, ("length-2",))):
        for paste in (data.hex(), data.hex().upper()):
            table = sim.parse(paste, format=read_as)
            shown = f"{table}{table._repr_html_()}{table.iso.summary}{sim.validate(table)}".upper()
            assert block not in shown
            assert block[:12] not in shown


NAMED: dict[str, tuple[Callable[[], object], type[Exception]]] = {
    "read, packed": (lambda: sim.read(f"{PAN}.gz"), OSError),
    "read, pattern": (lambda: sim.read(f"nowhere/{PAN}/*.log"), OSError),
    "run_suite": (lambda: sim.run_suite(PAN), OSError),
    "export_suite": (lambda: sim.export_suite("VISA", f"/nowhere/{PAN}.py"), OSError),
    "load_format": (lambda: sim.load_format(PAN), OSError),
    "host": (lambda: sim.host(PAN), OSError),
    # A text of digits is read as a message, and this one holds no request.
    "load": (lambda: sim.load("127.0.0.1:1", replay=PAN), sim.OptionError),
}


@pytest.mark.parametrize("verb", NAMED)
def test_a_card_number_given_for_a_file_is_not_repeated(verb: str) -> None:
    """An error about a missing file does not repeat a card number that was passed as its name."""
    call, kind = NAMED[verb]
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert PAN not in f"{error} {error!r} {getattr(error, 'filename', '')}"


@pytest.mark.parametrize("given", [PAN, f"REQ: {PAN} " + "0100723C64" * 30, "x" * 5000])
def test_what_is_no_name_of_a_file_is_one_row(given: str) -> None:
    """A card number, a log line, or an impossible file name is recognized as such, without a card number
    in the error."""
    (error,) = sim.read(given)["error"]
    assert error
    assert PAN not in error


def test_what_a_suite_says_is_masked_in_its_table(tmp_path: Path) -> None:
    """Names, notes and expectations are the author's own texts: exports of the table contain no card
    number."""
    suite = tmp_path / "own.csv"
    suite.write_text(f"case,do,type,note,expect.39\ncard {PAN},send,auth,of {PAN},51\n", encoding="utf-8")
    written = sim.run_suite(suite).to_csv()
    assert "411111******1111" in written
    assert PAN not in written
