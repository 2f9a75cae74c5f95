"""The check digit of card numbers (ISO/IEC 7812-1, annex B)."""

from __future__ import annotations

# What an ASCII digit counts for: as it is, and doubled (7 -> 14 -> 1 + 4).
_PLAIN = bytes.maketrans(b"0123456789", bytes(range(10)))
_DOUBLED = bytes.maketrans(b"0123456789", bytes((0, 2, 4, 6, 8, 1, 3, 5, 7, 9)))


def luhn_ok(pan: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B). *pan* is ASCII
    digits.

    >>> luhn_ok("4111111111111111"), luhn_ok("4111111111111112")
    (True, False)
    """
    digits = pan.encode()
    plain, doubled = digits[-1::-2].translate(_PLAIN), digits[-2::-2].translate(_DOUBLED)
    return (sum(plain) + sum(doubled)) % 10 == 0


def check_digit(payload: str) -> str:
    """The digit that makes *payload* a card number. *payload* is ASCII digits.

    >>> check_digit("411111111111111")
    '1'
    """
    digits = payload.encode()
    plain, doubled = digits[-2::-2].translate(_PLAIN), digits[-1::-2].translate(_DOUBLED)
    return str(-(sum(plain) + sum(doubled)) % 10)
