"""What stands in an answer: without what pandas, numpy and quotes put around it, what it denies or leaves
open, and which of the few things it says that `spec/data/answers.toml` has words for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, KeysView, Mapping, ValuesView
from itertools import islice
from typing import Any

from sim.spec.tables import read_toml

# A generator may have no end.
_MOST = 1000
_LONGEST = 4000  # characters of an answer that are read
_LEADS = re.compile(
    r"^(?:the\s+)?(?:my\s+)?(?:answer|result|solution)\s*(?:is|:|=)\s*|^(?:it\s+is|it's|its|that\s+is|that's)\s+",
    re.I,
)
_NOT = r"not|no|never|n't|without|neither|nor|non|isn't|rather than|instead of|except|wrong"
_DENIED = re.compile(rf"(?:^|[^\w])(?:{_NOT})\b|\wn['’]t\b", re.I)
_NOT_OPEN = 3  # words between a denial and what it denies
_HEDGED = re.compile(r"\bor\b|\beither\b|\bmaybe\b|\bperhaps\b|\bdepends\b|\?\s*$|\bunless\b", re.I)


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


def words_for(kind: str) -> Mapping[str, list[str]]:
    """What people write for each of the things that an answer of *kind* chooses between."""
    table: Mapping[str, list[str]] = read_toml("answers")[kind]
    return table


def denied(text: str) -> bool:
    """Whether *text* says what is not so."""
    return bool(_DENIED.search(text))


def hedged(text: str) -> bool:
    """Whether *text* leaves open which of several it means."""
    return bool(_HEDGED.search(text))


def phrases(text: str, choices: Mapping[str, Collection[str]], *, opposite: bool = False) -> set[str]:
    """Which of *choices* the *text* says. What is denied is not said; with *opposite* the other of two is
    said by it.

    >>> sorted(phrases("not goods, a refund", words_for("purpose")))
    ['refund']
    >>> phrases("chip or contactless", words_for("entry"))
    set()
    """
    rest, found = f" {text.casefold().replace('’', chr(39))} ", []
    words = sorted(
        ((word, one) for one, said in choices.items() for word in said), key=lambda at: -len(at[0])
    )
    for word, one in words:
        pattern = rf"(?<![\w']){re.escape(word)}(?!\w)"
        for match in re.finditer(pattern, rest):
            found.append((match.start(), one))
            rest = rest[: match.start()] + "\0" * len(word) + rest[match.end() :]
    said, last = [], 0
    for at, one in sorted(found):
        before = rest[last:at].split("\0")[-1]
        no = _DENIED.search(" ".join(before.split()[-_NOT_OPEN:])) is not None
        last = at
        if no and opposite:
            said.append(next(other for other in choices if other != one))
        elif not no:
            said.append(one)
    if not said or (len(set(said)) > 1 and hedged(text)):
        return set()
    if opposite:
        return set(said)
    return {next(one for one in choices if one in said)}
