"""POST /parse, /build and /convert: their responses and errors."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from support import AT, together

from sim.codec import Message
from sim.codec import build as write
from sim.codec.wire import encode, names
from sim.operations import convert, field_values, generate, validate

# An element of another length than the version has it, as a switch names it.
NAMED = {
    **{"0": "0200", "2": "4111111111111111", "3": "000000", "4": "000000001000", "11": "000123"},
    **{"12": "260903123045", "41": "12345678", "42": "000000000012345", "49": "840"},
}
ECHO = "0800822000000000000004000000000000001120093000123456301"
FIELDS = [
    {"number": 7, "name": "Transmission date and time", "value": "1120093000"},
    {"number": 11, "name": "Systems trace audit number (STAN)", "value": "123456"},
    {"number": 70, "name": "Network management information code", "value": "301"},
]
PAN = "4539578763621486"


def faults(answer: httpx.Response) -> list[tuple[str, list[Any]]]:
    """Type and location of each fault in an error response."""
    assert answer.status_code == 422, answer.text
    return [(fault["type"], fault["loc"]) for fault in answer.json()["detail"]]


def test_parse_the_text_form(client: Any) -> None:
    """The text form is accepted unchanged, without its line ending."""
    answer = client.post("/parse", {"message": ECHO + "\r\n"}).json()
    assert answer == {
        "mti": "0800",
        "version": "1987",
        "network": None,
        "interface": None,
        "fields": FIELDS,
        "findings": [],
        "message": ECHO,
        "format": {
            "name": "text",
            "framing": [],
            "confidence": "sure",
            "reasons": ["the text form, read to its end"],
        },
        "more": 0,
    }


@pytest.mark.parametrize("form", ["bcd", "ebcdic", "ascii-binary"])
def test_parse_bytes(client: Any, form: str) -> None:
    """Bytes in hex are read in a named or guessed format, and the result is accepted by the other
    endpoints."""
    assert form in names()
    source = generate("auth", network="VISA", at=AT).message
    pasted = encode(source, form).hex(" ")
    for asked in ({"format": form}, {}):
        answer = client.post("/parse", {"message": pasted, **asked}).json()
        assert answer["message"] == write(source)
        assert answer["network"] == "VISA"
        assert answer["format"]["confidence"] in ("sure", "likely")
        assert answer["fields"] == field_values(source)
        assert client.post("/validate", {"message": answer["message"]}).json()["valid"] is True


def test_parse_a_frame(client: Any) -> None:
    """The framing around a message is named, outermost layer first."""
    body = encode(Message("0800", {3: "990000", 11: "123456"}), "bcd")
    framed = (len(body) + 5).to_bytes(2, "big") + bytes.fromhex("6000060000") + body
    answer = client.post("/parse", {"message": framed.hex()}).json()
    assert [layer.split()[0] for layer in answer["format"]["framing"]] == ["2-byte", "TPDU"]
    assert answer["mti"] == "0800"


def test_version_and_network_of_parse(client: Any) -> None:
    """The version defaults to the MTI's, the network to the card's; either may be given."""
    raw = generate("auth", network="VISA", version="1993", at=AT).raw
    answer = client.post("/parse", {"message": raw}).json()
    assert (answer["version"], answer["network"]) == ("1993", "VISA")
    answer = client.post("/parse", {"message": raw, "network": "JCB", "version": None}).json()
    assert answer["network"] == "JCB"


def test_a_message_that_breaks_off_is_parsed_as_far_as_it_goes(client: Any) -> None:
    """200 with what was read and the reason; there is no text form."""
    for asked in ({"format": "text"}, {}):
        answer = client.post("/parse", {"message": ECHO[:-1], **asked})
        assert answer.status_code == 200, answer.text
        record = answer.json()
        assert record["fields"] == FIELDS[:-1]
        assert record["findings"] == ["DE 70 at offset 52: expected n 3, found 2 characters"]
        assert (record["message"], record["format"]["confidence"]) == (None, "unsure")


def test_elements_that_fit_no_text_form_are_parsed(client: Any) -> None:
    """Values are as received, and the invalid one is reported; convert rejects it with what was read."""
    paste = json.dumps(NAMED)
    record = client.post("/parse", {"message": paste}).json()
    assert {str(one["number"]): one["value"] for one in record["fields"]} == {
        key: value for key, value in NAMED.items() if key != "0"
    }
    assert len(record["findings"]) == 1
    assert record["findings"][0].startswith("DE 12")
    assert record["message"] is None
    answer = client.post("/convert", {"message": paste, "target_version": "1993"})
    assert faults(answer) == [("iso8583_parse", ["body", "message"])]
    ctx = answer.json()["detail"][0]["ctx"]
    assert (ctx["field"], ctx["fields"]["12"]) == (12, NAMED["12"])
    assert ctx["fields"]["2"] == "411111******1111"


def test_what_converts_not(client: Any) -> None:
    """The fault in an invalid text form is located, with what was read."""
    answer = client.post("/convert", {"message": ECHO[:-1], "target_version": "1993"})
    assert faults(answer) == [("iso8583_parse", ["body", "message"])]
    ctx = answer.json()["detail"][0]["ctx"]
    assert (ctx["field"], ctx["offset"]) == (70, 52)
    assert {"expected", "found"} <= set(ctx)
    assert ctx["fields"]["11"] == "123456"


@pytest.mark.parametrize("path", ["/parse", "/convert"])
def test_what_cannot_be_read(client: Any, path: str) -> None:
    """Input that is not a message is reported as such, with reasons; an MTI by itself is not a message
    either."""
    more = {"target_version": "1993"} if path == "/convert" else {}
    answer = client.post(path, {"message": "GET / HTTP/1.1\nHost: shop.test\n\n", **more})
    assert faults(answer) == [("not_iso8583", ["body", "message"])]
    assert answer.json()["detail"][0]["ctx"]["reasons"]
    assert answer.json()["detail"][0]["ctx"]["kind"] == "http"
    answer = client.post(path, {"message": "0800202000000000", **more})
    assert faults(answer) == [("iso8583_parse", ["body", "message"])]
    for less in ("0", "08", "080"):
        assert faults(client.post(path, {"message": less, **more})) == [("not_iso8583", ["body", "message"])]


def test_bytes_that_break_off_name_what_was_tried(client: Any) -> None:
    """For guessed bytes, parse returns what was read, and convert lists the formats tried."""
    body = encode(generate("auth", network="VISA", at=AT).message, "bcd").hex()
    record = client.post("/parse", {"message": body[:-12]}).json()
    assert (record["format"]["name"], record["message"]) == ("bcd", None)
    assert "at byte" in record["findings"][0]
    answer = client.post("/convert", {"message": body[:-12], "target_version": "1993"})
    assert faults(answer) == [("iso8583_parse", ["body", "message"])]
    tried = answer.json()["detail"][0]["ctx"]["tried"]
    assert {"format", "read", "of"} == set(tried[0])
    assert any(one["format"] == "bcd" for one in tried)


@together("path", ["/parse", "/build"])
@together("name", ["", "BCD", "nope", "../text", "x" * 300])
def test_unknown_format(client: Any, path: str, name: str) -> None:
    """The error for an unknown format lists the known ones."""
    body = {"message": ECHO} if path == "/parse" else {"mti": "0800", "fields": {}}
    answer = client.post(path, {**body, "format": name})
    assert faults(answer) == [("format_unknown", ["body", "format"])]
    assert (
        "'bcd'" in answer.json()["detail"][0]["msg"] or "bcd" in answer.json()["detail"][0]["ctx"]["expected"]
    )


def test_build_text_and_bytes(client: Any) -> None:
    """The elements as text, with the length in characters, and in a format, with the length in bytes;
    parse reads both back."""
    fields = {"3": "990000", "11": "123456"}
    text = client.post("/build", {"mti": "0800", "fields": fields}).json()
    wanted = "08002020000000000000990000123456"
    assert text == {"message": wanted, "mti": "0800", "version": "1987", "format": "text", "length": 32}
    packed = client.post("/build", {"mti": "0800", "fields": fields, "format": "bcd"}).json()
    assert packed == {"message": wanted, "mti": "0800", "version": "1987", "format": "bcd", "length": 16}
    assert client.post("/parse", {"message": packed["message"], "format": "bcd"}).json()["message"] == wanted


def test_build_every_message_that_was_parsed(client: Any) -> None:
    """build restores what parse returned, in each version."""
    for version in ("1987", "1993", "2003"):
        raw = generate("auth", network="VISA", entry="chip", version=version, at=AT).raw
        read = client.post("/parse", {"message": raw}).json()
        fields = {str(field["number"]): field["value"] for field in read["fields"]}
        built = client.post("/build", {"mti": read["mti"], "fields": fields, "version": version}).json()
        assert built["message"] == raw


def test_every_element_that_cannot_be_written(client: Any) -> None:
    """All of them are reported at once, each at its number, without their values."""
    fields = {"2": PAN * 2, "3": "990000", "4": PAN, "49": "x"}
    answer = client.post("/build", {"mti": "0100", "fields": fields})
    assert faults(answer) == [("iso8583_build", ["body", "fields", number]) for number in ("2", "4", "49")]
    assert answer.json()["detail"][1]["ctx"]["expected"] == "n 12"
    assert PAN[6:12] not in answer.text


@together("key", ["1", "0", "129", "02", "x", "", " 2", "٢", PAN])
def test_no_such_element(client: Any, key: str) -> None:
    """Elements are 2 to 128, without leading zeros."""
    answer = client.post("/build", {"mti": "0100", "fields": {key: "1", "3": "000000"}})
    ((type_, loc),) = faults(answer)
    assert (type_, loc[:2]) == ("iso8583_build", ["body", "fields"])
    assert PAN[6:12] not in answer.text


@together(
    "body, type_, loc",
    [
        ({"fields": {}}, "missing", ["body", "mti"]),
        ({"mti": "0100"}, "missing", ["body", "fields"]),
        ({"mti": "٠١٠٠", "fields": {}}, "string_pattern_mismatch", ["body", "mti"]),
        ({"mti": "100", "fields": {}}, "string_pattern_mismatch", ["body", "mti"]),
        ({"mti": "0100", "fields": []}, "dict_type", ["body", "fields"]),
        ({"mti": "0100", "fields": {"2": 4}}, "string_type", ["body", "fields", "2"]),
        ({"mti": "0100", "fields": {}, "version": "1988"}, "enum", ["body", "version"]),
        ({"mti": "0100", "fields": {}, "version": None}, "enum", ["body", "version"]),
        ({"mti": "0100", "fields": {}, "format": 5}, "string_type", ["body", "format"]),
        (
            {"mti": "0100", "fields": {str(n): 5 for n in range(70_000)}},
            "too_long",
            ["body", "fields"],
        ),
    ],
)
def test_build_constraints(client: Any, body: dict[str, Any], type_: str, loc: list[Any]) -> None:
    """Wrong types and too many members are rejected in a short response."""
    answer = client.post("/build", body)
    assert faults(answer) == [(type_, loc)]
    assert len(answer.content) < 1000


@pytest.mark.parametrize("path", ["/parse", "/convert"])
def test_message_constraints(client: Any, path: str) -> None:
    """A message is 1 to 65536 characters."""
    more = {"target_version": "1993"}
    assert faults(client.post(path, {"message": "", **more})) == [("string_too_short", ["body", "message"])]
    long = client.post(path, {"message": "0" * 65537, **more})
    assert faults(long) == [("string_too_long", ["body", "message"])]
    assert (
        client.post(path, {"message": "z" * 65536, **more}).json()["detail"][0]["type"] != "string_too_long"
    )
    assert faults(client.post(path, {**more})) == [("missing", ["body", "message"])]


def test_convert(client: Any) -> None:
    """The message in the other version, with a note on each element."""
    answer = client.post("/convert", {"message": ECHO, "target_version": "1993"}).json()
    assert (answer["mti"], answer["version"], answer["lossless"]) == ("1804", "1993", True)
    assert answer["notes"][-1] == {
        "number": 70,
        "to": [24],
        "action": "moved",
        "note": "301 is 831 in 1993.",
    }
    assert [note["number"] for note in answer["notes"]] == [0, 7, 11, 70]
    assert client.post("/parse", {"message": answer["message"]}).json()["fields"] == answer["fields"]


def test_convert_is_the_operation(client: Any) -> None:
    """Bytes are converted like text, and the response is the operation's result."""
    source = generate("auth", network="MASTERCARD", version="1993", at=AT).message
    made = convert(source, "1987")
    for message in (write(source), encode(source, "ebcdic").hex()):
        answer = client.post("/convert", {"message": message, "target_version": "1987"}).json()
        assert answer["message"] == write(made.message)
        assert answer["lossless"] is made.lossless
        assert len(answer["notes"]) == len(made.notes)
    assert validate(answer["message"], version="1987").valid


@pytest.mark.parametrize("target", [None, "1988", 1993])
def test_convert_needs_a_version(client: Any, target: Any) -> None:
    """The version to convert to is one of the three."""
    answer = client.post("/convert", {"message": ECHO, "target_version": target})
    assert faults(answer) == [("enum", ["body", "target_version"])]


def test_elements_of_another_interface_are_not_converted(client: Any) -> None:
    """An element with another length than the interface has is a fault of the message, named with what is
    expected."""
    raw = generate("auth", network="VISA").raw
    answer = client.post("/convert", {"message": raw, "interface": "base24", "target_version": "1987"})
    (fault,) = answer.json()["detail"]
    assert (answer.status_code, fault["type"]) == (422, "iso8583_build")
    assert (fault["loc"], fault["ctx"]["field"]) == (["body", "message"], 41)
