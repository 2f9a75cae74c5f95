"""Chip cryptograms: from the issuer's key to the transaction's, ARQC and ARPC (EMV Book 2)."""

from __future__ import annotations

from hashlib import sha1
from typing import Literal

from sim.errors import OptionError, counted
from sim.link.keys.key import Key, Step, Worked, decimal, digits, key_of, octets, text, xor
from sim.link.keys.mac import mac

_DOUBLE = (16,)
_LONGEST_OF_A = 16


def icc_master_key(
    issuer_key: Key | str | bytes, pan: str, sequence: str = "00", *, option: Literal["A", "B"] = "A"
) -> Key:
    """Derive a card's master key from its issuer's.

    Parameters
    ----------
    issuer_key
        The issuer's master key for cryptograms: TDES, 16 bytes.
    pan
        The card number, 12 to 19 digits.
    sequence
        The PAN sequence number (DE 23, tag 5F34): two digits.
    option
        `"A"` takes the last 16 digits of number and sequence; `"B"` hashes them if the number is longer
        than 16 digits.

    Returns
    -------
    Key
        TDES, 16 bytes, odd parity.

    Raises
    ------
    OptionError
        Digits or a key of the wrong length.

    Notes
    -----
    Source: EMV 4.3 Book 2, annex A1.4.

    Examples
    --------
    >>> icc_master_key("0123456789ABCDEFFEDCBA9876543210", "4111111111111111")
    Key(TDES, 16 bytes, check value 9595D5)
    """
    digits(pan, "pan", 12, 19)
    digits(sequence, "sequence", 2, 2)
    if option not in ("A", "B"):
        raise OptionError("option", "A or B", "another")
    issuer = key_of(issuer_key, "TDES", _DOUBLE, "issuer_key")
    number = pan + sequence
    if option == "B" and len(pan) > _LONGEST_OF_A:
        packed = bytes.fromhex(number.zfill(len(number) + len(number) % 2))
        number = decimal(sha1(packed, usedforsecurity=False).hexdigest().upper(), 16)
    block = bytes.fromhex(number[-16:].zfill(16))
    return Key(issuer.encipher(block) + issuer.encipher(xor(block, b"\xff" * 8))).with_odd_parity()


def session_key(master_key: Key | str | bytes, diversifier: bytes | str) -> Key:
    """Derive the key of one transaction: the common session key of EMV.

    Parameters
    ----------
    master_key
        The card's: TDES, 16 bytes.
    diversifier
        8 bytes: the transaction counter (tag 9F36) and zeros; Mastercard's own method puts the unpredictable
        number (9F37) in the last four.

    Returns
    -------
    Key
        TDES, 16 bytes, of odd parity.

    Raises
    ------
    OptionError
        A key or diversifier of the wrong length.

    Notes
    -----
    Source: EMV 4.3 Book 2, annex A1.3.1.

    Examples
    --------
    >>> session_key("0123456789ABCDEFFEDCBA9876543210", "001C000000000000")
    Key(TDES, 16 bytes, check value 7DD53C)
    """
    master = key_of(master_key, "TDES", _DOUBLE, "master_key")
    value = octets(diversifier, "diversifier", 8)
    halves = (master.encipher(value[:2] + mark + value[3:]) for mark in (b"\xf0", b"\x0f"))
    return Key(b"".join(halves)).with_odd_parity()


def counter_key(master_key: Key | str | bytes, counter: bytes) -> Key:
    """The transaction key that a UnionPay card derives: the counter and its inverse, each padded with zeros
    on the left, encrypted with the card's key (JR/T 0025)."""
    master = key_of(master_key, "TDES", _DOUBLE, "master_key")
    halves = (master.encipher(part.rjust(8, b"\0")) for part in (counter, xor(counter, b"\xff\xff")))
    return Key(b"".join(halves)).with_odd_parity()


def script_key(master_key: Key | str | bytes, counter: bytes) -> Key:
    """The script key that a Visa card derives: the halves of the card's key, with the counter and the
    inverted counter XORed into their last two bytes (pyemv kd.derive_visa_sm_sk)."""
    master = key_of(master_key, "TDES", _DOUBLE, "master_key")
    added = counter.rjust(8, b"\0") + xor(counter, b"\xff\xff").rjust(8, b"\0")
    return Key(xor(master.data, added)).with_odd_parity()


def arqc(key: Key | str | bytes, data: bytes | str, *, padding: Literal[1, 2] = 2) -> Worked:
    """Compute an application cryptogram (ARQC, TC or AAC; tag 9F26).

    Parameters
    ----------
    key
        The transaction's key, or the card's if the cryptogram version has none: TDES, 16 bytes.
    data
        The protected values, concatenated: amounts, country, results, currency, date and so on.
    padding
        2 in EMV; 1 in Visa's cryptogram version 10.

    Returns
    -------
    Worked
        `value` is 16 hexadecimal digits.

    Raises
    ------
    OptionError
        A key of the wrong length, or data that is not bytes.

    Notes
    -----
    Source: EMV 4.3 Book 2, 8.1.2.

    Examples
    --------
    >>> len(arqc("0123456789ABCDEFFEDCBA9876543210", "0000000010000000").value)
    16
    """
    cryptogram = mac(data, key_of(key, "TDES", _DOUBLE), algorithm="ISO9797-1-3", padding=padding)
    return Worked("arqc", cryptogram.value, cryptogram.steps)


def arpc(
    key: Key | str | bytes, cryptogram: bytes | str, answer: bytes | str, *, method: Literal[1, 2] = 1
) -> Worked:
    """Compute the issuer's cryptogram (tag 91), which tells the card that its issuer responded.

    Parameters
    ----------
    key
        As for `arqc`: TDES, 16 bytes.
    cryptogram
        The ARQC, 8 bytes.
    answer
        Method 1: the response code as two ASCII characters or two bytes (`"00"` or `"3030"`). Method 2: the
        card status update, 4 bytes, and up to 8 bytes of the issuer's data.
    method
        Of EMV: 1 combines the ARQC with the response code, 2 computes a MAC over the ARQC and *answer*.

    Returns
    -------
    Worked
        `value` is the content of tag 91: ARPC and response code, or ARPC, status update and the issuer's
        data.

    Raises
    ------
    OptionError
        A value of the wrong length.

    Notes
    -----
    Source: EMV 4.3 Book 2, 8.2.1 and 8.2.2.

    Examples
    --------
    >>> arpc("0123456789ABCDEFFEDCBA9876543210", "1122334455667788", "00").value[-4:]
    '3030'
    """
    tdes_key = key_of(key, "TDES", _DOUBLE)
    request_cryptogram = octets(cryptogram, "cryptogram", 8)
    if method == 1:
        code = answer.encode("ascii", "replace") if isinstance(answer, str) and len(answer) == 2 else answer
        data = octets(code, "answer", 2, "a response code of 2 characters")
        mixed = xor(request_cryptogram, data + bytes(6))
        made_of = tdes_key.encipher(mixed)
        steps = (
            Step("ARQC xor code", text(mixed), "the response code, padded with zeros"),
            Step("ARPC", text(made_of), f"encrypted with TDES, key {tdes_key.check_value}"),
        )
        return Worked("arpc", text(made_of + data), steps)
    data = octets(answer, "answer")
    if method != 2 or not 4 <= len(data) <= 12:
        raise OptionError("answer", "method 1, or 4 to 12 bytes with method 2", counted(len(data), "byte"))
    done = mac(request_cryptogram + data, tdes_key, algorithm="ISO9797-1-3", padding=2, length=4)
    return Worked("arpc", done.value + text(data), done.steps)
