"""The log explorer without a browser: what is filtered, sorted, judged, matched and handed over."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import AT, together

import sim
from sim.widgets import LogExplorer
from sim.widgets.explorer import panel as panels
from sim.widgets.explorer import reading, tools
from sim.widgets.explorer.query import conditions

CARD = "4111111111111111"


@cache
def traffic() -> tuple[str, ...]:
    """A request and its answer of each network, a message with month 13, and two texts that are none."""
    asked = [sim.generate("auth", network=name, stan=at, at=AT) for at, name in enumerate(sim.NETWORKS, 1)]
    wrong = sim.break_message(asked[0], "month-13").iso.message
    texts = [*asked, *(sim.respond(one) for one in asked), wrong]
    return (
        *(sim.build(one) if isinstance(one, pd.DataFrame) else str(one) for one in texts),
        "broken",
        "0100",
    )


@pytest.fixture
def explorer() -> LogExplorer:
    """The traffic, looked at."""
    return LogExplorer(list(traffic()))


def held(one: LogExplorer) -> list[int]:
    """The lines that are shown."""
    assert one.shown is not None
    return [int(line) for line in one.shown["line"]]


@together(
    "traits, lines",
    [
        ({"verdict": "invalid"}, [13, 14, 15]),
        ({"verdict": "unreadable"}, [14, 15]),
        ({"verdict": "valid", "network": "JCB"}, [5, 11]),
        ({"query": "DE11=000002"}, [2, 8]),
        ({"query": "11=000002 mti=0110"}, [8]),
        ({"query": "DE39~0 network=VISA"}, [7]),
        ({"query": "TERM0001 network=VISA mti=0100"}, [1, 13]),
        ({"query": "DE11>000005"}, [6, 12]),
        ({"query": "DE11<=1 -DE39"}, [1, 13]),
        ({"query": "DE99"}, []),
        ({"query": "DE4>word"}, []),
        ({"query": "broken"}, [14]),
        ({"query": "term0001 BROK"}, []),
        ({"query": "BROK"}, [14]),
    ],
)
def test_the_filter(explorer: LogExplorer, traits: dict[str, Any], lines: list[int]) -> None:
    """By verdict, network, element, column and text, all at once."""
    for name, value in ({"verdict": "all", "network": "", "query": ""} | traits).items():
        setattr(explorer, name, value)
    assert held(explorer) == lines
    assert f"{len(lines)} of 15 messages" in explorer.counts.value
    assert ("Expected a number behind DE4&gt;" in explorer.counts.value) == ("DE4>word" in traits.values())


def test_the_rules_that_bad_messages_break(explorer: LogExplorer) -> None:
    """They are offered with their numbers, and leave only the messages that break them."""
    offered = dict(explorer.rules.options)
    assert "framing (2)" in offered
    explorer.rule = "date"
    assert held(explorer) == [13]
    explorer.rules.value = ""
    assert explorer.rule == ""


@given(st.text(max_size=30))
def test_any_text_is_a_filter(text: str) -> None:
    """Whatever is typed means something."""
    for one in conditions(text, frozenset({"mti", "DE39"})):
        assert one.operator == "anywhere" or one.column


def test_sorting_keeps_equals_in_order(explorer: LogExplorer) -> None:
    """By any column, up or down; what is missing comes last."""
    explorer.grid.order = {"name": "DE11", "descending": True}
    assert held(explorer) == [6, 12, 5, 11, 4, 10, 3, 9, 2, 8, 1, 7, 13, 14, 15]
    explorer.grid.order = {"name": "verdict", "descending": False}
    assert held(explorer)[0] == 1
    explorer.sort.value = "network"
    assert held(explorer)[0] == 3


def test_pictures_are_of_the_log_however_it_is_sorted(
    explorer: LogExplorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lanes go from what came first to what came last."""
    drawn: list[list[int]] = []
    monkeypatch.setattr(tools, "_pictures", lambda table, kind: drawn.append(table["line"].tolist()) or "")
    explorer.grid.order = {"name": "DE11", "descending": True}
    explorer.tools.plot()
    assert drawn == [list(range(1, 16))]


def test_a_row_opens_its_message(explorer: LogExplorer) -> None:
    """Its anatomy, its findings, and what it can be copied as."""
    explorer.grid.current = 12
    assert "invalid" in repr(explorer.views.anatomy)
    assert explorer.report.data["findings"][0]["severity"] == "error"
    assert explorer.copy.text("text").startswith("0100")
    explorer.grid.current = 13
    assert explorer.views.anatomy.message == "broken"


def test_a_transaction_opens_its_request(explorer: LogExplorer) -> None:
    """A row of the transactions leads to the message."""
    explorer.tab = "Transactions"
    assert explorer.transactions is not None
    assert explorer.pairs.count == len(explorer.transactions)
    explorer.pairs.current = 2
    assert explorer.grid.current == int(explorer.transactions["request"].iloc[2])


def test_two_are_compared(explorer: LogExplorer) -> None:
    """Two that are ticked, neither one nor three."""
    explorer.tools.diff()
    assert "two messages" in explorer.tools.said.value
    explorer.grid.chosen = [0, 6]
    explorer.tools.diff()
    assert len(explorer.tools.compared.children) == 1


def test_what_came_of_other_messages_is_taken_away(explorer: LogExplorer) -> None:
    """A filter leaves no picture, no comparison and no word of the messages that were shown before it."""
    explorer.grid.chosen = [0, 6]
    explorer.tools.diff()
    compared = explorer.tools.compared.children[0]
    explorer.tools.export()
    explorer.tools.picture.value = "a picture"
    explorer.query = "DE39=05"
    assert (explorer.tools.said.value, explorer.tools.picture.value) == ("", "")
    assert explorer.tools.compared.children == ()
    assert compared.comm is None


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("masked", [True, False])
def test_what_is_shown_is_exported(explorer: LogExplorer, kind: str, masked: bool) -> None:
    """What is ticked, else what is shown; masked unless asked otherwise."""
    explorer.verdict = "valid"
    reader = pd.read_parquet if kind == "parquet" else lambda file: pd.read_csv(file, dtype=str)
    table = reader(io.BytesIO(explorer.export(kind, masked)))
    assert len(table) == 12
    assert (CARD in set(table["DE2"])) != masked
    explorer.grid.chosen = [0]
    assert len(reader(io.BytesIO(explorer.export(kind, masked)))) == 1


def test_nothing_of_the_card_is_in_what_a_notebook_saves(explorer: LogExplorer) -> None:
    """Not in the state of any widget, not in what stands for the panel where widgets do not run."""
    explorer.grid.current = 0
    explorer.tools.plot()
    widgets = [
        explorer,
        explorer.grid,
        explorer.pairs,
        explorer.copy,
        explorer.views.anatomy,
        explorer.report,
    ]
    said = "".join(str(one.get_state()) for one in widgets) + explorer._static() + repr(explorer)
    assert CARD not in said


def test_pages_are_sent_when_they_are_asked_for(explorer: LogExplorer) -> None:
    """Only rows that exist, only for the rows as they are now; masked."""
    sent: list[Any] = []
    explorer.grid.send = lambda content, buffers=None: sent.append(content)
    ask = {"ask": "rows", "start": 10, "end": 400, "stamp": explorer.grid.stamp}
    explorer.grid._asked(explorer.grid, ask, [])
    explorer.grid._asked(explorer.grid, ask | {"stamp": -1}, [])
    explorer.grid._asked(explorer.grid, ask | {"start": "0"}, [])
    assert [len(one["rows"]) for one in sent] == [5]
    assert CARD not in str(sent)


def test_a_file_arrives_in_pieces(tmp_path: Path) -> None:
    """Pieces are put together; the name says how to read them."""
    explorer = LogExplorer()
    assert "no messages" in repr(explorer)
    data = "\n".join(traffic()).encode()
    for at in range(0, len(data), 500):
        content = {"ask": "piece", "name": "day.log", "at": at, "size": len(data)}
        explorer.drop._take(explorer.drop, content, [data[at : at + 500]])
    assert repr(explorer) == "LogExplorer(15 of 15 messages)"


def test_lines_are_pasted_and_files_read(tmp_path: Path) -> None:
    """A text with lines, a path, a table, one message; what cannot be read is said."""
    texts = list(traffic())
    explorer = LogExplorer()
    explorer.paste.value = "\n".join(texts)
    assert held(explorer) == list(range(1, 16))
    file = tmp_path / "day.txt"
    file.write_text("\n".join(texts), encoding="ascii")
    for source in (str(file), file, sim.read(texts), [sim.parse(one) for one in texts[:12]]):
        assert len(held(LogExplorer(source))) in (12, 15)
    assert LogExplorer(tmp_path / "nothing").problem


def test_the_first_rows_of_a_large_log_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is read meanwhile; then all of it is there."""
    monkeypatch.setattr(reading, "_LARGE", 10)
    monkeypatch.setattr(reading, "FIRST", 3)
    seen: list[int] = []
    put = panels.LogExplorer._put

    def noted(self: LogExplorer, table: Any) -> None:
        seen.append(len(table))
        put(self, table)

    monkeypatch.setattr(panels.LogExplorer, "_put", noted)
    explorer = LogExplorer(list(traffic()))
    explorer.wait()
    assert seen == [3, 15]
    assert len(held(explorer)) == 15
