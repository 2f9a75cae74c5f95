"""Practice: small questions, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.operations.drill import Drill
    from sim.spec.words import DrillTopic


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
    from sim.operations import drill as room

    return room.drill(topic, level, seed)
