"""Of what a model writes about a message stands what is known of the message, and nothing else."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from llm.expected import NOW
from llm.wire import Provider
from support import together

import sim
from sim import models as room
from sim.codec import Message, build
from sim.errors import ChoiceError, OptionError
from sim.models.grounding import Ground, Verdict, whole_sentences
from sim.models.telling import Known
from sim.operations import explain, generate, respond, reverse
from sim.operations.anatomy import dissect
from sim.operations.reading import read
from sim.paste.reading import read_text

REQUEST = generate("auth", network="VISA", amount_minor_units=12345, at=NOW, entry="chip").message
DECLINE = respond(REQUEST, "51").message
APPROVAL = respond(REQUEST).message
MESSAGES = {
    "request": REQUEST,
    "decline": DECLINE,
    "approval": APPROVAL,
    "partial": respond(REQUEST, "10", amount_minor_units=8000).message,
    "half": respond(REQUEST.replace(de4="000000250000"), "10", amount_minor_units=125000).message,
    "reversal": reverse(REQUEST).message,
    "rest": reverse(REQUEST, final_amount_minor_units=2345).message,
    "refund": generate("financial", amount_minor_units=12345, purpose="refund", at=NOW).message,
    "small": generate("auth", network="VISA", amount_minor_units=1205, at=NOW).message,
    "yen": generate("auth", network="JCB", amount_minor_units=128000, currency="392", at=NOW).message,
    "echo": generate("echo", at=NOW).message,
    "typed": REQUEST.replace(
        de63="THE AMOUNT IS 999.99 USD. STAN 666666, 31 December at 23:59, REVERSAL, AMEX"
    ),
}
# What a model may write of one of them.
SENTENCES: list[dict[str, str]] = [
    json.loads(line)
    for line in Path(__file__).with_name("sentences.jsonl").read_text(encoding="utf-8").splitlines()
]


def ground(message: Message, language: str = "en") -> Ground:
    """What may be said of *message*."""
    known = Known(dissect(read_text(build(message), message.spec)), explain(message))
    return Ground(known.facts, language)


@together("row", SENTENCES, lambda row: row["text"])
def test_a_sentence_is_supported_false_or_unchecked(row: dict[str, str]) -> None:
    """What restates facts is supported, in a model's own words and those of its language. What they exclude
    is false: another amount, code, number, date, name or decision; links and markup. Advice, what everybody
    knows and words of no table, true or not, are unchecked: neither told as facts nor struck out."""
    verdict, reasons = ground(MESSAGES[row["of"]], row.get("language", "en")).judge(row["text"])
    assert verdict.value == row["verdict"]
    assert verdict is not Verdict.SUPPORTED or reasons == []


def test_a_sentence_ends_where_it_ends() -> None:
    """The point behind a day or within an abbreviation ends none, also where the text comes in pieces."""
    text = "Am 20. November um 9 a.m. UTC gesendet. Code 51. Fertig? Ja.\nGut."
    whole = ["Am 20. November um 9 a.m. UTC gesendet.", "Code 51.", "Fertig?", "Ja."]
    assert whole_sentences(text) == (whole, "Gut.")
    for at in range(len(text)):
        first, held = whole_sentences(text[:at])
        assert first == whole[: len(first)]
        assert [*first, *whole_sentences(held + text[at:])[0]] == whole


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "unit", ["1 ", "10.00 ", "1.2,3'", "*", "a*", "approved ", "genehmigt ", "issuer of the ", "DE 4 "]
)
def test_judging_grows_with_the_sentence_alone(unit: str, language: str) -> None:
    """A model's longest answer as one clause takes a moment."""
    facts = ground(DECLINE, language)
    begun = time.process_time()
    facts.judge(unit * (4400 // len(unit)))
    assert time.process_time() - begun < 0.4


def test_a_number_of_any_length_is_read() -> None:
    """A number with more digits than Python converts is an amount that the message does not have."""
    assert ground(DECLINE).judge(f"The amount is {'1' * 4350} cents.")[0] is Verdict.FALSE


def test_the_explanation_by_rules_may_always_be_said() -> None:
    """Every sentence of the rules stands, for all kinds, versions, networks."""
    for at, kind in enumerate(("auth", "financial", "advice", "reversal", "echo")):
        for version in ("1987", "1993", "2003"):
            network = ("VISA", "MASTERCARD", "AMEX", "JCB")[(at + int(version[3])) % 4]
            made = generate(kind, network=network, version=version, at=NOW).message
            for one in (made, respond(made).message):
                known = ground(one)
                told = [known.judge(text) for text in explain(one).sentences]
                assert [verdict for verdict in told if verdict[0] is not Verdict.SUPPORTED] == []


def test_what_is_not_known_is_struck_out(llm: Provider) -> None:
    """And shown as such; what is neither known nor false comes at the end."""
    llm.then("The issuer declined it: code 51. It was also reported stolen in Paris. Try a smaller amount.")
    told = room.explain(DECLINE, provider="openai")
    assert told.sentences == (
        "The issuer declined it: code 51.",
        "~~It was also reported stolen in Paris.~~",
        "Not checked against the message: Try a smaller amount.",
    )
    assert told.source == "llm:openai/gpt-6-luna"


def test_a_question_and_a_language_are_sent(llm: Provider) -> None:
    """The question as data, the language as an instruction; the answer is held against the message."""
    llm.then("Der Herausgeber hat abgelehnt: Code 51.")
    told = room.explain(DECLINE, provider="openai", ask="Why was it declined?", language="de")
    assert told.summary == "Der Herausgeber hat abgelehnt: Code 51."
    assert "Why was it declined?" in llm.calls[0].text
    assert "Write in German" in llm.calls[0].text
    with pytest.raises(ChoiceError, match="language"):
        room.explain(DECLINE, provider="openai", language="tlh")
    with pytest.raises(OptionError, match="ask"):
        room.explain(DECLINE, provider="openai", ask="why " * 200)
    with pytest.raises(room.CardNumberRefused):
        room.explain(DECLINE, provider="openai", ask="Is 4539 5787 6362 1486 the card?")


def test_a_broken_message_can_be_asked_about(llm: Provider) -> None:
    """What was read of it is shown, and what is wrong with it."""
    broken = read(build(REQUEST)[:-20])
    llm.then("The message breaks off in DE 49.")
    room.explain(broken, provider="openai", ask="Where does it break off?")
    assert "expected" in llm.calls[0].text
    assert "4111111111111111" not in llm.calls[0].text


def test_an_exchange_can_be_asked_about(llm: Provider) -> None:
    """Its messages by their roles; the decision is that of its answers."""
    exchange = sim.exchange(outcome="51", network="VISA", at=NOW, then="")
    llm.then(
        "The issuer declined the request for insufficient funds, code 51. It was approved. Nothing is held."
    )
    told = exchange.ask("What remains held?", provider="openai", language="en")
    assert told.startswith(
        "The issuer declined the request for insufficient funds, code 51. ~~It was approved.~~"
    )
    assert "2: answer" in llm.calls[0].text
    assert "CORNER SHOP" not in llm.calls[0].text
    part = sim.exchange(outcome="partial", network="VISA", at=NOW, amount_minor_units=10_000, then="")
    llm.then(
        "It was approved for 50.00 USD. The whole amount was approved. 50.00 USD must be paid otherwise."
    )
    told = part.ask("How much is missing?", provider="openai")
    assert told.startswith("It was approved for 50.00 USD. Not checked against the message: The whole amount")
    llm.then("Nothing was charged. 99.00 USD remain held.")
    assert exchange.ask("What now?", provider="openai") == "Nothing was charged. ~~99.00 USD remain held.~~"
    llm.then("A lie about 77.77 EUR.")
    assert exchange.ask("Why?", provider="openai") == exchange.iso.summary


@pytest.mark.parametrize("kind", ["auth", "financial"])
def test_what_is_sent_of_a_message_is_short(llm: Provider, kind: str) -> None:
    """A token is about four characters: at most 1,200 for a withdrawal by chip and PIN."""
    llm.then("This is a request.")
    made = generate(kind, network="VISA", purpose="cash", entry="chip", details={"pin": True}, at=NOW)
    room.explain(made.message, provider="openai")
    assert len("".join(one["content"] for one in llm.calls[0].body["messages"])) < 4 * 1200


def test_differences_can_be_asked_about(llm: Provider) -> None:
    """A model is shown the elements that differ, of either message."""
    table = sim.diff(APPROVAL, DECLINE)
    llm.then("In b DE 39 is 51 (insufficient funds). In a DE 39 is 00. The amount is 99.99 USD.")
    told = table.ask("Why was the second one declined?", provider="google")
    assert told == "In b DE 39 is 51 (insufficient funds). In a DE 39 is 00. ~~The amount is 99.99 USD.~~"
    llm.then("In a DE 39 is 51. In b it is 51.")
    told = table.ask("Which one was declined?", provider="google")
    assert told == "In b it is 51. Not checked against the message: In a DE 39 is 51."
    llm.then("In b DE 39 is 51. In a the amount is 123.45 USD, in b as well.")
    told = table.ask("And the amounts?", provider="google")
    assert told == (
        "In b DE 39 is 51. Not checked against the message: In a the amount is 123.45 USD, in b as well."
    )
    assert "differing" in llm.calls[0].text
    assert "Systems trace audit number" not in llm.calls[0].text


def test_texts_of_strangers_stand_behind_names(llm: Provider) -> None:
    """A model writes the name, and the program fills it in."""
    llm.then("{where} It has {DE43}.")
    told = room.explain(REQUEST, provider="openai")
    assert told.summary == (
        "It took place at CORNER SHOP, NEW YORK, United States (terminal TERM0001, merchant "
        "MERCHANT0000001), merchant category 5411 (Groceries and supermarkets). It has DE 43 (card acceptor "
        "name/location)."
    )
    assert "CORNER SHOP" not in llm.calls[0].text


def test_an_answer_of_any_length_is_read_at_once(llm: Provider) -> None:
    """One that is too long is cut."""
    llm.then("The amount is 123.45 USD. " * 1000)
    told = room.explain(REQUEST, provider="openai")
    assert len(told.sentences) == 4400 // len("The amount is 123.45 USD.")
