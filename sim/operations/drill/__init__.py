"""Short questions on each idea of the standard, with levels, a streak and notebooks to read again; and the
facts that an answer states, here and in the exercises of the course.

The same topic, level and seed give the same questions. The toolkit computes the right answers.
"""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any

from sim.errors import ChoiceError
from sim.operations.drill.facts import Fact, fact
from sim.operations.drill.questions import TOPICS
from sim.spec.words import DrillTopic

__all__ = ["LEVELS", "TOPICS", "Drill", "Fact", "Question", "drill", "fact", "question"]

LEVELS = (1, 2, 3)
_IN_A_ROW = 5  # right answers after which the next level is offered
_TOO_MANY = 2  # wrong answers to questions of a topic after which its notebook is named


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the `fact` that answers it, and why. `read` names the notebook to read again."""

    topic: str
    level: int
    text: str
    fact: Fact
    why: str
    read: str

    def right(self, given: Any) -> bool:
        """Whether *given* is the right answer, in any type and spelling."""
        return self.fact.fits(given)

    @property
    def answer(self) -> Any:
        """The right answer: a text, a number, or several of them."""
        return self.fact.answer

    @property
    def shown(self) -> str:
        """The right answer as text."""
        return ", ".join(map(str, self.answer)) if isinstance(self.answer, tuple) else str(self.answer)


def question(topic: str, level: int, seed: int | str, number: int) -> Question:
    """Question *number*, from 1, of a drill. The same four arguments give the same question, on every
    machine.

    Raises ChoiceError for an unknown topic or level.

    >>> question("bitmap", 1, 7, 1) == question("bitmap", 1, 7, 1)
    True
    """
    if not isinstance(topic, str) or topic not in TOPICS:
        raise ChoiceError.of("topic", topic, TOPICS)
    if level not in LEVELS:
        raise ChoiceError.of("level", level, map(str, LEVELS))
    make, read = TOPICS[topic]
    # Not hash(), which differs by process, nor Random(text), whose seeding may change with Python.
    digest = sha256(f"{topic}/{level}/{seed}/{number}".encode()).digest()
    dice = Random(int.from_bytes(digest[:8]))  # noqa: S311
    return Question(topic, level, *make(level, dice), read)


class Drill:
    """Questions on one topic. Show it to see the question, call it with an answer to get a verdict and the
    next one: `drill([2, 3, 4])`.

    `question` is the current one, `streak` the right answers in a row, `right` and `asked` the score.
    """

    def __init__(self, topic: str, level: int, seed: int | str) -> None:
        self.topic, self.level, self.seed = topic, level, seed
        self.streak = self.right = self.asked = 0
        self._missed: Counter[str] = Counter()
        self._number = 1
        self.question: Question = question(topic, level, seed, 1)
        self.said = ""

    def __call__(self, answer: Any) -> Drill:
        """Check *answer* and go on to the next question; `said` has the verdict."""
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
            self.said = f"Not quite: it is {before.shown}. {before.why} {self._score()}"
            if self._missed[before.read] >= _TOO_MANY:
                self.said += f" Read again: {before.read}.ipynb."
        self._number += 1
        self.question = question(self.topic, self.level, self.seed, self._number)
        return self

    def _score(self) -> str:
        return f"{self.right} of {self.asked}, streak {self.streak}."

    @property
    def read_again(self) -> tuple[str, ...]:
        """The notebooks of questions answered wrong, the most frequent first."""
        return tuple(name for name, _ in self._missed.most_common())

    def __repr__(self) -> str:
        head = f"{self.topic}, level {self.level}, question {self._number}"
        before = f"{self.said}\n\n" if self.said else ""
        return f"{before}{head}\n{self.question.text}"


def drill(topic: DrillTopic | str = "bitmap", *, level: int = 1, seed: int | str | None = None) -> Drill:
    """Practice one topic with short questions, one at a time.

    Show the drill to see its question; call it with an answer to get the verdict and the next question.
    `sim.widgets.DrillPanel` is the same as a panel.

    Parameters
    ----------
    topic
        mti, bitmap, lengths, card, amounts, dates, responses, entry, tlv or bits.
    level
        1 (one step), 2 (as in a message) or 3 (several steps, or the rarer case).
    seed
        The same seed gives the same questions. None gives different questions each time.

    Returns
    -------
    Drill
        With `question`, `streak`, `right`, `asked` and `read_again`, the notebooks to read again.

    Raises
    ------
    ChoiceError
        Unknown topic or level.

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
