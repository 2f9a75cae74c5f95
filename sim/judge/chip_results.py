"""Whether how the cardholder was verified (9F34) fits what the terminal found (95), and what the terminal
(9F33) and the chip (82) are capable of."""

from __future__ import annotations

from collections.abc import Iterator

from sim.codec import Message
from sim.judge.chip import chip_of, tag_hit
from sim.judge.engine import rule
from sim.judge.finding import Hit

_PIN_BY_CHIP = frozenset((1, 3, 4, 5))  # methods of 9F34
_METHOD = 0x3F
_SUPPORTS_CARDHOLDER = 0x1200  # byte 1 bits 5 and, for a device of their own, 2 of the profile
_NOT_VERIFIED = 0x0000800000  # byte 3 bit 8 of the terminal verification results
_NO_PIN = 0x0000380000  # byte 3 bits 6 to 4: tries exceeded, no PIN pad, nothing entered
_FAILED, _SUCCESSFUL = "01", "02"
_BY_DEVICE = "010002"  # a PIN that the cardholder's own device asked for (CDCVM)
# Methods of 9F34, and the bits of byte 2 of the terminal's capabilities (9F33) of which each needs one.
_ABLE = {1: 0x80, 2: 0x40, 3: 0x80, 4: 0x11, 5: 0x11, 0x1E: 0x20}


@rule("chip-results-agree", 55, tags=("82", "95", "9F33", "9F34"))
def results_agree(message: Message) -> Iterator[Hit]:
    """What the terminal did (9F34), what came of it (95), what it can do (9F33) and what the card can do (82)
    fit together."""
    chip = chip_of(message)
    done, profile, results = chip.value("9F34"), chip.value("82"), chip.value("95")
    if len(done) != 6:
        return
    method, found = int(done[:2], 16) & _METHOD, int(results, 16) if len(results) == 10 else 0
    if found & _NOT_VERIFIED and done[4:] == _SUCCESSFUL:
        yield tag_hit(chip.first("9F34"), "a verification that failed, as 95 says", "a successful one", 4, 2)
    elif found & _NO_PIN and done[4:] == _SUCCESSFUL and method in _PIN_BY_CHIP and done != _BY_DEVICE:
        yield tag_hit(
            chip.first("9F34"), "no PIN checked, as 95 says that none could be", "a right PIN", 4, 2
        )
    if done[4:] != _FAILED and done != _BY_DEVICE and not _is_capable(chip.value("9F33"), method):
        expected = "a way of verification that the terminal is capable of (9F33)"
        yield tag_hit(chip.first("9F34"), expected, "another", 0, 2)
    able = len(profile) != 4 or int(profile, 16) & _SUPPORTS_CARDHOLDER
    if not able and method in _PIN_BY_CHIP:
        expected = "no verification by the chip, which supports none (82)"
        yield tag_hit(chip.first("9F34"), expected, "a PIN checked by the chip", 0, 2)


def _is_capable(capabilities: str, method: int) -> bool:
    """Whether a terminal verifies by *method*; one that does not say what it can do may be capable of all."""
    needed = _ABLE.get(method, 0)
    return not needed or len(capabilities) != 6 or bool(int(capabilities[2:4], 16) & needed)
