"""The answer of a response: what its code in DE 39 means."""

from __future__ import annotations

from sim.spec import Code, lookup
from sim.spec.networks import ResponseCode, response_code

_TABLES_OF_NETWORKS = ("1987", "1993")  # the versions that the networks' own response codes are of


def answer(code: str, version: str, network: str | None) -> ResponseCode | Code | None:
    """What response code *code* means: on *network* by its own table, else by the standard's list of
    *version*; None where neither has it.

    >>> answer("70", "1987", "VISA").meaning
    'PIN data required'
    """
    own = response_code(network, code) if network and version in _TABLES_OF_NETWORKS else None
    return own or lookup("response_code", code, version=version, network=network)
