"""What is remembered between messages: in bounds."""

from __future__ import annotations

from sim.kept import Kept


def test_memory_is_bounded() -> None:
    """Ever new keys do not make it grow, and one that is asked for between them stays."""
    memory: Kept[object, str] = Kept(5)
    memory.keep("often", "kept")
    for at in range(50):
        memory.keep(at, "once")
        assert memory.get("often") == "kept"
        assert len(memory) <= 10
    assert memory.get(1) is None
