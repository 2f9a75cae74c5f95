"""Cleans a paste of what is not part of its bytes: comments, string literals in pieces, masked bytes, memory
addresses, box-drawing lines, control characters by name."""

from __future__ import annotations

import re

MASKED = "bytes are masked in the paste and read as zeros"
AS_UTF8 = "the bytes were taken for characters and written in UTF-8, two bytes for each from 80 on"
CUT = "the paste ends in an ellipsis: it is cut"
# Table lines, typographic quotation marks, and invisible characters: zero-width ones, soft hyphens.
_AS_PLAIN = str.maketrans(
    "\u2502\u2503\u2551\u250a\u00a6\u2402\u2403\u2018\u2019\u201c\u201d\u201e\u2010\u2011\u2013",
    '     \x02\x03\'\'"""---',
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff",
) | {0xFF01 + at: 0x21 + at for at in range(94)}
# HTML tags around text; each ends a line.
_OF_PAGE = re.compile(r"(?i)</?(?:br|p|code|pre|div|span|b|i|strong)\b[^<>\r\n]{0,80}>")
_CONTROLS = (("STX", "\x02"), ("ETX", "\x03"))
# Other control characters become hex in brackets, like unprintable bytes; FF already is such a byte.
_IN_ORDER = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI "
    "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)
CONTROL_CODES = {name: f"{at:02X}" for at, name in enumerate(_IN_ORDER.split()) if name != "FF"}
CONTROL_CODES |= {"TAB": "09", "DEL": "7F"}
_NAMED = re.compile(rf"([<\[{{])({'|'.join(CONTROL_CODES)})(?=[>\]}}])")
# Two literals in a row, separated by a blank, a line end, a comment or an operator.
_NOTE = r"(?:(?<=[\s+.&])(?://|#|%)[^\r\n]{0,80}(?=[\r\n]))?"
_PIECES = re.compile(
    rf"([\"'])\s{{0,20}}{_NOTE}\s{{0,80}}(?:(?:\+\+?|\.\.?|\\|<>|\|\||&(?:\s_)?)\s{{0,20}}{_NOTE}\s{{0,80}}|(?<=\s))[bBuLr@]?\1"
)
# A literal that is appended to another one: `s += "…"`, `s .= '…'`, `s.append("…")`, `s = s + "…"`.
_APPENDED = re.compile(
    r"([\"'])\s?\)?\s?;?(?:\s{0,40}(?://|#)[^\r\n]{0,80}+[\r\n]){0,8}+\s{0,40}+\$?\w{1,40}\s?(?:\+=|\.=|&=|\.[aA]ppend\(|=\s\$?\w{1,40}\s?(?:[+.&]|<>))\s?\1"
)
_COMMENT = re.compile(
    r"/\*(?:[^*]|\*(?!/)){0,200}\*/|(?<=[,{;\s])//[^\r\n]{0,200}(?=[\r\n]|$)|(?<=[,\s])#[^\r\n]{0,200}[\r\n]"
)
_BLANKS = re.compile(r"\s{2,}")
_ADDRESS = re.compile(r"(?m)^\s{0,8}0x[0-9A-Fa-f]{5,16}(?:\s?<[^>\r\n]{0,60}>)?:")
_PAIR = re.compile(r"(?<![^\s:])(?:[0-9A-Fa-f]{2}|XX|xx|\*\*)(?=[\s:]|$)")
_MASKED_PAIR = re.compile(r"(?<![^\s:])(?:XX|xx|\*\*)(?=[\s:]|$)")
_MASKED_RUN = re.compile(r"(?<=[0-9A-Fa-f]{4})(?:[Xx]{4,}|\*{4,})(?=[0-9A-Fa-f]{4})")
_FEWEST_PAIRS = 6
_FEWEST_WIDE = 8
# A continuation mark at the end of a line, or at the start of the next one.
_WRAPPED = re.compile(
    r"[ \t]{0,8}(?:[\\=+]|\u21b5)[ \t]{0,8}\r?\n[ \t]{0,40}|\r?\n[ \t]{0,8}(?:=>|->|\u21b3|\.\.\.)[ \t]{1,8}"
)
_NUMBERED = re.compile(r"(?m)^[ \t]{0,8}[0-9]{1,3}[:.)][ \t]{1,8}(?=(?:[0-9A-Fa-f]{2}[ \t]?)+[ \t]*\r?$)")
_ROW_IN_BRACKETS = re.compile(r"(?m)^([ \t]{0,8})\[((?:[0-9A-Fa-f]{2}[ \t]?)+)\](?=[ \t]*\r?$)")
# The mark of a comment or a quotation.
_MARGIN = re.compile(r"(?m)^[ \t]{0,40}(?:(?://|#|\*|--|>|;){1,3}[ \t]|//(?=[0-9A-Fa-f]{2} ))")
# A person's note on the digits before it: in brackets, or at the end of the line.
_IN_BRACKETS = re.compile(r"[(\[\uff08\u3010]([^()\[\]\r\n\uff08\uff09\u3010\u3011]{1,200})[)\]\uff09\u3011]")
_WORDS = re.compile(r"[^\W0-9A-Fa-f_]|^DE ?[0-9]{1,3}$")
_AT_END = re.compile(
    r"(?m)^([ \t]{0,40}(?:[0-9A-Fa-f]{2}[ \t]?)+)"
    r"(?:[ \t]{0,40}[-\u2013:=/#;<>|,*]{1,4}[ \t]|[ \t]{1,40})[ \t]{0,40}([^\r\n]{1,200})$"
)
_FEWEST_LINES = 2
_IN_PAIRS = re.compile(r"[0-9A-Fa-f]{2}(?:[ :-][0-9A-Fa-f]{2})+")
_BYTES = re.compile(r"0x[0-9A-Fa-f]{1,2}|[0-9]{1,3}\s?,")


def plain(text: str) -> str:
    """*text* with blanks in place of table lines, control characters in place of their names, and ASCII in
    place of full-width and curly characters; without invisible characters.

    >>> plain("30 38\u250230 30"), plain("<STX>0800<ETX>"), plain("{NUL}0800")
    ('30 38 30 30', '\\x020800\\x03', '{00}0800')
    """
    if "STX" in text:
        for name, mark in _CONTROLS:
            text = text.replace(f"<{name}>", mark).replace(f"[{name}]", mark)
    if "<" in text:
        text = _OF_PAGE.sub("\n", text)
    text = _NAMED.sub(lambda match: match[1] + CONTROL_CODES[match[2]], text)
    return text if text.isascii() else text.translate(_AS_PLAIN)


def narrowed(data: bytes) -> bytes:
    """UTF-16 text converted to one byte per character; other bytes unchanged.

    >>> narrowed(b"\\xff\\xfe0\\x008\\x00"), narrowed(b"08")
    (b'08', b'08')
    """
    bare = data[2:] if data[:2] in (b"\xff\xfe", b"\xfe\xff") else data
    for text, high in ((bare[::2], bare[1::2]), (bare[1::2], bare[::2])):
        if len(high) >= (_FEWEST_WIDE if bare is data else 1) and not any(high) and text.isascii():
            return text
    return data


def narrowed_utf8(data: bytes) -> bytes:
    """The bytes that were treated as characters and encoded in UTF-8; empty if *data* are not such.

    >>> narrowed_utf8(b"\\x30\\xc2\\xb2\\x20"), narrowed_utf8(b"\\x30\\xb2")
    (b'0\\xb2 ', b'')
    """
    try:
        return b"" if data.isascii() else data.decode().encode("latin-1")
    except UnicodeError:
        return b""


def unwrapped(text: str) -> str:
    """*text* without continuation marks, line numbers, and brackets around lines.

    >>> unwrapped("30303830\\\\\\n30303031"), unwrapped("1: 3030\\n2: 3830")
    ('30303830\\n30303031', '3030\\n3830')
    """
    return _ROW_IN_BRACKETS.sub(r"\1\2", _NUMBERED.sub("", _WRAPPED.sub("\n", text)))


def rewrapped(text: str) -> str:
    """Hex digits that a narrow window wrapped within bytes, with the lines of *text* joined; empty if it is
    not such. Copying drops a blank at the end of a line.

    >>> rewrapped("30 38 30 30 3\\n0 30 31 30"), rewrapped("0800\\n0810")
    ('30 38 30 30 30 30 31 30', '')
    """
    lines = text.strip().splitlines()
    width = len(lines[0]) if lines else 0
    if len(lines) < _FEWEST_LINES or any(len(line) not in (width, width - 1) for line in lines[:-1]):
        return ""
    hex_text = "".join(line + " " * (len(line) < width) for line in lines[:-1]) + lines[-1]
    return hex_text if _IN_PAIRS.fullmatch(hex_text) else ""


def joined(text: str) -> str:
    """*text* with the pieces of string literals joined.

    >>> joined('"0800" + "8220" \\'04\\' \\'00\\'')
    '"08008220" \\'0400\\''
    >>> joined('"0800" // the "MTI"\\n + "8220" ++ "04"')
    '"0800822004"'
    >>> joined('s = "0800";  s += "8220";')
    's = "08008220";'
    >>> joined('m = "0800"\\n m = m <> "8220"')  # Elixir
    'm = "08008220"'
    """
    return _APPENDED.sub("", _PIECES.sub("", text))


def uncommented(text: str) -> str:
    """*text* without comments between bytes, and without the address before each row of memory.

    >>> uncommented("0x08, 0x00, /* MTI */ 0x82")
    '0x08, 0x00, 0x82'
    """
    if not _BYTES.search(text):
        return text
    return _BLANKS.sub(" ", _ADDRESS.sub(" ", _COMMENT.sub(" ", text)))


def unmasked(text: str) -> tuple[str, tuple[str, ...]]:
    """*text* with zeros in place of masked bytes among hex digits, and a note on that.

    >>> unmasked("0000  02 10 XX XX 11 22 33 44")
    ('0000  02 10 00 00 11 22 33 44', ('bytes are masked in the paste and read as zeros',))
    """
    if "XX" not in text and "xx" not in text and "**" not in text:
        return text, ()
    lines = [_unmasked_line(line) for line in text.splitlines(keepends=True)]
    new_text = "".join(lines)
    return new_text, (MASKED,) * (new_text != text)


def _unmasked_line(line: str) -> str:
    if _MASKED_PAIR.search(line) and len(_PAIR.findall(line)) >= _FEWEST_PAIRS:
        line = _MASKED_PAIR.sub("00", line)
    return _MASKED_RUN.sub(lambda match: "0" * len(match[0]), line)


def unmargined(text: str) -> str:
    """*text* without comment or quotation marks before lines.

    >>> unmargined("// 30 38\\n//30 30")
    '30 38\\n30 30'
    """
    return _MARGIN.sub("", text)


def unnoted(text: str) -> str:
    """*text* without a person's notes on hex digits, in brackets or at the ends of lines, and without comment
    marks before lines.

    >>> unnoted("60 00 03 00 00 (TPDU) 02 00 (MTI)"), unnoted("0200  MTI\\n3020  bitmap")
    ('60 00 03 00 00   02 00  ', '0200\\n3020')
    """
    text = _IN_BRACKETS.sub(lambda match: " " if _WORDS.search(match[1]) else match[0], unmargined(text))
    return _AT_END.sub(lambda match: match[1].rstrip() if _WORDS.search(match[2]) else match[0], text)


def cut_behind(text: str, end: int) -> tuple[str, ...]:
    """A note if *text* continues with an ellipsis after character *end*."""
    rest = text[end : end + 8].lstrip()
    return (CUT,) * rest.startswith(("...", "\u2026"))
