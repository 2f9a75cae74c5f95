"""Real peers against ours: `python -m tests.peers.run FOLDER [--only SECTION]`, as `make peers` runs it.

The tables go into RESULTS.md, the bytes that the peers packed into `tests/vectors/peers.jsonl`, which every
test run reads. What the folder has to hold, `have.py` says.
"""

from __future__ import annotations

import csv
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import iso8583

from sim.codec.wire import Format, wire_format
from sim.codec.wire.catalogue import format_of, ready
from sim.codec.wire.dialects import load_format
from sim.codec.wire.exchange.jpos import from_jpos, to_jpos
from sim.codec.wire.exchange.moov import from_moov, to_moov
from sim.codec.wire.exchange.pyiso import to_pyiso8583
from sim.errors import BITMAP_FIELD, MTI_FIELD, IsoError
from sim.spec import VERSIONS
from sim.spec.tables import read_csv
from tests.peers.cases import Count, packager, read_back, read_by_peer
from tests.peers.have import MissingError, Sources, build
from tests.peers.peer import Peer, PeerError, line_of
from tests.peers.scenarios import played
from tests.peers.talks import pairs, talk
from tests.peers.values import of_class, of_packager, of_specification, sizes

HERE = Path(__file__).parent
VECTORS = HERE.parent / "vectors"
_SEED = 8583
_HEAD = "<!DOCTYPE isopackager PUBLIC '-//jPOS/jPOS Generic Packager DTD 1.0//EN' "
_HEAD += "'http://jpos.org/dtd/generic-packager-1.0.dtd'>"
_MTI = {"1987": "0200", "1993": "1200", "2003": "2200"}
_MARK = "^"
_TAKEN_IN = ("cmf.xml", "iso93binary.xml", "spec87.json", "spec87hex.json")
_SPECS = ("spec87ascii", "spec87", "spec87hex")
_KEPT_EACH = 6
_KEPT_BY_FORMAT = 2
_LONGEST_KEPT = 96

Table = tuple[str, tuple[str, ...], list[tuple[object, ...]]]


class Run:
    """The peers, and what came of them."""

    def __init__(self, sources: Sources, stack: ExitStack) -> None:
        self.sources = sources
        self.jpos = stack.enter_context(Peer(sources.jpos, sources.folder))
        self.moov = stack.enter_context(Peer(sources.moov, sources.folder))
        self.tables: list[Table] = []
        self.vectors: list[dict[str, object]] = []

    def packager(self, name: str) -> str:
        """What jPOS calls a packager."""
        return str(self.sources.packagers[name]) if name.endswith(".xml") else name

    def format_of(self, name: str) -> Format:
        """The format of a pair: ready, or taken in from jPOS or moov."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            if name.endswith(".xml"):
                return load_format(self.sources.packagers[name], name=f"peer-{name}")
            if name.endswith(".json"):
                said = json.loads(self.moov("export", name.removesuffix(".json")))
                return load_format(said, name=f"peer-{name}")
        return wire_format(name)

    def keep(self, count: Count, each: int, **about: object) -> None:
        """Keep some rows of *count* as vectors, of each element the first few; those of one element share
        what they are about, and the bytes in front."""
        groups: dict[object, list[dict[str, object]]] = {}
        for row in count.kept:
            if "parts" in row or len(str(row["hex"])) <= _LONGEST_KEPT:
                groups.setdefault((row["element"], row["class"]), []).append(row)
        for (element, kind), rows in groups.items():  # type: ignore[misc]
            texts = [bytes.fromhex(str(row["hex"])) for row in rows[:each]]
            same = next(
                (at for at, signs in enumerate(zip(*texts, strict=False)) if len({*signs}) > 1),
                min(map(len, texts)),
            )
            head = texts[0][:same].hex().upper()
            cases = [
                [row.get("parts", row.get("value")), str(row["hex"])[len(head) :]] for row in rows[:each]
            ]
            row = {**about, "class": kind, "element": element, "head": head, "cases": cases}
            self.vectors.append(row)


def classes(run: Run) -> None:
    """Every field class of jPOS, alone."""
    total, rows, seen, alone = Count(), [], 0, 0
    for kind, row in class_rows().items():
        seen += 1
        found = Count()
        for pad in ("true", "false") if "side" in row["odd"] else ("",):
            for most in (9, 24) if kind not in ("IF_NOP", "IFMC_TCC", "IFEMC_TCC") else (1,):
                token = _MARK if row["more"] == "ends" else ""
                more = {key: value for key, value in (("pad", pad), ("token", token)) if value}
                found.take(_class(run, kind, most, more))
        total.take(found)
        alone += bool(found.values)
        if found.read < found.values or found.written < found.values:
            rows.append((kind, found.values, found.read, found.written))
    both = f"all {seen}: {alone} alone, {seen - alone} in parts alone"
    rows.append((both, total.values, total.read, total.written))
    run.tables.append(("Field classes of jPOS", ("class", "values", "read equal", "written equal"), rows))


@cache
def class_rows() -> dict[str, dict[str, str]]:
    """The rows of the field classes by their names."""
    return {row["class"]: row for row in read_csv("jpos_classes")}


def _class(run: Run, kind: str, most: int, more: dict[str, str]) -> Count:
    text = packager(kind, most, more)
    try:
        run.jpos("define", "class", _HEAD + text)
    except PeerError:  # a length that the class has no prefix for
        return Count()
    random = Random(f"{_SEED} {kind} {most} {more}")
    binary = ",b" in run.jpos("describe", "class").split("|")[-1]
    fixed = binary and not class_rows()[kind]["width"]  # bytes of a fixed size are not filled up
    widths = [most] * _KEPT_EACH if fixed else sizes(random, most)
    cases = [(2, kind, {"2": of_class(random, kind, width, binary=binary)}) for width in widths]
    count = read_back(run.jpos, "class", format_of(from_jpos(text, "class"), "class"), "1987", cases)
    run.keep(count, _KEPT_EACH, max=most, **more)
    return count


def imports(run: Run) -> None:
    """The packager files of jPOS, and moov's specifications: every element and part."""
    rows = []
    own = VECTORS / "peers_jpos.xml"
    for name, file in {**run.sources.packagers, own.name: own}.items():
        try:
            run.jpos("describe", str(file))
        except PeerError as error:
            rows.append((name, "jPOS refuses it", "", "", str(error).rpartition("Exception: ")[2][:70]))
            continue
        made = format_of(from_jpos(file.read_text(encoding="utf-8", errors="replace"), name), "one")
        count = read_back(
            run.jpos, str(file), made, made.version, of_packager(run.jpos, str(file), Random(_SEED))
        )
        rows.append((name, count.values, count.read, count.written, _left(made)))
        if file == own:
            run.keep(count, _KEPT_EACH, packager=own.name)
    moov = VECTORS / "peers_moov.json"
    specs = {name: run.moov("export", name) for name in _SPECS}
    specs[moov.name] = " ".join(moov.read_text(encoding="utf-8").split())
    for name, text in specs.items():
        run.moov("define", name, text)
        said = json.loads(text)
        made = format_of(from_moov(said, name), "one")
        told = {one.number for one in made.left_out}
        cases = (case for case in of_specification(said, Random(_SEED)) if case[0] not in told)
        count = read_back(run.moov, name, made, "1987", cases)
        if not count.values:
            others = {*range(2, 193)} - set(map(int, said["fields"]))
            count = read_by_peer(run.moov, name, made, "1987", others)
            rows.append(
                (f"moov {name}, which moov reads and cannot pack", count.values, "", count.read, _left(made))
            )
            continue
        rows.append((f"moov {name}", count.values, count.read, count.written, _left(made)))
        if name == moov.name:
            run.keep(count, _KEPT_EACH, packager=moov.name)
    head = ("specification", "values", "read equal", "written equal", "left out, as the import says")
    run.tables.append(("Imports", head, rows))


def _left(made: Format) -> str:
    told = [f"DE {one.number}: {one.what}" for one in made.left_out if one.reason != "no message contains it"]
    return ", ".join(told)


def formats(run: Run) -> None:
    """The ready formats beside the packagers that they name."""
    rows = []
    with (HERE / "sources.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, version = run.packager(row["packager"]), row["version"]
            cases = of_packager(run.jpos, name, Random(_SEED))
            count = read_back(run.jpos, name, wire_format(row["format"]), version, cases, _MTI[version])
            differs = ", ".join(f"DE {number}" for number in sorted(count.differs))
            rows.append(
                (row["format"], version, row["packager"], count.values, count.read, count.written, differs)
            )
            if not row["packager"].endswith(".xml"):
                run.keep(
                    count, _KEPT_BY_FORMAT, format=row["format"], version=version, packager=row["packager"]
                )
    head = ("format", "version", "packager", "values", "read equal", "written equal", "otherwise there")
    run.tables.append(("Ready formats and the packagers that they name", head, rows))


def exports(run: Run) -> None:
    """Every ready format, and some that were taken in, loaded and read by jPOS, moov and pyiso8583."""
    rows: list[tuple[object, ...]] = []
    for name in (*ready(), *_TAKEN_IN):
        made = run.format_of(name)
        for version in [made.version] if made.version else VERSIONS:
            row: list[object] = [name, version]
            for peer, (text, left) in _exported(run, made, version).items():
                if whole := left.get(MTI_FIELD) or left.get(BITMAP_FIELD):
                    row += ["", whole]
                    continue
                try:
                    peer("define", "export", text)
                    count = read_by_peer(peer, "export", made, version, left)
                    row += [f"{count.read} of {count.values}", str(len(left) or "")]
                except (PeerError, IsoError) as error:
                    row += ["not loaded", str(error)[:60]]
            rows.append(tuple(row))
    head = ("format", "version")
    for name in ("jPOS", "moov", "pyiso8583"):
        head = (*head, f"read by {name}", "elements left out")
    run.tables.append(("Exports", head, rows))


def _exported(run: Run, made: Format, version: str) -> dict[Any, tuple[str, dict[int, str]]]:
    text, jpos_left = to_jpos(made, version)
    table, moov_left = to_moov(made, version)
    own, own_left = to_pyiso8583(made, version)
    return {
        run.jpos: (" ".join(text.split()), jpos_left),
        run.moov: (json.dumps(table), moov_left),
        Own(): (json.dumps(own), own_left),
    }


class Own:
    """pyiso8583, which is asked as the other peers are, and needs no program."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    def __call__(self, *words: str) -> str:
        if words[0] == "define":
            self.known[words[1]] = json.loads(words[2])
            return "ok"
        try:
            found, _ = iso8583.decode(bytearray.fromhex(words[2]), self.known[words[1]])
        except iso8583.DecodeError as error:
            raise PeerError(str(error)) from None
        return line_of({key: value for key, value in found.items() if key.isdigit()})


def talks(run: Run) -> None:
    """Pairs over TCP, both ways."""
    rows = []
    for pair in pairs():
        peer = run.jpos if pair.peer == "jpos" else run.moov
        found = talk(pair, peer, run.packager(pair.packager), run.format_of(pair.format))
        whom = f"{pair.channel} + {pair.packager}"
        counts = f"{found.to_peer} of {found.sent}", f"{found.to_us} of {found.sent}"
        rows.append(
            (pair.name, whom, f"{pair.format}, {pair.framing}", *counts, "; ".join(found.differs[:3]))
        )
    head = ("pair", "peer", "ours", "our client to the peer", "the peer to our host", "what differs")
    run.tables.append(("Pairs", head, rows))


def scenarios(run: Run) -> None:
    """A tester's day against a host of jPOS."""
    rows: list[tuple[object, ...]] = [
        (what, said, "" if right else "wrong") for what, said, right in played(run.sources, run.jpos)
    ]
    run.tables.append(("A day against a host of jPOS", ("what", "outcome", ""), rows))


SECTIONS: dict[str, Callable[[Run], None]] = {
    "talks": talks,
    "scenarios": scenarios,
    "classes": classes,
    "imports": imports,
    "formats": formats,
    "exports": exports,
}


def page(tables: list[Table]) -> Iterator[str]:
    """The tables as Markdown."""
    yield "# Real peers"
    yield ""
    yield "Bytes that jPOS 2.1.9 and moov-io/iso8583 packed, read and written here; bytes from here that"
    yield "they read; and messages over TCP, both ways. Made by `make peers PEERS=FOLDER`, which builds"
    yield "both of their own sources; the bytes are kept as vectors, which every test run reads."
    for title, head, rows in tables:
        yield from ("", f"## {title}", "", _line(head), _line(["---"] * len(head)), *map(_line, rows))


def _line(cells: Any) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def main(arguments: list[str]) -> int:
    """Run the sections; 0 when all is as it was before."""
    try:
        sources = build(arguments[0] if arguments else "")
    except MissingError as error:
        print(error, file=sys.stderr)
        return 2
    chosen = arguments[2:] or list(SECTIONS)
    with ExitStack() as stack:
        run = Run(sources, stack)
        for name in chosen:
            SECTIONS[name](run)
    text = "\n".join([*page(run.tables), ""])
    if chosen != list(SECTIONS):
        print(text)
        return 0
    (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in run.vectors]
    (VECTORS / "peers.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
