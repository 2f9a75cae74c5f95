"""Negative data: every rule is caused, every broken message has exactly the finding it promises."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest
from support import AT, generated, long, some, together, turns
from tools.make_faults import FILES, texts

from sim.codec import BuildError, Message, build, parse
from sim.errors import ChoiceError, SpecError
from sim.judge import Finding, catalogue
from sim.operations import (
    NETWORKS,
    VERSIONS,
    all_faults,
    break_message,
    cases,
    faults_for,
    generate,
    validate,
)
from sim.operations.faults import content
from sim.operations.faults.change import EXCHANGE, base, bases
from sim.operations.faults.content import rows
from sim.spec import version_of
from sim.spec.networks import network
from sim.spec.tables import read_csv

TABLE: tuple[dict[str, Any], ...] = tuple(
    json.loads(line) for file in FILES.values() for line in file.read_text(encoding="utf-8").splitlines()
)
# One change, two findings: the standard says that DE 22 promises what is not there, the network that it
# is not there; and that chip data in a fixed layout cannot be checked, while the network wants tags.
TWO_FINDINGS = {
    "chip-data-lost": "required-element",
    "track-lost": "required-element",
    "mastercard-pos-data-condition": "forbidden-element",
    "mastercard-pos-data-card-condition": "forbidden-element",
    "chip-declined-offline": "chip-results-cryptogram",
    "chip-approved-offline": "chip-results-cryptogram",
    "cash-machine-attended": "cash-machine-purchase",
    "pin-at-no-pin-pad-later": "pos-parts-agree",
}


# Findings that quote a value and point at the part of it that is wrong, or at the value around it.
WIDER = {
    *("original-mti", "function-class", "action-class", "chip-data", "chip-answer-agrees", "framing"),
    *("visa-processing-code", "mastercard-processing-code"),
}


def network_rules() -> set[str]:
    """The ids of the format rules that networks have besides the standard's own."""
    own = ((name, item) for name in NETWORKS for item in network(name).formats)
    return {f"{name.lower()}-{item.id}" for name, item in own}


def case_id(row: dict[str, Any]) -> str:
    """A readable test id."""
    return f"{row['fault']}-{row['version']}-{row['network']}"


def findings(raw: str, version: str | None, name: str | None) -> list[Finding]:
    """What the standard and one network say of a text."""
    return list(validate(raw, version=version, network=name, against=[name or "VISA"]).findings)


def mark(finding: Finding) -> tuple[str, ...]:
    """What stays of a finding when the elements before it grow or shrink."""
    return (finding.network, finding.rule, finding.severity, finding.path, finding.expected)


def new_findings(row: dict[str, Any]) -> list[Finding]:
    """What is found in the broken message and was not in the original."""
    if row["rule"] == "framing":
        return findings(row["message"], row["version"], row["network"])
    before = Counter(mark(one) for one in findings(row["original"], None, row["network"]))
    new = []
    for one in findings(row["message"], row["version"], row["network"]):
        if before[mark(one)]:
            before[mark(one)] -= 1
        else:
            new.append(one)
    return new


@together("row", TABLE, case_id)
def test_validate_finds_exactly_what_was_broken(row: dict[str, Any]) -> None:
    """One fault is one new finding: the promised rule and severity, at its element and offset."""
    new = new_findings(row)
    told = [one for one in new if one.rule not in row["also"]]
    assert [(one.rule, one.severity, one.field, one.path, one.start) for one in told] == [
        (row["rule"], row["severity"], row["field"], row["path"], row["start"])
    ]
    assert row["also"] == ([TWO_FINDINGS[row["fault"]]] if row["fault"] in TWO_FINDINGS else [])
    assert len(new) <= 2
    pointed = [one for one in told if re.fullmatch("'.*'", one.found) and one.rule not in WIDER]
    assert [repr(row["message"][one.start : one.end]) for one in pointed] == [one.found for one in pointed]


@long
def test_the_table_is_what_the_generator_makes() -> None:
    """The written tables are what `cases()` gives today; `make_faults.py` writes them anew."""
    assert {file: file.read_text(encoding="utf-8") for file in FILES.values()} == texts()


def test_there_are_many_single_faults() -> None:
    """At least 150 messages with one fault and one finding each, of framing and of content."""
    single = [row for row in TABLE if not row["also"]]
    assert len(single) >= 150
    assert len({row["fault"] for row in single}) >= 150
    assert sum(row["rule"] == "framing" for row in single) >= 60
    assert len({(row["message"], row["version"], row["network"]) for row in TABLE}) > 0.95 * len(TABLE)


def test_every_rule_is_caused() -> None:
    """Each rule of the catalogue has a case, and each network's own has one on that network."""
    between = {row["id"] for row in read_csv("rules_exchange")}
    assert {row["rule"] for row in TABLE} == {*catalogue(), *network_rules()} - between
    for name in NETWORKS:
        own = {row["rule"] for row in TABLE if row["network"] == name}
        assert {rule for rule in network_rules() if rule.startswith(f"{name.lower()}-")} <= own
        assert {"pan-network", "luhn", "required-element", "network-mti-version"} <= own


def test_every_fault_has_a_case_in_each_of_its_versions() -> None:
    """No row of the tables of faults is dead; only elements that networks require may not be shown
    everywhere, since the standard may say so first."""
    shown = {(row["fault"], version_of(row["original"])) for row in TABLE}
    missing = [
        (fault.id, version)
        for fault in all_faults()
        if fault.kinds
        for version in fault.versions
        if (fault.id, version) not in shown and fault.rule not in ("required-element", "forbidden-element")
    ]
    assert missing == []


def test_the_faults_are_told_in_words() -> None:
    """Each fault has a rule that exists, legal versions and a sentence."""
    known = {*catalogue(), *network_rules()}
    for fault in all_faults():
        assert fault.rule in known
        assert set(fault.versions) <= set(VERSIONS)
        assert fault.versions
        assert fault.what.endswith(".")
        assert fault.kinds or fault.group == EXCHANGE
        assert set(fault.kinds) <= set(bases())
    assert len({fault.id for fault in all_faults()}) == len(all_faults())


def test_a_fault_that_lacks_a_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row without what a fault needs says which row it is, and what it needs."""
    monkeypatch.setattr(content, "rows", lambda: {"own": {"rule": "luhn"}})
    with pytest.raises(SpecError, match=r"expected \[faults\.own\] with what, field"):
        list(content.table())


def test_one_change_is_one_element() -> None:
    """A content fault changes the MTI or one element; only a card number stands in several, and a
    message of another version has other elements."""
    for row in TABLE:
        if row["rule"] == "framing" or rows().get(row["fault"], {}).keys() & {"swap", "read_as"}:
            continue
        good, bad = parse(row["original"], row["version"]), parse(row["message"], row["version"])
        changed = {n for n in {*good.fields, *bad.fields} if good.get(n) != bad.get(n)}
        changed |= {0} if good.mti != bad.mti else set()
        changed |= {1} if good.empty_secondary != bad.empty_secondary else set()
        assert len(changed) == 1 or row["rule"] == "no-elements", row["fault"]


@pytest.mark.parametrize(("name", "version"), turns(NETWORKS, VERSIONS))
def test_cases_of_a_network_and_version(name: str, version: str) -> None:
    """Any network and version has cases, all of them on its messages."""
    made = cases(name, version)
    assert len({one.fault for one in made}) > 90
    for one in made:
        assert one.network in (name, None)
        assert version_of(one.original) == version
        told = [new for new in new_findings(_row(one)) if new.rule not in one.also]
        assert [(new.rule, new.severity, new.field, new.start) for new in told] == [
            (one.rule, one.severity, one.field, one.start)
        ]


def test_cases_are_the_same_each_time() -> None:
    """Nothing in them is left to chance."""
    assert cases("VISA", "1987") == cases("VISA", "1987")


def _row(one: Any) -> dict[str, Any]:
    shown = {name: getattr(one, name) for name in ("rule", "version", "network", "original")}
    return {**shown, "message": one.raw}


def test_unknown_network_or_version() -> None:
    """Names outside the six networks and three versions are refused."""
    with pytest.raises(ChoiceError):
        cases("ELO")
    with pytest.raises(ChoiceError):
        cases(version="1999")


def test_any_message_can_be_broken() -> None:
    """Whatever generate makes can be broken in many ways, each the same every time, and stays whole."""
    for label, name, message in some(generated(), 150):
        before = build(message)
        ways = faults_for(message, network=name)
        assert len(ways) > 25, label
        for fault in ways[::9]:
            made = break_message(message, fault.id, network=name)
            assert (made.fault, made.rule, made.original) == (fault.id, fault.rule, before)
            assert made == break_message(message, fault.id, network=name)
            assert made.raw != before or made.version != message.version
        assert build(message) == before


def test_a_fault_that_does_not_apply_names_those_that_do() -> None:
    """The error names the faults that apply, so that one of them can be chosen."""
    echo = generate("echo", at=AT).message
    for wrong in ("check-digit-wrong", "no such fault"):
        with pytest.raises(ChoiceError) as caught:
            break_message(echo, wrong)
        assert "month-13" in caught.value.choices
        assert wrong in str(caught.value)
    with pytest.raises(BuildError):
        break_message(Message("0100", {4: "12"}), "month-13")
    assert {one.group for one in faults_for(Message("0800", {}))} == {"content"}


@together(
    "fault, words",
    [
        ("empty", "text is empty"),
        ("length-header", "length header"),
        ("binary-length-header", "binary length header"),
        ("tpdu", "TPDU"),
        ("host-header", "12 characters later"),
        ("hex-dump", "hex dump"),
        ("quoted", "quotes"),
        ("trailing-blanks", "blanks"),
        ("line-break", "line breaks"),
        ("bitmap-raw-bytes", "raw bytes"),
        ("cut-in-half", "truncated"),
        ("cut-at-the-end", "truncated"),
        ("bit-without-data", "extra bit"),
        ("read-as-1987", "choose that version"),
    ],
)
def test_the_cause_of_broken_framing_is_named(fault: str, words: str) -> None:
    """The hint of a framing finding names what was done to the text."""
    chosen = [row for row in TABLE if row["fault"] == fault]
    assert chosen
    for row in chosen:
        (finding,) = findings(row["message"], row["version"], row["network"])
        assert words in finding.hint


@together("version", VERSIONS)
@together("name", NETWORKS)
def test_a_wrong_character_anywhere_is_one_finding(name: str, version: str) -> None:
    """A control character in any place of any element is reported once, and nothing else with it."""
    for kind in some(("auth", "chip", "cashback", "reversal", "approval", "echo"), 2):
        message, own = base(kind, name, version, AT)
        before = Counter(mark(one) for one in findings(build(message), version, own))
        for number, value in message.fields.items():
            for at in {0, len(value) // 2, len(value) - 1}:
                broken = message.replace(**{f"de{number}": value[:at] + "\x01" + value[at + 1 :]})
                after = Counter(mark(one) for one in findings(build(broken), version, own))
                new = list((after - before).elements())
                assert [rule for _, rule, *_ in new] == ["track-2" if number == 35 else "character-class"], (
                    new
                )


def test_nothing_shows_the_card() -> None:
    """Neither the repr of a case nor its words hold the card number."""
    for one in cases("VISA", "1987"):
        assert "411111111" not in repr(one)


def test_every_row_has_a_source_or_warns() -> None:
    """What can make a message invalid has a public source: rules, networks' formats and required elements."""
    for text_of in catalogue().values():
        assert text_of.source or text_of.severity != "error"
    for name in NETWORKS:
        for item in network(name).formats:
            assert (item.source and item.confidence != "unsourced") or item.severity != "error"
    for row in read_csv("networks/presence"):
        assert (row["source"] and row["confidence"] != "unsourced") or row["severity"] != "error"
