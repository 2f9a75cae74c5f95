"""Wireshark's command line as a reader of messages, and the elements that it reads in its own way."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.interop.pcap import PORT, capture

PROGRAM = shutil.which("tshark")
_DIFFERS = Path(__file__).with_name("wireshark_differs.csv")
_ELEMENT = "iso8583.bit"


@dataclass(frozen=True, slots=True)
class Reading:
    """One message as Wireshark reads it; `malformed` when it says so itself."""

    mti: str
    bitmap: str
    fields: dict[int, str]
    malformed: bool


def read(messages: Sequence[str | bytes], folder: Path, options: Sequence[str] = ()) -> list[Reading | None]:
    """What Wireshark reads in each of *messages*, with more of its preferences as *options*; None where it
    sees no ISO 8583 at all."""
    assert PROGRAM, "tshark is not installed"
    path = folder / "messages.pcap"
    path.write_bytes(capture(messages))
    command = [PROGRAM, "-r", str(path), "-d", f"tcp.port=={PORT},iso8583"]
    command += ["-o", "iso8583.len_endian:Big endian", "-T", "json"]
    command += [part for option in options for part in ("-o", option)]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8", timeout=300)
    packets = json.loads(done.stdout)
    assert len(packets) == len(messages)
    return [_reading(packet["_source"]["layers"].get("iso8583")) for packet in packets]


def _reading(layer: dict[str, str] | None) -> Reading | None:
    if layer is None:
        return None
    names = {name: name.removeprefix(_ELEMENT) for name in layer if name.startswith(_ELEMENT)}
    fields = {int(number): layer[name] for name, number in names.items() if number.isdigit()}
    bitmap = layer["iso8583.map1"] + layer.get("iso8583.map2", "")
    return Reading(layer["iso8583.mti"], bitmap, fields, "MALFORMED" in json.dumps(layer))


def differs(version: str) -> dict[int, str]:
    """Data elements of *version* that Wireshark's own table has otherwise, and how."""
    with _DIFFERS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {int(row["number"]): row["reason"] for row in rows if row["version"] == version}
