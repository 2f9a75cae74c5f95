"""What providers do wrong, and what becomes of it."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import time

import pytest
from llm.answers import GOOD, TEXT, answer
from llm.expected import NOW
from llm.wire import Does, Provider
from support import turns

from sim import models as room
from sim.errors import ParseError
from sim.models.transport import calls
from sim.operations import explain, generate

JOKE = GOOD | {"kind": "joke"}
RAW = generate("auth", at=NOW).raw
TOLD = "This is an authorization request for 10.00 USD."
RULES = explain(RAW).summary


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_a_provider_that_hangs_is_a_timeout(
    llm: Provider, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    """The time limit holds for the whole call, retries included; what it takes to import is not of it."""
    llm.then(GOOD)
    room.plan(TEXT, provider=provider)
    calls.forget()
    monkeypatch.setenv("SIM_LLM_TIMEOUT", "0.3")
    llm.then(Does(hang=True))
    begun = time.monotonic()
    with pytest.raises(room.LlmTimeout, match=r"0\.3 seconds"):
        room.plan(TEXT, provider=provider)
    assert time.monotonic() - begun < 30
    assert room.LlmTimeout.type == "llm_timeout"


@pytest.mark.parametrize("provider", room.PROVIDERS)
@pytest.mark.parametrize("status", [429, 500])
def test_a_fault_that_passes_is_tried_again(llm: Provider, provider: str, status: int) -> None:
    """A rate limit with its waiting time, or an internal error, once: the next try succeeds."""
    llm.then(Does(status=status, headers={"retry-after-ms": "10"}), GOOD)
    assert room.plan(TEXT, provider=provider).asked.options["amount_minor_units"] == 2550
    assert len(llm.calls) == 2


@pytest.mark.parametrize("provider", room.PROVIDERS)
@pytest.mark.parametrize("wait", ["3600", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_wait_that_is_too_long_is_not_begun(llm: Provider, provider: str, wait: str) -> None:
    """A provider that asks for more time than there is has failed, at once; it is not asked before."""
    llm.then(Does(status=429, headers={"retry-after": wait}))
    with pytest.raises(room.LlmFailed, match=f"{provider} answered with status 429"):
        room.explain(RAW, provider=provider)
    assert len(llm.calls) == 1


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_tries_of_a_request_and_repairs_of_an_answer_do_not_multiply(llm: Provider, provider: str) -> None:
    """Each request of a call has its own tries; a call has no more than two requests that arrive."""
    passing = Does(status=503, headers={"retry-after-ms": "10"})
    llm.then(passing, JOKE, passing, JOKE, passing, GOOD)
    with pytest.raises(room.LlmFailed, match="`kind`: Input should be"):
        room.plan(TEXT, provider=provider)
    assert len(llm.calls) == 4


@pytest.mark.parametrize("provider", room.PROVIDERS)
@pytest.mark.parametrize(("ends", "words"), [("cut", "ceiling on tokens"), ("withheld", "refused to answer")])
def test_an_answer_that_is_not_whole_is_not_taken(
    llm: Provider, provider: str, ends: str, words: str
) -> None:
    """One that the ceiling on tokens or a filter of the provider cut short, though what came is right."""
    llm.then(Does(TOLD, ends=ends))
    with pytest.raises(room.LlmFailed, match=words):
        room.explain(RAW, provider=provider)
    with pytest.raises(room.LlmFailed, match=words):
        asyncio.run(streamed(provider, []))
    llm.then(Does(GOOD, ends=ends))
    with pytest.raises(room.LlmFailed, match=words):
        room.plan(TEXT, provider=provider)


@pytest.mark.parametrize(
    ("told", "given"),
    [
        ("  \n ", [RULES]),
        ("This is a request.\nIt was approved. By 99.", ["This is a request. ", "~~It was approved.~~ ",
                                                        "~~By 99.~~"]),
        ("\ud800", ["~~?~~ ", RULES]),
    ],
)  # fmt: skip
def test_what_is_streamed_is_checked_sentence_by_sentence(llm: Provider, told: str, given: list[str]) -> None:
    """What is not known of the message is struck out; where nothing stands, the rules speak."""
    llm.then(told)
    pieces: list[str] = []
    asyncio.run(streamed("anthropic", pieces))
    assert [piece.replace("\ud800", "?") for piece in pieces] == given


async def streamed(provider: str, pieces: list[str]) -> None:
    """Put what is streamed into *pieces*."""
    async for piece in room.stream_explain(RAW, provider=provider):
        pieces.append(piece)


@pytest.mark.parametrize(("provider", "status"), turns(room.PROVIDERS, [400, 401, 404, 429, 500, 529]))
def test_a_fault_that_stays_is_a_failure(
    llm: Provider, monkeypatch: pytest.MonkeyPatch, provider: str, status: int
) -> None:
    """The error names provider and status, and nothing that was sent or received."""
    monkeypatch.setenv("SIM_LLM_RETRIES", "0")
    llm.then(Does(status=status))
    with pytest.raises(room.LlmFailed, match=f"{provider} answered with status {status}") as caught:
        room.explain(RAW, provider=provider)
    assert "as the test wants" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert len(llm.calls) == 1


@pytest.mark.parametrize(
    ("provider", "raw"), turns(room.PROVIDERS, ["{not json", "", "[]", '{"choices": [], "content": null}'])
)
@pytest.mark.filterwarnings("ignore:Some responses omitted usage information")
def test_an_answer_out_of_form_is_a_failure(llm: Provider, provider: str, raw: str) -> None:
    """Whatever a provider sends instead of its format, the call fails and nothing else."""
    llm.then(Does(raw=raw))
    with pytest.raises(room.LlmFailed):
        room.plan(TEXT, provider=provider)


@pytest.mark.parametrize(
    ("provider", "what"), turns(room.PROVIDERS, ["refusal", "wrong value", "wrong type", "extra"])
)
def test_an_answer_that_stays_wrong_stops_after_a_repair(llm: Provider, provider: str, what: str) -> None:
    """A refusal or an answer against the schema is asked for again, then it is a failure that says
    what was wrong, and none of the answer's values."""
    given, wrong = {
        "refusal": ("I cannot help with payment messages.", "Invalid JSON"),
        "wrong value": (JOKE, "`kind`: Input should be 'none'"),
        "wrong type": (answer(amount=25.5), "`amount`: Input should be a valid string"),
        "extra": (answer(pan="4111111111111111"), "Extra inputs are not permitted"),
    }[what]
    llm.then(given)
    with pytest.raises(room.LlmFailed, match=f"in the requested format: .*{wrong}") as caught:
        room.plan(TEXT, provider=provider)
    assert len(llm.calls) == 2
    assert not any(value in str(caught.value) for value in ("4111", "joke", "25.5"))


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_what_is_wrong_goes_back_to_the_model(llm: Provider, provider: str) -> None:
    """What the rules do not understand, a number that is lost, one that is made up: it is mended by them."""
    text = TEXT + " Trace number 777, whatsoever."
    llm.then(
        GOOD | {"details": ["frobnicate", "STAN 778"]},
        GOOD | {"details": ["STAN 777"], "aside": ["whatsoever"]},
    )
    plan = room.plan(text, provider=provider)
    assert plan.asked.options["stan"] == "000777"
    assert len(llm.calls) == 2
    for said in ("does not understand: frobnicate", "number 777 of the description is missing",
                 "number 778 is not in the description"):  # fmt: skip
        assert said in llm.calls[1].text


def test_what_was_wrong_is_in_the_failure(llm: Provider) -> None:
    """After a repair the error says why the last answer was not taken."""
    llm.then(GOOD | {"amount": "25.50 USD"})
    with pytest.raises(room.LlmFailed, match="`currency`: the description says EUR") as caught:
        room.plan(f"{TEXT} Whatsoever.", provider="openai")
    assert len(llm.calls) == 2
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301, our own
    assert (str(again), again.problems) == (str(caught.value), caught.value.problems)


def test_nothing_is_asked_for_a_text_that_is_no_message(llm: Provider) -> None:
    """A message that does not parse is the parser's error; no model is asked."""
    with pytest.raises(ParseError):
        room.explain("0100ZZ", provider="openai")
    assert llm.calls == []


def test_a_provider_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused connection is a failure, without the address's credentials."""
    monkeypatch.setenv("OLLAMA_HOST", "http://user:secret@127.0.0.1:9")
    monkeypatch.setenv("SIM_LLM_RETRIES", "0")
    with pytest.raises(room.LlmFailed, match="ollama could not be reached") as caught:
        room.plan(TEXT)
    assert "secret" not in str(caught.value)


def test_only_so_many_calls_are_under_way(llm: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls beyond the limit are sent when one ends."""
    monkeypatch.setenv("SIM_LLM_CONCURRENCY", "2")
    monkeypatch.setenv("SIM_LLM_TIMEOUT", "60")
    llm.then(Does(GOOD, slow=True))

    async def run() -> list[int]:
        tasks = [asyncio.create_task(room.plan_async(TEXT, provider="openai")) for _ in range(5)]
        seen = []
        for sent in (2, 3, 4, 5, 5):
            while len(llm.calls) < sent:
                await asyncio.to_thread(llm.hanging.acquire)
            seen.append(len(llm.calls))
            llm.go()
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            tasks = [task for task in tasks if not task.done()]
        return seen

    assert asyncio.run(run()) == [2, 3, 4, 5, 5]


def test_waiting_too_long_for_a_turn_is_a_timeout(llm: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that gets no turn within its time is not sent."""
    monkeypatch.setenv("SIM_LLM_CONCURRENCY", "1")
    llm.then(Does(hang=True))

    async def run() -> None:
        monkeypatch.setenv("SIM_LLM_TIMEOUT", "60")
        first = asyncio.create_task(room.explain_async(RAW, provider="openai"))
        await asyncio.to_thread(llm.hanging.acquire)
        monkeypatch.setenv("SIM_LLM_TIMEOUT", "0.05")
        with pytest.raises(room.LlmTimeout):
            await room.explain_async(RAW, provider="openai")
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first

    asyncio.run(run())
    assert len(llm.calls) == 1


def test_closing_a_stream_cancels_it_and_frees_its_turn(
    llm: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who stops reading ends the request; the next call gets the turn."""
    monkeypatch.setenv("SIM_LLM_CONCURRENCY", "1")

    async def read_one() -> tuple[str, str]:
        llm.then("This is an authorization request. Its STAN is 123456. It is for 10.00 USD.")
        pieces = room.stream_explain(RAW, provider="openai")
        first = await anext(pieces)
        await pieces.aclose()  # type: ignore[attr-defined]
        llm.then(TOLD)
        return first, (await room.explain_async(RAW, provider="openai")).summary

    assert asyncio.run(read_one()) == ("This is an authorization request. ", TOLD)


def test_the_waiting_calls_work_inside_a_running_loop(llm: Provider) -> None:
    """As in a notebook cell, where a loop is already running in the thread."""
    llm.then(TOLD)

    async def cell() -> str:
        return room.explain(RAW, provider="google").summary

    assert asyncio.run(cell()) == TOLD


def test_nothing_heavy_is_loaded_until_a_model_is_asked_for() -> None:
    """The room, its status and a refused call load neither the library nor pydantic."""
    code = """
import sys
from sim import models as llm
llm.status()
try:
    llm.plan("An echo test.")
except llm.LlmUnavailable:
    print(*sorted({"pydantic", "pydantic_ai", "openai", "anthropic", "google.genai"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
