"""The records of the interface, section by section: names, order, defaults, constraints.

Requests are read strictly: `"1000"` is no integer, `1` no boolean, `5` no string. Unknown keys
are ignored. Optional fields without a default accept null; those with one do not.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticKnownError

from sim.errors import either
from sim.operations import DEFAULT_VERSION, NETWORKS, VERSIONS
from sim.operations.llm import PROVIDERS

TITLE = "ISO 8583 Message Simulation Service"
INTERFACE_VERSION = "1"
MAX_MESSAGE = 32768
MAX_PASTE = 65536
MAX_ELEMENTS = 127
MTI = r"^\d{4}$"
ELEMENT = r"^([2-9]|[1-9][0-9]|1[01][0-9]|12[0-8])$"
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


def _not_too_many(value: Any) -> Any:
    """Refuse an object with more members than there are elements before each of them is looked at."""
    if isinstance(value, dict) and len(value) > MAX_ELEMENTS:
        ctx = {"field_type": "Dictionary", "max_length": MAX_ELEMENTS, "actual_length": len(value)}
        raise PydanticKnownError("too_long", ctx)
    return value


class CardNetwork(StrEnum):
    """A card network whose rules the service knows."""

    vars().update({name: name for name in NETWORKS})  # a network is there because its file is


class ProtocolVersion(StrEnum):
    """The edition of ISO 8583 that a message follows."""

    vars().update({f"V{version}": version for version in VERSIONS})


def name_of(choice: CardNetwork | ProtocolVersion | None) -> str | None:
    """What the core calls a *choice*, if there is one."""
    return None if choice is None else str(choice)


class Request(BaseModel):
    """What every request record shares."""

    model_config = ConfigDict(strict=True, extra="ignore")


class ResponseRecord(BaseModel):
    """What every response record shares."""

    model_config = ConfigDict(frozen=True)


Message = Annotated[
    str,
    Field(max_length=MAX_MESSAGE, description="Raw ISO 8583 message: MTI, hexadecimal bitmap, field data"),
]
Confidence = Literal["sure", "likely", "unsure"]
Action = Literal["kept", "reformatted", "moved", "split", "merged", "filled", "lost"]
AnyMessage = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_PASTE,
        description="The text form, or bytes written in any way: hexadecimal, a dump, base64, jPOS XML ...",
    ),
]
AnyVersion = Annotated[ProtocolVersion | None, Field(description="By the MTI when omitted")]
OwnNetwork = Annotated[CardNetwork | None, Field(description="Detected from the PAN when omitted")]
_NAMES = either(PROVIDERS)
Provider = Annotated[str | None, Field(description=f"LLM provider: {_NAMES}")]
Model = Annotated[str | None, Field(description="LLM model name")]
Version = Annotated[ProtocolVersion, Field(description="The edition to read the message as")]


class FieldValue(ResponseRecord):
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


class GenerateResponse(ResponseRecord):
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


class ExplainResponse(ResponseRecord):
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


class NetworkResult(ResponseRecord):
    """What one network's rules say of a message. The shape is our choice."""

    passed: bool
    errors: list[str]


class ValidateResponse(ResponseRecord):
    """The verdict on a message."""

    valid: bool = Field(description="No error by the standard, nor by its own network's rules")
    errors: list[str] = Field(description="Validation problems as text")
    networks: dict[CardNetwork, NetworkResult] = Field(
        description="Result per network; empty when the message does not parse"
    )


class ParseRequest(Request):
    """A message to read, written in any way."""

    message: AnyMessage
    format: Annotated[
        str | None,
        Field(description="Guessed when omitted; `text` for the text form only, else the name of a format"),
    ] = None
    version: AnyVersion = None
    network: OwnNetwork = None


class WireRead(ResponseRecord):
    """How a message was written."""

    name: str = Field(description="The name of the format; `text` for the text form")
    framing: list[str] = Field(description="What stood around it, outermost first")
    confidence: Confidence
    reasons: list[str] = Field(description="Why it was read so")


class ParseResponse(ResponseRecord):
    """A message read."""

    mti: str = Field(description="Its message type indicator")
    version: ProtocolVersion = Field(description="The edition it was read as")
    network: CardNetwork | None = Field(description="The one asked for, else that of its card")
    interface: str | None = Field(description="What its link speaks, where that is known")
    fields: list[FieldValue] = Field(description="The data fields that were read, ascending, as they came")
    findings: list[str] = Field(description="What does not fit, and where it stands in what was sent")
    message: str | None = Field(
        description="Its text form, which the other endpoints take; null where not all was read or fits it"
    )
    format: WireRead
    more: int = Field(description="How many further messages stand in what was sent")


class BuildRequest(Request):
    """The elements of a message to write."""

    mti: Annotated[
        str,
        StringConstraints(pattern=MTI),
        AfterValidator(_ascii_digits(MTI)),
        Field(description="Message type indicator"),
    ]
    fields: Annotated[
        dict[str, str],
        BeforeValidator(_not_too_many),
        Field(
            description="Values by element number, 2 to 128",
            json_schema_extra={"maxProperties": MAX_ELEMENTS, "propertyNames": {"pattern": ELEMENT}},
        ),
    ]
    version: Version = ProtocolVersion(DEFAULT_VERSION)
    format: Annotated[str | None, Field(description="The text form when omitted")] = None


class BuildResponse(ResponseRecord):
    """A message written."""

    message: str = Field(description="The text form; of another format its bytes as upper-case hexadecimal")
    mti: str
    version: ProtocolVersion
    format: str = Field(description="The name of the format")
    length: int = Field(description="Characters of the text form, bytes of another format")


class ConvertRequest(Request):
    """A message to write in another version."""

    message: AnyMessage
    version: AnyVersion = None
    target_version: Annotated[ProtocolVersion, Field(description="The edition to write it in")]
    network: OwnNetwork = None


class ConvertNote(ResponseRecord):
    """What became of one element."""

    number: int = Field(description="The element of the original, 0 for the MTI")
    to: list[int] = Field(description="The elements it went to; empty when it is lost")
    action: Action
    note: str = Field(description="One sentence")


class ConvertResponse(ResponseRecord):
    """A message in another version."""

    message: str = Field(description="The text form in the target version")
    mti: str
    version: ProtocolVersion
    fields: list[FieldValue] = Field(description="Its data fields, ascending")
    notes: list[ConvertNote]
    lossless: bool = Field(description="Converting back gives the original, element by element")


class ValidationError(ResponseRecord):
    """One problem of a request."""

    loc: list[str | int] = Field(description="The location of the faulty input")
    msg: str
    type: str = Field(description="Error type")
    ctx: dict[str, Any] = Field(default={}, description="What the check compared with")
    input: Any = Field(default=None, description="The offending input; left out where it is long")


class HTTPValidationError(ResponseRecord):
    """The body of every answer that is not a success."""

    detail: list[ValidationError]


class Health(ResponseRecord):
    """The service is up."""

    status: Literal["ok"] = "ok"
    version: str = Field(description="Version of the toolkit")
