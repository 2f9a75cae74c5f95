"""Other bytes laid out as those in a paste were."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

# Start and end of one byte in the paste, and what it is.
Token = tuple[int, int, int]


def laid_out(paste: str, tokens: Sequence[Token], texts: Sequence[str]) -> str:
    """*texts* in place of *tokens*, with between them what stood between those; rows go on as they did."""
    gaps = [paste[one[1] : other[0]] for one, other in pairwise(tokens)]
    row = next((at + 1 for at, gap in enumerate(gaps) if "\n" in gap), 0)
    made = [texts[0]] if texts else []
    for at, text in enumerate(texts[1:]):
        made += [gaps[at] if at < len(gaps) else gaps[at % (row or len(gaps))] if gaps else "", text]
    return paste[: tokens[0][0]] + "".join(made) + paste[tokens[-1][1] :]
