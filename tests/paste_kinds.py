"""Pastes that name each element, as in public threads, logs and tools: functions from a message to text.
Nothing here is copied: each imitates how a tool prints, so that tests can read the original back."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pprint import pformat
from urllib.parse import quote

from sim.codec import Message
from sim.spec import spec

Pairs = list[tuple[int, str]]


def _pairs(message: Message) -> Pairs:
    return list(message.fields.items())


def _name(number: int) -> str:
    return spec("1987")[number].name


def _lines(message: Message, first: str, each: str) -> str:
    """One line for the MTI, then one for each element: `{n}`, `{n3}` the number, `{v}`, `{size}`,
    `{name}`."""
    told = (
        each.format(n=number, n3=f"{number:03}", v=value, size=len(value), name=_name(number))
        for number, value in _pairs(message)
    )
    return "\n".join([first.format(mti=message.mti, bits=message.bitmap), *told]) + "\n"


def _of_lines(first: str, each: str) -> Callable[[Message], str]:
    return lambda message: _lines(message, first, each)


def _inline(first: str, each: str, between: str, last: str = "") -> Callable[[Message], str]:
    def written(message: Message) -> str:
        parts = (each.format(n=number, n3=f"{number:03}", v=value) for number, value in _pairs(message))
        return first.format(mti=message.mti) + between.join(parts) + last

    return written


def _isomsg(message: Message, indent: str = "  ") -> str:
    fields = [
        f'{indent}<field id="{number}" value="{html.escape(value)}"/>' for number, value in _pairs(message)
    ]
    return "\n".join([f'{indent}<field id="0" value="{message.mti}"/>', *fields])


def jpos_log(message: Message) -> str:
    """The log of a jPOS Q2 channel."""
    return (
        '<log realm="channel/127.0.0.1:8000" at="2024-01-02T03:04:05.678" lifespan="2ms">\n  <send>\n'
        f'    <isomsg direction="outgoing">\n      <!-- org.jpos.iso.packager.GenericPackager -->\n'
        f"{_isomsg(message, '      ')}\n    </isomsg>\n  </send>\n</log>\n"
    )


def _dict(message: Message) -> dict[str, str]:
    return {"0": message.mti, **{str(number): value for number, value in _pairs(message)}}


def _print_r(message: Message) -> str:
    inside = "".join(f"    [{key}] => {value}\n" for key, value in _dict(message).items())
    return f"Array\n(\n{inside})\n"


def _var_dump(message: Message) -> str:
    told = _dict(message)
    inside = "".join(f'  [{key}]=>\n  string({len(value)}) "{value}"\n' for key, value in told.items())
    return f"array({len(told)}) {{\n{inside}}}\n"


def _var_export(message: Message) -> str:
    return "array (\n" + "".join(f"  {key} => '{value}',\n" for key, value in _dict(message).items()) + ")"


def _code(mti: str, each: str) -> Callable[[Message], str]:
    return _of_lines(mti, each)


def _xml(each: str, mti: str, around: str) -> Callable[[Message], str]:
    def written(message: Message) -> str:
        told = (
            each.format(n=number, n3=f"{number:03}", v=html.escape(value))
            for number, value in _pairs(message)
        )
        inside = "\n".join(f"  {one}" for one in (mti.format(mti=message.mti), *told))
        return f'<?xml version="1.0"?>\n<{around}>\n{inside}\n</{around}>\n'

    return written


def _apart(message: Message, labels: tuple[str, str, str], between: str) -> str:
    """MTI, bitmap and the rest of the text form, printed separately."""
    from sim.codec import build

    text = build(message)
    at = 4 + len(message.bitmap)
    return between.join(
        f"{label}{part}" for label, part in zip(labels, (text[:4], text[4:at], text[at:]), strict=True)
    )


NAMED: dict[str, Callable[[Message], str]] = {
    "jPOS Q2 log": jpos_log,
    "jPOS XML in one line": lambda message: f"<isomsg>{_isomsg(message, '')}</isomsg>".replace("\n", ""),
    "jPOS XML in JSON": lambda message: json.dumps({"level": "INFO", "msg": f"sent {jpos_log(message)}"}),
    "jPOS XML for a browser": lambda message: html.escape(f"<isomsg>\n{_isomsg(message)}\n</isomsg>"),
    "XML number value": _xml(
        '<field number="{n}" value="{v}"/>', '<field number="0" value="{mti}"/>', "message"
    ),
    "XML Id": _xml('<Field Id="{n3}">{v}</Field>', "<MTI>{mti}</MTI>", "ISO8583"),
    "XML fieldNum": _xml('<f name="x" fieldNum="{n}" val="{v}"/>', '<f name="MTI" val="{mti}"/>', "f"),
    "XML DE002": _xml("<DE{n3}>{v}</DE{n3}>", "<MTI>{mti}</MTI>", "IsoMessage"),
    "XML F2": _xml("<F{n}>{v}</F{n}>", "<F0>{mti}</F0>", "iso"),
    "XML bit": _xml('<bit n="{n}">{v}</bit>', '<bit n="0">{mti}</bit>', "msg"),
    "JSON": lambda message: json.dumps(_dict(message)),
    "JSON, indented": lambda message: json.dumps(_dict(message), indent=2),
    "JSON fields": lambda message: json.dumps({"mti": message.mti, "fields": message.fields}),
    "JSON DE": lambda message: json.dumps(
        {"MTI": message.mti, **{f"DE{number:03}": value for number, value in _pairs(message)}}
    ),
    "JSON list of records": lambda message: json.dumps(
        {"mti": message.mti, "dataElements": [{"id": number, "value": v} for number, v in _pairs(message)]}
    ),
    "JSON list of field and data": lambda message: json.dumps(
        {"MTI": message.mti, "Fields": [{"Field": number, "Data": v} for number, v in _pairs(message)]}
    ),
    "JSON list of pairs": lambda message: json.dumps([[0, message.mti], *map(list, _pairs(message))]),
    "JSON in a log line": lambda message: f"2024-01-02 03:04:05 INFO iso={json.dumps(_dict(message))} ms=3",
    "JSON in JSON": lambda message: json.dumps({"level": "debug", "body": json.dumps(_dict(message))}),
    "Python": lambda message: str(_dict(message)),
    "Python numbers": lambda message: str({0: message.mti, **message.fields}),
    "Python pprint": lambda message: pformat({"t": message.mti, "p": message.bitmap, **_dict(message)}),
    "Python tuples": lambda message: str([(0, message.mti), *_pairs(message)]),
    "JavaScript pairs": lambda message: (
        f"var msg = [ [ 0, '{message.mti}' ],\n"
        + ",\n".join(f" [ {number}, '{value}' ]" for number, value in _pairs(message))
        + " \n];"
    ),
    "JavaScript Map": lambda message: (
        "Map(9) {" + ", ".join(f"{key} => '{value}'" for key, value in _dict(message).items()) + "}"
    ),
    "JavaScript object": lambda message: (
        "{\n" + ",\n".join(f"  {key}: '{value}'" for key, value in _dict(message).items()) + "\n}"
    ),
    "PHP print_r": _print_r,
    "PHP var_dump": _var_dump,
    "PHP var_export": _var_export,
    "Ruby": lambda message: (
        "{" + ", ".join(f'{key}=>"{value}"' for key, value in _dict(message).items()) + "}"
    ),
    "Go map": lambda message: (
        "map[" + " ".join(f"{key}:{value}" for key, value in _dict(message).items()) + "]"
    ),
    "Java map": lambda message: "{" + ", ".join(f"{key}={v}" for key, v in _dict(message).items()) + "}",
    "Java set": _code('ISOMsg m = new ISOMsg();\nm.setMTI("{mti}");', 'm.set({n}, "{v}");'),
    "Java set 0": _code('isoMsg.set(0, "{mti}");', 'isoMsg.set({n},"{v}");'),
    "Java setValue": _code(
        "IsoMessage m = mf.newMessage(0x200); // MTI {mti}", 'm.setValue({n}, "{v}", IsoType.ALPHA, {size});'
    ),
    "PHP addData": _code("$iso->addMTI('{mti}');", "$iso->addData({n}, '{v}');"),
    "Python setBit": _code("p.setMTI('{mti}')", "p.setBit({n}, '{v}')"),
    "Python items": _code('msg["t"] = "{mti}"', 'msg["{n}"] = "{v}"'),
    "C# items": _code('iso.MessageType = "{mti}";', 'iso[{n}] = "{v}";'),
    "Go Field": _code('message.MTI("{mti}")', 'message.Field({n}, "{v}")'),
    "brackets": _of_lines("[000] {mti}", "[{n3}] {v}"),
    "brackets and size": _of_lines("[000] [4] [{mti}]", "[{n3}] [{size}] [{v}]"),
    "dots": _of_lines("  Message Type Indicator [0].......{mti}", "  {name} [{n}].........{v}"),
    "Field 002:": _of_lines("MTI: {mti}", "Field 002: {v}".replace("002", "{n3}")),
    "Field 2 =": _of_lines("Message Type: {mti}", "Field {n} = {v}"),
    "DE2 =": _of_lines("MTI = {mti}", "DE{n} = {v}"),
    "DE 2 (name):": _of_lines("MTI: {mti}\nBitmap: {bits}", "DE {n} ({name}): {v}"),
    "F2:": _of_lines("MTI: {mti}", "F{n}: {v}"),
    "F002 -": _of_lines("MTI - {mti}", "F{n3} - {v}"),
    "Bit 3": _of_lines("MTI {mti}", "Bit {n} {v}"),
    "Bit 3 - name: value": _of_lines("    MTI: {mti}", "    Bit {n} - {name}: {v}"),
    "Bit 3:": _of_lines("MTI: {mti}", "Bit {n}: {v}"),
    "Field-2:": _of_lines("MTI : {mti}", "Field-{n} : {v}"),
    "field[2]": _of_lines("mti: {mti}", "field[{n}]: [{v}]"),
    "number: value": _of_lines("MTI: {mti}", "{n}: {v}"),
    "number -> value": _of_lines("0 -> {mti}", "{n} -> {v}"),
    "number name value": _of_lines("0 MTI: {mti}", "{n} {name}: {v}"),
    "name (number): value": _of_lines("MTI: {mti}", "{name} ({n}): {v}"),
    "logged lines": _of_lines(
        "10:15:30.123 DEBUG [main] MTI : {mti}", "10:15:30.124 DEBUG [main] Field-{n} : {v}"
    ),
    "logged parts": _of_lines(
        "2024-01-02 03:04:05,678 INFO Iso - MTI=[{mti}]", "2024-01-02 03:04:05,678 INFO Iso - F[{n3}]=[{v}]"
    ),
    "pyiso8583 pp": _of_lines(
        "t   Message Type                  : '{mti}'\np   Bitmap, Primary               : '{bits}'",
        "{n:<3} Some name                     : {size:02} '{v}'",
    ),
    "Fld (size): [value]": _of_lines("MTI (004): [{mti}]", "Fld {n3} ({size:03}): [{v}]"),
    "columns": _of_lines("000 | MTI | {mti}", "{n3} | {name} | {v}"),
    "markdown": _of_lines(
        "| DE | Name | Value |\n|---|---|---|\n| 0 | MTI | {mti} |", "| {n} | {name} | {v} |"
    ),
    "markdown with remarks": _of_lines(
        "| DE | Name | Value | Remark |\n|---|---|---|---|\n| MTI | x | `{mti}` | y |",
        "| {n} | {name} | `{v}` | y |",
    ),
    "MTI without a number": _of_lines("N/A | MSGTYPE | {mti}", "{n} | {name} | {v}"),
    "MTI by itself": _of_lines("{mti}", "Field {n}: {v}"),
    "Field 2: value,": _inline("Response: MTI: {mti}, ", "Field {n}: {v}", ", "),
    "Python bytes": lambda message: str({key: value.encode() for key, value in _dict(message).items()}),
    "CSV": _of_lines("field,value\n0,{mti}", "{n},{v}"),
    "CSV with names": _of_lines("0;MTI;{mti}", "{n};x;{v}"),
    "CSV with names, commas": _of_lines("0,MTI,{mti}", "{n},x,{v}"),
    "n 002 name : [size] value": _of_lines("Message Type : {mti}", "n {n3} {name} : [{size}] {v}"),
    "tabs": _of_lines("0\tMTI\t{mti}", "{n}\tname\t{v}"),
    "number=value|": _inline("MTI={mti}|", "{n}={v}", "|"),
    "F2=value blank": lambda message: (
        f"MTI={message.mti} " + " ".join(f"F{number}={value}" for number, value in _pairs(message))
    ),
    "(2)(value)": _inline("MTI {mti} ", "({n})({v})", ""),
    "[2:value]": _inline("mti:{mti} ", "[{n}:{v}]", ""),
    "2:[value]": _inline("{{0:[{mti}], ", "{n}:[{v}]", ", ", "}"),
    "form": lambda message: (
        f"mti={message.mti}&" + "&".join(f"field{number}={quote(value)}" for number, value in _pairs(message))
    ),
    "Postilion trace": _of_lines("{mti}:", "   [LLVAR  n    ..19  {size:03}] {n3} [{v}]"),
    "Postilion trace, no brackets": _of_lines("{mti}:", "   [LLVAR  n    ..19  {size:03}] {n3} {v}"),
    "aligned table without heading": _of_lines("MTI {mti}", "  {n:>3}  Name of it              {v}"),
    "Postilion, by name": _of_lines("{mti}:", "    n {n3} {name}: [{v}]"),
    "Field 002 [kind] [value]": _of_lines(
        "Message Type [{mti}]", "Field {n3} [LLVAR n ..19 {size:03}] [{v}]"
    ),
    "j8583": _of_lines("TYPE: {mti}", "F {n:3}(ALPHA): {v} -> '{v}'"),
    "DE 002 (size) value": _of_lines("MTI {mti}", "DE {n3} ({size:03}) {v}"),
    "number size [value]": _of_lines("000 004 [{mti}]", "{n3} {size:03} [{v}]"),
    "[DE002][name] value": _of_lines("[MTI] {mti}", "[DE{n3}][{name}] {v}"),
    "C# dictionary": _of_lines("[0, {mti}]", "[{n}, {v}]"),
    "properties": _of_lines("iso.mti={mti}", "iso.field.{n}={v}"),
    "attributes that are set": _of_lines("m.mti = '{mti}'", "m.f{n} = '{v}'"),
    "rows inserted": _of_lines("VALUES (7, 0, '{mti}');", "VALUES (7, {n}, '{v}');"),
    "YAML records": _of_lines("mti: '{mti}'\nfields:", "  - id: {n}\n    name: {name}\n    value: '{v}'"),
    "Jira": _of_lines("||DE||Name||Value||\n|0|MTI|{mti}|", "|{n}|{name}|{v}|"),
    "grid": _of_lines("+--+--+--+\n| 0 | MTI | {mti} |", "+--+--+--+\n| {n} | {name} | {v} |"),
    "box": _of_lines(
        "\u250c\u2500\u252c\u2500\u2510\n\u2502 0 \u2502 {mti} \u2502", "\u2502 {n} \u2502 {v} \u2502"
    ),
    "HTML table": _of_lines("<table><tr><td>0</td><td>{mti}</td></tr>", "<tr><td>{n}</td><td>{v}</td></tr>"),
    "n=value^": _inline("0={mti}^", "{n}={v}", "^"),
    "XML attributes": _inline('<ISO8583 MTI="{mti}" ', 'F{n3}="{v}"', " ", "/>"),
    "XML, number and value": _inline(
        '<iso mti="{mti}">', "<field><id>{n}</id><value>{v}</value></field>", "", "</iso>"
    ),
    "XML, type of the message": _inline('<m type="{mti}">', '<field num="{n}">{v}</field>', "", "</m>"),
    "dataclass": _inline("IsoMessage(mti='{mti}', ", "de{n}='{v}'", ", ", ")"),
    "Scala": _inline("Map(0 -> {mti}, ", "{n} -> {v}", ", ", ")"),
    "Clojure": _inline('{{0 "{mti}", ', '{n} "{v}"', ", ", "}"),
    "Erlang proplist": _inline('[{{0,<<"{mti}">>}},', '{{{n},<<"{v}">>}}', ",", "]"),
    "Erlang map": _inline('#{{0 => <<"{mti}">>, ', '{n} => <<"{v}">>', ", ", "}"),
    "Go records": _inline("&{{MTI:{mti} Fields:[", "{{ID:{n} Value:{v}}}", " ", "]}"),
    "Rust records": _inline(
        'Message {{ mti: "{mti}", [', 'Field {{ number: {n}, value: "{v}" }}', ", ", "] }"
    ),
    "set after set": _inline('ISOMsg m = new ISOMsg("{mti}"); m', '.set({n}, "{v}")', "", ";"),
    "pyiso8583, encoded": _inline(
        "{{'t': {{'len': b'', 'data': b'{mti}'}}, ", "'{n}': {{'len': b'16', 'data': b'{v}'}}", ", ", "}"
    ),
    "JSON, records by number": lambda message: json.dumps(
        {"mti": message.mti, "fields": {n: {"name": _name(n), "value": v} for n, v in _pairs(message)}}
    ),
    "table of messages": lambda message: (
        "\t".join(["MTI", *(f"DE{n}" for n, _ in _pairs(message))])
        + "\n"
        + "\t".join([message.mti, *(v for _, v in _pairs(message))])
    ),
    "columns of blanks": lambda message: (
        f"000 {'MTI':<24} {message.mti}\n"
        + "\n".join(f"{n:03} {_name(n)[:24].upper():<24} {v}" for n, v in _pairs(message))
    ),
    "CSV with names and sizes": lambda message: (
        f"bit,name,len,value\n0,MTI,4,{message.mti}\n"
        + "\n".join(f'{n},"{_name(n)}",{len(v)},"{v}"' for n, v in _pairs(message))
    ),
    "JSON list, the MTI among the others": lambda message: json.dumps(
        [{"id": n, "name": "x", "value": v} for n, v in [(0, message.mti), *_pairs(message)]]
    ),
    "JSON list of fieldNumber": lambda message: json.dumps(
        {"mti": message.mti, "fields": [{"fieldNumber": n, "fieldValue": v} for n, v in _pairs(message)]}
    ),
    "JSON, values and sizes by number": lambda message: json.dumps(
        {"mti": message.mti, "de": {f"{n:03}": {"v": v, "l": len(v)} for n, v in _pairs(message)}}
    ),
    "F002[value]": _inline("[08:30:15.332] MTI[{mti}] ", "F{n3}[{v}]", " "),
    "(2)=value": _inline("(0)={mti} ", "({n})={v}", " "),
    "number [size] [value]": _of_lines("MTI: {mti}", "{n3} [{size:03}] [{v}]"),
    "len= val=": _of_lines("MTI = {mti}", "Field {n3} len={size:03} val=[{v}]"),
    "LEN(size) DATA(value)": _of_lines("MTI: {mti}", "FLD({n3}) LEN({size:03}) DATA({v})"),
    "Field 2: name: value": _of_lines("    MTI: {mti}", "    Field {n}: {name}: {v}"),
    "logged fields": _of_lines(
        "08:30:15.332 INFO  [acq] message type {mti}", "08:30:15.332 INFO  [acq] field {n} = '{v}'"
    ),
    "field(2).set": _code('msg.setMti("{mti}");', 'msg.field({n}).set("{v}");'),
    "#2:value#": _inline("#0:{mti}#", "{n}:{v}", "#", "#"),
    "#2:value# in lines": _of_lines("#0:{mti}#", "#{n}:{v}#"),
    "between stars": _of_lines(f"{'*' * 40}\n* 000 * MTI * {{mti}} *", "* {n3} * {name} * {v} *"),
    "MTI, bitmap, data": lambda message: _apart(message, ("MTI: ", "Bitmap: ", "Data: "), "\n"),
    "MTI, bitmap, data in a line": lambda message: _apart(message, ("MTI=", "BITMAP=", "DATA="), " "),
}
