"""What a text states of a message, held against what is known of it.

Numbers, names, networks, places, currencies, months, ways of reading the card, reasons and decisions are
found by the same table of words as in descriptions, so in English, German, Spanish, Portuguese and French
alike. A sentence that states one which is not known is struck out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import permutations

from sim.exchanges import sums
from sim.exchanges.lexicon import TOKEN, element_names, fold, phrases, phrases_of, values_of
from sim.spec import VERSIONS

STRUCK = "~~{}~~"
_CLAIMS = frozenset(
    (
        *("network", "city", "country", "currency", "entry", "decision", "reason", "reason!"),
        *("head", "then", "alone", "trade", "why", "option", "card", "fact"),
    )
)
# Nouns that speak of the data of a chip or a stripe, too; of reading only with a verb for it.
_NOUNS = ("chip", "stripe")
_READING = re.compile(
    r"\b(?:read|insert|dip|swip|gelesen|gesteckt|eingesteckt|lue?s?|inser|leid[oa]|lid[oa])"
)
_NOT = frozenset(
    (
        *("not", "no", "nothing", "never", "neither", "nor", "cannot", "without", "nicht", "kein", "keine"),
        *("keinen", "nichts", "nie", "ohne", "nunca", "ni", "nada", "sin", "nao", "nem", "sem", "pas"),
        *("jamais", "aucun", "aucune", "rien", "sans"),
    )
)
_NEAR = 5  # words between a negation and what it denies
_DID = frozenset(("did", "didn't", "has", "hasn't", "have", "haven't"))
_OR = frozenset(("or", "nor", "and", "oder", "noch", "und", "ni", "y", "o", "nem", "e", "ou", "et"))
# Words that say another thing in an explanation: a field holds a value.
_IDLE = frozenset((("hold",), ("holds",), ("verification",), ("card", "verification")))
# Options that an explanation may state wrongly, by their phrases.
_OPTIONS = {"three_d_secure=authenticated": "auth?ent", "three_d_secure=none": "auth?ent",
            "pin=no": "pin|senha|clave"}  # fmt: skip
_NO_3DS = ("option", "three_d_secure=none")
_TYPED = r"(?:entered|typed|eingegeben|introduj\w+|introducid[oa]|ingres\w+|digitad[oa]|digitou|saisie?)"
_PIN_TYPED = re.compile(
    rf"\b(?:pin|senha|clave|code)\b[^.,;]{{0,16}}\b{_TYPED}\b|\b{_TYPED}\b[^.,;]{{0,16}}\b(?:pin|senha|clave)\b"
)
# `The PIN was wrong` says what `PIN wrong` does; `has not answered yet` is no time-out.
_COPULAS = frozenset(
    ("is", "was", "are", "were", "ist", "war", "es", "era", "esta", "estaba", "foi", "estava", "est", "etait")
)
_ALL = re.compile(r"\b(?:both|all|every|beide|alle|ambos|ambas|todos|todas|tous|toutes|les deux)\b")
_PART = re.compile(r"approved for [\d.]+ of|[Pp]artial(?:ly)? approv|approved (?:a|in) part")
_CENTS = re.compile(r"\d+[.]\d\d")
_FACTS = {
    "held": re.compile(
        r"\b(?:remains?|still|is|are) held\b|\bbleib\w+ reserviert|\bquedan? retenid|\brestent? bloque"
    ),
    "charged": re.compile(
        r"\b(?:were|was|is|are|been) charged\b|\bwurden? belastet|\bse cobr[oa]|\bfo(?:i|ram) cobrad"
    ),
    "whole amount": re.compile(r"\b(?:whole|full|entire) amount\b|\bvoller hohe|\bganze betrag"),
}
_YET = re.compile(r"\b(?:yet|noch|todavia|aun|ainda|encore)\b")
_PRESENT = re.compile(
    r"\b(?:card|karte|tarjeta|cartao|carte)\b[^.,;]{0,16}?\b(?:presente?e?|lag vor|liegt vor)\b"
)
_HAS_PIN = re.compile("PIN block|entered a PIN|PIN entered")
_ABSENT = frozenset((("entry", "ecommerce"), ("entry", "moto"), ("entry", "stored")))
# What is advised, or may come, is not said to be so.
_ADVICE = re.compile(
    r"\b(?:if|should|may|can|could|would|send|wait|ask|try|might|wenn|falls|sollte|kann|konnte|senden|bitte|bitten"
    r"|si|debe|puede|envie|pida|espere|se|deve|pode|peca|envoyez|demandez|pouvez|peut|devez)\b"
)
_ADVISED = ("head", "then", "why", "entry", "alone")
_DENIED = ("decision", "entry", "head", "then", "alone", "option", "fact")
_NAMED = ("currency", "country", "city", "network")  # whose names may be told in any of their words
_OF_ONE = ("decision", "entry")
_TAPPED = ("entry", "contactless")  # it is read from the chip, too
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
        self.claims = {one for one in _claims(every) if one[0] not in _OF_ONE or one in _ABSENT}
        for key, text in zip(_OF_ONE, (decided, entered), strict=True):
            self.claims |= {one for one in _claims(text) if one[0] == key}
        if any(key == "entry" for key, _ in self.claims):
            self.claims.add(("card", "present" if _ABSENT.isdisjoint(self.claims) else "absent"))
        decisions = {value for key, value in self.claims if key == "decision"}
        self.mixed = len(decisions) > 1
        self.claims |= {("fact", "charged")} if decisions & {"approved", "partial"} else set()
        self.claims |= set() if _PART.search(every) else {("fact", "whole amount")}
        # What is left of one amount after another.
        sums = {int(one.replace(".", "")) for one in self.numbers if _CENTS.fullmatch(one)}
        self.numbers |= {f"{(one - other) / 100:.2f}" for one, other in permutations(sums, 2) if one > other}
        self.claims.add(("option", "pin=yes" if _HAS_PIN.search(every) else "pin=no"))
        if ("option", "three_d_secure=authenticated") not in self.claims:
            self.claims.add(_NO_3DS)
        self.claims |= {
            (key, one) for key, value in self.claims if key == "reason" for one in value.split("/")
        }
        self.claims |= {("answer", code) for code in re.findall("[0-9A-Z]+", decided)}
        told = [
            every,
            *(one for key, value in self.claims if key in _NAMED for one in values_of(key).get(value, ())),
        ]
        self.words = {word.casefold() for word in re.findall(r"[\w'-]+", " ".join(told))} | _vocabulary()
        self.language = language

    def unknown(self, sentence: str) -> list[str]:
        """What *sentence* states that is not known, or denies that is, in its words."""
        found = _MARKUP.findall(sentence)
        found += [one for one in _numbers(sentence) if one not in self.numbers]
        advised, stated = _ADVICE.search(fold(sentence)), list(_stated(sentence))
        tapped = _TAPPED in self.claims and (*_TAPPED, False) in stated
        for key, value, denied in stated:
            named = value.split("/") if key == "reason" else [value]
            known = any((key, one) in self.claims for one in named) or (tapped and value == "chip")
            known = known and not (key == "decision" and self.mixed and _ALL.search(fold(sentence)))
            if known if denied else not known and not (advised and key in _ADVISED):
                found.append(f"{'no ' if denied else ''}{key} {value}")
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
    folded = fold(text)
    for spelled in re.finditer(sums.spelled_pattern(folded), folded):
        value = sums.spelled(spelled[0])
        if value is None or value > _COUNTED:
            yield spelled[0] if value is None else str(value)


def _claims(text: str) -> Iterator[tuple[str, str]]:
    """What the words of *text* state, as pairs of key and value; a month is its number."""
    return ((key, value) for key, value, no in _stated(text, known=True) if key != "fact" or not no)


def _stated(text: str, *, known: bool = False) -> Iterator[tuple[str, str, bool]]:
    """What the words of *text* state, and whether it is denied; *known*: it is what may be said."""
    folded = fold(text)
    words = [found[0] for found in TOKEN.finditer(folded) if found[0] not in "-./()"]
    read = bool(known or _READING.search(folded))
    bare = [word for word in words if word not in _COPULAS]
    for claim in dict.fromkeys((*_phrased(words, read), *_phrased(bare, read))):
        if claim[:2] != ("why", "timeout") or not _YET.search(folded):
            yield claim
    for found in _PIN_TYPED.finditer(folded):
        clause = re.split("[.,;]", folded[: found.end()])[-1]
        yield "option", "pin=no" if _denies(clause) else "pin=yes", False
    for fact, pattern in _FACTS.items():
        for found in pattern.finditer(folded):
            clause = re.split("[.,;:]", folded[: found.start()])[-1]
            yield "fact", fact, _denies(clause)
    for present in _PRESENT.findall(folded):
        yield "card", "absent" if _denies(present) else "present", False
    for code in _ANSWER_CODE.findall(folded):
        yield "answer", code.upper(), False
    for sign in _SIGNS.findall(folded):
        yield "currency", phrases_of("currency").get(sign, sign), False


def _denies(clause: str) -> bool:
    return not _NOT.isdisjoint(re.findall("[a-z]+", clause))


def _phrased(words: list[str], read: bool) -> Iterator[tuple[str, str, bool]]:
    """What the phrases among *words* state; *read*: nouns of the card say how it was read."""
    rows, longest = phrases()
    at, last, denied = 0, 0, False
    while at < len(words):
        sizes = range(min(longest, len(words) - at), 0, -1)
        size = next((size for size in sizes if tuple(words[at : at + size]) in rows), 1)
        phrase = tuple(words[at : at + size])
        said = [(key, value) for key, value in rows.get(phrase, ()) if _is_claim(key, value, phrase)]
        before = words[max(last, at - _NEAR) : at]
        if said and not (denied and before and _OR.issuperset(before)):
            ends = [place + 1 for place, word in enumerate(before) if word in ",:;"]
            clause = before[max(ends, default=0) :]
            denied = not _NOT.isdisjoint(clause) or any(word.endswith("n't") for word in clause)
        if phrase not in _ASKING or "will" in before or (denied and not _DID.isdisjoint(before)):
            for key, value in said:
                if read or key != "entry" or value not in _NOUNS or size > 1:
                    yield key.rstrip("!"), value, denied and key in _DENIED
        at += size
        if said or size > 1:
            last = at


def _is_claim(key: str, value: str, phrase: tuple[str, ...]) -> bool:
    """Whether a phrase states something that can be held against a message."""
    if key == "option":
        return value in _OPTIONS and re.search(_OPTIONS[value], " ".join(phrase)) is not None
    return key in _CLAIMS and phrase not in _IDLE


@cache
def _vocabulary() -> frozenset[str]:
    """The words that the names of elements have, and the abbreviations of the field."""
    names = " ".join(name for version in VERSIONS for name in element_names(version))
    field = "i iso de emv pin pos atm stan rrn mcc mti cvv cvv2 avs icc tlv utc acquirer issuer 3-d ds"
    return frozenset(re.findall(r"[\w'-]+", f"{names} {field}"))
