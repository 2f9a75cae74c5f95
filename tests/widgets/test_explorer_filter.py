"""What is typed into the filter of a log means what people mean by it, or is refused with a reason."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import AT

import sim
from sim.widgets.explorer import query
from sim.widgets.explorer.log import Log
from sim.widgets.explorer.query import HELP
from sim.widgets.explorer.vocabulary import NAMES, FilterError

FILTERS = [
    (row["filter"], [int(line) for line in row["lines"].split()], row["says"])
    for row in csv.DictReader(
        (Path(__file__).parents[1] / "vectors" / "log_filters.csv").read_text(encoding="utf-8").splitlines()
    )
]


def generated(kind: str, network: str, stan: int, amount: int, **options: str) -> pd.DataFrame:
    """A request of the log."""
    return sim.generate(kind, network=network, stan=stan, amount_minor_units=amount, at=AT, **options)


@cache
def log() -> Log:
    """Twelve lines: five payments, four of them answered, in three currencies and two versions; an echo and
    its answer; a line that is no message."""
    visa = generated("auth", "VISA", 1, 1000, entry="chip")
    mastercard = generated("financial", "MASTERCARD", 2, 75000, currency="978", entry="ecommerce")
    jcb = generated("auth", "JCB", 3, 60000, currency="392", entry="stripe")
    amex = generated("auth", "AMEX", 4, 60000, version="1993", entry="manual")
    cafe = {"merchant": "MAIN STREET CAFE", "city": "DUBLIN", "terminal": "CAFE0077"}
    answers = [sim.respond(visa), sim.respond(mastercard, "05"), sim.respond(jcb, "51"), sim.respond(amex)]
    pairs = zip((visa, mastercard, jcb, amex), answers, strict=True)
    echo = sim.generate("echo", network="VISA", stan=6, at=AT)
    messages = [*(one for pair in pairs for one in pair)]
    messages += [generated("auth", "VISA", 77, 50000, entry="contactless", **cafe), echo, sim.respond(echo)]
    return Log(sim.read([*map(sim.build, messages), "0100broken"], validate=True, progress=False))


@pytest.mark.parametrize(("typed", "lines", "says"), FILTERS, ids=[one[0] for one in FILTERS])
def test_what_is_typed_is_what_is_meant(typed: str, lines: list[int], says: str) -> None:
    """The lines that meet the filter, and what its writer is told."""
    try:
        rows, notes = log().where(typed)
    except FilterError as error:
        assert lines == []
        assert says
        assert says in str(error)
        return
    assert (rows + 1).tolist() == lines
    assert says in ". ".join(notes)
    assert bool(notes) == bool(says)


def test_a_negated_comparison_is_of_what_is_there() -> None:
    """`DE39!=00` and `DE39=00` share out the messages that have DE 39; `not` leaves the others, too."""
    there, equal, other = (set(log().where(one)[0]) for one in ("DE39", "DE39=00", "DE39!=00"))
    assert equal | other == there
    assert not equal & other
    assert set(log().where("not DE39=00")[0]) == set(range(log().size)) - equal


def test_amounts_without_a_currency_are_told() -> None:
    """Nothing is said of them in units of a currency, and the writer knows it."""
    texts = [sim.build({"mti": "0100", 3: "000000", 4: "000000090000", 11: "000001"})]
    rows, notes = Log(sim.read(texts, progress=False)).where("DE4>500.00")
    assert (len(rows), notes) == (0, ("1 in the log have no known currency and are left out",))


def test_amounts_of_2003_have_their_currency_in_front() -> None:
    """They are filtered and sorted in units of it; columns with one value throughout are searched as well."""
    options: dict[str, Any] = {"network": "VISA", "version": "2003", "at": AT}
    amounts = ((900, "USD"), (5000, "JPY"))
    pair = [sim.build(sim.generate(amount_minor_units=one, currency=of, **options)) for one, of in amounts]
    logged = Log(sim.read(pair * 12, progress=False))
    assert set(logged.where("amount>10.00")[0] % 2) == {1}
    assert len(logged.where("mti=2100 visa")[0]) == 24
    assert logged.order(np.arange(2), "amount", True).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("typed", "rows"),
    [
        ("time>=2026-11-20T10:15", [1, 2]),
        ("time=2026-11-20", [1, 2]),
        ("time>10:15", [2]),
        ("time<=10:15:30", [0, 1]),
    ],
)
def test_times(typed: str, rows: list[int]) -> None:
    """A day, a moment, an hour of any day."""
    table = sim.read([sim.build(sim.generate("echo", at=AT))] * 3, progress=False)
    moments = pd.to_datetime(["2026-11-19T10:15:00Z", "2026-11-20T10:15:30Z", "2026-11-20T10:16:30Z"])
    table["time"] = moments
    assert Log(table).where(typed)[0].tolist() == rows


def test_the_help_is_understood() -> None:
    """Every example of the panel's help and every short name means something."""
    for example, _ in HELP:
        log().where(example)
    for name in NAMES:
        log().where(f'{name}="1"' if name != "verdict" else "verdict=valid")
    page = Path(__file__).parents[2] / "notebooks" / "site" / "how-to" / "read_a_log.md"
    guide = page.read_text(encoding="utf-8")
    assert [one for one in HELP if f"| `{one[0]}` | {one[1]} |" not in guide] == []
    assert [one for one in NAMES if f"`{one}`" not in guide] == []
    assert query.__doc__ is not None
    assert [one for one in ("DE39!=05", "DE4>500 USD", "not in", "between") if one not in query.__doc__] == []


@given(st.text(max_size=60) | st.text("DE39=!<>~()'\" or-", max_size=40))
def test_any_text_is_a_filter_or_is_refused(text: str) -> None:
    """Whatever is typed means something, or a sentence says why not."""
    try:
        log().where(text)
    except FilterError as error:
        assert str(error)


@pytest.mark.parametrize(
    "typed", ["4111111111111112=", "foo4111111111111111=1", "DE11=x4111111111111111", "DE2.4111111111111111"]
)
def test_a_refusal_shows_no_card_number(typed: str) -> None:
    """It is masked in the sentence."""
    with pytest.raises(FilterError) as refused:
        log().where(typed + "=1 (")
    assert "41111111" not in str(refused.value)


@pytest.mark.parametrize(
    "typed", ["(" * 5000, "not " * 5000, "a " * 5000, "a" + " " * 60_000 + "b", "DE4>" * 9000]
)
def test_a_long_filter_is_answered(typed: str) -> None:
    """Neither the depth nor the length of what is pasted stops the panel."""
    try:
        log().where(typed)
    except FilterError as error:
        assert str(error)
