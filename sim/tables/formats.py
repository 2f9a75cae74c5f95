"""Wire formats and interfaces as tables: built-in and loaded ones."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, overload

from sim.codec.wire import Format, names, wire_format
from sim.codec.wire.catalogue import to_toml
from sim.codec.wire.dialects import told_left_out
from sim.codec.wire.exchange.jpos import to_jpos
from sim.codec.wire.exchange.moov import to_moov
from sim.codec.wire.exchange.pyiso import to_pyiso8583
from sim.codec.wire.framing import frame
from sim.errors import SpecError, quoted_value
from sim.masking import mask_words
from sim.paste import guess as guess_paste
from sim.spec.interfaces import interface
from sim.spec.interfaces import interfaces as known_interfaces
from sim.spec.networks import presence_of
from sim.spec.words import AnyVersion
from sim.tables.reference import ReferenceTable
from sim.tables.tables import Table, columns_from, columns_of

_MOST_NAMED = 12


def formats() -> Table:
    """List the wire formats, both built-in and loaded.

    Returns
    -------
    A table with a row per format: `name` (what `format=` takes), `title`, `version` (`any` if the MTI gives
    it), `extends`, how `mti`, `bitmap`, `numbers`, `text`, `track_2`, `binary` elements and `lengths` are
    encoded, the elements in which it `differs`, its usual `framing`, what an import `left_out`, `note`,
    `source`.

    Examples
    --------
    >>> import sim
    >>> sim.formats().set_index("name").loc["bcd", "numbers"]
    'bcd'
    """
    return ReferenceTable(columns_from(map(wire_format, names()), _FORMAT_COLUMNS))


def interfaces() -> Table:
    """List the interfaces, the message specifications of links, which are independent of the card's brand.

    Returns
    -------
    A table with a row per interface: `name` (what `interface=` takes), `title`, its `version` (`any` if the
    MTI gives it), its wire `format`, the `network` whose own interface it is, `rules` (its number of rows
    on required elements), `note`, `source`.

    Examples
    --------
    >>> import sim
    >>> sim.interfaces().set_index("name").loc["visa", "network"]
    'VISA'
    """
    return ReferenceTable(columns_from(map(interface, known_interfaces()), _INTERFACE_COLUMNS))


_FORMAT_COLUMNS: dict[str, str | Callable[[Any], object]] = {
    "name": "name",
    "title": lambda row: mask_words(row.title),
    "version": lambda row: row.version or "any",
    "extends": lambda row: row.extends or "",
    "mti": "mti",
    "bitmap": lambda row: row.bitmap + (f", always {row.bitmap_bytes} bytes" if row.bitmap_bytes else ""),
    **{"numbers": "digits", "text": "text", "track_2": "track", "binary": "binary", "lengths": "lengths"},
    "differs": lambda row: ", ".join(f"DE {number}" for number in sorted(row.elements)),
    "framing": lambda row: ", ".join(frame(name).title for name in row.frames),
    "left_out": told_left_out,
    "note": lambda row: mask_words(row.note),
    "source": lambda row: mask_words(row.source),
}
_INTERFACE_COLUMNS: dict[str, str | Callable[[Any], object]] = {
    **{name: _FORMAT_COLUMNS[name] for name in ("name", "title", "version")},
    "format": "format",
    "network": "network",
    "rules": lambda row: len(row.rows) + (len(presence_of(row.network)) if row.network else 0),
    **{name: _FORMAT_COLUMNS[name] for name in ("note", "source")},
}


@overload
def export_format(
    format: str | Format, to: Literal["toml", "jpos", "moov"] = "toml", *, version: str | None = None
) -> str:
    """The text."""


@overload
def export_format(
    format: str | Format, to: Literal["pyiso8583"], *, version: str | None = None
) -> dict[str, Any]:
    """The dict that pyiso8583 accepts."""


@overload
def export_format(format: str | Format, to: str, *, version: str | None = None) -> str | dict[str, Any]:
    """Either, if *to* is known only at run time."""


def export_format(
    format: str | Format, to: str = "toml", *, version: str | None = None
) -> str | dict[str, Any]:
    """Export a wire format to a file, or for another toolkit.

    Parameters
    ----------
    format
        A format or its name.
    to
        `toml` (what `load_format` reads), `jpos` (packager XML), `moov` (JSON) or `pyiso8583` (a dict).
    version
        Version whose elements to export. Default: the format's own version, or 1987.

    Returns
    -------
    The text, or a dict for pyiso8583. Whatever the other toolkit cannot express is left out, with a warning
    that lists the elements.

    Raises
    ------
    SpecError
        Unknown format or target.

    Examples
    --------
    >>> import sim
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # one names what that toolkit cannot say: DE 65
    ...     specification = sim.export_format("ebcdic-500", "pyiso8583")
    >>> specification["2"]["data_enc"]
    'cp500'
    """
    fmt = wire_format(format)
    if to not in ("toml", *_TOOLKITS):
        raise SpecError(None, None, "to as " + ", ".join(("toml", *_TOOLKITS)), quoted_value(to))
    if to == "toml":
        return to_toml(fmt)
    write, pages = _TOOLKITS[to]
    written, left = write(fmt, version)
    written_in = {fmt.mti, fmt.digits, fmt.text, fmt.track, fmt.lengths}
    written_in |= {row.get("written", "") for row in fmt.elements.values()}
    others = sorted(page for page in written_in if page.startswith("cp") and page not in pages)
    if others:
        warning = f"{to} writes EBCDIC in code page {pages[0][2:]}, this format in {', '.join(others)}"
        warnings.warn(f"{warning}: [ ] ^ ! and | have other bytes", stacklevel=2)
    if cut := [at for at, row in sorted(fmt.elements.items()) if "parts" in row and at not in left]:
        numbers = ", ".join(f"DE {number}" for number in cut)
        warnings.warn(f"left out of the {to} specification: the parts of {numbers}", stacklevel=2)
    if left:
        reasons = "; ".join(sorted(set(left.values())))
        numbers = ", ".join(f"DE {number}" for number in list(left)[:_MOST_NAMED])
        numbers += f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
        warnings.warn(f"left out of the {to} specification: {numbers} ({reasons})", stacklevel=2)
    return json.dumps(written, indent=2, ensure_ascii=False) if to == "moov" else written


# The writer of each toolkit, and its EBCDIC pages, of which the first replaces those that it does not have.
_TOOLKITS: dict[
    str, tuple[Callable[[Format, str | None], tuple[Any, Mapping[int, str]]], tuple[str, ...]]
] = {
    "jpos": (to_jpos, ("cp1047",)),
    "moov": (to_moov, ("cp1047", "cp500")),
    "pyiso8583": (to_pyiso8583, ("cp037", "cp500", "cp1140")),
}
_GUESS_COLUMNS: dict[str, str | Callable[[Any], object]] = {
    **{name: name for name in ("confidence", "spelling", "framing", "format", "title", "version", "mti")},
    "elements": lambda reading: len(reading.message.fields) if reading.message else 0,
    **{"read": "read", "size": "size", "reasons": lambda reading: "; ".join(reading.reasons)},
}
_COUNTS = ("message", "elements", "read", "size")


class GuessTable(Table):
    """What a paste may be, as `sim.guess` describes it: a row per candidate for each message, best first."""

    _when_empty = ("framing",)


def guess(
    data: str | bytes, *, format: Format | str | None = None, version: AnyVersion | None = None
) -> GuessTable:
    """Identify the format of pasted data and explain why.

    Parameters
    ----------
    data
        A message in any notation: the text form, hex, a dump with offsets (xxd, hexdump, tcpdump,
        Wireshark, jPOS), a Python, Java or Go literal, base64, a log line, jPOS XML, JSON; or the bytes
        themselves. Only the first 65,536 characters or bytes are read.
    format
        Name of the format, if known; then only notation and framing are identified. `text` means the text
        form only.
    version
        One of `sim.VERSIONS`. Default: whichever fits.

    Returns
    -------
    GuessTable
        A row per candidate, best first: `message` (1 for the first in the paste), `confidence`, which is
        `sure` (it reads to the end, nothing is odd, and no other candidate does), `likely`, `unsure` or
        `none`, `spelling`, `framing`, `format` (its name), `title` (in words), `version`, `mti`, `elements`
        (how many were read), `read` of `size` bytes, and `reasons`.

    Raises
    ------
    TypeError
        *data* is neither text nor bytes.
    SpecError
        Unknown format.
    ChoiceError
        Unknown version.

    Examples
    --------
    >>> import sim
    >>> table = sim.guess("001D 6000030000 0800 2020000000800000 990000 123456 5445524D30303031")
    >>> table.loc[0, ["framing", "format"]].tolist()
    ['2-byte length 001D, TPDU 6000030000', 'bcd']
    >>> sim.guess("GET / HTTP/1.1")["confidence"].tolist()
    ['none']
    """
    best = guess_paste(data, format=format, version=version)
    readings = [*((1, reading) for reading in (best, *best.rivals)), *enumerate(best.more, 2)]
    columns = columns_from((reading for _, reading in readings), _GUESS_COLUMNS, _COUNTS)
    return GuessTable(columns_of(("message",), [(at,) for at, _ in readings], _COUNTS) | columns)
