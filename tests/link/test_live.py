"""An exchange over a real connection: follow-ups are built from the host's responses."""

from __future__ import annotations

from typing import Any

import pytest

from sim.errors import OptionError
from sim.exchanges import make, tell
from sim.link import AsyncClient, AsyncHost
from sim.link.client import play
from sim.link.rules import rules_of
from sim.link.scenario.run import play as run
from sim.link.scenario.suite import suite_of
from sim.operations import NETWORKS

HOLD = "increment:5000 completion:12000 reversal"


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("words", ["completion:8000 reversal", "partial_reversal:4000 reversal", HOLD])
async def test_what_follows_carries_what_the_host_answered(network: str, words: str) -> None:
    """Follow-ups have the approval code of the actual response, not the generated one; the exchange goes
    as planned, and the host's balance is restored, except for increments that nothing links."""
    try:
        planned = make("preauthorization", network=network, amount_minor_units=10000, then=words)
    except OptionError:
        pytest.skip("no public source says how this network increases an authorization")
    async with AsyncHost() as host, AsyncClient((host.address, host.port)) as client:
        came = await play(client, planned)
        accounts = host.issuer.accounts
        named = words != HOLD or network in ("VISA", "MASTERCARD")
        assert not named or accounts.balance(planned.messages[0][2]) == accounts.opening
    assert [(step.role, step.of) for step in came.steps] == [(step.role, step.of) for step in planned.steps]
    named = [step.message[38] for step in came.steps if step.role in ("completion", "reversal")]
    assert named[0] == came.steps[1].message[38] == "000001"
    assert (came.left, tell(came)) == (planned.left, tell(planned))


@pytest.mark.parametrize(
    ("rules", "roles", "note"),
    [
        (
            [{"seen": "2", "code": "51"}],
            ["request", "answer", "increment", "answer", "completion", "answer", "reversal", "answer"],
            "",
        ),
        ([{"code": "05"}], ["request", "answer"], "The increment was not sent: "),
    ],
)
async def test_what_the_host_declines_changes_what_follows(
    rules: list[dict[str, Any]], roles: list[str], note: str
) -> None:
    """The completion covers the amount still held; if nothing is held, none is sent."""
    planned = make(
        "preauthorization",
        network="VISA",
        amount_minor_units=10000,
        then="increment completion:8000 reversal",
    )
    async with (
        AsyncHost(rules=rules_of(rules)) as host,
        AsyncClient((host.address, host.port)) as client,
    ):
        came = await play(client, planned)
    assert [step.role for step in came.steps] == roles
    assert any(one.startswith(note) for one in came.notes) if note else came.left.charged == 0


async def test_a_suite_says_what_follows_in_one_step() -> None:
    """Each follow-up in `then` is a separate step, whose response is checked."""
    suite = suite_of(
        'network = "VISA"\n[[cases]]\nname = "hold"\nsteps = [\n'
        f'  {{ purpose = "preauthorization", amount = 10000, then = "{HOLD}:malfunction" }},\n'
        '  { do = "reverse", expect = { 39 = "25" } },\n]\n'
    )
    done = await run(suite)
    assert [(one.do, one.wrong) for one in done.results] == [
        *((word, ()) for word in ("send", "increment", "completion", "reverse")),
        ("reverse", ("DE 39: expected 25, found 00",)),
    ]
