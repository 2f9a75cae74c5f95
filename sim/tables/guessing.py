"""The candidates of a guess as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.paste import Reading
from sim.paste import guess as guess_paste
from sim.spec.words import AnyVersion
from sim.tables.tables import Table, columns_of

if TYPE_CHECKING:
    from sim.codec.wire import Format

COLUMNS = (
    *("message", "confidence", "spelling", "framing", "format", "title", "version", "mti"),
    *("elements", "read", "size", "reasons"),
)


class GuessTable(Table):
    """What a paste may be: a row per candidate for each message in it, the best first.

    Columns: `message` (1 for the first in the paste), `confidence` (sure, likely, unsure, none), `spelling`,
    `framing`, `format` (its name), `title` (the same in words), `version`, `mti`, `elements` (how many were
    read), `read` of `size` bytes, `reasons`.
    """

    _safe_columns = COLUMNS
    _when_empty = ("framing",)


def guess(
    data: str | bytes, *, format: Format | str | None = None, version: AnyVersion | None = None
) -> GuessTable:
    """Identify the format of pasted data and explain why.

    Parameters
    ----------
    data
        A message in any spelling: the text form, hex, a dump with offsets and gutter (xxd, hexdump, tcpdump,
        Wireshark, jPOS), a literal of Python, Java or Go, base64, a line of a log, jPOS XML, JSON; or the
        bytes themselves. Only the first 65,536 characters or bytes are looked at.
    format
        Name of the format, if known; then only notation and framing are identified. `text` means the text
        form only.
    version
        One of `sim.VERSIONS`. Default: whichever fits.

    Returns
    -------
    GuessTable
        A row per candidate, the best first. `confidence` is `sure` (reads to the end, nothing is odd, nothing
        else does), `likely`, `unsure` or `none`; `reasons` say why; `read` of `size` counts bytes.

    Raises
    ------
    TypeError
        For what is neither text nor bytes.
    SpecError
        For an unknown format.
    ChoiceError
        For an unknown version.

    Examples
    --------
    >>> import sim
    >>> table = sim.guess("001D 6000030000 0800 2020000000800000 990000 123456 5445524D30303031")
    >>> table.loc[0, ["framing", "format"]].tolist()
    ['2-byte length 001D, TPDU 6000030000', 'bcd']
    >>> sim.guess("GET / HTTP/1.1")["confidence"].tolist()
    ['none']
    """
    found = guess_paste(data, format=format, version=version)
    rows = [_row(1, one) for one in (found, *found.rivals)]
    rows += [_row(place, one) for place, one in enumerate(found.more, 2)]
    table = GuessTable(columns_of(COLUMNS, rows))
    return table.astype(dict.fromkeys(("message", "elements", "read", "size"), "int64"))


def _row(place: int, one: Reading) -> tuple[object, ...]:
    elements = len(one.message.fields) if one.message else 0
    said = one.confidence, one.spelling, ", ".join(one.framing), one.format, one.title, one.version, one.mti
    return (str(place), *said, str(elements), str(one.read), str(one.size), "; ".join(one.reasons))
