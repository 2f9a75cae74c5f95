"""The catalogue, the engine, the causes of broken framing."""

from __future__ import annotations

import pytest
from support import AT, BROKEN, VECTORS, together

from sim.codec import Message, ParseError, build, parse
from sim.errors import ChoiceError, SpecError
from sim.judge import Severity, catalogue, rule, run
from sim.judge.causes import first_cause, likely_cause
from sim.operations import NETWORKS, generate, validate

GOOD = build(generate("auth", at=AT).message)


def test_every_rule_has_its_words() -> None:
    """Each rule says what it checks, where that comes from and what to do about it."""
    for text in catalogue().values():
        assert text.checks
        assert text.hint.endswith(".")
        assert text.source or text.severity is not Severity.ERROR


def test_a_check_without_a_row_is_refused() -> None:
    """A rule cannot be bound to an id the catalogue does not have."""
    with pytest.raises(SpecError):
        rule("no-such-rule")


def test_findings_point_at_their_characters() -> None:
    """Start and end of a finding bound the faulty characters of the text."""
    message = parse(GOOD).replace(de13="1131")
    raw = build(message)
    (finding,) = [one for one in run(message) if one.is_error]
    assert (finding.rule, finding.field, finding.name) == ("date", 13, "Date, local transaction")
    assert raw[finding.start : finding.end] == "31"
    assert finding.message == f"DE 13 at offset {finding.start}: expected MMDD, found day 31 of month 11"


def test_findings_hide_card_data() -> None:
    """No text of any finding on any vector holds a card number, a track or a PIN block."""
    for row in VECTORS:
        report = validate(row["message"], version=row["version"])
        texts = " ".join(f"{one.message} {one.hint} {one.found}" for one in report.all_findings)
        for number in ("2", "34", "35", "45", "52", "55"):
            value = row["fields"].get(number, "") if row["fields"] else ""
            assert len(value) < 12 or value not in texts


@pytest.mark.parametrize("own", NETWORKS)
def test_the_exclusive_networks_refuse_each_other_s_cards(own: str) -> None:
    """A Visa, Mastercard or Amex card is an error on the other networks, and theirs on it."""
    message = generate("auth", network=own, at=AT).message
    report = validate(message)
    assert report.network == own
    assert report.valid
    for name, result in report.networks.items():
        exclusive = {"VISA", "MASTERCARD", "AMEX"} & {own, name}
        co_brand = name == "UNIONPAY" and own in ("VISA", "MASTERCARD")
        wrong_card = any(one.rule == "pan-network" and one.is_error for one in result.findings)
        if own != name and exclusive and not co_brand:
            assert wrong_card
        if own == name:
            assert result.passed


def test_unionpay_does_not_enforce_luhn() -> None:
    """A wrong check digit is an error on Visa and a remark on UnionPay."""
    visa = validate(generate("auth", pan="4111111111111112", at=AT).message)
    assert [one.rule for one in visa.findings if one.is_error] == ["luhn"]
    unionpay = validate(generate("auth", pan="6222040000030012", at=AT).message)
    assert unionpay.valid
    assert [one.severity for one in unionpay.findings if one.rule == "luhn"] == [Severity.INFO]


def test_other_networks_do_not_change_the_verdict() -> None:
    """Only the standard and the message's own network decide; `against` only adds results."""
    report = validate(GOOD, against=["AMEX", "JCB"])
    assert report.valid
    assert list(report.networks) == ["AMEX", "JCB"]
    assert not report.networks["AMEX"].passed
    assert report.networks["AMEX"].errors
    assert list(validate(GOOD).networks) == list(NETWORKS)


def test_unknown_network_or_version() -> None:
    """Names outside the six networks and three versions are refused."""
    for wrong in ({"network": "VISSA"}, {"against": ["ELO"]}, {"version": "1999"}):
        with pytest.raises(ChoiceError):
            validate(GOOD, **wrong)  # type: ignore[arg-type]


def test_a_text_that_does_not_parse_is_one_finding() -> None:
    """Broken framing is one located error with a cause, and no network result."""
    for row in BROKEN:
        report = validate(row["message"], version=row["version"])
        (finding,) = report.findings
        assert finding.rule == "framing"
        assert finding.hint.endswith(".")
        assert report.networks == {}
        assert report.message is None


def test_an_edited_message_that_cannot_be_written_is_a_finding() -> None:
    """A Message with a value that does not fit is judged, not raised."""
    report = validate(Message("0100", {4: "12"}))
    assert [(one.rule, one.field) for one in report.findings] == [("framing", 4)]


@together(
    "raw, version, words",
    [
        ("", "1987", "text is empty"),
        (f"{len(GOOD):04}" + GOOD, "1987", "length header"),
        (chr(0) + chr(len(GOOD)) + GOOD, "1987", "binary length header"),
        ("6000010000" + GOOD, "1987", "TPDU"),
        ("ISO012345678" + GOOD, "1987", "12 characters later"),
        (GOOD.encode("ascii").hex(), "1987", "hex dump"),
        (GOOD.encode("cp500").hex(), "1987", "EBCDIC"),
        (f'"{GOOD}"', "1987", "quotes"),
        (GOOD[:40] + "\n" + GOOD[40:], "1987", "line breaks"),
        (build(generate("auth", at=AT, version="1993").message), "1987", "ISO 8583:1993"),
        (GOOD[:90], "1987", "truncated"),
        (GOOD[:60] + GOOD[61:], "1987", "lost in DE"),
        (GOOD[:60] + "7" + GOOD[60:], "1987", "added in DE"),
        (
            (GOOD[:4].encode() + bytes.fromhex(GOOD[4:20]) + GOOD[20:].encode()).hex(),
            "1987",
            "a binary bitmap",
        ),
        ("0100" + "".join(chr(b) for b in bytes.fromhex(GOOD[4:20])) + GOOD[20:], "1987", "raw bytes"),
        ("hello", "1987", "starts with its MTI"),
        ("0100hello", "1987", "The bitmap follows the MTI"),
        (GOOD[:20] + "99", "1987", "the preceding element"),
    ],
)
def test_likely_causes(raw: str, version: str, words: str) -> None:
    """The usual upstream causes of broken framing are recognised and named."""
    with pytest.raises(ParseError) as caught:
        parse(raw, version)
    assert words in likely_cause(raw, version, caught.value)


def test_a_finding_names_the_mti_and_the_bitmap() -> None:
    """They have no numbers in sentences."""
    empty = Message("0101", {11: "000001"}, "1987", empty_secondary=True)
    found = {one.rule: one.message for one in run(empty)}
    assert found["repeat"] == "MTI at offset 3: expected an original message, found a repeat"
    assert found["empty-secondary-bitmap"].startswith("bitmap at offset 20: expected an element above 64")


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 22, 44])
def test_a_header_of_a_usual_size_is_a_cause(size: int) -> None:
    """Headers of the sizes that links use are recognized, whatever they contain."""
    cause = first_cause("H" * size + GOOD, "1987")
    assert cause is not None
    assert (f" {size} characters later" in cause.hint, cause.text) == (True, GOOD)


@pytest.mark.parametrize("version", ["1987", "1993"])
@pytest.mark.parametrize("mti", ["0100", "1100", "2100"])
def test_a_rule_of_all_versions_is_asked_whatever_the_mti_names(version: str, mti: str) -> None:
    """Unknown currencies and countries are found also in a message that is read as another version than its
    own."""
    message = generate("auth", version=version, at=AT).message.replace(mti=mti, de21="830", de49="830")
    found = {(finding.rule, finding.is_error) for finding in run(message)}
    assert {("currency", True), ("country", False)} <= found
    assert (("mti-version", True) in found) == (mti[0] != "01"[version == "1993"])


def test_a_rule_of_the_standard_says_where_it_can_be_read() -> None:
    """The standard is no public text: its rows say that no clause can be given, and name what can be read."""
    of_the_standard = [text for text in catalogue().values() if "ISO 8583" in text.source]
    assert len(of_the_standard) > 80
    for text in of_the_standard:
        own = [one for one in text.source.split("; ") if one.startswith("ISO 8583")]
        assert all(one.endswith("(clause not public)") for one in own), text.id
        assert own == [] or len(own) < len(text.source.split("; ")), text.id
