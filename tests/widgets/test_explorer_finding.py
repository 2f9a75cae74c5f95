"""The search of a column finds what a look at each of its rows would find."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.widgets.explorer import finding
from sim.widgets.explorer.finding import Searched, anywhere

TEXTS = st.lists(st.none() | st.text("aAbB01 é{@`", max_size=6), max_size=60)


def column(texts: list[str | None], pieces: int) -> pa.ChunkedArray:
    """The texts in so many pieces, each a slice of something longer."""
    size = max(-(-len(texts) // pieces), 1)
    some = [texts[at : at + size] for at in range(0, len(texts), size)]
    return pa.chunked_array([pa.array(["ab", *one, "b0"], pa.string())[1:-1] for one in some], pa.string())


@given(TEXTS, st.text("aAbB01 é{@`", min_size=1, max_size=3), st.integers(1, 3), st.booleans(), st.booleans())
def test_rows_that_hold_a_text(
    texts: list[str | None], text: str, pieces: int, few: bool, often: bool
) -> None:
    """In either of two columns, in any case, never across two rows, in many different values or in few."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(finding, "_FEW", 0 if few else 10**6)
        patched.setattr(finding, "_PIECE", 5)
        patched.setattr(finding, "_ROWS", 7)
        patched.setattr(finding, "_RARE", 0 if often else 10**6)
        searched = [Searched(column(held, pieces)) for held in (texts, texts[::-1])]
        found = anywhere(searched, text, len(texts))
    lower = [(one or "").lower() for one in texts]
    assert found.tolist() == [
        text.lower() in one or text.lower() in two for one, two in zip(lower, lower[::-1], strict=True)
    ]


def test_a_column_is_searched_by_its_values_where_they_are_few() -> None:
    """Twenty rows for each, at least."""
    assert Searched(pa.array(["a", "b"] * 30)).few
    assert not Searched(pa.array([str(one) for one in range(40)])).few
