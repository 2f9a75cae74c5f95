"""Scores guesses against the expectations of samples: right, honest (wrong but unsure), or wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sim.paste import Reading, guess

VECTORS = Path(__file__).parent / "vectors"
FOUND, MADE, TEXT = "wire", "wire_made", "messages"
# What a sample says in words instead of a value.
_TOLD = re.compile(r"[a-z]{3} |see |\(|bytes|blank|\.\d{6}|\+00")
_DFDL_MTI = ("MTI_Version", "MTI_MessageClass", "MTI_MessageFunction", "MTI_MessageOrigin")


def rows(name: str) -> list[dict[str, Any]]:
    """The samples of one file of vectors."""
    lines = (VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row.get("expect_parse") is not False]


def paste(row: dict[str, Any]) -> str:
    """The pasted text."""
    return str(row.get("data", row.get("message")))


def wanted(row: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The MTI and elements that a sample expects, in any of the forms in which samples state them."""
    if "fields" in row:
        return row.get("mti", row.get("message", "")[:4]), row["fields"]
    told = row.get("expected") or {}
    if _DFDL_MTI[0] in told:
        named = ((re.search(r"_(\d{3})$", key), value) for key, value in told.items())
        return "".join(told[key] for key in _DFDL_MTI), {
            str(int(one[1])): value for one, value in named if one
        }
    inner = told.get("fields", told)
    elements = {key: value for key, value in inner.items() if key.isdigit() and key != "0"}
    return told.get("mti", told.get("0", "")), elements


def _bare(text: str) -> str:
    return re.sub(r"[^0-9A-Z]", "", text.upper().replace("=", "D"))


def close(want: Any, got: str | None) -> bool:
    """Whether two values are equal apart from leading zeros, a padding digit of a packed byte, letter
    case, separators, and bytes shown as hex."""
    if isinstance(want, dict) or want == "" or _TOLD.search(str(want)):
        return True
    if got is None:
        return False
    one, other = _bare(str(want)), _bare(got)
    if one in (other, got.encode("latin-1", "replace").hex().upper(), f"{other}0"):
        return True
    if one.lstrip("0") == other.lstrip("0"):
        return True
    return len(one) > 3 and (other.startswith(one) or (one.startswith(other) and len(other) > 3))


def verdict(row: dict[str, Any], best: Reading) -> str:
    """`right`, `honest` or `wrong`."""
    if (row.get("expected") or {}).get("is_iso8583") is False:
        return "right" if best.confidence == "none" else "wrong"
    mti, elements = wanted(row)
    got = {str(number): value for number, value in best.message.fields.items()} if best.message else {}
    wrong = [key for key, value in elements.items() if not close(value, got.get(key))]
    if "fields" in row:
        wrong += [key for key in got if key not in elements]
    if mti in (best.mti, "") and not wrong:
        return "right"
    return "honest" if best.confidence in ("unsure", "none") else "wrong"


def score(name: str) -> Counter[tuple[str, str]]:
    """The number of samples of a file with each verdict and confidence."""
    counted: Counter[tuple[str, str]] = Counter()
    for row, best in judged(name):
        counted[verdict(row, best), best.confidence] += 1
    return counted


def judged(name: str) -> Iterator[tuple[dict[str, Any], Reading]]:
    """Each sample with its best candidate."""
    for row in rows(name):
        yield row, guess(paste(row))
