"""What a model answers with when it restates a description."""

from __future__ import annotations

from typing import Any

from sim.models.restating import Restated

LISTS = ("then", "details", "also", "aside")
TEXT = "A Visa purchase of 25.50 EUR."


def answer(**fields: Any) -> dict[str, Any]:
    """A whole answer: `none` in every field that is not given."""
    return {name: [] if name in LISTS else "none" for name in Restated.model_fields} | fields


GOOD = answer(purpose="purchase", network="VISA", amount="25.50 EUR")
