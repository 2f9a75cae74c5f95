"""English in small pieces."""

from __future__ import annotations


def with_article(noun: str) -> str:
    """*noun* behind a or an, by its sound: an issuer, a UnionPay card.

    >>> with_article("issuer"), with_article("UnionPay card")
    ('an issuer', 'a UnionPay card')
    """
    vowel = noun[:1].lower() in "aeiou" and not noun.lower().startswith(("unio", "unit", "univ", "eu", "one"))
    return ("an " if vowel else "a ") + noun
