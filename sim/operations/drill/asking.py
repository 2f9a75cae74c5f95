"""`Drill`: one question after the other, with a streak, and what to read again."""

from __future__ import annotations

import secrets
from collections import Counter
from typing import Any

from sim.operations.drill.topics import LEVELS, Question, question
from sim.spec.words import DrillTopic

_IN_A_ROW = 5  # right answers after which the next level is offered
_TOO_MANY = 2  # wrong answers to questions of a topic after which its notebook is named


class Drill:
    """Questions on one topic. Show it to see the question, call it with an answer to get a verdict and the
    next one: `drill([2, 3, 4])`.

    `question` is the present one, `streak` how many were right in a row, `right` and `asked` the score.
    """

    def __init__(self, topic: str, level: int, seed: int | str) -> None:
        self.topic, self.level, self.seed = topic, level, seed
        self.streak = self.right = self.asked = 0
        self._missed: Counter[str] = Counter()
        self._number = 1
        self.question: Question = question(topic, level, seed, 1)
        self.said = ""

    def __call__(self, answer: Any) -> Drill:
        """Judge *answer*, and go on to the next question; `said` holds the verdict."""
        before = self.question
        self.asked += 1
        if before.right(answer):
            self.right, self.streak = self.right + 1, self.streak + 1
            self.said = f"Right. {self._score()}"
            if self.streak % _IN_A_ROW == 0 and self.level < LEVELS[-1]:
                self.said += f" {self.streak} in a row: try level {self.level + 1}."
        else:
            self.streak = 0
            self._missed[before.read] += 1
            self.said = f"Not yet: it is {before.shown}. {before.why} {self._score()}"
            if self._missed[before.read] >= _TOO_MANY:
                self.said += f" Read again: {before.read}.ipynb."
        self._number += 1
        self.question = question(self.topic, self.level, self.seed, self._number)
        return self

    def _score(self) -> str:
        return f"{self.right} of {self.asked}, streak {self.streak}."

    @property
    def read_again(self) -> tuple[str, ...]:
        """The notebooks whose questions were answered wrong, the worst first."""
        return tuple(name for name, _ in self._missed.most_common())

    def __repr__(self) -> str:
        head = f"{self.topic}, level {self.level}, question {self._number}"
        before = f"{self.said}\n\n" if self.said else ""
        return f"{before}{head}\n{self.question.text}"


def drill(topic: DrillTopic | str = "bitmap", *, level: int = 1, seed: int | str | None = None) -> Drill:
    """Practise one idea: small questions, another after each answer.

    Show the drill to see its question; call it with an answer to get the verdict and the next question.
    `sim.widgets.DrillPanel` is the same as a panel.

    Parameters
    ----------
    topic
        mti, bitmap, lengths, card, amounts, dates, responses, entry, tlv or bits.
    level
        1 (one step), 2 (as in a message) or 3 (several steps, or the rarer case).
    seed
        The same seed gives the same questions. None gives others each time.

    Returns
    -------
    Drill
        With `question`, `streak`, `right`, `asked` and `read_again`, the notebooks to read again.

    Raises
    ------
    ChoiceError
        There is no such topic or level.

    Examples
    --------
    >>> import sim
    >>> practice = sim.drill("bitmap", level=1, seed=1)
    >>> practice
    bitmap, level 1, question 1
    A bitmap begins with 47, and the rest is zeros. Which elements follow?
    >>> practice([2, 6, 7, 8]).said
    'Right. 1 of 1, streak 1.'
    """
    return Drill(topic, level, secrets.randbelow(10**9) if seed is None else seed)
