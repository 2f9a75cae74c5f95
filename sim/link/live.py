"""An exchange over a line: each message is made of what came back before it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sim.elements import dates
from sim.errors import OptionError
from sim.exchanges import Exchange, Step, follow
from sim.exchanges.amounts import final_amount, minor_units
from sim.exchanges.following import PARTIAL_REVERSAL
from sim.exchanges.roles import ANSWER, COMPLETION, INCREMENT, LATE, REPEAT, REVERSAL
from sim.link.sent import Sent
from sim.operations.building import in_format

if TYPE_CHECKING:
    from sim.link.client import AsyncClient


class Live:
    """An exchange under way: `made` is what was sent so far and what came back."""

    def __init__(self, client: AsyncClient, network: str | None = None) -> None:
        self.client = client
        self.made = Exchange(network=network)
        self._sent: list[tuple[int, Sent]] = []

    def follow(self, word: str, **options: Any) -> Step:
        """What follows on what was sent, as the line's format has it; see `sim.exchanges.follow`."""
        if word != REPEAT and not options.get("stan"):
            options["stan"] = self.client.next_stan()
        made = follow(self.made, word, at=dates.now(), checked=False, **options)
        return replace(made, message=in_format(made.message, self.client.line.format)[0])

    async def send(self, step: Step, *, timeout: float | None = None, reverse: bool = False) -> Sent:
        """Send *step*, wait for what becomes of it, and take that in."""
        sent = await self.client.send(step.message, timeout=timeout, reverse=reverse)
        at = len(self.made)
        went = datetime.fromtimestamp(sent.sent_at, UTC)
        self.made = self.made.plus(replace(step, message=sent.request, at=went))
        of = step.of if step.role == REPEAT and step.of is not None else at
        if sent.answer is not None:
            came = went + timedelta(seconds=sent.latency or 0)
            self.made = self.made.plus(Step(ANSWER, sent.answer, came, of))
        else:
            self._sent.append((of, sent))
        return sent

    def whole(self) -> Exchange:
        """The exchange, with the answers that came too late after all others."""
        late = [Step(LATE, sent.late, dates.now(), of) for of, sent in self._sent if sent.late is not None]
        return self.made.plus(*late)


async def play(client: AsyncClient, exchange: Exchange, *, timeout: float | None = None) -> Exchange:
    """Send what *exchange* sends, in its order, and give the exchange that comes of it.

    What follows is made anew of the answers that come: approval codes, transaction ids. A step that what came
    leaves nothing to do for, such as the completion of what was declined, ends it, and a note says so. Raises
    as `AsyncClient.send` does.
    """
    live = Live(client, exchange.network)
    for step in exchange.steps:
        if step.is_answer:
            continue
        try:
            again = _again(live, step)
        except OptionError as error:
            live.made = replace(live.made, notes=(f"The {step.role} was not sent: {error}.",))
            break
        await live.send(again, timeout=timeout)
    made = live.whole()
    return replace(made, purpose=exchange.purpose, notes=(*exchange.notes, *made.notes))


def _again(live: Live, step: Step) -> Step:
    """*step* of an exchange that was made, as it follows on what came."""
    stan = step.message.get(11)[-6:]
    if step.role == REVERSAL:
        final = final_amount(step.message) or None
        word = PARTIAL_REVERSAL if final else REVERSAL
        return live.follow(word, amount_minor_units=final, reason=step.reason or None, stan=stan)
    if step.role in (INCREMENT, COMPLETION):
        return live.follow(step.role, amount_minor_units=minor_units(step.message), stan=stan)
    if step.role == REPEAT:
        return live.follow(REPEAT)
    return replace(step, message=in_format(step.message, live.client.line.format)[0])
