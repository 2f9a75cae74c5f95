"""`ValidatePanel` without a browser: verdict, networks, findings, and the place of a fault."""

from __future__ import annotations

from typing import Any

import pytest
from support import AT, JUDGED, some, together

import sim
from sim.operations import generate, validate
from sim.spec.networks import NETWORKS, default_card
from sim.widgets import ValidatePanel
from sim.widgets.panels.validate import ReportView, report_data

VISA = default_card("VISA").pan
GOOD = generate("financial", network="VISA", entry="chip", at=AT).raw
WRONG_DIGIT = GOOD.replace(VISA, VISA[:-1] + "2", 1)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_generated_message_is_valid_for_its_network(network: str) -> None:
    """The verdict in state and words, and a result for each of the six networks."""
    panel = ValidatePanel(generate(network=network, at=AT).raw)
    assert panel.report.valid
    assert panel.view.data["verdict"]["state"] == "valid"
    rows = {row["name"]: row for row in panel.view.data["networks"]}
    assert list(rows) == list(NETWORKS)
    assert (rows[network]["passed"], rows[network]["own"], rows[network]["errors"]) == (True, True, 0)


@together("row", JUDGED[::12], label=lambda row: row["id"])
def test_the_verdict_is_that_of_validate(row: dict[str, Any]) -> None:
    """Panel, table and core agree on every message."""
    panel = ValidatePanel(row["message"], version=row["version"])
    if not row["message"]:
        assert panel.report is None
        return
    expected = validate(row["message"], version=row["version"])
    assert panel.report.valid == expected.valid == row["expect_valid"]
    assert panel.table.iso.valid == expected.valid
    listed = panel.view.data["findings"]
    assert sorted(one["sentence"] for one in listed) == sorted(one.message for one in expected.findings)
    severities = ["error", "warning", "info"]
    ranks = [severities.index(one["severity"]) for one in listed]
    assert ranks == sorted(ranks)


def test_the_matrix_counts_what_each_network_says() -> None:
    """A Visa card fails at Mastercard, and the count of errors is that of its findings."""
    panel = ValidatePanel(GOOD)
    row = next(row for row in panel.view.data["networks"] if row["name"] == "MASTERCARD")
    result = panel.report.networks["MASTERCARD"]
    assert row["passed"] is False
    assert row["errors"] == len(result.errors) > 0


def test_a_network_that_is_chosen_says_why() -> None:
    """Its own findings are listed; choosing none lists the message's own again."""
    panel = ValidatePanel(GOOD)
    panel.view.network = "MASTERCARD"
    assert panel.shown_network == "MASTERCARD"
    assert any("Mastercard" in one["sentence"] for one in panel.view.data["findings"])
    panel.shown_network = ""
    assert panel.view.data["findings"] == []


def test_a_finding_that_is_picked_lights_its_characters() -> None:
    """The element is pinned and the characters marked; picking nothing puts the light out."""
    panel = ValidatePanel(WRONG_DIGIT)
    assert panel.view.data["verdict"]["state"] == "invalid"
    at = [one["number"] for one in panel.view.data["findings"]].index(2)
    panel.view.picked = at
    one = next(one for one in panel.report.findings if one.field == 2)
    assert panel.views.anatomy.pinned == 2
    assert panel.views.anatomy.marked == [one.start, one.end]
    assert panel.message[one.start : one.end] == "2"
    panel.picked = None
    assert (panel.views.anatomy.pinned, panel.views.anatomy.marked) == (None, None)


def test_a_finding_without_a_place_lights_nothing() -> None:
    """What is missing stands nowhere."""
    message = sim.parse(GOOD).iso.to_message().replace(de4=None)
    panel = ValidatePanel(message)
    at = [one["number"] for one in panel.view.data["findings"]].index(4)
    panel.picked = at
    assert (panel.views.anatomy.pinned, panel.views.anatomy.marked) == (None, None)


def test_one_character_less_is_located() -> None:
    """A text that does not parse has one finding; its characters are those that misfit."""
    panel = ValidatePanel(GOOD[:40] + GOOD[41:])
    assert panel.view.data["verdict"]["state"] == "broken"
    assert panel.view.data["networks"] == []
    panel.picked = 0
    fault = panel.views.anatomy.view["fault"]
    assert panel.views.anatomy.marked == [fault["start"], fault["end"]]


@pytest.mark.parametrize(
    ("raw", "place"),
    [("0800" + "G" * 16, ("Bitmap", "")), (generate("echo", at=AT).raw + "1", ("Message", ""))],
)
def test_a_place_is_named_once(raw: str, place: tuple[str, str]) -> None:
    """The bitmap, or the message as a whole, is not called so twice."""
    found = report_data(validate(raw))["findings"][0]
    assert (found["place"], found["name"]) == place


def test_a_new_message_forgets_what_was_picked() -> None:
    """The place in one list means nothing in another; the chosen network stays while it can."""
    panel = ValidatePanel(WRONG_DIGIT)
    panel.shown_network = "JCB"
    panel.picked = 0
    panel.message = GOOD
    assert (panel.picked, panel.shown_network) == (None, "JCB")
    panel.message = GOOD[:50]
    assert panel.shown_network == ""


def test_the_version_can_be_chosen() -> None:
    """A message read as another version than its MTI says is judged as that."""
    panel = ValidatePanel(GOOD, version="1993")
    assert panel.report.version == "1993"
    assert not panel.report.valid
    panel.input.form.fields["version"].box.value = ""
    assert (panel.version, panel.report.valid) == (None, True)


def test_an_empty_panel_has_no_verdict() -> None:
    """Nothing is said of nothing."""
    panel = ValidatePanel()
    assert (panel.report, panel.table) == (None, None)
    assert panel.view.data["verdict"]["state"] == "empty"
    assert "as you type" in panel.said.value


def test_without_pandas_the_verdict_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the table is missing."""
    monkeypatch.setattr("sim.widgets.panels.reader.has_tables", lambda: False)
    panel = ValidatePanel(GOOD)
    assert (panel.table, panel.report.valid) == (None, True)


def test_card_data_is_masked_in_all_that_is_shown() -> None:
    """The number stands in none of the widgets' states, in no HTML and in no repr, sound or broken."""
    for raw in (GOOD, WRONG_DIGIT, GOOD[:60], GOOD[:4] + GOOD[5:]):
        panel = ValidatePanel(raw)
        parts = [panel.input.text, panel.view, panel.views.anatomy, panel.actions, panel]
        shown = "".join(str(part.get_state()) for part in parts) + str(panel._repr_mimebundle_())
        assert VISA not in shown
        assert WRONG_DIGIT[22:38] not in shown


@together("at", some(range(0, len(GOOD), 7), 4))
def test_the_box_masks_what_the_anatomy_masks(at: int) -> None:
    """Wherever a character is lost, the card number shows in neither, and both stay as long as the text."""
    raw = GOOD[:at] + GOOD[at + 1 :]
    panel = ValidatePanel()
    panel.input.text.value = raw + "\n"
    shown = panel.input.text.shown
    assert shown == panel.views.anatomy.view["text"] + "\n"
    assert len(shown) == len(raw) + 1
    assert VISA not in shown


def test_its_repr_and_its_html_are_stable() -> None:
    """The verdict in one line; the static page has verdict, matrix and findings."""
    first, second = (ValidatePanel(WRONG_DIGIT)._repr_mimebundle_() for _ in range(2))
    assert first["text/html"] == second["text/html"]
    assert (
        first["text/plain"] == "ValidatePanel(Invalid for Visa, read as ISO 8583:1987. 1 error, 1 warning.)"
    )
    for words in ("Invalid for Visa", "Mastercard", "other network", "check digit"):
        assert words in first["text/html"]
    assert repr(ReportView()) == "ReportView(no message)"


def test_what_other_networks_say_is_said_of_whose_card_it_is() -> None:
    """A Visa card is not Mastercard's, whatever else is found there; a UnionPay card with a wrong check digit
    is valid, and a hint says why that is worth a look."""
    rows = {row["name"]: row for row in ValidatePanel(WRONG_DIGIT).view.data["networks"]}
    assert [name for name, row in rows.items() if row["foreign"]] == [
        one for one in NETWORKS if one != "VISA"
    ]
    card = default_card("UNIONPAY").pan
    wrong = card[:-1] + str((int(card[-1]) + 1) % 10)
    panel = ValidatePanel(generate(network="UNIONPAY", pan=wrong, at=AT).raw)
    own = next(row for row in panel.view.data["networks"] if row["own"])
    assert (own["passed"], own["foreign"], own["hints"]) == (True, False, 1)
    assert "1 hint" in panel.view.data["verdict"]["words"]
    assert "check digit" in panel.view.data["findings"][0]["sentence"]


def test_break_says_what_it_broke() -> None:
    """Until the message changes again."""
    panel = ValidatePanel(GOOD)
    panel.actions.break_by("month-13")
    assert "Broken on purpose: " in panel.said.value
    panel.message = GOOD
    assert "Broken" not in panel.said.value


def test_an_empty_panel_offers_an_example() -> None:
    """A button and a list put a message into the box; with none there is nothing to validate."""
    panel = ValidatePanel()
    assert panel.button.disabled
    assert panel.input.example_button.layout.display is None
    panel.input.example_button.click()
    assert panel.report.valid
    assert not panel.button.disabled
    assert panel.input.example_button.layout.display == "none"
    names = [one.name for one in panel.input.gallery.samples]
    panel.input.gallery.choice.value = names.index("Broken: a length prefix one too high")
    assert panel.view.data["verdict"]["state"] == "broken"
    assert panel.input.gallery.choice.value == -1
