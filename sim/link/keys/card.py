"""Values that a card's issuer works out of its number: CVV and its kin, PVV."""

from __future__ import annotations

from sim.errors import OptionError
from sim.link.keys.key import Key, Step, Worked, decimal, digits, key_of, text, xor


def cvv(pan: str, expiry: str, service_code: str, key: Key | str | bytes, *, length: int = 3) -> Worked:
    """Work out a card verification value.

    Parameters
    ----------
    pan
        The card number, 12 to 19 digits.
    expiry
        Four digits in the order in which the issuer takes them: YYMM for the stripe, and MMYY at some for
        the value printed on the card.
    service_code
        Three digits as on the stripe (CVV, CVC); `"000"` for the printed value (CVV2, CVC2), `"999"` for
        the one in the chip's track 2 (iCVV).
    key
        The pair of CVK: 16 bytes.
    length
        3 digits; 4 at some.

    Returns
    -------
    Worked
        `value` is *length* digits.

    Raises
    ------
    OptionError
        Digits or a key of the wrong length. The error never shows them.

    Notes
    -----
    Source: the algorithm that IBM's CCA names VISA-CVV / Mastercard CVC (z/OS ICSF Application Programmer's
    Guide, "VISA, MasterCard, and EMV-related processes"; publicly documented).

    Examples
    --------
    >>> cvv("4123456789012345", "8701", "101", "0123456789ABCDEFFEDCBA9876543210").value
    '561'
    """
    digits(pan, "pan", 12, 19)
    digits(expiry, "expiry", 4, 4)
    digits(service_code, "service_code", 3, 3)
    if not 1 <= length <= 5:
        raise OptionError("length", "1 to 5 digits", str(length))
    pair = key_of(key, "TDES", (16,))
    first, second = Key(pair.data[:8]), Key(pair.data[8:])
    whole = (pan + expiry + service_code).ljust(32, "0")
    one = first.encipher(bytes.fromhex(whole[:16]))
    two = first.encipher(xor(one, bytes.fromhex(whole[16:])))
    last = text(first.encipher(second.decipher(two)))
    found = decimal(last, length)
    steps = (
        Step("data", whole, "card number, expiry, service code, zeros up to 32 digits"),
        Step("first half", text(one), "enciphered with the first key of the pair"),
        Step("second half", text(two), "added to it, enciphered again"),
        Step("finished", last, "deciphered with the second key, enciphered with the first"),
        Step("value", found, "the digits first, then the letters, A as 0 to F as 5"),
    )
    return Worked("cvv", found, steps)


def pvv(pan: str, pin: str, key: Key | str | bytes, *, key_index: int = 1) -> Worked:
    """Work out Visa's PIN verification value, which lets an issuer check a PIN without keeping it.

    Parameters
    ----------
    pan
        The card number, 12 to 19 digits.
    pin
        The PIN; the first four digits count.
    key
        The pair of PVK: 16 bytes.
    key_index
        The PVK index (PVKI), 0 to 6; it stands on the stripe.

    Returns
    -------
    Worked
        `value` is four digits.

    Raises
    ------
    OptionError
        Digits, an index or a key that do not fit. The error never shows them.

    Notes
    -----
    Source: the algorithm that IBM's CCA names VISA-PVV (z/OS ICSF Application Programmer's Guide, "PIN
    formats and algorithms"; publicly documented).

    Examples
    --------
    >>> len(pvv("4123456789012345", "1234", "0123456789ABCDEFFEDCBA9876543210").value)
    4
    """
    digits(pan, "pan", 12, 19)
    digits(pin, "pin", 4, 12)
    if key_index not in range(7):
        raise OptionError("key_index", "0 to 6", "another")
    pair = key_of(key, "TDES", (16,))
    data = f"{pan[-12:-1]}{key_index}{pin[:4]}"
    last = text(pair.encipher(bytes.fromhex(data)))
    found = decimal(last, 4)
    steps = (
        Step("data", data, "the 11 digits before the check digit, the key's index, four digits of the PIN"),
        Step("enciphered", last, f"with TDES, key {pair.check_value}"),
        Step("value", found, "the digits first, then the letters, A as 0 to F as 5"),
    )
    return Worked("pvv", found, steps)
