"""How hard numbers are to work out by hand: the arithmetic there is, weighted by its digits.

* A product of two numbers costs the digits of the one times those of the other; nothing where
  one of them is 0, 1 or −1.
* Adding up costs the digits of the result for each term after the first; terms that are 0 are
  left out.
* Whatever else makes a number of others (a division, e^x, a root) costs the digits of the
  result.
* Copying costs nothing, and neither do given numbers.

The digits of a number are those from its first one that isn't 0 to its last decimal: 0.25 has
two, 12.5 three, 1.0 two.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from attncli.arithmetic.operations.norms import ColumnMean, MeanOfSquares, RowMean
from attncli.arithmetic.operations.sampling import KeptSum
from attncli.arithmetic.operations.softmax import RowSum
from attncli.arithmetic.operations.texts import is_a
from attncli.arithmetic.rounding import Array
from attncli.design.quantity import CandidateQuantity, made_of, shown_rows, units
from attncli.design.rules import factors_of, product
from attncli.trace import Trace

_REDUCTIONS = (ColumnMean, KeptSum, MeanOfSquares, RowMean, RowSum)
"""What makes one number of a whole row, or of a column."""


def difficulty(trace: Trace, names: Collection[str] = ()) -> int:
    """How hard the quantities of these full names are to work out, all of them without any
    names; of the rows that the scenario shows."""
    rows = shown_rows(trace)
    made = (q for q in trace.quantities.values() if not q.given and (not names or q.name in names))
    return sum(int(cost(made_of(trace, quantity, rows))) for quantity in made)


def cost(made: CandidateQuantity) -> Array:
    """The cost of a quantity's numbers, in one scenario or in each of many. -> [] or [b]"""
    if made.operation is None or made.operation.copies:
        return np.zeros(made.values.shape[2:])
    cells = _of_products(made) if factors_of(made) else _of_others(made)
    if made.rows is not None:
        cells = cells[list(made.rows)]
    return np.asarray(cells.sum(axis=(0, 1)))


def _of_products(made: CandidateQuantity) -> Array:
    factors = factors_of(made)
    assert factors is not None
    x, W = factors
    products = product(_hard(x, made.digits[0]), _hard(W, made.digits[1]))
    terms = product(_there(x), _there(W))
    if len(made.operands) > 2:  # noqa: PLR2004  (a bias)
        terms = terms + _there(made.operands[2])
    return np.asarray(products + np.maximum(terms - 1, 0) * _digits_of(made))


def _of_others(made: CandidateQuantity) -> Array:
    if not is_a(made.operation, *_REDUCTIONS):
        return _digits_of(made)
    side = 0 if is_a(made.operation, ColumnMean) else 1
    terms = _there(made.operands[0]).sum(axis=side, keepdims=True)
    return np.asarray(np.maximum(terms, 1) * _digits_of(made))


def _digits_of(made: CandidateQuantity) -> Array:
    return _digits(units(made.values, made.own))


def _digits(whole: Array) -> Array:
    """The digits of whole numbers; 0 has none, and neither has −∞."""
    size = np.abs(whole)
    size[~np.isfinite(size)] = 0.0
    return np.asarray(np.floor(np.log10(np.maximum(size, 0.1))) + 1)


def _hard(numbers: Array, places: int) -> Array:
    """The digits of factors; those that are 0, 1 or −1 have none."""
    return np.where(np.abs(numbers) == 1, 0.0, _digits(units(numbers, places)))


def _there(numbers: Array) -> Array:
    return np.asarray((numbers != 0).astype(np.float64))
