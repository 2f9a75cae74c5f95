"""Message authentication codes: ISO/IEC 9797-1 algorithms 1 and 3 (ANSI X9.9 and X9.19), CMAC."""

from __future__ import annotations

from typing import Literal, get_args

from sim.errors import ChoiceError
from sim.link.keys.key import CipherName, Key, Step, Worked, key_of, octets, text, whole

MacAlgorithm = Literal["ISO9797-1-1", "ISO9797-1-3", "X9.19", "CMAC-AES", "CMAC-TDES"]
_CMAC: dict[str, tuple[CipherName, tuple[int, ...]]] = {
    "CMAC-AES": ("AES", (16, 24, 32)),
    "CMAC-TDES": ("TDES", (16, 24)),
}
_LEAST = 4


def mac(
    data: bytes | str,
    key: Key | str | bytes,
    *,
    algorithm: MacAlgorithm = "X9.19",
    padding: Literal[1, 2] = 1,
    length: int = 8,
) -> Worked:
    """Compute the code that shows whether *data* was changed in transit (DE 64 or 128).

    Parameters
    ----------
    data
        The protected data: bytes, or their hexadecimal digits.
    key
        8 bytes for algorithm 1, 16 for algorithm 3 and X9.19, any length of the cipher for CMAC.
    algorithm
        `"ISO9797-1-1"` chains with single DES (as ANSI X9.9), `"ISO9797-1-3"` finishes with the second half
        of the key; `"X9.19"` is the latter with padding 1, the retail MAC. `"CMAC-AES"`, `"CMAC-TDES"` are
        algorithm 5.
    padding
        Of ISO/IEC 9797-1: 1 fills with zeros, 2 with a bit and zeros. CMAC pads by itself.
    length
        Number of bytes of the result to keep, at least 4.

    Returns
    -------
    Worked
        `value` is twice *length* hexadecimal digits.

    Raises
    ------
    OptionError
        A key or *length* that the algorithm does not accept.
    ChoiceError
        Unknown algorithm.

    Notes
    -----
    Source: ISO/IEC 9797-1:2011, 6.3 (padding), 7.2, 7.4, 7.6; ANSI X9.19-1996; NIST SP 800-38B.

    Examples
    --------
    >>> mac(b"Now is the time for all ", "0123456789ABCDEF", algorithm="ISO9797-1-1", length=4).value
    '70A30640'
    """
    if algorithm not in get_args(MacAlgorithm):
        raise ChoiceError.of("algorithm", algorithm, get_args(MacAlgorithm))
    plain = octets(data, "data")
    if algorithm in _CMAC:
        return _cmac(plain, key, algorithm, length)
    whole(padding, "padding", *(((1,), "1") if algorithm == "X9.19" else ((1, 2), "1 or 2")))
    single = algorithm == "ISO9797-1-1"
    tdes_key = key_of(key, "TDES", (8,) if single else (16,))
    return _chained(plain, tdes_key, algorithm, padding, _size(length, 8))


def _chained(plain: bytes, key: Key, algorithm: str, padding: int, length: int) -> Worked:
    full = padded(plain, padding)
    first = Key(key.data[:8])
    last = first.encipher(full, bytes(8))[-8:]
    steps = [
        Step("data", f"{len(plain)} bytes", f"padded by method {padding} to {len(full)}"),
        Step("chained", text(last), "the last block of DES in CBC mode, with a zero initial vector"),
    ]
    if key.size > first.size:
        second = Key(key.data[8:])
        middle = second.decipher(last)
        last = first.encipher(middle)
        steps.append(Step("decrypted", text(middle), "with the second half of the key"))
        steps.append(Step("encrypted", text(last), "with the first half again"))
    steps.append(Step("MAC", text(last[:length]), f"the first {length} bytes, {algorithm}"))
    return Worked("mac", text(last[:length]), tuple(steps))


def _cmac(plain: bytes, key: Key | str | bytes, algorithm: str, length: int) -> Worked:
    cmac_key = key_of(key, *_CMAC[algorithm])
    full = cmac_key.cmac(plain)
    short = text(full[: _size(length, cmac_key.block)])
    steps = (
        Step("data", f"{len(plain)} bytes", f"CMAC with {cmac_key}"),
        Step("CMAC", text(full), "the last block, with the subkey XORed into its input"),
        Step("MAC", short, f"the first {length} bytes"),
    )
    return Worked("mac", short, steps)


def _size(length: int, most: int) -> int:
    return whole(length, "length", range(_LEAST, most + 1), f"{_LEAST} to {most} bytes")


def padded(data: bytes, method: int, block: int = 8) -> bytes:
    """*data* padded to whole blocks: by method 1 with zeros, by method 2 with 80 and zeros."""
    if method == 2:
        data += b"\x80"
    return data + bytes(-len(data) % block) or bytes(block)
