"""Check what a text states about a message against the facts.

Sentences are read like descriptions: by tables of words, the longest phrase first, in English, German,
Spanish, Portuguese and French. Nothing is guessed: an unknown word, number or name strikes a sentence out,
and so does a claim or denial that the facts do not support.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby, product
from operator import itemgetter

from sim.exchanges import sums
from sim.exchanges.lexicon import (
    TOKEN,
    element_names,
    fold,
    inflected,
    phrases,
    phrases_of,
    present,
    values_of,
    words_of,
)
from sim.spec import VERSIONS
from sim.spec.tables import read_csv

STRUCK = "~~{}~~"
Claim = tuple[str, str]
# Keys that are checked against the facts. Other words of the tables are neutral (`_PLAIN`), or the facts must
# have them.
_CLAIMS = frozenset(
    (
        *("network", "country", "currency", "entry", "decision", "reason", "reason!", "kind"),
        *("head", "then", "alone", "trade", "why", "option", "card", "fact", "wallet", "fault", "count"),
    )
)
_PLAIN = frozenset(
    ("idle", "order", "month", "request", "answer", "amountword", "currencyword", *("gets", "moves", "money"))
)
_IDLE: tuple[Claim, ...] = (("idle", ""),)
_CARD = {"presence": ("card", "present"), "absence": ("card", "absent")}
# Nouns for card data as well as card entry; they mean card entry only with a verb of reading.
_NOUNS = ("chip", "stripe")
_READING = re.compile(
    r"\b(?:read|used|insert|dip|swip|benutz|verwendet|usad|utilis|gelesen|gesteckt|eingesteckt|lue?s?|inser|leid[oa]|lid[oa])"
)
_STEM = 4  # letters
_NEAR = 5  # words between a negation and what it denies
_DECIMAL = re.compile(r"(?<=\d)[.,](?=\d)")
_ENDS = frozenset((",", ":", ";", "and", "und", "y", "e", "et"))
_OR = frozenset(("or", "nor", "oder", "noch", "ni", "o", "nem", "ou"))
_TYPED = r"(?:entered|typed|eingegeben|introduj\w+|introducid[oa]|ingres\w+|digitad[oa]|digitou|saisie?)"
_PIN_TYPED = re.compile(
    rf"\b(?:pin|senha|clave|code)\b[^.,;]{{0,16}}\b{_TYPED}\b|\b{_TYPED}\b[^.,;]{{0,16}}\b(?:pin|senha|clave)\b"
)
_NOUNS_OF = {"merchant": 42, "shop": 43, "terminal": 41, "card": 2}
_DIFFERS = re.compile(r"\b(?:differ|chang|unterschied|unterscheid|verschieden|anders|diferen|distint|mud)\w*")
_ALL = re.compile(r"\b(?:both|all|every|beide|alle|ambos|ambas|todos|todas|tous|toutes|les deux)\b")
_HAS_PIN = re.compile(
    "PIN block|entered a PIN|PIN entered|PIN checked by|verified by [a-z ]*PIN|(?:wrong|incorrect) PIN"
)
_PART = re.compile(r"approved for ([\d.]+) of")
_CENTS = re.compile(r"\d{1,12}[.]\d\d")
_ABSENT = frozenset((("entry", "ecommerce"), ("entry", "moto"), ("entry", "stored")))
_NO_3DS = ("option", "three_d_secure=none")
# Advice and possibilities are not claims.
_ADVICE = re.compile(
    r"\b(?:if|should|may|can|could|would|send|wait|ask|try|might|wenn|falls|sollte|kann|konnte|senden|bitte|bitten"
    r"|si|debe|puede|envie|pida|espere|se|deve|pode|peca|envoyez|demandez|pouvez|peut|devez)\b"
)
_ADVISED = ("head", "then", "why", "entry", "alone")
_DENIED = ("decision", "entry", "head", "then", "alone", "option", "fact", "card", "why", "reason")
_NAMED = ("currency", "country", "network")  # any of their names will do
_OF_ONE = ("decision", "entry")
_STEPS = ("head", "then", "fact")  # keys of the amounts of a story
_CHARGED, _HELD = ("fact", "charged"), ("fact", "held")
_BOOKED = frozenset((_CHARGED, _HELD, ("fact", "credited")))
_OF_PART = (("decision", "approved"), _CHARGED)  # true of the approved part after a partial approval
_TAPPED = ("entry", "contactless")  # also read from the chip
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_NUMBER = re.compile(r"(?<![A-Za-z\d])(?!3[ -]?DS?\b)\d+(?:(?::\d\d){1,2}|(?:[.,'’]\d+)*)")
_MINUTES = len("hh:mm")
_MONEY = re.compile(r"\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d\d)?|\d+[.,]\d{2,3}")
# Links, markup and invisible characters; then the names in braces that the program fills in.
_MARKUP = re.compile(r"https?:|www\.|[<>#`|\[\]]|\w\.\w+/|[^\S \t\n]|[\x00-\x08\u200b-\u200f\ud800-\udfff]")
_SLOT = re.compile(r"\{\w{1,40}\}")
_ANSWER_CODE = re.compile(
    r"\b(?:(?:response|action|answer|decline) code|rc|antwortcode|codigo de (?:respuesta|resposta)"
    r"|code de? reponse)\W{1,3}([0-9a-z]*[0-9][0-9a-z]*)"
)
_LABEL = re.compile(r"\bDE ?(\d{1,3})\b")
_CLAUSE = re.compile(r"[,;:]\s|\b(?:and|while|but|und|aber|y|pero|e|mas|et|mais)\b")
_CODE = re.compile(r"\b(?=[a-z*]*\d)(?=[\d*]*[a-z])[\w*]{3,}", re.IGNORECASE)  # letters and digits
_ABBREVIATED = frozenset(("3ds", "3d", "cvv2", "cvc2", "e2e"))
_STEP = re.compile(r", then |[;:]| and ")
_SIGNS = re.compile(r"[€£¥$]")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_STANDARD = "8583"
_COUNTED = 12  # a number in words up to this may count sentences or parts of the message


class Ground:
    """The statements that a message supports: *texts* are all facts, *decided* is the sentence on the
    decision, *entered* the text on the card entry (other texts may mention both, too). *elements* are the
    texts on each element; *parts* the statements that each of two compared messages supports."""

    def __init__(
        self,
        texts: Iterable[str],
        decided: str,
        entered: str,
        language: str = "en",
        elements: Mapping[int, str] | None = None,
        parts: tuple[Ground, ...] = (),
    ) -> None:
        every = " . ".join(texts)
        self.language, self.parts = language, parts
        self.numbers = {_STANDARD, *_numbers(every)}
        self.elements = {number: {*_numbers(text)} for number, text in (elements or {}).items()}
        months = phrases_of("month")
        # A time may be given without seconds or without a leading zero.
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
        self.claims |= {_CHARGED} if decisions & {"approved", "partial"} else set()
        self.claims |= {("fact", "credited")} if {_CHARGED, ("head", "cash")} <= self.claims else set()
        self.claims |= set() if ("fact", "answered") in self.claims else {("fact", "unanswered")}
        self.part = found[1] if (found := _PART.search(every)) else ""
        self.claims |= {("fact", "whole amount")} if len({*_CENTS.findall(decided)}) < 2 else set()
        self.minor_units = {int(one.replace(".", "")) for one in self.numbers if _CENTS.fullmatch(one)}
        pins = ("pin=yes", "pin=no") if _HAS_PIN.search(every) else ("pin=no", "pin=yes")
        self.claims = self.claims - {("option", pins[1])} | {("option", pins[0])}
        if ("option", "three_d_secure=authenticated") not in self.claims:
            self.claims.add(_NO_3DS)
        for key, value in tuple(self.claims):
            self.claims |= {(key, one) for one in value.split("/")} if key == "reason" else set()
        self.claims |= {("answer", code) for code in re.findall("[0-9A-Z]+", decided)}
        named = (one for key, value in self.claims if key in _NAMED for one in values_of(key).get(value, ()))
        self.codes = {one.casefold() for one in _CODE.findall(every)} | _ABBREVIATED
        self.steps = [(set(_claims(clause)), {*_numbers(clause)}) for clause in _STEP.split(decided)]
        booked = set().union(*(claims for claims, _ in self.steps)) & _BOOKED
        for claims, numbers in self.steps:  # a held amount is charged later; a pre-authorization holds
            claims |= {_CHARGED} if numbers and _HELD in claims and _CHARGED not in booked else set()
            claims |= {_HELD} if ("head", "preauthorization") in claims and _HELD not in booked else set()
        ordinals = phrases_of("which") if parts else ()
        self.words = {*_WORD.findall(fold(" ".join((every, *named, *ordinals))))}

    def unknown(self, sentence: str) -> list[str]:
        """What the facts do not support in *sentence*, claims and denials, in its words."""
        found = _MARKUP.findall(sentence)
        told = _SLOT.sub(" ", sentence)
        numbers, about = [*_numbers(told)], self._about(told)
        found += [one for one in numbers if not self._has(one)]
        found += about.misplaced(told)
        found += [one for one in _CODE.findall(told) if one.casefold() not in self.codes]
        claims, strange = stated(told, self.language)
        found += [word for word in strange if word not in self.words]
        advised = _ADVICE.search(fold(told))
        said = {claim for claim, _, _ in claims}
        found += self._alike(fold(told)) if self.parts and _DIFFERS.search(fold(told)) else ()
        for _, phrase in groupby(claims, itemgetter(2)):
            wrong = []
            for (key, value), denied, _ in phrase:
                named = value.split("/") if key == "reason" else [value]
                is_so = any((key, one) in about.claims for one in named)
                is_so = is_so or (value == "chip" and _TAPPED in about.claims & said)
                if self.part and not denied and (key, value) in _OF_PART:
                    is_so = self.part in numbers or (key == "decision" and ("decision", "partial") in said)
                is_so = is_so and not (key == "decision" and self.mixed and _ALL.search(fold(told)))
                if is_so if denied else not is_so and not (advised and key in _ADVISED):
                    wrong.append(f"{'no ' if denied else ''}{key} {value}")
                elif not denied:
                    break  # one true meaning of a phrase is enough
            else:
                found += wrong
        return list(dict.fromkeys(found))

    def _has(self, number: str) -> bool:
        """Whether *number* is known or the difference of two known amounts."""
        if number in self.numbers or not _CENTS.fullmatch(number):
            return number in self.numbers
        apart = int(number.replace(".", ""))
        return apart > 0 and any(one + apart in self.minor_units for one in self.minor_units)

    def _alike(self, folded: str) -> Iterator[str]:
        """What *folded* says differs between two messages although it does not."""
        one, other = self.parts
        names, folded = element_names("1987") | _NOUNS_OF, re.sub(r"([a-z]{3})s\b", r"\1", folded)
        for name in re.findall(rf"\b(?:{present(names, folded)})\b", folded):
            number = names[" ".join(name.split())]
            if one.elements.get(number) == other.elements.get(number):
                yield name
        for key in _NAMED:
            had, has = ({claim for claim in part.claims if claim[0] == key} for part in self.parts)
            if had == has and re.search(rf"\b{key}\b", folded):
                yield key

    def misplaced(self, text: str) -> Iterator[str]:
        """The numbers of *text* that are known, but belong to another element, step or message."""
        money = {one for one in _numbers(text) if _CENTS.fullmatch(one)}
        yield from () if any(map(self._has, money)) else money
        for clause in _CLAUSE.split(text):
            numbers = {*_numbers(clause)}
            if labels := {int(one) for one in _LABEL.findall(clause)} & self.elements.keys():
                own = {f"{one}" for one in self.elements}.union(*(self.elements[one] for one in labels))
                yield from numbers - own
            steps = {
                claim for claim, _, at in stated(clause, self.language)[0] if claim[0] in _STEPS and at >= 0
            }
            told = [known for claims, known in self.steps if known and not steps.isdisjoint(claims)]
            booked = steps & _BOOKED and any(
                _BOOKED & claims and any(map(_CENTS.fullmatch, known)) for claims, known in self.steps
            )
            if (told or booked) and (numbers & money).isdisjoint(set().union(*told)):
                yield from numbers & money

    def _about(self, sentence: str) -> Ground:
        """The one of two messages that *sentence* is about, if it names only one; else both."""
        named = {value for word in words_of(sentence) if (value := phrases_of("which").get(word))}
        return self.parts[int(min(named)) - 1] if self.parts and named in ({"1"}, {"2"}) else self

    def mended(self, text: str) -> tuple[tuple[str, ...], bool]:
        """The sentences of *text*, with unsupported ones struck out; and whether any remains."""
        sentences = [one for one in map(str.strip, _SENTENCE_END.split(text)) if one]
        struck = [bool(self.unknown(one)) for one in sentences]
        made = (STRUCK.format(one) if bad else one for one, bad in zip(sentences, struck, strict=True))
        return tuple(made), not all(struck)


def whole_sentences(text: str) -> tuple[list[str], str]:
    """The complete sentences of *text*, and the rest."""
    *whole, rest = _SENTENCE_END.split(text)
    return [one for one in whole if one.strip()], rest


def _numbers(text: str) -> Iterator[str]:
    """The numbers of *text*: amounts with only a decimal point, others unchanged."""
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


def _claims(text: str) -> Iterator[Claim]:
    """The claims of *text*, which is known to be true."""
    return (claim for claim, no, _ in stated(text, known=True)[0] if not (no and claim[0] == "fact"))


def stated(
    text: str, language: str = "en", *, known: bool = False
) -> tuple[list[tuple[Claim, bool, int]], list[str]]:
    """The claims of *text*, whether each is denied, and where it is; and the words that no table has.
    *known*: *text* is known to be true."""
    rows, longest = _table()
    folded = fold(text)
    words = [found[0] for found in TOKEN.finditer(_DECIMAL.sub("", folded)) if found[0] not in "-./()"]
    words = [word for word in words if word not in phrases_of("copula")]
    read = bool(known or _READING.search(folded))
    claims: list[tuple[Claim, bool, int]] = []
    strange: list[str] = []
    verbs: list[tuple[int, str]] = []
    sums_at: list[int] = []
    at, last, denied = 0, 0, False
    while at < len(words):
        sizes = range(min(longest, len(words) - at), 0, -1)
        size = next((size for size in sizes if tuple(words[at : at + size]) in rows), 1)
        phrase = tuple(words[at : at + size])
        pairs = rows.get(phrase) or _inflected(phrase[0])
        verbs += [(at, key) for key, _ in pairs if key in ("gets", "moves")]
        sums_at += [at for key, _ in pairs if key in ("money", "currency")]
        said = [
            _CARD.get(key, (key.rstrip("!"), value)) for key, value in pairs if key in _CLAIMS or key in _CARD
        ]
        if said:
            before = words[max(last, at - _NEAR) : at]
            if not (denied and before and _OR.issuperset(before)):
                ends = [place + 1 for place, word in enumerate(before) if word in _ENDS]
                denied = _denies(before[max(ends, default=0) :], language)
            claims += [
                ((key, value), denied and key in _DENIED and not _denies(phrase, language), at)
                for key, value in said
                if read or key != "entry" or value not in _NOUNS or size > 1
            ]
        elif not _says_nothing(pairs):
            every = (word.removesuffix("'s") for word in phrase if word[0].isalpha())
            strange += [word for word in every if not _says_nothing(rows.get((word,)) or _inflected(word))]
        at += size
        last = at if said else last
    others: list[Claim] = []
    for found in _PIN_TYPED.finditer(folded):
        clause = re.split("[.,;]", folded[: found.end()])[-1]
        others.append(("option", "pin=no" if _denies(_WORD.findall(clause), language) else "pin=yes"))
    others += [("answer", code.upper()) for code in _ANSWER_CODE.findall(folded)]
    others += [("currency", phrases_of("currency").get(sign, sign)) for sign in _SIGNS.findall(folded)]
    claims += [(claim, False, at + place) for place, claim in enumerate(others)]
    for (place, verb), money in product(verbs, () if known else sums_at):
        between = words[min(place, money) : max(place, money) + 1]
        if len(between) <= _NEAR and _ENDS.isdisjoint(between):
            # money that somebody gets is credited; money that moves may be charged, too
            denied = _denies([*words[max(0, min(place, money) - _NEAR) : money], *between], language)
            moved = (("fact", "credited"), *((_CHARGED,) if verb == "moves" else ()))
            claims += [(claim, denied, -1 - place) for claim in moved]
    return claims, strange


@cache
def negations() -> frozenset[str]:
    """The words of negation."""
    every = (row["phrases"].split("|") for row in read_csv("descriptions/told") if row["key"] == "not")
    return frozenset(word for words in every for word in words)


def _denies(words: Iterable[str], language: str) -> bool:
    """Whether *words* have a negation; in Portuguese, `no` is `in the`."""
    return any(
        (word in negations() and (word, language) != ("no", "pt")) or word.endswith("n't") for word in words
    )


@cache
def _inflected(word: str) -> tuple[Claim, ...]:
    """The meanings of *word* with another ending: a claim rather than a neutral word."""
    rows = _table()[0]
    found = [rows[(form,)] for form in inflected(word, _STEM) if (form,) in rows]
    return min(found, key=_says_nothing, default=())


def _says_nothing(pairs: Iterable[Claim]) -> bool:
    return any(key in _PLAIN for key, _ in pairs)


@cache
def _table() -> tuple[dict[tuple[str, ...], tuple[Claim, ...]], int]:
    """The meanings of each phrase, by its words without copulas; rows of explanations come before those of
    descriptions."""
    own: dict[tuple[str, ...], tuple[Claim, ...]] = {}
    for row in read_csv("descriptions/told"):
        for phrase in row["phrases"].split("|"):
            own[words_of(phrase)] = (*own.get(words_of(phrase), ()), (row["key"], row["value"]))
    bare: dict[tuple[str, ...], tuple[Claim, ...]] = {}
    names = {words_of(name): _IDLE for version in VERSIONS for name in element_names(version)}
    for rows in (own, phrases()[0], names):
        for words in sorted(rows, key=len):
            bare.setdefault(tuple(word for word in words if word not in phrases_of("copula")), rows[words])
    return bare, max(map(len, bare))
