"""The cost of working numbers out by hand: products, their digits and signs.

Each multiplication that an equation has of two numbers other than 0 is a product; one of three
numbers is two, and a square one. It costs the digits of the one times those of the other, as it is
done on paper; nothing where one of them is 1 or −1. Negative operands are those of the products.

How hard numbers are is all the arithmetic there is, weighted by its digits:

* The product of a sum of products costs its digits, as above.
* Adding up costs the digits of the result for each term after the first; terms that are 0 are
  left out.
* Whatever else makes a number of others (a division, e^x, a root) costs the digits of the
  result.
* Copying costs nothing, and neither do given numbers.

The digits of a number are those from its first one that isn't 0 to its last decimal: 0.25 has
two, 12.5 three, 1.0 two.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.classroom.forms.candidate_quantity import (
    CandidateQuantity,
    made_of,
    shown_rows,
    units,
)
from attncli.maths.equations.arrays import IndexedArray, contracted, laid, summed, together
from attncli.maths.equations.tree import TWO, E, Expression, Number, Operand, Power, Product, each
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array, Flags
from attncli.maths.operations.attention import ProductOfMatrices
from attncli.maths.operations.equation import Indexed, is_a
from attncli.maths.operations.norms import ColumnMean, MeanOfSquares, RowMean
from attncli.maths.operations.prediction import KeptSum
from attncli.maths.operations.softmax import RowSum
from attncli.trace import Trace


class FormCost(NamedTuple):
    """The cost of a form that is worked out by hand."""

    products: float
    """How many products there are."""
    digits: float
    """The digits that are multiplied in them."""
    negative: float
    """How many of their operands are negative."""
    difficulty: float
    """How hard it is in all."""


Limits = Mapping[str, tuple[float, int]]
"""How far costs may be from what is aimed for: a share of it, or of few so many."""
LIMITS: Limits = MappingProxyType(
    {"products": (0.05, 0), "digits": (0.2, 3), "negative": (1 / 3, 2), "difficulty": (0.15, 0)}
)
"""The limits for forms that are made together."""
WITHIN = (
    "products within {} %, digits multiplied within {} %, negative operands within {} %,"
    " difficulty within {} %".format(*(round(100 * share) for share, _ in LIMITS.values()))
)
"""The same limits in words."""
ALONE: Limits = MappingProxyType({"difficulty": LIMITS["difficulty"]})


def near(costs: Array, wanted: FormCost, limits: Limits) -> Flags:
    """Tells whether forms cost as much as is wanted, within limits. [4] or [4, b] -> [] or [b]"""
    good = np.ones(costs.shape[1:], dtype=np.bool_)
    for name, (share, few) in limits.items():
        aim = getattr(wanted, name)
        good &= abs(costs[FormCost._fields.index(name)] - aim) <= max(share * aim, few)
    return good


def middle(costs: Sequence[FormCost]) -> FormCost:
    """Returns the median of each of the four costs."""
    return FormCost(*map(median, zip(*costs, strict=True)))


Cells = Mapping[str, Flags]
"""The cells [n, m] that are asked for, by quantities; of others those that a page shows."""


def cost_of(
    trace: Trace, names: Collection[str] = (), cells: Cells = MappingProxyType({})
) -> FormCost:
    """Returns what the quantities of these full names cost, or all without any names."""
    rows = shown_rows(trace)
    made = (q for q in trace.quantities.values() if not q.given and (not names or q.name in names))
    each_ = (cost(made_of(trace, quantity, rows), cells.get(quantity.name)) for quantity in made)
    return FormCost(*map(int, sum(each_, start=np.zeros(4))))


def difficulty(trace: Trace, names: Collection[str] = ()) -> int:
    """Returns how hard the quantities of these full names are to work out, or all without any
    names; of the rows that the scenario shows."""
    return int(cost_of(trace, names).difficulty)


def cost(made: CandidateQuantity, cells: Flags | None = None) -> Array:
    """Computes the four costs of a quantity's numbers, in one scenario or in each of many. -> [4]
    or [4, b]

    The products are those of the `cells` that are asked for, or else of all rows shown.
    """
    if made.operation is None or made.operation.copies:
        return np.zeros((4, *made.values.shape[2:]))
    products = _products(made)
    is_sum = isinstance(made.operation, ProductOfMatrices)
    hard = _of_products(made, products) if is_sum else _of_others(made)
    shown = slice(None) if made.rows is None else list(made.rows)
    asked = products[:, shown] if cells is None else products[:, cells]
    total = asked.reshape(3, -1, *made.values.shape[2:]).sum(axis=1)
    return np.concatenate([total, hard[shown].sum(axis=(0, 1))[np.newaxis]])


def _products(made: CandidateQuantity) -> Array:
    """Counts for each cell how many products it takes, their digits, and how many of their factors
    are negative. -> [3, n, m] or [3, n, m, b]"""
    shape, operation = made.values.shape, made.operation
    if not isinstance(operation, Indexed) or not _pairs(operation.tree):
        return np.zeros((3, *shape))
    total = np.zeros((*shape[:2], 4, shape[2] if shape[2:] else 1))
    for a, b in _pairs(operation.tree):
        found = _added_up(_measured(made, a), _measured(made, b, _OF_OTHER), operation)
        total += found.reshape(*found.shape[:2], *total.shape[2:])
    count, digits, left, right = np.moveaxis(total, 2, 0)
    return np.stack([count, digits, left + right]).reshape(3, *shape)


@lru_cache(maxsize=256)
def _pairs(tree: Expression) -> tuple[tuple[Expression, Expression], ...]:
    """Returns what is multiplied with what in an equation."""
    products = [pair for node in each(tree, Product) for pair in pairwise(node.factors)]
    squares = [node.base for node in each(tree, Power) if node.exponent == TWO and node.base != E]
    return (*products, *((base, base) for base in squares))


_OF_ONE, _OF_OTHER = (0, 1, 2, 0), (0, 1, 0, 2)
"""Which measures of two factors are multiplied: whether they aren't 0, their digits, whether one is
below 0 and the other isn't 0."""


def _measured(
    made: CandidateQuantity, factor: Expression, order: Sequence[int] = _OF_ONE
) -> IndexedArray:
    """Returns a factor's measures, beside each other as if they were of so many more candidates."""
    assert isinstance(made.operation, Indexed)
    match factor:
        case Operand(place):
            places = made.operands.digits[place]
        case Number(full):
            places = decimals.places(full)
        case _:
            places = made.own
    known = laid(factor, made.operation.sides)
    values = known.work([x if x.ndim > 2 else x[:, :, np.newaxis] for x in made.operands.values])  # noqa: PLR2004
    if values.ndim == len(known.indices):  # what is the same for all
        values = values[..., np.newaxis]
    count = made.values.shape[2] if made.values.ndim > 2 else 1  # noqa: PLR2004
    values = np.broadcast_to(values, (*values.shape[:-1], count))
    measures = _there(values), _hard(values, places), np.asarray(values < 0)
    array = np.concatenate([measures[k] for k in order], axis=-1)
    return IndexedArray(known.indices, lambda _: array, is_new=False)


def _added_up(a: IndexedArray, b: IndexedArray, operation: Indexed) -> Array:
    """Adds up the products of the measures of two factors, as an equation does. -> [n, m, 4 b]"""
    over = "".join(sorted({*a.indices, *b.indices} - {*operation.sides.indices}))
    if over and {*over} <= {*a.indices} & {*b.indices}:
        return contracted(a, b, over).along("ij")(())
    return summed(together(np.multiply, a, b), over).along("ij")(())


_REDUCTIONS = (ColumnMean, KeptSum, MeanOfSquares, RowMean, RowSum)
"""Operations that make one number of a whole row, or of a column."""


def _of_products(made: CandidateQuantity, products: Array) -> Array:
    terms, digits, _ = products
    if len(made.operands.values) > 2:  # noqa: PLR2004  (a bias)
        terms = terms + _there(made.operands.values[2])
    return np.asarray(digits + np.maximum(terms - 1, 0) * _digits_of(made))


def _of_others(made: CandidateQuantity) -> Array:
    if not is_a(made.operation, *_REDUCTIONS):
        return _digits_of(made)
    side = 0 if is_a(made.operation, ColumnMean) else 1
    terms = _there(made.operands.values[0]).sum(axis=side, keepdims=True)
    return np.asarray(np.maximum(terms, 1) * _digits_of(made))


def _digits_of(made: CandidateQuantity) -> Array:
    return _digits(units(made.values, made.own))


def _digits(whole: Array) -> Array:
    """Counts the digits of whole numbers; 0 has none, and neither has −∞."""
    size = np.array(np.abs(whole))
    size[~np.isfinite(size)] = 0.0
    return np.asarray(np.floor(np.log10(np.maximum(size, 0.1))) + 1)


def _hard(numbers: Array, places: int) -> Array:
    """Counts the digits of factors; those that are 0, 1 or −1 have none."""
    return np.where(np.abs(numbers) == 1, 0.0, _digits(units(numbers, places)))


def _there(numbers: Array) -> Array:
    return np.asarray((numbers != 0).astype(np.float64))
