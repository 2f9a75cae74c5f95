"""An answer without its wrapping: what pandas, numpy and quotes put around a number or a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, KeysView, ValuesView
from itertools import islice
from typing import Any

# A generator may have no end.
_MOST = 1000
_LONGEST = 4000  # characters of an answer that are read
_LEADS = re.compile(
    r"^(?:the\s+)?(?:my\s+)?(?:answer|result|solution)\s*(?:is|:|=)\s*|^(?:it\s+is|it's|its|that\s+is|that's)\s+",
    re.I,
)


def plain(answer: Any) -> Any:
    """*answer* without what pandas and numpy wrap around it: a number, a text, or a list, which what gives
    its items one by one (a generator, a range, the keys of a dict) is as well."""
    if hasattr(answer, "tolist"):
        answer = answer.tolist()
    if isinstance(answer, Iterator | range | KeysView | ValuesView):
        answer = list(islice(answer, _MOST))
    if isinstance(answer, list | tuple):
        return [plain(one) for one in answer]
    return str(answer) if isinstance(answer, str) else answer


def text_of(answer: Any) -> str | None:
    """*answer* as a text, where it is one or the bytes of one; None for anything else.

    >>> text_of(b"0220"), text_of(220)
    ('0220', None)
    """
    if isinstance(answer, bytes | bytearray | memoryview):
        answer = bytes(answer).decode("ascii", "replace")
    return unicodedata.normalize("NFKC", answer[:_LONGEST]) if isinstance(answer, str) else None


def clean(answer: Any) -> str | None:
    """*answer* as a text without blanks, quotes and stops around it, and without "the answer is"; None for
    what is no text, or none at all.

    >>> clean("It is `0220`."), clean("''")
    ('0220', None)
    """
    text = text_of(answer)
    # Digits of other scripts are none of a message.
    if text is None or any(one.isdigit() and not one.isascii() for one in text):
        return None
    text = text.strip().rstrip(".!").strip()
    text = _LEADS.sub("", text).strip(" \t\n\"'`“”‘’=")
    return text or None
