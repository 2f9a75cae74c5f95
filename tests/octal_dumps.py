"""Dumps as printed by `od`, `od -c`, `-b`, `-X`, `hexdump -c` and `xxd -b`; repeated rows are printed as a
star."""

from __future__ import annotations

from collections.abc import Callable

_ESCAPES = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}


def _cell(byte: int) -> str:
    shown = chr(byte) if 32 <= byte < 127 else f"{byte:03o}"
    return f"{_ESCAPES.get(byte, shown):>4}"


def dumped(data: bytes, show: Callable[[bytes], str], offset: str = "{:07o}", size: int = 16) -> str:
    """Rows of *size* bytes as *show* writes them, with a star for rows that repeat the one before."""
    lines: list[str] = []
    for at in range(0, len(data), size):
        row = data[at : at + size]
        if at and row == data[at - size : at]:
            lines += ["*"] * (lines[-1] != "*")
        else:
            lines.append(offset.format(at) + show(row))
    return "\n".join([*lines, offset.format(len(data)), ""])


def _words(row: bytes, size: int, form: str) -> str:
    padded = row.ljust(-(-len(row) // size) * size, b"\0")
    numbers = (int.from_bytes(padded[at : at + size], "little") for at in range(0, len(padded), size))
    return "".join(f" {number:{form}}" for number in numbers)


def characters(row: bytes) -> str:
    """Cells four characters wide."""
    return "".join(map(_cell, row))


def _memory(data: bytes, form: str, between: str) -> str:
    """Words as shown by debuggers of little-endian machines."""
    rows = ((at, _words(data[at : at + 16], 4, "08x").split()) for at in range(0, len(data), 16))
    return "\n".join(form.format(0x12FF00 + at) + between.join(row) for at, row in rows)


OCTAL: dict[str, Callable[[bytes], str]] = {
    "od -c": lambda data: dumped(data, characters),
    "od -c, blanks cut": lambda data: "\n".join(map(str.rstrip, dumped(data, characters).splitlines())),
    "od -A d -c": lambda data: dumped(data, characters, "{:07}"),
    "od -w8 -c": lambda data: dumped(data, characters, size=8),
    "hexdump -c": lambda data: dumped(data, characters, "{:07x}"),
    "od -b": lambda data: dumped(data, lambda row: "".join(f" {byte:03o}" for byte in row)),
    "od": lambda data: dumped(data, lambda row: _words(row, 2, "06o")),
    "od -X": lambda data: dumped(data, lambda row: _words(row, 4, "08x")),
    "od -A n -c": lambda data: "\n".join(characters(data[at : at + 16]) for at in range(0, len(data), 16)),
    "od -t x1, rows squeezed": lambda data: dumped(data, lambda row: " " + row.hex(" ")),
    "hexdump -C, rows squeezed": lambda data: dumped(data, lambda row: f"  {row.hex(' ')}", "{:08x}"),
    "xxd -b": lambda data: "\n".join(
        f"{at:08x}: {' '.join(f'{byte:08b}' for byte in data[at : at + 6])}  ......"
        for at in range(0, len(data), 6)
    ),
    "gdb, words": lambda data: _memory(data, "0x{:x}:\t0x", "\t0x"),
}
