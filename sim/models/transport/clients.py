"""The library's client for a choice: its classes, its retries, how it enforces the schema of an answer."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sim.models.errors import LlmUnavailable
from sim.models.transport.providers import INSTALL, Choice, Settings

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model
    from tenacity import RetryCallState


async def load(choice: Choice) -> None:
    """Import what *choice* needs, in a thread: it takes seconds, and a server must not block.
    Raises LlmUnavailable if a package is missing."""
    try:
        await asyncio.to_thread(_classes, choice)
    except ImportError:
        raise LlmUnavailable(f"No language model is available: {INSTALL}") from None


@asynccontextmanager
async def connect(choice: Choice, settings: Settings) -> AsyncIterator[Model]:
    """A client for *choice*, whose packages are loaded."""
    client, provider = _classes(choice)
    url = choice.base_url + choice.row.get("path", "")
    async with _http_client(settings) as http:
        # A client without a key would look for one in the vendor's own variables.
        made = provider(api_key=choice.key or "none", base_url=url, http_client=http)
        yield client(choice.model, provider=made)


def obeys(choice: Choice, model: Model) -> bool:
    """Whether *model* answers by a schema that its sampling obeys; otherwise it calls a tool."""
    row = choice.row
    can = row["answers"] == "schema" and model.profile.get("supports_json_schema_output")
    loose = any(choice.model.endswith(part) or part in choice.base_url for part in row.get("loose", ()))
    return bool(can) and not loose


def _classes(choice: Choice) -> tuple[Any, Any]:
    """The library's classes for the model and its provider; also loads everything else that is slow."""
    _certificates()
    import tenacity  # noqa: F401, the library's retries need it

    found = []
    for room, name in (("models", choice.row["client"]), ("providers", choice.row["provider"])):
        module, _, member = name.partition(".")
        found.append(getattr(import_module(f"pydantic_ai.{room}.{module}"), member))
    return found[0], found[1]


def _http_client(settings: Settings) -> httpx2.AsyncClient:
    """A client that retries requests that failed in transit, after `retry-after` if the provider sends it,
    and only if the wait ends within the time limit; the vendors' own clients differ in this."""
    import httpx2
    import tenacity
    from pydantic_ai.models import create_async_httpx2_client
    from pydantic_ai.retries import AsyncHTTPX2TenacityTransport, RetryConfig, wait_retry_after

    wait = wait_retry_after(tenacity.wait_random_exponential(0.5, max=8), max_wait=float("inf"))
    config = RetryConfig(
        retry=tenacity.retry_if_exception(_passes),
        wait=wait,
        stop=tenacity.stop_any(
            tenacity.stop_after_attempt(settings.retries + 1), tenacity.stop_before_delay(settings.timeout)
        ),
        retry_error_callback=_last,
    )
    wire = httpx2.AsyncHTTPTransport(verify=_certificates())
    return create_async_httpx2_client(transport=AsyncHTTPX2TenacityTransport(config, wire, _check))


@cache
def _certificates() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()


def _check(response: httpx2.Response) -> None:
    if response.status_code in (408, 409, 425, 429) or response.status_code >= 500:
        response.raise_for_status()


def _passes(error: BaseException) -> bool:
    import httpx2

    lost = isinstance(error, httpx2.TransportError) and not isinstance(error, httpx2.TimeoutException)
    return lost or isinstance(error, httpx2.HTTPStatusError)


def _last(state: RetryCallState) -> httpx2.Response:
    """The result of the last try: the HTTP status without its text, or the error."""
    import httpx2

    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, httpx2.HTTPStatusError):
        return httpx2.Response(error.response.status_code, request=error.request)
    assert error is not None  # noqa: S101, narrows the type: only failed tries come here
    raise error
