"""Where several messages stand in one paste: what divides them, and which lines belong together."""

from __future__ import annotations

import re

from sim.codec.wire.framing import ETX, STX

_MOST = 60
# A line with bytes in it: a run of digits, or pairs; or a row of a dump in words of two bytes.
_DATA = re.compile(
    r"[0-9A-Fa-f]{16}|(?:[0-9A-Fa-f]{2}[ :,-]){7}|[0-9A-Fa-f]{4,8}:\s{1,2}(?:[0-9A-Fa-f]{4} ){4}"
)
# What may end a dump: pairs alone, or a short row behind its offset.
_SHORT = re.compile(r"[|\[]?(?:0x)?[0-9A-Fa-f]{4,8}[:\s|].*|(?:[0-9A-Fa-f]{2}[\s:,-]*)+")
# Bytes in hex within a line of words.
_RUN = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{2}(?:[ :,-]?[0-9A-Fa-f]{2}){9,}(?![0-9A-Za-z])")
# What stands between two messages in text: a divider, or a few words.
_DIVIDED = re.compile(rb"[\s|;,/&+'\"\[\](){}-]{0,8}(?=[0-9]{4}[0-9A-Fa-f]{16})")
_NAMED = re.compile(rb".{1,80}?(?<![0-9A-Za-z])(?=[0-9]{4}[0-9A-Fa-f]{16})")
# What ends a message framed by STX and ETX, an LRC perhaps, where the next one begins.
_ENDED = re.compile(b"%c(?:(?=%c)|(?s:.)(?=%c))" % (ETX, STX, STX))
# A line of words alone, which says what follows: `Request:`, `--- answer of the host ---`.
_CAPTION = re.compile(r"(?!<)\W{0,8}(?=.*[G-Zg-z])[A-Za-z][A-Za-z ,.'/()-]{1,60}\W{0,8}")
# No caption is longer; and what a line is shows in its beginning: a row of a dump has some hundred
# characters, a message in digits is one run of them.
_MOST_CAPTION, _MOST_LINE = 80, 4096
_MOST_PARAGRAPHS, _LEAST = 12, 24
_FIRST_ROW = re.compile(r"[|\[]?(?:0x)?0{4,8}[:\s|]")


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
        elif _DATA.search(bare := line[:_MOST_LINE].strip()) or (inside and _SHORT.fullmatch(bare)):
            if not inside or _FIRST_ROW.match(bare):
                found.append([])
            found[-1].append(line)
            inside = True
        else:
            inside = False
    return ["\n".join(one) for one in found[:_MOST]]


def paragraphs(text: str) -> list[str]:
    """What stands between blank lines and lines of words; empty where that is one thing, or very many.

    >>> paragraphs("Request:\\n[48, 56, 48, 48, 130, 32, 0]\\nResponse:\\n[48, 56, 49, 48, 130, 32, 0]")
    ['[48, 56, 48, 48, 130, 32, 0]', '[48, 56, 49, 48, 130, 32, 0]']
    """
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        bare = line.strip()
        if not bare or (len(bare) <= _MOST_CAPTION and _CAPTION.fullmatch(bare)):
            found.append([])
        else:
            found[-1].append(line)
    parts = [part for one in found if len(part := "\n".join(one)) > _LEAST]
    return parts if 1 < len(parts) <= _MOST_PARAGRAPHS else []


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
