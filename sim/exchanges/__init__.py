"""Exchanges: messages in order, each with its role. They are matched, made, continued and explained here.

Names are resolved when first used, so that matching starts without what makes messages.
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

if not TYPE_CHECKING:  # or every name would be one, of any type
    __getattr__, __dir__ = lazily(__name__)
