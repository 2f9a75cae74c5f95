"""A provider of language models is a row of `models.toml`, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from llm.answers import GOOD
from llm.wire import Provider
from support import long

ROOT = Path(__file__).parents[2]
ROW = """
[elsewhere]
title = "Elsewhere"
model = "tiny-1"
keys = ["ELSEWHERE_KEY"]
urls = ["ELSEWHERE_URL"]
base_url = "https://elsewhere.example/v1"
client = "openai.OpenAIChatModel"
provider = "openai.OpenAIProvider"
package = "openai"
answers = "schema"
"""
CODE = """
import json, sim
from server.endpoints import ENDPOINTS
from server.openapi import document
from sim import models as llm
plan = llm.plan("A Visa purchase of 25.50 EUR", provider="elsewhere")
message = plan.run().exchange.steps[0].message
told = llm.explain(message, provider="elsewhere")
rows = sim.llm.status()
row = rows[rows["provider"] == "elsewhere"].iloc[0]
print(json.dumps([sim.__file__, plan.source, message[4], told.summary, row["configured"], row["model"],
                  "elsewhere" in json.dumps(document(ENDPOINTS))]))
"""


@long
def test_an_invented_provider_is_a_row(llm: Provider, tmp_path: Path) -> None:
    """With a row more in a copy of the toolkit it generates, explains, is listed and documented."""
    for room in ("sim", "server"):
        shutil.copytree(ROOT / room, tmp_path / room)  # what is compiled, too: it need not be again
    with (tmp_path / "sim/models/transport/models.toml").open("a") as file:
        file.write(ROW)
    llm.then(GOOD, "This is an authorization request for 25.50 EUR.")
    variables = {"ELSEWHERE_KEY": "key-elsewhere", "ELSEWHERE_URL": f"{llm.url}/v1"}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env=os.environ | variables | {"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    where, source, amount, summary, configured, model, documented = json.loads(done.stdout)
    assert Path(where).is_relative_to(tmp_path)
    assert (source, amount) == ("llm:elsewhere/tiny-1", "000000002550")
    assert summary == "This is an authorization request for 25.50 EUR."
    assert (configured, model, documented) == ("yes", "tiny-1", True)
    assert [call.headers["authorization"] for call in llm.calls] == ["Bearer key-elsewhere"] * 2
