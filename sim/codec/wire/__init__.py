"""Bytes <-> Message: how links encode messages (formats) and what surrounds them (framing)."""

from sim.codec.wire.catalogue import interface_table as interface_table
from sim.codec.wire.catalogue import names as names
from sim.codec.wire.catalogue import wire_format as wire_format
from sim.codec.wire.decode import WireMessage as WireMessage
from sim.codec.wire.decode import decode as decode
from sim.codec.wire.decode import read as read
from sim.codec.wire.decode import read_so_far as read_so_far
from sim.codec.wire.encode import encode as encode
from sim.codec.wire.encode import misfits as misfits
from sim.codec.wire.encode import otherwise as otherwise
from sim.codec.wire.formats import Format as Format
from sim.codec.wire.framing import Frame as Frame
from sim.codec.wire.framing import Layer as Layer
from sim.codec.wire.framing import frame as frame
from sim.codec.wire.framing import frames as frames
from sim.codec.wire.framing import peel as peel
from sim.codec.wire.framing import strip as strip
from sim.codec.wire.framing import wrap as wrap
from sim.errors import WireError as WireError
