"""The weights for and against a reading, in bits: rows of `data/weights.csv`.

A weight is the number of bits that describing a value saves. If that cannot be computed, a corpus of pastes
decides: the column `without` is the change of the score (of 100) without the weight, measured by `make score
WEIGHTS=1`; 0.0 means that the corpus does not settle it, empty that it was never measured.
"""

from __future__ import annotations

from sim.spec.tables import read_csv

WEIGHTS: dict[str, float] = {row["name"]: float(row["bits"]) for row in read_csv("weights")}
