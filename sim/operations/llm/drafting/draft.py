"""A message from a description: the model proposes an intent, the rules decide."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from sim.operations.generation import Generated
from sim.operations.llm.drafting.compose import compose
from sim.operations.llm.drafting.follow import check, check_message
from sim.operations.llm.drafting.intent import Intent
from sim.operations.llm.drafting.marks import Marked, read
from sim.operations.llm.errors import DescriptionUnusable, LlmFailed
from sim.operations.llm.guard import clean
from sim.operations.llm.prompts import block, fence, generate_instructions
from sim.operations.llm.transport.calls import ask
from sim.operations.llm.transport.providers import MOST_DESCRIPTION, choose

_LONGEST_PLAIN = 2 * MOST_DESCRIPTION  # a character may stand for a whole word


async def draft(
    description: str, *, provider: str | None, model: str | None, version: str, at: datetime | None
) -> Generated:
    """The message that *description* asks for; see `generate_async`."""
    if not description.strip() or len(description) > MOST_DESCRIPTION:
        raise DescriptionUnusable(f"A description has 1 to {MOST_DESCRIPTION} characters")
    choice, settings = choose(provider, model)
    cleaned = clean(description)
    if not cleaned.text.strip() or len(cleaned.text) > _LONGEST_PLAIN:
        raise DescriptionUnusable("The description has no words that can be read, or too many")
    now = at or datetime.now(UTC)
    now = now if now.tzinfo else now.replace(tzinfo=UTC)
    told = read(cleaned)
    made: list[Generated] = []

    def judge(intent: Intent) -> list[str]:
        message, problems = from_intent(intent, told, version=version, now=now, source=choice.source)
        made[:] = [message] if message else []
        return problems

    mark = fence()
    prompt = block(mark, {"description": cleaned.text})
    await ask(choice, settings, generate_instructions(mark, version, now), prompt, Intent, judge)
    if not made:
        raise LlmFailed(f"{choice.source} gave no message")
    return made[0]


def from_intent(
    intent: Intent, told: Marked, *, version: str, now: datetime, source: str
) -> tuple[Generated | None, list[str]]:
    """The message of *intent* as the reading of *told*, and what is wrong with it, as sentences."""
    held = check(intent, told, now)
    reasons = frozenset(
        value for one in held.marks(0, len(told.text)) if one.property == "reason" for value in one.values
    )
    message, problems = compose(intent, reasons=reasons, version=version, now=now, source=source)
    problems = [*held.problems, *problems]
    if message is None:
        return None, list(dict.fromkeys(problems))
    # What is left over says nothing new while the rest is wrong.
    problems = problems or check_message(held, message.message, message.network)
    notes = [*held.notes, *message.notes]
    if intent.beside:
        notes.append(f"Left out, as it concerns no element: {'; '.join(intent.beside)}.")
    return replace(message, notes=tuple(dict.fromkeys(notes))), list(dict.fromkeys(problems))
