"""Notebook 15: a day of traffic."""

from __future__ import annotations

from functools import cache
from typing import Any

import sim
from lessons.judging import Lesson, equal
from lessons.traffic import a_day
from sim.spec import currency


@cache
def _rows(mti: str) -> Any:
    log = sim.read(a_day(), progress=False)
    return log[log["error"].isna() & (log["mti"] == mti)]


def _approved(alpha: str) -> Any:
    found, known = _rows("0110"), currency(alpha)
    return found[(found["DE39"] == "00") & (found["DE49"] == (known.numeric if known else ""))]


day = Lesson(
    "day",
    equal(
        lambda: len(_approved("JPY")),
        "count the rows of `responses` whose DE39 is 00 and whose DE49 is the code for the yen.",
        "Combine two conditions with `&`, each in its own parentheses. The yen is 392.",
    ),
    equal(
        lambda: int(_approved("USD")["DE4"].astype(int).max()),
        "among the approved responses in dollars (DE49 is 840), the largest DE4, as a number of cents.",
        "DE4 is a text: `.astype(int)` first, then `.max()`.",
    ),
    equal(
        lambda: len(set(_rows("0100")["DE11"]) - set(_rows("0110")["DE11"])),
        "requests (0100) whose DE11 no response (0110) has.",
        "`set(requests['DE11']) - set(responses['DE11'])`, both from readable rows only.",
        {
            0: "some requests got no response: compare the sets of DE11.",
        },
    ),
)
