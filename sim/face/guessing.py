"""What a paste is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.codec.wire import Format
    from sim.spec.words import AnyVersion
    from sim.tables import GuessTable


def guess(
    data: str | bytes, *, format: Format | str | None = None, version: AnyVersion | None = None
) -> GuessTable:
    """Say what a paste is: how its bytes are written, framed and coded, with reasons.

    Parameters
    ----------
    data
        A message in any spelling: the text form, hex, a dump with offsets and gutter (xxd, hexdump, tcpdump,
        Wireshark, jPOS), a literal of Python, Java or Go, base64, a line of a log, jPOS XML, JSON; or the
        bytes themselves. Only the first 65,536 characters or bytes are looked at.
    format
        The name of a format where it is known: only spelling and framing are guessed then. `text` is the text
        form and nothing else.
    version
        One of `sim.VERSIONS`; None is the one that fits.

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
    from sim import tables

    return tables.guess(data, format=format, version=version)
