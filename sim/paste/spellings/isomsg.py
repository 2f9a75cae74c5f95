"""jPOS XML: `<isomsg>` with `<field id= value= type=>`, messages nested in messages, as logs print them.

Read as tags one after the other, not as a document: logs cut it, mix it with other lines and print tags
such as `<9F02>` that are no XML. Only the five entities of XML and numbered characters are replaced, nothing
is expanded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from sim.paste.spellings.elements import BITMAP_PATHS, Named, collected

EXAMPLES = (
    (
        '<isomsg><field id="0" value="0800"/><field id="3" value="990000"/>'
        '<field id="11" value="000042"/></isomsg>',
        ("0800", {"3": "990000", "11": "000042"}),
    ),
)
_ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]{1,32})\s{0,8}=\s{0,8}(?:\"([^\"]*)\"|'([^']*)')")
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,6})|#[xX]([0-9A-Fa-f]{1,5}));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_EMV_TAG = re.compile(r"/?[0-9A-Fa-f]{2,6}")
_NUMBER = re.compile(r"-?[0-9]{1,3}")
_CDATA = "<![CDATA["
_MOST_DEEP = 8


def find(text: str) -> Iterator[Named]:
    """The messages in *text*, in their order; one that is cut gives what is there."""
    if "<isomsg" not in text:
        if "&lt;isomsg" in text:
            yield from find(unescaped(text))
        return
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
        elif inside and name == "field" and len(path) < _MOST_DEEP:
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
    pairs.append((where, attributes.get("value", content)))
    if attributes.get("type", "").lower() == "binary":
        binary.append(where)


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
