"""Defaults for what a caller leaves open: the version and the network of a message."""

from __future__ import annotations

from sim.codec import Message
from sim.elements.card import detect_network
from sim.spec import VERSIONS, version_of
from sim.spec.networks import NETWORKS
from sim.spec.spellings import network_named, version_named
from sim.spec.words import AnyVersion

DEFAULT_VERSION = "1987"


def chosen_version(raw: str, version: AnyVersion | None) -> str:
    """*version*, or the one the MTI names when it is None (1987 when it names none)."""
    if version is None:
        return version_of(raw) or DEFAULT_VERSION
    return version if version in VERSIONS and isinstance(version, str) else version_named(version)


def chosen_network(message: Message, network: str | None) -> str | None:
    """*network*, or the one of the message's card when it is None."""
    if network is not None:
        return network if network in NETWORKS else network_named(network)
    detection = detect_network(message)
    return detection.network if detection else None
