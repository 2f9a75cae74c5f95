"""The vocabulary of descriptions: rows of phrases in English, German, Spanish, Portuguese and French.

The languages share one table with folded accents, so a new language needs rows but no code. Response code
meanings and country names need no rows.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from sim.spec.codes import code_list, countries
from sim.spec.networks import response_codes_of
from sim.spec.tables import read_csv

# Characters that NFD does not decompose; each folds to a single character.
_ODD = {"ß": "s", "’": "'", "–": "-", "—": "-", "ø": "o", "ł": "l", "\u00a0": " ", "\u202f": " "}
# Elided French articles and pronouns: `l'hotel` is two words.
_ELISION = re.compile(r"\b([cdjlmnst]|qu)'(?=[a-z])")
TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[^\s\w]")
_BETWEEN = "-./,()"
# Keys of rows that are not looked up as phrases.
_OTHERS = frozenset(("month", "number", "number-german", "scale", "plural", "mti", "comma", "de22", "de3",
                     "coin", "vague", "relative-day", "no-element", "amount-after", "element", "portuguese",
                     "sized-word", "code-of", "word-city", "copula", "joining", "only-word"))  # fmt: skip
_ENDINGS = ("en", "er", "es", "em", "e", "s", "n", "a", "o", "as", "os", "ed", "ing")
# Pronouns at the end of Spanish and Portuguese verbs: `completala`.
_CLITICS = ("la", "lo", "las", "los", "le")
_STEM, _SLIP = 5, 7
_MATTERS = (*("head", "then", "decision", "reason", "reason!", "kind", "answer", "why", "entry"),
            *("network", "option", "negation", "fault", "repeat"))  # fmt: skip
_CLOSE = 0.85  # our choice: `purchse` is close to purchase
_LABELLED = (3, 19, 22, 23, 25, 26, 70)  # numeric elements without a form of their own
_DECISIONS = ("declined", "pick-up", "referral", "system")


def fold(text: str) -> str:
    """*text* in lower case without accents; the length does not change.

    >>> fold("Überprüfung für 5 Złoty")
    'uberprufung fur 5 zloty'
    """
    if text.isascii():
        return _ELISION.sub(lambda match: f"{match[1]} ", text.lower())
    plain = "".join(_ODD.get(c) or unicodedata.normalize("NFD", c)[0].lower()[:1] for c in text)
    return _ELISION.sub(lambda match: f"{match[1]} ", plain)


def words_of(text: str) -> tuple[str, ...]:
    """The words and symbols of *text*, folded."""
    if text.islower() and text.isascii() and text.replace(" ", "").isalpha():
        return tuple(text.split())
    return tuple(token for token in TOKEN.findall(fold(text)) if token not in _BETWEEN)


@cache
def _parts(name: str) -> frozenset[str]:
    return frozenset(TOKEN.findall(name))


def present(names: Iterable[str], text: str) -> str:
    """A pattern for those of *names* whose words are in the folded *text*, the longest first: one for all
    names takes longer to compile than a description takes to read."""
    words = frozenset(TOKEN.findall(text))
    matches = sorted((name for name in names if _parts(name) <= words), key=len, reverse=True)
    return "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in matches) or "(?!)"


@cache
def values_of(key: str) -> dict[str, tuple[str, ...]]:
    """The phrases of each value of *key*."""
    by_value: dict[str, tuple[str, ...]] = {}
    for row in read_csv("descriptions/words"):
        if row["key"] == key:
            by_value[row["value"]] = (*by_value.get(row["value"], ()), *row["phrases"].split("|"))
    return by_value


@cache
def phrases_of(key: str) -> dict[str, str]:
    """The value of each phrase of *key*."""
    return {phrase: value for value, phrases in values_of(key).items() for phrase in phrases}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The pattern *name* of words around values: `joined` is what comes between a word and its amount."""
    return re.compile(
        next(row["pattern"] for row in read_csv("descriptions/patterns") if row["name"] == name)
    )


@cache
def element_names(version: str) -> dict[str, int]:
    """Element numbers by name in *version*, without names that also mean something else."""
    rows = [row for row in read_csv("element_names") if version in (row["versions"] or version)]
    names = {name: int(row["number"]) for row in rows for name in row["said"].split("|")}
    names |= {name: int(number) for name, number in phrases_of("element").items()}
    return {name: number for name, number in names.items() if name not in phrases_of("no-element")}


@cache
def labels() -> dict[str, int]:
    """Names of elements whose value follows the name: `pos condition code 08`."""
    return {name: number for name, number in element_names("1987").items() if number in _LABELLED}


def forms(text: str, amounts: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Patterns for values with a form of their own: key, how to read it, pattern, with the names in the
    folded *text*; *amounts* are the patterns of their blanks for amounts."""
    blanks = {
        **amounts,
        "{coin}": "|".join(phrases_of("coin")),
        "{sep}": r"\s*(?:[:=#]|\bis\b|\bto\b|\bnumber\b|\bno\.)?\s*",
        "{on}": r"\b(?:(?:on|am|el|em|le|dated|date)\s+(?:the )?)?",
        "{month}": present(phrases_of("month"), text),
        "{money}": f"(?:{present(phrases_of('currency'), text)}|minor|cents?)",
        "{lacking}": r"without|remov(?:e|ing)|drop(?:ping)?|delet(?:e|ing)|strip|missing|lacks|lacking|no"
        r"|omit|omitting|leave out|leaving out|excluding"
        "|(?:do|does) not (?:include|send|contain|have)|ohne|sin|sem|sans|fehlende[rs]?",
        "{label}": present(labels(), text),
        "{other}": "".join(f"(?<!{word} )" for word in phrases_of("code-of")),
        "{element}": present(element_names("1987"), text),
    }
    for row in read_csv("descriptions/forms"):
        pattern = row["pattern"]
        for blank, filled in blanks.items():
            pattern = pattern.replace(blank, filled)
        yield row["key"], row["read"], pattern


@cache
def meanings() -> dict[str, str]:
    """Meanings of response codes that do not approve, by their folded text."""
    texts = [code.meaning for code in response_codes_of() if code.kind in _DECISIONS]
    texts += [code.meaning for code in code_list("response_code") if code.kind in _DECISIONS]
    return {fold(meaning.partition(" (")[0]): meaning for meaning in texts}


@cache
def long_meanings() -> tuple[str, ...]:
    """The meanings longer than a phrase, the longest first."""
    every = (text for text in meanings() if re.search(", | or | not |/", text))
    return tuple(sorted(every, key=len, reverse=True))


@cache
def phrases() -> tuple[dict[tuple[str, ...], tuple[tuple[str, str], ...]], int]:
    """The meanings of each phrase, pairs of key and value, by its words; and the length of the longest."""
    by_words: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for row in read_csv("descriptions/words"):
        key, pair = row["key"], (row["key"], row["value"])
        for phrase in row["phrases"].split("|") if key not in _OTHERS else ():
            kept = by_words.setdefault(words_of(phrase), [])
            if pair not in kept and not (key == "filler" and kept):
                kept.append(pair)
    sure = {name for value in values_of("reason!") for name in value.split("/")}
    for text, meaning in meanings().items():
        by_words.setdefault(words_of(text), [("reason!" if meaning in sure else "reason", meaning)])
    for row in read_csv("regions"):
        by_words.setdefault(words_of(row["name"]), [("region", row["country"])])
    for row in read_csv("merchants"):
        for phrase in filter(None, row["words"].split("|")):
            by_words.setdefault(words_of(phrase), [("trade", row["mcc"])])
    for land in countries():
        by_words.setdefault(words_of(land.name), [("country", land.alpha2)])
    for words in [words for words in by_words if any("ss" in word for word in words)]:
        # `ß` folds to one letter, but people also write `ss`
        by_words.setdefault(tuple(word.replace("ss", "s") for word in words), by_words[words])
    return {words: tuple(pairs) for words, pairs in by_words.items()}, max(map(len, by_words))


def variant(word: str) -> str:
    """The word in the table that differs from *word* only in its ending: `abgelehnte` is declined."""
    table = phrases()[0]
    if word in phrases_of("number"):
        return word  # `trente` is not Trento
    stems = [word, *(word.removesuffix(end) for end in (*_ENDINGS, *_CLITICS) if word.endswith(end))]
    forms = (stem + end for stem in stems if len(stem) >= _STEM for end in ("", *_ENDINGS))
    return next((one for one in forms if any(key != "filler" for key, _ in table.get((one,), ()))), word)


@cache
def _meaningful() -> dict[str, list[str]]:
    """The words that determine what a message is, by first letter."""
    by_letter: dict[str, list[str]] = {}
    every = (words for words, pairs in phrases()[0].items() if any(key in _MATTERS for key, _ in pairs))
    for word in {word for words in every for word in words if len(word) >= _STEM}:
        by_letter.setdefault(word[0], []).append(word)
    return by_letter


def like(word: str) -> str:
    """The meaningful word that *word* may misspell; empty if there is none."""
    if len(word) < _STEM:
        return ""
    near = [candidate for candidate in _meaningful().get(word[0], ()) if abs(len(candidate) - len(word)) <= 2]
    return next(iter(difflib.get_close_matches(word, near, 1, _CLOSE)), "")


def slip(word: str) -> str:
    """The meaningful word of which *word* is a typo: two letters swapped, one added or one missing. Empty if
    there is none, or if several differ in meaning."""
    if len(word) < _SLIP:
        return ""
    table = phrases()[0]
    lost = _less(word)
    turned = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)}
    near = {
        candidate
        for candidate in _meaningful().get(word[0], ())
        if candidate in lost | turned or word in _less(candidate)
    }
    near = {candidate for candidate in near if (candidate,) in table}
    return min(near, default="") if len({table[(candidate,)] for candidate in near}) == 1 else ""


@cache
def _less(word: str) -> frozenset[str]:
    """*word* without any one letter after the first."""
    return frozenset(word[:at] + word[at + 1 :] for at in range(1, len(word)))


def known_from(words: tuple[str, ...]) -> bool:
    """Whether *words* begin with a known phrase."""
    return any(words[:size] in phrases()[0] for size in range(1, len(words) + 1))


def says(words: str, *keys: str) -> bool:
    """Whether *words* are a phrase of one of *keys*."""
    return any(key in keys for key, _ in phrases()[0].get(words_of(words), ()))
