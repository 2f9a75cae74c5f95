"""The network of each message's card in a block, and whether the card number's check digit is correct.

The network tables are consulted once for each six-digit IIN that occurs, as in `sim.judge.networks`; accounts
that are not a plain run of digits are left to the scalar functions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.codec import Message
from sim.elements.card import account
from sim.elements.mti import is_network_management
from sim.spec.networks import NETWORKS, detect
from sim.tables.columns.cut import Block, message_or_partial
from sim.tables.columns.lines import Bools, Bytes, Ints, by_width, windows

_IIN_DIGITS = 6
_PAN, _TRACK_2, _TRACK_1 = 2, 35, 45
_LONGEST_PAN = 19
_ZERO, _EQUALS, _LETTER_D = 48, 61, 68
_NAMES = (None, *NETWORKS)

Codes = Bytes


@dataclass(frozen=True, slots=True)
class Accounts:
    """Card numbers that are runs of digits: number i belongs to row `rows[i]` and is
    `data[starts[i]:starts[i] + widths[i]]`."""

    rows: Ints
    data: Bytes
    starts: Ints
    widths: Ints


@dataclass(frozen=True, slots=True)
class Owners:
    """For each row of a block, the index of its network in `(None, *NETWORKS)`; the card numbers; and the
    rows whose account is not a plain run of digits."""

    codes: Codes
    accounts: tuple[Accounts, ...]
    unsure: Bools


def names(codes: Codes) -> list[str | None]:
    """The network names for *codes*."""
    return [_NAMES[code] for code in codes.tolist()]


class Cards:
    """What the network tables say about card numbers, cached while one source is read."""

    def __init__(self, network: str | None) -> None:
        self.network = network
        # By IIN: the index of its network, plus one; 0 until the IIN occurs.
        self._owners = np.zeros(10**_IIN_DIGITS, np.uint8)

    def owners(self, block: Block) -> Owners:
        """The network of each row: the given one, or the card's."""
        count = len(block.lines)
        all_accounts, unsure = _accounts(block)
        codes = np.zeros(count, np.uint8)
        for accounts in all_accounts:
            iins = _iins(accounts)
            for iin in np.unique(iins[self._owners[iins] == 0]).tolist():
                self._owners[iin] = _owner_of(f"{iin:0{_IIN_DIGITS}}") + 1
            codes[accounts.rows] = self._owners[iins] - 1
        for row in np.flatnonzero(unsure).tolist():
            # By the scalar function, applied to the elements that can contain an account number.
            group = block.groups[block.group[row]]
            numbers = [number for number in (_PAN, _TRACK_2, _TRACK_1) if number in group.numbers]
            fields = {number: block.columns[number].text(row) for number in numbers}
            codes[row] = _owner_of(account(Message(group.mti, fields, group.version))[1])
        if self.network is not None:
            codes[:] = NETWORKS.index(self.network) + 1
        for row, odd in block.odd.items():
            codes[row] = 0
            if (message := message_or_partial(odd)) is not None:
                own = self.network
                codes[row] = _NAMES.index(own) if own else _owner_of(account(message)[1])
        return Owners(codes, all_accounts, unsure)

    def alike(self, owners: Owners) -> Ints:
        """A number per row, equal for cards with the same prefix, length, element and validity of the check
        digit (0: no card, -1: undecided)."""
        codes = np.where(owners.unsure, -1, np.zeros(len(owners.codes), np.int64))
        for at, accounts in enumerate(owners.accounts, 1):
            iins = _iins(accounts)
            for width, chosen in by_width(accounts.widths):
                right = luhn(accounts.data, accounts.starts[chosen], width)
                size = width * (len(owners.accounts) + 1) + at
                codes[accounts.rows[chosen]] = (iins[chosen] << 16) + (size << 1) + right
        return codes


def _owner_of(pan: str) -> int:
    """The index of the network of a card number."""
    owner = detect(pan) if pan else None
    return _NAMES.index(owner.network if owner else None)


def _accounts(block: Block) -> tuple[tuple[Accounts, ...], Bools]:
    """The card numbers of the rows in groups, from DE 2 or track 2, and the rows that remain undecided."""
    judged = np.array([*(not is_network_management(group.mti) for group in block.groups), False])
    pending = judged[block.group]
    unsure = np.zeros(len(block.lines), np.bool_)
    groups = []
    for number in (_PAN, _TRACK_2, _TRACK_1):
        column = block.columns.get(number)
        if column is None:
            continue
        widths = np.diff(column.offsets)
        rows = np.flatnonzero(pending & (widths > 0))
        pending[rows] = False
        if number == _TRACK_1:
            unsure[rows] = True
            continue
        accounts = Accounts(rows, column.data, column.offsets[rows], widths[rows])
        if number == _TRACK_2:
            sure, digits = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.int64)
            for width, chosen in by_width(accounts.widths):
                sure[chosen], digits[chosen] = tracks(accounts.data, accounts.starts[chosen], width)
            unsure[rows[~sure]] = True
            accounts = _pick(Accounts(rows, accounts.data, accounts.starts, digits), sure)
        good = _digits(accounts)
        unsure[accounts.rows[~good]] = True
        groups.append(accounts if good.all() else _pick(accounts, good))
    return tuple(groups), unsure


def _pick(accounts: Accounts, chosen: Bools) -> Accounts:
    return Accounts(accounts.rows[chosen], accounts.data, accounts.starts[chosen], accounts.widths[chosen])


def _digits(pans: Accounts) -> Bools:
    """Which are digits only, at least six and at most as many as a card number has."""
    good = (pans.widths >= _IIN_DIGITS) & (pans.widths <= _LONGEST_PAN)
    # If the whole buffer is digits, the numbers need not be checked one by one.
    if good.all() and (pans.data - np.uint8(_ZERO) <= 9).all():
        return good
    for width, chosen in by_width(np.where(good, pans.widths, 0)):
        good[chosen] &= (matrix(pans.data, pans.starts[chosen], width) - np.uint8(_ZERO) <= 9).all(axis=1)
    return good


def matrix(data: Bytes, starts: Ints, width: int) -> Bytes:
    """The runs of *width* bytes from *starts*, one per row."""
    if not width:
        return np.zeros((len(starts), 0), np.uint8)
    return windows(data, width)[starts].view(np.uint8).reshape(-1, width)


def tracks(data: Bytes, starts: Ints, width: int) -> tuple[Bools, Ints]:
    """Which runs are certainly track 2 (digits with one separator after 1 to 19 of them), and the separator's
    position."""
    cells = matrix(data, starts, width)
    marks = (cells == _EQUALS) | (cells == _LETTER_D)
    at = marks.argmax(axis=1) if width else np.zeros(len(starts), np.int64)
    good = np.count_nonzero(marks, axis=1) == 1
    good &= (marks | (cells - np.uint8(_ZERO) <= 9)).all(axis=1)
    return good & (at >= 1) & (at <= _LONGEST_PAN), at


def _iins(accounts: Accounts) -> Ints:
    cells = matrix(accounts.data, accounts.starts, _IIN_DIGITS)
    value = np.zeros(len(cells), np.int64)
    for place in range(_IIN_DIGITS):
        value *= 10
        value += cells[:, place] - np.uint8(_ZERO)
    return value


def luhn(data: Bytes, starts: Ints, width: int) -> Bools:
    """Which runs of digits have a correct check digit (ISO/IEC 7812-1, annex B)."""
    cells = matrix(data, starts, width)
    total = np.zeros(len(cells), np.uint8)  # at most 19 times 9
    for place in range(width):
        digit = cells[:, width - 1 - place] - np.uint8(_ZERO)
        if place % 2:
            # A doubled digit counts as the sum of its own digits: 7 -> 14 -> 5.
            digit = 2 * digit - np.uint8(9) * (digit > 4)
        total += digit
    right: Bools = total % 10 == 0
    return right
