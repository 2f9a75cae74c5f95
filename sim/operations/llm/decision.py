"""The issuer's decision, and whether an explanation states another than the message carries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sim.codec import Message
from sim.elements import mti as mtis
from sim.elements.answer import answer
from sim.operations.llm.wording import REASONS, said

if TYPE_CHECKING:
    from sim.operations.llm.claims import Facts

_THING = (
    r"(?:transaction|payment|purchase|request|authori[sz]ation|refund|withdrawal|reversal|it|which|message)"
)
_APPROVED = re.compile(
    r"\b(?:approve[sd]|accepted|authori[sz]e[sd]|granted|grants|honou?red|approval(?! codes?\b)|succeeded"
    r"|(?:went|gone|goes) through"
    rf"|{_THING} (?:is|was|has been) (?:\w+ly )?successful|successful {_THING}"
    r"|successfully (?:completed|processed))\b",
    re.IGNORECASE,
)
_DECLINED = re.compile(
    r"\b(?:decline[sd]?|reject(?:s|ed|ion)?|refuse[sd]?|refusal|denie[sd]|denial|turned down"
    rf"|{_THING} (?:has |is |was )?(?:failed|unsuccessful)|unsuccessful {_THING})\b",
    re.IGNORECASE,
)
# Words before a decision that leave it open, or deny it.
_OPEN = re.compile(
    r"(?:\b(?:not(?! only)|no(?! doubt| question)|nor|never|neither|yet|whether|if|until|unless|before|"
    r"without|may|might|can|could|would|should|must|will|cannot|to be|asks?|asking|asked|requests?|"
    r"requesting|requested|seeks?|seeking|awaits?|awaiting|pending|either)\b|n't)\W+(?:[\w'-]+\W+){0,5}$",
    re.IGNORECASE,
)
_OPEN_AFTER = re.compile(
    r"\W+(?:is|are|was) (?:requested|sought|pending|awaited|open|not|needed|required)", re.IGNORECASE
)


def meaning_of(message: Message, network: str | None) -> tuple[str, str]:
    """The meaning and kind of the response code, both empty where there is none that is known."""
    found = answer(message.get(39), message.version, network)
    return (found.meaning, found.kind) if found else ("", "")


def kind_of(message: Message, network: str | None) -> str:
    """approved, declined, or empty where the message tells neither."""
    _, kind = meaning_of(message, network)
    if not kind or (message.mti[1] == "4" and not mtis.is_response(message.mti)):
        return ""
    return "declined" if kind in ("declined", "pick-up", "referral", "system") else "approved"


def check_claim(text: str, known: Facts) -> list[str]:
    """A decision, or a reason for one, that the message does not carry."""
    kind = kind_of(known.message, known.network)
    problems = []
    for sentence in re.split(r"(?<=[.;!?])\s+", text):
        if kind != "approved" and _states(_APPROVED, sentence):
            problems.append("The message carries no approval: do not state one")
        if kind != "declined" and _states(_DECLINED, sentence):
            problems.append("The message carries no decline: do not state one")
    meaning, _ = meaning_of(known.message, known.network)
    for pattern, wanted in REASONS if kind == "declined" else ():
        if said(pattern, text) and not re.search(wanted, meaning, re.IGNORECASE):
            problems.append(f"The response code means {meaning}: state no other reason")
    return problems


def _states(pattern: re.Pattern[str], sentence: str) -> bool:
    return any(
        not _OPEN.search(sentence[: match.start()]) and not _OPEN_AFTER.match(sentence, match.end())
        for match in pattern.finditer(sentence)
    )
