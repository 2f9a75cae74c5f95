"""DUKPT: a key for every transaction, derived from a base key and a serial number (ANSI X9.24)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from sim.errors import ChoiceError, OptionError, counted
from sim.link.keys.key import Key, key_of, octets, xor

Usage = Literal["pin", "mac request", "mac response", "data request", "data response"]

# TDES (X9.24-1): the variant constants, XORed into each half of a transaction's key.
_VARIANTS = {
    "pin": "00000000000000FF",
    "mac request": "000000000000FF00",
    "mac response": "00000000FF000000",
    "data request": "0000000000FF0000",
    "data response": "000000FF00000000",
}
_SECOND = bytes.fromhex("C0C0C0C000000000" * 2)
_COUNTER_BITS = 21
_TDES_SERIAL = 10

# AES (X9.24-3): the key usage indicators.
_USAGES = {
    "pin": 0x1000,
    "mac request": 0x2000,
    "mac response": 0x2001,
    "data request": 0x3000,
    "data response": 0x3001,
}
_DERIVING, _INITIAL = 0x8000, 0x8001
_ALGORITHMS = {16: 2, 24: 3, 32: 4}
_AES_SERIAL, _AES_ID = 12, 8


def initial_key(base_key: Key | str | bytes, serial: bytes | str) -> Key:
    """Derive the initial key of a terminal.

    Parameters
    ----------
    base_key
        The base derivation key (BDK): TDES of 16 bytes, or a `Key` of AES.
    serial
        The key serial number: 10 bytes for TDES (shorter ones are padded with F on the left), 12 for AES (or
        the 8 of the initial key's id). Its counter is ignored.

    Returns
    -------
    Key
        The initial key (IPEK).

    Raises
    ------
    OptionError
        A key or serial number of the wrong length.

    Notes
    -----
    Source: ANSI X9.24-1:2009, annex A.6; ANSI X9.24-3:2017, 6.3.

    Examples
    --------
    >>> initial_key("0123456789ABCDEFFEDCBA9876543210", "FFFF9876543210E00000").check_value
    'AF8C07'
    """
    base = base_key if isinstance(base_key, Key) else Key(base_key)
    if base.cipher == "AES":
        return _aes_key(base, _INITIAL, base.size, _aes_serial(serial, initial=True)[:_AES_ID])
    key_of(base, "TDES", (16,), "base_key")
    number = _tdes_serial(serial) >> _COUNTER_BITS << _COUNTER_BITS
    block = number.to_bytes(_TDES_SERIAL, "big")[:8]
    return Key(base.encipher(block) + Key(xor(base.data, _SECOND)).encipher(block))


def dukpt_key(base_key: Key | str | bytes, serial: bytes | str, usage: Usage = "pin") -> Key:
    """Derive the key of one transaction from the base key, as the host does.

    Parameters
    ----------
    base_key
        The base derivation key (BDK): TDES of 16 bytes, or a `Key` of AES.
    serial
        The key serial number as the terminal sent it, with its counter: 10 bytes for TDES, 12 for AES.
    usage
        What it encrypts: a PIN block, or the MAC or data of a request or response.

    Returns
    -------
    Key
        Of the base key's cipher and size.

    Raises
    ------
    OptionError
        A key or serial number of the wrong length, or a counter of zero, which is never used.
    ChoiceError
        Unknown usage.

    Notes
    -----
    Source: ANSI X9.24-1:2009, annexes A.2 and A.4.1; ANSI X9.24-3:2017, 6.

    Examples
    --------
    >>> key = dukpt_key("0123456789ABCDEFFEDCBA9876543210", "FFFF9876543210E00001")
    >>> key.encipher(bytes.fromhex("041274EDCBA9876F")).hex().upper()
    '1B9C1845EB993A7A'
    """
    if usage not in get_args(Usage):
        raise ChoiceError.of("usage", usage, get_args(Usage))
    base = base_key if isinstance(base_key, Key) else Key(base_key)
    key = initial_key(base, serial)
    return _of_tdes(key, serial, usage) if base.cipher == "TDES" else _of_aes(key, serial, usage)


def _of_tdes(key: Key, serial: bytes | str, usage: str) -> Key:
    number = _tdes_serial(serial)
    register = number >> _COUNTER_BITS << _COUNTER_BITS
    for bit in _bits(number, _COUNTER_BITS):
        register |= bit
        key = _one_way(key, register.to_bytes(_TDES_SERIAL, "big")[2:])
    variant = Key(xor(key.data, bytes.fromhex(_VARIANTS[usage]) * 2))
    if usage.startswith("data"):
        return Key(variant.encipher(variant.data[:8]) + variant.encipher(variant.data[8:]))
    return variant


def _one_way(key: Key, register: bytes) -> Key:
    """The next key; the derivation cannot be reversed."""
    halves = []
    for changed in (Key(xor(key.data, _SECOND)), key):
        left, right = changed.data[:8], changed.data[8:]
        halves.append(xor(Key(left).encipher(xor(register, right)), right))
    return Key(b"".join(halves))


def _of_aes(key: Key, serial: bytes | str, usage: str) -> Key:
    number = _aes_serial(serial)
    counter, working = int.from_bytes(number[_AES_ID:], "big"), 0
    for bit in _bits(counter, 32):
        working |= bit
        key = _aes_key(key, _DERIVING, key.size, number[4:_AES_ID] + working.to_bytes(4, "big"))
    return _aes_key(key, _USAGES[usage], key.size, number[4:_AES_ID] + counter.to_bytes(4, "big"))


def _aes_key(key: Key, usage: int, size: int, about: bytes) -> Key:
    blocks = b""
    for block in range(1, -(-size // 16) + 1):
        head = bytes((1, block)) + usage.to_bytes(2, "big") + _ALGORITHMS[size].to_bytes(2, "big")
        blocks += key.encipher(head + (size * 8).to_bytes(2, "big") + about)
    return Key(blocks[:size], "AES")


def _bits(number: int, width: int) -> Iterator[int]:
    """The set bits among the lowest *width*, highest first."""
    if not number & ((1 << width) - 1):
        raise OptionError("serial", "a counter of at least 1", "0")
    return (1 << place for place in reversed(range(width)) if number >> place & 1)


def _tdes_serial(serial: bytes | str) -> int:
    value = octets(serial, "serial")
    if not 8 <= len(value) <= _TDES_SERIAL:
        raise OptionError("serial", f"8 to {_TDES_SERIAL} bytes for TDES", counted(len(value), "byte"))
    return int.from_bytes(value.rjust(_TDES_SERIAL, b"\xff"), "big")


def _aes_serial(serial: bytes | str, *, initial: bool = False) -> bytes:
    value = octets(serial, "serial")
    if len(value) != _AES_SERIAL and not (initial and len(value) == _AES_ID):
        raise OptionError("serial", f"{_AES_SERIAL} bytes for AES", counted(len(value), "byte"))
    return value
