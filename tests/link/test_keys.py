"""Keys: results agree with published vectors and two other packages, and reveal nothing."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from psec import aes as _aes
from psec import cvv as psec_cvv
from psec import mac as psec_mac
from psec import pin as psec_pin
from psec import pinblock, tr31
from pyemv import ac, cvn, kd, sm
from pyemv.cvv import generate_cvc3
from pyemv.tools import encrypt_tdes_ecb
from support import together

import sim
from sim import keys
from sim.codec import Message
from sim.errors import ChoiceError, OptionError
from sim.link.keys import messages
from sim.operations import generate, respond
from sim.parts import chip_data
from sim.spec.tables import read_csv

# psec and pyemv call cryptography as its older versions wanted to be called.
pytestmark = pytest.mark.filterwarnings("ignore::cryptography.utils.CryptographyDeprecationWarning")

PAIR = "0123456789ABCDEFFEDCBA9876543210"
TRIPLE = PAIR + "89ABCDEF01234567"
AES_BASE = "FEDCBA9876543210F1F1F1F1F1F1F1F1"
PAN = "4111111111111111"

pins = st.text("0123456789", min_size=4, max_size=12)
pans = st.text("0123456789", min_size=13, max_size=19)
pairs = st.binary(min_size=16, max_size=16)
payloads = st.binary(min_size=1, max_size=200)


@given(pin=pins, pan=pans, key=pairs)
def test_pin_blocks_are_those_of_psec(pin: str, pan: str, key: bytes) -> None:
    """Formats 0 and 3 match psec in both directions; encrypted blocks decrypt again."""
    assert keys.pin_block(pin, pan).octets == pinblock.encode_pinblock_iso_0(pin, pan)
    made = keys.pin_block(pin, pan, format=3)
    assert pinblock.decode_pinblock_iso_3(made.octets, pan) == pin
    for format in (0, 1, 3):
        block = keys.pin_block(pin, pan, format=format, key=key).value
        assert keys.read_pin_block(block, pan, format=format, key=key).value == pin


@given(
    pin=pins,
    pan=pans,
    key=st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size)),
)
def test_pin_blocks_of_format_4_are_those_of_psec(pin: str, pan: str, key: bytes) -> None:
    """psec's functions and ours read the two fields, encrypted one after the other."""
    block = keys.pin_block(pin, pan, format=4, key=keys.Key(key, "AES")).octets
    part = pinblock.encode_pan_field_iso_4(pan)
    inner = bytes(a ^ b for a, b in zip(_aes.decrypt_aes_ecb(key, block), part, strict=True))
    assert pinblock.decode_pin_field_iso_4(_aes.decrypt_aes_ecb(key, inner)) == pin
    assert keys.read_pin_block(block, pan, format=4, key=keys.Key(key, "AES")).value == pin


@given(data=payloads, key=pairs, padding=st.sampled_from([1, 2]), length=st.integers(4, 8))
def test_macs_are_those_of_psec(data: bytes, key: bytes, padding: Any, length: int) -> None:
    """Algorithms 1 and 3 of ISO 9797-1 match psec with both paddings."""
    single = keys.mac(data, key[:8], algorithm="ISO9797-1-1", padding=padding, length=length)
    assert single.octets == psec_mac.generate_cbc_mac(key[:8], data, padding, length)
    retail = keys.mac(data, key, algorithm="ISO9797-1-3", padding=padding, length=length)
    assert retail.octets == psec_mac.generate_retail_mac(key[:8], key[8:], data, padding, length)
    assert keys.mac(data, key).octets == psec_mac.generate_retail_mac(key[:8], key[8:], data, 1, 8)


def test_cmac_is_that_of_the_published_vector() -> None:
    """NIST SP 800-38B, appendix D.1, examples 1 to 3."""
    key = keys.Key("2B7E151628AED2A6ABF7158809CF4F3C", "AES")
    vectors = {
        "": "BB1D6929E95937287FA37D129B756746",
        "6BC1BEE22E409F96E93D7E117393172A": "070A16B46B4D4144F79BDD9DD04A287C",
        "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E5130C81C46A35CE411": (
            "DFA66747DE9AE63030CA32611497C827"
        ),
    }
    found = {data: keys.mac(data, key, algorithm="CMAC-AES", length=16).value for data in vectors}
    assert found == vectors


@given(
    pan=pans,
    expiry=st.from_regex(r"[0-9]{4}", fullmatch=True),
    service=st.from_regex(r"[0-9]{3}", fullmatch=True),
    key=pairs,
)
def test_verification_values_are_those_of_psec(pan: str, expiry: str, service: str, key: bytes) -> None:
    """CVV, CVV2 and iCVV share one algorithm; PVV has another."""
    assert keys.cvv(pan, expiry, service, key).value == psec_cvv.generate_cvv(key, pan, expiry, service)
    assert keys.pvv(pan, "1234", key).value == psec_pin.generate_visa_pvv(key, "1", "1234", pan)


@given(pan=pans, number=st.from_regex(r"[0-9]{4}", fullmatch=True), key=pairs)
def test_a_cavv_is_the_cvv_of_other_digits(pan: str, number: str, key: bytes) -> None:
    """The number replaces the expiry, results and second factor replace the service code."""
    assert keys.cavv(pan, number, "5", "43", key).value == psec_cvv.generate_cvv(key, pan, number, "543")


@given(
    pan=st.from_regex(r"[0-9]{16}", fullmatch=True),
    about=st.binary(min_size=6, max_size=6),
    key=pairs,
    tail=st.from_regex(r"[0-9]{0,13}", fullmatch=True),
)
def test_a_cvc3_is_that_of_pyemv(pan: str, about: bytes, key: bytes, tail: str) -> None:
    """CVC3 matches pyemv for track 2, with an even or odd number of digits, and for track 1."""
    track = f"{pan}=3512101{tail}"
    packed = track.replace("=", "D") + "F" * (len(track) % 2)
    made = keys.cvc3(track, about[:2], about[2:], key).value
    assert made == generate_cvc3(key, bytes.fromhex(packed), about[:2], about[2:])
    other = f"B{pan}^DOE/JOHN^3512101{tail}"
    made = keys.cvc3(other, about[:2], about[2:], key).value
    assert made == generate_cvc3(key, other.encode("ascii"), about[:2], about[2:])


@given(
    pan=pans,
    pin=st.from_regex(r"[0-9]{4,12}", fullmatch=True),
    table=st.from_regex(r"[0-9]{16}", fullmatch=True),
    key=pairs,
    start=st.integers(0, 4),
    fill=st.sampled_from("0F5"),
)
def test_offsets_of_ibm_3624_are_those_of_psec(
    pan: str, pin: str, table: str, key: bytes, start: int, fill: str
) -> None:
    """The offset of a PIN, and the PIN computed back from it, match psec."""
    size = min(16, len(pan) - start)
    options: dict[str, Any] = {"table": table, "start": start, "length": size, "fill": fill}
    offset = keys.pin_offset(pan, pin, key, **options).value
    assert offset == psec_pin.generate_ibm3624_offset(key, table, pin, pan, start, size, fill)
    assert keys.ibm_pin(pan, offset, key, **options).value == pin
    assert pin == psec_pin.generate_ibm3624_pin(key, table, offset, pan, start, size, fill)


def test_a_pin_block_of_format_2_is_psec_s_and_stays_off_the_link() -> None:
    """Format 2 matches psec; it is for the chip only, and no message accepts it."""
    assert keys.pin_block("12345", format=2).octets == pinblock.encode_pinblock_iso_2("12345")
    assert keys.read_pin_block("2512345FFFFFFFFF", format=2).value == "12345"
    with pytest.raises(OptionError, match="used only between reader and chip"):
        messages.with_pin_block(chip_request("VISA", "06010A03A0B800"), "1234", PAIR, format=2)


@given(
    pan=pans,
    sequence=st.from_regex(r"[0-9]{2}", fullmatch=True),
    key=pairs,
    about=st.binary(min_size=8, max_size=8),
)
def test_chip_keys_are_those_of_pyemv(pan: str, sequence: str, key: bytes, about: bytes) -> None:
    """The card's key by both options, and the common session key, match pyemv."""
    assert keys.icc_master_key(key, pan, sequence).data == kd.derive_icc_mk_a(key, pan, sequence)
    assert keys.icc_master_key(key, pan, sequence, option="B").data == kd.derive_icc_mk_b(key, pan, sequence)
    assert keys.session_key(key, about).data == kd.derive_common_sk(key, about)


@given(
    data=payloads,
    key=pairs,
    asked=st.binary(min_size=8, max_size=8),
    status=st.binary(min_size=4, max_size=12),
)
def test_cryptograms_are_those_of_pyemv(data: bytes, key: bytes, asked: bytes, status: bytes) -> None:
    """ARQC, and ARPC by both methods, match pyemv."""
    assert keys.arqc(key, data).octets == ac.generate_ac(key, data, ac.PaddingType.EMV)
    assert keys.arqc(key, data, padding=1).octets == ac.generate_ac(key, data, ac.PaddingType.VISA)
    assert keys.arpc(key, asked, "00").octets == ac.generate_arpc_1(key, asked, b"00") + b"00"
    second = ac.generate_arpc_2(key, asked, status[:4], status[4:] or None)
    assert keys.arpc(key, asked, status, method=2).octets == second + status


@pytest.mark.parametrize(
    ("serial", "transaction", "block"),
    [
        ("FFFF9876543210E00001", "042666B49184CFA368DE9628D0397BC9", "1B9C1845EB993A7A"),
        ("FFFF9876543210E00002", "C46551CEF9FD24B0AA9AD834130D3BC7", "10A01C8D02C69107"),
        ("FFFF9876543210E00003", "0DF3D9422ACA56E547676D07AD6BADFA", "18DC07B94797B466"),
        ("FFFF9876543210EFF800", "F9CDFEBF4F5B1D9EB3EC12454527E176", None),
    ],
)
def test_dukpt_of_tdes_is_that_of_the_published_vectors(
    serial: str, transaction: str, block: str | None
) -> None:
    """ANSI X9.24-1:2009, annex A.4: the PIN 1234 of card 4012345678909 under the first keys of a terminal."""
    assert keys.initial_key(PAIR, serial).hex() == "6AC292FAA1315B4D858AB3A3D7D5933A"
    key = keys.dukpt_key(PAIR, serial)
    variant = bytes.fromhex("00000000000000FF" * 2)
    assert bytes(a ^ b for a, b in zip(key.data, variant, strict=True)).hex().upper() == transaction
    if block:
        assert keys.pin_block("1234", "4012345678909", key=key).value == block


def test_dukpt_keys_of_another_usage_are_those_of_the_published_vectors() -> None:
    """ANSI X9.24-1:2009, annex A.4: a MAC key is a variant, a data key is enciphered under its own."""
    for usage, key in (
        ("mac request", "042666B4918430A368DE9628D03984C9"),
        ("data request", "448D3F076D8304036A55A3D7E0055A78"),
    ):
        assert keys.dukpt_key(PAIR, "FFFF9876543210E00001", usage).hex() == key  # type: ignore[arg-type]


def test_dukpt_of_aes_is_that_of_the_published_vector() -> None:
    """ANSI X9.24-3:2017, supplement: a terminal's initial key and its first PIN key."""
    base = keys.Key(AES_BASE, "AES")
    assert keys.initial_key(base, "1234567890123456").hex() == "1273671EA26AC29AFA4D1084127652A1"
    assert keys.dukpt_key(base, "123456789012345600000001").hex() == "AF8CB133A78F8DC2D1359F18527593FB"


@given(
    data=st.sampled_from([8, 16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size)),
    kind=st.sampled_from(
        [("A", 16), ("A", 24), ("B", 16), ("B", 24), ("C", 16), ("D", 16), ("D", 24), ("D", 32)]
    ),
    extra=st.dictionaries(
        st.sampled_from(["KS", "KV", "10", "TT"]), st.text("0123456789ABCDEF", min_size=1, max_size=300)
    ),
    seed=st.binary(min_size=32, max_size=32),
)
@example(data=bytes(16), kind=("D", 16), extra={"KS": "A" * 300, "10": "B"}, seed=bytes(range(32)))
def test_key_blocks_of_psec_are_read(
    data: bytes, kind: tuple[str, int], extra: dict[str, str], seed: bytes
) -> None:
    """Key, header and optional blocks of every version are read as psec wrote them."""
    version, size = kind
    header = tr31.Header(version, "P0", "A" if version == "D" else "T", "E", "12", "N")
    for name, value in extra.items():
        header.blocks[name] = value
    made = tr31.KeyBlock(seed[:size], header).wrap(data)
    read = keys.read_key_block(made, keys.Key(seed[:size], "AES" if version == "D" else "TDES"))
    assert (read.secret, read.version, read.usage, read.mode) == (data, version, "P0", "E")
    assert {name: read.optional[name] for name in extra} == extra
    assert read.meanings["usage"] == "PIN encryption key"


def test_a_changed_key_block_is_refused_wherever_it_was_changed() -> None:
    """One changed character anywhere gives an error, never another key."""
    header = tr31.Header("D", "P0", "A", "E", "00", "N")
    block = tr31.KeyBlock(bytes(16), header).wrap(bytes(range(16)))
    for at, char in enumerate(block):
        changed = block[:at] + ("1" if char != "1" else "2") + block[at + 1 :]
        with pytest.raises(OptionError, match=r"^(block|protection_key): expected"):
            keys.read_key_block(changed, keys.Key(bytes(16), "AES"))


def chip_request(network: str, issuer_data: str) -> Message:
    """A chip purchase whose card has this cryptogram version."""
    made = generate("financial", network=network, entry="chip", version="1987").message
    read = chip_data.read(made[55])
    tags = [(tag.tag, issuer_data if tag.tag == "9F10" else tag.value) for tag in read.tags]
    return made.replace(de55=chip_data.write_tags(tags), de23="001")


class CountedCVN01:
    """UnionPay's cryptogram version 1, built from pyemv's parts according to JR/T 0025."""

    def __init__(self, issuer: bytes, *others: Any) -> None:
        self.card = kd.derive_icc_mk_a(issuer, *others[-2:])

    def session(self, counter: bytes) -> bytes:
        inverted = bytes(255 - byte for byte in counter)
        return encrypt_tdes_ecb(self.card, bytes(6) + counter + bytes(6) + inverted)

    def generate_ac(self, cvr: bytes, **tags: bytes) -> bytes:
        data = b"".join(tags[f"tag_{tag.lower()}"] for tag in messages._PROTECTED) + cvr
        return ac.generate_ac(self.session(tags["tag_9f36"]), data, ac.PaddingType.EMV)

    def generate_arpc(self, asked: bytes, code: bytes, counter: bytes) -> bytes:
        return ac.generate_arpc_1(self.session(counter), asked, code)

    def generate_command_mac(self, head: bytes, asked: bytes, counter: bytes, data: bytes = b"") -> bytes:
        return sm.generate_command_mac(self.session(counter), head + counter + asked + data)


CLASSES = {
    ("VISA", "0A"): ("06010A03A0B800", cvn.VisaCVN10),
    ("VISA", "12"): ("06011203A0B800", cvn.VisaCVN18),
    ("VISA", "16"): ("06011603A0B800", cvn.VisaCVN22),
    ("MASTERCARD", "10"): ("0110A0000304000000000000000000000000FF", cvn.MasterCardCVN16),
    ("MASTERCARD", "11"): ("0111A00003040000123400000000100001FF", cvn.MasterCardCVN17),
    ("MASTERCARD", "14"): ("0114A00003040000123400000000100001FF", cvn.MasterCardCVN20),
    ("MASTERCARD", "15"): ("0115A00003040000123400000000100001FF", cvn.MasterCardCVN21),
    # Those of which public documents say that they are as Visa's 10.
    ("AMEX", "01"): ("06010103A0B800", cvn.VisaCVN10),
    ("JCB", "01"): ("06010103A0B800", cvn.VisaCVN10),
    ("UNIONPAY", "01"): ("07010103A0B80001", CountedCVN01),
}


def test_every_cryptogram_version_of_the_table_is_tried() -> None:
    """Every row of the table has an independent implementation to compare with."""
    assert {(row["scheme"], row["cvn"]) for row in read_csv("keys/cryptograms")} == set(CLASSES)


@pytest.mark.parametrize("which", CLASSES)
def test_the_cryptogram_of_a_message_is_that_of_pyemv(which: tuple[str, str]) -> None:
    """Key derivation, protected data, padding and the issuer's response match pyemv for each public
    cryptogram version."""
    issuer_data, oracle = CLASSES[which]
    message = chip_request(which[0], issuer_data)
    issuer = bytes.fromhex(PAIR)
    card = oracle(issuer, issuer, issuer, message[2], "01")
    chip = chip_data.read(message[55])
    wanted = {f"tag_{tag.lower()}": bytes.fromhex(chip.value(tag)) for tag in messages._PROTECTED}
    raw = bytes.fromhex(issuer_data)
    parts: dict[str, bytes] = {}
    if which[0] != "MASTERCARD":
        parts = {"cvr": raw[3:7]} if which[1] in ("0A", "01") else {"tag_9f10": raw}
    else:
        parts = {"cvr": raw[2:8]} | ({"counters": raw[10:]} if which[1] in ("11", "15") else {})
    made = messages.message_arqc(message, PAIR)
    assert made.octets == card.generate_ac(**wanted, **parts)
    signed = messages.with_arqc(message, PAIR)
    assert messages.check_arqc(signed, PAIR)
    assert not messages.check_arqc(signed, TRIPLE[16:])
    answer = messages.with_arpc(respond(signed).message, signed, PAIR, code="00")
    proof = bytes.fromhex(chip_data.read(answer[55]).value("91"))
    _check_answer(card, proof, made.octets, chip)
    command = bytes.fromhex("8424000008")
    asked, count = bytes.fromhex(chip.value("9F26")), bytes.fromhex(chip.value("9F36"))
    for data in (b"", b"\x01\x02\x03"):
        script = messages.script_mac(message, command, PAIR, data=data)
        assert script.octets == card.generate_command_mac(command, asked, count, data)


def _check_answer(card: Any, proof: bytes, asked: bytes, chip: chip_data.ChipData) -> None:
    counter = {"tag_9f36": bytes.fromhex(chip.value("9F36"))}
    if isinstance(card, cvn.VisaCVN18 | cvn.VisaCVN22):
        assert proof[:4] == card.generate_arpc(asked, csu=proof[4:], **counter)
    elif isinstance(card, cvn.MasterCardCVN20 | cvn.MasterCardCVN21):
        assert proof[:8] == card.generate_arpc(asked, arpc_rc=proof[8:], **counter)
    elif isinstance(card, CountedCVN01):
        assert proof[:8] == card.generate_arpc(asked, proof[8:], counter["tag_9f36"])
    else:
        assert proof[:8] == card.generate_arpc(asked, proof[8:])


@together("format", ["text", "bcd", "ebcdic", "ascii"])
@together("algorithm", ["X9.19", "ISO9797-1-3", "CMAC-TDES"])
def test_a_mac_shows_every_change(format: str, algorithm: keys.MacAlgorithm) -> None:
    """In every format a MAC matches its own message, and none that differs in one element."""
    message = generate("financial", network="VISA").message
    signed = messages.with_mac(message, PAIR, algorithm=algorithm, format=format)
    assert 64 in signed
    assert messages.check_mac(signed, PAIR, algorithm=algorithm, format=format)
    for changed in (
        signed.replace(de4="000000999999"),
        signed.replace(de64="0" * 16),
        signed.replace(mti="0220"),
    ):
        assert not messages.check_mac(changed, PAIR, algorithm=algorithm, format=format)
    longer = messages.with_mac(message.replace(de102="12345"), PAIR, algorithm=algorithm, format=format)
    assert 128 in longer
    assert messages.check_mac(longer, PAIR, algorithm=algorithm, format=format)
    with pytest.raises(OptionError, match="a MAC in DE 64 or 128"):
        messages.check_mac(message, PAIR)


def test_a_pin_goes_into_a_message() -> None:
    """DE 52 gets the PIN block for the message's card; a block of 16 bytes does not fit."""
    message = messages.with_pin_block(generate("financial", network="VISA").message, "1234", PAIR)
    assert keys.read_pin_block(message[52], message[2], key=PAIR).value == "1234"
    with pytest.raises(OptionError, match="0, 1 or 3"):
        messages.with_pin_block(message, "1234", PAIR, format=4)


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "no hex": (
        lambda: keys.Key("XYZ"),
        "key: expected an even number of hexadecimal digits, found 3 characters",
    ),
    "a size": (lambda: keys.Key("00" * 9), "key: expected 8, 16, 24 bytes for TDES, found 9 bytes"),
    "a cipher": (lambda: keys.Key(PAIR, "RC4"), "cipher: expected TDES or AES"),  # type: ignore[arg-type]
    "even parity": (lambda: keys.Key("00" * 16, parity="odd"), "even parity in byte 1"),
    "a short pin": (lambda: keys.pin_block("123", PAN), "pin: expected 4 to 12 digits, found 3 characters"),
    "no card": (lambda: keys.pin_block("1234"), "pan: expected a card number, which format 0 requires"),
    "a format": (lambda: keys.pin_block("1234", PAN, format=5), "format: expected 0 to 4"),  # type: ignore[arg-type]
    "aes wanted": (lambda: keys.pin_block("1234", PAN, format=4), "which format 4 requires"),
    "a block": (lambda: keys.read_pin_block("00", PAN), "block: expected 8 bytes in format 0, found 1 byte"),
    "another key": (
        lambda: keys.read_pin_block("00" * 8, PAN, key=PAIR),
        "the key, card number or format is probably different",
    ),
    "an algorithm": (lambda: keys.mac(b"x", PAIR, algorithm="X9.91"), "did you mean 'X9.19'"),  # type: ignore[arg-type]
    "a mac key": (
        lambda: keys.mac(b"x", TRIPLE),
        "key: expected a TDES key of 16 bytes, found TDES, 24 bytes",
    ),
    "a length": (lambda: keys.mac(b"x", PAIR, length=9), "length: expected 4 to 8 bytes, found 9"),
    "a counter": (
        lambda: keys.dukpt_key(PAIR, "FFFF9876543210E00000"),
        "serial: expected a counter of at least 1",
    ),
    "a serial": (
        lambda: keys.dukpt_key(PAIR, "12"),
        "serial: expected 8 to 10 bytes for TDES, found 1 byte",
    ),
    "a usage": (lambda: keys.dukpt_key(PAIR, "FFFF9876543210E00001", "pim"), "did you mean 'pin'"),  # type: ignore[arg-type]
    "a type": (lambda: keys.Key(5), "key: expected hexadecimal digits or bytes, found a value of type int"),  # type: ignore[arg-type]
    "digits of a value": (
        lambda: keys.cvv(PAN, "2912", "000", PAIR, length=9),
        "length: expected 1 to 5 digits",
    ),
    "a key index": (lambda: keys.pvv(PAN, "1234", PAIR, key_index=7), "key_index: expected 0 to 6"),
    "two bytes": (
        lambda: keys.cvc3("5123D", "5E", "00000899", PAIR),
        "counter: expected 2 bytes, found 1 byte",
    ),
    "a track": (lambda: keys.cvc3("5123?", "005E", "00000899", PAIR), "track: expected track 2, or track 1"),
    "the digits of a card": (
        lambda: keys.pin_offset(PAN, "1234", PAIR, start=20),
        "start: expected a position",
    ),
    "one digit": (
        lambda: keys.pin_offset(PAN, "1234", PAIR, fill="FF"),
        "fill: expected a hexadecimal digit",
    ),
    "an option": (lambda: keys.icc_master_key(PAIR, PAN, option="C"), "option: expected A or B"),  # type: ignore[arg-type]
    "a diversifier": (lambda: keys.session_key(PAIR, "001C"), "diversifier: expected 8 bytes, found 2 bytes"),
    "a code": (lambda: keys.arpc(PAIR, "00" * 8, b"0"), "answer: expected a response code of 2 characters"),
    "a status": (
        lambda: keys.arpc(PAIR, "00" * 8, "00", method=2),
        "answer: expected method 1, or 4 to 12 bytes",
    ),
    "a serial of AES": (
        lambda: keys.dukpt_key(keys.Key(bytes(16), "AES"), "12"),
        "serial: expected 12 bytes for AES, found 1 byte",
    ),
    "a padding": (lambda: keys.mac(b"x", PAIR, padding=2), "padding: expected 1, found 2"),
    "a filling": (lambda: keys.pin_block("1234", PAN, format=3, fill="9"), "fill: expected 10 of the digits"),
    "codes": (
        lambda: keys.key_block(PAIR, PAIR, usage="PIN"),
        "usage: expected a code of 2 from A to Z and 0 to 9, found 3 characters",
    ),
    "a mode": (
        lambda: keys.key_block(PAIR, PAIR, mode="é"),
        "mode: expected a code of 1 from A to Z and 0 to 9, found 1 character",
    ),
    "a usage that is no text": (lambda: keys.key_block(PAIR, PAIR, usage=0), "found a value of type int"),  # type: ignore[arg-type]
    "a filling of text": (lambda: keys.key_block(PAIR, PAIR, fill="é"), "fill: expected an even number"),  # type: ignore[arg-type]
    "a filling of none": (
        lambda: keys.pin_block("1234", PAN, format=1, fill=("0",)),  # type: ignore[arg-type]
        "fill: expected 10 of the digits",
    ),
    "a length in words": (
        lambda: keys.mac(b"x", PAIR, length="8"),  # type: ignore[arg-type]
        "length: expected 4 to 8 bytes, found another",
    ),
    "a length beyond a number": (
        lambda: keys.cvv(PAN, "2912", "000", PAIR, length=10**5000),
        "length: expected 1 to 5 digits, found another",
    ),
    "a PIN for a length": (
        lambda: keys.cvv(PAN, "2912", "000", PAIR, length=1234),
        "length: expected 1 to 5 digits, found another",
    ),
    "a start in words": (
        lambda: keys.pin_offset(PAN, "1234", PAIR, start="0"),  # type: ignore[arg-type]
        "start: expected a position",
    ),
    "a truth for an index": (
        lambda: keys.pvv(PAN, "1234", PAIR, key_index=True),
        "key_index: expected 0 to 6",
    ),
    "a truth for a format": (lambda: keys.pin_block("1234", PAN, format=True), "format: expected 0 to 4"),  # type: ignore[arg-type]
    "no chip": (lambda: messages.check_arqc(Message("0100", {2: PAN}), PAIR), "DE 55 with tag 9F02"),
}


@pytest.mark.parametrize(
    ("key", "serial"),
    [
        (PAIR, "FFFF9876543210E00000"),  # bits of the serial number above the counter count for nothing
        (PAIR, "FFFF9876543210000000"),
        (keys.Key(bytes(range(16)), "AES"), "123456789012345600000000"),
    ],
)
def test_a_counter_of_zero_is_refused(key: Any, serial: str) -> None:
    """No terminal sends a counter of zero; its key would be the initial key, which no transaction uses."""
    with pytest.raises(OptionError, match="serial: expected a counter of at least 1"):
        keys.dukpt_key(key, serial)


@together("case", WRONG)
def test_what_cannot_be_is_said(case: str) -> None:
    """The error names the argument, what was expected and what was found, and shows no digit of a secret."""
    call, said = WRONG[case]
    with pytest.raises(OptionError) as caught:
        call()
    assert said in str(caught.value)
    assert PAIR not in str(caught.value)
    assert PAN not in str(caught.value)


def test_a_wrong_word_is_a_choice() -> None:
    """An unknown algorithm or usage raises a ChoiceError, as everywhere."""
    with pytest.raises(ChoiceError):
        keys.mac(b"x", PAIR, algorithm="HMAC")  # type: ignore[arg-type]


def test_nothing_that_is_printed_gives_a_secret_away() -> None:
    """The reprs of keys, results and key blocks contain no long run of digits."""
    block = tr31.KeyBlock(bytes.fromhex(PAIR), tr31.Header("B", "K0", "T", "B", "00", "N")).wrap(
        bytes.fromhex(TRIPLE)
    )
    worked = keys.pin_block("123456", PAN, key=PAIR)
    things = [
        keys.Key(TRIPLE),
        keys.Key(AES_BASE, "AES"),
        worked,
        keys.read_key_block(block, PAIR),
        [keys.cvv(PAN, "2912", "201", PAIR)],
    ]
    for thing in things:
        for shown in (repr(thing), str(thing), f"{thing}"):
            assert not re.search(r"[0-9A-F]{12}", shown), shown
    assert pickle.loads(pickle.dumps(keys.Key(TRIPLE))) == keys.Key(TRIPLE)  # noqa: S301
    assert keys.Key(TRIPLE).hex() == TRIPLE


def test_steps_name_keys_by_their_check_values() -> None:
    """The steps of a computation show no key."""
    made = messages.message_arqc(messages.with_arqc(chip_request("VISA", "06011203A0B800"), PAIR), PAIR)
    told = " ".join(f"{step.done} {step.result} {step.how}" for step in made.steps)
    assert PAIR not in told
    assert "check value" in told
    assert len(made.steps) > 4


def test_parity_is_set() -> None:
    """Every byte has an odd number of set bits, and the check value does not change."""
    made = keys.Key("00" * 16).with_odd_parity()
    assert made.hex() == "01" * 16
    assert keys.Key(made, parity="odd").check_value == keys.Key("00" * 16).check_value


def test_the_face_takes_a_message_in_any_form_and_gives_a_table() -> None:
    """Raw text, table and Message get the same MAC, which is still valid after an edit is undone."""
    table = sim.generate("financial", network="VISA", at="2026-11-20")
    raw = sim.build(table)
    signed = sim.keys.with_mac(raw, PAIR)
    assert sim.build(signed) == sim.build(sim.keys.with_mac(table, PAIR))
    assert sim.keys.check_mac(signed, PAIR)
    pin = sim.keys.with_pin_block(table, "1234", PAIR)
    assert sim.build(pin) != raw
    chip = chip_request("VISA", "06011203A0B800")
    asked = sim.keys.with_arqc(chip, PAIR)
    assert sim.keys.check_arqc(asked, PAIR)
    answer = sim.keys.with_arpc(sim.respond(asked), sim.build(asked), PAIR, code="00")
    assert chip_data.read(answer.iso.to_message()[55]).value("91")


def test_steps_are_a_table() -> None:
    """One row per step, in order."""
    made = sim.keys.mac(b"message", PAIR)
    assert sim.keys.steps(made)["done"].tolist() == ["data", "chained", "decrypted", "encrypted", "MAC"]


def test_keys_without_their_extra_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """`import sim.keys` works with cryptography, and names the extra without it."""
    assert import_module("sim.keys") is sim.keys
    for name in [*sys.modules]:
        if name == "sim.keys" or name.startswith("sim.link.keys"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'iso8583-lab\[keys\]'"):
        import_module("sim.keys")


def test_a_cryptogram_in_the_fixed_layout_is_put_into_its_place() -> None:
    """American Express's chip data keeps its layout; its response format is not public, and is rejected."""
    message = generate("auth", network="AMEX", entry="chip", version=None).message
    signed = messages.with_arqc(message, PAIR)
    assert messages.check_arqc(signed, PAIR)
    assert signed[55][:12] == message[55][:12]
    assert len(signed[55]) == len(message[55])
    assert [step.done for step in messages.message_arqc(message, PAIR).steps][1] == "assumed"
    with pytest.raises(OptionError, match="not public"):
        messages.with_arpc(respond(signed).message, signed, PAIR)


def test_no_cryptogram_version_of_discover_is_public() -> None:
    """It is rejected with the list of public ones."""
    message = generate("auth", network="DISCOVER", entry="chip", version="1993").message
    with pytest.raises(OptionError, match="UnionPay 1"):
        messages.message_arqc(message, PAIR)
