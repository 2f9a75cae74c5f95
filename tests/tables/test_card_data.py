"""Columns of card data mask themselves in everything that pandas derives from them; a cell is its text."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support import together

import sim
from sim.codec import build
from sim.tables.tables import Column

PAN = "4539578763621486"  # right check digit, and no published test card
TRACK_2 = f"{PAN}=29122010000012345678"
PIN_BLOCK = "0412AC89ABCDEF67"
RAW = sim.build(
    {"mti": "0100", 2: PAN, 3: "000000", 4: "000000001000", 11: "123456", 35: TRACK_2, 52: PIN_BLOCK}
)
PIECES = (PAN[4:-4], TRACK_2[17:], PIN_BLOCK[:8])


def _many() -> Any:
    return sim.read([RAW, RAW, RAW[:60]])


SHOWN: dict[str, Callable[[Any, str], Any]] = {
    "unique": lambda table, name: table[name].unique(),
    "array": lambda table, name: table[name].array,
    "values": lambda table, name: table[name].values,
    "groups": lambda table, name: table.groupby(name).groups,
    "index": lambda table, name: table.set_index(name).index,
    "levels": lambda table, name: table.set_index([name, table.columns[1]]).index,
    "counts": lambda table, name: table[name].value_counts(),
    "labels of counts": lambda table, name: table[name].value_counts().index,
    "crosstab": lambda table, name: pd.crosstab(table[name], table.iloc[:, 1]),
    "factorize": lambda table, name: table[name].factorize(),
    "row": lambda table, name: table.iloc[-1].values,
    "series": lambda table, name: pd.Series(table[name]),
    "frame": lambda table, name: pd.DataFrame(table),
    "cell": lambda table, name: table[name].iloc[0],
    "objects": lambda table, name: table[name].astype(object).array,
    "joined": lambda table, name: pd.concat([table, table])[name].array,
    "joined with texts": lambda table, name: pd.concat([pd.DataFrame({name: ["7"]}), table])[name].array,
    "categories": lambda table, name: table[name].astype("category").cat.categories,
    "extracted": lambda table, name: table[name].str.extract(r"(\d+)"),
    "groups of a pattern": lambda table, name: pd.Series(table[name]).str.findall(r"\d+"),
    "bytes": lambda table, name: table[name].str.encode("ascii"),
    "behind a text": lambda table, name: "card " + table[name],
    "compared": lambda table, name: table.compare(table.assign(**{name: table[name].str[:4]})),
    "sorted": lambda table, name: table[name].sort_values().array,
    "replaced": lambda table, name: table[name].fillna("").array,
    "pickled": lambda table, name: pickle.loads(pickle.dumps(table))[name].array,  # noqa: S301, our own
    "printed": lambda table, name: " ".join(map(str, table[name])),
}


@together("name", list(SHOWN))
def test_whatever_pandas_makes_of_a_column_is_masked(name: str) -> None:
    """Distinct values, groups, labels, rows and crosstabs show no card number, track or PIN block."""
    tables = [(_many(), "DE2"), (_many(), "DE35"), (_many(), "DE52"), (_many(), "text")]
    for table, column in [*tables, (sim.parse(RAW), "value"), (sim.diff(RAW, RAW[:-3] + "999"), "a")]:
        shown = SHOWN[name](table, column)
        text = shown if name == "printed" else repr(shown)
        assert [piece for piece in PIECES if piece in text] == [], column


def test_numbers_of_any_type_are_masked() -> None:
    """Decimals, bytes and intervals, as well as integers."""
    for cell in (int(PAN), Decimal(PAN), PAN.encode(), pd.Interval(int(PAN), int(PAN) + 1)):
        assert PAN[4:-4] not in repr(Column([cell], dtype=object))


def test_keys_of_card_data_equal_texts() -> None:
    """Totals by a column that masks itself are compared with totals by texts."""
    table = _many()
    plain = pd.DataFrame(table.plain())
    totals, others = (each.groupby(["mti", "DE2"])["DE4"].count() for each in (table, plain))
    assert totals.index.equals(others.index)
    assert (totals == others).all()


@pytest.mark.parametrize("kind", ["match", "exchange", "plan", "described", "diff", "repair", "empty bitmap"])
def test_every_table_is_written_to_files(kind: str, tmp_path: Path) -> None:
    """What belongs to a table and is no data stays out of the file, and in tables made of it."""
    empty = build(sim.Message("0800", {11: "123456"}, empty_secondary=True))
    table: Any = {
        "match": lambda: sim.match([RAW]),
        "exchange": lambda: sim.exchange("purchase"),
        "plan": lambda: sim.plan("Visa 10 EUR"),
        "described": lambda: sim.generate(description="Visa 10 EUR"),
        "diff": lambda: sim.diff(RAW, RAW),
        "repair": lambda: sim.repair(RAW[:-2]),
        "empty bitmap": lambda: sim.read([empty]),
    }[kind]()
    table.to_parquet(tmp_path / "table.parquet")
    read = pd.read_parquet(tmp_path / "table.parquet")
    assert read.shape == table.shape
    joined: Any = pd.concat([table, table])
    assert repr(joined)
    if kind == "plan":
        with pytest.raises(TypeError, match="no plan here"):
            _ = joined.plan
    assert table.iloc[:1].held.keys() == pickle.loads(pickle.dumps(table)).held.keys()  # noqa: S301, our own
    if kind == "empty bitmap":
        assert build(read.iso.message(0)) == empty


def test_exports_give_the_digits(tmp_path: Path) -> None:
    """Lists, arrays, dicts and files contain the true values, even if this package is not loaded."""
    table = _many()
    assert table["DE2"].tolist()[0] == table["DE2"].to_numpy()[0] == table.to_dict("records")[0]["DE2"] == PAN
    assert str(table.to_dict("records")[0]["DE35"]) == TRACK_2
    assert PAN in table.to_csv()
    assert json.loads(table.to_json())["DE2"]["0"] == PAN
    table.to_parquet(tmp_path / "messages.parquet")
    read = pd.read_parquet(tmp_path / "messages.parquet")
    assert read["DE2"].tolist()[:2] == [PAN, PAN]
    assert str(read["DE2"].dtype) == "str"


@pytest.mark.parametrize(
    "cell", [_many()["DE2"].iloc[0], sim.parse(RAW)["value"].iloc[2]], ids=["many", "one"]
)
def test_a_cell_is_its_text_wherever_it_is_put(cell: Any) -> None:
    """A card number from a table makes the same messages as a typed one."""
    assert PAN not in str(cell)
    assert (cell, f"{cell}", cell[:], "".join([cell])) == (PAN, PAN, PAN, PAN)
    at = "2026-11-20T12:00:00"
    assert sim.build(sim.generate(pan=cell, at=at)) == sim.build(sim.generate(pan=PAN, at=at))
    assert PAN in sim.build({"mti": "0100", 2: cell, 11: "123456"})[:]
    assert PAN in sim.build(sim.Message("0100", {2: cell, 3: "000000"}, "1987"))[:]


def test_a_text_of_a_table_is_read_like_any_other() -> None:
    """Every verb accepts the cell of a text that is not a message."""
    text = _many()["text"].iloc[2]
    assert sim.parse(text)["value"].tolist() == sim.parse(RAW[:60])["value"].tolist()
    assert sim.repair(text).to_dict() == sim.repair(RAW[:60]).to_dict()


@pytest.mark.parametrize("spelled", [PAN, PAN.encode().hex()])
def test_no_cell_of_a_broken_row_shows_a_piece_of_a_card(spelled: str) -> None:
    """A card number misread as the elements after DE 2 is split into pieces."""
    table = sim.read([RAW[: RAW.index(PAN) + len(PAN)] + spelled])
    assert table["error"].notna().all()
    assert not any(name.startswith("DE") for name in table.columns)


def test_columns_are_worked_with_like_texts() -> None:
    """Comparing, slicing, searching, merging, grouping and setting work as with pandas' own strings."""
    table = _many()
    cards = table["DE2"]
    assert (cards == PAN).tolist() == [True, True, False]
    assert cards.isin([PAN]).tolist() == [True, True, False]
    assert cards.str.startswith("4539").fillna(False).tolist() == [True, True, False]
    assert cards.str[:6].dropna().unique().tolist() == ["453957"]
    assert "453957" in repr(cards.str[:6].unique())  # the issuer's digits are no card data
    assert table.merge(table, on="DE2", how="inner").dropna(subset=["DE2"]).shape[0] == 4
    assert table.groupby("DE2")["DE4"].count().tolist() == [2]
    assert table.groupby("mti")["DE2"].nunique().tolist() == [1]
    assert cards.isna().tolist() == [False, False, True]
    cards.iloc[0] = "5555555555554444"
    assert "55555555" not in repr(cards.unique())
    assert cards.tolist()[0] == "5555555555554444"
