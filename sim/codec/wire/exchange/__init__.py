"""Formats from and to what people have: packagers of jPOS, specifications of moov-io/iso8583, pyiso8583."""

from sim.codec.wire.exchange.jpos import from_jpos as from_jpos
from sim.codec.wire.exchange.jpos import to_jpos as to_jpos
from sim.codec.wire.exchange.moov import from_moov as from_moov
from sim.codec.wire.exchange.moov import to_moov as to_moov
from sim.codec.wire.exchange.pyiso import from_pyiso8583 as from_pyiso8583
from sim.codec.wire.exchange.pyiso import to_pyiso8583 as to_pyiso8583
from sim.codec.wire.exchange.reading import from_json as from_json
from sim.codec.wire.exchange.reading import from_python as from_python
from sim.codec.wire.exchange.reading import from_table as from_table
from sim.codec.wire.exchange.toml import to_toml as to_toml
