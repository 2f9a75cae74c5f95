"""Descriptions of a host or a suite: calls that make no message.

`host that declines everything above 100 USD with 51` is a rule of `sim.host`, `run the Visa suite` a call of
`sim.run_suite`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim.codec.wire.catalogue import toml_table, toml_value
from sim.exchanges.deciding import Decision, said_by, worth
from sim.exchanges.lexicon import pattern
from sim.exchanges.plan import HOST, SUITE, Asked, Plan, Step, masked_description
from sim.exchanges.words import Reader, Sum
from sim.spec import currency
from sim.spec.networks import test_cards

# The marks that a host rule or a suite can use; any other would be lost.
_OF_HOSTS = frozenset(("host", "bound", "amount", "bare", "currency", "network", "tail", "pan", "mti",
                       "decision", "reason", "reason!", "code", "why", "aside", "everything", "answer",
                       "request", "kind", "polite", "number"))  # fmt: skip
_OF_SUITES = frozenset(("suite", "network", "endpoint", "aside", "polite", "number", "everything"))
# Options of a generated message that a step of a suite has, too, by their names there.
_OF_STEPS = {"message_type": "type", "purpose": "purpose", "entry": "entry", "amount_minor_units": "amount",
             "currency": "currency", "pan": "pan", "then": "then"}  # fmt: skip
_WAIT = 0.2  # seconds, for a response that does not come
_ACTIONS = {"timeout": "drop", "late": "late"}


def call_of(reader: Reader, decision: Decision, network: str | None) -> Step | None:
    """The requested call of a host or a suite; None if the description is of messages. Marks that such a call
    cannot have are unclear."""
    if reader.all("suite"):
        _only(reader, _OF_SUITES)
        if network is None:
            reader.unclear.append("which suite")
        options = {"suite": network, "host": reader.only("endpoint")}
        words = {"suite": said_by(reader.all("suite", "network")), "host": said_by(reader.all("endpoint"))}
        return Step(SUITE, {name: value for name, value in options.items() if value}, words)
    if reader.all("host"):
        _only(reader, _OF_HOSTS)
        rule = _conditions(reader, network) | _done(reader, decision)
        phrase = said_by(mark for mark in reader.marks if mark.key not in ("aside", "polite", "number"))
        return Step(HOST, {"rules": [rule]}, {"rules": phrase})
    return None


def suite_of(plans: Sequence[Plan], text: str, words: str) -> Plan:
    """The call of `sim.run_suite` with a case for each of *plans*, and rules that make our own host answer as
    they say."""
    unclear: list[str] = []
    cases: list[dict[str, Any]] = []
    rules: dict[int, dict[str, str]] = {}
    networks = {plan.steps[0].options.get("network") for plan in plans}
    for plan in plans:
        options, asked = dict(plan.steps[0].options), plan.asked
        amount, outcome = options.get("amount_minor_units", 1000), options.pop("outcome", "approved")
        step = {_OF_STEPS[name]: value for name, value in options.items() if name in _OF_STEPS}
        rule = {"amount": str(amount)}
        if asked.is_declined:
            step["expect"], rule["code"] = {"39": outcome}, outcome
        elif outcome == "timeout":
            step |= {"timeout": _WAIT, "expect": {"status": "timed out"}}
            rule["action"] = "drop"
        if (len(plan.steps) > 1 or not options.keys() <= {*_OF_STEPS, "network", "stan"} or asked.which
                or outcome in ("partial", "late") or rules.setdefault(amount, rule) != rule):  # fmt: skip
            unclear.append(f"{masked_description(plan.text.strip())}: not of a suite")
        cases += [step] * asked.count
    if len(networks) > 1:
        unclear.append("which network")
    lines = [f"network = {toml_value(network)}" for network in networks if network]
    for number, case in enumerate(cases, 1):
        lines += toml_table("[cases]", {"name": str(number), "steps": [case]})
    for rule in rules.values():
        lines += toml_table("[rules]", rule) if len(rule) > 1 else []
    step = {"suite": "\n".join(lines).strip()}
    notes = dict.fromkeys(note for plan in plans for note in plan.notes)
    return Plan(text, Asked(), (Step(SUITE, step, {"suite": words}),), tuple(notes), tuple(unclear))


def _only(reader: Reader, keys: frozenset[str]) -> None:
    for mark in reader.marks:
        is_usual = mark.key == "unknown" or (mark.key == "head" and mark.value == "purchase")
        if mark.key not in keys and not is_usual:
            reader.unclear.append(f"{mark.words}: not of a host or a suite")
            return


def _conditions(reader: Reader, network: str | None) -> dict[str, Any]:
    """The conditions of the rule: which requests it applies to."""
    rule: dict[str, Any] = {}
    if money := reader.all("amount", "bare"):
        alpha = next((mark.value.currency for mark in money if isinstance(mark.value, Sum)), "")
        units = [worth(reader, mark, alpha) for mark in money]
        low, high = units[0] or 0, units[-1] or 0
        bounds = reader.all("bound")
        over = pattern("ends-in-over").search(reader.folded, 0, money[0].start)
        bound = "above" if over else bounds[0].value if bounds and bounds[0].start < money[0].start else ""
        if (len(money) > 2 or (len(money) == 2) != (bound == "between") or not bound or len(bounds) > 1
                or None in units):  # fmt: skip
            reader.unclear.append("for which amounts")
        ranges = {"above": f"{low + 1}..", "from": f"{low}..", "below": f"..{low - 1}", "to": f"..{low}",
                  "exactly": f"{low}", "between": f"{low}..{high}"}  # fmt: skip
        entry = currency(alpha)
        rule |= {"amount": ranges.get(bound, ""), "currency": entry.numeric if entry else ""}
    if reader.all("network") and network:
        rule["network"] = network
    if tail := reader.only("tail"):
        cards = [card.pan for card in test_cards() if card.pan.endswith(tail)]
        if len(cards) != 1:
            reader.unclear.append(f"which card ends in {tail}")
        rule["card"] = cards[0] if cards else ""
    if pan := reader.only("pan"):
        rule["card"] = pan
    if mti := reader.only("mti"):
        rule["mti"] = mti
    return rule


def _done(reader: Reader, decision: Decision) -> dict[str, Any]:
    """The action of the rule: what the host does with those requests."""
    why = next((_ACTIONS[mark.value] for mark in reader.all("why") if mark.value in _ACTIONS), "")
    if why and decision.outcome is None:
        return {"action": why}
    if decision.outcome == "declined" and decision.code and not why:
        return {"code": decision.code}
    reader.unclear.append("what the host does")
    return {}
