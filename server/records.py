"""The records of the interface, section by section.

A request belongs to a verb: its options have the types, defaults and words of the public function
(`sim.verbs`), and a record states only what differs in JSON. Requests are read strictly: `"1000"` is not an
integer, `1` not a boolean, `5` not a string. Unknown keys are ignored. Optional fields without a default
accept null; those with one do not.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic_core import PydanticKnownError

from sim.errors import either
from sim.models import PROVIDERS
from sim.operations import DEFAULT_VERSION, NETWORKS, VERSIONS
from sim.operations.options import LARGEST_AMOUNT
from sim.verbs import Option, elsewhere, verb

TITLE = "ISO 8583 Message Simulation Service"
INTERFACE_VERSION = "1"
MAX_MESSAGE = 32768
MAX_PASTE = 65536
MAX_DESCRIPTION = 2000
MAX_ELEMENTS = 127
MAX_NETWORKS = 100  # our choice: there are six, and an endless list costs time
ELEMENT = r"^([2-9]|[1-9][0-9]|1[01][0-9]|12[0-8])$"


class CardNetwork(StrEnum):
    """A card network that the service supports."""

    vars().update({name: name for name in NETWORKS})  # one per network file


class ProtocolVersion(StrEnum):
    """The edition of ISO 8583 that a message follows."""

    vars().update({f"V{version}": version for version in VERSIONS})


class Request(BaseModel):
    """The base of all request records; networks and versions become plain texts."""

    model_config = ConfigDict(strict=True, extra="ignore", use_enum_values=True)


class ResponseRecord(BaseModel):
    """The base of all response records."""

    model_config = ConfigDict(frozen=True)


def _request(about: str, text: str, names: str, **own: Any) -> type[Any]:
    """The record of a request for the verb *about*, with the fields *names*: options of the verb, with
    JSON's differences in *own*: another description or further constraints of an option, or an annotation
    and default that replace it."""
    options = {"message" if option.is_message else option.name: option for option in verb(about).options}
    fields: dict[str, Any] = {}
    for name in names.split():
        more = own.get(name, [])
        fields[name] = more if isinstance(more, tuple) else _of_option(options[name], more)
    return create_model(f"{about.capitalize()}Request", __base__=Request, __doc__=text, **fields)


def _of_option(option: Option, more: list[Any]) -> tuple[Any, Any]:
    """An option of a verb as a field: annotation and default. An option with choices accepts only those."""
    kinds: dict[tuple[str, ...], Any] = {NETWORKS: CardNetwork, VERSIONS: ProtocolVersion}
    kind = option.in_json(kinds.get(option.choices, option.plain))
    words = [Field(description=text) for text in (elsewhere(option.about), *more) if isinstance(text, str)]
    constraints = [constraint for constraint in more if not isinstance(constraint, str)]
    default: Any = list(option.default) if option.many else option.default
    return Annotated[kind, *words, *constraints], ... if option.required else default


def _digits(least: int, most: int | None = None) -> list[Any]:
    """A field of *least* to *most* ASCII digits.

    Our choice: pydantic's `\\d` also matches Arabic and full-width digits, which ISO 8583's `n` does not.
    """
    pattern = rf"^\d{{{least}}}$" if most is None else rf"^\d{{{least},{most}}}$"

    def check(value: str | None) -> str | None:
        if value is not None and not value.isascii():
            raise PydanticKnownError("string_pattern_mismatch", {"pattern": pattern})
        return value

    return [Field(pattern=pattern), AfterValidator(check)]


def _not_too_many(value: Any) -> Any:
    """Reject an object with more members than there are elements, before each of them is checked."""
    if isinstance(value, dict) and len(value) > MAX_ELEMENTS:
        ctx = {"field_type": "Dictionary", "max_length": MAX_ELEMENTS, "actual_length": len(value)}
        raise PydanticKnownError("too_long", ctx)
    return value


_PROVIDER = [f"LLM provider: {either(PROVIDERS)}"]
_TEXT = [Field(max_length=MAX_MESSAGE), "Raw ISO 8583 message: MTI, hexadecimal bitmap, field data"]
_NOTATIONS = "The text form, or bytes in any notation: hexadecimal, a dump, base64, jPOS XML ..."
_PASTE = [Field(min_length=1, max_length=MAX_PASTE), _NOTATIONS]
_READ_AS = Field(description="The version to read the message as")
_VERSION = (Annotated[ProtocolVersion, _READ_AS], DEFAULT_VERSION)

GenerateRequest = _request(
    "generate",
    "Options of the message to build; all are optional.",
    "amount_minor_units currency description message_type model network pan provider stan",
    amount_minor_units=[Field(ge=0, le=LARGEST_AMOUNT)],
    currency=[*_digits(3), "ISO 4217 numeric code"],
    description=[
        Field(max_length=MAX_DESCRIPTION),
        "What to build, in plain English; overrides the other fields",
    ],
    message_type=(
        Annotated[Literal["auth", "financial", "echo"], Field(description="The type of message to build")],
        "auth",
    ),
    network=["Detected from the PAN when omitted"],
    pan=_digits(12, 19),
    stan=_digits(6),
    provider=_PROVIDER,
)
PlanRequest = _request(
    "plan",
    "A description to plan.",
    "description model provider",
    description=[Field(min_length=1, max_length=MAX_DESCRIPTION)],
    provider=_PROVIDER,
)
ExplainRequest = _request(
    "explain",
    "A message to explain.",
    "message llm model network provider version",
    message=_TEXT,
    version=_VERSION,
    provider=_PROVIDER,
)
ValidateRequest = _request(
    "validate",
    "A message to validate.",
    "message against network version",
    message=_TEXT,
    against=[
        Field(max_length=MAX_NETWORKS),
        "Networks whose rules are also checked; an empty list checks every network",
    ],
    version=_VERSION,
)
ParseRequest = _request(
    "parse",
    "A message to read, in any notation.",
    "message format version network interface",
    message=_PASTE,
)
BuildRequest = _request(
    "build",
    "The elements of a message to write.",
    "mti fields version format",
    mti=(Annotated[str, *_digits(4), Field(description="Message type indicator")], ...),
    fields=(
        Annotated[
            dict[str, str],
            BeforeValidator(_not_too_many),
            Field(
                description="Values by element number, 2 to 128",
                json_schema_extra={"maxProperties": MAX_ELEMENTS, "propertyNames": {"pattern": ELEMENT}},
            ),
        ],
        ...,
    ),
    version=_VERSION,
)
ConvertRequest = _request(
    "convert",
    "A message to convert to another version.",
    "message version target_version network interface",
    message=_PASTE,
    interface=["The interface of its link"],
    target_version=(Annotated[ProtocolVersion, Field(description="The version to write it in")], ...),
)

Confidence = Literal["sure", "likely", "unsure"]
Action = Literal["kept", "reformatted", "moved", "split", "merged", "filled", "lost"]


class FieldValue(ResponseRecord):
    """One data field of a message."""

    number: int = Field(description="The field number")
    name: str = Field(description="The field name")
    value: str = Field(description="As in the message; binary as upper-case hexadecimal")


class GenerateResponse(ResponseRecord):
    """A generated message."""

    message: str = Field(description="The raw message")
    mti: str = Field(description="Its message type indicator")
    network: CardNetwork | None = Field(description="Its card network, if any")
    fields: list[FieldValue] = Field(description="Its data fields, ascending")
    source: str = Field(
        description="`template`, `words` (a description read by rules), or `llm:<provider>/<model>`"
    )


class PlanStep(ResponseRecord):
    """One call of a plan."""

    call: str = Field(description="The function: generate, exchange, respond, break_message, convert, or set")
    options: dict[str, Any] = Field(description="Its options by name")
    words: dict[str, str] = Field(description="The words behind each option")


class PlanMessage(ResponseRecord):
    """One message of a plan."""

    message: str = Field(description="The raw message")
    mti: str = Field(description="Its message type indicator")
    role: str = Field(description="Its role in the exchange: request, response (`answer`), reversal ...")
    fields: list[FieldValue] = Field(description="Its data fields, ascending")


class PlanResponse(ResponseRecord):
    """What a description asks for."""

    steps: list[PlanStep]
    notes: list[str] = Field(description="What was assumed, not understood, or is not possible")
    code: str = Field(description="The calls in Python")
    messages: list[PlanMessage] = Field(description="Empty if something was not understood")
    source: str = Field(description="`words`, or `llm:<provider>/<model>`")


class ExplainResponse(ResponseRecord):
    """An explained message."""

    fields: list[FieldValue] = Field(description="Its data fields, ascending")
    mti: str = Field(description="Its message type indicator")
    source: str = Field(description="`rules`, or `llm:<provider>/<model>`")
    summary: str = Field(description="Plain English; card data is masked")


class NetworkResult(ResponseRecord):
    """The verdict of one network's rules."""

    passed: bool
    errors: list[str]


class ValidateResponse(ResponseRecord):
    """The verdict on a message."""

    valid: bool = Field(description="No errors by the standard or its own network's rules")
    errors: list[str] = Field(description="Validation problems as text")
    networks: dict[CardNetwork, NetworkResult] = Field(
        description="Result per network; empty when the message does not parse"
    )


class WireRead(ResponseRecord):
    """How a message was written."""

    name: str = Field(description="The name of the format; `text` for the text form")
    framing: list[str] = Field(description="What surrounded it, outermost layer first")
    confidence: Confidence
    reasons: list[str] = Field(description="The reasons for this reading")


class ParseResponse(ResponseRecord):
    """A message that was read."""

    mti: str = Field(description="Its message type indicator")
    version: ProtocolVersion = Field(description="The version it was read as")
    network: CardNetwork | None = Field(description="The requested network, otherwise that of its card")
    interface: str | None = Field(description="The interface of its link, if known")
    fields: list[FieldValue] = Field(description="The data fields that were read, ascending, as received")
    findings: list[str] = Field(description="What does not fit, and its position in the input")
    message: str | None = Field(
        description="Its text form, which the other endpoints accept; null if it does not fit"
    )
    format: WireRead
    more: int = Field(description="The number of other messages in the input")


class BuildResponse(ResponseRecord):
    """A message that was written."""

    message: str = Field(description="The text form; for another format its bytes as upper-case hexadecimal")
    mti: str
    version: ProtocolVersion
    format: str = Field(description="The name of the format")
    length: int = Field(description="Characters of the text form, bytes of another format")


class ConvertNote(ResponseRecord):
    """The conversion of one element."""

    number: int = Field(description="The element of the original, 0 for the MTI")
    to: list[int] = Field(description="The elements it became; empty if it is lost")
    action: Action
    note: str = Field(description="One sentence")


class ConvertResponse(ResponseRecord):
    """A message in another version."""

    message: str = Field(description="The text form in the target version")
    mti: str
    version: ProtocolVersion
    fields: list[FieldValue] = Field(description="Its data fields, ascending")
    notes: list[ConvertNote]
    lossless: bool = Field(description="Whether converting back gives the original, element by element")


class ValidationError(ResponseRecord):
    """One problem in a request."""

    loc: list[str | int] = Field(description="The location of the faulty input")
    msg: str
    type: str = Field(description="Error type")
    ctx: dict[str, Any] = Field(default={}, description="The value that the check compared with")
    input: Any = Field(default=None, description="The offending input; omitted if it is long")


class HTTPValidationError(ResponseRecord):
    """The body of every error response."""

    detail: list[ValidationError]


class Health(ResponseRecord):
    """The service is up."""

    status: Literal["ok"] = "ok"
    version: str = Field(description="Version of the toolkit")
