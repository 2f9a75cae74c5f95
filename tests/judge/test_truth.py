"""What is not to be said of a message, and how what is said reads."""

from __future__ import annotations

import pytest
from support import AT

from sim.codec import Message
from sim.codec.wire import decode, encode
from sim.elements.meaning import meaning, unfold
from sim.operations import explain, generate, respond, validate
from sim.operations.reading import read
from sim.parts import chip_data


@pytest.mark.parametrize(("purpose", "asked"), [("purchase", True), ("balance", False)])
@pytest.mark.parametrize("network", ["MASTERCARD", "VISA", "AMEX"])
def test_an_inquiry_may_be_answered_without_an_approval_code(network: str, purpose: str, asked: bool) -> None:
    """DE 38 is missed where money moves, not where a balance was asked for."""
    request = generate("auth", network=network, purpose=purpose, entry="chip", at=AT).message
    answer = respond(request).message.replace(de38=None)
    assert (38 in {one.field for one in validate(answer).findings}) is asked


@pytest.mark.parametrize(("mti", "severity"), [("0130", "warning"), ("0230", "info")])
def test_a_completion_may_be_refused(mti: str, severity: str) -> None:
    """The response to an advice declines nothing that has happened; a completion is an advice as well."""
    found = validate(Message(mti, {3: "000000", 4: "000000001000", 11: "123456", 39: "51"})).findings
    assert [one.severity for one in found if one.rule == "advice-answer"] == [severity]


def test_a_stored_card_needs_no_expiry() -> None:
    """Visa requires DE 14 of a card that the cardholder entered, not of one on file."""
    for entry, wrong in (("manual", True), ("ecommerce", True), ("stored", False)):
        request = generate("auth", network="VISA", entry=entry, at=AT).message.replace(de14=None)
        found = [one.field for one in validate(request).findings if one.rule == "required-element"]
        assert found == [14] * wrong


def test_cash_at_a_counter_comes_from_no_cash_machine() -> None:
    """At UnionPay, only a cash machine's category (6011) asks for its terminal type (01) in 60.6."""
    machine = generate("auth", network="UNIONPAY", purpose="cash", entry="chip", at=AT).message
    for category, terminal, wrong in (("6011", "01", False), ("6011", "05", True), ("6010", "05", False)):
        own = machine[60][:8] + terminal + machine[60][10:]
        found = [one.rule for one in validate(machine.replace(de18=category, de60=own)).findings]
        assert ("unionpay-cash-machine-terminal" in found) is wrong


def test_what_is_missing_has_its_article() -> None:
    """An action code, a response code."""
    answer = respond(generate("echo", network="VISA", version="1993", at=AT).message).message
    found = validate(answer.replace(de39=None)).findings
    assert [one.expected for one in found if one.field == 39] == ["an action code"]


def test_an_entry_mode_is_that_of_the_network() -> None:
    """06 is keyed, but at Mastercard a chip read through a mapping service, which chip data go with."""
    assert meaning(Message("0100", {22: "060"}), 22, "VISA").startswith("06 key entry")
    assert meaning(Message("0100", {22: "060"}), 22, "MASTERCARD").startswith("06 chip, read through")
    for network, rules in (("VISA", {"chip-entry-mode"}), ("MASTERCARD", set())):
        message = generate("auth", network=network, entry="chip", at=AT).message.replace(de22="061")
        assert {one.rule for one in validate(message).findings} & {"chip-entry-mode"} == rules


def test_a_category_without_a_place() -> None:
    """What was read of a broken message is told in sentences of their own."""
    told = explain(Message("0100", {18: "5411"})).sentences
    assert "The merchant's category is 5411 (Groceries and supermarkets); the location is not given." in told


def shown(message: Message) -> list[tuple[str, int | None]]:
    """What is found in a message by the rules of this room: rule and element."""
    return [(one.rule, one.field) for one in validate(message).findings if "proof" in one.rule]


@pytest.mark.parametrize(
    ("network", "number", "lost"),
    [
        ("VISA", 60, {"de126": None}),
        ("VISA", 60, {"de126": "0040000000000000" + "00"}),
        ("MASTERCARD", 48, {"de48": "T42070103212610500000"}),
        ("AMEX", 61, {"de61": "AXASK05AEVV"}),
    ],
)
def test_who_says_authenticated_proves_it(network: str, number: int, lost: dict[str, str | None]) -> None:
    """The code of an authenticated payment comes with its cryptogram; other codes need none."""
    options = {"three_d_secure": "authenticated"}
    paid = generate("auth", network=network, version=None, entry="ecommerce", at=AT, details=options).message
    assert shown(paid) == []
    assert shown(paid.replace(**lost)) == [(f"{network.lower()}-authentication-proof", number)]
    plain = generate("auth", network=network, version=None, entry="ecommerce", at=AT).message
    assert shown(plain) == []


def test_a_token_proves_itself() -> None:
    """The cryptogram of a token (126.8) will do, too."""
    paid = generate(
        "auth", entry="ecommerce", at=AT, details={"three_d_secure": "authenticated", "token": True}
    ).message
    assert shown(paid) == []


def test_a_mac_has_security_information_of_its_own() -> None:
    """DE 53 without a PIN may be about the MAC; UnionPay's zeros say nothing."""
    message = generate("auth", network="VISA", at=AT).message.replace(de53="2001010100000000")
    assert "security-without-pin" in {one.rule for one in validate(message).findings}
    with_mac = message.replace(de64="AABBCCDDEEFF0011")
    assert "security-without-pin" not in {one.rule for one in validate(with_mac).findings}
    for card in ("9111111111111110", "30569309025904"):  # of nobody; of Diners, which has no rows of its own
        stranger = message.replace(de2=card)
        assert "security-without-pin" not in {one.rule for one in validate(stranger).findings}


@pytest.mark.parametrize("network", ["AMEX", "JCB", "UNIONPAY"])
def test_results_whose_bits_are_not_known_are_not_judged(network: str) -> None:
    """No open source tells what the bits of these networks' results mean."""
    message = generate("auth", network=network, entry="chip", at=AT).message
    other = message[55].replace("9F270180", "9F270140")
    found = {one.rule for one in validate(message.replace(de55=other)).findings}
    assert "chip-cryptogram-kind" in found
    assert "chip-results-cryptogram" not in found


def chip(network: str = "VISA", **values: str | None) -> Message:
    """A chip purchase with other elements."""
    return generate("auth", network=network, entry="chip", at=AT).message.replace(**values)


def without_sequence_number() -> Message:
    """A chip purchase of a card that has no sequence number."""
    message = chip(de23=None)
    return message.replace(de55=message[55].replace("5F340101", ""))


CLEARING = {2: "5413330089010434", 3: "000000", 4: "000000001000", 12: "261120123045", 24: "200", 49: "840"}


@pytest.mark.parametrize(
    "message",
    [
        respond(generate("auth", entry="stripe", at=AT).message).message.replace(de39="Y1"),
        respond(generate("auth", entry="stripe", at=AT).message).message.replace(de39="Y3"),
        *(
            generate("auth", entry="stripe", at=AT).message.replace(de3=f"{code}0000", de18=category)
            for code, category in ((11, "6051"), (50, "5411"), (53, "5411"))
        ),
        *(
            generate("auth", at=AT, entry="stripe").message.replace(de18=code)
            for code in ("5723", "6381", "6531", "9701", "9751")
        ),
        without_sequence_number(),
        Message("1240", CLEARING, "1993"),
    ],
    ids=lambda message: f"{message.mti}-{message.get(3)}-{message.get(18)}-{message.get(39)}",
)
def test_what_networks_send_is_no_finding(message: Message) -> None:
    """Answers of an offline decision, rarer transaction types and categories, cards without a sequence
    number, a record of a clearing file."""
    assert validate(message).findings == ()


# A public BASE I 0120 of a payment authenticated by 3-D Secure; its numbers are filler.
BASE_I = (
    "1601020198880403000000021000489D1029020000000120F66464814AF0A01600000000010000241012345678"
    "901234560000000000000025000000000012291211072412749160009224083011581201561000590646292100"
    "3801000EC002F0F2C101F18605F24BF24BA75600249F1F0CF1F2F54BF1F1F44BF6F14BF9DF1F02F2F79F200101"
    "9F2101029F2801079F290100F5F3F4F4F0F7F9F2F2F4F0F8F6F5F9F9F9F9F9F9F9F9F1F0F0F1F9F5F5F8F0F2F0"
    "F1404040C1D3D75C948995878388A4819587A896A497899587A4404040F0F2F1F6F1F6F8F6F8F8F84040C3D50F"
    "F140404404040404040404040404F2015606040501000040051F40001C00000000000385345266530386390062"
    "0000F0F9F0F0F0F0F0F0F0F007900000000290200E5700040102E6E35B00048502F0F3496800460110F4F3F8F4"
    "F6F6F5F7F5F0F0F8F3F4F9F30202F1F0030BF4F0F0F6F0F4F0F6F6F6F20604F3F0F1F10702F0F1800100860604"
    "001005224282010083010084010085030000001C00800000000000000002010447146900000009C41563457500"
    "000000"
)


def test_data_sets_of_electronic_commerce_are_read_through() -> None:
    """DE 34 of Visa has a length of two bytes and data sets; it is told, and what stands after it is read."""
    message = read(BASE_I, format="visa-base1").whole()
    assert (message[34][:6], len(message[34]), message[37]) == ("01000E", 112, "534407922408")
    told = {one.label: one.meaning for one in unfold(message, 34, "VISA")}
    assert (told["86"], told["9F1F"]) == ("2.2.x", "125.114.61.9")
    assert "staged wallet" in meaning(message, 104, "VISA")
    assert decode(encode(message, "visa-base1"), "visa-base1").fields == message.fields
    assert "retrieval-reference-day" not in {one.rule for one in validate(message).findings}


# Two public 1100 of American Express, as bytes.
AMEX_BYTES = (
    "F1F1F0F0703025C128E08200F1F5F3F7F4F2F4F5F0F0F1F7F4F1F0F0F7F0F0F4F0F0F0F0F0F0F0F0F0F0F0F3F0F0"
    "F0F4F0F2F9F9F8F2F5F1F2F0F3F1F1F2F8F3F3F5F2F8F5F0F0F1F0F1F5F5F5F0F0F0F1F0F0F1F9F0F0F5F5F4F1F0"
    "F9F6F7F3F8F0F5F0F0F1F3F7F3F7F4F2F4F5F0F0F1F7F4F1F0F0F7C4F2F5F1F2F2F0F1F1F5F0F4F1F2F3F4F5F0F0"
    "F0F0F0F5F3F3F7F1F0F0F0F0F0F3F6C3F1F1D2C1F1F1F1F4F6F0F1F3F5F5F0F6F84040404040F5F4D2C1D2C2D2C3"
    "40E7C2D6D2E240404040404040404040E0E0E4A399858388A3404040404040E0F9F9F9F9C1E940404040F5F2F8D5"
    "D3C4F9F7F8F0F5F7C1C7D5E200017B3768BFC2CCF0820706020103A00000020749F1079500000080002512030000"
    "00000012210978052818000000000000000080"
)
AMEX_MORE = (
    "F1F1F0F0723425E1A8E08200F1F5F3F7F4F2F4F5F0F0F1F7F4F1F0F0F7F0F0F4F0F0F0F0F0F0F0F0F0F0F0F3F0F0"
    "F0F1F2F0F2F1F2F4F9F2F0F0F0F0F0F4F1F2F5F1F2F0F2F1F3F4F9F2F0F2F5F1F2F5F2F8F5F1F0F1F0F1F5F1F1F3"
    "F2F0F1F0F0F1F9F0F0F5F3F9F9F6F0F9F6F7F3F8F0F5F0F0F1F0F9F6F7F3F0F0F1F1F8F0F3F7F3F7F4F2F4F5F0F0"
    "F1F7F4F1F0F0F7C4F2F5F1F2F2F0F1F1F5F0F4F1F2F3F4F5F0F0F0F0F0F2F2F5404040404040404040C3F1F0C1C1"
    "F1F0F1F0F1F4F8F2F3F2F6F5F54040404040F6F3C5D8E4C5D5E240E6D6D9D3C4D3C9D5C5E0C18599A340A5819540"
    "D585A2A2A3998181A340F4F5E0D9D6E3E3C5D9C4C1D4E0F3F0F1F2C3C140404040E0F5F2F8F9F7F8F0F5F7C1C7D5"
    "E20001E5E9B1924B0B49260706020103A00000398F896D07F8000000800025120200000000001221097805281800"
    "0000000000000080"
)


@pytest.mark.parametrize(
    ("dump", "trace", "merchant"), [(AMEX_BYTES, "402998", "4601355068"), (AMEX_MORE, "000041", "0148232655")]
)
def test_requests_of_american_express_are_read_to_their_end(dump: str, trace: str, merchant: str) -> None:
    """EBCDIC, the fixed chip data with their fourteen values; the same bytes when they are written again."""
    message = read(dump).whole()
    chip = chip_data.read(message[55])
    assert (message.mti, message[3], message[25]) == ("1100", "004000", "1900")
    assert (message[11], message[42].strip(), message[49]) == (trace, merchant, "978")
    assert (len(chip.tags), chip.value("9F27"), chip.value("9F02")) == (14, "80", "000000001221")
    assert encode(message, "amex").hex().upper() == dump


# A public 1100 of American Express, the digit that is missing in its amount put back.
AMEX = {
    3: "004000", 4: "000000003000", 11: "402998", 12: "251203112833", 19: "528", 22: "500101555000",
    24: "100", 25: "1900", 26: "5541", 32: "673805001", 37: "533710000036", 41: "C11KA111",
    42: "4601355068     ",
    49: "978",
    2: "374245001741007",
    35: "374245001741007D251220115041234500000",
    43: "KAKBKC XBOKS          \\\\Utrecht      \\9999AZ    528NLD",
    55: "C1C7D5E200017B3768BFC2CCF0820706020103A00000020749F107950000008000251203000000000012210978052818"
    "000000000000000080",
}  # fmt: skip


def test_an_amex_request_is_told_by_its_own_codes() -> None:
    """004000 names no account, 1900 is the usual reason, and the chip data are read and judged."""
    message = Message("1100", AMEX, "1993")
    told = " ".join(explain(message).sentences)
    assert "universal" not in told
    assert "not in the list" not in told
    assert "chip data" in told
    found = {(one.rule, one.path) for one in validate(message).findings}
    assert found == {("chip-amount", "55.9F02"), ("required-element", "14")}  # both are so in the sample
