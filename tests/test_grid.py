"""How tables are drawn: one line per row, full texts in titles, column widths by importance."""

from __future__ import annotations

import re

import pytest

from sim.grid import GAP, NUMBER, SEVERITY, TEXT, VALUE, Grid, as_html, as_plain, style, table_html

LONG = "a sentence of which no column of a page of usual width could show all, since it goes on and on"


def grid_of(*rows: tuple[str, ...], kinds: str = "", **more: object) -> Grid:
    """A grid of texts with columns a, b, c ..., labelled 0, 1, 2 ..."""
    headers = tuple("abcdefgh"[: len(rows[0])])
    labels = tuple(map(str, range(len(rows))))
    return Grid(headers, tuple(kinds or TEXT * len(headers)), labels, rows, **more)  # type: ignore[arg-type]


def test_a_row_is_one_line() -> None:
    """No cell may wrap; a long text is also complete in its title, and a short one needs none."""
    html = as_html(grid_of((LONG, "short"), ("x", "y")))
    assert "white-space: nowrap" in html
    assert "wbr {display: none}" in html  # Chromium breaks there even where nothing wraps
    assert f'title="{LONG}">{LONG}</td>' in html
    assert '<td class="t w">x</td><td class="t">y</td>' in html
    assert html.count("title=") == 1


def test_what_is_wrong_is_read_whole() -> None:
    """Findings and hints wrap over as many lines as they need, and so do names and the reasons of a guess;
    in a list of rules or messages each row stays one line."""
    for headers, whole in (
        (("message", "hint", "source"), ["message", "hint"]),
        (("meaning", "finding", "hint"), ["finding", "hint"]),
        (("severity", "field", "message"), ["severity", "message"]),
        (("title", "reasons", "version"), ["reasons"]),
        (("name", "value", "meaning"), ["name"]),
        (("checks", "hint", "example"), []),
        (("what", "message", "rule"), []),
    ):
        html = as_html(Grid(headers, (TEXT,) * 3, ("0",), ((LONG,) * 3,)))
        classes = re.findall(r'<td class="t ([a-z ]+)"', html)
        wraps = set(re.findall(r"td\.(.) \{[^}]*white-space: normal", html))
        assert [name for name, given in zip(headers, classes, strict=True) if wraps & set(given)] == whole


def test_reasons_have_room_next_to_many_short_columns() -> None:
    """Whatever other tables a page has."""
    page = as_html(Grid(("mti", "reasons"), (TEXT, TEXT), ("0",), (("0100", LONG),), None))
    assert "td.p.r {min-width: 26em}" in page
    assert '<td class="t w p r"' in page


def test_texts_without_end() -> None:
    """For a text of a megabyte, a screen's width is drawn, and the title has a few pages."""
    html = table_html(grid_of(("x" * 1_000_000,)))
    assert len(html) < 6_000


def test_a_long_word_may_break_where_style_sheets_are_cleaned_away() -> None:
    """A long word may break every 16 characters, so that it does not push other columns off the screen; a
    short one never."""
    html = table_html(grid_of(("<&>" + "F" * 60, LONG), ("4" * 24, "y"), kinds=VALUE + TEXT))
    drawn = re.findall(r"<td class[^>]*>(.*?)</td>", html)
    assert drawn[0] == f"&lt;&amp;&gt;{'F' * 13}<wbr>{'F' * 16}<wbr>{'F' * 16}<wbr>{'F' * 15}"
    assert drawn[1:3] == [LONG, "4" * 24]


@pytest.mark.parametrize("name", ["message", "what"])
def test_widths_by_what_matters(name: str) -> None:
    """The sentence gets more room than its source; a short column gets what it needs and no share of the
    rest."""
    made = Grid((name, "source", "code"), (TEXT,) * 3, ("0",), ((LONG, LONG, "00"),))
    shares = [int(text or 0) for text in re.findall(r"<col(?: style=\"width:(\d+)%\")?>", table_html(made))]
    assert shares[0] == shares[3] == 0  # the label and the code
    assert shares[1] > 4 * shares[2] > 0


def test_one_long_value_takes_no_room_from_the_others() -> None:
    """A column's share follows from what most of its rows need."""
    names = ["a name of forty characters, more or less"] * 20
    values = ["00"] * 19 + ["F" * 900]
    made = Grid(("name", "value"), (TEXT, VALUE), ("",) * 20, tuple(zip(names, values, strict=True)), None)
    first, second = map(int, re.findall(r"width:(\d+)%", table_html(made)))
    assert first > second


def test_severity_has_a_sign_and_a_colour() -> None:
    """Each severity has a sign and a word as well as its color; a table without severities sets no color."""
    found = grid_of(("error",), ("warning",), ("info",), ("…",), kinds=SEVERITY)
    html, text = as_html(found), as_plain(found)
    for word, sign in (("error", "✖"), ("warning", "▲"), ("info", "ℹ")):
        assert f'<td class="s {word}">{sign} {word}</td>' in html
        assert f"{sign} {word}" in text
    assert '<td class="s">…</td>' in html
    assert "color" not in as_html(grid_of(("error",)))


def test_a_failing_row_is_marked() -> None:
    """Only the failing rows are highlighted."""
    html = as_html(grid_of(("x",), ("y",), failing=frozenset({1})))
    assert re.findall(r'<tr class="failing"><th>(.)</th>', html) == ["1"]


def test_columns_of_text() -> None:
    """In a terminal numbers are right-aligned, texts left-aligned, and no column is too wide to read."""
    made = grid_of((LONG * 3, "1"), ("x", "10"), kinds=TEXT + NUMBER, note="2 of 9 rows")
    lines = as_plain(made, "What it is").splitlines()
    assert lines[:2] == ["What it is", ""]
    assert lines[-1] == "2 of 9 rows"
    assert len(lines[3]) < 100
    assert lines[3].endswith(f"{GAP}   1")
    assert lines[4].endswith("  10")


def test_rows_without_labels() -> None:
    """A table without labels has no column for them, in text or HTML."""
    made = grid_of(("x", "y"), label_header=None)
    assert as_plain(made).splitlines() == ["a  b", "x  y"]
    assert "<tr><td" in table_html(made)


def test_nothing_left_where_style_sheets_are_cleaned_away() -> None:
    """A page that strips selectors from a style sheet may leave the commas between them, so there are
    none."""
    for made in (grid_of(("x",)), grid_of(("error",), kinds=SEVERITY)):
        selectors = re.findall(r"([^{}]*)\{", style(made))
        assert selectors
        assert not any("," in re.sub(r"\([^)]*\)", "", one) for one in selectors)
