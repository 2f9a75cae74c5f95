"""Where several messages stand in one paste: what divides them, and which lines belong together."""

from __future__ import annotations

import re

from sim.codec.wire.framing import ETX, STX

_MOST = 60
# A line with bytes in it: a run of digits, or pairs.
_DATA = re.compile(r"[0-9A-Fa-f]{16}|(?:[0-9A-Fa-f]{2}[ :,-]){7}")
# What may end a dump: pairs alone, or a short row behind its offset.
_SHORT = re.compile(r"\s*(?:(?:0x)?[0-9A-Fa-f]{4,8}[:\s].*|(?:[0-9A-Fa-f]{2}[\s:,-]*)+)")
# Bytes in hex within a line of words.
_RUN = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{2}(?:[ :,-]?[0-9A-Fa-f]{2}){9,}(?![0-9A-Za-z])")
# What stands between two messages in text: a divider, or a few words.
_DIVIDED = re.compile(rb"[\s|;,/&+'\"\[\](){}-]{0,8}(?=[0-9]{4}[0-9A-Fa-f]{16})")
_NAMED = re.compile(rb".{1,80}?(?<![0-9A-Za-z])(?=[0-9]{4}[0-9A-Fa-f]{16})")
# What ends a message framed by STX and ETX, an LRC perhaps, where the next one begins.
_ENDED = re.compile(b"%c(?:(?=%c)|(?s:.)(?=%c))" % (ETX, STX, STX))
_FIRST_ROW = re.compile(r"\s*(?:0x)?0{4,8}[:\s]")


def blocks(lines: list[str]) -> list[str]:
    """Lines of bytes that follow each other, without the words between; a dump begins where its offset does.

    Runs of bytes in one line stand each for itself.

    >>> blocks(["sent", "0800202000000000000099", "received", "0000  30 38 31 30 82 20 00 00", "0008  00 00"])
    ['0800202000000000000099', '0000  30 38 31 30 82 20 00 00\\n0008  00 00']
    """
    found: list[list[str]] = []
    inside = False
    for line in lines:
        if len(runs := _RUN.findall(line)) > 1:
            found += [[run] for run in runs]
            inside = False
        elif _DATA.search(line) or (inside and _SHORT.fullmatch(line)):
            if not inside or _FIRST_ROW.match(line):
                found.append([])
            found[-1].append(line)
            inside = True
        else:
            inside = False
    return ["\n".join(one) for one in found[:_MOST]]


def after(data: bytes, end: int, text: bool, stx: bool = False) -> int:
    """Where the next message may begin behind byte *end*: behind what ends this one where *stx* says
    that it stands between STX and ETX; in text behind what divides or names messages.

    >>> after(b"0800...; 08102020000000000000", 7, True)
    9
    """
    if stx and (ended := _ENDED.match(data, end)):
        return ended.end()
    found = (_DIVIDED.match(data, end) or _NAMED.match(data, end)) if text else None
    return found.end() if found else end
