"""One call of a model: its turn, its time, its retries, and its errors as ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sim.operations.llm.clients import load, make_model
from sim.operations.llm.errors import LlmError, LlmFailed, LlmTimeout
from sim.operations.llm.providers import Choice
from sim.operations.llm.settings import Settings

if TYPE_CHECKING:
    from pydantic_ai import Agent

Check = Callable[[Any], list[str]]

# The calls under way, by event loop and limit: one loop serves all requests of a process.
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, asyncio.Semaphore]] = WeakKeyDictionary()
_PROBLEMS_SHOWN = 4


async def ask(
    choice: Choice,
    settings: Settings,
    instructions: str,
    prompt: str,
    output: Any,
    check: Check,
    repairs: int,
) -> Any:
    """The model's answer, once *check* has nothing against it. What it has goes back to the model, at
    most *repairs* times. Raises LlmFailed, LlmTimeout or LlmUnavailable."""
    last: list[str] = []
    async with _turn(settings), _errors(choice, settings, last):
        from pydantic_ai import ModelRetry, RunContext, UsageLimits

        agent = _agent(choice, settings, instructions, output, repairs)

        async def judge(context: RunContext[None], answer: Any) -> Any:
            last[:] = _broken_off(choice, context.messages[-1]) or check(answer)
            if last:
                raise ModelRetry("This cannot be used:\n" + "\n".join(f"- {text}" for text in last))
            return answer

        agent.output_validator(judge)
        limits = UsageLimits(request_limit=repairs + 1)
        async with agent:
            return (await agent.run(prompt, usage_limits=limits)).output
    raise AssertionError  # pragma: no cover, the block above returns or raises


async def stream(choice: Choice, settings: Settings, instructions: str, prompt: str) -> AsyncIterator[str]:
    """The model's text as it comes. Closing the iterator cancels the request. Raises as `ask` does."""
    queue: asyncio.Queue[str | LlmError | None] = asyncio.Queue()
    # The request runs in a task of its own: its time limit must not strike whoever reads the text.
    task = asyncio.create_task(_produce(queue, choice, settings, instructions, prompt))
    try:
        while (item := await queue.get()) is not None:
            if isinstance(item, LlmError):
                raise item
            yield item
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _produce(
    queue: asyncio.Queue[str | LlmError | None],
    choice: Choice,
    settings: Settings,
    instructions: str,
    prompt: str,
) -> None:
    try:
        async with _turn(settings), _errors(choice, settings, []):
            agent = _agent(choice, settings, instructions, str, 0)
            async with agent, agent.run_stream(prompt) as run:
                async for text in run.stream_text(delta=True, debounce_by=None):
                    queue.put_nowait(text)
                if problems := _broken_off(choice, run.response):
                    raise LlmFailed(f"{choice.source} gave nothing usable: {problems[0]}", tuple(problems))
        queue.put_nowait(None)
    except LlmError as error:
        queue.put_nowait(error)


def _broken_off(choice: Choice, response: Any) -> list[str]:
    """Why an answer is not whole, as a sentence for the model. Raises LlmFailed where it was withheld."""
    reason = getattr(response, "finish_reason", None)
    if reason in ("content_filter", "error"):
        raise LlmFailed(f"{choice.provider} refused to answer, or broke off")
    return ["The answer was cut off at the ceiling on tokens: write less"] if reason == "length" else []


def _agent(
    choice: Choice, settings: Settings, instructions: str, output: Any, repairs: int
) -> Agent[None, Any]:
    from pydantic_ai import Agent
    from pydantic_ai.settings import ModelSettings

    from sim.operations.llm.retrying import Retrying

    limits = ModelSettings(timeout=settings.timeout, max_retries=0, max_tokens=settings.max_tokens)
    return Agent(
        Retrying(make_model(choice), settings.retries, settings.timeout),
        output_type=output,
        instructions=instructions,
        retries={"output": repairs},
        model_settings=limits,
    )


@asynccontextmanager
async def _turn(settings: Settings) -> AsyncIterator[None]:
    """Wait for a turn within the time limit, then hold it; the limit covers both."""
    loop = asyncio.get_running_loop()
    turns = _TURNS.setdefault(loop, {}).setdefault(
        settings.concurrency, asyncio.Semaphore(settings.concurrency)
    )
    try:
        async with asyncio.timeout(settings.timeout), turns:
            yield
    except TimeoutError:
        raise LlmTimeout(f"The language model did not answer within {settings.timeout:g} seconds") from None


@asynccontextmanager
async def _errors(choice: Choice, settings: Settings, last: list[str]) -> AsyncIterator[None]:
    """The library's errors as ours. What a provider sent stays out: it may quote the prompt or the key."""
    await load(choice)
    from pydantic_ai import exceptions

    try:
        yield
    except exceptions.ModelTimeoutError:
        raise LlmTimeout(f"{choice.provider} did not answer within {settings.timeout:g} seconds") from None
    except exceptions.ModelHTTPError as error:
        raise LlmFailed(f"{choice.provider} answered with status {error.status_code}") from None
    except exceptions.ModelAPIError:
        raise LlmFailed(f"{choice.provider} could not be reached, or broke off its answer") from None
    except exceptions.ContentFilterError:
        raise LlmFailed(f"{choice.provider} refused to answer") from None
    except LlmError:
        raise
    except Exception as error:  # noqa: BLE001, whatever an answer does to the library, the call has failed
        raise _unusable(choice, last, error) from None


def _unusable(choice: Choice, last: list[str], error: Exception) -> LlmFailed:
    """The failure that says what was wrong with the last answer."""
    form = _form_problems(error)
    problems = tuple(form or last)
    said = "; ".join(problems[:_PROBLEMS_SHOWN])
    if form or not problems:
        text = f"{choice.source} gave no answer in the form asked for: {said or type(error).__name__}"
        return LlmFailed(text, problems)
    return LlmFailed(f"{choice.source} gave nothing usable: {said}", problems)


def _form_problems(error: BaseException) -> list[str]:
    """What an answer had against the schema, without any of its values."""
    from pydantic import ValidationError

    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ValidationError):
        cause = cause.__cause__ or cause.__context__
    problems = []
    for one in cause.errors(include_input=False, include_url=False) if cause else ():
        known = one["type"] != "extra_forbidden"
        place = ".".join(str(part) for part in one["loc"]) if known else ""
        problems.append(f"`{place}`: {one['msg']}" if place else one["msg"])
    return problems
