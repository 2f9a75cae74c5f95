"""The notations in which people write bytes, as functions from bytes to text, for tests that read them
back."""

from __future__ import annotations

import base64
from collections.abc import Callable

_ROW = 16


def in_rows(data: bytes, size: int = _ROW) -> list[tuple[int, bytes]]:
    """The rows of a dump, each with the offset of its first byte."""
    return [(at, data[at : at + size]) for at in range(0, len(data), size)]


def gutter(row: bytes) -> str:
    """The characters next to the bytes of a row, with a dot for each unprintable one."""
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)


def _pairs(row: bytes, size: int = 1) -> str:
    return " ".join(row[at : at + size].hex() for at in range(0, len(row), size))


def xxd(data: bytes) -> str:
    """The output of `xxd`: words of two bytes."""
    return "\n".join(f"{at:08x}: {_pairs(row, 2):<39}  {gutter(row)}" for at, row in in_rows(data))


def hexdump_c(data: bytes) -> str:
    """The output of `hexdump -C`: two groups of eight, the characters between bars, a last row with only
    the offset."""
    rows = [
        f"{at:08x}  {_pairs(row[:8]):<23}  {_pairs(row[8:]):<23}  |{gutter(row)}|"
        for at, row in in_rows(data)
    ]
    return "\n".join([*rows, f"{len(data):08x}"]) + "\n"


def tcpdump_x(data: bytes) -> str:
    """The output of `tcpdump -X`."""
    return "\n".join(f"\t0x{at:04x}:  {_pairs(row, 2):<39}  {gutter(row)}" for at, row in in_rows(data))


def wireshark(data: bytes) -> str:
    """Bytes copied from Wireshark as a hex dump with text."""
    return "\n".join(
        f"{at:04x}   {_pairs(row[:8])}  {_pairs(row[8:]):<24}  {gutter(row)}" for at, row in in_rows(data)
    )


def jpos(data: bytes) -> str:
    """The output of ISOUtil.hexdump of jPOS."""
    rows = (
        f"{at:04x}  {_pairs(row[:8]).upper():<23}  {_pairs(row[8:]).upper():<23}  {gutter(row)}"
        for at, row in in_rows(data)
    )
    return "\n".join(rows)


def logged_dump(data: bytes) -> str:
    """A dump with a log prefix on every line."""
    return "\n".join(f"2024-01-02 03:04:05.000 DEBUG {line}" for line in xxd(data).splitlines())


def signed(data: bytes) -> str:
    """The output of Java's `Arrays.toString`."""
    return "[" + ", ".join(str(byte - 256 if byte > 127 else byte) for byte in data) + "]"


def java(data: bytes) -> str:
    """Bytes in Java source."""
    return "new byte[] { " + ", ".join(f"(byte) 0x{byte:02x}" for byte in data) + " };"


SPELLINGS: dict[str, Callable[[bytes], str]] = {
    "hex": lambda data: data.hex(),
    "HEX": lambda data: data.hex().upper(),
    "hex with a line end": lambda data: data.hex() + "\r\n",
    "hex in quotes": lambda data: f'"{data.hex()}"',
    "hex behind a BOM": lambda data: "\ufeff" + data.hex(),
    "0x hex": lambda data: "0x" + data.hex(),
    "spaced": lambda data: data.hex(" "),
    "SPACED": lambda data: data.hex(" ").upper(),
    "colons": lambda data: data.hex(":"),
    "dashes": lambda data: data.hex("-").upper(),
    "hex in lines": lambda data: "\n".join(row.hex() for _, row in in_rows(data)),
    "spaced in lines": lambda data: "\n".join(row.hex(" ") for _, row in in_rows(data)) + "\n",
    "xxd": xxd,
    "hexdump -C": hexdump_c,
    "tcpdump -X": tcpdump_x,
    "wireshark": wireshark,
    "jpos": jpos,
    "logged dump": logged_dump,
    "python": repr,
    "slashx": lambda data: "b'" + "".join(f"\\x{byte:02x}" for byte in data) + "'",
    "bare slashx": lambda data: "".join(f"\\x{byte:02x}" for byte in data),
    "java string": lambda data: '"' + "".join(f"\\u00{byte:02x}" for byte in data) + '"',
    "octal": lambda data: '"' + "".join(f"\\{byte:03o}" for byte in data) + '"',
    "go": lambda data: "[]byte{" + ", ".join(f"0x{byte:02x}" for byte in data) + "}",
    "go printed": lambda data: "[" + " ".join(map(str, data)) + "]",
    "c": lambda data: "{0x" + ",0x".join(f"{byte:02X}" for byte in data) + "};",
    "java": java,
    "signed": signed,
    "unsigned": lambda data: str(list(data)),
    "base64": lambda data: base64.b64encode(data).decode(),
    "base64url": lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="),
    "log in front": lambda data: f"2024-01-02 03:04:05,678 [main] INFO  Sent: {data.hex().upper()}",
    "log around": lambda data: f"10:15:30 >> request={data.hex()} ms=12",
    "log spaced": lambda data: f"10:15:30.123 recv({len(data)}): {data.hex(' ')}",
}
