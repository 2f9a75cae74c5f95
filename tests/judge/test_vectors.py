"""The verdicts of the vectors: no good message is called invalid, no bad one passes."""

from __future__ import annotations

from typing import Any

from support import JUDGED, VECTORS, each, together, vector_id

from sim.operations import validate

# What the vectors call a problem, as rule ids of ours and the element they point at.
CAUSES = {
    "mastercard_0100_needs_48_and_61": ("required-element", 48),
    "pan_length": ("pan-network", 2),
    "field12_time": ("date", 12),
    "stan_not_numeric": ("character-class", 11),
    "track2_format": ("track-2", 35),
    "chip_truncated_value": ("chip-data", 55),
    "control_character": ("character-class", 42),
    "missing_39": ("missing-response-code", 39),
    "missing_4": ("missing-amount", 4),
    "mti_class": ("mti-class", 0),
    "mti_origin": ("mti-origin", 0),
    "mti_version": ("mti-version", 0),
    "mti_version_mismatch": ("mti-version", 0),
    "empty_message": ("no-elements", 1),
}


@each(lambda: JUDGED, vector_id)
def test_verdict(row: dict[str, Any]) -> None:
    """A message is valid exactly when the vector says so, its network given or detected."""
    for network in (row["network"], None):
        report = validate(row["message"], version=row["version"], network=network)
        assert report.valid is row["expect_valid"], report.errors
        assert report.valid is (not report.errors)


@together("row", [row for row in JUDGED if row["problems"] and row["expect_parse"]], label=vector_id)
def test_the_fault_is_found_where_it_is(row: dict[str, Any]) -> None:
    """The finding has the rule and the element of the fault, and nothing else is an error."""
    report = validate(row["message"], version=row["version"])
    wanted = {CAUSES[problem] for problem in row["problems"]}
    found = {(one.rule, one.field) for one in report.findings if one.is_error}
    assert wanted <= found
    assert len(found) <= 2


@each(lambda: VECTORS, vector_id)
def test_the_network_is_detected(row: dict[str, Any]) -> None:
    """The network comes from the card in the message, never from text that looks like one."""
    report = validate(row["message"], version=row["version"])
    if report.message is not None:
        assert report.network == row["network"]
