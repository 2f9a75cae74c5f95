"""The verbs of the wire: host, send, suite."""

from __future__ import annotations

import signal
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from sim.cli import shown
from sim.cli.given import FORMAT, FORMAT_HELP, json_option, messages
from sim.elements.pan import account
from sim.masking import mask_pan

if TYPE_CHECKING:
    from collections.abc import Callable

    from sim.link.exchange import Exchange
    from sim.link.traffic import Entry, Traffic

_FORMAT = click.option("--format", "format", type=FORMAT, help=f"{FORMAT_HELP} Without it, as text.")
_FRAMING = click.option(
    "--framing", "-l", multiple=True, help="What stands around them, outermost first: length-2."
)
_KEYS = click.option(
    "--keys", type=click.Path(exists=True, dir_okay=False), help="Test keys, TOML: zone, pin, mac, [pins]."
)
_SIGNS = {"in": "->", "out": "<-", "event": "--"}


@click.command("host")
@click.option("--port", "-p", default=8583, show_default=True, help="The port; 0 takes any free one.")
@click.option("--address", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--rules", "-r", type=click.Path(exists=True, dir_okay=False), help="A table of rules, CSV or TOML."
)
@click.option("--suite", help="Answer as this suite expects, a network's name or a file.")
@click.option(
    "--opening",
    type=int,
    help="What each account holds, in minor units; a day of load without it.",
)
@click.option("--network", "-n", help="Whose rules requests are judged by; without it, each card's.")
@_FORMAT
@_FRAMING
@click.option("--tls", nargs=2, type=click.Path(exists=True), help="A certificate and its key (PEM).")
@click.option("--sign-on", is_flag=True, help="Nothing is answered before a sign-on.")
@_KEYS
@json_option
def host_command(
    framing: tuple[str, ...], tls: tuple[str, str] | None, suite: str | None, as_json: bool, **options: Any
) -> None:
    """Answer requests on a TCP port until Ctrl-C (or SIGTERM), and print what is seen, card data hidden.

    Valid requests are approved while their account has the money, others declined; --rules say otherwise, and
    --suite what `iso8583 suite` then expects of this host.
    """
    from sim.link import opening
    from sim.link.sync import Host

    if suite is not None:
        _play(suite, options)
    # A script, a service manager or a container ends it by SIGTERM: as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    line: dict[str, Any] = {"framing": list(framing) or None, "tls": tls}
    with opening.host(Host, options.pop("rules"), **line, **options) as host:
        unread = threading.Event()
        host.seen.observe(_teller(host.seen, as_json, unread))
        try:
            # Only now: whoever waits for these words may connect, or end it, at once.
            shown.line(f"Listening on {host.address}. Ctrl-C ends it.", err=True)
            unread.wait()
        except KeyboardInterrupt:
            shown.line(f"Messages and events seen: {len(host.seen):,}.", err=True)
        else:
            raise BrokenPipeError


@click.command("send")
@click.argument("address")
@click.argument("message", nargs=-1)
@click.option(
    "--file", "-f", "path", type=click.Path(exists=True, dir_okay=False), help="Read them from a file."
)
@_FORMAT
@_FRAMING
@click.option("--tls", type=click.Path(exists=True), help="The certificate of its authority (PEM).")
@click.option("--timeout", type=float, default=30.0, show_default=True, help="Seconds to wait for an answer.")
@click.option("--no-reversal", is_flag=True, help="Do not undo what was not answered.")
@_KEYS
@json_option
def send_command(
    address: str,
    message: tuple[str, ...],
    path: str | None,
    framing: tuple[str, ...],
    timeout: float,
    no_reversal: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Send each MESSAGE to ADDRESS (host:port), and print what became of it, card data hidden.

    The exit status is 1 where one was not answered.
    """
    from sim.link import opening
    from sim.link.sync import Client
    from sim.operations import parse_any

    unanswered = False
    how: dict[str, Any] = {
        "framing": list(framing) or None,
        "timeout": timeout,
        "reverse": not no_reversal,
    }
    with opening.client(Client, address, **how, **options) as client:
        for one in messages(message, path):
            before = client.seen.counts.total()
            done = client.exchange(parse_any(one).whole())
            unanswered |= done.answer is None
            _tell(done, as_json)
            if done.answer is None and not as_json:
                for entry in client.seen:
                    if entry.number > before and entry.kind in ("unmatched", "unreadable"):
                        shown.line(f"  came instead: {_instead(client.seen, entry)}")
    click.get_current_context().exit(1 if unanswered else 0)


@click.command("suite")
@click.argument("suite")
@click.argument("address", required=False)
@_FORMAT
@_FRAMING
@click.option("--tls", type=click.Path(exists=True), help="The certificate of its authority (PEM).")
@click.option("--case", "cases", multiple=True, help="The name or a tag of what to run; several are taken.")
@click.option("--junit", type=click.Path(dir_okay=False), help="Write the results as JUnit XML.")
@click.option("--report", type=click.Path(dir_okay=False), help="Write them as one HTML page.")
@click.option("--export", type=click.Path(dir_okay=False), help="Write the suite as a pytest module instead.")
@json_option
def suite_command(
    suite: str,
    address: str | None,
    framing: tuple[str, ...],
    export: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Run SUITE, a network's name or a TOML or CSV file, against ADDRESS (host:port).

    Without ADDRESS a host of its own answers. The exit status is 1 where a step failed.
    """
    from sim.link import opening
    from sim.link.scenario import ROW

    if export is not None:
        shown.line(str(opening.export_suite(suite, export)))
        return
    done = opening.run_suite(suite, address, framing=list(framing) or None, **options)
    records = [dict(zip(ROW, row, strict=True)) for row in done.rows()]
    failed = [record for record in records if record["result"] != "passed"]
    if as_json:
        for record in records:
            shown.json_line(record)
    else:
        columns = ("case", "step", "sent", "received", "wrong")
        if failed:
            shown.table(columns, [[record[name] for name in columns] for record in failed])
        shown.verdict(not failed, f"{len(records) - len(failed)} of {len(records)} steps passed")
    click.get_current_context().exit(1 if failed else 0)


@click.command("load")
@click.argument("address")
@click.option("--mix", "-m", multiple=True, help="A kind and its weight: auth=9; several are taken.")
@click.option(
    "--replay", type=click.Path(exists=True), help="Send the messages of a log, with their own timing."
)
@click.option("--rate", type=float, help="Requests a second; without it, as fast as --concurrency allows.")
@click.option("--concurrency", type=int, help="Requests in flight.")
@click.option("--count", "-c", default=10_000, show_default=True, help="The most requests that are sent.")
@click.option("--seconds", default=60.0, show_default=True, help="The most seconds it lasts.")
@click.option("--timeout", type=float, help="Seconds to wait for an answer, 30 unless given.")
@click.option("--network", "-n", help="Of the messages that are made.")
@_FORMAT
@_FRAMING
@json_option
def load_command(
    address: str, mix: tuple[str, ...], framing: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Send many requests to ADDRESS (host:port), and print how long the answers took.

    It ends after --count requests or --seconds, and Ctrl-C ends it at once, with its figures so far; answers
    under way at the end are waited for. The exit status is 1 where a request was not answered.
    Load only hosts that are yours to load.
    """
    import sim

    done: Any = sim.load(address, mix=_weights(mix), framing=list(framing) or None, **options)
    numbers = done.numbers
    percents = (50, 95, 99, 99.9, 100)
    if as_json:
        record = {"sent": numbers.sent, "answered": numbers.answered, "seconds": round(numbers.seconds, 3)}
        record |= {f"p{percent:g}_ms": round(numbers.percentile(percent), 3) for percent in percents}
        shown.json_line(record | {"rate": round(numbers.rate, 1), "codes": dict(numbers.codes)})
    else:
        shown.line(f"{numbers.answered:,} of {numbers.sent:,} answered, {numbers.rate:,.0f} a second")
        rows = [(f"{percent:g} %", f"{numbers.percentile(percent):.2f} ms") for percent in percents]
        shown.table(("of the answers", "came within"), rows)
        shown.table(("response code", "answers"), sorted(numbers.codes.items()))
    click.get_current_context().exit(0 if numbers.answered == numbers.sent else 1)


def _weights(mix: tuple[str, ...]) -> dict[str, float] | None:
    found = {}
    for one in mix:
        kind, _, weight = one.partition("=")
        try:
            found[kind] = float(weight or 1)
        except ValueError:
            raise click.UsageError("--mix: expected a kind, an equals sign and a weight, as auth=9") from None
    return found or None


def _teller(seen: Traffic, as_json: bool, unread: threading.Event) -> Callable[[Entry], None]:
    """What prints each entry as it comes, and sets *unread* when nobody reads that: the line is not to break
    over it."""

    def tell(entry: Entry) -> None:
        if unread.is_set():
            return
        message = seen.message(entry)
        at = datetime.fromtimestamp(entry.at, UTC).isoformat(timespec="milliseconds")
        record = {"at": at, "direction": entry.direction, "kind": entry.kind, "connection": entry.connection}
        if message is not None:
            pan = account(message)[1]
            record |= {"mti": message.mti, "stan": message.get(11), "card": mask_pan(pan) if pan else ""}
            record |= {"code": message.get(39), "rule": entry.rule}
        record["note"] = entry.note
        told = [_SIGNS[entry.direction], *(record[name] for name in record if name != "direction")]
        try:
            if as_json:
                shown.json_line(record)
            else:
                shown.line("  ".join(filter(None, told)))
        except BrokenPipeError:
            unread.set()

    return tell


def _play(suite: str, options: dict[str, Any]) -> None:
    """Have *options* say what a host needs that plays the other side of *suite*."""
    from sim.link.scenario import suite_of

    if options["rules"] is not None:
        raise click.UsageError("--rules and --suite both say how to answer; give one of them")
    whole = suite_of(suite)
    options["rules"] = whole.rules
    options["network"] = options["network"] or whole.network
    options["format"] = options["format"] or whole.format


def _tell(done: Exchange, as_json: bool) -> None:
    """What became of a request, card data hidden."""
    answer, latency = done.answer, None if done.latency is None else round(done.latency * 1000, 3)
    if as_json:
        # The numbers of elements are texts in JSON.
        fields: Any = None if answer is None else {"mti": answer.mti} | answer.masked()
        record = {"status": done.status, "code": done.code, "latency_ms": latency}
        shown.json_line(record | {"answer": fields, "note": done.note})
        return
    told = f"{done.request.mti} {done.request.get(11)} {done.status}"
    if answer is not None:
        told += f": {answer.mti}, response code {done.code or '-'}, {latency} ms"
    shown.verdict(answer is not None, told + (f" ({done.note})" if done.note else ""))


def _instead(seen: Traffic, entry: Entry) -> str:
    message = seen.message(entry)
    if message is None:
        return f"{len(entry.data)} bytes that are no message"
    return f"{message.mti} {message.get(11)}, which answers nothing that was sent"
