"""English in small pieces."""

from __future__ import annotations

from sim.spec import country, merchant_category


def with_article(noun: str) -> str:
    """*noun* behind a or an, by its sound: an issuer, a UnionPay card.

    >>> with_article("issuer"), with_article("UnionPay card")
    ('an issuer', 'a UnionPay card')
    """
    vowel = noun[:1].lower() in "aeiou" and not noun.lower().startswith(("unio", "unit", "univ", "eu", "one"))
    return ("an " if vowel else "a ") + noun


def say_country(code: str) -> str:
    """The country of a code of ISO 3166, or that it is none."""
    found = country(code)
    return found.name if found else "not an ISO 3166 code"


def say_merchant(code: str) -> str:
    """What a merchant category code of ISO 18245 stands for, or that it is none."""
    return merchant_category(code) or "not in the ISO 18245 list"
