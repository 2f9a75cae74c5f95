"""Notebook 12: versions compared."""

from __future__ import annotations

import sim
from lessons.answers import Spelling, VersionName
from lessons.judging import Lesson, equal
from sim.spec import spec

# A message whose first digit was lost; only one version reads it to its end.
UNKNOWN = "?800003000000000000000000000004220261120143000"


def _reads(version: str) -> bool:
    first = {"1987": "0", "1993": "1", "2003": "2"}[version]
    return bool((sim.parse(UNKNOWN.replace("?", first), format="text")["finding"].fillna("") == "").all())


versions = Lesson(
    "versions",
    equal(
        lambda: sim.reverse(sim.generate(version="2003", network="VISA")).iso.mti[:2] + "20",
        "the first digit is the version; the other three are those of the 0420.",
        "0 is 1987, 1 is 1993, 2 is 2003.",
        {
            "0420": "that is 1987.",
            "1420": "that is 1993.",
            "2430": "that is its response.",
            "2421": "that is its repeat.",
            "2400": "that is a reversal *request*.",
        },
    ),
    equal(
        lambda: Spelling(spec("2003")[41].format),
        'filter `sim.fields("2003")` by number and read `format`.',
        "`sim.fields('2003').set_index('number').loc[41, 'format']`.",
        {
            "ans 8": "that is the format in 1987 and 1993.",
            "n 16": "terminals may have letters in their names.",
            "ans..16": "the dots would mean *up to*.",
            "16": "the letters for the allowed characters are part of it.",
        },
    ),
    equal(
        lambda: VersionName(next(one for one in sim.VERSIONS if _reads(one))),
        "put 0, 1 and 2 in place of the question mark and parse each: only one reads to the end.",
        "DE 11 has six digits in two versions and twelve in the third; DE 12 has six, twelve or fourteen.",
        {
            "1987": "read as 1987, characters are left over.",
            "1993": "read as 1993, characters are left over.",
            "2023": "this toolkit does not support that version.",
        },
    ),
)
