"""Run a suite: each step sends a message, waits for the outcome, and compares it with what was expected."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from sim.codec import Message, parse
from sim.elements import dates
from sim.errors import IsoError, quoted_value
from sim.exchanges import Step as Went
from sim.exchanges.roles import REVERSAL, asking_role
from sim.link.client import AsyncClient, Live
from sim.link.ends import key_ring
from sim.link.host import AsyncHost
from sim.link.lanes import Seen, seen_in
from sim.link.line import Line, LinkError
from sim.link.rules import matches
from sim.link.scenario.suite import REVERSE, Case, Step, Suite, check_amount, element_of, filled
from sim.link.sent import ANSWERED, Sent
from sim.link.traffic import OUT
from sim.masking import mask, mask_words
from sim.operations.asked import options_of
from sim.operations.generation import generate
from sim.operations.recipes import approved
from sim.operations.validation import judge
from sim.spec import code_list, role
from sim.spec.tables import read_toml

_CODE = 39
ROW = (
    *("case", "step", "do", "sent", "expected", "received", "latency_ms"),
    *("findings", "result", "wrong", "note"),
)


@dataclass(slots=True)
class StepResult:
    """The outcome of a step: `expected` and `received` in words, `wrong` the differences (none: passed),
    `findings` the errors in the response, `exchange` the request and its outcome (None for a wait)."""

    case: str
    number: int
    do: str
    sent: str = ""
    expected: str = ""
    received: str = ""
    latency: float | None = None
    wrong: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    note: str = ""
    exchange: Sent | None = field(default=None, repr=False)

    @property
    def passed(self) -> bool:
        """Whether everything was as expected."""
        return not self.wrong


@dataclass(frozen=True, slots=True)
class Done:
    """A completed suite: the results of all steps, when it began (UTC), how long it took (seconds), and the
    messages of each case."""

    suite: Suite
    where: str
    began: datetime
    seconds: float
    results: tuple[StepResult, ...]
    seen: Mapping[str, tuple[Seen, ...]] = field(default_factory=dict, repr=False)

    @property
    def passed(self) -> bool:
        """Whether every step passed."""
        return all(result.passed for result in self.results)

    def rows(self) -> list[tuple[str | int | float | None, ...]]:
        """The rows of a table, one per step, with the columns of `ROW`; card data in texts is masked."""
        return [
            (
                *(mask_words(result.case), result.number, result.do, result.sent),
                *map(mask_words, (result.expected, result.received)),
                None if result.latency is None else round(result.latency * 1000, 3),
                mask_words("; ".join(result.findings)),
                "passed" if result.passed else "failed",
                mask_words("; ".join(result.wrong)),
                mask_words(result.note),
            )
            for result in self.results
        ]

    def cases(self) -> Iterator[tuple[Case, list[StepResult]]]:
        """Each case with its results."""
        for case in self.suite.in_order:
            yield case, [result for result in self.results if result.case == case.name]


def serve(suite: Suite, host: AsyncHost) -> AsyncHost:
    """*host*, so that it answers *suite*: with its rules, network and keys. Each end has its own key ring."""
    host.rules = suite.rules
    host.issuer.network, host.issuer.keys = suite.network, key_ring(suite.keys)
    return host


async def play(
    suite: Suite, where: tuple[str, int] | None = None, *, line: Line | None = None, tls: Any = None
) -> Done:
    """Run *suite* against the host at *where*; None starts one of ours.

    Each case has its own connection, unless the suite has a session. Raises LinkError if no host listens; if
    the host goes away later, the cases that cannot reach it fail.
    """
    line = line or suite.line
    if where is None:
        async with serve(suite, AsyncHost(line)) as server:
            return await play(suite, (server.address, server.port), line=line, tls=tls)
    start_time, started = dates.now(), time.perf_counter()
    results: list[StepResult] = []
    traffic: dict[str, tuple[Seen, ...]] = {}
    options: Any = {"network": suite.network, "tls": tls, "keys": key_ring(suite.keys), "reverse": False}
    stan = 0
    # The cases that share a connection.
    for cases in [suite.in_order] if suite.session is not None else [(case,) for case in suite.cases]:
        client = AsyncClient(where, line, **options)
        client.stan = stan
        try:
            await client.connect()
        except LinkError as error:
            if not results:
                raise
            for case in cases:
                results += [replace(result, wrong=(str(error),)) for result in _results(case)]
            continue
        async with client:
            for case in cases:
                before = client.traffic.counts.total()
                results.extend(await _Run(suite, case, client).steps())
                traffic[case.name] = tuple(seen_in(client.traffic, OUT, after=before))
        stan = client.stan
    seconds = time.perf_counter() - started
    return Done(suite, f"{where[0]}:{where[1]}", start_time, seconds, tuple(results), traffic)


def _results(case: Case) -> list[StepResult]:
    """The results of the steps of *case*, to be completed."""
    return [StepResult(case.name, at, step.do, note=step.note) for at, step in enumerate(case.steps, 1)]


class _Run:
    """One case in progress."""

    def __init__(self, suite: Suite, case: Case, client: AsyncClient) -> None:
        self.suite, self.case, self.client = suite, case, client
        self.before: Sent | None = None
        self.live = Live(client, suite.network)
        self.exchanges: dict[int, Sent] = {}  # by the number of their step

    async def steps(self) -> list[StepResult]:
        """The results of all steps; a step whose message cannot be made fails, and the case goes on."""
        results = _results(self.case)
        for step, result in zip(self.case.steps, results, strict=True):
            try:
                await self._take(step, result)
            except IsoError as error:
                result.wrong = (str(error),)
        return results

    async def _take(self, step: Step, result: StepResult) -> None:
        if step.do == "wait":
            await asyncio.sleep(step.seconds)
            return
        step = self._filled(step)
        request = self._prepared(step)
        message = self._changed(request.message, step)
        result.sent = f"{message.mti} {message.get(11)}"
        if step.do == "send":
            self.live = Live(self.client, self.suite.network)
        request = replace(request, message=message)
        exchange = await self.live.send(request, timeout=step.timeout, reverse=step.undo)
        self.exchanges[result.number] = exchange
        if step.do == "send":
            self.before = exchange
        if self.before is not None and self.before is not exchange:
            # A late response to an earlier step may have arrived in the meantime.
            result.note = result.note or ("a late response arrived" if self.before.late else "")
        result.note = result.note or exchange.note
        result.exchange, result.latency = exchange, exchange.latency
        result.received = _received(exchange)
        if exchange.answer is not None:
            result.findings = tuple(judge(exchange.answer, self.suite.network, ()).errors)
        expected = _expectations(step, message)
        result.expected = ", ".join(f"{_label(key)} {value}" for key, value in expected.items())
        result.wrong = tuple(_misses(expected, exchange, result))

    def _filled(self, step: Step) -> Step:
        """*step* with its variables replaced. Raises IsoError if one has no value."""

        def texts(values: Mapping[Any, str]) -> dict[Any, str]:
            return {
                key: text if text.startswith("~") else filled(text, partial(self._value, key))
                for key, text in values.items()
            }

        options = texts(step.options)
        check_amount("step", options)
        return replace(step, options=options, elements=texts(step.elements), expected=texts(step.expected))

    def _value(self, key: str | int, name: str) -> str:
        """The value of the variable *name* in the text of *key*."""
        if name == "stan":
            return self.client.next_stan()
        if name == "now":
            return self._generated({}).get(int(key))
        number, element = element_of(name) or (0, 0)
        exchange = self.exchanges.get(number)
        for message in (exchange.answer, exchange.request) if exchange else ():
            if message is not None and element in message:
                return message[element]
        raise IsoError(element, None, f"a value of step {number}, for ${{{name}}}", "none")

    def _changed(self, sent: Message, step: Step) -> Message:
        """*sent* with the elements and the PIN of *step*."""
        if step.elements:
            sent = sent.replace(**{f"de{number}": value or None for number, value in step.elements.items()})
        if "pin" not in step.options:
            return sent
        ring = self.client.keys
        if ring is None or ring.pin is None:
            raise IsoError(52, None, "a PIN key in the suite's keys", "none")
        from sim.link.keys.messages import with_pin_block

        return with_pin_block(sent, step.options["pin"], ring.pin, format=ring.pin_format)

    def _prepared(self, step: Step) -> Went:
        """A new message, or the one that follows the message sent before."""
        if step.do == "send":
            message = self._sent(step)
            return Went(asking_role(message, None), message, dates.now())
        if self.before is None:
            raise IsoError(None, None, "an earlier message", "none")
        amount = step.options.get("amount")
        return self.live.follow(
            REVERSAL if step.do == REVERSE else step.do,
            amount_minor_units=None if amount is None else int(amount),
            reason=step.options.get("reason"),
            entry=step.options.get("entry"),
            stan=step.options.get("stan"),
        )

    def _sent(self, step: Step) -> Message:
        options = {**self.suite.defaults, **step.options}
        if "raw" in options:
            return parse(options["raw"], self.suite.version or "1987")
        message = self._generated(options)
        return _managed(message, options["manage"], self.suite.network) if "manage" in options else message

    def _generated(self, options: Mapping[str, str]) -> Message:
        arguments = options_of(
            "echo" if "manage" in options else options.get("type", "auth"),
            network=self.suite.network,
            pan=options.get("pan"),
            amount_minor_units=int(options.get("amount", "1000")),
            currency=options.get("currency", "840"),
            stan=options.get("stan") or self.client.next_stan(),
            version=self.suite.version,
            at=dates.now(),
            purpose=options.get("purpose", "purchase"),
            entry=options.get("entry", "manual"),
            format=self.client.line.format,
            interface=self.client.line.interface or None,
        )
        return self.client.line.fitted(generate(**arguments).message)


def _managed(echo: Message, kind: str, network: str | None) -> Message:
    """The echo test changed to another *kind* of network management: sign-on, sign-off, cutover, key."""
    element = role("network-code", echo.version)
    codes = {
        row.network: row.code
        for row in reversed(code_list(element.codes) if element else ())
        if row.kind == kind and echo.version in (row.versions or (echo.version,))
    }
    # The network's own code takes precedence over the standard's.
    code = codes.get(network or "", codes.get(""))
    if element is None or code is None:
        number = element.number if element else None
        raise IsoError(number, None, "a type of network management", quoted_value(kind))
    return echo.replace(**{f"de{element.number}": code})


def _expectations(step: Step, request: Message) -> dict[str | int, str]:
    """What is expected: what the step says; by default an approval and no errors."""
    expected = dict(step.expected)
    if "status" not in expected:
        expected = {"status": ANSWERED, **expected}
    if expected["status"] == ANSWERED:
        if _CODE not in expected:
            expected.setdefault("code", "approved")
        expected.setdefault("findings", "0")
    if "code" in expected:
        expected["code"] = _code(expected["code"], request)
    if "reversal" in expected:
        expected["reversal"] = _code(expected["reversal"], request, "4")
    return expected


def _code(word: str, request: Message, message_class: str | None = None) -> str:
    """The response code for *word* in the request's version; a code is returned unchanged."""
    if word == "approved":
        return approved(request.version, message_class or request.mti[1], request.mti[2])
    codes = read_toml("link")["answers"][request.version]
    return str(codes.get(word, word))


def _misses(expected: Mapping[str | int, str], exchange: Sent, result: StepResult) -> Iterator[str]:
    answer = exchange.answer
    for key, condition in expected.items():
        if key == "status":
            actual: str = exchange.status
        elif key == "reversal":
            actual = exchange.reversal.code if exchange.reversal else "none"
        elif answer is None:
            actual = "no answer"
        elif key == "within":
            if exchange.latency is not None and exchange.latency <= float(condition):
                continue
            actual = f"{exchange.latency:.3f} seconds"
        elif key == "findings":
            if len(result.findings) <= int(condition):
                continue
            actual = f"{len(result.findings)}: {result.findings[0]}"
        elif key == "mti":
            actual = answer.mti
        else:
            number = _CODE if key == "code" else int(key)
            value, present = answer.get(number), number in answer
            if condition == "same":
                fits = value == exchange.request.get(number)
            elif condition.startswith("~") or condition in _WORDS:
                fits = matches(condition, value if present else "")
            else:
                fits = present and value == condition
            if fits:
                continue
            actual = mask(number, value, answer.version) if present else "none"
        if not (isinstance(key, str) and actual == condition):
            literal = isinstance(key, int) and condition not in _WORDS
            wanted_shown = mask(int(key), condition, exchange.request.version) if literal else condition
            yield f"{_label(key)}: expected {wanted_shown}, found {actual}"


_WORDS = ("present", "absent", "same")


def _label(key: str | int) -> str:
    return f"DE {key}" if isinstance(key, int) else key


def _received(exchange: Sent) -> str:
    if exchange.answer is None:
        return exchange.status + (f", reversed with {exchange.reversal.code}" if exchange.reversal else "")
    return f"{exchange.answer.mti} {exchange.code}"
