"""What speaks for a reading and against it, in bits: rows of `data/weights.csv`.

A bit is a bit: what a value saves by being said as what it is. Where that does not follow from counting, the
weight is what a corpus of pastes bears out: the column `without` is what the score of 100 changes by without
it, as `make score WEIGHTS=1` measures; 0.0 says that the corpus does not settle it, an empty one that nobody
has measured it yet.
"""

from __future__ import annotations

from sim.spec.tables import read_csv

WEIGHTS: dict[str, float] = {row["name"]: float(row["bits"]) for row in read_csv("weights")}
