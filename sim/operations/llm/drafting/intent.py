"""What a model answers with when it is asked for a message: an intent, never a message.

Each property is a value and the words of the description that it follows from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sim.spec.tables import read_toml
from sim.spec.words import Authentication, Entry, Initiator, MessageType, Purpose

if TYPE_CHECKING:
    Network: TypeAlias = str
    Version: TypeAlias = str
else:  # for pydantic the names that the tables have
    from sim.spec import VERSIONS
    from sim.spec.networks import NETWORKS

    Network, Version = Literal[NETWORKS], Literal[VERSIONS]

Digits4 = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}$")]
Digits6 = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,6}$")]
Minor = Annotated[int, Field(ge=0, le=999_999_999_999)]
Amount = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,12}([.][0-9]{1,4})?$")]
Date = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Time = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$")]
Offset = Annotated[str, StringConstraints(pattern=r"^[+-][0-9]{2}:[0-9]{2}$")]
Currency = Annotated[str, StringConstraints(pattern=r"^([A-Z]{3}|[0-9]{3})$")]
Country = Annotated[str, StringConstraints(pattern=r"^([A-Z]{2,3}|[0-9]{3})$")]
Code = Annotated[str, StringConstraints(pattern=r"^[0-9A-Z]{2,4}$")]
Text = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Digits11 = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,11}$")]
Postal = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9 -]{1,9}$")]
Count = Annotated[int, Field(ge=2, le=99)]
Yes = Literal[True]

T = TypeVar("T")


class Said(BaseModel, Generic[T]):
    """A value, and the words that it follows from, exactly as the description has them."""

    model_config = ConfigDict(extra="forbid")

    value: T
    words: Annotated[str, StringConstraints(min_length=1, max_length=200)]


def _about(text: str) -> Any:
    return Field(None, description=text)


class Intent(BaseModel):
    """The message that the description asks for. Leave out (null) whatever the description does not say."""

    model_config = ConfigDict(extra="forbid")

    kind: Said[MessageType] | None = _about(
        "auth, also when left out: authorization (MTI x1xx). financial: x2xx, money moves at once, as with "
        "cash at an ATM or a refund. advice: an authorization already decided in stand-in (x12x). reversal: "
        "undoes an earlier message (x4xx). echo: link test (x8xx), no card and no money. financial_advice: "
        "x22x, done already, as a completion. sign_on, sign_off, key_exchange: x8xx, of the line. "
        "settlement, settlement_advice: totals, x50x and x52x. file_update: a card on the stop list, x30x"
    )
    direction: Said[Literal["request", "response"]] | None = _about(
        "response when the description asks for the answer, or tells the issuer's decision"
    )
    version: Said[Version] | None = _about("Version of ISO 8583, if named")
    network: Said[Network] | None = _about("Card network, if named")
    test_card: Said[Text] | None = _about("Behind the words `test card`, such as `VISA #2`")
    card_last_four: Said[Digits4] | None = _about("Last four digits of the card, with `ending in` or so")
    card_brand: Said[Text] | None = _about("Brand where it is none of the networks, such as Diners Club")
    card_expiry: Said[Digits4] | None = _about("Expiry as YYMM; the words with `expires` or so")
    purpose: Said[Purpose] | None = _about(
        "verification is of an account, for no amount; completion follows a preauthorization; "
        "account_funding is an AFT, original_credit an OCT, dcc a purchase in the cardholder's currency"
    )
    amount: Said[Amount] | None = _about(
        "In major units with a decimal point and no separators: 1,234.5 USD is `1234.50`, 500 yen is `500`. "
        "With cash back: the total. The words are the number with its currency, and no other number"
    )
    amount_minor_units: Said[Minor] | None = _about("Only where cents are given; then leave `amount` out")
    cashback_amount: Said[Amount] | None = _about("The part that is cash; the words with `cash`")
    currency: Said[Currency] | None = _about("ISO 4217 code, such as EUR; the words are its name or sign")
    entry: Said[Entry] | None = _about(
        "How the card was read; manual is keyed, ecommerce is on the internet, fallback the stripe after a "
        "chip that failed, moto mail or telephone order, stored a card on file"
    )
    approved_amount: Said[Amount] | None = _about("What the issuer approves of the amount, where it is less")
    final_amount: Said[Amount] | None = _about("What stays of the amount when a reversal undoes a part")
    merchant_amount: Said[Amount] | None = _about("The merchant's own price, for purpose dcc")
    merchant_currency: Said[Currency] | None = _about("Its currency")
    pin_entered: Said[Yes] | None = _about("The PIN is sent, enciphered; chip and PIN without more is none")
    cvv2_given: Said[Yes] | None = _about("The printed verification value is sent; never its digits")
    postal_code: Said[Postal] | None = _about(
        "The cardholder's, to be checked (AVS); the words with `postal`"
    )
    address: Said[Text] | None = _about("The cardholder's street, to be checked; the words with `address`")
    three_d_secure: Said[Authentication] | None = _about("What came of it: ECI 05 or 02 authenticated")
    token: Said[Yes] | None = _about("The card number is a token")
    store_card: Said[Yes] | None = _about("The card is stored for later payments")
    initiator: Said[Initiator] | None = _about("Who began a payment with a stored card: CIT or MIT")
    instalments: Said[Count] | None = _about("How many; the words with `instalments`")
    partial_approval: Said[Yes] | None = _about("The terminal takes an approval of a part")
    terminal_id: Said[Text] | None = _about("Exactly as written; the words with `terminal`")
    merchant_id: Said[Text] | None = _about("Exactly as written; the words with `merchant id`")
    merchant_name: Said[Text] | None = _about("Exactly as written, plain letters for accented ones")
    merchant_city: Said[Text] | None = _about("Plain letters; give the country with it")
    merchant_country: Said[Country] | None = _about("ISO 3166 code, such as DE or 276")
    acquirer_id: Said[Digits11] | None = _about("Acquiring institution, DE 32; the words with `acquirer`")
    merchant_category: Said[Digits4] | None = _about("MCC: the one given, or that of the kind of shop named")
    date: Said[Date] | None = _about("Local date of the message, YYYY-MM-DD")
    time: Said[Time] | None = _about("Local time of the message, HH:MM or HH:MM:SS")
    utc_offset: Said[Offset] | None = _about("Offset of the local time from UTC, if given")
    time_zone: Said[Text] | None = _about("IANA name, such as Europe/Berlin, if the zone of a place is named")
    stan: Said[Digits6] | None = _about("Trace number; the words with `STAN` or `trace number`")
    reference: Said[Text] | None = _about("Retrieval reference number, 12 characters; the words with `RRN`")
    approval_code: Said[Text] | None = _about("6 characters; the words with `approval code`")
    outcome: Said[Literal["approved", "declined"]] | None = _about("The issuer's decision, if it is told")
    response_code: Said[Code] | None = _about(
        "From the list of the version that is used, where a code or a reason is given: the words with it"
    )
    original_kind: Said[Literal["auth", "financial"]] | None = _about("What a reversal undoes")
    original_stan: Said[Digits6] | None = _about("Trace number of what a reversal undoes")
    original_date: Said[Date] | None = _about("Local date of what a reversal undoes")
    original_time: Said[Time] | None = _about("Local time of what a reversal undoes")
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

    def __getitem__(self, name: str) -> Any:
        """The value of a property; where the description does not say it, an authorization request is
        meant, or the usual message for the purpose, and of all others it is None."""
        said = getattr(self, name)
        if said is None and name == "kind":
            return self.usual_kind
        return said.value if said else {"direction": "request"}.get(name)

    @property
    def usual_kind(self) -> str:
        """The kind of message for the purpose where nobody says which: an authorization where one can be."""
        kinds = self.row["kinds"]
        return "auth" if "auth" in kinds else str(kinds[0])

    @property
    def row(self) -> dict[str, Any]:
        """What the tables say of the purpose."""
        found: dict[str, Any] = read_toml("templates")["purposes"][self["purpose"] or "purchase"]
        return found

    @property
    def carries(self) -> dict[str, Any]:
        """What the tables say of the kind of message: `alone`, of no purpose, `cardless`."""
        found: dict[str, Any] = read_toml("templates")["kinds"][self["kind"]]
        return found

    def said(self) -> dict[str, tuple[Any, str]]:
        """Value and words of every property that is given."""
        given = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: (one.value, one.words) for name, one in given.items() if isinstance(one, Said)}
