"""What generate and respond make of purposes, entries and options, for every network and version."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from combined import combinations
from support import ALL, AT, MORE, some, together, turns

from sim.codec import Message
from sim.errors import IsoError, OptionError
from sim.operations import NETWORKS, VERSIONS, generate, respond, reverse, validate
from sim.operations.options import has_option, kinds_of
from sim.operations.recipes import placeholders
from sim.parts import chip_data
from sim.parts.layout import fitting
from sim.spec.recipes import answers, recipes
from sim.spec.tables import read_toml

TEMPLATES = read_toml("templates")
OWN = [
    json.loads(line)
    for line in Path(__file__).with_name("own_elements.jsonl").read_text("utf-8").splitlines()
]
DECLINED = {"1987": "05", "1993": "100", "2003": "1000"}
# A network's cards in a version that its own link does not speak: right, and told on purpose.
ON_PURPOSE = {"network-mti-version"}
# An example of every option, with what it goes with.
OPTIONS: dict[str, dict[str, Any]] = {
    "pin": {"entry": "chip", "details": {"pin": True}},
    "cvv2": {"entry": "ecommerce", "details": {"cvv2": "123"}},
    "postal_code": {"entry": "moto", "details": {"postal_code": "10001"}},
    "address": {"entry": "manual", "details": {"postal_code": "10001", "address": "1 MAIN STREET"}},
    "three_d_secure": {"entry": "ecommerce", "details": {"three_d_secure": "authenticated"}},
    "token": {"entry": "ecommerce", "details": {"token": True}},
    "store_card": {"entry": "ecommerce", "details": {"store_card": True}},
    "initiator": {"entry": "stored", "details": {"initiator": "cardholder"}},
    "instalments": {"entry": "ecommerce", "purpose": "instalment", "details": {"instalments": "6"}},
    "partial_approval": {"entry": "chip", "details": {"partial_approval": True}},
    "final_amount_minor_units": {
        "message_type": "reversal",
        "entry": "chip",
        "details": {"final_amount_minor_units": "400"},
    },
    "reason": {"message_type": "reversal", "entry": "chip", "details": {"reason": "timeout"}},
    "merchant_amount_minor_units": {
        "purpose": "dcc",
        "entry": "chip",
        "details": {"merchant_amount_minor_units": "790"},
    },
    "merchant_currency": {"purpose": "dcc", "entry": "chip", "details": {"merchant_currency": "EUR"}},
}
OFFERED = [
    (network, version, name)
    for network, version, name in product(NETWORKS, VERSIONS, OPTIONS)
    if has_option(name, network, version)
]


def faults(message: Message, network: str) -> list[tuple[str, int | None, str]]:
    """What the check says of a message, but for what only informs and what is meant."""
    found = validate(message, network=network).findings
    return [
        (one.rule, one.field, one.message)
        for one in found
        if one.severity != "info" and one.rule not in ON_PURPOSE
    ]


def part(message: Message, path: str, network: str) -> str:
    """The value of a part, by its path."""
    number, _, inside = path.partition(".")
    found = fitting(message.version, int(number), message[int(number)], network)
    assert found is not None
    return next(one.value for one, _ in found.walk() if one.cell.path.partition(".")[2] == inside)


@pytest.mark.parametrize(("network", "version"), turns(NETWORKS, VERSIONS))
def test_every_combination_passes_its_own_check_without_a_warning(network: str, version: str) -> None:
    """Each kind, purpose and entry, its answer, its decline, its reversal and the answer to that."""
    made = 0
    for kind, purpose, entry in some(combinations(network, version), 3):
        asked = generate(kind, network=network, version=version, purpose=purpose, entry=entry, at=AT).message
        all_of = [asked, respond(asked, network=network).message]
        if kind in ("auth", "financial"):
            undone = reverse(asked).message
            all_of += [respond(asked, DECLINED[version]).message, undone, respond(undone).message]
        for message in all_of:
            assert faults(message, network) == [], (kind, purpose, entry, message.mti)
        made += len(all_of)
    assert made > (300 if ALL else 90 if MORE else 30)


@together("network, version, name", OFFERED)
def test_every_option_passes_its_own_check_without_a_warning(network: str, version: str, name: str) -> None:
    """A message with the option, and its answer."""
    asked = {"message_type": "auth"} | OPTIONS[name]
    if network == "AMEX" and name == "cvv2":
        asked["details"] = {"cvv2": "1234"}
    message = generate(network=network, version=version, at=AT, **asked).message
    assert faults(message, network) == []
    assert faults(respond(message).message, network) == []


def test_there_is_an_example_of_every_option() -> None:
    """So that the test above leaves none out; every network has some in its own version."""
    assert list(OPTIONS) == list(TEMPLATES["options"])
    assert {network for network, _, _ in OFFERED} == set(NETWORKS)
    assert {name for _, _, name in OFFERED} == set(OPTIONS)


def test_recipes_ask_for_words_that_exist() -> None:
    """A misspelt condition would never hold and nobody would see it; every row has a source."""
    words = {
        "card",
        *TEMPLATES["kinds"],
        *TEMPLATES["purposes"],
        *TEMPLATES["entries"],
        *TEMPLATES["options"],
        *(f"no_{name}" for name, row in TEMPLATES["options"].items() if row.get("flag")),
    }
    for row in TEMPLATES["options"].values():
        words |= set(row.get("choices", {}).values())
    answered = {
        *("authorization", "financial", "file", "reversal", "settlement", "network"),
        *("request", "advice", "approved", "declined", "partial"),
    }
    for name, version in product((None, *NETWORKS), VERSIONS):
        for rows, known in ((recipes(name, version), words), (answers(name, version), answered)):
            for row in rows:
                asked = {word for test in row.tests if not test.path for word in test.words}
                assert asked <= known, row
                assert row.source, row
                assert all(placeholders(text) is not None for text in row.parts.values())


@together("row", OWN)
def test_networks_say_it_in_their_own_elements(row: dict[str, Any]) -> None:
    """The sub-fields that tell a flow, as the networks' flows have them."""
    network, options, parts = row["network"], dict(row["options"]), row["parts"]
    own = {name: options.pop(name) for name in ("entry", "purpose") if name in row["options"]}
    message = generate(network=network, version=None, at=AT, details=options, **own).message
    assert {path: part(message, path, network) for path in parts} == parts


def test_a_cash_machine_asks_for_the_pin() -> None:
    """With the card read and the PIN sent; whoever does not want it says so."""
    message = generate("financial", purpose="cash", entry="chip", at=AT).message
    assert len(message[52]) == 16
    assert (
        52 not in generate("financial", purpose="cash", entry="chip", at=AT, details={"pin": False}).message
    )


def test_an_issuer_answers_what_was_asked() -> None:
    """Results of checks where their network has them, a balance, an answer to the chip."""
    checks = {
        "cvv2": "123",
        "postal_code": "10001",
        "address": "1 MAIN ST",
        "three_d_secure": "authenticated",
    }
    paid = generate(entry="ecommerce", at=AT, details=checks).message
    assert respond(paid).message[44] == "5Y        M   2"
    assert part(respond(paid, "N7").message, "44.10", "VISA") == "N"
    del checks["three_d_secure"]
    paid = generate(network="MASTERCARD", entry="ecommerce", at=AT, details=checks).message
    answer = respond(paid).message
    assert (part(answer, "48.83", "MASTERCARD"), part(answer, "48.87", "MASTERCARD")) == ("Y", "M")

    asked = generate("financial", purpose="balance", entry="chip", network="UNIONPAY", at=AT).message
    answer = respond(asked, balance_minor_units=12345).message
    assert answer[54] == "0001840C0000000123450002840C000000012345"

    for network in ("UNIONPAY", "MASTERCARD", "VISA"):
        asked = generate("financial", purpose="balance", entry="chip", network=network, at=AT).message
        assert 54 not in respond(asked, "05").message  # who is declined is told no balance

    inserted = respond(generate(entry="chip", at=AT).message).message
    assert chip_data.read_tags(inserted[55])[0].tag == "91"
    assert inserted[55].endswith("3030")
    assert 55 not in respond(generate(entry="contactless", at=AT).message).message

    verified = generate(purpose="verification", entry="ecommerce", at=AT).message
    assert (verified[4], respond(verified).message[39]) == ("0" * 12, "85")


@pytest.mark.parametrize(
    ("network", "version", "code", "original"),
    [
        ("VISA", "1987", "10", (54, "0057840C000000001000")),
        ("AMEX", "1993", "002", (30, "000000001000000000000000")),
        ("VISA", "2003", "0002", (30, "8402000000001000" + "0" * 16)),
    ],
)
def test_a_part_is_approved(network: str, version: str, code: str, original: tuple[int, str]) -> None:
    """DE 4 is what was approved, and the amount asked for stands where the version has it."""
    asked = generate(network=network, version=version, entry="chip", at=AT).message
    answer = respond(asked, amount_minor_units=400).message
    assert answer[39] == code
    assert answer[4].endswith("000000000400")
    assert answer[original[0]] == original[1]
    assert faults(answer, network) == []
    with pytest.raises(OptionError, match="amount_minor_units: expected a whole number, 0 to 1000"):
        respond(asked, amount_minor_units=1001)
    with pytest.raises(OptionError, match="only these can be partially approved"):
        respond(reverse(asked).message, amount_minor_units=400)


@together("entry, condition", [("chip", "00"), ("ecommerce", "59"), ("moto", "08"), ("stored", "08")])
def test_a_pre_authorization_tells_how_the_order_came(entry: str, condition: str) -> None:
    """What is special about the amount stands elsewhere on Visa; DE 25 says what it says of any order."""
    assert generate(network="VISA", entry=entry, purpose="preauthorization", at=AT).message[25] == condition


@together("network, version", list(product(NETWORKS, VERSIONS)))
def test_a_part_is_undone(network: str, version: str) -> None:
    """A partial reversal says what stays; no more can stay than there was."""
    asked = generate(network=network, version=version, entry="chip", at=AT).message
    made = reverse(asked, final_amount_minor_units=400).message
    stays = made[95][:12] if version == "1987" else made[4][-12:]
    assert stays == "000000000400"
    assert faults(made, network) == []
    with pytest.raises(OptionError, match="final_amount_minor_units"):
        reverse(asked, final_amount_minor_units=1001)


def test_what_verified_the_cardholder_is_not_kept() -> None:
    """No verification value and no cryptogram of the cardholder stands in a reversal."""
    checks = {"cvv2": "123", "three_d_secure": "authenticated"}
    for network in ("VISA", "MASTERCARD", "JCB"):
        paid = generate(network=network, entry="ecommerce", at=AT, details=checks).message
        undone = reverse(paid).message
        assert 126 not in undone
        assert "123" not in undone.get(48)
        assert faults(undone, network) == []


@together(
    "options, option, advice",
    [
        ({"message_type": "auth", "purpose": "completion"}, "message_type", "'financial_advice'"),
        ({"purpose": "cash", "entry": "moto"}, "entry", "'chip'"),
        ({"purpose": "incremental", "entry": "stored", "network": "JCB"}, "purpose", "MASTERCARD"),
        ({"message_type": "key_exchange", "network": "JCB"}, "message_type", "VISA"),
        ({"entry": "chip", "details": {"cvv2": "123"}}, "cvv2", "'ecommerce'"),
        ({"entry": "moto", "details": {"address": "1 MAIN"}}, "address", "postal_code"),
        ({"entry": "ecommerce", "details": {"three_d_secure": "maybe"}}, "three_d_secure", "attempted"),
        ({"entry": "ecommerce", "details": {"pin": "yes"}}, "pin", "True or False"),
        ({"entry": "ecommerce", "details": {"token": True}, "network": "DISCOVER"}, "token", "VISA"),
        ({"details": {"timezone": "Europe/Berlim"}}, "timezone", "Europe/Berlin"),
        (
            {"at": datetime(9999, 12, 31, 23, 59, tzinfo=UTC), "details": {"timezone": "+10:00"}},
            "at",
            "time zone",
        ),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any], option: str, advice: str) -> None:
    """The error names the argument and says what would do; it repeats no card data."""
    with pytest.raises(OptionError) as caught:
        generate(**{"at": AT} | options)
    assert caught.value.option == option
    assert advice in str(caught.value)
    assert "123" not in str(caught.value)
    assert isinstance(caught.value, IsoError)


@pytest.mark.parametrize(
    ("details", "at", "local", "sent"),
    [
        ({}, AT, "1120051530", "1120101530"),
        ({"timezone": "Asia/Tokyo"}, AT, "1120191530", "1120101530"),
        ({"timezone": "+05:30"}, AT, "1120154530", "1120101530"),
        ({"country": "DE"}, AT, "1120111530", "1120101530"),
        ({"country": "AU"}, AT, "1120211530", "1120101530"),
        ({}, AT.astimezone(timezone(timedelta(hours=1))), "1120111530", "1120101530"),
        ({}, AT.replace(tzinfo=None), "1120051530", "1120101530"),
        ({"country": "DE"}, datetime(2026, 7, 1, 10, tzinfo=UTC), "0701120000", "0701100000"),
    ],
)
def test_local_time_is_the_merchants(details: dict[str, str], at: datetime, local: str, sent: str) -> None:
    """DE 12 and 13 follow the merchant's zone, summer time included; DE 7 is UTC."""
    message = generate(at=at, details=details).message
    assert (message[13] + message[12], message[7]) == (local, sent)


def test_network_management_settlement_and_files() -> None:
    """Each has its MTI and code; those that carry no card have none."""
    made = {kind: generate(kind, at=AT) for kind in kinds_of("VISA", "1987")}
    assert [made[kind].mti for kind in ("sign_on", "settlement", "settlement_advice", "file_update")] == [
        *("0800", "0500", "0520", "0302")
    ]
    assert [made[kind].message[70] for kind in ("sign_on", "sign_off", "key_exchange")] == [
        "001",
        "002",
        "101",
    ]
    assert generate("sign_on", network="UNIONPAY", at=AT).mti == "0820"
    assert 2 not in made["settlement"].message
    assert respond(made["settlement"].message).message[66] == "1"
    assert respond(made["file_update"].message).mti == "0312"


@pytest.mark.parametrize(("version", "authentication"), [("1987", "051"), ("1993", "510101554144")])
def test_a_chip_without_a_pin_is_signed(version: str, authentication: str) -> None:
    """Neither DE 22 nor the CVM results then say that the chip checked a PIN, as they do by default."""
    usual, signed = (
        generate("auth", network="DISCOVER", version=version, entry="chip", details=details).message
        for details in ({}, {"pin": False})
    )
    assert ("9F3403410302" in usual[55], "9F34031E0300" in signed[55]) == (True, True)
    assert signed[22] == authentication
    assert 52 not in signed
