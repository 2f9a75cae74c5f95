"""Read a description by rules: which words mean what, and which are unknown.

Values with a form of their own come first (codes, cards, dates, labeled elements), then amounts and the names
of merchants and places; the rest is looked up phrase by phrase, the longest first. A word that no row has
stays unknown: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from sim.elements import dates
from sim.exchanges import lexicon, sums
from sim.exchanges.lexicon import TOKEN, fold, phrases_of, words_of
from sim.masking import mask_piece
from sim.masking.search import SHORTEST_PAN
from sim.spec import currency as currency_of

_ALLOWED = frozenset(",.;:-()!/\"'—&=#+*>[]{}|“”„«»‘’_~")
_TAKEN = "\x00"
_NO_TOKEN = "-./,()" + _TAKEN
_CARD_AND_AMOUNT = (2, 4)  # elements with values as long as a card number
_NOON = (12, 0, 0)
_Token = tuple[str, int, int]  # a word, its start and end
# Words of one language that in capitals are abbreviations of the field.
_CAPITALS = frozenset({("mit",), ("cit",)})


@dataclass(slots=True)
class Mark:
    """Words of a description, from *start* to *end*, that give *key* the *value*."""

    key: str
    value: Any
    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class Sum:
    """An amount with its currency; `vague` if other currencies share the name. If only the place tells the
    currency, as for `*peso`, `figures` is the number."""

    minor_units: int
    currency: str
    vague: bool = False
    figures: str = ""


class Reader:
    """A description and its `marks`; `unclear` lists what cannot be read, `notes` what was left aside."""

    def __init__(self, text: str) -> None:
        self.text = text = _WITHOUT.sub("without", _BLANKS.sub(" ", text))
        self.marks: list[Mark] = []
        # In a follow-up: the amount of the plan before, and its response code if it was given as such.
        self.whole: Sum | None = None
        self.code = ""
        self.unclear: list[str] = []
        self.notes: list[str] = []
        self.shown = mask_piece(text)  # all of it at once: a card number or a track may span several words
        self.left = self.folded = fold(text)
        said = TOKEN.findall(_E_COM.sub("", self.left))
        self.portuguese = not phrases_of("portuguese").keys().isdisjoint(said)
        self.comma = not phrases_of("comma").keys().isdisjoint(said)
        for read in (self._meanings, self._forms, self._amounts, self._names, self._phrases):
            read()
        # The use of a message does not describe it: `for our declined-cards suite`.
        self.notes += [f"Left aside: {mark.words}" for mark in self.all("aside")]

    def part(self, start: int = 0, end: int | None = None, marks: Iterable[Mark] | None = None) -> Reader:
        """A reader of the text from *start* to *end* alone, with copies of *marks*, some of which may come
        from elsewhere in the text (default: all)."""
        made, end = copy(self), len(self.text) if end is None else end
        made.text = " " * start + self.text[start:end] + " " * (len(self.text) - end)
        made.folded = " " * start + self.folded[start:end] + " " * (len(self.text) - end)
        made.marks = [replace(mark) for mark in (self.marks if marks is None else marks)]
        made.unclear, made.notes = [*self.unclear], [*self.notes]
        return made

    def all(self, *keys: str) -> list[Mark]:
        """The marks of *keys* in the order of the text."""
        return sorted((mark for mark in self.marks if mark.key in keys), key=lambda mark: mark.start)

    def before(self, mark: Mark, *keys: str) -> list[Mark]:
        """The marks of *keys* that end before *mark*."""
        return [other for other in self.all(*keys) if other.end <= mark.start]

    def after(self, mark: Mark, *keys: str) -> list[Mark]:
        """The marks of *keys* that begin after *mark*."""
        return [other for other in self.all(*keys) if other.start >= mark.end]

    def gap(self, mark: Mark, other: Mark) -> str:
        """The folded text between *mark* and a later one."""
        return self.folded[mark.end : other.start]

    def joins(self, mark: Mark, other: Mark, by: str = "joined") -> bool:
        """Whether only words of the pattern *by* are between *mark* and a later one."""
        return lexicon.pattern(by).fullmatch(self.folded, mark.end, other.start) is not None

    def only(self, key: str) -> Any:
        """The single value of *key*, or None; different values are unclear."""
        marks = self.all(key)
        if len({str(mark.value) for mark in marks}) > 1:
            self.unclear.append("contradicts itself: " + " / ".join(mark.words for mark in marks))
        return marks[0].value if marks else None

    def add(self, key: str, value: Any, start: int, end: int) -> None:
        """Mark the text from *start* to *end* as *value* of *key*; nothing else reads it then."""
        self.marks.append(Mark(key, value, start, end, self.shown[start:end].strip()))
        self._blank(start, end)

    def _blank(self, start: int, end: int) -> None:
        self.left = self.left[:start] + _TAKEN * (end - start) + self.left[end:]

    def _take(self, pattern: str, key: str, value: Callable[[re.Match[str]], Any]) -> None:
        for match in list(re.finditer(pattern, self.left)):
            got = value(match)
            place = match.span("v") if key == "bare" and "v" in match.groupdict() else match.span()
            if got is not None and _TAKEN not in self.left[slice(*place)]:
                self.add(key, got, *place)

    def _meanings(self) -> None:
        """Read response code meanings of several clauses, word for word: `expired card, pick up`."""
        for text in lexicon.long_meanings():
            at = self.left.find(text)
            if at >= 0:
                self._say(words_of(text), at, at + len(text))

    def _forms(self) -> None:
        for match in _QUOTED.finditer(self.text):
            if lexicon.pattern("ends-in-at").search(self.left[: match.start()]):
                self.add("merchant", match[1], match.start(), match.end())
            elif label := lexicon.pattern("ends-in-address").search(self.left[: match.start()]):
                self.add("address", match[1], label.start(), match.end())
        patterns = {"unit": sums.unit_pattern, "number": sums.number_pattern, "spelled": sums.spelled_pattern}
        blanks = {f"{{{name}}}": pattern(self.left) for name, pattern in patterns.items()}
        blanks |= {"{figures}": sums.FIGURES, "{uncounted}": sums.uncounted_pattern(self.left)}
        for key, how, pattern in lexicon.forms(self.left, blanks):
            self._take(pattern, key, lambda match, how=how: self._formed(match, how))  # type: ignore[misc]

    def _formed(self, form: re.Match[str], how: str) -> Any:
        """The value of a form, as options take it; None if it is ambiguous."""
        if how[0] == "=":
            return how[1:]
        if read := _READ.get(how):
            return read(form)
        if how in ("sum", "one", "cents", "bare"):
            return self._sum(form, how)
        if how == "date":
            day = _date(form)
            if day == "none":
                self.unclear.append(f"no such date: {form[0].strip()}")
            elif isinstance(day, date) and "y" not in form.groupdict():
                self.notes.append(f"No year was given: {day.year}")
            return day if isinstance(day, date) else None
        value = self.text[form.start("v") : form.end("v")]
        is_hidden = len(value) >= SHORTEST_PAN and not self.shown[form.start("v") : form.end("v")].strip("*")
        if is_hidden and not (how == "element" and int(form["n"]) in _CARD_AND_AMOUNT):
            return None  # part of a track
        match how:
            case "element":
                # `compra de 50 ...` is not DE 50, but `de4 000000005000` is DE 4.
                plain = form[0].startswith("de") and self.text[form.start()] != "D" and self.comma
                is_word = not value.isdecimal() or (form[0][2].isspace() and len(value) < SHORTEST_PAN)
                if plain and is_word and not re.search("[:=]", form[0]):
                    return None
                return int(form["n"]), value
            case "label":
                return lexicon.labels()[form["n"]], value
            case "int":
                return int(value)
            case "number":
                return sums.whole_number(value)
            case "percent":
                return f"{value}/100"
            case "six":
                return value.zfill(6)
            case "upper":
                return value.upper()
            case "digits":
                return re.sub(r"\D", "", value)
            case "currency":
                entry = currency_of(value.upper())
                return entry and entry.alpha
            case "mti":
                return value if "0" + value[1:] in phrases_of("mti") else None
        return value

    # -- amounts
    def _amounts(self) -> None:
        for match in list(_NUMBER.finditer(self.left)):
            if self._is_amount(match):
                self.add("bare", match[0], *match.span())

    def _is_amount(self, match: re.Match[str]) -> bool:
        """Whether the words next to a number without a currency make it an amount: *completed for 35*."""
        after = TOKEN.findall(self.left[match.end() : match.end() + _NEXT_WORD])[:2]
        if not _COUNTED.isdisjoint(after) or not phrases_of("plural").keys().isdisjoint(after):
            return False
        parts = (mark for mark in self.marks if mark.key in ("part", "partof"))
        word = "".join(after[:1])
        if (
            any(not self.text[mark.end : match.start()].strip() for mark in parts)
            or any(lexicon.says(" ".join(after[:size]), *_AFTER_AMOUNT) for size in (1, 2))
            or (len(match[0]) > 1 and lexicon.says(word, "head", "then"))
            or phrases_of("decision").get(lexicon.variant(word)) in ("approved", "partial")
        ):
            return True
        before = self.left[max(0, match.start() - _WORDS_BEFORE) : match.start()].rpartition(_TAKEN)[2]
        if lexicon.pattern("ends-in-code").search(before):
            return False
        words = re.split("[.;]", before)[-1]
        pieces = [piece for piece in TOKEN.findall(words) if piece not in "-./,():="]
        while pieces:
            ends = {" ".join(pieces[-size:]) for size in range(1, min(len(pieces), _LONGEST) + 1)}
            if (
                any(phrases_of("decision").get(end) == "partial" for end in ends)
                or not ends.isdisjoint(phrases_of("amount-after"))
                or any(lexicon.says(end, *_BEFORE_AMOUNT) for end in (*ends, lexicon.variant(pieces[-1])))
            ):
                return True
            if pieces.pop() not in phrases_of("joining"):
                return False
        return False

    def _sum(self, match: re.Match[str], how: str) -> Any:
        if how == "bare":
            if unit := match.groupdict().get("c"):
                alpha = sums.currency_names().get(" ".join(unit.split()), "")
                self.marks.append(Mark("currency", alpha, *match.span("c"), match["c"]))
            number = match["v" if "v" in match.groupdict() else "n"]
            return None if number.isalpha() and sums.whole_number(number) == 1 else number  # one of 20 EUR
        names, got = sums.currency_names(), match.groupdict()
        word = " ".join(match["c"].split())
        alpha = "USD" if how == "cents" else names.get(word, "")
        is_name = word != alpha.lower() or word in phrases_of("currency")
        # A code without capitals may be any word: `all` is the lek of Albania.
        if not is_name and not self.text[match.start("c") : match.end("c")].isupper():
            return None
        if how == "cents":
            alpha = names.get(got.get("u") or "", phrases_of("coin").get(word, ""))
        number = "1" if how == "one" else match["n"]
        if how == "sum" and phrases_of("number").get(number) == "1" and match.start("c") < match.start("n"):
            return None  # the dollar one
        if alpha[:1] == "*":
            return Sum(0, alpha, figures=number)
        value = sums.minor_units(number, alpha, comma=self.comma, thousands=bool(got.get("k")))
        more = sums.whole_number(got["s"]) if got.get("s") else 0
        if how == "cents" and value is not None:
            value = value // 100 if value % 100 == 0 else None
        if value is None or more is None or more > _MOST_CENTS or (more and value % 100):
            self.unclear.append(f"the amount {self.text[match.start() : match.end()].strip()}")
        return Sum((value or 0) + (more or 0), alpha, word in phrases_of("vague"))

    # -- names
    def _names(self) -> None:
        for match in lexicon.pattern("at-shop").finditer(self.text):
            name = self._shop(match)
            if name:
                self.add("merchant", name, match.start(1), match.start(1) + len(name))
                self._blank(match.start(), match.start(1))
        for match in lexicon.pattern("in-place").finditer(self.text):
            if _TAKEN in self.left[match.start() : match.end()] or lexicon.known_from(words_of(match[1])):
                continue
            if lexicon.known_from(words_of(self.text[match.start(1) : match.end(1) + _NEXT_WORD])):
                continue  # in Swiss francs
            # The words after it, or the currency, give the country.
            self.add("city", "", match.start(1), match.end(1))

    def _shop(self, match: re.Match[str]) -> str:
        """The merchant name after `at`, up to the first word with another meaning; empty if there is none."""
        if _TAKEN in self.left[match.start() : match.end()]:
            return ""
        words = match[1].split()
        while words and words[-1] in ("of", "de", "la"):
            words.pop()
        table = lexicon.phrases()[0]
        if fold(self.text[match.start() : match.start(1)]).strip(" :") not in _BEFORE_NAME:
            return " ".join(words).rstrip(".,")  # the merchant is Trattoria Roma
        kinds = [{key for key, _ in table.get(words_of(word.strip(".,")), ())} for word in words]
        cut = next((at for at, kind in enumerate(kinds) if kind & _NO_NAME), len(words))
        words, kinds = words[:cut], kinds[:cut]
        if not words or any(kind and kind != {"filler"} and "trade" not in kind for kind in kinds):
            return ""
        if (all(kinds) and len(words) == 1) or (match[0][:2].lower() == "en" and len(words) < 2):
            return ""
        name = " ".join(words).rstrip(".,")
        return "" if words_of(name) in table or words_of(" ".join(match[1].split()[:2])) in table else name

    # -- phrases
    def _phrases(self) -> None:
        table, longest = lexicon.phrases()
        networks = phrases_of("network")
        names = lexicon.present(networks, self.left.replace("-", " ")).replace(r"\s+", r"[\s-]+")
        self._take(rf"\b(?:{names})\b", "network", lambda match: networks[re.sub(r"[\s-]+", " ", match[0])])
        # A network name does not split a phrase: `stored Visa card`.
        for mark in self.all("network"):
            self.left = self.left[: mark.start] + " " * (mark.end - mark.start) + self.left[mark.end :]
        tokens = [
            (match[0], *match.span()) for match in TOKEN.finditer(self.left) if match[0] not in _NO_TOKEN
        ]
        at = 0
        while at < len(tokens):
            words, size = self._phrase(tokens, at, longest)
            # `not permitted on this terminal`, not `transaction not permitted`
            for later in range(at + 1, at + size):
                others, more = self._phrase(tokens, later, longest)
                if more > size and {key for key, _ in table[words]} & {key for key, _ in table[others]}:
                    words, size = self._phrase(tokens, at, later - at)
                    break
            if size:
                self._say(words, tokens[at][1], tokens[at + size - 1][2])
                at += size
            else:
                term, start, end = tokens[at]
                if (stem := lexicon.variant(term)) != term:
                    self._say((stem,), start, end)
                elif meant := lexicon.slip(term):
                    self._say((meant,), start, end)
                    self.notes.append(f"{self.text[start:end]} is read as {meant}")
                elif term not in _ALLOWED:
                    self.marks.append(Mark("unknown", term, start, end, self.text[start:end]))
                at += 1

    def _phrase(self, tokens: Sequence[_Token], at: int, longest: int) -> tuple[tuple[str, ...], int]:
        """The longest phrase that begins at a token: its words, and how many tokens it takes."""
        table = lexicon.phrases()[0]
        for size in range(min(longest, len(tokens) - at), 0, -1):
            words = tuple(token[0] for token in tokens[at : at + size])
            if words not in table and not phrases_of("copula").keys().isdisjoint(words[1:-1]):
                words = tuple(word for word in words if word not in phrases_of("copula"))
                words = words if len(words) > 1 else ()
            if words in table and self._joined(tokens[at][1], tokens[at + size - 1][2]):
                return words, size
        return (), 0

    def _joined(self, start: int, end: int) -> bool:
        """Whether the words between two positions are one phrase, not split by marks or punctuation."""
        gap = self.left[start:end]
        return _TAKEN not in gap and ("pick" in gap or not re.search(r"[,;.]\s", gap))

    def _say(self, words: tuple[str, ...], start: int, end: int) -> None:
        text = self.text[start:end]
        if words in _CAPITALS and (not text.isupper() or self.text.isupper()):
            text = ""
        if text in phrases_of("word-city"):  # in lower case only
            text = ""  # `a nice dinner`
        for key, value in lexicon.phrases()[0][words] if text else ():
            if key != "filler":
                self.marks.append(Mark(key, value, start, end, text))
            elif sums.whole_number(words[0]):  # `dos compras` in Spanish; `dos` is a filler in Portuguese
                self.marks.append(Mark("number", sums.whole_number(words[0]), start, end, text))
        self._blank(start, end)


_MOST_CENTS = 99
_NEXT_WORD = 20  # characters
_WORDS_BEFORE = 40
_LONGEST = 5
_NUMBER = re.compile(rf"(?<![\w.,*-])(?:{sums.FIGURES})(?![\w%]|[.,]\d)")
# Words that no amount comes before, and the keys of words that come before an amount.
_COUNTED = frozenset(("st", "nd", "rd", "th", "x", "d", "%", "minor"))
_BEFORE_AMOUNT = ("tip", "bound", "head", "partof", "remain", "actual", "also", "less", "network", "then",
                  "cashbackof")  # fmt: skip
_AFTER_AMOUNT = ("also", "less", "actual", "tip", "cashbackof", "in-cash")
_E_COM = re.compile(r"\be[- ]com\b|[.]com\b")  # no Portuguese
_BLANKS = re.compile(r"[\s\x00-\x1f]+")
_WITHOUT = re.compile(r"\bw/o\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“„]([^\"“”]{2,40})[\"”“]")
# Words that a name may follow without being all of it.
_BEFORE_NAME = frozenset(("at", "at the", "bei", "chez", "en", "merchant", "handler", "comercio", "lojista",
                          "commercant", "named", "called"))  # fmt: skip
_NO_NAME = frozenset(("network", "city", "currency", "country", "entry", "option", "decision", "atm", "then",
                      "reason", "reason!"))  # fmt: skip


def _date(match: re.Match[str]) -> date | str | None:
    """The date of a form; `none` if it does not exist, None if it is ambiguous."""
    got = match.groupdict()
    if "a" in got:
        if got["a"] != got["b"] and max(int(got["a"]), int(got["b"])) <= 12:
            return None
        got["d"], got["m"] = sorted((got["a"], got["b"]), key=int, reverse=True)
    month = phrases_of("month").get(got["m"]) or got["m"]
    try:
        return date(int(got.get("y") or dates.now().year), int(month), int(got["d"]))
    except ValueError:
        return "none"


def _clock(match: re.Match[str]) -> tuple[int, int, int] | None:
    hour, half = int(match["h"]), (match["p"] or "")[:1]
    if half:
        if not 1 <= hour <= _NOON[0]:
            return None
        hour = hour % 12 + 12 * (half == "p")
    got = match.groupdict()
    return hour, int(got.get("n") or 0), int(got.get("s") or 0)


def _expiry(match: re.Match[str]) -> str | None:
    """The YYMM of an expiry; None if month and year could be in either order."""
    value = re.sub(r"/\s?20(?=\d\d)", "/", match["v"])
    first, last = (digits := re.sub(r"\D", "", value))[:2], digits[2:]
    slash = "/" in value
    if not slash and (first <= "12") == (last <= "12"):
        return None
    month, year = (first, last) if slash or first <= "12" else (last, first)
    return year + month if "01" <= month <= "12" else None


def _day(match: re.Match[str]) -> date:
    before = phrases_of("relative-day")[match["v"]]
    return dates.now().date() + timedelta(days=int(before))


_READ: dict[str, Callable[[re.Match[str]], Any]] = {"clock": _clock, "month/year": _expiry, "day": _day}
