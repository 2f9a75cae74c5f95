"""A network is found because its file is there: an invented one, as data alone, in a copy of the packages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import long

from sim.errors import SpecError
from sim.spec.networks import CardRange, record

ROOT = Path(__file__).parents[2]
PAN = "8800001234567892"
TABLE = """
name = "MOONPAY"
title = "Moon Pay"
luhn = true
native_version = "1987"
aid = "F0000000010001"
issuer_data = "06010A03A00000"
place = 7
colour = "#123456"
spoken = 'moon ?pay'
notes = ["Invented for a test."]

[mti_versions]
severities = { 0 = "ok", 1 = "warning", 2 = "warning" }
expected = "an MTI of version digit 0, ISO 8583:1987"
hint = "Moon Pay speaks 1987."
source = "invented"
confidence = "unsourced"

[echo]
mti = "0800"
field = 70
code = "301"
source = "invented"
confidence = "unsourced"

[dialects.1987]
add = { "60" = "MOON" }

[[ranges]]
low = "8800"
high = "8809"
lengths = [16]
status = "current"
brand = "Moon Pay"
report = "ok"
note = ""
source = "invented"
confidence = "secondary"
"""
ROWS = {
    "test_cards": f"MOONPAY,{PAN},16,yes,yes,MOONPAY,,,invented,secondary",
    "presence": "MOONPAY,0100,60,M,warning,,,invented,secondary",
    "response_codes": "MOONPAY,51,not enough craters,declined,response,invented,secondary",
}
PROGRAM = """
import json, sim, sim.widgets
from server.endpoints import ENDPOINTS
from server.openapi import document
from server.records import CardNetwork
from sim.tables.plots.draw import colour_of
from sim.verbs import verb
from sim.widgets.panels.fields import titles

made = sim.generate("auth", network="MOONPAY", stan="000001")
report = sim.validate(made, against=sim.NETWORKS)
message = made.iso.to_message()
without = sim.Message(message.mti, {n: v for n, v in message.fields.items() if n != 60}, message.version)
print(json.dumps({
    "networks": list(sim.NETWORKS),
    "enum": [str(one) for one in CardNetwork],
    "schema": document(ENDPOINTS)["components"]["schemas"]["CardNetwork"]["enum"],
    "valid": bool(report.iso.valid),
    "own": report.iso.network,
    "matrix": report.iso.networks["network"].tolist(),
    "element": message[60],
    "card": message[2],
    "asked": sim.validate(without).query("network == 'MOONPAY'")["rule"].tolist(),
    "declined": sim.respond(made, "51").set_index("number").loc[39, "meaning"],
    "choices": list(titles(verb('generate').option('network')).items())[-1],
    "colour": colour_of("MOONPAY", "grey"),
}))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a fresh Python says, with packages that differ from these by one file and three rows."""
    copy = tmp_path_factory.mktemp("copy")
    for room in ("sim", "server"):
        shutil.copytree(ROOT / room, copy / room)  # what is compiled, too: it need not be again
    data = copy / "sim" / "spec" / "data" / "networks"
    (data / "MOONPAY.toml").write_text(TABLE, encoding="utf-8")
    for name, row in ROWS.items():
        with (data / f"{name}.csv").open("a", encoding="utf-8") as file:
            file.write(row + "\n")
    fresh = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=copy, env=fresh, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@long
def test_it_is_named_wherever_networks_are(said: dict[str, Any]) -> None:
    """The list, the service's enum and document, the panels, all have it, in its place."""
    assert said["networks"] == said["enum"] == said["schema"] == said["matrix"]
    assert said["networks"][-1] == "MOONPAY"
    assert said["choices"] == ["MOONPAY", "Moon Pay"]


def test_its_facts_are_taken_from_its_file(said: dict[str, Any]) -> None:
    """Plots have its colour, descriptions its name, generated messages its card and its own elements."""
    assert said["colour"] == "#123456"
    assert (said["card"], said["element"]) == (PAN, "MOON")


def test_its_rows_are_rules(said: dict[str, Any]) -> None:
    """Its card is known as its own, its messages are valid, what its rows ask for is missed."""
    assert (said["valid"], said["own"]) == (True, "MOONPAY")
    assert "required-element" in said["asked"]
    assert "not enough craters" in said["declined"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"field": 41}, "expected a row of X.toml with some of low, .*, found 'field'"),
        ({"lenghts": [16]}, "found 'lenghts'; did you mean 'lengths'"),
        ({"low": "4", "high": "4"}, "expected a row of X.toml with lengths, luhn, .*, found none"),
    ],
)
def test_a_row_with_a_wrong_column_is_named(row: dict[str, Any], said: str) -> None:
    """It is told which row has a column too many or too few, and what was meant."""
    with pytest.raises(SpecError, match=said):
        record(CardRange, row, "a row of X.toml")
