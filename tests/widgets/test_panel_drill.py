"""`DrillPanel` without a browser: a question, an answer, the next question."""

from __future__ import annotations

import html

import pytest
import traitlets

from sim.operations.drill import question
from sim.widgets import DrillPanel


def test_an_answer_is_judged_and_the_next_question_comes() -> None:
    """When the button is pressed, not when the field is left; it is empty again."""
    panel = DrillPanel("bits", level=1, seed=5)
    first = question("bits", 1, 5, 1)
    assert panel.question == first.text
    panel.answer.value = first.shown
    assert panel.drill.asked == 0
    panel.run()
    assert (panel.streak, panel.answer.value) == (1, "")
    assert panel.said.startswith("Right.")
    assert panel.question == question("bits", 1, 5, 2).text


def test_the_button_judges_what_stands_in_the_field() -> None:
    """And an empty field is no answer."""
    panel = DrillPanel("mti", seed=5)
    panel.button.click()
    assert panel.drill.asked == 0
    panel.answer.value = "nonsense"
    panel.button.click()
    assert panel.said.startswith("Not quite")
    assert panel.drill.asked == 1


def test_a_verdict_stands_beside_the_question_it_is_about() -> None:
    """That is gone from its own place by then."""
    panel = DrillPanel("bitmap", seed=5)
    first = panel.question
    panel.answer.value = "99"
    panel.run()
    shown = html.unescape(panel._says.value)
    assert shown.index(first) < shown.index(" 99") < shown.index("Not quite")
    assert panel.question != first


def test_another_topic_begins_anew() -> None:
    """The choices and the traits are in step; what was typed was for the question before."""
    panel = DrillPanel("mti", seed=5)
    panel.answer.value = question("mti", 1, 5, 1).shown
    panel.form.fields["topic"].box.value = "tlv"
    panel.level = 3
    assert (panel.topic, panel.form.fields["level"].box.value, panel.streak) == ("tlv", 3, 0)
    assert (panel.answer.value, panel.drill.asked) == ("", 0)
    assert panel.question == question("tlv", 3, 5, 1).text


def test_a_question_is_shown_as_text_and_escaped() -> None:
    """Where no widget runs, the question can still be read."""
    panel = DrillPanel("responses", level=2, seed=5)
    bundle = panel._repr_mimebundle_()
    assert "Which code in DE 39" in bundle["text/plain"]
    assert "Which code in DE 39" in bundle["text/html"]


def test_an_unknown_topic_is_refused() -> None:
    """When the panel is made, and later."""
    with pytest.raises(ValueError, match="topic"):
        DrillPanel("bitmaps")
    with pytest.raises(traitlets.TraitError):
        DrillPanel().topic = "bitmaps"
