"""The inputs of the panels: amounts kept in step, currencies by name, cards masked, trace numbers."""

from __future__ import annotations

from typing import Any

import pytest
import traitlets
from support import together

from sim.masking import mask_pan
from sim.spec.networks import NETWORKS, default_card, test_cards
from sim.widgets.covered_text import CoveredText
from sim.widgets.panels.fields import (
    OWN_CARD,
    USUAL_CARD,
    AmountInput,
    CardInput,
    CurrencyInput,
    StanInput,
)

VISA = "4111111111111111"


def amount_of(value: int = 1000, currency: str = "840") -> AmountInput:
    """An input with an amount."""
    made = AmountInput()
    made.value, made.currency = value, currency
    return made


@pytest.mark.parametrize(
    ("code", "minor", "major"),
    [
        ("840", 1000, "10.00"),
        ("392", 1000, "1000"),
        ("414", 1000, "1.000"),
        ("840", 5, "0.05"),
        ("999", 7, "7"),
    ],
)
def test_minor_units_are_shown_in_the_decimals_of_the_currency(code: str, minor: int, major: str) -> None:
    """USD has two decimals, JPY none, KWD three, and no currency none."""
    amount = amount_of(minor, code)
    assert (amount.major.value, amount.minor.value) == (major, str(minor))


def test_each_box_follows_the_other() -> None:
    """What is typed in major units appears in minor units, and the other way round."""
    amount = amount_of()
    amount.major.value = "12.5"
    assert (amount.value, amount.minor.value, amount.major.value) == (1250, "1250", "12.5")
    amount.minor.value = "99"
    assert (amount.value, amount.major.value) == (99, "0.99")


def test_another_currency_keeps_the_minor_units() -> None:
    """The message carries minor units: a change of currency changes how they are read, not what is sent."""
    amount, currency = amount_of(), CurrencyInput()
    currency.choice.box.value = "kuwait"
    amount.currency = currency.value
    assert (currency.value, amount.value, amount.major.value) == ("414", 1000, "1.000")
    assert currency.choice.box.value == "KWD Kuwaiti Dinar (414)"
    assert (amount.major.description, amount.major.placeholder) == ("Amount in KWD", "0.000")


@together(
    "box, typed, said",
    [
        ("major", "1.005", "2 decimals"),
        ("major", "ten", "Digits"),
        ("major", "", "Digits"),
        ("major", "1,000.00", "Digits"),
        ("major", "-1", "Digits"),
        ("major", "٣", "Digits"),
        ("major", "10000000000.00", "At most 999,999,999,999"),
        ("minor", "1.5", "whole"),
        ("minor", "1000000000000", "12 digits"),
    ],
)
def test_a_wrong_amount_is_told_beneath_its_box(box: str, typed: str, said: str) -> None:
    """The text stays where it was typed, the amount as it was; mending it takes the words away."""
    amount = amount_of()
    widget = getattr(amount, box)
    widget.value = typed
    assert said in amount.problem == amount.typed
    assert (widget.value, amount.value) == (typed, 1000)
    widget.value = "7"
    assert (amount.problem, amount.typed) == ("", "")


def test_the_largest_amount_is_taken() -> None:
    """Twelve digits are the most that DE 4 holds."""
    amount = amount_of(0)
    amount.minor.value = "999999999999"
    assert (amount.major.value, amount.typed) == ("9999999999.99", "")


@pytest.mark.parametrize(
    ("asked", "alpha"),
    [("eur", "EUR"), ("978", "EUR"), ("US Dollar", "USD"), ("yen", "JPY"), ("kuwaiti", "KWD")],
)
def test_a_currency_is_found_by_code_or_name(asked: str, alpha: str) -> None:
    """Letters, digits, the name, or a part of it that only one has."""
    currency = CurrencyInput()
    currency.choice.box.value = asked
    assert (currency.choice.value, currency.typed) == (alpha, "")


def test_a_name_that_several_have_asks_back() -> None:
    """Too little is answered with how many it could be; the currency stays."""
    currency = CurrencyInput()
    currency.choice.box.value = "dollar"
    assert "entries contain these words" in currency.problem
    assert (currency.choice.box.value, currency.value, currency.typed) == ("dollar", "840", currency.problem)


def test_an_unknown_currency_is_no_trait_value() -> None:
    """Setting the trait to what ISO 4217 does not have is refused."""
    with pytest.raises(traitlets.TraitError, match="ISO 4217"):
        CurrencyInput().value = "000"


def card_of(network: str) -> CardInput:
    """An input for the cards of *network*."""
    made = CardInput()
    made.network = network
    return made


@pytest.mark.parametrize("network", NETWORKS)
def test_the_cards_of_a_network_are_offered_masked(network: str) -> None:
    """All published ones, the usual one first, none of them in what the browser gets."""
    card = card_of(network)
    assert card.choice.value == USUAL_CARD
    assert card.value is None
    labels = " ".join(card.choice.box.options)
    assert mask_pan(default_card(network).pan) in labels
    assert not any(one.pan in labels + str(card.choice.box.get_state()) for one in test_cards(network))
    assert len(set(card.choice.box.options)) == len(card.choice.box.options)
    card.choice.value = "#1"
    assert card.value == test_cards(network)[1].pan


def test_the_cards_are_narrowed_by_typing() -> None:
    """Words of a label find it; of several the list says how many; what is chosen stays."""
    card = CardInput()
    card.choice.box.value = "unionpay 19"
    found = [
        one for one in card.choice.box.options if all(word in one.casefold() for word in ("unionpay", "19"))
    ]
    assert card.problem.startswith(f"{len(found)} entries")
    assert card.value is None
    card.choice.box.value = card.choice.box.options[30]
    assert (card.problem, card.value) == ("", card._cards["#29"])
    card.choice.box.value = "no such card"
    assert card.problem.startswith("Not in the list")


def test_a_number_that_is_typed_into_the_list_is_ones_own() -> None:
    """It is taken, and masked where the browser keeps it."""
    card = card_of("VISA")
    card.choice.box.value = "4000 1234 5678 9017"
    assert (card.value, card.choice.value, card.problem) == ("4000123456789017", OWN_CARD, "")
    assert "4000123456789017" not in f"{card.choice.box.get_state()}{card.own.get_state()}".replace(" ", "")
    assert card.own.shown == "400012******9017"


def test_a_number_of_ones_own() -> None:
    """It is taken as typed, masked in what the browser keeps, and judged without being refused."""
    card = card_of("VISA")
    card.choice.value = OWN_CARD
    card.own.value = "5555555555554445"
    assert card.value == "5555555555554445"
    assert card.note == (
        "A card number of Mastercard, not of Visa; its check digit is wrong. It is used unchanged."
    )
    assert card.problem == ""
    assert card.own.shown == "555555******4445"


def test_a_number_that_is_none_is_told_beneath() -> None:
    """Twelve to nineteen digits, nothing else."""
    card = CardInput()
    card.choice.value = OWN_CARD
    card.own.value = "4111-1111"
    assert card.problem == "12 to 19 digits; this has 9 characters"


def test_a_card_set_from_outside_is_chosen() -> None:
    """A published number picks its row, another one the box for one's own."""
    card = card_of("VISA")
    card.value = test_cards("VISA")[2].pan
    assert card.choice.value == "#2"
    card.value = "4000000000000000"
    assert (card.choice.value, card.own.value) == (OWN_CARD, "4000000000000000")
    card.value = None
    assert card.choice.value == USUAL_CARD


@pytest.mark.parametrize(("before", "after"), [("123456", "123457"), ("999999", "000001"), ("12", "000001")])
def test_the_next_trace_number(before: str, after: str) -> None:
    """One more, 000001 after the last, or after what is no number."""
    stan = StanInput()
    stan.value = before
    stan.button.click()
    assert (stan.value, stan.text.value, stan.typed) == (after, after, "")


@pytest.mark.parametrize("typed", ["12345", "1234567", "12345a", "١٢٣٤٥٦", ""])
def test_a_trace_number_has_six_digits(typed: str) -> None:
    """Anything else is said beside it and stays as typed."""
    stan = StanInput()
    stan.text.value = typed
    assert (stan.problem, stan.value, stan.typed) == ("Six digits", typed, "Six digits")


def _box(**options: Any) -> tuple[CoveredText, list[dict[str, Any]]]:
    box = CoveredText(VISA, cover=mask_pan, **options)
    sent: list[dict[str, Any]] = []
    box.send = lambda content, buffers=None: sent.append(content)
    return box, sent


def test_the_true_text_is_no_part_of_what_is_saved() -> None:
    """The widget's state has the masked text; the true one goes only where it is asked for."""
    box, sent = _box()
    assert VISA not in str(box.get_state())
    assert (box.shown, box.hides) == ("411111******1111", True)
    box._on_message(box, {"kind": "ask", "why": "copy"}, [])
    assert sent == [{"kind": "text", "why": "copy", "text": VISA}]
    assert VISA not in repr(box)


def test_what_is_typed_arrives_and_is_answered() -> None:
    """Typing sets the value without asking the browser to fetch it again; a change from Python does."""
    box, sent = _box()
    box._on_message(box, {"kind": "typed", "text": "5555555555554444"}, [])
    assert (box.value, box.shown, box.edition) == ("5555555555554444", "555555******4444", 0)
    assert sent == [{"kind": "heard"}]
    box.value = VISA
    assert box.edition == 1


def test_a_read_only_box_takes_no_text() -> None:
    """Whatever a browser sends."""
    box, _ = _box(disabled=True)
    box._on_message(box, {"kind": "typed", "text": "1"}, [])
    assert box.value == VISA
