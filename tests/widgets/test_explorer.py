"""The log explorer without a browser: what is filtered, sorted, judged, matched and handed over."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from ipywidgets.embed import dependency_state
from support import AT, together

import sim
from sim.widgets import LogExplorer
from sim.widgets.explorer import panel
from sim.widgets.explorer import panel as panels

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


@cache
def log() -> pd.DataFrame:
    """The traffic, read."""
    return sim.read(list(traffic()), validate=True, progress=False)


@pytest.fixture
def explorer() -> LogExplorer:
    """The traffic, looked at."""
    return LogExplorer(log())


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
        ({"query": "TERM0001", "network": "VISA"}, [1, 7, 13]),
        ({"query": "DE99"}, []),
    ],
)
def test_the_filter(explorer: LogExplorer, traits: dict[str, Any], lines: list[int]) -> None:
    """By verdict, network and what is typed, all at once."""
    for name, value in ({"verdict": "all", "network": "", "query": ""} | traits).items():
        setattr(explorer, name, value)
    assert held(explorer) == lines
    assert f"{len(lines)} of 15 messages" in explorer.counts.value


def test_the_rules_that_bad_messages_break(explorer: LogExplorer) -> None:
    """They are offered with their numbers, and leave only the messages that break them."""
    offered = dict(explorer.rules.options)
    assert "framing (2)" in offered
    explorer.rule = "date"
    assert held(explorer) == [13]
    explorer.rules.value = ""
    assert explorer.rule == ""


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
    monkeypatch.setattr(panel, "_pictures", lambda table, kind: drawn.append(table["line"].tolist()) or "")
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
    explorer.query = "mti=0110 or mti=1110"  # the request itself is filtered away
    explorer.pairs.current = 2
    assert explorer.views.anatomy.message == explorer.message(int(explorer.transactions["request"].iloc[2]))


def cells(explorer: LogExplorer, name: str) -> list[str]:
    """What a column of the transactions shows."""
    source = explorer.pairs.source
    assert source is not None
    at = source.names.index(name)
    return [row[at] for row in source.texts(explorer.pairs.rows)]


def test_a_message_of_an_interface_is_opened_as_it_was_read() -> None:
    """Anatomy and verdict are those of what the link speaks, not of the standard."""
    made = sim.generate("auth", interface="base24", at=AT).iso.to_message()
    explorer = LogExplorer(sim.read([made], validate=True, progress=False))
    explorer.grid.current = 0
    assert explorer.views.anatomy.view["fault"] is None
    assert "BASE24" in explorer.report.data["verdict"]["words"]


def test_transactions_follow_the_filter(explorer: LogExplorer) -> None:
    """Those remain of which a message is left, whichever it is; without the filter all come back."""
    explorer.tab = "Transactions"
    everything = explorer.pairs.count
    explorer.query = "mti=0110 network=VISA"
    assert (explorer.pairs.count, cells(explorer, "network")) == (1, ["VISA"])
    assert "1 of 7 transactions" in explorer.counts.value
    explorer.query = ""
    assert explorer.pairs.count == everything


def test_a_repeated_request_is_part_of_its_transaction() -> None:
    """A filter that leaves only the repeat leaves its transaction, with all its messages."""
    request = sim.generate("auth", stan=1, at=AT)
    explorer = LogExplorer([sim.build(one) for one in (request, request, sim.respond(request))])
    explorer.tab = "Transactions"
    explorer.query = "line=2"
    assert explorer.pairs.count == 1
    assert explorer.chosen is not None
    assert explorer.chosen["line"].tolist() == [1, 2, 3]


def test_transactions_show_amounts_and_lines_as_the_messages_do(explorer: LogExplorer) -> None:
    """An amount has its currency, a message is named by its line."""
    explorer.tab = "Transactions"
    assert cells(explorer, "amount")[0] == "10.00 USD"
    assert (cells(explorer, "request")[0], cells(explorer, "answer")[0]) == ("1", "7")
    log = explorer.log
    assert log is not None
    assert log.texts(explorer.grid.rows)[0][log.names.index("amount")] == "10.00 USD"


def test_ticked_transactions_are_their_messages(explorer: LogExplorer) -> None:
    """They are exported and drawn; of one, request and answer are compared, of two the requests."""
    explorer.tab = "Transactions"
    explorer.pairs.chosen = [1]
    assert explorer.chosen is not None
    assert explorer.chosen["line"].tolist() == [2, 8]
    assert len(pd.read_csv(io.BytesIO(explorer.export()))) == 2
    compared = explorer.diff()
    assert compared is not None
    assert (compared.left.message, compared.right.message) == (explorer.message(1), explorer.message(7))
    explorer.pairs.chosen = [1, 2]
    compared = explorer.diff()
    assert compared is not None
    assert (compared.left.message, compared.right.message) == (explorer.message(1), explorer.message(2))


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


def test_nothing_of_what_is_typed_is_in_what_a_notebook_saves() -> None:
    """A card number in the filter, in the notes on it, or in pasted lines; the filter finds it all the
    same."""
    explorer = LogExplorer()
    explorer.paste.value = "\n".join(traffic())
    explorer.filter._on_message(explorer.filter, {"kind": "typed", "text": f"DE43~corner {CARD}"}, [])
    assert explorer.query.endswith(CARD)
    assert "411111******1111 is searched for everywhere" in explorer._narrowed.note
    explorer.query = CARD
    assert held(explorer) == [1, 7, 13]
    assert CARD not in str(dependency_state([explorer]))


def test_pages_are_sent_when_they_are_asked_for(explorer: LogExplorer) -> None:
    """Only rows that exist, only for the rows as they are now; masked."""
    sent: list[Any] = []
    explorer.grid.send = lambda content, buffers=None: sent.append(content)
    ask = {"ask": "rows", "start": 10, "end": 400, "stamp": explorer.grid.stamp}
    explorer.grid._on_request(explorer.grid, ask, [])
    explorer.grid._on_request(explorer.grid, ask | {"stamp": -1}, [])
    explorer.grid._on_request(explorer.grid, ask | {"start": "0"}, [])
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
    assert "no file" in LogExplorer(tmp_path / "nothing").problem
    explorer.network = "visa"
    assert set(explorer.shown["network"]) == {"VISA"}


def test_the_first_rows_of_a_large_log_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is read meanwhile; then all of it is there."""
    monkeypatch.setattr(panel, "_LARGE", 10)
    monkeypatch.setattr(panel, "FIRST", 3)
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
