"""Sequence diagrams of a connection's messages, transaction by transaction."""

from __future__ import annotations

import sim
from sim.codec import Message
from sim.link.lanes import Lane, lanes_of, seen_in
from sim.link.scenario.report import as_html
from sim.link.scenario.run import play
from sim.link.scenario.suite import suite_of
from sim.link.traffic import IN, OUT
from sim.operations import generate

PAN = "4111111111111111"
RULES = [
    {"mti": "0200", "amount": "100", "action": "drop"},
    {"mti": "0200", "amount": "200", "action": "duplicate"},
    {"mti": "0200", "amount": "300", "action": "late", "delay": "0"},
]


def request(stan: int, amount: int) -> Message:
    """A request with its own number."""
    return generate(
        "financial", pan=PAN, stan=f"{stan:06}", amount_minor_units=amount, version="1987"
    ).message


def words(lane: Lane) -> list[str]:
    """The texts of its arrows, without response times."""
    return [hop.words.partition(" after ")[0] for hop in lane.hops]


def test_a_time_out_and_its_reversal_are_one_transaction() -> None:
    """One transaction has the request, the missing response, the reversal that refers to it, and its
    response; the next request is another transaction."""
    with sim.host(RULES) as host, sim.client(host) as client:
        client.send(request(1, 100), timeout=0.2)
        client.send(request(7, 500))
        of_client, of_host = tuple(seen_in(client.seen, OUT)), tuple(seen_in(host.seen, IN))
        table = client.transactions
        shown = client.lanes()._repr_html_() + host.lanes()._repr_html_()
    undone, plain = lanes_of(of_client)
    assert words(undone) == [
        "0200 financial transaction request, STAN 000001",
        "timed out",
        "0400 reversal request, STAN 000002, reverses 000001",
        "0410 with 00",
    ]
    assert [hop.arrived for hop in undone.hops] == [True, False, True, True]
    assert [hop.to_host for hop in undone.hops] == [True, False, True, False]
    assert words(plain) == ["0200 financial transaction request, STAN 000007", "0210 with 00"]
    assert [len(one.hops) for one in lanes_of(of_host)] == [4, 2]
    assert table["transaction"].tolist() == [1, 1, 2]
    assert table["state"].tolist() == ["unanswered", "answered", "answered"]
    assert shown.count("<svg") == 4
    assert PAN not in shown


def test_an_answer_that_comes_twice_is_told() -> None:
    """The second response is marked as a duplicate, in the same transaction."""
    with sim.host(RULES) as host, sim.client(host) as client:
        client.send(request(1, 200))
        client.send(generate("echo", stan="000002").message)
        first = lanes_of(tuple(seen_in(client.seen, OUT)))[0]
    assert words(first)[-1] == "0210 with 00, duplicate"
    assert not first.hops[-1].arrived


def test_an_empty_line_has_no_lanes() -> None:
    """Without messages there is neither a diagram nor an error."""
    with sim.host() as host:
        assert host.lanes().svg == "<p>Nothing was sent yet.</p>"
        assert lanes_of(tuple(seen_in(host.seen, IN))) == ()


def test_a_report_draws_each_transaction_of_a_case() -> None:
    """A case with a timeout and one more request has two diagrams, titled by `sim.match`."""
    from sim import background

    suite = suite_of(
        'network = "VISA"\nversion = "1987"\n[[rules]]\namount = "100"\nmti = "0200"\naction = "drop"\n'
        '[[cases]]\nname = "undone"\n[[cases.steps]]\ntype = "financial"\namount = 100\ntimeout = 0.2\n'
        'undo = true\nexpect.status = "timed out"\n[[cases.steps]]\ntype = "financial"\namount = 500\n'
    )
    done = background.run(play(suite))
    page = as_html(done)
    assert done.passed
    assert page.count("<svg") == 2
    assert "unanswered, answered</figcaption>" in page
    assert ", reverses 000001" in page
