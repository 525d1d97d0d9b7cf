"""Slips of the pen: what a right number becomes when it is written down wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic.expression import Location
from attncli.marking.paths import Paths
from attncli.marking.verdicts import Cause, Given, Judgement

if TYPE_CHECKING:
    from attncli.marking.judging import Tolerance

_SIGN = Cause("sign", "The sign is the other one.")
_POINT = Cause("decimal_point", "The decimal point was moved.")
_DIGITS = Cause("digits_transposed", "Two digits next to each other were exchanged.")
_TURNED = Cause("row_and_column", "It is the number of the cell with row and column exchanged.")
_NEIGHBOUR = Cause("another_cell", "It is the number of another cell of the same table.")
_MOST_SHIFTED = 3


def slips(
    paths: Paths, cell: Location, given: Given, tolerance: Tolerance
) -> tuple[Judgement, list[Cause]]:
    """What was written wrongly, if that is known; else a slip that nobody knows."""
    found = list(_found(paths, cell, given, tolerance))
    return ("known mistake", found) if found else ("slip", [])


def _found(paths: Paths, cell: Location, given: Given, tolerance: Tolerance) -> Iterator[Cause]:
    from attncli.marking.judging import accepted

    number = given.number
    if number is None or not number.is_finite():
        return
    right = accepted(paths, cell, tolerance)
    if number and right.takes(-number):
        yield _SIGN
    if number and any(
        right.takes(number.scaleb(k)) for k in range(-_MOST_SHIFTED, _MOST_SHIFTED + 1) if k
    ):
        yield _POINT
    if any(right.takes(one) for one in _transposed(number)):
        yield _DIGITS
    n, m = paths.trace[cell.quantity].matrix.shape
    turned = Location(cell.quantity, cell.column, cell.row)
    if cell.column < n and cell.row < m and accepted(paths, turned, tolerance).takes(number):
        yield _TURNED
        return
    others = (Location(cell.quantity, i, j) for i, j in np.ndindex(n, m))
    if any(accepted(paths, one, tolerance).takes(number) for one in others if one != cell):
        yield _NEIGHBOUR


def _transposed(number: Decimal) -> Iterator[Decimal]:
    """The numbers with two digits next to each other exchanged."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    padded = (0,) * max(0, 1 - exponent - len(digits)) + digits
    for k in range(len(padded) - 1):
        if padded[k] != padded[k + 1]:
            swapped = (*padded[:k], padded[k + 1], padded[k], *padded[k + 2 :])
            yield Decimal((sign, swapped, exponent))
