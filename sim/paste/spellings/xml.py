"""XML: `<isomsg>` of jPOS with `<field id= value= type=>`, messages nested in messages, as logs print them;
and elements named in other ways: `<field number="2" value=…>`, `<DE002>…`, `<bit n="3">…`.

Read as tags one after the other, not as a document: logs cut it, mix it with other lines and print tags
such as `<9F02>` that are no XML. Only the five entities of XML and numbered characters are replaced, nothing
is expanded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from sim.codec.message import is_mti
from sim.paste.spellings.elements import BITMAP_PATHS, MTI_PATH, Named, collected, divided, path_of

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
# The MTI beside elements, in the tag around them.
_TYPED = re.compile(r"(?i)<\w{1,20}\s(?:[^<>]{0,80}\s)?(?:mti|type|msgtype)=[\"']([0-9]{4})[\"']")


def find(text: str) -> Iterator[Named]:
    """The messages in *text*, in their order; one of jPOS that is cut gives what is there."""
    if "&lt;" in text and ("<" not in text or ("&lt;isomsg" in text and "<isomsg" not in text)):
        text = unescaped(text)
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
            if not path and (made := collected("jPOS XML", pairs, "", binary)):
                yield made
            inside, path, pairs, binary = bool(path), path[:-1], pairs if path else [], binary if path else []
        elif inside and name in _FIELD and len(path) < _MOST_DEEP:
            _field(path, attributes, content, pairs, binary)
        elif inside and _EMV_TAG.fullmatch(name) and path:
            path = path[:-1] if name.startswith("/") else [*path, "<" + name.upper()]
    if made := collected("jPOS XML, cut", pairs, "", binary):
        yield made


def _field(
    path: list[str], attributes: dict[str, str], content: str, pairs: list[tuple[str, str]], binary: list[str]
) -> None:
    """One `<field>`: inside a tag's own element the tag names it, else its id does."""
    own = attributes.get("id", "")
    wrapped = path[-1][1:] if path and path[-1].startswith("<") else ""
    tag = wrapped or attributes.get("tag", "") or own
    parents = [part for part in path if not part.startswith("<")]
    top = parents[0] if parents else own
    if not _NUMBER.fullmatch(top) or tag in BITMAP_PATHS[1:] or not top.isdigit():
        return
    where = ".".join([str(int(top)), *parents[1:], *([tag] if parents else [])])
    pairs.append((where, attributes.get("value", attributes.get("v", content))))
    if attributes.get("type", "").lower() == "binary":
        binary.append(where)


def _others(text: str) -> Iterator[Named]:
    """Messages in any other XML: each begins with an MTI."""
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


def tags(text: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Name, attributes, and the text up to the next tag of each tag; comments are passed over."""
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
        yield name, {one[1]: unescaped(one[2] or one[3] or "") for one in _ATTRIBUTE.finditer(tag)}, content
        at = text.find("<", after)


def _content(text: str, at: int) -> tuple[str, int]:
    """The text behind a tag and where it ends."""
    if text.startswith(_CDATA, at):
        end = text.find("]]>", at)
        end = len(text) if end < 0 else end
        return text[at + len(_CDATA) : end], end
    end = text.find("<", at)
    end = len(text) if end < 0 else end
    return unescaped(text[at:end]), end


def unescaped(text: str) -> str:
    """*text* with the entities of XML and numbered characters replaced, once."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _ENTITIES[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]


def write(mti: str, fields: Mapping[str, str]) -> str:
    """As the logger of jPOS writes a message."""
    inside = (
        f'  <field id="{path}" value="{html.escape(value)}"/>' for path, value in {"0": mti, **fields}.items()
    )
    return "\n".join(("<isomsg>", *inside, "</isomsg>"))
