"""`ExplainPanel` without a browser: what is typed is explained, what is wrong is told, cards are masked."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable

import pytest
from support import AT, BROKEN, together

import sim
from sim.operations import explain, generate
from sim.spec.networks import NETWORKS, default_card
from sim.widgets import ExplainPanel
from sim.widgets.asking import LanguageModel, ModelError

VISA = default_card("VISA").pan
REQUEST = generate("financial", network="VISA", entry="chip", at=AT).raw


class Writer(LanguageModel):
    """A language model that says its sentences one by one, or fails with its words."""

    def __init__(self, *sentences: str, problem: str = "", refusal: str = "") -> None:
        super().__init__()
        self.sentences, self.problem, self._refusal = sentences, problem, refusal

    def refusal(self) -> str:
        """The reason given."""
        return self._refusal

    def name(self) -> str:
        """A name."""
        return "test/model"

    async def explain(
        self,
        subject: object,
        *,
        version: str | None,
        network: str | None,
        heard: Callable[[str], None],
        ask: str = "",
        language: str = "en",
    ) -> str:
        """The sentences so far, after each of them."""
        text = ""
        for sentence in self.sentences:
            text += sentence
            heard(text)
        if self.problem:
            raise ModelError(self.problem)
        return text


@pytest.mark.parametrize("network", NETWORKS)
def test_pasting_is_enough(network: str) -> None:
    """Text in the box is explained at once: summary, table, anatomy."""
    raw = generate(network=network, at=AT).raw
    panel = ExplainPanel()
    panel.input.text.value = raw
    assert panel.summary == explain(raw).summary
    assert panel.table.iso.network == network
    assert panel.views.anatomy.message == raw
    assert panel.problem == ""


@pytest.mark.parametrize(
    "given", [REQUEST, REQUEST + "\r\n", sim.parse(REQUEST), sim.parse(REQUEST).iso.to_message()]
)
def test_it_takes_a_message_in_any_form(given: object) -> None:
    """A text, with or without its line ending, a table, or a Message."""
    panel = ExplainPanel(given)
    assert panel.summary == explain(REQUEST).summary
    assert panel.views.anatomy.message == REQUEST


@together("row", BROKEN[:20], label=lambda row: row["id"])
def test_a_broken_message_is_told_where(row: dict[str, str]) -> None:
    """No traceback: the misfit in words, once, with a hint, what was read before it, and a table of that."""
    panel = ExplainPanel(row["message"], version=row["version"])
    if row["message"]:
        whole = sim.explain(row["message"], version=row["version"]).iso.summary
        so_far, stopped, why = whole.rpartition("Reading stopped: ")
        assert whole.startswith("Nothing could be read: ") or stopped
        assert panel.summary == so_far.strip()
        assert html.escape(panel.summary) in panel.said.value
        assert panel.said.value.count(html.escape(panel.problem)) == 1
        assert why.rstrip(".") in panel.problem or not stopped
        assert "expected" in panel.problem
        assert "✖" in panel.said.value
        assert panel.views.anatomy.view["fault"] is not None


def test_an_empty_panel_says_what_it_waits_for() -> None:
    """Neither a result nor an error, and nothing to be done with a message."""
    panel = ExplainPanel()
    assert (panel.summary, panel.problem, panel.table) == ("", "", None)
    assert "as you type" in panel.said.value
    assert panel.actions.layout.display == "none"


def test_the_version_is_read_off_the_mti_unless_chosen() -> None:
    """None is the MTI's own; another choice is taken at its word."""
    raw = generate(version="1993", network="VISA", at=AT).raw
    panel = ExplainPanel(raw)
    assert panel.views.anatomy.view["version"] == "1993"
    panel.input.form.fields["version"].box.value = "1987"
    assert panel.version == "1987"
    assert panel.summary != explain(raw).summary


def test_the_network_can_be_chosen() -> None:
    """A network given stands above the card's."""
    panel = ExplainPanel(REQUEST, network="JCB")
    assert panel.input.form.fields["network"].box.value == "JCB"
    assert panel.summary == explain(REQUEST, network="JCB").summary


def test_a_text_that_is_too_long_is_told_beneath() -> None:
    """More than the interface takes: the words stand beneath the box and nothing is read."""
    panel = ExplainPanel("0" * 32_769)
    assert panel.input.text.problem == "At most 32,768 characters"
    assert panel.summary == ""
    panel.message = REQUEST
    assert panel.input.text.problem == ""


def test_card_data_is_masked_in_all_that_is_shown() -> None:
    """The number stands in none of the widgets' states, in no HTML and in no repr; track data neither."""
    raw = generate("financial", network="VISA", entry="stripe", at=AT).raw
    panel = ExplainPanel(raw)
    panel.views.choice.value = "Table"
    parts = [panel.input.text, panel.said, panel.views.anatomy, panel.views.table, panel.actions, panel]
    shown = "".join(str(part.get_state()) for part in parts) + str(panel._repr_mimebundle_())
    assert VISA not in shown
    assert VISA + "=" not in shown
    assert "411111******1111" in shown


def test_the_two_eyes_are_one() -> None:
    """Showing card data in the box shows it in the anatomy."""
    panel = ExplainPanel(REQUEST)
    panel.input.text.masked = False
    assert panel.views.anatomy.masked is False


def test_what_is_typed_is_escaped() -> None:
    """A message may hold markup; it is shown, not obeyed."""
    message = sim.parse(REQUEST).iso.to_message()
    raw = sim.build(message.replace(de43="<img src=x onerror=alert(1)>".ljust(40)))
    panel = ExplainPanel(str.__str__(raw))
    panel.views.choice.value = "Table"
    for text in (panel.said.value, panel.views.table.value, panel._repr_mimebundle_()["text/html"]):
        assert "<img" not in text
    assert "&lt;img" in panel.views.table.value


def test_the_table_is_drawn_when_it_is_looked_at() -> None:
    """Anatomy first; the table, with meanings, on choice, and it follows the message."""
    panel = ExplainPanel(REQUEST)
    assert panel.views.table.layout.display == "none"
    panel.views.choice.value = "Table"
    assert panel.views.anatomy.layout.display == "none"
    assert "10.00 USD" in panel.views.table.value
    panel.message = generate(network="JCB", amount_minor_units=777, at=AT).raw
    assert "7.77 USD" in panel.views.table.value


def test_without_pandas_there_is_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Summary and anatomy need none; the choice of views goes."""
    monkeypatch.setattr("sim.widgets.panels.reader.has_tables", lambda: False)
    panel = ExplainPanel(REQUEST)
    assert panel.table is None
    assert panel.summary == explain(REQUEST).summary
    assert panel.views.choice.layout.display == "none"
    assert panel.views.anatomy.layout.display is None


def test_no_model_no_choice() -> None:
    """Where no model can be asked the choice is disabled, with the reason; the rules are used."""
    panel = ExplainPanel(REQUEST, llm=True, writer=Writer(refusal="No LLM provider is configured"))
    assert (panel.model_choice.disabled, panel.llm) == (True, False)


def test_without_keys_the_reason_names_them() -> None:
    """The real adapter, unconfigured as tests are."""
    assert "configured" in LanguageModel().refusal()
    assert LanguageModel().name() == ""
    with pytest.raises(ModelError, match="configured"):
        asyncio.run(LanguageModel().explain(REQUEST, version=None, network=None, heard=print))


def test_a_model_is_asked_by_the_button_only() -> None:
    """Typing is explained by rules; the button replaces it by the model's words."""
    panel = ExplainPanel(REQUEST, llm=True, writer=Writer("A purchase. ", "It is <fine>."))
    assert panel.summary == explain(REQUEST).summary
    panel.button.click()
    assert panel.summary == "A purchase. It is <fine>."
    assert "&lt;fine&gt;" in panel.said.value
    assert "test/model" in panel.said.value
    assert panel.busy is False


def test_a_model_that_fails_leaves_the_rules() -> None:
    """The summary by rules stays, with a note why it is that one."""
    panel = ExplainPanel(REQUEST, llm=True, writer=Writer("Half a", problem="It did not answer in time"))
    panel.run()
    assert panel.summary == explain(REQUEST).summary
    assert "It did not answer in time. This is what the rules say." in panel.said.value
    assert panel.busy is False


def test_progress_is_announced_while_a_model_is_asked() -> None:
    """Between press and answer the panel is busy, and a bar says who is asked."""
    seen: list[tuple[bool, bool, str]] = []

    def look(change: object = None) -> None:
        bar = panel.bar
        assert bar._focus.asking == (bar.progress.layout.display is None)
        seen.append((panel.busy, bar._focus.asking, bar.progress.value))

    panel = ExplainPanel(REQUEST, llm=True, writer=Writer("Done."))
    look()
    panel.observe(look, "busy")
    panel.run()
    asking = '<div role="status"><progress></progress> Asking test/model\N{NO-BREAK SPACE}…</div>'
    assert seen == [(False, False, ""), (True, True, asking), (False, False, "")]


def test_break_and_back() -> None:
    """The fault is found; going back gives the very same message."""
    panel = ExplainPanel(REQUEST)
    panel.actions.break_by("cut-at-the-end")
    assert "expected" in panel.problem
    panel.actions.back()
    assert (panel.message, panel.problem) == (REQUEST, "")


def test_its_repr_says_what_it_shows() -> None:
    """Stable, in one line, without card data."""
    assert repr(ExplainPanel()) == "ExplainPanel(no message yet)"
    expected = (
        f"ExplainPanel(0200 financial transaction request, ISO 8583:1987, VISA, {len(REQUEST)} characters)"
    )
    assert repr(ExplainPanel(REQUEST)) == expected
