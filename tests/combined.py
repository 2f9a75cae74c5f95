"""Everything that generate can make for a network: message types with purposes and card entries."""

from __future__ import annotations

from collections.abc import Iterator

from sim.operations.options import entries_of, has_purpose, kinds_of
from sim.spec.tables import read_toml


def combinations(own: str | None, version: str) -> Iterator[tuple[str, str, str]]:
    """Message type, purpose and entry of everything that generate can make for network *own* in *version*."""
    tables = read_toml("templates")
    for kind in kinds_of(own, version):
        if tables["kinds"][kind].get("alone"):
            yield kind, "purchase", "manual"
        for purpose, row in tables["purposes"].items():
            if kind in row["kinds"] and has_purpose(purpose, own, version):
                yield from ((kind, purpose, entry) for entry in entries_of(purpose))
