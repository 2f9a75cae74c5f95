"""Chip data in words: tags, bits, masked card data, the sentences of an explanation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import together

from sim.codec import Message
from sim.elements import emv
from sim.elements.emv import response_code, transaction_type
from sim.parts import chip_data
from sim.spec import emv as tables

PAN = "4111111111111111"
TRACK = f"{PAN}D29122010000012345678F"
AGNS = (
    "C1C7D5E200017B3768BFC2CCF0820706020103A00000020749F107950000"
    "008000251203000000000012210978052818000000000000000080"
)


def one(tag: str, value: str, **context: str) -> emv.TagMeaning:
    """The meaning of one tag."""
    (read,) = chip_data.read_tags(chip_data.write_tags({tag: value}))
    return emv.explain_tag(read, **context)


def chip(tags: dict[str, str], mti: str = "0100", fields: dict[int, str] | None = None) -> Message:
    """A message with these tags in DE 55."""
    return Message(mti, {**(fields or {}), 55: chip_data.write_tags(tags)})


def told(message: Message) -> str:
    """The sentences about a message's chip data."""
    return " ".join(emv.summary(message))


def test_every_table_is_read() -> None:
    """Each tag has a content class, by which values are shown; roles and bits are looked up by tag."""
    contents = {tag.content for tag in tables.tags().values()}
    assert contents == {"n", "cn", "an", "ans", "b"}
    assert tables.tags()["9F41"].digits == 8
    assert tables.tags()["71"].maximum is None
    assert tables.role("5A") == "pan"
    assert tables.role("95") == "cryptogram"
    assert tables.role("DF01") == ""
    assert tables.only_bits("95")
    assert not tables.only_bits("9F34")
    assert "9F26" in tables.with_role("cryptogram")


@together(
    "tag, value, shown, meaning",
    [
        ("9F02", "000000012345", "000000012345", "123.45 USD"),
        ("5F2A", "0840", "840", "US Dollar (USD)"),
        ("5F2A", "0000", "000", "not an ISO 4217 code"),
        ("9F1A", "0840", "840", "United States"),
        ("9A", "261120", "261120", "20 November 2026"),
        ("9A", "261320", "261320", ""),
        ("9F21", "101530", "101530", "10:15:30"),
        ("9C", "20", "20", "refund"),
        ("9C", "31", "31", "balance inquiry"),
        ("8A", "3030", "00", "00, approved"),
        ("8A", "5931", "Y1", "Y1, offline approved"),
        ("9F35", "22", "22", "merchant's terminal, attended, offline with online capability"),
        ("9F35", "99", "99", "not in the list"),
        ("84", "A0000000031010", "A0000000031010", "Visa application"),
        ("84", "A0000000991010", "A0000000991010", ""),
        ("50", "56495341", "VISA", ""),
        ("9F36", "0099", "0099", "transaction 153 of this card"),
        ("9F17", "01", "01", "1 PIN try left"),
        ("9F17", "03", "03", "3 PIN tries left"),
        ("9F39", "05", "05", "chip"),
        ("9F15", "5411", "5411", "Groceries and supermarkets"),
        (
            "91",
            "AABBCCDDEEFF00113030",
            "AABBCCDDEEFF00113030",
            "cryptogram of 8 bytes, response code 00, approved",
        ),
        ("9F27", "80", "80", "ARQC, online authorization requested"),
        ("9F26", "1122334455667788", "1122334455667788", ""),
        ("95", "0000000000", "0000000000", "no bit set"),
    ],
)
def test_tags_in_words(tag: str, value: str, shown: str, meaning: str) -> None:
    """The value as a person writes it, and its meaning."""
    said = one(tag, value, currency="840")
    assert (said.value_shown, said.meaning) == (shown, meaning)
    assert said.name == tables.tags()[tag].name


@together(
    "tag, value, shown",
    [
        ("5A", PAN, "411111******1111"),
        ("5A", "378282246310005F", "378282*****0005"),
        ("5A", "ABCD", "[2 bytes masked]"),
        ("57", TRACK, "[19 bytes masked]"),
        ("56", "AA", "[1 byte masked]"),
        ("9F6B", TRACK, "[19 bytes masked]"),
        ("5F20", "4D5952", "[3 bytes masked]"),
        ("9F1F", "303030", "[3 bytes masked]"),
        ("9F20", "1234", "[2 bytes masked]"),
        ("99", "1234567890ABCDEF", "[8 bytes masked]"),
        ("86", "84240000AABB", "[6 bytes masked]"),
        ("DF01", PAN, "[8 bytes masked]"),
        ("72", "86048424AABB", "[6 bytes of tags]"),
    ],
)
def test_card_data_is_hidden(tag: str, value: str, shown: str) -> None:
    """Card numbers show the first 6 and last 4 digits; tracks, names, PINs, commands and unknown tags show
    nothing."""
    assert one(tag, value).value_shown == shown


@pytest.mark.parametrize(("carrier", "other"), [("5A", "9F10"), ("57", "9F10"), ("5A", "9F7C")])
def test_the_card_number_is_hidden_in_other_tags(carrier: str, other: str) -> None:
    """A tag that repeats the card number of 5A or 57 is masked, too."""
    text = chip_data.write_tags({carrier: PAN if carrier == "5A" else TRACK, other: f"06{PAN}06"})
    assert PAN not in "".join(f"{said}" for said in emv.decode(text))
    assert "411111******1111" in emv.decode(text)[1].value_shown


@pytest.mark.parametrize(
    ("tag", "name"), [("DF01", "private tag"), ("C1", "private tag"), ("9F77", "unknown tag")]
)
def test_tags_without_a_row(tag: str, name: str) -> None:
    """A tag of the private class is called private, other tags are unknown."""
    assert one(tag, "00").name == name


@pytest.mark.parametrize(
    ("tag", "value", "words"),
    [
        ("95", "0000208000", ["PIN try limit exceeded", "over the floor limit"]),
        ("95", "8000000001", ["offline data authentication was not performed", "byte 5 bit 1 (reserved)"]),
        (
            "9B",
            "E800",
            [
                "offline data authentication was performed",
                "cardholder verification was performed",
                "card risk management was performed",
                "terminal risk management was performed",
            ],
        ),
        ("82", "0100", ["combined data authentication (CDA) supported"]),
        ("9F07", "0080", ["domestic cash back allowed"]),
        ("9F33", "204000", ["chip with contacts", "encrypted PIN for online verification"]),
        ("9F27", "88", ["advice required"]),
        ("9F26", "FFFFFFFFFFFFFFFF", []),
    ],
)
def test_bits(tag: str, value: str, words: list[str]) -> None:
    """Bit 8 is the most significant; a bit without a meaning is reserved if the tag is all bits."""
    assert emv.bits_set(tag, value) == words


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("00", "AAC, transaction declined"),
        ("40", "TC, transaction approved"),
        ("80", "ARQC, online authorization requested"),
        ("C0", "reserved cryptogram type"),
        ("0A", "AAC, transaction declined; advice required; PIN try limit exceeded"),
        ("04", "AAC, transaction declined; reserved reason"),
        ("8000", ""),
        ("", ""),
    ],
)
def test_cryptogram(value: str, said: str) -> None:
    """Type, advice and reason of the cryptogram information data."""
    assert emv.cryptogram(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("020302", "encrypted PIN checked online, if the terminal supports the method: successful"),
        ("420301", "encrypted PIN checked online, if the terminal supports the method: failed"),
        ("1E0000", "signature, always: unknown"),
        ("3F0000", "no cardholder verification performed, always: unknown"),
        ("2A8005", "method 2A of the payment system or issuer: reserved result 05"),
        ("0203", ""),
    ],
)
def test_cvm_results(value: str, said: str) -> None:
    """Method (low six bits), condition and result."""
    assert emv.cvm_results(value) == said


def test_codes_without_a_meaning() -> None:
    """A code in no list is called unknown, never guessed."""
    assert response_code("FFFF") == "FFFF, not in the list"
    assert transaction_type("99") == ""


def test_decode_flattens_templates() -> None:
    """A template comes before its contents, with the number of tags; commands have their descriptions."""
    said = emv.decode("720F9F180400000001860684240000AABB")
    assert [(one.tag, one.depth, one.meaning) for one in said] == [
        ("72", 0, "holds 2 tags"),
        ("9F18", 1, ""),
        ("86", 1, "PIN change or unblock"),
    ]


def test_decode_says_where() -> None:
    """Start and end are the limits of the value in the element."""
    text = "9F2701809F3501229505AABBCCDDEE"
    assert [text[said.start : said.end] for said in emv.decode(text)] == ["80", "22", "AABBCCDDEE"]


def test_broken_chip_data() -> None:
    """The tags before the fault are shown, with a note that there is more."""
    text = "9C01009F2608AABB"
    chip = chip_data.read(text)
    assert chip.error is not None
    assert chip.error.offset == 12
    assert [said.tag for said in emv.decode(text)] == ["9C"]
    assert emv.headline(text) == "1 chip data tag and data that cannot be read: 9C Transaction type"
    assert emv.headline("XY") == "chip data that cannot be read as tags"
    assert emv.summary(Message("0100", {55: "XY"})) == ["There is chip data that cannot be read as EMV tags."]
    assert "the data after them cannot be read" in told(Message("0100", {55: text}))


def test_a_dataset_is_unwrapped() -> None:
    """An id 01 and a length of two bytes may precede the tags; offsets count from the element's start."""
    text = "0100049F270180"
    read = chip_data.read(text)
    assert (read.layout, read.error) == ("dataset", None)
    assert text[read.tags[0].value_start : read.tags[0].end] == "80"


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("0100059F270180", 2, "5 bytes in dataset 01, as its length requires"),
        ("01000A9F2608AABB", 12, "8 bytes of tag 9F26, as its length requires"),
        ("0100049F26018", 13, "whole bytes, two hex digits each"),
    ],
)
def test_a_broken_dataset(text: str, offset: int, expected: str) -> None:
    """A wrong length of the dataset is distinguished from a truncated tag in it."""
    error = chip_data.read(text).error
    assert error is not None
    assert (error.offset, error.expected) == (offset, expected)


def test_a_fixed_layout_is_read_by_its_places() -> None:
    """One network's layout starts with its name in EBCDIC: values in a fixed order, without tags."""
    read = chip_data.read(AGNS)
    assert (read.layout, read.error) == ("AGNS", None)
    assert (read.value("9F02"), read.value("9F10"), read.value("9F27")) == (
        "000000001221",
        "06020103A00000",
        "80",
    )
    assert chip_data.write_fixed(read.values) == AGNS
    assert emv.headline(AGNS).startswith("14 chip data tags: 9F26 Application cryptogram")
    for size in range(12, len(AGNS), 2):
        assert chip_data.read(AGNS[:size]).error is not None
    assert chip_data.read(AGNS + "00").error is not None


@given(st.lists(st.sampled_from(sorted(tables.tags())), max_size=40))
def test_the_headline_is_short(tags: list[str]) -> None:
    """However many tags there are, one line gives their number and stays within its limit."""
    line = emv.headline(chip_data.write_tags([(tag, "") for tag in tags]))
    assert len(line) <= 240
    assert line.startswith(f"{len(tags)} chip data tag") or not tags


@given(st.text(max_size=60) | st.text(alphabet="0123456789ABCDEF", max_size=120))
def test_any_text_is_told(text: str) -> None:
    """Reading, decoding and explaining never raise, whatever DE 55 contains."""
    assert emv.headline(text)
    assert isinstance(emv.decode(text), tuple)
    assert emv.summary(Message("0100", {55: text}))


@given(st.sampled_from(sorted(tables.tags())), st.binary(max_size=12))
def test_any_value_is_told(tag: str, value: bytes) -> None:
    """A value of the wrong length or content may have no meaning, but never raises."""
    said = emv.decode(chip_data.write_tags({tag: value.hex().upper()}))
    assert said[0].tag == tag
    assert emv.summary(chip({tag: value.hex().upper()}))


def test_no_chip_data_no_sentence() -> None:
    """A message without DE 55 has no sentence about it."""
    assert emv.summary(Message("0100", {11: "123456"})) == []


@together(
    "tags, sentence",
    [
        ({"9F27": "80"}, "The chip asked for an online decision (ARQC)."),
        ({"9F27": "40"}, "The chip approved the transaction (TC)."),
        ({"9F27": "02"}, "The chip declined offline (AAC); PIN try limit exceeded."),
        (
            {"9F27": "00", "95": "0000208000", "9F0E": "0000200000"},
            "The chip declined offline (AAC); "
            "the issuer's rules tell the chip to decline if PIN try limit exceeded.",
        ),
        (
            {"95": "0000208000"},
            "Terminal verification results: PIN try limit exceeded; over the floor limit.",
        ),
        ({"95": "0000000000"}, "The terminal found no problem."),
        ({"9F34": "020302"}, "The cardholder was verified by encrypted PIN checked online."),
        ({"9F34": "420301"}, "Cardholder verification failed: encrypted PIN checked online."),
        ({"9F34": "000001"}, "Cardholder verification failed."),
        (
            {"9F34": "1E0300"},
            "The cardholder was to be verified by signature; the terminal does not know the result.",
        ),
        ({"9F34": "1F0302"}, "No cardholder verification was required."),
        ({"9F34": "3F0000"}, "No cardholder verification was performed."),
        ({"84": "A0000000250101"}, "It includes chip data from an American Express application (1 tag)."),
        ({"8A": "3035"}, "The issuer sends the chip response code 05, do not honor."),
    ],
)
def test_sentences(tags: dict[str, str], sentence: str) -> None:
    """What the chip requests, what the terminal found, how the cardholder was verified."""
    assert sentence in emv.summary(chip(tags))


@pytest.mark.parametrize(
    ("amount", "end"),
    [
        ("000000012345", "123.45 USD at a terminal (United States), which matches the message."),
        ("000000012346", "123.45 USD at a terminal (United States), but the message says 123.46 USD."),
    ],
)
def test_agreement(amount: str, end: str) -> None:
    """The amount and currency that the chip signed are compared with the message's."""
    tags = {"9F02": "000000012345", "5F2A": "0840", "9F1A": "0840"}
    assert f"The chip signed {end}" in told(chip(tags, fields={4: amount, 49: "840"}))


def test_agreement_with_a_composite_amount() -> None:
    """In 2003 currency and decimals are part of DE 4."""
    message = chip({"9F02": "000000012345", "5F2A": "0840"}, "2100", {4: "8402000000012345"})
    assert "which matches the message" in told(Message("2100", message.fields, "2003"))


def test_the_issuer_answers_the_chip() -> None:
    """For a response: the issuer's authentication data, what its scripts do, and when."""
    script = chip_data.write_tags({"9F18": "00000001", "86": "841E0000"})
    text = told(chip({"91": "AABBCCDDEEFF00113030", "72": script}, "0110"))
    assert "issuer authentication data (10 bytes)" in text
    assert "after the final cryptogram (72): application block" in text
    assert "its contents cannot be read" in told(chip({"71": "8603AABB"}, "0110"))


@pytest.mark.parametrize(
    ("tag", "value", "aid", "name", "shown"),
    [
        ("9F53", "52", "A0000000041010", "Transaction category code", "R"),
        ("9F53", "05", "A0000000031010", "Consecutive transaction counter international limit", "05"),
        ("9F53", "708000", "A0000000651010", "Terminal interchange profile", "708000"),
        ("9F7C", "AB" * 20, "A0000000041010", "Merchant custom data", "AB" * 20),
        ("9F6E", "20700000", "A0000000031010", "Form factor indicator (FFI)", "20700000"),
    ],
)
def test_a_tag_of_networks_own_is_that_of_the_application(
    tag: str, value: str, aid: str, name: str, shown: str
) -> None:
    """The chip's application determines whose tag it is; without one, the card's network does."""
    alone = chip_data.write_tags({tag: value})
    said = emv.decode(chip_data.write_tags({"84": aid, tag: value}))[1]
    assert (said.name, said.value_shown) == (name, shown)
    owner = tables.owner(aid)
    assert emv.decode(alone, owner)[0].name == name
    assert emv.decode(alone)[0].name == tables.tags()[tag].name
    assert name in emv.headline(alone, owner)
