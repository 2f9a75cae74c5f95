"""Rules inside single elements: for each, a message with that one fault and one that comes near it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import IDS, INSIDE, Case, administration, auth, check, echo, original, stripe, undo
from support import fewer, generated, some, together

from sim.codec import Message
from sim.judge import catalogue, run
from sim.spec import VERSIONS, spec

TRACK_3 = "014111111111111111=724724000000000000"
GROUP = "1041840C000000001000"
GROUP_2003 = "10418402C000000001000"
FEE = "00840D0000015061000000D00000150840"
PLACE = f"{'CORNER SHOP':<25}{'LONDON':<13}GB"
BACKSLASHES = f"SHOP\\HIGH STREET\\LONDON\\{'SW1':<10}{'':<3}826"
CAPABILITY = "0C000000" + "C0000000" + "36" + "303830" * 5 + "4E59" + "0C"
REFERENCE = "7" + "412345" + "6324" + "12345678901" + "0"


CASES = [
    Case("transaction-type", auth(de3="610000"), 3, 0, auth(de3="170000"), "warning"),
    Case("transaction-type", auth("1993", de3="120000"), 3, 0, auth("1993", de3="110000"), "warning"),
    Case("transaction-type", auth("2003", de3="950000"), 3, 0, auth("2003", de3="700000"), "info"),
    Case("account-type", auth(de3="007000"), 3, 2, auth(de3="009100")),
    Case("account-type", auth(de3="000001"), 3, 4, auth(de3="002010")),
    Case(
        "conversion-rate",
        auth(de6="000000001000", de51="840", de10="81000000"),
        10,
        0,
        auth(de6="000000001000", de51="840", de10="71000000"),
    ),
    Case(
        "conversion-rate",
        auth(de5="000000001000", de50="840", de9="60000000"),
        9,
        1,
        auth(de5="000000001000", de50="840", de9="60000001"),
    ),
    Case("pos-entry-mode", auth(de22="441"), 22, 0, auth(de22="821")),
    Case("pos-entry-mode", auth(de22="015"), 22, 2, auth(de22="018")),
    Case("pos-data-code", auth("1993", de22="600601600140"), 22, 3, auth("1993", de22="600501600140")),
    Case("pos-data-code", auth("1993", de22="60010160014Z"), 22, 11, auth("1993", de22="60010160014C")),
    Case(
        "pos-data-code", auth("1993", de22="6S0101600140"), 22, 1, auth("1993", de22="610101600140"), "info"
    ),
    Case(
        "pos-data-bits",
        auth("2003", de22="20000000" + "40000000" + "40000001" + "40000000"),
        22,
        16,
        auth("2003", de22="20000001" + "40000000" + "40000000" + "40000001"),
        "info",
    ),
    Case("pos-condition", auth(de25="33"), 25, 0, auth(de25="92")),
    Case("pin-capture", auth(de26="03"), 26, 0, auth(de26="12")),
    Case("settlement-code", Message("0500", {7: "1120101530", 66: "6"}), 66, 0, Message("0500", {66: "1"})),
    Case("network-management-code", echo(de70="777"), 70, 0, echo(de70="165")),
    Case(
        "file-update-code",
        Message("0302", {7: "1120101530", 91: "9", 101: "FILE"}),
        91,
        0,
        Message("0302", {7: "1120101530", 91: "5", 101: "FILE"}),
    ),
    Case("function-code", auth("1993", de24="001"), 24, 0, auth("1993", de24="185")),
    Case("function-code", auth("2003", de24="150"), 24, 0, auth("2003", de24="113")),
    Case("reason-code", auth("1993", de25="1599"), 25, 0, auth("1993", de25="1510")),
    Case("response-code", auth(mti="0110", de39="Y9"), 39, 0, auth(mti="0110", de39="N7")),
    Case("response-code", auth("1993", mti="1110", de39="155"), 39, 0, auth("1993", mti="1110", de39="165")),
    Case("merchant-category", auth(de18="1234"), 18, 0, auth(de18="3000")),
    Case("merchant-category", auth("2003", de26="6789"), 26, 0, auth("2003", de26="6011")),
    Case("approval-code-length", auth(de27="7"), 27, 0, auth(de27="6")),
    Case(
        "track-2-expiry",
        stripe(de35="4111111111111111=29132010000000000000", de14=None),
        35,
        19,
        stripe(de35="4111111111111111=29122010000000000000", de14=None),
    ),
    Case(
        "track-2-service",
        stripe(de35="4111111111111111=29123010000000000000"),
        35,
        21,
        stripe(de35="4111111111111111=29126210000000000000"),
    ),
    Case("service-code", auth(de40="231"), 40, 1, auth(de40="221")),
    Case(
        "track-1",
        stripe(de45="4111111111111111^DOE/JANE^2912101000000"),
        45,
        0,
        stripe(de45="B4111111111111111^DOE/JANE^2912101000000"),
    ),
    Case(
        "track-1",
        stripe(de45="B4111111111111111^DOE/JANE^2913101000000", de14=None),
        45,
        29,
        stripe(de45="B4111111111111111^DOE/JANE^^^000000", de14=None),
    ),
    Case("track-3", stripe(de36="9=111111111111111"), 36, 0, stripe(de36=TRACK_3)),
    Case("retrieval-reference", auth(de37=" " * 12), 37, 0, auth(de37="632410123456"), "warning"),
    Case("retrieval-reference", auth(de37="632410 12345"), 37, 6, auth(de37="6324101     "), "info"),
    Case("retrieval-reference", auth(de37="0" * 12), 37, 0, auth(de37="000000000001"), "warning"),
    Case(
        "pin-block",
        auth(de22="011", de52="241234FFFFFFFFFF"),
        52,
        0,
        auth(de22="011", de52="241234FFFFFFFFF0"),
    ),
    Case(
        "pin-block",
        auth(de22="011", de52="041225EEEEEEEEEE"),
        52,
        0,
        auth(de22="011", de52="041225EEEEEEEEEF"),
    ),
    Case("pin-block", auth(de22="011", de52="0" * 16), 52, 0, auth(de22="011", de52="041277CDDEEFF669")),
    Case("life-cycle", auth("1993", de57="407"), 57, 0, auth("1993", de57="307")),
    Case("life-cycle", auth("2003", de57="100"), 57, 1, auth("2003", de57="801")),
    Case("extended-payment", auth(de67="00"), 67, 0, auth(de67="12"), "info"),
    Case(
        "replacement-amounts",
        undo(de95="00000000050 " + "0" * 30),
        95,
        11,
        undo(de95="000000000500" + " " * 30),
    ),
    Case("additional-amounts", auth(de54=GROUP + GROUP[:19]), 54, 20, auth(de54=GROUP * 2), "error"),
    Case("additional-amounts", auth(de54=GROUP.replace("C", "0")), 54, 7, auth(de54=GROUP.replace("C", "D"))),
    Case("additional-amounts", auth(de54=GROUP[:-1] + "X"), 54, 19, auth(de54=GROUP)),
    Case("additional-amounts", auth("2003", de54=GROUP), 54, 0, auth("2003", de54=GROUP_2003)),
    Case("additional-amount-codes", auth(de54="7" + GROUP[1:]), 54, 0, auth(de54="9" + GROUP[1:])),
    Case(
        "additional-amount-codes", auth(de54=GROUP + GROUP[:2] + "33" + GROUP[4:]), 54, 22, auth(de54=GROUP)
    ),
    Case(
        "additional-amount-codes", auth(de54="1041111" + GROUP[7:]), 54, 4, auth(de54="1041978" + GROUP[7:])
    ),
    Case(
        "additional-amount-codes",
        auth("2003", de54="10413922C000000001000"),
        54,
        7,
        auth("2003", de54="10413920C000000001000"),
    ),
    Case("fee-groups", auth("1993", de46=FEE + "0"), 46, 34, auth("1993", de46=FEE * 2)),
    Case("fee-groups", auth("1993", de46=FEE[:5] + "0" + FEE[6:]), 46, 5, auth("1993", de46=FEE)),
    Case("fee-groups", auth("2003", de46="0" * 34), 46, 0, auth("2003", de46="0" * 36)),
    Case("original-size", undo("1993", de56="123456"), 56, 0, undo("1993", de56="1100123456261120101030")),
    Case("original-mti", undo(de90=original("0110")), 90, 0, undo(de90=original("0200"))),
    Case("original-mti", undo(de90=original("1100")), 90, 0, undo(de90="0" * 42)),
    Case("original-mti", undo(de90=original("0420")), 90, 1, administration(de90=original("0420"))),
    Case("original-date", undo(de90=original(when="1131101030")), 90, 12, undo(de90=original(when="0" * 10))),
    Case(
        "original-date",
        undo("2003", de56="210000000012345620262911101030123456"),
        56,
        20,
        undo("2003", de56="210000000012345620261129101030123456"),
    ),
    Case(
        "original-acquirer",
        undo("1993", de56="11001234562611191010300712345678901"),
        56,
        22,
        undo("1993", de56="11001234562611191010301112345678901"),
        "info",
    ),
    Case("location-country", auth(de43=PLACE[:-2] + "ZZ"), 43, 37, auth(de43=PLACE), "warning"),
    Case(
        "location-country", auth(de43=f"{'CORNER SHOP':<40}"), 43, 37, auth(de43=f"{'SHOP':<37}USA"), "info"
    ),
    Case("location-layout", auth("1993", de43=PLACE), 43, 0, auth("1993", de43=BACKSLASHES), "warning"),
    Case("location-layout", auth("1993", de43=BACKSLASHES[:-1]), 43, 24, auth("1993", de43="A~B~C~1")),
    Case(
        "location-layout", auth("1993", de43=BACKSLASHES[:-3] + "000"), 43, 37, auth("1993", de43=BACKSLASHES)
    ),
    Case(
        "composite-amount", auth("2003", de6="3922000000001000"), 6, 3, auth("2003", de6="3920000000001000")
    ),
    Case(
        "composite-amount",
        undo("2003", de30="8402000000001000" + "1112000000001000"),
        30,
        16,
        undo("2003", de30="8402000000001000" + "0" * 16),
    ),
    Case("message-error", auth("2003", de18="5411"), 18, 0, auth("2003", de18="00000300400000")),
    Case("message-error", auth("2003", de18="02000300400000"), 18, 0, auth("2003", de18="01000300400000")),
    Case("message-error", auth("2003", de18="00001400400000"), 18, 2, auth("2003", de18="00600000400000")),
    Case(
        "life-cycle-id",
        auth("2003", de21="1" + "A" * 15 + "01000X"),
        21,
        21,
        auth("2003", de21="1" + "A" * 15 + "010001"),
    ),
    Case(
        "pos-capability",
        auth("2003", de27=CAPABILITY[:16] + "06" + CAPABILITY[18:]),
        27,
        16,
        auth("2003", de27=CAPABILITY),
    ),
    Case(
        "acquirer-reference",
        auth("2003", de31=REFERENCE),
        31,
        22,
        auth("2003", de31=REFERENCE[:-1] + "5"),
        "info",
    ),
    Case(
        "batch-control",
        auth("2003", de69="0000001X" + "B" * 32),
        69,
        7,
        auth("2003", de69="00000010" + "B" * 32),
    ),
]


@together("case", CASES, str)
def test_one_fault_is_one_finding_at_its_place(case: Case) -> None:
    """A message with one fault has one finding, located at it; the near miss does not have it."""
    check(case)


def test_every_rule_inside_an_element_has_a_case() -> None:
    """No rule is without a message that breaks it."""
    assert {case.rule for case in CASES} == set(INSIDE)


@pytest.mark.parametrize("version", ["1987", "1993", "2003"])
def test_the_messages_of_the_cases_are_sound(version: str) -> None:
    """What the cases start from has no finding, so that each of them has one fault."""
    for make in (auth, undo, stripe, echo):
        assert run(make(version)) == []


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (3, "A10000"),
        (22, "0X1"),
        (25, "\x00\x01"),
        (37, "\x00" * 12),
        (43, "\x00" * 40),
        (54, "\x00" * 19),
        (18, "54é1"),
    ],
)
def test_a_wrong_character_is_reported_once(number: int, value: str) -> None:
    """Where the character class speaks, the layout rules keep silent."""
    assert [one.rule for one in run(auth(**{f"de{number}": value}))] == ["character-class"]


# Characters that look like digits, letters or signs to some functions of the language.
STRANGE = "²٣３A=D^\\ Cx~\x00é"


@settings(max_examples=fewer(300))
@given(st.data())
def test_no_value_makes_a_rule_raise(data: st.DataObject) -> None:
    """Whatever stands in an element, the rules report and do not raise."""
    version = data.draw(st.sampled_from(VERSIONS))
    message = data.draw(st.sampled_from([auth, undo, stripe]))(version)
    number = data.draw(st.integers(2, 128))
    element = spec(version)[number]
    size = element.width if element.fixed else data.draw(st.integers(0, min(element.width, 90)))
    value = data.draw(st.text("0123456789" + STRANGE, min_size=size, max_size=size))
    changed = message.replace(**{f"de{number}": value})
    assert all(one.rule in catalogue() for one in run(changed))


def test_an_empty_element_has_no_layout() -> None:
    """An element of length 0 is not judged by its layout, but told to be empty."""
    assert {one.rule for one in run(auth(de54="", de45="", de36=""))} == {"empty-element"}


def test_rules_of_one_version_ask_no_other() -> None:
    """A 1993 message read as 1987 is told that, not that its function code is unknown."""
    message = Message("1100", {3: "000000", 11: "123456", 24: "100", 25: "33"})
    assert [one.rule for one in run(message)] == ["mti-version"]


def test_every_rule_has_its_words() -> None:
    """Each row has a known severity, a source and a hint that says more than what is checked."""
    for rule_id in IDS:
        words = catalogue()[rule_id]
        assert words.source
        assert words.checks
        assert len(words.hint) > 40
        assert words.hint.endswith(".")


def test_findings_show_no_card_data() -> None:
    """Track, PAN and PIN block stand in no sentence."""
    track = "4111111111111111=29133010000000000000"
    message = stripe(
        de35=track, de45="B4111111111111111^DOE/JANE^2913101000000", de52="241234FFFFFFFFFF", de14=None
    )
    found = run(message)
    assert {one.rule for one in found} >= {"track-2-expiry", "track-2-service", "track-1", "pin-block"}
    for one in found:
        text = one.message + one.found + one.expected
        assert not any(secret in text for secret in ("4111", "2913", "DOE", "1234FF"))


def test_what_generate_makes_has_no_error() -> None:
    """No rule of this catalogue makes a generated message invalid."""
    for label, _, message in some(generated(), 3):
        wrong = [one for one in run(message) if one.rule in IDS and one.is_error]
        assert wrong == [], label
