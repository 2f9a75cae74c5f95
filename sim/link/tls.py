"""TLS for hosts and clients: contexts of the standard library, TLS 1.2 or later."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike

from sim.errors import OptionError
from sim.masking import mask_words

Path = str | PathLike[str]
_AUTHORITIES = "the certificates of authorities (PEM)"
_CERTIFICATE = "a certificate and the key that belongs to it (PEM)"


def server_context(certificate: Path, key: Path | None = None, clients: Path | None = None) -> ssl.SSLContext:
    """The context of a host with *certificate* (PEM, with its chain) and *key* (PEM, None: in the same file).
    With *clients*, the authorities of client certificates, every client must present one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with _reading(_CERTIFICATE, certificate, key):
        context.load_cert_chain(certificate, key)
    if clients is not None:
        with _reading(_AUTHORITIES, clients):
            context.load_verify_locations(clients)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def client_context(
    authorities: Path | None = None, certificate: Path | None = None, key: Path | None = None
) -> ssl.SSLContext:
    """The context of a client that trusts *authorities* (PEM; None: the system's) and presents *certificate*,
    if it has one. The host's name is checked."""
    with _reading(_AUTHORITIES, authorities):
        context = ssl.create_default_context(cafile=None if authorities is None else str(authorities))
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if certificate is not None:
        with _reading(_CERTIFICATE, certificate, key):
            context.load_cert_chain(certificate, key)
    return context


@contextmanager
def _reading(expected: str, *paths: Path | None) -> Iterator[None]:
    """Inside, files that cannot be read raise OptionError. OpenSSL names no file, and describes most faults
    only as `PEM lib`."""
    try:
        yield
    except OSError as error:
        names = mask_words(" and ".join(str(path) for path in paths if path is not None))
        why = "not as expected" if isinstance(error, ssl.SSLError) else error.strerror
        raise OptionError("tls", expected, f"{names}: {why}") from None


def server_tls(tls: object) -> ssl.SSLContext | None:
    """The host's context for a caller's `tls`: a context, or the paths of certificate and key."""
    if tls is None or isinstance(tls, ssl.SSLContext):
        return tls
    if isinstance(tls, tuple) and len(tls) in (2, 3):
        return server_context(*tls)
    raise OptionError("tls", "an SSLContext or (certificate, key)", type(tls).__name__)


def client_tls(tls: object) -> ssl.SSLContext | None:
    """The client's context for a caller's `tls`: a context, True, or the path of the authorities."""
    if tls is None or tls is False or isinstance(tls, ssl.SSLContext):
        return tls or None
    if tls is True:
        return client_context()
    if isinstance(tls, str | PathLike):
        return client_context(tls)
    raise OptionError("tls", "an SSLContext, True or the path of the CA certificates", type(tls).__name__)


# By OpenSSL's reason codes (ssl.h); other reasons keep OpenSSL's words.
_CLIENT_REFUSES = "the client rejects this host's certificate"
_WHY = {
    "WRONG_VERSION_NUMBER": "the client did not send TLS",
    "HTTP_REQUEST": "the client sent HTTP without TLS",
    "UNSUPPORTED_PROTOCOL": "the client does not support TLS 1.2 or later",
    "NO_SHARED_CIPHER": "the client and this host have no cipher suite in common",
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "the client presented no certificate, but this host requires one",
    "TLSV1_ALERT_UNKNOWN_CA": "the client does not trust this host's certificate",
    "SSLV3_ALERT_BAD_CERTIFICATE": _CLIENT_REFUSES,
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": _CLIENT_REFUSES,
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "the client says that this host's certificate has expired",
}


def why_not(error: OSError) -> str:
    """Why a client's TLS handshake failed, in words, as the host sees it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the client's certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        reason = getattr(error, "reason", None) or str(error)  # not all have a reason
        return _WHY.get(reason) or reason.lower().replace("_", " ")
    if isinstance(error, ConnectionAbortedError):
        return "the handshake took too long"
    return "the client closed it during the handshake; it may not trust this host's certificate"
