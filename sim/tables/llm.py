"""`sim.llm`: the language models that can be used, as a table."""

from __future__ import annotations

from sim import models as llm
from sim.tables.reference import ReferenceTable
from sim.tables.tables import Table, columns_of

__all__ = ["status"]


def __dir__() -> list[str]:
    return __all__


def status() -> Table:
    """List the language model providers, and whether each is configured. Nothing is sent anywhere.

    Returns
    -------
    Table
        A row per provider: `provider`, `configured` (yes or no), the `model` and `base_url` that a call would
        use, and the `reason` if it is not configured.

    Examples
    --------
    >>> import sim
    >>> sim.llm.status()["provider"].tolist()
    ['anthropic', 'openai', 'google', 'ollama']
    """
    rows = [
        (row.provider, "yes" if row.configured else "no", row.model, row.base_url, row.reason)
        for row in llm.status()
    ]
    return ReferenceTable(columns_of(("provider", "configured", "model", "base_url", "reason"), rows))
