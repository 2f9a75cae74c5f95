"""The guess: what it takes, how sure it is, and that it is never wrong and sure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ALL, fewer, together

from sim.codec import Message, ParseError, build
from sim.codec.wire import encode, read, wire_format
from sim.errors import SpecError
from sim.operations import NotIso8583Error, generate, guess, parse_any
from sim.paste.spellings import sightings
from tests.guess_score import FOUND, MADE, TEXT, judged, score, verdict
from tests.spellings import SPELLINGS, hexdump_c, xxd
from tests.wire_samples import same, samples

ECHO = Message("0800", {3: "990000", 7: "1120101530", 11: "123456", 41: "TERM0001"})
SALE = Message(
    "0200",
    {2: "4111111111111111", 3: "000000", 4: "000000012345", 7: "1120101530", 11: "146739", 12: "101530"}
    | {13: "1120", 22: "051", 24: "001", 25: "00", 41: "TERM0001", 42: "MERCHANT1234567", 49: "840"},
)


def test_made_samples_are_read_right() -> None:
    """At least 98 in 100 of the samples made by another library are right, none is wrong."""
    counted = _by_verdict(score(MADE))
    assert counted["right"] >= 0.98 * counted.total()
    assert counted["wrong"] == 0


def test_found_samples_are_read_right_or_honestly() -> None:
    """At least 75 in 100 of the samples found in public are right; none is wrong without saying so."""
    counted = _by_verdict(score(FOUND))
    assert counted["right"] >= 0.75 * counted.total()
    assert counted["wrong"] == 0


def test_the_text_form_is_taken_as_it_stands() -> None:
    """Every text that parses is taken as the text form, with its values."""
    for row, best in judged(TEXT):
        assert (best.format, verdict(row, best)) == ("text", "right"), row["id"]


def _by_verdict(counted: Counter[tuple[str, str]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (how, _), count in counted.items():
        found[how] += count
    return found


def test_whole_messages_of_all_formats_framings_and_spellings_are_read() -> None:
    """Nearly all that a link writes and a person pastes is read right, and whatever is sure is right."""
    right = 0
    for sample in samples(100, seed=7):
        best = guess(sample.paste)
        fine = best.message is not None and same(best.message, sample.message)
        right += fine
        assert fine or best.confidence != "sure", sample.made
    assert right >= 97


def test_damaged_messages_are_never_wrong_and_sure() -> None:
    """A byte lost or added, a cut, a bit flipped: never a wrong answer that claims to be sure."""
    for sample in samples(100 if ALL else 40, seed=8, damaged=True):
        best = guess(sample.paste)
        fine = best.message is not None and same(best.message, sample.message)
        assert fine or best.confidence != "sure", f"{sample.made}, {sample.damage}"


@together("name", SPELLINGS)
def test_a_framed_message_is_read_from_every_spelling(name: str) -> None:
    """Whatever the spelling, the message, its framing and its format are named."""
    data = bytes.fromhex("0044 6000030000".replace(" ", "")) + encode(SALE, "bcd")
    data = (len(data) - 2).to_bytes(2, "big") + data[2:]
    best = guess(SPELLINGS[name](data))
    assert best.message == SALE
    assert best.confidence in ("sure", "likely")
    assert [one.split()[0] for one in best.framing] == ["2-byte", "TPDU"]


def test_bytes_themselves_are_read() -> None:
    """A paste may be bytes, too."""
    best = guess(encode(ECHO, "ebcdic"))
    assert (best.message, best.format) == (ECHO, "ebcdic")


@pytest.mark.parametrize("length", ["", "00B4", "0180"])
@pytest.mark.parametrize("name", ["ascii", "ascii-binary"])
def test_bytes_of_characters_are_read_as_their_literal_is(name: str, length: str) -> None:
    """Digits among them that look like hex do not stand in the way, nor does a length."""
    card = {"de2": "6011000990139424", "de14": "2912", "de35": "6011000990139424=29122010000012345678"}
    sale = SALE.replace(
        de4="000099999999", de11="357273", de18="5411", de32="12345678901", de37="632415252859", **card
    )
    data = encode(sale, name)
    size = {"": "", "00B4": f"{len(data):04X}", "0180": f"{len(data):04}"}[length]
    for paste in (size.encode() + data, repr(size.encode() + data)):
        best = guess(paste)
        assert (best.message, best.confidence) == (sale, "sure")


def test_the_format_found_reads_and_writes_the_same_bytes() -> None:
    """What a candidate says of the format is a format: it reads the message and writes its bytes back."""
    for sample in samples(40, seed=9):
        best = guess(sample.paste)
        if best.written is None or best.confidence != "sure":
            continue
        body = best.data[best.start : best.end]
        found = read(body, best.written, best.version)
        assert same(found.message, sample.message)
        moved = {at: tuple(one + best.start for one in span) for at, span in found.spans.items()}
        assert moved == dict(best.spans)


@pytest.mark.parametrize(
    ("paste", "reason"),
    [
        ("", "no text"),
        ("Dear Sir, please find attached the invoice 0200 of last month.", "no MTI"),
        ("POST /parse HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP"),
        ("31 31 1c 30 30 32 1c 1c 1c 31 3b 1c 3b 32 30 30 31 1c 30 30", "1C"),
        ("8f14e45fceea167a5a36dedd4bea2543" * 3, "no MTI"),
        ('{"status": "ok", "amount": 12}', "no MTI"),
    ],
)
def test_what_is_no_message_is_said_to_be_none(paste: str, reason: str) -> None:
    """A letter, HTTP, a cash machine's own protocol, random digits: none, and why."""
    best = guess(paste)
    assert (best.confidence, best.message) == ("none", None)
    assert reason in " ".join(best.reasons)


@pytest.mark.parametrize(
    ("paste", "kind"),
    [
        ("9F26 08 1122334455667788 9F2701809F1007060111 03A00000 9C0100", "emv-tlv"),
        (";4111111111111111=29122010000012345678?", "track-2"),
        ("%B4111111111111111^DOE/JANE^2912201000000?", "track-1"),
        ("7238 0001 08C0 8000", "bitmap"),
        ("0412 34EE EEEE EEEE", "pin-block"),
        ("8f14e45fceea167a5a36dedd4bea2543" * 3, ""),
    ],
)
def test_what_stands_on_the_same_desks_is_called_by_its_name(paste: str, kind: str) -> None:
    """Chip data, a track, a bitmap, a PIN block by itself: what it is, and nothing of it is shown."""
    found = guess(paste)
    assert (found.confidence, found.kind) == ("none", kind)
    assert "4111" not in " ".join(found.reasons)


def test_the_service_own_json_is_read() -> None:
    """A request or an answer of the service holds its message under a key."""
    best = guess('{"message": "08002020000000000000990000123456", "network": null}')
    assert (best.mti, best.spelling) == ("0800", "JSON message: text")


def test_several_messages_are_all_given() -> None:
    """Lines of text forms, records with lengths, XML: each message is there."""
    texts = "08002020000000000000990000123456\n08102020000000000000990000123456\n"
    assert [one.mti for one in guess(texts).messages] == ["0800", "0810"]
    body = encode(SALE, "ebcdic")
    record = len(body).to_bytes(4, "big") + body
    assert [one.message for one in guess(xxd(record * 3 + bytes(4))).messages] == [SALE] * 3
    hexes = "\n".join(encode(one, "bcd").hex() for one in (SALE, ECHO, SALE))
    assert [one.mti for one in guess(hexes).messages] == ["0200", "0800", "0200"]


@pytest.mark.parametrize(
    "write", [build, lambda one: encode(one, "bcd").hex(), lambda one: xxd(encode(one, "ascii"))]
)
def test_messages_with_words_between_are_all_given(write: Callable[[Message], str]) -> None:
    """A request and an answer as a forum has them, or under two keys of a record."""
    sale, echo = write(SALE), write(ECHO)
    paste = f"I send this to the host:\n\n{sale}\n\nand after 35 ms it answers\n{echo}\nWhat is wrong?"
    assert [one.message for one in guess(paste).messages] == [SALE, ECHO]
    many = [SALE.replace(de11=f"{number:06}") for number in range(9)]
    log = "\n".join(f"sent at {place} ms\n{write(one)}\nno answer" for place, one in enumerate(many))
    assert [one.message for one in guess(log).messages] == many
    record = json.dumps({"request": sale, "response": echo, "again": sale})
    assert [one.message for one in guess(record).messages] == [SALE, ECHO]


def test_a_cut_message_is_unsure_and_says_where_it_stops() -> None:
    """What was read before the cut is given, with the byte where it ends."""
    data = encode(SALE, "bcd")
    best = guess(hexdump_c((len(data)).to_bytes(2, "big") + data[:50]))
    assert best.confidence == "unsure"
    assert best.error is not None
    assert best.message is not None
    assert best.message.fields.items() <= SALE.fields.items()
    assert best.message[4] == SALE[4]


def test_a_known_format_is_taken_as_known() -> None:
    """With a format given, only spelling and framing are guessed; `text` takes nothing else."""
    data = encode(SALE, "bcd-right").hex()
    assert guess(data, format="bcd-right").message == SALE
    assert guess(data, format="text").confidence == "none"
    with pytest.raises(SpecError):
        guess(data, format="nonsense")


def test_parse_any_gives_the_text_form_and_how_it_was_written() -> None:
    """What the service answers with."""
    found = parse_any("0800 2020 0000 0080 0000 9900 0012 3456 5445 524D 3030 3031")
    assert found.text == "08002020000000800000990000123456TERM0001"
    assert (found.format, found.version, found.framing) == ("bcd", "1987", ())


def test_parse_any_says_why_not() -> None:
    """No message at all, and one that stops somewhere, are two errors."""
    with pytest.raises(NotIso8583Error) as none:
        parse_any("hello world, no message")
    assert none.value.reasons
    with pytest.raises(ParseError) as stopped:
        parse_any(encode(SALE, "bcd")[:-4].hex())
    assert stopped.value.field == 49 or stopped.value.field == 42
    with pytest.raises(ParseError):
        parse_any("0800202000000000000099000012345")


def test_reasons_and_reprs_show_no_card_data() -> None:
    """A guess may be printed: its texts hold no card number."""
    found = guess(encode(SALE, "bcd").hex() + "41")
    assert "411111111111" not in repr(found).replace(" ", "")


@settings(max_examples=fewer(150), deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_anything_gives_a_guess(data: bytes | str) -> None:
    """Nothing raises, and there is always a candidate with a reason."""
    best = guess(data)
    assert best.reasons
    assert best.confidence in ("sure", "likely", "unsure", "none")


@settings(max_examples=fewer(100), deadline=None)
@given(
    st.sampled_from(["bcd", "ascii", "ebcdic", "ascii-binary"]), st.integers(0, 120), st.binary(max_size=6)
)
def test_a_spoilt_message_gives_a_guess(name: str, at: int, spoil: bytes) -> None:
    """Bytes written over a message raise nothing, and no length in them makes memory."""
    data = bytearray(encode(SALE, name))
    data[at : at + len(spoil)] = spoil
    assert guess(bytes(data)).reasons


def test_the_ready_formats_are_what_is_tried() -> None:
    """Every ready format reads its own message when it is asked for."""
    for name in ("bcd", "ebcdic", "ascii-binary", "visa", "unionpay"):
        assert guess(encode(SALE, name).hex(), format=wire_format(name)).message == SALE


@pytest.mark.parametrize(
    "around", ["\x02{}\x03", "<STX>{}<ETX>", "[STX]{}[ETX]", "\u2402{}\u2403", "\x02{}\x03\r\n"]
)
def test_text_between_stx_and_etx_is_named_so(around: str) -> None:
    """As characters, or written out as manuals and terminals show them."""
    best = guess(around.format(build(SALE)))
    assert best.read_as == "text, STX, ETX, text form, sure"
    assert best.message == SALE


def test_masked_bytes_of_a_dump_are_never_believed() -> None:
    """Bytes that somebody starred out or crossed out are zeros, and the reading says so."""
    shown = hexdump_c(encode(SALE, "bcd")).splitlines()
    masked = "\n".join([shown[0].replace("41 11", "41 XX").replace(" 11", " XX").split("|")[0], *shown[1:]])
    best = guess(masked)
    assert best.confidence == "unsure"
    assert "masked" in " ".join(best.reasons)
    assert best.message is not None
    assert best.message[11] == SALE[11]


def test_a_paste_that_ends_in_an_ellipsis_is_a_message_that_was_cut() -> None:
    """MTI and bitmap are enough then."""
    best = guess(encode(SALE, "bcd")[:16].hex(" ") + " ...")
    assert best.confidence == "unsure"
    assert "the paste ends in an ellipsis: it is cut" in best.reasons
    assert best.mti == "0200"


def test_a_track_of_another_card_is_not_believed() -> None:
    """A byte lost in the length of DE 35 may shift its card number and still read to the end."""
    other = SALE.replace(de35="5454545454545454=29122010000012345678")
    best = guess(encode(other, "ascii-binary").hex())
    assert best.confidence == "unsure"
    assert "DE 35 has another card number than DE 2" in best.reasons


def test_visa_private_elements_are_read_behind_the_header() -> None:
    """Amounts with an EBCDIC sign, DE 60 packed, DE 62 as bytes; the header's own digits, which look like a
    message, do not win."""
    made = generate("auth", network="VISA").message
    message = made.replace(de28="D00000000", de60="22", de62="8000000000000000E8")
    body = encode(message, wire_format("visa-base1"))
    header = bytes([22, 1, 2]) + (22 + len(body)).to_bytes(2, "big") + bytes(17)
    best = guess((header + body).hex())
    assert (best.format, best.framing) == ("visa-base1", ("Visa header of 22 bytes",))
    behind_zeros = guess("0000" + (header + body).hex())
    assert behind_zeros.framing == ("header 0000", "Visa header of 22 bytes")
    assert (behind_zeros.message, behind_zeros.confidence) == (best.message, "unsure")
    assert best.message is not None
    assert best.message.fields == message.fields


def test_zeros_at_the_end_of_a_printed_message_are_no_message() -> None:
    """A manual's page lost blanks of the message; `0430` and the zeros behind it read to the end."""
    page = """ISO0140000500200B238800128E1941000000000000000120110000000000010000626144
   3000000001443010626062611509        374245455400126=99121010
     792001      09231                          CABAL S.A.
               0441                       4000000000000000000003217DABA59549
   803D5023                       0123121PRO1+000001 04300000000000000000000
   00000000000000000000000
"""
    best = guess(page)
    assert (best.mti, best.framing, best.complete) == ("0200", ("BASE24 header ISO014000050",), False)


def test_bytes_that_are_a_text_form_with_a_digit_typed_twice_are_unsure() -> None:
    """Both explain the digits: as packed numbers DE 12 is another time of day."""
    found = guess("1804023001000000000011201015301234562611201001530801")
    assert found.confidence == "unsure"
    assert any("but for a digit" in reason for reason in found.reasons)


def test_an_entity_above_a_byte_is_no_byte() -> None:
    """What has no byte is not cut down to one."""
    seen = [one.data for one in sightings("0800&#130;&#32;&#0;&#0;&#0;&#300;") if one.name == "XML entities"]
    assert seen == [b"0800\x82 \0\0\0?"]
