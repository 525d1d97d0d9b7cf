"""Which answers are right for a cell, whichever way its quantities were rounded.

The scenario is worked twice, once carrying rounded figures on and once in full, both in decimals:
halves are then halves, and none is decided by the noise of floats.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal
from pathlib import Path
from typing import NamedTuple

from attncli.oracle.book import Book, Record
from attncli.oracle.figures import LONGEST, places_written, round_half_away, settled
from attncli.oracle.stack import worked

Cell = tuple[str, int, int]
"""The full name of a quantity, a row and a column, both from 0."""

_POLICIES = ("carry", "exact")
_WIDE = Context(prec=LONGEST)


class Interval(NamedTuple):
    """Every figure from `low` to `high`, both included, is right.

    `carry` and `exact` are what the two policies give, `exact` rounded half away from zero to as
    many decimals as `carry` has, and at least to `decimals`: those of the quantity's rounding.
    """

    low: Decimal
    high: Decimal
    carry: Decimal
    exact: Decimal
    decimals: int


def intervals(
    data: Record, cells: Iterable[Cell], folder: Path | None = None, start: Record | None = None
) -> dict[Cell, Interval]:
    """The accepted interval of each cell: half a unit of the last of the quantity's decimals
    around what either policy gives. A cell that holds −∞ accepts just that.

    `folder` is where the scenario's files are; `start` has rows that both policies start from in
    the place of what they would work, by full names. Raises KeyError for a quantity that the
    scenario doesn't get to, IndexError for a cell outside it, ArithmeticError for figures that
    can't be worked.
    """
    carry, exact = (_worked(data, folder or Path(), start, policy) for policy in _POLICIES)
    return {cell: _interval(carry, exact, cell) for cell in cells}


def _worked(data: Record, folder: Path, start: Record | None, policy: str) -> Book:
    rounding = {**(data.get("rounding") or {}), "policy": policy}
    return worked({**data, "rounding": rounding}, folder, start, decimal=True)


def _interval(carry: Book, exact: Book, cell: Cell) -> Interval:
    name, i, j = cell
    carried, full = carry.pages[name][i, j], exact.pages[name][i, j]
    # figures that are taken over as they were written may have more decimals than the rounding
    decimals = max(carry.places[name], places_written(carried))
    rounded = round_half_away(settled(full), decimals)
    half = Decimal((0, (5,), -decimals - 1))
    low = _WIDE.subtract(min(carried, rounded), half)
    high = _WIDE.add(max(carried, rounded), half)
    return Interval(low, high, carried, rounded, decimals)
