"""PIN blocks of ISO 9564-1: formats 0 to 3 (8 bytes, TDES) and format 4 (16 bytes, AES)."""

from __future__ import annotations

import secrets
from typing import Literal

from sim.errors import OptionError
from sim.link.keys.key import Key, Step, Worked, characters, digits, key_of, octets, text, whole, xor

PinFormat = Literal[0, 1, 2, 3, 4]
_FORMATS = (0, 1, 2, 3, 4)
_NEEDS_PAN = (0, 3, 4)
_LEAST, _MOST = 4, 12
_PAN_LEAST, _PAN_MOST = 12, 19
_TDES = (16, 24)


def pin_block(
    pin: str,
    pan: str | None = None,
    *,
    format: PinFormat = 0,
    key: Key | str | bytes | None = None,
    fill: str | None = None,
) -> Worked:
    """Make the PIN block that is sent in DE 52.

    Parameters
    ----------
    pin
        4 to 12 digits.
    pan
        The card number, 12 to 19 digits; formats 0, 3 and 4 bind the PIN to it.
    format
        Of ISO 9564-1: 0 (the usual one), 1 (no card number), 2 (only between reader and chip, never on a
        link), 3 (as 0, with random filling), 4 (AES).
    key
        Encrypts the block: TDES for 0 to 3; AES for 4, which requires one. None leaves the block in clear,
        for inspection.
    fill
        The hexadecimal digits that pad the block if its format needs random ones. Default: random.

    Returns
    -------
    Worked
        `value` is 16 hexadecimal digits, or 32 for format 4.

    Raises
    ------
    OptionError
        Something is missing or has the wrong length. The error never shows PIN, card number or key.

    Notes
    -----
    Source: ISO 9564-1:2017, 9.3.2 (format 0), 9.3.3 (1), 9.3.4 (2), 9.3.5 (3), 9.4 (4).

    Examples
    --------
    >>> pin_block("1234", "4111111111111111").value
    '041225EEEEEEEEEE'
    """
    _check(pin, pan, format)
    if format == 4:
        return _extended(pin, str(pan), key, fill)
    field = _field(pin, format, fill)
    steps = [Step("PIN field", field, f"format {format}, {len(pin)} digits, the PIN, padding")]
    clear = bytes.fromhex(field)
    if pan is not None and format in _NEEDS_PAN:
        part, how = _pan_field(pan), "the 12 digits before the check digit, padded with zeros on the left"
        steps.append(Step("PAN field", part, how))
        clear = xor(clear, bytes.fromhex(part))
        steps.append(Step("clear block", text(clear), "PIN field xor PAN field"))
    if key is None:
        return Worked("pin_block", text(clear), tuple(steps))
    pin_key = key_of(key, "TDES", _TDES)
    block = text(pin_key.encipher(clear))
    steps.append(Step("PIN block", block, f"encrypted with TDES, key {pin_key.check_value}"))
    return Worked("pin_block", block, tuple(steps))


def read_pin_block(
    block: str | bytes, pan: str | None = None, *, format: PinFormat = 0, key: Key | str | bytes | None = None
) -> Worked:
    """Read the PIN from a block, as an issuer's security module does internally.

    Parameters
    ----------
    block
        8 bytes, or 16 for format 4; or their hexadecimal digits.
    pan, format, key
        As given to `pin_block`.

    Returns
    -------
    Worked
        `value` is the PIN.

    Raises
    ------
    OptionError
        The block has the wrong length, or the result is not a PIN of this format; the key, card number or
        format is probably wrong.

    Examples
    --------
    >>> read_pin_block("041225EEEEEEEEEE", "4111111111111111").value
    '1234'
    """
    _check(None, pan, format)
    size = 16 if format == 4 else 8
    data = octets(block, "block", size, f"{size} bytes in format {format}")
    if format == 4:
        aes = _aes(key)
        inner = xor(aes.decipher(data), bytes.fromhex(_long_pan_field(str(pan))))
        field, steps = aes.decipher(inner), [Step("decrypted twice", "", "XORed with the PAN field between")]
    else:
        field = key_of(key, "TDES", _TDES).decipher(data) if key is not None else data
        steps = [Step("clear block", text(field), "decrypted" if key is not None else "as given")]
        if pan is not None and format in _NEEDS_PAN:
            field = xor(field, bytes.fromhex(_pan_field(pan)))
    pin = _pin_of(text(field), format)
    steps += [Step("PIN field", text(field), "clear block xor PAN field" if format in _NEEDS_PAN else "")]
    return Worked("read_pin_block", pin, (*steps, Step("PIN", pin, f"{len(pin)} digits, as the field says")))


def translate_pin_block(
    block: str | bytes,
    pan: str | None = None,
    *,
    key: Key | str | bytes,
    to_key: Key | str | bytes,
    format: PinFormat = 0,
    to_format: PinFormat = 0,
) -> Worked:
    """Translate a PIN block from one zone to the next, as a switch's security module does: the same PIN
    under another key and, on request, in another format.

    Parameters
    ----------
    block, pan, key, format
        As in `read_pin_block`.
    to_key, to_format
        Key and format of the new block, as in `pin_block`.

    Returns
    -------
    Worked
        `value` is the new block; no step shows the PIN.

    Raises
    ------
    OptionError
        The block cannot be read with this key, card number and format.

    Examples
    --------
    >>> one, other = "0123456789ABCDEFFEDCBA9876543210", "FEDCBA98765432100123456789ABCDEF"
    >>> block = pin_block("1234", "4111111111111111", key=one).value
    >>> there = translate_pin_block(block, "4111111111111111", key=one, to_key=other).value
    >>> read_pin_block(there, "4111111111111111", key=other).value
    '1234'
    """
    pin = read_pin_block(block, pan, format=format, key=key).value
    translated = pin_block(pin, pan, format=to_format, key=to_key)
    steps = (
        Step("PIN", f"{len(pin)} digits", f"read with format {format}"),
        Step("PIN block", translated.value, f"format {to_format}, under the new key"),
    )
    return Worked("translate_pin_block", translated.value, steps)


def _check(pin: str | None, pan: str | None, format: int) -> None:
    whole(format, "format", _FORMATS, "0 to 4")
    if pin is not None:
        digits(pin, "pin", _LEAST, _MOST)
    if format in _NEEDS_PAN:
        if pan is None:
            raise OptionError("pan", f"a card number, which format {format} requires", "none")
        digits(pan, "pan", _PAN_LEAST, _PAN_MOST)


def _aes(key: Key | str | bytes | None) -> Key:
    if key is None:
        raise OptionError("key", "an AES key, which format 4 requires", "none")
    return key_of(key, "AES", (16, 24, 32))


def _filling(fill: str | None, size: int, among: str) -> str:
    if fill is None:
        return "".join(secrets.choice(among) for _ in range(size))
    part = fill.upper()[:size] if isinstance(fill, str) else fill
    return characters(part, "fill", among, size, f"{size} of the digits {among}")


def _field(pin: str, format: int, fill: str | None) -> str:
    head = f"{format}{len(pin):X}{pin}"
    rest = 16 - len(head)
    if format in (0, 2):
        return head + "F" * rest
    return head + _filling(fill, rest, "0123456789ABCDEF" if format == 1 else "ABCDEF")


def _pan_field(pan: str) -> str:
    return "0000" + pan[-13:-1].zfill(12)


def _long_pan_field(pan: str) -> str:
    return f"{max(len(pan) - 12, 0):X}{pan.zfill(12)}".ljust(32, "0")


def _extended(pin: str, pan: str, key: Key | str | bytes | None, fill: str | None) -> Worked:
    aes_key = _aes(key)
    head = f"4{len(pin):X}{pin}".ljust(16, "A")
    field = head + _filling(fill, 16, "0123456789ABCDEF")
    part = _long_pan_field(pan)
    inner = aes_key.encipher(bytes.fromhex(field))
    between = xor(inner, bytes.fromhex(part))
    block = text(aes_key.encipher(between))
    steps = (
        Step("PIN field", field, f"format 4, {len(pin)} digits, the PIN, A padding, then random digits"),
        Step("PAN field", part, "digits beyond 12, the card number, zero padding"),
        Step("block A", text(inner), f"the PIN field encrypted with AES, key {aes_key.check_value}"),
        Step("block B", text(between), "block A xor PAN field"),
        Step("PIN block", block, "block B encrypted with the same key"),
    )
    return Worked("pin_block", block, steps)


def _pin_of(field: str, format: int) -> str:
    size = int(field[1], 16)
    pin, rest = field[2 : 2 + size], field[2 + size :]
    filled = {0: set("F"), 2: set("F"), 3: set("ABCDEF"), 4: set("A")}.get(format)
    behind = rest[: 14 - size] if format == 4 else rest
    padded = filled is None or set(behind) <= filled
    if field[0] != str(format) or not (_LEAST <= size <= _MOST and pin.isdigit() and padded):
        found = "something else; the key, card number or format is probably different"
        raise OptionError("block", f"a PIN of format {format} inside", found)
    return pin
