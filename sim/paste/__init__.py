"""Guess what a paste is: spelling, framing, format, version and message, with reasons.

It tries every way to see bytes in the paste (`sim.paste.spellings`), every place where an MTI precedes a
plausible bitmap (`anchors`), every format and the usual deviations of links (`ways`), reads them with the
codec's own reader (`search`), scores them in bits saved (`worth`), and decides how sure they are
(`confidence`). A wrong answer that claims to be sure is the worst outcome; an unsure one, with reasons, is
acceptable.
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
