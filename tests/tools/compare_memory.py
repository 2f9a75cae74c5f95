"""Whether verdicts are the same whatever came before: many pairs of messages that differ a little.

    python tests/tools/compare_memory.py [PAIRS] [SEED]

Each message is judged by a process that has judged all before it, and by one that remembers
nothing; what both say must be equal. The tests do the same with fewer pairs (`tests/judge/test_memory.py`).
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from mutations import afresh, pairs, told  # noqa: E402

from sim.operations import NETWORKS  # noqa: E402
from sim.operations.validation import judge  # noqa: E402


def main(count: int = 200_000, seed: int = 1) -> int:
    """Compare *count* pairs; the number of differences."""
    some, different = Random(seed), 0
    for at, pair in enumerate(pairs(some, count), 1):
        network = some.choice((None, None, *NETWORKS))
        for message in (*pair, pair[0]):
            if told(judge(message, network, NETWORKS)) != afresh(message, network):
                different += 1
                print(f"differs, network {network}: {message!r}")
        if at % 20_000 == 0:
            print(f"{at} pairs, {different} differences", flush=True)
    return different


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
