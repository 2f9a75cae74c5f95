"""TLS on both ends: contexts of the standard library, no protocol older than TLS 1.2."""

from __future__ import annotations

import ssl
from os import PathLike

from sim.errors import OptionError

Path = str | PathLike[str]


def server_context(certificate: Path, key: Path | None = None, clients: Path | None = None) -> ssl.SSLContext:
    """The context of a host with *certificate* (PEM, with its chain) and *key* (PEM, None: in the same file).
    *clients* are the authorities of client certificates, which are then required."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.load_cert_chain(certificate, key)
    if clients is not None:
        made.load_verify_locations(clients)
        made.verify_mode = ssl.CERT_REQUIRED
    return made


def client_context(
    authorities: Path | None = None, certificate: Path | None = None, key: Path | None = None
) -> ssl.SSLContext:
    """The context of a client that trusts *authorities* (PEM; None: those of the system) and shows
    *certificate*, if it has one. The host's name is checked."""
    made = ssl.create_default_context(cafile=None if authorities is None else str(authorities))
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    if certificate is not None:
        made.load_cert_chain(certificate, key)
    return made


def server_tls(tls: object) -> ssl.SSLContext | None:
    """What a caller means by the host's `tls`: a context, or the paths of certificate and key."""
    if tls is None or isinstance(tls, ssl.SSLContext):
        return tls
    if isinstance(tls, tuple) and len(tls) in (2, 3):
        return server_context(*tls)
    raise OptionError("tls", "an SSLContext or (certificate, key)", type(tls).__name__)


def client_tls(tls: object) -> ssl.SSLContext | None:
    """What a caller means by the client's `tls`: a context, True, or the path of the authorities."""
    if tls is None or tls is False or isinstance(tls, ssl.SSLContext):
        return tls or None
    if tls is True:
        return client_context()
    if isinstance(tls, str | PathLike):
        return client_context(tls)
    raise OptionError("tls", "an SSLContext, True or the path of the authorities", type(tls).__name__)
