"""Notebook 16: panels."""

from __future__ import annotations

from typing import Any

from lessons.judging import Exercise, Lesson, Verdict, Wish, kind, wants
from lessons.messages import costs, is_card, is_kind, that


def _panel(name: str, *wishes: Wish, stronger: str = "") -> Exercise:
    """For a panel or an anatomy, by the name of its class, whose message must meet all *wishes*."""
    judged = wants(*wishes, stronger=stronger)

    def judge(answer: Any) -> Verdict:
        if type(answer).__name__ != name:
            return Verdict(f"the answer is a `{name}`, not {kind(answer)}.")
        return (
            judged.judge(answer.message) if answer.message else Verdict("it has no message yet; see `run()`.")
        )

    return Exercise(judge, stronger)


panels = Lesson(
    "panels",
    _panel(
        "MessageAnatomy",
        is_kind("0800", "the message should be an echo test, 0800."),
        that(lambda m: m[11] == "000777", "the STAN should be 000777; see `set_value`."),
        stronger="Store the anatomy in a variable, call its `set_value(11, ...)`, and give the anatomy as the answer.",
    ),
    _panel(
        "GeneratePanel",
        is_kind("0200", "the message type should be financial."),
        is_card("UNIONPAY"),
        stronger="The panel makes its message when the button is pressed, or `run()` is called.",
    ),
    _panel(
        "ValidatePanel",
        costs(1234, "EUR"),
        stronger="`ValidatePanel(message)` accepts the result of `sim.generate`.",
    ),
)
