"""The arguments of hosts and clients: an error names the invalid option, without a card number."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path
from typing import Any

import pytest

import sim
from sim.errors import OptionError
from sim.link import LinkError, client_context, server_context
from sim.link.line import address_of
from sim.link.tls import client_tls, server_tls
from tests.link.ends import certificate

PAN = "4111111111111111"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pool": 0}, "pool: expected a whole number, 1 to 1000, found 0"),
        ({"pool": "3"}, "pool: expected a whole number, 1 to 1000, found '3'"),
        ({"timeout": 0}, "timeout: expected seconds, above 0 and at most 86400, found 0"),
        ({"timeout": "5"}, "timeout: expected seconds, .*, found '5'"),
        ({"timeout": float("nan")}, "timeout: expected seconds, .*, found nan"),
        ({"tries": -1}, "tries: expected a whole number of at least 0, found -1"),
        ({"echo_after": 0}, "echo_after: expected seconds"),
        ({"match": "11"}, r"match: expected a list of element numbers, such as \[11, 41\], found '11'"),
        ({"match": [11, 1000]}, "match: expected a whole number, 2 to 192, found 1000"),
    ],
)
def test_a_client_that_cannot_be_is_told(options: dict[str, Any], said: str) -> None:
    """Before connecting, the error says which option, what is allowed, and what was given."""
    with pytest.raises(OptionError, match=said):
        sim.client("127.0.0.1:1", **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"port": 99_999}, "port: expected a whole number, 0 to 65535, found 99999"),
        ({"port": "8583"}, "port: expected a whole number"),
        ({"opening": "much"}, "opening: expected a whole number, found 'much'"),
        ({"balances": 5}, "balances: expected a mapping of card numbers to minor units, found a value of"),
        (
            {"balances": {PAN: "much"}},
            r"balances, card 411111\*+1111: expected a whole number, found 'much'",
        ),
        ({"tls": ("none.pem", "none.key")}, "tls: .* found none.pem and none.key: No such file"),
    ],
)
def test_a_host_that_cannot_be_is_told(options: dict[str, Any], said: str) -> None:
    """The same applies to a host."""
    with pytest.raises(OptionError, match=said):
        sim.host(**options)


@pytest.mark.parametrize("number", [-2, 8, 11001])
def test_a_name_that_nobody_knows_is_told_in_the_words_of_the_system(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name lookup has its own error numbers, which are not the system's; on macOS and Windows they are
    positive, too."""

    async def unknown(*_: Any, **__: Any) -> None:
        raise socket.gaierror(number, "Name or service not known")

    monkeypatch.setattr("asyncio.start_server", unknown)
    said = r"nowhere:0: expected an address .*, found none \(name or service not known\)"
    with pytest.raises(LinkError, match=said):
        sim.host(address="nowhere")


def test_tls_is_given_in_any_form(tmp_path: Path) -> None:
    """A context is used as it is, True trusts the system's authorities, a path those in its file; a client
    may present a certificate of its own."""
    cert, key = certificate(tmp_path)
    own, host = client_context(cert, cert, key), server_context(cert, key)
    assert (client_tls(own), server_tls(host), client_tls(False)) == (own, host, None)
    system, file = client_tls(True), client_tls(cert)
    assert system is not None
    assert system.verify_mode is ssl.CERT_REQUIRED
    assert file is not None
    assert len(file.get_ca_certs()) == 1
    with pytest.raises(OptionError, match=r"tls: expected an SSLContext, True or the path of .*, found int"):
        client_tls(5)


def test_an_address_may_be_a_pair() -> None:
    """Host and port as a pair or as text, also of version 6."""
    assert address_of(("::1", 8583)) == address_of("[::1]:8583") == ("::1", 8583)


def test_a_certificate_that_is_none_is_named(tmp_path: Path) -> None:
    """Key and certificate swapped, not a certificate, or no such file: the error names the file."""
    cert, key = certificate(tmp_path)
    with pytest.raises(OptionError, match=r"key\.pem and .*cert\.pem: not as expected"):
        server_context(key, cert)
    for wrong in (key, tmp_path / "none.pem"):
        with pytest.raises(OptionError, match=f"tls: expected the certificates .*{wrong.name}: "):
            client_context(wrong)
        with pytest.raises(OptionError, match=f"tls: expected the certificates .*{wrong.name}: "):
            server_context(cert, key, wrong)
