"""Keys that travel without a block round them: enciphered, and perhaps their check value behind."""

from __future__ import annotations

from hmac import compare_digest

from sim.errors import OptionError
from sim.link.keys.key import Key, text

_SIZES = (8, 16, 24)
_CHECKS = (0, 3, 4)  # bytes of the check value
_LENGTHS = {2 * (size + check): 2 * size for size in _SIZES for check in _CHECKS}


def is_cryptogram(value: str) -> bool:
    """Whether *value* can be a TDES key under another: hexadecimal digits, as many as it takes with a check
    value of no, three or four bytes. No key block is as short.

    >>> is_cryptogram("0123456789ABCDEFFEDCBA9876543210"), is_cryptogram("B0080P0TE00N0000")
    (True, False)
    """
    return len(value) in _LENGTHS and set(value) <= set("0123456789ABCDEFabcdef")


def read_cryptogram(value: str, zone: Key) -> Key:
    """The key that *value* is under the TDES key *zone*: each of its blocks enciphered alone (ECB).

    Raises OptionError where *zone* is no TDES key, the check value is another key's, or, without one, the
    bytes have no odd parity: most likely another zone key.
    """
    if zone.cipher != "TDES":
        raise OptionError("keys", "a key block under an AES zone key", "a key without a block")
    size = _LENGTHS[len(value)]
    check = bytes.fromhex(value[size:])
    if check:
        key = Key(zone.decipher(bytes.fromhex(value[:size])))
        if not compare_digest(key.encipher(bytes(8))[: len(check)], check):
            raise OptionError("key", "the check value of its key", "another: another zone key, most likely")
        return key
    try:
        return Key(text(zone.decipher(bytes.fromhex(value))), parity="odd")
    except OptionError as error:
        raise OptionError("key", error.expected, f"{error.found}: another zone key, most likely") from None
