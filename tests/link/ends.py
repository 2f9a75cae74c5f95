"""Hosts and clients for tests: a controlled clock, plain sockets, a certificate made here."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from sim.codec import Message
from sim.link import Line
from sim.operations import generate

AT = datetime(2026, 11, 20, 10, 15, 30, tzinfo=UTC)
LINE = Line.of()
_PATIENCE = 120  # seconds, for what a busy system does; nothing waits for them to pass


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose time passes when `advance` is called; `passed` is in seconds."""

    passed = 0.0

    def time(self) -> float:
        return self.passed

    def __enter__(self) -> Clock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def due(self, end: float = float("inf")) -> list[float]:
        """The times of scheduled calls, until *end*."""
        calls: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return sorted(one.when() for one in calls if not one.cancelled() and one.when() <= end)

    async def advance(self, seconds: float) -> None:
        """Let *seconds* pass, and run the calls that become due, in order."""
        end = self.passed + seconds
        while due := self.due(end):
            self.passed = max(self.passed, due[0])
            await settled()
        self.passed = end
        await settled()


async def settled() -> None:
    """Let everything that was called, sent or closed finish."""
    for _ in range(10):
        await asyncio.sleep(0)


async def until(met: Callable[[], object]) -> None:
    """Let the loop run until *met*; while nothing happens, yield the processor to other processes."""
    end, turns = time.monotonic() + _PATIENCE, 0
    while not met():
        assert time.monotonic() < end, "it did not happen"
        turns += 1
        await asyncio.sleep(0)
        if turns > 100:
            time.sleep(0.001)


def message(stan: int = 1, kind: str = "auth", **options: object) -> Message:
    """A message with a fixed time and its own STAN."""
    return generate(kind, stan=f"{stan:06}", at=AT, **options).message  # type: ignore[arg-type]


def framed(sent: Message) -> bytes:
    """Its frame on the default line."""
    return LINE.encode(sent)


def kinds(traffic: object) -> list[str]:
    """The kinds of events, in order."""
    return [entry.kind for entry in traffic]  # type: ignore[attr-defined]


def certificate(folder: Path, host: str = "127.0.0.1") -> tuple[Path, Path]:
    """A self-signed certificate for *host*, and its key, as PEM files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test host")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    return cert_file, key_file
