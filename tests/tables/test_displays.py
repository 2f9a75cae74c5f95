"""Front ends with their own table viewers never get unmasked cells."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from IPython.core.formatters import BaseFormatter, DisplayFormatter
from support import AT
from traitlets import ObjectName, Unicode

import sim
from sim.operations import generate
from sim.spec.networks import default_card
from sim.tables.tables import guard_displays

PAN = default_card("VISA").pan
RAW = generate("auth", network="VISA", entry="chip", at=AT).raw
PLAIN, HTML = "text/plain", "text/html"
SAMPLES = "application/vnd.google.colaboratory.intrinsic+json"
MODULE = "application/vnd.google.colaboratory.module+javascript"


class _Samples(BaseFormatter):
    """A display of a front end in addition to the table, such as Colab's samples of each column."""

    format_type = Unicode(SAMPLES)
    print_method = ObjectName("_repr_samples_")
    _return_type = (dict, str)


class _Module(_Samples):
    format_type = Unicode(MODULE)
    print_method = ObjectName("_repr_module_")


class _Schema(_Samples):
    format_type = Unicode("application/vnd.dataresource+json")


def samples(frame: pd.DataFrame) -> dict[str, Any]:
    """What Colab stores of a DataFrame: some values of each column."""
    return {"fields": [pd.Series(frame[name].dropna().unique()).tolist()[:30] for name in frame.columns]}


def cells(frame: pd.DataFrame) -> str:
    """The input of a data table: every cell."""
    return json.dumps(frame.reset_index().to_numpy(dtype=object).tolist(), default=str)


def colab(formatter: Any) -> None:
    """A Colab kernel's start, and `%load_ext google.colab.data_table` later."""
    for made, draw in ((_Samples(parent=formatter), samples), (_Module(parent=formatter), cells)):
        formatter.formatters[made.format_type] = made
        made.for_type(pd.DataFrame, draw)
    formatter.formatters[HTML].for_type(pd.DataFrame, cells)
    formatter.formatters[HTML].for_type(pd.Series, lambda one: cells(pd.DataFrame(one)))


def shown_first(formatter: Any) -> None:
    """Like Buckaroo and qgrid: the frame is displayed before its own display methods are called."""
    formatter.ipython_display_formatter.for_type(pd.DataFrame, lambda frame: print(frame.to_numpy().tolist()))


def bundled(formatter: Any) -> None:
    """A bundle of several MIME types at once."""
    formatter.mimebundle_formatter.for_type(
        pd.DataFrame, lambda frame, **_: {HTML: cells(frame), "application/json": samples(frame)}
    )


def as_schema(formatter: Any) -> None:
    """The cells as JSON, for nteract and viewers of data resources."""
    made = _Schema(parent=formatter)
    formatter.formatters[made.format_type] = made
    made.for_type(pd.DataFrame, samples)


FRONT_ENDS = (colab, shown_first, bundled, as_schema)


def results() -> dict[str, Any]:
    """Tables and columns with card data in them."""
    parsed = sim.parse(RAW)
    return {
        "message": parsed,
        "rows": parsed.iloc[1:4],
        "column": parsed["value"],
        "log": sim.read([RAW, RAW[:-3]]),
        "findings": sim.validate(RAW.replace(PAN, PAN[:-1] + "2")),
        "diff": sim.diff(RAW, RAW.replace(PAN, "5555555555554444")),
    }


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_no_front_end_gets_card_data(front_end: Any, late: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is registered for DataFrames, before this toolkit or after it, gets text and HTML, both
    masked."""
    formatter = DisplayFormatter()
    for step in (guard_displays, front_end) if late else (front_end, guard_displays):
        step(formatter)
    for name, table in results().items():
        shown, told = formatter.format(table)
        assert set(shown) <= {PLAIN, HTML}, name
        assert told == {}
        assert shown[PLAIN] == repr(table)
        assert PAN not in json.dumps(shown)
        assert PAN[:-1] not in json.dumps(shown)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("front_end", [colab, bundled, as_schema])
def test_these_front_ends_would_show_it(front_end: Any) -> None:
    """Without the guard each of them shows card data, so the guard is needed."""
    formatter = DisplayFormatter()
    front_end(formatter)
    assert PAN in json.dumps(formatter.format(sim.parse(RAW))[0])


def test_frames_of_others_are_shown_as_before() -> None:
    """The guard applies only to this toolkit's tables."""
    formatter = DisplayFormatter()
    colab(formatter)
    guard_displays(formatter)
    assert {SAMPLES, MODULE, HTML} < formatter.format(pd.DataFrame({"a": [1]}))[0].keys()


def test_what_is_asked_for_is_given() -> None:
    """`include` and `exclude` are respected, and a terminal without HTML gets text."""
    formatter = DisplayFormatter()
    guard_displays(formatter)
    table = sim.parse(RAW)
    assert formatter.format(table)[0].keys() == {PLAIN, HTML}
    assert formatter.format(table, include={HTML})[0] == {HTML: table._repr_html_()}
    assert formatter.format(table, exclude={HTML})[0].keys() == {PLAIN}
    formatter.active_types = [PLAIN]
    assert formatter.format(table)[0].keys() == {PLAIN}
