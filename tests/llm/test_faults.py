"""What providers do wrong, and what becomes of it."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import time

import pytest
from llm.expected import NOW
from llm.quotes import said
from llm.wire import Does, Provider
from support import turns

from sim.errors import ParseError
from sim.operations import generate
from sim.operations import llm as room

TEXT = "A Visa purchase of 25.50 EUR."
GOOD = said(network=("VISA", "Visa"), amount=("25.50", "25.50 EUR"), currency=("EUR", "EUR"))
JOKE = GOOD | said(kind=("joke", "Visa"))
RAW = generate("auth", at=NOW).raw
ANSWER = "This is {kind} for {amount}."
TOLD = "This is an authorization request for 10.00 USD."


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_a_provider_that_hangs_is_a_timeout(
    llm: Provider, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    """The time limit holds for the whole call, retries included; what it takes to import is not of it."""
    llm.then(GOOD)
    room.generate(TEXT, provider=provider)
    monkeypatch.setenv("SIM_LLM_TIMEOUT", "0.3")
    llm.then(Does(hang=True))
    begun = time.monotonic()
    with pytest.raises(room.LlmTimeout, match=r"0\.3 seconds"):
        room.generate(TEXT, provider=provider)
    assert time.monotonic() - begun < 30
    assert room.LlmTimeout.type == "llm_timeout"


@pytest.mark.parametrize("provider", room.PROVIDERS)
@pytest.mark.parametrize("status", [429, 500])
def test_a_fault_that_passes_is_tried_again(llm: Provider, provider: str, status: int) -> None:
    """A rate limit with its waiting time, or an internal error, once: the next try succeeds."""
    llm.then(Does(status=status, headers={"retry-after-ms": "10"}), GOOD)
    assert room.generate(TEXT, provider=provider).message[4] == "000000002550"
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
    """Each request of a call has its own tries; a call has no more than three requests that arrive."""
    passing = Does(status=503, headers={"retry-after-ms": "10"})
    llm.then(passing, JOKE, passing, JOKE, passing, JOKE, GOOD)
    with pytest.raises(room.LlmFailed, match=r"`kind\.value`: Input should be"):
        room.generate(TEXT, provider=provider)
    assert len(llm.calls) == 6


@pytest.mark.parametrize("provider", room.PROVIDERS)
@pytest.mark.parametrize(("ends", "words"), [("cut", "ceiling on tokens"), ("withheld", "refused to answer")])
def test_an_answer_that_is_not_whole_is_not_taken(
    llm: Provider, provider: str, ends: str, words: str
) -> None:
    """One that the ceiling on tokens or a filter of the provider cut short, though what came is right."""
    llm.then(Does(ANSWER, ends=ends))
    with pytest.raises(room.LlmFailed, match=words):
        room.explain(RAW, provider=provider)
    with pytest.raises(room.LlmFailed, match=words):
        asyncio.run(streamed(provider, []))
    llm.then(Does(GOOD, ends=ends))
    with pytest.raises(room.LlmFailed, match=words):
        room.generate(TEXT, provider=provider)


@pytest.mark.parametrize(
    ("told", "given"),
    [
        ("  \n ", []),
        ("This is {kind}.\nIt was approved. By the issuer.", ["This is an authorization request. "]),
        ("It is for {amount}. And for\n99.00 USD.", ["It is for 10.00 USD. "]),
        ("\ud800", []),
    ],
)
def test_what_is_streamed_is_checked_with_what_came_before(
    llm: Provider, told: str, given: list[str]
) -> None:
    """What is no statement of slots ends the text; nothing at all is a failure."""
    llm.then(told)
    pieces: list[str] = []
    with pytest.raises(room.LlmFailed):
        asyncio.run(streamed("anthropic", pieces))
    assert pieces == given


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
        room.generate(TEXT, provider=provider)


@pytest.mark.parametrize(
    ("provider", "what"), turns(room.PROVIDERS, ["refusal", "wrong value", "wrong type", "extra"])
)
def test_an_answer_that_stays_wrong_stops_after_two_repairs(llm: Provider, provider: str, what: str) -> None:
    """A refusal or an answer against the schema is asked for again twice, then it is a failure that says
    what was wrong, and none of the answer's values."""
    answer, wrong = {
        "refusal": ("I cannot help with payment messages.", "Invalid JSON"),
        "wrong value": (JOKE, "`kind.value`: Input should be 'auth'"),
        "wrong type": (said(amount=(25.5, "25.50")), "`amount.value`: Input should be a valid string"),
        "extra": (said(pan=("4111111111111111", "Visa")), "Extra inputs are not permitted"),
    }[what]
    llm.then(answer)
    with pytest.raises(room.LlmFailed, match=f"in the form asked for: .*{wrong}") as caught:
        room.generate(TEXT, provider=provider)
    assert len(llm.calls) == 3
    assert not any(value in str(caught.value) for value in ("4111", "joke", "25.5"))


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_findings_go_back_to_the_model(llm: Provider, provider: str) -> None:
    """An intent whose message breaks a rule is mended by what the rules said of it."""
    text = TEXT + " Name of the shop: Extraordinarily Long Shop Names and Daughters, London, UK."
    place = said(merchant_city=("London", "London"), merchant_country=("GB", "UK"))
    names = ("Extraordinarily Long Shop Names and Daughters", "Extraordinarily Long Shop")
    llm.then(*(GOOD | place | said(merchant_name=(name, name)) for name in names))
    made = room.generate(text, provider=provider)
    assert made.message[43].startswith("Extraordinarily Long Shop")
    assert len(llm.calls) == 2
    assert "at most 25 characters" in llm.calls[1].text


def test_what_was_wrong_is_in_the_failure(llm: Provider) -> None:
    """After two repairs the error says why the last answer was not taken."""
    llm.then(GOOD | said(currency=("ABC", "EUR")))
    with pytest.raises(room.LlmFailed, match="`currency`: the value does not follow") as caught:
        room.generate(TEXT, provider="openai")
    assert len(llm.calls) == 3
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301, our own
    assert (str(again), again.problems) == (str(caught.value), caught.value.problems)


def test_a_summary_that_misstates_is_repaired(llm: Provider) -> None:
    """A wrong amount is told to the model; one that stays wrong is a failure."""
    wrong = "This is {kind} for 100.00 USD."
    llm.then(wrong, ANSWER)
    assert room.explain(RAW, provider="anthropic").summary == TOLD
    assert len(llm.calls) == 2
    assert "may stand, not: 100.00, USD" in llm.calls[1].text
    llm.calls.clear()
    llm.then(wrong)
    with pytest.raises(room.LlmFailed, match=r"not: 100\.00, USD"):
        room.explain(RAW, provider="anthropic")
    assert len(llm.calls) == 3


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
        room.generate(TEXT)
    assert "secret" not in str(caught.value)


def test_only_so_many_calls_are_under_way(llm: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls beyond the limit are sent when one ends."""
    monkeypatch.setenv("SIM_LLM_CONCURRENCY", "2")
    monkeypatch.setenv("SIM_LLM_TIMEOUT", "60")
    llm.then(Does(GOOD, slow=True))

    async def run() -> list[int]:
        tasks = [asyncio.create_task(room.generate_async(TEXT, provider="openai")) for _ in range(5)]
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
        llm.then("This is {kind}. It carries {DE11}. It is for {amount}.")
        pieces = room.stream_explain(RAW, provider="openai")
        first = await anext(pieces)
        await pieces.aclose()  # type: ignore[attr-defined]
        llm.then(ANSWER)
        return first, (await room.explain_async(RAW, provider="openai")).summary

    assert asyncio.run(read_one()) == ("This is an authorization request. ", TOLD)


def test_the_waiting_calls_work_inside_a_running_loop(llm: Provider) -> None:
    """As in a notebook cell, where a loop is already running in the thread."""
    llm.then(ANSWER)

    async def cell() -> str:
        return room.explain(RAW, provider="google").summary

    assert asyncio.run(cell()) == TOLD


def test_nothing_heavy_is_loaded_until_a_model_is_asked_for() -> None:
    """The room, its status and a refused call load neither the library nor pydantic."""
    code = """
import sys
from sim.operations import llm
llm.status()
try:
    llm.generate("An echo test.")
except llm.LlmUnavailable:
    print(*sorted({"pydantic", "pydantic_ai", "openai", "anthropic", "google.genai"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
