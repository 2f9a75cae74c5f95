"""What was read of a description, put together as a plan.

Two networks, currencies, ways of reading the card, decisions, an amount without a role: what contradicts
itself or has two meanings is unclear. A decision is made only of a code, a word for one, or a reason that can
be nothing else; the state of a card (*expired card*) counts beside a word for a decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from functools import cache
from typing import Any

from sim.errors import OptionError, shown
from sim.exchanges import sums
from sim.exchanges.lexicon import TOKEN, element_names, fold, phrases_of
from sim.exchanges.plan import Plan, Step
from sim.exchanges.words import Mark, Reader, Sum
from sim.operations.faults import all_faults
from sim.operations.generation import native_version
from sim.spec import currency as currency_of
from sim.spec.codes import Code, code_list
from sim.spec.networks import NETWORKS, default_card, detect

# Purposes that say what a purchase is like, so that the word beside them says no more.
_PURCHASES = frozenset(
    [
        *("recurring", "instalment", "cashback", "account_funding", "original_credit"),
        *("verification", "preauthorization", "incremental", "completion"),
    ]
)
_LATER = frozenset(("incremental", "completion"))  # what follows a pre-authorization
# Networks whose messages are authorizations, also of what others settle at once.
_DUAL = frozenset(("MASTERCARD", "AMEX", "JCB", "DISCOVER"))
_WITHOUT_AMOUNT = frozenset(("balance", "verification", "pin_change"))
_DIGIT_VERSION = {"0": "1987", "1": "1993", "2": "2003"}
_CLASS_KINDS = {"10": "auth", "20": "financial", "12": "advice", "22": "financial_advice"}
_PLAIN = ("stan", "mcc", "terminal", "merchant_id", "acquirer", "expiry", "cvv2", "postal_code", "merchant")
_LABELLED = {2: "pan", 14: "expiry", 18: "mcc", 32: "acquirer", 39: "code", 41: "terminal", 42: "merchant_id",
             37: "rrn", 38: "approval"}  # fmt: skip
_DOLLARS_ELSEWHERE = frozenset(("CA", "AU", "NZ", "HK", "SG", "TW", "MX", "CN"))
MOST_DESCRIPTION = 2000  # characters, as the interface has it
# The options that are read first stand first.
_ORDER = ("message_type", "purpose", "network", "pan", "amount_minor_units", "currency", "entry", "version")
_MOST = 50  # messages of a kind: our choice
_FIRST_STAN = 123456
# Approved for 20 is whole where there is one amount, and a part where there are two.
_SOFT = re.compile(
    "(?:approved for|aprobad[oa] por|aprovad[oa] por|approuvee? pour|approves|genehmigt uber)$"
)
_BY_OTHERS = re.compile(
    r"(?:approv|declin|refus|reject|den[iy])\w*,? (?:\w+ )?by (?!(?:the |a |an |its |their )?(?:card )?"
    r"(?:issu|bank|host|network))|offline"
)


@dataclass(slots=True)
class Decision:
    """What is answered: `outcome` is approved, partial or declined, None where nothing says; `code` is
    DE 39, where it is said or follows."""

    outcome: str | None = None
    code: str | None = None
    marks: list[Mark] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The words that say so."""
        return _said(self.marks)


def _rank(option: str) -> int:
    return _ORDER.index(option) if option in _ORDER else len(_ORDER)


def _said(marks: Iterable[Mark]) -> str:
    return " … ".join(dict.fromkeys(mark.words for mark in sorted(marks, key=lambda mark: mark.start)))


def plan_of(text: str, *, version: str | None = None, at: datetime | None = None) -> Plan:
    """The plan of what *text* describes; *version* and *at* hold where it names none. Raises OptionError for
    what is no text, or too long."""
    if not isinstance(text, str) or len(text) > MOST_DESCRIPTION:
        expected = f"a text of at most {MOST_DESCRIPTION:,} characters"
        raise OptionError("description", expected, f"{len(text):,}" if isinstance(text, str) else shown(text))
    return _Composer(Reader(text), version, at).plan().check()


class _Composer:
    def __init__(self, reader: Reader, version: str | None, at: datetime | None) -> None:
        self.reader, self.given_version, self.at = reader, version, at
        self.all, self.only, self.bad = reader.all, reader.only, reader.unclear.append
        self.notes = reader.notes
        self.options: dict[str, Any] = {}
        self.words: dict[str, str] = {}
        self.steps: list[Step] = []
        self.network: str | None = None
        self.version = ""

    def plan(self) -> Plan:
        """The steps, what was assumed, what is unclear."""
        self._counts()
        self._unknown()
        self._elements()
        self._network()
        self._version()
        for key in _PLAIN:
            if (value := self.only(key)) is not None:
                self.put(key, fold(value).upper() if key == "merchant" else value, key)
        self._place()
        self._entry()
        self._moment()
        self._messages()
        unclear = dict.fromkeys(self.reader.unclear)
        return Plan(self.reader.text, tuple(self.steps), tuple(self.notes), tuple(unclear))

    def put(self, name: str, value: Any, *keys: str) -> None:
        """Set the option *name*, which follows from the marks of *keys*."""
        self.options[name] = value
        self.words[name] = _said(self.all(*keys))

    def add(self, call: str, options: dict[str, Any], words: dict[str, str], of: int | None = None) -> int:
        """Add a step; its number."""
        ordered = {name: options[name] for name in sorted(options, key=_rank)}
        self.steps.append(Step(call, ordered, words, of))
        return len(self.steps) - 1

    # -- words
    def _counts(self) -> None:
        """A number before a plural or before instalments counts them."""
        reader = self.reader
        for mark in self.all("unknown"):
            value = sums.whole(mark.value) if mark.value.isalnum() else None
            after = [one for one in reader.all(*{one.key for one in reader.marks}) if one.start >= mark.end]
            rest = TOKEN.findall(fold(reader.text[mark.end :]))[:4]
            if not value:
                continue
            if any(one.key == "instalments" or one.value == "instalment" for one in after[:1]):
                mark.key, mark.value = "instalments", value
                self.put("instalments", value, "instalments")
            elif 2 <= value <= _MOST and not phrases_of("plural").keys().isdisjoint(rest):
                mark.key, mark.value = "count", value
        if (self.all("instalments") and "instalments" not in self.options) or (
            self.all("each") and not self.all("count")
        ):
            self.bad("how many")

    def _unknown(self) -> None:
        """Words that no row has, and those that need others around them."""
        for mark in self.all("unknown", "negation", "tip", "balanceis", "it"):
            if mark.key == "it" and any(one.start < mark.start for one in self.all("head", "amount")):
                continue
            place = mark.words.lower() == "no" and self.reader.comma  # `no Rio` is in Rio
            if place and any(
                one.start == mark.end + 1 for one in self.all("city", "country", "trade", "atm", "network")
            ):
                continue
            self.bad(mark.words)

    def _elements(self) -> None:
        """Labelled elements are what options call them."""
        for mark in self.all("de"):
            number, value = mark.value
            alpha = known.alpha if number == 49 and (known := currency_of(value.upper())) else None
            if number == 11 and value.isdigit() and len(value) <= 6:
                mark.key, mark.value = "stan", value.zfill(6)
            elif number in _LABELLED:
                mark.key, mark.value = _LABELLED[number], value.upper() if number in (38, 39) else value
            elif number == 4 and value.isdigit() and len(value) == 12:
                mark.key, mark.value = "raw", int(value)
            elif alpha:
                mark.key, mark.value = "currency", alpha
            elif number == 22 and value[:2] in phrases_of("de22"):
                mark.key, mark.value = "entry", phrases_of("de22")[value[:2]]
            elif number == 3 and len(value) == 6 and value[:2] in phrases_of("de3") and value[2:] == "0000":
                mark.key, mark.value = "head", phrases_of("de3")[value[:2]]
            else:
                self.bad(mark.words)

    # -- options
    def _network(self) -> None:
        network, pan, tail = self.only("network"), self.only("pan"), self.only("tail")
        if pan:
            self.put("pan", pan, "pan")
            found = detect(pan)
            own = found.network if found else None
            if own is None or (network and own != network):
                self.bad(f"a card that is none of {network or 'the networks'}")
            network = network or own
        elif tail:
            ends = {name: default_card(name).pan[-4:] for name in NETWORKS}
            network = network or next((name for name in NETWORKS if ends[name] == tail), None)
            if network is None or ends[network] != tail:
                self.bad(f"which card ends in {tail}")
        self.network = network
        if network:
            self.put("network", network, "network", "pan", "tail")

    def _version(self) -> None:
        version = self.only("version")
        for mark in self.all("mti"):
            own = _DIGIT_VERSION[mark.value[0]]
            if version and version != own:
                self.bad(f"{mark.value} is not of {version}")
            version = own
        if version := version or self.given_version:
            self.put("version", version, "version", "mti")
        self.version = version or native_version(self.network, None)

    def _place(self) -> None:
        city, country, trade = self.only("city"), self.only("country"), self.only("trade")
        name, _, land = (city or "").partition(";")
        if land and country and country != land:
            self.bad(f"{name} is not in {country}")
        if name:
            self.put("city", name, "city")
        if country or land:
            self.put("country", country or land, "country" if country else "city")
        if trade and "mcc" not in self.options:
            self.put("mcc", trade, "trade")
        elif trade and "merchant" not in self.options and self.options["mcc"] != trade:
            self.bad("another merchant category")

    def _entry(self) -> None:
        found = {mark.value for mark in self.all("entry")}
        for less, more in (("stripe", "fallback"), ("manual", "moto"), ("chip", "fallback")):
            if {less, more} <= found:
                found.discard(less)
        for mark in self.all("option"):
            self._option(mark)
        if len(found) > 1:
            self.bad("contradicts itself: " + " / ".join(mark.words for mark in self.all("entry")))
        if self.all("presence") and found & {"ecommerce", "moto", "stored"}:
            self.bad("a card that is present and absent")
        if found:
            self.put("entry", found.pop(), "entry")
        elif "three_d_secure" in self.options:
            self.put("entry", "ecommerce", "option")
        elif self.options.get("token"):
            self.bad("how the token was presented")
        if self.options.get("initiator"):
            self.options.setdefault("entry", "stored")

    def _option(self, mark: Mark) -> None:
        name, _, text = mark.value.partition("=")
        value: Any = {"yes": True, "no": False}.get(text, text)
        if name == "cvv2":
            value = self.options.get("cvv2", "1234" if self.only("network") == "AMEX" else "123")
        before = self.options.get(name, value)
        if {before, value} == {"authenticated", "attempted"}:
            value = before = "attempted"  # `3DS, attempted`: the word for 3-D Secure says less
        if before != value:
            self.bad(f"contradicts itself: {mark.words}")
        self.options[name] = value
        said = self.words.get(name, "")
        self.words[name] = f"{said} … {mark.words}" if said and mark.words not in said else mark.words

    def _moment(self) -> None:
        day, clock = self.only("day"), self.only("clock")
        if day or clock:
            at = datetime.combine(day or datetime.now(UTC).date(), time(*(clock or (12, 0, 0))))
            self.put("at", at.isoformat(), "day", "clock")
        elif self.at:
            self.options["at"] = self.at.isoformat()

    # -- messages
    def _messages(self) -> None:
        mtis = self.all("mti")
        classes = {mark.value[1] for mark in mtis}
        answered = any(mark.value[2] in "13" for mark in mtis)
        decision = _decide(self, answered)
        heads = self.all("head")
        if self.all("alone") or classes & {"8", "5"}:
            return self._network_messages(decision, classes, answered)
        names = list(dict.fromkeys(mark.value for mark in heads))
        if "purchase" in names and _PURCHASES & set(names):
            names.remove("purchase")
        if self.all("cashbackof"):
            if not set(names) <= {"purchase", "cashback"}:
                self.bad("cashback")
            names = ["cashback"]
        if names[:1] == ["completion"] and len(names) > 1:
            names = [*names[1:], "completion"]
        back = self.all("then")
        if not (heads or back or mtis or self.all("amount", "bare", "kind", "raw", "cashbackof")):
            self.bad("nothing says what is meant")
        chain = ["instalment"] if "instalments" in self.options and names in ([], ["purchase"]) else names
        chain = self._at_a_machine(chain or ["purchase"], bool(names))
        if len(chain) > 1 and not (
            (chain[0] == "preauthorization" and set(chain[1:]) <= _LATER)
            or chain == ["account_funding", "original_credit"]
        ):
            return self.bad("two purposes: " + ", ".join(chain))
        amounts = _amounts(self, chain, decision)
        self._main_amount(chain, decision, amounts)
        count = self.only("count") or 1
        if count > 1 and (len(chain) > 1 or back or self.all("fault", "drop")):
            self.bad(f"{count} of several")
        stages = self._stages(chain, decision, amounts, count, self._kind(chain, decision))
        self._answers_belong(chain, decision)
        wanted = [mark for mark in mtis if mark.value[1] == "4"]
        self._reverse(decision, amounts, stages[-1], back, wanted)
        self._set(decision)
        self._faults()
        return None

    def _network_messages(self, decision: Decision, classes: set[str], answered: bool) -> None:
        """Messages without a card: an echo test, a sign-on."""
        alone = list(dict.fromkeys(mark.value for mark in self.all("alone")))
        others = set(self.options) - {"network", "version", "stan", "at"}
        if not alone or others or self.all("head", "amount", "bare", "then") or classes - {"8", "5"}:
            return self.bad("a network message, and what does not belong to it")
        count = self.only("count") or 1
        if count > 1 and len(alone) > 1:
            self.bad(f"{count} of several")
        for number, kind in enumerate(alone * count):
            options = {"message_type": kind, **self.options, **self._stan(number)}
            request = self.add("generate", options, {"message_type": _said(self.all("alone")), **self.words})
            if self.all("answer") or decision.outcome or answered:
                code = {"code": decision.code} if decision.outcome == "declined" else {}
                self.add("respond", code, dict.fromkeys(code, decision.words), request)
        return self._faults()

    def _stan(self, number: int) -> dict[str, str]:
        if not number:
            return {}
        return {"stan": f"{int(self.options.get('stan', _FIRST_STAN)) + number:06d}"[-6:]}

    def _at_a_machine(self, chain: list[str], named: bool) -> list[str]:
        if self.all("atm"):
            if chain == ["purchase"] and not named:
                return ["cash"]
            if chain[0] not in ("cash", "balance", "pin_change"):
                self.bad("at a cash machine")
        return chain

    def _main_amount(self, chain: list[str], decision: Decision, amounts: dict[str, int]) -> None:
        none, main = chain[0] in _WITHOUT_AMOUNT, amounts.get("main")
        if main is None:
            if not none:
                (self.bad if decision.outcome == "partial" or len(chain) > 1 else self.notes.append)(
                    "No amount was given: 10.00"
                )
            return
        if (none or main == 0) and not (chain == ["verification"] and main == 0):
            self.bad("an amount that does not go with it" if none else "a purchase of nothing")
        self.put("amount_minor_units", main, "amount", "bare", "raw")

    def _kind(self, chain: list[str], decision: Decision) -> str | None:
        """The message type that is said, if any."""
        kinds = {mark.value for mark in self.all("kind")}
        for mark in self.all("mti"):
            kind = _CLASS_KINDS.get(mark.value[1] + str(int(mark.value[2]) // 2 * 2))
            kinds |= {kind} if kind else set()
        if "advice" in kinds:
            kinds -= {"auth"}
        if decision.outcome and ("advice" in kinds or chain[0] == "completion"):
            self.bad("a decision beside an advice")
        if len(kinds) > 1:
            self.bad("contradicts itself: " + " / ".join(sorted(kinds)))
        return next(iter(kinds), None)

    def _stages(
        self, chain: list[str], decision: Decision, amounts: dict[str, int], count: int, kind: str | None
    ) -> list[int]:
        """The requests of *chain*, *count* times, with their answers; the numbers of the requests."""
        stages = []
        declines = self._declined_ones(count, decision)
        for number, purpose in enumerate(chain * count):
            own, words = {**self.options, **self._stan(number)}, dict(self.words)
            if number and count == 1:
                own["amount_minor_units"] = amounts.get(purpose, own.get("amount_minor_units", 0))
                if purpose == "incremental" and purpose not in amounts:
                    self.bad("by how much the authorization grows")
                for name in ("entry", "pin", "three_d_secure"):
                    own.pop(name, None)
            dual = self.network in _DUAL and purpose in ("cash", "refund", "balance", "cashback")
            usual = "auth" if purpose == "purchase" or dual else purpose
            first = number == 0 or count > 1
            said = {"message_type": kind if kind and first else usual, "purpose": purpose}
            words |= {
                "message_type": _said(self.all("kind", "mti")),
                "purpose": _said(self.all("head", "atm")),
            }
            if said["message_type"] == purpose:
                words["message_type"] = words.pop("purpose")
            if purpose in ("purchase", said["message_type"]):
                del said["purpose"]
            own = said | own
            if decision.outcome == "partial":
                own["partial_approval"], words["partial_approval"] = True, decision.words
            if purpose == "cashback" and "cashback" in amounts:
                own["cashback_minor_units"] = amounts["cashback"]
                words["cashback_minor_units"] = _said(self.all("cashbackof"))
            stages.append(self.add("generate", own, words))
            if decision.outcome and first:
                self._answer(decision, amounts, stages[-1], declines is None or number in declines)
        return stages

    def _declined_ones(self, count: int, decision: Decision) -> set[int] | None:
        """Which of several are declined where only some are; None for all."""
        every = self.only("every")
        if not every:
            return None
        if count < 2 or decision.outcome != "declined":
            self.bad(self.all("every")[0].words)
        return set(range(int(every) - 1, count, int(every)))

    def _answer(self, decision: Decision, amounts: dict[str, int], of: int, declined: bool) -> None:
        options: dict[str, Any] = {}
        if decision.outcome == "partial":
            options = {"amount_minor_units": amounts.get("part", -1)}
        elif decision.code and decision.code.strip("0") and declined:
            options = {"code": decision.code}
        if (approval := self.only("approval")) is not None:
            options["approval"] = approval
            if decision.outcome not in ("approved", "partial"):
                self.bad("an approval code without an approval")
        self.add("respond", options, dict.fromkeys(options or ("",), decision.words), of)

    def _answers_belong(self, chain: list[str], decision: Decision) -> None:
        """What is answered must be the one request there is, or the first."""
        heads = self.all("head")
        if self.all("answer") and not decision.outcome:
            self.bad("an answer, and not which")
        if len(chain) > 1 and heads:
            said = self.all("decision", "reason", "reason!", "answer")
            if any(heads[0].start < heads[-1].start < mark.start for mark in said):
                self.bad("which of them is answered")

    def _reverse(
        self, decision: Decision, amounts: dict[str, int], of: int, back: list[Mark], wanted: list[Mark]
    ) -> None:
        reasons = {mark.start for mark in self.all("reason", "reason!")}
        whys = [mark for mark in self.all("why") if mark.start not in reasons or back]
        if not back and not wanted:
            if whys:
                self.bad(whys[0].words)
            return
        partial = any(mark.value == "partial_reversal" for mark in back)
        if decision.outcome == "declined":
            self.bad("the reversal of what was declined")
        if (
            partial != ("final" in amounts)
            or (decision.outcome == "partial" and partial)
            or len(wanted) > 1
            or (wanted and wanted[0].value[2] not in "02")
        ):
            self.bad("what stays of the amount")
        after = [mark for mark in self.all("decision", "reason", "reason!", "code", "answer")
                 if back and mark.start > back[0].start]  # fmt: skip
        if any(not any(head.start > mark.start for head in self.all("head", "network")) for mark in after):
            self.bad("which of them is decided")
        options: dict[str, Any] = {"final_amount_minor_units": amounts.get("final")} if partial else {}
        if whys:
            options["reason"] = whys[0].value
        words = dict.fromkeys(options or ("",), _said([*back, *wanted])) | {"reason": _said(whys)}
        answer = of + 1 if self.steps[of + 1 :] and self.steps[of + 1].call == "respond" else None
        self.steps.append(Step("reverse", options, words, of, answer))
        number = len(self.steps) - 1
        change: dict[str, str | None] = {}
        mti = wanted[0].value if wanted else ""
        if mti and mti not in ("0420" if self.network in ("JCB", "UNIONPAY") else "0400", "1420", "2420"):
            change["mti"] = mti
        if change:
            self.add("set", change, dict.fromkeys(change, _said(wanted)), number)

    def _set(self, decision: Decision) -> None:
        """Elements of the message before that no option of its call writes."""
        if self.only("approval") and not decision.outcome:
            self.bad("an approval code without an approval")
        if (value := self.only("rrn")) is not None:
            if len(self.steps) > 1:
                self.bad("DE 37: which message")
            self.add("set", {"37": value}, {"37": _said(self.all("rrn"))}, len(self.steps) - 1)

    def _faults(self) -> None:
        """What is broken: the request, unless the fault is one of answers or of reversals."""
        marks = self.all("fault", "drop")
        if len({str(mark.value) for mark in marks}) > 1:
            self.bad("two faults")
        for mark in marks[:1]:
            self._break(mark)

    def _break(self, mark: Mark) -> None:
        calls = [step.call for step in self.steps]
        name = str(element_names(self.version).get(fold(str(mark.value)), mark.value))
        of = len(calls) - 1
        if mark.key == "fault":
            name = self._fault_named(name)
            step = Step("break_message", {"fault": name}, {"fault": mark.words}, of)
        else:
            step = Step("set", {name: None}, {name: mark.words}, of)
        answers = name.startswith(("approval", "answer", "response", "action")) or name in ("38", "39")
        if calls[-2:] == ["generate", "respond"] and not answers:
            said = self.all("decision", "reason", "reason!", "code")
            if len(calls) > 2 or mark.key == "fault" or any(one.start < mark.start for one in said):
                self.bad(f"{mark.words}: which message")
            request, answer = self.steps
            self.steps[:] = [
                request,
                Step(step.call, step.options, step.words, 0),
                Step(answer.call, answer.options, answer.words, 1),
            ]
            return
        if "reverse" in calls and not (name.startswith("original") or name in ("90", "56", "95")):
            self.bad(f"{mark.words}: which message")
        self.steps.append(step)

    def _fault_named(self, names: str) -> str:
        """The one of *names* that there is in this version."""
        every = {fault.id: fault for fault in all_faults()}
        there = [name for name in names.split("/") if self.version in every[name].versions]
        return there[0] if there else names.split("/")[0]


@cache
def _codes() -> tuple[dict[tuple[str, str], Code], dict[str, Code]]:
    """Response codes by meaning and version, and by code."""
    by_meaning: dict[tuple[str, str], Code] = {}
    by_code: dict[str, Code] = {}
    for one in code_list("response_code"):
        by_code.setdefault(one.code, one)
        for version in one.versions:
            by_meaning.setdefault((one.meaning, version), one)
    return by_meaning, by_code


def _codes_for(reasons: list[str], version: str) -> dict[str, str]:
    """The code of each reason in *version*; a card that is picked up has a code of its own for some."""
    by_meaning, _ = _codes()
    firm = [reason for reason in reasons if not reason.startswith("pick up card")]
    keep = firm and len(firm) < len(reasons)
    made = {}
    for reason in firm or reasons:
        names = [one for name in reason.split("/") for one in (name, name.removesuffix(", pick up"))]
        kept = [code for name in names if (code := by_meaning.get((f"{name}, pick up", version)))]
        plain = [code for name in names if (code := by_meaning.get((name, version)))]
        taken = [code for code in plain if code.kind == "pick-up"]
        found = (kept or taken) if keep else (plain or kept)
        made[reason] = found[0].code if found else ""
    return made


def _decide(made: _Composer, answered: bool) -> Decision:
    """The decision that is described; never one that is guessed."""
    version, bad = made.version, made.bad
    code = made.only("code")
    marks = made.all("decision", "reason", "reason!", "code")
    said = {mark.value for mark in made.all("decision")}
    if "partial" in said:
        soft = all(_SOFT.search(fold(mark.words)) for mark in made.all("decision") if mark.value == "partial")
        if soft and not made.all("part"):
            several = len({mark.value.minor_units for mark in made.all("amount")}) > 1
            said = said - {"partial"} | ({"partial"} if several else {"approved"})
        said -= {"approved"} if "partial" in said else set()
    rest = fold(made.reader.text)
    for mark in made.all("reason", "reason!"):
        rest = rest[: mark.start] + " " * (mark.end - mark.start) + rest[mark.end :]
    if _BY_OTHERS.search(rest):
        bad("who decides")
    strong = made.all("reason!") + [mark for mark in made.all("reason") if "pick" in mark.words.lower()]
    weak = [mark for mark in made.all("reason") if mark not in strong]
    found = _codes_for(list(dict.fromkeys(mark.value for mark in strong + weak)), version)
    for reason, one in found.items():
        if not one:
            bad(f"{reason.split('/')[0]}: no code in {version}")
    codes = {one for one in found.values() if one}
    if len(codes) > 1:
        bad("contradicts itself: " + " / ".join(mark.words for mark in strong + weak))
    if code:
        known = _codes()[1].get(code)
        if known is None or version not in known.versions:
            bad(f"the response code {code} in {version}")
        elif codes and code not in codes:
            bad(f"code {code} means {known.meaning}")
        else:
            verdict = "partial" if "partial" in known.meaning else known.kind
            verdict = verdict if verdict in ("approved", "partial") else "declined"
            if said and said != {verdict}:
                bad(f"code {code} means {known.meaning}")
            said = {verdict}
    elif found:
        if said & {"approved", "partial"}:
            bad("approved, and a reason to decline")
        if not strong and "declined" not in said and not answered and not made.all("answer"):
            bad(f"{weak[0].words}: the card's state or the decision?")
        said, code = {"declined"}, next(iter(codes), None)
    if len(said) > 1:
        bad("contradicts itself: " + " / ".join(sorted(said)))
    if not said and answered:
        bad("an answer, and not which")
    outcome = next(iter(said), None)
    if outcome == "declined" and not code:
        code = _codes_for(["do not honour"], version)["do not honour"]
        made.notes.append(f"No reason was given: {code}, do not honour")
    return Decision(outcome, code, marks)


def _amounts(made: _Composer, chain: list[str], decision: Decision) -> dict[str, int]:
    """Amounts by what they belong to: main, part, final, cashback, or a later stage of *chain*."""
    bad, amounts = made.bad, made.all("amount")
    money = made.all("amount", "bare", "raw")
    currencies = {mark.value.currency for mark in amounts} | {mark.value for mark in made.all("currency")}
    if len(currencies) > 1:
        bad("contradicts itself: " + " / ".join(sorted(currencies)))
    currency = next(iter(currencies), "USD")
    if any(mark.value.vague for mark in amounts):
        if made.options.get("country") in _DOLLARS_ELSEWHERE:
            bad("which dollars")
        if made.network == "UNIONPAY" and "¥" in made.reader.text:
            bad("yen or yuan")
    if currencies:
        made.options["currency"] = currency
        made.words["currency"] = _said([*amounts, *made.all("currency")])
    elif money:
        made.notes.append("No currency was given: USD")
    out: dict[str, int] = {}
    for mark in money:
        value = _minor(made, mark, currency)
        if value is None:
            bad(f"the amount {mark.words}")
        role = _role(made, mark, chain, decision)
        if out.setdefault(role, value or 0) != value:
            bad(f"two amounts: {mark.words}")
    for mark in made.all("part"):
        value = sums.minor_units(mark.value, currency, comma=made.reader.comma)
        if decision.outcome != "partial" or value is None:
            bad(f"{mark.words}: a part of what")
        elif out.setdefault("part", value) != value:
            bad(f"two amounts: {mark.words}")
    _check_parts(made, decision, out)
    return out


def _minor(made: _Composer, mark: Mark, currency: str) -> int | None:
    if isinstance(mark.value, Sum):
        return mark.value.minor_units
    if mark.key == "raw":
        return int(mark.value)
    return sums.minor_units(mark.value, currency, comma=made.reader.comma)


def _role(made: _Composer, mark: Mark, chain: list[str], decision: Decision) -> str:
    """What the amount *mark* belongs to, by the words before and after it."""
    text, parts = made.reader.text, made.all("part")
    around = made.all("head", "then", "part", "decision", "cashbackof", "remain")
    before = [one for one in around if one.start < mark.start]
    after = next((one for one in around if one.start >= mark.end), None)
    last = before[-1] if before else None
    stage = next((one for one in reversed(before) if one.key in ("head", "then")), None)
    tail = text[mark.end : after.start].strip() if after else ""
    if after and "cashback" in (after.key.removesuffix("of"), after.value) and not tail:
        return "cashback"
    if (
        last
        and last.key == "cashbackof"
        and re.fullmatch(r"\s*(of|von|de|em|en)?\s*", text[last.end : mark.start])
    ):
        return "cashback"
    if decision.outcome == "partial" and not parts:
        behind = re.match(
            r"\s*(?:of it )?(?:was |is |were )?(?:partially )?approved", text[mark.end :].lower()
        )
        if behind or (last and last.key == "decision" and last.value == "partial"):
            return "part"
    partial = any(one.value == "partial_reversal" for one in around)
    if last and last.key == "remain" and partial and not text[last.end : mark.start].strip():
        return "final"
    if stage and stage.key == "then" and stage.value == "partial_reversal":
        return "unsaid"
    if stage and stage.key == "head" and stage.value in chain[1:]:
        return str(stage.value)
    return "main"


def _check_parts(made: _Composer, decision: Decision, out: dict[str, int]) -> None:
    """A part is less than the whole, and every part that is spoken of has an amount."""
    bad = made.bad
    if "unsaid" in out:
        bad("what the partial reversal leaves")
    for role in ("part", "final", "cashback"):
        if role in out and out[role] >= out.get("main", -1):
            bad(f"{role} of {out.get('main', 'nothing')}: {out[role]}")
    if decision.outcome == "partial" and "part" not in out:
        bad("how much is approved")
    remains = [mark for mark in made.all("remain") if mark.words.lower() not in ("to", "auf", "keep")]
    if remains and "final" not in out:
        bad(remains[0].words)
