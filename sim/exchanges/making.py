"""Make an exchange: a first request, its outcome and the later steps, with the responses of an issuer.

The timing is our choice: a response comes after one second, a request times out after `TIMEOUT`, later steps
as in `_LATER`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from sim.codec import Message
from sim.elements import dates
from sim.elements import mti as mtis
from sim.elements.card import account
from sim.errors import ChoiceError, OptionError, quoted_value
from sim.exchanges.amounts import authorized, minor_units
from sim.exchanges.exchange import Exchange
from sim.exchanges.following import LINK, ORIGINAL_CREDIT, REFUND, REVERSALS, STEPS, follow
from sim.exchanges.matching import TIMEOUT
from sim.exchanges.roles import ANSWER, COMPLETION, INCREMENT, LATE, REPEAT, Step, asking_role
from sim.operations.answering import REASONS, respond
from sim.operations.asked import as_asked, options_of
from sim.operations.generation import generate, zone_of_setting
from sim.operations.options import Setting, check_details, has_option, kinds_of
from sim.operations.recipes import digits
from sim.spec import is_particular, spec
from sim.spec.networks import network as network_of
from sim.spec.spellings import choose, template_word
from sim.spec.tables import read_toml

APPROVED, PARTIAL, DECLINED, NO_ANSWER, TOO_LATE = "approved", "partial", "declined", "timeout", "late"
OUTCOMES = (APPROVED, PARTIAL, DECLINED, NO_ANSWER, TOO_LATE)
_DECIDED = ("10", "20")  # class and function of MTIs that an issuer approves or declines
_CODE = re.compile(r"[0-9A-Z]{2,4}")
_ITEM = re.compile(r"[\s,]+")
_DIGITS = re.compile(r"[0-9]{1,12}")
_ANSWERED = timedelta(seconds=1)
_GIVEN_UP = timedelta(seconds=TIMEOUT)
# The delay of a step after the message before it, if that has a response.
_LATER = {
    **dict.fromkeys(REVERSALS, timedelta(minutes=2)),
    **dict.fromkeys((INCREMENT, COMPLETION, REFUND, ORIGINAL_CREDIT), timedelta(days=1)),
    **dict.fromkeys((REPEAT, *LINK), timedelta(seconds=5)),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A requested step: its name, amount in minor units, reason and outcome."""

    step: str
    amount: int | None = None
    reason: str | None = None
    outcome: str = APPROVED


def make(
    purpose: str = "purchase",
    *,
    message_type: str | None = None,
    outcome: str = APPROVED,
    approved_minor_units: int | None = None,
    then: str | Iterable[str | Mapping[str, Any]] = "",
    **options: Any,
) -> Exchange:
    """An exchange of test messages, as `sim.exchange` describes it; *options* are those of `sim.generate`.

    Raises ChoiceError or OptionError for what cannot be met, which names the argument.

    >>> made = make("purchase", network="VISA", outcome="timeout", then="reversal repeat")
    >>> [step.role for step in made.steps]
    ['request', 'reversal', 'repeat', 'answer']
    """
    steps = wanted_steps(then)
    reason = options.pop("reason", None)
    settings = _options(purpose, message_type, options)
    partly = _outcome("outcome", outcome) == PARTIAL or is_particular("partial", settings["version"], outcome)
    notes: tuple[str, ...] = ()
    if partly:
        notes = _allow_part(settings)
    elif approved_minor_units is not None:
        raise OptionError("approved_minor_units", "outcome 'partial'", f"outcome {outcome!r}", 4)
    at = settings["at"] or dates.now().replace(microsecond=0)
    first = generate(**settings | {"at": at})
    zone = _zone(settings, at)
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    role = asking_role(first.message, None)
    aim = settings["purpose"] if settings["message_type"] not in LINK else settings["message_type"]
    step = Step(role, first.message, at.astimezone(UTC))
    exchange = Exchange((step,), first.network, aim, (*first.notes, *notes))
    becomes = [outcome, *(item.outcome for item in steps)]
    for place in (at for at, item in enumerate(steps) if item.step == REPEAT):
        if becomes[place] == APPROVED:
            becomes[place] = NO_ANSWER  # the sender repeats it because it timed out
        elif becomes[place] == TOO_LATE:
            raise OptionError(
                "then", "no repeat of a request with a late response: the response answers both", "'repeat'"
            )
        elif becomes[place] != NO_ANSWER and becomes[place + 1] == APPROVED:
            becomes[place + 1] = becomes[place]  # the repeat gets the outcome of the request
    exchange, late = _answered(exchange, becomes[0], approved_minor_units)
    for request, word in zip(steps, becomes[1:], strict=True):
        before = exchange.steps[-1]
        assert before.at is not None  # noqa: S101, every step made here has a time
        later = _LATER[request.step] if before.is_answer else _GIVEN_UP
        step = follow(
            exchange,
            request.step,
            amount_minor_units=request.amount,
            reason=request.reason or (reason if request.step in REVERSALS[:2] else None),
            entry=settings["entry"],
            at=(before.at + later).astimezone(zone),
        )
        assert step.at is not None  # noqa: S101
        if step.role == COMPLETION and (more := _more(exchange, step.message)):
            exchange = replace(exchange, notes=(*exchange.notes, more))
        place = len(exchange.steps)
        exchange = exchange.plus(replace(step, at=step.at.astimezone(UTC)), *late)
        exchange, late = _answered(exchange, word, approved_minor_units if word == PARTIAL else None, place)
    return exchange.plus(*late)


def _more(exchange: Exchange, completion: Message) -> str:
    """A note on a completion above the authorized amount, else empty."""
    total = sum(booking.stays for booking in authorized(exchange.steps, exchange.network))
    if minor_units(completion) <= total:
        return ""
    return "The completion is above what was authorized, which networks allow this category of merchants."


def wanted_steps(then: str | Iterable[str | Mapping[str, Any]]) -> tuple[Wanted, ...]:
    """The steps that *then* requests. Raises ChoiceError or OptionError for anything else.

    >>> [(one.step, one.amount) for one in wanted_steps("increment:5000 completion")]
    [('increment', 5000), ('completion', None)]
    """
    return tuple(map(_parse_step, _items(then)))


def _options(purpose: str, message_type: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `generation.generate`."""
    usual = {"network": None, "pan": None, "amount_minor_units": 1000, "currency": "840", "stan": "123456"}
    settings = {**usual, "version": None, "at": None, "entry": None, **options}
    with suppress(ChoiceError):  # another word is a purpose of a payment
        if message_type is None and (word := template_word("message_type", purpose)) in LINK:
            message_type, purpose = word, "purchase"
    try:
        resolved = options_of(message_type or "auth", purpose=purpose, **settings)
        if message_type is None:
            resolved["message_type"] = usual_kind(
                resolved["purpose"], resolved["network"], resolved["version"]
            )
    except OptionError as error:
        raise as_asked(error, options) from None
    return resolved


def usual_kind(purpose: str, network: str | None, version: str) -> str:
    """The usual message type of *purpose*: an authorization, cleared later, unless the network uses single
    messages."""
    kinds = read_toml("templates")["purposes"][purpose]["kinds"]
    known = [one for one in kinds if one in kinds_of(network, version)] or kinds
    own = network_of(network).dialects.get(version, {}) if network else {}
    usual = str(own.get("usual", "auth"))
    return usual if usual in known else str(known[0])


def _zone(given: Mapping[str, Any], at: datetime) -> tzinfo:
    """The zone of the merchant's clock."""
    if at.tzinfo is not None and at.tzinfo != UTC and "timezone" not in given["details"]:
        return at.tzinfo
    checked = {**given, "details": check_details(given["details"], given["version"])}
    words = ("message_type", "network", "version", "purpose", "entry", "currency", "details")
    return zone_of_setting(Setting(*(checked[word] for word in words)))


def _items(then: str | Iterable[str | Mapping[str, Any]]) -> list[str | Mapping[str, Any]]:
    """The requested steps, one by one."""
    if isinstance(then, Mapping):
        return [then]
    if isinstance(then, str):
        return [word for word in _ITEM.split(then) if word]
    if not isinstance(then, Iterable):
        raise OptionError("then", "steps: words such as reversal, in a text or a list", quoted_value(then))
    return [part for item in then for part in (_items(item) if isinstance(item, str) else [item])]


def _parse_step(item: str | Mapping[str, Any]) -> Wanted:
    """The step in a text, `word:minor units:reason or outcome`, or in a mapping."""
    if isinstance(item, Mapping):
        words = {"step": "step", "amount_minor_units": "amount", "reason": "reason", "outcome": "outcome"}
        if unknown := [name for name in item if name not in words]:
            raise ChoiceError.of("then", unknown[0], tuple(words))
        request = Wanted(**{words[name]: value for name, value in item.items()})
    elif isinstance(item, str):
        word, *parts = item.split(":")
        fields: dict[str, Any] = {}
        reasons = (*REASONS, *read_toml("templates")["spoken"]["reason"])
        for part in parts:
            if _DIGITS.fullmatch(part) and "amount" not in fields:
                fields["amount"] = int(part)
            elif _step(word) in REVERSALS and part in reasons:
                fields["reason"] = part
            else:
                fields["outcome"] = part
        request = Wanted(word, **fields)
    else:
        raise OptionError("then", "steps: words such as reversal, in a text or a list", quoted_value(item))
    request = replace(request, step=_step(request.step))
    reason = None if request.reason is None else template_word("reason", request.reason)
    if reason is not None and request.step not in REVERSALS:
        raise OptionError("then", f"no reason for a step {request.step!r}", quoted_value(request.reason))
    if _outcome("then", request.outcome) == PARTIAL:
        raise OptionError("then", "another outcome: only a first request can be partial", "'partial'")
    return replace(request, reason=reason)


def _step(word: object) -> str:
    """The step that *word* names. Raises ChoiceError."""
    return choose("then", word, STEPS, read_toml("templates")["spoken"]["then"])


def _outcome(option: str, word: object) -> str:
    """An outcome, one of `OUTCOMES` or a response code."""
    if isinstance(word, str) and (word in OUTCOMES or _CODE.fullmatch(word)):
        return word
    raise ChoiceError.of(option, word, (*OUTCOMES, "a response code such as 51"))


def _allow_part(given: dict[str, Any]) -> tuple[str, ...]:
    """Have the first request indicate that the terminal supports partial approval, if it is public how, else
    give a note. Raises OptionError if a partial approval is impossible."""
    network, version, option = given["network"], given["version"], "partial_approval"
    purposes = read_toml("templates")["options"][option]["purposes"]
    if given["purpose"] not in purposes or given["message_type"] not in ("auth", "financial"):
        raise OptionError("outcome", f"another one, or purpose {' or '.join(purposes)}", "'partial'", 39)
    if has_option(option, network, version):
        given["details"] = {**given["details"], option: True}
        return ()
    where = f"{network} in {version}" if network else version
    return (f"No public source says how a request of {where} takes a partial approval: it does not.",)


def _answered(
    exchange: Exchange, outcome: str, part: int | None, place: int = 0
) -> tuple[Exchange, tuple[Step, ...]]:
    """*exchange* with the response to step *place*, if any; and a late response, which comes after the next
    step."""
    step, last = exchange.steps[place], exchange.steps[-1]
    of = place if step.role != REPEAT or step.of is None else step.of
    assert step.at is not None  # noqa: S101
    assert last.at is not None  # noqa: S101
    if outcome == NO_ANSWER:
        return exchange, ()
    is_late = outcome == TOO_LATE
    at = step.at + _GIVEN_UP + _ANSWERED if is_late else last.at + _ANSWERED
    answer = Step(
        LATE if is_late else ANSWER, _answer(step.message, outcome, part, at, exchange.network), at, of
    )
    return (exchange, (answer,)) if is_late else (exchange.plus(answer), ())


def _answer(request: Message, outcome: str, part: int | None, at: datetime, network: str | None) -> Message:
    version = request.version
    codes = read_toml("templates")["answer"]
    if outcome == PARTIAL or is_particular("partial", version, outcome):
        requested = minor_units(request)
        if requested < 2:
            raise OptionError(
                "outcome", "an amount that can be partially approved", f"{requested} minor units", 4
            )
        part = requested // 2 if part is None else part
        if not (isinstance(part, int) and not isinstance(part, bool) and 0 < part < requested):
            raise OptionError(
                "approved_minor_units", f"a whole number, 1 to {requested - 1}", quoted_value(part), 4
            )
    code = None if outcome in (APPROVED, PARTIAL, TOO_LATE) else outcome
    if outcome == DECLINED:
        if request.mti[1:3] not in _DECIDED:
            expected = f"another one of MTI {request.mti}, which nobody decides, or a response code"
            raise OptionError("outcome", expected, "'declined'")
        code = str(codes["declined"][version])
    if code is not None and len(code) != spec(version)[39].width:
        expected = f"{spec(version)[39].format}, a code of {version}: see sim.codes('response_code')"
        raise OptionError("outcome", expected, quoted_value(code), 39)
    approval = digits(f"{account(request)[1]}{request.get(11)}{request.get(7)}", "approval", 6)
    has_code = request.get(38).strip() or mtis.is_advice(request.mti)
    response = respond(
        request,
        code,
        approval=None if has_code else approval,
        amount_minor_units=part,
        at=at,
        network=network,
    )
    return response.message
