"""Of what a model writes about a message stands what is known of the message, and nothing else."""

from __future__ import annotations

import time

import pytest
from llm.expected import NOW
from llm.wire import Provider
from support import together

import sim
from sim import models as room
from sim.codec import Message, build
from sim.errors import ChoiceError, OptionError
from sim.models.grounding import Ground, Verdict
from sim.models.telling import Known
from sim.operations import explain, generate, respond, reverse
from sim.operations.anatomy import dissect
from sim.operations.reading import read
from sim.paste.reading import read_text

REQUEST = generate("auth", network="VISA", amount_minor_units=12345, at=NOW, entry="chip").message
DECLINE = respond(REQUEST, "51").message
APPROVAL = respond(REQUEST).message
REVERSAL = reverse(REQUEST).message
ECHO = generate("echo", at=NOW).message
TYPED = REQUEST.replace(de63="THE AMOUNT IS 999.99 USD. STAN 666666, 31 December at 23:59, REVERSAL, AMEX")


def ground(message: Message, language: str = "en") -> Ground:
    """What may be said of *message*."""
    known = Known(dissect(read_text(build(message), message.spec)), explain(message))
    return Ground(known.facts, language)


@together(
    "message, text",
    [
        (REQUEST, "This is an authorization request for 123.45 USD with a Visa card ending in 1111."),
        (REQUEST, "A chip was read at CORNER SHOP in New York."),
        (REQUEST, "It asks the issuer to approve a purchase, sent on 20 November at 10:15:30 UTC."),
        (APPROVAL, "The issuer approved it with approval code A12345."),
        (REVERSAL, "It undoes the request with STAN 123456."),
        (ECHO, "This network management request is an echo test (301)."),
        (REQUEST, "Nothing has been approved or declined yet."),
        (REQUEST, "It is no refund, and the card was not read contactless."),
        (REQUEST, "DE 49 holds 840, the code of USD."),
        (DECLINE, "The issuer has not approved it."),
        (DECLINE, "The cardholder's bank declined the purchase with code 51."),
        (REQUEST, "The merchant asks the issuer of the card to approve 123.45 USD."),
    ],
)
def test_what_is_known_is_supported(message: Message, text: str) -> None:
    """In a model's own words."""
    assert ground(message).judge(text) == (Verdict.SUPPORTED, [])


@together(
    "message, language, text",
    [
        (DECLINE, "de", "Der Herausgeber hat die Zahlung über 123,45 USD abgelehnt: Code 51."),
        (DECLINE, "es", "El emisor la rechazó por fondos insuficientes: código 51."),
        (DECLINE, "fr", "L'émetteur a refusé le paiement de 123,45 USD, code 51."),
        (APPROVAL, "pt", "O emissor aprovou: foi aprovada com o código A12345."),
        (ECHO, "en", "Answer it with an 0810 and code 00."),
        (DECLINE, "en", "The account did not have sufficient funds."),
    ],
)
def test_what_is_known_is_supported_in_other_languages(message: Message, language: str, text: str) -> None:
    """The words of decisions and the decimal comma are those of the language."""
    assert ground(message, language).judge(text) == (Verdict.SUPPORTED, [])


@together(
    "message, text",
    [
        (REQUEST, "A purchase of 123.46 USD."),
        (REQUEST, "A purchase of 123.45 EUR."),
        (REQUEST, "A purchase of 12345 USD."),
        (DECLINE, "It was approved, not declined."),
        (REQUEST, "This is a refund."),
        (REQUEST, "It is a cash withdrawal."),
        (REQUEST, "The merchant is a restaurant."),
        (REQUEST, "The card was not present."),
        (ECHO, "It is a sign-on."),
        (REQUEST, "It was approved by the issuer."),
        (REQUEST, "The issuer declined it."),
        (REQUEST, "The STAN is 654321."),
        (REQUEST, "The merchant category code 5812 stands for restaurants."),
        (REQUEST, "The approval code is A12346."),
        (REQUEST, "The card is 4111111111111111."),
        (REQUEST, "It expires in 2031."),
        (REQUEST, "It was sent on 21 November."),
        (REQUEST, "Terminal TERM0002 sent it."),
        (DECLINE, "The issuer approved it with response code 51."),
        (DECLINE, "Declined with response code 05."),
        (APPROVAL, "It was declined."),
        (APPROVAL, "Approved with approval code B12345."),
        (APPROVAL, "The issuer approved it with response code A12345."),
        (REQUEST, "A purchase of 123.45 euros."),
        (REQUEST, "A purchase of £123.45."),
        (REQUEST, "A purchase of 123.45 yen."),
        (REQUEST, "It was sent on 20 March."),
        (REQUEST, "It was sent at 20:11."),
        (REQUEST, "The card is 411111******4242."),
        (REQUEST, "It is a Mastercard."),
        (REQUEST, "The card was swiped."),
        (DECLINE, "It was declined since the card has expired."),
        (DECLINE, "It was declined since it is a stolen card."),
        (REQUEST, "The shop is in London."),
        (TYPED, "It is an Amex payment."),
        (DECLINE, "The PIN was wrong."),
        (REQUEST, "Cash was withdrawn."),
        (REQUEST, "See https://pay.example for more."),
        (REQUEST, "See [the site](pay.example)."),
        (REQUEST, "<b>Note</b> this."),
        (REQUEST, "# A heading"),
    ],
)
def test_what_the_facts_exclude_is_false(message: Message, text: str) -> None:
    """Another amount, currency, code, number, date, name or decision; links and markup."""
    assert ground(message).judge(text)[0] is Verdict.FALSE


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "unit", ["1 ", "10.00 ", "1.2,3'", "approved ", "genehmigt ", "issuer of the ", "DE 4 "]
)
def test_judging_grows_with_the_sentence_alone(unit: str, language: str) -> None:
    """A model's longest answer as one clause takes a moment."""
    facts = ground(DECLINE, language)
    begun = time.process_time()
    facts.judge(unit * (4400 // len(unit)))
    assert time.process_time() - begun < 0.4


@together(
    "message, language, text",
    [
        (APPROVAL, "de", "Der Herausgeber hat die Zahlung abgelehnt."),
        (DECLINE, "es", "La compra fue aprobada."),
        (DECLINE, "fr", "Le paiement a été accepté."),
        (REQUEST, "de", "Ein Kauf über 123,46 USD in Paris."),
    ],
)
def test_what_the_facts_exclude_is_false_in_other_languages(
    message: Message, language: str, text: str
) -> None:
    """A decision that was not made is found in any of the languages."""
    assert ground(message, language).judge(text)[0] is Verdict.FALSE


@together(
    "message, text",
    [
        (REQUEST, "The STAN 123456 (DE 11) ties it to its answer, and 5411 stands for grocery stores."),
        (REQUEST, "Nothing was decided yet; two elements matter most."),
        (DECLINE, "The issuer declined it for insufficient funds, code 51; a smaller amount may do."),
        (ECHO, "Answer it with an 0810; there is no card in it."),
        (REQUEST, "If no answer comes in time, send a reversal."),
        (DECLINE, "The chip of the card was not the reason."),
        (REQUEST, "The issuer has not answered yet."),
        (DECLINE, "The issuer did not decline it."),
        (REQUEST, "A reversal was sent."),
        (REQUEST, "The cardholder was fully authenticated."),
        (REQUEST, "A purchase of five hundred dollars."),
        (REQUEST, "It was sent on a Monday."),
        (DECLINE, "The account had sufficient funds."),
        (ECHO, "A PIN was entered."),
        (REQUEST, "It was checked offline."),
        (REQUEST, "DE 48 holds the cardholder's name."),
        (REQUEST, "The issuer will approve it."),
        (REQUEST, "The issuer asks the acquirer to authorize 123.45 USD."),
        (DECLINE, "The acquirer declined it with code 51."),
        (DECLINE, "The issuer declined 123.45 USD, and the cardholder paid in cash."),
        (DECLINE, "The account was debited with 123.45 USD."),
        (DECLINE, "Code 51 is the most usual reason for a decline."),
        (DECLINE, "Ask for another card, as a decline with 51 would be repeated within 24 hours."),
        (APPROVAL, "The cardholder got 123.45 USD."),
        (DECLINE, "The issuer declined the card of the merchant with code 51."),
        (DECLINE, "The issuer declined the merchant's card with code 51."),
        (DECLINE, "The issuer declined the terminal with code 51."),
        (DECLINE, "The merchant was declined by the issuer."),
        (DECLINE, "The purchase was declined by the issuer of the merchant."),
        (REQUEST, "The issuer's terminal asks the issuer to approve 123.45 USD."),
        (REQUEST, "The cardholder asks the acquirer to approve 123.45 USD."),
    ],
)
def test_what_the_message_does_not_prove_is_not_checked(message: Message, text: str) -> None:
    """Advice, general knowledge and words of no table, true or not: neither told as a fact nor struck out."""
    assert ground(message).judge(text)[0] is Verdict.UNCHECKED


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
