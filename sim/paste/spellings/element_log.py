"""Logs with one element per line, or several in a line, such as `(number)(value)` or `number=value|`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote_plus

from sim.codec.message import is_mti
from sim.paste.spellings.elements import MTI_PATH, Named, Pairs, collected, divided, messages_of

EXAMPLES = (
    (
        "MTI: 0800\nDE 003 [Processing code] = 990000\nDE 011 [STAN] = 000042",
        ("0800", {"3": "990000", "11": "000042"}),
    ),
    (
        "0 -> MTI 0800\n3 -> NUMERIC 6 [990000]\n11 -> NUMERIC       6       [000042]\n70 -> NUMERIC 3 [301]",
        ("0800", {"3": "990000", "11": "000042", "70": "301"}),
    ),
    (
        "MTI: 0800\nDE 3: 990000 (echo)\nDE 11: 000042\nDE 70: 301 (echo test)",
        ("0800", {"3": "990000", "11": "000042", "70": "301"}),
    ),
    (
        "Trame recue : 0810\nChamp 3 : 990000\nChamp 11 : 000042\nChamp 39 : 00\nChamp 44 : null",
        ("0810", {"3": "990000", "11": "000042", "39": "00"}),
    ),
    (
        "MTI 0800\nDE003 [990000]\nDE011 [000042]\nDE070 [301]\nWhat is wrong?",
        ("0800", {"3": "990000", "11": "000042", "70": "301"}),
    ),
    (
        "MTI: 0800\nDE 3: 990000   \u2190 network management\nDE 11: 000042\nDE 70: 301 // echo",
        ("0800", {"3": "990000", "11": "000042", "70": "301"}),
    ),
    (
        "Message 0120 bytes, MTI 0800\nDE 3: 990000\nDE 11: 000042\nDE 70: 301",
        ("0800", {"3": "990000", "11": "000042", "70": "301"}),
    ),
)
_MOST_LINE = 2000
MOST_LINES = 2000
# Not a size in brackets before the value in others.
_PAIR = re.compile(r"[(\[]([0-9]{1,3})[)\]]\s?[(\[]([^()\[\]\r\n]*)[)\]](?!\s{0,2}[:=]?\s{0,2}\[)")
# `F002[…] F003[…]`: elements in a row, since a value after the brackets makes what is inside them a name.
_ONE = r"\b(?:DE|DF|F|P|S|Field|Bit|fld)[ _.]?([0-9]{1,3})\s?(?:\[([^\[\]\r\n]*)\]|\(([^()\r\n]*)\))"
_RUN = re.compile(rf"(?:{_ONE}[\s,;|]{{0,3}}){{2,}}", re.IGNORECASE)
_IN_RUN = re.compile(_ONE, re.IGNORECASE)
_FEWEST_PAIRS = 3
# In English; in Chinese the word comes before the number, around it or after it.
_WORD = r"(?:Data ?Element|Data ?Field|Field|Fld|Bit|DE|DF|F|P|S|\u7b2c|\u57df|\u5b57\u6bb5)"
# The start of an element in `number=value`: at the start of a line, after a divider, or after a word.
_INLINE = re.compile(
    r"(?:^\s{0,3}|(?<=[|;,{&\[\n^~\x01])\s{0,3}|(?<=\n)(?:[A-Za-z]\w{0,20}\.){1,3}"
    r"|(?<=\s)(?=(?:DE|DF|F|P|S|Field|Bit|fld)[ _.]?[0-9]|[0-9]{1,3}=|\([0-9]{1,3}\)=))"
    r"(?![0-9]{1,2}:[0-9]{2}:[0-9]{2})"  # a time
    r"(?:DE|DF|F|P|S|Field|Bit|fld)?[ _.]?\(?0{0,2}([1-9][0-9]{0,2}|0)\)?\s?[=:]\s?\[?",
    re.IGNORECASE,
)
# Only if all of the text is `#0:0200#2:value#`, because `#` before a number is common.
_HASHED = re.compile(r"#0{0,2}([1-9][0-9]{0,2}|0):")
_HASHED_MTI = re.compile(r"\s{0,64}#0{1,3}:[0-9]{4}#")
# Go prints a map with blanks between its pairs: `map[2:… 3:…]`.
_MAP = re.compile(r"\bmap\[([0-9]{1,3}:[^\[\]\r\n]*)\]")
_NEXT_IN_MAP = re.compile(r" (?=[0-9]{1,3}:)")
_DIVIDER = re.compile(r"[|;&\]}\r\n^~\x01]")
_IN_QUOTES = re.compile(r"(['\"])([^'\"\r\n]*)\1")
_MOST_VALUE = 999
# What says that an MTI follows, the surest first: its name; "message" in other languages, with at most a word
# before the number, unless that counts something.
_MTI_LABELS = (
    re.compile(
        r"(?im)(?:\b(?:MTI|M\.T\.I|msg_?(?:type|id)|message ?type(?: ?(?:indicator|id|identifier))?)\b"
        r"|^t\b|^type(?=:)|\u6d88\u606f\u7c7b\u578b|\u62a5\u6587\u7c7b\u578b)"
        r"([^\r\n]{0,90})"
    ),
    re.compile(
        r"(?i)\b(?:message|mensa(?:je|gem)|trame|nachricht|\u0441\u043e\u043e\u0431\u0449\u0435\u043d\u0438\w)"
        r"(?: (?!(?:id|no|nr|num\w*|len\w*|lon\w*|size)\b)\w{1,12})?(?=\.{0,40}\W{0,4}[0-9]{4}\b)"
        r"([^\r\n]{0,90})"
    ),
)
_FOUR = re.compile(r"(?<![0-9])[0-9]{4}(?![0-9])")
_BITMAP = re.compile(r"(?i)bit ?map[^:=\r\n]{0,40}[:=]\s{0,4}['\"]?([0-9A-F]{31,33}|[0-9A-F]{15,17})\b")
# The word that makes a number an element: at the start of the line, or after a log's prefix.
_LABEL = re.compile(
    r"(?:^|(?<=[\s\[(|:>,]))(?:"
    rf"({_WORD}(?:[ _.\-#\[(]{{0,2}}| {{3}})|[\[(<#])"
    r"0{0,3}([1-9][0-9]{0,2}|0)(?:\.0{0,2}([0-9A-F]{1,4}))?(?![0-9])(?:\]?\s?\u57df)?"
    # A number alone, but not in a date or a time.
    r"|(?<![:,])0{0,3}([1-9][0-9]{0,2}|0)(?![0-9]|[.,:/-][0-9]))",
    re.IGNORECASE,
)
_WORDED = re.compile(rf"(?:^|(?<=[\s\[(|:>,])){_WORD}[ _.\-#\[(]{{0,2}}[0-9]{{1,3}}(?![0-9])", re.IGNORECASE)
# A name, then the number in brackets, then the value: `Track 2 data (35): …`, `STAN [11].....…`; after a
# number, what is in brackets is a size: `11- STAN (6): …`.
_NAMED = re.compile(
    r"(?!\s{0,8}[0-9]{1,3}-\s)[^:=\r\n]{0,160}?[A-Za-z][^:=\r\n]{0,8}?[\[(]0{0,2}([1-9][0-9]{0,2}|0)[\])]\s?(?:[:=]|\.{3,})\s?(.*)"
)
_NAME = r"\[?[A-Za-z(][^:=\r\n]{0,90}[:=]"
_SIZE = r"(?:[\[(]\s?[0-9]{1,6}\s?[\])]|\[(?:L{1,6}VAR|FIXED)[^\[\]\r\n]{0,40}\])"
# A labeled size, then a labeled value.
_SAID_SIZE = (
    r"(?:len(?:gth)?|size)\s?[=:(\[]\s?[0-9]{1,4}[,;)\]]{0,2}\s{1,4}"
    r"(?:val(?:ue)?|data|content)\s?(?:[=:]\s?|(?=[(\[]))"
)
# An element as printed by Postilion and its imitators: kind, or any word and the content, number (of its
# part, too), value.
_BEHIND_KIND = re.compile(
    r"\s{0,40}\[(?:L{1,6}VAR\b|FIXED\b|[A-Z]{1,8}\s{1,12}[abnpsxz+]{1,6}\s)[^\[\]\r\n]{0,40}\]\s{1,4}"
    r"([0-9]{3})(?:\.0{0,2}([0-9]{1,3}))?\s{1,4}(\[.*\]|[^\s\[].*?)\s{0,8}",
    re.IGNORECASE,
)
_VALUE = re.compile(
    rf"[\])>]?(?:\s{{1,8}}{_SAID_SIZE}|\s{{0,4}}[:=]?\s{{0,2}}{_SIZE}\s{{0,4}}[:=]?\s?(?=[\[<'\"])"
    rf"|\s{{0,8}}(?:->|=>|[:=]>?|\.{{3,}}:?|-(?=\s)(?!\s{{0,4}}{_NAME})) ?"
    r"|\s?\[[A-Za-z][^\[\]\r\n]{0,60}\]\s{0,4}[:=]?\s?|\s{1,4}[0-9]{1,3}\s{1,4}(?=\[)"
    r"|\s{1,4}(?=\([0-9]{1,4}\)\s[0-9])"
    r"|\s{1,4}[^\[\]:=\r\n]{1,60}?\s{1,8}(?=\[[^\[\]]{1,999}\]\s{0,8}$)"
    r"|[^:=\r\n]{0,120}?\bvalue\b[ :=]{0,3})(.*)",
    re.IGNORECASE,
)
# After a bracket, or a word with its number, a blank suffices; after a name, its colon is needed.
_BLANK = re.compile(rf"(?:(?<=[\])>])|(?<=[0-9]))[\])>]?\s{{1,8}}(?!\s|-\s{{0,4}}{_NAME}|{_NAME})(.*)")
_BEHIND_NAME = re.compile(r"[^:=\r\n]{0,160}?[:=]>? ?(.*)")
_BITS = re.compile(r"\s{0,8}\[\s{0,4}[0-9]+-[0-9]+\]")
_RULER = re.compile(r"\s{0,16}-{3,}")
_QUOTED = re.compile(r"(?:[0-9]{1,6} (?=['\"]))?(['\"\[<(])(.*)(['\"\]>)])[,;]?\s{0,8}")
# After a program's own value, the value as sent.
_AS_SENT = re.compile(r"\s->\s'([^'\r\n]*)'$")
_CLOSED = {"'": "'", '"': '"', "[": "]", "<": ">", "(": ")"}
# The element's name before each value, as in `Field 2: Primary account number: …`, or its type, as in
# `3 -> NUMERIC 6 [000000]`.
_FIRST = (
    re.compile(r"[A-Za-z][^:\r\n]{2,80}:\s(.*)"),
    re.compile(r"[A-Za-z_.]{1,16}\s{0,16}\(?[0-9]{0,4}\)?\s{1,16}((?:\[.*\]|<.*>|'.*'|\".*\"))\s{0,8}"),
)
# The meaning after a value, in brackets: `000000 (purchase)`; a remark follows an arrow or two slashes.
_MEANT = re.compile(r"(?<!\S)(\S+)\s{1,8}\([^()\r\n]{2,80}\)\s{0,8}")
_REMARK = re.compile(r"\s{1,8}(?:[\u2190\u2192]|<--?|//)\s")
_FEWEST_MEANT = 2
# The value, then an arrow from its name to it.
_POINTED_AT = re.compile(
    r"[\s|\u2502]{0,40}([^\s|\u2502][^\r\n]{0,998}?)\s{1,40}(?:\u2190|<--?)\s{0,4}"
    rf"(MTI|{_WORD} ?[0-9]{{1,3}})\b",
    re.IGNORECASE,
)


def find(text: str) -> Iterator[Named]:
    """The messages whose elements the lines of *text* name, each starting with its MTI."""
    bitmap = _BITMAP.search(text)
    bits = bitmap[1] if bitmap else ""
    mti = mti_said(text)
    pairs = [(str(int(match[1])), match[2]) for match in _PAIR.finditer(text)]
    if all(int(path) == len(value) for path, value in pairs):
        pairs = []  # these are sizes
    runs = (one for run in _RUN.finditer(text) for one in _IN_RUN.finditer(run[0]))
    pairs = pairs or [(str(int(match[1])), match[2] or match[3] or "") for match in runs]
    if len(pairs) >= _FEWEST_PAIRS:
        head = [(MTI_PATH, mti)] if mti else []
        if message := collected("log of (element)(value)", [*head, *pairs], bits):
            yield message
            return
    labelled, inline = _without_names([*_labelled(text)]), list(_inline(text, mti))
    if all(path in (MTI_PATH, str(len(value))) for path, value in labelled):
        labelled = []  # sizes, after names
    if _count(inline) > _count(labelled):
        yield from messages_of("log of element=value", inline, bits)
    else:
        yield from messages_of("log with one element per line", labelled, bits)


def _count(pairs: Pairs) -> int:
    """The elements of all messages in *pairs*."""
    return sum(len(dict(group)) for group in divided(pairs))


def mti_said(text: str) -> str:
    """The MTI after the first of the surest labels in *text*; empty if there is none."""
    labels = (label for pattern in _MTI_LABELS for label in pattern.finditer(text))
    numbers = (digits for label in labels for digits in _FOUR.findall(label[1]))
    return next(filter(is_mti, numbers), "")


def _inline(text: str, mti: str) -> Iterator[tuple[str, str]]:
    """Path and value of each `number=value`, after an MTI that only a label gives."""
    text = _MAP.sub(lambda match: f"[{_NEXT_IN_MAP.sub('|', match[1])}]", text)
    hashed = _HASHED_MTI.match(text)
    heads = list((_HASHED if hashed else _INLINE).finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)][: len(heads)]
    pairs = [
        (str(int(head[1])), _inline_value(text[head.end() : min(end, head.end() + _MOST_VALUE)]))
        for head, end in zip(heads, ends, strict=True)
    ]
    if hashed:
        pairs = [(path, value.removesuffix("#")) for path, value in pairs]
    if len(pairs) > 1 and all(value.endswith(",") for _, value in pairs[:-1]):  # a list in one line
        pairs = [(path, value.removesuffix(",")) for path, value in pairs]
    if mti and (MTI_PATH, mti) not in pairs:
        yield MTI_PATH, mti
    form = len(pairs) > 1 and text.count("&") >= len(pairs) - 1
    yield from ((path, unquote_plus(value, "latin-1")) for path, value in pairs) if form else pairs


def _inline_value(rest: str) -> str:
    """The value at the start of *rest*: in quotation marks, else up to a divider."""
    quoted = _IN_QUOTES.match(rest)
    return quoted[2] if quoted else _DIVIDER.split(rest, maxsplit=1)[0].strip()


def _labelled(text: str) -> Iterator[tuple[str, str]]:
    """Path and value of each line that names an element or the MTI. Lines after `SUBFIELDS` are inside an
    element."""
    block = last = 0
    for raw in text.splitlines()[:MOST_LINES]:
        line = raw[:_MOST_LINE]
        if pointed := _POINTED_AT.match(line):
            line = f"{pointed[2]}: {pointed[1]}"
        if _RULER.match(line):
            block = block if last == block else 0
            continue
        bare = line.strip().removesuffix(":")
        if mti := mti_said(line) or (bare if is_mti(bare) else ""):
            yield MTI_PATH, mti
            continue
        element = None if _BITS.match(line) or "itmap" in line else _element(line)
        if element is None:
            continue
        number, inner, value = element
        if "SUBFIELDS" in line:
            block = last = number
            continue
        last = number
        path = f"{block}.{number}" if block and number else str(number)
        yield (f"{path}.{inner}" if inner else path), _unquoted(value)


def _without_names(pairs: Pairs) -> Pairs:
    """The *pairs* without names or types before the values, if every value has one, or without meanings after
    the values, if several have one."""
    values = [value for path, value in pairs if path != MTI_PATH]
    for pattern in _FIRST:
        if len(pairs) >= _FEWEST_PAIRS and all(map(pattern.fullmatch, values)):
            return _by(pattern, pairs)
    meant = sum(map(bool, map(_MEANT.fullmatch, values)))
    return _by(_MEANT, pairs) if meant >= _FEWEST_MEANT else pairs


def _by(pattern: re.Pattern[str], pairs: Pairs) -> Pairs:
    """The *pairs* with each value reduced to what *pattern* captures."""
    triples = [(path, value, pattern.fullmatch(value)) for path, value in pairs]
    return [
        (path, _unquoted(match[1]) if match and path != MTI_PATH else value) for path, value, match in triples
    ]


def _element(line: str) -> tuple[int, str, str] | None:
    """Number, part and value in a line; None if it names no element."""
    if kind := _BEHIND_KIND.fullmatch(line):
        return int(kind[1]), kind[2] or "", kind[3]
    worded = _WORDED.search(line)
    if not worded and (match := _NAMED.match(line)):
        return int(match[1]), "", match[2]
    label = _LABEL.search(line, worded.start() if worded else 0)
    if label is None:
        return None
    value = _VALUE.match(line, label.end())
    if value is None and label[1]:
        value = _BLANK.match(line, label.end())
    value = value or _BEHIND_NAME.match(line, label.end())
    return None if value is None else (int(label[2] or label[4]), label[3] or "", value[1])


def _unquoted(value: str) -> str:
    if sent_match := _AS_SENT.search(value):
        return sent_match[1]
    value = _REMARK.split(value, maxsplit=1)[0]
    match = _QUOTED.fullmatch(value)
    if match and _CLOSED[match[1]] == match[3]:
        return match[2]
    size, _, rest = value.partition(" ")
    bare = size.strip("[]()")
    counts = bare.isdecimal() and int(bare[:4]) == len(rest)
    return rest if counts and (len(bare) < len(rest) or bare != size) else value


def write(mti: str, fields: Mapping[str, str]) -> str:
    """One line per element."""
    return "\n".join((f"MTI: {mti}", *(f"DE {path}: {value}" for path, value in fields.items())))
