"""How generate fills one element: a small function per data element and version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sim.elements import dates, tlv
from sim.operations.options import Options
from sim.spec import currency, spec
from sim.spec.tables import read_toml

_LL = 2
_CASH_BACK = "40"  # amount type in DE 54
# The original of a generated reversal or advice went out this long before.
_EARLIER = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Context:
    """What a recipe may look at. `card` is the PAN to use, `network` the one whose dialect applies."""

    options: Options
    network: str | None
    card: str

    @property
    def sample(self) -> dict[str, Any]:
        """The sample values of `data/templates.toml`, and the details that stand in for them."""
        return {**read_toml("templates")["sample"], **self.options.details}

    @property
    def kind(self) -> dict[str, Any]:
        """The template of the message kind."""
        found: dict[str, Any] = read_toml("templates")["kinds"][self.options.kind]
        return found

    @property
    def entry(self) -> dict[str, Any]:
        """How the card was read."""
        found: dict[str, Any] = read_toml("templates")["entries"][self.options.entry]
        return found

    @property
    def dialect(self) -> dict[str, Any]:
        """What the network adds to or drops from messages of this version."""
        networks = read_toml("templates")["networks"]
        found: dict[str, Any] = networks.get(self.network, {}).get(self.options.version, {})
        return found

    @property
    def utc(self) -> datetime:
        """The moment in UTC, for the transmission date and time."""
        return self.options.at.astimezone(UTC)

    @property
    def expiry(self) -> str:
        """YYMM: as asked for, else December some years ahead."""
        if expiry := self.options.details.get("expiry"):
            return expiry
        return f"{(self.options.at.year + self.sample['years_to_expiry']) % 100:02}12"


Recipe = Callable[[Context], str]


def _amount(context: Context) -> str:
    options = context.options
    # An inquiry moves no money.
    digits = "0" * 12 if options.purpose == "balance" else f"{options.amount_minor_units:012}"
    if options.version != "2003":
        return digits
    return f"{options.currency}{_exponent(options.currency)}{digits}"


def _moment(number: int) -> Recipe:
    def write(context: Context) -> str:
        pattern = spec(context.options.version)[number].pattern
        return dates.write(pattern, context.utc if number == 7 else context.options.at)

    return write


def _stan(context: Context) -> str:
    return context.options.stan.zfill(spec(context.options.version)[11].width)


def _reference(context: Context) -> str:
    """DE 37: last digit of the year, day of the year, hour, STAN: the usual way to make it unique."""
    if reference := context.options.details.get("reference"):
        return reference
    return context.utc.strftime("%Y%j%H")[3:] + context.options.stan


def _processing_code(context: Context) -> str:
    return str(read_toml("templates")["purposes"][context.options.purpose]) + "0000"


def _point_of_service(context: Context) -> str:
    version, entry = context.options.version, context.options.entry
    own = context.dialect.get("entries", {}).get(entry)
    value = own or context.entry[version]
    if version != "2003":
        return str(value)
    return "".join(f"{1 << (32 - bit):08X}" for bit in value)


def _condition(context: Context) -> str:
    if context.options.version != "1987":
        return str(context.kind.get("reason", "1506"))  # 1506: online forced by card acceptor
    conditions = context.dialect.get("conditions", {})
    return str(conditions.get(context.options.entry) or context.entry.get("condition", "00"))


def _location(context: Context) -> str:
    sample = context.sample
    if context.options.version == "1987":
        return f"{sample['name']:<25}{sample['city']:<13}{sample['country_alpha']}"
    tail = f"{sample['postal']:<10}{sample['region']:<3}{sample['country']}"
    return f"{sample['name']}\\{sample['street']}\\{sample['city']}\\{tail}"


def _track_2(context: Context) -> str:
    service = "201" if context.options.entry == "chip" else "101"
    head = f"{context.card}={context.expiry}{service}"
    return head + "0" * max(0, min(13, spec(context.options.version)[35].width - len(head)))


def _answer(context: Context) -> str:
    """DE 39 in an advice: approved; in some dialects the reason of a reversal request."""
    if context.options.kind == "reversal" and (reason := context.dialect.get("reversal_reason")):
        return str(reason)
    return approved(context.options.version, "1")


def approved(version: str, message_class: str) -> str:
    """The answer that accepts a message: 00, 000, 0000; 1993 and 2003 accept reversals with 400 and
    4000, network management with 800 and 8000."""
    width = spec(version)[39].width
    first = message_class if message_class in "48" and version != "1987" else "0"
    return first + "0" * (width - 1)


def _original(context: Context) -> str:
    """The original of a reversal: the same transaction as an authorization request, sent earlier."""
    template = read_toml("templates")["kinds"]["auth"]["mti"]
    version, sample = context.options.version, context.sample
    earlier = (context.utc if version == "1987" else context.options.at) - _EARLIER
    pattern = spec(version)[7 if version == "1987" else 12].pattern
    return original_data(
        version, template[version], _stan(context), dates.write(pattern, earlier), sample["acquirer"]
    )


def original_data(version: str, mti: str, stan: str, moment: str, acquirer: str, forwarding: str = "") -> str:
    """DE 90 (1987) or DE 56 (1993, 2003) from the original's MTI, DE 11, DE 7 (1987) or DE 12, DE 32,
    DE 33."""
    if version == "1987":
        return f"{mti}{stan}{moment}{acquirer:0>11}{forwarding:0>11}"
    if version == "1993":
        return f"{mti}{stan}{moment}{len(acquirer):0{_LL}}{acquirer}"
    return f"{mti}{stan}{moment}{acquirer}"


def _chip(context: Context) -> str:
    """Chip data of a request: the tags an issuer needs to check a cryptogram. The cryptogram itself is a
    digest of the message's own data: stable, and right for no key."""
    options = context.options
    tapped = options.entry == "contactless"
    # An inquiry moves no money: the chip signs what DE 4 says.
    amount = _amount(context)[-12:]
    seed = f"{context.card}{options.stan}{amount}{options.at.isoformat()}"
    digest = sha256(seed.encode()).hexdigest().upper()
    return tlv.write(
        {
            "9F26": digest[:16],
            "9F27": "80",
            "9F10": "06010A03A00000",
            "9F37": digest[16:24],
            "9F36": f"{int(options.stan) % 0xFFFF + 1:04X}",
            # Tapped: nothing to report. Inserted: over the floor limit, which is why it goes online.
            "95": "0000000000" if tapped else "0000008000",
            "9A": options.at.strftime("%y%m%d"),
            "9C": _processing_code(context)[:2],
            "9F02": amount,
            "5F2A": f"0{options.currency}",
            # Both with combined data authentication; tapped in EMV mode, inserted also with issuer
            # authentication.
            "82": "1980" if tapped else "3D00",
            "9F1A": f"0{context.sample['country']}",
            "9F03": cash_back(options),
            # The terminal that DE 22 describes: keys, stripe and chip, every way to verify.
            "9F33": "E0F8C8",
            # Tapped: no verification required. Inserted: PIN in clear, checked by the chip, successful.
            "9F34": "1F0302" if tapped else "410302",
            "9F35": "22",
            "84": read_toml("templates")["aids"][context.network or "VISA"],
            "5F34": context.sample["card_sequence"][1:],
        }
    )


def _sample(name: str) -> Recipe:
    def write(context: Context) -> str:
        return str(context.sample[name])

    return write


def _cashback(context: Context) -> str:
    """DE 54: one group that says how much of the amount is cash back."""
    options = context.options
    exponent = _exponent(options.currency) if options.version == "2003" else ""
    return f"00{_CASH_BACK}{options.currency}{exponent}D{cash_back(options)}"


def cash_back(options: Options) -> str:
    """The part of the amount that is cash, twelve digits: as given, else half of it for a purchase with
    cash back (our choice), else nothing."""
    half = options.amount_minor_units // 2 if options.purpose == "cashback" else 0
    return f"{options.details.get('cashback', half):0>12}"


def _exponent(code: str) -> int:
    """The decimals of a currency, 2 where ISO 4217 has none."""
    known = currency(code)
    return 2 if known is None or known.exponent is None else known.exponent


def _padded(number: int, name: str) -> Recipe:
    def write(context: Context) -> str:
        element = spec(context.options.version)[number]
        value = str(context.sample[name])
        return value.ljust(element.width)[: element.width] if element.fixed else value

    return write


RECIPES: dict[int, Recipe] = {
    2: lambda context: context.card,
    3: _processing_code,
    4: _amount,
    7: _moment(7),
    11: _stan,
    12: _moment(12),
    13: _moment(13),
    14: lambda context: context.expiry,
    18: _sample("mcc"),
    19: _sample("country"),
    22: _point_of_service,
    23: _sample("card_sequence"),
    24: lambda context: str(context.kind["function"]),
    25: _condition,
    26: _sample("mcc"),
    32: _sample("acquirer"),
    33: _sample("forwarding"),
    35: _track_2,
    37: _reference,
    38: _sample("approval"),
    39: _answer,
    41: _padded(41, "terminal"),
    42: _padded(42, "merchant"),
    43: _location,
    49: lambda context: context.options.currency,
    54: _cashback,
    55: _chip,
    56: _original,
    70: lambda context: str(context.dialect.get("echo", "301")),
    90: _original,
    100: _sample("receiving"),
}
