"""The topics of the drill by name, and how a question is made from topic, level, seed and number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any

from sim.errors import ChoiceError
from sim.operations.drill import contents, framing
from sim.operations.drill.facts import Fact

LEVELS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, the `fact` that answers it, and why. `read` names the notebook to read again."""

    topic: str
    level: int
    text: str
    fact: Fact
    why: str
    read: str

    def right(self, given: Any) -> bool:
        """Whether *given* is the answer, in whatever type and spelling it comes."""
        return self.fact.fits(given)

    @property
    def answer(self) -> Any:
        """What is right: a text, a number, or several of them."""
        return self.fact.answer

    @property
    def shown(self) -> str:
        """The right answer as text."""
        return ", ".join(map(str, self.answer)) if isinstance(self.answer, tuple) else str(self.answer)


# Takes level and dice; gives the question, its answer and the reason.
Maker = Callable[[int, Random], framing.Asked]

# By topic: what makes its questions, and the notebook to read again.
TOPICS: Mapping[str, tuple[Maker, str]] = {
    "mti": (framing.mti, "01_mti"),
    "bitmap": (framing.bitmap, "02_bitmap"),
    "lengths": (framing.lengths, "03_length_prefixes"),
    "card": (contents.card, "06_card_number"),
    "amounts": (contents.amounts, "07_amounts_currencies_dates"),
    "dates": (contents.moments, "07_amounts_currencies_dates"),
    "responses": (contents.responses, "09_a_transactions_life"),
    "entry": (contents.entry, "10_point_of_service"),
    "tlv": (framing.chip, "11_chip_data"),
    "bits": (framing.bits, "11_chip_data"),
}


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
    # Not hash(), which differs by run, nor Random(text), whose seeding may change with Python.
    digest = sha256(f"{topic}/{level}/{seed}/{number}".encode()).digest()
    dice = Random(int.from_bytes(digest[:8]))  # noqa: S311
    made = make(level, dice)
    return Question(topic, level, made.text, made.fact, made.why, read)
