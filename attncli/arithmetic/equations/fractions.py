"""The values of an equation as fractions of whole numbers, however long, many at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from attncli.arithmetic import evaluation
from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.axes import turning
from attncli.arithmetic.expression import Expression
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.signature import Signature
from attncli.arithmetic.whole import Fractions, Whole, largest_size, whole_product
from attncli.records import NamedTuple, dataclass

_MACHINE = 2**61
"""Whole numbers below this can be added in the machine's 64 bits."""


class _Unknown(ArithmeticError):  # noqa: N818  (a property of the numbers, not a fault)
    """What no fractions are known for."""


class _Wholes(NamedTuple):
    """Whole numbers with an axis for each of some indices."""

    indices: str
    array: Whole

    def along(self, wanted: str) -> Whole:
        """The array with its axes in this order, those that it hasn't as axes of one."""
        return turning(self.indices, wanted)(self.array)


class _Ratio(NamedTuple):
    """Whole numbers over others, above 0."""

    over: _Wholes
    under: _Wholes


def fractions(
    tree: Expression, shapes: Signature, operands: Sequence[Matrix], rows: slice
) -> Fractions | None:
    """Some rows of an equation's result, exact; None where no fractions are known."""
    try:
        made = _Ratios(shapes, operands, rows).of(tree)
    except _Unknown:
        return None
    sides = tuple(slice(None) if side != "1" else np.newaxis for side in shapes.result)
    over, under = (part.along(shapes.indices)[sides] for part in made)
    return Fractions(over, under)


@dataclass(frozen=True)
class _Ratios:
    """The parts of an equation as fractions."""

    shapes: Signature
    operands: Sequence[Matrix]
    rows: slice

    def of(self, node: Expression) -> _Ratio:
        return _RATIOS.get(type(node), _refuse)(self, node)

    def operand(self, node: ex.Operand) -> _Ratio:
        operand = self.operands[node.place]
        counts, places = operand.counts, operand.places
        if counts is None or places is None:
            raise _Unknown
        kept = iter(node.indices)
        sides = self.shapes.operands[node.place]
        cut = tuple(0 if side == "1" else self._places(next(kept)) for side in sides)
        return _Ratio(_Wholes("".join(node.indices), counts[cut]), _whole(10**places))

    def _places(self, index: str) -> slice:
        return self.rows if index == self.shapes.indices[:1] == "i" else slice(None)

    def constant(self, node: Expression) -> _Ratio:
        known = evaluation.fraction(node)
        if known is None:
            raise _Unknown
        return _Ratio(_whole(known.numerator), _whole(known.denominator))

    def added(self, node: ex.Sum) -> _Ratio:
        total = self.of(node.terms[0])
        for term in node.terms[1:]:
            other = self.of(term)
            over = _plus(_times(total.over, other.under), _times(other.over, total.under))
            total = _Ratio(over, _times(total.under, other.under))
        return total

    def negative(self, node: ex.Negative) -> _Ratio:
        over, under = self.of(node.operand)
        return _Ratio(_times(over, _whole(-1)), under)

    def product(self, node: ex.Product) -> _Ratio:
        made = self.of(node.factors[0])
        for factor in node.factors[1:]:
            made = _Ratio(*map(_times, made, self.of(factor)))
        return made

    def quotient(self, node: ex.Quotient) -> _Ratio:
        above, below = self.of(node.dividend), self.of(node.divisor)
        if not (below.over.array > 0).all():
            raise _Unknown
        return _Ratio(_times(above.over, below.under), _times(above.under, below.over))

    def total(self, node: ex.Total) -> _Ratio:
        match node.operand:
            case ex.Product((ex.Operand() as x, ex.Operand() as w)) if _fit(x, w, node.over):
                (x_over, x_under), (w_over, w_under) = self.of(x), self.of(w)
                product = _matrix_product(x_over, w_over, node.over)
                return _Ratio(product, _times(x_under, w_under))
        over, under = self.of(node.operand)
        if under.indices:
            raise _Unknown
        axes = tuple(over.indices.index(index) for index in node.over)
        left = "".join(index for index in over.indices if index not in node.over)
        added = _fitting(over, over.array.size).array.sum(axis=axes)
        return _Ratio(_Wholes(left, np.asarray(added)), under)


def _fit(x: ex.Operand, w: ex.Operand, over: str) -> bool:
    """Whether two operands are multiplied as matrices are."""
    return len(x.indices) == len(w.indices) == 2 and {*x.indices} & {*w.indices} == {over}  # noqa: PLR2004


def _matrix_product(x: _Wholes, w: _Wholes, over: str) -> _Wholes:
    rows, columns = x.indices.replace(over, ""), w.indices.replace(over, "")
    return _Wholes(rows + columns, whole_product(x.along(rows + over), w.along(over + columns)))


def _refuse(_: _Ratios, __: Expression) -> _Ratio:
    raise _Unknown


def _whole(number: int) -> _Wholes:
    return _Wholes("", np.array(number, dtype=object))


def _fitting(x: _Wholes, factor: int) -> _Wholes:
    """Whole numbers that can be multiplied by a factor: the machine's where these hold the results,
    else Python's."""
    fits = largest_size(x.array) * factor < _MACHINE
    return _Wholes(x.indices, np.asarray(x.array).astype(np.int64 if fits else object))


def _times(x: _Wholes, y: _Wholes) -> _Wholes:
    return _combined(
        np.multiply, _fitting(x, largest_size(y.array)), _fitting(y, largest_size(x.array))
    )


def _plus(x: _Wholes, y: _Wholes) -> _Wholes:
    return _combined(np.add, _fitting(x, 1), _fitting(y, 1))


def _combined(function: Callable[..., Whole], x: _Wholes, y: _Wholes) -> _Wholes:
    indices = "".join(sorted({*x.indices, *y.indices}))
    return _Wholes(indices, np.asarray(function(x.along(indices), y.along(indices))))


_RATIOS: Mapping[type, Callable[[_Ratios, Any], _Ratio]] = MappingProxyType(
    {
        ex.Operand: _Ratios.operand,
        ex.Number: _Ratios.constant,
        ex.Symbol: _Ratios.constant,
        ex.Root: _Ratios.constant,
        ex.Sum: _Ratios.added,
        ex.Negative: _Ratios.negative,
        ex.Product: _Ratios.product,
        ex.Quotient: _Ratios.quotient,
        ex.Total: _Ratios.total,
    }
)
