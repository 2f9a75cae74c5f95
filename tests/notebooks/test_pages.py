"""The pages beside the notebooks: syllabus, cheat sheet, glossary. Links lead on, figures are counted."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from support import check_module, together
from teaching import sheet, tables

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
PAGES = [*sorted(NOTEBOOKS.glob("*.md")), NOTEBOOKS / "teaching" / "README.md"]
BOOKS = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def _text(path: Path) -> str:
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


@together("path", [*PAGES, *BOOKS], label=lambda path: path.stem)
def test_links_lead_to_files(path: Path) -> None:
    """Of pages and notebooks, so that a click goes on."""
    for target in _LINK.findall(_text(path)):
        assert (path.parent / target).exists(), target


@together("path", BOOKS, label=lambda path: path.stem)
def test_a_notebook_says_where_to_go_next(path: Path) -> None:
    """Its last words hold a link to another notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    last = "".join([cell for cell in cells if cell["cell_type"] == "markdown"][-1]["source"])
    assert re.search(r"\]\((\d\d_\w+\.ipynb|README\.md)\)", last)


def test_the_syllabus_names_every_notebook_and_counts_its_minutes() -> None:
    """To the minute or nearly: texts change."""
    text = _text(NOTEBOOKS / "README.md")
    whole = text.partition("## The whole course")[2]
    for path in BOOKS:
        assert f"({path.name})" in whole
    for name in tables.ROUTE:
        said = re.search(rf"\({name}\.ipynb\) \| (\d+) \|", text)
        assert said
        assert abs(int(said[1]) - tables.counted(name).minutes) <= 3, (name, tables.counted(name))


def test_the_cheat_sheet_is_the_one_of_the_tables() -> None:
    """Stored as `python -m teaching sheet` prints it, and it has every element of the messages to be read."""
    assert _text(NOTEBOOKS / "cheat_sheet.md") == sheet.cheat_sheet()
    check_module()
    exam, by_hand = sys.modules["lessons.exam"], sys.modules["lessons.by_hand"]
    papers = [exam.key(f"student{number}") for number in range(30)]
    read = [sys.modules["lessons.paper"].chip_request(name) for name in (by_hand.FIRST, by_hand.SECOND)]
    messages = [*read, *(one for paper in papers for one in (paper.message, paper.answered, paper.undone))]
    listed = set(map(int, re.findall(r"\*\*(\d+)\*\* \| [a-z]", sheet.cheat_sheet())))
    assert {number for message in messages for number in message.fields} <= listed


def test_the_glossary_is_in_alphabetical_order() -> None:
    """And has each word once."""
    words = re.findall(r"^\*\*`?\.?(\w[^*`:]*)", _text(NOTEBOOKS / "GLOSSARY.md"), re.MULTILINE)
    assert words == sorted(words, key=str.lower)
    assert len(set(words)) == len(words) > 25
