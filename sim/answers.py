"""The results of verbs for callers outside Python: records of plain values, for a shell (`sim.cli`) and for
assistants (`sim.mcp`).

Functions that examine a message mask its card data. Functions that make one return a `Made`: the shell prints
it in clear, for the next program; an assistant gets it in clear only on request. pandas is used only for
results that are tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sim import operations
from sim.codec import Message
from sim.operations.anatomy import differences, dissect, masked_text
from sim.operations.building import TEXT, build_from, in_format, known_format, told_otherwise, written
from sim.operations.explanation import SOURCE_RULES, explain_so_far
from sim.operations.reading import parse_any, read, refusal
from sim.paste.reading import Reading
from sim.spec.spellings import chosen_version, template_word, version_named

if TYPE_CHECKING:
    from sim.judge import Finding
    from sim.operations.generation import Generated

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """A new message, or the text of a broken one; the elements `lost` in its format, notes, and further
    results."""

    message: Message | str
    version: str
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    network: str | None = None
    more: Record = field(default_factory=dict)

    def record(self, to: str | None = None) -> Record:
        """The message in the format *to*, with notes and further results."""
        if isinstance(self.message, str):
            return {"message": self.message, **self.more}
        name = known_format(to)
        head = {"message": written(self.message, name), "mti": self.message.mti, "version": self.version}
        network = {"network": self.network} if self.network else {}
        notes = [*self.notes, *self.lost, *told_otherwise(self.message, name)]
        return {**head, "format": name, **network, "notes": notes, **self.more}

    def masked(self) -> Record:
        """The text form with card data masked, with notes and further results."""
        record = self.record()
        return record | {"message": masked_text(record["message"], self.version or None)}

    def warnings(self, to: str | None) -> list[str]:
        """What the message alone does not show: lost elements, and values that will be read back
        differently."""
        if isinstance(self.message, str):
            return []
        otherwise = told_otherwise(self.message, known_format(to))
        return [*self.lost, *(f"{note[0].upper()}{note[1:]}." for note in otherwise)]


def rows(table: Any) -> list[Record]:
    """The rows of a table, with card data masked and missing values as None."""
    plain = table.masked()
    records: list[Record] = plain.astype(object).where(plain.notna(), None).to_dict("records")
    return records


def parse(message: str, **how: Any) -> Record:
    """The elements of a message, and findings on what could not be read; for other input, what it is and
    what is in it."""
    reading = _readable(message, **how)
    view = dissect(reading)
    findings = [_finding(finding) for finding in view.findings]
    return {
        "mti": view.message.mti,
        "version": view.version,
        "network": view.network,
        "interface": view.interface,
        "read_as": TEXT if reading.raw is not None else reading.read_as or TEXT,
        "elements": [
            {
                "number": place.number,
                "name": view.name(place),
                "format": view.format(place),
                "value": view.shown_values[place.number],
                "meaning": view.meaning(place),
                "start": place.start if view.is_text else None,
                "end": place.end if view.is_text else None,
            }
            for place in view.places
        ],
        "finding": findings[0] if findings else None,
        "findings": findings,
        **({"kind": reading.kind, "about": reading.reasons[0]} if reading.kind else {}),
        **({"inside": [piece._asdict() for piece in reading.pieces]} if reading.pieces else {}),
    }


def _readable(message: str, **how: Any) -> Reading:
    """*message*, in any notation, as a Reading.

    Raises ParseError for bytes of which nothing can be read, ChoiceError for an unknown word.
    """
    reading = read(message, **how)
    if reading.message is None and reading.raw is None and reading.error is not None:
        raise reading.error
    return reading


def _finding(finding: Finding) -> Record:
    """A finding as a record; with `url`, the page about its rule, if there is a documentation site."""
    record = asdict(finding)
    return record | {"url": finding.url} if finding.url else record


def explain(
    message: str,
    *,
    network: str | None = None,
    llm: bool = False,
    provider: str | None = None,
    model: str | None = None,
    ask: str = "",
    language: str = "en",
    **how: Any,
) -> Record:
    """A message in plain English."""
    reading = read(message, network=network, **how)
    if reading.kind:
        about = {"mti": "", "version": reading.version, "network": None, "kind": reading.kind}
        return about | {"summary": explain_so_far(reading), "source": SOURCE_RULES}
    if reading.error is not None or reading.message is None:
        raise refusal(reading)
    if llm:
        from sim import models

        explanation = models.explain(
            reading, network=reading.network, provider=provider, model=model, ask=ask, language=language
        )
    else:
        explanation = operations.explain(reading)
    return {
        "mti": explanation.mti,
        "version": reading.version,
        "network": explanation.network,
        "summary": explanation.summary,
        "source": explanation.source,
    }


def validate(message: str, *, against: Iterable[str] | None = None, **how: Any) -> Record:
    """The verdict on a message, its findings, and which of the networks *against* it passes."""
    # Imported here so that merely showing a message does not load the rules.
    from sim.operations.validation import placed_findings, verdict_on

    networks = tuple(against or ())
    reading = read(message, **how)
    report = verdict_on(reading, networks)
    return {
        "valid": report.valid,
        "version": report.version,
        "network": report.network,
        "networks": {name: result.passed for name, result in report.networks.items()} if networks else {},
        "findings": [_finding(finding) for finding in placed_findings(report, reading, networks)],
    }


def repair(
    message: str, *, version: str | None = None, network: str | None = None, sure: bool = False, **how: Any
) -> Made:
    """The message after the first proposal, and all proposals."""
    done = operations.repair(message, version=version, network=network, sure=sure, **how)
    proposals = [proposal.record() for proposal in done.proposals]
    left = [_finding(finding) for finding in done.left]
    more = {"valid": done.valid, "proposals": proposals, "left": left}
    return Made(done.text, done.version, tuple(proposal.said for proposal in done.proposals), more=more)


def guess(message: str, **how: Any) -> list[Record]:
    """The possible formats of a paste, with reasons."""
    names = ("confidence", "read_as", "mti", "version", "format", "read", "size", "reasons")
    best = operations.guess(message, **how)
    return [{name: getattr(candidate, name) for name in names} for candidate in (best, *best.rivals)]


def diff(a: str, b: str, **how: Any) -> list[Record]:
    """The elements in which two messages differ; None if one of them does not have the element."""
    sides = left, right = [dissect(_readable(text, **how)) for text in (a, b)]
    records = []
    for difference in differences(left, right):
        name = left.name(difference.a) if difference.a else right.name(difference.b) if difference.b else ""
        values = [
            None if place is None else side.shown_values[place.number]
            for side, place in zip(sides, (difference.a, difference.b), strict=True)
        ]
        records.append({"number": difference.number, "name": name, "a": values[0], "b": values[1]})
    return records


def mask(message: str, *, version: str | None = None, format: str | None = None) -> Record:
    """*message* with card data masked, in its own form, or as text if a wire format is named."""
    if format not in (None, TEXT):
        return {"message": dissect(_readable(message, version=version, format=format)).shown_text}
    from sim.operations.rewriting import masked

    return {"message": masked(message, version)}


def generate(
    message_type: str,
    *,
    format: str | None = None,
    description: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    **options: Any,
) -> Made:
    """A test message that fits *format*."""
    from sim.operations.asked import generated

    if not description:
        return _fitted(generated(message_type, format=format, **options), format)
    from sim import models

    version = version_named(options["version"]) if options["version"] else None
    at = _moment(options["at"])
    plan = models.plan_of_any(description, provider=provider, model=model, version=version, at=at)
    run = plan.run()
    message = run.exchange.steps[run.subject].message
    notes = (*plan.notes, *run.exchange.notes)
    return _fitted(operations.Generated(message, run.exchange.network, plan.source, notes), format)


def respond(
    message: str, code: str | None = None, *, to: str | None = None, at: str | None = None, **how: Any
) -> Made:
    """The response to a request, in the format *to*, or else that of the request."""
    options, amounts = _reading_options(how)
    request = parse_any(message, **options).whole()
    response = operations.respond(request, code, at=_moment(at), **amounts)
    return _fitted(response, to or options.get("format"))


def reverse(
    message: str,
    *,
    answer: str | None = None,
    reason: str | None = None,
    stan: str | None = None,
    at: str | None = None,
    to: str | None = None,
    **how: Any,
) -> Made:
    """The reversal of a message; leading zeros of *stan* may be omitted."""
    options, amounts = _reading_options(how)
    request = parse_any(message, **options).whole()
    amounts["answer"] = None if answer is None else parse_any(answer, **options).whole()
    amounts["reason"] = None if reason is None else template_word("reason", reason)
    stan = stan.zfill(6) if stan is not None and stan.isdecimal() else stan
    reversal = operations.reverse(request, stan=stan, at=_moment(at), **amounts)
    return _fitted(reversal, to or options.get("format"))


@dataclass(frozen=True, slots=True)
class MadeExchange:
    """A new exchange: a record of each step with its message, and the results for the whole."""

    steps: tuple[tuple[Record, Made], ...]
    more: Record

    def records(self, to: str | None = None) -> list[Record]:
        """A record of each step, with its message in the format *to*."""
        return [step | {"message": message.record(to)["message"]} for step, message in self.steps]

    def record(self, to: str | None = None) -> Record:
        """The whole exchange, with the messages in the format *to*."""
        return self.more | {"steps": self.records(to)}

    def masked(self) -> Record:
        """The whole exchange, with card data masked."""
        steps = [step | {"message": message.masked()["message"]} for step, message in self.steps]
        return self.more | {"steps": steps}


def exchange(
    purpose: str, *, format: str | None = None, at: str | None = None, **options: Any
) -> MadeExchange:
    """An exchange of test messages that fit *format*."""
    from sim.exchanges import make, tell

    result = make(purpose, at=_moment(at), format=format, **options).in_format(known_format(format))
    steps = []
    for place, step in enumerate(result.steps):
        row = {"step": place + 1, "time": step.at and step.at.isoformat(), "role": step.role}
        row |= {"of": None if step.of is None else step.of + 1, "direction": result.direction(place)}
        steps.append((row | {"mti": step.message.mti}, Made(step.message, step.message.version)))
    more = {"summary": tell(result), "left": asdict(result.left), "notes": list(result.notes)}
    return MadeExchange(tuple(steps), more)


def build(mti: str, fields: Mapping[int, str], version: str | None = None) -> Made:
    """A message from its elements."""
    edition = version_named(version) if version else chosen_version(mti, None)
    message = build_from(mti, fields, version=edition).message
    return Made(message, message.version)


def convert(message: str, to: str, *, at: str | None = None, **how: Any) -> Made:
    """A message in another version, with a note on each element, or in a wire format."""
    original = parse_any(message, **how).whole()
    if to not in operations.VERSIONS:
        known_format(to, "to", operations.VERSIONS)
        return Made(original, original.version)
    converted = operations.convert(original, to, network=how.get("network"), at=_moment(at))
    notes = [asdict(note) for note in converted.notes]
    more = {"lossless": converted.lossless, "notes": notes}
    return Made(converted.message, converted.message.version, more=more)


def faults(message: str, *, network: str | None = None, **how: Any) -> list[Record]:
    """The faults that apply to a message."""
    original = parse_any(message, network=network, **how).whole()
    possible = operations.faults_for(original, network=network)
    return [{"fault": fault.id, "rule": fault.rule, "what": fault.what} for fault in possible]


def break_message(message: str, fault: str, *, network: str | None = None, **how: Any) -> Made:
    """A message with a fault."""
    original = parse_any(message, network=network, **how).whole()
    broken = operations.break_message(original, fault, network=network)
    names = ("fault", "rule", "field", "path", "start", "what")
    return Made(broken.raw, broken.version, more={name: getattr(broken, name) for name in names})


def _moment(at: str | None) -> datetime | None:
    from sim.operations.asked import moment

    return moment(at)


def _reading_options(how: Record) -> tuple[Record, Record]:
    """The options for reading a message, and the rest."""
    names = ("version", "network", "format", "interface")
    reading = {name: value for name, value in how.items() if name in names}
    return reading, {name: value for name, value in how.items() if name not in names}


def _fitted(generated: Generated, format: str | None) -> Made:
    """*generated*, reduced to what *format* can encode."""
    message, lost = in_format(generated.message, known_format(format))
    return Made(message, message.version, tuple(generated.notes), lost, generated.network)
