"""How language models are used: limits, from the environment (`SIM_LLM_*`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

MOST_DESCRIPTION = 2000  # characters, as the interface has it


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of one call. `timeout` is in seconds, for the whole of it: waiting for a turn, retries and
    repairs included. `retries` are those of a request that failed on its way, `repairs` those of an
    answer that was not usable. `max_tokens` bounds one answer. `concurrency` bounds the calls under way
    at once in one process."""

    provider: str | None = None
    model: str | None = None
    timeout: float = 30.0
    retries: int = 2
    repairs: int = 2
    max_tokens: int = 4096
    concurrency: int = 4


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings that *environment* (by default the process's own) asks for. Raises ValueError for a
    limit that is no number above 0 (`SIM_LLM_RETRIES` may be 0).

    >>> from_environment({"SIM_LLM_TIMEOUT": "5"}).timeout
    5.0
    """
    given = os.environ if environment is None else environment
    default = Settings()
    return Settings(
        provider=given.get("SIM_LLM_PROVIDER", "").strip() or None,
        model=given.get("SIM_LLM_MODEL", "").strip() or None,
        timeout=_number(given, "SIM_LLM_TIMEOUT", default.timeout, 0.001),
        retries=int(_number(given, "SIM_LLM_RETRIES", default.retries, 0)),
        max_tokens=int(_number(given, "SIM_LLM_MAX_TOKENS", default.max_tokens, 1)),
        concurrency=int(_number(given, "SIM_LLM_CONCURRENCY", default.concurrency, 1)),
    )


def _number(given: Mapping[str, str], name: str, default: float, least: float) -> float:
    text = given.get(name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = least - 1
    if not least <= value < float("inf"):
        raise ValueError(f"{name} must be a number of {least:g} or more")
    return value
