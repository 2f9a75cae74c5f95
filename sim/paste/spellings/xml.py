"""XML: jPOS's `<isomsg>` with `<field id= value= type=>` and nested messages, as in logs; and other element
names: `<field number="2" value=…>`, `<DE002>…`, `<bit n="3">…`.

It is read tag by tag, not as a document: logs truncate it, mix it with other lines and print tags such as
`<9F02>`, which are not XML. Only XML's five entities and character references are replaced; nothing is
expanded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from sim.codec.message import is_mti
from sim.paste.spellings.elements import BITMAP_PATHS, MTI_PATH, Named, collected, messages_of, path_of

EXAMPLES = (
    (
        '<isomsg><field id="0" value="0800"/><field id="3" value="990000"/>'
        '<field id="11" value="000042"/></isomsg>',
        ("0800", {"3": "990000", "11": "000042"}),
    ),
    (
        '<iso><MTI>0800</MTI><DE003>990000</DE003><bit n="11">000042</bit></iso>',
        ("0800", {"3": "990000", "11": "000042"}),
    ),
)
_ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]{1,32})\s{0,8}=\s{0,8}(?:\"([^\"]*)\"|'([^']*)')")
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,6})|#[xX]([0-9A-Fa-f]{1,5}));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_EMV_TAG = re.compile(r"/?[0-9A-Fa-f]{2,6}")
_NUMBER = re.compile(r"-?[0-9]{1,3}")
_FIELD = ("field", "f")
_CDATA = "<![CDATA["
_MOST_DEEP = 8
_NUMBERS = ("number", "num", "fieldnum", "id", "no", "nr", "n", "bit", "de", "field", "index", "key", "name")
_VALUES = ("value", "val", "data", "text", "content")
_FEWEST = 2
# The MTI as an attribute of the tag around the elements.
_TYPED = re.compile(r"(?i)<\w{1,20}\s(?:[^<>]{0,80}\s)?(?:mti|type|msgtype)=[\"']([0-9]{4})[\"']")


def find(text: str) -> Iterator[Named]:
    """The messages in *text*, in order, including the elements of a truncated jPOS message."""
    if "&lt;" in text and ("<" not in text or ("&lt;isomsg" in text and "<isomsg" not in text)):
        text = unescaped(text)
    elif "<isomsg" in text and '=\\"' in text:  # in a JSON string
        text = text.replace('\\"', '"')
    yield from (list(_of_jpos(text)) if "<isomsg" in text else []) or _others(text)


def _of_jpos(text: str) -> Iterator[Named]:
    path: list[str] = []
    pairs: list[tuple[str, str]] = []
    binary: list[str] = []
    inside = False
    for name, attributes, content in tags(text):
        if name == "isomsg":
            if inside:
                path.append(attributes.get("id", ""))
            inside = True
        elif name == "/isomsg":
            if not path and (message := collected("jPOS XML", pairs, "", binary)):
                yield message
            inside, path, pairs, binary = bool(path), path[:-1], pairs if path else [], binary if path else []
        elif inside and name in _FIELD and len(path) < _MOST_DEEP:
            _field(path, attributes, content, pairs, binary)
        elif inside and _EMV_TAG.fullmatch(name) and path:
            path = path[:-1] if name.startswith("/") else [*path, "<" + name.upper()]
    if message := collected("jPOS XML, cut", pairs, "", binary):
        yield message


def _field(
    path: list[str], attributes: dict[str, str], content: str, pairs: list[tuple[str, str]], binary: list[str]
) -> None:
    """Add one `<field>`: inside a tag's own XML element, that tag names it, else its id."""
    field_id = attributes.get("id", "")
    wrapped = path[-1][1:] if path and path[-1].startswith("<") else ""
    tag = wrapped or attributes.get("tag", "") or field_id
    parents = [part for part in path if not part.startswith("<")]
    top = parents[0] if parents else field_id
    if not _NUMBER.fullmatch(top) or tag in BITMAP_PATHS[1:] or not top.isdigit():
        return
    where = ".".join([str(int(top)), *parents[1:], *([tag] if parents else [])])
    pairs.append((where, attributes.get("value", attributes.get("v", content))))
    if attributes.get("type", "").lower() == "binary":
        binary.append(where)


def _others(text: str) -> Iterator[Named]:
    """Messages in any other XML, each starting with an MTI."""
    head = _TYPED.search(text)
    elements = (_element(name, attributes, content) for name, attributes, content in tags(text))
    pairs = [(path, value) for path, value in elements if path is not None and value]
    if head and not any(path == MTI_PATH and is_mti(value) for path, value in pairs):
        pairs.insert(0, (MTI_PATH, head[1]))
    yield from messages_of("XML", pairs, fewest=_FEWEST)


def _element(name: str, attributes: dict[str, str], content: str) -> tuple[str | None, str]:
    """Path and value of one tag; the path is None if the tag names no element."""
    lower = {key.lower(): value for key, value in attributes.items()}
    labels = (lower[key] for key in _NUMBERS if key in lower)
    path = next((label_path for label in (*labels, name) if (label_path := path_of(label)) is not None), None)
    value = next((lower[key] for key in _VALUES if key in lower), content.strip("\r\n"))
    return path, value


def tags(text: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Each tag's name and attributes, and the text up to the next tag; comments are skipped."""
    at = text.find("<")
    while at >= 0:
        if text.startswith("<!--", at):
            end = text.find("-->", at)
            at = text.find("<", end) if end >= 0 else -1
            continue
        end = text.find(">", at)
        if end < 0:
            return
        tag = text[at + 1 : end].strip().rstrip("/").strip()
        name = tag.split(None, 1)[0] if tag else ""
        content, after = _content(text, end + 1)
        yield (
            name,
            {match[1]: unescaped(match[2] or match[3] or "") for match in _ATTRIBUTE.finditer(tag)},
            content,
        )
        at = text.find("<", after)


def _content(text: str, at: int) -> tuple[str, int]:
    """The text after a tag, and its end."""
    if text.startswith(_CDATA, at):
        end = text.find("]]>", at)
        end = len(text) if end < 0 else end
        return text[at + len(_CDATA) : end], end
    end = text.find("<", at)
    end = len(text) if end < 0 else end
    return unescaped(text[at:end]), end


def unescaped(text: str) -> str:
    """*text* with XML's entities and character references replaced, once."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _ENTITIES[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]


def write(mti: str, fields: Mapping[str, str]) -> str:
    """A message as jPOS's logger writes it."""
    inside = (
        f'  <field id="{path}" value="{html.escape(value)}"/>' for path, value in {"0": mti, **fields}.items()
    )
    return "\n".join(("<isomsg>", *inside, "</isomsg>"))
