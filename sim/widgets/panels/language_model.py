"""What the panels ask of a language model. Without packages or keys they still work and say why."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from datetime import datetime

from sim.operations import Generated


class ModelError(Exception):
    """The model cannot be asked, or gave nothing usable. The text is fit to be shown."""


class LanguageModel:
    """The provider and model a panel uses: those named, else what is configured.

    What asks is a coroutine, which runs in a thread of its own; cancelling it ends the request.
    """

    def __init__(self, provider: str | None = None, model: str | None = None) -> None:
        self.provider = provider
        self.model = model

    def _chosen(self) -> tuple[str, str]:
        """What is asked, and why none can be: one of the two is empty."""
        try:
            from sim.operations.llm import LlmError
            from sim.operations.llm.transport.providers import choose
        except ImportError:
            return "", "The packages for language models are missing"
        try:
            return choose(self.provider, self.model)[0].source.removeprefix("llm:"), ""
        except LlmError as error:
            return "", str(error)

    def refusal(self) -> str:
        """Why no model can be asked; empty when one can."""
        return self._chosen()[1]

    def name(self) -> str:
        """What is asked, as `provider/model`; empty when none can be."""
        return self._chosen()[0]

    async def generate(self, description: str, *, version: str, at: datetime | None) -> Generated:
        """The message *description* asks for. Raises ModelError."""
        self._check()
        from sim.operations import llm

        try:
            return await llm.generate_async(
                description, provider=self.provider, model=self.model, version=version, at=at
            )
        except (llm.LlmError, ValueError) as error:
            raise ModelError(str(error)) from error

    async def explain(
        self, raw: str, *, version: str | None, network: str | None, heard: Callable[[str], None]
    ) -> str:
        """What *raw* says, in the model's words; *heard* gets the text so far after each sentence.
        Raises ModelError, and what `explain` by rules raises."""
        self._check()
        from sim.operations import llm

        text = ""
        try:
            told = llm.stream_explain(
                raw, version=version, network=network, provider=self.provider, model=self.model
            )
            async with aclosing(told) as pieces:  # type: ignore[type-var]
                async for piece in pieces:
                    text += piece
                    heard(text)
        except llm.LlmError as error:
            raise ModelError(str(error)) from error
        return text.strip()

    def _check(self) -> None:
        if reason := self.refusal():
            raise ModelError(reason)
