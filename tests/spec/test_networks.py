"""The network tables are complete and legal, their rules tell good from bad, good messages stay good."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support import together

from sim.errors import ChoiceError
from sim.parts.layout import fits, read
from sim.spec import networks
from sim.spec.layouts import layouts
from sim.spec.networks import CHECKS, NETWORKS, PREDICATES, FormatRow, Presence, network, presence
from sim.spec.tables import read_csv

VECTORS = Path(__file__).parents[1] / "vectors" / "messages.jsonl"
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
    ("VISA", "pos-entry-mode", "051", "05A"),
    ("VISA", "pos-entry-mode-filler", "0510", "0511"),
    ("VISA", "pos-entry-mode-values", "812", "041"),
    ("VISA", "processing-code", "000000", "990000"),
    ("VISA", "pos-condition", "59", "77"),
    ("VISA", "response-code-known", "N7", "J7"),
    ("VISA", "additional-amounts", "0002840C000000001000", "0002840C00000000100"),
    ("VISA", "chip-data", "01000A9F0607A0000000031010", "9F0607A0000000"),
    ("VISA", "chip-data", "9F0206000000001000", "ZZ"),
    ("VISA", "pos-information", "100000000007", "1234567890123"),
    ("VISA", "pos-information-values", "0000000007", "0000000017"),
    ("VISA", "pos-information-values", "51", "6"),
    ("VISA", "other-amounts", "000000001000", "0000000000300840"),
    ("VISA", "acceptor-layout", "SHOP".ljust(25) + "LONDON".ljust(13) + "GB", "SHOP".ljust(40)),
    ("MASTERCARD", "pos-entry-mode", "051", "0510"),
    ("MASTERCARD", "institution-ids", "123456", "1234567"),
    ("MASTERCARD", "additional-data", "T42070103212", "T42080103212"),
    ("MASTERCARD", "additional-data", "9203123", "HELLO"),
    ("MASTERCARD", "transaction-category", "R9203123", "9203123"),
    ("MASTERCARD", "subelement-lengths", "T9203123", "T92041234"),
    ("MASTERCARD", "pos-data", "102510300", "10251030"),
    ("MASTERCARD", "pos-data-layout", "1" * 26, "1" * 27),
    ("MASTERCARD", "pos-data-values", "00000000008400", "50000000008400"),
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
    ("AMEX", "action-code", "000", "00"),
    ("AMEX", "function-code-reversal", "400", "100"),
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

# --- A small evaluator: enough of the two languages to hold the tables against messages ---


def subelements(value: str, lead: int) -> list[tuple[str, str]] | None:
    """The chain of id, length and data, or None where the value is no such chain."""
    at = 1 if lead and value and not value[0].isdigit() else 0
    found = []
    while at < len(value):
        head = value[at : at + 4]
        if not re.fullmatch(r"\d{4}", head, re.ASCII):
            return None
        data = value[at + 4 : at + 4 + int(head[2:])]
        if len(data) != int(head[2:]):
            return None
        found.append((head[:2], data))
        at += 4 + len(data)
    return found


def is_tlv(value: str, wrapper: bool) -> bool:
    """Whether hex *value* is BER-TLV from end to end."""
    if not re.fullmatch(r"(?:[0-9A-Fa-f]{2})*", value):
        return False
    data = bytes.fromhex(value)
    if wrapper and data[:1] == b"\x01" and int.from_bytes(data[1:3], "big") == len(data) - 3:
        data = data[3:]
    at = 0
    while at < len(data):
        many = data[at] & 0x1F == 0x1F
        at += 1
        while many and at < len(data):
            many = data[at] & 0x80 != 0
            at += 1
        if at >= len(data):
            return False
        size, at = data[at], at + 1
        if size & 0x80:
            count = size & 0x7F
            size, at = int.from_bytes(data[at : at + count], "big"), at + count
        at += size
    return at == len(data)


def sizes_fit(name: str, rule: FormatRow, value: str) -> bool:
    """Whether each known subelement has a length it may have."""
    cells = layouts("1987", rule.fields[0], name)[0].cell.by_key
    chain = subelements(value, rule.lead) or []
    return all(cells[tag].least <= len(data) <= cells[tag].most for tag, data in chain if tag in cells)


def parts_of(name: str, rule: FormatRow, value: str) -> dict[str, str]:
    """The parts of *value* by their place in the network's layout."""
    return {part.key: part.value for part in read(layouts("1987", rule.fields[0], name)[0], value).parts}


def are_coded(name: str, rule: FormatRow, value: str) -> bool:
    """Whether the parts that the rule names have a code that the network lists and does not reserve."""
    number, parts = rule.fields[0], parts_of(name, rule, value)
    known = {
        (row["path"], row["code"])
        for row in read_csv("subfields")
        if row["network"] == name and row["meaning"] != "reserved"
    }
    return all((f"{number}.{key}", parts[key]) in known for key in rule.parts if key in parts)


def is_laid_out(name: str, rule: FormatRow, value: str) -> bool:
    """Whether *value* fits a layout of the rule's element, with a place the one that is named there."""
    known = layouts("1987", rule.fields[0], name)
    if rule.at is None:
        return any(fits(one, value) for one in known)
    return all(fits(one, value) for one in known if one.variant == value[slice(*rule.at)])


def passes(name: str, rule: FormatRow, value: str) -> bool:
    """Whether *value* keeps *rule*."""
    if rule.check == "regex":
        assert rule.pattern is not None
        return rule.pattern.fullmatch(value) is not None
    if rule.check == "values":
        return value[slice(*(rule.at or (None, None)))] in rule.values
    if rule.check == "subelement_sizes":
        return sizes_fit(name, rule, value)
    return {
        "layout": lambda: is_laid_out(name, rule, value),
        "places": lambda: len(parts_of(name, rule, value)) >= rule.min,
        "coded": lambda: are_coded(name, rule, value),
        "agrees": lambda: all(parts_of(name, rule, value)[key] in rule.values for key in rule.parts),
        "length": lambda: rule.min <= len(value) <= rule.max,
        "multiple_of": lambda: len(value) % rule.multiple == 0,
        "tlv": lambda: is_tlv(value, rule.wrapper),
        "subelements": lambda: subelements(value, rule.lead) is not None,
        "response_code": lambda: networks.response_code(name, value) is not None,
    }[rule.check]()


def errors(name: str, mti: str, version: str, fields: dict[int, str]) -> list[str]:
    """Ids of the error-severity formats broken and `DE n` for the elements wrongly missing or present."""
    cells = {0: mti} | fields
    broken = [
        rule.id
        for rule in networks.formats(name, mti, version)
        for number in rule.fields
        if rule.severity == "error" and number in cells and not passes(name, rule, cells[number])
    ]
    return broken + [f"DE {row.field}" for row in presence(name, mti) if wrong(row, fields)]


def wrong(row: Presence, fields: dict[int, str]) -> bool:
    """Whether *fields* breaks an error-severity presence row."""
    if row.severity != "error" or (row.field in fields) == (row.presence != "X"):
        return False
    assert row.presence != "C" or row.when == "no_account"
    return row.presence != "C" or not fields.keys() & {2, 34, 35, 45}


def vectors() -> list[dict[str, Any]]:
    """Test messages of a known network that can be read, with int element numbers."""
    rows = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
    return [
        row | {"fields": {int(number): value for number, value in row["fields"].items()}}
        for row in rows
        if row["network"] and row["fields"]
    ]


# --- The tables ---


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
    for name, rule in ALL_FORMATS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id), rule.id
        assert rule.severity in SEVERITIES, (name, rule.id)
        assert rule.confidence in CONFIDENCES, (name, rule.id)
        assert rule.fields, (name, rule.id)
        assert set(rule.versions) <= {"1987", "1993"}, (name, rule.id)
        assert all(re.fullmatch(r"[0-9x]{4}", mask) for mask in rule.mtis), (name, rule.id)
        assert rule.expected, (name, rule.id)
        assert len(rule.hint) > 30, (name, rule.id)
        assert (rule.pattern is not None) == (rule.check == "regex"), (name, rule.id)
        beside = rule.when is not None and rule.beside > 0
        assert beside == (rule.check in ("agrees", "needs")), (name, rule.id)
        cells = layouts(rule.versions[0], rule.fields[0], name)[0].cell.by_key if rule.parts else {}
        chain = rule.check == "subelement_needs"
        assert all(chain or cells[key].fixed for key in rule.parts), (name, rule.id)


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
    assert {row.when for row in ALL_PRESENCE} == set(PREDICATES) | {""}
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
    assert {rule.id for rule in networks.formats("MASTERCARD", "0800", "1987")} == {"network-management-code"}
    assert not networks.formats("VISA", "1100", "1993")
    ids = {rule.id for rule in networks.formats("MASTERCARD", "0200", "1987")}
    assert "single-message-system" in ids
    assert "transaction-category" not in ids


@together("name, rule_id, good, bad", SAMPLES)
def test_formats_tell_good_from_bad(name: str, rule_id: str, good: str, bad: str) -> None:
    """Each sampled rule passes a right value and catches a wrong one."""
    rule = next(rule for rule in network(name).formats if rule.id == rule_id)
    assert passes(name, rule, good)
    assert not passes(name, rule, bad)


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
    assert both == {"response": "policy decline", "request": "time-out at acquirer"}
    reason = networks.response_code("JCB", "17")
    assert reason is not None
    assert reason.kind == "reason"
    assert networks.response_code("MASTERCARD", "N7") is None


# --- Messages ---


def test_good_messages_raise_no_error() -> None:
    """No message known to be good breaks an error-severity row of its own network."""
    good = [row for row in vectors() if row["expect_valid"]]
    assert {row["network"] for row in good} == set(NETWORKS)
    for row in good:
        mti, name = row["message"][:4], row["network"]
        assert errors(name, mti, row["version"], row["fields"]) == [], row["id"]
        assert networks.judge(name, row["fields"][2]).severity != "error", row["id"]


@pytest.mark.parametrize(
    ("problem", "found"),
    [("mastercard_0100_needs_48_and_61", {"DE 48", "DE 61"}), ("missing_39", {"DE 39"})],
)
def test_bad_messages_are_caught(problem: str, found: set[str]) -> None:
    """A message that is bad by a rule of its network breaks exactly that rule."""
    bad = [row for row in vectors() if problem in row["problems"]]
    assert bad
    for row in bad:
        assert set(errors(row["network"], row["message"][:4], row["version"], row["fields"])) == found


def test_card_of_wrong_length_is_caught() -> None:
    """A card number too short for its network is an error of that network."""
    bad = [row for row in vectors() if "pan_length" in row["problems"]]
    assert bad
    assert all(networks.judge(row["network"], row["fields"][2]).severity == "error" for row in bad)
