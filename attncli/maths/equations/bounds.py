"""Bounds on how far the floats of each cell of an equation are from its true value.

A bound is absolute + relative · |v|: what is relatively off is one number for all cells, what is
absolutely off an array. The rules are those of Higham, Accuracy and Stability of Numerical
Algorithms (2nd ed.), 2-4: one operation of floats is off by u |v|, u = 2^-53 = ε/2, and so is a
written number that is read. Each rule allows ε where u would do: the half that is left over is more
than the products of errors, which the rules leave out, ever come to. What NumPy's functions of one
number are off by is assumed to be no more than 8 ε, as a test holds against mpmath at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.arrays import laid
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.signatures import Signature, axes_of
from attncli.maths.equations.tree import Expression, operands_in
from attncli.maths.numbers.rounding import Array, Error

EPSILON = float(np.finfo(np.float64).eps)

_FUNCTION = 8 * EPSILON
_EXACT = Error(0.0)
_WHOLE = 2**53


@np.errstate(all="ignore")
def bound(
    tree: Expression, shapes: Signature, operands: Sequence[Matrix], *, rough: bool = False
) -> Error:
    """Bounds the error of an equation's floats, for each cell of the result [n, m] or for all
    alike.

    A `rough` bound takes the largest size for every cell, so that no large array is made.
    """
    bounds = _Bounds(tree, shapes, operands, rough)
    error = bounds.of(tree)
    if not isinstance(error.absolute, np.ndarray):
        return error
    rows_and_columns = tuple(slice(None) if x in "ij" else 0 for x in bounds.letters)
    return Error(error.absolute[rows_and_columns], error.relative)


class _Bounds(ex.Fold[Error]):
    """The bounds of the parts of an equation; arrays have an axis for each letter."""

    def __init__(
        self, tree: Expression, shapes: Signature, operands: Sequence[Matrix], rough: bool
    ) -> None:
        self.shapes, self.operands, self.rough = shapes, operands, rough
        self.axes = axes_of(tree, shapes)
        self.letters = "".join(sorted({*self.axes, "i", "j"}))

    def values(self, node: Expression) -> Array:
        used = {operand.place for operand in operands_in(node)}  # others may be in their file still
        arrays = [
            operand.values if place in used else np.broadcast_to(0.0, operand.shape)
            for place, operand in enumerate(self.operands)
        ]
        return laid(node, self.shapes).along(self.letters)(arrays)

    def size(self, node: Expression) -> Array:
        """Bounds the absolute value of each number of a part from above; what is masked counts as
        0."""
        match node:
            case ex.Total(over, ex.Product((ex.Operand() as x, ex.Operand() as w))):
                return self._norm(x, over) * self._norm(w, over)  # Cauchy and Schwarz
        if self.rough:
            return np.full((1,) * len(self.letters), self._largest(node))
        return self._sizes(node)

    def _sizes(self, node: Expression) -> Array:
        sizes = np.abs(self.values(node))
        sizes[~np.isfinite(sizes)] = 0.0
        return sizes

    def _largest(self, node: Expression) -> float:
        """Bounds the largest absolute value of a part from above, by those of its own parts."""
        match node:
            case ex.Operand(place):
                largest = self.operands[place].range.size
            case ex.Number() | ex.Symbol():
                largest = abs(float(deciding.full(node)))
            case ex.Negative(operand):
                largest = self._largest(operand)
            case ex.Sum(terms):
                largest = sum(map(self._largest, terms))
            case ex.Product(factors):
                largest = math.prod(map(self._largest, factors))
            case ex.Power(base, ex.Number(full)) if base != ex.E and full >= 0:
                largest = float(np.power(self._largest(base), float(full)))
            case _:
                largest = float(self._sizes(node).max())
        return largest

    def _norm(self, x: ex.Operand, over: str) -> Array:
        """Computes the Euclidean norms of an operand along some indices; an index that it doesn't
        have repeats each number."""
        operand, sides = self.operands[x.place], self.shapes.along(x)
        summed = [axis for axis, side in enumerate(sides) if side and side in over]
        if len(summed) == 1:
            squares = operand.squares(summed[0])
        else:
            squares = np.square(operand.values).sum(axis=tuple(summed), keepdims=True)
        if self.rough:
            most = squares.max() * self._count("".join(x for x in over if x not in sides))
            return np.full((1,) * len(self.letters), math.sqrt(most))
        if sides[0] > sides[1]:
            squares = squares.T
        left = {side for axis, side in enumerate(sides) if side and axis not in summed}
        shape = [self._count(letter) if letter in left else 1 for letter in self.letters]
        repeated = self._count("".join(index for index in over if index not in x.indices))
        return np.sqrt(squares.reshape(shape) * repeated)

    def _count(self, over: str) -> int:
        """Counts the terms of a sum over some indices."""
        axes = (self.axes[index] for index in over)
        return math.prod(self.operands[place].shape[axis] for place, axis in axes)

    def absolute(self, node: Expression) -> Array | float:
        """Turns the bound of a part into a purely absolute one."""
        absolute, relative = self.of(node)
        return absolute + relative * self.size(node) if relative else absolute

    def is_positive(self, node: Expression) -> bool:
        """Tells whether no number of a part can be below 0, as far as its operands show."""
        match node:
            case ex.Operand(place):
                return self.operands[place].range.low >= 0
            case ex.Number(full):
                return full >= 0
            case ex.Apply("max", arguments):
                return any(map(self.is_positive, arguments))
            case ex.Apply("where", (_, *parts)) | ex.Sum(parts) | ex.Product(parts):
                return all(map(self.is_positive, parts))
            case ex.Total(_, operand):
                return self.is_positive(operand)
            case _:
                return _is_positive_anyway(node)

    def of_operand(self, _: ex.Operand) -> Error:
        return Error(0.0, EPSILON)

    def of_length(self, _: ex.Length) -> Error:
        return _EXACT

    def of_number(self, node: Expression) -> Error:
        value = deciding.full(node)
        is_held = value == int(value) and abs(value) < _WHOLE if value.is_finite() else True
        return _EXACT if is_held else Error(0.0, EPSILON)

    of_symbol = of_number

    def of_sum(self, node: ex.Sum) -> Error:
        """Bounds the error of a sum (Higham, 4.2).

        Terms of one sign lose no more than the largest relative error. Where they may cancel, the
        first term is at most |v| plus the sizes of the others, so that only the sizes of these are
        needed.
        """
        errors = [self.of(term) for term in node.terms]
        rounded = (len(errors) - 1) * EPSILON
        if all(map(self.is_positive, node.terms)):
            relative = max(error.relative for error in errors)
            return Error(sum(error.absolute for error in errors), relative + rounded)
        first, others = errors[0], node.terms[1:]
        absolute = first.absolute + sum(map(self.absolute, others))
        rest = (first.relative + 2 * rounded) * sum(map(self.size, others))
        return Error(absolute + rest, first.relative + rounded)

    def of_total(self, node: ex.Total) -> Error:
        """Bounds the error of a sum over indices, in any order of adding: |fl(x·w) − x·w| ≤ n u
        Σ|x||w| / (1 − n u) (Higham, 3.5)."""
        count, operand = self._count(node.over), node.operand
        error, relative = self.of(operand), count * EPSILON
        if self.is_positive(operand):
            return Error(self._summed(error.absolute, node.over), error.relative + relative)
        match operand:
            case ex.Product((ex.Operand() as x, ex.Operand() as w)):
                # Σ|x||w| ≤ ‖x‖‖w‖ (Cauchy and Schwarz); two ε more for what x and w are off by
                share = (count + 2) * EPSILON
                return Error(share * self._norm(x, node.over) * self._norm(w, node.over))
        sizes = self._summed(self.size(operand), node.over)
        return Error(self._summed(self.absolute(operand), node.over) + relative * sizes)

    def of_reduced(self, node: ex.Reduced) -> Error:
        """Bounds the error of the largest or smallest number, which is off by no more than the one
        that is off most; or of a product, by how far all sizes together may be off."""
        error, count = self.of(node.operand), self._count(node.over)
        axes = tuple(map(self.letters.index, node.over))
        if node.function != "prod":
            absolute = error.absolute
            if isinstance(absolute, np.ndarray):
                absolute = np.asarray(absolute.max(axis=axes, keepdims=True))
            return Error(absolute, error.relative)
        relative = count * (error.relative + EPSILON)
        if not _is_off(error):
            return Error(0.0, relative)
        sizes = self.size(node.operand)
        near, far = (np.prod(x, axis=axes, keepdims=True) for x in (sizes, sizes + error.absolute))
        return Error(np.asarray(far - near + relative * far), relative)

    def _summed(self, array: Array | float, over: str) -> Array | float:
        """Sums a bound over some indices, along which it may be constant."""
        if not isinstance(array, np.ndarray):
            return self._count(over) * array
        axes = tuple(map(self.letters.index, over))
        repeated = self._count(over) / math.prod(array.shape[axis] for axis in axes)
        return np.asarray(array.sum(axis=axes, keepdims=True) * repeated)

    def of_product(self, node: ex.Product) -> Error:
        """Bounds the error of a product: (1 + a)(1 + b) = 1 + a + b + ab, and an absolute error
        grows with the other factors."""
        errors = [self.of(factor) for factor in node.factors]
        relative = sum(error.relative for error in errors) + (len(errors) - 1) * EPSILON
        absolute: Array | float = 0.0
        for k, error in enumerate(errors):
            if isinstance(error.absolute, np.ndarray):
                others = [
                    self.size(x) + errors[n].absolute for n, x in enumerate(node.factors) if n != k
                ]
                part = reduce(np.multiply, others, error.absolute)
                part = np.where(np.isnan(part), math.inf, part)  # 0 times what has no bound
                absolute = absolute + part
        return Error(absolute, relative)

    def of_quotient(self, node: ex.Quotient) -> Error:
        above, below = self.of(node.dividend), self.of(node.divisor)
        relative = above.relative + below.relative + EPSILON
        if not _is_off(above, below):
            return Error(0.0, relative)
        divisor = self.size(node.divisor)
        least = divisor - below.absolute
        off = above.absolute + below.absolute * self.size(node.dividend) / divisor
        return Error(np.where(least > 0, off / least, math.inf), relative)

    def of_negative(self, node: ex.Negative) -> Error:
        return self.of(node.operand)

    def of_power(self, node: ex.Power) -> Error:
        """Bounds the error of a power; for e^(x + d) = e^x e^d the relative error is e^d − 1."""
        if node.base == ex.E:
            return self.steep(node.exponent, 1.0)
        if any(operands_in(node.exponent)):
            return self._of_any_power(node)
        exponent, error = abs(float(deciding.full(node.exponent))), self.of(node.base)
        relative = (exponent + 1) * error.relative + _FUNCTION
        if not _is_off(error):
            return Error(0.0, relative)
        grown = (self.size(node.base) + error.absolute) ** max(exponent - 1, 0)
        return Error(exponent * error.absolute * grown, relative)

    def _of_any_power(self, node: ex.Power) -> Error:
        """Bounds the error of b^x: it is e^(x ln b), whose relative error is the absolute one of
        x ln b, (|x| times what b is relatively off by, and |ln b| times what x is off by)."""
        base, size = self.of(node.base), self.size(node.base)
        with np.errstate(all="ignore"):
            off = self.size(node.exponent) * (base.relative + base.absolute / size)
            off = off + np.abs(np.log(size)) * self.absolute(node.exponent)
        most = float(np.max(np.nan_to_num(off, nan=math.inf, posinf=math.inf)))
        return Error(0.0, math.expm1(2 * most) + _FUNCTION if most < 1 else math.inf)

    def of_root(self, node: ex.Root) -> Error:
        """Bounds the error of a root: √(x + d) − √x = d / (√(x + d) + √x), which is at most √d."""
        error = self.of(node.operand)
        if not _is_off(error):
            return Error(0.0, error.relative + EPSILON)
        near = np.sqrt(error.absolute)
        return Error(
            np.fmin(near, error.absolute / np.sqrt(self.size(node.operand))),
            error.relative + EPSILON,
        )

    def of_apply(self, node: ex.Apply) -> Error:
        if node.function in _CHOICES:
            errors = [self.of(e) for e in node.arguments[node.function == "where" :]]
            absolute: Array | float = reduce(np.maximum, (error.absolute for error in errors))
            return Error(absolute, max(error.relative for error in errors))
        (argument,) = node.arguments
        return _FUNCTIONS[node.function](self, argument, self.of(argument))

    def steep(self, argument: Expression, slope: float) -> Error:
        """Bounds the error of a function with |f′ / f| ≤ `slope`, whose relative error is `slope`
        times the absolute error of its argument."""
        off = float(np.max(self.absolute(argument))) * slope
        return Error(0.0, math.expm1(off) + _FUNCTION if off < 1 else math.inf)


def _is_positive_anyway(node: Expression) -> bool:
    match node:
        case ex.Power(ex.E, _) | ex.Power(_, ex.TWO) | ex.Root() | ex.Length() | ex.Symbol():
            return True
        case ex.Apply(function):
            return function in _POSITIVE
        case _:
            return False


def _is_off(*errors: Error) -> bool:
    """Tells whether one of the bounds has an absolute part."""
    return any(isinstance(error.absolute, np.ndarray) for error in errors)


_CHOICES = frozenset({"max", "min", "where"})
"""What is chosen is off by no more than the arguments are; none changes its sign relatively, so
that no condition changes."""
_POSITIVE = frozenset({"abs", "erfc", "finite", "sigmoid", "softplus", "step"})

_Rule = Callable[[_Bounds, Expression, Error], Error]


def _flat(slope: float) -> _Rule:
    """Makes the rule of a function that is at most as steep as `slope`, and concave away from 0
    where it is 0: x f′ ≤ f."""
    return lambda _, __, error: Error(slope * error.absolute, error.relative + _FUNCTION)


def _erfc(bounds: _Bounds, z: Expression, _: Error) -> Error:
    """Bounds the error of erfc by Mills' ratio: √π/2 e^(z²) erfc z ≥ 1 / (z + √(z² + 2))
    (Abramowitz and Stegun, 7.1.13)."""
    return bounds.steep(z, 2 * float(bounds.values(z).max(initial=0.0)) + math.sqrt(2))


def _logarithm(bounds: _Bounds, argument: Expression, error: Error) -> Error:
    """Bounds the error of a logarithm: ln(x (1 + d)) = ln x + ln(1 + d)."""
    off = np.asarray(error.off(bounds.size(argument)) / bounds.size(argument))
    return Error(np.where(off < 1, -np.log1p(-off), math.inf), _FUNCTION)


def _sign(bounds: _Bounds, argument: Expression, error: Error) -> Error:
    """Bounds the error of a step: a number keeps its sign if its error is only relative, or it is
    further from 0 than its absolute error."""
    if not _is_off(error):
        return _EXACT
    return Error((np.abs(bounds.values(argument)) <= error.absolute).astype(np.float64))


def _expm1(bounds: _Bounds, argument: Expression, error: Error) -> Error:
    """Bounds the error of e^x − 1, where |x e^x / (e^x − 1)| is at most 1 + |x|, and the slope is
    e^x."""
    relative = error.relative * (1 + float(bounds.size(argument).max())) + _FUNCTION
    if not _is_off(error):
        return Error(0.0, relative)
    return Error(error.absolute * np.exp(bounds.values(argument)) * 2, relative)


_FUNCTIONS: Mapping[str, _Rule] = MappingProxyType(
    {
        "tanh": _flat(1.0),
        "erf": _flat(2 / math.sqrt(math.pi)),
        "sigmoid": lambda bounds, x, _: bounds.steep(x, 1.0),  # σ′ = σ (1 − σ)
        # e^x / (1 + e^x) ≤ ln(1 + e^x)
        "softplus": lambda bounds, x, _: bounds.steep(x, 1.0),
        "erfc": _erfc,
        # as steep as 1 at most
        "sin": lambda bounds, x, _: Error(bounds.absolute(x), _FUNCTION),
        "cos": lambda bounds, x, _: Error(bounds.absolute(x), _FUNCTION),
        "ln": _logarithm,
        "expm1": _expm1,
        "step": _sign,
        "abs": lambda _, __, error: error,
    }
)
