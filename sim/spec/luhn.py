"""The check digit of card numbers (ISO/IEC 7812-1, annex B)."""

from __future__ import annotations

# What an ASCII digit counts for more where it is doubled, modulo ten (7 -> 14 -> 1 + 4 = 5, which is 8 more).
_MORE = bytes.maketrans(b"0123456789", bytes((0, 1, 2, 3, 4, 6, 7, 8, 9, 0)))
_ZERO = ord("0")


def luhn_ok(pan: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B). *pan* is ASCII
    digits.

    >>> luhn_ok("4111111111111111"), luhn_ok("4111111111111112")
    (True, False)
    """
    digits = pan.encode()
    return (sum(digits) - _ZERO * len(digits) + sum(digits[-2::-2].translate(_MORE))) % 10 == 0


def check_digit(payload: str) -> str:
    """The digit that makes *payload* a card number. *payload* is ASCII digits.

    >>> check_digit("411111111111111")
    '1'
    """
    digits = payload.encode()
    return str(-(sum(digits) - _ZERO * len(digits) + sum(digits[-1::-2].translate(_MORE))) % 10)
