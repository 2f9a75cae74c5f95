"""A key, and the steps of a computation with one."""

from __future__ import annotations

import string
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor as _xor
from typing import Literal

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from sim.errors import OptionError, counted

CipherName = Literal["TDES", "AES"]
_SIZES = {"TDES": (8, 16, 24), "AES": (16, 24, 32)}
_BLOCK = {"TDES": 8, "AES": 16}
_LETTERS = str.maketrans("ABCDEF", "012345")
_MOST_SHOWN = 100  # a greater number is no length or index; it may be a secret
_SHOWN_OF_CHECK = {"TDES": 3, "AES": 5}


class Key:
    """A symmetric key for tests. Displays show its check value, never the key.

    Parameters
    ----------
    value
        Hexadecimal digits (blanks are ignored), bytes, or another key: 8, 16 or 24 bytes for TDES, 16, 24 or
        32 for AES.
    cipher
        `"TDES"` (of 8 bytes: single DES) or `"AES"`.
    parity
        `"odd"` rejects a TDES key with a byte of even parity; `"any"` accepts it, as the ciphers do: they
        ignore the last bit of each byte.

    Raises
    ------
    OptionError
        The value is not hexadecimal, or has the wrong length or parity.

    Examples
    --------
    >>> Key("0123456789ABCDEF FEDCBA9876543210")
    Key(TDES, 16 bytes, check value 08D7B4)
    """

    __slots__ = ("_value", "cipher")

    def __init__(
        self,
        value: str | bytes | Key,
        cipher: CipherName = "TDES",
        *,
        parity: Literal["odd", "any"] = "any",
    ) -> None:
        if cipher not in _SIZES:
            raise OptionError("cipher", "TDES or AES", "something else")
        self.cipher: CipherName = cipher
        self._value = value.data if isinstance(value, Key) else octets(value, "key")
        if len(self._value) not in _SIZES[cipher]:
            sizes = ", ".join(str(size) for size in _SIZES[cipher])
            raise OptionError("key", f"{sizes} bytes for {cipher}", counted(len(self._value), "byte"))
        even = [at for at, byte in enumerate(self._value) if not byte.bit_count() & 1]
        if parity == "odd" and cipher == "TDES" and even:
            raise OptionError("key", "odd parity in each byte", f"even parity in byte {even[0] + 1}")

    @property
    def data(self) -> bytes:
        """The key itself."""
        return self._value

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return len(self._value)

    @property
    def block(self) -> int:
        """The block size of its cipher in bytes."""
        return _BLOCK[self.cipher]

    @property
    def check_value(self) -> str:
        """The check value, which identifies the key without revealing it: for TDES the first three bytes of
        eight encrypted zero bytes, for AES the first five of a CMAC over sixteen zero bytes (ANSI
        X9.24-1:2017, annex A)."""
        zeros = bytes(self.block)
        encrypted = self.encipher(zeros) if self.cipher == "TDES" else self.cmac(zeros)
        return encrypted[: _SHOWN_OF_CHECK[self.cipher]].hex().upper()

    def with_odd_parity(self) -> Key:
        """The same TDES key with odd parity in each byte."""
        return Key(bytes(byte & 0xFE | ~(byte & 0xFE).bit_count() & 1 for byte in self._value), self.cipher)

    def hex(self) -> str:
        """The key as hexadecimal digits."""
        return self._value.hex().upper()

    def encipher(self, data: bytes, iv: bytes | None = None) -> bytes:
        """*data*, in whole blocks, encrypted: each block separately (ECB), or chained from *iv* (CBC)."""
        run = self._cipher(iv).encryptor()
        return run.update(data) + run.finalize()

    def decipher(self, data: bytes, iv: bytes | None = None) -> bytes:
        """The reverse of `encipher`."""
        run = self._cipher(iv).decryptor()
        return run.update(data) + run.finalize()

    def cmac(self, data: bytes) -> bytes:
        """The CMAC of *data* (ISO/IEC 9797-1 algorithm 5; NIST SP 800-38B)."""
        code = CMAC(self._algorithm())
        code.update(data)
        return code.finalize()

    def _algorithm(self) -> AES | TripleDES:
        if self.cipher == "AES":
            return AES(self._value)
        # Single DES is TDES with three equal keys; two keys are used as first, second, first.
        return TripleDES((self._value * 3)[:24])

    def _cipher(self, iv: bytes | None) -> Cipher[modes.CBC] | Cipher[modes.ECB]:
        # These standards encrypt single blocks.
        if iv is None:
            return Cipher(self._algorithm(), modes.ECB())  # noqa: S305
        return Cipher(self._algorithm(), modes.CBC(iv))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and (self.cipher, self._value) == (other.cipher, other._value)

    def __hash__(self) -> int:
        return hash((self.cipher, self._value))

    def __repr__(self) -> str:
        return f"Key({self.cipher}, {self.size} bytes, check value {self.check_value})"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a computation: what was done, the result (for a key its check value), and why or how."""

    done: str
    result: str
    how: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Worked:
    """A result: `value` (hexadecimal digits, decimal digits of a PIN or CVV, or a `Key`) and the `steps`
    that lead to it. Its repr shows neither, because both may be a card's secrets."""

    name: str
    value: str
    steps: tuple[Step, ...]

    @property
    def octets(self) -> bytes:
        """The value as bytes, if it is hexadecimal digits."""
        return bytes.fromhex(self.value)

    def __repr__(self) -> str:
        return f"Worked({self.name!r}, {len(self.steps)} steps)"


def octets(value: str | bytes, option: str, size: int | None = None, expected: str = "") -> bytes:
    """*value* as bytes, of which there must be *size*, if that is given; the error names the argument
    *option* and what is *expected*, and never the value."""
    data = value
    if isinstance(value, str):
        plain = "".join(value.split())
        try:
            data = bytes.fromhex(plain)
        except ValueError:
            found = counted(len(plain), "character")
            raise OptionError(option, "an even number of hexadecimal digits", found) from None
    if not isinstance(data, bytes):
        raise OptionError(option, "hexadecimal digits or bytes", f"a value of type {type(data).__name__}")
    if size not in (None, len(data)):
        raise OptionError(option, expected or f"{size} bytes", counted(len(data), "byte"))
    return data


def digits(value: str, option: str, least: int, most: int) -> str:
    """*value*, if it is *least* to *most* digits; the error never shows it."""
    expected = f"{least} digits" if least == most else f"{least} to {most} digits"
    size = min(max(len(value), least), most) if isinstance(value, str) else 0
    return characters(value, option, string.digits, size, expected)


def whole(value: int, option: str, among: Collection[int], expected: str) -> int:
    """*value*, if it is a whole number *among* those that are *expected*."""
    if type(value) is not int or value not in among:
        found = str(value) if type(value) is int and abs(value) < _MOST_SHOWN else "another"
        raise OptionError(option, expected, found)
    return value


def characters(value: str, option: str, among: str, size: int, expected: str) -> str:
    """*value*, if it is *size* characters *among* those that are *expected*; the error never shows it."""
    if not isinstance(value, str):
        raise OptionError(option, expected, f"a value of type {type(value).__name__}")
    if len(value) != size or not set(value) <= set(among):
        raise OptionError(option, expected, counted(len(value), "character"))
    return value


def key_of(value: str | bytes | Key, cipher: CipherName, sizes: Sequence[int], what: str = "key") -> Key:
    """*value* as a key of *cipher* that has one of *sizes* bytes."""
    key = value if isinstance(value, Key) else Key(value, cipher)
    if key.cipher != cipher or key.size not in sizes:
        lengths = " or ".join(str(size) for size in sizes)
        raise OptionError(what, f"a {cipher} key of {lengths} bytes", f"{key.cipher}, {key.size} bytes")
    return key


def xor(*values: bytes) -> bytes:
    """The bitwise XOR of byte strings of equal length."""
    return bytes(reduce(_xor, column) for column in zip(*values, strict=True))


def decimal(hexadecimal: str, length: int) -> str:
    """The first *length* digits of *hexadecimal* by decimalization: its digits, then its letters, A as 0 to F
    as 5."""
    plain = [char for char in hexadecimal if char.isdigit()]
    letters = [char.translate(_LETTERS) for char in hexadecimal if not char.isdigit()]
    return "".join((plain + letters)[:length])


def text(value: bytes) -> str:
    """Bytes as uppercase hexadecimal digits."""
    return value.hex().upper()
