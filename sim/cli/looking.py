"""The verbs that look at a message: parse, explain, validate, guess, diff, mask."""

from __future__ import annotations

from typing import Any

import click

from sim.cli import shown
from sim.cli.given import messages
from sim.cli.options import command, option
from sim.operations import parse_any, records
from sim.operations.anatomy import Anatomy

_HEADS = ("DE", "name", "format", "value", "meaning", "start", "end")


@command("parse", note="A broken message is shown as far as it was read; the exit status is 1 then.")
def parse(message: str, as_json: bool, **how: Any) -> bool:
    """The data elements of a message."""
    seen, read_as = records.seen(message, **how)
    if as_json:
        shown.json_line(records.message_record(seen, read_as))
    else:
        _heading(seen, read_as)
        rows = [records.row(seen, place) for place in seen.places]
        shown.table(_HEADS, [(records.label(row.pop("number")), *row.values()) for row in rows])
        shown.findings(seen.findings)
    return not seen.findings


def _heading(seen: Anatomy, read_as: str) -> None:
    parts = [seen.message.mti, f"ISO 8583:{seen.version}", seen.network, read_as and f"read as {read_as}"]
    shown.heading(" · ".join(part for part in parts if part))


@command("explain")
def explain(
    message: str, as_json: bool, llm: bool, provider: str | None, model: str | None, **how: Any
) -> None:
    """A message in plain English."""
    from sim import operations

    read = parse_any(message, **how)
    if llm:
        from sim.operations import llm as models

        told = models.explain(read.whole(), network=read.network, provider=provider, model=model)
    else:
        told = operations.explain(read)
    if as_json:
        record = {"mti": told.mti, "version": read.version, "network": told.network, "summary": told.summary}
        shown.json_line(record | {"source": told.source})
    else:
        shown.prose(told.summary)


@command(
    "validate",
    click.Option(["--fix"], is_flag=True, help="Fix the message and print it; changes are listed on stderr."),
    click.Option(["--safe"], is_flag=True, help="With --fix: safe edits only."),
    note="The exit status is 1 for a message with an error; the networks of --against do not change it.",
)
def validate(
    message: str, as_json: bool, against: tuple[str, ...], fix: bool, safe: bool, **how: Any
) -> bool:
    """The verdict on a message, and its findings."""
    if fix:
        return _fix(message, as_json, safe, how)
    judged = records.judged(message, against=against, **how)
    report, found = judged
    if as_json:
        shown.json_line(records.report_record(judged, against))
        return report.valid
    own = f"ISO 8583:{report.version}" + (f", {report.network}" if report.network else "")
    shown.verdict(report.valid, f"{'valid' if report.valid else 'not valid'} ({own})")
    shown.findings(found)
    if against:
        verdicts = [(name, "passed" if one.passed else "failed") for name, one in report.networks.items()]
        shown.table(("network", "verdict"), verdicts)
    return report.valid


def _fix(message: str, as_json: bool, safe: bool, how: dict[str, Any]) -> bool:
    """Print the message after the edits, and the edits."""
    from dataclasses import asdict

    from sim.operations import repair

    held = records.held(message, **how)
    done = repair(held, version=how["version"], network=how["network"], unsafe=not safe)
    if as_json:
        edits = [asdict(edit) for edit in done.edits]
        left = [records.finding_record(one) for one in done.left]
        shown.json_line({"message": done.text, "valid": done.valid, "edits": edits, "left": left})
        return done.valid
    for edit in done.edits:
        where = "message" if edit.field is None else f"DE {edit.field}" if edit.field else "MTI"
        change = f" {edit.before or '-'} -> {edit.after or '-'}" if edit.before or edit.after else ""
        kind = "safe" if edit.safe else "UNSAFE"
        shown.line(f"{kind}: {where} {edit.action}{change}: {edit.why}", err=True)
    for one in done.left:
        shown.line(f"left: {one.message}", err=True)
    shown.message(done.text)
    return done.valid


@command("guess", note="The exit status is 1 where nothing of a message is found.")
def guess(message: str, as_json: bool, **how: Any) -> bool:
    """What a paste may be."""
    from sim.operations import guess

    found = guess(message, **how)
    for one in (found, *found.rivals):
        if as_json:
            shown.json_line(records.guess_record(one))
            continue
        what = f"{one.mti} {one.read_as}" if one.message else one.read_as
        shown.heading(f"{what} ({one.read} of {one.size} read)" if one.message else what)
        for reason in one.reasons:
            shown.line(f"    {reason}")
    return found.message is not None and found.confidence != "none"


@command(
    "diff",
    option("parse", "version"),
    note="One of them may be -, standard input. The exit status is 1 where they differ.",
)
def diff(a: str, b: str, as_json: bool, **how: Any) -> bool:
    """The elements in which two messages differ."""
    pastes = (next(messages((one,), None)) for one in (a, b))
    left, right = (records.seen(one, **how)[0] for one in pastes)
    found = records.difference_records(left, right)
    if as_json:
        shown.json_line(found)
    elif found:
        rows = [(records.label(one["number"]), one["name"], one["a"], one["b"]) for one in found]
        shown.table(("DE", "name", "a", "b"), rows)
    else:
        shown.line("No differences.")
    return not found


@command("mask")
def mask(message: str, as_json: bool, **how: Any) -> None:
    """A message with its card data masked."""
    masked = records.masked(message, **how)
    if as_json:
        shown.json_line({"message": masked})
    else:
        shown.message(masked)
