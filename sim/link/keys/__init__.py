"""Keys and their use: PIN blocks, MACs, verification values, cryptograms, DUKPT, key blocks.

For test keys only. The repr of a key shows its check value, nothing else; `Worked`, a value computed from a
PIN or another secret, shows its value and steps only when asked by name.

The ciphers come from `cryptography`; the constructions, each a page of a standard, are written out here, so
that every step can be inspected. The tests compare them with psec and pyemv.
"""

from importlib.util import find_spec as _find_spec

if _find_spec("cryptography") is None:  # an extra
    raise ModuleNotFoundError("keys need cryptography: pip install 'iso8583-lab[keys]'", name="cryptography")
