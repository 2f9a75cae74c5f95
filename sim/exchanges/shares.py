"""The options taken from a description, and the role of each of its amounts: of the request, of a part of it,
of a later step."""

from __future__ import annotations

import re
from typing import Any

from sim.exchanges import sums
from sim.exchanges.deciding import Decision, granted, said_by, worth
from sim.exchanges.lexicon import fold, pattern
from sim.exchanges.plan import Asked
from sim.exchanges.words import Mark, Reader, Sum
from sim.spec.codes import FUNDS, currencies

_ROLES = {"tip": "tip", "cashbackof": "cashback", "balanceis": "balance", "partof": "final"}
_DOLLARS_ELSEWHERE = frozenset(("CA", "AU", "NZ", "HK", "SG", "TW", "MX", "CN"))


class Draft:
    """The options of a description, added to those requested *before* in a follow-up, the words behind each,
    and the marks of amounts by role (`shares`)."""

    def __init__(self, reader: Reader, before: Asked | None) -> None:
        self.reader, self.before = reader, before
        self.all, self.only, self.bad = reader.all, reader.only, reader.unclear.append
        self.notes = reader.notes
        self.options: dict[str, Any] = dict(before.options) if before else {}
        self.words: dict[str, str] = {}
        self.shares: dict[str, list[Mark]] = {}

    def put(self, name: str, value: Any, *keys: str) -> None:
        """Set the option *name*, taken from the marks of *keys*."""
        self.options[name] = value
        self.words[name] = said_by(self.all(*keys))

    def amounts(self, chain: list[str], decision: Decision) -> dict[str, int]:
        """Amounts by role: main, part, final, cashback, tip, balance, or a later stage of *chain*."""
        bad, amounts = self.bad, self.all("amount")
        for mark in amounts:
            if mark.value.figures:
                self._placed(mark)
        money = self.all("amount", "bare", "raw")
        codes = {mark.value.currency for mark in amounts}
        codes |= {mark.value for mark in self.all("currency")}
        if len(codes) > 1:
            bad("contradicts itself: " + " / ".join(sorted(codes)))
        currency = min(codes, default=str(self.options.get("currency", "USD")))
        if any(mark.value.vague for mark in amounts) and self.options.get("country") in _DOLLARS_ELSEWHERE:
            bad("which dollars")
        if codes:
            self.options["currency"] = currency
            self.words["currency"] = said_by([*amounts, *self.all("currency")])
        elif money and "currency" not in self.options:
            self.notes.append("No currency was given: USD")
        out: dict[str, int] = {}
        for mark in money:
            value = worth(self.reader, mark, currency)
            if value is None:
                bad(f"the amount {mark.words}")
            role = self._role(mark, chain, decision, "main" in out or self.before is not None)
            self.shares.setdefault(role, []).append(mark)
            if out.setdefault(role, value or 0) != value:
                bad(f"two amounts: {self.shares[role][0].words}, {mark.words}")
        for mark in self.all("part"):
            value = sums.minor_units(mark.value, currency, comma=self.reader.comma)
            if value and any(self.reader.joins(word, mark) for word in self.all("then")):
                out["undone"] = value  # reverse 30 of a purchase of 100
            elif value and any(self.reader.joins(word, mark) for word in self.all("partof")):
                out["final"] = value  # dispensed only 60 of the 100
            elif decision.outcome != "partial" or value is None:
                bad(f"{mark.words}: part of which amount")
            elif out.setdefault("part", value) != value:
                bad(f"two amounts: {mark.words}")
        self._undone(decision, out)
        self._raised(out)
        main = out.get("main", self.options.get("amount_minor_units", -1))
        for role in ("part", "final", "cashback"):
            if role in out and out[role] >= main:
                bad(f"{role} of {main if main >= 0 else 'nothing'}: {out[role]}")
        if decision.outcome == "partial" and "part" not in out:
            bad("how much is approved")
        remains = [mark for mark in self.all("remain") if mark.words.lower() not in ("to", "auf", "keep")]
        if remains and "final" not in out:
            bad(remains[0].words)
        return out

    def _placed(self, mark: Mark) -> None:
        """Resolve an amount in pesos, francs and the like to the currency of the country."""
        name, land = mark.value.currency[1:], str(self.options.get("country", ""))
        candidates = [entry for entry in currencies() if entry.alpha[:2] == land and entry.alpha not in FUNDS]
        candidates = [entry for entry in candidates if re.search(name, fold(entry.name))]
        alpha = candidates[0].alpha if len(candidates) == 1 else ""
        value = sums.minor_units(mark.value.figures, alpha, comma=self.reader.comma) if alpha else None
        if value is None:
            self.bad(f"which currency: {mark.words}")
        mark.value = Sum(value or 1, alpha or "USD")

    def _role(self, mark: Mark, chain: list[str], decision: Decision, several: bool) -> str:
        """The role of the amount *mark*, by the words around it; *several*: a main amount comes before it."""
        text, money, parts = self.reader.text, self.all("amount", "bare"), self.all("part")
        around = self.all("head", "then", "part", "decision", "cashbackof", "remain", *_ROLES)
        before = [other for other in around if other.start <= mark.start]
        after = next((other for other in around if other.start >= mark.end), None)
        last = before[-1] if before else None
        joined = last is not None and self.reader.joins(last, mark)
        stage = next((other for other in reversed(before) if other.key in ("head", "then")), None)
        near = after if after and not text[mark.end : after.start].strip() else None
        of_it = after if after and self.reader.joins(mark, after, "of-which") else None
        if of_it and "cashback" in (of_it.key.removesuffix("of"), of_it.value):
            return "cashback"
        of_next = near and any(self.reader.joins(near, other) for other in money)
        if near and near.key == "tip" and not (of_next or near.words.lower().startswith("with")):
            return "tip"  # 12 tip
        if last and joined and last.key in _ROLES:
            return _ROLES[last.key]
        if last and joined and last.value == "balance" and chain == ["balance"]:
            return "balance"
        if decision.outcome == "partial" and not parts:
            # In a follow-up, the whole is in the plan before: `half of it approved`.
            approvals = granted(self.reader) if self.before or len(money) > 1 else []
            if mark in approvals or (not approvals and last and last.value == "partial"):
                return "part"
        if several and not joined and of_it and of_it.value in chain[1:]:
            return f"{of_it.value}@{of_it.start}"  # and an $8 refund
        if several and of_it and of_it.key == "then":
            return "undone"  # 10 of it reversed
        left = any(other.key in ("remain", "partof") for other in around)
        partial = any(other.value == "partial_reversal" for other in around)
        if last and last.key == "remain" and not text[last.end : mark.start].strip():
            back = [other for other in around if other.key == "then" and other.end <= last.start]
            if several and back and not text[back[-1].end : last.start].strip():
                back[-1].value, partial = "partial_reversal", True  # reversed to 80
            if partial:
                return "final"
        backs = [other for other in before if other.key == "then"]
        if backs and near and near.key == "remain" and pattern("stays").search(fold(near.words)):
            backs[-1].value = "partial_reversal"
            return "final"  # so that 60 remain
        if last and last.key == "part" and joined:
            return "main"
        if stage and stage.key == "then" and not (partial and left):
            bought = [other for other in around if other.key == "head" and other.start >= mark.end]
            if several or (joined and bought and any(other.start > bought[0].start for other in money)):
                return "undone"
        if stage and stage.key == "head" and stage.value in chain[1:]:
            return f"{stage.value}@{stage.start}"
        return "main"

    def _raised(self, out: dict[str, int]) -> None:
        """`Increased to 250` is an increment of what is missing."""
        total = out.get("main", self.options.get("amount_minor_units", 0))
        then = self.before.then if self.before else ()
        total += sum(int(step.partition(":")[2] or 0) for step in then if step.startswith("increment:"))
        for role in [role for role in out if role.startswith("incremental@")]:
            if self.is_total(self.shares[role][0]):
                out[role] -= total
                if out[role] <= 0:
                    self.bad(f"an increment to {said_by(self.shares[role])}")
            total += out[role]

    def is_total(self, mark: Mark) -> bool:
        """Whether the amount *mark* is what a hold grows to."""
        ends = (mark.start, mark.end)
        return any(pattern("ends-in-up-to").search(self.reader.folded, 0, end) for end in ends)

    def _undone(self, decision: Decision, out: dict[str, int]) -> None:
        """Take a reversal's own amount, if one is given, as a full or partial reversal."""
        whole = self.options.get("amount_minor_units", 0) if self.before else 0
        undone, total = out.pop("undone", None), out.get("part", out.get("main", whole))
        if undone is None or undone == total:
            return
        if undone > total or decision.outcome == "partial" or len(self.all("then")) > 1 or "final" in out:
            self.bad(f"a reversal of {undone}")
            return
        out["final"], self.all("then")[0].value = total - undone, "partial_reversal"
