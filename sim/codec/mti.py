"""What may be an MTI, before its digits are read for what they mean."""

import re

MTI = re.compile(r"[0-9]{4}")


def is_mti(text: str) -> bool:
    """Whether *text* is four digits that an MTI may have: a version, and a class that there is.

    >>> is_mti("0200"), is_mti("2024"), is_mti("0013")
    (True, False, False)
    """
    return MTI.fullmatch(text) is not None and text[0] in "0129" and text[1] in "12345678"
