"""Content classes of values: which characters `n`, `ans`, `b` and the others may have."""

from __future__ import annotations

import re

# One character of a class, as a regular expression; the sign of `x+n` stands in front of its digits. Blanks
# fill up `an` values.
CHARACTER = {
    "n": "[0-9]",
    "an": "[0-9A-Za-z ]",
    "anp": "[0-9A-Za-z ]",
    "ns": r"[0-9!-/:-@\[-`{-~ ]",
    "ans": "[ -~]",
    "ansb": "[ -~]",
    "z": "[0-9:;<=>?D]",
    "b": "[0-9A-Fa-f]",
}
# The first character that does not belong.
FOREIGN = {content: re.compile(f"[^{one[1:]}") for content, one in CHARACTER.items()}
FOREIGN["x+n"] = re.compile(r"(?<!^)[^0-9]|^[^CD]")
# What a class is called in a finding about a whole element.
CLASS_NAMES = {
    "n": "digits only",
    "an": "letters and digits only, blanks to fill up",
    "anp": "letters, digits and blanks only",
    "ns": "digits and special characters only",
    "ans": "printable ASCII characters only",
    "ansb": "printable ASCII characters only",
    "z": "digits and the separator = or D only",
    "b": "hex digits only",
    "x+n": "C or D, then digits",
}


def text_width(content: str, size: int) -> int:
    """Characters of the text form that *size* units of a class take: a byte is two hex digits, and the
    sign of `x+n` stands in front of its digits.

    >>> text_width("b", 8), text_width("x+n", 8), text_width("n", 12)
    (16, 9, 12)
    """
    return {"b": 2 * size, "x+n": 1 + size}.get(content, size)
