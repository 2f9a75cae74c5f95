"""The outcome of a message that a client sent; and how often, and after which delays, an unanswered one is
repeated: the rows of `data/timeouts.csv`. `sim.operations.answering.reverse` makes the reversal; its repeat
is the same message with the next MTI (0401, 0421, 1421)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sim.codec import Message
from sim.elements import mti as mtis
from sim.elements.card import chosen_network
from sim.spec import is_particular
from sim.spec.networks import answer
from sim.spec.tables import read_csv, read_toml


@dataclass(frozen=True, slots=True)
class TimeOut:
    """One row: `tries` counts the first attempt and its repeats; `waits` are the seconds before each repeat
    (none: at once)."""

    tries: int
    waits: tuple[float, ...]
    source: str

    def wait(self, attempt: int) -> float:
        """Seconds before repeat *attempt*, from 1; the last wait also applies to all later ones."""
        return self.waits[min(attempt, len(self.waits)) - 1] if self.waits else 0.0


@cache
def timeout_of(version: str) -> TimeOut:
    """The row for a version.

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
    """A request and its outcome. `status` is answered, timed out, lost (the connection failed before the
    response) or not sent; `sent_at` in seconds since 1970 (UTC), `latency` in seconds; `sent` is how many
    times it was sent, including repeats. `late` is a response that arrived after the timeout, `reversal` the
    reversal of the request."""

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
        text = f"{self.request.mti} {self.request.get(11)}, {self.status}"
        text += f": {self.answer.mti} with {self.code}" if self.answer else ""
        text += f", late {self.late.mti} with {self.late.get(39)}" if self.late else ""
        return f"Sent({text}{f', then {self.reversal}' if self.reversal else ''})"

    @property
    def told(self) -> str:
        """The outcome, in words."""
        words = self.status
        if self.answer is not None:
            row = answer(self.code, self.answer.version, chosen_network(self.answer, None))
            meaning = row.meaning if row else "response code"
            words += f": {self.answer.mti}" + (f", {meaning} ({self.code})" if self.code else "")
            words += "" if self.latency is None else f" in {self.latency * 1000:.1f} ms"
        words += f" ({self.note})" if self.note else ""
        return words + (f"; its reversal: {self.reversal.told}" if self.reversal else "")

    @property
    def code(self) -> str:
        """The response code (DE 39), empty if there is no response."""
        return self.answer.get(39) if self.answer else ""

    @property
    def misfit(self) -> str:
        """The elements that differ between the request and the response, which should repeat them; empty if
        none do. A partial approval may have another amount."""
        answer, request = self.answer, self.request
        if answer is None:
            return ""
        sent, back = request.fields, answer.fields
        wrong = [at for at in _REPEATED if at in back and at in sent and back[at].strip() != sent[at].strip()]
        if _AMOUNT in wrong and is_particular("partial", answer.version, self.code):
            wrong.remove(_AMOUNT)
        return f"not as in the request: DE {', '.join(map(str, wrong))}" if wrong else ""

    @property
    def answered(self) -> bool:
        """Whether the response arrived in time."""
        return self.status == ANSWERED

    @property
    def settled(self) -> bool:
        """Whether both sides agree: it was answered, reversed, or never sent. A late response settles an
        advice or a reversal, which report the past, but not a request that was given up."""
        if self.answered or not self.sent:
            return True
        report = self if tells_of_the_past(self.request) else self.reversal
        return report is not None and (report.answered or report.late is not None)


def tells_of_the_past(message: Message) -> bool:
    """Whether *message* reports what has already happened (an advice or a reversal), so that it is repeated
    rather than reversed."""
    return mtis.is_advice(message.mti) or message.mti[1] == _REVERSAL
