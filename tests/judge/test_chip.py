"""Rules about chip data: each finds its fault at the tag, and good messages have none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import AT, VECTORS, generated, together, vector_id

from sim.codec import Message, build
from sim.judge import Finding, Severity, run
from sim.operations import generate
from sim.parts import chip_data
from sim.spec.tables import read_csv

PAN = "4111111111111111"
# Results of a card that answered with an AAC.
DECLINED = "06010A03800000"
OTHER_PAN = "5555555555554444"
RULES = {row["id"] for row in read_csv("rules_chip")} | {"chip-data"}
VERSIONS = ("1987", "1993", "2003")


def request(version: str = "1987", kind: str = "auth", entry: str = "chip") -> Message:
    """A generated chip message, without a finding."""
    return generate(kind, version=version, entry=entry, pan=PAN, at=AT).message


def with_tags(message: Message, **changes: str | None) -> Message:
    """The message with tags changed, added (at the end) or, for None, left out: `t9F02="..."`."""
    tags = {tag.tag: tag.value for tag in chip_data.read_tags(message[55])}
    for name, value in changes.items():
        if value is None:
            del tags[name[1:]]
        else:
            tags[name[1:]] = value
    return message.replace(de55=chip_data.write_tags(tags))


def chip_findings(message: Message) -> list[Finding]:
    """What the rules of this room find."""
    return [finding for finding in run(message) if finding.rule in RULES]


def only(message: Message) -> Finding:
    """The one finding about chip data."""
    (finding,) = chip_findings(message)
    return finding


def marked(message: Message, finding: Finding) -> str:
    """The characters of the text that a finding points at."""
    return build(message)[finding.start : finding.end]


def test_generated_messages_have_no_finding() -> None:
    """Whatever generate makes, its chip data agree with the message and with themselves."""
    seen = 0
    for label, _, message in generated():
        if 55 in message:
            seen += 1
            assert chip_findings(message) == [], label
    assert seen > 20


@together(
    "row", [row for row in VECTORS if row["expect_valid"] and "55" in (row["fields"] or {})], label=vector_id
)
def test_good_vectors_have_no_error(row: dict[str, object]) -> None:
    """Chip data of a message that is called valid may be odd, but is never an error."""
    fields = row["fields"]
    assert isinstance(fields, dict)
    message = Message(
        str(row["message"])[:4], {int(n): value for n, value in fields.items()}, str(row["version"])
    )
    assert not any(finding.is_error for finding in chip_findings(message))


def test_every_rule_is_bound() -> None:
    """Each row of the table has a case below, or a test of its own."""
    cases = {case[0] for case in CASES} | {case[0] for case in CASES_OF_THE_WHOLE}
    told_below = {"chip-data", "chip-tag-repeated", "chip-answer-agrees"}
    assert cases | told_below == RULES


# Rule, what is changed in DE 55, what else is changed, path, the marked text, severity.
CASES: list[tuple[str, dict[str, str | None], dict[str, str], str, str, str]] = [
    ("chip-contactless-pin", {"t9F34": "010302"}, {"de22": "071"}, "55.9F34", "01", "warning"),
    ("chip-verification-known", {"t9F34": "1F0003"}, {}, "55.9F34", "03", "warning"),
    ("chip-verification-known", {"t9F34": "1F0A02"}, {}, "55.9F34", "0A", "warning"),
    ("chip-terminal-type", {"t9F35": "27"}, {}, "55.9F35", "27", "warning"),
    ("chip-terminal-type", {"t9F35": "14"}, {}, "55.9F35", "14", "warning"),
    ("chip-issuer-data", {"t9F10": "05010A03A00000"}, {}, "55.9F10", "05010A03A00000", "warning"),
    ("chip-tag-unknown", {"tDF01": "AB"}, {}, "55.DF01", "AB", "info"),
    ("chip-tag-length", {"t9F37": "AABB"}, {}, "55.9F37", "AABB", "warning"),
    ("chip-tag-length", {"t9F22": "AABB"}, {}, "55.9F22", "AABB", "info"),
    ("chip-tag-length", {"t9F66": "AABB"}, {}, "55.9F66", "AABB", "info"),
    ("chip-tag-length", {"t9F53": "708000"}, {}, "55.9F53", "708000", "info"),
    ("chip-tag-digits", {"t9F03": "0000000000A0"}, {}, "55.9F03", "A", "warning"),
    ("chip-tag-digits", {"t5F36": "12"}, {}, "55.5F36", "12", "warning"),
    ("chip-tag-digits", {"t5A": "4111F111111111111F"}, {}, "55.5A", "F", "warning"),
    ("chip-reserved-bits", {"t9B": "E801"}, {}, "55.9B", "E801", "info"),
    ("chip-date", {"t5F24": "291232"}, {}, "55.5F24", "32", "warning"),
    ("chip-date", {"t9F21": "251530"}, {}, "55.9F21", "25", "warning"),
    ("chip-country", {"t9F1A": "0999"}, {}, "55.9F1A", "0999", "warning"),
    ("chip-cryptogram-kind", {"t9F27": "00", "t9F10": DECLINED}, {}, "55.9F27", "00", "warning"),
    ("chip-cryptogram-kind", {"t9F27": "40", "t9F10": "06010A03900000"}, {}, "55.9F27", "40", "info"),
    ("chip-cryptogram-kind", {"t9F27": "C0"}, {}, "55.9F27", "C0", "warning"),
    ("chip-amount", {"t9F02": "000000001001"}, {}, "55.9F02", "000000001001", "warning"),
    ("chip-currency", {"t5F2A": "0978"}, {}, "55.5F2A", "0978", "warning"),
    ("chip-currency", {"t5F2A": "0000"}, {}, "55.5F2A", "0000", "warning"),
    ("chip-message-date", {"t9A": "261119"}, {}, "55.9A", "1119", "info"),
    ("chip-sequence-number", {"t5F34": "02"}, {}, "55.5F34", "02", "warning"),
    ("chip-pan", {"t5A": OTHER_PAN}, {}, "55.5A", OTHER_PAN, "warning"),
    ("chip-pan", {"t57": f"{OTHER_PAN}D2912201"}, {}, "55.57", OTHER_PAN, "warning"),
    ("chip-pan", {"t57": "4111"}, {}, "55.57", "4111", "warning"),
    ("chip-agrees", {"t9C": "20"}, {}, "55.9C", "20", "warning"),
    ("chip-agrees", {"t9F21": "111531"}, {}, "55.9F21", "111531", "warning"),
    ("chip-agrees", {"t9F15": "5999"}, {}, "55.9F15", "5999", "warning"),
    ("chip-agrees", {"t9F39": "90"}, {}, "55.9F39", "90", "warning"),
    ("chip-agrees", {"t9F1C": "5445524D30303032"}, {}, "55.9F1C", "5445524D30303032", "info"),
    ("chip-agrees", {"t5F24": "280131"}, {}, "55.5F24", "280131", "warning"),
    ("chip-online-pin", {"t95": "0000040000"}, {}, "55.9F34", "410302", "warning"),
    ("chip-online-pin", {"t9F34": "020300"}, {}, "55.9F34", "020300", "warning"),
    ("chip-online-pin", {}, {"de52": "AABBCCDDEEFF0011"}, "55.9F34", "410302", "warning"),
    ("chip-online-pin", {"t9F34": "420300"}, {"de52": "AABBCCDDEEFF0011"}, "55.95", "00", "warning"),
    ("chip-zeros", {"t9F37": "00000000"}, {}, "55.9F37", "00000000", "warning"),
    ("chip-other-way", {"t91": "0102030405060708"}, {}, "55.91", "0102030405060708", "warning"),
    ("chip-other-way", {"t72": "9F180400000001"}, {}, "55.72", "9F180400000001", "warning"),
    ("chip-application", {"t84": "A0000000041010"}, {}, "55.84", "A0000000041010", "warning"),
    ("chip-terminal-country", {"t9F1A": "0276"}, {}, "55.9F1A", "0276", "warning"),
    ("chip-track-2", {"t57": f"{PAN}D2912201999F"}, {}, "55.57", f"{PAN}D2912201999F", "warning"),
    ("chip-other-amount", {"t9F03": "000000001001"}, {}, "55.9F03", "000000001001", "warning"),
    ("chip-results-agree", {"t95": "0000808000"}, {}, "55.9F34", "02", "warning"),
    ("chip-results-agree", {"t95": "0000108000"}, {}, "55.9F34", "02", "warning"),
    ("chip-results-agree", {"t9F33": "E020C8"}, {}, "55.9F34", "41", "warning"),
    ("chip-results-agree", {"t82": "0000"}, {}, "55.9F34", "41", "warning"),
    ("chip-results-agree", {"t9F33": "C0F8C8"}, {}, "55.9F33", "C0", "warning"),
    ("chip-results-cryptogram", {"t9F10": "06010A03800000"}, {}, "55.9F10", "80", "warning"),
    ("chip-results-cryptogram", {"t9F10": "06010A03600000"}, {}, "55.9F10", "60", "warning"),
    ("chip-results-cryptogram", {"t9F10": "1F0A01008000000000"}, {}, "55.9F10", "80", "warning"),
]


@together("rule, tags, fields, path, text, severity", CASES)
def test_a_fault_is_found_at_its_tag(
    rule: str,
    tags: dict[str, str | None],
    fields: dict[str, str],
    path: str,
    text: str,
    severity: str,
) -> None:
    """One change to a good message gives one finding, which marks the tag's value in the whole text."""
    message = with_tags(request(), **tags).replace(**fields)
    finding = only(message)
    assert (finding.rule, finding.path, finding.severity) == (rule, path, severity)
    assert finding.message.startswith(f"DE {path} at offset {finding.start}: ")
    assert marked(message, finding) == text


@pytest.mark.parametrize(
    ("local", "chip"), [("101530", "111530"), ("000000", "230000"), ("230000", "000000")]
)
def test_the_clocks_of_terminal_and_acquirer_may_be_an_hour_apart(local: str, chip: str) -> None:
    """9F21 and DE 12, on both sides of midnight, too."""
    assert chip_findings(with_tags(request(), t9F21=chip).replace(de12=local)) == []


@pytest.mark.parametrize(
    ("tag", "number"), [*((tag, PAN) for tag in ("9F33", "9F34", "9F35", "95", "9F27")), ("5F36", f"0{PAN}0")]
)
def test_a_card_number_in_another_tag_is_not_quoted(tag: str, number: str) -> None:
    """Where a tag of a few digits has a card number, the findings say so without it."""
    findings = chip_findings(with_tags(request(), **{f"t{tag}": number}))
    assert findings
    assert all(PAN not in f"{one.message} {one.found} {one.hint}" for one in findings)


CASES_OF_THE_WHOLE: list[tuple[str, dict[str, str | None], dict[str, str], str]] = [
    (
        "chip-cryptogram-missing",
        {"t9F26": None},
        {},
        "a cryptogram (9F26), because the chip was read, found none",
    ),
    (
        "chip-cryptogram-data",
        {"t9F37": None, "t82": None},
        {},
        "all tags needed to verify the cryptogram, found no 9F37, 82",
    ),
    (
        "chip-entry-mode",
        {},
        {"de22": "901"},
        "chip or contactless entry in DE 22, found magnetic stripe, full track",
    ),
]


@pytest.mark.parametrize(("rule", "tags", "fields", "words"), CASES_OF_THE_WHOLE)
def test_a_fault_of_the_whole_field(
    rule: str, tags: dict[str, str | None], fields: dict[str, str], words: str
) -> None:
    """What is missing, or wrong about the whole, is one finding at DE 55."""
    message = with_tags(request(), **tags).replace(**fields)
    finding = only(message)
    assert (finding.rule, finding.path) == (rule, "55")
    assert finding.message.endswith(words)


def test_framing_is_an_error() -> None:
    """A tag cut short is the only error, found at the tag; nothing else is judged then."""
    message = request().replace(de55="9F2701009F2608AABB")
    finding = only(message)
    assert (finding.rule, finding.path, finding.severity) == ("chip-data", "55.9F26", Severity.ERROR)
    assert marked(message, finding) == "AABB"


def test_no_hex_is_an_error() -> None:
    """DE 55 of 1987 may hold any text; chip data are hex digits."""
    finding = only(request().replace(de55="HELLO"))
    assert (finding.path, finding.severity, finding.found) == ("55", Severity.ERROR, "'H'")


def test_the_inside_of_a_template_warns() -> None:
    """Scripts with a wrong inside are common; the tags around them are right."""
    script = chip_data.write_tags({"71": "8603AABB"})
    message = Message("0110", {39: "00", 55: script + "8A023030"})
    finding = only(message)
    assert (finding.rule, finding.path, finding.severity) == ("chip-data", "55.86", Severity.WARNING)
    assert marked(message, finding) == "AABB"


FIXED = (
    "C1C7D5E200017B3768BFC2CCF0820706020103A00000020749F107950000"
    "008000261120000000000010000840084018000000000000000180"
)


@pytest.mark.parametrize(
    ("old", "new", "rule", "path"),
    [
        ("", "", "", ""),
        ("000000001000", "000000001001", "chip-amount", "55.9F02"),
        ("261120", "261119", "chip-message-date", "55.9A"),
        ("0180", "01", "chip-data", "55.9F27"),
        ("0180", "0140", "chip-cryptogram-kind", "55.9F27"),
    ],
)
def test_a_fixed_layout_is_judged_as_tags(old: str, new: str, rule: str, path: str) -> None:
    """Values without tags, in American Express's order, are compared with the message like others."""
    made = generate("auth", network="AMEX", entry="chip", at=AT).message
    message = made.replace(
        de55=FIXED.removesuffix(old) + new if FIXED.endswith(old) else FIXED.replace(old, new)
    )
    assert [(one.rule, one.path) for one in run(message)] == ([(rule, path)] if rule else [])


def test_a_dataset_is_read_through() -> None:
    """Findings behind a dataset id and length still mark the right characters."""
    inner = with_tags(request(), t9F02="000000001001")[55]
    message = request().replace(de55=f"01{len(inner) // 2:04X}{inner}")
    finding = only(message)
    assert (finding.rule, marked(message, finding)) == ("chip-amount", "000000001001")


def test_a_wrong_dataset_length_is_an_error() -> None:
    """The length in front of a dataset is framing, too."""
    inner = request()[55]
    finding = only(request().replace(de55=f"01{len(inner) // 2 + 1:04X}{inner}"))
    assert (finding.rule, finding.severity) == ("chip-data", Severity.ERROR)


def test_repeated_tags() -> None:
    """A tag that stands twice informs, at the last one; scripts and their commands may repeat."""
    message = request()
    repeated = message.replace(de55=message[55] + "9F370411223344")
    finding = only(repeated)
    assert (finding.rule, finding.path, finding.found) == ("chip-tag-repeated", "55.9F37", "2")
    assert marked(repeated, finding) == "11223344"
    script = chip_data.write_tags([("9F18", "00000001"), ("86", "841E0000"), ("86", "84240000")])
    response = Message("0110", {39: "00", 55: chip_data.write_tags([("72", script), ("72", script)])})
    assert chip_findings(response) == []


def test_a_refund_may_carry_an_aac() -> None:
    """Terminals end the card's part of a refund with an AAC; the money moves all the same."""
    message = with_tags(request().replace(de3="200000"), t9F27="00", t9F10=DECLINED, t9C="20")
    assert chip_findings(message) == []


def test_a_declined_advice_may_carry_an_aac() -> None:
    """An advice that approves what the chip declined is odd; one that says it was declined is not."""
    advice = with_tags(request(kind="advice"), t9F27="00", t9F10=DECLINED)
    assert only(advice).rule == "chip-cryptogram-kind"
    assert chip_findings(advice.replace(de39="05", de38=None)) == []
    assert chip_findings(with_tags(advice, t9F27="40", t9F10="06010A03900000")) == []


def test_the_final_amount_of_an_advice_may_differ() -> None:
    """The chip signed an estimate; an advice reports what it became."""
    advice = with_tags(request(kind="advice"), t9F02="000000001001")
    assert only(advice).severity is Severity.INFO


@pytest.mark.parametrize("version", VERSIONS)
def test_agreement_in_every_version(version: str) -> None:
    """Amount, currency and date are compared wherever the version puts them."""
    message = with_tags(request(version), t9F02="000000001001", t5F2A="0978", t9A="261119")
    assert {finding.rule for finding in chip_findings(message)} == {
        "chip-amount",
        "chip-currency",
        "chip-message-date",
    }


def test_a_reversal_is_not_asked_for_its_cryptogram() -> None:
    """A reversal repeats a few tags only; nobody checks the cryptogram again."""
    message = request(kind="reversal").replace(de55="9F2608112233445566778895050000008000")
    assert chip_findings(message) == []


@given(st.sampled_from([PAN, OTHER_PAN]), st.sampled_from(["57", "5A", "9F6B", "DF01", "9F1F", "9F20"]))
def test_no_finding_shows_the_card(pan: str, tag: str) -> None:
    """Texts of findings hold no card number, whichever tag carries it."""
    for value in (pan, f"{pan}D2912201F", f"A{pan}A", pan.replace("1", "A")):
        padded = value + "F" * (len(value) % 2)
        for text in (chip_data.write_tags({tag: padded}), f"{tag}30{padded}", padded):
            for finding in chip_findings(request().replace(de55=text)):
                shown = f"{finding.message}{finding.expected}{finding.found}{finding.hint}"
                assert pan[4:] not in shown
                assert pan[:10] not in shown


@given(st.text(alphabet="0123456789ABCDEF", max_size=200), st.sampled_from(VERSIONS))
def test_any_chip_data_is_judged(text: str, version: str) -> None:
    """Rules never raise, and mark characters inside the message."""
    message = request(version).replace(de55=text)
    for finding in chip_findings(message):
        assert finding.start is not None
        assert finding.end is not None
        assert 0 <= finding.start <= finding.end <= len(build(message))


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "95",
                "9A",
                "9C",
                "9F02",
                "5F2A",
                "9F34",
                "9F27",
                "57",
                "5A",
                "5F34",
                "9F1A",
                "5F24",
                "9F15",
                "9F39",
                "9F1C",
                "9B",
            ]
        ),
        st.binary(max_size=8),
    )
)
def test_any_value_is_judged(tags: dict[str, bytes]) -> None:
    """Values of any length and content give findings, never an exception or an error."""
    text = chip_data.write_tags({tag: value.hex().upper() for tag, value in tags.items()})
    for version in VERSIONS:
        assert not any(finding.is_error for finding in chip_findings(request(version).replace(de55=text)))


@pytest.mark.parametrize(
    ("tags", "code", "marked_text"),
    [
        ("8A023035", "00", "3035"),
        ("910A01020304050607083531", "00", "3531"),
        ("8A023030", "00", ""),
        ("910A01020304050607083030", "00", ""),
        ("910A01020304050607080012", "00", ""),  # bits, not letters
        ("910801020304050607", "00", ""),
    ],
)
def test_the_card_is_told_what_the_acquirer_is(tags: str, code: str, marked_text: str) -> None:
    """The answer in 8A, or at the end of a 91 of ten bytes, is that of DE 39."""
    answer = request().replace(mti="0110", de55=tags, de38="A12345", de39=code)
    found = [one for one in chip_findings(answer) if one.rule == "chip-answer-agrees"]
    assert [marked(answer, one) for one in found] == ([marked_text] if marked_text else [])


@pytest.mark.parametrize(
    ("cash", "expected"), [("000000000500", []), ("000000000400", ["chip-other-amount"])]
)
def test_the_chip_signs_the_cash_back_of_the_message(cash: str, expected: list[str]) -> None:
    """9F03 is the cash back amount of DE 54."""
    message = with_tags(request(), t9F03=cash, t9C="09").replace(de3="090000", de54="0040840D000000000500")
    assert [one.rule for one in chip_findings(message)] == expected


def test_the_cash_part_of_an_advice_may_be_final() -> None:
    """Only in a request is 9F03 what DE 54 and DE 3 say; what dispensed or charged less says so later."""
    message = with_tags(request(), t9F03="000000000500")
    for mti, expected in (("0100", ["chip-other-amount"]), ("0120", [])):
        assert [one.rule for one in run(message.replace(mti=mti)) if one.path == "55.9F03"] == expected


@pytest.mark.parametrize(
    ("results", "profile", "wrong"),
    [
        ("40", "40", False),  # SDA: failed, and supported by the card
        ("40", "3D", True),
        ("C0", "7D", True),  # failed, although no authentication was performed
        ("80", "7D", False),
        ("08", "20", False),  # DDA
        ("08", "5D", True),
        ("04", "01", False),  # CDA
        ("04", "7C", True),
        ("84", "7D", True),
    ],
)
def test_only_an_authentication_that_was_performed_fails(results: str, profile: str, wrong: bool) -> None:
    """A failure in 95 is of a method that the card supports (82), and not of one that was not performed."""
    message = with_tags(request(), t95=f"{results}00008000", t82=f"{profile}00")
    assert ("55.95" in [one.path for one in chip_findings(message)]) is wrong


def test_an_attended_cash_machine_is_reported_once() -> None:
    """The merchant category and DE 25 both say unattended."""
    message = generate("auth", network="VISA", purpose="cash", entry="chip", at=AT).message
    changed = message.replace(de55=message[55].replace("9F350114", "9F350122"))
    assert [one.rule for one in run(changed)] == ["chip-terminal-type"]


def test_an_expired_chip_card_is_told_by_the_date_of_the_chip() -> None:
    """A 1987 message has no year but in 9A."""
    message = request().replace(de14="2610")
    assert "card-expired" in {one.rule for one in run(message)}
    assert "card-expired" not in {one.rule for one in run(message.replace(de14="2611"))}


@pytest.mark.parametrize(
    ("terminal", "paths"), [("TERM0001", []), ("TERM1   ", []), ("        ", []), ("TERM0002", ["55.9F1C"])]
)
def test_the_chip_data_repeat_the_terminal(terminal: str, paths: list[str]) -> None:
    """9F1C is DE 41, with or without the blanks that fill it up; blanks name no terminal."""
    tag = "9F1C08" + (b"TERM1   " if terminal == "TERM1   " else b"TERM0001").hex().upper()
    message = generate("auth", network="VISA", entry="chip", at=AT).message
    changed = message.replace(de41=terminal, de55=message[55] + tag)
    assert [one.path for one in run(changed) if one.rule == "chip-agrees"] == paths
