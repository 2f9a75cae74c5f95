"""Several messages in one paste: what divides them, and which lines belong together."""

from __future__ import annotations

import re

from sim.codec.wire.framing import ETX, STX

_MOST = 60
# A line with bytes in it: a run of digits, or pairs; or a row of a dump in words of two bytes.
_DATA = re.compile(
    r"[0-9A-Fa-f]{16}|(?:[0-9A-Fa-f]{2}[ :,-]){7}|[0-9A-Fa-f]{4,8}:\s{1,2}(?:[0-9A-Fa-f]{4} ){4}"
)
# What may end a dump: pairs alone, or a short row with its offset.
_SHORT = re.compile(r"[|\[]?(?:0x)?[0-9A-Fa-f]{4,8}[:\s|].*|(?:[0-9A-Fa-f]{2}[\s:,-]*)+")
# Bytes in hex within a line of words.
_RUN = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{2}(?:[ :,-]?[0-9A-Fa-f]{2}){9,}(?![0-9A-Za-z])")
# What separates two messages in text: a divider, or a few words.
_DIVIDED = re.compile(rb"(?:\\[rn]|[\s|;,/&+'\"\[\](){}-]){0,8}(?=[0-9]{4}[0-9A-Fa-f]{16})")
_NAMED = re.compile(rb".{1,80}?(?<![0-9A-Za-z])(?=[0-9]{4}[0-9A-Fa-f]{16})")
# The end of a message framed by STX and ETX, perhaps with an LRC, before the next one.
_ENDED = re.compile(b"%c(?:(?=%c)|(?s:.)(?=%c))" % (ETX, STX, STX))
# A line of words that announces what follows: `Request:`, `--- response of the host ---`.
_CAPTION = re.compile(r"(?!<)\W{0,8}(?=.*[G-Zg-z])[A-Za-z][A-Za-z ,.'/()-]{1,60}\W{0,8}")
# No caption is longer; and the start of a line shows what it is: a row of a dump has some hundred characters,
# a message in digits is a single run of them.
_MOST_CAPTION, _MOST_LINE = 80, 4096
_MOST_PARAGRAPHS, _LEAST = 12, 24
_FIRST_ROW = re.compile(r"[|\[]?(?:0x)?0{4,8}[:\s|]")


def blocks(lines: list[str]) -> list[str]:
    """Return blocks of consecutive lines of bytes, without the words between; a dump starts at its first
    offset.

    Several runs of bytes in one line are separate blocks.

    >>> blocks(["sent", "0800202000000000000099", "received", "0000  30 38 31 30 82 20 00 00", "0008  00 00"])
    ['0800202000000000000099', '0000  30 38 31 30 82 20 00 00\\n0008  00 00']
    """
    groups: list[list[str]] = []
    inside = False
    for line in lines:
        if len(runs := _RUN.findall(line)) > 1:
            groups += [[run] for run in runs]
            inside = False
        elif _DATA.search(bare := line[:_MOST_LINE].strip()) or (inside and _SHORT.fullmatch(bare)):
            if not inside or _FIRST_ROW.match(bare):
                groups.append([])
            groups[-1].append(line)
            inside = True
        else:
            inside = False
    return ["\n".join(group) for group in groups[:_MOST]]


def paragraphs(text: str) -> list[str]:
    """Return the text between blank lines and captions; empty if that is one paragraph, or very many.

    >>> paragraphs("Request:\\n[48, 56, 48, 48, 130, 32, 0]\\nResponse:\\n[48, 56, 49, 48, 130, 32, 0]")
    ['[48, 56, 48, 48, 130, 32, 0]', '[48, 56, 49, 48, 130, 32, 0]']
    """
    groups: list[list[str]] = [[]]
    for line in text.splitlines():
        bare = line.strip()
        if not bare or (len(bare) <= _MOST_CAPTION and _CAPTION.fullmatch(bare)):
            groups.append([])
        else:
            groups[-1].append(line)
    parts = [part for group in groups if len(part := "\n".join(group)) > _LEAST]
    return parts if 1 < len(parts) <= _MOST_PARAGRAPHS else []


def after(data: bytes, end: int, text: bool, stx: bool = False) -> int:
    """Return where the next message may start after byte *end*: after the end mark, if *stx* says that the
    message is framed by STX and ETX; in text, after what divides or names messages.

    >>> after(b"0800...; 08102020000000000000", 7, True)
    9
    """
    if stx and (ended := _ENDED.match(data, end)):
        return ended.end()
    match = (_DIVIDED.match(data, end) or _NAMED.match(data, end)) if text else None
    return match.end() if match else end
