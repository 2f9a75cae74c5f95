"""What a model answers with when it is asked for a message: an intent, never a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

if TYPE_CHECKING:
    Network: TypeAlias = str
    Version: TypeAlias = str
else:  # for pydantic the names that the tables have
    from sim.spec import VERSIONS
    from sim.spec.networks import NETWORKS

    Network, Version = Literal[NETWORKS], Literal[VERSIONS]

Digits4 = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}$")]
Digits6 = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,6}$")]
Amount = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,12}([.][0-9]{1,4})?$")]
Date = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Time = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$")]
Offset = Annotated[str, StringConstraints(pattern=r"^[+-][0-9]{2}:[0-9]{2}$")]
Text = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Original(BaseModel):
    """The message that a reversal undoes, as far as the description speaks of it."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["auth", "financial"] | None = Field(None, description="Which message is undone")
    stan: Digits6 | None = Field(None, description="Its systems trace audit number")
    date: Date | None = Field(None, description="Its local date, YYYY-MM-DD")
    time: Time | None = Field(None, description="Its local time, HH:MM or HH:MM:SS")


class Intent(BaseModel):
    """The message that the description asks for. Leave out (null) whatever the description does not say."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["auth", "financial", "echo", "advice", "reversal"] = Field(
        description="auth: authorization (MTI x1xx). financial: x2xx, money moves at once, as with cash at "
        "an ATM or a refund. advice: an authorization already decided in stand-in (x12x). reversal: undoes "
        "an earlier message (x4xx). echo: link test (x8xx), no card and no money"
    )
    direction: Literal["request", "response"] = Field(
        "request",
        description="response when the description asks for the answer, or tells the issuer's decision "
        "(approved, declined)",
    )
    version: Version | None = Field(None, description="Version of ISO 8583, if named")
    network: Network | None = Field(None, description="Card network, if named")
    test_card: Text | None = Field(
        None, description="The words after `test card` where the description has them, such as `VISA #2`"
    )
    card_last_four: Digits4 | None = Field(None, description="Last four digits of the card, if given")
    card_brand: Text | None = Field(
        None, description="Brand of the card where it is none of the networks, such as Diners Club or Maestro"
    )
    card_expiry: Digits4 | None = Field(None, description="Expiry as YYMM, if given")
    purpose: Literal["purchase", "cash", "cashback", "refund", "balance"] | None = None
    amount: Amount | None = Field(
        None,
        description="In major units with a decimal point and no separators: 1,234.5 USD is `1234.50`, "
        "500 yen is `500`. With cash back: the total",
    )
    amount_minor_units: Annotated[int, Field(ge=0, le=999_999_999_999)] | None = Field(
        None, description="Only where the description gives minor units (cents); then leave `amount` out"
    )
    cashback_amount: Amount | None = Field(None, description="The cash part of a purchase with cash back")
    currency: Annotated[str, StringConstraints(pattern=r"^([A-Z]{3}|[0-9]{3})$")] | None = Field(
        None, description="ISO 4217 code, such as EUR or 978"
    )
    entry: Literal["manual", "stripe", "chip", "contactless", "ecommerce"] | None = Field(
        None, description="How the card was read; manual is keyed, ecommerce is on the internet"
    )
    terminal_id: Text | None = Field(None, description="Exactly as written")
    merchant_id: Text | None = Field(None, description="Exactly as written")
    merchant_name: Text | None = Field(
        None, description="Exactly as written, plain letters for accented ones"
    )
    merchant_city: Text | None = Field(None, description="Plain letters; give the country with it")
    merchant_country: Annotated[str, StringConstraints(pattern=r"^([A-Z]{2,3}|[0-9]{3})$")] | None = Field(
        None, description="ISO 3166 code, such as DE or 276"
    )
    merchant_category: Digits4 | None = Field(
        None, description="MCC: the one given, or the one of the kind of shop that is named"
    )
    date: Date | None = Field(None, description="Local date of the message, YYYY-MM-DD")
    time: Time | None = Field(None, description="Local time of the message, HH:MM or HH:MM:SS")
    utc_offset: Offset | None = Field(None, description="Offset of the local time from UTC, if given")
    stan: Digits6 | None = Field(None, description="Systems trace audit number (trace number)")
    reference: Text | None = Field(None, description="Retrieval reference number, 12 characters")
    approval_code: Text | None = Field(None, description="Approval code, 6 characters")
    outcome: Literal["approved", "declined"] | None = Field(
        None, description="The issuer's decision, if the description tells it"
    )
    response_code: Annotated[str, StringConstraints(pattern=r"^[0-9A-Z]{2,4}$")] | None = Field(
        None, description="Code of the answer, from the list of the version that is used"
    )
    decline_reason: Text | None = Field(
        None, description="Why it is declined, in the words of the list of response codes"
    )
    original: Original | None = Field(None, description="For a reversal: the message that it undoes")
    unmet: list[Text] = Field(
        default_factory=list,
        max_length=5,
        description="What the description demands of the message that no property here can hold, in its own "
        "words; empty when all of it is covered. Wishes that concern no element of the message do not count",
    )
    beside: list[Text] = Field(
        default_factory=list,
        max_length=10,
        description="Numbers and names of the description that concern no element of the message, such as "
        "the number of a test case, exactly as written; empty when there are none",
    )
