"""What became of a message that a client sent; and how often one that was not answered is sent again, and
after what: the rows of `data/timeouts.csv`. The reversal that follows is
`sim.operations.answering.reverse`'s, its repeat the same under the next MTI (0401, 0421, 1421).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sim.codec import Message
from sim.elements import mti as mtis
from sim.operations.choosing import chosen_network
from sim.spec import is_particular
from sim.spec.networks import answer
from sim.spec.tables import read_csv, read_toml


@dataclass(frozen=True, slots=True)
class TimeOut:
    """One row: `tries` counts the first sending and its repeats, `waits` are the seconds before each repeat
    (none: at once)."""

    tries: int
    waits: tuple[float, ...]
    source: str

    def wait(self, attempt: int) -> float:
        """Seconds before repeat *attempt*, from 1; the last wait holds for all after it."""
        return self.waits[min(attempt, len(self.waits)) - 1] if self.waits else 0.0


@cache
def timeout_of(version: str) -> TimeOut:
    """The row of a version.

    >>> timeout_of("1987").tries
    3
    """
    row = next(row for row in read_csv("timeouts") if version in row["versions"].split("|"))
    return TimeOut(int(row["tries"]), tuple(map(float, row["waits"].split())), row["source"])


ANSWERED, TIMED_OUT, LOST, UNSENT = "answered", "timed out", "lost", "not sent"
_REVERSAL = "4"  # message class
_AMOUNT = 4
_REPEATED: tuple[int, ...] = tuple(read_toml("link")["keys"]["repeated"])


@dataclass(slots=True, repr=False)
class Sent:
    """A request and what came of it. `status` is answered, timed out, lost (the connection went down while
    its answer was awaited) or not sent; `sent_at` in seconds since 1970 (UTC), `latency` in seconds;
    `sent` how many times it was sent, repeats included. `late` is an answer that came after its time,
    `reversal` what undid the request.
    """

    request: Message
    status: str = UNSENT
    answer: Message | None = None
    sent_at: float = 0.0
    latency: float | None = None
    sent: int = 0
    note: str = ""
    late: Message | None = None
    reversal: Sent | None = None

    def __repr__(self) -> str:
        said = f"{self.request.mti} {self.request.get(11)}, {self.status}"
        said += f": {self.answer.mti} with {self.code}" if self.answer else ""
        said += f", late {self.late.mti} with {self.late.get(39)}" if self.late else ""
        return f"Sent({said}{f', then {self.reversal}' if self.reversal else ''})"

    @property
    def told(self) -> str:
        """What became of it, in words."""
        words = self.status
        if self.answer is not None:
            known = answer(self.code, self.answer.version, chosen_network(self.answer, None))
            meaning = known.meaning if known else "response code"
            words += f": {self.answer.mti}" + (f", {meaning} ({self.code})" if self.code else "")
            words += "" if self.latency is None else f" in {self.latency * 1000:.1f} ms"
        words += f" ({self.note})" if self.note else ""
        return words + (f"; its reversal: {self.reversal.told}" if self.reversal else "")

    @property
    def code(self) -> str:
        """The response code (DE 39), empty where there is no answer."""
        return self.answer.get(39) if self.answer else ""

    @property
    def misfit(self) -> str:
        """What the answer should repeat of its request, and has otherwise; empty where there is nothing. A
        part that was approved is another amount."""
        answer, request = self.answer, self.request
        if answer is None:
            return ""
        sent, came = request.fields, answer.fields
        wrong = [at for at in _REPEATED if at in came and at in sent and came[at].strip() != sent[at].strip()]
        if _AMOUNT in wrong and is_particular("partial", answer.version, self.code):
            wrong.remove(_AMOUNT)
        return f"not as in the request: DE {', '.join(map(str, wrong))}" if wrong else ""

    @property
    def answered(self) -> bool:
        """Whether its answer came, in its time."""
        return self.status == ANSWERED

    @property
    def settled(self) -> bool:
        """Whether both sides agree: it was answered, or undone, or never sent. What tells of the past (an
        advice, a reversal) is settled by an answer that comes late, too; a request is not: it was given up.
        """
        if self.answered or not self.sent:
            return True
        told = self if tells_of_the_past(self.request) else self.reversal
        return told is not None and (told.answered or told.late is not None)


def tells_of_the_past(message: Message) -> bool:
    """Whether *message* tells what has happened, as advices and reversals do: it is repeated, not undone."""
    return mtis.is_advice(message.mti) or message.mti[1] == _REVERSAL
