"""TLS between host and client, and the host's reasons for failed handshakes."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest

from sim.link import AsyncClient, AsyncHost, LinkError, client_context, server_context
from sim.link.tls import why_not
from tests.link.ends import certificate, framed, kinds, message, until


async def test_tls_with_a_certificate_of_our_own(tmp_path: Path) -> None:
    """Both ends use TLS; a client that does not trust the certificate gets an error, and no data."""
    cert, key = certificate(tmp_path)
    tls, trusting = server_context(cert, key), client_context(cert)
    async with AsyncHost(tls=tls) as host, AsyncClient(("127.0.0.1", host.port), tls=trusting) as client:
        assert (await client.send(message())).code == "00"
        with pytest.raises(LinkError, match=r"self-signed|unable to get local issuer"):
            await AsyncClient(("127.0.0.1", host.port), tls=client_context()).connect()
    assert trusting.minimum_version == ssl.TLSVersion.TLSv1_2


def test_a_client_that_gets_no_tls_connection_is_told_of_with_the_reason(tmp_path: Path) -> None:
    """No TLS, an untrusted certificate, no client certificate, too slow: one row each, in words; a host
    that stops does not wait for a handshake."""
    cert, key = certificate(tmp_path)
    knows = client_context(cert)

    async def told(sent: bytes, tls: ssl.SSLContext | None = None, *, ends: str = "", **limits: float) -> str:
        """The host's reason for a client that sends *sent*, with or without TLS, and then does *ends*."""
        async with AsyncHost(tls=server_context(cert, key, cert if tls else None), limits=limits) as host:
            _, writer = await asyncio.open_connection("127.0.0.1", host.port, ssl=tls)
            writer.write(sent)
            if ends == "closes":
                writer.close()
            await until(lambda: host._shaking or host.traffic.counts["refused"])
            if ends != "host stops":
                await until(lambda: host.traffic.counts["refused"])
        writer.transport.abort()
        assert kinds(host.traffic) == ["listening", "refused", "stopped"]
        return list(host.traffic)[1].note

    assert asyncio.run(told(framed(message()))) == "no TLS connection: the client did not send TLS"
    assert "presented no certificate" in asyncio.run(told(b"", knows))
    assert "the client closed it during the handshake" in asyncio.run(told(b"", ends="closes"))
    assert "the handshake took too long" in asyncio.run(told(b"", tls_seconds=0.001))
    assert asyncio.run(told(b"", ends="host stops")) == "the host was stopped"


async def test_handshakes_count_as_connections(tmp_path: Path) -> None:
    """A silent connection counts towards the maximum."""
    cert, key = certificate(tmp_path)
    async with AsyncHost(tls=server_context(cert, key), limits={"connections": 1}) as host:
        _, silent = await asyncio.open_connection("127.0.0.1", host.port)
        await until(lambda: host._shaking)
        _, other = await asyncio.open_connection("127.0.0.1", host.port)
        await until(lambda: host.traffic.counts["refused"])
        assert list(host.traffic)[1].note == "the maximum number of connections is open"
        for writer in (silent, other):
            writer.transport.abort()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ssl.SSLError(1, "[SSL: TLSV1_ALERT_UNKNOWN_CA] tlsv1 alert unknown ca"), "does not trust"),
        (ssl.SSLError(1, "[SSL: NO_SHARED_CIPHER] no shared cipher"), "no cipher suite in common"),
        (ssl.SSLError(1, "[SSL: BAD_RECORD_TYPE] bad record type"), "bad record type"),
        (ssl.SSLError("no reason"), "no reason"),
    ],
)
def test_openssls_reasons_are_said_in_words(error: ssl.SSLError, words: str) -> None:
    """Known reasons are in plain words, others in OpenSSL's own."""
    if len(error.args) > 1:
        error.reason = error.args[1].partition("]")[0].removeprefix("[SSL: ")
    assert words in why_not(error)
