"""Keys, and what is made with them: PIN blocks, MACs, verification values, cryptograms, DUKPT, key blocks.

For test keys. A key shows its check value alone, whatever prints it; `Worked`, what was made of a PIN or a
card's secret, keeps its value and its steps until they are asked for by name.

The ciphers are those of `cryptography`; the constructions, each a page of a standard, stand here, so that
every step of them can be looked at. psec and pyemv make the same in the tests, by other hands.
"""

from importlib.util import find_spec as _find_spec

if _find_spec("cryptography") is None:  # an extra
    raise ModuleNotFoundError("keys need cryptography: pip install 'iso8583-lab[keys]'", name="cryptography")

from sim.link.keys.blocks import KeyBlock, key_block, read_key_block
from sim.link.keys.card import cvv, pvv
from sim.link.keys.chip import arpc, arqc, icc_master_key, session_key
from sim.link.keys.dukpt import Usage, dukpt_key, initial_key
from sim.link.keys.key import Key, Step, Worked
from sim.link.keys.mac import MacAlgorithm, mac
from sim.link.keys.messages import (
    check_arqc,
    check_mac,
    message_arqc,
    with_arpc,
    with_arqc,
    with_mac,
    with_pin_block,
)
from sim.link.keys.pin import PinFormat, pin_block, read_pin_block, translate_pin_block
from sim.link.keys.ring import KeyRing

__all__ = [
    "Key",
    "KeyBlock",
    "KeyRing",
    "MacAlgorithm",
    "PinFormat",
    "Step",
    "Usage",
    "Worked",
    "arpc",
    "arqc",
    "check_arqc",
    "check_mac",
    "cvv",
    "dukpt_key",
    "icc_master_key",
    "initial_key",
    "key_block",
    "mac",
    "message_arqc",
    "pin_block",
    "pvv",
    "read_key_block",
    "read_pin_block",
    "session_key",
    "translate_pin_block",
    "with_arpc",
    "with_arqc",
    "with_mac",
    "with_pin_block",
]
