"""Read pastes through every surface, and name each difference between them.

    python -m tests.tools.compare_surfaces [FILE.jsonl ...]

A line of a file is a JSON object with a `paste` (or `data`, as in tests/vectors), and what is expected of it
if that is known: `expect` (`message`, `none` or `damaged`), `mti`, `fields`, `count` of messages, `kind` of
something else; `partial` says that other elements are not listed, `unfair` that nobody could know. Without a
file, the samples in tests/vectors are read. Prints what is not right, what is wrong and sure, and where two
surfaces do not say the same; nothing of the pastes.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pandas as pd

import sim
from server import written
from server.errors import Problem
from sim import mcp
from sim.operations import read
from tests.called import Run
from tests.guess_score import FOUND, MADE, close, rows

_SURE = ("sure", "likely")
_MOST_SECONDS = 0.5


class Said(NamedTuple):
    """What a surface says of a paste: the MTI (empty for no message), the elements as they came (None where
    the surface does not show them or hides card data), how many messages there are, and what else it is."""

    mti: str
    fields: dict[int, str] | None = None
    count: int | None = None
    kind: str | None = None


def _of_table(table: Any) -> Said:
    broken = table.loc[table["finding"].fillna("") != "", "number"]
    nothing = not table.iso.mti or bool(broken.isin([0, 1]).any())
    read = table[table["number"] != table.attrs["iso"].get("failing", "")]  # no value where it stops
    return Said("") if nothing else Said(table.iso.mti, _frame(read))


def _frame(table: pd.DataFrame) -> dict[int, str]:
    pairs = zip(table["number"], table["value"], strict=True)
    return {int(number): value for number, value in pairs if pd.notna(number) and number > 1}


def _parse(paste: str) -> Said:
    return _of_table(sim.parse(paste))


def _explain(paste: str) -> Said:
    return _of_table(sim.explain(paste))


def _guess(paste: str) -> Said:
    table = sim.guess(paste)
    best = table.iloc[0]
    return Said(best["mti"], None, int(table["message"].max()) if best["mti"] else 0)


def _validate(paste: str) -> Said:
    report = sim.validate(paste)
    found = read(paste)  # a report names no MTI
    begun = {0, 1} & {one.field for one in found.misfits}
    mti = "" if begun else found.mti
    return Said(mti if mti or not report.iso.valid else "valid")


def _of_rows(table: pd.DataFrame) -> Said:
    found = table[(table["mti"].fillna("") != "") & (table["error_field"].fillna(9) > 1)]
    if not len(found):
        return Said("", None, 0)
    first = found.iloc[0]
    fields = {int(name[2:]): value for name, value in first.items() if name[:2] == "DE" and pd.notna(value)}
    broken = pd.notna(first["error_field"])  # has no values: they may be pieces of a card number
    return Said(first["mti"], None if broken else fields, len(found))


def _read_text(paste: str) -> Said:
    return _of_rows(sim.read(paste))


def _read_lines(paste: str) -> Said:
    return _of_rows(sim.read(paste.splitlines()))


def _post(paste: str) -> Said:
    asked = SimpleNamespace(message=paste, format=None, version=None, network=None, interface=None)
    try:
        answer = written.parse(asked)
    except Problem as refused:
        detail = refused.detail[0]
        kind = (detail.get("ctx") or {}).get("kind")
        return Said("", None, 0, kind)
    assert answer is not None
    fields = {one["number"]: one["value"] for one in answer["fields"]}
    return Said(answer["mti"], fields, 1 + answer["more"])


def _record(record: dict[str, Any]) -> Said:
    broken = [one["field"] for one in record.get("findings", ())]
    if "elements" not in record or 0 in broken or 1 in broken:
        return Said("")
    return Said(record["mti"], None, None, record.get("kind"))


def _shell(paste: str) -> Said:
    done = Run("parse", "-", "--json", given=paste)
    return _record(done.records[0]) if done.records else Said("")


def _assistant(paste: str) -> Said:
    return _record(mcp.tools["parse"](message=paste))


SURFACES: dict[str, Callable[[str], Said]] = {
    "sim.parse": _parse,
    "sim.guess": _guess,
    "sim.explain": _explain,
    "sim.validate": _validate,
    "sim.read(text)": _read_text,
    "sim.read(lines)": _read_lines,
    "POST /parse": _post,
    "iso8583 parse": _shell,
    "MCP parse": _assistant,
}


def said(paste: str) -> dict[str, Said | str]:
    """What every surface says of *paste*, an exception as its words."""
    found: dict[str, Said | str] = {}
    for name, ask in SURFACES.items():
        try:
            found[name] = ask(paste)
        except Exception as error:  # noqa: BLE001 # that is what is looked for
            found[name] = f"{type(error).__name__}: {error}"
    return found


def differences(paste: str) -> Iterator[str]:
    """Where a surface does not say what `sim.parse` and `sim.guess` say."""
    found = said(paste)
    first, guessed = found["sim.parse"], found["sim.guess"]
    for name, one in found.items():
        if isinstance(one, str):
            yield f"{name}: {one[:160]}"
        elif isinstance(first, Said) and isinstance(guessed, Said):
            if one.mti != first.mti:
                yield f"{name}: MTI {one.mti or 'none'}, not {first.mti or 'none'}"
            elif one.fields is not None and first.fields is not None and one.fields != first.fields:
                keys = sorted({*one.fields, *first.fields})
                odd = [key for key in keys if one.fields.get(key) != first.fields.get(key)]
                yield f"{name}: DE {', '.join(map(str, odd))} differ"
            if one.count is not None and one.mti and one.count != guessed.count:
                yield f"{name}: {one.count} messages, not {guessed.count}"


def fault(row: dict[str, Any], paste: str) -> tuple[str, bool]:
    """What is not right about the answer (empty: nothing), and whether it is believed."""
    best = read(paste)
    sure = best.confidence in _SURE
    if row.get("expect") == "none" or row.get("none"):
        if best.message is not None:
            return f"MTI {best.mti} in what is no message, {best.confidence}", sure
        kinds = str(row.get("kind") or "").split("|")
        odd = kinds != [""] and best.kind not in kinds
        return (f"kind {best.kind or 'unknown'}, not {row['kind']}" if odd else ""), False
    if row.get("expect") == "damaged":
        return ("damage is believed" if sure and best.message is not None else ""), sure
    if best.message is None:
        return "no message", False
    wrong = [] if row.get("mti", "") in ("", best.mti) else ["MTI"]
    got = best.message.fields
    for number, value in row.get("fields", {}).items():
        if not any(close(one, got.get(int(number))) for one in str(value).split("|")):
            wrong.append(f"DE {number}")
    if not row.get("partial"):
        wrong += [f"DE {number} too much" for number in got if str(number) not in row.get("fields", {})]
    if row.get("count", 1) > len(best.messages):
        wrong.append(f"{len(best.messages)} messages of {row['count']}")
    return ", ".join(wrong), sure


def main(files: list[str]) -> None:
    """Compare the surfaces over the samples of *files*."""
    samples = [json.loads(line) for name in files for line in Path(name).read_text("utf-8").splitlines()]
    samples = samples or [row for name in (FOUND, MADE) for row in rows(name)]
    counted: Counter[str] = Counter()
    for row in samples:
        paste, name = str(row.get("paste", row.get("data"))), row.get("id", "")
        label = f"{name} {row.get('source', '')}{' (unfair)' if row.get('unfair') else ''}"
        started = time.process_time()
        if "expect" in row:
            wrong, sure = fault(row, paste)
            counted["unfair" if row.get("unfair") else "fair"] += 1
            if wrong:
                counted["not right, unfair" if row.get("unfair") else "not right"] += 1
                counted["wrong and sure"] += sure and not row.get("unfair")
                print(f"{label}: {'WRONG AND SURE: ' * sure}{wrong}", flush=True)
        taken = time.process_time() - started
        if taken > _MOST_SECONDS:
            print(f"{label}: {taken:.2f} s", flush=True)
        for difference in differences(paste):
            counted["differences"] += 1
            print(f"{label}: surfaces: {difference}", flush=True)
    print(dict(counted))


if __name__ == "__main__":
    main(sys.argv[1:])
