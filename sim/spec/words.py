"""The values of arguments as types, for editors and type checkers.

The tables are authoritative, and a test compares these with them. Functions also accept other spellings (see
`sim.spec.spellings`), so their types are one of these or any text.
"""

from __future__ import annotations

from datetime import date, datetime, tzinfo
from typing import Literal, TypedDict

Network = Literal["VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB", "UNIONPAY"]
Version = Literal["1987", "1993", "2003"]
Interface = Literal[
    "iso",
    "visa",
    "mastercard",
    "ipm",
    "amex",
    "discover",
    "jcb",
    "unionpay",
    "nac",
    "base24",
    "postilion",
    "smartvista",
]
MessageType = Literal[
    "auth",
    "financial",
    "echo",
    "advice",
    "reversal",
    "financial_advice",
    "sign_on",
    "sign_off",
    "key_exchange",
    "settlement",
    "settlement_advice",
    "file_update",
]
Purpose = Literal[
    "purchase",
    "cash",
    "quasi_cash",
    "cashback",
    "refund",
    "balance",
    "verification",
    "preauthorization",
    "incremental",
    "completion",
    "recurring",
    "instalment",
    "pin_change",
    "account_funding",
    "original_credit",
    "dcc",
]
Entry = Literal["manual", "stripe", "chip", "contactless", "ecommerce", "fallback", "moto", "stored"]
Initiator = Literal["merchant", "cardholder"]
Authentication = Literal["authenticated", "attempted", "none"]
ReversalReason = Literal["customer", "timeout", "misdispense", "malfunction", "partial"]
Outcome = Literal["approved", "partial", "declined", "timeout", "late"]
PlotKind = Literal["traffic", "responses", "presence", "amounts", "lanes"]
DrillTopic = Literal[
    "mti", "bitmap", "lengths", "card", "amounts", "dates", "responses", "entry", "tlv", "bits"
]
SearchKind = Literal["element", "part", "code", "tag", "rule", "fault", "flow"]

# Only for language models.
OF_A_MODEL = ("description", "provider", "model", "ask", "language")

# The types of arguments: the words come first, so editors offer them.
AnyNetwork = Network | str
AnyVersion = Version | str | int
AnyInterface = Interface | str
AnyMoment = datetime | date | str


class Payment(TypedDict, total=False):
    """What a payment may carry, as keyword arguments of `sim.generate`."""

    pin: bool
    cvv2: str | int
    postal_code: str | int
    address: str
    three_d_secure: Authentication | str
    token: bool
    store_card: bool
    initiator: Initiator | str
    instalments: int
    partial_approval: bool
    cashback_minor_units: int
    final_amount_minor_units: int
    reason: ReversalReason | str
    merchant_amount_minor_units: int
    merchant_currency: str | int
    merchant_id: str


class Making(Payment, total=False):
    """What else the messages of an exchange may have, as keyword arguments of `sim.exchange`."""

    merchant: str
    city: str
    country: str | int
    mcc: str | int
    terminal: str
    acquirer: str | int
    expiry: str | int
    timezone: str | tzinfo
