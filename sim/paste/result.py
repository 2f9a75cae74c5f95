"""What a guess gives: candidates, each with its message, how it was written, how sure that is and why."""

from __future__ import annotations

from dataclasses import dataclass

from sim.codec import BuildError, Message
from sim.paste.candidate import Candidate
from sim.paste.reading import NAMED, Reading
from sim.paste.spellings import WORDED
from sim.paste.sureness import NONE


@dataclass(frozen=True, slots=True)
class Guess:
    """The candidates for the first message of a paste, the best first, and the best of each message in it."""

    candidates: tuple[Reading, ...]
    messages: tuple[Reading, ...]

    @property
    def best(self) -> Reading:
        """The best candidate; its confidence is `none` where the paste is no ISO 8583 message."""
        return self.candidates[0]


def of_candidate(one: Candidate) -> Reading:
    """A candidate as it is given to callers."""
    end = one.state.at
    return Reading(
        message=one.message,
        spelling=one.reading.name,
        framing=one.framing,
        layers=one.front.layers,
        format=one.name,
        title=one.title,
        version=one.version,
        data=one.data,
        start=one.anchor.at,
        end=end,
        spans=one.spans,
        announced=one.anchor.numbers,
        read=end,
        size=len(one.data),
        complete=one.complete,
        confidence=one.confidence,
        reasons=tuple(one.reasons),
        origin=one,
    )


def of_spelled(
    name: str, message: Message, confidence: str, reasons: tuple[str, ...], faults: tuple[BuildError, ...]
) -> Reading:
    """A message whose elements the paste names; *faults* are those that do not fit their lengths."""
    count = len(message.fields)
    return Reading(
        message=message,
        spelling=name,
        format=NAMED,
        title="" if name == WORDED else "elements by number",
        version=message.version,
        read=count,
        size=count,
        complete=True,
        confidence=confidence,
        reasons=reasons,
        faults=faults,
    )


def nothing(spelling: str, reasons: tuple[str, ...], framing: tuple[str, ...] = ()) -> Reading:
    """What is no ISO 8583 message, and why."""
    return Reading(spelling=spelling, framing=framing, confidence=NONE, reasons=reasons)
