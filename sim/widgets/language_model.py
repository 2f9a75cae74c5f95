"""What the panels ask of a language model. Without packages or keys they still work and say why."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from queue import SimpleQueue

from sim.operations import Generated


class ModelError(Exception):
    """The model cannot be asked, or gave nothing usable. The text is fit to be shown."""


class LanguageModel:
    """The provider and model a panel uses: those named, else what is configured."""

    def __init__(self, provider: str | None = None, model: str | None = None) -> None:
        self.provider = provider
        self.model = model

    def refusal(self) -> str:
        """Why no model can be asked; empty when one can."""
        try:
            from sim.operations.llm import LlmError
            from sim.operations.llm.providers import choose
        except ImportError:
            return "The packages for language models are missing"
        try:
            choose(self.provider, self.model)
        except LlmError as error:
            return str(error)
        return ""

    def name(self) -> str:
        """What is asked, as `provider/model`; empty when none can be."""
        if self.refusal():
            return ""
        from sim.operations.llm.providers import choose

        return choose(self.provider, self.model)[0].source.removeprefix("llm:")

    def generate(self, description: str, *, version: str, at: datetime | None) -> Generated:
        """The message *description* asks for. Raises ModelError."""
        self._check()
        from sim.operations import llm

        try:
            return llm.generate(description, provider=self.provider, model=self.model, version=version, at=at)
        except (llm.LlmError, ValueError) as error:
            raise ModelError(str(error)) from error

    def explain(
        self, raw: str, *, version: str | None, network: str | None, heard: Callable[[str], None]
    ) -> str:
        """What *raw* says, in the model's words; *heard* gets the text so far after each sentence.
        Raises ModelError, and what `explain` by rules raises."""
        self._check()
        from sim.operations import llm
        from sim.operations.llm.sync import run

        pieces: SimpleQueue[str | None] = SimpleQueue()

        async def listen() -> None:
            try:
                async for piece in llm.stream_explain(
                    raw, version=version, network=network, provider=self.provider, model=self.model
                ):
                    pieces.put(piece)
            finally:
                pieces.put(None)

        text = ""
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(lambda: run(listen()))
            for piece in iter(pieces.get, None):
                text += piece
                heard(text)
            try:
                done.result()
            except llm.LlmError as error:
                raise ModelError(str(error)) from error
        return text.strip()

    def _check(self) -> None:
        if reason := self.refusal():
            raise ModelError(reason)
