"""Which options of generate go together: purposes with kinds of messages, entries, networks and versions.

What networks have is read off the recipes: a purpose or an option that none of theirs speaks of is one of
which no public source says how that network does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

from sim.errors import OptionError
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS, network
from sim.spec.recipes import recipes
from sim.spec.tables import read_toml


def entries_of(purpose: str) -> tuple[str, ...]:
    """The ways of reading the card that go with *purpose*."""
    templates = read_toml("templates")
    return tuple(name for name in templates["entries"] if name in templates["purposes"][purpose]["entries"])


def kinds_of(own: str | None, version: str) -> tuple[str, ...]:
    """The kinds of messages that are known of network *own* in *version*."""
    return tuple(kind for kind in read_toml("templates")["kinds"] if _has_kind(kind, own, version))


@cache
def has_purpose(purpose: str, own: str | None, version: str) -> bool:
    """Whether it is known how network *own* says *purpose* in *version*."""
    row = read_toml("templates")["purposes"][purpose]
    return bool(row.get("plain")) or any(one.asks_for(purpose) for one in recipes(own, version))


def has_option(option: str, own: str | None, version: str) -> bool:
    """Whether it is known how network *own* carries *option* in *version*."""
    row = read_toml("templates")["options"][option]
    words = (option, row.get("placeholder"), *row.get("choices", {}).values())
    return any(_speaks(word, own, version) for word in words if word)


@cache
def _speaks(word: str, own: str | None, version: str) -> bool:
    return any(row.mentions(word) for row in recipes(own, version))


def _has_kind(kind: str, own: str | None, version: str) -> bool:
    lacks = network(own).dialects.get(version, {}).get("lacks", ()) if own else ()
    return kind not in lacks


def words_of(kind: str, purpose: str, entry: str, details: Mapping[str, Any]) -> frozenset[str]:
    """What recipes may ask for: the kind and, where it has a card and a purpose, `card`, purpose, entry and
    the options given."""
    templates = read_toml("templates")
    if templates["kinds"][kind].get("alone"):
        return frozenset((kind,))
    found = {kind, "card", purpose, entry}
    for name, row in templates["options"].items():
        given = details.get(name)
        if "choices" in row:
            found.add(row["choices"].get(given, "")) if given else None
        elif given or (given is None and _usual(name, kind, purpose, entry)):
            found.add(name)
    return frozenset(found - {""})


def _usual(option: str, kind: str, purpose: str, entry: str) -> bool:
    """Whether *option* is on where nothing is said: the PIN at a cash machine."""
    templates = read_toml("templates")
    row = templates["options"][option]
    wanted = bool(templates["purposes"][purpose].get(option))
    return wanted and kind in row["kinds"] and entry in row["entries"]


def check_fit(
    kind: str, own: str | None, version: str, purpose: str, entry: str, details: Mapping[str, Any]
) -> None:
    """Raises OptionError for the first option that does not go with the others."""
    templates = read_toml("templates")
    if not _has_kind(kind, own, version):
        known = [name for name in NETWORKS if _has_kind(kind, name, version)]
        expected = f"one that is known of {own} in {version}, or for {kind!r} a network of {', '.join(known)}"
        raise OptionError("message_type", expected, repr(kind))
    alone = bool(templates["kinds"][kind].get("alone"))
    row = templates["purposes"][purpose]
    if not alone:
        if kind not in row["kinds"]:
            raise OptionError("message_type", f"{_any_of(row['kinds'])} for purpose {purpose!r}", repr(kind))
        if entry not in row["entries"]:
            raise OptionError("entry", f"{_any_of(entries_of(purpose))} for purpose {purpose!r}", repr(entry))
        if not has_purpose(purpose, own, version):
            raise OptionError("purpose", _known_where(purpose, has_purpose, own, version), repr(purpose))
    if "cashback" in details and purpose != "cashback":
        raise OptionError("cashback", "none, or purpose 'cashback'", f"purpose {purpose!r}", 54)
    for name, given in details.items():
        if name in templates["options"] and given:
            _check_option(name, kind, own, version, purpose, entry, details)


def goes_with(
    option: str,
    kind: str,
    own: str | None,
    version: str,
    purpose: str,
    entry: str,
    details: Mapping[str, Any],
) -> bool:
    """Whether *option* goes with a message, and with the other *details*.

    >>> goes_with("three_d_secure", "auth", "VISA", "1987", "purchase", "ecommerce", {})
    True
    >>> goes_with("three_d_secure", "auth", "VISA", "1987", "purchase", "chip", {})
    False
    """
    try:
        _check_option(option, kind, own, version, purpose, entry, details)
    except OptionError:
        return False
    return True


def _check_option(
    name: str, kind: str, own: str | None, version: str, purpose: str, entry: str, details: Mapping[str, Any]
) -> None:
    row = read_toml("templates")["options"][name]
    field = row.get("field")
    for limit, said, what in (("kinds", kind, "message type"), ("purposes", purpose, "purpose"),
                              ("entries", entry, "entry")):  # fmt: skip
        if limit in row and said not in row[limit]:
            raise OptionError(name, f"none, or {what} {_any_of(row[limit])}", f"{what} {said!r}", field)
    if (other := row.get("with")) and not details.get(other):
        raise OptionError(name, f"{other} beside it", "none", field)
    if not has_option(name, own, version):
        raise OptionError(name, "none, or " + _known_where(name, has_option, own, version), "one", field)


def _known_where(name: str, has: Any, own: str | None, version: str) -> str:
    """Where *name* would do, as far as public documents say."""
    known: dict[str, list[str]] = {}
    for edition, one in product(VERSIONS, NETWORKS):
        if has(name, one, edition):
            known.setdefault(edition, []).append(one)
    texts = [
        f"{edition} ({'any network' if len(names) == len(NETWORKS) else ', '.join(names)})"
        for edition, names in known.items()
    ]
    where = f"{own} in {version}" if own else f"{version} without a network"
    return f"{' or '.join(texts)}, where it is known of, not {where}"


def _any_of(words: Any) -> str:
    names = list(map(repr, words))
    return names[0] if len(names) == 1 else "one of " + ", ".join(names)
