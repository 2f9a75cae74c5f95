"""Questions on what stands in the elements: cards, amounts, moments, codes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from random import Random

from sim.elements import dates, money
from sim.operations.drill.facts import Amount, Choice, Digits, NetworkName, YesNo
from sim.operations.drill.framing import Asked
from sim.spec import VERSIONS, code_list, currency, lookup, spec
from sim.spec.networks import NETWORKS, check_digit, network

_COMMON = ("00", "05", "14", "41", "51", "54", "55", "75", "91")
_CURRENCIES = (("USD", "EUR", "GBP"), ("USD", "JPY", "KWD", "EUR"), ("JPY", "KWD", "BHD", "KRW", "CHF"))
_PIN = {"1": "can accept a PIN", "2": "cannot accept a PIN"}


def card(level: int, dice: Random) -> Asked:
    """Level 1: whose number begins so; 2: the check digit of nine digits; 3: of fourteen."""
    if level == 1:
        blocks = [(name, one) for name in NETWORKS for one in network(name).ranges if one.status == "current"]
        name, block = dice.choice(blocks)
        start = f"{dice.randint(int(block.low), int(block.high)):0{len(block.low)}}"
        why = f"{name} has the numbers from {block.low} to {block.high}."
        return Asked(f"Which network carries a card that begins with {start}?", NetworkName(name), why)
    digits = "".join(dice.choices("123456789", k=9 if level == 2 else 14))
    why = "From the right, double every second digit, beginning with the last; the sum must end in 0."
    return Asked(f"Which check digit completes {digits}?", Digits(check_digit(digits)), why)


def amounts(level: int, dice: Random) -> Asked:
    """Levels 1 and 2: an amount as DE 4 has it, in easy and in other currencies; 3: read one."""
    alpha = dice.choice(_CURRENCIES[level - 1])
    known = currency(alpha)
    exponent = (known.exponent if known else None) or 0
    units = dice.randint(1, 9999) * 5
    digits = f"{units:0{spec(VERSIONS[0])[4].width}}"
    said = money.in_major_units(digits, exponent)
    why = f"{alpha} has {exponent} decimals: {said} {alpha} is {units} of the smallest unit."
    if level < 3:
        return Asked(f"Which twelve digits does DE 4 hold for {said} {alpha}?", Digits(digits), why)
    code = known.numeric if known else ""
    text = (
        f"DE 4 is {digits} and DE 49 is {code} ({alpha}). How much is that? Give a number with its decimals."
    )
    return Asked(text, Amount(units, alpha), why)


def moments(level: int, dice: Random) -> Asked:
    """Level 1: DE 7 of a moment in UTC; 2: of one elsewhere; 3: of one in another day."""
    element = spec(VERSIONS[0])[7]
    day, minute = (
        datetime(2026, dice.randint(1, 12), dice.randint(2, 27), tzinfo=UTC),
        dice.randrange(0, 60, 5),
    )
    hours = dice.choice([-10, -8, -5, 2, 5, 9])
    if level == 1:
        at = day.replace(hour=dice.randrange(24), minute=minute)
        text = f"A message is sent on {at:%d %B at %H:%M:%S} UTC. What is DE 7?"
        return Asked(text, Digits(dates.write(element.pattern, at)), f"DE 7 is {element.pattern}.")
    near_midnight = (22 if hours < 0 else 1) if level == 3 else 12
    at = day.replace(hour=near_midnight, minute=minute, tzinfo=timezone(timedelta(hours=hours)))
    ahead = f"{abs(hours)} hours {'ahead of' if hours > 0 else 'behind'} UTC"
    text = f"A shop {ahead} sends a message on {at:%d %B at %H:%M:%S} of its own time. What is DE 7?"
    return Asked(
        text, Digits(dates.write(element.pattern, at.astimezone(UTC))), f"DE 7 is {element.pattern}, in UTC."
    )


def responses(level: int, dice: Random) -> Asked:
    """Level 1: what sort of answer a code is; 2: the code of a meaning; 3: in the later versions."""
    version = VERSIONS[0] if level < 3 else dice.choice(VERSIONS[1:])
    if level < 3:
        found = lookup("response_code", dice.choice(_COMMON), version=version)
        code, meaning, kind = (found.code, found.meaning, found.kind) if found else ("", "", "")
    else:
        meanings = {
            one.meaning for one in code_list("response_code") if one.code in _COMMON and not one.network
        }
        rows = [
            one
            for one in code_list("response_code")
            if version in one.versions and not one.network and one.meaning in meanings
        ]
        chosen = dice.choice(rows)
        code, meaning, kind = chosen.code, chosen.meaning, chosen.kind
    why = f"{code} is {meaning} ({kind})."
    if level == 1:
        choice = "approved, declined, pick-up or system"
        return Asked(f"DE 39 is {code}. Which sort of answer is that: {choice}?", Choice(kind, "answer"), why)
    return Asked(f"Which code in DE 39 says “{meaning}” in ISO 8583:{version}?", Digits(code), why)


def entry(level: int, dice: Random) -> Asked:
    """Level 1: how a card was read; 2: DE 22 for a way of reading; 3: with a network's own modes."""
    modes = [one for one in code_list("pos_entry_mode") if VERSIONS[0] in one.versions]
    own = [one for one in modes if one.network] if level == 3 else [one for one in modes if not one.network]
    usual = {"manual entry", "magnetic stripe, full track", "chip", "contactless chip"}
    mode = dice.choice([one for one in own if level == 3 or one.meaning in usual])
    pin = dice.choice(sorted(_PIN))
    why = f"{mode.code} is {mode.meaning}; {pin} says that the terminal {_PIN[pin]}."
    if level == 1:
        text = f"DE 22 is {mode.code}{pin}. Can the terminal accept a PIN? Answer yes or no."
        return Asked(text, YesNo(_PIN[pin].startswith("can "), "pin"), why)
    whose = f" ({mode.network})" if mode.network else ""
    text = f"Entry mode: {mode.meaning}{whose}. The terminal {_PIN[pin]}. Which three digits is DE 22?"
    return Asked(text, Digits(f"{mode.code}{pin}"), why)
