"""Texts encoded as bytes within other texts: in hex, as numbers, as escapes and entities, in Base64."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator

SHORTEST = 13  # the fewest digits of a card number recognized by its form
_NO_DIGITS = bytes(at for at in range(256) if not chr(at).isdigit() or at > 127)

_HEX_TOKEN = re.compile(r"(?:0x|\\x|\\u00|%|&#x)?([0-9A-Fa-f]+)")
_HEX_GAP = re.compile(r"[^0-9A-Za-z]{0,3}")
_DIGITS_IN_BYTES = {"3": "ascii", "F": "cp037"}
# Bytes that encode digits, each written as a number: ASCII in decimal, octal and binary, EBCDIC in decimal
# with and without a sign; with the base, and the number that encodes 0.
_NUMBERS = rf"(?<![0-9A-Za-z])(?:%s)(?:[^0-9A-Za-z]{{1,6}}(?:%s)){{{SHORTEST - 1},}}(?![0-9A-Za-z])"
_NUMBERED = tuple(
    (re.compile(_NUMBERS % (one, one)), base, zero)
    for one, base, zero in (
        ("4[89]|5[0-7]", 10, 48),
        ("0(?:6[0-7]|7[01])", 8, 48),
        ("0011(?:0[01]{3}|100[01])", 2, 48),
        ("24[0-9]", 10, 240),
        ("-(?:1[0-6]|[7-9])", 10, -16),
    )
)
_NUMBER = re.compile("-?[0-9]+")
# Characters that reveal binary data: control characters, EBCDIC digits as Latin-1.
_BINARY = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x80-\x9f]|[\xf0-\xf9]{12}")
_LONGEST_PACKED = 10  # bytes of a card number by itself
_FEWEST_PACKED = 6
BASE64 = re.compile(r"[A-Za-z0-9+/]{18,}(?:\r?\n[A-Za-z0-9+/]{18,})*|[A-Za-z0-9_-]{18,}")
_ONLY_HEX = re.compile("[0-9A-Fa-f]*")
_UNPRINTABLE = bytes(at if 0x20 <= at < 0x7F else 0x1F for at in range(256))


def has_digits(text: str, least: int) -> bool:
    """Whether *text* has at least *least* digits, or characters outside ASCII, which may be digits."""
    return not text.isascii() or len(text.encode("ascii").translate(None, _NO_DIGITS)) >= least


def spelled(text: str) -> Iterator[tuple[str, list[int]]]:
    """The texts that bytes written in *text* may encode; each character with the positions of the first
    and last digit of its byte."""
    yield from _numbered(text)
    for digits, places in _hex_chains(text):
        upper = digits.upper()
        for digit, encoding in _DIGITS_IN_BYTES.items():
            if upper.count(digit) < SHORTEST:
                continue
            for skipped in (0, 1):
                size = (len(upper) - skipped) // 2 * 2
                raw = bytes.fromhex(upper[skipped : skipped + size])
                chars = raw.decode(encoding) if encoding != "ascii" else raw.translate(_UNPRINTABLE).decode()
                yield chars, places[skipped:]


def is_binary(text: str) -> bool:
    """Whether *text* has characters that reveal binary data: control characters, EBCDIC digits as Latin-1."""
    return not (text.isascii() and text.isprintable()) and _BINARY.search(text) is not None


def _packed_runs(page: str) -> re.Pattern[str]:
    """A pattern for runs of characters of *page* whose bytes are packed digits, a track separator or
    padding, at most a card number's length away from a character that text does not contain, with a
    neighbor on either side that may contain one more digit."""
    signs = [bytes.fromhex(one + two).decode(page) for one in "0123456789DF" for two in "0123456789DF"]
    some = f"[{re.escape(''.join(signs))}]"
    odd = f"[{re.escape(''.join(sign for sign in signs if _BINARY.match(sign)))}]"
    near = _LONGEST_PACKED - 1
    return re.compile(
        f".?{some}{{0,{near}}}{odd}(?:{some}{{0,{2 * near}}}{odd})*{some}{{0,{near}}}.?", re.DOTALL
    )


_PACKED = {page: _packed_runs(page) for page in ("latin-1", "cp037")}


def packed_alone(text: str) -> Iterator[str]:
    """The digits that the characters of *text*, ordinary text, may encode as packed bytes: a whole card
    number, padded with F if it is odd. With a zero or a length before it, it would not be text."""
    if len(text) <= _LONGEST_PACKED and not text.strip().isdecimal():
        for page in _PACKED:
            yield text.encode(page, "replace").hex().upper().removesuffix("F")


def packed(text: str) -> Iterator[tuple[int, str]]:
    """The packed digits of bytes that *text* shows as characters of Latin-1 or EBCDIC, two per character,
    and the position of the first."""
    if is_binary(text):
        for page, runs in _PACKED.items():
            for run in runs.finditer(text):
                if len(run[0]) >= _FEWEST_PACKED:
                    yield run.start(), run[0].encode(page, "replace").hex().upper()


def other_pages(text: str) -> Iterator[str]:
    """*text* decoded again, if its bytes were shown in the wrong character set: EBCDIC as Latin-1, or
    ASCII as EBCDIC."""
    if is_binary(text):
        for shown_codec, written in (("latin-1", "cp037"), ("cp037", "latin-1")):
            other = text.encode(shown_codec, "replace").decode(written)
            if has_digits(other, SHORTEST):
                yield other


def _numbered(text: str) -> Iterator[tuple[str, list[int]]]:
    if not has_digits(text, SHORTEST):
        return
    for pattern, base, zero in _NUMBERED:
        for chain in pattern.finditer(text):
            numbers = list(_NUMBER.finditer(text, *chain.span()))
            places = [at for number in numbers for at in (number.start(), number.end() - 1)]
            yield "".join(str(int(number[0], base) - zero) for number in numbers), places


def in_base64(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """The positions of Base64 in *text*, and what it may contain: text, also in EBCDIC, and its bytes as
    hex."""
    for run in BASE64.finditer(text):
        if _ONLY_HEX.fullmatch(run[0]):
            continue
        packed = "".join(run[0].split())
        altered = b"-_" if set("-_") & set(packed) else None
        raw = b64decode(packed[: len(packed) - (len(packed) % 4 == 1)] + "==", altered)
        yield *run.span(), (raw.translate(_UNPRINTABLE).decode(), raw.decode("cp037"), raw.hex())


def _hex_chains(text: str) -> Iterator[tuple[str, list[int]]]:
    """Runs of hex digits, also in groups with a few other characters or an escape before each."""
    digits: list[str] = []
    places: list[int] = []
    last = -1
    for token in _HEX_TOKEN.finditer(text):
        if digits and not _HEX_GAP.fullmatch(text, last, token.start()):
            yield from _long(digits, places)
            digits, places = [], []
        digits.append(token[1])
        places += range(*token.span(1))
        last = token.end()
    yield from _long(digits, places)


def _long(digits: list[str], places: list[int]) -> Iterator[tuple[str, list[int]]]:
    if len(places) >= 2 * SHORTEST:
        yield "".join(digits), places
