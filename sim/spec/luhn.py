"""The check digit of card numbers (ISO/IEC 7812-1, annex B)."""

from __future__ import annotations

# What a digit counts for when it is doubled: 7 -> 14 -> 1 + 4.
_DOUBLED = {"0": 0, "1": 2, "2": 4, "3": 6, "4": 8, "5": 1, "6": 3, "7": 5, "8": 7, "9": 9}


def luhn_ok(pan: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B).

    >>> luhn_ok("4111111111111111"), luhn_ok("4111111111111112")
    (True, False)
    """
    plain = sum(map(int, pan[-1::-2]))
    return (plain + sum(_DOUBLED[digit] for digit in pan[-2::-2])) % 10 == 0


def check_digit(payload: str) -> str:
    """The digit that makes *payload* a card number.

    >>> check_digit("411111111111111")
    '1'
    """
    total = sum(map(int, payload[-2::-2])) + sum(_DOUBLED[digit] for digit in payload[-1::-2])
    return str(-total % 10)
