"""A message pasted elsewhere: every form runs, without card data unless asked otherwise."""

from __future__ import annotations

import json
import shlex
from itertools import product
from typing import Any

import pandas as pd
import pytest
from copied_messages import forty
from support import AT, PARSED, together, vector_id

import sim
from sim.codec import parse
from sim.operations.copying import FORMS, copied
from sim.spec.networks import check_digit, detect, luhn_ok
from sim.spec.networks import network as network_of
from sim.widgets.copying import PAGE, CopyMenu

CARD = "4539578763621486"  # of nobody, and no published test card
RAW = sim.build(sim.generate("financial", network="VISA", pan=CARD, entry="chip", at=AT))


@pytest.mark.parametrize("form", [*FORMS, PAGE])
def test_card_data_is_masked_unless_asked(form: str) -> None:
    """No form has the card number by itself; each has it when card data is asked for."""
    menu = CopyMenu(message=RAW)
    hidden, clear = menu.text(form), menu.text(form, masked=False)
    bare = "".join(hidden.split())
    assert CARD not in bare
    assert CARD.encode().hex().upper() not in bare
    assert CARD in "".join(clear.split()) or CARD.encode().hex().upper() in "".join(clear.split())


def errors(table: pd.DataFrame) -> list[str]:
    """The rules that are broken."""
    return sorted(set(table.loc[table["severity"] == "error", "rule"]))


def read_elements(table: pd.DataFrame) -> dict[object, object]:
    """What could be read of a message to its end, by the number of each element."""
    plain = pd.DataFrame(table)
    found = plain[
        plain["value"].fillna("").ne("") & plain["finding"].fillna("").eq("") & (plain["number"] > 1)
    ]
    return dict(zip(found["number"].tolist(), found["value"].tolist(), strict=True))


@together(
    "case, named",
    lambda: product(forty(), (True, False)),
    lambda one: f"{one[0][0]}, {'with its network' if one[1] else 'alone'}",
)
def test_what_is_copied_runs(case: tuple[str, str, str | None], named: bool) -> None:
    """Python, test, hex and text mean the message, sound or broken, and hold nobody's card number."""
    _, raw, network = case
    version = sim.parse(raw).iso.version
    options = {"version": version, "network": network} if named else {}
    as_copied = {form: copied(raw, form, **options) for form in ("text", "hex", "python", "pytest")}
    text = as_copied["text"]
    assert [form for form, one in as_copied.items() if "*" in one or CARD in "".join(one.split())] == []
    assert len(text) == len(raw)
    expected = errors(sim.validate(raw, network=network))
    assert errors(sim.validate(text, network=network)) == expected
    names: dict[str, Any] = {}
    exec(as_copied["python"], names)  # noqa: S102, our own words
    assert errors(sim.validate(names["message"], network=network, version=version)) == expected
    exec(as_copied["pytest"], names)  # noqa: S102, our own words
    names["test_message"]()
    assert read_elements(sim.parse(as_copied["hex"])) == read_elements(sim.parse(text))


@pytest.mark.parametrize("network", sim.NETWORKS)
@pytest.mark.parametrize("right", [True, False], ids=["right check digit", "wrong check digit"])
def test_a_test_card_stands_in(network: str, right: bool) -> None:
    """Of the same network and length, its check digit as right or wrong, the same in the track."""
    prefix = network_of(network).ranges[0].low
    body = f"{prefix:0<6}583746251"[: network_of(network).ranges[0].lengths[0] - 1]
    digit = check_digit(body)
    pan = body + (digit if right else str((int(digit) + 1) % 10))
    raw = sim.build(sim.generate("auth", network=network, pan=pan, entry="stripe", at=AT))
    before, after = sim.parse(raw).iso.to_message(), sim.parse(copied(raw, "text")).iso.to_message()
    card = after[2]
    assert card != pan
    assert pan not in copied(raw, "text")
    assert len(card) == len(pan)
    assert luhn_ok(card) == luhn_ok(pan)
    assert getattr(detect(card), "network", None) == getattr(detect(pan), "network", None)
    if 35 in before.fields:
        assert after[35] == before[35].replace(pan, card)


def test_a_published_test_card_is_no_secret() -> None:
    """A message of such a card is copied as it is, PIN block and track with it."""
    raw = sim.build(sim.generate("auth", pan="4111111111111111", entry="stripe", at=AT))
    assert copied(raw, "text") == raw


def test_one_card_stays_one_card_and_two_stay_two() -> None:
    """Whatever element they stand in, however they are spelled; PIN and verification values are zeros."""
    other = "4485275742308327"
    chip = f"5A08{CARD}5713{CARD}D29122019876543210987F"
    message = {
        "mti": "0100",
        2: CARD,
        3: "000000",
        4: "000000001000",
        11: "000001",
        35: f"{CARD}=2912201987654321",
    }
    message |= {48: f"REF {other} {CARD}", 52: "A1B2C3D4E5F60718", 55: chip, 102: other}
    text = copied(sim.build(message), "text")
    found = sim.parse(text).iso.to_message()
    card, second = found[2], found[102]
    assert len({card, second, CARD, other}) == 4
    assert found[35] == f"{card}=2912201000000000"
    assert found[48] == f"REF {second} {card}"
    assert found[52] == "0" * 16
    assert found[55] == f"5A08{card}5713{card}D29122010000000000000F"


@together("row", PARSED[:60], vector_id)
def test_python_and_json_build_the_message_again(row: dict[str, Any]) -> None:
    """What is copied is the message: run, or given to `sim.build`, it makes the same text."""
    raw, version = row["message"], row["version"]
    message = parse(raw, version)
    names: dict[str, Any] = {}
    exec(copied(message, "python", masked=False), names)  # noqa: S102, our own words
    expected = sim.build(message)
    assert names["message"] == expected
    assert sim.build(json.loads(copied(message, "json", masked=False)), version=version) == expected


def test_hex_has_a_length_header() -> None:
    """Two bytes with the length of the rest."""
    data = bytes.fromhex(copied(RAW, "hex", masked=False))
    assert int.from_bytes(data[:2], "big") == len(data) - 2
    assert data[2:].decode() == RAW


def test_curl_is_a_command_with_a_json_body() -> None:
    """A shell takes it apart as it was meant, quotes in the message or not."""
    words = shlex.split(copied(RAW + "'$(x)", "curl", version="1987", masked=False))
    body = json.loads(words[words.index("--data") + 1])
    assert body == {"message": RAW + "'$(x)", "version": "1987"}


@pytest.mark.parametrize("raw", [RAW, RAW[:-3], RAW.replace("0200", "0299", 1)])
def test_the_test_case_holds(raw: str) -> None:
    """The copied test passes."""
    names: dict[str, Any] = {}
    exec(copied(raw, "pytest", masked=False), names)  # noqa: S102, our own words
    names["test_message"]()


def test_the_accessor() -> None:
    """`.iso` gives the same, masked unless asked otherwise."""
    table = sim.parse(RAW)
    assert sim.build(table.iso.to_dict(masked=False)) == RAW
    assert json.loads(table.iso.to_json()) == table.iso.to_dict()
    other = sim.build({"mti": "0800", "11": "000042", "version": "1993"})
    assert sim.build(sim.parse(other, version="1993").iso.to_dict()) == other
    assert sim.parse(other, version="1993").iso.to_dict()["version"] == "1993"
    assert table.iso.to_python(masked=False) == copied(RAW, "python", version="1987", masked=False)
    page = table.iso.to_html()
    assert page.startswith("<!doctype html>")
    assert CARD not in page + table.iso.to_json() + table.iso.to_python()
    assert sim.parse(RAW[:-3]).iso.to_dict()["text"].startswith("0200")


def test_an_unknown_form_is_told_with_the_choices() -> None:
    """As any other word."""
    with pytest.raises(sim.ChoiceError, match="form: expected"):
        copied(RAW, "word")


def test_a_page_that_asks_for_less_gets_masked_text() -> None:
    """Only an explicit wish shows card data, and nothing of it is in the widget's state."""
    menu = CopyMenu(message=RAW)
    sent: list[Any] = []
    menu.send = lambda content, buffers=None: sent.append(content)  # type: ignore[method-assign]
    menu._on_request(menu, {"ask": "copy", "form": "text"}, [])
    menu._on_request(menu, {"ask": "copy", "form": "text", "masked": False}, [])
    menu._on_request(menu, {"ask": "copy", "form": "nothing"}, [])
    assert [CARD in one["text"] for one in sent] == [False, True]
    assert CARD not in str(menu.get_state())
