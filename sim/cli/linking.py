"""The networking commands: host, send, suite, load."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

import click

from sim.cli import shown
from sim.cli.options import FILE, command, messages
from sim.errors import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from sim.link.sent import Sent
    from sim.link.traffic import Entry, Traffic

_TOLD = ("at", "kind", "connection", "mti", "stan", "card", "code", "rule", "note")
_SIGNS = {"in": "->", "out": "<-", "event": "--"}


@command(
    "host",
    click.Option(
        ["--port", "-p"], default=8583, show_default=True, help="Port to listen on; 0 picks a free one."
    ),
    click.Option(["--tls"], nargs=2, type=click.Path(), help="Certificate and private key (PEM)."),
    click.Option(["--suite"], help="Answer as this suite expects: a network's name or a file."),
    note="Prints its traffic until Ctrl-C or SIGTERM, with card data masked. With --suite it answers as "
    "`iso8583 suite` expects.",
)
def host(suite: str | None, as_json: bool, **options: Any) -> None:
    """Run a host and print its traffic."""
    from sim.link.ends import Host
    from sim.link.ends import host as listening

    if suite is not None:
        from sim.link.scenario.suite import suite_of

        if options["rules"] is not None:
            raise click.UsageError("--rules and --suite both set the responses; use only one of them")
        played = suite_of(suite)
        options["rules"] = played.rules
        for name in ("network", "format", "framing", "interface", "keys"):
            options[name] = options[name] or getattr(played, name)
    # SIGTERM, from a script, a service manager or a container, ends it like Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with listening(Host, options.pop("rules"), **options) as host:
        unread = threading.Event()
        host.seen.observe(_teller(host.seen, as_json, unread))
        try:
            # Only now: whoever waits for this line may connect, or end the host, at once.
            shown.line(f"Listening on {host.address}. Press Ctrl-C to stop.", err=True)
            unread.wait()
        except KeyboardInterrupt:
            shown.line(f"Messages and events seen: {len(host.seen):,}.", err=True)
        else:
            raise BrokenPipeError


@command(
    "send",
    click.Argument(["message"], nargs=-1),
    FILE,
    click.Option(["--no-reversal"], is_flag=True, help="Do not send a reversal when a request times out."),
    of="client",
    without=("reverse",),
    note="ADDRESS is host:port. Prints the outcome of each MESSAGE, with card data masked. The exit "
    "status is 1 if one got no response.",
)
def send(
    address: str, message: tuple[str, ...], path: str | None, no_reversal: bool, as_json: bool, **options: Any
) -> bool:
    """Send messages and print the outcomes."""
    from sim.link.ends import Client
    from sim.link.ends import client as connected
    from sim.operations import parse_any

    answered = True
    with connected(Client, address, reverse=not no_reversal, **options) as client:
        arrived: list[Entry] = []  # since the request was sent
        client.seen.observe(arrived.append)
        for text in messages(message, path):
            arrived.clear()
            done = client.exchange(parse_any(text).whole())
            answered &= done.answer is not None
            _tell(done, as_json)
            if done.answer is not None or as_json:
                continue
            for entry in arrived:
                if entry.kind in ("unmatched", "unreadable"):
                    instead = f"{counted(len(entry.data), 'byte')} that are not a message"
                    if (other := client.seen.message(entry)) is not None:
                        instead = f"{other.mti} {other.get(11)}, which does not match any request"
                    shown.line(f"  received instead: {instead}")
    return answered


@command(
    "suite",
    click.Argument(["suite"]),
    click.Argument(["address"], required=False),
    click.Option(
        ["--export"], type=click.Path(), help="Write the suite as a pytest module instead of running it."
    ),
    of="run_suite",
    without=("host",),
    note="SUITE is a network's name or a TOML or CSV file, ADDRESS host:port; without ADDRESS, the suite "
    "starts a host. The exit status is 1 if a step failed.",
)
def suite(suite: str, address: str | None, export: str | None, as_json: bool, **options: Any) -> bool:
    """Run a suite, or export it."""
    from sim.link.scenario.report import export_suite, run_suite
    from sim.link.scenario.run import ROW

    if export is not None:
        shown.line(str(export_suite(suite, export)))
        return True
    done = run_suite(suite, address, **options)
    records = [dict(zip(ROW, row, strict=True)) for row in done.rows()]
    failed = [record for record in records if record["result"] != "passed"]
    if as_json:
        shown.json_line(*records)
    else:
        columns = ("case", "step", "sent", "received", "wrong")
        if failed:
            shown.table(columns, [[record[name] for name in columns] for record in failed])
        shown.verdict(not failed, f"{len(records) - len(failed)} of {len(records)} steps passed")
    return not failed


@command(
    "load",
    click.Option(["--mix", "-m"], multiple=True, help="Message type and weight, auth=9; may be repeated."),
    click.Option(
        ["--replay"], type=click.Path(), help="Send the messages of a log with their original timing."
    ),
    without=("wait",),
    note="ADDRESS is host:port. The exit status is 1 if a request got no response.",
)
def load(address: str, mix: tuple[str, ...], replay: str | None, as_json: bool, **options: Any) -> bool:
    """Run a load test and print its figures."""
    from sim.link.load.run import RunningLoad, start_load, weights_of

    options["mix"] = weights_of(", ".join(mix)) if mix else None
    if replay is not None:
        from sim.tables.runs import replayed

        options["replay"] = replayed(replay)
    numbers = start_load(RunningLoad, address, **options).ended()
    percents = (50, 95, 99, 99.9, 100)
    if as_json:
        record = {"sent": numbers.sent, "answered": numbers.answered, "seconds": round(numbers.seconds, 3)}
        record |= {f"p{percent:g}_ms": round(numbers.percentile(percent), 3) for percent in percents}
        shown.json_line(record | {"rate": round(numbers.rate, 1), "codes": dict(numbers.codes)})
    else:
        shown.prose(numbers.told)
    return numbers.answered == numbers.sent


def _teller(traffic: Traffic, as_json: bool, unread: threading.Event) -> Callable[[Entry], None]:
    """A function that prints each entry as it arrives, and sets *unread* if nobody reads the output: the
    connection must not fail over it."""

    def tell(entry: Entry) -> None:
        if unread.is_set():
            return
        record = traffic.record(entry)
        record["at"] = record["at"].isoformat(timespec="milliseconds")
        cells = [_SIGNS[entry.direction], *(record[name] for name in _TOLD)]
        try:
            if as_json:
                shown.json_line(record)
            else:
                shown.line("  ".join(filter(None, cells)))
        except BrokenPipeError:
            unread.set()

    return tell


def _tell(done: Sent, as_json: bool) -> None:
    """Print the outcome of a request, with card data masked."""
    answer, latency = done.answer, None if done.latency is None else round(done.latency * 1000, 3)
    if as_json:
        # Element numbers are texts in JSON.
        fields: Any = None if answer is None else {"mti": answer.mti} | answer.masked()
        record = {"status": done.status, "code": done.code, "latency_ms": latency}
        shown.json_line(record | {"answer": fields, "note": done.note})
        return
    shown.verdict(answer is not None, f"{done.request.mti} {done.request.get(11)} {done.told}")
