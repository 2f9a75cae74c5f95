"""Guess what a paste is: spelling, framing, format, version and message, with reasons.

Speculative and scored: every way to see bytes in the paste (`sim.paste.spellings`), every place where an
MTI stands before a believable bitmap (`anchors`), every format and what links do otherwise (`ways`), read by
the one reader of the codec (`search`), weighed in bits saved (`worth`), and judged (`confidence`). A wrong
answer that claims to be sure is the worst there is; one that is unsure, with reasons, is a good one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.lazy import lazily

if TYPE_CHECKING:
    from sim.paste.entry import guess
    from sim.paste.reading import Reading

__all__ = ["Reading", "guess"]

if not TYPE_CHECKING:  # or every name would be one, of any type
    __getattr__, __dir__ = lazily(__name__)
