"""How well a real model reads descriptions: `python tests/llm/evaluate.py [PROVIDER[/MODEL] ...]`.

Without names, every provider that is configured is tried with its default model. Prints a line for each
description that fails and a score for each model; the exit status is 1 when no provider is configured.
Not a test: it asks real models, which costs time and, with hosted ones, money.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from llm.expected import NOW, ROWS, differences

from sim.operations import generate
from sim.operations import llm as room

MESSAGES = tuple(
    generate(kind, network=network, at=NOW, entry="chip").message
    for kind in ("auth", "financial", "reversal")
    for network in ("VISA", "MASTERCARD", "JCB")
)


async def read(row: dict[str, Any], provider: str, model: str | None) -> list[str]:
    """What is wrong with the message of one description; empty when nothing is."""
    try:
        made = await room.generate_async(row["description"], provider=provider, model=model, at=NOW)
    except room.LlmError as error:
        return [f"{type(error).__name__}: {error}"]
    return differences(made, row["expect"])


async def tell(message: Any, provider: str, model: str | None) -> list[str]:
    """Why one explanation was not given; empty when it was."""
    try:
        await room.explain_async(message, provider=provider, model=model)
    except room.LlmError as error:
        return [f"{type(error).__name__}: {error}"]
    return []


async def score(provider: str, model: str | None) -> None:
    """Try all descriptions and some explanations with one model, and print how it did."""
    begun = time.monotonic()
    name = f"{provider}/{model}" if model else provider
    right = 0
    for row in ROWS:
        wrong = await read(row, provider, model)
        right += not wrong
        if wrong:
            print(f"{name}  {row['id']}: {'; '.join(wrong)}")
    told = 0
    for message in MESSAGES:
        wrong = await tell(message, provider, model)
        told += not wrong
        if wrong:
            print(f"{name}  explain {message.mti}: {'; '.join(wrong)}")
    seconds = time.monotonic() - begun
    print(
        f"{name}: {right} of {len(ROWS)} descriptions, {told} of {len(MESSAGES)} explanations, "
        f"{seconds:.0f} s"
    )


def main(names: list[str]) -> int:
    """Score the models *names*, or the default ones of what is configured."""
    chosen = names or [row.provider for row in room.status() if row.configured]
    for row in room.status():
        if not names and not row.configured:
            print(f"{row.provider}: left out, {row.reason}")
    for name in chosen:
        provider, _, model = name.partition("/")
        asyncio.run(score(provider, model or None))
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
