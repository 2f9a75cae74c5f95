"""How well a real model reads descriptions: `python tests/llm/evaluate.py [PROVIDER[/MODEL] ...]`.

Without names, every provider that is configured is tried with its default model. Prints a line for each
description that fails and a score for each model; the exit status is 1 when no provider is configured.
Not a test: it asks real models, which costs time and, with hosted ones, money.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from llm.expected import NOW, ROWS, differences

from sim import models as room
from sim.exchanges.plan import UnclearError
from sim.operations import Generated, generate

MESSAGES = tuple(
    generate(kind, network=network, at=NOW, entry="chip").message
    for kind in ("auth", "financial", "reversal")
    for network in ("VISA", "MASTERCARD", "JCB")
)


async def read(row: dict[str, Any], provider: str, model: str | None) -> tuple[str, list[str], str]:
    """What became of one description (right, wrong or refused), what is wrong with it, and what it took."""
    try:
        plan = await room.plan_async(row["description"], provider=provider, model=model, at=NOW)
        run = plan.run()
    except (room.LlmError, UnclearError) as error:
        return "refused", [f"{type(error).__name__}: {error}"], ""
    made = Generated(run.exchange.steps[run.subject].message, run.exchange.network, plan.source)
    problems = differences(made, row["expect"])
    return "wrong" if problems else "right", problems, plan.cost


async def tell(message: Any, provider: str, model: str | None) -> tuple[str, int]:
    """How one explanation came out (its own, the rules', refused), and how many sentences were struck out."""
    try:
        told = await room.explain_async(message, provider=provider, model=model)
    except room.LlmError as error:
        return f"refused: {error}", 0
    own = "the rules'" if told.source == "rules" else "its own"
    return own, sum(one.startswith("~~") for one in told.sentences)


async def score(provider: str, model: str | None) -> None:
    """Try all descriptions and some explanations with one model, and print how it did."""
    begun = time.monotonic()
    name = f"{provider}/{model}" if model else provider
    outcomes: Counter[str] = Counter()
    for row in ROWS:
        outcome, problems, took = await read(row, provider, model)
        outcomes[outcome] += 1
        for figures, word in re.findall(
            r"([0-9,]+) (calls|tokens in|out)", took.replace("one call", "1 calls")
        ):
            outcomes[word] += int(figures.replace(",", ""))
        if problems:
            print(f"{name}  {row['id']}: {outcome}: {'; '.join(problems)}")
    told = [await tell(message, provider, model) for message in MESSAGES]
    seconds = time.monotonic() - begun
    print(
        f"{name}: of {len(ROWS)} descriptions {outcomes['right']} right, {outcomes['wrong']} wrong, "
        f"{outcomes['refused']} refused; {outcomes['calls']} calls, {outcomes['tokens in']} tokens in, "
        f"{outcomes['out']} out; of {len(told)} explanations {sum(own == 'its own' for own, _ in told)} its "
        f"own, {sum(struck for _, struck in told)} sentences struck out; {seconds:.0f} s"
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
