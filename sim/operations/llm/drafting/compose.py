"""An intent as a message: our builder makes it, and what the intent left open is noted.

Problems are sentences for the model, which may then mend its intent.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, tzinfo
from decimal import Decimal
from typing import TYPE_CHECKING

from sim.codec import BuildError, Message, build
from sim.elements.money import say_amount
from sim.errors import OptionError
from sim.operations.answering import respond, reverse
from sim.operations.generation import Generated, generate
from sim.operations.llm.drafting.codes import Composing, answer_code
from sim.operations.llm.guard import tokens
from sim.operations.merchants import zone_named
from sim.operations.recipes import EARLIER
from sim.operations.validation import validate
from sim.spec import Currency, country, currency, zone_of
from sim.spec.networks import TestCard, detect, test_cards
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.operations.llm.drafting.intent import Intent

_DEFAULT_CURRENCY = "840"
_DEFAULT_AMOUNT = 1000
_DEFAULT_STAN = "123456"
_DECIDED = ("advice", "financial_advice", "reversal")  # kinds that tell a decision themselves
_DETAILS = {
    "terminal": "terminal_id",
    "merchant": "merchant_id",
    "name": "merchant_name",
    "city": "merchant_city",
    "country": "merchant_country",
    "mcc": "merchant_category",
    "expiry": "card_expiry",
    "reference": "reference",
    "acquirer": "acquirer_id",
    **{name: name for name in ("postal_code", "address", "three_d_secure", "initiator", "merchant_currency")},
}
_FLAGS = {"pin": "pin_entered", **{name: name for name in ("token", "store_card", "partial_approval")}}
# Amounts beside the amount itself: the option of generate, and the property.
_PARTS = {"cashback": "cashback_amount", "merchant_amount_minor_units": "merchant_amount"}
_WITHOUT_CARD = ("network", "stan", "date", "time", "utc_offset", "version", "direction", "kind", "outcome",
                 "response_code")  # fmt: skip


def compose(
    intent: Intent, *, reasons: frozenset[str], version: str, now: datetime, source: str
) -> tuple[Generated | None, list[str]]:
    """The message of *intent*, or the problems for which there is none. *version* holds where the
    intent names none; *now* stands in for dates and times that are not given, *reasons* (words of the
    meaning of a code) for the code of a decline."""
    draft = Composing(intent, reasons, intent["version"] or version, now, source)
    _check_shape(draft)
    options = _options(draft)
    if draft.problems:
        return None, draft.problems
    try:
        made = _build(draft, options)
        build(made.message)
    except OptionError as error:
        option = _DETAILS.get(error.option, error.option)
        return None, [f"`{option}`: expected {error.expected}, found {error.found}"]
    except BuildError as error:
        return None, [f"expected {error.expected}, found {error.found}"]
    if draft.problems:
        return None, draft.problems
    report = validate(made.message, network=made.network, against=(made.network,) if made.network else ())
    if report.errors:
        return None, [f"The message breaks a rule: {text}" for text in report.errors]
    notes = tuple(dict.fromkeys([*draft.notes, *made.notes]))
    return Generated(made.message, made.network, source, notes), []


def _check_shape(draft: Composing) -> None:
    """What does not go together, whatever its values."""
    intent, problems = draft.intent, draft.problems
    problems += [f"No element of the message can hold this: {text}" for text in intent.unmet]
    given = intent.said()
    allowed = _allowed(intent)
    if allowed and (wrong := [name for name in given if name not in allowed]):
        what = "An echo test" if intent["kind"] == "echo" else f"A message of kind {intent['kind']}"
        problems.append(f"{what} carries no card, money or place: leave out {', '.join(wrong)}")
    if intent["kind"] != "reversal" and any(name.startswith("original") for name in given):
        problems.append("Only a reversal has an original")
    decides = intent["direction"] == "response" or intent["kind"] in _DECIDED
    if not decides and (intent["response_code"] or intent["outcome"] or intent["approval_code"]):
        problems.append("A request carries no decision of the issuer: set `direction` to response")
    if intent["amount"] and intent["amount_minor_units"] is not None:
        problems.append("Give `amount` or `amount_minor_units`, not both")
    if intent.row.get("zero") and (Decimal(intent["amount"] or 0) or intent["amount_minor_units"]):
        problems.append(f"A {intent.row['title']} carries no amount")
    if intent["approved_amount"] and intent["direction"] != "response":
        problems.append("Only a response approves: set `direction` to response with `approved_amount`")
    if intent["final_amount"] and intent["kind"] != "reversal":
        problems.append("`final_amount` needs the kind reversal")
    if intent["cashback_amount"] and intent["purpose"] != "cashback":
        problems.append("`cashback_amount` needs the purpose cashback")
    if Decimal(intent["cashback_amount"] or 0) > Decimal(intent["amount"] or "Infinity"):
        problems.append("`cashback_amount` is more than `amount`")
    if intent["merchant_city"] and not intent["merchant_country"]:
        problems.append("Give `merchant_country` with `merchant_city`")


def _allowed(intent: Intent) -> tuple[str, ...]:
    """The properties that a message of a kind without a purpose can have; none where it has one."""
    row = intent.carries
    if not row.get("alone"):
        return ()
    card = () if row.get("cardless") else ("test_card", "card_last_four", "card_brand", "amount", "currency")
    money = ("amount", "amount_minor_units", "currency", "acquirer_id")
    return (*_WITHOUT_CARD, *card, *(money if 50 in row["1987"] else ()))


def _options(draft: Composing) -> dict[str, object]:
    """The keyword arguments of `generate`; problems and notes go to the draft."""
    intent = draft.intent
    options: dict[str, object] = {"version": draft.version, "at": _moment(draft)}
    options["stan"] = f"{int(intent['stan'] or _DEFAULT_STAN):06}"
    if not intent["stan"] and intent["kind"] != "reversal":
        draft.notes.append(f"No trace number was given: {_DEFAULT_STAN} is used.")
    if intent["network"]:
        options["network"] = intent["network"]
    row = intent.carries
    card = None if row.get("cardless") else _card(draft)
    if card is not None:
        options["pan"] = card.pan
        options["network"] = intent["network"] or card.network or None
    if row.get("alone") and "amount" not in _allowed(intent):
        return options
    code = _currency(draft)
    options["currency"] = code.numeric
    options["amount_minor_units"] = _amount(draft, code)
    if not row.get("alone"):
        options["purpose"], options["entry"] = _purpose(draft)
    options["details"] = _details(draft, code, options.get("network"))
    return options


def _purpose(draft: Composing) -> tuple[str, str]:
    """What for, and how the card was read: keyed where nothing is said and the purpose allows it."""
    intent, row = draft.intent, draft.intent.row
    if intent["purpose"] is None:
        draft.notes.append("No purpose was given: purchase is used.")
    entry = intent["entry"]
    if entry is None:
        entry = "manual" if "manual" in row["entries"] else row["entry"]
        title = "keyed" if entry == "manual" else read_toml("templates")["entries"][entry]["title"]
        draft.notes.append(f"No way of reading the card was given: {title} is used.")
    return intent["purpose"] or "purchase", entry


def _details(draft: Composing, code: Currency, own: object) -> dict[str, object]:
    """What generate takes beyond its options; *own* is the card's network."""
    intent = draft.intent
    found: dict[str, object] = {name: value for name, key in _DETAILS.items() if (value := intent[key])}
    found |= {name: True for name, key in _FLAGS.items() if intent[key]}
    for name, key in _PARTS.items():
        money = currency(intent["merchant_currency"] or "") if key == "merchant_amount" else None
        if intent[key]:
            found[name] = str(_minor(draft, intent[key], money or code))
    if intent["instalments"]:
        found["instalments"] = str(intent["instalments"])
    if intent["cvv2_given"]:
        found["cvv2"] = read_toml("templates")["sample"]["cvv2"][: 4 if own == "AMEX" else 3]
        draft.notes.append("The verification value is a sample one: a description may hold none.")
    if zone := intent["utc_offset"] or intent["time_zone"]:
        found["timezone"] = zone
    return found


def _moment(draft: Composing) -> datetime:
    """The moment at the merchant; what the intent leaves open is now."""
    intent = draft.intent
    moment = _read_moment(draft, intent["date"], intent["time"], intent["utc_offset"])
    if moment is None:
        draft.notes.append(f"No date or time was given: {draft.now:%d %B %Y, %H:%M} is used.")
    return moment or draft.now


def _read_moment(draft: Composing, day: str | None, clock: str | None, offset: str | None) -> datetime | None:
    if not (day or clock or offset):
        return None
    try:
        zone = _local_zone(draft) if offset is None else zone_named(offset)
        moment = datetime.combine(
            date.fromisoformat(day) if day else draft.now.astimezone(zone).date(),
            time.fromisoformat(clock) if clock else draft.now.astimezone(zone).time().replace(microsecond=0),
            zone,
        )
    except (ValueError, OptionError):
        draft.problems.append("`date`, `time`, `utc_offset` or `time_zone` is none that exists")
        return None
    if day and not clock:
        draft.notes.append("No time of day was given: the present one is used.")
    if clock and not day:
        draft.notes.append("No date was given: today's is used.")
    if clock and not offset and not draft.intent["time_zone"]:
        whose = "UTC" if zone is UTC else "the merchant's local time"
        draft.notes.append(f"The time is taken as {whose}, as no zone was given.")
    return moment


def _local_zone(draft: Composing) -> tzinfo:
    """The time zone of the merchant, as generate takes it where nothing is said; UTC for an echo."""
    intent = draft.intent
    if intent["time_zone"]:
        return zone_named(intent["time_zone"])
    if intent.carries.get("alone"):
        return UTC
    found = country((intent["merchant_country"] or read_toml("templates")["sample"]["country"]).upper())
    return zone_named(zone_of(found.alpha2) if found else "UTC")


def _card(draft: Composing) -> TestCard | None:
    """The test card the intent means; None for the network's default. Problems go to the draft."""
    intent = draft.intent
    cards: list[TestCard] = list(test_cards())
    if intent["test_card"]:
        token = intent["test_card"].removeprefix("test card ").strip().upper()
        cards = [card for name, card in tokens().items() if name == token]
    if intent["card_last_four"]:
        cards = [card for card in cards if card.pan.endswith(intent["card_last_four"])]
    if intent["card_brand"]:
        wanted = intent["card_brand"].casefold()
        cards = [card for card in cards if (d := detect(card.pan)) and d.brand.casefold() in (wanted,)]
    if not (intent["test_card"] or intent["card_last_four"] or intent["card_brand"]):
        return None
    if intent["network"]:
        cards = [card for card in cards if card.network == intent["network"]] or (
            cards if intent["test_card"] else []
        )
    if not cards:
        draft.problems.append("No published test card is as `test_card`, `card_last_four`, `card_brand` say")
        return None
    if len(cards) > 1:
        draft.notes.append("Several published test cards fit: the first of them is used.")
    return cards[0]


def _currency(draft: Composing) -> Currency:
    code = draft.intent["currency"] or _DEFAULT_CURRENCY
    known = currency(code)
    if known is None or known.exponent is None:
        draft.problems.append(f"`currency` {code} is no currency of ISO 4217 with an amount")
        known = currency(_DEFAULT_CURRENCY)
    assert known is not None  # noqa: S101, narrows the type: the default is in the list
    if not draft.intent["currency"] and not draft.intent.row.get("zero"):
        draft.notes.append(f"No currency was given: {known.alpha} is used.")
    return known


def _amount(draft: Composing, code: Currency) -> int:
    intent = draft.intent
    if intent.row.get("zero"):
        return 0
    if intent["amount_minor_units"] is not None:
        return int(intent["amount_minor_units"])
    if intent["amount"] is not None:
        return _minor(draft, intent["amount"], code)
    said = say_amount(str(_DEFAULT_AMOUNT), code.numeric)
    draft.notes.append(f"No amount was given: {said} is used.")
    return _DEFAULT_AMOUNT


def _minor(draft: Composing, amount: str, code: Currency) -> int:
    """*amount* in minor units; more decimals than the currency has are a problem, never rounded."""
    value = Decimal(amount).scaleb(code.exponent or 0)
    if value != value.to_integral_value():
        draft.problems.append(f"{code.alpha} has {code.exponent} decimals, so {amount} cannot be written")
    return int(value)


def _build(draft: Composing, options: dict[str, object]) -> Generated:
    intent = draft.intent
    if intent["kind"] == "reversal":
        made = _reversal(draft, options)
    else:
        made = generate(intent["kind"], **options)  # type: ignore[arg-type]
        if intent["kind"] in ("advice", "financial_advice"):
            made = _advice(draft, made)
    if intent["direction"] == "request":
        return made
    code = answer_code(draft, made.message, made.network)
    part = None
    if intent["approved_amount"]:
        part, code = _minor(draft, intent["approved_amount"], _currency(draft)), None
    if draft.problems:
        return made
    reply = respond(made.message, code, approval=_approval(draft), amount_minor_units=part)
    if intent["approval_code"] and 38 not in reply.message:
        draft.problems.append("This answer carries no approval code: leave `approval_code` out")
    if 38 in reply.message and not intent["approval_code"]:
        draft.notes.append(f"No approval code was given: {reply.message[38]} is used.")
    return Generated(reply.message, made.network, draft.source, made.notes)


def _approval(draft: Composing) -> str | None:
    code: str | None = draft.intent["approval_code"]
    if code is not None and len(code) != 6:
        raise BuildError(38, None, "an approval code of 6 characters", f"{len(code)} characters")
    return code


def _advice(draft: Composing, made: Generated) -> Generated:
    """An advice tells a decision: the one of the intent, else an approval."""
    code = None
    if draft.intent["direction"] == "request":
        code = answer_code(draft, made.message, made.network)
    message = made.message
    if code is not None and code.strip("0"):
        message = message.replace(de39=code, de38=None)
    if approval := _approval(draft):
        message = message.replace(de38=approval)
    return Generated(message, made.network, draft.source, made.notes)


def _reversal(draft: Composing, options: dict[str, object]) -> Generated:
    """The reversal of a message that is built from the same intent."""
    intent = draft.intent
    moment = options["at"]
    assert isinstance(moment, datetime)  # noqa: S101, narrows the type
    kind = intent["original_kind"]
    if kind is None:
        draft.notes.append("What is undone was not said: an authorization is.")
    original_stan = intent["original_stan"]
    if original_stan is None:
        before = (int(str(options["stan"])) - 1) % 10**6 if intent["stan"] else int(_DEFAULT_STAN)
        original_stan = str(before)
        draft.notes.append(f"The original's trace number was not given: {before:06} is used.")
    number = options["stan"] if intent["stan"] else None
    if number is None:
        draft.notes.append("No trace number was given: the one after the original's is used.")
    when = None
    if intent["original_date"] or intent["original_time"]:
        when = _read_moment(draft, intent["original_date"], intent["original_time"], intent["utc_offset"])
    if when is None:
        draft.notes.append("When the original was sent was not given: five minutes before.")
    own = {"stan": f"{int(original_stan):06}", "at": when or moment - EARLIER}
    made = generate(kind or intent.usual_kind, **{**options, **own})  # type: ignore[arg-type]
    undone: Message = made.message
    if approval := _approval(draft):
        undone = undone.replace(de38=approval)
    final = _minor(draft, intent["final_amount"], _currency(draft)) if intent["final_amount"] else None
    reply = reverse(
        undone, stan=None if number is None else str(number), at=moment, final_amount_minor_units=final
    )
    return Generated(reply.message, made.network, draft.source, made.notes)
