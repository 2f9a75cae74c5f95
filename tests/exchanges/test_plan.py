"""Descriptions read by rules: what they make, what they leave open, and that nothing is guessed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import some

import sim
from sim.codec import Message, ParseError, parse
from sim.exchanges.composing import plan_of
from sim.exchanges.plan import Run, UnclearError
from sim.spec.codes import FUNDS, code_list, currencies
from sim.spec.networks import NETWORKS, default_card, response_codes_of

VECTORS = Path(__file__).parents[1] / "vectors" / "descriptions.jsonl"
# MTIs, and of their elements: `4=...` is, `43*...` has, `2~4` starts with, `52+` is there, `22!` is not.
CONDITION = re.compile(r"(\d+)([=~*+!])(.*)")
CHECKS = {
    "=": lambda value, text: value == text,
    "~": lambda value, text: bool(value) and value.startswith(text),
    "*": lambda value, text: text in value.upper(),
    "+": lambda value, text: bool(value),
    "!": lambda value, text: not value,
}


def _messages(made: Run) -> list[Message | None]:
    """The messages; None for one that cannot be read to its end."""
    found: list[Message | None] = []
    for at, one in enumerate(made.exchange.messages):
        try:
            found.append(parse(made.texts[at], one.version) if at in made.texts else one)
        except ParseError:
            found.append(None)
    return found


def _misfits(message: Message | None, wanted: str) -> list[str]:
    mti, *conditions = wanted.split(" ")
    if mti in ("?", "*"):
        return []
    if message is None:
        return ["cannot be read"]
    wrong = [] if re.fullmatch(mti.replace("02?", "0[12]"), message.mti) else [message.mti]
    for condition in filter(None, conditions):
        number, check, text = CONDITION.fullmatch(condition).groups()  # type: ignore[union-attr]
        if not CHECKS[check](message.get(int(number)), text):
            wrong.append(condition)
    return wrong


def test_descriptions_make_what_they_say() -> None:
    """Each description gives its messages, or says what it leaves open (`U`)."""
    wrong = []
    for line in some(VECTORS.read_text(encoding="utf-8").splitlines(), 1):
        text, wanted = (row := json.loads(line))["text"], row["messages"]
        try:
            made = _messages(plan_of(text).run())
        except UnclearError as error:
            wrong += [f"{text}: {error}"] if wanted != "U" else []
            continue
        messages = wanted.split("|")
        if wanted == "U" or (wanted != "*" and len(messages) != len(made)):
            wrong.append(f"{text}: {[one and one.mti for one in made]}")
        elif wanted != "*":
            wrong += [f"{text}: {misfits}" for one, want in zip(made, messages, strict=True)
                      if (misfits := _misfits(one, want))]  # fmt: skip
    assert wrong == []


def test_every_code_is_said_by_its_meaning() -> None:
    """Each response code that declines is what its own meaning gives, or another with that meaning."""
    wrong = []
    for code in code_list("response_code"):
        if code.kind not in ("declined", "pick-up", "referral", "system"):
            continue
        for version in code.versions:
            plan = plan_of(f"{version} purchase of 20 USD declined, {code.meaning}")
            given = plan.unclear or plan.steps[-1].options.get("outcome")
            same = {
                one.code
                for one in code_list("response_code")
                if one.meaning == code.meaning and version in one.versions
            }
            wrong += [(code.meaning, given)] if given not in same else []
    assert wrong == []


# What is no reason alone, and what the standard has another code for.
_OTHERWISE = ("declined", "system error", "issuer timeout")


@pytest.mark.parametrize("network", NETWORKS)
def test_every_code_of_a_network_is_said_by_its_meaning(network: str) -> None:
    """Each response code of a network that declines is what its own meaning gives there."""
    wrong = []
    for code in response_codes_of(network):
        if code.kind not in ("declined", "pick-up", "referral", "system") or code.meaning in _OTHERWISE:
            continue
        version = {2: "1987", 3: "1993"}[len(code.code)]
        plan = plan_of(f"{version} {network} purchase of 20 USD declined, {code.meaning.partition(' (')[0]}")
        given = plan.unclear or plan.steps[-1].options.get("outcome")
        same = {one.code for one in response_codes_of(network) if one.meaning == code.meaning}
        wrong += [(code.code, code.meaning, given)] if given not in same else []
    assert wrong == []


@given(
    minor=st.integers(1, 10**9),
    currency=st.sampled_from([one for one in currencies() if one.exponent is not None]),
    network=st.sampled_from(NETWORKS),
)
def test_an_amount_is_what_its_digits_say(minor: int, currency: object, network: str) -> None:
    """The amount, the currency and the card are those of the text, whatever they are."""
    exponent = currency.exponent  # type: ignore[attr-defined]
    alpha = currency.alpha  # type: ignore[attr-defined]
    text = f"{minor / 10**exponent:.{exponent}f}"
    made = plan_of(f"{network} purchase {text} {alpha} card {default_card(network).pan}")
    if made.unclear:
        assert alpha in FUNDS or ("." in text and exponent == 3)
        return
    options = made.steps[0].options
    assert (options["amount_minor_units"], options["currency"]) == (minor, alpha)
    assert options["pan"] == default_card(network).pan


@given(st.text(max_size=80))
def test_any_text_gives_a_plan(text: str) -> None:
    """A text of any kind is understood or said to be unclear; nothing else happens."""
    plan = plan_of(text)
    if plan.unclear:
        with pytest.raises(UnclearError) as caught:
            plan.run()
        assert caught.value.words == plan.unclear


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Visa frobnicated 20 EUR", "frobnicated"),
        ("Visa purchase 20 EUR, not declined", "not"),
        ("Visa and Mastercard purchase 20 EUR", "Mastercard"),
        ("Visa purchase 20 EUR and 7", "7"),
        ("Visa purchase 20 EUR, the issuer sends back a decline", "back"),
        ("Visa purchase 20 EUR, fails because of a timeout", "timeout"),
    ],
)
def test_what_is_not_understood_is_said_in_its_own_words(text: str, words: str) -> None:
    """The error names the words; nothing is made, unless a part is asked for."""
    plan = sim.plan(text)
    with pytest.raises(sim.UnclearError, match=words):
        plan.run()
    assert len(plan.run(partial=True))
    with pytest.raises(sim.UnclearError, match=words):
        sim.generate(description=text)


def test_the_code_of_a_plan_makes_the_same() -> None:
    """`code` is the calls that `run()` does."""
    plan = sim.plan("3DS e-commerce 49.99 EUR at a Berlin bookshop on 3 March 2026, insufficient funds")
    names: dict[str, object] = {"sim": sim}
    exec(plan.code, names)  # noqa: S102
    made = plan.run()
    assert len(made) == 2
    told = names["exchange"].iso.messages  # type: ignore[attr-defined]
    assert [one.iso.message for one in told] == [one.iso.message for one in made.iso.messages]


def test_a_word_that_nobody_knows_is_told() -> None:
    """A slip of the finger is read and told; a word that may be the purpose is never left aside."""
    plan = plan_of("Reversl for 20 USD visa")
    assert plan.unclear == ()
    assert "Assumed: Reversl is read as reversal" in plan.remarks
    assert plan_of("Clawback for 20 USD visa").unclear == ("Clawback",)
    assert plan_of("visa 20 USD for a clawback").unclear == ("clawback",)


def test_what_cannot_be_is_said_with_its_reason() -> None:
    """What is understood but impossible ends with the reason, whatever is left out."""
    plan = sim.plan("Visa PIN change at an ATM for 20 EUR, 3DS authenticated")
    with pytest.raises(sim.UnclearError) as caught:
        plan.run(partial=True)
    assert caught.value.not_possible


def test_a_plan_shows_no_card_number() -> None:
    """The table masks what looks like a card number, also among the words."""
    table = sim.plan("visa purchase 20 EUR card 4111 1111 1111 1111")
    for shown in (repr(table), table._repr_html_(), str(table.plan.understood())):
        assert "4111111111111111" not in shown.replace(" ", "")
    assert "411111" in repr(table)
    for text in (
        "sale 10 with track ;4111111111111111=28121011234567",
        "4111111111111111=28121011234567, 10",
    ):
        track = sim.plan(text)
        for shown in (repr(track), track._repr_html_(), track.plan.refusal, str(track.plan.understood())):
            assert not re.search("2812101|1234567", shown), shown
    assert not re.search("2812101", repr(sim.plan("sale 10 %B4111111111111111^DOE/J^28121011234567?")))
    checked = sim.plan("keyed sale of 10 USD, cvv2 973")
    assert checked.plan.steps[0].options["cvv2"] == "973"
    assert "973" not in repr(checked) + checked._repr_html_()
    said = sim.plan("visa purchase 20 EUR card 4111 1111 1111 1111 and card 5555 5555 5555 4444")
    with pytest.raises(sim.UnclearError) as caught:
        said.plan.run()
    for shown in (repr(table.plan), repr(said.plan), str(caught.value)):
        assert not re.search(r"4111.?1111.?1111|5555.?5555.?5555", shown)


@pytest.mark.parametrize("card", ["4539.5787.6362.1486", b"4539578763621486".hex(), "45395787636214861234"])
def test_what_was_not_understood_shows_no_card_number(card: str) -> None:
    """In no spelling, though its groups are words of their own."""
    with pytest.raises(sim.UnclearError) as caught:
        sim.generate(description=f"visa purchase of 20 EUR, {card}, blurb")
    said = "".join(filter(str.isalnum, f"{caught.value} {caught.value!r}"))
    assert "blurb" in said
    assert "57876362" not in said
    assert b"57876362".hex() not in said


def test_an_answer_to_a_reversal_is_what_it_is_about() -> None:
    """Where it stands beside the reversal."""
    for text in (
        "The answer to the reversal of a 15.00 USD Visa purchase",
        "reversal response, Visa, 15 USD",
    ):
        assert sim.generate(description=text).iso.mti == "0410"
    assert sim.generate(description="reversal of a Visa purchase of 15 USD").iso.mti == "0400"


def test_a_described_message_has_its_plan() -> None:
    """The message that a description is about is its answer; it knows how it came about."""
    plan = sim.plan("Mastercard tap 12.50 EUR, NSF")
    made = sim.generate(description=plan.plan.text)
    assert (made.iso.mti, made.iso[39], made.iso.source) == ("0110", "51", "words")
    assert "insufficient" in made.iso.summary
    assert made.iso.plan.code == plan.code


@pytest.mark.parametrize(
    ("first", "then", "messages"),
    [
        ("visa purchase 20 USD NSF", "the same, contactless", ["0100 22~07", "0110 39=51"]),
        ("visa purchase 20 USD", "reverse it", ["0100", "0110", "0400", "0410"]),
        ("visa preauth 100 USD", "complete it for 80", ["0100", "0110", "0220 4=000000008000", "0230"]),
        ("visa purchase 20 USD", "after a timeout", ["0100"]),
        ("visa purchase 20 USD", "the same in euros", ["0100 4=000000002000 49=978"]),
        ("visa purchase 20 USD", "the same, declined for fraud", ["0100", "0110 39=59"]),
        ("visa purchase 20 USD", "the same with Mastercard, 30 EUR", ["0100 2~5 4=000000003000 49=978"]),
        ("visa purchase 20 USD", "add a tip of 15%", ["0100 4=000000002300"]),
        ("visa purchase", "add a tip of 2 USD", ["0100 4=000000001200"]),
        ("visa purchase 20 USD", "half of it approved", ["0100 4=000000002000", "0110 4=000000001000"]),
        ("visa echo", "on mastercard", ["0800"]),
        (
            "visa 1 EUR, mastercard 2 EUR",
            "decline the Mastercard with 51",
            ["0100 2~4", "0110 39=00", "0100 2~5 4=000000000200", "0110 39=51"],
        ),
        (
            "tres pagos Visa de 9 euros",
            "todos rechazados menos el segundo",
            ["0100", "0110 39=05", "0100", "0110 39=00", "0100", "0110 39=05"],
        ),
        (
            "visa 60 USD, then 20 USD refunded",
            "make the refund 25",
            ["0100", "0110", "0100 3~20 4=000000002500", "0110"],
        ),
        ("visa 3 EUR declined 51", "add a JCB payment of 5 EUR", ["0100", "0110", "0100 2~35"]),
        ("visa 9 USD declined 51", "on amex", ["1100 2~37", "1110 39=116"]),  # the code of its version
        ("visa 9 USD", "the card turned out to be expired", ["0100", "0110 39=54"]),
        ("visa 70 EUR chip", "davon 20 Euro bar", ["0100 3~09 4=000000007000"]),
        ("visa 1 EUR, mastercard 2 EUR, jcb 3 EUR", "drop the JCB", ["0100 2~4", "0100 2~5"]),
        ("visa 9 USD", "that should have been 81", ["0100 4=000000008100"]),
        ("compra visa 9 USD", "agrega otro de 10", ["0100", "0100 4=000000001000"]),
        ("visa 9 USD declined 51", "still declined", ["0100", "0110 39=51"]),
        ("visa 9 USD declined 51", "two retries", ["0100", "0110 39=51", "0100", "0100"]),
        ("visa 9 USD declined 51", "he tries again with 8", ["0100", "0110 39=51", "0100 4=000000000800"]),
        ("visa 9 USD", "the same for Mastercard too", ["0100 2~4", "0100 2~5 4=000000000900"]),
        ("visa 9 USD chip", "and a contactless purchase of 5", ["0100 22~05", "0100 22~07 4=000000000500"]),
        ("visa balance inquiry", "then withdraw 50 USD", ["0100 3~30", "0100 3~01 4=000000005000"]),
        ("visa 9 USD", "in yen, 96000", ["0100 4=000000096000 49=392"]),
        ("visa 50 EUR", "20 of it in cash", ["0100 3~09 4=000000005000"]),
        ("visa 50 EUR including 20 cashback", "no cashback, just 40", ["0100 3~00 4=000000004000"]),
        ("visa 9 USD times out, reversed", "as an advice", ["0100", "0420", "0430"]),
        ("visa preauth 90 USD", "increase the hold by 50", ["0100", "0110", "0100 4=000000005000", "0110"]),
        ("visa preauth 90 USD", "add a completion of 80", ["0100", "0110", "0220 4=000000008000", "0230"]),
        ("visa 9 USD", "the merchant is Trattoria Roma", ["0100 43*TRATTORIA"]),
        ("two visa sales of 9 USD", "everything declined", ["0100", "0110 39=05", "0100", "0110 39=05"]),
        ("two visa sales of 9 USD", "the second of 20", ["0100", "0100 4=000000002000"]),
        ("visa echo", "with a sign-on before it", ["0800 70~0", "0800 70=301"]),
        ("visa purchase 20 USD", "raise it by 5", ["0100 4=000000002500"]),  # no hold: the amount
        ("visa purchase 20 USD", "lower it by 5 USD", ["0100 4=000000001500"]),
        ("visa 9 USD", "add one JCB payment of 5 EUR", ["0100 2~4", "0100 2~35 4=000000000500"]),
        ("visa card 4012888888881881, 9 USD", "add a JCB payment of 5 EUR", ["0100 2~4012", "0100 2~35"]),
        ("visa 9 USD chip with PIN", "and a contactless purchase of 5", ["0100 52+0", "0100 22~07 52!0"]),
        (
            "visa preauth 100 EUR",
            "20 EUR more, then complete for 110 EUR",
            ["0100", "0110", "0100 4=000000002000", "0110", "0220 4=000000011000", "0230"],
        ),
        (
            "visa 1 EUR, mastercard 2 EUR",
            "refund the visa",
            ["0100 2~4", "0110", "0100 2~4 3~20 4=000000000100", "0110", "0100 2~5", "0110"],
        ),
        (
            "visa 1 EUR, mastercard 2 EUR, jcb 3 EUR",
            "decline the jcb and the visa",
            ["0100 2~4", "0110 39=05", "0100 2~5", "0110 39=00", "0100 2~35", "0110 39=05"],
        ),
        (
            "visa 1 EUR, mastercard 2 EUR, visa 3 EUR",
            "decline the visa payments",
            ["0100 2~4", "0110 39=05", "0100 2~5", "0110 39=00", "0100 2~4", "0110 39=05"],
        ),
        ("visa 9 USD times out, reversed", "repeat it once", ["0100", "0400", "0401", "0410"]),
        (
            "visa 1 EUR, mastercard 2 EUR, jcb 3 EUR",
            "all approved but the mastercard one",
            ["0100", "0110 39=00", "0100", "0110 39=05", "0100", "0110 39=00"],
        ),
        ("visa purchase 20 USD", "refund half of it", ["0100", "0110", "0100 3~20 4=000000001000", "0110"]),
        ("visa purchase 20 USD", "reverse 5 USD", ["0100", "0110", "0400 95~000000001500", "0410"]),
        ("visa preauth 20 USD", "5 USD more", ["0100 4=000000002000", "0110", "0100 4=000000000500", "0110"]),
        ("visa 10 USD, visa 20 USD, visa 30 USD", "the second contactless", ["0100", "0100 22~07", "0100"]),
        ("visa 1 USD, visa 2 USD", "the first NSF", ["0100", "0110 39=51", "0100", "0110 39=00"]),
        ("visa 1 USD, visa 2 USD", "all declined", ["0100", "0110 39=05", "0100", "0110 39=05"]),
        ("visa 9 USD cash withdrawal with PIN", "without the PIN", ["0100 52!"]),
        ("visa 9 USD contactless", "chip instead of contactless", ["0100 22~05"]),
        ("visa 9 USD contactless", "change contactless to chip", ["0100 22~05"]),
        ("visa 9 USD declined 05", "make it 51 instead", ["0100 4=000000000900", "0110 39=51"]),
        ("visa 9 USD declined", "only the request", ["0100"]),
        ("visa 9 USD approved", "no, declined: expired card", ["0100", "0110 39=54"]),
        ("visa 9 USD, then reversed", "no reversal", ["0100", "0110"]),
        ("visa 9 USD, then reversed", "repeat the reversal", ["0100", "0110", "0400", "0401", "0410"]),
        (
            "visa 9 USD, then reversed",
            "add a repeat of the reversal",
            ["0100", "0110", "0400", "0401", "0410"],
        ),
        ("visa 9 USD with a wrong check digit", "without the wrong check digit", ["0100 2~4"]),
        (
            "visa preauth 9 USD, completed for 8",
            "complete it for 7 instead",
            ["0100", "0110", "0220 4~000000000700", "0230"],
        ),
        ("visa 9 USD", "make it 400", ["0100 4=000000040000"]),
        ("visa 9 USD", "double the amount", ["0100 4=000000001800"]),
        ("visa 9 USD", "2 USD less", ["0100 4=000000000700"]),
        ("visa 9 USD", "approved for 7", ["0100 4=000000000900", "0110 39=10 4=000000000700"]),
        ("visa 9 USD", "refund it", ["0100", "0110", "0100 3~20 4=000000000900", "0110"]),
        ("visa 9 USD", "make it a refund", ["0100 3~20 4=000000000900"]),
        ("visa 9 USD", "do it twice", ["0100", "0100"]),
        ("two visa sales of 9 USD, the last declined", "only the request", ["0100", "0100"]),
        ("visa 9 USD", "reverse it twice", ["0100", "0110", "0400", "0401", "0410"]),
        ("visa 9 USD", "a third of it approved", ["0100", "0110 39=10 4=000000000300"]),
        ("visa 9 USD", "another one of 5 USD", ["0100 4=000000000900", "0100 4=000000000500"]),
        ("visa 9 USD", "and an echo test before it", ["0800", "0100"]),
        ("visa 9 USD without the PAN", "contactless", ["0100 2! 22~07"]),
        (
            "three visa sales of 9 USD",
            "the last two declined",
            ["0100", "0110 39=00", *["0100", "0110 39=05"] * 2],
        ),
        ("three visa sales of 9 USD", "the last by chip with PIN", ["0100", "0100", "0100 52+"]),
        ("two visa sales of 9 USD", "the first contactless, the second keyed", ["0100 22~07", "0100 22~01"]),
        ("visa 9 USD, mastercard 8 USD", "the visa one with PIN", ["0100 52+", "0100 52!"]),
        ("visa 9 USD, mastercard 8 USD", "without the first one", ["0100 2~5"]),
        (
            "visa 9 USD, mastercard 8 USD",
            "all but the visa one declined",
            ["0100", "0110 39=00", "0100 2~5", "0110 39=05"],
        ),
        ("compra visa 9 USD no Brasil", "agora no Mexico com cartao", ["0100 43*MX"]),
        ("visa 9 USD declined", "just the 0200", ["0200"]),
        ("two visa sales of 9 USD STAN 42", "the last by chip", ["0100 11=000042", "0100 11=000043 22~05"]),
        ("visa 9 USD STAN 42", "another one of 5 USD before it", ["0100 4=000000000500", "0100 11=000042"]),
        (
            "two visa sales of 9 USD",
            "all but the last declined",
            ["0100", "0110 39=05", "0100", "0110 39=00"],
        ),
        ("mc 9 EUR declined 91", "try again, now approved", ["0100", "0110 39=91", "0100", "0110 39=00"]),
        (
            "visa 9 USD declined 51",
            "second attempt with 4, approved",
            ["0100", "0110 39=51", "0100 4=000000000400", "0110 39=00"],
        ),
        ("visa 9 USD declined 91", "the customer tries again", ["0100", "0110 39=91", "0100"]),
        (
            "visa 9 USD declined 51",
            "second attempt of 3 USD approved",
            ["0100", "0110 39=51", "0100 4=000000000300", "0110 39=00"],
        ),
        (
            "visa 9 USD declined 51",
            "retry, approved for 3",
            ["0100", "0110 39=51", "0100 4=000000000900", "0110 39=10 4=000000000300"],
        ),
        ("visa 9 USD declined 91", "once more, approved", ["0100", "0110 39=91", "0100", "0110 39=00"]),
        ("visa 9 USD timeout", "retry, approved", ["0100", "0100", "0110 39=00"]),
        ("visa 9 USD timeout", "send it again, this time it is approved", ["0100", "0100", "0110 39=00"]),
        ("visa 9 USD declined 91", "versuch es noch einmal", ["0100", "0110 39=91", "0100"]),
        ("visa 9 USD declined 91", "inténtalo otra vez", ["0100", "0110 39=91", "0100"]),
        ("visa 9 USD declined 91", "tenta outra vez", ["0100", "0110 39=91", "0100"]),
        ("visa 9 USD declined 91", "essaie encore une fois", ["0100", "0110 39=91", "0100"]),
        ("visa 9 USD declined 91", "resend it, approved", ["0100", "0110 39=91", "0100", "0110 39=00"]),
        ("visa 9 USD timeout, then reversed", "the reversal gets approved", ["0100", "0400", "0410 39=00"]),
        ("visa 9 USD timeout", "reverse it, and the reversal is approved", ["0100", "0400", "0410 39=00"]),
        ("two visa sales of 9 USD", "reverse the second", ["0100", "0110", "0100", "0110", "0400", "0410"]),
        ("visa 9 USD", "plus 5 USD cash back", ["0100 3~09 4=000000001400"]),
        ("visa 9 USD, then reversed", "take the reversal away", ["0100", "0110"]),
        ("visa 9 USD with PIN", "lass die PIN weg", ["0100 52!"]),
        ("visa 9 USD with PIN", "lose the PIN", ["0100 52!"]),
        ("visa 9 USD at LIDL", "change the shop to ALDI", ["0100 43*ALDI"]),
        ("visa 9 EUR au bistrot Le Merle", "14 statt 9", ["0100 4=000000001400 43*MERLE"]),
        ("visa 9 EUR at the Kestrel Hotel", "que sean 1800", ["0100 4=000000180000 43*KESTREL"]),
        ("visa 9 USD", "the price went up to 14.99", ["0100 4=000000001499"]),
        (
            "three visa sales of 9 USD",
            "only the second fails",
            ["0100", "0110", "0100", "0110 39=05", "0100", "0110"],
        ),
        ("visa 9 USD", "no reply, then a reversal", ["0100", "0400", "0410"]),
        (
            "visa 9 USD declined 51",
            "followed by one that goes through",
            ["0100", "0110", "0100", "0110 39=00"],
        ),
        ("visa preauth 9 USD", "am Ende 8 USD abbuchen", ["0100", "0110", "0220 4~000000000800", "0230"]),
        ("visa preauth 9 USD", "conclui com 8", ["0100", "0110", "0220 4~000000000800", "0230"]),
        ("visa 9 USD restaurant", "agrega 2 de propina", ["0100 4=000000001100"]),
        ("visa 9 USD", "reverse it so that 4 USD remain", ["0100", "0110", "0400 95~000000000400", "0410"]),
        ("visa 9 USD", "and 5 USD cash back on top", ["0100 3~09 4=000000001400"]),
        ("visa 9 EUR en restaurante Casa Lola", "back to the chip", ["0100 22~05 43*LOLA"]),
        ("visa 9 USD declined 51", "tenta de novo com 4", ["0100", "0110", "0100 4=000000000400"]),
        ("visa 9 EUR", "passe à 60 euros", ["0100 4=000000006000"]),
        ("visa 9 USD", "refund it instead", ["0100", "0110", "0100 3~20", "0110"]),
        ("visa 9 USD declined 51", "no, expired card instead", ["0100", "0110 39=54"]),
        ("visa 9 USD declined 51", "approve it after all", ["0100", "0110 39=00"]),
        ("visa 9 USD", "only 3 authorized", ["0100 4=000000000900", "0110 39=10 4=000000000300"]),
        ("visa 9 USD", "PIN too", ["0100 52+"]),
        ("compra visa 9 USD", "mejor en euros", ["0100 4=000000000900 49=978"]),
        ("visa preauth 9 USD", "increase by another 5 USD", ["0100", "0110", "0100 4=000000000500", "0110"]),
        ("visa preauth 9 USD", "raise it to 12 USD", ["0100", "0110", "0100 4=000000000300", "0110"]),
        ("visa 9 USD", "raise it to 12 USD", ["0100 4=000000001200"]),
        ("visa Kauf 9 EUR", "Betrag auf 25 erhöhen", ["0100 4=000000002500"]),
        ("visa 9 USD", "lower it to 5.50", ["0100 4=000000000550"]),
        ("visa 9 USD", "repeat it three times", ["0100", "0100", "0100"]),
        ("visa 9 USD approved for 7", "approve 5 only", ["0100", "0110 39=10 4=000000000500"]),
        ("visa 9 USD", "what if the issuer declines?", ["0100", "0110 39=05"]),
        ("visa preauth 9 USD", "release it", ["0100", "0110", "0400", "0410"]),
        ("visa 9 USD", "two more of those", ["0100", "0100", "0100"]),
        ("visa 9 EUR aprobada", "reembolsa 5", ["0100", "0110", "0100 3~20 4=000000000500", "0110"]),
        (
            "visa preauth 9 USD",
            "increase by 2, then increase by 3",
            ["0100", "0110", "0100 4=000000000200", "0110", "0100 4=000000000300", "0110"],
        ),
        ("visa Kauf 9 CHF", "mach 120 daraus", ["0100 4=000000012000"]),
        ("visa 9 KWD", "7.125 rather", ["0100 4=000000007125"]),
        ("visa 9 USD", "in yen, 1500", ["0100 4=000000001500 49=392"]),
        ("visa 9 USD at LIDL", "the merchant is ALDI now", ["0100 43*ALDI"]),
        ("visa 9 USD at LIDL", "the merchant is now ALDI", ["0100 43*ALDI"]),
        ("visa 9 USD, chip swipe", "swipe", ["0100 22=901"]),
        ("visa 1.234 EUR", "make it 1234.00 EUR", ["0100 4=000000123400"]),
        ("visa 9 USD in Springfield", "in the US", ["0100"]),
        ("visa 9 USD declined", "change the reason to lost card", ["0100", "0110 39=41"]),
        ("visa 9 USD approved", "again, but with an expired card", ["0100", "0110 39=54"]),
        (
            "visa cash withdrawal of 9 USD",
            "the ATM paid out only 4, reverse the rest",
            ["0100", "0110", "0400 95~000000000400", "0410"],
        ),
        ("visa preauth 9 USD", "complétala por 8", ["0100", "0110", "0220 4~000000000800", "0230"]),
        ("compra visa 9 EUR", "três iguais", ["0100", "0100", "0100"]),
        ("visa Kauf 9 EUR", "drei gleiche", ["0100", "0100", "0100"]),
    ],
)
def test_a_plan_goes_on(first: str, then: str, messages: list[str]) -> None:
    """What is said next changes what it names and keeps the rest."""
    made = _messages(sim.plan(first).then(then).plan.run())
    assert [_misfits(one, want) for one, want in zip(made, messages, strict=True)] == [[] for _ in messages]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("visa 9 USD", "make it 5"),  # dollars or messages
        ("visa 9 USD", "not contactless"),
        ("visa 9 USD", "in cash"),
        ("visa 9 USD in Osaka", "drop the city, make it Nagoya"),
        ("visa sale 9 USD, reversed", "after that"),  # nothing changes
        ("visa 9 USD", "one week later"),
        ("visa 9 USD declined 51", "the customer tries another card"),
        ("visa 9 USD", "reverse the rest"),
        ("visa 9 frobs", "contactless"),
        ("visa 1.234 EUR", "contactless"),  # a doubt remains until it is answered
        ("visa 9 USD, chip swipe", "with PIN"),
        ("visa preauth 9 USD, increased", "increase by 5 USD"),
        ("visa preauth 90 USD", "lower the hold by 20"),  # a partial reversal, or another request
        ("visa 9 USD", "go back to chip"),
        ("visa 9 USD", "no app"),
        ("visa cash withdrawal of 9 USD", "the ATM paid out only 4, refund the rest"),
        ("visa 9 USD", "no reversal"),
        ("visa 9 USD", "make the second one decline"),
        ("visa 9 USD", "approved for 20"),
        ("visa 9 USD", "approve only 20 of it"),
        ("visa 9 USD", "only 20 authorized"),
        ("visa 9 USD", "20 of it approved"),
        ("visa 9 USD timeout, then reversed", "approved"),
        ("visa 9 USD timeout", "reverse it, approved"),
        ("visa 9 USD timeout, then reversed", "the reversal is declined"),
        ("visa 9 USD", "never mind"),
        ("visa 9 USD with 5 USD cash back", "plus 2 USD cash back"),
        ("visa 9 USD", "14 instead of 8"),
        ("visa 9 USD", "send it again"),
        ("visa 9 USD", "with the response"),
        ("visa 9 USD timeout", "with the response"),
        ("three visa sales of 9 USD, the last declined", "five of them"),
        ("visa 9 USD", "change it"),
        ("visa 9 USD approved", "and the reversal times out"),
        ("two visa sales of 9 and 8 USD", "reverse it"),
        ("two visa sales of 9 and 8 USD", "without all of them"),
        ("four visa sales of 9 USD", "all but declined"),
        ("visa 9 USD, mastercard 8 USD", "all but declined"),
        ("visa 9 USD", "a refund of 5 USD before it"),
        ("visa 9 USD", "make it less"),
        ("visa 9 USD, mastercard 8 USD, visa 7 USD", "refund the visa"),
        ("two visa sales of 9 USD", "the second frobnicated, the second contactless"),
        ("two visa sales of 9 USD", "the first declined 99, the second contactless"),
    ],
)
def test_a_follow_up_never_guesses(first: str, then: str) -> None:
    """What may be meant in several ways, or is not there to be changed, is unclear."""
    assert plan_of(then, before=plan_of(first)).unclear


def test_the_last_change_is_taken_back() -> None:
    """`Undo that` is about the last change; with none before it, about the payment."""
    first = sim.plan("mc 15 EUR")
    plan = first.then("contactless").then("in dollars")
    for text in ("undo that", "oh, scratch that", "mach das rückgängig", "deshaz eso", "desfaz isso"):
        assert plan.then(text).plan.code == first.then("contactless").plan.code
    assert plan.then("undo it").then("undo it").plan.code == first.plan.code
    assert "reversal" in first.then("undo it").plan.code


def test_a_part_is_in_the_currency_of_the_payment() -> None:
    """2 USD are no part of 20 EUR, but of 30 USD that replace them."""
    before = plan_of("visa preauth 20 EUR")
    for text in ("add a tip of 2 USD", "reverse 2 USD", "2 USD more", "partially approved for 2 USD"):
        assert plan_of(text, before=before).unclear == ("2 USD",), text
    assert (
        plan_of("30 USD, with a tip of 2 USD", before=before).steps[0].options["amount_minor_units"] == 3200
    )


def test_what_is_held_grows_and_is_completed() -> None:
    """Each amount goes where its words say, also without a currency or above what was authorized."""
    for text, then in (
        ("hold 100, 20 more, then complete for 110", "increment:2000 completion:11000"),
        ("mc preauth 150 eur, +50, +25, compl 210", "increment:5000 increment:2500 completion:21000"),
        ("pre-auth at a gas pump of 1 USD completed for 43.17", "completion:4317"),
        ("visa preauth 100 USD at a restaurant, completed for 118 with tip", "completion:11800"),
    ):
        plan = plan_of(text)
        assert plan.steps[0].options["then"] == then
        assert plan.run().exchange.left.charged == int(then.rpartition(":")[2])
    assert "above what was authorized" in plan_of(text).run().exchange.notes[-1]
    assert plan_of("visa preauth 100 USD at a bookshop, completed for 118").not_possible


def test_ten_of_these_of_which_every_third_is_declined() -> None:
    """So many, each with a trace number of its own; the code is a loop."""
    plan = sim.plan("visa contactless 5 EUR").then("ten of these, every third declined")
    made = plan.run()
    answers = made[made["role"] == "answer"]
    assert answers["code"].tolist() == ["00", "00", "05", "00", "00", "05", "00", "00", "05", "00"]
    assert answers["stan"].nunique() == 10
    names: dict[str, object] = {"sim": sim}
    exec(plan.code, names)  # noqa: S102
    assert [one["code"].iloc[-1] for one in names["exchanges"]] == answers["code"].tolist()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "mtis", "option"),
    [
        ("visa auth $25 via base24", ["0100"], ("interface", "base24")),
        ("0420 advice visa 20 usd", ["0100", "0110", "0420", "0430"], ("then", "reversal_advice")),
        ("visa purchase 100 USD partially approved for 60", ["0100", "0110"], ("approved_minor_units", 6000)),
        ("apple pay mastercard 12 EUR in Rome", ["0100"], ("entry", "contactless")),
        ("1500 kuwaiti dinars visa", ["0100"], ("amount_minor_units", 1500000)),
        ("visa purchase of 20 USD, DE39=n7", ["0100", "0110"], ("outcome", "N7")),
        ("dinner 54.00 usd visa, tip 20%", ["0100"], ("amount_minor_units", 6480)),
        ("visa 60 eur, half of it approved", ["0100", "0110"], ("approved_minor_units", 3000)),
        (
            "visa purchase 10 EUR with fault chip-amount-differs, chip",
            ["0100"],
            ("fault", "chip-amount-differs"),
        ),
        ("visa purchase of 9 EUR so that we can see a decline", ["0100", "0110"], ("outcome", "05")),
        ("visa 1200 request in USD", ["1200"], ("currency", "USD")),
        ("merchant Mastercard sale 20 EUR", ["0100"], ("network", "MASTERCARD")),
        ("visa 20 EUR, merchant Bobs Diner Berlin", ["0100"], ("country", "DE")),
        ("visa customer orders shoes online at Zalando for 20 EUR", ["0100"], ("entry", "ecommerce")),
        ("compra visa de 9 BRL pelo aplicativo", ["0100"], ("entry", "ecommerce")),
    ],
)
def test_what_testers_write(text: str, mtis: list[str], option: tuple[str, object]) -> None:
    """The messages and the option that the words say."""
    made = plan_of(text)
    assert [one.mti for one in made.run().exchange.messages] == mtis
    assert option in {(name, value) for _, _, name, value, _ in made.rows()}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("two purchases on Visa by chip: 10 EUR and 20 EUR", ["1000 978", "2000 978"]),
        ("purchases with Visa of 10, 20 and 30 EUR", ["1000 978", "2000 978", "3000 978"]),
        ("three Visa purchases of 10 EUR, the second is declined", ["00", "05", "00"]),
        ("three Visa purchases of 10 EUR, the last declined", ["00", "00", "05"]),
        ("two Visa sales of 10 and 20 EUR, the second declined", ["00", "05"]),
        ("two Visa sales, the second declined: 10 EUR, 20 EUR", ["00", "05"]),
        ("three Visa sales of 1, 2 and 3 EUR; the first and the third NSF", ["51", "00", "51"]),
        ("visa sale 20 EUR, and the same in dollars", ["2000 978", "2000 840"]),
        ("visa 1 EUR chip, visa 2 EUR contactless, the chip one declined", ["05", "00"]),
        ("three Visa sales of 10 EUR, all approved but the second", ["00", "05", "00"]),
        ("visa sale 10 EUR, visa sale 20 EUR, the last one reversed", ["00", "00"]),
        ("deux achats visa de 10 et 20 euros, le second sans contact", ["1000 978", "2000 978"]),
    ],
)
def test_each_of_a_list_has_what_is_said_of_all(text: str, values: list[str]) -> None:
    """Amounts one by one, on the network and with the currency of all of them; an outcome of one alone."""
    messages = plan_of(text).run().exchange.messages
    asked = [f"{int(one[4])} {one[49]}" for one in messages if one.mti == "0100"]
    assert values == ([one[39] for one in messages if one.mti == "0110"] or asked)
    assert {one[2][0] for one in messages if one.mti == "0100"} == {"4"}


def test_transactions_of_one_sentence_are_calls_of_their_own() -> None:
    """Each with its trace numbers; what is said next is of the last of them."""
    plan = sim.plan("visa purchase of 20 USD, then a refund of 15, and a mastercard purchase of 7 EUR")
    made = plan.run()
    assert made["mti"].tolist() == ["0100", "0110", "0100", "0110", "0100"]
    assert made["stan"].nunique() == 3
    names: dict[str, object] = {"sim": sim}
    exec(plan.code, names)  # noqa: S102
    assert names["request"].iso[4] == "000000000700"  # type: ignore[attr-defined]
    again = plan.then("reverse it").run()
    assert again["mti"].tolist() == ["0100", "0110", "0100", "0110", "0100", "0110", "0400", "0410"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "run the Visa suite against localhost:8583",
            "results = sim.run_suite('VISA', host='localhost:8583')",
        ),
        (
            "host that declines everything above 100 USD with 51",
            "host = sim.host([{'amount': '10001..', 'currency': '840', 'code': '51'}])",
        ),
        (
            "a host that declines Amex purchases between 10 and 20 EUR with 116",
            "host = sim.host([{'amount': '1000..2000', 'currency': '978', 'network': 'AMEX', "
            "'code': '116'}])",
        ),
        ("host that does not answer JCB", "host = sim.host([{'network': 'JCB', 'action': 'drop'}])"),
    ],
)
def test_a_host_and_a_suite_are_calls_that_make_no_message(text: str, code: str) -> None:
    """They are run by the plan's table; no message is about them."""
    made = plan_of(text)
    assert (re.sub(r"\n\s*|,(?=\n\))", "", made.code), made.unclear) == (code, ())
    with pytest.raises(UnclearError, match="makes no message"):
        made.run()


def test_a_suite_of_own_cases_runs_with_its_rules() -> None:
    """Each case has its own expectation, and our own host answers as described."""
    made = sim.plan("suite: visa sale 10 EUR, visa sale 600 EUR declined 61, visa sale 7 EUR times out")
    done = made.run()
    assert done["result"].tolist() == ["passed"] * 3
    assert done["received"].tolist() == ["0110 00", "0110 61", "timed out"]
    assert made.code.startswith('results = sim.run_suite(\n    """\nnetwork = "VISA"\n\n[[cases]]\n')


@pytest.mark.parametrize(
    "text",
    [
        "suite: visa sale 10 EUR, mastercard sale 20 EUR declined",
        "suite: visa sale 10 EUR approved, visa sale 10 EUR declined",
        "suite: visa sale 10 EUR in Lyon, visa sale 20 EUR declined",
    ],
)
def test_cases_that_a_suite_cannot_have_are_unclear(text: str) -> None:
    """It has one network, tells cases apart by their amounts, and sets few options."""
    assert plan_of(text).unclear


def test_payments_follow_one_another() -> None:
    """The times of several payments of a description grow."""
    made = plan_of("three visa purchases of 10 EUR, the second declined, and a sale of 20 EUR").run()
    sent = [one.get(7) for one in made.exchange.messages if one.mti == "0100"]
    assert len(sent) == 4
    assert sent == sorted(set(sent))


def test_words_and_doubts_are_said_apart() -> None:
    """Words that are not understood are not mixed with what is unclear about the others."""
    made = plan_of("visa 20 EUR frobnicated, chip swipe")
    said, _, remedies = made.refusal.partition(". Keep one of them. ")
    assert said == "Not understood: frobnicated. Unclear: contradicts itself: chip / swipe"
    assert remedies == "Leave out what is not understood, or say it in other words"
    two = plan_of("hotel checks in a guest for 500 EUR, adds 120 for the minibar, checks him out")
    assert "two amounts: 500 EUR, 120" in two.doubts
    assert two.remarks == ("Did you mean 'check' by 'checks'?",)
    none = plan_of("refund and withdrawal of 80 USD with Amex").check()
    assert (none.steps, none.not_possible, "two purposes: refund, cash" in none.doubts) == ((), "", True)


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("visa 20 EUR approved online by the issuer", "online"),
        ("visa sale 20 USD declined, no funds, expired card", "contradicts itself: no funds / expired card"),
        ("then declined: a Visa sale of 20 USD and an Amex sale of 10 EUR", "two amounts: 20 USD, 10 EUR"),
    ],
)
def test_two_things_where_one_can_be_are_named(text: str, doubt: str) -> None:
    """Two reasons with codes of their own; payments that a text lists after a decision about none; a sale or
    an authorization that is online."""
    assert doubt in plan_of(text).unclear


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("visa purchase of 1.234 EUR", "1234.00 EUR"),
        ("visa 20 EUR, response", "declined 51"),
        ("visa 20 EUR, not declined", "what you want instead"),
        ("a few visa purchases of 10 EUR", "how many"),
        ("visa purchase of 20 EUR with a tip", "a tip of 5 EUR"),
        ("visa purchase of 20 EUR on 31 February", "2026-02-28"),
        ("visa 20 pesos", "ISO 4217"),
    ],
)
def test_an_unclear_plan_says_what_to_write_instead(text: str, remedy: str) -> None:
    """Beside the words, in the error, the panel and the response."""
    with pytest.raises(UnclearError, match=remedy):
        plan_of(text).run()


def test_a_contradiction_is_read_alike_in_every_process() -> None:
    """Of options that exclude one another the same one is kept, whatever order a set has in this process."""
    text = "visa 20 EUR 10 USD, chip swipe"
    call = f"from sim.exchanges.composing import plan_of; print(plan_of({text!r}).code, end='')"
    codes = {
        subprocess.run(
            [sys.executable, "-c", call],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in "12"
    }
    assert codes == {plan_of(text).code}


def test_a_host_that_is_described_answers_so() -> None:
    """What its rule says is what a client gets."""
    made = sim.plan("host that declines everything above 100 USD with 51").run()
    with made as host, sim.client(host) as client:
        sent = [client.send(sim.generate("auth", amount_minor_units=one)) for one in (10_000, 10_001)]
        codes = [one.answer.get(39) for one in sent]
    assert codes == ["00", "51"]


@pytest.mark.parametrize(
    "text",
    [
        "suite of 20 USD purchases",
        "run the suite",
        "host that approves everything",
        "visa purchase 20 USD for our host that declines",
        "host that declines above 5 and below 3 EUR",
        "send a visa purchase of 20 USD to 10.0.0.5:8583",
        "visa purchase of up to 20 EUR",
    ],
)
def test_what_a_host_or_a_suite_cannot_have_is_unclear(text: str) -> None:
    """Nor is anything of them left out of a message."""
    assert plan_of(text).unclear


def test_an_error_repeats_no_card_number_of_a_description() -> None:
    """The words that were not understood may hold one."""
    with pytest.raises(UnclearError, match=r"411111\*{6}1111") as caught:
        sim.plan("run the Visa suite against 4111111111111111:8583").run()
    assert "4111111111111111" not in repr(caught.value)
