"""Both ends of a line for tests: a clock turned by hand, plain sockets, a certificate made here."""

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
from sim.link import Line, Timing
from sim.operations import generate

AT = datetime(2026, 11, 20, 10, 15, 30, tzinfo=UTC)
LINE = Line.of()
_PATIENCE = 120  # seconds, for what a busy system does; nothing waits for them to pass


class ManualTiming(Timing):
    """Time that passes when `advance` is called."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.calls: list[list[object]] = []

    def now(self) -> float:
        return self.passed

    def wall(self) -> float:
        return AT.timestamp() + self.passed

    def later(self, seconds: float, call: Callable[[], None]) -> _Call:
        made = _Call(self.passed + seconds, call)
        self.calls.append([made])
        return made

    async def advance(self, seconds: float) -> None:
        """Let *seconds* pass, calling what is due in its order."""
        end = self.passed + seconds
        while due := sorted(self.due(end), key=lambda one: one.at):
            self.passed = max(self.passed, due[0].at)
            due[0].done = True
            due[0].call()
            await asyncio.sleep(0)
        self.passed = end
        await asyncio.sleep(0)

    def due(self, end: float = float("inf")) -> list[_Call]:
        """The calls that are still to be made until *end*."""
        self.calls = [one for one in self.calls if not one[0].done]  # type: ignore[attr-defined]
        return [one[0] for one in self.calls if one[0].at <= end]  # type: ignore[attr-defined,misc]


class _Call:
    def __init__(self, at: float, call: Callable[[], None]) -> None:
        self.at, self.call, self.done = at, call, False

    def cancel(self) -> None:
        """Do not call."""
        self.done = True


async def until(met: Callable[[], object]) -> None:
    """Let the loop run until *met*; where nothing happens, other processes have the processor."""
    end, turns = time.monotonic() + _PATIENCE, 0
    while not met():
        assert time.monotonic() < end, "it did not happen"
        turns += 1
        await asyncio.sleep(0 if turns < 100 else 0.001)


def message(stan: int = 1, kind: str = "auth", **options: object) -> Message:
    """A message of a fixed moment with its own trace number."""
    return generate(kind, stan=f"{stan:06}", at=AT, **options).message  # type: ignore[arg-type]


def framed(sent: Message) -> bytes:
    """Its frame on the usual line."""
    return LINE.encode(sent)


def kinds(traffic: object) -> list[str]:
    """What happened, in order."""
    return [entry.kind for entry in traffic]  # type: ignore[attr-defined]


def certificate(folder: Path, host: str = "127.0.0.1") -> tuple[Path, Path]:
    """A certificate for *host*, signed by itself, and its key, as PEM files."""
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
