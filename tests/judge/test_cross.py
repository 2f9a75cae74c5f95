"""Rules between elements: for each, a message with that one disagreement and one that comes near it."""

from __future__ import annotations

import pytest
from rule_cases import BETWEEN, IDS, Case, auth, check, echo, original, stripe, undo
from support import AT, VECTORS, together, vector_id

from sim.codec import Message, ParseError, parse
from sim.judge import run
from sim.operations import generate

TRACK_1 = "B4111111111111111^DOE/JANE^{expiry}101000000"
CASH_BACK = "0040840D{amount:012}"
PIN = "041277CDDEEFF669"
STRIPE = "4111111111111111=2912{}0000000000000"
ORIGINAL = "0100123456{}10103000000123456" + "0" * 11


def answer(version: str = "1987", **values: str | None) -> Message:
    """An approval without a finding, with other elements."""
    kept = {"1987": {"de38": "A12345", "de39": "00"}, "1993": {"de38": "A12345", "de39": "000"}}
    kept["2003"] = {"de38": "A12345", "de39": "0000"}
    mti = {"1987": "0110", "1993": "1110", "2003": "2110"}[version]
    return auth(version, mti=mti, **{**kept[version], **values})


def reversed_answer(code: str) -> Message:
    """The 1987 answer to a reversal."""
    return undo(mti="0410", de39=code)


def chip(version: str = "1987", **values: str | None) -> Message:
    """A chip purchase without a finding, with other elements."""
    return generate("auth", network="VISA", version=version, at=AT, entry="chip").message.replace(**values)


def status_inquiry(status: str) -> Message:
    """A Mastercard purchase of nothing, whose DE 61 has *status* in position 7."""
    made = generate("auth", network="MASTERCARD", at=AT, amount_minor_units=0).message
    return made.replace(de61=made[61][:6] + status + made[61][7:])


LEDGER = "0001840C000000005000"


def totals(**values: str | None) -> Message:
    """A reconciliation of debits of 10.00, of which 2.00 were reversed."""
    amounts = {86: 0, 87: 0, 88: 1000, 89: 200}
    known = {f"de{number}": f"{amount:016}" for number, amount in amounts.items()}
    known |= {f"de{number - 12}": f"{min(amount, 1):010}" for number, amount in amounts.items()}
    told = {"de11": "000001", "de50": "840", "de97": f"D{800:016}"}
    return Message("0500").replace(**known | told | values)


def swiped(service: str) -> Message:
    """A Mastercard purchase by stripe, whose network has a code of its own for a chip that failed."""
    track = f"5555555555554444=2912{service}0000000000000"
    return generate("auth", network="MASTERCARD", at=AT, entry="stripe").message.replace(de35=track)


NO_DAY = "ABC000000001"  # a reference that names no day

CASES = [
    Case("dates-apart", auth(de13="1118"), 13, 0, auth(de13="1121")),
    Case("dates-apart", auth("1993", de12="261118101530"), 12, 2, auth("1993", de12="261121101530")),
    Case(
        "dates-apart",
        auth("2003", de37=NO_DAY, de7="0101003000", de12="20261229101530"),
        12,
        4,
        auth("2003", de37=NO_DAY, de7="0101003000", de12="20261231193000"),
    ),
    Case(
        "dates-apart",
        auth(de37=NO_DAY, de7="0102003000", de13="1231"),
        13,
        0,
        auth(de37=NO_DAY, de7="0101003000", de13="1231"),
    ),
    Case(
        "dates-apart",
        auth(de37=NO_DAY, de7="0302043000", de13="0228"),
        13,
        0,
        auth(de37=NO_DAY, de7="0301043000", de12="233000", de13="0228"),
    ),
    Case("card-expired", auth("1993", de14="2610"), 14, 0, auth("1993", de14="2611")),
    Case("card-expired", auth("2003", de14="2610"), 14, 0, auth("2003", de14="2610", de3="200000")),
    Case("card-not-yet-valid", auth("1993", de13="2612"), 13, 0, auth("1993", de13="2611")),
    Case("card-not-yet-valid", auth("2003", de13="202701"), 13, 0, auth("2003", de13="202601")),
    Case("pin-not-possible", auth(de52="041277CDDEEFF669"), 22, 2, auth(de22="010", de52="041277CDDEEFF669")),
    Case(
        "pin-not-possible",
        auth("1993", de52="041277CDDEEFF669"),
        22,
        11,
        auth("1993", de22="600101600144", de52="041277CDDEEFF669"),
    ),
    Case("chip-without-data", auth(de22="051"), 22, 0, answer(de22="051"), "info"),
    Case("chip-without-data", auth("2003", de22="04" + "0" * 30), 22, 0, chip("2003"), "info"),
    Case("stripe-without-track", auth(de22="901"), 22, 0, stripe(), "warning"),
    Case("stripe-without-track", auth(de22="801"), 22, 0, auth(de22="791"), "warning"),
    Case("stripe-without-track", auth(de22="021"), 22, 0, auth(mti="0120", de22="021", de39="00"), "info"),
    Case("stripe-without-track", stripe("1993", de35=None), 22, 6, stripe("1993"), "warning"),
    Case("track-without-reading", stripe(de22="011"), 22, 0, stripe(de22="091")),
    Case("track-without-reading", stripe("1993", de22="600101600140"), 22, 6, stripe("1993")),
    Case("track-without-reading", auth(de22="011", de45=TRACK_1.format(expiry="2912")), 22, 0, auth()),
    Case("absent-card-read", stripe(de25="08"), 25, 0, auth(de25="08")),
    Case("absent-card-read", stripe("1993", de22="210100254144"), 22, 5, auth("1993", de22="600100600140")),
    Case(
        "track-1-agrees",
        stripe(de35=None, de45="B4012888888881881^DOE/JANE^2912101000000"),
        45,
        1,
        stripe(de35=None, de45=TRACK_1.format(expiry="2912")),
    ),
    Case("track-1-agrees", stripe(de45=TRACK_1.format(expiry="2812")), 45, 27, stripe(de14=None)),
    Case(
        "tracks-agree",
        stripe(de2=None, de45="B4012888888881881^DOE/JANE^2912101000000"),
        45,
        1,
        stripe(de2=None, de45=TRACK_1.format(expiry="2912")),
    ),
    Case("inquiry-with-amount", auth(de3="310000"), 4, 0, auth(de3="310000", de4="0" * 12)),
    Case("inquiry-with-amount", auth("2003", de3="300000"), 4, 0, answer("2003", de3="300000")),
    Case("zero-amount", auth(de4="0" * 12), 4, 0, auth(de3="310000", de4="0" * 12), "warning"),
    Case("zero-amount", status_inquiry("0"), 4, 0, status_inquiry("8"), "warning"),
    Case("zero-amount", auth("2003", de4="8402" + "0" * 12), 4, 0, auth("2003"), "warning"),
    Case("zero-amount", auth(de4="0" * 12), 4, 0, auth(de4="0" * 12, de25="51"), "warning"),
    Case("zero-amount", auth("1993", de4="0" * 12), 4, 0, auth("1993", de4="0" * 12, de24="108"), "warning"),
    Case("transfer-accounts", auth(de3="401020"), 102, None, auth(de3="401020", de102="ACC-1"), "info"),
    Case(
        "partial-exceeds-original",
        undo(de95=f"{1001:012}{0:030}"),
        95,
        0,
        undo(de95=f"{1000:012}{0:030}"),
    ),
    Case(
        "partial-exceeds-original",
        undo("1993", de24="401", de30=f"{999:012}{0:012}"),
        4,
        0,
        undo("1993", de24="401", de30=f"{1000:012}{0:012}"),
    ),
    Case(
        "partial-exceeds-original",
        undo("2003", de24="401", de30=f"8402{999:012}{0:016}"),
        4,
        0,
        undo("2003", de24="401", de30="0" * 32),
    ),
    Case("partial-without-original", undo("1993", de24="401"), 30, None, undo("1993", de24="400")),
    Case("cash-back", auth(de54=CASH_BACK.format(amount=500)), 3, 0, auth(de54="0041840D000000000500")),
    Case("cash-back", auth(de3="090000"), 54, None, auth(de3="090000", de54=CASH_BACK.format(amount=500))),
    Case(
        "cash-back",
        auth(de3="090000", de54=CASH_BACK.format(amount=1001)),
        54,
        0,
        auth(de3="090000", de54=CASH_BACK.format(amount=1000)),
    ),
    Case(
        "cash-back",
        auth(de3="090000", de54=CASH_BACK.format(amount=1001)),
        54,
        0,
        auth(de3="090000", de54="0040978D000000001001"),
    ),
    Case(
        "cash-back-currency",
        auth(de3="090000", de54="0040978D000000000500"),
        54,
        0,
        auth(de3="090000", de49="978", de54="0040978D000000000500"),
    ),
    Case(
        "cash-back-currency",
        auth("2003", de3="090000", de54="00409782D000000000500"),
        54,
        0,
        auth("2003", de3="090000", de54="00408402D000000000500"),
    ),
    Case("amount-currency", auth(de5="000000001000"), 50, None, auth(de5="000000001000", de50="840")),
    Case("amount-currency", auth(de6="000000001000"), 51, None, auth("2003", de6="8402000000001000")),
    Case("amount-currency", auth(de8="00000100"), 51, None, auth(de8="00000100", de51="840")),
    Case(
        "rate-without-amount",
        auth(de10="61000000"),
        6,
        None,
        auth(de10="61000000", de6="000000001000", de51="840"),
        "warning",
    ),
    Case("function-class", auth("1993", de24="200"), 24, 0, auth("1993", mti="1200", de24="200")),
    Case("function-class", echo("2003", de24="400"), 24, 0, echo("2003", de24="801")),
    Case("reason-class", auth("1993", de25="4000"), 25, 0, undo("1993", de25="4021")),
    Case("reason-class", auth("1993", de25="1006"), 25, 0, auth("1993", mti="1120", de25="1006"), "info"),
    Case("action-class", undo("1993", mti="1430", de39="000"), 39, 0, undo("1993", mti="1430", de39="400")),
    Case(
        "action-class", answer("2003", de39="4000", de38=None), 39, 0, answer("2003", de39="9109", de38=None)
    ),
    Case("answer-in-request", auth(de39="00"), 39, 0, auth(mti="0120", de39="00"), "warning"),
    Case("reversal-answer", reversed_answer("51"), 39, 0, reversed_answer("25"), "warning"),
    Case("blank-approval-code", answer(de38=" " * 6), 38, 0, answer(de38="A12   "), "warning"),
    Case("approval-code-in-decline", answer(de39="51"), 38, 0, answer(de39="51", de38="000000"), "warning"),
    Case(
        "totals-outside-reconciliation",
        auth(de74="0000000001", de76="0000000001"),
        74,
        0,
        Message("0520", {74: "0000000001"}),
        "warning",
    ),
    Case(
        "network-code-elsewhere",
        auth(de70="301"),
        70,
        0,
        Message("0620", {7: "1120101530", 70: "301"}),
        "warning",
    ),
    Case(
        "dates-apart", auth("1993", de12="261118101530"), 12, 2, auth("1993", de12="261119101530"), "warning"
    ),
    Case("total-without-number", totals(de89="0" * 16, de97=f"D{1000:016}"), 89, 0, totals()),
    Case("retrieval-reference-day", auth(de37="632424000001"), 37, 4, auth(de37="632423000001"), "warning"),
    Case(
        "converted-amount", auth(de6="000000000900", de51="840"), 6, 0, auth(de6="000000001000", de51="840")
    ),
    Case("file-data-elsewhere", auth(de91="1"), 91, 0, Message("0302", {91: "1", 101: "FILE"}), "warning"),
    Case("file-data-elsewhere", auth(de101="FILE"), 101, 0, Message("0302", {91: "1", 101: "FILE"})),
    Case("reversal-data-elsewhere", auth(de95="0" * 42), 95, 0, undo(de95="5".zfill(12) + "0" * 30)),
    Case("response-data-in-request", auth(de44="5"), 44, 0, answer(de44="5"), "warning"),
    Case(
        "converted-amount",
        auth(de6="000000001111", de10="60900000", de51="978"),
        6,
        0,
        auth(de6="000000000900", de10="60900000", de51="978"),
    ),
    Case(
        "converted-amount",
        auth(de5="000000014980", de9="60149800", de49="840", de50="392"),
        5,
        0,
        auth(de5="000000001498", de9="50149800", de49="840", de50="392", de4="000000001000"),
    ),
    Case("fee-exceeds-amount", auth(de28="D00001001"), 28, 0, auth(de28="D00001000"), "info"),
    Case("business-date", auth(de15="1118"), 15, 0, auth(de15="1119"), "warning"),
    Case("business-date", auth(de17="1128"), 17, 0, auth(de17="1127"), "warning"),
    Case("service-code-entry", swiped("201"), 35, 21, swiped("101"), "info"),
    Case("service-code-entry", chip(de35=STRIPE.format("101")), 35, 21, chip(), "info"),
    Case("service-code-pin", stripe(de35=STRIPE.format("100")), 52, None, stripe(), "info"),
    Case(
        "pin-without-card",
        auth(de22="011", de25="08", de52=PIN),
        52,
        0,
        auth(de22="011", de52=PIN),
        "warning",
    ),
    Case("cash-machine-purchase", auth(de18="6011"), 18, 0, auth(de18="6010"), "warning"),
    Case("cash-machine-purchase", auth("2003", de26="6011"), 26, 0, auth("2003", de26="6010"), "warning"),
    Case("card-in-network-message", echo(de4="000000001000", de49="840"), 4, 0, echo(de2="123456")),
    Case("card-in-network-message", echo(de2="4111111111111111"), 2, 0, echo(de35="DATA")),
    Case("pos-parts-agree", chip("1993", de22="210101511144"), 22, 6, chip("1993"), "warning"),
    Case("pos-parts-agree", stripe("1993", de22="210101214140"), 22, 7, stripe("1993"), "info"),
    Case("pos-parts-agree", stripe("1993", de22="210101213144"), 22, 8, stripe("1993"), "info"),
    Case("original-later", undo(de90=ORIGINAL.format("1122")), 90, 10, undo(de90=ORIGINAL.format("1119"))),
    Case(
        "original-later",
        undo("1993", de56="1100123456261122101530" + "06123456"),
        56,
        10,
        undo("1993", de56="1100123456261119101530" + "06123456"),
    ),
    Case(
        "original-other-acquirer",
        undo(de90=original()[:20] + "00000999999" + "0" * 11),
        90,
        20,
        undo(de90=original()[:20] + "0" * 22),
        "warning",
    ),
    Case("zero-approval-code", answer(de38="000000"), 38, 0, answer(de38="000001"), "warning"),
    Case("ecommerce-card-read", stripe(de25="59"), 25, 0, auth(de25="59"), "warning"),
    Case(
        "security-without-pin",
        auth(de53="2001010100000000"),
        53,
        0,
        auth(de53="0" * 16),
        "warning",
    ),
    Case("replacement-zero", undo(de95="0" * 42), 95, 0, undo(de95="0" * 9 + "500" + "0" * 30), "warning"),
    Case("transmission-time-local", auth(de7="1120051530"), 7, 0, auth(de7="1120101530")),
    Case("transmission-time-local", auth("1993", de7="1120051530"), 7, 0, auth("1993", de7="1120101530")),
    Case("retrieval-reference-day", auth(de37="600110123456"), 37, 0, auth(de37="600110123457")),
    Case("retrieval-reference-day", auth(de37="632310123456"), 37, 0, auth(de37="632410123456")),
    Case("card-number-in-clear", auth(de48="PAN 4111111111111111"), 48, 4, auth(de48="4111111111111112")),
    Case("card-number-in-clear", auth(de48="5413330089010434"), 48, 0, auth(de48="A5413330089010434")),
    Case("balance-in-request", auth(de54=LEDGER), 54, 2, answer(de54=LEDGER)),
    Case("service-code-use", stripe(de35=STRIPE.format("104")), 35, 23, stripe()),
    Case("net-settlement", totals(de97=f"D{900:016}"), 97, 1, totals()),
    Case("total-incomplete", totals(de86=None), 86, None, totals()),
    Case("only-zeros", auth(de62="000"), 62, 0, auth(de62="001")),
    Case(
        "security-zeros",
        stripe(de52="041277CDDEEFF669", de53="0" * 16),
        53,
        0,
        stripe(de52="041277CDDEEFF669", de53="2001010100000000"),
    ),
    Case("total-without-number", totals(de76="0" * 10), 76, 0, totals(de76="0" * 9 + "1")),
    Case("empty-element", auth(de48=""), 48, 0, auth(de48="A")),
    Case("mac-zeros", auth(de64="0" * 16), 64, 0, auth(de64="A1" * 8), "info"),
    Case("repeat", auth(mti="0101"), 0, 3, auth(mti="0120", de39="00"), "info"),
]


@together("case", CASES, str)
def test_one_disagreement_is_one_finding_at_its_place(case: Case) -> None:
    """A message with one disagreement has one finding, located at it; the near miss does not have it."""
    check(case)


def test_every_rule_between_elements_has_a_case() -> None:
    """No rule is without a message that breaks it."""
    assert {case.rule for case in CASES} == set(BETWEEN)


@pytest.mark.parametrize("version", ["1987", "1993", "2003"])
def test_the_messages_of_the_cases_are_sound(version: str) -> None:
    """What the cases start from has no finding, so that each of them has one fault."""
    assert run(answer(version)) == []
    assert run(chip(version)) == []


@pytest.mark.parametrize("mti", ["0800", "0810", "0820"])
def test_network_management_is_asked_nothing_about_cards(mti: str) -> None:
    """What looks like card data in x8xx messages is a network's own."""
    fields = {
        2: "123456",
        7: "1120101530",
        11: "000001",
        14: "2001",
        22: "051",
        35: "DATA",
        39: "00",
        70: "301",
    }
    if mti == "0800":
        del fields[39]  # a request has no answer, which is no matter of cards
    rules = {one.rule for one in run(Message(mti, fields))}
    assert rules <= {"track-2"}  # the element itself is no track, whatever the message


@pytest.mark.parametrize(
    ("rule", "values"), [("date", {"de13": "1340"}), ("character-class", {"de7": "11201015XX"})]
)
def test_a_wrong_date_is_compared_to_nothing(rule: str, values: dict[str, str]) -> None:
    """A date that is wrong by itself is reported once."""
    assert [one.rule for one in run(auth(**values))] == [rule]


def test_the_nearer_century_counts() -> None:
    """An expiry in 2001 is after a local date in 1999, not 98 years before it."""
    message = auth("1993", de7="1120151530", de12="991120101530", de14="0101")
    assert run(message) == []


def test_an_original_without_date_is_accepted() -> None:
    """Zeros say that the original's date is not known."""
    assert run(undo(de90=original(when="0" * 10))) == []


@together("row", [row for row in VECTORS if row["expect_valid"]], vector_id)
def test_good_vectors_get_no_error_and_few_warnings(row: dict[str, str]) -> None:
    """Messages known to be good get no error; the one warning is a partial reversal above its original."""
    try:
        found = [one for one in run(parse(row["message"], row["version"])) if one.rule in IDS]
    except ParseError:
        pytest.fail("a good message parses")
    assert {one.rule for one in found if one.severity != "info"} <= {"partial-exceeds-original"}
