"""How messages are written on links, as a table: the ready formats and those that were loaded."""

from __future__ import annotations

import json
import warnings
from typing import Any

from sim.codec.wire import Format, names, wire_format
from sim.codec.wire.dialects import load_format
from sim.codec.wire.exchange import to_jpos, to_moov, to_pyiso8583, to_toml
from sim.codec.wire.framing import frame
from sim.errors import SpecError, shown
from sim.masking import mask_words
from sim.tables.messages import columns_of
from sim.tables.reference import ReferenceTable
from sim.tables.tables import Table

__all__ = ["export_format", "formats", "load_format"]

_COLUMNS = ("name", "title", "version", "extends", "mti", "bitmap", "numbers", "text", "track_2", "binary")
_MORE = ("lengths", "differs", "framing", "note", "source")
_MOST_NAMED = 12
_KINDS = ("toml", "jpos", "moov", "pyiso8583")


def formats() -> Table:
    """A row for each format."""
    return ReferenceTable(columns_of((*_COLUMNS, *_MORE), [_row(wire_format(name)) for name in names()]))


def _row(made: Format) -> tuple[object, ...]:
    bitmap = made.bitmap + (f", always {made.bitmap_bytes} bytes" if made.bitmap_bytes else "")
    return (
        made.name,
        mask_words(made.title),
        made.version or "any",
        made.extends or "",
        made.mti,
        bitmap,
        made.digits,
        made.text,
        made.track,
        made.binary,
        made.lengths,
        ", ".join(f"DE {number}" for number in sorted(made.elements)),
        ", ".join(frame(name).title for name in made.frames),
        mask_words(made.note),
        mask_words(made.source),
    )


def export_format(given: str | Format, to: str, version: str | None) -> str | dict[str, Any]:
    """The format written out for another toolkit, or as a file of our own; warns of what is left out."""
    made = wire_format(given)
    if to not in _KINDS:
        raise SpecError(None, None, "to as " + ", ".join(_KINDS), shown(to))
    if to == "toml":
        return to_toml(made)
    written: str | dict[str, Any]
    if to == "jpos":
        written, left = to_jpos(made, version)
    elif to == "moov":
        table, left = to_moov(made, version)
        written = json.dumps(table, indent=2, ensure_ascii=False)
    else:
        written, left = to_pyiso8583(made, version)
    if left:
        reasons = "; ".join(sorted(set(left.values())))
        numbers = ", ".join(f"DE {number}" for number in list(left)[:_MOST_NAMED])
        numbers += f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
        warnings.warn(f"left out of the {to} specification: {numbers} ({reasons})", stacklevel=3)
    return written
