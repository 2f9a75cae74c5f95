"""A tester's day (`tests/peers/day.toml`, which also runs against jPOS) against our own host."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import sim
from sim.codec import Message

DAY = Path(__file__).parents[1] / "peers" / "day.toml"
RULES = [
    {"name": "declined", "mti": "0200", "amount": "5051", "code": "51"},
    {"name": "lost", "mti": "0100", "amount": "5077", "action": "drop"},
]
# What is another one in each answer.
VOLATILE = (7, 11, 12, 13, 15, 37)


def test_the_day_of_a_tester_passes_against_our_own_host() -> None:
    """Sign-on, nine cases and sign-off pass over one connection."""
    with sim.host(RULES, format="ascii", framing="length-4-ascii") as host:
        table = sim.run_suite(DAY, host.address)
    assert table["result"].tolist() == ["passed"] * 13
    assert table["case"].tolist()[0] == "before all cases"


@pytest.mark.parametrize(("name", "to", "ending"), [("bcd", "jpos", "xml"), ("ascii-16", "moov", "json")])
def test_it_passes_in_a_format_of_another_toolkit(tmp_path: Path, name: str, to: str, ending: str) -> None:
    """It also passes with a packager and a specification, each given as a file."""
    file = tmp_path / f"day-{to}.{ending}"
    file.write_text(str(sim.export_format(name, to)), encoding="utf-8")
    with sim.host(RULES, format=str(file), framing="length-2") as host:
        table = sim.run_suite(
            DAY, host.address, format=str(file), framing="length-2", cases=["quick", "chip"]
        )
    assert set(table["result"]) == {"passed"}


def test_what_a_host_answered_is_played_back() -> None:
    """Recorded responses, selected by the STAN of the request, are repeated except for volatile elements."""
    requests = [
        sim.generate("auth", entry="manual", stan=f"{at:06}", amount_minor_units=amount)
        for at, amount in enumerate((2500, 5051, 4000), start=1)
    ]

    def answers(host: str) -> list[Message]:
        with sim.client(host) as client:
            found = [client.send(one).answer for one in requests]
        return [one for one in found if one is not None]

    rules = [{"amount": "5051", "code": "51"}, {"amount": "4000", "set.44": "A", "set.48": "HELLO"}]
    with sim.host(rules) as host:
        recorded = answers(host.address)
    kept = {one[11]: one for one in recorded}

    def played(request: Message) -> Mapping[str, str]:
        answer = kept[request[11]]
        return {"code": answer[39]} | {
            f"set.{number}": value
            for number, value in answer.fields.items()
            if number not in (*VOLATILE, 39) and request.fields.get(number) != value
        }

    with sim.host(played) as host:
        again = answers(host.address)
    assert len(again) == len(requests)
    for one, other in zip(recorded, again, strict=True):
        for message in (one, other):
            for number in VOLATILE:
                message.fields.pop(number, None)
        assert (one.mti, one.fields) == (other.mti, other.fields)
