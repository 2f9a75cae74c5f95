"""Card data in a description: test cards become tokens, any other card data stops the call.

Only published test card numbers (`sim.spec.networks.test_cards`) are allowed, and not even those are sent: a
model sees `test card VISA #2`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from sim.masking import mask_pan, mask_words, search
from sim.models.errors import CardNumberRefused
from sim.operations.numbers import SMALL
from sim.spec.networks import TestCard, detect, luhn_ok, test_cards

_LONGEST_SHOWN = 200
_LONG_RUN = re.compile(r"[0-9A-Fa-f=]{13,}")
_LONGEST = 19
_SHORTEST = 12
_SHORTEST_LUHN = 13  # an RRN has 12 digits, and one in ten passes the Luhn check
_SHORTEST_RUN = 16  # no other number in a description has so many digits in one run
_RUN = re.compile(r"[0-9]+")
# The text between the groups of one number.
_GAP = re.compile(
    r"[^0-9A-Za-z]{0,8}|[xX]|[^0-9A-Za-z]{1,3}(?:and|then|dash|hyphen|space|dot|nbsp|x)[^0-9A-Za-z]{1,3}"
)
_PRINTED = re.compile(r"[0-9]{4}([ -])(?:[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?|[0-9]{6}\1[0-9]{4,5})")
_REFERENCE = re.compile(
    r"(?:rrn|reference(?: number)?|merchant (?:id|number)|terminal(?: id)?)\W{0,3}(?:is|of)?\W{0,3}$",
    re.IGNORECASE,
)
_ALIKE = re.compile(r"\b(?=[OoIl]*[0-9])[0-9OoIl]{3,}\b")
_AS_DIGITS = str.maketrans("OoIl", "0011")
_TRACK = re.compile(r"[0-9*]{12,19}\s?[=D^]\s?[0-9]{4,}|%?B[0-9* ]{12,23}\^(?:[^^]{2,26}\^)?\S*")
_HEX = re.compile(
    r"\b(?=[0-9A-Fa-f]*[0-9])[0-9A-Fa-f]{16,}\b|\b(?:[0-9A-Fa-f]{2}[ %:,\t-]{1,3}){11,}[0-9A-Fa-f]{2}\b"
)
_NAMED = r"[\s\-_]*(?:block|code|number|no\.?|value|data|digits?)?[\s\"'`]*(?:(?:entered|used|given)\s+)?"
_IS = r"(?:is|of|was|equals|[:=#(]|[-=]+>)?[\s\"'`(:]*"
_FIGURE = r"(?:[0-9]|(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)\b)"
_BASE64 = re.compile(r"[A-Za-z0-9+/]{20,}={0,2}")
_IN_BASE64 = tuple(map(re.compile, ("[0-9+/=]", "[a-z]", "[A-Z]")))
_SECRET = re.compile(
    rf"\bpin{_NAMED}{_IS}(?:{search.NO_AMOUNT}{_FIGURE}(?:[ -]?{_FIGURE}){{3,11}}\b"
    r"|(?=[A-F]*[0-9])[0-9A-F]{4,}[ -]?[0-9A-F]{4,}\b)"
    r"|\b(?:[id]?cvv2?|c\.?v\.?v\.?|[id]?cvc[23]?|cav[v2]?|csc|cid|security code|(?:card )?verification "
    rf"(?:code|value|number)){_NAMED}{_IS}{_FIGURE}(?:[ -]?{_FIGURE}){{2,3}}\b"
    r"|\b[0-9]{3,4} (?:as|for|is) (?:(?:the|my|its|his|her|a) )?(?:cvv2?|cvc2?|csc|cid|security code)\b"
    r"|\b[0-9]{4,12} (?:as|for|is) (?:(?:the|my|its|his|her|a) )?pin\b",
    re.IGNORECASE,
)
# More than four separators between the word and the number add nothing but time.
_LONG_GAP = re.compile(r"([\s\-_\"'`(:]{4})[\s\-_\"'`(:]+")
# Long numbers with a label that are not card numbers.
_OTHER_NUMBERS = re.compile(
    r"\b(?:ARN|acquirer reference(?: number)?)\W{1,3}(?P<arn>[278][0-9]{22})\b"
    r"|\b(?P<iban>[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30})\b"
    r"|\bbitmap\W{1,3}(?:is\s)?(?P<bitmap>(?:[0-9A-F]{16}){1,3})\b"
    r"|\bPIN (?P<round>[0-9]{1,3}00)\b"
    r"|\b(?:order|invoice|booking|ticket)(?: (?:number|no\.?|id))?(?: is)?\W{1,3}(?P<order>[0-9]{13,19})\b",
    re.IGNORECASE,
)
_ASIDE = "[{}]"
TOKEN = re.compile(r"test card ([A-Z]+ #[0-9]+)")
_TIMES = {"double": 2, "triple": 3}
_FEWEST_WORDS = 4  # fewer are an amount or a count
_NUMERAL = rf"(?:{'|'.join((*SMALL, *_TIMES))}|[0-9]{{1,4}})"
_SPOKEN = re.compile(rf"\b{_NUMERAL}(?:[\W_]{{1,3}}{_NUMERAL})+\b", re.IGNORECASE)
Span = tuple[int, int, str]
_Window = tuple[int, int, str, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A description that is safe to send. `tokens` are those of its test cards, in order."""

    text: str
    tokens: tuple[str, ...]


@cache
def tokens() -> dict[str, TestCard]:
    """Test cards by token: `VISA #1`; `OTHER` for brands outside the networks."""
    made: dict[str, TestCard] = {}
    counts: dict[str, int] = {}
    for card in test_cards():
        name = card.network or "OTHER"
        counts[name] = counts.get(name, 0) + 1
        made[f"{name} #{counts[name]}"] = card
    return made


@cache
def _token_of() -> dict[str, str]:
    return {card.pan: token for token, card in tokens().items()}


def clean(description: str) -> Cleaned:
    """*description* in plain digits and letters, with tokens for its test cards. Raises CardNumberRefused,
    before anything is sent, if it has other card data.

    >>> clean("pay with 4111 1111 1111 1111").text
    'pay with test card VISA #1'
    """
    plain = _plain(description)
    others = [found[0] for found in _OTHER_NUMBERS.finditer(plain) if _is_other(found)]
    text = plain
    for number, other in enumerate(others):
        text = text.replace(other, _ASIDE.format(number), 1)
    if _TRACK.search(text):
        raise CardNumberRefused("track data")
    if _SECRET.search(_LONG_GAP.sub(r"\1", text)):
        raise CardNumberRefused("PIN or verification code")
    said = _tokenized(text, spoken(text))
    made = _tokenized(said, card_spans(said))
    encoded = (word for word in made.split() if _BASE64.search(word))
    if (
        search.find(made)
        or _HEX.search(made)
        or any(all(part.search(word) for part in _IN_BASE64) for word in encoded)
    ):
        raise CardNumberRefused("raw message or other long run of digits")
    for number, other in enumerate(others):
        made = made.replace(_ASIDE.format(number), other, 1)
    return Cleaned(made, tuple(dict.fromkeys(TOKEN.findall(made))))


def _is_other(found: re.Match[str]) -> bool:
    """Whether a number is what its label says: an acquirer reference number, an IBAN with valid check digits,
    a bitmap or order number without a card number, a round amount after the word PIN."""
    if iban := found["iban"]:
        turned = f"{iban[4:]}{iban[:4]}".upper()
        return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1
    if bitmap := found["bitmap"]:
        return not any(luhn_ok(part) and search.fits(part) for part in re.findall("[0-9]{13,19}", bitmap))
    if order := found["order"]:
        return not luhn_ok(order) and not _within(order)
    return True


def safe_line(text: str) -> str:
    """*text* about an answer, safe to show and send: one short printable line without long runs of digits."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    masked = mask_words(" ".join(plain.split()))
    return _LONG_RUN.sub(lambda run: mask_pan(run[0]), masked)[:_LONGEST_SHOWN]


def _tokenized(text: str, spans: Iterable[Span]) -> str:
    """*text* with a token for each test card. Raises CardNumberRefused for other card numbers."""
    parts, at = [], 0
    for start, end, digits in spans:
        token = _token_of().get(digits)
        if token is None:
            raise CardNumberRefused("card number that is not a published test card")
        parts += [text[at:start], f"test card {token}"]
        at = end
    return "".join(parts) + text[at:]


def _plain(text: str) -> str:
    """*text* with digits of any script in ASCII, letters in their plain form and no invisible characters."""
    made = []
    for char in unicodedata.normalize("NFKC", text):
        digit = unicodedata.digit(char, None)
        if digit is not None:
            made.append(str(digit))
        elif unicodedata.category(char) not in ("Cf", "Cc", "Co", "Cn", "Cs") or char in "\n\t":
            made.append(char)
    return "".join(made)


def card_spans(text: str) -> Iterator[Span]:
    """Start, end and digits of every card number: one run of digits, or groups with other characters between.
    It looks for test cards first, so neighboring digits cannot hide them."""
    text = _read(text)
    runs = [match.span() for match in _RUN.finditer(text)]
    joined = [bool(_GAP.fullmatch(text, one[1], other[0])) for one, other in pairwise(runs)]
    at = 0
    while at < len(runs):
        windows = list(_windows(text, runs, joined, at))
        hit = next((w for w in windows if w[2] in _token_of()), None)
        if hit is None and windows:
            owner = detect(windows[-1][2])  # the leading digits are the same in all windows
            lengths = owner.range.lengths if owner else ()
            hit = next((w for w in windows if _is_card(text, w, len(w[2]) in lengths)), None)
        if hit is None:
            at += 1
            continue
        yield hit[:3]
        at = hit[3]


def _read(text: str) -> str:
    """*text*, at the same length, with digits for look-alike letters among digits and for Chinese and
    Japanese numerals."""
    numerals = ((char, unicodedata.numeric(char, -1)) for char in text)
    made = "".join(str(int(value)) if value in range(10) else char for char, value in numerals)
    return _ALIKE.sub(lambda word: word[0].translate(_AS_DIGITS), made)


def _windows(text: str, runs: list[tuple[int, int]], joined: list[bool], first: int) -> Iterator[_Window]:
    """The run *first* alone, then joined with the next ones: start, end, digits, index of the run after, and
    the lengths of the groups."""
    digits, groups = "", []
    for index in range(first, len(runs)):
        start, end = runs[index]
        if index > first and not joined[index - 1]:
            return
        digits += text[start:end]
        groups.append(end - start)
        if len(digits) > _LONGEST:
            return
        if len(digits) >= _SHORTEST:
            yield runs[first][0], end, digits, index + 1, tuple(groups)


def _is_card(text: str, window: _Window, fits: bool) -> bool:
    """Whether the digits of *window* may be a card number; *fits*: a brand has this prefix and length. A run
    needs a valid check digit, a brand's prefix and length, or many digits (12 digits, or a labeled reference:
    the first two); groups as printed on cards one of the first two. Other groups need prefix and length and
    more, because amounts and dates come in groups, too."""
    start, end, digits, _, groups = window
    if not fits and len(groups) > 1 and groups not in search.GROUPS:
        return False
    right = luhn_ok(digits)
    if len(groups) == 1:
        if _REFERENCE.search(text, max(0, start - 40), start):
            return right and fits and len(digits) >= _SHORTEST_LUHN
        if len(digits) < _SHORTEST_LUHN:
            return right and fits
        return right or fits or len(digits) >= _SHORTEST_RUN or _within(digits)
    if _PRINTED.fullmatch(text, start, end):
        return right or fits
    return fits and (right or groups in search.GROUPS or max(groups) == 1)


def _within(digits: str) -> bool:
    """Whether *digits* have a card number within them."""
    parts = (
        digits[at : at + size]
        for size in range(_SHORTEST_LUHN, len(digits))
        for at in range(len(digits) - size + 1)
    )
    return any(luhn_ok(part) and search.fits(part) for part in parts)


def spoken(text: str) -> Iterator[Span]:
    """Start, end and digits of every number of 12 or more digits that is spelled out, in English words for
    digits or for numbers below a hundred, possibly mixed with figures.

    >>> [digits for _, _, digits in spoken("four " + "one " * 15)]
    ['4111111111111111']
    """
    for run in _SPOKEN.finditer(text):
        words = re.findall(r"[a-z]+|[0-9]+", run[0].lower())
        digits = _spoken_digits(words)
        if len(digits) >= _SHORTEST and sum(word.isalpha() for word in words) >= _FEWEST_WORDS:
            yield run.start(), run.end(), digits


def _spoken_digits(words: list[str]) -> str:
    """The digits of *words*: `forty five` is 45, `double seven` is 77."""
    made: list[str] = []
    times, tens = 1, False
    for word in words:
        if word in _TIMES:
            times = _TIMES[word]
            continue
        value = SMALL[word] if word.isalpha() else None
        if tens and value is not None and 0 < value < 10:
            made[-1] = made[-1][:-1] + str(value)
            tens = False
            continue
        made.append((word if value is None else str(value)) * times)
        times, tens = 1, value is not None and value >= 20
    return "".join(made)
