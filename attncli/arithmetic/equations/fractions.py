"""What the values of an equation round to, where they are fractions of whole numbers: exact.

A value is N / D, and floats tell it up to a few units of the last place. So the whole number of
units near it is known but for a few, and N less so many D is small: it is right when it is worked
modulo 2^64, however long N is. Where D itself is too long for that, all is worked in full.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from attncli.arithmetic import evaluation
from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.at_cells import Portion
from attncli.arithmetic.equations.axes import turning
from attncli.arithmetic.expression import Expression, each
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array, Cells, Doubtful
from attncli.arithmetic.signature import Signature
from attncli.arithmetic.whole import Whole, whole, whole_product
from attncli.records import NamedTuple, dataclass

_MACHINE = 2.0**61
"""Whole numbers up to this can be doubled and added in the machine's 64 bits."""
_LARGE = 10**300
"""Whole numbers below this are in the range of floats."""
_DENSE, _DENSE_SUMS = 16, 128
"""One cell in so many, or more, are quicker worked with all the others in their rows; of sums of
products many more are, which are products of matrices then."""


class _Unknown(ArithmeticError):  # noqa: N818  (a property of the numbers, not a fault)
    """What no fractions are known for."""


class _TooLong(ArithmeticError):  # noqa: N818  (a property of the numbers, not a fault)
    """Numbers that are too long for the machine's."""


class _Wholes(NamedTuple):
    """Whole numbers with an axis for each of some indices, none larger than `size`; where that is
    too large for the machine, they may be modulo 2^64."""

    indices: str
    array: Whole
    size: float

    def along(self, wanted: str) -> Whole:
        """The array with its axes in this order, those that it hasn't as axes of one."""
        return turning(self.indices, wanted)(self.array)


class _Ratio(NamedTuple):
    """Whole numbers over others, above 0, in units of the last of some decimals."""

    over: _Wholes
    under: _Wholes
    places: int = 0


def units(
    tree: Expression, shapes: Signature, operands: Sequence[Matrix], doubtful: Doubtful
) -> Array | None:
    """The values of some cells of an equation's result in whole units, half away from zero; None
    where no fractions are known."""
    dense = _DENSE_SUMS if any(True for _ in each(tree, ex.Total)) else _DENSE
    part = _part(shapes, doubtful.cells, operands, dense)
    for kind in (np.int64, object):
        try:
            ratio = _Ratios(part, operands, kind).of(tree)
            return _rounded(ratio, part, doubtful)
        except _TooLong:
            continue
        except _Unknown:
            break
    return None


def _part(shapes: Signature, cells: Cells, operands: Sequence[Matrix], dense: int) -> Portion:
    """The cells, or all rows that they are in where they are many: one in `dense` or more."""
    first, last = int(cells.rows.min()), int(cells.rows.max())
    extents = shapes.extents([operand.shape for operand in operands])
    width = extents[shapes.result[1]]
    if cells.size * dense < (last + 1 - first) * width:
        return Portion(shapes, cells)
    return Portion(shapes, slice(first, last + 1))


def _rounded(ratio: _Ratio, part: Portion, doubtful: Doubtful) -> Array:
    """N / D in whole units: N / D = c + (N − c D) / D for the units c that are near it."""
    cells, near, off, decimals = doubtful
    more = decimals - ratio.places
    over, under = _times_ten(ratio.over, more), _times_ten(ratio.under, -more)
    N, D = (_at(one, part, cells) for one in (over, under))
    if N.dtype != object and not under.size * (off + 2) < _MACHINE:
        raise _TooLong
    c = near.astype(np.int64).astype(N.dtype)
    beside = N - c * D
    down = beside // D
    c, rest = c + down, beside - down * D  # 0 ≤ rest < D
    up = (2 * rest > D) | ((2 * rest == D) & (c >= 0))
    return np.asarray((c + up).astype(np.float64))


def _at(one: _Wholes, part: Portion, cells: Cells) -> Whole:
    """The numbers of the cells that were asked for."""
    indices = part.indices
    array = one.along(indices)
    if isinstance(part.chosen, Cells):
        return array
    places = {"i": cells.rows - part.chosen.start, "j": cells.columns}
    at = (places[x] if n > 1 else 0 for x, n in zip(indices, array.shape, strict=True))
    return np.asarray(array[tuple(at)])


@dataclass(frozen=True)
class _Ratios:
    """The parts of an equation as fractions, of Python's whole numbers or of the machine's."""

    part: Portion
    operands: Sequence[Matrix]
    kind: type

    def of(self, node: Expression) -> _Ratio:
        return _RATIOS.get(type(node), _refuse)(self, node)

    def whole(self, number: int) -> _Wholes:
        return _Wholes("", whole(number, self.kind), _size(number))

    def operand(self, node: ex.Operand) -> _Ratio:
        operand, indices = self.operands[node.place], self.part.along(node)
        counts, places = operand.counts, operand.places
        if counts is None or places is None or len({*indices}) < len(indices):
            raise _Unknown
        size = operand.range.size * 10.0**places + 1
        array: Whole = self.part.of(counts, node).astype(self.kind, copy=False)
        return _Ratio(_Wholes(indices, array, size), self.whole(1), places)

    def extent(self, node: ex.Length) -> _Ratio:
        return _Ratio(self.whole(self.operands[node.place].shape[node.axis]), self.whole(1))

    def constant(self, node: Expression) -> _Ratio:
        known = evaluation.fraction(node)
        if known is None:
            raise _Unknown
        places = _places(known)
        known *= 10**places
        return _Ratio(self.whole(known.numerator), self.whole(known.denominator), places)

    def added(self, node: ex.Sum) -> _Ratio:
        total = self.of(node.terms[0])
        for term in node.terms[1:]:
            total = _plus(total, self.of(term))
        return total

    def negative(self, node: ex.Negative) -> _Ratio:
        over, under, places = self.of(node.operand)
        return _Ratio(_times(over, self.whole(-1)), under, places)

    def product(self, node: ex.Product) -> _Ratio:
        made = self.of(node.factors[0])
        for factor in node.factors[1:]:
            made = _multiplied(made, self.of(factor))
        return made

    def power(self, node: ex.Power) -> _Ratio:
        if node.base == ex.E or node.exponent != ex.TWO:
            raise _Unknown
        base = self.of(node.base)
        return _multiplied(base, base)

    def quotient(self, node: ex.Quotient) -> _Ratio:
        above, below = self.of(node.dividend), self.of(node.divisor)
        self._check_held(below.over)
        if not (below.over.array > 0).all():
            raise _Unknown
        over, under = _times(above.over, below.under), _times(above.under, below.over)
        return _Ratio(over, under, above.places - below.places)

    def _check_held(self, wholes: _Wholes) -> None:
        """Raises _TooLong for numbers that may be there modulo 2^64 only."""
        if self.kind is not object and not wholes.size < _MACHINE:
            raise _TooLong

    def total(self, node: ex.Total) -> _Ratio:
        match node.operand:
            case ex.Product((ex.Operand() as x, ex.Operand() as w)) if len(node.over) == 1:
                x_ratio, w_ratio = self.of(x), self.of(w)
                if _are_matrices(x_ratio.over, w_ratio.over, node.over):
                    product = self._matrix_product(x_ratio.over, w_ratio.over, node.over)
                    return _Ratio(product, self.whole(1), x_ratio.places + w_ratio.places)
        over, under, places = self.of(node.operand)
        if under.indices or not {*node.over} <= {*over.indices}:
            raise _Unknown
        axes = tuple(map(over.indices.index, node.over))
        left = "".join(index for index in over.indices if index not in node.over)
        size = over.size * math.prod(over.array.shape[axis] for axis in axes)
        return _Ratio(_Wholes(left, np.asarray(over.array.sum(axis=axes)), size), under, places)

    def _matrix_product(self, x: _Wholes, w: _Wholes, over: str) -> _Wholes:
        rows, columns = x.indices.replace(over, ""), w.indices.replace(over, "")
        product = whole_product(x.along(rows + over), w.along(over + columns), self.kind)
        size = x.size * w.size * x.array.shape[x.indices.index(over)]
        return _Wholes(rows + columns, product, size)


def _are_matrices(x: _Wholes, w: _Wholes, over: str) -> bool:
    """Whether two arrays are multiplied as matrices are."""
    return len(x.indices) == len(w.indices) == 2 and {*x.indices} & {*w.indices} == {over}  # noqa: PLR2004


def _size(number: int) -> float:
    """The size of a number, as far as floats go."""
    return float(abs(number)) if abs(number) < _LARGE else math.inf


def _places(number: Fraction) -> int:
    """The decimals that take the twos and fives out of its denominator."""
    places, rest = 0, number.denominator
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    return places


def _refuse(_: _Ratios, __: Expression) -> _Ratio:
    raise _Unknown


def _times_ten(x: _Wholes, power: int) -> _Wholes:
    """Numbers times a power of ten; the numbers, where that isn't whole."""
    if power <= 0:
        return x
    factor = 10**power
    return _times(x, _Wholes("", whole(factor, _kind(x)), _size(factor)))


def _kind(x: _Wholes) -> type:
    return object if x.array.dtype == object else np.int64


def _multiplied(x: _Ratio, y: _Ratio) -> _Ratio:
    return _Ratio(_times(x.over, y.over), _times(x.under, y.under), x.places + y.places)


def _plus(x: _Ratio, y: _Ratio) -> _Ratio:
    over, other = _times(x.over, y.under), _times(y.over, x.under)
    over, other = _times_ten(over, y.places - x.places), _times_ten(other, x.places - y.places)
    total = _combined(np.add, over, other, over.size + other.size)
    return _Ratio(total, _times(x.under, y.under), max(x.places, y.places))


def _times(x: _Wholes, y: _Wholes) -> _Wholes:
    return _combined(np.multiply, x, y, x.size * y.size)


def _combined(function: Callable[..., Whole], x: _Wholes, y: _Wholes, size: float) -> _Wholes:
    indices = "".join(sorted({*x.indices, *y.indices}))
    return _Wholes(indices, np.asarray(function(x.along(indices), y.along(indices))), size)


_RATIOS: Mapping[type, Callable[[_Ratios, Any], _Ratio]] = MappingProxyType(
    {
        ex.Operand: _Ratios.operand,
        ex.Length: _Ratios.extent,
        ex.Number: _Ratios.constant,
        ex.Symbol: _Ratios.constant,
        ex.Root: _Ratios.constant,
        ex.Sum: _Ratios.added,
        ex.Negative: _Ratios.negative,
        ex.Product: _Ratios.product,
        ex.Power: _Ratios.power,
        ex.Quotient: _Ratios.quotient,
        ex.Total: _Ratios.total,
    }
)
