"""Messages that other hands read too: `python tests/harness/differential.py COUNT`.

COUNT generated and mutated messages go to pyiso8583 as text, half of them broken, COUNT in the formats of
ours that its tables can say, and COUNT to Wireshark where it is installed. Read by both, they say the same.
A disagreement is counted under the row of `differs.csv` that it fits: who reads, what each said (regular
expressions), and the clause that decides. Any other is told, and ends with status 1.
"""

from __future__ import annotations

import csv
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import iso8583
from mutations import good, mutated

from sim.codec import Message, ParseError, build, parse
from sim.codec.wire import decode, encode, misfits, wire_format
from sim.codec.wire.catalogue import ready
from sim.codec.wire.exchange.pyiso import to_pyiso8583
from sim.errors import BITMAP_FIELD, IsoError
from sim.spec import VERSIONS, spec
from tests.interop.test_pyiso8583 import _by_our_table
from tests.interop.tshark import PROGRAM, differs, read

_REASONS = Path(__file__).with_name("differs.csv")
_SHOWN = 40
_BATCH = 2_000
_SHORTEST = 20  # bytes: what is shorter is no message to Wireshark
_RAW = "iso8583.binencode:Bin data not encoded"
_PACKED = "iso8583.charset:Digits represented in nibbles"
_WIRESHARK = {"ascii-binary": [_RAW], "bcd": [_RAW, _PACKED]}
# Characters that no value of a class has: what Wireshark looks for, and stops at.
_ODD = {"an": re.compile("[^0-9A-Za-z]"), "ns": re.compile("[A-Za-z]"), "z": re.compile("[^0-9=D]")}
_ODD["anp"] = _ODD["an"]  # to Wireshark
_NEVER = re.compile(r"(?!)")


class Tally:
    """What was compared, and what did not agree."""

    def __init__(self) -> None:
        self.same: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.wrong: list[str] = []
        with _REASONS.open(encoding="utf-8", newline="") as file:
            self.reasons = list(csv.DictReader(file))

    def differ(self, what: str, ours: str, theirs: str) -> None:
        """Ours and theirs differ: known, or told."""
        for row in self.reasons:
            fits = row["reader"] == what and re.fullmatch(row["ours"], ours)
            if fits and re.fullmatch(row["theirs"], theirs):
                self.known[f"{what}: {row['clause']}"] += 1
                return
        self.wrong.append(f"{what}: ours {ours[:300]} | theirs {theirs[:300]}")


def messages(count: int, some: Random) -> Iterator[Message]:
    """*count* good messages with a few values changed; each fits its layout."""
    for _ in range(count):
        yield mutated(some, some.choice(good()))


def _theirs(raw: bytes, table: dict[str, Any]) -> tuple[str, str, dict[int, str]]:
    read, _ = iso8583.decode(raw, spec=table)
    mti, first, second = read.pop("t"), read.pop("p"), read.pop("1", "")
    read.pop("h", "")
    return mti, (first + second).upper(), {int(number): value for number, value in read.items()}


def _ours(message: Message) -> tuple[str, str, dict[int, str]]:
    return message.mti, message.bitmap, dict(message.fields)


def texts(count: int, some: Random, tally: Tally) -> None:
    """Whole texts, and as many with a few characters changed."""
    tables = {version: _in_latin(_by_our_table(version)) for version in VERSIONS}
    for message in messages(count, some):
        try:
            raw = build(message)
        except IsoError:
            continue
        for text in (raw, _broken(raw, some)):
            _compare_text(text, message.version, tables[message.version], tally)


def _in_latin(table: dict[str, Any]) -> dict[str, Any]:
    """Its ASCII as ours: a character is a byte."""
    return {
        name: {**one, "data_enc": "latin-1"} if name not in "tp" and one["data_enc"] == "ascii" else one
        for name, one in table.items()
    }


def _broken(raw: str, some: Random) -> str:
    at = some.randrange(len(raw))
    way = some.random()
    if way < 0.6:
        return raw[:at] + some.choice("0123456789ABCDEF xé-") + raw[at + 1 :]
    return raw[:at] + raw[at + some.choice((1, 2, 5)) :] if way < 0.8 else raw[:at] + "0" + raw[at:]


def _compare_text(text: str, version: str, table: dict[str, Any], tally: Tally) -> None:
    ours: Any
    theirs: Any
    try:
        ours = _ours(parse(text, version))
    except ParseError as error:
        ours = error
    try:
        theirs = _theirs(text.encode("latin-1"), table)
    except (iso8583.DecodeError, KeyError) as error:
        theirs = error
    refused = isinstance(ours, ParseError), isinstance(theirs, Exception)
    if refused == (True, True) or ours == theirs:
        tally.same["pyiso8583, text" + (", refused by both" if refused[0] else "")] += 1
    else:
        tally.differ("pyiso8583 text", *_said(ours, theirs))


def _said(ours: Any, theirs: Any) -> tuple[str, str]:
    """What each said: why it refused, or its parts that are not the other's."""
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        return _alone(ours), _alone(theirs)
    numbers = {**ours[2], **theirs[2]}
    unlike = [number for number in numbers if ours[2].get(number) != theirs[2].get(number)]
    told = []
    for one, other in ((ours, theirs), (theirs, ours)):
        parts = [f"{name} {one[at]}" for at, name in enumerate(("MTI", "bitmap")) if one[at] != other[at]]
        told.append("; ".join([*parts, *(f"DE {number} {one[2].get(number)}" for number in unlike)]))
    return told[0], told[1]


def _alone(read: Any) -> str:
    if isinstance(read, Exception):
        return f"refused: {type(read).__name__} {read}"
    return f"read: {read[0]} {read[1]}"


def wires(count: int, some: Random, tally: Tally) -> None:
    """Bytes of every format of ours that pyiso8583 can be told."""
    tables: dict[tuple[str, str], dict[str, Any]] = {}
    for name in ready():
        for version in VERSIONS:
            try:
                table, refused = to_pyiso8583(wire_format(name), version)
            except IsoError:
                continue
            tables[name, version] = {"table": _in_latin(table), "refused": refused}
    keys = sorted(tables)
    for message in messages(count, some):
        fitting = [key for key in keys if key[1] == message.version]
        name, version = some.choice(fitting)
        table, refused = tables[name, version]["table"], tables[name, version]["refused"]
        if refused.keys() & {BITMAP_FIELD, *message.fields} or misfits(message, name):
            tally.same["pyiso8583, bytes: left out, cannot be written or told so"] += 1
            continue
        data = encode(message, name)
        ours = _ours(decode(data, name, version))
        theirs: Any
        try:
            theirs = _theirs(data, table)
        except (iso8583.DecodeError, KeyError) as error:
            theirs = error
        assert {at: value.upper() for at, value in message.fields.items()} == {
            at: value.upper() for at, value in ours[2].items()
        }
        if theirs == ours:
            tally.same["pyiso8583, bytes"] += 1
        else:
            tally.differ("pyiso8583 bytes", *_said(ours, theirs))


def wireshark(count: int, some: Random, tally: Tally) -> None:
    """Text of 1987 and 1993, and bytes of 1987, as far as Wireshark's own table has the elements so."""
    if PROGRAM is None:
        print("tshark is not installed: not compared with Wireshark")
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in ("text", *_WIRESHARK):
            for start in range(0, count // 3, _BATCH):
                size = min(_BATCH, count // 3 - start)
                some_texts = [one for one in messages(size, some) if _for_wireshark(one, name)]
                pairs = [(one, build(one) if name == "text" else encode(one, name)) for one in some_texts]
                sent = [(one, data) for one, data in pairs if len(data) >= _SHORTEST]
                readings = read([data for _, data in sent], Path(folder), _WIRESHARK.get(name, []))
                _compare(name, [one for one, _ in sent], readings, tally)


def _for_wireshark(message: Message, name: str) -> bool:
    """Whether its table has the elements of *message* as ours has, and its texts stay as they are."""
    if message.version == "2003" or (name != "text" and message.version != "1987") or not message.fields:
        return False
    # MTIs and characters that it takes for no message are left to pyiso8583.
    if not message.mti.isdigit() or message.mti[0] != {"1987": "0", "1993": "1"}[message.version]:
        return False
    apart = set(differs(message.version))
    if name != "text":
        apart |= {35, 36, 55, 96, *(range(65, 129) if name == "ascii-binary" else ())}
        if misfits(message, name):
            return False
    own = spec(message.version)
    digits = all(value.isdigit() for number, value in message.fields.items() if own[number].content == "n")
    plain = all(value.isascii() and value.isprintable() for value in message.fields.values())
    return digits and plain and not apart & message.fields.keys()


def _compare(name: str, sent: Sequence[Message], readings: Sequence[Any], tally: Tally) -> None:
    for message, reading in zip(sent, readings, strict=True):
        theirs = None if reading is None else (reading.mti, reading.bitmap.upper(), reading.fields)
        if theirs == _ours(message):
            tally.same[f"Wireshark, {name}"] += 1
        else:
            ours, said = _said(_ours(message), theirs) if theirs else (str(_ours(message)), "no message")
            odd = _odd(message)
            tally.differ(f"Wireshark {name}", f"odd DE {odd}; {ours}" if odd else ours, said)


def _odd(message: Message) -> int | None:
    """The first element with a character that its class does not have, or with none at all."""
    for number, value in message.fields.items():
        if not value or _ODD.get(spec(message.version)[number].content, _NEVER).search(value):
            return number
    return None


def main(count: int) -> int:
    """Compare, and tell."""
    some, tally = Random(8583), Tally()
    texts(count // 2, some, tally)
    wires(count, some, tally)
    wireshark(count, some, tally)
    for what, number in (*tally.same.most_common(), *tally.known.most_common()):
        print(f"{number:8,} {what}")
    print(f"{len(tally.wrong):8,} without a reason")
    print("\n".join(tally.wrong[:_SHOWN]))
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
