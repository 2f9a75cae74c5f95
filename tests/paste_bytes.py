"""Pastes of a message's bytes, as in public threads, logs and tools: functions from bytes to text. Nothing
here is copied: each imitates how a tool prints, so that tests can read the original back."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import cycle

from tests.spellings import gutter, in_rows, jpos


def _hxd(data: bytes) -> str:
    head = "Offset(h) 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F\n\n"
    return head + "\n".join(
        f"{at:08X}  {row.hex(' ').upper():<47}  {gutter(row)}" for at, row in in_rows(data)
    )


def _debug(data: bytes) -> str:
    def row(part: bytes) -> str:
        return "-".join(filter(None, (part[:8].hex(" ").upper(), part[8:].hex(" ").upper())))

    return "\n".join(f"0B3D:{256 + at:04X}  {row(part):<47}   {gutter(part)}" for at, part in in_rows(data))


def _twenty(data: bytes) -> str:
    return "\n".join(
        f"{at:05}:{row.hex(' ').upper():<59} [{gutter(row):<20}]" for at, row in in_rows(data, 20)
    )


def _two_offsets(data: bytes) -> str:
    return "\n".join(
        f"{at:04}({at:04X}) {row.hex(' ').upper():<47} {gutter(row)}" for at, row in in_rows(data)
    )


def _bars(data: bytes) -> str:
    return "\n".join(f"| {at:04x} | {row.hex(' '):<47} | {gutter(row):<16} |" for at, row in in_rows(data))


def _first_logged(data: bytes) -> str:
    return "2021-07-28 20:15:46,841 ERROR c.b.Q2: (channel/10.0.0.1:5255) [receive] " + jpos(data) + "\n\n"


def _swapped(data: bytes) -> str:
    even = data + b"\0" * (len(data) % 2)
    words = (
        "".join(f" {row[at + 1]:02x}{row[at]:02x}" for at in range(0, len(row), 2))
        for _, row in in_rows(even)
    )
    return "\n".join(f"{16 * place:07x}{row}" for place, row in enumerate(words)) + f"\n{len(data):07x}\n"


def _od(data: bytes) -> str:
    return "\n".join([*(f"{at:07o} {row.hex(' ')}" for at, row in in_rows(data)), f"{len(data):07o}"])


def _od_z(data: bytes) -> str:
    return "\n".join(f"{at:06x} {row.hex(' '):<47}  >{gutter(row)}<" for at, row in in_rows(data))


def _c_array(data: bytes) -> str:
    rows = ",\n".join("  " + ", ".join(f"0x{byte:02x}" for byte in row) for _, row in in_rows(data, 8))
    return (
        f"/* Frame ({len(data)} bytes) */\nstatic const unsigned char pkt1[{len(data)}] = {{\n{rows}\n}};\n"
    )


def _escaped(data: bytes) -> str:
    return " \\\n".join('"' + "".join(f"\\x{byte:02x}" for byte in row) + '"' for _, row in in_rows(data))


def _prefixed(data: bytes) -> str:
    return "\n".join(f"10:15:30.{at + 7:03} DEBUG {row.hex(' ').upper()}" for at, row in in_rows(data))


def _with_comments(data: bytes) -> str:
    rows = (
        f"  {' '.join(f'0x{byte:02x},' for byte in row):<48} {mark} {gutter(row).replace('*', '.')} {end}"
        for (_, row), (mark, end) in zip(in_rows(data, 8), cycle((("/*", "*/"), ("//", ""))))
    )
    return "unsigned char msg[] = {\n" + "\n".join(rows) + "\n};\n"


def _strace(data: bytes) -> str:
    """Control characters as the shortest unambiguous octal escape, as strace prints them."""
    parts = []
    for byte, after in zip(data, [*data[1:], 0], strict=True):
        short = f"\\{byte:03o}" if 0x30 <= after <= 0x39 else f"\\{byte:o}"
        parts.append(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else short)
    return f'recvfrom(7, "{"".join(parts)}", 4096, 0, NULL, NULL) = {len(data)}'


def _memory(data: bytes) -> str:
    return "\n".join(
        f"0x{0x7FFFFFFFE0A0 + at:x}:\t" + "\t".join(f"0x{byte:02x}" for byte in row)
        for at, row in in_rows(data, 8)
    )


def _boxed(data: bytes) -> str:
    return "\n".join(
        f"{at:04X} :{row[:8].hex(' ').upper()}\u2502{row[8:].hex(' ').upper()} {gutter(row)}"
        for at, row in in_rows(data)
    )


def _pieces(data: bytes, between: str) -> str:
    return "msg = " + between.join(f'"{row.hex()}"' for _, row in in_rows(data, 20))


def _pdml(data: bytes) -> str:
    return (
        '<packet>\n  <proto name="tcp">\n    <field name="tcp.payload" showname="Payload" size="9" pos="54" '
        f'show="{data.hex(":")}" value="{data.hex()}"/>\n  </proto>\n</packet>\n'
    )


def _tshark(data: bytes) -> str:
    layers = {"frame": {"frame.number": "4"}, "tcp": {"tcp.srcport": "5000", "tcp.payload": data.hex(":")}}
    return json.dumps([{"_index": "packets-2024-01-02", "_source": {"layers": layers}}], indent=2)


def _netty(data: bytes) -> str:
    line = "+--------+" + "-" * 49 + "+" + "-" * 16 + "+"
    rows = [f"|{at:08x}| {row.hex(' '):<47} |{gutter(row):<16}|" for at, row in in_rows(data)]
    return "\n".join([line, *rows, line])


def _power_shell(data: bytes) -> str:
    head = "          Offset Bytes                                           Ascii\n"
    head += "                 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F\n"
    return head + "\n".join(
        f"{at:016X} {row.hex(' ').upper():<47} {gutter(row)}" for at, row in in_rows(data)
    )


def _appended(data: bytes) -> str:
    pieces = [row.hex().upper() for _, row in in_rows(data, 20)]
    return f'String msg = "{pieces[0]}"; // head\n' + "".join(f'msg += "{one}";\n' for one in pieces[1:])


def _built(data: bytes) -> str:
    return "".join(f'        sb.append("{row.hex()}");\n' for _, row in in_rows(data, 20))


def _adjacent(data: bytes) -> str:
    return "static const char *msg =\n" + "\n".join(
        f'    "{row.hex()}"  // from {at}' for at, row in in_rows(data, 20)
    )


def _marked(data: bytes, left: str, right: str) -> str:
    plain = {*range(32, 127)} - set((left + right).encode())
    shown = "".join(chr(one) if one in plain else f"{left}{one:02X}{right}" for one in data)
    return f"2024-01-02 03:04:05 RX: {shown}\n"


def _vertical(data: bytes) -> str:
    """A line as ISPF shows it with HEX ON."""
    return "\n".join(
        "\n".join(
            (gutter(row), "".join(f"{one >> 4:X}" for one in row), "".join(f"{one & 15:X}" for one in row))
        )
        for _, row in in_rows(data, 72)
    )


def _among_strings(data: bytes, string: str, byte: str, between: str) -> str:
    """Printable characters in strings, the others as numbers."""
    runs: list[tuple[bool, list[int]]] = []
    for one in data:
        plain = 32 <= one < 127 and one not in b"\"'\\"
        if not runs or runs[-1][0] != plain:
            runs.append((plain, []))
        runs[-1][1].append(one)
    return between.join(
        string.format(bytes(run).decode()) if plain else between.join(byte.format(one) for one in run)
        for plain, run in runs
    )


def _terminal(data: bytes) -> str:
    """The output of `cat -v`."""

    def low(one: int) -> str:
        return chr(one) if 32 <= one < 127 else f"^{chr(one ^ 0x40)}"

    return "".join(low(one) if one < 128 else f"M-{low(one - 128)}" for one in data)


def _visual_studio(data: bytes) -> str:
    return "\n".join(f"\t\t[{at}]\t0x{one:02x}\tbyte" for at, one in enumerate(data))


def _openssl(data: bytes, first: int = 0, form: str = "{:04x} - {}-{}   {}") -> str:
    return "\n".join(
        form.format(first + at, row[:8].hex(" "), row[8:].hex(" "), gutter(row)) for at, row in in_rows(data)
    )


def _numbered(data: bytes) -> str:
    return "\n".join(f"{at // 16:02} {row.hex(' '):<47}    {gutter(row)}" for at, row in in_rows(data))


def _lines(data: bytes, between: str, first: str = "") -> str:
    digits = data.hex()
    parts = (digits[at : at + 60] for at in range(0, len(digits), 60))
    return between.join(first.format(number) + part for number, part in enumerate(parts, 1))


def _ngrep(data: bytes) -> str:
    rows = (
        f"  {row[:8].hex(' '):<23}    {row[8:].hex(' '):<23}    {gutter(row)}" for _, row in in_rows(data)
    )
    return "T 10.0.0.1:5000 -> 10.0.0.2:6000 [AP]\n" + "\n".join(rows) + "\n"


def _hexyl(data: bytes) -> str:
    return "\n".join(
        f"\u2502{at:08x}\u2502 {row[:8].hex(' '):<23} \u250a {row[8:].hex(' '):<23} \u2502{gutter(row)}"
        for at, row in in_rows(data)
    )


def _cut_lines(text: str, width: int) -> str:
    return "\n".join(text[at : at + width].rstrip() for at in range(0, len(text), width))


def _logged(data: bytes, size: int, form: str) -> str:
    return "\n".join(form.format(at, row.hex(), row.hex(" "), gutter(row)) for at, row in in_rows(data, size))


WRITTEN: dict[str, Callable[[bytes], str]] = {
    "HxD": _hxd,
    "DEBUG": _debug,
    "rows of 20, decimal offsets": _twenty,
    "rows with two offsets": _two_offsets,
    "rows between bars": _bars,
    "jPOS dump behind a log's first line": _first_logged,
    "hexdump": _swapped,
    "od -t x1": _od,
    "od -t x1z": _od_z,
    "C array": _c_array,
    "C array with comments": _with_comments,
    "strace": _strace,
    "gdb": _memory,
    "rows with box characters": _boxed,
    "hex in literals beside each other": lambda data: _pieces(data, " "),
    "Netty": _netty,
    "PowerShell": _power_shell,
    "vertical": _vertical,
    "literals appended": _appended,
    "literals in a builder": _built,
    "literals with notes": _adjacent,
    "literals, aligned": lambda data: _pieces(data, "\n" + " " * 40 + "+ "),
    "literals, Visual Basic": lambda data: _pieces(data, " & _\n    "),
    "PostgreSQL": lambda data: f" id | raw\n----+----\n  1 | \\x{data.hex()}\n(1 row)\n",
    "characters, others in angles": lambda data: _marked(data, "<", ">"),
    "characters, others in brackets": lambda data: _marked(data, "[", "]"),
    "decimal, three digits": lambda data: " ".join(f"{one:03}" for one in data),
    "Wireshark YAML": lambda data: (
        "packets:\n  - packet: 4\n    peer: 0\n    timestamp: 1609459200.1\n    data: !!binary |\n      "
        + "\n      ".join(base64.encodebytes(data).decode().split())
        + "\n"
    ),
    "hex in literals put together": lambda data: _pieces(data, " +\n    "),
    "Visual Basic, short": lambda data: f"{{{', '.join(f'&H{byte:X}' for byte in data)}}}",
    "xxd -i": lambda data: (
        f"unsigned char msg_bin[] = {{\n  {', '.join(f'0x{b:02x}' for b in data)}\n}};\n"
        f"unsigned int msg_bin_len = {len(data)};\n"
    ),
    "escaped string in lines": _escaped,
    "hex behind a log's prefix": _prefixed,
    "tshark JSON": _tshark,
    "tshark PDML": _pdml,
    "tshark fields": lambda data: f"4\t0.001234\t10.0.0.1\t10.0.0.2\t{data.hex()}\n",
    "Node Buffer": lambda data: f"<Buffer {data.hex(' ')}>",
    "Node Buffer JSON": lambda data: json.dumps({"type": "Buffer", "data": list(data)}),
    "Uint8Array": lambda data: f"Uint8Array({len(data)}) [\n  {', '.join(map(str, data))}\n]",
    "Erlang": lambda data: f"<<{','.join(map(str, data))}>>",
    "Visual Basic": lambda data: f"{{{', '.join(f'&H{byte:02X}' for byte in data)}}}",
    "Pascal": lambda data: f"({', '.join(f'${byte:02X}' for byte in data)})",
    "assembler": lambda data: ", ".join(f"0{byte:02X}h" for byte in data),
    "Kotlin": lambda data: f"byteArrayOf({', '.join(f'0x{byte:02X}.toByte()' for byte in data)})",
    "C# bytes": lambda data: f"new byte[] {{ {', '.join(f'0x{byte:02X}' for byte in data)} }}",
    "Rust": lambda data: f"&[{', '.join(f'{byte}u8' for byte in data)}]",
    "bytearray": lambda data: repr(bytearray(data)),
    "JSON hex": lambda data: json.dumps({"id": 7, "payload": data.hex(), "at": "2024-01-02T03:04:05Z"}),
    "JSON base64": lambda data: json.dumps({"id": 7, "raw": base64.b64encode(data).decode()}),
    "ELK": lambda data: json.dumps(
        {"@timestamp": "2024-01-02T03:04:05Z", "log": {"level": "info"}, "message": f"RX {data.hex()}"}
    ),
    "ELK, dump": lambda data: json.dumps({"@timestamp": "2024-01-02T03:04:05Z", "message": jpos(data)}),
    "URL": lambda data: "".join(f"%{byte:02X}" for byte in data),
    "hex in brackets": lambda data: "".join(f"[{byte:02X}]" for byte in data),
    "hex in angles": lambda data: "".join(f"<{byte:02X}>" for byte in data),
    "hex with notes in brackets": lambda data: " ".join(
        f"{row.hex(' ')} (part {at})" for at, row in in_rows(data, 8)
    ),
    "hex with notes behind": lambda data: "\n".join(
        f"{row.hex(' ')}  // part {at}" for at, row in in_rows(data, 8)
    ),
    "hex with h": lambda data: " ".join(f"{byte:02X}h" for byte in data),
    "0x each": lambda data: " ".join(f"0x{byte:02X}" for byte in data),
    "SQL": lambda data: f"VALUES (7, X'{data.hex().upper()}');",
    "base64 in lines": lambda data: base64.encodebytes(data).decode(),
    "PEM": lambda data: f"-----BEGIN DATA-----\n{base64.encodebytes(data).decode()}-----END DATA-----\n",
    "markdown": lambda data: f"I receive this message:\n\n```\n{data.hex().upper()}\n```\n\nWhat is wrong?\n",
    "words of 4 digits": lambda data: " ".join(
        data.hex().upper()[at : at + 4] for at in range(0, 2 * len(data), 4)
    ),
    "words of 8 digits": lambda data: " ".join(
        data.hex().upper()[at : at + 8] for at in range(0, 2 * len(data), 8)
    ),
    "Chr and strings": lambda data: _among_strings(data, '"{}"', "Chr({})", " & "),
    "Chr of hex": lambda data: " & ".join(f"Chr(&H{one:02X})" for one in data),
    "chr, Python": lambda data: "+".join(f"chr(0x{one:02x})" for one in data),
    "Pascal characters": lambda data: _among_strings(data, "'{}'", "#${:02X}", ""),
    "Pascal decimals": lambda data: "".join(f"#{one}" for one in data),
    "Erlang and strings": lambda data: "<<" + _among_strings(data, '"{}"', "16#{:02X}", ",") + ">>",
    "Erlang hex": lambda data: f"<<{','.join(f'16#{one:02X}' for one in data)}>>",
    "Groovy": lambda data: f"[{', '.join(f'0x{one:02X} as byte' for one in data)}]",
    "XML entities": lambda data: "".join(f"&#x{one:02X};" for one in data),
    "HTML entities": lambda data: "".join(f"&#{one};" for one in data),
    "cat -v": _terminal,
    "Lua": lambda data: '"' + "".join(f"\\{one}" for one in data) + '"',
    "Rust, JavaScript": lambda data: _among_strings(data, "{}", "\\u{{{:02x}}}", ""),
    "Visual Studio": _visual_studio,
    "IntelliJ": lambda data: "\n".join(f"{at} = {(one ^ 128) - 128}" for at, one in enumerate(data)),
    "object of bytes": lambda data: json.dumps({str(at): one for at, one in enumerate(data)}),
    "a byte a line": lambda data: "\n".join(map(str, data)),
    "binary digits": lambda data: " ".join(f"{one:08b}" for one in data),
    "pairs in quotes": lambda data: str([f"{one:02x}" for one in data]),
    "without leading zeros": lambda data: " ".join(f"{one:x}" for one in data),
    "openssl": _openssl,
    "from an address": lambda data: _openssl(data, 0x12FF00, "{:08x}  {} {}  {}"),
    "rows by number": _numbered,
    "lines that go on": lambda data: _lines(data, "\\\n"),
    "lines behind arrows": lambda data: _lines(data, "\n=> "),
    "soft line breaks": lambda data: _lines(data, "=\n"),
    "numbers of lines": lambda data: _lines(data, "\n", "{}: "),
    "zero width": lambda data: "\u200b".join(f"{one:02x}" for one in data),
    "soft hyphens": lambda data: _lines(data, "\u00ad"),
    "curly quotes": lambda data: "\u201c" + "".join(f"\\x{one:02x}" for one in data) + "\u201d",
    "full width": lambda data: "".join(chr(ord(one) + 0xFEE0) for one in data.hex().upper()),
    "UTF-16 as characters": lambda data: "\0".join(data.hex()) + "\0",
    "ngrep": _ngrep,
    "hexyl": _hexyl,
    "offsets from 1": lambda data: _openssl(data, 1, "{:04}: {} {} {}"),
    "a log in front of pairs": lambda data: _logged(data, 16, "10:15:30.{0:03} TRACE {2}"),
    "a log in front of digits": lambda data: _logged(data, 32, "10:15:30 DEBUG [main] RX({0:03}): {1}"),
    "characters in front": lambda data: _logged(data, 16, "{3:<16}  {2}"),
    "YAML block": lambda data: "raw: |\n" + _logged(data, 32, "    {1}"),
    "digits cut anywhere": lambda data: _cut_lines(data.hex(), 75),
    "pairs cut anywhere": lambda data: _cut_lines(data.hex(" "), 77),
    "dots between": lambda data: ".".join(f"{one:02X}" for one in data),
    "digits apart": lambda data: " ".join(data.hex()),
    "Oracle, hex": lambda data: f"Typ=23 Len={len(data)}: {','.join(f'{one:x}' for one in data)}",
    "hex in a list of strings": lambda data: str([hex(one) for one in data]),
    "characters, others as <0x02>": lambda data: _marked(data, "<0x", ">"),
    "Rust, zeros": lambda data: "".join(
        "\\0" if not one else chr(one) if one in b"0123456789" else f"\\x{one:02x}" for one in data
    ),
    "COBOL": lambda data: "\n".join(
        f"           05  FILLER  PIC X({len(row)}) VALUE X'{row.hex().upper()}'." for _, row in in_rows(data)
    ),
    "digits cut anywhere behind a log": lambda data: _cut_lines(f"08:30:15 [x] DEBUG - >>> {data.hex()}", 75),
    "rows in brackets": lambda data: "\n".join(f"[{row.hex(' ')}]" for _, row in in_rows(data)),
    "a numbered list": lambda data: "\n".join(f"{at // 16 + 1}. {row.hex(' ')}" for at, row in in_rows(data)),
    "base32": lambda data: base64.b32encode(data).decode(),
    "curl": lambda data: f"curl -X POST http://localhost/iso -d '{data.hex()}'",
}
