"""Notebook 14: the HTTP service."""

from __future__ import annotations

import json
from typing import Any

from lessons.answers import Spelling
from lessons.judging import RIGHT, Exercise, Lesson, Verdict, kind, members
from lessons.money import minor
from sim.spec import currency

TEXT = "0800822000000000000004000000000000001120120000000042301"
REFUSED = {"network": "VISA", "currency": "JPY", "stan": "42", "amount_minor_units": 1999}


def _body(hints: dict[str, str], stronger: str, **wanted: object) -> Exercise:
    """For the body of a request: each wish is a key of the interface with its value."""

    def judge(answer: Any) -> Verdict:
        body = json.loads(answer) if isinstance(answer, str) else answer
        hint = _unlike(body, wanted, hints)
        return Verdict(hint) if hint else RIGHT

    return Exercise(judge, stronger)


def _unlike(body: Any, wanted: dict[str, object], hints: dict[str, str]) -> str:
    """What of *body* is not as the interface wants it; empty where all is."""
    if not isinstance(body, dict):
        return "the body is a `dict`: the interface's option names with their values."
    unknown = [key for key in body if key not in wanted and key not in hints]
    if unknown:
        return f"`{unknown[0]}` is not needed, or is not an option of the interface."
    for key, value in wanted.items():
        if key not in body:
            return f"`{key}` is missing."
        if type(body[key]) is not type(value):
            return f"`{key}` should be {kind(value)}, not {kind(body[key])}."
        if body[key] != value:
            return f"`{key}` has another value. {hints.get(key, '')}".strip()
    return ""


def _refused() -> list[str]:
    # Only this exercise needs them.
    from pydantic import ValidationError

    from server.records import GenerateRequest

    try:
        GenerateRequest.model_validate_json(json.dumps(REFUSED))
    except ValidationError as error:
        return [str(fault["loc"][-1]) for fault in error.errors()]
    return []


_yen = currency("JPY")

http = Lesson(
    "http",
    _body(
        {
            "message_type": "A financial message is called `financial`.",
            "network": "Write its name in capitals.",
            "currency": "The ISO 4217 code of the yen is in `sim.codes('currencies')`.",
            "amount_minor_units": "The yen has no smaller unit.",
            "version": "",
            "stan": "",
        },
        "Four names: `message_type`, `network`, `currency`, `amount_minor_units`.",
        message_type="financial",
        network="JCB",
        currency=_yen.numeric if _yen else "",
        amount_minor_units=minor("500", "JPY"),
    ),
    members(
        _refused,
        "the service expects a currency of three digits and a STAN of six.",
        "Send it as above, and read the `loc` of each entry of `detail`.",
        {
            ("currency",): "that is one of them; list all of them.",
            ("stan",): "that is one of them; list all of them.",
        },
        of=Spelling(""),
    ),
    _body(
        {
            "message": "It is the text above, `text`, unchanged.",
            "against": "A list with the one network in it.",
            "network": "",
            "version": "",
        },
        "Two names: `message` and `against`.",
        message=TEXT,
        against=["JCB"],
    ),
)
