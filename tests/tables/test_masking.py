"""No display of a table shows card data; exports have the true values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter
from support import some, together

import sim
from sim.tables import FindingsTable, MessageTable

PAN = "4111111111111111"
TRACK_2 = "4111111111111111=29122010000012345678"
TRACK_1 = "B4111111111111111^DOE/JOHN^29122010000012345678"
PIN_BLOCK = "0412AC89ABCDEF67"
CHIP_PAN = "5A084111111111111111"
CHIP_TRACK = "4111111111111111D29122010000012345678F"
# The application cryptogram (9F26) is no card data: it stays readable, as the other tags do.
CHIP = "9F26081122334455667788" + CHIP_PAN + "5713" + CHIP_TRACK
ELEMENTS = {
    "mti": "0100",
    2: PAN,
    3: "000000",
    4: "000000001000",
    11: "000042",
    35: TRACK_2,
    41: "TERM0001",
    45: TRACK_1,
    48: f"ref {PAN} end",
    49: "840",
    52: PIN_BLOCK,
    55: CHIP,
}
SECRETS = (
    PAN,
    TRACK_2,
    TRACK_1,
    PIN_BLOCK,
    CHIP,
    CHIP_PAN,
    CHIP_TRACK,
    "D2912201",
    "DOE/JOHN",
    "29122010000012345678",
    PIN_BLOCK[:8],
)

Derive = Callable[[pd.DataFrame], Any]
DERIVED: dict[str, Derive] = {
    "full": lambda table: table,
    "column": lambda table: table["value"],
    "attribute": lambda table: table.value,
    "columns": lambda table: table[["number", "value"]],
    "value only": lambda table: table[["value"]],
    "names and values": lambda table: table[["name", "value"]],
    "row": lambda table: table.iloc[2],
    "track row": lambda table: table.iloc[6],
    "labelled row": lambda table: table.loc[8],
    "slice": lambda table: table[2:9],
    "head": lambda table: table.head(7),
    "tail": lambda table: table.tail(7),
    "filtered": lambda table: table[table["number"] > 30],
    "only the reference": lambda table: table[table["number"] == 48],
    "filtered column": lambda table: table.loc[table["number"] > 30, "value"],
    "sorted": lambda table: table.sort_values("value"),
    "sorted column": lambda table: table["value"].sort_values(),
    "by number": lambda table: table.set_index("number"),
    "by number, one": lambda table: table.set_index("number").loc[2],
    "by number, column": lambda table: table.set_index("number")["value"],
    "by value": lambda table: table.set_index("value"),
    "by number and value": lambda table: table.set_index(["number", "value"]),
    "transposed": lambda table: table.T,
    "transposed by value": lambda table: table.set_index("value").T,
    "renamed": lambda table: table.rename(columns={"value": "v", "number": "n"}),
    "renumbered": lambda table: table["value"].reset_index(drop=True),
    "reset": lambda table: table[table["number"] > 30].reset_index(drop=True),
    "dropped": lambda table: table.drop(columns=["number"]),
    "copied column": lambda table: table.assign(again=table["value"]),
    "joined texts": lambda table: table["number"].astype(str) + ":" + table["value"],
    "upper": lambda table: table["value"].str.upper(),
    "split": lambda table: table["value"].str.split("="),
    "lists": lambda table: table.assign(parts=table["value"].map(lambda text: [text])),
    "tuples": lambda table: table["value"].map(lambda text: (text,)),
    "as object": lambda table: table.astype(object),
    "category": lambda table: table.astype({"value": "category"}),
    "counted": lambda table: table["value"].value_counts(),
    "rows counted": lambda table: table[["number", "value"]].value_counts(),
    "grouped": lambda table: table[table["number"] != 45].groupby("value").size(),
    "described": lambda table: table[table["number"] == 2].describe(include="all"),
    "column described": lambda table: table.loc[table["number"] == 2, "value"].describe(),
    "mode": lambda table: table["value"].mode(),
    "unique": lambda table: table["value"].drop_duplicates(),
    "frame of column": lambda table: table["value"].to_frame(),
    "series frame": lambda table: table.iloc[2].to_frame(),
    "melted": lambda table: table.rename(columns={"value": "v"}).melt(id_vars="number", value_vars=["v"]),
    "stacked": lambda table: table[["name", "value"]].stack(),
    "concatenated": lambda table: pd.concat([table, table]),
    "columns concatenated": lambda table: pd.concat([table["value"], table["name"]], axis=1),
    "merged": lambda table: table.merge(table, on="number"),
    "iterated": lambda table: [row for _, row in table.iterrows()][2],
    "applied": lambda table: table["value"].map(str),
    "card as number": lambda table: table.loc[table["number"] == 2, "value"].astype("int64"),
    "card as float": lambda table: table.loc[table["number"] == 2, ["value"]].astype("float64"),
    "difference": lambda table: sim.diff(table, sim.generate("echo")),
    "one difference": lambda table: sim.diff(table, sim.generate("echo"))["a"],
    "explained": lambda table: sim.explain(table),
    "explained column": lambda table: sim.explain(table)["value"],
    "findings": lambda table: sim.validate(table, against=["AMEX", "MASTERCARD"]),
    "attributes": lambda table: table.attrs,
    "text": lambda table: table.iso.message,
    "built": lambda table: [sim.build(table)],
    "message": lambda table: table.iso.to_message(),
    "summary": lambda table: sim.explain(table).iso.summary,
}


def table_of() -> MessageTable:
    """A message with a card number wherever one is possible."""
    return sim.parse(sim.build(ELEMENTS))


def displayed(shown: Any) -> str:
    """Everything a notebook or terminal would store or print."""
    formats, _ = DisplayFormatter().format(shown)
    texts = [repr(shown), str(formats)]
    texts += [f"{shown}"] if not isinstance(shown, str) else []
    if isinstance(shown, pd.DataFrame | pd.Series):
        texts.append(shown.to_string())
    if isinstance(shown, pd.DataFrame):
        texts += [shown.to_html(), shown._repr_html_(), shown.to_string(max_colwidth=None)]
        if shown.index.is_unique and shown.columns.is_unique:
            texts.append(shown.style.to_html())
            texts.append(shown.style.set_properties(color="red").to_html())
    return "\n".join(texts)


@together("name", some(DERIVED, 2))
def test_no_display_shows_card_data(name: str) -> None:
    """Displays of everything that pandas derives from a table mask PAN, tracks, PIN block and chip data."""
    text = displayed(DERIVED[name](table_of()))
    assert text
    assert [secret for secret in SECRETS if secret in text] == []


@together("name", some([name for name in DERIVED if not name.startswith(("find", "sum", "built"))], 3))
def test_edited_cells_are_masked_as_well(name: str) -> None:
    """A card number typed into a cell is masked like a parsed one."""
    table = table_of()
    table.loc[table["number"] == 2, "value"] = "5555555555554444"
    table.loc[table["number"] == 52, "value"] = "FEDCBA9876543210"
    text = displayed(DERIVED[name](table))
    assert "5555555555554444" not in text
    assert "FEDCBA9876543210" not in text


def test_known_parts_are_shown() -> None:
    """Masking keeps the message readable: the first six and last four digits stay, and so do bitmap,
    amounts and terminal, in the table and in its columns."""
    table = table_of()
    for shown in (table, table["value"], table.T, table.set_index("number"), table.sort_values("value")):
        text = displayed(shown)
        for known in ("411111******1111", table.loc[1, "value"], "000000001000", "TERM0001", "masked]"):
            assert known in text


@pytest.mark.parametrize("cut", some([30, 60, 90, 130, 180, 240], 2))
def test_broken_texts(cut: int) -> None:
    """A text truncated anywhere shows no card number in its rows, findings and repr."""
    raw = sim.build(ELEMENTS)[:cut]
    table = sim.parse(raw)
    for shown in (table, table["value"], table.T, table.iloc[-1], table.iso.message, sim.validate(raw)):
        text = displayed(shown)
        assert [secret for secret in SECRETS if secret in text] == []


@pytest.mark.parametrize("raw", [PAN, TRACK_2, TRACK_1, "0200" + PAN, CHIP, PAN + "0" * 30])
def test_texts_that_are_no_messages(raw: str) -> None:
    """A card number or track pasted by mistake is masked, too."""
    table = sim.parse(raw)
    for shown in (table, table["value"], table.T, table.iso.message, sim.validate(raw), sim.mask(raw)):
        assert PAN not in displayed(shown)
        assert TRACK_2 not in displayed(shown)


def test_numbers_elsewhere() -> None:
    """A card number in a row that is not a data element is masked by its appearance."""
    table = table_of()
    table.loc[len(table)] = [200, "", "", PAN, "", None, None, "", ""]
    table.loc[0, "value"] = PAN
    assert PAN not in displayed(table)


def test_exports_tell_the_truth() -> None:
    """Exports and single cells have the true values."""
    table = table_of()
    assert table["value"].tolist()[2] == PAN
    assert table.loc[2, "value"] == PAN
    assert table.to_dict("list")["value"][2] == PAN
    for text in (table.to_csv(), table.to_json(), table["value"].to_csv()):
        assert PAN in text
        assert PIN_BLOCK in text


def test_derived_tables_stay_tables() -> None:
    """Slices and filters are message tables, so they are masked and have `.iso`."""
    table = table_of()
    for derived in (table[2:], table[table["number"] > 2], table[["number", "value"]], table.copy()):
        assert isinstance(derived, MessageTable)
    assert isinstance(sim.validate(table).head(), FindingsTable)


def test_masked_gives_a_plain_frame() -> None:
    """`masked()` is a plain DataFrame without card data, safe to pass on."""
    plain = table_of().masked()
    assert type(plain) is pd.DataFrame
    assert PAN not in plain.to_csv()
    assert "411111******1111" in plain.to_csv()


def test_sensitive_element_does_not_hide_others() -> None:
    """A short masked value masks no other element with the same text."""
    raw = sim.build({"mti": "0110", 3: "000000", 39: "00", 126: "00"})
    shown = sim.parse(raw).copy().masked().set_index("number")["value"]
    assert shown[39] == "00"
    assert shown[126] == "[2 characters masked]"


def test_marimo_gets_html_and_nothing_else() -> None:
    """marimo calls `_display_` before it uses its own viewer for a DataFrame."""
    table = table_of()
    shown = table._display_()
    assert shown._repr_html_() == table._repr_html_()
    assert [name for name in dir(shown) if name.startswith("_repr_")] == ["_repr_html_"]
    assert PAN not in shown._repr_html_()
