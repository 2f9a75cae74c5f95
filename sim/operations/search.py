"""Search the toolkit's tables: elements, subfields, codes, chip tags, rules, faults, flows.

These are a few thousand short texts, read once and scanned in full. Common names (RRN, auth code, hotlisted)
are in `spec/data/search_words.csv` and searched with the official name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import get_args

from sim.errors import OptionError, quoted_value
from sim.judge import catalogue
from sim.operations.faults import all_faults
from sim.spec import (
    VERSIONS,
    ElementSpec,
    code_list,
    code_lists,
    countries,
    currencies,
    spec,
    withdrawn_currencies,
)
from sim.spec.emv import bits, tags
from sim.spec.layouts import owners
from sim.spec.networks import NETWORKS
from sim.spec.networks import network as network_of
from sim.spec.spellings import choose
from sim.spec.tables import read_csv
from sim.spec.words import SearchKind

KINDS: tuple[SearchKind, ...] = get_args(SearchKind)

_WORD = re.compile(r"[^\s,;]+")
_ELEMENT = re.compile(r"\A(?:de|field|f|bit|p|s)[ -]?0*([1-9][0-9]{0,2})(.*)\Z", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:de|field|bit|f)?[ _-]?0*([1-9][0-9]{0,2})", re.IGNORECASE)
_LAST = 128
# How well a word matches, best first: the key, a word of the name, the start of one, within one, other text.
_KEY, _NAME, _START, _INSIDE, _TEXT = range(5)
_NOWHERE = 9


@dataclass(frozen=True, slots=True)
class Entry:
    """A search result. `key` is its name in messages (`DE 41`, `9F1C`, `51`), `inside` the list or element
    that contains it, `text` more about it, `call` the call that returns everything."""

    kind: SearchKind
    key: str
    name: str
    inside: str = ""
    versions: tuple[str, ...] = ()
    network: str = ""
    text: str = ""
    source: str = ""
    call: str = ""


def search(text: str, kind: str | None = None) -> tuple[Entry, ...]:
    """Every entry with all words of *text*, best first: matches of key or name come before mentions.

    >>> [entry.key for entry in search("terminal identification", "tag")]
    ['9F1C']
    """
    words = _words(text) if isinstance(text, str) else []
    if not words:
        description = "no search words" if isinstance(text, str) else quoted_value(text)
        raise OptionError("text", "a word, a number, a code or a tag", description)
    chosen = None if kind is None else choose("kind", kind, KINDS)
    # Repeated words, perhaps from a paste, count once.
    once, phrase = list(dict.fromkeys(words)), f"|{' '.join(words)}|"
    hits = [
        (rank, at, entry)
        for at, (entry, texts) in enumerate(_index())
        if chosen in (None, entry.kind) and (rank := _rank(once, phrase, texts)) is not None
    ]
    return tuple(entry for _, _, entry in sorted(hits, key=itemgetter(0, 1)))


def elements_called(name: str, versions: Collection[str] = VERSIONS) -> tuple[int, ...]:
    """The numbers of the elements called *name* in one of *versions*: by number, official or common name.

    >>> elements_called("response code"), elements_called("stan"), elements_called("code")
    ((39,), (11,), ())
    >>> elements_called("DE 4"), elements_called("f004"), elements_called("129")
    ((4,), (4,), ())
    """
    if numbered := _NUMBERED.fullmatch(name.strip()):
        return (int(numbered[1]),) if 2 <= int(numbered[1]) <= _LAST else ()
    rows = _called_elements().get(name.strip().casefold(), ())
    return tuple(dict.fromkeys(number for number, its in rows if set(versions) & set(its)))


@cache
def _called_elements() -> Mapping[str, list[tuple[int, tuple[str, ...]]]]:
    """Element numbers and versions by name."""
    table: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    for entry in _elements():
        for phrase in filter(None, _called(entry).split("|")):
            table.setdefault(phrase, []).append((int(entry.key.removeprefix("DE ")), entry.versions))
    return table


def _words(text: str) -> list[str]:
    """The search words; an element in any notation is one word: de041 -> `de 41`."""
    joined = re.sub(r"\b(de|field|bit)[ -]+(?=[0-9])", r"\1", text.strip(), flags=re.IGNORECASE)
    return [_ELEMENT.sub(r"de \1\2", word) for word in _WORD.findall(joined.casefold())]


@dataclass(frozen=True, slots=True)
class _Texts:
    key: str
    name: str
    called: str  # official and common names, between bars
    rest: str


def _rank(words: list[str], phrase: str, texts: _Texts) -> tuple[int, int] | None:
    """How well all *words* match: the worst rank, then the sum; None if one does not match."""
    if phrase in texts.called:
        return _KEY, _KEY
    ranks = []
    for word in words:
        if (rank := _of(word, texts)) == _NOWHERE:
            return None
        ranks.append(rank)
    return max(ranks), sum(ranks)


def _of(word: str, texts: _Texts) -> int:
    if word == texts.key:
        return _KEY
    called = texts.called
    if word in called:
        if re.search(rf"(?<!\w){re.escape(word)}", called):
            return _NAME if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", called) else _START
        # Within a word of the official name: `place` in `replacement`. Common names match only at the start.
        if word in texts.name:
            return _INSIDE
    return _TEXT if word in texts.rest or word in texts.key else _NOWHERE


@cache
def _index() -> tuple[tuple[Entry, _Texts], ...]:
    """Every entry with its texts for comparison; the order decides between equal ranks."""
    tables = (_elements, _parts, _tags, _codes, _registries, _rules, _faults, _flows)
    return tuple((entry, _texts(entry)) for entries in tables for entry in entries())


def _texts(entry: Entry) -> _Texts:
    rest = f"{entry.inside} {entry.network} {entry.text} {' '.join(entry.versions)}"
    return _Texts(entry.key.casefold(), entry.name.casefold(), _called(entry), rest.casefold())


@cache
def _sayings() -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Common names, as (words in the entry's name, common names), by kind and key; empty key: any."""
    table: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in read_csv("search_words"):
        table.setdefault((row["kind"], row["key"]), []).append((row["name"], row["said"]))
    return table


def _called(entry: Entry) -> str:
    """The official and common names of *entry*, between bars."""
    name, table = entry.name.casefold(), _sayings()
    rows = [*table.get((entry.kind, entry.key), ()), *table.get((entry.kind, ""), ())]
    names = "".join(f"{label}|" for words, label in rows if words in name)
    return f"|{name}|{names}"


def _elements() -> Iterator[Entry]:
    """Elements; one entry if several versions have the same name and format."""
    same: dict[tuple[int, str, str], dict[str, ElementSpec]] = {}
    for version in VERSIONS:
        for element in spec(version).elements:
            same.setdefault((element.number, element.name, element.format), {})[version] = element
    for (number, name, form), elements in sorted(same.items(), key=itemgetter(0)):
        first, element = next(iter(elements.items()))
        rest = f"{form} {element.note}".strip(), element.source, f"sim.fields({first!r})"
        yield Entry("element", f"DE {number}", name, "", tuple(elements), "", *rest)


def _parts() -> Iterator[Entry]:
    for owner in owners():
        network = "" if owner == "iso" else owner.upper()
        for row in read_csv(f"layouts/{owner}"):
            if row["path"] and row["name"]:
                versions = tuple(row["versions"].split("|"))
                key, call = f"DE {row['number']}.{row['path']}", f"sim.fields({versions[0]!r})"
                inside, form = f"DE {row['number']} {row['layout']}".strip(), row["format"]
                yield Entry("part", key, row["name"], inside, versions, network, form, row["source"], call)
    for row in read_csv("subfields"):
        where = f"DE {row['path']}", (), row["network"]
        yield Entry("code", row["code"], row["meaning"], *where, source=row["source"])


def _tags() -> Iterator[Entry]:
    for tag, row in sorted(tags().items()):
        text = f"{row.format} {row.usage}".strip()
        yield Entry("tag", tag, row.name, "chip data", text=text, source=row.source)
        for (byte, bit), meaning in sorted(bits(tag).items()):
            key, inside, text = f"{tag}.{byte}.{bit}", f"tag {tag} {row.name}", f"byte {byte} bit {bit}"
            yield Entry("tag", key, meaning, inside, text=text, source=row.source)


def _codes() -> Iterator[Entry]:
    for name in code_lists():
        for code in code_list(name):
            where = f"{name} {code.position}".strip(), code.versions, code.network
            rest = code.kind, code.source, f"sim.codes({name!r})"
            yield Entry("code", code.code, code.meaning, *where, *rest)
    for row in read_csv("networks/response_codes"):
        where = "response_code", ("1987",), row["network"]
        yield Entry("code", row["code"], row["meaning"], *where, source=row["source"])


def _registries() -> Iterator[Entry]:
    for currency in (*currencies(), *withdrawn_currencies()):
        registry = "withdrawn_currencies" if currency.withdrawn else "currencies"
        rest = currency.alpha, "ISO 4217", f"sim.codes('{registry}')"
        yield Entry("code", currency.numeric, currency.name, registry, (), "", *rest)
    for land in countries():
        rest = f"{land.alpha2} {land.alpha3}", "ISO 3166-1", "sim.codes('countries')"
        yield Entry("code", land.numeric, land.name, "countries", (), "", *rest)


def _rules() -> Iterator[Entry]:
    for row in catalogue().values():
        text = f"{row.severity}: {row.hint}"
        yield Entry("rule", row.id, row.checks, text=text, source=row.source, call="sim.rules()")
    for name in NETWORKS:
        for rule in network_of(name).formats:
            where = ", ".join(f"DE {number}" for number in rule.fields), rule.versions, name
            rest = f"{rule.severity}: {rule.hint}", rule.source, "sim.rules()"
            yield Entry("rule", f"{name.lower()}-{rule.id}", rule.expected, *where, *rest)


def _faults() -> Iterator[Entry]:
    for fault in all_faults():
        call = f"sim.break_message(message, {fault.id!r})" if fault.kinds else "sim.faults()"
        where = f"rule {fault.rule}"
        yield Entry("fault", fault.id, fault.what, where, fault.versions, fault.network, call=call)


def _flows() -> Iterator[Entry]:
    for row in read_csv("networks/flows"):
        text = f"{row['carried_by']} {row['note']}".strip()
        call = f"sim.flows({row['network']!r})" if row["network"] else "sim.flows()"
        yield Entry("flow", row["messages"], row["flow"], "", (), row["network"], text, row["source"], call)
