"""`GeneratePanel` without a browser: options in, message out, what can be done with it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from support import together, turns

import sim
from sim.exchanges.composing import plan_of
from sim.exchanges.plan import Plan
from sim.operations import generate, validate
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS, default_card, test_cards
from sim.widgets import GeneratePanel
from sim.widgets.asking import LanguageModel, ModelError
from sim.widgets.panels.actions import FAULTS

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Writer(LanguageModel):
    """A language model that answers from a list, or fails with its words."""

    def __init__(self, *answers: Plan | str, refusal: str = "") -> None:
        super().__init__()
        self.answers, self.asked, self._refusal = list(answers), [], refusal

    def refusal(self) -> str:
        """The reason given."""
        return self._refusal

    def name(self) -> str:
        """A name."""
        return "test/model"

    async def plan(self, description: str, **_: Any) -> Plan:
        """The next answer."""
        self.asked.append(description)
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            raise ModelError(answer)
        return answer


@pytest.mark.parametrize("network", NETWORKS)
def test_it_makes_what_generate_makes(network: str) -> None:
    """The button gives the message that `sim.generate` gives for the same options."""
    panel = GeneratePanel(at=AT, network=network)
    panel.button.click()
    made = sim.generate(network=network, at=AT, version=panel.version)
    assert panel.message == str(made.iso.message)
    assert panel.table.iso.network == network
    assert validate(panel.message).valid


@pytest.mark.parametrize(
    ("kind", "version"), turns(["auth", "financial", "echo", "advice", "reversal"], VERSIONS)
)
def test_every_type_in_every_version(kind: str, version: str) -> None:
    """Type and version reach the message."""
    panel = GeneratePanel(at=AT, message_type=kind, version=version, network="MASTERCARD")
    panel.run()
    assert panel.problem == ""
    made = generate(kind, version=version, network="MASTERCARD", entry="chip", at=AT)
    assert panel.message == made.raw


def test_all_options_reach_the_message() -> None:
    """Each of the options, set as a trait."""
    options: dict[str, Any] = {
        "message_type": "financial",
        "network": "JCB",
        "pan": test_cards("JCB")[1].pan,
        "amount_minor_units": 5000,
        "currency": "392",
        "stan": "000042",
        "version": "1993",
        "purpose": "refund",
        "entry": "chip",
    }
    panel = GeneratePanel(at=AT, **options)
    panel.run()
    assert panel.message == generate(**options, at=AT).raw


def test_traits_and_inputs_are_one() -> None:
    """A trait that is set shows in its input; an input that is changed sets its trait."""
    panel = GeneratePanel(at=AT)
    panel.network = "AMEX"
    assert panel.form.fields["network"].box.value == "AMEX"
    assert panel.card.network == "AMEX"
    panel.form.fields["entry"].box.value = "stripe"
    panel.amount.major.value = "2.50"
    panel.form.fields["network"].box.value = ""
    assert (panel.entry, panel.amount_minor_units, panel.network) == ("stripe", 250, None)


def test_the_version_is_the_networks_own_until_one_is_chosen() -> None:
    """Amex and Discover speak 1993; whoever chooses a version keeps it."""
    panel = GeneratePanel(at=AT)
    for network, version, first in (("AMEX", None, "1"), ("VISA", None, "0"), ("DISCOVER", "2003", "2")):
        panel.network, panel.version = network, version
        panel.run()
        assert panel.message[0] == first
    panel.use({"network": "AMEX", "version": "1987"})
    panel.run()
    assert (panel.message[0], "version='1987'" in panel.code) == ("0", True)


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    """A slip in a name does not go by unnoticed."""
    with pytest.raises(TypeError, match="no option 'netwrok'; did you mean 'network'"):
        GeneratePanel(netwrok="VISA")


def test_nothing_is_made_before_the_button() -> None:
    """An empty panel says what to do and shows no result."""
    panel = GeneratePanel(at=AT)
    assert panel.message == ""
    assert panel.table is None
    assert "press Generate" in panel.said.value
    assert panel.result.layout.display == "none"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda panel: setattr(panel, "stan", "12"), "STAN"),
        (lambda panel: setattr(panel.amount.major, "value", "x"), "Amount"),
        (lambda panel: setattr(panel.form.fields["currency"].choice.box, "value", "x y z"), "Currency"),
        (lambda panel: setattr(panel, "pan", "12"), "Card"),
    ],
)
def test_an_error_loses_nothing(wrong: Any, said: str) -> None:
    """What cannot be met is named, the message made before stays, and so does all that was typed."""
    panel = GeneratePanel(at=AT, network="VISA")
    panel.run()
    before = panel.message
    wrong(panel)
    panel.run()
    assert panel.problem == f"Fix {said} first"
    assert f"Fix {said} first" in panel.said.value
    assert (panel.message, panel.network) == (before, "VISA")


def test_an_echo_carries_no_card() -> None:
    """Card and amount are out of reach and said to be; a wrong amount does not stop an echo."""
    panel = GeneratePanel(at=AT)
    panel.amount.major.value = "x"
    panel.message_type = "echo"
    assert (panel.card.disabled, panel.amount.disabled) == (True, True)
    kind = panel.form.fields["message_type"]
    assert "no card" in kind.note
    panel.run()
    assert panel.table.iso.mti == "0800"
    panel.message_type = "auth"
    assert (panel.card.disabled, kind.note) == (False, "")


def test_new_stan() -> None:
    """The next number, in the message as well."""
    panel = GeneratePanel(at=AT, stan="000009")
    panel.form.fields["stan"].renew()
    assert panel.stan == "000010"
    panel.run()
    assert panel.table.iso.to_message()[11] == "000010"


def test_reply_reverse_and_back() -> None:
    """The buttons beneath make the next message of a transaction; back gives the one before."""
    panel = GeneratePanel(at=AT, network="VISA")
    panel.run()
    request = panel.message
    panel.actions.code.value = "51"
    panel.actions.reply_button.click()
    assert panel.table.iso.mti == "0110"
    assert panel.table.iso.to_message()[39] == "51"
    assert panel.notes == ("The reply, response code 51.",)
    panel.actions.back_button.click()
    assert panel.message == request
    panel.actions.reverse_button.click()
    assert panel.table.iso.mti == "0400"
    panel.actions.back()
    assert panel.message == request
    assert panel.actions.back_button.layout.display == "none"


def test_what_cannot_be_answered_says_so() -> None:
    """A response has no response; the message stays."""
    panel = GeneratePanel(at=AT)
    panel.run()
    panel.actions.reply()
    answer = panel.message
    panel.actions.reply()
    assert "expected a request or an advice" in panel.actions.problem
    assert panel.message == answer
    panel.actions.break_by("cut-at-the-end")
    panel.actions.reverse()
    assert "cannot be read" in panel.actions.problem


@together("name", [name for _, name in FAULTS])
def test_every_fault_of_the_list_makes_a_good_message_bad(name: str) -> None:
    """Each is found by validate, and said to be on purpose."""
    panel = GeneratePanel(at=AT, network="VISA", message_type="financial")
    panel.run()
    assert validate(panel.message).valid
    panel.actions.fault.value = name
    panel.actions.break_button.click()
    assert panel.actions.problem == ""
    assert not validate(panel.message).valid
    assert panel.notes[0].startswith("Broken on purpose: ")


def test_a_fault_that_does_not_apply_says_so() -> None:
    """An echo has no card to be wrong; the message stays."""
    panel = GeneratePanel(at=AT, message_type="echo")
    panel.run()
    before = panel.message
    panel.actions.break_by("check-digit-wrong")
    assert panel.actions.problem == "This fault does not apply to this message; choose another"
    assert panel.message == before


def test_the_response_codes_follow_the_version() -> None:
    """Two digits in 1987, three in 1993, four in 2003."""
    for version, width in (("1987", 2), ("1993", 3), ("2003", 4)):
        panel = GeneratePanel(at=AT, version=version)
        panel.run()
        codes = [value for _, value in panel.actions.code.options if value]
        assert {len(code) for code in codes} == {width}
        assert panel.actions.code.value == ""


def test_a_description_is_planned_as_it_is_typed() -> None:
    """It fills the form, shows the words with what they give, and is made without a model; what is changed in
    the form counts."""
    writer = Writer(refusal="No LLM provider is configured")
    panel = GeneratePanel(at=AT, writer=writer)
    panel.words.value = "Mastercard tap 12.50 EUR in Lyon, NSF"
    assert (panel.network, panel.entry, panel.amount_minor_units) == ("MASTERCARD", "contactless", 1250)
    assert '<u title="Entry: contactless">tap</u>' in panel.read.value
    assert "outcome='51'" in panel.code
    panel.button.click()
    assert (panel.table.iso.mti, panel.table.iso[39]) == ("0110", "51")
    panel.stan = "000042"
    panel.run()
    assert panel.table.iso[11] == "000042"
    assert writer.asked == []
    panel.words.value = "hotel checks in a guest for 500 EUR"
    assert "Did you mean &#x27;check&#x27; by &#x27;checks&#x27;?<" in panel.read.value


def test_transactions_and_hosts_are_calls_below_the_form() -> None:
    """The form is that of the last transaction; of a host there is the call, and no message."""
    panel = GeneratePanel(at=AT, writer=Writer(refusal="No LLM provider is configured"))
    panel.words.value = "a purchase of 20 USD, then a refund of 15, and a Mastercard purchase of 7 USD"
    panel.amount_minor_units = 800
    assert "then='refund:1500'" in panel.code
    panel.run()
    assert panel.table.iso[4] == "000000000800"
    panel.words.value = "host that declines everything above 100 USD with 51"
    assert panel.code == "host = sim.host([{'amount': '10001..', 'currency': '840', 'code': '51'}])"
    panel.run()
    assert "makes no message" in panel.describe.problem


def test_amounts_and_codes_of_a_plan_are_as_people_write_them() -> None:
    """Amounts have decimals and their currency, which is not repeated; a response code has its meaning."""
    panel = GeneratePanel(at=AT, description="Visa purchase of 12.50 EUR, NSF")
    assert "<dt>NSF</dt><dd>Outcome: 51 insufficient funds</dd>" in panel.read.value
    assert "<dt>12.50 EUR</dt><dd>Amount: 12.50 EUR</dd>" in panel.read.value
    panel.description = "hotel hold of 200 EUR, then a completion of 150"
    assert "Then: completion of 150.00 EUR" in panel.read.value
    assert "minor units" not in panel.read.value


def test_what_is_not_understood_is_marked() -> None:
    """Without a model it is a problem of the description, told once, in the words themselves."""
    panel = GeneratePanel(at=AT, writer=Writer(refusal="No LLM provider is configured"))
    panel.description = "Visa frobnicated <20> EUR"
    assert panel.describe.problem.startswith("Not understood: frobnicated; <; 20")
    assert "Not understood" not in panel.read.value
    assert '<mark title="not understood">frobnicated</mark>' in panel.read.value
    assert "<20>" not in panel.read.value
    panel.run()
    assert panel.describe.problem.startswith("Not understood: frobnicated; <; 20")
    assert (panel.message, panel.said.value) == ("", "")


def test_many_messages_are_counted() -> None:
    """Types that repeat are named once, numbers of messages are no card number, and a long story is cut."""
    panel = GeneratePanel(at=AT, description="40 Visa authorizations, half of them declined")
    assert "Makes 0100, 0110, 40 times; the last message is shown." in panel.read.value
    assert "<dd>Times: 40</dd>" in panel.read.value
    assert "<dd>Which: 2, 4, … 40 (20 in all)</dd>" in panel.read.value
    assert len(panel.read.value) < 2500
    panel.description = "a sale and its reversal"
    assert "Makes 0100, 0110, 0400, 0410. Visa" in panel.read.value


def test_a_message_that_stays_is_said_to_be_the_previous_one() -> None:
    """Not with the notes of another message; a message made by a button has its own note again."""
    panel = GeneratePanel(at=AT, network="VISA")
    panel.run()
    assert "the VISA test card is used" in panel.said.value
    panel.description = "a frobnicated sale"
    panel.run()
    assert re.sub("<[^>]+>", "", panel.said.value) == "The message below is the previous one."
    panel.actions.reply_button.click()
    assert re.sub("<[^>]+>", "", panel.said.value) == "The reply."


def test_a_panel_may_begin_with_a_description() -> None:
    """It is read at once; options that are given with it take precedence."""
    panel = GeneratePanel(at=AT, network="AMEX", description="Visa purchase of 12.50 EUR")
    assert (panel.network, panel.amount_minor_units, panel.currency) == ("AMEX", 1250, "978")
    panel.run()
    assert panel.table.iso.network == "AMEX"


def test_a_model_is_asked_for_what_is_unclear() -> None:
    """It makes the message of the whole description."""
    writer = Writer(plan_of("echo test", at=AT))
    panel = GeneratePanel(at=AT, writer=writer)
    panel.words.value = "a frobnicated echo test"
    panel.button.click()
    assert writer.asked == ["a frobnicated echo test"]
    assert panel.table.iso.mti == "0800"
    assert panel.busy is False


def test_a_model_that_fails_costs_nothing() -> None:
    """Its words stand beneath the description, which stays, as does the message."""
    panel = GeneratePanel(at=AT, writer=Writer("It did not answer in time"))
    panel.run()
    before = panel.message
    panel.description = "a frobnicated purchase"
    panel.run()
    assert panel.describe.problem == "It did not answer in time"
    assert (panel.message, panel.description) == (before, "a frobnicated purchase")
    assert re.sub("<[^>]+>", "", panel.said.value) == "The message below is the previous one."


def test_a_description_has_a_limit() -> None:
    """Two thousand characters, as the interface has it; the model is not asked."""
    writer = Writer()
    panel = GeneratePanel(writer=writer, description="x" * 2001)
    panel.run()
    assert panel.describe.problem == "At most 2,000 characters"
    assert writer.asked == []


def test_its_repr_and_its_html_are_stable_and_masked() -> None:
    """The same options give the same outputs, and no card number stands in them."""
    bundles = []
    for _ in range(2):
        panel = GeneratePanel(at=AT, network="VISA", entry="stripe")
        panel.run()
        bundle = panel._repr_mimebundle_()
        del bundle["application/vnd.jupyter.widget-view+json"]
        bundles.append(bundle)
    assert bundles[0] == bundles[1]
    assert bundles[0]["text/plain"] == (
        "GeneratePanel(0100 authorization request, ISO 8583:1987, VISA, 230 characters)"
    )
    assert default_card("VISA").pan not in str(bundles[0])
