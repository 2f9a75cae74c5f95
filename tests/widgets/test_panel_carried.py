"""What a payment carries, in the generate panel: an input for all that sim.generate takes, where it goes."""

from __future__ import annotations

import ast
import inspect
from datetime import UTC, datetime
from typing import Any

from support import together

import sim
from sim.spec.words import Payment
from sim.verbs import verb
from sim.widgets import GeneratePanel
from sim.widgets.panels.fields import titles
from sim.widgets.panels.generate import FIRST, MORE

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PLACE = {
    "merchant": "CAFE NOIR",
    "city": "LYON",
    "country": "FR",
    "mcc": "5812",
    "terminal": "T0000009",
    "merchant_id": "M9",
    "acquirer": "777001",
    "expiry": "3001",
    "timezone": "Europe/Paris",
}
CARRIED: list[dict[str, Any]] = [
    PLACE,
    {"entry": "ecommerce", "three_d_secure": "authenticated", "store_card": True},
    {"entry": "ecommerce", "token": True, "cvv2": "123"},
    {"entry": "stored", "initiator": "merchant"},
    {"entry": "moto", "postal_code": "10001", "address": "1 MAIN STREET"},
    {"entry": "chip", "pin": True, "partial_approval": True},
    {"entry": "chip", "cashback_minor_units": "300"},
    {"network": "MASTERCARD", "purpose": "instalment", "entry": "ecommerce", "instalments": "6"},
    {
        "network": "MASTERCARD",
        "purpose": "dcc",
        "merchant_amount_minor_units": "790",
        "merchant_currency": "EUR",
    },
    {"message_type": "reversal", "final_amount_minor_units": "400"},
    {"message_type": "reversal", "reason": "timeout"},
]


def test_there_is_an_input_for_all_that_generate_takes() -> None:
    """Every argument of sim.generate that says something of the payment is an option of the form or one of
    these inputs."""
    taken = {*inspect.signature(sim.generate).parameters, *Payment.__annotations__}
    taken -= {"description", "provider", "model", "payment", "at", "format"}
    assert taken == {*FIRST, *MORE}


@together("given", CARRIED, label=lambda given: "-".join(given)[:30])
def test_what_is_filled_in_reaches_the_message(given: dict[str, Any]) -> None:
    """As sim.generate makes it of the same arguments; the call shown makes it, too."""
    options = {"message_type": "auth", "network": "VISA", "entry": "chip"} | given
    panel = GeneratePanel(at=AT, **options)
    panel.run()
    assert panel.problem == ""
    assert panel.message == str(sim.generate(**options, at=AT).iso.message)
    call = ast.parse(panel.code.strip(), mode="eval").body
    assert isinstance(call, ast.Call)
    named = {one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg}
    made = sim.generate(*map(ast.literal_eval, call.args), **named, at=AT)
    assert str(made.iso.message) == panel.message


def test_only_what_goes_with_the_message_is_offered() -> None:
    """3-D Secure for e-commerce; what was filled in waits while it does not go and is not asked for."""
    panel = GeneratePanel(at=AT, network="VISA", entry="ecommerce")
    panel.form.fields["three_d_secure"].box.value = "authenticated"
    assert panel.three_d_secure == "authenticated"
    assert "three_d_secure='authenticated'" in panel.code
    panel.entry = "chip"
    assert panel.form.fields["three_d_secure"].layout.display == "none"
    assert "three_d_secure" not in panel.options()
    panel.entry = "ecommerce"
    assert panel.options()["three_d_secure"] == "authenticated"
    panel.message_type = "echo"
    assert set(panel.options()) <= set(FIRST)


def test_what_cannot_be_met_is_said_beneath_its_input() -> None:
    """The input unfolds, and the message made before stays."""
    panel = GeneratePanel(at=AT, network="VISA", country="ATLANTIS")
    panel.run()
    assert "country" in panel.form.fields["country"].problem
    assert panel.folded.selected_index == 0
    assert panel.message == ""


def test_a_verification_value_is_not_saved(tmp_path: Any) -> None:
    """Options saved by a name have what was filled in, but no CVV2."""
    panel = GeneratePanel(
        at=AT, network="VISA", entry="ecommerce", cvv2="654", token=True, templates=tmp_path / "t"
    )
    panel.templates.name.value = "wallet"
    panel.templates.save()
    text = (tmp_path / "t").read_text()
    assert "654" not in text
    panel.use({"entry": "ecommerce", "token": True})
    assert (panel.cvv2, panel.token, panel.form.fields["token"].box.value) == (None, True, True)


def test_a_form_says_what_the_verb_says() -> None:
    """Labels, choices and tooltips are the signature's and the docstring's; what is left out has its usual
    value in the list or, of the sample messages, in the empty input."""
    panel = GeneratePanel()
    fields = panel.form.fields
    for name in ("network", "version", "purpose", "entry", "three_d_secure", "initiator", "pin"):
        option, box = verb("generate").option(name), fields[name].box
        chosen = {value: title for title, value in box.options}
        auto = chosen.pop("", "Auto")
        assert (box.description, chosen, auto[:4]) == (option.label, titles(option), "Auto")
        assert box.tooltip == option.words
    assert fields["network"].box.options[0][0] == "Auto (from card)"
    assert (fields["city"].box.placeholder, fields["merchant_id"].box.description) == (
        "NEW YORK",
        "Merchant ID",
    )
    assert fields["final_amount_minor_units"].box.placeholder == "up to 12 digits"
    assert not any(mark in option.words for option in verb("generate").options for mark in "`*")


def test_what_is_secret_is_not_in_what_a_notebook_saves() -> None:
    """Neither the verification value that was filled in nor a card number in a description."""
    panel = GeneratePanel(cvv2="654", description="a purchase with 4111111111111111")
    box = panel.form.fields["cvv2"].box
    assert (box.value, box.shown) == ("654", "***")
    # A widget's own random names are of hexadecimal digits: any three may stand in them.
    state = {name: held for name, held in box.get_state().items() if name not in ("layout", "style")}
    assert not [name for name, held in state.items() if "654" in str(held)]
    assert "4111111111111111" not in str(panel.words.get_state())
