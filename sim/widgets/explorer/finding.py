"""Which texts of a column hold a text, in any case: a million rows in some hundredths of a second.

A column with few different values is searched by those. The bytes of any other one are compared in numpy, a
piece at a time: measured against Arrow's search of a row at a time it takes a fifth (1,000,000 rows of 12
digits: 14 ms instead of 90; 500,000 of 248: 120 ms instead of 720).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Flags = np.ndarray[Any, np.dtype[np.bool_]]
_SOME = 20_000
_FEW = 20  # rows for each different value of a column, at least, that is searched by its values
_PIECE = 1 << 18  # bytes that are compared at once: they and the flags stay in the processor's cache
_OTHER_CASE = 0x20  # what tells an ASCII letter from its other case


class Searched:
    """A column of texts that is searched more than once."""

    def __init__(self, column: Any) -> None:
        kept = column if pa.types.is_large_string(column.type) else column.cast(pa.large_string())
        self._chunks = kept.chunks if isinstance(kept, pa.ChunkedArray) else [kept]
        self._values = _values(kept)
        self.size = len(kept)

    @property
    def few(self) -> bool:
        """Whether the column has few different values."""
        return self._values is not None

    def rows(self, text: str) -> Flags | None:
        """Which rows hold *text*; None where none does."""
        if self._values is not None:
            values, places = self._values
            found = flags(pc.match_substring(values, text, ignore_case=True))
            return np.append(found, False)[places] if found.any() else None
        held = [_rows(one, text) for one in self._chunks]
        return np.concatenate(held) if any(one.any() for one in held) else None


def _rows(chunk: Any, text: str) -> Flags:
    """Which rows of *chunk* hold *text*."""
    if not text.isascii():  # other letters have more than a byte
        return flags(pc.match_substring(chunk, text, ignore_case=True))
    if len(text) < 2:  # found early in most rows
        return flags(pc.or_(*(pc.match_substring(chunk, one) for one in (text.lower(), text.upper()))))
    return _compared(chunk, text.lower().encode())


def _compared(chunk: Any, text: bytes) -> Flags:
    """The same of ASCII in lower case."""
    found = np.zeros(len(chunk), bool)
    _, ends, data = chunk.buffers()
    if data is None or not len(chunk):
        return found
    offsets = np.frombuffer(ends, np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
    held = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
    for hits in _places(held, text):
        at = hits + offsets[0]
        row = np.searchsorted(offsets, at, side="right") - 1
        found[row[at + len(text) <= offsets[row + 1]]] = True  # not where it reaches into the next row
    return found & flags(chunk.is_valid()) if chunk.null_count else found


def _places(held: Any, text: bytes) -> Iterator[Any]:
    """Where in the bytes *held* the *text* begins."""
    whole = len(held) - len(text) + 1
    for start in range(0, whole, _PIECE):
        end = min(start + _PIECE, whole)
        same = np.ones(end - start, bool)
        for at, byte in enumerate(text):
            piece = held[start + at : end + at]
            same &= (piece | _OTHER_CASE if chr(byte).isalpha() else piece) == byte
            if not same.any():
                break
        else:
            yield np.flatnonzero(same) + start


def _values(column: Any) -> tuple[Any, Any] | None:
    """The different values of a column and each row's place among them; None where there are many, which
    some rows show: to number them all would take longer than to search them."""
    some = column.slice(0, _SOME)
    if pc.count_distinct(some).as_py() * _FEW >= max(len(some), 1):
        return None
    encoded = pc.dictionary_encode(column)
    encoded = encoded.unify_dictionaries() if isinstance(encoded, pa.ChunkedArray) else encoded
    chunks = encoded.chunks if isinstance(encoded, pa.ChunkedArray) else [encoded]
    values = chunks[0].dictionary if chunks else pa.array([], pa.large_string())
    places = [pc.fill_null(one.indices, len(values)).to_numpy(zero_copy_only=False) for one in chunks]
    return values, np.concatenate(places) if places else np.zeros(0, np.int64)


def flags(column: Any) -> Flags:
    """Arrow's answer as an array, what is missing as False."""
    return np.asarray(pc.fill_null(column, False).to_numpy(zero_copy_only=False), dtype=bool)
