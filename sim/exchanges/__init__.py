"""Exchanges: messages in order, each with its role. This package matches, makes, continues and explains them.

Names are resolved on first use, so matching does not load the modules that make messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.lazy import lazily

if TYPE_CHECKING:
    from sim.exchanges.amounts import Left
    from sim.exchanges.breaking import break_exchange
    from sim.exchanges.exchange import Exchange
    from sim.exchanges.following import follow
    from sim.exchanges.judging import findings
    from sim.exchanges.making import make
    from sim.exchanges.matching import match
    from sim.exchanges.roles import Step
    from sim.exchanges.telling import tell

__all__ = ["Exchange", "Left", "Step", "break_exchange", "findings", "follow", "make", "match", "tell"]

if not TYPE_CHECKING:  # otherwise a type checker would accept any name
    __getattr__, __dir__ = lazily(__name__)
