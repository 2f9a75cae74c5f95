"""The answers an issuer can give: which code of a version and network an intent means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.codec import Message
from sim.elements.answer import answer
from sim.spec import code_list, spec

if TYPE_CHECKING:
    from sim.operations.llm.intent import Intent

_DECISIONS = ("approved", "declined", "pick-up", "referral", "system")
_SHOWN = 12


def code_table(version: str) -> list[tuple[str, str, str]]:
    """Code, meaning and kind of the decisions on a transaction in *version*."""
    return [
        (row.code, row.meaning, row.kind)
        for row in code_list("response_code")
        if version in row.versions and not row.network and row.kind in _DECISIONS
    ]


def answer_code(
    intent: Intent, request: Message, network: str | None, problems: list[str], notes: list[str]
) -> str | None:
    """DE 39 of the answer to *request*, None to accept it. What does not fit goes to *problems*."""
    version = request.version
    code = intent.response_code
    if code is None and intent.decline_reason:
        code = _by_meaning(intent.decline_reason, version, problems)
    if code is None:
        if intent.outcome == "declined" and not problems:
            problems.append("Give `response_code` for the decline, from the list of response codes")
        elif intent.outcome is None and not problems:
            notes.append("No decision was given: the answer accepts.")
        return None
    width = spec(version)[39].width
    if len(code) != width:
        problems.append(f"`response_code` has {width} characters in ISO 8583:{version}, {code} has not")
        return None
    known = answer(code, version, network)
    if known is None:
        problems.append(f"`response_code` {code} is not in the list of ISO 8583:{version}")
        return None
    approves = known.kind == "approved"
    if intent.outcome and approves != (intent.outcome == "approved"):
        problems.append(f"`response_code` {code} means {known.meaning}, which is not {intent.outcome}")
    if intent.decline_reason and approves:
        problems.append(f"`response_code` {code} means {known.meaning}: no reason to decline")
    notes.append(f"Response code {code}: {known.meaning}.")
    return code


def _by_meaning(reason: str, version: str, problems: list[str]) -> str | None:
    """The code whose meaning *reason* is; where none is, the problem names those with a word of it."""
    wanted = reason.casefold().strip(" .")
    table = [row for row in code_table(version) if row[2] != "approved"]
    if exact := next((code for code, meaning, _ in table if meaning.casefold() == wanted), None):
        return exact
    words = {word for word in wanted.split() if len(word) > 3}
    near = [f"{code} {meaning}" for code, meaning, _ in table if words & set(meaning.casefold().split())] or [
        f"{code} {meaning}" for code, meaning, _ in table
    ]
    problems.append(f"No response code means just that; give one of: {'; '.join(near[:_SHOWN])}")
    return None
