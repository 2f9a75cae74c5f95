"""No regular expression of the project takes more than linear time, for any input. A pattern blocks the
interpreter while it runs: no timeout ends it, and a service stops. Each pattern gets long runs of typical
pieces of pastes, logs and requests. Short runs come first, and only if they take long enough for quadratic
time do longer ones follow."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from support import ALL, MORE

import server
import sim
from sim.exchanges import lexicon
from sim.spec.tables import read_csv

_LONGEST = 65536
_MOST_SECONDS = 0.5
_MOST_SHORT = 0.01
# What takes no longer for so many characters takes less than the most for the longest run, were its time to
# grow with the square of the length.
_STEPS = tuple((size, _MOST_SECONDS * (size / _LONGEST) ** 2) for size in (512, 2048, 8192, _LONGEST))
_RUNS = (
    *(" ", "\t", "\n", "\u00a0", "0", "1", "f", "A", "z", "X", "*", "_", "'", '"', "\\", "/", "(", "[", "{"),
    *("<", ".", ":", ",", "-", "=", "|", "&", "#", "%", "?", " \t", " \n", "\r\n", "0 ", "a ", "A.", "30 "),
    *("30:", "3030 ", "0x30,", "1=", "1:", ", ", "a=", "a: ", "'0'", "[0]", "()", "<a>", "&#1;", "\\x30"),
)
_ENDS = ("!Z", "\n?")
_STARTS = ("|", '"', "'", "[", "(", "<", "=", ":", "0x")
# The longest text that a pattern is asked about, where its one caller sees to that.
_NO_LONGER = {"sim.masking._LAST_DIGITS": 64}
_Pattern = re.Pattern[Any]


def _modules() -> Iterator[Any]:
    for root in (sim, server):
        for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if not found.name.endswith("__main__") and found.name != "sim.link.load.locust":
                yield importlib.import_module(found.name)


def _inside(held: object, deep: int = 0) -> Iterator[_Pattern]:
    """The patterns in the value of a module's name: tuples, mappings, our own objects, closures."""
    if isinstance(held, re.Pattern):
        yield held
    if deep > 4 or isinstance(held, type | re.Pattern):
        return
    parts: Iterable[Any] = ()
    if isinstance(held, tuple | list | set | frozenset):
        parts = held
    elif isinstance(held, dict):
        parts = (*held, *held.values())
    elif type(held).__module__.partition(".")[0] in ("sim", "server"):
        slots = (one for kind in type(held).__mro__ for one in getattr(kind, "__slots__", ()))
        parts = [getattr(held, key, None) for key in (*getattr(held, "__dict__", ()), *slots)]
    elif isinstance(held, FunctionType):
        parts = [cell.cell_contents for cell in held.__closure__ or ()]
    for one in parts:
        yield from _inside(one, deep + 1)


@cache
def _patterns() -> dict[_Pattern, tuple[Any, str]]:
    """Each pattern, with the module and the name through which it was found; also those of descriptions."""
    found: dict[_Pattern, tuple[Any, str]] = {}
    for module in _modules():
        for name, held in list(vars(module).items()):
            for pattern in () if name.startswith("__") else _inside(held):
                found.setdefault(pattern, (module, name))
    for row in read_csv("descriptions/patterns"):
        found.setdefault(lexicon.pattern(row["name"]), (lexicon, f"pattern({row['name']})"))
    return found


def _asked(module: Any, name: str) -> set[str]:
    """How a pattern is used: to match a whole text, to match its beginning, or to search; if the source
    does not show that by the pattern's own name, the first and the last."""
    source = Path(module.__file__).read_text(encoding="utf-8")
    calls = re.findall(rf"\b{re.escape(name)}\.([a-z]+)\(", source)
    if len(calls) + 1 != len(re.findall(rf"\b{re.escape(name)}\b", source)):
        return {"fullmatch", "finditer"}
    return {call if call in ("fullmatch", "match") else "finditer" for call in calls}


def _seconds(pattern: _Pattern, how: str, text: Any) -> float:
    started = time.process_time()
    found = getattr(pattern, how)(text)
    if how == "finditer":
        for _ in found:
            pass
    return time.process_time() - started


def _grows(pattern: _Pattern, how: str, run: str, end: str, longest: int) -> bool:
    """Whether the longest run takes too long. The first measurement may include other work of the system."""
    for size, most in _STEPS:
        text: Any = run * (min(size, longest) // len(run)) + end
        if isinstance(pattern.pattern, bytes):
            text = text.encode("latin-1")
        if _seconds(pattern, how, text) <= most:
            return False
        if (taken := min(_seconds(pattern, how, text) for _ in range(2))) <= most:
            return False
        if taken > _MOST_SECONDS * size / _LONGEST:
            return True  # too long already, did it but grow with the length
    return False


def test_no_pattern_takes_more_than_its_length() -> None:
    """Every compiled pattern of the project handles 64 KB of each run within half a second: of each run with
    MORE=1, otherwise of every fourth, another fourth for the next pattern."""
    slow = [
        f"{module.__name__}.{name}, {how}: {run!r} {end!r}"
        for turn, (pattern, (module, name)) in enumerate(_patterns().items())
        for how in _asked(module, name)
        for at, run in enumerate(_RUNS)
        if MORE or (at + turn) % 4 == 0
        for end in (_ENDS if ALL else (_ENDS[at % 2],))
        if _grows(pattern, how, run, end, _NO_LONGER.get(f"{module.__name__}.{name}", _LONGEST))
    ]
    assert not slow


def test_no_pattern_tries_every_division_of_a_run() -> None:
    """A few digits or letters after a mark, without the closing one; longer runs would never end if their
    time grew exponentially."""
    texts = [start + (run * 28)[:28] + "!" for start in _STARTS for run in ("0", "a", "30 ")]
    slow = [
        f"{module.__name__}.{name}, {how}: {text!r}"
        for pattern, (module, name) in _patterns().items()
        for how in _asked(module, name)
        for text in (texts if isinstance(pattern.pattern, str) else map(str.encode, texts))
        if _seconds(pattern, how, text) > _MOST_SHORT
        and min(_seconds(pattern, how, text) for _ in range(2)) > _MOST_SHORT
    ]
    assert not slow
