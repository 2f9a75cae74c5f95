"""The answers of the endpoints, written as JSON.

Each has the keys of the endpoint's response record, in its order. What is the same in every message of one
layout, the numbers and names of its elements, is written once and kept; values are put between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from pydantic_core import to_json

from sim.codec import Message
from sim.operations import Explanation, Generated, Report
from sim.operations.project import labels
from sim.operations.verdict import Judgement, Verdict

_PLAIN = re.compile(r"[ !#-\[\]-~]*+").fullmatch  # nothing that JSON escapes

Writer = Callable[[Mapping[int, str], bool], str]


def generated(made: Generated) -> bytes:
    """The answer of POST /generate."""
    message, mti, source = _text(made.raw), _word(made.mti), _text(made.source)
    fields = _fields(made.message, made.raw)
    network = "null" if made.network is None else _word(made.network)
    text = f'{{"message":{message},"mti":{mti},"network":{network},"fields":{fields},"source":{source}}}'
    return text.encode()


def explained(told: Explanation, raw: str) -> bytes:
    """The answer of POST /explain; *raw* is the text that was explained."""
    fields = _fields(told.message, raw)
    mti, source, summary = _word(told.mti), _word(told.source), _text(told.summary)
    return f'{{"fields":{fields},"mti":{mti},"source":{source},"summary":{summary}}}'.encode()


def validated(report: Report) -> bytes:
    """The answer of POST /validate."""
    write = _kept if report.verdict.kept else _judged
    return write(report.verdict, report.asked)


def _judged(verdict: Verdict, asked: tuple[str, ...]) -> bytes:
    """A verdict, which messages alike share, with the results of the networks *asked*."""
    report = Report(verdict, None, asked)
    results = [f'"{name}":{_result(result)}' for name, result in report.networks.items()]
    # A valid message is one without errors.
    head = '"valid":true,"errors":[]' if report.valid else f'"valid":false,"errors":{_texts(report.errors)}'
    return f'{{{head},"networks":{{{",".join(results)}}}}}'.encode()


# Of a verdict that is remembered, the answer is, too.
_kept = lru_cache(maxsize=1024)(_judged)


def _result(result: Judgement) -> str:
    if result.passed:
        return '{"passed":true,"errors":[]}'
    return f'{{"passed":false,"errors":{_texts(result.errors)}}}'


def _texts(texts: Sequence[str]) -> str:
    return f"[{','.join(map(_text, texts))}]"


def _text(text: str) -> str:
    """*text* in JSON. Half a surrogate pair, which no UTF-8 can hold, becomes the replacement character: a
    language model may write one."""
    try:
        return to_json(text).decode()
    except ValueError:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return to_json(whole).decode()


_word = lru_cache(maxsize=256)(_text)  # an MTI, a network: there are few


def _fields(message: Message, raw: str) -> str:
    """The JSON of the elements of *message*, whose text form is *raw*: where nothing in that is escaped,
    nothing in them has."""
    return _writer(message.version, tuple(message.fields))(message.fields, _PLAIN(raw) is not None)


@lru_cache(maxsize=256)
def _writer(version: str, numbers: tuple[int, ...]) -> Writer:
    """What writes the elements *numbers* from their values, ascending; these need no escaping where they
    are *plain*."""
    ascending, known = sorted(numbers), labels(version)
    in_order = ascending == list(numbers)
    binary = {number for number in ascending if known[number].binary}
    heads = [f'{{"number":{number},"name":{_text(known[number].name)},"value":"' for number in ascending]
    if not heads:
        return lambda fields, plain: "[]"
    # What stands before each value, its place, and what stands behind the last.
    layout = ["[" + heads[0], ""]
    for head in heads[1:]:
        layout += ['"},' + head, ""]
    layout.append('"}]')

    def write(fields: Mapping[int, str], plain: bool) -> str:
        values: Iterable[str] = fields.values() if in_order else map(fields.__getitem__, ascending)
        if binary:
            pairs = zip(ascending, values, strict=True)
            values = [value.upper() if number in binary else value for number, value in pairs]
        if not plain:
            values = [_text(value)[1:-1] for value in values]
        parts = layout.copy()
        parts[1::2] = values
        return "".join(parts)

    return write
