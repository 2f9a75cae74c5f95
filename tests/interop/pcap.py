"""A capture file with one message a packet, as a link would carry them: TCP, two bytes of length in front.

The file layout is libpcap's (link type 1, Ethernet); headers follow RFC 791 and RFC 9293.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

PORT = 8583
_CLIENT_PORT = 50000
_SOURCE, _TARGET = bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2])  # RFC 5737: addresses for documentation
_TCP = 6
_PUSH_ACK = 0x18


def capture(messages: Iterable[str | bytes]) -> bytes:
    """The file: *messages*, each in a packet of its own, to port 8583, one a second."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    sequence = 1
    for second, message in enumerate(messages):
        payload = framed(message)
        frame = _ethernet(_ip(_tcp(payload, sequence)))
        parts.append(struct.pack("<IIII", second, 0, len(frame), len(frame)) + frame)
        sequence += len(payload)
    return b"".join(parts)


def framed(message: str | bytes) -> bytes:
    """*message* behind its length: two bytes, big endian, not counting themselves."""
    data = message.encode("ascii") if isinstance(message, str) else message
    return struct.pack(">H", len(data)) + data


def _ethernet(packet: bytes) -> bytes:
    return bytes(6) + bytes(5) + b"\1" + b"\x08\x00" + packet


def _ip(segment: bytes) -> bytes:
    def header(checksum: int) -> bytes:
        length = 20 + len(segment)
        return struct.pack(">BBHHHBBH4s4s", 0x45, 0, length, 0, 0, 64, _TCP, checksum, _SOURCE, _TARGET)

    return header(_checksum(header(0))) + segment


def _tcp(payload: bytes, sequence: int) -> bytes:
    def segment(checksum: int) -> bytes:
        head = (_CLIENT_PORT, PORT, sequence, 1, 5 << 4, _PUSH_ACK, 65535, checksum, 0)
        return struct.pack(">HHIIBBHHH", *head) + payload

    pseudo = _SOURCE + _TARGET + struct.pack(">BBH", 0, _TCP, 20 + len(payload))
    return segment(_checksum(pseudo + segment(0)))


def _checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071): complement of the one's complement sum of 16-bit words."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
