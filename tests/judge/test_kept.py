"""What is remembered between messages: in bounds, and made only where it pays."""

from __future__ import annotations

from sim.kept import Earned, Kept


def test_memory_is_bounded() -> None:
    """Ever new keys do not make it grow, and one that is asked for between them stays."""
    memory: Kept[object, str] = Kept(5)
    memory.keep("often", "kept")
    for at in range(50):
        memory.keep(at, "once")
        assert memory.get("often") == "kept"
        assert len(memory) <= 10
    assert memory.get(1) is None


def test_what_is_earned_is_made_once() -> None:
    """A thing is made when its key has come often enough, and not again."""
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key.upper()

    memory = Earned(make, 5, 3)
    for _ in range(10):
        memory.came("a")
    memory.came("b")
    assert made == ["a"]
    assert memory.get("a") == "A"
    assert memory.get("b") is None


def test_what_comes_too_seldom_is_never_made() -> None:
    """More keys in turn than are kept make nothing, however often all of them come."""
    made: list[int] = []

    def make(key: int) -> int:
        made.append(key)
        return key

    memory = Earned(make, 5, 2)
    for _ in range(20):
        for key in range(11):
            memory.came(key)
    assert not made


def test_what_was_forgotten_is_earned_again() -> None:
    """A thing that was pushed out is not made anew when its key comes once."""
    made: list[object] = []

    def make(key: object) -> object:
        made.append(key)
        return key

    memory: Earned[object, object] = Earned(make, 5, 3)
    for _ in range(3):
        memory.came("a")
    for other in range(5):
        memory.keep(other, other)
    for other in range(5, 10):
        memory.keep(other, other)
    assert memory.get("a") is None
    memory.came("a")
    assert made == ["a"]
    memory.came("a")
    memory.came("a")
    assert made == ["a", "a"]
