"""Numbers, one per byte: `[48, -126]`, `{0x30, 0x38}`, `&H30`, `48u8`, `[0] 48`, or one per line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from sim.paste.spellings import tidy
from sim.paste.spellings.sighting import Sighting, laid_out, longest, sighted

NAMES = ("list of byte values",)
EXAMPLES = (
    ("[48, 56, 48, 48, -126, 32, 0, 0, 0, 1]", b"0800\x82 \0\0\0\1"),
    ("{0x30,0x38,0x30,0x30,0x82,0x20,0,0,0,1};", b"0800\x82 \0\0\0\1"),
)
_CAST = re.compile(r"\((?:byte|sbyte|uint8|Byte)\)\s?")
_LISTED = re.compile(
    r"-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3})(?:\s?[,;]\s{0,12}-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3})){9,}"
)
# A number in quotation marks.
_QUOTED_NUMBER = re.compile(r"(['\"])(-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3}))\1(?=\s?[,;\]})])")
_SPACED = re.compile(
    r"(?<=[\[{(])\s{0,8}-?[0-9]{1,3}(?:\s{1,5}-?[0-9]{1,3}){9,}|0[xX][0-9A-Fa-f]{2}(?:\s{1,3}0[xX][0-9A-Fa-f]{2}){8,}"
    r"|(?<![0-9A-Za-z.])[0-2][0-9]{2}(?:\s{1,3}[0-2][0-9]{2}){11,}(?![0-9A-Za-z.])"
)
_NUMBER = re.compile(r"-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3})")
# A byte in other languages, and its form in C: Visual Basic, Pascal, assembler, Kotlin and Rust, Erlang, and
# terminals with each byte in brackets.
_DIALECTS = (
    (re.compile(r"&[hH]([0-9A-Fa-f]{1,2})\b"), r"0x\1"),
    (re.compile(r"\$([0-9A-Fa-f]{2})\b"), r"0x\1"),
    (re.compile(r"\b0?([0-9A-Fa-f]{2})[hH]\b"), r"0x\1"),
    (re.compile(r"\b(0x[0-9A-Fa-f]{1,2}|[0-9]{1,3})(?:\.toByte\(\)|u8\b| as byte\b)"), r"\1"),
    (re.compile(r"\b16#([0-9A-Fa-f]{1,2})\b"), r"0x\1"),
    (re.compile(r"[\[<(]([0-9A-Fa-f]{2})[\]>)](?=[\[<(\r\n]|$)"), r"0x\1 "),
)
_LOWEST, _HIGHEST = -128, 255
_FEWEST_LISTED = 16
_VALUE = r"(-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3}))(?![0-9A-Za-z.])"
_INDEXED = re.compile(
    r"(?<![0-9A-Za-z.])\[?['\"]?([0-9]{1,5})['\"]?\]?(?:\s{0,4}(?:=>|[:=])|\t| {2,4})\s{0,8}"
    rf"(?:\{{byte\}}\s?|\(byte\)\s?|int\()?{_VALUE}"
)
_ONE_A_LINE = re.compile(rf"(?m)^[ \t]{{0,16}}{_VALUE}[ \t]{{0,8}},?[ \t]{{0,8}}\r?$")
_WRITTEN = re.compile(r"0[xX][0-9A-Fa-f]{1,2}\b|(?<![0-9A-Za-z.])-?[0-9]{1,3}(?![0-9A-Za-z.])")


def find(text: str) -> Iterator[Sighting]:
    """The longest lists in *text*: literals, indexed values, one number per line."""
    plain = _QUOTED_NUMBER.sub(r"\2", _CAST.sub("", tidy.uncommented(tidy.joined(text))))
    for pattern, in_c in _DIALECTS:
        plain = pattern.sub(in_c, plain)
    yield from _lists(plain, text)
    yield from _listed(text)


def _lists(plain: str, text: str) -> Iterator[Sighting]:
    for pattern in (_LISTED, _SPACED):
        run = longest(pattern, plain)
        if run and (data := _bytes(_NUMBER.findall(run[0]))):
            yield sighted(NAMES[0], data, len(run[0]), text)


def _listed(text: str) -> Iterator[Sighting]:
    """Bytes with indices from 0 on, as debuggers and consoles show an array; or one per line."""
    best: list[re.Match[str]] = []
    now: list[re.Match[str]] = []
    for match in _INDEXED.finditer(text):
        if int(match[1]) != len(now):
            now = []
        if int(match[1]) == len(now):
            now.append(match)
            best = now if len(now) > len(best) else best
    for matches in (best, list(_ONE_A_LINE.finditer(text))):
        if len(matches) >= _FEWEST_LISTED and (data := _bytes([match[match.re.groups] for match in matches])):
            yield sighted(NAMES[0], data, matches[-1].end() - matches[0].start(), text)


def _bytes(numbers: Iterable[str]) -> bytes | None:
    """The bytes that *numbers* are, signed or unsigned; None if one is too large for a byte."""
    values = list(map(_value, numbers))
    fit = all(_LOWEST <= value <= _HIGHEST for value in values)
    return bytes(value & 0xFF for value in values) if fit else None


def _value(number: str) -> int:
    return int(number, 16 if "x" in number.lower() else 10)


def write(data: bytes) -> str:
    """*data* as a list of numbers."""
    return str(list(data))


def rewrite(paste: str, old: bytes, new: bytes) -> str | None:
    """*paste* with the numbers of *new* in place of those of *old*, in the same notation."""
    tokens = [(*match.span(), _value(match[0]) & 0xFF) for match in _WRITTEN.finditer(paste)]
    start = bytes(value for _, _, value in tokens).find(old)
    if start < 0:
        return None
    targets = tokens[start : start + len(old)]
    number = _numbers_like([paste[begin:end] for begin, end, _ in targets])
    return laid_out(paste, targets, [number(byte) for byte in new])


def _numbers_like(texts: Sequence[str]) -> Callable[[int], str]:
    """A function that writes a byte in the notation of *texts*."""
    sign = texts[0][:2]
    if sign in ("0x", "0X"):
        short = min(map(len, texts)) < len("0x00")
        upper = not any(char in "abcdef" for text in texts for char in text)
        form = f"{sign}{{:{'' if short else '02'}{'X' if upper else 'x'}}}"
        return form.format
    signed = any(text.startswith("-") for text in texts)
    return lambda byte: str(byte - 0x100 if signed and byte > 0x7F else byte)
