"""The records of the interface, section by section: names, order, defaults, constraints.

Requests are read strictly: `"1000"` is no integer, `1` no boolean, `5` no string. Unknown keys
are ignored. Optional fields without a default accept null; those with one do not.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticKnownError

from sim.operations import DEFAULT_VERSION, NETWORKS, VERSIONS
from sim.operations.llm import PROVIDERS

TITLE = "ISO 8583 Message Simulation Service"
INTERFACE_VERSION = "1"
MAX_MESSAGE = 32768
MAX_DESCRIPTION = 2000
MAX_NETWORKS = 100  # our choice: there are six, and a list without end costs time
MAX_AMOUNT = 999_999_999_999
CURRENCY = r"^\d{3}$"
PAN = r"^\d{12,19}$"
STAN = r"^\d{6}$"


def _ascii_digits(pattern: str) -> Callable[[str], str]:
    """A check for *pattern* that refuses digits beyond ASCII.

    Our choice: pydantic's `\\d` also matches Arabic and full-width digits, which ISO 8583's `n` does not.
    """

    def check(value: str) -> str:
        if not value.isascii():
            raise PydanticKnownError("string_pattern_mismatch", {"pattern": pattern})
        return value

    return check


class CardNetwork(StrEnum):
    """A card network whose rules the service knows."""

    vars().update({name: name for name in NETWORKS})  # a network is there because its file is


class ProtocolVersion(StrEnum):
    """The edition of ISO 8583 that a message follows."""

    vars().update({f"V{version}": version for version in VERSIONS})


class Request(BaseModel):
    """What every request record shares."""

    model_config = ConfigDict(strict=True, extra="ignore")


class Response(BaseModel):
    """What every response record shares."""

    model_config = ConfigDict(frozen=True)


Message = Annotated[
    str,
    Field(max_length=MAX_MESSAGE, description="Raw ISO 8583 message: MTI, hexadecimal bitmap, field data"),
]
OwnNetwork = Annotated[CardNetwork | None, Field(description="Detected from the PAN when omitted")]
_NAMES = " or ".join(", ".join(PROVIDERS).rsplit(", ", 1))
Provider = Annotated[str | None, Field(description=f"LLM provider: {_NAMES}")]
Model = Annotated[str | None, Field(description="LLM model name")]
Version = Annotated[ProtocolVersion, Field(description="The edition to read the message as")]


class FieldValue(Response):
    """One data field of a message."""

    number: int = Field(description="The field number")
    name: str = Field(description="The field name")
    value: str = Field(description="As it stands in the message; binary as upper-case hexadecimal")


class GenerateRequest(Request):
    """Options of the message to build; all are optional."""

    amount_minor_units: Annotated[int, Field(ge=0, le=MAX_AMOUNT, description="Amount in minor units")] = 1000
    currency: Annotated[
        str,
        StringConstraints(pattern=CURRENCY),
        AfterValidator(_ascii_digits(CURRENCY)),
        Field(description="ISO 4217 numeric code"),
    ] = "840"
    description: Annotated[
        str | None,
        Field(
            max_length=MAX_DESCRIPTION,
            description="Plain English for an LLM to build the message from; overrides the other fields",
        ),
    ] = None
    message_type: Annotated[
        Literal["auth", "financial", "echo"], Field(description="The kind of message to build")
    ] = "auth"
    model: Model = None
    network: OwnNetwork = None
    pan: Annotated[
        Annotated[str, StringConstraints(pattern=PAN), AfterValidator(_ascii_digits(PAN))] | None,
        Field(description="A test card number"),
    ] = None
    provider: Provider = None
    stan: Annotated[
        str,
        StringConstraints(pattern=STAN),
        AfterValidator(_ascii_digits(STAN)),
        Field(description="System trace audit number"),
    ] = "123456"


class GenerateResponse(Response):
    """A generated message."""

    message: str = Field(description="The raw message")
    mti: str = Field(description="Its message type indicator")
    network: CardNetwork | None = Field(description="Its card network, if any")
    fields: list[FieldValue] = Field(description="Its data fields, ascending")
    source: str = Field(description="`template`, or `llm:<provider>/<model>`")


class ExplainRequest(Request):
    """A message to explain."""

    message: Message
    llm: Annotated[bool, Field(description="An LLM writes the summary instead of the rules")] = False
    model: Model = None
    network: OwnNetwork = None
    provider: Provider = None
    version: Version = ProtocolVersion(DEFAULT_VERSION)


class ExplainResponse(Response):
    """An explained message."""

    fields: list[FieldValue] = Field(description="Its data fields, ascending")
    mti: str = Field(description="Its message type indicator")
    source: str = Field(description="`rules`, or `llm:<provider>/<model>`")
    summary: str = Field(description="Plain English; card data is masked")


class ValidateRequest(Request):
    """A message to validate."""

    message: Message
    against: Annotated[
        list[CardNetwork],
        Field(
            max_length=MAX_NETWORKS,
            description="Networks whose rules are also checked; an empty list checks every network",
        ),
    ] = []
    network: OwnNetwork = None
    version: Version = ProtocolVersion(DEFAULT_VERSION)


class NetworkResult(Response):
    """What one network's rules say of a message. The shape is our choice."""

    passed: bool
    errors: list[str]


class ValidateResponse(Response):
    """The verdict on a message."""

    valid: bool = Field(description="No error by the standard, nor by its own network's rules")
    errors: list[str] = Field(description="Validation problems as text")
    networks: dict[CardNetwork, NetworkResult] = Field(
        description="Result per network; empty when the message does not parse"
    )


class ValidationError(Response):
    """One problem of a request."""

    loc: list[str | int] = Field(description="The location of the faulty input")
    msg: str
    type: str = Field(description="Error type")
    ctx: dict[str, Any] = Field(default={}, description="What the check compared with")
    input: Any = Field(default=None, description="The offending input; left out where it is long")


class HTTPValidationError(Response):
    """The body of every answer that is not a success."""

    detail: list[ValidationError]


class Health(Response):
    """The service is up."""

    status: Literal["ok"] = "ok"
    version: str = Field(description="Version of the toolkit")
