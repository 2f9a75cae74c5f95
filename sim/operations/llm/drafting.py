"""Generate from a description: the model proposes an intent, the rules decide."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

from sim.masking import mask_text
from sim.operations.generation import Generated
from sim.operations.llm.calls import ask
from sim.operations.llm.cards import clean
from sim.operations.llm.clients import load, structured
from sim.operations.llm.compose import compose
from sim.operations.llm.errors import DescriptionUnusable, LlmFailed
from sim.operations.llm.ground import check_intent, check_message, notes_of
from sim.operations.llm.intent import Intent
from sim.operations.llm.prompts import block, fence, generate_instructions
from sim.operations.llm.providers import choose
from sim.operations.llm.settings import MOST_DESCRIPTION

_LONGEST_PROBLEM = 200
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
    if now.tzinfo is None:
        now = now.replace(tzinfo=UTC)
    made: list[Generated] = []

    def check(intent: Intent) -> list[str]:
        made.clear()
        problems = check_intent(intent, cleaned)
        message, found = compose(intent, version=version, now=now, source=choice.source)
        problems += found
        if message is not None:
            # What is left over says nothing new while the rest is wrong.
            problems = problems or check_message(message.message, message.network, intent, cleaned)
            made.append(replace(message, notes=(*notes_of(intent, cleaned), *message.notes)))
        return [_shown(text) for text in dict.fromkeys(problems)]

    mark = fence()
    prompt = block(mark, {"description": cleaned.text})
    instructions = generate_instructions(mark, version, now)
    await load(choice)
    form = structured(choice, Intent)
    await ask(choice, settings, instructions, prompt, form, check, settings.repairs)
    if not made:
        raise LlmFailed(f"{choice.source} gave no message")
    return made[0]


def _shown(text: str) -> str:
    """A problem as it may be shown and sent: one line, without long runs of digits."""
    return mask_text(re.sub(r"\s+", " ", text))[:_LONGEST_PROBLEM]
