"""What a text states of a message, held against what is known of it.

Numbers, names, networks, places, currencies, months, ways of reading the card, reasons and decisions are
found by the same table of words as in descriptions, so in English, German, Spanish, Portuguese and French
alike. A sentence that states one which is not known is struck out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from sim.exchanges import sums
from sim.exchanges.lexicon import TOKEN, element_names, fold, phrases, phrases_of
from sim.spec import VERSIONS

STRUCK = "~~{}~~"
_CLAIMS = frozenset(("network", "city", "country", "currency", "entry", "decision", "reason", "reason!"))
_OF_ONE = ("decision", "entry")
# What is asked for is not yet decided.
_ASKING = frozenset(
    (("approve",), ("decline",), ("refuse",), ("reject",), ("deny",), ("accept",), ("accepts",), ("partial",))
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_NUMBER = re.compile(r"(?<![A-Za-z\d])(?!3[ -]?DS?\b)\d+(?:(?::\d\d){1,2}|(?:[.,'’]\d+)*)")
_MINUTES = len("hh:mm")
_MONEY = re.compile(r"\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d\d)?|\d+[.,]\d{2,3}")
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'-]*\b")
# Links, markup, and what nobody sees.
_MARKUP = re.compile(r"https?:|www\.|[<>#`|\[\]]|\w\.\w+/|[^\S \t\n]|[\x00-\x08\u200b-\u200f\ud800-\udfff]")
_ANSWER_CODE = re.compile(
    r"\b(?:(?:response|action|answer|decline) code|rc|antwortcode|codigo de (?:respuesta|resposta)"
    r"|code de? reponse)\W{1,3}([0-9a-z]*[0-9][0-9a-z]*)"
)
_SIGNS = re.compile(r"[€£¥$]")
_STANDARD = "8583"
_COUNTED = 12  # up to here a number in words may count sentences or parts of the message


class Ground:
    """What may be said of a message: *texts* are all that is known of it, *decided* the sentence that tells
    the decision, *entered* the text on how the card was read: of those other texts may speak, too."""

    def __init__(self, texts: Iterable[str], decided: str, entered: str, language: str = "en") -> None:
        every = " . ".join(texts)
        self.numbers = {_STANDARD, *_numbers(every)}
        months = phrases_of("month")
        # A time may be told without its seconds, or without the zero in front.
        self.numbers |= {one[:_MINUTES] for one in self.numbers if one.count(":") > 1}
        self.numbers |= {one.lstrip("0") for one in self.numbers if ":" in one}
        self.numbers |= {months[word] for word in re.findall("[a-z]+", fold(every)) if word in months}
        self.claims = {one for one in _claims(every) if one[0] not in _OF_ONE}
        for key, text in zip(_OF_ONE, (decided, entered), strict=True):
            self.claims |= {one for one in _claims(text) if one[0] == key}
        self.claims |= {("answer", code) for code in re.findall("[0-9A-Z]+", decided)}
        self.words = {word.casefold() for word in re.findall(r"[\w'-]+", every)} | _vocabulary()
        self.language = language

    def unknown(self, sentence: str) -> list[str]:
        """What *sentence* states that is not known, in its words."""
        found = _MARKUP.findall(sentence)
        found += [one for one in _numbers(sentence) if one not in self.numbers]
        found += [f"{key} {value}" for key, value in _claims(sentence) if (key, value) not in self.claims]
        return list(dict.fromkeys([*found, *self._names(sentence)]))

    def _names(self, sentence: str) -> Iterator[str]:
        """Names that nothing known has; in German any noun has a capital, so that only capitals tell."""
        for found in _NAME.finditer(sentence):
            word = found[0]
            first = not re.search(r"\w", sentence[: found.start()])
            loud = word.isupper() and len(word) > 1
            known = word.casefold() in self.words or word.casefold().removesuffix("'s") in self.words
            if not known and (loud or not (first or self.language == "de")):
                yield word

    def mended(self, text: str) -> tuple[tuple[str, ...], bool]:
        """The sentences of *text*, those struck out that state what is not known; and whether any stands."""
        sentences = [one for one in map(str.strip, _SENTENCE_END.split(text)) if one]
        struck = [bool(self.unknown(one)) for one in sentences]
        made = (STRUCK.format(one) if bad else one for one, bad in zip(sentences, struck, strict=True))
        return tuple(made), not all(struck)


def whole_sentences(text: str) -> tuple[list[str], str]:
    """The sentences of *text* that have ended, and what comes behind them."""
    *whole, rest = _SENTENCE_END.split(text)
    return [one for one in whole if one.strip()], rest


def _numbers(text: str) -> Iterator[str]:
    """The numbers of *text*: amounts as with a decimal point alone, others as they stand."""
    for found in _NUMBER.finditer(text):
        if _MONEY.fullmatch(found[0]):
            head, mark, tail = found[0].rpartition("." if found[0].rfind(".") > found[0].rfind(",") else ",")
            parted = mark and len(tail) == 3 and re.search("[.,'’]", head) is None
            plain = re.sub("[.,'’]", "", head)
            yield plain + tail if parted and len(head) <= 3 else f"{plain}.{tail}"
        else:
            yield from re.split("[.,'’]", found[0])
    for spelled in re.finditer(sums.spelled_pattern(), fold(text)):
        value = sums.spelled(spelled[0])
        if value is None or value > _COUNTED:
            yield spelled[0] if value is None else str(value)


def _claims(text: str) -> Iterator[tuple[str, str]]:
    """What the words of *text* state, as pairs of key and value; a month is its number."""
    known, longest = phrases()
    folded = fold(text)
    words = [found[0] for found in TOKEN.finditer(folded) if found[0] not in "-./,()"]
    at = 0
    while at < len(words):
        sizes = range(min(longest, len(words) - at), 0, -1)
        size = next((size for size in sizes if tuple(words[at : at + size]) in known), 1)
        phrase = tuple(words[at : at + size])
        for key, value in known.get(phrase, ()) if phrase not in _ASKING else ():
            if key in _CLAIMS:
                yield key.rstrip("!"), value
        at += size
    for code in _ANSWER_CODE.findall(folded):
        yield "answer", code.upper()
    for sign in _SIGNS.findall(folded):
        yield "currency", phrases_of("currency").get(sign, sign)


@cache
def _vocabulary() -> frozenset[str]:
    """The words that the names of elements have, and the abbreviations of the field."""
    names = " ".join(name for version in VERSIONS for name in element_names(version))
    field = "i iso de emv pin pos atm stan rrn mcc mti cvv cvv2 avs icc tlv utc acquirer issuer 3-d ds"
    return frozenset(re.findall(r"[\w'-]+", f"{names} {field}"))
