"""An explanation says of its message what the program says of it, and nothing else."""

from __future__ import annotations

from llm.expected import NOW
from support import together

from sim.codec import Message
from sim.operations import explain, generate, respond, reverse, validate
from sim.operations.llm.drafting.marks import read
from sim.operations.llm.guard import Cleaned
from sim.operations.llm.prompts import explain_instructions, fence
from sim.operations.llm.telling.slots import Slot, slots
from sim.operations.llm.telling.tell import _words, check_text, filled
from sim.operations.numbers import SMALL

REQUEST = generate("auth", network="VISA", amount_minor_units=12345, at=NOW, entry="chip").message
DECLINE = respond(REQUEST, "51").message
APPROVAL = respond(REQUEST).message
REVERSAL = reverse(REQUEST).message
ECHO = generate("echo", at=NOW).message
TYPED = REQUEST.replace(de63="THE AMOUNT IS 999.99 USD. STAN 666666, 31 December at 23:59, REVERSAL, AMEX")
INSTRUCTIONS = explain_instructions(fence(), ["a", "the"])

ENTRIES = ("manual", "stripe", "chip", "contactless", "ecommerce")
PURPOSES = ("purchase", "cash", "cashback", "refund", "balance")


def known(message: Message) -> dict[str, Slot]:
    """The slots of *message*."""
    return slots(message, explain(message).network, validate(message))


@together(
    "message, text, says",
    [
        (REQUEST, "This is {kind} ({MTI}) for {amount}, with {card}.",
         "This is an authorization request (MTI 0100) for 123.45 USD, with a Visa card 411111******1111."),
        (REQUEST, "{all.when}. It carries {DE11} and {DE22}.",
         "The merchant's local time was 20 November, 05:15:30; the message was sent on 20 November, 10:15:30 "
         "UTC. It carries systems trace audit number (STAN) 123456 and point of service entry mode 051."),
        (REQUEST, "It names {merchant}, with {DE18} and {DE41}.",
         "It names CORNER SHOP, NEW YORK, United States, with merchant's type (merchant category code) 5411 "
         "and card acceptor terminal identification TERM0001."),
        (DECLINE, "{all.outcome}.",
         "The issuer declined it: response code 51, insufficient funds. A smaller amount, another day "
         "or another card may do."),
        (DECLINE, "{DE39} says {DE39.meaning}.", "Response code 51 says insufficient funds."),
        (APPROVAL, "Here is {DE39} with {DE38}.",
         "Here is response code 00 with authorization identification response A12345."),
        (REVERSAL, "{kind} concerns {DE90.meaning}.",
         "A reversal request concerns MTI 0100, STAN 123456, 20 November, 10:15:30, acquirer 123456."),
        (ECHO, "{kind} of {version} is shown with {DE70}, {DE70.meaning}.",
         "A network management request of ISO 8583:1987 is shown with network management information code "
         "301, echo test."),
        (REQUEST, "The message is {verdict}.", "The message is valid by the rules."),
    ],
)  # fmt: skip
def test_slots_are_filled_from_the_message(message: Message, text: str, says: str) -> None:
    """Phrases, elements with their names, meanings, whole sentences; the words between them stay."""
    assert check_text(text, known(message)) == []
    assert " ".join(filled(text, known(message))) == says


@together(
    "message, text",
    [
        (REQUEST, "A purchase of 123.46 USD."),
        (REQUEST, "A purchase of 123.45 EUR."),
        (REQUEST, "A purchase of 12345 USD."),
        (REQUEST, "It was approved by the issuer."),
        (REQUEST, "The issuer declined it."),
        (REQUEST, "The STAN is 654321."),
        (REQUEST, "STAN 5411 ties it to its answer."),
        (REQUEST, "The merchant category code 5812 stands for restaurants."),
        (REQUEST, "The merchant category code is 0840."),
        (REQUEST, "The approval code is A12345."),
        (REQUEST, "Response code 00 was given."),
        (REQUEST, "The card is 4111111111111111."),
        (REQUEST, "It expires in 2031."),
        (REQUEST, "It was sent on 21 November."),
        (REQUEST, "Terminal TERM0002 sent it."),
        (DECLINE, "The issuer approved it with response code 51."),
        (DECLINE, "Declined with response code 05."),
        (APPROVAL, "It was declined."),
        (APPROVAL, "Approved with approval code B12345."),
        (REQUEST, "A purchase of 123.45 euros."),
        (REQUEST, "A purchase of £123.45."),
        (REQUEST, "A purchase of 123.45 yen."),
        (REQUEST, "A purchase of 123.45k USD."),
        (REQUEST, "A purchase of five hundred dollars."),
        (REQUEST, "A purchase of twelve dollars fifty."),
        (REQUEST, "The amount is 840."),
        (REQUEST, "It was sent on 10 November."),
        (REQUEST, "It was sent on 20 March."),
        (REQUEST, "It was sent on a Monday."),
        (REQUEST, "It was sent at 20:11."),
        (REQUEST, "It was sent at 10:15 pm."),
        (REQUEST, "The card is 411111******4242."),
        (REQUEST, "The card ends in 1120."),
        (REQUEST, "It is a Mastercard."),
        (REQUEST, "The card was swiped."),
        (REQUEST, "A refund of 123.45 USD."),
        (REQUEST, "This is a reversal."),
        (REQUEST, "This is an authorization response."),
        (REQUEST, "POS entry mode 07 was used."),
        (REQUEST, "The STAN is 12."),
        (REQUEST, "Terminal ID 5411 sent it."),
        (REQUEST, "RC 51 was given."),
        (REQUEST, "It has code 51."),
        (REQUEST, "DE 39 says so."),
        (REQUEST, "No doubt it was approved."),
        (REQUEST, "This approved payment went through."),
        (REQUEST, "Approved."),
        (DECLINE, "The issuer gave its approval."),
        (DECLINE, "The transaction was successful."),
        (DECLINE, "The issuer honored the request."),
        (DECLINE, "It was declined since the card has expired."),
        (DECLINE, "It was declined since the card is stolen."),
        (APPROVAL, "The issuer denied it."),
        (APPROVAL, "The transaction failed."),
        (TYPED, "The amount is 999.99 USD."),
        (TYPED, "It was sent on 31 December at 23:59."),
        (TYPED, "The STAN is 666666."),
        (TYPED, "It is a reversal of an Amex payment."),
        (REQUEST, "  "),
        (REQUEST, "See https://pay.example for more."),
        (REQUEST, "See [the site](pay.example)."),
        (REQUEST, "<b>Note</b> this."),
        (REQUEST, "# A heading"),
        (REQUEST, "word " * 500),
        (
            REQUEST,
            INSTRUCTIONS[:100],
        ),
    ],
)
def test_false_statements_and_other_texts_do_not(message: Message, text: str) -> None:
    """Another amount, currency, code, number or decision; links, markup, endless text, the instructions."""
    assert check_text(text, known(message))


@together(
    "message, text",
    [
        (APPROVAL, "{kind} was declined."),
        (APPROVAL, "It is not so that {all.outcome}."),
        (APPROVAL, "Nobody knows of {DE39.meaning}."),
        (DECLINE, "{DE39.meaning} was never sent."),
        (DECLINE, "It is hardly {verdict}."),
        (DECLINE, "{kind} is no answer."),
        (REQUEST, "It is {DE39.meaning}."),
        (REQUEST, "It carries {DE99} and {DE55.value}."),
        (REQUEST, "{card} is of Mastercard."),
        (REQUEST, "{amount} was paid twice."),
        (DECLINE, "{amount} was taken from {card}."),
        (DECLINE, "{amount} went to {merchant}."),
        (REQUEST, "The amount is {DE18}."),
        (REQUEST, "The issuer sent it with {amount}."),
        (REQUEST, "It is about {amount} or more."),
        (REQUEST, "It is {amount}\u200b9."),
        (REQUEST, "It is \u0663 {amount}."),
        (REQUEST, "It is {amount} on Tuesday."),
        (REQUEST, "{amount} \ud800."),
        (REQUEST, "{amount}<script>."),
        (REQUEST, "{{amount}}."),
        (REQUEST, "{ amount }."),
        (REQUEST, "The message is so."),
    ],
)
def test_slots_do_not_help_to_say_what_is_false(message: Message, text: str) -> None:
    """Denied, turned round, under another name, with a number behind it, of an element that is not there."""
    assert check_text(text, known(message))


def test_no_word_between_slots_states_anything() -> None:
    """The list holds no digit, no number, no negation, and none of the words in which a message is told."""
    words = _words()
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
    assert not words & set(SMALL)
    assert not words & {"no", "not", "never", "none", "nor", "neither", "without", "but", "or", "from", "to"}
    assert {one.property for word in words for one in read(Cleaned(word, ())).marks} <= {"when"}


def test_the_explanation_by_rules_can_be_told_of_every_message() -> None:
    """Every sentence of the rules is a slot of its own, for all kinds, versions, networks."""
    for kind in ("auth", "financial", "advice", "reversal", "echo"):
        for version in ("1987", "1993", "2003"):
            for network in ("VISA", "MASTERCARD", "AMEX", "JCB"):
                for entry, purpose in zip(ENTRIES, PURPOSES, strict=True):
                    money = 0 if purpose == "balance" else 1250
                    made = generate(kind, network=network, version=version, at=NOW, entry=entry,
                                    purpose=purpose, amount_minor_units=money)  # fmt: skip
                    for one in (made.message, respond(made.message).message):
                        have = known(one)
                        text = " ".join(f"{{{name}}}." for name in have if have[name].whole)
                        assert check_text(text, have) == []
                        assert " ".join(filled(text, have)) == explain(one).summary


def test_an_answer_of_any_length_is_read_at_once() -> None:
    """One that is too long is not read at all."""
    assert check_text("{amount} " * 10**6, known(REQUEST)) == ["Write at most 220 words"]
