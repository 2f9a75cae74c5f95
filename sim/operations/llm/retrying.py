"""Requests that failed on their way are sent again, with the four providers in the same manner.

Their own clients differ: not all of them wait as long as a provider asks with `retry-after`.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import Any

from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, ModelTimeoutError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

_PASSING = (408, 409, 425, 429)  # and all from 500 on
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0  # seconds


class Retrying(WrapperModel):
    """*model*, whose failed requests are sent again up to *retries* times each, as long as the wait that
    this needs ends within *limit* seconds from now."""

    def __init__(self, model: Model, retries: int, limit: float) -> None:
        super().__init__(model)
        self._retries = retries
        self._deadline = time.monotonic() + limit

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer, at the first try or a later one."""
        for attempt in range(self._retries + 1):
            try:
                return await super().request(messages, model_settings, model_request_parameters)
            except ModelAPIError as error:
                await self._wait(attempt, error)
        raise AssertionError  # pragma: no cover, the last try returns or raises

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncIterator[StreamedResponse]:
        """The answer as a stream; what breaks off once it has begun is not asked for again."""
        async with AsyncExitStack() as stack:
            for attempt in range(self._retries + 1):
                opened = super().request_stream(
                    messages, model_settings, model_request_parameters, run_context
                )
                try:
                    response = await stack.enter_async_context(opened)
                    break
                except ModelAPIError as error:
                    await self._wait(attempt, error)
            yield response

    async def _wait(self, attempt: int, error: ModelAPIError) -> None:
        """Wait before the next try. Raises *error* where there is none to be made."""
        seconds = _pause(attempt, error)
        if seconds is None or attempt == self._retries or time.monotonic() + seconds > self._deadline:
            raise error
        await asyncio.sleep(seconds)


def _pause(attempt: int, error: ModelAPIError) -> float | None:
    """Seconds to wait before a request is sent again, None where that is of no use."""
    if isinstance(error, ModelTimeoutError):
        return None
    if isinstance(error, ModelHTTPError):
        if error.status_code not in _PASSING and error.status_code < 500:
            return None
        asked = retry_after(error.headers or {})
        if asked is not None:
            return asked
    wait: float = min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT)
    return wait * random.uniform(0.75, 1.0)  # noqa: S311, so that not all come back at once


def retry_after(headers: dict[str, str], now: float | None = None) -> float | None:
    """The seconds for which a provider asks to wait, None where it does not say so.

    >>> retry_after({"retry-after": "2"})
    2.0
    """
    milliseconds = headers.get("retry-after-ms", "")
    if milliseconds.isdecimal():
        return int(milliseconds) / 1000
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - (time.time() if now is None else now)
        except (ValueError, TypeError):
            return None
    return seconds if 0 <= seconds < float("inf") else None
