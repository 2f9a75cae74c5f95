"""Pastes that are not ISO 8583 messages: what else people have on their desks, and plain noise."""

from __future__ import annotations

import base64
import json
import random
import uuid
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.spellings import SPELLINGS

# Texts that nobody edits: a longer or shorter one would change every paste that is drawn after it.
_PROSE = (Path(__file__).parents[1] / "LICENSE").read_text(encoding="utf-8")
_CODE = '''class Ledger:
    """Entries by account, each with its amount in cents."""

    def __init__(self, name: str, limit: int = 5000) -> None:
        self.name, self.limit = name, limit
        self._entries: dict[str, list[int]] = {}

    def add(self, account: str, amount: int) -> int:
        """Add an entry and return the balance.

        >>> Ledger("2024").add("0100", 1200)
        1200
        """
        if not 0 < amount <= self.limit:
            raise ValueError(f"{amount} is not from 1 to {self.limit}")
        self._entries.setdefault(account, []).append(amount)
        return sum(self._entries[account])

    @property
    def total(self) -> int:
        return sum(map(sum, self._entries.values()))


_LABELS = {0: "none", 200: "first", 210: "second", 420: "third"}
'''


def _words(chance: random.Random) -> str:
    at = chance.randrange(len(_PROSE) - 400)
    return _PROSE[at : at + chance.randrange(20, 400)]


def _code(chance: random.Random) -> str:
    at = chance.randrange(len(_CODE) - 400)
    return _CODE[at : at + chance.randrange(20, 400)]


def _noise(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(16, 300))


def _hashes(chance: random.Random) -> str:
    return "\n".join(chance.randbytes(32).hex() for _ in range(chance.randrange(1, 6)))


def _uuids(chance: random.Random) -> str:
    return "\n".join(str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(chance.randrange(1, 6)))


def _digits(chance: random.Random) -> str:
    return "".join(chance.choice("0123456789") for _ in range(chance.randrange(12, 200)))


def _cards(chance: random.Random) -> str:
    rows = (
        f"{chance.randrange(10**15, 10**16)},{chance.randrange(1, 13):02}/{chance.randrange(26, 34)}"
        for _ in range(8)
    )
    return "\n".join(rows)


def _csv(chance: random.Random) -> str:
    head = "date,stan,amount,currency,response"
    rows = (
        f"2026-11-{chance.randrange(1, 29):02},{chance.randrange(10**6):06},{chance.randrange(10**5)},978,00"
        for _ in range(6)
    )
    return "\n".join([head, *rows])


def _json(chance: random.Random) -> str:
    return json.dumps(
        {"id": str(uuid.UUID(int=chance.getrandbits(128))), "amount": chance.randrange(10**6), "ok": True}
    )


def _http(chance: random.Random) -> str:
    return (
        f"POST /v1/pay/{chance.randrange(10**8)} HTTP/1.1\r\nHost: example.org\r\nContent-Length: 210\r\n\r\n"
    )


def _log(chance: random.Random) -> str:
    return "\n".join(
        f"2026-11-20 12:0{at}:{chance.randrange(60):02} INFO [{chance.randrange(10**6)}] connection closed, "
        f"{chance.randrange(10**9)} bytes in {chance.randrange(1000)} ms"
        for at in range(5)
    )


def _tls(chance: random.Random) -> bytes:
    body = chance.randbytes(chance.randrange(60, 250))
    return b"\x16\x03\x01" + len(body).to_bytes(2, "big") + b"\x01\0" + body


def _packed(chance: random.Random) -> bytes:
    return zlib.compress(_words(chance).encode())


def _picture(chance: random.Random) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + chance.randbytes(chance.randrange(40, 200))


def _der(chance: random.Random) -> bytes:
    body = bytes.fromhex("06092A864886F70D01010B0500") + chance.randbytes(120)
    return b"\x30\x81" + bytes([len(body)]) + body


def _chip(chance: random.Random) -> bytes:
    tags = (
        bytes.fromhex(f"{tag}{size:02X}") + chance.randbytes(size)
        for tag, size in (
            ("9F26", 8),
            ("9F27", 1),
            ("9F10", 7),
            ("9F37", 4),
            ("9F36", 2),
            ("95", 5),
            ("9A", 3),
            ("82", 2),
        )
    )
    return b"".join(tags)


def _ndc(chance: random.Random) -> bytes:
    return b"\x1c".join(
        [b"11", b"00200", b"", b"15", chance.randbytes(4).hex().encode(), b"A" * chance.randrange(1, 9)]
    )


def _framed(chance: random.Random) -> bytes:
    body = chance.randbytes(chance.randrange(20, 200))
    return len(body).to_bytes(2, "big") + body


def _routed(chance: random.Random) -> bytes:
    return _framed(chance)[:2] + bytes.fromhex("6000030000") + chance.randbytes(chance.randrange(20, 120))


def _elf(chance: random.Random) -> bytes:
    head = bytes.fromhex("7F454C4602010100000000000000000003003E0001000000")
    return head + chance.randrange(10**6).to_bytes(8, "little") + bytes(24) + chance.randbytes(8)


def _numbers(chance: random.Random) -> bytes:
    width = chance.choice((2, 4, 8))
    values = (chance.randrange(chance.choice((4, 300, 5000))) for _ in range(chance.randrange(6, 40)))
    return b"".join(value.to_bytes(width, chance.choice(("little", "big"))) for value in values)


def _token(chance: random.Random) -> str:
    parts = (chance.randbytes(size) for size in (30, 120, 32))
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def _swift(chance: random.Random) -> str:
    head = f"{{1:F01BANKBEBBAXXX{chance.randrange(10**10):010}}}{{2:I103BANKDEFFXXXXN}}"
    return f"{head}{{4:\n:20:{chance.randrange(10**9)}\n:32A:261120EUR1000,\n-}}"


_TEXTS: tuple[Callable[[random.Random], str], ...] = (
    *(_words, _code, _hashes, _uuids, _digits, _cards, _csv, _json, _http, _log, _token, _swift),
)
_BYTES: tuple[Callable[[random.Random], bytes], ...] = (
    *(_elf, _numbers, _noise, _tls, _packed, _picture, _der, _chip, _ndc, _framed, _routed),
)


def pastes(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """*count* of them, each with its kind; the same for the same *seed*."""
    chance = random.Random(seed)
    for _ in range(count):
        if chance.random() < 0.5:
            text = chance.choice(_TEXTS)
            yield text.__name__.strip("_"), text(chance)
        else:
            made, spelling = chance.choice(_BYTES), chance.choice(list(SPELLINGS))
            yield f"{made.__name__.strip('_')}, {spelling}", SPELLINGS[spelling](made(chance))
