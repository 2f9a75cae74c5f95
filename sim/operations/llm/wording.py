"""What the words of a description fix: kind, purpose, way of reading, decision, names.

A word that is denied (`no chip`) or part of a name that the intent quotes counts for nothing. Where words of
several sorts stand in a description, any of them is right.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from sim.spec import networks
from sim.spec.registries import countries, country

if TYPE_CHECKING:
    from sim.operations.llm.intent import Intent

_DENIED = re.compile(
    r"(?:\b(?:no|not|non|never|without|neither|nor|instead of|rather than|cannot)|n't)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
NETWORKS = {name: networks.network(name).spoken for name in networks.NETWORKS}
ENTRY = {
    "contactless": r"contactless|tap(?:s|ped|ping)?|apple pay|google pay|nfc|pay ?wave|pay ?pass",
    "chip": r"chip(?: and pin)?|insert(?:s|ed)|dip(?:s|ped)|emv",
    "stripe": r"swip(?:e|es|ed|ing)|mag(?:netic)?[ -]?stripe",
    "manual": r"key(?:ed|s)?(?:[ -](?:in|entered|entry))|keyed|typed|manual(?:ly)?",
    "ecommerce": r"e-?commerce|online(?! pin\b| auth| to\b)|internet|web ?(?:shop|site|store)|in-app",
}
PURPOSE = {
    "refund": r"refund(?:s|ed|ing)?|credit voucher",
    "cash": r"withdraw(?:s|al|als|n|ing)?|cash advance|cash disbursement",
    "cashback": r"cash ?-?back",
    "balance": r"balance",
    "purchase": r"purchas(?:e|es|ed|ing)|sale|buys?|bought",
}
KIND = {
    "reversal": r"revers(?:e|es|ed|al|als|ing)|void(?:s|ed)?|undo(?:es|ne)?|undid",
    "echo": r"echo",
    "advice": r"advice",
    "financial": r"financial|single[ -]message",
}
# Words by which a kind that nobody names may be meant.
_KIND_MEANT = {
    "reversal": r"revers|void|und[oi]|cancel|roll|annul|storn|back\b|time[sd]?[ -]?out|04[0-9]{2}",
    "echo": r"echo|link|network|heart|ping|alive|connect|line|08[0-9]{2}",
    "advice": r"advi[cs]|stand|already|0?12\b|012[0-9]|offline|store",
}
ANSWER = (
    r"(?:authori[sz]ation|financial|purchase|refund|reversal|advice|echo(?: test)?|network|issuer'?s?|host) "
    r"(?:response|reply|answer)|(?:response|reply|answer) (?:to|for)(?! be)"
)
DECLINED = r"declin(?:e|es|ed|ing)|reject(?:s|ed)?|refus\w*|denied|turned down|not (?:been )?approved"
APPROVED = r"approved"
# Words by which an answer may be meant.
_ANSWER_MEANT = (
    r"respon|repl|answer|declin|reject|refus|approv|den(?:y|ied)|turned down|funds|expired|stolen|lost|pick|"
    r"hono|limit|accept|authori[sz]ed|fail|succe|result|code|outcome|decision|wrong|incorrect|[0-9]{2}[13][0-9]\b"
)
# Why a card is declined, in a description, and in the meaning of a response code.
REASONS = (
    (r"(?:insufficient|not (?:sufficient|enough)|lack of|no) (?:funds|money|balance)", r"funds"),
    (r"expired", r"expired"),
    (r"stolen", r"stolen"),
    (r"lost card|card (?:is|was|has been|reported)(?: reported)? lost", r"lost"),
    (r"(?:wrong|incorrect|invalid|bad|false) pin", r"\bPIN"),
    (r"(?:too many|exceed\w*) (?:wrong )?pin|pin tr(?:ies|y)", r"PIN tries"),
    (r"do not hono", r"do not honour"),
    (r"fraud", r"fraud"),
    (r"restricted card", r"restricted"),
    (r"system (?:error|malfunction|failure)", r"malfunction|error"),
    (r"(?:over|exceed\w*|above|beyond)(?: \w+){0,2} limit|limit(?: \w+)? exceeded", r"limit|exceed"),
    (r"invalid merchant", r"merchant"),
)
_PLACES = {"USA": "US", "U.S.": "US", "UK": "GB", "U.K.": "GB", "England": "GB", "Scotland": "GB",
           "Great Britain": "GB", "Russia": "RU", "South Korea": "KR", "Turkey": "TR", "Holland": "NL",
           "Taiwan": "TW", "Vietnam": "VN", "Iran": "IR", "Czech Republic": "CZ"}  # fmt: skip
_SHOP = re.compile(
    r"\b[Aa]t (?:the |an? )?([^\W\d_a-z](?:[\w'’&-]|\.(?=\w))*"
    r"(?: (?:[^\W\d_a-z](?:[\w'’&-]|\.(?=\w))*|&|of|de|la|le))*)"
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{2,60})[\"”]")
_NO_SHOP = re.compile(r"ATM|MCC|UTC|GMT|POS|MTI|STAN|Terminal|Merchant|[A-Z]{3}\b|Noon|Midnight")


def said(pattern: str, text: str) -> bool:
    """Whether *pattern* stands in *text* as words, and is not denied there."""
    found = re.finditer(rf"\b(?:{pattern})\b", text, re.IGNORECASE)
    return any(not _DENIED.search(text[max(0, match.start() - 40) : match.start()]) for match in found)


def without_names(intent: Intent, text: str) -> str:
    """*text* without what *intent* quotes of it as names."""
    for name in (intent.merchant_name, intent.merchant_city, intent.terminal_id, intent.merchant_id):
        if name and len(name) > 1:
            text = re.sub(re.escape(name), " ", text, flags=re.IGNORECASE)
    return _QUOTED.sub(" ", text)


def check_words(intent: Intent, text: str) -> list[str]:
    """Where *intent* is not what the words of *text* say, as sentences for the model."""
    text = without_names(intent, text)
    return [*_kinds(intent, text), *_purposes(intent, text), *_entries(intent, text), *_country(intent, text)]


def _kinds(intent: Intent, text: str) -> list[str]:
    named = [kind for kind, pattern in KIND.items() if said(pattern, text)]
    undone = intent.original.kind if intent.original else None
    problems = []
    if "financial" in named and intent.kind == "auth" and not said(r"authori[sz]\w*", text):
        problems.append("The description speaks of a financial message: set `kind` to financial")
    for kind in ("reversal", "echo", "advice"):
        if kind in named and intent.kind not in (*named, undone):
            problems.append(f"The description speaks of {kind}: set `kind` to {kind}")
            break
    meant = _KIND_MEANT.get(intent.kind)
    if meant and intent.kind not in named and not re.search(rf"\b(?:{meant})", text, re.IGNORECASE):
        problems.append(f"The description speaks of no {intent.kind}: set another `kind`")
    if intent.direction == "response" and not re.search(rf"\b(?:{_ANSWER_MEANT})", text, re.IGNORECASE):
        problems.append("The description speaks of no answer: set `direction` to request, without a decision")
    if intent.direction == "request" and said(ANSWER, text):
        problems.append("The description asks for the answer: set `direction` to response")
    return problems


def _purposes(intent: Intent, text: str) -> list[str]:
    if intent.kind == "echo":
        return []
    named = [purpose for purpose, pattern in PURPOSE.items() if said(pattern, text)]
    special = [purpose for purpose in named if purpose != "purchase"]
    have = intent.purpose or "purchase"
    wanted = special or named
    if wanted and have not in wanted:
        return [f"The description speaks of {wanted[0]}: set `purpose` to it"]
    return []


def _entries(intent: Intent, text: str) -> list[str]:
    named = [entry for entry, pattern in ENTRY.items() if said(pattern, text)]
    if named and intent.kind != "echo" and intent.entry not in named:
        return [f"The description says how the card was read: set `entry` to {named[0]}"]
    return []


def _countries_in(text: str) -> set[str]:
    names = {item.name: item.alpha2 for item in countries()} | _PLACES
    return {code for name, code in names.items() if re.search(rf"\b{re.escape(name)}(?!\w)", text)}


def _country(intent: Intent, text: str) -> list[str]:
    named = _countries_in(text)
    known = country(intent.merchant_country) if intent.merchant_country else None
    if named and known and known.alpha2 not in named:
        return [f"The description names another country: set `merchant_country` to {min(named)}"]
    return []


def check_decision(intent: Intent, text: str, meaning: str) -> list[str]:
    """Whether the decision is the description's; *meaning* is that of the response code, if any."""
    text = without_names(intent, text)
    declined, approved = said(DECLINED, text), said(APPROVED, text)
    if not declined and not approved:
        return []
    if intent.direction == "request" and intent.kind in ("auth", "financial"):
        return ["The description tells the issuer's decision: set `direction` to response, and `outcome`"]
    if intent.direction == "response" and not (intent.outcome or intent.response_code):
        return ["The description tells the issuer's decision: set `outcome`"]
    if declined != approved and intent.outcome and (intent.outcome == "declined") != declined:
        return [f"The description tells {'a decline' if declined else 'an approval'}: mend `outcome`"]
    if declined != approved and intent.response_code and not intent.outcome:
        return ["The description tells the issuer's decision: set `outcome` beside `response_code`"]
    for pattern, wanted in REASONS if declined and meaning else ():
        if said(pattern, text) and not re.search(wanted, meaning):
            return [f"The description gives a reason to decline, and the response code means {meaning}"]
    return []


def names_in(text: str) -> list[str]:
    """What *text* names in quotation marks, or in capitals behind `at`."""
    shops = [match[1].rstrip(".,") for match in _SHOP.finditer(text)]
    return [*_QUOTED.findall(text), *(name for name in shops if not _NO_SHOP.match(name))]


def fold(text: str) -> str:
    """*text* without accents, case, blanks and marks, to compare names."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ß", "ss"))
    return "".join(char for char in plain if char.isalnum())


def unnamed(intent: Intent, text: str) -> list[str]:
    """What *intent* understood that no word of *text* names, as it may be noted."""
    text = without_names(intent, text)
    found = []
    for name, words in (("entry", ENTRY), ("purpose", PURPOSE)):
        value = getattr(intent, name)
        if value and not said(words[value], text):
            found.append(f"{name} {value}")
    undone = intent.original.kind if intent.original else None
    if undone and not said(r"authori[sz]\w*" if undone == "auth" else KIND["financial"], text):
        found.append(f"the original as {undone}")
    if intent.merchant_category and intent.merchant_category not in text:
        found.append(f"MCC {intent.merchant_category}")
    if intent.merchant_country and intent.merchant_country not in text:
        known = country(intent.merchant_country)
        if known and known.alpha2 not in _countries_in(text):
            found.append(f"country {intent.merchant_country}")
    if intent.outcome and not said(f"{DECLINED}|{APPROVED}", text):
        found.append(f"outcome {intent.outcome}")
    return found
