"""What speaks for a reading and against it, in bits: rows of `data/weights.csv`.

A bit is a bit: what a value saves by being said as what it is. Where that does not follow from counting, the
weight is what a corpus of pastes bears out: the columns `half` and `double` are what the score of the corpus
changes by when the weight is half as much, or twice, as `make score WEIGHTS=1` measures.
"""

from __future__ import annotations

from sim.spec.tables import read_csv

WEIGHTS: dict[str, float] = {row["name"]: float(row["bits"]) for row in read_csv("weights")}
