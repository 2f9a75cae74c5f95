"""Guess what a paste is: spelling, framing, format, version and message, with reasons.

Speculative and scored: every way to see bytes in the paste (`sim.paste.spellings`), every place where an
MTI stands before a believable bitmap (`anchors`), every format and what links do otherwise (`ways`), read by
the one reader of the codec (`search`), weighed in bits saved (`worth`), and judged (`confidence`). A wrong
answer that claims to be sure is the worst there is; one that is unsure, with reasons, is a good one.
"""

from sim.paste.entry import guess
from sim.paste.result import Guess, Guessed

__all__ = ["Guess", "Guessed", "guess"]
