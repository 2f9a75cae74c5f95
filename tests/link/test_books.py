"""Whatever is sent, however often and on whatever interface, the host's balance is what the exchange says,
and what is read from its messages alone."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from support import some

from sim.elements.card import account
from sim.elements.mti import repeat_mti
from sim.errors import OptionError
from sim.exchanges import Exchange, Step, follow
from sim.exchanges.amounts import accepted
from sim.exchanges.judging import findings
from sim.exchanges.roles import REPEAT, asking_role
from sim.link import Line
from sim.link.client import AsyncClient, Live
from sim.link.ends import line_of
from sim.link.host import AsyncHost
from sim.link.issuer import Accounts, Issuer, Session
from sim.link.rules import Table, rules_of
from sim.operations.asked import options_of
from sim.operations.generation import generate
from sim.spec import VERSIONS
from sim.spec.interfaces import interface, interfaces
from sim.spec.networks import NETWORKS, test_cards
from tests.link.ends import AT, Clock, until

OPENING, AMOUNT = 1_000_000, 1000
PAYMENTS = (
    ("auth", "purchase", "manual"),
    ("auth", "preauthorization", "chip"),
    ("financial", "purchase", "contactless"),
    ("financial", "cash", "chip"),
    ("auth", "refund", "manual"),
)
# What follows a payment, and what stays of it.
CHAINS = {
    "": 1000,
    "again repeat again": 1000,
    "reversal": 0,
    "reversal repeat again": 0,
    "repeat reversal reversal": 0,
    "reversal_advice repeat": 0,
    "unanswered reversal": 0,
    "unanswered repeat reversal": 0,
    "unanswered repeat": 1000,
    "partial_reversal:400 repeat": 400,
    "partial_reversal:400 partial_reversal:300": 300,
    "partial_reversal:400 again reversal": 0,
    "completion:700 repeat": 700,
    "completion:700 reversal again": 0,
    "increment:500 completion:1400": 1400,
    "increment:500 repeat reversal": 1000,
    "refund:400 repeat": 600,
    "refund:400 reversal": 1000,
}


def lines(name: str) -> list[Line]:
    """The text form, with the interface's elements, and the interface's own format."""
    if name == "iso":
        return [Line.of(version=version) for version in VERSIONS]
    formats = {None, interface(name).format or None}
    return [line_of(interface=name, format=one, framing="length-2") for one in sorted(formats, key=str)]


@pytest.mark.parametrize("name", interfaces())
async def test_books_balance(name: str, clock: Clock) -> None:
    """Repeats, reversals, completions, increments and refunds over TCP, with and without responses."""
    failed = []
    for line in lines(name):
        async with (
            AsyncHost(line, opening=OPENING) as host,
            AsyncClient((host.address, host.port), line, reverse=False) as client,
        ):
            for payment, chain in some(product(PAYMENTS, CHAINS), 1):
                try:
                    wrong = await played(host, client, clock, payment, chain)
                except OptionError:
                    continue  # no public source says how the interface carries it
                if wrong:
                    failed.append((line.format.name, payment, chain, wrong))
    assert failed == []


async def played(
    host: AsyncHost, client: AsyncClient, clock: Clock, payment: tuple[str, str, str], chain: str
) -> dict[str, Any]:
    """What is not as expected after *payment* and *chain*."""
    line, (kind, purpose, entry) = client.line, payment
    link = interface(line.interface) if line.interface else interface("iso")
    if link.name == "elavon" and "increment" in chain:
        raise OptionError("then", "a function code, which tells an increment", "none")
    options = options_of(
        kind,
        network=link.network or None,
        pan=None,
        amount_minor_units=AMOUNT,
        currency="840",
        stan=client.next_stan(),
        version=line.version or link.version or None,
        at=None,
        purpose=purpose,
        entry=entry,
        interface=None if link.network or link.name == "iso" else link.name,
    )
    made = generate(**options)
    live = Live(client, made.network)
    first = line.fitted(made.message)
    pan, words = account(first)[1], chain.split()
    before = host.accounts.balance(pan)
    if "unanswered" in words:
        words.remove("unanswered")
        host.rules = rules_of([{"action": "drop"}])
        seen = host.traffic.counts["unanswered"]
        sending = asyncio.create_task(live.send(Step(asking_role(first, None), first), timeout=5))
        await until(lambda: host.traffic.counts["unanswered"] > seen)
        await clock.advance(6)
        await sending
        host.rules = ()
    else:
        await live.send(Step(asking_role(first, None), first))
    for word in words:
        await clock.advance(60)
        step, _, units = word.partition(":")
        if step == "again":
            await live.send(Step(REPEAT, live.made.messages[0], None, 0))
        else:
            await live.send(live.follow(step, amount_minor_units=int(units) if units else None))
    whole = live.whole()
    matched = Exchange.of(whole.messages, [step.at for step in whole.steps if step.at], network=whole.network)
    booked = before - host.accounts.balance(pan)
    stays = CHAINS[chain] * (-1 if purpose == "refund" else 1)
    answers = [step.message for step in whole.steps if step.is_answer]
    results = {
        "booked": (booked, stays),
        "known": (_total(whole), stays),
        "matched": (_total(matched), stays),
        "refused": ([one[39] for one in answers if not accepted(one, whole.network)], []),
        "findings": ([one.rule for _, one in findings(whole) if one.rule not in _EXPECTED], []),
        "findings of what was matched": (
            [one.rule for _, one in findings(matched) if one.rule not in _EXPECTED],
            [],
        ),
    }
    return {what: pair for what, pair in results.items() if pair[0] != pair[1]}


# A second reversal is sent on purpose.
_EXPECTED = ("reversed-twice",)


def _total(exchange: Exchange) -> int:
    left = exchange.left
    return left.held + left.charged - left.credited


LINKS = (
    *((name, None) for name in NETWORKS),
    *((None, name) for name in ("nac", "base24", "ifsf", "elavon")),
)


@pytest.mark.parametrize(("network", "link"), LINKS)
def test_terminals_side_by_side(network: str | None, link: str | None) -> None:
    """Three terminals with the same STANs and two cards pay, repeat, reverse, complete and refund in any
    order: after each message the balances are those of a ledger of our own."""
    for seed in some(range(40), 4):
        chance, host = random.Random(seed), Issuer(Table(), Accounts(opening=OPENING))
        cards = [card.pan for card in test_cards(network or "VISA")][:2]
        payments: list[dict[str, Any]] = []
        ledger, stans, at = Counter[str](), Counter[str](), AT
        for _ in range(25):
            at += timedelta(seconds=chance.choice((0, 1, 30)))
            word = chance.choice(("new", "new", "again", REPEAT, "refund", *_CHANGES))
            if word == "new" or not payments:
                word = "new"
                kind, units = chance.choice(("auth", "financial")), chance.choice((1000, 2500))
                paid = {"kind": kind, "left": units, "terminal": chance.choice("123"), "ended": False}
                stans[paid["terminal"]] += 1
                options: Any = {"network": network, "version": None, "interface": link, "at": at}
                options |= {"pan": chance.choice(cards), "stan": f"{stans[paid['terminal']]:06}"}
                options |= {"details": {"terminal": f"TERM000{paid['terminal']}"}}
                if link:
                    options["version"] = interface(link).version
                entry = chance.choice(("manual", "chip"))
                sent = generate(kind, amount_minor_units=units, entry=entry, **options).message
                step, paid["exchange"] = Step("request", sent), Exchange(network=network)
                payments.append(paid)
                ledger[options["pan"]] += units
            else:
                paid = chance.choice(payments)
                made, left, pan = paid["exchange"], paid["left"], account(paid["exchange"].messages[0])[1]
                if word in ("again", REPEAT):
                    first = made.messages[0]
                    mti = repeat_mti(first.mti) if word == REPEAT else first.mti
                    later = f"{at:%m%d%H%M%S}" if word == REPEAT and 7 in first else first.get(7) or None
                    host.decide(first.replace(mti=mti, de7=later), Session())
                    continue
                completes = word == "completion"
                if paid["ended"] or left < 200 or (completes and paid["kind"] != "auth"):
                    continue
                stays = {"reversal": None, "partial_reversal": left // 2, "refund": 50}.get(word, left - 100)
                own = f"{stans[paid['terminal']] + 1:06}"
                repeats = link == "nac" and word.endswith("reversal")
                stan = None if repeats else own
                try:
                    step = follow(made, word, amount_minor_units=stays, stan=stan, at=at, checked=False)
                except OptionError:
                    continue
                stans[paid["terminal"]] += not repeats
                ledger[pan] -= 50 if word == "refund" else left - (stays or 0)
                if word == "refund" and 37 in made.messages[0] and chance.random() < 0.5:
                    step = replace(step, message=step.message.replace(de37=made.messages[0][37]))
                if word != "refund":
                    paid["left"], paid["ended"] = stays or 0, word != "partial_reversal"
            answer = host.decide(step.message, Session()).answer
            assert answer is not None
            if word != "refund":
                made = paid["exchange"]
                paid["exchange"] = made.plus(step, Step("answer", answer, None, len(made)))
            assert {pan: OPENING - host.accounts.balance(pan) for pan in cards} == {
                pan: ledger[pan] for pan in cards
            }, (seed, word)


_CHANGES = ("reversal", "partial_reversal", "completion")
