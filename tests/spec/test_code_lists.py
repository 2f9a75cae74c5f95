"""The code lists as data: shapes, completeness and a few values everyone knows."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files

import pytest
from support import together

from sim.spec import VERSIONS
from sim.spec.codes import Code, code_list, code_lists, lookup
from sim.spec.tables import read_csv

COLUMNS = ["position", "code", "meaning", "kind", "versions", "network", "source"]
NETWORKS = {"", "VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB", "UNIONPAY"}
ENTRY_KINDS = {
    "unknown",
    "manual",
    "magnetic stripe",
    "bar code",
    "ocr",
    "chip",
    "contactless",
    "ecommerce",
    "credential on file",
    "fallback",
}
# The version alone, or every version: one shape for the whole list.
SHAPES = {
    "account_type": r"\d\d",
    "amount_type": r"\d\d",
    "fee_type": r"\d\d",
    "file_update": r"\d",
    "function_code": r"[1-8]\d\d",
    "life_cycle_unit": r"\d",
    "merchant_category": r"\d{4}",
    "message_error": r"\d{4}",
    "message_types": r"\d{3}",
    "mti_class": r"\d",
    "mti_function": r"\d",
    "mti_origin": r"\d",
    "mti_version": r"\d",
    "network_management": r"\d{3}",
    "pin_capture": r"\d\d",
    "pin_entry_capability": r"\d",
    "pos_condition": r"\d\d",
    "pos_data_bits": r"[1-9]|[12]\d|3[0-2]",
    "pos_data_code": r"[0-9A-Z]",
    "pos_entry_mode": r"\d\d",
    "reason_code": r"\d{4}",
    "service_code": r"\d",
    "settlement": r"\d",
}
SHAPES_BY_VERSION = {
    "response_code": {"1987": r"[0-9A-Z]{2}", "1993": r"\d{3}", "2003": r"\d{4}"},
    # n 6 until 1993, an 6 in 2003.
    "transaction_type": {"1987": r"\d\d", "1993": r"\d\d", "2003": r"\d[0-9A-Z]"},
}
LISTS = sorted({*SHAPES, *SHAPES_BY_VERSION})
KINDS = {
    "transaction_type": {"debit", "credit", "inquiry", "transfer", "payment", "other"},
    "response_code": {
        "approved",
        "declined",
        "pick-up",
        "referral",
        "file",
        "system",
        "reversal",
        "reconciliation",
        "administrative",
        "fee",
        "network",
    },
    "pos_entry_mode": ENTRY_KINDS,
    "network_management": {"sign-on", "sign-off", "key", "cutover", "echo", "other"},
    "message_types": {
        "request",
        "response",
        "advice",
        "advice response",
        "notification",
        "acknowledgement",
        "instruction",
        "instruction acknowledgement",
    },
}
# A list belongs to elements that only these versions have in this form; the others serve all three.
VERSIONS_OF = {
    "file_update": {"1987"},
    "network_management": {"1987"},
    "pin_capture": {"1987"},
    "pin_entry_capability": {"1987"},
    "pos_condition": {"1987"},
    "pos_entry_mode": {"1987"},
    "settlement": {"1987"},
    "pos_data_code": {"1993"},
    "pos_data_bits": {"2003"},
    "message_error": {"2003"},
    "function_code": {"1993", "2003"},
    "reason_code": {"1993", "2003"},
    "life_cycle_unit": {"1993", "2003"},
}

every_list = pytest.mark.parametrize("name", LISTS)


def versions_of(row: Code) -> tuple[str, ...]:
    """The versions a row speaks of; none written means all."""
    return row.versions or VERSIONS


def codes(name: str, version: str, position: str = "") -> set[str]:
    """The standard's codes of one list, version and position."""
    return {
        row.code
        for row in code_list(name)
        if version in versions_of(row) and row.position == position and not row.network
    }


def test_the_lists_are_the_known_ones() -> None:
    """No list is missing and none is left without tests."""
    assert list(code_lists()) == LISTS


@every_list
def test_rows_are_complete(name: str) -> None:
    """Each row has exactly the seven columns, a meaning and a source, known versions and network."""
    raw = read_csv(f"codes/{name}")
    assert raw
    assert all(list(row) == COLUMNS for row in raw)
    assert all(value == value.strip() for row in raw for value in row.values())
    for row in code_list(name):
        assert row.meaning, row
        assert all(re.fullmatch(r"[A-Za-z0-9]+", tag) for tag in row.source.split("; ")), row
        assert set(row.versions) < set(VERSIONS), f"all three are written as none: {row}"
        assert list(row.versions) == sorted(set(row.versions)), row
        assert row.network in NETWORKS, row
        assert row.kind == row.kind.lower(), row


@every_list
def test_source_tags_are_explained(name: str) -> None:
    """Every tag has its row in the table at the end of the README."""
    readme = (files("sim.spec") / "data" / "README.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| (\w+) \|", readme.partition("## Source tags")[2], re.MULTILINE))
    assert {tag for row in code_list(name) for tag in row.source.split("; ")} <= explained


@every_list
def test_meanings_fit_into_a_sentence(name: str) -> None:
    """A meaning starts small unless with a capital word, has no full stop and no talk of sources."""
    for row in code_list(name):
        first = row.meaning.split()[0].rstrip(",")
        assert first.islower() or first[0].isdigit() or first.isupper() or first == "ISO", row
        assert not row.meaning.endswith("."), row
        assert not re.search(r"\b(PB|SAP|CMF|G2B|MDS|jPOS|conflict|unsourced|TODO)\b", row.meaning), row
        assert "  " not in row.meaning, row


@every_list
def test_no_code_has_two_meanings(name: str) -> None:
    """Position, code, version and network together name one row."""
    keys = Counter(
        (row.position, row.code, version, row.network)
        for row in code_list(name)
        for version in versions_of(row)
    )
    assert [key for key, count in keys.items() if count > 1] == []


@every_list
def test_codes_have_the_shape_of_their_version(name: str) -> None:
    """n 2, n 3, n 4 or an 2, as the element of that version has it."""
    for row in code_list(name):
        for version in versions_of(row):
            shape = SHAPES.get(name) or SHAPES_BY_VERSION[name][version]
            assert re.fullmatch(shape, row.code), row


@together("name", sorted(VERSIONS_OF))
def test_lists_speak_of_the_versions_that_have_the_element(name: str) -> None:
    """DE 70 manages the network in 1987 only, DE 24 holds the function code from 1993 on."""
    assert {version for row in code_list(name) for version in versions_of(row)} == VERSIONS_OF[name]


@pytest.mark.parametrize("name", sorted(KINDS))
def test_kinds_are_the_agreed_ones(name: str) -> None:
    """Code decides by kind, so a row has one of the list's kinds and never none."""
    assert {row.kind for row in code_list(name)} <= KINDS[name]


def test_entry_kinds_of_later_versions() -> None:
    """DE 22 says how the card was read in the same kinds in all three versions."""
    for name, position in (("pos_data_code", "7"), ("pos_data_bits", "22-1")):
        kinds = {row.kind for row in code_list(name) if row.position == position}
        assert kinds <= ENTRY_KINDS
        assert {"chip", "magnetic stripe", "manual"} <= kinds


@together("version", VERSIONS)
@together("name", ["mti_version", "mti_class", "mti_function", "mti_origin"])
def test_mti_digits_are_complete(name: str, version: str) -> None:
    """Every digit says something in every version, if only that it is reserved."""
    assert codes(name, version) == set("0123456789")


def test_version_digits() -> None:
    """0 is 1987, 1 is 1993, 2 is 2003."""
    found = [lookup("mti_version", digit) for digit in "012"]
    assert [code.meaning for code in found if code] == [f"ISO 8583:{version}" for version in VERSIONS]


@pytest.mark.parametrize("version", VERSIONS)
def test_message_types_are_made_of_legal_digits(version: str) -> None:
    """Class, function and originator of every message type exist in the versions it is listed for."""
    rows = [row for row in code_list("message_types") if version in versions_of(row)]
    assert rows
    for row in rows:
        parts = zip(("mti_class", "mti_function", "mti_origin"), row.code, strict=True)
        for name, digit in parts:
            part = lookup(name, digit, version=version, network=row.network or None)
            assert part is not None, (row, name)
            assert part.kind != "reserved", (row, name)


@pytest.mark.parametrize("version", VERSIONS)
def test_requests_and_advices_have_their_response(version: str) -> None:
    """A listed request, advice or repeat of one has its response in the list, without the repeat."""
    listed = codes("message_types", version)
    for code in listed:
        if code[1] in "02":
            response = code[0] + str(int(code[1]) + 1) + {"1": "0", "3": "2", "5": "4"}.get(code[2], code[2])
            assert response in listed, f"{code} has no {response}"


@pytest.mark.parametrize("version", VERSIONS)
def test_message_type_kinds_follow_the_function_digit(version: str) -> None:
    """Function 0 is a request, 1 a response, 2 an advice, and the name says so too."""
    for code in codes("message_types", version):
        row = lookup("message_types", code, version=version)
        function = lookup("mti_function", code[1], version=version)
        assert row is not None
        assert function is not None
        assert row.kind == function.kind, row
        assert row.meaning.endswith(" repeat") == (code[2] in "135"), row


def test_positions_are_complete() -> None:
    """Service codes have 3 positions, a 1993 DE 22 has 12, a 2003 DE 22 has 4; others have none."""
    positions = {name: {row.position for row in code_list(name)} for name in LISTS}
    assert positions.pop("service_code") == {"1", "2", "3"}
    assert positions.pop("pos_data_code") == {str(number) for number in range(1, 13)}
    assert positions.pop("pos_data_bits") == {"22-1", "22-2", "22-3", "22-4"}
    assert set().union(*positions.values()) == {""}


def test_every_position_of_the_1993_pos_data_code_starts_at_zero() -> None:
    """Position by position the base values run from 0 without a gap in the standard's part."""
    for position in range(1, 12):
        digits = sorted(code for code in codes("pos_data_code", "1993", str(position)) if code.isdigit())
        base = [digit for digit in digits if int(digit) < 7]
        assert base == [str(number) for number in range(len(base))], position


def test_1987_core_response_codes_are_all_there() -> None:
    """00-44, 51-68, 75 and 90-96 have a meaning."""
    core = [*range(45), *range(51, 69), 75, *range(90, 97)]
    assert {f"{number:02}" for number in core} <= codes("response_code", "1987")


def test_later_response_codes_follow_their_first_digit() -> None:
    """In 1993 and 2003 the first digit is the class: 0 approved, 1 declined, 2 pick-up, 3 file."""
    expected = {
        "0": {"approved"},
        "1": {"declined", "referral"},
        "2": {"pick-up"},
        "3": {"file"},
        "4": {"reversal"},
        "5": {"reconciliation"},
        "6": {"administrative"},
        "7": {"fee"},
        "8": {"network"},
        "9": {"system", "administrative", "declined"},
    }
    for version in ("1993", "2003"):
        assert {code[0] for code in codes("response_code", version)} == set(expected)
    for row in code_list("response_code"):
        if "1987" not in versions_of(row):
            assert row.kind in expected[row.code[0]], row


def test_transaction_type_kinds_follow_the_ranges() -> None:
    """00-19 debits, 20-29 credits, 30-39 inquiries, 40-49 transfers, 50-59 payments."""
    ranges = {"0": "debit", "1": "debit", "2": "credit", "3": "inquiry", "4": "transfer", "5": "payment"}
    for row in code_list("transaction_type"):
        assert row.kind == ranges.get(row.code[0], "other"), row


def test_reason_code_blocks() -> None:
    """The thousands say what the reason explains: 4000-4499 reversals, 4500-4999 chargebacks."""
    for row in code_list("reason_code"):
        number = int(row.code)
        assert (row.kind == "reversal") == (4000 <= number < 4500), row
        assert (row.kind == "chargeback") == (4500 <= number < 5000), row


def test_pin_capture_says_its_number() -> None:
    """04 to 12 digits, as ISO 9564 has them."""
    rows = code_list("pin_capture")
    assert [row.code for row in rows] == [f"{number:02}" for number in range(4, 13)]
    assert all(f" {int(row.code)} " in row.meaning for row in rows)


SPOT = [
    ("response_code", "51", "1987", "not sufficient funds", "declined"),
    ("response_code", "116", "1993", "not sufficient funds", "declined"),
    ("response_code", "1016", "2003", "not sufficient funds", "declined"),
    ("response_code", "00", "1987", "approved", "approved"),
    ("response_code", "05", "1987", "do not honor", "declined"),
    ("response_code", "01", "1987", "refer to card issuer", "referral"),
    ("response_code", "43", "1987", "stolen card", "pick-up"),
    ("response_code", "96", "1987", "system malfunction", "system"),
    ("response_code", "2008", "2003", "lost card, pick up", "pick-up"),
    ("function_code", "831", "1993", "echo test", "echo"),
    ("function_code", "801", "2003", "sign-on", "sign-on"),
    ("network_management", "301", "1987", "echo test", "echo"),
    ("pos_entry_mode", "05", "1987", "chip", "chip"),
    ("pos_entry_mode", "07", "1987", "contactless chip", "contactless"),
    ("pin_entry_capability", "1", "1987", "terminal can accept PIN", "capable"),
    ("transaction_type", "00", "1987", "goods and services", "debit"),
    ("transaction_type", "31", "1993", "balance inquiry", "inquiry"),
    ("message_types", "100", "1987", "authorization request", "request"),
    ("message_types", "421", "1987", "reversal advice repeat", "advice"),
    ("message_types", "430", "1993", "reversal advice response", "advice response"),
    ("message_types", "804", "2003", "network management request", "request"),
    ("account_type", "10", "1987", "savings", "savings"),
    ("amount_type", "02", "2003", "available balance", "account"),
]


@together("name, code, version, meaning, kind", SPOT)
def test_well_known_values(name: str, code: str, version: str, meaning: str, kind: str) -> None:
    """Codes that everyone in the field knows by heart."""
    found = lookup(name, code, version=version)
    assert found is not None
    assert (found.meaning, found.kind) == (meaning, kind)


@together(
    "name, code, version",
    [
        ("response_code", "116", "1987"),
        ("response_code", "51", "1993"),
        ("message_types", "804", "1987"),
        ("message_types", "304", "1987"),
        ("message_types", "302", "1993"),
        ("message_types", "720", "1987"),
        ("network_management", "270", "1987"),
        ("function_code", "831", "1987"),
        ("transaction_type", "7S", "1993"),
    ],
)
def test_a_code_of_another_version_or_network_is_unknown(name: str, code: str, version: str) -> None:
    """The lists do not leak from one version into another, nor a network's code into the standard."""
    assert lookup(name, code, version=version) is None


@pytest.mark.parametrize(
    ("name", "code", "network", "own", "standard"),
    [
        ("network_management", "270", "MASTERCARD", "echo test", None),
        ("network_management", "101", "UNIONPAY", "key reset", "PIN working key change"),
        ("transaction_type", "23", "MASTERCARD", "credit adjustment", "check deposit with guarantee"),
        ("pos_condition", "59", "DISCOVER", "deferred billing", None),
        ("mti_function", "8", "MASTERCARD", "positive acknowledgement", "reserved"),
    ],
)
def test_a_network_has_its_own_meaning(
    name: str, code: str, network: str, own: str, standard: str | None
) -> None:
    """A network's row wins for that network and stays unseen without it."""
    of_network = lookup(name, code, version="1987", network=network)
    of_standard = lookup(name, code, version="1987")
    assert of_network is not None
    assert of_network.meaning == own
    assert (of_standard.meaning if of_standard else None) == standard
