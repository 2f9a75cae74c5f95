"""The copied curl command works unchanged: the service responds as `sim.validate` does."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from copied_messages import forty

import sim
from sim.operations.copying import copied


@pytest.mark.parametrize("case", forty(), ids=lambda case: case[0])
@pytest.mark.parametrize("named", [True, False], ids=["with its network", "alone"])
def test_the_copied_command_is_answered(client: Any, case: tuple[str, str, str | None], named: bool) -> None:
    """The command is a POST of JSON to the service, whose response matches Python's result."""
    _, raw, network = case
    options = {"version": sim.parse(raw).iso.version, "network": network} if named else {}
    words = shlex.split(copied(raw, "curl", **options), comments=True)
    assert words[:2] == ["curl", "-sS"]
    body = json.loads(words[words.index("--data") + 1])
    assert "*" not in body["message"]
    path = "/" + words[2].rpartition("/")[2]
    answer = client.post(path, body)
    assert answer.status_code == 200
    assert answer.json()["valid"] == sim.validate(body["message"], network=body.get("network")).iso.valid
