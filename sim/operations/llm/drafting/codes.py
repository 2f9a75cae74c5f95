"""The answers an issuer can give: which code of a version and network an intent means."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from sim.codec import Message
from sim.spec import code_list, spec
from sim.spec.networks import answer

if TYPE_CHECKING:
    from sim.operations.llm.drafting.intent import Intent

_NO_REASON = "do not honour"  # what an issuer answers that gives no reason
_DECISIONS = ("approved", "declined", "pick-up", "referral", "system")


@dataclass(slots=True)
class Composing:
    """A message in the making; `problems` say why it cannot be made."""

    intent: Intent
    reasons: frozenset[str]
    version: str
    now: datetime
    source: str
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def code_table(version: str) -> list[tuple[str, str, str]]:
    """Code, meaning and kind of the decisions on a transaction in *version*."""
    return [
        (row.code, row.meaning, row.kind)
        for row in code_list("response_code")
        if version in row.versions and not row.network and row.kind in _DECISIONS
    ]


def answer_code(draft: Composing, request: Message, network: str | None) -> str | None:
    """DE 39 of the answer to *request*, None to accept it. What does not fit goes to the problems."""
    intent, problems, version = draft.intent, draft.problems, request.version
    code: str | None = intent["response_code"]
    if code is None and intent["outcome"] == "declined":
        if not draft.reasons:
            draft.notes.append("No reason was given for the decline.")
        code = _of_reason(draft.reasons or {_NO_REASON}, version)
    if code is None:
        if intent["outcome"] is None:
            draft.notes.append("No decision was given: the answer accepts.")
        return None
    width = spec(version)[39].width
    known = answer(code, version, network)
    if len(code) != width:
        problems.append(f"`response_code` has {width} characters in ISO 8583:{version}, {code} has not")
    elif known is None:
        problems.append(f"`response_code` {code} is not in the list of ISO 8583:{version}")
    elif intent["outcome"] and (known.kind == "approved") != (intent["outcome"] == "approved"):
        problems.append(f"`response_code` {code} means {known.meaning}, which is not {intent['outcome']}")
    else:
        draft.notes.append(f"Response code {code}: {known.meaning}.")
        return code
    return None


def _of_reason(reasons: Set[str], version: str) -> str | None:
    """The code whose meaning has one of *reasons* in it."""
    return next(
        (
            code
            for code, meaning, kind in code_table(version)
            if kind != "approved" and any(reason in meaning for reason in reasons)
        ),
        None,
    )
