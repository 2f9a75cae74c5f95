"""The check that schemathesis is given: see `contract`."""

from __future__ import annotations

from typing import Any

import schemathesis
from contract import refusal_is_expected


@schemathesis.check
def expected_refusals(ctx: Any, response: Any, case: Any) -> None:
    """A request that keeps to the schema is answered, or refused for a reason that the interface names."""
    mode = case.meta.generation.mode if case.meta else None
    good = getattr(mode, "value", mode) == "positive"
    body = response.json() if response.content and response.status_code == 422 else None
    assert refusal_is_expected(response.status_code, body, good=good), (response.status_code, body)
