"""One call of a model: concurrency, time limit, repairs, and errors as `LlmError`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sim.models.errors import LlmError, LlmFailed, LlmTimeout
from sim.models.guard import safe_line
from sim.models.transport.clients import connect, load, obeys
from sim.models.transport.providers import Choice, Settings

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

    _Agent = Agent["_Judge | None", Any]

Check = Callable[[Any], list[str]]
# The problems of an answer, from the answer and its response.
_Judge = Callable[[Any, Any], list[str]]

# Agents and limiters of concurrent calls, by event loop: loops cannot share them.
_OF_LOOPS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, Any]] = WeakKeyDictionary()
_PROBLEMS_SHOWN = 4
_LEAST_SHOWN = Decimal("0.0001")  # dollars
# The answers of this process, so nobody pays twice for the same question.
_ANSWERED: dict[tuple[Any, ...], Answered] = {}
_MOST_ANSWERED = 64


@dataclass(frozen=True, slots=True)
class Answered:
    """A model's answer, and its cost in words: calls, tokens, and the price if known."""

    output: Any
    cost: str


async def ask(
    choice: Choice,
    settings: Settings,
    instructions: str,
    prompt: str,
    output: type,
    check: Check,
    question: str,
) -> Answered:
    """The model's answer once *check* finds no problems. Problems go back to the model, as often as
    *settings* allow. A *question* with an answer in the cache is not asked again. Raises LlmFailed,
    LlmTimeout or LlmUnavailable."""
    key = choice, settings.effort, output, question
    if (known := _ANSWERED.get(key)) and not check(known.output):
        return replace(known, cost="Answered from the cache, without a call.")
    last: list[str] = []

    def judge(answer: Any, response: Any) -> list[str]:
        last[:] = _broken_off(choice, response) or map(safe_line, check(answer))
        return last

    async with _agent(choice, settings, output, last) as (agent, model, limits):
        run = await agent.run(
            prompt,
            model=model,
            instructions=instructions,
            deps=judge,
            model_settings=limits,
            retries={"output": settings.repairs},
        )
        used = run.usage
        calls = f"{used.requests} calls" if used.requests > 1 else "one call"
        price = f", about ${used.cost:.4f}" if used.cost and used.cost >= _LEAST_SHOWN else ""
        made = Answered(
            run.output,
            f"Asked {choice.source.removeprefix('llm:')}: {calls}, {used.input_tokens:,} tokens in, "
            f"{used.output_tokens:,} out{price}.",
        )
    while len(_ANSWERED) >= _MOST_ANSWERED:
        _ANSWERED.pop(next(iter(_ANSWERED)))
    _ANSWERED[key] = made
    return made


def forget() -> None:
    """Clear the cache of answers."""
    _ANSWERED.clear()


async def stream(choice: Choice, settings: Settings, instructions: str, prompt: str) -> AsyncIterator[str]:
    """The model's text as it arrives. Closing the iterator cancels the request. Raises as `ask` does."""
    queue: asyncio.Queue[str | LlmError | None] = asyncio.Queue()

    async def produce() -> None:
        try:
            async with (
                _agent(choice, settings, str, []) as (agent, model, limits),
                agent.run_stream(
                    prompt, model=model, instructions=instructions, model_settings=limits
                ) as run,
            ):
                async for text in run.stream_text(delta=True, debounce_by=None):
                    queue.put_nowait(text)
                if problems := _broken_off(choice, run.response):
                    raise LlmFailed(f"{choice.source} gave nothing usable: {problems[0]}", tuple(problems))
            queue.put_nowait(None)
        except LlmError as error:
            queue.put_nowait(error)

    # The request runs in a separate task: its time limit must not hit the consumer of the text.
    task = asyncio.create_task(produce())
    try:
        while (item := await queue.get()) is not None:
            if isinstance(item, LlmError):
                raise item
            yield item
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _broken_off(choice: Choice, response: Any) -> list[str]:
    """Why an answer is incomplete, as a sentence for the model. Raises LlmFailed if it was withheld."""
    reason = getattr(response, "finish_reason", None)
    if reason in ("content_filter", "error"):
        raise LlmFailed(f"{choice.provider} refused to answer or stopped early")
    return ["The answer was cut off at the ceiling on tokens: write less"] if reason == "length" else []


@asynccontextmanager
async def _agent(
    choice: Choice, settings: Settings, output: type, last: list[str]
) -> AsyncIterator[tuple[_Agent, Model, ModelSettings]]:
    """The agent, the model and the limits of a call; the time limit covers waiting for a turn, retries and
    repairs. *last* are the problems of the last answer; the library's errors become `LlmError`."""
    await load(choice)
    try:
        async with asyncio.timeout(settings.timeout), connect(choice, settings) as model:
            from pydantic_ai.settings import ModelSettings

            limits = ModelSettings(timeout=settings.timeout, max_retries=0, max_tokens=settings.max_tokens)
            if settings.effort:
                limits["thinking"] = settings.effort  # type: ignore[typeddict-item]  # checked where it is read
            native = output is not str and obeys(choice, model)
            yield _prepared(output, native, settings.concurrency), model, limits
    except LlmError:
        raise
    except Exception as error:  # noqa: BLE001, whatever the library raises, the call has failed
        raise _failure(choice, settings, last, error) from None


def _prepared(output: type, native: bool, limit: int) -> _Agent:
    """The agent of this event loop for an *output*, with at most *limit* concurrent calls; *native*: the
    model's sampling obeys its schema. Made once, because building the schema takes longer than the rest of a
    call; each call passes its model, prompt and judge."""
    from pydantic_ai import Agent, ConcurrencyLimiter, ModelRetry, NativeOutput, RunContext

    of_loop = _OF_LOOPS.setdefault(asyncio.get_running_loop(), {})
    if (kind := (output, native, limit)) not in of_loop:
        turns = of_loop.setdefault(limit, ConcurrencyLimiter(limit))
        asks: Any = NativeOutput(output, strict=True) if native else output
        agent: _Agent = Agent(output_type=asks, max_concurrency=turns)
        of_loop[kind] = agent

        async def judge(context: RunContext[_Judge | None], answer: Any) -> Any:
            if context.deps and (wrong := context.deps(answer, context.messages[-1])):
                raise ModelRetry("This cannot be used:\n" + "\n".join(f"- {text}" for text in wrong))
            return answer

        agent.output_validator(judge)
    made: _Agent = of_loop[kind]
    return made


def _failure(choice: Choice, settings: Settings, last: list[str], error: Exception) -> LlmError:
    """*error* as an `LlmError`, without what the provider sent, which may quote the prompt or the key."""
    from pydantic_ai import exceptions

    if isinstance(error, (TimeoutError, exceptions.ModelTimeoutError)):
        return LlmTimeout(f"{choice.provider} did not answer within {settings.timeout:g} seconds")
    if isinstance(error, exceptions.ModelHTTPError):
        return LlmFailed(f"{choice.provider} answered with status {error.status_code}")
    if isinstance(error, exceptions.ModelAPIError):
        return LlmFailed(f"{choice.provider} could not be reached or stopped in the middle of its answer")
    if isinstance(error, exceptions.ContentFilterError):
        return LlmFailed(f"{choice.provider} refused to answer")
    form = _form_problems(error)
    problems = tuple(form or last)
    said = "; ".join(problems[:_PROBLEMS_SHOWN])
    if form or not problems:
        said = f"no answer in the requested format: {said or type(error).__name__}"
        return LlmFailed(f"{choice.source} gave {said}", problems)
    return LlmFailed(f"{choice.source} gave nothing usable: {said}", problems)


def _form_problems(error: BaseException) -> list[str]:
    """How an answer violates the schema, without any of its values."""
    from pydantic import ValidationError

    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ValidationError):
        cause = cause.__cause__ or cause.__context__
    problems = []
    for one in cause.errors(include_input=False, include_url=False) if cause else ():
        known = one["type"] != "extra_forbidden"
        place = ".".join(str(part) for part in one["loc"]) if known else ""
        problems.append(safe_line(f"`{place}`: {one['msg']}" if place else one["msg"]))
    return problems
