"""The network tables are complete and legal, their rules tell good from bad."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from support import together

from sim.errors import ChoiceError
from sim.judge.networks import Question
from sim.spec import networks
from sim.spec.networks import CHECKS, NETWORKS, PREDICATES, network, presence
from sim.spec.tables import read_csv, read_toml

SEVERITIES = {"error", "warning", "info"}
CONFIDENCES = {"published", "secondary", "unsourced"}
ALL_FORMATS = [(name, rule) for name in NETWORKS for rule in network(name).formats]
ALL_PRESENCE = [
    row
    for name, mti in dict.fromkeys((row["network"], row["mti"]) for row in read_csv("networks/presence"))
    for row in presence(name, mti)
]

# A valid value and an invalid one, by network and rule id; every check kind is among them.
SAMPLES = [
    ("VISA", "pos-entry-mode-values", "812", "041"),
    ("VISA", "processing-code", "000000", "990000"),
    ("VISA", "pos-condition", "59", "77"),
    ("VISA", "response-code-known", "N7", "J7"),
    ("VISA", "chip-data", "01000A9F0607A0000000031010", "9F0607A0000000"),
    ("VISA", "chip-data", "9F0206000000001000", "ZZ"),
    ("VISA", "pos-information", "100000000007", "1234567890123"),
    ("VISA", "pos-information-values", "0000000007", "0000000017"),
    ("VISA", "pos-information-values", "51", "6"),
    ("VISA", "other-amounts", "000000001000", "0000000000300840"),
    ("VISA", "acceptor-layout", "SHOP".ljust(25) + "LONDON".ljust(13) + "GB", "SHOP".ljust(40)),
    ("MASTERCARD", "institution-ids", "123456", "1234567"),
    ("MASTERCARD", "additional-data", "T42070103212", "T42080103212"),
    ("MASTERCARD", "additional-data", "9203123", "HELLO"),
    ("MASTERCARD", "transaction-category", "R9203123", "9203123"),
    ("MASTERCARD", "subelement-lengths", "T9203123", "T92041234"),
    ("MASTERCARD", "subelement-lengths", "T42070103210", "T4207010321X"),
    ("MASTERCARD", "subelement-lengths", "R610500000", "R61050X000"),
    ("VISA", "verification-datasets", "680009030711223344556677", "6800090307112233445566"),
    ("MASTERCARD", "pos-data", "102510300", "10251030"),
    ("MASTERCARD", "pos-data-layout", "1" * 26, "1" * 27),
    ("MASTERCARD", "pos-data-values", "0000000000084", "5000000000084"),
    ("MASTERCARD", "pos-data-chip", "00000000005", "00000000006"),
    ("MASTERCARD", "pos-data-contactless", "00000000003", "00000000005"),
    ("MASTERCARD", "pos-data-stripe", "00000000002", "00000000001"),
    ("MASTERCARD", "pos-data-read", "000000000", "000010000"),
    ("MASTERCARD", "pos-data-ecommerce", "1025100006", "1025100000"),
    ("MASTERCARD", "pos-data-absent", "102510000", "102500000"),
    ("MASTERCARD", "pos-data-condition", "203210000", "203010000"),
    ("MASTERCARD", "pos-data-card-condition", "203210000", "203200000"),
    ("MASTERCARD", "network-management-code", "270", "301"),
    ("MASTERCARD", "replacement-amounts", "000000000500" * 3 + "000000", "1" * 42),
    ("MASTERCARD", "chip-data", "9F2608A1B2C3D4E5F60718", "9F2608A1B2"),
    ("JCB", "additional-data", "010312304011", "T0103123"),
    ("JCB", "network-management-code", "301", "270"),
    ("UNIONPAY", "additional-data", "AA123", "T4207"),
    ("UNIONPAY", "response-code-known", "A0", "N7"),
    ("UNIONPAY", "detail-layout", "QL001", "QL01"),
    ("UNIONPAY", "detail-layout", f"QR156001{'0' * 50}", f"QR156001{'0' * 49}"),
    ("UNIONPAY", "security-layout", f"{'':24}CUP{'':8}CR1", f"{'':24}CUP{'':8}CR12"),
    ("UNIONPAY", "security-layout", f"{'':24}CUP{'':8}XY12", f"{'':24}CUP{'':8}AR0001"),
    ("UNIONPAY", "transfer-layout", f"{'':43}ID{'':36}", f"{'':43}ID{'':35}"),
    ("UNIONPAY", "transfer-layout", f"{'':43}{'':35}", f"{'':43}FD{'':35}"),
]

# What the element beside holds, where a rule speaks of two.
BESIDE = {
    "pos-data-chip": "051",
    "pos-data-contactless": "071",
    "pos-data-stripe": "901",
    "pos-data-read": "901",
    "pos-data-ecommerce": "812",
    "pos-data-absent": "812",
    "pos-data-condition": "08",
    "pos-data-card-condition": "08",
    "verification-datasets": "680009030711223344556677",
}


def test_networks_stand_in_the_order_of_the_interface() -> None:
    """The six names are the interface's enumeration, in its order, and each has its own file."""
    assert NETWORKS == ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB", "UNIONPAY")
    assert [network(name).name for name in NETWORKS] == list(NETWORKS)


@pytest.mark.parametrize(
    ("name", "version", "luhn", "echo"),
    [
        ("VISA", "1987", True, ("0800", 70, "301")),
        ("MASTERCARD", "1987", True, ("0800", 70, "270")),
        ("AMEX", "1993", True, ("1804", 24, "831")),
        ("DISCOVER", "1993", True, ("0800", 70, "301")),
        ("JCB", "1987", True, ("0800", 70, "301")),
        ("UNIONPAY", "1987", False, ("0800", 70, "301")),
    ],
)
def test_dialect_of_each_network(name: str, version: str, luhn: bool, echo: tuple[str, int, str]) -> None:
    """Each network has its version, Luhn rule and echo; its own version is fine, the others warn."""
    net = network(name)
    assert (net.native_version, net.luhn) == (version, luhn)
    assert (net.echo.mti, net.echo.field, net.echo.code) == echo
    native = "01"[version == "1993"]
    takes = {digit: net.mti_versions.severity(f"{digit}100") for digit in "0123"}
    assert takes == {digit: None if digit in (native, "3") else "warning" for digit in "0123"}


@pytest.mark.parametrize("ask", [network, networks.default_card, networks.test_cards])
def test_unknown_network_is_a_choice_error(ask: Any) -> None:
    """A name outside the six raises ChoiceError naming those there are."""
    with pytest.raises(ChoiceError, match="VISA, MASTERCARD"):
        ask("visa")


def test_unknown_network_is_a_choice_error_everywhere() -> None:
    """So do the lookups with more than a name."""
    for call in (networks.presence, networks.response_code, networks.judge):
        with pytest.raises(ChoiceError):
            call("MAESTRO", "0100")
    with pytest.raises(ChoiceError):
        networks.formats("", "0100", "1987")


def test_formats_are_legal() -> None:
    """Ids are unique and kebab-case, check kinds documented and used, severities legal, hints there."""
    assert {rule.check for _, rule in ALL_FORMATS} == set(CHECKS)
    for name in NETWORKS:
        twice = [id_ for id_, count in Counter(r.id for r in network(name).formats).items() if count > 1]
        assert not twice, name
        told = {rule.id: set(rule.fields) for rule in network(name).formats if rule.of_the_form}
        by_layout = set().union(*(told[rule] for rule in told if rule.startswith("layout-")))
        by_row = set().union(*(told[rule] for rule in told if not rule.startswith("layout-")))
        assert by_layout.isdisjoint(by_row), f"{name}: a misfit is told once"
    for name, rule in ALL_FORMATS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id), rule.id
        assert rule.severity in SEVERITIES, (name, rule.id)
        assert rule.confidence in CONFIDENCES, (name, rule.id)
        assert rule.fields, (name, rule.id)
        assert set(rule.versions) <= {"1987", "1993"}, (name, rule.id)
        assert all(re.fullmatch(r"[0-9x]{4}", mask) for mask in rule.mtis), (name, rule.id)
        assert rule.expected, (name, rule.id)
        assert len(rule.hint) > 30, (name, rule.id)
        assert (rule.pattern is not None) == (rule.check in ("regex", "part")), (name, rule.id)


def test_no_unsourced_row_is_an_error() -> None:
    """Rules, ranges and presence rows name a source, and none without a public one is an error."""
    blocks = [block for name in NETWORKS for block in network(name).ranges]
    for row in [rule for _, rule in ALL_FORMATS] + ALL_PRESENCE:
        assert row.source
        assert (row.severity, row.confidence) != ("error", "unsourced"), row
    assert all(block.source and block.confidence in CONFIDENCES for block in blocks)


def test_ranges_are_legal() -> None:
    """Prefixes are of equal length and in order, lengths are card lengths, words are of the closed lists."""
    for block in [block for name in NETWORKS for block in network(name).ranges]:
        assert len(block.low) == len(block.high) <= 6
        assert block.low <= block.high
        assert set(block.lengths) <= set(range(12, 20))
        assert block.status in {"current", "legacy", "alliance", "co-brand", "secondary"}
        assert block.report in {"ok", "info", "warning"}
        assert (block.report == "ok") == (block.status == "current")


def test_presence_rows_are_legal() -> None:
    """One row per network, MTI and element; closed words; a condition names a documented predicate."""
    keys = [(row.network, row.mti, row.field) for row in ALL_PRESENCE]
    assert len(keys) == len(set(keys)) == len(read_csv("networks/presence"))
    of_standard = {row["when"] for row in read_csv("rules_presence")}
    assert {row.when for row in ALL_PRESENCE} | of_standard == set(PREDICATES) | {""}
    assert set(read_toml("networks/terms")["patterns"]) < set(PREDICATES)
    for row in ALL_PRESENCE:
        assert row.network in NETWORKS
        assert re.fullmatch(r"[01]\d{3}", row.mti), row
        assert 2 <= row.field <= 128, row
        assert row.confidence in CONFIDENCES, row
        assert (row.when != "") == (row.presence == "C"), row
        assert row.severity in ({"none"} if row.presence == "O" else SEVERITIES), row


def test_presence_is_keyed_by_network_and_mti() -> None:
    """Rows of a request never speak of network management, and an MTI without rows has none."""
    must = {row.field for row in presence("MASTERCARD", "0100") if row.severity == "error"}
    assert {2, 3, 7, 11, 18, 22, 32, 48, 49, 61} == must
    assert {row.field for row in presence("MASTERCARD", "0800") if row.severity == "error"} == {70}
    assert presence("AMEX", "0100") == presence("VISA", "9999") == ()
    assert {row.field: row.severity for row in presence("UNIONPAY", "0200")}[7] == "warning"


def test_formats_leave_network_management_alone() -> None:
    """A rule without MTIs is about card messages: it is silent on 08xx; masks and versions select."""
    told = {rule.id for rule in networks.formats("MASTERCARD", "0800", "1987")}
    assert told == {"network-management-code", "key-exchange-block", "network-subelements"}
    assert not networks.formats("VISA", "1100", "1993")
    ids = {rule.id for rule in networks.formats("MASTERCARD", "0200", "1987")}
    assert "single-message-system" in ids
    assert "transaction-category" not in ids


@together("name, rule_id, good, bad", SAMPLES)
def test_formats_tell_good_from_bad(name: str, rule_id: str, good: str, bad: str) -> None:
    """Each sampled rule passes a right value and catches a wrong one."""
    rule = next(rule for rule in network(name).formats if rule.id == rule_id)
    question = Question(rule.versions[0], rule.fields[0], rule, name)
    beside = [BESIDE[rule_id]] if rule_id in BESIDE else []
    assert question.ask(good, beside, {}) is None
    assert question.ask(bad, beside, {}) is not None


def test_response_codes_are_legal() -> None:
    """Codes have a length of a version that their network speaks, closed words, and one meaning per place."""
    rows = read_csv("networks/response_codes")
    lengths = {"AMEX": {3}, "DISCOVER": {2, 3}}
    assert len({(row["network"], row["code"], row["where"]) for row in rows}) == len(rows)
    for row in rows:
        assert len(row["code"]) in lengths.get(row["network"], {2}), row
        assert row["where"] in {"response", "request", "both"}, row
        assert row["kind"] in {
            "approved", "declined", "pick-up", "referral", "system", "reason",
            "reversal", "network", "administrative",
        }, row  # fmt: skip
        assert row["confidence"] in CONFIDENCES, row


def test_response_code_depends_on_network_and_direction() -> None:
    """The same digits mean different things by network, and in a request; unlisted is None."""
    visa, mastercard = networks.response_code("VISA", "70"), networks.response_code("MASTERCARD", "70")
    assert visa is not None
    assert mastercard is not None
    assert (visa.meaning, mastercard.meaning) == ("PIN data required", "contact card issuer")
    both = {
        where: code.meaning
        for where in ("response", "request")
        if (code := networks.response_code("MASTERCARD", "82", where=where))
    }
    assert both == {"response": "policy decline", "request": "timeout at acquirer"}
    reason = networks.response_code("JCB", "17")
    assert reason is not None
    assert reason.kind == "reason"
    assert networks.response_code("MASTERCARD", "N7") is None
