"""Card data in descriptions: test cards leave as tokens, everything else does not leave at all."""

from __future__ import annotations

import base64

import pytest
from llm.answers import answer
from llm.wire import Provider
from support import together

from sim import models as room
from sim.models.guard import clean, tokens
from sim.spec.networks import check_digit
from sim.spec.networks import test_cards as published

# Numbers with right check digits that no list publishes, built here so that no file holds them.
PRIVATE = [prefix + check_digit(prefix) for prefix in ("453957876362148", "54005400540054", "37001234567890")]
VISA, _, AMEX = PRIVATE
MISTYPED = VISA[:-1] + str((int(VISA[-1]) + 1) % 10)
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def spaced(pan: str, mark: str = " ") -> str:
    """*pan* in groups of four."""
    return mark.join(pan[at : at + 4] for at in range(0, len(pan), 4))


@pytest.mark.parametrize(
    "text",
    [
        f"Pay 5 USD with {VISA}",
        f"Pay 5 USD with {spaced(VISA)}",
        f"Pay 5 USD with {spaced(VISA, '-')}",
        f"Pay 5 USD with {spaced(VISA, ' . ')}",
        f"Pay 5 USD with {AMEX[:4]} {AMEX[4:10]} {AMEX[10:]}",
        "Pay 5 USD with " + "".join(chr(0x0660 + int(digit)) for digit in VISA),
        "Pay 5 USD with " + "".join(chr(0xFF10 + int(digit)) for digit in VISA),
        "Pay 5 USD with " + "\u200b".join(VISA),
        f"Pay 100 {VISA} 42",
        f"Pay 5 USD with {VISA[:-1]}{(int(VISA[-1]) + 1) % 10}",
        f"Pay 5 USD with {spaced(VISA[:-1] + str((int(VISA[-1]) + 1) % 10))}",
        f"First 4111111111111111, then {VISA}",
        "Track 4111111111111111=29122010000012345678",
        "B4111111111111111^DOE/JOHN^2912",
        "Visa for 5 USD, PIN 4821",
        "Visa for 5 USD, the CVV2 is 123",
        "PIN block: 0A1B2C3D4E5F6071",
        "0100723C648108E08010164111111111111111",
        "4" * 40,
        f"Pay 5 USD with {spaced(VISA, '        ')}",
        f"Pay 5 USD with {spaced(VISA, ' -> ')}",
        f"Pay 5 USD with {spaced(VISA, ' and ')}",
        f"Pay 5 USD with {spaced(VISA, 'x')}",
        f"Pay 5 USD with {list(VISA)}",
        f"Pay 5 USD with 16{VISA}",
        f"Pay 5 USD with 9{VISA}",
        "Pay 5 USD with " + MISTYPED[:8] + " " + MISTYPED[8:],
        "Pay 5 USD with " + MISTYPED[:6] + " " + MISTYPED[6:12] + " " + MISTYPED[12:],
        "Pay 5 USD with " + " ".join(MISTYPED),
        "Pay 5 USD with " + spaced(MISTYPED, "."),
        "Pay 5 USD with " + spaced(MISTYPED, "\u2013"),
        "Pay 5 USD with " + "".join(chr(0x2776 + int(digit) - 1) for digit in VISA),
        "Pay 5 USD with " + "".join("〇一二三四五六七八九"[int(digit)] for digit in VISA),
        "Pay 5 USD with " + VISA.replace("1", "l").replace("0", "O"),
        "Pay 5 USD with " + " ".join(WORDS[int(digit)] for digit in VISA),
        "Pay 5 USD with " + "-".join(WORDS[int(digit)] for digit in VISA),
        "Pay 5 USD with " + " ".join(WORDS[int(digit)] if at % 2 else digit for at, digit in enumerate(VISA)),
        "Pay with forty-five thirty-nine fifty-seven eighty-seven sixty-three sixty-two fourteen eighty-six",
        "Pay with double four five three nine triple five seven eight seven six three six two",
        f"Pay 5 USD with {VISA.encode().hex()}",
        f"Pay 5 USD with {VISA.encode().hex(' ')}",
        "Pay 5 USD with " + "".join(f"\\x3{digit}" for digit in VISA),
        "Pay 5 USD with " + "".join(f"&#x3{digit};" for digit in VISA),
        "Pay 5 USD with " + "".join(f"\\06{digit}" for digit in "4111111111111111"),
        "Like 0000  30 31 30 30  37 32 33 43  36 34 38 31",
        f"Pay 5 USD with {base64.b64encode(VISA.encode()).decode()}",
        "Visa for 5 USD, PIN code is 4821",
        "Visa for 5 USD, PIN: four eight two one",
        "Visa for 5 USD, 4821 as the PIN",
        "PIN block 0A1B 2C3D 4E5F 6071",
        "Visa for 5 USD, CVV code 123",
        "Visa for 5 USD, CVV (123)",
        "Visa for 5 USD, iCVV 123",
        "DE 52 is 0A1B2C3D4E5F6071",
    ],
)
def test_card_data_is_refused_before_anything_is_sent(llm: Provider, text: str) -> None:
    """Numbers in any writing, mistyped ones, track data, PINs, verification codes and raw messages."""
    with pytest.raises(room.CardNumberRefused, match="nothing was sent") as caught:
        room.plan(text, provider="ollama")
    assert llm.calls == []
    assert not any(run in str(caught.value) for run in (VISA[-6:], "4821", "123"))
    assert caught.value.type == "card_number_refused"


@together(
    "text",
    [
        "Visa purchase of 1,234,567.89 USD on 2026-11-20 at 14:30:00, STAN 123456",
        "RRN 632512000042, terminal T4711ABC, merchant id LONDON000000042",
        "Declined for an incorrect PIN (55)",
        "Pay 1 000 000 JPY in 3 000 shops on 2026 11 20",
        "MTI 0100, MCC 5812, approval code A1B2C3",
        "At 20261120103000 UTC",
        "Chip and PIN 5000 JPY",
        "PIN 5000",
        "ARN 74537604221222132710572 refunded",
        "IBAN DE89370400440532013000, 20 EUR",
        "MTI 0100, bitmap 7238000108C18000",
        "order number 1234567890123456, 20 EUR",
        "Order no. 4539578763621487 was not paid",
        "Chip and PIN 1250.00 EUR",
        "Wrong PIN (117), or code 89, card verification value failed",
        "RRN 632400000019, merchant id 541234567890123",
        "one hundred and twenty-three thousand four hundred and fifty-six dollars and ten cents",
        "Four Visa cards at 12:30, two more on 2026-11-20",
    ],
)
def test_other_numbers_pass(text: str) -> None:
    """Amounts, dates, trace and reference numbers are no card numbers."""
    assert clean(text).text == text


@together("card", published)
def test_every_published_test_card_becomes_a_token(card: object) -> None:
    """Whole or in groups, it is replaced, and its token finds it again."""
    pan = card.pan  # type: ignore[attr-defined]
    for written in (pan, spaced(pan), spaced(pan, "-")):
        made = clean(f"Use {written} for 5 USD")
        [token] = made.tokens
        assert made.text == f"Use test card {token} for 5 USD"
        assert tokens()[token].pan == pan


def test_a_test_card_that_is_spelled_out_becomes_a_token() -> None:
    """Words are digits, also of the cards that may be used."""
    assert clean("Use four " + "one " * 15 + "for 5 USD").text == "Use test card VISA #1 for 5 USD"


@pytest.mark.parametrize("text", ["\u200b\u200b", "\x00", "\ufdfa" * 2000])
def test_a_description_that_cannot_be_read_is_not_sent(llm: Provider, text: str) -> None:
    """Only characters that are not seen, or such that stand for many others."""
    with pytest.raises(room.DescriptionUnusable):
        room.plan(text, provider="ollama")
    assert llm.calls == []


def test_a_test_card_is_used_and_not_sent(llm: Provider) -> None:
    """The message has the card of the description; the provider saw a token."""
    llm.then(answer(purpose="purchase", amount="5.00 USD", details=["test card MASTERCARD #2"]))
    plan = room.plan("Charge 5105 1051 0510 5100 with 5.00 USD", provider="openai")
    made = plan.run().exchange
    assert made.steps[0].message[2] == "5105105105105100"
    assert made.network == "MASTERCARD"
    assert "test card MASTERCARD #2" in llm.calls[0].text
    assert "5105" not in llm.calls[0].text


@pytest.mark.parametrize("card", [None, "VISA #1", "4111111111111111", "MASTERCARD #999"])
def test_another_card_than_the_described_is_not_taken(llm: Provider, card: str | None) -> None:
    """Of a model that drops, swaps or makes up the card, the card is not taken."""
    details = [f"test card {card}"] if card else []
    llm.then(answer(purpose="purchase", amount="5.00 USD", details=details))
    plan = room.plan("Charge 5105105105105100 with 5.00 USD", provider="openai")
    assert plan.run().exchange.steps[0].message[2] == "5105105105105100"
    with pytest.raises(room.LlmFailed):
        room.plan("Charge 5105105105105100 with 5.00 USD, whatsoever", provider="openai")


def test_a_card_that_nobody_publishes_is_not_made_up(llm: Provider) -> None:
    """Last four digits that no published test card has end in a failure that says so."""
    fields = {"network": "VISA", "amount": "5 USD", "details": ["card ending 9876"]}
    llm.then(answer(purpose="purchase", **fields))
    with pytest.raises(room.LlmFailed, match="which card ends in 9876"):
        room.plan("A Visa card ending in 9876 pays 5 USD", provider="openai")
