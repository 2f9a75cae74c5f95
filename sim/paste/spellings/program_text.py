"""Elements in source code and program output: `m.set(2, "…")`, `msg["2"] = "…"`, `[[0, "0200"], …]`,
`array(2 => '…')`, `[2]=> string(16) "…"`, `map[2:… 3:…]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sim.codec.message import is_mti
from sim.paste.spellings.elements import MTI_PATH, Named, collected, messages_of, path_of

EXAMPLES = (
    (
        'm.setMTI("0800"); m.set(3, "990000"); m.set(11, "000042"); m.set(70, "301")',
        ("0800", {"3": "990000", "11": "000042", "70": "301"}),
    ),
    (
        'IsoMessage(mti = "0800", fields = mapOf(3 to "990000", 11 to "000042", 70 to "301"))',
        ("0800", {"3": "990000", "11": "000042", "70": "301"}),
    ),
)
_VALUE = r"(?:<<)?(?:\"((?:[^\"\\\r\n]|\\.)*)\"|'((?:[^'\\\r\n]|\\.)*)')(?:>>)?"
_PATH = r"[A-Za-z_.]{0,24}[0-9]{1,3}(?:\.[0-9A-Fa-f]{1,4}){0,3}"
_KEY = rf"['\"]?(?:FIELDS\.)?({_PATH}|MTI|mti|t|T)(?:_\w{{1,40}})?['\"]?"


class _Records:
    """A notation for elements. It is tried only in texts with one of the *words*, which most texts lack. If
    *whole*, it is so loose that every record that begins must be read, or part of the message would be
    lost."""

    def __init__(self, pattern: str, words: tuple[str, ...] = (), *, whole: bool = False) -> None:
        self.pattern, self.words, self.whole = re.compile(pattern), words, whole


# A record of one element: its number, perhaps its name, its value.
_NUMBER = r"(?:(?:field_?|element_?)?(?:number|num|id|no)|field|bit|de|key|index)"
_HELD = r"(?:(?:field_?|element_?)?(?:value|val|data|content|text))"
_RECORDS = (
    # A call, or a list of two items: key, comma, text.
    _Records(rf"[\[({{]\s{{0,4}}{_KEY}\s{{0,4}},\s{{0,4}}(?:new\s\w{{1,20}}\(\s{{0,2}})?{_VALUE}"),
    # A getter for the element, then a setter.
    _Records(
        rf"(?i)(?:field|bit|de|element|item)\w{{0,8}}\(\s?{_KEY}\s?\)\s{{0,8}}(?:\.|->)set\w{{0,12}}\(\s?{_VALUE}",
        ("set", "Set"),
    ),
    # A member created by a call; an argument named by the one before.
    _Records(
        rf"(?<![\w\])]){_KEY}\s{{0,2}}[:=]\s{{0,8}}(?:new\s)?[\w.&]{{2,40}}\(\s?{_VALUE}\s?\)",
        ("(",),
        whole=True,
    ),
    _Records(
        rf"(?i)(?:element|field)\w{{0,8}}:\s?@?{_KEY}\s{{1,4}}\w{{1,12}}:\s?@?{_VALUE}", (":@",), whole=True
    ),
    # An item that is assigned or printed.
    _Records(
        rf"\[\s{{0,2}}{_KEY}\s{{0,2}}\]\s{{0,4}}(?:\.\w{{1,12}}\s{{0,2}})?(?:=>|=)\s{{0,12}}"
        rf"(?:string\([0-9]{{1,5}}\)\s{{0,2}})?{_VALUE}"
    ),
    _Records(rf"(?<![\w\])])[:]?{_KEY}\s{{0,8}}(?:=>|->|to\b)\s{{0,8}}{_VALUE}", ("=>", "->", "to ")),
    _Records(rf"(?<=[{{,\s:]){_KEY}\s{{1,4}}{_VALUE}(?=\s?[,}}\r\n])", ("{",), whole=True),
    _Records(
        rf"(?i)\b{_NUMBER}['\"]?\s?[:=]\s{{0,2}}{_KEY}[\s,;]{{1,40}}"
        rf"(?:(?!value|data)\w{{2,14}}['\"]?\s?[:=][^\r\n{{}}]{{0,60}}?[\s,]{{1,40}})?"
        rf"{_HELD}['\"]?\s?[:=]\s{{0,2}}(?:{_VALUE}|([^\s'\"{{}}\[\],][^{{}}\[\],\r\n]*))",
        ("alue", "data", "val", "content", "text"),
        whole=True,
    ),
    _Records(
        rf"(?i)<{_NUMBER}>\s?([0-9]{{1,3}})\s?</\w{{1,12}}>\s{{0,40}}(?:<\w{{1,12}}>[^<]{{0,60}}</\w{{1,12}}>\s{{0,40}})?"
        rf"<{_HELD}>([^<]*)<",
        ("</",),
        whole=True,
    ),
    # A row in an SQL insert; a C# dictionary with one pair per line.
    _Records(
        rf"\((?=[^()]{{0,80}}?,\s?[0-9]{{1,3}},\s?')[^()]{{1,80}}?,\s?{_KEY},\s?{_VALUE}\s?[,)]",
        ("VALUES", "values"),
        whole=True,
    ),
    _Records(rf"(?m)^\s{{0,8}}\[{_KEY},\s?([^\r\n]*)\],?\r?$", whole=True),
)
# The start of such records.
_BEGIN = re.compile(rf"(?i)\b{_NUMBER}['\"]?\s?[:=]\s{{0,2}}{_KEY}|<{_NUMBER}>\s?[0-9]|\bvalues\s?\(")

_MTI = re.compile(r"(?i)(?:MTI|message_?type\w{0,12}|0x)['\"]?[^0-9A-Za-z\r\n]{0,12}([0-9]{4})()(?![0-9])")
_NEW = re.compile(
    r"newMessage\(\s?0x([0-9]{3,4})\s?\)|(?i:\bnew\s?\w{0,20}(?:iso|msg|message)\w{0,20}|8583\.new\w{0,12})\(\s?['\"]([0-9]{4})['\"]"
)
_GO_MAP = re.compile(r"map\[((?:[A-Za-z_]{0,12}[0-9]{1,3}|MTI|mti):[^\[\]\r\n]{1,4000})\]")
_GO_PAIR = re.compile(
    r"(?:^|(?<= ))([A-Za-z_]{0,12}[0-9]{1,3}|MTI|mti):(.*?)(?= [A-Za-z_]{0,12}[0-9]{1,3}:| MTI:|$)"
)
_BRANCH = re.compile(r"\b(?:if\s?\(|else\b|elif\b|switch\s?\(|case\s)")
_ESCAPE = re.compile(r"\\(['\"\\])")
_FEWEST, _FEWEST_PATHS = 3, 2


def find(text: str) -> Iterator[Named]:
    """The messages whose elements *text* sets or lists, each starting with an MTI."""
    for records in _RECORDS:
        if records.words and not any(word in text for word in records.words):
            continue
        triples = [
            (
                match.start(),
                path,
                _ESCAPE.sub(r"\1", next((group for group in match.groups()[1:] if group is not None), "")),
            )
            for match in records.pattern.finditer(text)
            if (path := path_of(match[1])) is not None
        ]
        if records.whole and _FEWEST <= len(triples) < len(_BEGIN.findall(text)):
            continue
        if triples and _BRANCH.search(text, triples[0][0], triples[-1][0]):
            continue  # only some of them are set
        if len({path for _, path, _ in triples}) < _FEWEST_PATHS:
            continue  # repeats of one element set something else
        if len(triples) >= _FEWEST and (messages := list(_divided(triples, text))):
            yield from messages
            return
    for match in _GO_MAP.finditer(text):
        pairs = [(path_of(pair[1]) or "", pair[2]) for pair in _GO_PAIR.finditer(match[1])]
        if len(pairs) >= _FEWEST and (
            single := collected("printed map", [pair for pair in pairs if pair[0]])
        ):
            yield single


def _divided(triples: list[tuple[int, str, str]], text: str) -> Iterator[Named]:
    """A message for each MTI among the pairs, else elsewhere in the text."""
    if not any(path == MTI_PATH and is_mti(value) for _, path, value in triples):
        beside = [
            (match.start(), (match[1] or match[2]).zfill(4))
            for match in (*_MTI.finditer(text), *_NEW.finditer(text))
        ]
        triples = sorted([*triples, *((at, MTI_PATH, mti) for at, mti in beside if is_mti(mti))])
    return messages_of("program text", ((path, value) for _, path, value in triples))


def write(mti: str, fields: Mapping[str, str]) -> str:
    """One call per element."""
    pairs = (
        (path, value.replace("\\", "\\\\").replace('"', '\\"'))
        for path, value in {"0": mti, **fields}.items()
    )
    return "\n".join(f'm.set({path}, "{value}");' for path, value in pairs)
