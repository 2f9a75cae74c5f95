"""The verbs that look at a message: parse, explain, validate, guess, diff, mask."""

from __future__ import annotations

import click

from sim.cli import shown
from sim.cli.given import each, format_option, json_option, message_arguments, messages
from sim.operations import parse_any, records
from sim.operations.anatomy import Anatomy

_OF_A_GUESS = ("confidence", "read_as", "mti", "version", "format", "read", "size", "reasons")
_HEADS = ("DE", "name", "format", "value", "meaning", "start", "end")


@click.command("parse")
@message_arguments
@format_option
@json_option
@each
def parse_command(message: str, as_json: bool, **how: str | None) -> bool:
    """Show the data elements of each MESSAGE: what stands where, and what it means. Card data are hidden.

    One that cannot be read to its end is shown as far as it was read; the exit status is 1 then.
    """
    seen, read_as = records.seen(message, **how)
    if as_json:
        shown.json_line(records.message_record(seen, read_as))
    else:
        _heading(seen, read_as)
        rows = [records.row(seen, place) for place in seen.places]
        shown.table(_HEADS, [(records.label(row.pop("number")), *row.values()) for row in rows])
        shown.findings(seen.findings)
    return not seen.findings


@click.command("explain")
@message_arguments
@format_option
@json_option
@click.option("--llm", is_flag=True, help="Let a language model tell it (card data are hidden from it).")
@click.option("--provider", help="Which one; see the README.")
@click.option("--model", help="Which model of it.")
@each
def explain_command(
    message: str, as_json: bool, llm: bool, provider: str | None, model: str | None, **how: str | None
) -> None:
    """Say in plain English what each MESSAGE says."""
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


@click.command("validate")
@message_arguments
@format_option
@json_option
@click.option("--fix", is_flag=True, help="Mend it, and print it; what was done goes to standard error.")
@click.option("--safe", is_flag=True, help="With --fix: make no edit but safe ones.")
@click.option(
    "--against", "-a", multiple=True, help="Judge it by this network's rules, too; several are taken."
)
@each
def validate_command(
    message: str, as_json: bool, against: tuple[str, ...], fix: bool, safe: bool, **how: str | None
) -> bool:
    """Judge each MESSAGE by the standard, by its own network, and by those of --against.

    The exit status is 1 where a message has an error; the verdict of networks asked for with --against
    does not change it.
    """
    if fix:
        return _mend(message, as_json, safe, how)
    judged = records.judged(message, against=against, **how)
    report, found = judged
    if as_json:
        shown.json_line(records.report_record(judged, against))
        return report.valid
    own = f"ISO 8583:{report.version}" + (f", {report.network}" if report.network else "")
    shown.verdict(report.valid, f"{'valid' if report.valid else 'not valid'} ({own})")
    shown.findings(found)
    if against:
        shown.table(
            ("network", "verdict"),
            [(name, "passed" if one.passed else "failed") for name, one in report.networks.items()],
        )
    return report.valid


def _mend(message: str, as_json: bool, safe: bool, how: dict[str, str | None]) -> bool:
    """Print the message mended, and the edits."""
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
        shown.line(
            f"{'safe' if edit.safe else 'UNSAFE'}: {where} {edit.action}{change}: {edit.why}", err=True
        )
    for one in done.left:
        shown.line(f"left: {one.message}", err=True)
    shown.message(done.text)
    return done.valid


@click.command("guess")
@message_arguments
@format_option
@json_option
@each
def guess_command(message: str, as_json: bool, **how: str | None) -> bool:
    """Find out what each MESSAGE is: spelling, framing, format, version, with reasons."""
    from sim.operations import guess

    found = guess(message, format=how["format"], version=how["version"])
    for one in found.candidates:
        if as_json:
            shown.json_line({name: getattr(one, name) for name in _OF_A_GUESS})
            continue
        what = f"{one.mti} {one.read_as}" if one.message else one.read_as
        shown.heading(f"{what} ({one.read} of {one.size} read)" if one.message else what)
        for reason in one.reasons:
            shown.line(f"    {reason}")
    return found.best.message is not None and found.best.confidence != "none"


@click.command("diff")
@click.argument("a")
@click.argument("b")
@click.option("--version", "-v", help="1987, 1993 or 2003; without it, what each MTI says.")
@format_option
@json_option
def diff_command(a: str, b: str, version: str | None, format: str | None, as_json: bool) -> None:
    """Show the data elements in which messages A and B differ, card data hidden.

    One of them may be -, standard input. The exit status is 1 where they differ.
    """
    pastes = (next(messages((one,), None)) for one in (a, b))
    left, right = (records.seen(one, version=version, format=format)[0] for one in pastes)
    found = records.difference_records(left, right)
    if as_json:
        shown.json_line(found)
    elif found:
        rows = [(records.label(one["number"]), one["name"], one["a"], one["b"]) for one in found]
        shown.table(("DE", "name", "a", "b"), rows)
    else:
        shown.line("No differences.")
    click.get_current_context().exit(1 if found else 0)


@click.command("mask")
@message_arguments
@format_option
@json_option
@each
def mask_command(message: str, as_json: bool, **how: str | None) -> None:
    """Print each MESSAGE, as long as it was, with its card data starred out; also one that cannot be read.
    One in a wire format that --format names is printed as text."""
    masked = records.masked(message, how["version"], how["format"])
    if as_json:
        shown.json_line({"message": masked})
    else:
        shown.message(masked)


def _heading(seen: Anatomy, read_as: str) -> None:
    parts = [seen.message.mti, f"ISO 8583:{seen.version}", seen.network, read_as and f"read as {read_as}"]
    shown.heading(" · ".join(part for part in parts if part))
