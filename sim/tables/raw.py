"""A message as text that shows no card data by itself."""

from __future__ import annotations

from sim.operations import chosen_version
from sim.operations.anatomy import dissect


class RawMessage(str):
    """The text of a message. It is the true text wherever it is used as one (`print`, `==`, slices,
    files, JSON); only its repr, which notebooks store as a cell's output, leaves the elements out.

    >>> RawMessage("08002020000000000000990000123456")
    RawMessage('08002020000000000000…', 32 characters, masked; print() shows it all)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        size = f"{len(self)} character{'' if len(self) == 1 else 's'}, masked; print() shows it all"
        seen = dissect(str(self), chosen_version(str(self), None))
        if seen.fault is not None:
            return f"RawMessage({size})"  # what looks like MTI and bitmap may be a card number
        return f"RawMessage('{seen.shown_text[: seen.places[1].end]}…', {size})"
