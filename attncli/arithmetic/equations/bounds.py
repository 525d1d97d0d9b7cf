"""How far the floats of an equation may be from its true values.

A bound is absolute + relative · |v|, one for all cells, worked out from the ranges of the parts.
The rules are those of Higham, Accuracy and Stability of Numerical Algorithms (2nd ed.), 2-4: one
operation of floats is off by u |v|, u = 2^-53 = ε/2, and so is a written number that is read. Each
rule allows ε where u would do: the half that is left over is more than the products of errors,
which the rules leave out, ever come to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from attncli.arithmetic import evaluation
from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.ranges import Ranges, of_anything
from attncli.arithmetic.expression import Expression
from attncli.arithmetic.rounding import Error, Range

EPSILON = float(np.finfo(np.float64).eps)

_FUNCTION = 8
"""Times ε is what libraries' functions of one number are off by: some units of the last place."""
_EXACT = Error(0.0)
_WHOLE = 2**53


def bound(tree: Expression, ranges: Ranges, epsilon: float = EPSILON) -> Error:
    """The bound on the error of an equation's floats, of which `epsilon` is the ε."""
    return _Bounds(ranges, epsilon).of(tree)


@lru_cache(maxsize=256)
def keeps_digits(tree: Expression) -> bool:
    """Whether an equation's floats are only relatively off, whatever its operands are: then no sum
    leaves little of its terms."""
    return not bound(tree, of_anything(tree)).absolute


class _Bounds:
    """The bounds of the parts of an equation; a function of one number is off by `function`."""

    __slots__ = ("epsilon", "function", "ranges")

    def __init__(self, ranges: Ranges, epsilon: float) -> None:
        self.ranges, self.epsilon, self.function = ranges, epsilon, _FUNCTION * epsilon

    def of(self, node: Expression) -> Error:
        return _BOUNDS[type(node)](self, node)

    def size(self, node: Expression) -> float:
        return self.ranges.of(node).size

    def absolute(self, node: Expression) -> float:
        """A bound without a relative part."""
        error = self.of(node)
        return error.absolute + (error.relative * self.size(node) if error.relative else 0.0)

    def number(self, node: ex.Operand) -> Error:  # noqa: ARG002
        return Error(0.0, self.epsilon)

    def extent(self, node: ex.Length) -> Error:  # noqa: ARG002
        return _EXACT

    def constant(self, node: Expression) -> Error:
        return _EXACT if _is_whole(node) else Error(0.0, self.epsilon)

    def added(self, node: ex.Sum) -> Error:
        """Of terms of one sign no more than the largest relative error is lost (Higham, 4.2)."""
        errors = [self.of(term) for term in node.terms]
        rounded = (len(errors) - 1) * self.epsilon
        is_product = errors[0].absolute and not errors[0].relative  # whatever the signs are
        if not is_product and all(map(self._is_positive, node.terms)):
            relative = max(error.relative for error in errors)
            return Error(sum(error.absolute for error in errors), relative + rounded)
        return self._of_any_sign(node.terms, errors[0], rounded)

    def _of_any_sign(self, terms: tuple[Expression, ...], first: Error, rounded: float) -> Error:
        """Where they may cancel: the first term is at most |v| and the others in size, so that
        it takes only the sizes of these."""
        rest = sum(map(self.size, terms[1:]))
        others = sum(map(self.absolute, terms[1:]))
        absolute = first.absolute + others + (first.relative + 2 * rounded) * rest
        return Error(absolute, first.relative + rounded)

    def _is_positive(self, node: Expression) -> bool:
        match node:
            case ex.Power(ex.E, _) | ex.Power(_, ex.TWO) | ex.Root():
                return True
            case _:
                return self.ranges.of(node).low >= 0

    def total(self, node: ex.Total) -> Error:
        """|fl(x·w) − x·w| ≤ n u Σ|x||w| / (1 − n u) (Higham, 3.5); of any order of adding."""
        count, operand = self.ranges.count(node.over), node.operand
        match operand:
            case ex.Product((ex.Operand() as x, ex.Operand() as w)):
                # Σ|x||w| ≤ ‖x‖‖w‖ (Cauchy and Schwarz); two ε more for what x and w are off by
                sizes = self._norm(x, node.over) * self._norm(w, node.over)
                return Error((count + 2) * self.epsilon * sizes)
        if self._is_positive(operand):
            error = self.of(operand)
            return Error(count * error.absolute, error.relative + count * self.epsilon)
        size = self.size(operand)
        return Error(count * (self.absolute(operand) + count * self.epsilon * size))

    def _norm(self, x: ex.Operand, over: str) -> float:
        """The largest norm of the numbers of an operand that go over some indices."""
        return self.ranges.norm(x, over)

    def product(self, node: ex.Product) -> Error:
        """(1 + a)(1 + b) = 1 + a + b + ab; what is absolutely off grows with the other factors."""
        errors = [self.of(factor) for factor in node.factors]
        relative = sum(error.relative for error in errors) + (len(errors) - 1) * self.epsilon
        if not any(error.absolute for error in errors):
            return Error(0.0, relative)
        sizes = [self.size(factor) for factor in node.factors]
        grown = [size + error.absolute for size, error in zip(sizes, errors, strict=True)]
        absolute = sum(
            error.absolute * math.prod(sizes[:k] + grown[k + 1 :])
            for k, error in enumerate(errors)
            if error.absolute
        )
        return Error(absolute, relative)

    def quotient(self, node: ex.Quotient) -> Error:
        above, below = self.of(node.dividend), self.of(node.divisor)
        relative = above.relative + below.relative + self.epsilon
        if not above.absolute and not below.absolute:
            return Error(0.0, relative)
        least = self.ranges.of(node.divisor).least - below.absolute
        if least <= 0:
            return Error(math.inf)
        return Error(above.absolute / least, relative + below.absolute / least)

    def negative(self, node: ex.Negative) -> Error:
        return self.of(node.operand)

    def power(self, node: ex.Power) -> Error:
        """e^(x + d) = e^x e^d, and e^d − 1 is what it is relatively off by."""
        if node.base == ex.E:
            off = self.absolute(node.exponent)
            return Error(0.0, math.expm1(off) + self.function if off < 1 else math.inf)
        exponent, error = abs(float(evaluation.full(node.exponent))), self.of(node.base)
        grown = exponent * (self.size(node.base) + error.absolute) ** max(exponent - 1, 0)
        absolute = error.absolute * grown if error.absolute else 0.0
        return Error(absolute, (exponent + 1) * error.relative + self.function)

    def root(self, node: ex.Root) -> Error:
        """√(x + d) − √x = d / (√(x + d) + √x), which is at most √d."""
        error = self.of(node.operand)
        least = self.ranges.of(node.operand).least
        near = math.sqrt(error.absolute)
        absolute = min(near, error.absolute / math.sqrt(least)) if least > 0 else near
        return Error(absolute, error.relative + self.epsilon)

    def applied(self, node: ex.Apply) -> Error:
        errors = [self.of(one) for one in node.arguments[node.function == "where" :]]
        if node.function in _CHOICES:
            return Error(max(e.absolute for e in errors), max(e.relative for e in errors))
        (argument,) = node.arguments
        return _FUNCTIONS[node.function](self, argument, errors[0])


@lru_cache(maxsize=256)
def _is_whole(node: Expression) -> bool:
    """Whether floats hold a number that an equation says."""
    value = evaluation.full(node)
    return value.is_finite() and value == int(value) and abs(value) < _WHOLE


# -- functions of one argument -------------------------------------------------------------------

_CHOICES = frozenset({"max", "min", "where"})
"""What is chosen is off by no more than the arguments are; none changes its sign relatively, so
that no condition changes."""

_Rule = Callable[[_Bounds, Expression, Error], Error]


def _flat(slope: float) -> _Rule:
    """A function as steep as `slope` at most, and concave away from 0 where it is 0: x f′ ≤ f."""
    return lambda bounds, _, error: Error(slope * error.absolute, error.relative + bounds.function)


def _steep(slope: Callable[[Range], float]) -> _Rule:
    """A function with |f′ / f| ≤ `slope`: it is relatively off by so many times what its argument
    is absolutely off by."""

    def rule(bounds: _Bounds, argument: Expression, _: Error) -> Error:
        off = bounds.absolute(argument) * slope(bounds.ranges.of(argument))
        return Error(0.0, math.expm1(off) + bounds.function if off < 1 else math.inf)

    return rule


def _bounded(bounds: _Bounds, argument: Expression, _: Error) -> Error:
    """sin and cos are as steep as 1 at most."""
    return Error(bounds.absolute(argument), bounds.function)


def _logarithm(bounds: _Bounds, argument: Expression, error: Error) -> Error:
    """ln(x (1 + d)) = ln x + ln(1 + d)."""
    off = error.relative
    if error.absolute:
        least = bounds.ranges.of(argument).least
        off += error.absolute / least if least else math.inf
    return Error(-math.log1p(-off) if off < 1 else math.inf, bounds.function)


def _expm1(bounds: _Bounds, argument: Expression, error: Error) -> Error:
    """x e^x / (e^x − 1) is at most 1 + |x|, the slope e^x."""
    reach = bounds.ranges.of(argument)
    absolute = error.absolute * math.exp(min(reach.high, 700.0)) * 2 if error.absolute else 0.0
    return Error(absolute, error.relative * (1 + reach.size) + bounds.function)


def _step(_: _Bounds, __: Expression, error: Error) -> Error:
    """What is relatively off has its sign still."""
    return Error(1.0) if error.absolute else _EXACT


_FUNCTIONS: Mapping[str, _Rule] = MappingProxyType(
    {
        "tanh": _flat(1.0),
        "erf": _flat(2 / math.sqrt(math.pi)),
        "sigmoid": _steep(lambda _: 1.0),  # σ′ = σ (1 − σ)
        "softplus": _steep(lambda _: 1.0),  # e^x / (1 + e^x) ≤ ln(1 + e^x)
        # of Mills' ratio: √π/2 e^(z²) erfc z ≥ 1 / (z + √(z² + 2)) (Abramowitz and Stegun, 7.1.13)
        "erfc": _steep(lambda z: 2 * max(z.high, 0.0) + math.sqrt(2)),
        "sin": _bounded,
        "cos": _bounded,
        "ln": _logarithm,
        "expm1": _expm1,
        "step": _step,
        "abs": lambda _, __, error: error,
    }
)

_BOUNDS: Mapping[type, Callable[[_Bounds, Any], Error]] = MappingProxyType(
    {
        ex.Operand: _Bounds.number,
        ex.Length: _Bounds.extent,
        ex.Number: _Bounds.constant,
        ex.Symbol: _Bounds.constant,
        ex.Sum: _Bounds.added,
        ex.Total: _Bounds.total,
        ex.Product: _Bounds.product,
        ex.Quotient: _Bounds.quotient,
        ex.Negative: _Bounds.negative,
        ex.Power: _Bounds.power,
        ex.Root: _Bounds.root,
        ex.Apply: _Bounds.applied,
    }
)
