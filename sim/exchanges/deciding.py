"""The decision in a description: approved, partially approved or declined, and the response code.

It takes a code, a word for a decision, or an unambiguous reason; the state of a card (*expired card*) needs a
word for a decision with it. A network's own codes and meanings come before those of the standard.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import product

from sim.exchanges import sums
from sim.exchanges.lexicon import pattern, phrases, words_of
from sim.exchanges.words import Mark, Reader, Sum
from sim.spec.codes import Code, code_list
from sim.spec.networks import ResponseCode, response_code, response_codes_of

_OTHER_AMOUNTS = (
    *("cashbackof", "tip", "balanceis", "count", "also", "actual", "part", "partof", "remain", "each"),
)
WIDTHS = {"1987": 2, "1993": 3, "2003": 4}  # of a response code
_APART = ",;:(-–.)"
_SAID = ("amount", "bare", "city", "country", "trade", "merchant")  # the last marks of a purchase
_GENERAL = "do not honor/declined"  # without a reason


@dataclass(slots=True)
class Decision:
    """The decision: `outcome` is approved, partial or declined, None if there is none; `code` is DE 39, if
    given or implied."""

    outcome: str | None = None
    code: str | None = None
    marks: list[Mark] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The words of the decision."""
        return said_by(self.marks)

    @property
    def as_outcome(self) -> str | None:
        """The outcome for `sim.exchange`: a code, if there is one."""
        return self.code if self.code and self.code.strip("0") and self.outcome != "partial" else self.outcome


def said_by(marks: Iterable[Mark]) -> str:
    """The words of *marks* in their order."""
    return " … ".join(dict.fromkeys(mark.words for mark in sorted(marks, key=lambda mark: mark.start)))


@cache
def _codes() -> tuple[dict[tuple[str, str], Code], dict[str, Code]]:
    """Response codes by meaning and version, and by code."""
    by_meaning: dict[tuple[str, str], Code] = {}
    by_code: dict[str, Code] = {}
    for code in code_list("response_code"):
        by_code.setdefault(code.code, code)
        for version in code.versions:
            by_meaning.setdefault((code.meaning, version), code)
    return by_meaning, by_code


@cache
def codes_known() -> frozenset[str]:
    """All response codes, including those of a single network."""
    return frozenset(_codes()[1]) | {code.code for code in response_codes_of()}


def approves(code: str) -> bool:
    """Whether the standard's response *code* approves."""
    return code in _codes()[1] and _codes()[1][code].kind == "approved"


@cache
def _code_with_meaning(name: str, version: str, network: str | None) -> Code | ResponseCode | None:
    """The response code with the meaning *name* in *version* on *network*."""
    code = _codes()[0].get((name, version))
    own_codes = [entry for entry in response_codes_of(network) if entry.meaning == name] if network else []
    own_codes = [entry for entry in own_codes if len(entry.code) == WIDTHS[version]]
    if own_codes:
        return next((entry for entry in own_codes if code and entry.code == code.code), own_codes[0])
    network_code = response_code(network, code.code) if code and network and version != "2003" else None
    return code if network_code is None or _means(network_code.meaning, name) else None


def _means(meaning: str, name: str) -> bool:
    """Whether a network's *meaning* is the one the standard calls *name*."""
    pairs = phrases()[0].get(words_of(meaning), ())
    return meaning == name or any(
        name in value.split("/") for key, value in pairs if key.startswith("reason")
    )


def _codes_for(reasons: list[str], version: str, network: str | None) -> dict[str, str]:
    """The code of each reason; some have another code if the card is picked up."""
    firm = [reason for reason in reasons if not reason.startswith("pick up card")]
    keep = firm and len(firm) < len(reasons)
    codes = {}
    for reason in firm or reasons:
        names = (reason, *reason.split("/"))
        bare = [name.removesuffix(", pick up") for name in names]
        kept = [
            code
            for name in (*names, *bare)
            if (code := _code_with_meaning(f"{name}, pick up", version, network))
        ]
        plain = [code for name in names if (code := _code_with_meaning(name, version, network))]
        plain.sort(key=lambda entry: not isinstance(entry, ResponseCode))  # the network's own first
        plain += [code for name in bare if (code := _code_with_meaning(name, version, network))]
        taken = [code for code in plain if code.kind == "pick-up"]
        candidates = (kept or taken) if keep else (plain or kept)
        codes[reason] = candidates[0].code if candidates else ""
    return codes


def decide(
    reader: Reader, network: str | None, version: str, answered: bool, earlier: str | None
) -> Decision:
    """The decision that is described, never a guess; *answered*: the text names the MTI of a response;
    *earlier* is the outcome that a decision given now replaces, if any."""
    bad, marks = reader.unclear.append, reader.all("decision", "reason", "reason!", "code")
    verdicts = _verdicts(reader)
    rest = reader.folded
    for mark in reader.all("reason", "reason!", "kind"):
        rest = rest[: mark.start] + " " * (mark.end - mark.start) + rest[mark.end :]
    if pattern("by-others").search(rest):
        bad("who decides")
    sure = re.compile("pick|retain|declin", re.IGNORECASE)
    strong = reader.all("reason!") + [mark for mark in reader.all("reason") if sure.search(mark.words)]
    weak = [mark for mark in reader.all("reason") if mark not in strong]
    by_reason = _codes_for(list(dict.fromkeys(mark.value for mark in strong + weak)), version, network)
    for reason, reason_code in by_reason.items():
        if not reason_code:
            bad(f"{reason.split('/')[0]}: no code{f' for {network}' if network else ''} in {version}")
    codes = {value for value in by_reason.values() if value}
    if len(codes) > 1:
        bad("contradicts itself: " + " / ".join(mark.words for mark in strong + weak))
    code = reader.only("code")
    if code:
        code, verdict = _coded(reader, code, network, version)
        if (codes and code not in codes) or (verdict and verdicts and verdicts != {verdict}):
            bad(f"code {code} with: {said_by(other for other in marks if other.key != 'code')}")
        verdicts = {verdict} if verdict else verdicts
    elif by_reason:
        if verdicts & {"approved", "partial"}:
            bad("approved, and a reason to decline")
        clear = strong or answered or earlier or reader.all("answer") or "declined" in verdicts
        if not (clear or any(_stands_apart(reader, mark) for mark in weak)):
            bad(f"{weak[0].words}: the card's state or the decision?")
        verdicts, code = {"declined"}, min(codes, default=None)
    if len(verdicts) > 1:
        bad("contradicts itself: " + " / ".join(sorted(verdicts)))
    if not verdicts and reader.all("approval", "balanceis"):
        verdicts = {"approved"}  # an approval code implies approval
    if not verdicts and answered and not reader.all("alone"):
        bad("a response, but not which one")
    outcome = min(verdicts, default=None)
    if outcome == "declined" and not code and earlier not in (None, "approved", "partial", "timeout", "late"):
        code = earlier
    elif outcome == "declined" and not code:
        code = next(iter(_codes_for([_GENERAL], version, network).values()))
        if not reader.all("only"):
            reader.notes.append(f"No reason was given: {code}, do not honor")
    return Decision(outcome, code, marks)


def _verdicts(reader: Reader) -> set[str]:
    """The decisions in the text; *approved for 20* is partial if a larger amount is named."""
    verdicts = {str(mark.value) for mark in reader.all("decision")}
    of_a_whole = reader.all("part") and not reader.all("then")
    if verdicts == {"approved"} and (of_a_whole or _approves_less(reader)):
        return {"partial"}
    return verdicts - {"approved"} if "partial" in verdicts else verdicts


def granted(reader: Reader) -> list[Mark]:
    """The amounts next to a word for an approval: `90 approved`, `aprobaron 40`."""
    money = reader.all("amount", "bare")
    words = [mark for mark in reader.all("decision") if mark.value in ("approved", "partial")]
    after = [amount for amount, mark in product(money, words) if reader.joins(mark, amount)]
    before = [amount for amount, mark in product(money, words) if reader.joins(amount, mark, "of-which")]
    # `50 USD, approved for 60`: not the amount before the word
    exact = [amount for amount in after if pattern("ends-in-for").search(reader.folded, 0, amount.start)]
    near = exact or [*after, *before]
    each = {mark.value for mark in words} == {"approved"}
    if each and 1 < len({one.start for one in near}) == len(money) <= len(words):
        return []  # `5 USD ok, 15 USD ok`: each is approved
    least = min((worth(reader, amount) or 0 for amount in near), default=0)
    return [amount for amount in near if (worth(reader, amount) or 0) == least]


def worth(reader: Reader, mark: Mark, currency: str = "USD") -> int | None:
    """The amount of *mark* in minor units, of *currency* if it names none; None if it is ambiguous."""
    if isinstance(mark.value, Sum):
        return mark.value.minor_units
    if mark.key == "raw":
        return int(mark.value)
    return sums.minor_units(mark.value, currency, comma=reader.comma)


def _approves_less(reader: Reader) -> bool:
    """Whether the smaller of two amounts of a single request is the approved one."""
    money, back = reader.all("amount", "bare"), reader.all("then")
    later = [amount for amount in money if back and amount.start > back[0].start]
    if later or "of which" in reader.folded or reader.all(*_OTHER_AMOUNTS):
        return False
    if len({mark.value for mark in reader.all("head")}) > 1:
        return False
    currency = reader.whole.currency if reader.whole else "USD"
    less = {worth(reader, mark, currency) or 0 for mark in granted(reader)}
    more = {worth(reader, mark, currency) or 0 for mark in money} - less
    if reader.whole and less and not more:  # in a follow-up, of the amount before
        more = {reader.whole.minor_units}
        if min(less) > min(more):
            reader.unclear.append(f"approved for more than is asked: {said_by(money)}")
    return len(less) == len(more) == 1 and min(less) < min(more)


def _coded(reader: Reader, code: str, network: str | None, version: str) -> tuple[str, str]:
    """The response code for *code* on *network*, and its decision; a code of another version becomes the one
    with the same meaning."""
    of_version = version != "2003" and len(code) == WIDTHS[version]
    network_code = response_code(network, code) if network and of_version else None
    listed = _codes()[1].get(code)
    entry: Code | ResponseCode | None = network_code or listed
    if network_code is None and listed is not None and entry is not None and version not in listed.versions:
        meaning = next(
            (value for key, value in phrases()[0].get(words_of(entry.meaning), ()) if "reason" in key),
            entry.meaning,
        )
        code = _codes_for([meaning], version, network)[meaning]
        if code:
            reader.notes.append(f"{entry.code} is {code} in {version}: {entry.meaning}")
        entry = entry if code else None
    if entry is None:
        reader.unclear.append(f"the response code {reader.only('code')} in {version}")
        return code, ""
    partial = "partial" in entry.meaning and entry.kind == "approved"
    return code, "partial" if partial else "approved" if entry.kind == "approved" else "declined"


def _stands_apart(reader: Reader, mark: Mark) -> bool:
    """Whether the state of a card is stated apart, as in *20 EUR, card blocked*; *expired*, which is seen
    without the issuer, only at the end."""
    before, after = reader.text[: mark.start].rstrip(), reader.text[mark.end :].lstrip(" .)")
    if not after and any(other.start < len(before) <= other.end for other in reader.all(*_SAID)):
        return True  # `20 EUR stolen card`
    after = pattern("by-issuer").sub("", after).lstrip(" .)")
    before = pattern("before-state").sub("", f"{before} ").rstrip()
    if mark.value.startswith("expired card"):
        return not after and before[-1:] in _APART
    if mark.value.startswith("invalid") and not after:
        return True  # nobody requests an invalid merchant
    return (not before or before[-1] in _APART) and (not after or after[0] in _APART)
