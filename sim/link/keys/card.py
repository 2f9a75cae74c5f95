"""Values that an issuer derives from a card number: CVV and its variants, CAVV, CVC3, PVV, PINs by offset."""

from __future__ import annotations

import string

from sim.errors import OptionError
from sim.link.keys.key import Key, Step, Worked, characters, decimal, digits, key_of, octets, text, whole, xor
from sim.link.keys.mac import mac


def cvv(pan: str, expiry: str, service_code: str, key: Key | str | bytes, *, length: int = 3) -> Worked:
    """Compute a card verification value.

    Parameters
    ----------
    pan
        The card number, 12 to 19 digits.
    expiry
        Four digits in the issuer's order: YYMM for the stripe; some issuers use MMYY for the printed value.
    service_code
        Three digits as on the stripe (CVV, CVC); `"000"` for the printed value (CVV2, CVC2), `"999"` for
        the one in the chip's track 2 (iCVV).
    key
        The pair of CVK: 16 bytes.
    length
        3 digits; some issuers use 4.

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
    whole(length, "length", range(1, 6), "1 to 5 digits")
    pair = key_of(key, "TDES", (16,))
    first, second = Key(pair.data[:8]), Key(pair.data[8:])
    data = (pan + expiry + service_code).ljust(32, "0")
    half = first.encipher(bytes.fromhex(data[:16]))
    two = first.encipher(xor(half, bytes.fromhex(data[16:])))
    last = text(first.encipher(second.decipher(two)))
    value = decimal(last, length)
    steps = (
        Step("data", data, "card number, expiry, service code, zeros up to 32 digits"),
        Step("first half", text(half), "encrypted with the first key of the pair"),
        Step("second half", text(two), "XORed with it, encrypted again"),
        Step("finished", last, "decrypted with the second key, encrypted with the first"),
        Step("value", value, "the digits first, then the letters, A as 0 to F as 5"),
    )
    return Worked("cvv", value, steps)


def pvv(pan: str, pin: str, key: Key | str | bytes, *, key_index: int = 1) -> Worked:
    """Compute Visa's PIN verification value, with which an issuer can check a PIN without storing it.

    Parameters
    ----------
    pan
        The card number, 12 to 19 digits.
    pin
        The PIN; the first four digits count.
    key
        The pair of PVK: 16 bytes.
    key_index
        The PVK index (PVKI), 0 to 6, which is on the stripe.

    Returns
    -------
    Worked
        `value` is four digits.

    Raises
    ------
    OptionError
        Invalid digits, index or key. The error never shows them.

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
    whole(key_index, "key_index", range(7), "0 to 6")
    pair = key_of(key, "TDES", (16,))
    data = f"{pan[-12:-1]}{key_index}{pin[:4]}"
    last = text(pair.encipher(bytes.fromhex(data)))
    value = decimal(last, 4)
    steps = (
        Step("data", data, "the 11 digits before the check digit, the key's index, four digits of the PIN"),
        Step("encrypted", last, f"with TDES, key {pair.check_value}"),
        Step("value", value, "the digits first, then the letters, A as 0 to F as 5"),
    )
    return Worked("pvv", value, steps)


def cavv(pan: str, number: str, results: str, factor: str, key: Key | str | bytes) -> Worked:
    """Compute the value that proves 3-D Secure authentication: three digits in Visa's CAVV (version
    7) and in American Express's AEVV.

    Parameters
    ----------
    pan
        The card number, 12 to 19 digits.
    number
        Four digits: the unpredictable number that is sent with the value.
    results
        The authentication results code, one digit.
    factor
        The second factor authentication code, two digits.
    key
        The pair of keys for CAVV: 16 bytes.

    Returns
    -------
    Worked
        `value` is three digits.

    Raises
    ------
    OptionError
        Digits or a key of the wrong length. The error never shows them.

    Notes
    -----
    Source: the algorithm of `cvv`, with the number for the expiry, and results and factor for the service
    code (docs.aws.amazon.com payment-cryptography user guide: CAVV V7, 3DS AEVV).

    Examples
    --------
    >>> len(cavv("4123456789012345", "1234", "5", "43", "0123456789ABCDEFFEDCBA9876543210").value)
    3
    """
    digits(number, "number", 4, 4)
    digits(results, "results", 1, 1)
    digits(factor, "factor", 2, 2)
    worked = cvv(pan, number, results + factor, key)
    return Worked("cavv", worked.value, worked.steps)


def cvc3(track: str, counter: bytes | str, unpredictable: bytes | str, key: Key | str | bytes) -> Worked:
    """Compute Mastercard's dynamic card verification code for contactless magnetic stripe mode.

    Parameters
    ----------
    track
        The track on the card, before the counter, unpredictable number and code are inserted: track 2 with
        `=` or `D` between number and expiry, or track 1, which begins with `B`.
    counter
        The transaction counter (tag 9F36), 2 bytes.
    unpredictable
        The reader's unpredictable number, 4 bytes.
    key
        The card's key for CVC3, as `icc_master_key` derives it: TDES, 16 bytes.

    Returns
    -------
    Worked
        `value` is up to five digits; the track gets the last ones, as many as it has room for.

    Raises
    ------
    OptionError
        A value of the wrong length, or not a track. The error never shows it.

    Notes
    -----
    Source: pyemv cvv.generate_cvc3.

    Examples
    --------
    >>> from sim.link.keys.chip import icc_master_key
    >>> card = icc_master_key("01234567899876543210012345678998", "5123456789012345", "00")
    >>> cvc3("5123456789012345=35121010000000000000", "005E", "00000899", card).value
    '29488'
    """
    card_key = key_of(key, "TDES", (16,))
    count, number = octets(counter, "counter", 2), octets(unpredictable, "unpredictable", 4)
    first = mac(_template(track), card_key, algorithm="ISO9797-1-3", padding=2).octets[-2:]
    last = card_key.encipher(first + number + count)
    code = str(int.from_bytes(last[-2:], "big"))
    steps = (
        Step("of the track", text(first), "the last two bytes of its MAC"),
        Step("data", text(first + number + count), "these, the unpredictable number, the counter"),
        Step("encrypted", text(last), f"with TDES, key {card_key.check_value}"),
        Step("value", code, "the last two bytes as a decimal number"),
    )
    return Worked("cvc3", code, steps)


def _template(track: str) -> bytes:
    """The bytes of a track: the characters of track 1, or the digits of track 2 in pairs, padded with `F`."""
    if isinstance(track, str) and track[:1] == "B" and track.isascii():
        return track.encode("ascii")
    packed = track.upper().replace("=", "D") if isinstance(track, str) else ""
    packed += "F" * (len(packed) % 2)
    if not packed or set(packed) - set("0123456789DF"):
        raise OptionError("track", "track 2, or track 1 that begins with B", "something else")
    return bytes.fromhex(packed)


def pin_offset(
    pan: str,
    pin: str,
    key: Key | str | bytes,
    *,
    table: str = "0123456789012345",
    start: int = 0,
    length: int | None = None,
    fill: str = "F",
) -> Worked:
    """Compute the IBM 3624 offset between a card's natural PIN and the PIN that the cardholder chose.

    Parameters
    ----------
    pan
        The card number, 12 to 19 digits.
    pin
        4 to 12 digits. For the natural PIN itself the offset is all zeros.
    key
        The PIN verification key: TDES, 16 or 24 bytes.
    table
        The decimalization table: the digits that replace 0 to F.
    start, length
        The digits of the card number to use, at most 16. Default: all that fit.
    fill
        The hexadecimal digit that pads them to 16.

    Returns
    -------
    Worked
        `value` is as many digits as *pin* has.

    Raises
    ------
    OptionError
        Invalid digits or key. The error never shows them.

    Notes
    -----
    Source: IBM z/OS ICSF Application Programmer's Guide, "PIN formats and algorithms" (IBM 3624); publicly
    documented.

    Examples
    --------
    >>> key, table = "0123456789ABCDEFFEDCBA9876543210", "1234567890123456"
    >>> natural = ibm_pin("1122334455667788", "0000", key, table=table).value
    >>> pin_offset("1122334455667788", natural, key, table=table).value
    '0000'
    """
    digits(pin, "pin", 4, 12)
    natural, steps = _natural(pan, key, table, start, length, fill)
    offset = "".join(str((int(digit) - int(other)) % 10) for digit, other in zip(pin, natural, strict=False))
    step = Step("offset", offset, "the PIN minus the natural PIN, digit by digit, without borrow")
    return Worked("pin_offset", offset, (*steps, step))


def ibm_pin(
    pan: str,
    offset: str,
    key: Key | str | bytes,
    *,
    table: str = "0123456789012345",
    start: int = 0,
    length: int | None = None,
    fill: str = "F",
) -> Worked:
    """Compute the IBM 3624 PIN from a card number and its offset, as an issuer does to check a PIN.

    Parameters
    ----------
    offset
        4 to 12 digits; zeros give the natural PIN.
    pan, key, table, start, length, fill
        As in `pin_offset`.

    Returns
    -------
    Worked
        `value` is as many digits as *offset* has.

    Raises
    ------
    OptionError
        Invalid digits or key. The error never shows them.

    Examples
    --------
    >>> key, table = "0123456789ABCDEFFEDCBA9876543210", "1234567890123456"
    >>> ibm_pin("1122334455667788", "0000", key, table=table).value
    '4524'
    """
    digits(offset, "offset", 4, 12)
    natural, steps = _natural(pan, key, table, start, length, fill)
    pin = "".join(str((int(digit) + int(other)) % 10) for digit, other in zip(offset, natural, strict=False))
    step = Step("PIN", pin, "the natural PIN plus the offset, digit by digit, without carry")
    return Worked("ibm_pin", pin, (*steps, step))


def _natural(
    pan: str, key: Key | str | bytes, table: str, start: int, length: int | None, fill: str
) -> tuple[str, tuple[Step, ...]]:
    """The 16 digits whose first ones are the natural PIN, and the steps."""
    digits(pan, "pan", 12, 19)
    digits(table, "table", 16, 16)
    whole(start, "start", range(len(pan)), "a position within the card number")
    left = min(len(pan) - start, 16)
    if length is not None:
        left = whole(length, "length", range(1, left + 1), "digits within the card number, at most 16")
    taken = pan[start : start + left]
    characters(fill, "fill", string.hexdigits, 1, "a hexadecimal digit")
    verification_key = key_of(key, "TDES", (16, 24))
    data = taken.ljust(16, fill.upper())
    encrypted = text(verification_key.encipher(bytes.fromhex(data)))
    natural = "".join(table[int(char, 16)] for char in encrypted)
    steps = (
        Step("data", data, "the digits of the card number, padded"),
        Step("encrypted", encrypted, f"with TDES, key {verification_key.check_value}"),
        Step("natural PIN", natural, "each hexadecimal digit by the table"),
    )
    return natural, steps
