"""The surfaces that meet bytes of strangers, each as one function of bytes.

A target raises nothing but what its surface documents, so that whatever leaves it is a finding. The first
bytes of an input choose the version and the like, the rest is what the surface is given.
"""

from __future__ import annotations

import asyncio
import base64
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sim.codec import Message, ParseError, build, parse
from sim.codec.wire import catalogue, decode, encode, names
from sim.codec.wire.dialects import load_format
from sim.elements import emv
from sim.errors import BuildError, IsoError, OptionError, SpecError, WireError
from sim.operations import convert, explain, guess, parse_any, repair, validate
from sim.parts import chip_data
from sim.spec import VERSIONS

VECTORS = Path(__file__).parents[1] / "vectors"
# What fuzzing has found, all mended: a row per input, in base64.
FOUND = tuple(
    (row["surface"], row["about"], base64.b64decode(row["data"]))
    for row in map(json.loads, (Path(__file__).parent / "corpus.jsonl").read_text("utf-8").splitlines())
)
LARGEST = 10_240  # bytes of an input
_FOLDER = Path(tempfile.gettempdir())


@dataclass(frozen=True, slots=True)
class Target:
    """A surface: what is done with an input, and inputs to start from."""

    run: Callable[[bytes], object]
    seeds: Callable[[], Iterator[bytes]]


def _version(data: bytes) -> tuple[str, str]:
    """The version that the first byte chooses, and the rest as text."""
    return VERSIONS[data[0] % 3 if data else 0], data[1:].decode("utf-8", "replace")


def run_parse(data: bytes) -> None:
    """What is read is written as it was."""
    version, text = _version(data)
    try:
        message = parse(text, version)
    except ParseError as error:
        assert len(str(error)) < 1000
        return
    assert build(message).upper() == text.upper()


def run_validate(data: bytes) -> None:
    """Anything gets a report."""
    version, text = _version(data)
    report = validate(text, version=version)
    assert report.valid == (not report.errors)


def run_explain(data: bytes) -> None:
    """A message is told, anything else is a ParseError."""
    version, text = _version(data)
    try:
        assert explain(text, version=version).summary
    except ParseError:
        return


def run_chip(data: bytes) -> None:
    """Chip data as hex digits, taken apart and explained; strict or not."""
    text = data[1:].hex().upper() if data[:1] < b"\xe0" else data[1:].decode("utf-8", "replace")
    try:
        tags = chip_data.read_tags(text, strict=bool(data[:1] < b"\x80"))
    except chip_data.TlvError:
        tags = ()
    shown = emv.decode(text)
    assert not tags or shown
    emv.headline(text)
    emv.summary(Message("0100", {55: text}))


def run_wire(data: bytes) -> None:
    """Bytes by one format: what is read is written, and read again as the same."""
    fmt = names()[data[0] % len(catalogue.ready())] if data else "bcd"
    try:
        message = decode(data[1:], fmt)
    except WireError:
        return
    try:
        written = encode(message, fmt)
    except BuildError:
        return
    assert decode(written, fmt, message.version) == message


def run_guess(data: bytes) -> None:
    """Bytes or a paste: always candidates, and parse_any agrees or refuses."""
    given = data[1:] if data[:1] < b"\x40" else data[1:].decode("utf-8", "replace")
    assert guess(given).reasons
    if isinstance(given, str):
        try:
            parse_any(given)
        except ParseError:
            return


def run_convert(data: bytes) -> None:
    """A message in another version, which its own codec reads; or a ParseError."""
    version, text = _version(data)
    to = VERSIONS[data[0] // 3 % 3 if data else 0]
    try:
        made = convert(text, to, version=version)
    except ParseError:
        return
    assert parse(build(made.message), to).fields == made.message.fields


def run_repair(data: bytes) -> None:
    """Whatever is restored is valid; what is likely or unknown is not called so."""
    version, text = _version(data)
    done = repair(text, version=version if data[:1] < b"\x80" else None)
    assert done.valid <= (not done.left), done
    assert all(one.evidence and one.action for one in done.proposals), done
    if done.valid:  # a text found in a dialect's bytes is valid in that dialect
        dialect = done.message is not None and done.message.dialect is not None
        assert validate(done.message if dialect else done.text, version=done.version).valid


def run_dialect(data: bytes) -> None:
    """A file of a format; where it is one, bytes are read by it."""
    kind = (".toml", ".xml", ".json")[data[0] % 3 if data else 0]
    path = _FOLDER / f"fuzzed-dialect{kind}"
    path.write_bytes(data[1:])
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "left out of ")
            made = load_format(path)
        decode(data[1:], made)
    except (SpecError, WireError):
        return
    finally:
        catalogue._LOADED.clear()


def run_scenario(data: bytes) -> None:
    """The text of a suite, or of a rule table."""
    from sim.link.rules import rules_of
    from sim.link.scenario.suite import suite_of

    text = data[1:].decode("utf-8", "replace") + "\n"
    try:
        suite_of(text) if data[:1] < b"\x80" else rules_of(text)
    except (OptionError, SpecError):
        return


@cache
def _settings() -> Any:
    from server import guessing
    from server.settings import Settings

    async def answer(path: str, body: bytes) -> tuple[int, bytes]:
        return guessing.work(path, body)

    return SimpleNamespace(ctx=SimpleNamespace(settings=Settings(), guesser=SimpleNamespace(answer=answer)))


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def run_http(data: bytes) -> None:
    """The body of a request to any endpoint: an answer, or a Problem: 422, 415, 503 without a model."""
    from sanic.compat import Header

    from server.endpoints import ENDPOINTS
    from server.errors import Problem, to_body

    endpoint = ENDPOINTS[data[0] % len(ENDPOINTS) if data else 0]
    request: Any = SimpleNamespace(
        headers=Header({"content-type": "application/json"}),
        body=data[1:],
        app=_settings(),
        path=endpoint.path,
    )
    try:
        answer = _loop().run_until_complete(endpoint.handler(request))  # type: ignore[arg-type]
        json.loads(answer.body or b"")
    except Problem as problem:
        assert problem.status_code in (422, 415, 503), problem.status_code
        json.loads(to_body(problem.detail))


@cache
def _hosts() -> tuple[Any, ...]:
    from sim.link.host import AsyncHost
    from sim.link.line import Line

    lines = (
        ("ascii", "length-2"),
        ("bcd", ("length-2", "tpdu")),
        ("ascii", "etx"),
        ("ebcdic", "length-4-ascii"),
    )
    made = []
    for name, framing in lines:
        try:
            made.append(AsyncHost(Line.of(name, framing)))
        except IsoError:
            continue
    return tuple(made)


def run_host(data: bytes) -> None:
    """The stream of one connection, in two pieces: frames are cut, decided on and answered."""
    from sim.link.issuer import Session

    hosts = _hosts()
    host = hosts[data[0] % len(hosts) if data else 0]
    one: Any = SimpleNamespace(
        session=Session(),
        name="fuzzed",
        understood=lambda: None,
        misread=host.line.unread,
    )
    cutter = host.line.cutter()
    cut = len(data) // 2
    try:
        for piece in (data[1:cut], data[max(cut, 1) :]):
            for frame in cutter.feed(piece):
                _, answer = host.decide(frame, one)
                assert not answer or host.line.decode(answer)
    except WireError:
        return


@cache
def _rows(name: str) -> tuple[dict[str, Any], ...]:
    lines = (VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def _texts() -> Iterator[bytes]:
    """Messages and broken messages in the text form, behind the byte that chooses their version."""
    faults = [row for version in VERSIONS for row in _rows(f"faults_{version}")[::9]]
    for row in (*_rows("messages")[::4], *faults):
        yield bytes([VERSIONS.index(row["version"])]) + row["message"].encode()


def _chips() -> Iterator[bytes]:
    for row in _rows("messages"):
        value = row.get("fields", {}).get("55", "")
        try:
            yield b"\x00" + bytes.fromhex(value)
        except ValueError:
            continue


def _wires() -> Iterator[bytes]:
    for at, fmt in enumerate(catalogue.ready()):
        for row in _rows("messages")[::40]:
            try:
                yield bytes([at]) + encode(parse(row["message"], row["version"]), fmt)
            except IsoError:
                continue


def _pastes() -> Iterator[bytes]:
    for row in _rows("wire"):
        if isinstance(row.get("data"), str):
            yield b"\xff" + row["data"].encode()
    yield from (b"\x00" + one[1:] for one in _wires())
    yield from (b"\xff" + one[1:] for one in _texts())


def _dialects() -> Iterator[bytes]:
    folder = Path(catalogue.__file__).parents[2] / "spec" / "data"
    for path in sorted((folder / "formats").glob("*.toml")):
        yield b"\x00" + path.read_bytes()
    yield b'\x00extends = "bcd"\ntitle = "t"\nsource = "s"\n[elements.41]\nformat = "ans 16"\n'
    yield (
        b'\x01<isopackager><isofield id="0" length="4" name="MTI" class="org.jpos.iso.IFA_NUMERIC"/>'
        b'<isofield id="1" length="16" name="BITMAP" class="org.jpos.iso.IFA_BITMAP"/>'
        b'<isofield id="2" length="19" name="PAN" class="org.jpos.iso.IFA_LLNUM"/></isopackager>'
    )
    yield (
        b'\x02{"name":"x","fields":{"0":{"type":"String","length":4,"enc":"ASCII","prefix":"ASCII.Fixed"},'
        b'"2":{"type":"String","length":19,"enc":"ASCII","prefix":"ASCII.LL"}}}'
    )
    yield b'\x02{"h":{"data_enc":"ascii","len_type":0,"max_len":0},"2":{"max_len":19,"len_type":2}}'


def _suites() -> Iterator[bytes]:
    folder = Path(catalogue.__file__).parents[2] / "spec" / "data" / "suites"
    for path in sorted(folder.glob("*.toml")):
        yield b"\x00" + path.read_bytes()[:4000]
    yield b"\x00case,do,type,expect.39,set.48\none,send,auth,00,abc\none,reverse,,00,\n"
    yield b"\x00title='t'\nextends='VISA'\nframing='length-2'\n[defaults]\namount='5'\n"
    yield b"\xffcard,code,action,amount,delay,seen\n4111*,51,,100..200,1,2..\n"
    yield b"\xff[[rules]]\nnetwork='VISA'\ncode='05'\naction='late'\n"


def _bodies() -> Iterator[bytes]:
    from server.endpoints import ENDPOINTS

    for at, endpoint in enumerate(ENDPOINTS):
        yield bytes([at]) + json.dumps(endpoint.example).encode()
    for at, key in ((1, "message"), (2, "message"), (3, "message"), (5, "message")):
        for row in _rows("messages")[::60]:
            body = {key: row["message"], "version": row["version"], "target_version": "1993"}
            yield bytes([at]) + json.dumps(body).encode()


def _streams() -> Iterator[bytes]:
    for at, host in enumerate(_hosts()):
        for row in _rows("messages")[::30]:
            try:
                frame = host.line.encode(parse(row["message"], row["version"]))
            except IsoError:
                continue
            yield bytes([at]) + frame * 2


TARGETS = {
    "parse": Target(run_parse, _texts),
    "validate": Target(run_validate, _texts),
    "explain": Target(run_explain, _texts),
    "chip": Target(run_chip, _chips),
    "wire": Target(run_wire, _wires),
    "guess": Target(run_guess, _pastes),
    "convert": Target(run_convert, _texts),
    "repair": Target(run_repair, _texts),
    "dialect": Target(run_dialect, _dialects),
    "scenario": Target(run_scenario, _suites),
    "http": Target(run_http, _bodies),
    "host": Target(run_host, _streams),
}


def seeds(name: str) -> list[bytes]:
    """What fuzzing of the surface *name* starts from: good inputs, and what was found before."""
    return [*TARGETS[name].seeds(), *(data for surface, _, data in FOUND if surface == name)]
