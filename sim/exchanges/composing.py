"""Compose a plan from the marks read in a description.

Contradictions and ambiguities are unclear: two networks, currencies, card entries or decisions, an amount
without a role."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time
from types import MappingProxyType
from typing import Any

from sim.codec import Message
from sim.codec.text import misfits
from sim.elements import dates
from sim.errors import OptionError, quoted_value
from sim.exchanges import beside
from sim.exchanges.changing import NEW, continued, kind_of, step_of
from sim.exchanges.deciding import WIDTHS, Decision, decide, said_by, worth
from sim.exchanges.hosting import call_of
from sim.exchanges.lexicon import element_names, fold, labels, like, pattern, phrases_of
from sim.exchanges.listing import WITHOUT_AMOUNT, separated, several
from sim.exchanges.making import usual_kind
from sim.exchanges.plan import Asked, Plan, steps_of
from sim.exchanges.shares import Draft
from sim.exchanges.words import Mark, Reader, Sum
from sim.operations.faults import all_faults
from sim.operations.generation import native_version
from sim.operations.merchants import zone_named
from sim.operations.options import mti_of
from sim.spec import country as country_of
from sim.spec import currency as currency_of
from sim.spec import spec
from sim.spec.codes import zone_of
from sim.spec.networks import NETWORKS, default_card, detect, test_cards

# Purposes that specify a purchase: the word `purchase` with them adds nothing.
_PURCHASES = frozenset(("recurring", "instalment", "cashback", "quasi_cash", "account_funding",
                        "original_credit", "verification", "preauthorization", "incremental",
                        "completion"))  # fmt: skip
_LATER = frozenset(("incremental", "completion"))  # purposes that follow an authorization
_ONLINE = frozenset(("recurring", "instalment", "account_funding"))  # the cardholder keys in the card data
_AFTER = _LATER | {"refund"}
_OF_REQUEST = frozenset(("main", "part", "cashback", "balance"))  # roles of amounts
# What a tip may be added to.
_TIPPED = (["purchase"], ["preauthorization"], ["preauthorization", "completion"])
_ASKING = frozenset(("preauthorization", "purchase", "recurring"))  # purposes that others may follow
_DIGIT_VERSION = {"0": "1987", "1": "1993", "2": "2003"}
_CLASS_KINDS = {"10": "auth", "20": "financial", "12": "advice", "22": "financial_advice"}
_PLAIN = (
    *("stan", "mcc", "terminal", "merchant_id", "acquirer", "expiry", "cvv2", "postal_code"),
    *("address", "merchant"),
)
_LABELLED = {2: "pan", 14: "expiry", 18: "mcc", 32: "acquirer", 39: "code", 41: "terminal", 42: "merchant_id",
             37: "rrn", 38: "approval"}  # fmt: skip
_NONE: Mapping[str, Any] = MappingProxyType({})
MOST_DESCRIPTION = 2000  # characters, as in the interface
_OF_ENTRY = ("pin", "three_d_secure", "token", "cvv2", "postal_code", "store_card", "initiator")
_USUAL_COUNTRY = "US"  # of the merchant, by default
# Pairs of card entries: the first says less than the second.
_LESS = (("stripe", "fallback"), ("manual", "moto"), ("chip", "fallback"), ("ecommerce", "stored"))
_FIRST = ("00", "20", "10", "30")  # function and origin of messages that are not repeats
_IN_UTC = re.compile(r"(?:utc|gmt|\dz)\s*$", re.IGNORECASE)
_FEW = frozenset(map(str, range(beside.MOST_COUNTED + 1)))  # `5 more`: messages, or their amount?
_CODED = re.compile(r"\d")  # a decision by its code
_MOST_CITY = 13  # characters of the city in DE 43


def plan_of(
    text: str, *, before: Plan | None = None, version: str | None = None, at: datetime | None = None
) -> Plan:
    """The plan that *text* describes, or the plan *before* as *text* changes it; *version* and *at* apply if
    it names none. Raises OptionError if *text* is not a text or is too long."""
    if not isinstance(text, str) or len(text) > MOST_DESCRIPTION:
        expected = f"a text of at most {MOST_DESCRIPTION:,} characters"
        raise OptionError(
            "description", expected, f"{len(text):,}" if isinstance(text, str) else quoted_value(text)
        )
    reader = Reader(text)

    def compose(part: Reader, options: Mapping[str, Any] = _NONE, asked: Asked | None = None) -> Plan:
        return Composer(part, asked, version, at, options).plan()

    if before:
        return continued(before, reader, compose).check()
    plan = compose(reader.part()).check()
    return (several(reader, compose) if plan.unclear else None) or plan


class Composer(Draft):
    """Composes the plan of a description, added to the request *before* in a follow-up."""

    def __init__(
        self,
        reader: Reader,
        before: Asked | None,
        version: str | None,
        at: datetime | None,
        options: Mapping[str, Any] = _NONE,
    ) -> None:
        super().__init__(reader, before)
        self.options |= options
        self.given_version, self.at = version, at
        self.network: str | None = None
        self.version = ""
        self.decision = Decision()
        self.not_possible = ""

    def plan(self) -> Plan:
        """The plan: its steps, its assumptions, and what is unclear."""
        if self.before and (units := self.before.options.get("amount_minor_units")):
            self.reader.whole = Sum(units, str(self.before.options.get("currency", "USD")))
        if self.before and self.before.is_declined and _CODED.search(self.before.words.get("outcome", "")):
            self.reader.code = str(self.before.outcome)
        beside.settle(self.reader)
        if many := [mark.value for mark in self.all("instalments") if isinstance(mark.value, int)]:
            self.put("instalments", many[0], "instalments")
        self._unknown()
        self._elements()
        self._network()
        self._version()
        for key in _PLAIN:
            if (value := self.only(key)) is not None:
                self.put(key, fold(value).upper() if key == "merchant" else value, key)
        if price := self.only("own_price"):
            self.put("merchant_amount_minor_units", price.minor_units, "own_price")
            self.put("merchant_currency", price.currency, "own_price")
        self._place()
        self._entry()
        self._moment()
        request = self._request()
        call = call_of(self.reader, self.decision, self.network)
        unclear = tuple(dict.fromkeys(self.reader.unclear))
        steps = (call,) if call else steps_of(request) if request else ()
        if self.not_possible:
            return Plan(self.reader.text, notes=tuple(self.notes), not_possible=self.not_possible)
        plan = Plan(self.reader.text, request or Asked(), steps, tuple(self.notes), unclear)
        if (size := self.only("sized")) and not plan.check().refusal:
            made = plan.run().exchange.steps
            if size not in (len(made), sum(not step.is_answer for step in made)):
                plan = replace(plan, unclear=(f"which {size} messages",))
        return plan

    # -- words
    def _unknown(self) -> None:
        """Report unknown words, and words whose context is missing."""
        for trade in self.all("trade"):  # Hotel Sacher
            name = pattern("capitals").match(self.reader.text, trade.end)
            if name is None:
                continue
            known = (mark.start for mark in self.reader.marks if mark.key != "unknown")
            end = min((at for at in known if name.start() < at < name.end()), default=name.end())
            parts = [mark for mark in self.all("unknown") if name.start() < mark.start < end]
            for mark in parts[1:]:
                mark.key = "aside"
            for mark in parts[:1]:
                start = trade.start if trade.words[:1].isupper() else trade.end
                mark.key, mark.value = "merchant", self.reader.text[start:end].strip()
        for mark in self.all("impossible"):
            self.not_possible = self.not_possible or str(mark.value)
        if not self.all("which"):
            for mark in self.all("except"):
                self.bad(mark.words)
        has_context = bool(self.all("head", "amount", "network", "kind", "alone"))
        left = ["unknown", "beyond", "several", "negation", "it", "same", "fact", "retry", "share", "earlier"]
        if self.before is None:
            left.append("change")
        if self.before is None or not self.all("amount", "bare"):
            left.append("less")
        if not self.all("host", "suite"):
            left += ["bound", "everything", "endpoint"]
        if self.before is None and not self.all("amount", "bare", "raw"):
            left.append("equal")  # the same amount as what?
        if not (self.all("partof") and self.all("then")):
            left.append("rest")
        if not any(mark.value == "completion" for mark in self.all("head")):
            left.append("booking")  # paid now, or held until later?
        for mark in self.all(*left):
            if (mark.key == "it" and has_context) or (mark.key in ("it", "same") and self.before):
                continue
            if mark.words in ("?", "¿") and self.all("polite"):
                continue
            words = self.reader.shown[mark.start : mark.end]
            self.bad(words)
            if mark.key == "unknown" and (near := like(mark.value)) and near != fold(words):
                self.notes.append(f"Did you mean '{near}' by '{words}'?")

    def _elements(self) -> None:
        """Turn labeled elements into the options that set them."""
        for mark in self.all("de"):
            number, value = mark.value
            alpha = entry.alpha if number == 49 and (entry := currency_of(value.upper())) else None
            if number == 11 and value.isdigit() and len(value) <= 6:
                mark.key, mark.value = "stan", value.zfill(6)
            elif number in _LABELLED:
                mark.key, mark.value = _LABELLED[number], value.upper() if number in (38, 39) else value
            elif number == 4 and value.isdigit() and len(value) == 12:
                mark.key, mark.value = "raw", int(value)
            elif alpha:
                mark.key, mark.value = "currency", alpha
            elif number == 22 and value[:2] in phrases_of("de22") and len(value) == 3:
                self.reader.marks.append(replace(mark, key="entry", value=phrases_of("de22")[value[:2]]))
            elif number == 3 and len(value) == 6 and value[:2] in phrases_of("de3"):
                self.reader.marks.append(replace(mark, key="head", value=phrases_of("de3")[value[:2]]))
            elif number in (4, 49) or not _fits(number, value.upper(), self.given_version or "1987"):
                self.bad(mark.words)

    # -- options
    def _network(self) -> None:
        network, pan, tail = self.only("network"), self.only("pan"), self.only("tail")
        network = network or (None if pan or tail else self.options.get("network"))
        if pan:
            self.put("pan", pan, "pan")
            detection = detect(pan)
            pan_network = detection.network if detection else None
            if pan_network is None or (network and pan_network != network):
                self.bad(f"a card number that is not {network or 'on a known network'}")
            network = network or pan_network
        elif tail:
            network = self._card_ending(tail, network)
        self.network = network
        if network and self.all("network", "pan", "tail"):
            self.put("network", network, "network", "pan", "tail")
            if "pan" not in self.words:
                self.options.pop("pan", None)

    def _card_ending(self, tail: str, network: str | None) -> str | None:
        """The network of the test card that ends in *tail*, one of *network* if given; default cards come
        first."""
        of = (network,) if network else NETWORKS
        owner = next((name for name in of if default_card(name).pan.endswith(tail)), None)
        if owner is None:
            cards = {card.pan: card.network for card in test_cards() if card.network in of}
            cards = {pan: name for pan, name in cards.items() if pan.endswith(tail)}
            if len(cards) != 1:
                self.bad(f"which card ends in {tail}")
                return network
            self.put("pan", next(iter(cards)), "tail")
            owner = next(iter(cards.values()))
        return owner

    def _version(self) -> None:
        if asks := self.all("conversion"):
            for mark in self.all("version")[-1:]:
                mark.key = "convert"
                self.reader.marks.append(replace(asks[0], key="convert", value=mark.value))
        version = self.only("version")
        for mark in self.all("mti"):
            mti_version = _DIGIT_VERSION[mark.value[0]]
            if version and version != mti_version:
                self.bad(f"{mark.value} is not an MTI of {version}")
            version = mti_version
        if version := version or self.given_version:
            self.put("version", version, "version", "mti")
        self.version = version or native_version(self.network, None)

    def _place(self) -> None:
        land, country, trade = self.only("city") or "", self.only("country"), self.only("trade")
        country = country or min((mark.value for mark in self.all("region")), default=None)
        words = fold(next((mark.words for mark in self.all("city")), "")).upper()
        name = words.removeprefix("IN ").removeprefix("A ")[:_MOST_CITY]
        if land and country and country != land:
            self.bad(f"{name} is not in {country}")
        if name:
            self.put("city", name.strip(), "city")
        if name and not (country or land):
            country = self._country_of_money(name)
        if country or land:
            self.put("country", country or land, "country" if self.all("country") else "city")
        if trade and "mcc" not in self.words:
            self.put("mcc", trade, "trade")
        elif trade and "merchant" not in self.words and self.options["mcc"] != trade:
            self.bad("another merchant category")

    def _country_of_money(self, city: str) -> str | None:
        """The country of an unknown *city*, by the currency; None and unclear if that tells no country."""
        currencies = {mark.value.currency for mark in self.all("amount")} or {
            self.options.get("currency", "USD")
        }
        currencies -= {"USD"}
        land = next(iter(currencies))[:2] if len(currencies) == 1 else ""
        if country_of(land) is None:
            self.bad(f"{city.title()}: in which country")
            return None
        self.notes.append(f"{city.title()} is assumed to be in {land}, because of the currency")
        return land

    def _entry(self) -> None:
        entries = {mark.value for mark in self.all("entry")}
        for less, more in _LESS:
            if {less, more} <= entries:
                entries.discard(less)
        if self.all("absence") and entries == {"manual"}:
            entries = {"moto"}
            self.notes.append("A keyed card that is not present: mail or telephone order")
        for mark in self.all("option"):
            self._option(mark)
        if len(entries) > 1:
            self.bad("contradicts itself: " + " / ".join(mark.words for mark in self.all("entry")))
        if self.all("absence") and not entries and "three_d_secure" not in self.options:
            self.put("entry", "ecommerce", "absence")
            self.notes.append("The card is not present, and the entry was not given: e-commerce")
        if self.all("absence") and entries - {"ecommerce", "moto", "stored"}:
            self.bad(self.all("absence")[0].words)
        if self.all("presence") and entries & {"ecommerce", "moto", "stored"}:
            self.bad("a card both present and absent")
        if self.all("wallet") and "contactless" in entries:
            self.notes.append("A tapped phone looks like a card, so no token is indicated")
        elif self.all("wallet") and not (entries or self.all("absence") or "three_d_secure" in self.options):
            self.put("entry", "contactless", "wallet")
            self.notes.append("The description does not say how the phone paid: tapped, without a token")
        elif self.all("wallet"):
            self.put("token", True, "wallet")
        if entries:
            self.put("entry", min(entries), "entry")
        elif "three_d_secure" in self.words:
            self.put("entry", "ecommerce", "option")
        elif self.options.get("token"):
            self.bad("how the token was presented")
        elif checked := {"postal_code", "address", "cvv2"} & set(self.words):
            online = any(mark.value in _ONLINE for mark in self.all("head"))
            how = "ecommerce" if online else "manual"
            self.options.setdefault("entry", how)
            words = "e-commerce" if online else "keyed"
            self.notes.append(f"The card entry was not given: {words}, as {min(checked)} is checked")
        elif self.options.get("store_card"):
            self.options.setdefault("entry", "ecommerce")
            self.notes.append("The card entry was not given: e-commerce, as the card is stored")
        if self.options.get("initiator"):
            self.options.setdefault("entry", "stored")
        if "entry" in self.words:  # those of another entry are of no use
            self.options = {name: value for name, value in self.options.items()
                            if name not in _OF_ENTRY or name in self.words}  # fmt: skip

    def _option(self, mark: Mark) -> None:
        name, _, text = mark.value.partition("=")
        value: Any = {"yes": True, "no": False, "right": True}.get(text, text)
        if text == "right" and any("PIN" in str(one.value) for one in self.all("reason", "reason!")):
            self.bad(f"a wrong PIN, and {mark.words}")
        if name == "cvv2":
            value = self.options.get("cvv2", "1234" if self.only("network") == "AMEX" else "123")
        before = self.options.get(name, value) if name in self.words else value
        if "attempted" in (before, value) and name == "three_d_secure":
            value = before = "attempted"  # `3DS, attempted`: `attempted` says more
        if before != value:
            self.bad(f"contradicts itself: {mark.words}")
        self.options[name] = value
        earlier = self.words.get(name, "")
        apart = earlier and mark.words not in earlier
        self.words[name] = f"{earlier} … {mark.words}" if apart else mark.words

    def _moment(self) -> None:
        day, clock, zone_name = self.only("day"), self.only("clock"), self.only("timezone")
        if zone_name:
            self.put("timezone", zone_name, "timezone")
        if day or clock:
            now = self.at or dates.now()
            in_utc = any(_IN_UTC.search(mark.words) for mark in self.all("clock"))
            land = country_of(self.options.get("country") or _USUAL_COUNTRY)
            zone = zone_named(zone_name or ("UTC" if in_utc or land is None else zone_of(land.alpha2)))
            # A time without a zone is the merchant's local time.
            at = datetime.combine(day or now.date(), time(*(clock or (12, 0, 0))), zone)
            self.put("at", at.isoformat(), "day", "clock", "timezone")
        elif self.at:
            self.options["at"] = self.at.isoformat()

    # -- messages
    def _request(self) -> Asked | None:
        mtis = self.all("mti")
        classes = {mark.value[1] for mark in mtis}
        earlier = self.before.outcome if self.before else None
        said = {mark.value for mark in self.all("decision", "reason", "reason!", "code")}
        misfit = self.before and self.before.is_declined and len(str(earlier)) != WIDTHS[self.version]
        if misfit and said <= {"declined"}:
            self.reader.marks.append(Mark("code", earlier, 0, 0, ""))  # the code of this version
        answered = any(mark.value[2] in "13" for mark in mtis)
        decision = self.decision = decide(self.reader, self.network, self.version, answered, earlier)
        if self.all("suite", "host"):
            return None
        if self.all("alone") or classes & {"8", "5"}:
            request = self._of_a_link(decision, classes)
        else:
            payment = ("head", "then", "mti", "amount", "bare", "raw", "cashbackof", "kind", "entry", "fault")
            coded = decision.outcome and (self.network or decision.code)
            if not (self.before or self.all(*payment) or coded):
                self.bad("which transaction, such as a purchase, a refund or an echo test")
            request = self._payment(decision)
        if request is None:
            return None
        request = self._changed(self._counted(request))
        words = {name: words for name, words in self.words.items() if words}
        return replace(request, words={**request.words, **words})

    def _of_a_link(self, decision: Decision, classes: set[str]) -> Asked | None:
        """Messages without a card: an echo test, a sign-on."""
        links = list(dict.fromkeys(mark.value for mark in self.all("alone")))
        others = set(self.options) - {"network", "version", "stan", "at"}
        if not links or others or self.all("head", "amount", "bare", "then") or classes - {"8", "5"}:
            self.bad("a network message with options of a payment")
            return None
        answered = self.all("answer") or any(mark.value[2] == "1" for mark in self.all("mti"))
        outcome = decision.as_outcome or ("approved" if answered else None)
        self.words |= dict.fromkeys(("purpose", "message_type", "then"), said_by(self.all("alone")))
        self.words["outcome"] = decision.words
        return Asked(links[0], links[0], self.options, outcome, then=tuple(links[1:]))

    def _payment(self, decision: Decision) -> Asked | None:
        """The payment that is described: a new one, or the one before as a follow-up changes it."""
        before = self.before
        chain = self._continued(before) if before else self._chain()
        if chain is None:
            return None
        amounts = self.amounts(chain, decision)
        if before and "main" not in amounts:
            self._in_other_money(before)
        if self.all("tip"):
            if before:
                amounts.setdefault("main", int(self.options.get("amount_minor_units", 1000)))
            chain = self._tipped(chain, amounts)
        if "cashback" in amounts:
            chain = self._with_cash(chain, amounts)
        self._main_amount(chain, decision, amounts)
        purpose, request = chain[0], before or Asked()
        if purpose != request.purpose:
            request = replace(request, purpose=purpose, kind=None)
        kind, keeps = self._kind(chain, decision), request.kind == purpose or "network" not in self.words
        usual = (keeps and request.kind) or usual_kind(purpose, self.network, self.version)
        request = replace(request, kind=kind or usual, options=self.options)
        follows = self._follows(chain[1:], amounts, decision)
        request = self._decided(request, decision, amounts, follows)
        if follows:
            once = {kind_of(word) for word in follows} - {"increment", "refund", "repeat"}
            once |= {step_of(head.value) for head in self.all("head") if self._is_definite(head)}
            then = (*(word for word in request.then if kind_of(word) not in once), *follows)
            answered = request.answered or bool(beside.replies(self.reader, "answer"))
            request = replace(request, then=then, answered=answered)
        self.words |= {
            "message_type": said_by(self.all("kind", "mti")),
            "purpose": said_by(one for one in self.all("head", "atm") if one.value in (purpose, "6011")),
            "outcome": decision.words or said_by(self.all("why")),
            "approved_minor_units": said_by([*self.shares.get("part", ()), *self.all("part")]),
        }
        return self._answer(request, decision, amounts)

    def _with_cash(self, chain: list[str], amounts: dict[str, int]) -> list[str]:
        """The purposes of a purchase with cash, which comes on top of its amount if the text says so."""
        money, before = self.all("amount", "bare"), self.before
        between = self.reader.folded if before or not money else self.reader.gap(money[0], money[-1])
        more = pattern("and").search(between) is not None
        if chain[0] not in ("purchase", "cashback") or (more and before and before.purpose == "cashback"):
            self.bad(said_by(self.shares["cashback"]))
        self.options["cashback_minor_units"] = cash = amounts["cashback"]
        self.words["cashback_minor_units"] = said_by(self.all("cashbackof"))
        amounts["main"] = amounts.get("main", self.options.get("amount_minor_units", 1000)) + cash * more
        if more:
            self.notes.append("The amount is the total of goods and cash")
        return ["cashback", *chain[1:]]

    def _tipped(self, chain: list[str], amounts: dict[str, int]) -> list[str]:
        """The purposes when there is a tip, which is part of the amount or comes later, in the completion."""
        tip = amounts.pop("tip", 0)
        if self.all("included") and "main" in amounts:
            self.notes.append("The amount is the total with the tip")
            return chain
        if "completion" in chain and not tip:
            return chain
        if not tip or "main" not in amounts or chain not in _TIPPED:
            self.bad("how much the tip is" if not tip else "an amount with a tip")
        elif self.all("order") or "completion" in chain:
            amounts["completion"] = amounts["main"] + tip
            return ["preauthorization", "completion"]
        else:
            self.notes.append("The amount is the total with the tip")
            self.shares.setdefault("main", []).extend(self.shares["tip"])
            amounts["main"] += tip
        return chain

    def _continued(self, before: Asked) -> list[str]:
        """The purpose of the request *before* as a follow-up changes it, then those of later messages."""
        self.network = self.options.get("network")
        if before.kind == before.purpose and self.all("head", "amount", "bare"):
            self.bad("a network message with options of a payment")
        self._more(before)
        reverses = before.then and kind_of(before.then[-1]) == "reversal" and not self.all("head", "then")
        for mark in self.all("kind") if reverses else ():
            if mark.value == "advice":
                mark.key, mark.value = "then", "reversal_advice"  # it is what is sent as an advice
        for mark in self.all("head"):  # increase the hold by 50
            mark.key = "it" if mark.value == before.purpose and self._is_definite(mark) else mark.key
        heads = self.all("head")
        steps = [head for head in heads if self._is_step(head, before)]
        purpose = next((head.value for head in heads if head not in steps), before.purpose)
        if "instalments" in self.options and purpose == "purchase":
            purpose = "instalment"
        return [purpose, *dict.fromkeys(head.value for head in steps)]

    def _is_definite(self, mark: Mark) -> bool:
        return pattern("ends-in-the").search(self.reader.folded, 0, mark.start) is not None

    def _is_step(self, head: Mark, before: Asked) -> bool:
        """Whether a purpose comes after the payment *before*, rather than in its place: `and refund it`."""
        ordered = head.value not in NEW and any(mark.start < head.start for mark in self.all("order"))
        its = any(mark.start == head.end + 1 for mark in self.all("it"))  # refund it instead
        instead = (self.all("same") and not its) or pattern("ends-in-becomes").search(
            self.reader.folded, 0, head.start
        )
        follows = head.value in _AFTER and before.purpose in _ASKING and not instead
        return ordered or follows or step_of(head.value) in map(kind_of, before.then)

    def _more(self, before: Asked) -> None:
        """An amount on top: of a hold an increment, else with the amount before; or less of it."""
        money, whole = self.all("amount", "bare"), self.reader.whole
        held = before.purpose == "preauthorization"
        if held and money and self.all("actual"):  # the final bill is 240
            self.reader.marks.append(replace(self.all("actual")[0], key="head", value="completion"))
        raised = () if held or "increment" in map(kind_of, before.then) else self.all("head")
        for mark in raised:
            if mark.value == "incremental" and pattern("raises").match(fold(mark.words)):
                mark.key, mark.value = "also", "+"  # no hold grows: it is the amount
        for mark in self.all("also", "less") if money else ():
            before_it, later = self.reader.before(mark, "amount", "bare"), self.reader.after(mark, "head")
            near = [amount for amount in before_it if not self.reader.gap(amount, mark).strip()]
            few = bool(near) and near[0].value in _FEW
            stage = not near and any(head.value in _AFTER and self.reader.joins(mark, head) for head in later)
            near = near or (self.reader.after(mark, "amount", "bare")[:1] if mark.value else [])
            total = (mark in raised or mark.key == "less") and any(map(self.is_total, near))
            if total or (mark.key == "also" and stage):
                mark.key = "aside"  # raised to 50; add a completion
            elif held and mark.key == "also" and not self.all("same"):
                self.reader.marks.append(replace(mark, key="head", value="incremental"))
            elif near and not (held or few) and mark.value and whole:
                units = worth(self.reader, near[0], whole.currency) or 0
                if getattr(near[0].value, "currency", whole.currency) != whole.currency:
                    self.bad(near[0].words)
                near[0].key = "amount"
                near[0].value = replace(whole, minor_units=whole.minor_units + int(f"{mark.value}{units}"))
            elif mark.key == "less" or not self.all("head", "tip", "cashbackof"):
                self.bad(mark.words)

    def _decided(
        self, request: Asked, decision: Decision, amounts: dict[str, int], follows: tuple[str, ...]
    ) -> Asked:
        """*request* with the outcome that is described, if any; what is followed is approved."""
        back, whys = self.all("then"), {mark.value for mark in self.all("why")} & {"timeout", "late"}
        if self.all("only") and not follows:
            return replace(request, outcome=None, approved=None, then=(), approval=None, balance=None)
        if decision.outcome:
            reversed_too = back or "reversal" in map(kind_of, request.then)
            if request.outcome == "timeout" and reversed_too and not self.all("head"):
                self.bad("which message the decision is about")
            late = "late" in whys and decision.outcome == "approved"
            outcome = "late" if late else decision.as_outcome
            return replace(request, outcome=outcome, approved=amounts.get("part"))
        begins = not back or (
            request.outcome is None and (not self.before or self.all("why", "then")[0].key == "why")
        )
        if whys and begins:
            return replace(request, outcome="late" if "late" in whys else "timeout")
        unknown = request.outcome in (None, "timeout") and not beside.replies(self.reader, "answer")
        if unknown and self.all("answer"):
            self.bad("a response, but not which one")
        if follows and request.outcome is None:
            self.notes.append("No outcome was given: approved")
            request = replace(request, outcome="approved")
        return request

    def _in_other_money(self, before: Asked) -> None:
        """Keep the figure of the amount if only its currency changes."""
        codes = [str(options.get("currency", "USD")) for options in (before.options, self.options)]
        old, new = map(currency_of, codes)
        if codes[0] == codes[1] or not (old and new) or old.exponent is None or new.exponent is None:
            return
        if self.shares:  # 5 USD of 20 EUR
            self.bad(said_by([mark for marks in self.shares.values() for mark in marks]))
        amount = int(before.options.get("amount_minor_units", 1000))
        value, rest = divmod(amount * 10**new.exponent, 10**old.exponent)
        if rest:
            self.bad(f"{amount} of {old.alpha} in {new.alpha}")
        self.options["amount_minor_units"] = value

    def _chain(self) -> list[str] | None:
        """The purpose of the first message, then those of later ones."""
        names = list(dict.fromkeys(mark.value for mark in self.all("head")))
        if "purchase" in names and _PURCHASES & set(names):
            names.remove("purchase")
        if self.all("cashbackof"):
            if not set(names) <= {"purchase", "cashback"}:
                self.bad("cashback")
            names = ["cashback"]
        if names == ["completion"] and (
            any(mark.value == "auth" for mark in self.all("kind")) or self._held_before()
        ):
            names = ["preauthorization", "completion"]
        if self._part_of_it():
            names = ["purchase", "refund"]  # `a refund of 10 of a purchase of 40`
        if begun := bool(names) and names[0] in _AFTER and self._follows_earlier(names[0]):
            names = ["preauthorization" if names[0] in _LATER else "purchase", *names]
        names.sort(key=lambda name: name != "account_funding")  # money is pulled before it is pushed
        if names[:1] == ["completion"] and len(names) > 1:
            names = [*names[1:], "completion"]
        chain = ["instalment"] if "instalments" in self.options and names in ([], ["purchase"]) else names
        chain = self._at_a_machine(chain or ["purchase"], bool(names))
        after = set(chain[1:])
        ordered = after <= _LATER | ({"refund"} if self._part_of_it() else set()) or (
            bool(begun or self.all("order") or "account_funding" in chain)
            and after <= _LATER | {"refund", "original_credit"}
        )
        if len(chain) > 1 and not (ordered and (chain[0] in _ASKING or not after & _LATER)):
            self.bad("two purposes: " + ", ".join(chain))
            return None
        return chain

    def _held_before(self) -> bool:
        """Whether an amount stands in an earlier clause than the completion: `hotel 500, captured 430`."""
        head, money = self.all("head")[0], self.all("amount", "bare")
        return len(money) > 1 and separated(self.reader.text[money[0].end : head.start])

    def _part_of_it(self) -> bool:
        """Whether a refund covers part of the purchase named after it."""
        heads = self.all("head")
        if [mark.value for mark in heads] != ["refund", "purchase"] or len(self.all("amount", "bare")) < 2:
            return False
        return not separated(self.reader.text[heads[0].end : heads[1].start])

    def _follows_earlier(self, name: str) -> bool:
        """Whether an earlier transaction comes before *name*: `20 EUR approved; next day refunded`."""
        head = next(mark for mark in self.all("head") if mark.value == name)
        decided, gap = self.reader.before(head, "decision"), self.reader.gap
        if decided and re.search("[;.]", gap(decided[0], head)):
            return True
        near = [one for one in self.all("order") if one.start < head.start or not gap(head, one).strip()]
        start = min(near[-1].start, head.start) if near else 0
        return any(mark.start < start for mark in self.all("amount", "bare", "decision"))

    def _at_a_machine(self, chain: list[str], stated: bool) -> list[str]:
        if machines := self.all("atm"):
            if self.all("trade") and all(pattern("vending").match(fold(mark.words)) for mark in machines):
                return chain  # a ticket machine
            if chain == ["purchase"] and not stated:
                return ["cash"]
            if chain[0] not in ("cash", "balance", "pin_change"):
                self.bad("at a cash machine")
            if chain == ["balance"]:
                self.options = {"mcc": "6011", "pin": True} | self.options
        return chain

    def _main_amount(self, chain: list[str], decision: Decision, amounts: dict[str, int]) -> None:
        none, main = chain[0] in WITHOUT_AMOUNT, amounts.get("main")
        if main is None and self.before:
            return
        if main is None:
            if not none:
                (self.bad if decision.outcome == "partial" or len(chain) > 1 else self.notes.append)(
                    "No amount was given: 10.00"
                )
            return
        doubt = any(words.startswith("the amount ") for words in self.reader.unclear)
        if not doubt and (none or main == 0) and not (chain == ["verification"] and main == 0):
            self.bad("an amount where none belongs" if none else "a purchase with no amount")
        self.put("amount_minor_units", main)
        self.words["amount_minor_units"] = said_by(self.shares.get("main", ()))

    def _kind(self, chain: list[str], decision: Decision) -> str | None:
        """The message type that is named, if any."""
        kinds, mtis = {mark.value for mark in self.all("kind")}, [mark.value for mark in self.all("mti")]
        named = (_CLASS_KINDS.get(mti[1] + str(int(mti[2]) // 2 * 2)) for mti in mtis)
        kinds |= set(filter(None, named))
        if "advice" in kinds:
            kinds -= {"auth"}
        if any(mti[1] == "4" for mti in mtis):
            kinds -= {"advice"}  # `0420 advice` is a reversal advice
        if decision.outcome and ("advice" in kinds or chain[0] == "completion"):
            self.bad("a decision on an advice")
        if "financial_advice" in kinds:
            kinds -= {"advice"}  # `0220 advice`
        if len(kinds) > 1:
            self.bad("contradicts itself: " + " / ".join(sorted(kinds)))
        return min(kinds, default=None)

    def _follows(self, chain: list[str], amounts: dict[str, int], decision: Decision) -> tuple[str, ...]:
        """The later steps, as in `then` of `sim.exchange`."""
        steps = []
        heads = {mark.value: mark for mark in reversed(self.all("head"))}
        for name in chain:
            word = step_of(name)
            stages = [mark for mark in self.all("head") if mark.value == name]
            by_start = {
                mark.start: amounts[at] for mark in stages if (at := f"{name}@{mark.start}") in amounts
            }
            if name == "incremental" and not by_start:
                self.bad("the amount of the increment")
            if name == "completion" and len(set(by_start.values())) > 1:
                self.bad("two amounts for the completion")
            if name in amounts:  # with the tip
                by_start = {self.all("tip")[0].start: amounts[name]}
            many = list(by_start.items())[: 1 if name == "completion" else None]
            steps += [(start, f"{word}:{units}") for start, units in many] or [(heads[name].start, word)]
        back = self.all("then")
        reversing = [mark for mark in self.all("mti") if mark.value[1] == "4"]
        # 0421 alone is a reversal advice and its repeat.
        reversals = [mark for mark in reversing if mark.value[2:] in _FIRST] or reversing
        short = self.all("partof")  # `only 120 dispensed`
        partial = bool(short) or any(mark.value == "partial_reversal" for mark in back)
        twice = (decision.outcome == "partial" and partial) or len(reversals) > 1
        if twice or partial != ("final" in amounts):
            self.bad("the amount that remains")
        again = self.all("repeat") + [mark for mark in self.all("mti") if mark.value[3] == "1"]
        fails = [mark for mark in self.all("why") if pattern("fails").match(mark.words)]
        if not again and any(0 < mark.start - word.end < 2 for mark in fails for word in back):
            self.bad("a reversal without a response")
        if back or reversals or short:
            reasons = ["misdispense" for _ in short] + [mark.value for mark in self.all("why")]
            reason = next((f":{one}" for one in reasons if one != "late"), "")
            if reason == ":timeout" and not decision.outcome:
                reason = ""  # timeout is the default without a response
            word = f"partial_reversal:{amounts.get('final', 0)}" if partial else self._reversal(reversals)
            word = "reversal_advice" if any(mark.value == "reversal_advice" for mark in back) else word
            steps.append(((back or reversals or short)[0].start, word + reason))
            self._decided_before(back)
        elif whys := [mark for mark in self.all("why") if mark.value not in ("timeout", "late")]:
            # `the customer cancels`, `no cash came out`: a reversal, unless they explain something else
            if pattern("agent").match(whys[0].words) or decision.outcome == "declined":
                self.bad(whys[0].words)
            steps.append((whys[0].start, f"reversal:{whys[0].value}"))
        elif decision.outcome == "declined" and not self.all("reason", "reason!", "code"):
            for mark in self.all("why"):
                if mark.value == "timeout":
                    self.bad(mark.words)  # nobody decided
        steps += [(mark.start, "repeat") for mark in again[:1]]
        stages = [mark for mark in self.all("head", "also") if mark.key == "also" or mark.value in chain]
        sums = [mark for role in self.shares if role not in _OF_REQUEST for mark in self.shares[role]]
        marks = [mark for mark in (*stages, *sums) if mark.end > mark.start] if chain or back else []
        self.words["then"] = said_by([*back, *short, *reversals, *self.all("why"), *again, *marks])
        return tuple(word for _, word in sorted(steps, key=lambda step: step[0]))

    def _reversal(self, reversals: list[Mark]) -> str:
        """The reversal step: a request or an advice, as usual on the network or as the MTI says."""
        usual = mti_of("reversal", self.network or NETWORKS[0], self.version)
        if not reversals or reversals[0].value[:3] == usual[:3]:
            return "reversal"
        if reversals[0].value[2] == "0":
            self.bad(f"{reversals[0].words}: {self.network} reverses by {usual}")
        return "reversal_advice"

    def _decided_before(self, back: list[Mark]) -> None:
        """Check that the decision is on the request: after a word for a reversal, it may be on that."""
        marks = self.all("decision", "reason", "reason!", "code", "answer")
        if beside.replies(self.reader, "answer"):
            marks = [mark for mark in marks if mark.key != "answer"]
        lost = any(back and why.value == "timeout" and why.end < back[0].start for why in self.all("why"))
        marks = [mark for mark in marks if lost or mark.value != "approved"]
        after = [mark for mark in marks if back and mark.start > back[0].start]
        if any(not any(head.start > back[0].start for head in self.all("head", "network")) for mark in after):
            self.bad("which message the decision is about")

    def _answer(self, asked: Asked, decision: Decision, amounts: dict[str, int]) -> Asked:
        """Add the approval code and the balance of the response."""
        approval, balance = self.only("approval"), amounts.get("balance")
        if approval is not None and (asked.outcome not in ("approved", "partial") or asked.then):
            self.bad("an approval code without an approval")
        if balance is not None and asked.outcome is None:
            asked = replace(asked, outcome="approved")
        heads, marks = self.all("head"), self.all("decision", "reason", "reason!", "answer")
        if asked.then and marks and len(heads) > 1 and heads[0].start < heads[-1].start < marks[-1].start:
            self.bad("which message the response is to")
        self.words["approval"] = said_by(self.all("approval"))
        self.words["balance_minor_units"] = said_by(self.all("balanceis"))
        return replace(asked, approval=approval, balance=balance)

    def _counted(self, asked: Asked) -> Asked:
        """Add the count, and which of the messages have the outcome."""
        count = self.only("count") or asked.count
        if self.before and self.all("count") and self.all("also"):
            count += self.before.count  # five more of these
        # All of them, or the first of one, is no choice.
        marks = [mark for mark in self.all("every", "which", "except")
                 if mark.value != "1" or (mark.key == "which" and count > 1)]  # fmt: skip
        if count > 1 and self.all("fault", "drop"):
            self.bad(f"{count} messages: which one")
        which = None if asked.outcome in (None, "approved") else asked.which
        if which and count != asked.count and not marks:
            self.bad("which of the messages")  # five of three of which the last is declined
        if marks:
            places = beside.chosen(marks, count)
            if count < 2 or not places or not asked.is_declined:
                self.bad(marks[0].words if places or count < 2 else "which of the messages")
            else:
                step = places[1] - places[0] if len(places) > 1 else 1
                even = range(places[0], count if step > 1 else places[-1] + 1, step)
                which = even if [*even] == places else tuple(places)
        self.words["times"] = said_by(self.all("count", "each"))
        self.words["which"] = said_by(marks)
        return replace(asked, count=count, which=which)

    def _changed(self, asked: Asked) -> Asked:
        """Add elements set by hand, faults and a conversion: of the request, unless it is of a response or
        reversal."""
        for mark in self.all("de"):
            number, value = mark.value
            if asked.then or asked.count > 1:
                self.bad(f"{mark.words}: which message")
            label = max((name for name in labels() if fold(mark.words).startswith(name)), key=len, default="")
            if label and element_names(self.version).get(label) != number:
                self.bad(f"{mark.words}: not an element of {self.version}")
            asked = self._with(asked, {str(number): value.upper()}, mark, 0)
        if (value := self.only("rrn")) is not None:
            asked = self._with(asked, {"37": value}, self.all("rrn")[0], 0)
        marks = self.all("fault", "drop")
        if len({str(mark.value) for mark in marks}) > 1 and self.all("fault"):
            self.bad("two faults")
        names = element_names(self.version)
        for mark in marks:  # an account verification has no amount anyway
            if asked.purpose not in WITHOUT_AMOUNT or names.get(fold(str(mark.value))) != 4:
                asked = self._broken(asked, mark)
        if version := self.only("convert"):
            if asked.then or asked.count > 1 or asked.fault:
                self.bad(f"{self.all('convert')[0].words}: which message")
            self.words["to"] = said_by(self.all("convert"))
            asked = replace(asked, convert=version)
        return asked

    def _with(self, asked: Asked, elements: dict[str, str | None], mark: Mark, at: int) -> Asked:
        self.words |= dict.fromkeys(elements, mark.words)
        return replace(asked, elements={**asked.elements, **elements}, at=at)

    def _broken(self, asked: Asked, mark: Mark) -> Asked:
        name = str(element_names(self.version).get(fold(str(mark.value)), mark.value))
        answers = name.startswith(("approval", "answer", "response", "action")) or name in ("38", "39")
        reverses = name.startswith("original") or name in ("90", "56", "95")
        marks = self.all("decision", "reason", "reason!", "code")
        at = 0
        if asked.then and asked.then[0].endswith("reversal"):
            at = _reversal_at(asked)
            if not reverses:
                self.bad(f"{mark.words}: which message")
        elif asked.outcome is not None and answers:
            at = 1
        elif asked.outcome is not None and (asked.then or any(other.start < mark.start for other in marks)):
            # With a decision, the request is meant only if it is mentioned first.
            self.bad(f"{mark.words}: which message")
        if mark.key == "fault":
            self.words["fault"] = mark.words
            return replace(asked, fault=self._fault_named(name), at=at)
        if not name.isdecimal():
            self.bad(f"{mark.words}: not an element of {self.version}")
            return asked
        return self._with(asked, {name: None}, mark, at)

    def _fault_named(self, names: str) -> str:
        """The fault among *names* that exists in this version."""
        versions = {fault.id: fault.versions for fault in all_faults()}
        first, *others = names.split("/")
        if first not in versions:
            self.bad(f"the fault {names}")
            return ""
        return next((name for name in (first, *others) if self.version in versions[name]), first)


def _fits(number: int, value: str, version: str) -> bool:
    """Whether *value* fits element *number* of *version*."""
    try:
        is_number = spec(version)[number].content == "n"
    except KeyError:
        return False
    return (value.isdigit() or not is_number) and not misfits(Message("0100", {number: value}, version))


def _reversal_at(asked: Asked) -> int:
    """The index of the first reversal in an exchange in which every message has a response, except a request
    that timed out."""
    first = 1 if asked.outcome in ("timeout", "late") else 2
    return first + 2 * next((at for at, word in enumerate(asked.then) if "reversal" in word), 0)
