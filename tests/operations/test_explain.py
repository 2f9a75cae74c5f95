"""What explain says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import AT, PARSED, together

from sim.codec import Message, ParseError, build
from sim.operations import explain, field_values, generate, respond, reverse, strip_line_ending


def test_an_authorization_request_reads_like_a_story() -> None:
    """Who asks whom, which card, what for, how much, where, when, how."""
    made = generate("auth", amount_minor_units=12345, currency="826", at=AT, entry="chip")
    summary = explain(made.raw).summary
    for words in (
        "This is an authorization request (MTI 0100, ISO 8583:1987) from the acquirer to the issuer.",
        "The card is a Visa card, 411111******1111, valid to December 2029.",
        "to authorize a purchase of goods and services for 123.45 GBP.",
        "CORNER SHOP, NEW YORK, United States (terminal TERM0001, merchant MERCHANT0000001)",
        "merchant category 5411 (Groceries and supermarkets)",
        "local time was 20 November, 05:15:30; the message was sent on 20 November, 10:15:30 UTC.",
        "by chip",
        "STAN 123456",
    ):
        assert words in summary


@together(
    "currency, amount, said",
    [
        ("392", 5000, "5,000 JPY"),
        ("414", 12345, "12.345 KWD"),
        ("152", 99990, "99,990 CLP"),
        ("704", 1500000, "1,500,000 VND"),
        ("840", 1, "0.01 USD"),
    ],
)
@together("version", ["1987", "1993", "2003"])
def test_amounts_are_right_in_every_currency(version: str, currency: str, amount: int, said: str) -> None:
    """The amount has the currency's own decimals, in each version's way of carrying it."""
    made = generate("auth", amount_minor_units=amount, currency=currency, at=AT, version=version)
    assert f" for {said}." in explain(made.raw).summary


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("00", "The issuer approved it: response code 00, with approval code A12345."),
        ("51", "The issuer declined it: response code 51, insufficient funds."),
        ("41", "The issuer declined it and wants the card kept: response code 41, lost card."),
        ("ZZ", "The issuer answered: response code ZZ, not in the list of ISO 8583:1987 codes."),
    ],
)
def test_outcomes(code: str, said: str) -> None:
    """A response says what the issuer decided; an unknown code is called unknown."""
    answer = respond(generate("auth", at=AT).message, code)
    assert said in explain(answer.message).summary


def test_reversals_say_what_they_undo() -> None:
    """A reversal names the original by MTI, trace number and time."""
    summary = explain(reverse(generate("auth", at=AT).message).message).summary
    assert "It undoes a purchase of goods and services for 10.00 USD." in summary
    assert "It refers to the 0100 with STAN 123456 of 20 November, 10:15:30 UTC" in summary


def test_network_management_is_about_the_link() -> None:
    """An echo is explained without card or money."""
    summary = explain(generate("echo", at=AT).raw).summary
    assert "It asks for an echo test (network management code 301)." in summary
    assert "The card" not in summary


@pytest.mark.parametrize("mti", ["0800", "0810", "0820", "0110", "0210", "0430"])
def test_codes_of_no_list_are_told_in_whole_sentences(mti: str) -> None:
    """No word stands twice, no article before another, whatever a list lacks."""
    for code in ("000", "999", "005"):
        fields = {2: "1" * 16, 3: f"{code}000", 11: "123456", 22: code, 25: code[:2], 39: code[:2], 70: code}
        said = explain(Message(mti, fields)).summary
        assert not re.search(r"\b(an?) (an?|the|of)\b|\b([a-z]+) \3\b|  |\(\)|None", said), said


def test_no_summary_holds_card_data() -> None:
    """Neither PAN, track, PIN block nor chip data of any vector stands in its summary."""
    for row in PARSED:
        summary = explain(row["message"], version=row["version"]).summary
        for number in ("2", "34", "35", "45", "52", "55"):
            value = row["fields"].get(number, "")
            assert len(value) < 12 or value not in summary


@given(
    st.text(st.sampled_from("0123456789"), min_size=4, max_size=4),
    st.dictionaries(st.integers(2, 128), st.text(max_size=40), max_size=10),
    st.sampled_from(["1987", "1993", "2003"]),
)
def test_any_message_is_explained(mti: str, fields: dict[int, str], version: str) -> None:
    """Whatever stands in the elements, explain answers; it never fails on a value."""
    from sim.spec import spec

    fitted = {}
    for number, value in fields.items():
        element = spec(version)[number]
        fitted[number] = value[: element.width].ljust(element.width if element.fixed else 0, "7")
    explanation = explain(Message(mti, fitted, version))
    assert explanation.summary.startswith("This is a")


def test_a_broken_text_is_a_parse_error() -> None:
    """Explain refuses a text that is no message, with field and offset."""
    with pytest.raises(ParseError) as caught:
        explain("01007024")
    assert (caught.value.field, caught.value.offset) == (1, 4)


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"])
def test_one_line_ending_is_dropped(ending: str) -> None:
    """A line ending after the message is dropped, other trailing characters are data."""
    raw = build(generate("echo", at=AT).message)
    assert strip_line_ending(raw + ending) == raw
    assert strip_line_ending(raw + ending + " ") == raw + ending + " "
    assert strip_line_ending(raw + "\n\n") == raw + "\n"
    assert explain(raw + ending).mti == "0800"


def test_field_values_are_ascending_with_binary_in_upper_case() -> None:
    """The elements are listed by number with their names; hex digits in upper case."""
    message = Message("0100", {52: "0123456789abcdef", 3: "000000"})
    assert field_values(message) == [
        (3, "Processing code", "000000"),
        (52, "PIN data", "0123456789ABCDEF"),
    ]


@together(
    "message, said",
    [
        (
            Message(
                "1110", {4: "000000000500", 39: "002", 30: "0" * 8 + "1000" + "0" * 12, 49: "840"}, "1993"
            ),
            "Only 5.00 USD of 10.00 USD is approved; the rest needs another payment.",
        ),
        (
            Message("2110", {4: "8402000000000500", 39: "0002", 30: "8402000000001000" * 2}, "2003"),
            "Only 5.00 USD of 10.00 USD is approved; the rest needs another payment.",
        ),
        (
            Message("0110", {4: "000000000500", 39: "10", 49: "840", 54: "0057840D000000001000"}),
            "Only 5.00 USD of 10.00 USD is approved; the rest needs another payment.",
        ),
        (Message("0110", {3: "300000", 39: "00"}), "The answer carries the balance; no money moves."),
        (Message("0110", {3: "200000", 39: "00"}), "The credit may be given"),
        (Message("0110", {3: "010000", 39: "00"}), "The cash may be paid out"),
        (Message("0130", {39: "00"}), "The issuer acknowledged the advice"),
        (Message("0130", {39: "00"}), "What it reports was decided before."),
        (Message("0810", {39: "00"}), "The other side answered: all well (00)."),
    ],
)
def test_an_answer_says_what_happens_next(message: Message, said: str) -> None:
    """What the sale, the cash desk or the sender does now depends on what was asked for."""
    assert said in explain(message).summary


@pytest.mark.parametrize(
    ("network", "data", "code", "said"),
    [
        ("MASTERCARD", "T7703F07", "00", "an account funding transaction of 10.00 USD."),
        ("MASTERCARD", "T7703C07", "00", "a purchase of goods and services for 10.00 USD."),
        ("MASTERCARD", "T7703F07", "01", "a cash withdrawal of 10.00 USD."),
        ("VISA", "T7703F07", "00", "a purchase of goods and services for 10.00 USD."),
    ],
)
def test_what_funds_an_account_is_no_purchase(network: str, data: str, code: str, said: str) -> None:
    """Mastercard's processing code says purchase, its transaction type identifier (DE 48, 77) that an account
    is funded; so does the answer's next step."""
    message = Message("0100", {3: f"{code}0000", 4: "000000001000", 48: data, 49: "840"})
    assert explain(message, network=network).summary.rpartition("authorize ")[2].startswith(said)
    answer = explain(message.replace(mti="0110", de39="00"), network=network).summary
    assert said in answer
    assert ("The account may be funded" in answer) is said.startswith("an account")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("T3010ABCDEFGHIJ", True),
        ("T3315061150000000001", True),
        ("T42070103242", True),
        ("T42070103212", False),
        ("T", False),
    ],
)
def test_a_token_is_told_where_a_part_says_so(data: str, told: bool) -> None:
    """DE 48 of Mastercard names a token by its transaction, its requestor or the security level 24x."""
    message = Message("0100", {3: "000000", 4: "000000001000", 48: data, 49: "840"})
    summary = explain(message, network="MASTERCARD").summary
    assert ("A payment token stands for the card number." in summary) is told


@together(
    "network, version, fields, said",
    [
        ("VISA", "1987", {60: "0000000005"}, "3-D Secure authenticated the cardholder (ECI 05)."),
        (
            "VISA",
            "1987",
            {44: "5Y  2     M"},
            "What was checked: the address (street and 5-digit postal code",
        ),
        (
            "VISA",
            "1987",
            {126: "0008000000000000C"},
            "The merchant stores the card for later payments.",
        ),
        ("MASTERCARD", "1987", {48: "T42070103211"}, "3-D Secure was attempted, but the issuer"),
        ("MASTERCARD", "1987", {48: "840224"}, "Advice to the merchant: try again after 1 hour."),
        ("AMEX", "1993", {44: "NN"}, "What was checked: the address (nothing matches); the CID (no match)."),
        ("DISCOVER", "1987", {44: "Y"}, "the address (street matches, postal code does not)."),
        ("JCB", "1987", {61: "001840"}, "It is a pre-authorization; the final amount comes later."),
        ("UNIONPAY", "1987", {60: "00000000000010"}, "A payment token stands for the card number."),
    ],
)
def test_networks_own_parts_are_told(network: str, version: str, fields: dict[int, str], said: str) -> None:
    """3-D Secure, checks, cards on file and tokens stand in elements of a network's own."""
    mti = "0110" if version == "1987" else "1110"
    assert said in explain(Message(mti, fields, version), network=network).summary
    assert said not in explain(Message(mti, fields, version)).summary


@pytest.mark.parametrize("code", ["05", "!" * 20, "\x00", ""])
def test_parts_that_say_nothing_are_not_told(code: str) -> None:
    """What fits no layout, or has a code of which nothing is known, adds no sentence."""
    summary = explain(Message("0110", {44: code, 126: code}, "1987"), network="VISA").summary
    assert "What was checked" not in summary


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("30", "The message has to be mended first; the same one fails again."),
        ("94", "The same message was there before: its first answer counts."),
        ("92", "No way leads to the issuer: check the card number, or the routing."),
        ("91", "The acquirer may try again or send it another way."),
        ("53", "Another account of the cardholder's may do."),
    ],
)
def test_what_failed_is_not_always_sent_again(code: str, said: str) -> None:
    """After an answer that could not be given, what can be done depends on its code."""
    for kind in ("auth", "financial"):
        answer = explain(respond(generate(kind, at=AT).message, code).message).summary
        assert said in answer or (code == "91" and said.lower()[4:] in answer)
        assert kind == "auth" or "Nothing is booked" in answer


def test_a_reversal_with_the_originals_code_has_no_reason() -> None:
    """DE 39 of a reversal that holds an approval is the original's; another code is the reason."""
    undone = reverse(generate("auth", at=AT).message).message
    for code, said in (
        ("00", "Its response code 00, approved, is that of the original and gives no reason."),
        ("68", "Its response code 68 gives the reason: response received too late."),
    ):
        assert said in explain(Message(undone.mti, {**undone.fields, 39: code}, "1987")).summary


def test_a_converted_amount_comes_with_its_rate() -> None:
    """The cardholder's amount is told with the rate that made it, without zeros that say nothing."""
    made = generate("auth", at=AT, amount_minor_units=10000, currency="978").message
    billed = {**made.fields, 6: "000000010925", 10: "61092500", 16: "1120", 51: "840"}
    said = "The amount is billed to the cardholder as 109.25 USD (at a rate of 1.0925)."
    assert said in explain(Message("0100", dict(sorted(billed.items())), "1987")).summary


def test_the_chip_of_a_refund_declines_nothing() -> None:
    """Terminals ask the chip for an AAC where they pay back; anywhere else it is a decline."""
    chip = "9F2701009F360200019F3303E0F8C8"
    for processing, said in (("200000", "it declined nothing"), ("000000", "The chip declined offline")):
        fields = {**generate("auth", at=AT, entry="chip").message.fields, 3: processing, 55: chip}
        assert said in explain(Message("0100", fields, "1987")).summary


def test_a_phone_that_verifies_is_no_chip_card() -> None:
    """A PIN that the chip checked was checked by the cardholder's own device where the profile says so."""
    for profile, said in (("1B80", "the cardholder's own device (CDCVM)."), ("1980", "plaintext PIN")):
        fields = {**generate("auth", at=AT, entry="contactless").message.fields}
        fields[55] = f"8202{profile}9F34030100029F270180"
        assert f"The cardholder was verified by {said}" in explain(Message("0100", fields, "1987")).summary


@pytest.mark.parametrize(
    ("mti", "network", "said"),
    [
        ("0280", "MASTERCARD", "It acknowledges the answer about a purchase"),
        ("0290", "MASTERCARD", "It refuses the answer about a purchase"),
        ("0280", "VISA", "It concerns a purchase"),
        ("0250", "VISA", "It concerns a purchase"),
        ("1150", "VISA", "It acknowledges a report about a purchase"),
    ],
)
def test_what_neither_asks_nor_reports_does_not_say_so(mti: str, network: str, said: str) -> None:
    """Acknowledgements, and functions that the version reserves."""
    version = "1993" if mti[0] == "1" else "1987"
    made = generate("financial", network=network, version=version, at=AT).message.replace(mti=mti)
    summary = explain(made, network=network, version=version).summary
    assert said in summary
    assert "asks the issuer" not in summary


def test_codes_that_a_network_has_added_to_de_22_are_told() -> None:
    """Amex's own ways of entry, absence and verification are told in words, not as twelve positions."""
    base = generate("auth", network="AMEX", version="1993", entry="manual", at=AT).message
    for code, said in (
        ("600101S00140", "Card entry: keyed with 4-digit code"),
        ("600190600140", "; cardholder not present, recurring"),
        ("6001S06S0140", "; cardholder verification: 3-D authentication"),
    ):
        told = explain(Message("1100", {**base.fields, 22: code}, "1993"), network="AMEX").summary
        assert said in told
        assert "point of service code" not in told


@together(
    "version, said",
    [
        ("1987", "It reports for 20 November: no credits, 1 debit of 10.00 USD, a net debit of 10.00 USD."),
        (
            "1993",
            "It reports for 20 November 2026: no credits, 1 debit of 10.00 USD, a net debit of 10.00 USD.",
        ),
        (
            "2003",
            "It reports for 20 November 2026: no credits, 1 debit of 10.00 USD, a net amount of 10.00 USD.",
        ),
    ],
)
def test_totals_are_told_with_their_day(version: str, said: str) -> None:
    """A reconciliation says what was counted on which day; what was reversed is told where there is any."""
    made = generate("settlement", network="VISA", version=version, at=AT).message
    assert said in explain(made).summary
    if version == "1987":
        made = made.replace(de75="0000000002", de87="0000000000000500")
        assert "no credits, 2 reversed credits of 5.00 USD, 1 debit" in explain(made).summary


@together(
    "entry, purpose, said",
    [
        ("ecommerce", "purchase", "Card entry: not read from a card; cardholder not present, e-commerce;"),
        ("moto", "purchase", "Card entry: not read from a card; cardholder not present, mail or telephone"),
        ("stored", "recurring", "from the merchant's files; cardholder not present, recurring payment;"),
        ("ecommerce", "verification", "The acquirer asks the issuer for a verification of the account."),
    ],
)
def test_2003_tells_how_the_order_came(entry: str, purpose: str, said: str) -> None:
    """The bits of DE 22 say whether the cardholder was there; an inquiry is told by what it asks for."""
    assert said in explain(generate(version="2003", entry=entry, purpose=purpose, at=AT).message).summary


def test_chip_data_are_called_that_in_every_version() -> None:
    """1987 reserves DE 55, and every network has chip data there."""
    for version in ("1987", "1993", "2003"):
        chip = generate(entry="chip", version=version, at=AT).message
        name = next(name for number, name, _ in field_values(chip) if number == 55)
        assert "Reserved" not in name
