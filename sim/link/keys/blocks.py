"""Key blocks: an encrypted key with its permitted use (ANSI X9.143, formerly TR-31)."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hmac import compare_digest
from secrets import token_bytes

from sim.errors import OptionError, counted
from sim.link.keys.key import Key, characters, key_of, octets, text, xor
from sim.spec.tables import read_csv

_HEADER, _OPTIONAL = 16, 4
_MAC_BYTES = {"A": 4, "B": 8, "C": 4, "D": 16}
_BLOCK = {"A": 8, "B": 8, "C": 8, "D": 16}
_MARKS = (0x45, 0x4D)  # of the keys that encipher and authenticate
_ALGORITHM = {("TDES", 16): 0, ("TDES", 24): 1, ("AES", 16): 2, ("AES", 24): 3, ("AES", 32): 4}
_CIPHERS = {"A": "AES", "T": "TDES", "D": "TDES"}
_MOST = 9_999
_CODES = string.ascii_letters + string.digits
# A key sent without a block: the bytes of a TDES key, and those of the check value after it, if any.
_CIPHERED = (8, 16, 24)
_CHECKS = (0, 3, 4)  # bytes of the check value
_LENGTHS = {2 * (size + check): 2 * size for size in _CIPHERED for check in _CHECKS}


@dataclass(frozen=True, slots=True)
class KeyBlock:
    """A parsed key block: what the key is, what it may be used for, and the key. `meanings` explains each
    code of the header; `optional` has the optional blocks by id; `key` is None for a key that is neither TDES
    nor AES (`secret` then has its bytes, which no repr shows)."""

    version: str
    usage: str
    algorithm: str
    mode: str
    key_version: str
    exportability: str
    optional: Mapping[str, str]
    key: Key | None
    secret: bytes

    @property
    def meanings(self) -> dict[str, str]:
        """The meaning of each code of the header; empty for a code that is not in a public table."""
        parts = ("version", "usage", "algorithm", "mode", "exportability")
        return {part: _codes().get((part, getattr(self, part)), "") for part in parts}

    def __repr__(self) -> str:
        return (
            f"KeyBlock({self.version}, usage {self.usage}, algorithm {self.algorithm}, mode {self.mode}, "
            f"exportability {self.exportability}, {self.key or 'secret'})"
        )


def read_key_block(block: str, protection_key: Key | str | bytes) -> KeyBlock:
    """Read a key block and check its authenticity.

    Parameters
    ----------
    block
        Its characters: a header of 16, optional blocks, the encrypted key and the MAC in hexadecimal.
    protection_key
        The key block protection key (KBPK): TDES for versions A, B and C, AES for version D.

    Returns
    -------
    KeyBlock
        The header fields, and the key.

    Raises
    ------
    OptionError
        The block is not a key block, its length is wrong, or it was made with another key or modified in
        transit. The error shows none of its contents.

    Notes
    -----
    Source: ANSI X9.143-2022 (TR-31:2018): binding methods, header.

    Examples
    --------
    >>> read_key_block("B0080P0TE00N0000", "0123456789ABCDEFFEDCBA9876543210")
    Traceback (most recent call last):
    sim.errors.OptionError: block: expected 80 characters, as its header says, found 16
    """
    version = _version(block)
    optional, end = _optional_blocks(block)
    size = _MAC_BYTES[version]
    try:
        encrypted, code = bytes.fromhex(block[end : -2 * size]), bytes.fromhex(block[-2 * size :])
    except ValueError:
        raise OptionError("block", "hexadecimal digits after the header", "something else") from None
    if not encrypted or len(encrypted) % _BLOCK[version]:
        raise OptionError(
            "block",
            f"whole blocks of {_BLOCK[version]} bytes",
            counted(len(encrypted), "byte"),
        )
    header = block[:end].encode("ascii")
    bound = version in "BD"
    base = _protection(version, protection_key)
    if bound:
        cipher, maker = _derived(base)
        clear = cipher.decipher(encrypted, code)
        true = maker.cmac(header + clear)
    else:  # the protection key XORed with constants
        cipher, maker = (Key(xor(base.data, bytes((mark,)) * base.size)) for mark in _MARKS)
        clear = cipher.decipher(encrypted, header[:8])
        data = header + encrypted
        true = maker.encipher(data + bytes(-len(data) % 8), bytes(8))[-8:][:size]
    if not compare_digest(true, code):
        raise OptionError("block", "a MAC made with this key", "another one: wrong key or modified block")
    bits = int.from_bytes(clear[:2], "big")
    if bits % 8 or not 0 < bits // 8 <= len(clear) - 2:
        raise OptionError("block", "a key of the length it declares", f"{bits} bits")
    secret = clear[2 : 2 + bits // 8]
    parts = (block[5:7], block[7], block[8], block[9:11], block[11])
    return KeyBlock(version, *parts, optional, _key(block[7], secret), secret)


def key_block(
    key: Key | str | bytes,
    protection_key: Key | str | bytes,
    *,
    usage: str = "P0",
    mode: str = "B",
    exportability: str = "E",
    fill: bytes = b"",
) -> str:
    """Make the key block that transports a key, with its check value in the optional block `KC`.

    Parameters
    ----------
    key
        The key to transport: TDES, or an AES `Key`.
    protection_key
        The key block protection key: TDES makes version B, an AES `Key` version D.
    usage, mode, exportability
        Codes of the header: `P0` is a PIN key, `M3` one for MACs of algorithm 3; mode `B` is both ways.
    fill
        The bytes that pad the last block. Default: random.

    Returns
    -------
    str
        The characters of the block.

    Raises
    ------
    OptionError
        A key of the wrong length, or a code of the wrong width.

    Notes
    -----
    Source: ANSI X9.143-2022 (TR-31:2018): key derivation binding, header, optional blocks KC and PB.

    Examples
    --------
    >>> zone = "0123456789ABCDEFFEDCBA9876543210"
    >>> block = key_block("1C1C1C1C1C1C1C1C2525252525252525", zone)
    >>> block[:32], read_key_block(block, zone).key
    ('B0096P0TB00E0200KC0C00387470PB04', Key(TDES, 16 bytes, check value 387470))
    """
    payload = key if isinstance(key, Key) else Key(key)
    base = protection_key if isinstance(protection_key, Key) else Key(protection_key)
    version = "D" if base.cipher == "AES" else "B"
    base, size = _protection(version, base), _BLOCK[version]
    for name, part, width in (("usage", usage, 2), ("mode", mode, 1), ("exportability", exportability, 1)):
        characters(part, name, _CODES, width, f"a code of {width} from A to Z and 0 to 9")
    bits = (payload.size * 8).to_bytes(2, "big")
    room = -(len(bits) + payload.size) % size
    clear = bits + payload.data + (octets(fill, "fill") or token_bytes(room))[:room].ljust(room, b"\0")
    method = "01" if payload.cipher == "AES" else "00"
    parts = [_optional_block("KC", method + payload.check_value)]
    left = -(_HEADER + len(parts[0])) % size
    if left:  # an optional block is at least as long as its own header
        parts.append(_optional_block("PB", "0" * ((left if left >= _OPTIONAL else left + size) - _OPTIONAL)))
    extra = "".join(parts)
    length = _HEADER + len(extra) + 2 * (len(clear) + _MAC_BYTES[version])
    attributes = f"{usage}{'A' if payload.cipher == 'AES' else 'T'}{mode}00{exportability}{len(parts):02}00"
    header = f"{version}{length:04}{attributes}{extra}"
    cipher, maker = _derived(base)
    code = maker.cmac(header.encode("ascii") + clear)
    return header + text(cipher.encipher(clear, code)) + text(code)


def _optional_block(name: str, data: str) -> str:
    return f"{name}{len(data) + _OPTIONAL:02X}{data}"


def _version(block: str) -> str:
    readable = isinstance(block, str) and len(block) >= _HEADER and block.isascii()
    if not readable or block[0] not in _MAC_BYTES:
        raise OptionError("block", "a key block of version A, B, C or D", "something else")
    length = int(block[1:5]) if block[1:5].isdecimal() else _MOST + 1
    if length != len(block):
        raise OptionError("block", f"{length} characters, as its header says", str(len(block)))
    return block[0]


def _optional_blocks(block: str) -> tuple[dict[str, str], int]:
    """The optional blocks, and the offset after them."""
    count = int(block[12:14]) if block[12:14].isdecimal() else 0
    blocks, at = {}, _HEADER
    for _ in range(count):
        name, width = block[at : at + 2], block[at + 2 : at + 4]
        try:
            size, start = int(width, 16), at + _OPTIONAL
            if not size:  # extended length: the number of its bytes, two hex digits each, then the length
                digits = 2 * int(block[start : start + 2], 16)
                size, start = int(block[start + 2 : start + 2 + digits], 16), start + 2 + digits
        except ValueError:
            raise OptionError("block", "a length in each optional block", "no digits") from None
        if size < start - at or at + size > len(block):
            raise OptionError(
                "block", "optional blocks inside the key block", f"one of {counted(size, 'character')}"
            )
        blocks[name] = block[start : at + size]
        at += size
    return blocks, at


def _protection(version: str, key: Key | str | bytes) -> Key:
    if version == "D":
        return key_of(key, "AES", (16, 24, 32), "protection_key")
    return key_of(key, "TDES", (16, 24), "protection_key")


def _derived(base: Key) -> tuple[Key, Key]:
    """The encryption and authentication keys of versions B and D, derived by CMAC."""

    def derived(usage: int) -> Key:
        about = usage.to_bytes(2, "big") + b"\0" + _ALGORITHM[base.cipher, base.size].to_bytes(2, "big")
        about += (base.size * 8).to_bytes(2, "big")
        blocks = range(1, -(-base.size // base.block) + 1)
        material = b"".join(base.cmac(bytes((number,)) + about) for number in blocks)
        return Key(material[: base.size], base.cipher)

    return derived(0), derived(1)


def _key(algorithm: str, secret: bytes) -> Key | None:
    cipher = _CIPHERS.get(algorithm)
    if cipher == "AES" and len(secret) in (16, 24, 32):
        return Key(secret, "AES")
    return Key(secret) if cipher == "TDES" and len(secret) in (8, 16, 24) else None


@cache
def _codes() -> dict[tuple[str, str], str]:
    return {(row["part"], row["code"]): row["meaning"] for row in read_csv("keys/key_block")}


def is_cryptogram(value: str) -> bool:
    """Whether *value* can be a TDES key encrypted under another one: hexadecimal digits of the right number,
    with a check value of zero, three or four bytes. Every key block is longer.

    >>> is_cryptogram("0123456789ABCDEFFEDCBA9876543210"), is_cryptogram("B0080P0TE00N0000")
    (True, False)
    """
    return len(value) in _LENGTHS and set(value) <= set("0123456789ABCDEFabcdef")


def read_cryptogram(value: str, zone: Key) -> Key:
    """The key that *value* contains under the TDES key *zone*, in ECB mode.

    Raises OptionError if *zone* is not a TDES key, the check value is of another key, or, without one, the
    bytes do not have odd parity: most likely a different zone key.
    """
    if zone.cipher != "TDES":
        raise OptionError("keys", "a key block under an AES zone key", "a key without a block")
    size = _LENGTHS[len(value)]
    check = bytes.fromhex(value[size:])
    if check:
        key = Key(zone.decipher(bytes.fromhex(value[:size])))
        if not compare_digest(key.encipher(bytes(8))[: len(check)], check):
            raise OptionError("key", "the check value of its key", "another one: wrong zone key, probably")
        return key
    try:
        return Key(text(zone.decipher(bytes.fromhex(value))), parity="odd")
    except OptionError as error:
        raise OptionError("key", error.expected, f"{error.found}: probably a different zone key") from None
