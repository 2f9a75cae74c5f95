"""What is no message but lies on the same desk is recognized in every door; card data is explained."""

from __future__ import annotations

import pytest
from called import Run
from support import together

import sim
from sim.operations.reading import read
from sim.paste.beside import kinds

PAN = "4111111111111111"
PASTES = (
    ("emv-tlv", "9F26086C15EBC5894EAA9B9F2701809F3602E242950500000080009A03261120", "ARQC"),
    ("emv-tlv", "6F 12 84 07 A0 00 00 00 03 10 10 A5 07 50 05 56 49 53 41 31", "holds 2 tags"),
    ("emv-tlv", 'var data = "9f02060000000010009f2608e4539ffffaa341db9f3602000195050000048000";', ""),
    ("emv-tlv", 'String d = "9F27 01 80"\n + "9F36 02 0349"\n + "9C 01 00"\n + "82 02 5800";', "ARQC"),
    ("pin-block", f"PAN: {PAN}\nPIN block (format 0): 041225EEEEEEEEEE", "4 digits"),
    ("kcv", "Key: 0123456789ABCDEFFEDCBA9876543210\nKCV: 08D7B4", None),
    ("uuid", "\n".join(f"{at}23e4567-e89b-12d3-a456-426614174000" for at in (1, 2, 3)), None),
    ("packager", '<?xml version="1.0"?>\n<isopackager>\n<isofield id="0" length="4"/>', None),
    ("bitmap", f"So in bits it is\n\n{0x7238000102C08000:064b}\n", "Processing code"),
    ("dol", "9F02069F03069F1A0295055F2A029A039C019F3704", "6 bytes"),
    ("bitmap", "7238000102C08000", "Processing code"),
    (
        "bitmap",
        "Bitmap: 01110010 00111000 00000000 00000001 00000010 11000000 10000000 00000000",
        "Processing",
    ),
    ("bitmap", f"{0x7238000102C08000:064b}", "Processing code"),
    ("track-1", f"%B{PAN}^DOE/JOHN^2912201000000000000000?", "December 2029"),
    ("track-1", f"%B{PAN}^DOE/JOHN^2912201000000000000000?;{PAN}=29122010000000000000?", "December 2029"),
    ("track-2", f";{PAN}=29122010000000000000?", "December 2029"),
    ("pin-block", "041234FFFFFFFFFF", "4 digits"),
    ("card-number", PAN, "Visa"),
    ("tvr", "TVR: 80 00 04 80 00", "over the floor limit"),
    ("tvr", "8000048000", "over the floor limit"),
    ("tsi", "TSI E800", "cardholder verification was performed"),
    ("cvm-results", "9F34 1E0300", "signature"),
    ("aip", "AIP=1980", "cardholder verification supported"),
    ("auc", "AUC FF00", ""),
    ("terminal-capabilities", "9F33: E0F8C8", ""),
    ("cid", "CID: 80", "ARQC"),
    ("aid", "A0000000031010", "Visa"),
    ("ksn", "FFFF9876543210E00001", "1 transaction so far"),
    ("key-block", f"B0096P0TE00N0000{'A1B2C3D4' * 10}", "PIN encryption key"),
    ("apdu", "00A4040007A0000000031010\n6F1A8407A0000000031010A50F500B56495341", "select an application"),
    ("apdu", "C-APDU: 00 B2 01 0C 00\nR-APDU: 70 03 5F 34 01 90 00", "read record"),
    ("de90", "010012345611200830150000000000000000000000", "STAN 123456"),
    ("de54", "0001840C000000010000", "100.00 USD"),
    ("de43", f"{'CORNER SHOP':25}{'NEW YORK':13}US", "NEW YORK, United States"),
    ("response-code", "RC 51", "not sufficient funds"),
    ("arn", "74123456324123456789012", "day 324"),
    ("mti", "MTI 0100", "authorization request"),
    ("mti", "Message type: 1804", "network management request"),
    ("kcv", "KCV: A1B2C3", None),
    ("arqc", "ARQC 6C15EBC5894EAA9B", None),
    ("atr", "3B6800000073C84013009000", None),
    ("hash", "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08", None),
    ("swift-mt", "{1:F01BANKBEBBAXXX0000000000}{2:I103BANKDEFFXXXXN}{4:\n:20:REF123\n-}", None),
    ("iso-20022", '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"/>', None),
    ("iso-20022-card", '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:caaa.001.001.05"/>', None),
    ("certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", None),
    ("private-key", "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----", None),
    ("public-key", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", None),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", None),
    ("ssh-key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", None),
    ("http", "GET /health HTTP/1.1\r\nHost: localhost\r\n", None),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000", None),
    ("iban", "DE89 3704 0044 0532 0130 00", None),
    ("url", "https://example.org/iso8583", None),
    ("timestamp", "2026-11-20T12:30:45Z", None),
    ("fix", "8=FIX.4.2|9=65|35=A|49=SERVER|56=CLIENT|", None),
    ("edifact", "UNB+UNOA:1+SENDER+RECEIVER+261120:1230+1'", None),
    ("traceback", "Traceback (most recent call last):\n  File 'a.py', line 1\nValueError: no", None),
    (
        "stack-trace",
        "org.jpos.iso.ISOException: unpack\n\tat org.jpos.iso.ISOMsg.unpack(ISOMsg.java:1)",
        None,
    ),
    ("emv-qr", "00020101021226180014A000000677010111520458125303764540510.005802TH6304A13B", None),
    ("html", "<!doctype html><title>502</title>", None),
    ("pdf", "%PDF-1.7\n%abc", None),
    ("tls", "160303002A0200002603030102", None),
    ("gzip", "1F8B0800000000000003", None),
    ("png", "89504E470D0A1A0A0000000D49484452", None),
)


@together("kind, text, said", PASTES)
def test_it_is_recognized_and_explained(kind: str, text: str, said: str | None) -> None:
    """Its kind has a name; the card ones are explained part by part, without the digits of a card."""
    found = read(text)
    assert (found.message, found.kind, found.confidence) == (None, kind, "none")
    assert (said is None) == (not found.pieces)
    if said:
        assert any(said in one.meaning for one in found.pieces)
    assert all(PAN not in f"{one.value} {one.meaning}" for one in found.pieces)


def test_how_many_there_are() -> None:
    """At least forty kinds, and fifteen of them with their inside."""
    assert len(kinds()) >= 40
    assert len({kind for kind, _, said in PASTES if said is not None}) >= 15


def test_every_door_says_the_same() -> None:
    """Table, guess, shell and refusal name the same kind, and show no card number."""
    text = f";{PAN}=29122010000000000000?"
    summary = sim.parse(text).iso.summary
    assert summary.startswith("This is not an ISO 8583 message. Track 2 of a card without its message.")
    assert PAN not in summary
    assert not sim.validate(text).iso.valid
    for verb in ("parse", "explain", "guess"):
        done = Run(verb, text)
        assert "Track 2 of a card without its message." in done.out
        assert PAN not in done.out


@pytest.mark.parametrize(
    "text",
    [
        "hello world",
        "12345",
        "no message here",
        '{"trace": "123e4567-e89b-12d3-a456-426614174000", "note": "declined", "amount": 12}',
    ],
)
def test_what_is_not_known_has_no_kind(text: str) -> None:
    """A text of nothing known is none of the kinds."""
    assert read(text).kind == ""
