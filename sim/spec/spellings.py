"""How callers may spell what the tables name: `visa` for VISA, 1987 for "1987", `tap` for contactless.

Only the names of the tables are kept: whatever comes out of here is spelled as they spell it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sim.errors import ChoiceError, closest, fold, shown
from sim.spec.elements import VERSIONS
from sim.spec.networks import NETWORKS, told
from sim.spec.tables import read_toml

_MOST = 10_000  # the numbers among the names are years and codes; Python writes out no number of any length


def choose(
    option: str, value: object, choices: Iterable[str], spoken: Mapping[str, str] | None = None
) -> str:
    """The one of *choices* that *value* spells, a text or a whole number; *spoken* are other words for them.
    Raises ChoiceError, which names *option*.

    >>> choose("kind", "Responses", ("traffic", "responses"))
    'responses'
    """
    words = tuple(choices)
    if isinstance(value, str) or (type(value) is int and 0 <= value < _MOST):
        text = str(value)
        if text in words:
            return words[words.index(text)]  # a text that only equals one, such as an enum's, is not kept
        spellings = {**(spoken or {}), **{word: word for word in words}}
        meant = {fold(spelling): word for spelling, word in spellings.items()}.get(fold(text))
        if meant is not None:
            return meant
        raise ChoiceError(option, shown(value), words, closest(value, spellings))
    raise ChoiceError(option, shown(value), words)


def network_named(value: object, option: str = "network") -> str:
    """The network that *value* names. Raises ChoiceError.

    >>> network_named("master card"), network_named("American Express")
    ('MASTERCARD', 'AMEX')
    """
    if isinstance(value, str) and value not in NETWORKS:
        spoken = [name for name in NETWORKS if re.fullmatch(told(name, "spoken"), value, re.IGNORECASE)]
        value = spoken[0] if spoken else value
    return choose(option, value, NETWORKS, {told(name, "title"): name for name in NETWORKS})


def version_named(value: object) -> str:
    """The version that *value* names: "1987", 1987, "ISO 8583:1987". Raises ChoiceError.

    >>> version_named(2003), version_named("ISO 8583:1993")
    ('2003', '1993')
    """
    return choose("version", value, VERSIONS, {f"ISO 8583:{version}": version for version in VERSIONS})


def template_word(option: str, value: object) -> str:
    """The message type, purpose or entry (*option*) of the templates that *value* names. Raises ChoiceError.

    >>> template_word("entry", "tap"), template_word("message_type", "Authorization")
    ('contactless', 'auth')
    """
    templates = read_toml("templates")
    return choose(option, value, templates[_TABLES[option]], templates["spoken"][option])


_TABLES = {"message_type": "kinds", "purpose": "purposes", "entry": "entries"}
