"""Errors of language model calls. Their texts have no card data, no key and nothing a provider sent."""

from __future__ import annotations

from typing import Any, ClassVar


class LlmError(Exception):
    """Base class. `type` is the error name in a service's response, `status` its HTTP status."""

    type: ClassVar[str] = "llm_failed"
    status: ClassVar[int] = 502


class LlmUnavailable(LlmError):  # noqa: N818, the name says what went wrong
    """No provider is configured, the requested one is not, or its package is missing."""

    type = "llm_unavailable"
    status = 503


class LlmUnknownProvider(LlmError):  # noqa: N818, the name says what went wrong
    """The requested provider is unknown."""

    type = "llm_provider_unknown"
    status = 422


class LlmUnknownModel(LlmError):  # noqa: N818, the name says what went wrong
    """The requested model name is not valid."""

    type = "llm_model_unknown"
    status = 422


class DescriptionUnusable(LlmError, ValueError):  # noqa: N818, the name says what went wrong
    """The description is empty, too long, or has only invisible characters."""

    type = "value_error"
    status = 422


class LlmFailed(LlmError):  # noqa: N818, the name says what went wrong
    """The provider failed, or its answer was still unusable after repairs. `problems` say why the last answer
    was rejected; empty if there was none."""

    def __init__(self, text: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.problems = problems

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.problems)


class LlmTimeout(LlmError):  # noqa: N818, the name says what went wrong
    """The provider did not answer in time."""

    type = "llm_timeout"
    status = 504


class CardNumberRefused(LlmError):  # noqa: N818, the name says what went wrong
    """The description contains a card number that is not a published test card, or other card data; nothing
    was sent. `kind` is one of `card number`, `track data`, `raw message` or `PIN or verification code`."""

    type = "card_number_refused"
    status = 422

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"The description contains a {kind}. Use published test card numbers only; nothing was sent."
        )
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind,)
