"""Rules of the Corner Bank, as an example of a pack."""

from __future__ import annotations

from sim.judge import DE, Hit, rule

_BRANCHES = ("TERM", "CRNR")
_LIMIT = 500_00


@rule("corner-terminal", classes="12", functions="0")
def terminal(terminal: str = DE[41]) -> Hit | None:
    """A terminal ID begins with one of the bank's branch codes."""
    if terminal.startswith(_BRANCHES):
        return None
    return Hit(41, "a branch code in the first four positions", repr(terminal[:4]), 0, 4)


@rule("corner-cash-limit", versions=("1987",), classes="12", functions="0")
def cash_limit(code: str = DE[3], category: str = DE[18], amount: int | None = DE[4].amount) -> Hit | None:
    """A machine pays out no more than the limit."""
    if code[:2] != "01" or category != "6011" or amount is None or amount <= _LIMIT:
        return None
    return Hit(4, "at most 500.00", "more")
