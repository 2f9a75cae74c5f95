"""Questions about tables of several messages, answered by a language model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.paste.reading import Reading


def answer(
    parts: Iterable[tuple[str, Reading]],
    told: str,
    question: str,
    *,
    language: str,
    provider: str | None,
    model: str | None,
    differing: Iterable[int] = (),
) -> str:
    """What a model answers to *question* about messages: *parts* are what each is called and how it was read,
    *told* what the rules say, *differing* the elements in which two differ. Raises as `sim.explain` does."""
    from sim import models
    from sim.models.telling import Together

    asked = Together(tuple(parts), told, frozenset(differing))
    return models.explain(asked, provider=provider, model=model, ask=question, language=language).summary
