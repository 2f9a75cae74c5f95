"""What fuzzing has found stays mended, and a little more is tried on every surface."""

from __future__ import annotations

from itertools import islice
from random import Random

from support import ALL, together

from harness.fuzz import changed, stretched
from harness.targets import FOUND, LARGEST, TARGETS, seeds

_TRIED = {"guess": 12, "repair": 20, "scenario": 40}


@together("surface, data", [(one[0], one[2]) for one in FOUND])
def test_what_was_found_is_mended(surface: str, data: bytes) -> None:
    """An input that once broke a surface now gets what the surface documents."""
    TARGETS[surface].run(data)


@together("surface", TARGETS)
def test_good_and_changed_inputs(surface: str) -> None:
    """Good inputs, changed ones and long repetitive ones raise nothing that is not documented."""
    some, known = Random(8583), seeds(surface)
    tried = _TRIED.get(surface, 60) // (1 if ALL else 2)
    for seed in islice(known, 0, None, max(len(known) // tried, 1)):
        TARGETS[surface].run(seed[:LARGEST])
        TARGETS[surface].run(changed(seed, known, some)[:LARGEST])
        TARGETS[surface].run(stretched(seed[:LARGEST], some, 2_000))
