"""What people say for the few things that an answer chooses between, and how they deny it."""

from __future__ import annotations

import re
from collections.abc import Mapping

Phrases = Mapping[str, tuple[str, ...]]

# By kind: each choice with its words. Where two are named, the one that stands first is meant: a refund of a
# purchase is a refund, and a contactless chip is contactless.
PHRASES: Mapping[str, Phrases] = {
    "purpose": {
        "refund": (
            *(
                "refund",
                "refunded",
                "refunds",
                "return of goods",
                "returned goods",
                "goods returned",
                "return",
            ),
            *("returns", "returned", "merchandise return", "money back", "credit", "20", "200000"),
        ),
        "cash": ("cash", "withdrawal", "01", "010000"),
        "reversal": ("reversal", "void"),
        "balance": ("balance inquiry", "balance enquiry", "balance"),
        "purchase": (
            *("purchase", "sale", "buy", "bought", "buying", "goods and services", "goods or services"),
            *("goods", "services", "payment", "purchases", "shopping", "00", "0", "000000"),
        ),
    },
    "entry": {
        "contactless": (
            *(
                "contactless",
                "contact less",
                "contact-less",
                "non-contact",
                "tap",
                "tapped",
                "nfc",
                "paywave",
            ),
            *("paypass", "07", "7", "070", "071", "072", "71", "72", "wave", "waved"),
        ),
        "stripe": (
            "magnetic stripe",
            "magstripe",
            "stripe",
            "swiped",
            "swipe",
            "mag",
            "90",
            "02",
            "901",
            "fallback",
        ),
        "manual": ("manual", "manually", "keyed", "typed", "key entry", "01", "011", "012"),
        "ecommerce": ("e-commerce", "ecommerce", "internet", "web", "online shop"),
        "chip": (
            *(
                "chip",
                "icc",
                "ic card",
                "contact chip",
                "inserted",
                "insert",
                "dip",
                "dipped",
                "emv",
                "contact",
            ),
            *("smart card", "integrated circuit", "05", "5", "050", "051", "052", "51", "52"),
        ),
    },
    "cryptogram": {
        "ARQC": (
            "arqc",
            "80",
            "online",
            "ask the issuer",
            "authorization request cryptogram",
            "authorisation request cryptogram",
            "go online",
        ),
        "TC": ("tc", "40", "transaction certificate", "approved offline", "offline approval"),
        "AAC": (
            "aac",
            "00",
            "0",
            "application authentication cryptogram",
            "decline",
            "declined",
            "declined offline",
        ),
    },
    "answer": {
        "approved": ("approved", "approval", "approve", "accepted", "accept"),
        "pick-up": (
            "pick-up",
            "pick up",
            "pickup",
            "picked up",
            "retain",
            "capture",
            "keep the card",
            "retained",
        ),
        "declined": ("declined", "decline", "refused", "refusal", "denied", "rejected", "denial", "declines"),
        "system": ("system", "error", "malfunction", "technical", "system error"),
    },
    "yes": {
        "no": ("no", "false", "n", "f", "nope", "never", "0", "off"),
        "yes": ("yes", "true", "y", "t", "yeah", "yep", "correct", "1", "on", "right"),
    },
    "approved": {
        "no": ("declined", "refused", "denied", "rejected", "decline", "unapproved", "disapproved"),
        "yes": ("approved", "accepted", "approve", "authorised", "authorized"),
    },
    "agrees": {
        "no": (
            *("differs", "differ", "different", "changed", "mismatch", "disagrees", "disagree", "altered"),
            *("unequal", "tampered"),
        ),
        "yes": ("agrees", "agree", "same", "equal", "match", "matches", "identical", "they do", "it does"),
    },
    "pin": {
        "no": ("cannot", "can't", "can not", "incapable"),
        "yes": ("can", "it can", "capable"),
    },
}
_NOT = r"not|no|never|n't|without|neither|nor|non|isn't|rather than|instead of|except|wrong"
_DENIED = re.compile(rf"(?:^|[^\w])(?:{_NOT})\b|\wn['’]t\b", re.I)
_NOT_OPEN = 3  # words between a denial and what it denies
_HEDGED = re.compile(r"\bor\b|\beither\b|\bmaybe\b|\bperhaps\b|\bdepends\b|\?\s*$|\bunless\b", re.I)


def denied(text: str) -> bool:
    """Whether *text* says what is not so."""
    return bool(_DENIED.search(text))


def hedged(text: str) -> bool:
    """Whether *text* leaves open which of several it means."""
    return bool(_HEDGED.search(text))


def phrases(text: str, choices: Phrases, *, opposite: bool = False) -> set[str]:
    """Which of *choices* the *text* says. What is denied is not said; with *opposite* the other of two is
    said by it.

    >>> sorted(phrases("not goods, a refund", PHRASES["purpose"]))
    ['refund']
    >>> phrases("chip or contactless", PHRASES["entry"])
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
