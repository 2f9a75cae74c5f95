"""Rules of others are a folder: words, functions, faults; tested as the toolkit's own are."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import sim
from sim.codec import build
from sim.errors import SpecError
from sim.judge import catalogue
from sim.judge.engine import MEMORY
from sim.judge.rules import RULES
from sim.operations import cases, faults, generate
from sim.operations.faults import content

CORNER = Path(__file__).with_name("corner")


@pytest.fixture
def unloaded() -> Iterator[None]:
    """Takes out again what a test has loaded."""
    rules, words, known = len(RULES), {*catalogue()}, {*content.rows()}
    yield
    del RULES[rules:]
    for name in {*catalogue()} - words:
        del catalogue()[name]
    for name in {*content.rows()} - known:
        del content.rows()[name]
    faults._all.cache_clear()
    MEMORY.clear()


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A copy of the example, to be spoilt."""
    return Path(shutil.copytree(CORNER, tmp_path / "corner"))


@pytest.mark.usefixtures("unloaded")
def test_a_pack_judges_beside_the_standard() -> None:
    """A message that only the pack finds wrong is found wrong, also one that was judged before."""
    raw = build(generate("auth", network="VISA").message.replace(de41="XXXX0001"))
    assert "corner-terminal" not in set(sim.validate(raw)["rule"])
    assert sim.load_rules(CORNER) == ("corner-terminal", "corner-cash-limit")
    found = sim.validate(raw)
    row = found[found["rule"] == "corner-terminal"].iloc[0]
    assert (row["field"], row["severity"], row["found"]) == (41, "warning", "'XXXX'")
    assert row["source"].startswith("Corner Bank")
    assert {"corner-terminal", "corner-cash-limit"} <= set(sim.rules()["rule"])


@pytest.mark.usefixtures("unloaded")
def test_each_rule_of_a_pack_is_caused_by_its_fault() -> None:
    """Each fault of the pack is one new finding, of the rule that it promises."""
    names = sim.load_rules(CORNER)
    assert {case.rule for case in cases(version="1987") if case.fault in names} == {*names}


SPOILT = [
    ("rules.csv", "corner-terminal,", "mac-position,", "an id that no other rule uses"),
    ("rules.py", '@rule("corner-terminal"', '@rule("corner-terminals"', "an id in data"),
    (
        "rules.py",
        '"corner-cash-limit", versions=("1987",)',
        '"corner-terminal"',
        "function for the rule corner-cash",
    ),
    ("rules.py", "terminal: str = DE[41]", "terminal: str", "parts of the message"),
    ("faults.toml", 'rule = "corner-terminal"', 'rule = "date"', "causes the rule corner-terminal"),
]


@pytest.mark.parametrize(("name", "old", "new", "said"), SPOILT)
def test_a_pack_that_is_not_whole_adds_nothing(pack: Path, name: str, old: str, new: str, said: str) -> None:
    """What is wrong is named, and neither words nor functions stay behind."""
    file = pack / name
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    rules, words = len(RULES), {*catalogue()}
    with pytest.raises(SpecError, match=said):
        sim.load_rules(pack)
    assert (len(RULES), {*catalogue()}) == (rules, words)


@pytest.mark.parametrize("name", ["rules.csv", "rules.py", "faults.toml"])
def test_a_file_that_is_missing_is_named(pack: Path, name: str) -> None:
    """A folder without one of the three files is no pack."""
    (pack / name).unlink()
    with pytest.raises(SpecError, match=name):
        sim.load_rules(pack)
