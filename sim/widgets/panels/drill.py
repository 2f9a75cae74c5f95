"""`DrillPanel`: short questions, one after the other, answered with the keyboard."""

from __future__ import annotations

from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.masking import mask_words
from sim.operations.drill import LEVELS, TOPICS, Drill, drill
from sim.widgets.asking import Inquiry
from sim.widgets.markup import markup
from sim.widgets.panels.fields import Form, InputField
from sim.widgets.panels.panel import Panel, RunBar

_HINT = "Type the answer and press Enter. Separate several values with commas."


class DrillPanel(Panel):
    """Asks questions on a topic, one after the other, and marks the answers.

    Traits: `topic` and `level`, which restart the drill when changed; `question`, its text; `said`, the
    verdict on the last answer; `streak`, the number of right answers in a row. `drill` has the score and the
    topics to review. `run()` does the same as the button.
    """

    topic = traitlets.Enum(list(TOPICS), "bitmap")
    level = traitlets.Enum(list(LEVELS), LEVELS[0])
    question = traitlets.Unicode("")
    said = traitlets.Unicode("")
    streak = traitlets.Int(0)

    def __init__(self, topic: str = "bitmap", level: int = 1, seed: int | str | None = None) -> None:
        self._seed = seed
        self.drill: Drill = drill(topic, level=level, seed=seed)
        self.form = Form(self, "drill", ("topic", "level"), notes=("level",))
        self.answer = ipywidgets.Text(description="Answer", continuous_update=False)
        self._asks = ipywidgets.HTML().add_class("iso-said")
        self._says = ipywidgets.HTML().add_class("iso-said")
        answer = ipywidgets.Box([InputField(self.answer, classes="iso-wide")]).add_class("iso-form")
        parts = (self.form, self._asks, answer, RunBar("Answer"), self._says)
        super().__init__(*parts, classes="iso-drill-panel")
        self.topic, self.level = topic, level
        self.observe(self._begin_anew, ["topic", "level"])
        self._tell()

    def _work(self) -> Inquiry[Any] | None:
        """Mark the answer and ask the next question; an empty field is not an answer."""
        answer, self.answer.value = self.answer.value.strip(), ""
        if answer:
            before = f"{self.question} {mask_words(answer)}\n"
            self.drill(answer)
            self._tell(before)
        return None

    def _begin_anew(self, change: Any) -> None:
        self.drill, self.answer.value = drill(self.topic, level=self.level, seed=self._seed), ""
        self._tell()

    def _tell(self, before: str = "") -> None:
        """Show the question, and the verdict on the answer *before*."""
        self.question, self.said = self.drill.question.text, self.drill.said
        self.streak = self.drill.streak
        self._asks.value = markup("p", self.question, "iso-question", style="white-space: pre-wrap")
        sign = "" if not self.said else "✔ " if self.said.startswith("Right") else "✖ "
        self._says.value = markup(
            *("p", f"{before}{sign}{self.said}" if self.said else _HINT, "iso-note"),
            **{"role": "status", "style": "white-space: pre-wrap"},
        )

    def _static(self) -> str:
        return markup("p", self.question)

    def __repr__(self) -> str:
        return f"DrillPanel({self.drill!r})"
