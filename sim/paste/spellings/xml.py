"""XML that names elements in its own way: `<field number="2" value=…>`, `<DE002>…`, `<bit n="3">…`."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from sim.codec.message import is_mti
from sim.paste.spellings.elements import MTI_PATH, Named, collected, divided, path_of
from sim.paste.spellings.isomsg import tags, unescaped

EXAMPLES = (
    (
        '<iso><MTI>0800</MTI><DE003>990000</DE003><bit n="11">000042</bit></iso>',
        ("0800", {"3": "990000", "11": "000042"}),
    ),
)
_NUMBERS = ("number", "num", "fieldnum", "id", "no", "nr", "n", "bit", "de", "field", "index", "key", "name")
_VALUES = ("value", "val", "data", "text", "content")
_FEWEST = 2
# The MTI beside elements, in the tag around them.
_TYPED = re.compile(r"(?i)<\w{1,20}\s(?:[^<>]{0,80}\s)?(?:mti|type|msgtype)=[\"']([0-9]{4})[\"']")


def find(text: str) -> Iterator[Named]:
    """The messages in *text*: each begins with an MTI."""
    if "<" not in text and "&lt;" in text:
        text = unescaped(text)
    head = _TYPED.search(text)
    named = (_element(name, attributes, content) for name, attributes, content in tags(text))
    pairs = [(path, value) for path, value in named if path is not None and value]
    if head and not any(path == MTI_PATH and is_mti(value) for path, value in pairs):
        pairs.insert(0, (MTI_PATH, head[1]))
    for found in divided(pairs):
        if len(found) >= _FEWEST and (made := collected("XML", found)):
            yield made


def _element(name: str, attributes: dict[str, str], content: str) -> tuple[str | None, str]:
    """Path and value of one tag; None for one that is no element."""
    lower = {key.lower(): value for key, value in attributes.items()}
    labels = (lower[key] for key in _NUMBERS if key in lower)
    path = next((found for label in (*labels, name) if (found := path_of(label)) is not None), None)
    value = next((lower[key] for key in _VALUES if key in lower), content.strip("\r\n"))
    return path, value


def write(mti: str, fields: Mapping[str, str]) -> str:
    """A tag for each element, its number as an attribute."""
    inside = (
        f'  <field number="{path}">{html.escape(value)}</field>'
        for path, value in {"0": mti, **fields}.items()
    )
    return "\n".join(("<message>", *inside, "</message>"))
