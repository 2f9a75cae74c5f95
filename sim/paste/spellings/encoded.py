"""Bytes encoded for transport: base64, base32, URL encoding, XML entities, quoted-printable."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from sim.paste.spellings import tidy
from sim.paste.spellings.chains import by_hex, line_with, marked, uneven
from sim.paste.spellings.sighting import Sighting, encoded, longest, sighted

NAMES = ("base64", "base32", "URL encoding", "XML entities", "quoted-printable")
EXAMPLES = (
    ("MDgwMIIgAAAAAAAAAAAAAAA=", b"0800\x82 " + bytes(11)),
    ("0800%82%20%00%00", b"0800\x82 \0\0"),
    ("0800&#130;&#32;&#0;&#0;", b"0800\x82 \0\0"),
    ("0800=82=20=00=00", b"0800\x82 \0\0"),
)
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_BLANK = re.compile(r"\s|&#(?:13|[xX][dD]);")
_HEX = re.compile(r"[0-9A-Fa-f]+")
_BASE32 = re.compile(r"(?<![0-9A-Za-z+/_=-])(?:[A-Z2-7]{32,}|[a-z2-7]{32,})(?=={0,6}(?![0-9A-Za-z+/_=-]))")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_FEWEST_PERCENT = 2
_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~+*-"
_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~+*-])+")
# Wrapped lines; the first may follow a tag or a quotation mark, and XML may have the CR as an entity.
_BASE64_LINES = re.compile(
    r"(?m)(?:(?:^[ \t]{0,16}|(?<=[>\"']))[A-Za-z0-9+/]{40,80}(?:\r|&#(?:13|[xX][dD]);)?\n)+"
    r"[ \t]{0,16}[A-Za-z0-9+/]{1,80}={0,2}(?=\r?$|[<\"'&])"
)
_ENTITY = re.compile(r"&#(?:[xX]([0-9A-Fa-f]{1,2})|([01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5]));")
_QUOTED_PRINTABLE = re.compile(r"=([0-9A-F]{2})")
_GOES_ON = re.compile(r"=\r?\n")


def find(text: str) -> Iterator[Sighting]:
    """The bytes in *text* in any of these encodings."""
    joined = tidy.joined(text)
    yield from _base64(joined, text)
    yield from _base32(joined, text)
    yield from _percent(joined, text)
    bare = _GOES_ON.sub("", text)
    line = line_with(bare, _ENTITY)
    hexed = [match[1] for match in _ENTITY.finditer(line)]
    if line and any(hexed) == all(hexed) and not uneven([digits for digits in hexed if digits]):
        characters = html.unescape(_ENTITY.sub(_by_entity, line))
        yield sighted("XML entities", encoded(characters), len(line), text)
    yield from marked("quoted-printable", bare, _QUOTED_PRINTABLE, by_hex, text)


def _percent(text: str, paste: str) -> Iterator[Sighting]:
    """URL-encoded bytes."""
    first = _PERCENT.search(text)
    if first is None:
        return
    start = len(text[: first.start()].rstrip(_PLAIN))
    match = _ENCODED.match(text, start)
    if match is not None and len(_PERCENT.findall(match[0])) >= _FEWEST_PERCENT:
        yield sighted("URL encoding", unquote_to_bytes(match[0].replace("+", " ")), len(match[0]), paste)


def _base32(text: str, paste: str) -> Iterator[Sighting]:
    full_match = _BASE32.fullmatch(_BLANK.sub("", text).strip("\"'`="))
    best_match = full_match or longest(_BASE32, text)
    if best_match is None or _HEX.fullmatch(best_match[0]):
        return
    try:
        data = base64.b32decode(best_match[0] + "=" * (-len(best_match[0]) % 8), casefold=True)
    except binascii.Error:
        return
    yield sighted("base32", data, len(text) if full_match else len(best_match[0]), paste)


def _base64(text: str, paste: str) -> Iterator[Sighting]:
    content = _BLANK.sub("", text).strip("\"'`")
    run, lined = longest(_TOKEN, text), longest(_BASE64_LINES, text)
    block = _BLANK.sub("", lined[0]) if lined else ""
    for token in dict.fromkeys((content, block, run[0] if run else "")):
        if not _TOKEN.fullmatch(token) or _HEX.fullmatch(token):
            continue
        bare = token.rstrip("=")
        standard = bare.replace("-", "+").replace("_", "/")
        try:
            data = base64.b64decode(standard + "=" * (-len(bare) % 4), validate=True)
        except (binascii.Error, ValueError):
            continue
        # A base64 digit has six bits, so one character in four is overhead.
        taken = len(text) if token == content else len(lined[0]) if lined and token == block else len(token)
        yield sighted("base64", data, taken, paste)


def _by_entity(match: re.Match[str]) -> str:
    """The character with the entity's number as its byte value, since HTML redefines the C1 range."""
    return chr(int(match[1], 16) if match[1] else int(match[2]))


def write(data: bytes) -> str:
    """*data* in base64."""
    return base64.b64encode(data).decode()


def rewrite(paste: str, old: bytes, new: bytes) -> str | None:
    """*paste* with the base64 of *new* in place of that of *old*."""
    old_text, new_text = (base64.b64encode(data).decode() for data in (old, new))
    for mark in ("", "=", "=="):
        bare = old_text.removesuffix(mark) if mark else old_text
        if bare in paste and old_text.rstrip("=") in bare:
            return paste.replace(bare, new_text if bare == old_text else new_text.rstrip("="), 1)
    return None
