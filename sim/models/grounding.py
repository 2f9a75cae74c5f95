"""Check what a text states about a message against the facts.

A sentence is supported if each of its clauses restates a fact and all its words are understood. It is false
if it has a number, code, name or decision that the facts do not have, or if it is understood and a fact
excludes it. Otherwise it is unchecked: it may be right, but the message does not prove it. Sentences are read
like descriptions, by tables of words in five languages; a word that is in none of them makes a sentence
unchecked, never false.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from functools import cache
from itertools import chain, takewhile
from typing import NamedTuple

from sim.errors import MTI_FIELD
from sim.exchanges.lexicon import element_names, fold, pattern, phrases, phrases_of, values_of, words_of
from sim.models import figures
from sim.spec import VERSIONS, currency
from sim.spec.tables import read_csv

STRUCK = "~~{}~~"
Claim = tuple[str, str]
# What the facts must have, by the part of the facts that has it.
_OUTCOME = ("decision", "reason", "code")
_PURPOSE = ("head", "then", "alone", "kind")
_CIRCUMSTANCES = ("entry", "option", "card", "wallet", "fault")
_OTHERS = ("network", "country", "currency", "trade", "why", "count", "fact")
_CLAIMS = frozenset((*_OUTCOME, *_PURPOSE, *_CIRCUMSTANCES, *_OTHERS))
# A message has one value of these: another one is false, and a denial of another one true.
_ONE_OF = frozenset(
    ("decision", "reason", "entry", "network", "country", "currency", "alone", "why", "card", "trade")
)
_PURPOSES = ("refund", "cash")  # of another purpose, text may tell what is or will be
_NAMES = ("network", "country", "currency")  # a name is false in whatever sentence it is
_NEUTRAL = frozenset(("idle", "order", "request", "answer", "amountword", "currencyword", "number"))
_CARD = {"presence": ("card", "present"), "absence": ("card", "absent")}
_ABSENT = frozenset((("entry", "ecommerce"), ("entry", "moto"), ("entry", "stored")))
_TAPPED = ("entry", "contactless")  # also read from the chip
_CHARGED = ("fact", "charged")
_MADE = ("decision", "made")
_APPROVED, _PARTIAL, _DECLINED = (("decision", value) for value in ("approved", "partial", "declined"))
_OF_ISSUERS = frozenset(("decision", "answer", "reason", "coded"))  # what they do
_BY = ("by", "von", "vom", "por", "pelo", "pela", "par")
_CODED = ("code", "codigo")  # beside a decision, they are its code
_OR = {"or", "nor", "oder", "noch", "ni", "ou", "nem", "o"}
_RESTATED = 3  # words of a clause that a fact repeats
_PART = re.compile(r"(?:approved for|Only) (\d[\d.,]*)(?: [A-Z]{3})? of (\d[\d.,]*)")
_PORTUGUESE_IS = re.compile(r"\bé\b", re.IGNORECASE)  # without its accent it is `and`
_FUNCTION = re.compile(r" \d\d(\d)\d ")  # the third digit of an MTI
_APPROVAL = re.compile(r"approval code \w+")
# Links, markup and invisible characters; then the names in braces that the program fills in.
_MARKUP = re.compile(
    r"https?:|www\.|[<>#`|\[\]]|\w\.\w+/|[^\S \t\n\u00a0\u202f]|[\x00-\x08\u200b-\u200f\ud800-\udfff]"
)
_SLOT = re.compile(r"\{\w{1,40}\}")
_CURRENCIES = (49, 50, 51)
_NOWHERE = -1  # the place of a value that no element has
_STEP = re.compile(r", then |[;:]| and ")
_STANDARD = "8583"


class Verdict(Enum):
    """What the facts say of a sentence."""

    SUPPORTED = "supported"
    UNCHECKED = "unchecked"
    FALSE = "false"


@dataclass(slots=True)
class Facts:
    """The facts on a message: all `texts`, and of these the ones on the decision, on the card entry and on
    the purpose; other texts may mention them, too. `answers` are also decisions of an exchange that are not
    the final one, `elements` the texts on each element, `names` other names and values."""

    texts: list[str] = field(default_factory=list)
    decided: str = ""
    answers: str = ""
    entered: str = ""
    requested: str = ""
    elements: dict[int, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    def add(self, other: Facts) -> None:
        """Include the facts on another message."""
        self.texts += other.texts
        self.names += other.names
        for name in ("decided", "answers", "entered", "requested"):
            setattr(self, name, f"{getattr(self, name)} . {getattr(other, name)}")
        for number, text in other.elements.items():
            self.elements[number] = f"{self.elements.get(number, '')} . {text}"


_Finding = tuple[str, str]  # a kind and a text
_KINDS = ("false", "excluded", "unsure", "strange", "proof")


class _Unit(NamedTuple):
    """A piece of a sentence: a phrase and its meanings, or a number, code, label or slot."""

    kind: str
    text: str
    pairs: tuple[Claim, ...] = ()

    def has(self, key: str, value: str | None = None) -> bool:
        return any(one == key and value in (None, other) for one, other in self.pairs)


class Ground:
    """The statements that *facts* support, in sentences in *language*."""

    def __init__(self, facts: Facts, language: str = "en") -> None:
        texts = [[_units(one) for one in figures.sentences(text)] for text in facts.texts]
        self.language = language
        # The elements that have each value.
        self.places: dict[str, set[int]] = {_STANDARD: {_NOWHERE}}
        for number, text in facts.elements.items():
            for value in _values(chain.from_iterable(map(_units, text.split(" . ")))):
                self.places.setdefault(value, set()).add(number)
        self.elements = facts.elements.keys()
        sentences = [*chain.from_iterable(texts)]
        pairs = {pair for units in sentences for unit in units for pair in unit.pairs}
        for value in _values(chain.from_iterable(sentences)):
            self.places.setdefault(value, {_NOWHERE})
        for code in [code for key, one in pairs if key == "currency" and (code := currency(one))]:
            self.places.setdefault(code.numeric, set()).update(_CURRENCIES)
        self.claims = {
            claim
            for keys, units in (
                (_OUTCOME, [_units(facts.decided)]),
                (_CIRCUMSTANCES, [_units(facts.entered)]),
                (_PURPOSE, [_units(facts.requested)]),
                (_OTHERS, sentences),
            )
            for claim in _claims(*units)
            if claim[0] in keys
        }
        self.claims |= {("code", code) for code in re.findall("[0-9A-Z]+", facts.decided)}
        self.answer_codes = {*re.findall("[0-9A-Z]+", _APPROVAL.sub("", facts.decided))}
        if any(key == "entry" for key, _ in self.claims):
            self.claims.add(("card", "present" if _ABSENT.isdisjoint(self.claims) else "absent"))
        self.part = self.rest = ""  # of a partial approval, what is approved and what is not
        if found := _PART.search(" . ".join(facts.texts)):
            part, whole = (Decimal(figures.numbers(one)[0]) for one in found.groups())
            self.part, self.rest = f"={part}", f"={whole - part}"
            self.claims.add(_PARTIAL)
        self.claims |= {_MADE} if any(key == "decision" for key, _ in self.claims) else set()
        if ("head", "purchase") in self.claims and self.claims.isdisjoint((_DECLINED, ("then", "reversal"))):
            self.claims.add(("fact", "paid"))
        self.turns = {
            ("turn", "answer" if int(digit) % 2 else "request")
            for digit in _FUNCTION.findall(facts.elements.get(MTI_FIELD, ""))
        }
        self.values: dict[str, set[str]] = {}
        for key, value in self.claims:
            self.values.setdefault(key, set()).add(value)
        self.answers = {*_claims(_units(facts.answers)), *self.claims, _MADE}
        self.cents = {cents for one in self.places if (cents := figures.cents(one)) is not None}
        steps = map(_units, _STEP.split(facts.decided))
        self.steps = [(set(_claims(units)), set(_values(units))) for units in steps]
        named = (one for key, value in self.claims if key in _NAMES for one in values_of(key).get(value, ()))
        proper = re.findall(r"\b[A-Z][\w'-]+", " ".join((*facts.elements.values(), *facts.names)))
        self.words = {*re.findall("[a-z]+", fold(" ".join((*proper, *named))))}
        self.clauses = [_tokens(clause) for units in sentences for clause in _clauses(units)]
        self.texts = f" {' . '.join(' '.join(_tokens(chain.from_iterable(text))) for text in texts)} "

    def judge(self, sentence: str) -> tuple[Verdict, list[str]]:
        """The verdict on *sentence*, and what in it is false or not supported."""
        if found := _MARKUP.findall(sentence):
            return Verdict.FALSE, found
        units = _units(sentence)
        findings: list[_Finding] = []
        named: set[int] = set()
        decided = False
        original = _named([unit for unit in units if unit.has("original")])
        for clause in _clauses(units):
            keys = {key for unit in clause for key, _ in unit.pairs}
            follows = keys.isdisjoint(_CLAIMS)  # declined, code 51
            named = original or _named(clause) or (named if follows else set())
            decided = (decided and follows) or not keys.isdisjoint(("decision", "reason"))
            findings += self._clause(clause, named, decided)
        false, excluded, unsure, strange, proof = (
            [text for one, text in findings if one == kind] for kind in _KINDS
        )
        if self._restated(units):
            unsure, strange, proof = [], [], [sentence]
        elif any(unit.has("hedge") for unit in units):
            return Verdict.UNCHECKED, [*false, *excluded, *unsure, *strange]
        if false or (excluded and not strange):
            return Verdict.FALSE, [*false, *excluded]
        if excluded or unsure or strange or not proof:
            return Verdict.UNCHECKED, [*excluded, *unsure, *strange]
        return Verdict.SUPPORTED, []

    def _clause(self, clause: list[_Unit], named: set[int], decided: bool) -> list[_Finding]:
        """What is found in *clause*, which names the elements *named* and tells a decision if *decided*, or
        follows a clause that does."""
        found: list[_Finding] = []
        amounts = _amounts(clause)
        pairs = {pair for unit in clause for pair in unit.pairs}
        keys = {key for key, _ in pairs}
        labels = {int(unit.text) for unit in clause if unit.kind == "label"} & self.elements
        denied, last = False, -1
        for at, unit in enumerate(clause):
            claims = [pair for pair in unit.pairs if pair[0] in _CLAIMS]
            if unit.kind in ("number", "code") or unit.has("value"):
                found.append((self._figure(clause, at, named, decided), unit.text))
            elif unit.kind == "slot" or (unit.kind == "label" and int(unit.text) in labels):
                found.append(("proof", unit.text))
            elif claims:
                before = clause[last + 1 : at]
                if not (denied and any(one.text in _OR for one in before)):
                    after = clause[at + 1 :] if self.language == "de" else ()  # lehnt den Kauf nicht ab
                    denied = self._denies((*before, *after))
                last = at
                is_denied = denied and not self._denies([unit])
                found += self._claimed(claims, is_denied, amounts, pairs)
            elif unit.has("city"):
                known = self.words.issuperset(unit.text.split())
                near = any(("country", one) in self.claims for _, one in unit.pairs)
                found.append(("proof" if known else "strange" if near else "false", unit.text))
            elif unit.has("bears") and "reason" not in keys:
                money = amounts or "currency" in keys
                found += [("unsure", unit.text)] if money and not labels else []
            elif unit.has("reads"):
                found += [] if "entry" in keys else [("unsure", unit.text)]
            elif not unit.pairs or unit.has("vague") or unit.has("measure"):
                if unit.has("idle") or (at and unit.has("measure") and clause[at - 1].kind == "number"):
                    continue
                found += [] if self.words.issuperset(unit.text.split()) else [("strange", unit.text)]
        if len(clause) >= _RESTATED and not ("proof" in dict(found) or self._restated(clause)):
            found.append(("unsure", "no fact"))
        if self.language != "de" and self._denies(clause[last + 1 :]):
            found.append(("unsure", "what is denied"))
        found += [("unsure", "another party")] if _mistakes_roles(clause) else []
        words = (word for unit in clause[1:] if not unit.has("coded") for word in unit.text.split())
        turns = {pair for word in words for pair in _table()[0].get((word,), ()) if pair[0] == "turn"}
        if turns and turns.isdisjoint(self.turns) and keys.isdisjoint(("decision", "asks", "coded")):
            found += [("unsure", "another message")]
        purposes = {pair for pair in pairs if pair[0] in _PURPOSE}
        steps = [numbers for claims, numbers in self.steps if numbers and purposes & claims]
        if steps and len(self.cents) > 1 and amounts.isdisjoint(set().union(*steps)):
            found += [("unsure", amount) for amount in amounts]
        return found

    def _figure(self, clause: list[_Unit], at: int, named: set[int], decided: bool) -> str:
        """What the figure at *at* is; *named*: the elements of its clause; *decided*: it has a decision."""
        unit = clause[at]
        before = clause[max(0, at - 2) : at]
        after = clause[at + 1] if at + 1 < len(clause) else None
        if any(one.has("coded", "answer") for one in before):
            return "proof" if unit.text.upper() in self.answer_codes else "false"
        if any(one.has("coded") for one in before) or (decided and before[-1:] and before[-1].text in _CODED):
            return "proof" if ("code", unit.text.upper()) in self.claims else "false"
        values = [value for _, value in unit.pairs]
        places = {place for value in values for place in self.places.get(value, ())}
        counted = after is not None and after.has("measure")
        if not places and not any(self._is_difference(value) for value in values):
            return "strange" if counted else "false"
        if after is not None and counted and f" {unit.text} {after.text} " not in self.texts:
            return "unsure"
        is_money = any(value[0] == "=" for value in values) and (not places or _NOWHERE in places)
        if is_money or not named.isdisjoint(places):
            return "proof"
        kinds = {figures.kind(value) for value in values}
        own = {figures.kind(value) for value, ones in self.places.items() if not named.isdisjoint(ones)}
        missing = not own and _NOWHERE not in places
        return "unsure" if named and (missing or not own.isdisjoint(kinds)) else "proof"

    def _claimed(
        self, claims: list[Claim], denied: bool, amounts: set[str], pairs: set[Claim]
    ) -> list[_Finding]:
        """Whether one of the *claims* of a phrase is so or, *denied*, not so; *amounts* and *pairs* are those
        of its clause."""
        if denied and _CHARGED in claims and self.values.get("decision") == {"declined", "made"}:
            return [("proof", "not charged")]
        found: list[_Finding] = []
        for key, value in claims:
            have = self.values.get(key, set())
            so = value in have or any(value in one.split("/") for one in have)
            so = so or any(one in have for one in value.split("/"))
            if value[0:1] == "*":  # a sign of several currencies
                so = any(re.search(value[1:], fold(code.name)) for one in have if (code := currency(one)))
            if (key, value) == _APPROVED and self.part and not denied:
                so = _PARTIAL in pairs if not amounts else self.part in amounts
                so &= self.rest not in amounts - {self.part}
            elif (key, value) == _DECLINED and self.part and not denied:
                so = self.rest in amounts and self.part not in amounts - {self.rest}
            one_of = key in _ONE_OF or value in _PURPOSES
            if so != denied and (so or (one_of and (have or key == "decision"))):
                return [("proof", value)]
            text = f"{'no ' if denied else ''}{key} {value}"
            decided = so if denied else amounts if self.part else (key, value) not in self.answers
            if (key in _NAMES and not denied) or (key == "decision" and decided):
                found.append(("false", text))
            elif one_of and (so if denied else have) and not (value == "chip" and _TAPPED in self.claims):
                found.append(("excluded", text))
            else:
                found.append(("unsure", text))
        unsure = [finding for finding in found if finding[0] == "unsure"]
        return unsure or found

    def _denies(self, units: Iterable[_Unit]) -> bool:
        """Whether *units* have a negation; in Portuguese, `no` is `in the`."""
        words = (word for unit in units for word in unit.text.split())
        return any(
            (word in _negations() and (word, self.language) != ("no", "pt")) or word.endswith("n't")
            for word in words
        )

    def _restated(self, units: list[_Unit]) -> bool:
        """Whether a fact has the words of *units*, or a clause of it has them in their order, with as many
        negations."""
        words = _tokens(units)
        if len(words) < _RESTATED:
            return False
        for clause in self.clauses:
            left = iter(clause)
            if all(word in left for word in words) and _denials(words) == _denials(clause):
                return True
        return f" {' '.join(words)} " in self.texts

    def _is_difference(self, value: str) -> bool:
        """Whether *value* is the difference of two known amounts."""
        apart = figures.cents(value) or 0
        return apart > 0 and any(one + apart in self.cents for one in self.cents)


class Compared:
    """The statements that two messages support, by their names."""

    def __init__(self, parts: Mapping[str, Ground]) -> None:
        self._parts = tuple(parts.values())
        which = {name: int(one) - 1 for name, one in phrases_of("which").items() if one in ("1", "2")}
        self._named = {f"in {fold(name)}": at for at, name in enumerate(parts)} | which
        every = "|".join(map(re.escape, sorted(self._named, key=len, reverse=True)))
        self._name = re.compile(rf"\b(?:{every})\b")

    def judge(self, sentence: str) -> tuple[Verdict, list[str]]:
        """The verdict on *sentence*: of the message that it names, or else of both."""
        found = [*self._name.finditer(fold(sentence))]
        named = {self._named[one[0]] for one in found}
        for one in reversed(found):
            sentence = sentence[: one.start()] + sentence[one.end() :]
        verdicts = [part.judge(sentence) for part in self._parts]
        false = [set(texts) if verdict is Verdict.FALSE else set() for verdict, texts in verdicts]
        if in_both := set.intersection(*false):
            return Verdict.FALSE, sorted(in_both)
        own = [verdict for at, (verdict, _) in enumerate(verdicts) if at in named or not named]
        if own.count(Verdict.SUPPORTED) == len(own) and len(named) < len(verdicts):
            return Verdict.SUPPORTED, []
        return Verdict.UNCHECKED, [text for _, some in verdicts for text in some]


def _denials(words: Iterable[str]) -> int:
    return sum(word in _negations() for word in words)


def _named(clause: list[_Unit]) -> set[int]:
    """The elements that *clause* names."""
    pairs = (pair for unit in clause if unit.kind != "owner" for pair in unit.pairs)
    names = [value for key, value in pairs if key in ("element", "original")]
    names += [unit.text for unit in clause if unit.kind == "label"]
    return {int(number) for value in names for number in value.split("/")}


def _amounts(clause: list[_Unit]) -> set[str]:
    meant = [[value for key, value in unit.pairs if key == "value"] for unit in clause]
    return {value for one in meant for value in one if value[0] == "=" and "-" not in "".join(one)}


def _mistakes_roles(clause: list[_Unit]) -> bool:
    """Whether *clause* says of a party what is another's. The first party, or the one after `by`, acts:
    issuers decide, answer and do nothing else; networks and cardholders reverse nothing. A party that owns
    something comes after `of` or has an `'s`; one that is decided on has no preposition."""
    pairs = {pair for unit in clause for pair in unit.pairs}
    keys = {key for key, _ in pairs}
    decided = not keys.isdisjoint(("decision", "coded"))
    units = [unit for unit in clause if unit.has("of") or not unit.has("article")]
    by = next((at for at, unit in enumerate(units) if unit.text in _BY), len(units))
    parties = [at for at in (*range(by, len(units)), *range(by)) if units[at].has("party")]
    agent = next((at for at in parties if not _owned(units, at)), None)
    for at in parties:
        before = units[at - 1] if at else _Unit("mark", "")
        if owned := _owned(units, at):
            wrong = not _may_own(units[at], owned)
        elif before.has("asks"):
            wrong = units[at].has("party", "acquirer")
        else:
            wrong = decided and at != agent and not (before.has("preposition") or before.has("of"))
        if wrong:
            return True
    if agent is None:
        return False
    party = units[agent]
    if "asks" not in keys and not party.has("party", "other") and "does" in keys:
        return True
    if party.has("party", "issuer"):
        verbs = (unit for unit in units[agent:] + units[:agent] if any(map(unit.has, ("asks", *_OF_ISSUERS))))
        verb = next(verbs, None)
        return not any(unit.has("asks") for unit in units[:agent]) and (verb is None or verb.has("asks"))
    is_acquirer = party.has("party", "acquirer")
    if (decided or (is_acquirer and "reason" in keys)) and ("party", "issuer") not in pairs:
        return True
    return not is_acquirer and ("then" in keys or ("head", "refund") in pairs)


def _may_own(party: _Unit, owned: _Unit) -> bool:
    """Whether something may be called *owned* by *party*: cards and accounts are of cardholders, decisions of
    issuers, purchases of neither issuers nor acquirers."""
    if party.has("party", "other"):
        return not owned.has("decision")
    if owned.has("owned") or owned.has("reason") or owned.has("party", "issuer"):
        return False
    if party.has("party", "issuer"):
        return not (owned.has("head") or owned.has("party"))
    return not owned.has("head") or owned.has("head", "refund")


def _owned(units: list[_Unit], at: int) -> _Unit | None:
    """What the party at *at* owns, if anything; *units* has no articles."""
    if units[at].kind == "owner":
        return units[at + 1] if at + 1 < len(units) else None
    before = at - 1
    while before >= 0 and units[before].has("of"):
        before -= 1
    return units[before] if 0 <= before < at - 1 else None


def whole_sentences(text: str) -> tuple[list[str], str]:
    """The complete sentences of *text*, and the rest."""
    *whole, rest = figures.sentences(text)
    return [one.strip() for one in whole if one.strip()], rest


def _values(units: Iterable[_Unit]) -> Iterator[str]:
    """The values of *units*, and what they imply."""
    return figures.implied(value for unit in units for key, value in unit.pairs if key == "value")


def _claims(*sentences: list[_Unit]) -> Iterator[Claim]:
    """The claims of *sentences*, which are known to be true."""
    for clause in chain.from_iterable(map(_clauses, sentences)):
        denied = False
        for unit in clause:
            yield from (
                pair for pair in unit.pairs if pair[0] in _CLAIMS and not (denied and pair[0] == "fact")
            )
            denied |= not _negations().isdisjoint(unit.text.split())


def _tokens(units: Iterable[_Unit]) -> list[str]:
    words = (word for unit in units for word in unit.text.split() if unit.kind != "mark")
    return ["a" if word == "an" else word for word in words]


def _clauses(units: list[_Unit]) -> list[list[_Unit]]:
    """The clauses of a sentence, at its marks and conjunctions."""
    made: list[list[_Unit]] = [[]]
    for unit in units:
        if unit.kind == "mark" or unit.has("clause"):
            made.append([])
        else:
            made[-1].append(unit)
    return [clause for clause in made if clause]


def _units(text: str) -> list[_Unit]:
    """The pieces of *text*; of words, the longest phrase that a table has."""
    rows, longest = _table()
    text = _PORTUGUESE_IS.sub("era", re.sub("[\x01\x02]", "", text))
    text = pattern("label").sub("\x02\\1 ", _SLOT.sub("\x01", text))
    pieces = [piece for piece in figures.pieces(fold(text)) if piece.text not in phrases_of("copula")]
    units: list[_Unit] = []
    at = 0
    while at < len(pieces):
        kind, piece, values = pieces[at]
        near = pieces[at : at + longest.get(piece, 1)]
        words = tuple(one.text for one in takewhile(lambda one: one.kind in ("word", "number"), near))
        size = next((size for size in range(len(words), 0, -1) if words[:size] in rows), 0)
        if size and (kind == "word" or size > 1):
            units.append(_Unit("word", " ".join(words[:size]), rows[words[:size]]))
        elif kind == "word":
            bare = piece.removesuffix("'s")
            units.append(_Unit("word" if bare == piece else "owner", bare, rows.get((bare,), ())))
        else:
            units.append(_Unit(kind, piece, tuple(("value", value) for value in sorted(values))))
        at += size if units[-1].kind == "word" and size else 1
    minor = any(unit.has("minor") for unit in units)
    return [_as_money(units, at, minor) for at in range(len(units))]


def _as_money(units: list[_Unit], at: int, minor: bool) -> _Unit:
    """The unit at *at*; a number beside a currency is an amount, with *minor* perhaps in minor units."""
    unit = units[at]
    near = [*units[max(0, at - 1) : at], *units[at + 1 : at + 2]]
    beside = any(one.has("currency") or one.has("minor") for one in near)
    code = currency(unit.text)
    if code and any(one.has("currency", code.alpha) for one in near):
        return unit
    if unit.kind != "number" or ("value", unit.text) not in unit.pairs or not (beside or minor):
        return unit
    amounts = figures.money(unit.text, minor) | (set() if beside else {unit.text})
    if not unit.text.isdecimal() and near[-1].has("minor"):
        amounts = {f"={unit.text} cents"}
    return unit._replace(pairs=tuple(("value", value) for value in sorted(amounts)))


@cache
def _negations() -> frozenset[str]:
    """The words of negation."""
    every = (row["phrases"].split("|") for row in read_csv("descriptions/told") if row["key"] == "not")
    return frozenset(word for words in every for word in words)


@cache
def _table() -> tuple[dict[tuple[str, ...], tuple[Claim, ...]], dict[str, int]]:
    """The meanings of each phrase, by its words without copulas; rows of explanations come before those of
    descriptions. Also the length of the longest phrase with a first word."""
    own: dict[tuple[str, ...], tuple[Claim, ...]] = {}
    for row in read_csv("descriptions/told"):
        for phrase in row["phrases"].split("|"):
            own[words_of(phrase)] = (*own.get(words_of(phrase), ()), (row["key"], row["value"]))
    names = {
        words_of(name): (("element", f"{number}"),)
        for version in reversed(VERSIONS)
        for name, number in element_names(version).items()
    }
    made: dict[tuple[str, ...], tuple[Claim, ...]] = {}
    known = {*_CLAIMS, *_NEUTRAL, "city", *_CARD}
    for rows in (own, phrases()[0]):
        for words in sorted(rows, key=len):
            pairs = tuple(
                _CARD.get(key, (key.rstrip("!"), value))
                for key, value in rows[words]
                if rows is own or key.rstrip("!") in known
            )
            bare = tuple(word for word in words if word not in phrases_of("copula"))
            if pairs and bare:
                made.setdefault(bare, pairs)
    for words, (pair,) in names.items():
        bare = tuple(word for word in words if word not in phrases_of("copula"))
        made[bare] = (*made.get(bare, ()), pair)
    for name, number in phrases_of("month").items():
        made.setdefault(words_of(name), (("value", f"--{number.zfill(2)}"),))
    longest: dict[str, int] = {}
    for words in made:
        longest[words[0]] = max(len(words), longest.get(words[0], 1))
    return made, longest
