"""Shared by several tests: the vectors, a clock, the cases for generate."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import cache, update_wrapper
from inspect import signature
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import pytest

from sim.codec import Message
from sim.operations import NETWORKS, VERSIONS, asked, generate

Case = TypeVar("Case")

VECTORS: tuple[dict[str, Any], ...] = tuple(
    json.loads(line)
    for line in (Path(__file__).parent / "vectors" / "messages.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
)
# The layouts whose split is settled; `compat` rows carry 1987 lengths under another MTI.
SETTLED = tuple(row for row in VECTORS if row["layout"] in ("common", "iso", "broken"))
PARSED = tuple(row for row in SETTLED if row["expect_parse"])
BROKEN = tuple(row for row in SETTLED if not row["expect_parse"])
JUDGED = tuple(row for row in VECTORS if row["expect_valid"] is not None)

AT = datetime(2026, 11, 20, 10, 15, 30, tzinfo=UTC)
KINDS = ("auth", "financial", "echo", "advice", "reversal")
ENTRIES = ("manual", "stripe", "chip", "contactless", "ecommerce")
PURPOSES = ("purchase", "cash", "cashback", "refund", "balance")


# All cases and most examples, as on each push (`make test ALL=1`); many, as `.ci/run` has it
# (`make test MORE=1`); else a few of those that are alike.
ALL = bool(os.environ.get("TESTS_ALL"))
MORE = ALL or bool(os.environ.get("TESTS_MORE"))
_FEWER = 1 if ALL else 2 if MORE else 5
# A test that takes as long as hundreds of others, of what others try in the small.
long = pytest.mark.skipif(not MORE, reason="takes long; wants TESTS_MORE")


def some(cases: Iterable[Case], every: int) -> list[Case]:
    """All of *cases* with ALL=1 or if there are few; otherwise one in *every*, or fewer without MORE=1, in
    order and the same on every run, including the first and the last."""
    every_one, fewer = list(cases), every * _FEWER
    if ALL or len(every_one) < max(every, _FEWER) or fewer == 1:
        return every_one
    chosen = random.Random(every).sample(range(len(every_one)), len(every_one) // fewer)
    return [every_one[at] for at in sorted({0, *chosen, len(every_one) - 1})]


def fewer(count: int) -> int:
    """*count* examples with ALL=1, half as many with MORE=1, otherwise a fifth, but at least 8 if there
    are so many."""
    return max(count // _FEWER, min(count, 8))


def turns(*parts: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Combinations that use each value of each of *parts* at least once; every combination with ALL=1. For
    parts that hardly influence one another."""
    lists = [list(part) for part in parts]
    if ALL:
        return list(product(*lists))
    return [tuple(one[at % len(one)] for one in lists) for at in range(max(map(len, lists)))]


def vector_id(row: dict[str, Any]) -> str:
    """A readable test id."""
    return f"{row['id']}-{row['version']}-{row['kind']}"


def together(
    names: str, cases: Iterable[Any] | Callable[[], Iterable[Any]], label: Callable[[Any], str] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like `pytest.mark.parametrize`, but one test tries all *cases*, without MORE=1 `some` of them, and
    reports each failure by its *label*: a separate test per case would take longer than the case. Fixtures
    are those of the one test; *cases* may be a function, which is called at that time. A skipped case counts
    as a failure, because it would end them all."""
    wanted = [name.strip() for name in names.split(",")]

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        def every(**fixtures: Any) -> None:
            failed, tried = [], 0
            every_case = list(cases() if callable(cases) else cases)
            for case in every_case if MORE else some(every_case, 1):
                tried += 1
                values = case if len(wanted) > 1 else (case,)
                try:
                    check(**dict(zip(wanted, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001
                    failed.append(f"{label(case)[:200]}: {type(error).__name__}: {error}")
            assert tried
            assert failed == [], f"{len(failed)} of {tried} cases\n" + "\n\n".join(failed)

        update_wrapper(every, check)
        del every.__wrapped__  # type: ignore[attr-defined] # pytest would ask for its arguments
        given = signature(check)
        left = [one for name, one in given.parameters.items() if name not in wanted]
        every.__signature__ = given.replace(parameters=left)  # type: ignore[attr-defined]
        return every

    return decorate


def each(
    cases: Callable[[], Iterable[Any]], label: Callable[[Any], str]
) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """`together` for a test with a single argument of any name."""

    def decorate(check: Callable[[Any], None]) -> Callable[..., None]:
        return together(next(iter(signature(check).parameters)), cases, label)(check)

    return decorate


_USUAL = dict.fromkeys(("network", "pan", "version", "at", "entry")) | {
    **{"amount_minor_units": 1000, "currency": "840", "stan": "123456", "purpose": "purchase"}
}


def requested(message_type: str = "auth", **options: Any) -> Message:
    """The message of `sim.generate` with the same options, without its table, which takes ten times as
    long."""
    return asked.generated(message_type, **{**_USUAL, **options}).message


def upper_bitmap(raw: str) -> str:
    """*raw* with its bitmap in uppercase, as build writes it."""
    end = 36 if raw[4:5] in tuple("89abcdefABCDEF") else 20
    return raw[:4] + raw[4:end].upper() + raw[end:]


@cache
def generated() -> tuple[tuple[str, str | None, Message], ...]:
    """A label, the network and the message, for `some` of everything that generate makes."""
    made = []
    for version, network, kind, entry, purpose in some(_options(), 1):
        one = generate(kind, network=network, version=version, at=AT, entry=entry, purpose=purpose)
        made.append((f"{version}-{network}-{kind}-{entry}-{purpose}", network, one.message))
    return tuple(made)


def _options() -> Iterator[tuple[str, str, str, str, str]]:
    for version, network, kind, entry in product(VERSIONS, NETWORKS, KINDS, ENTRIES):
        if kind == "echo" and entry != "manual":
            continue
        for purpose in PURPOSES if entry in ("manual", "chip") and kind != "echo" else ("purchase",):
            yield version, network, kind, entry, purpose


@cache
def check_module() -> ModuleType:
    """The module `notebooks/check.py`, as a notebook imports it."""
    path = Path(__file__).parents[1] / "notebooks" / "check.py"
    spec = importlib.util.spec_from_file_location("check", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module
