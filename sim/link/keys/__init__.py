"""Keys, and what is made with them: PIN blocks, MACs, verification values, cryptograms, DUKPT, key blocks.

For test keys. A key shows its check value alone, whatever prints it; `Worked`, what was made of a PIN or a
card's secret, keeps its value and its steps until they are asked for by name.

The ciphers are those of `cryptography`; the constructions, each a page of a standard, stand here, so that
every step of them can be looked at. psec and pyemv make the same in the tests, by other hands.
"""

from importlib.util import find_spec as _find_spec

if _find_spec("cryptography") is None:  # an extra
    raise ModuleNotFoundError("keys need cryptography: pip install 'iso8583-lab[keys]'", name="cryptography")
