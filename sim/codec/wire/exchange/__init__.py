"""Formats from and to what people have: packagers of jPOS, specifications of moov-io/iso8583, pyiso8583."""

from sim.codec.wire.exchange.jpos import from_jpos, to_jpos
from sim.codec.wire.exchange.moov import from_moov, to_moov
from sim.codec.wire.exchange.pyiso import from_pyiso8583, to_pyiso8583
from sim.codec.wire.exchange.reading import from_json, from_python, from_table
from sim.codec.wire.exchange.toml import to_toml

__all__ = [
    "from_jpos",
    "from_json",
    "from_moov",
    "from_pyiso8583",
    "from_python",
    "from_table",
    "to_jpos",
    "to_moov",
    "to_pyiso8583",
    "to_toml",
]
