"""Between which numbers the parts of an equation lie, by interval arithmetic (Moore 1966)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from attncli.arithmetic import evaluation
from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.arrays import FUNCTIONS
from attncli.arithmetic.expression import Expression
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Range, Spread
from attncli.arithmetic.signature import operands_in

_OVERFLOW = 709.0
"""e to the power of more has left the range of float64."""
_HUGE = 2.0**1023
_FAR = 1e300
"""What is no further from 1 hasn't left it, whatever it is off by."""


class Ranges:
    """The ranges of the parts of an equation, each worked out when it is asked for; the norms of
    operands with more than `most` numbers go by the largest number, and are no less than the true
    ones."""

    __slots__ = ("_known", "most", "operands", "sizes")

    def __init__(
        self, operands: Sequence[Matrix], sizes: Mapping[str, int], most: float = math.inf
    ) -> None:
        self.operands, self.sizes, self.most = operands, sizes, most
        self._known: dict[int, Range] = {}
        """Those of nodes by their identity, which costs less than to look at all of a tree. Only
        nodes of the tree may be asked for, which stay as long as it does, and none that are made on
        the way: another could get the identity of one that is gone."""

    def of(self, node: Expression) -> Range:
        """The range of a part."""
        if type(node) is ex.Operand:  # which knows it by itself
            return self.operands[node.place].range
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = _RANGES[type(node)](self, node)
        return known

    def finite(self, node: Expression) -> Range | None:
        """The range of an equation; None where floats may leave theirs in it."""
        reach = self.of(node)
        parts = (*self._known.values(), *(operand.range for operand in self.operands))
        return reach if all(low > -_FAR and high < _FAR for low, high in parts) else None

    def least(self, node: Expression) -> float:
        """A size that no number of a part is below."""
        match node:
            case ex.Operand(place):
                spread = self.operands[place].spread
                return spread.least if spread else self.of(node).least
            case ex.Product(factors):
                return math.prod(map(self.least, factors))
            case ex.Quotient(dividend, divisor):
                size = self.of(divisor).size
                return self.least(dividend) / size if size else math.inf
            case _:
                return self.of(node).least

    def is_unsigned(self, node: Expression) -> bool:
        """Whether no float of a part is a 0 with a sign, as what is too little for floats is."""
        match node:
            case ex.Operand(place) if self.operands[place].spread is not None:
                return True
            case ex.Number() | ex.Power(ex.E, _):
                return True
            case ex.Sum((first, *_)):  # −0 + x is a −0 only where x is
                return self.is_unsigned(first)
            case ex.Apply("max" | "min", arguments):
                return all(map(self.is_unsigned, arguments))
            case _:
                return self.least(node) > 1 / _FAR

    def extent(self, node: ex.Length) -> Range:
        count = self.operands[node.place].shape[node.axis]
        return Range(count, count)

    def constant(self, node: Expression) -> Range:
        return _only(node)

    def added(self, node: ex.Sum) -> Range:
        lows, highs = zip(*map(self.of, node.terms), strict=True)
        return Range(sum(lows), sum(highs))

    def total(self, node: ex.Total) -> Range:
        count, one = self.count(node.over), self.of(node.operand)
        added = Range(count * one.low, count * one.high)
        match node.operand:
            case ex.Product((ex.Operand() as x, ex.Operand() as w)) if self.most:
                size = self.norm(x, node.over) * self.norm(w, node.over)  # Cauchy and Schwarz
                return Range(max(added.low, -size), min(added.high, size))
        return added

    def product(self, node: ex.Product) -> Range:
        return reduce(_product, map(self.of, node.factors))

    def quotient(self, node: ex.Quotient) -> Range:
        return _product(self.of(node.dividend), _reciprocal(self.of(node.divisor)))

    def negative(self, node: ex.Negative) -> Range:
        one = self.of(node.operand)
        return Range(-one.high, -one.low)

    def power(self, node: ex.Power) -> Range:
        if node.base == ex.E:
            return Range(*map(_exp, self.of(node.exponent)))
        return _power(self.of(node.base), float(evaluation.full(node.exponent)))

    def root(self, node: ex.Root) -> Range:
        return Range(*(math.sqrt(max(one, 0.0)) for one in self.of(node.operand)))

    def applied(self, node: ex.Apply) -> Range:
        reach = _FUNCTIONS.get(node.function, _rising(node.function))
        return reach(*map(self.of, node.arguments))

    def norm(self, x: ex.Operand, over: str) -> float:
        """The largest norm of an operand's numbers along some indices; those that it hasn't repeat
        each number."""
        if not self.most or self.operands[x.place].size > self.most:
            return self.of(x).size * math.sqrt(self.count(over))
        along = tuple(k for k, index in enumerate(x.indices) if index in over)
        extents = tuple(self.sizes[index] for index in x.indices)
        times = self.count("".join(index for index in over if index not in x.indices))
        return self.operands[x.place].norm(extents, along) * math.sqrt(times)

    def count(self, over: str) -> int:
        """How many terms a sum over some indices has."""
        if len(over) == 1:  # as for most
            return self.sizes[over]
        return math.prod([self.sizes[index] for index in over])


class _Anywhere(dict[str, int]):
    """How far an index goes that may go anywhere."""

    def __missing__(self, index: str) -> int:
        return 1


def anything(shape: tuple[int, int], reach: Range) -> Matrix:
    """Numbers of a shape [n, m] of which only their range is known."""
    return Matrix(np.broadcast_to(0.0, shape), None, 0, spread=Spread(reach, 0.0))


def widened(reach: Range) -> tuple[float, float]:
    """A range that contains one and that most like it share: between powers of two."""
    low, high = reach
    if low < 0 < high:
        size = _power_above(max(high, -low))
        return -size, size
    if low >= 0:
        return _power_below(low), _power_above(high)
    return -_power_above(-low), -_power_below(-high)


def _power_above(size: float) -> float:
    """A power of two that is larger, where floats have one."""
    return math.ldexp(1.0, math.frexp(size)[1]) if size < _HUGE else math.inf


def _power_below(size: float) -> float:
    """The largest power of two that isn't larger; 0 of 0."""
    return math.ldexp(0.5, math.frexp(size)[1]) if size > 0 else size


def of_anything(tree: Expression) -> Ranges:
    """The ranges of an equation whose operands may be anything."""
    count = 1 + max((operand.place for operand in operands_in(tree)), default=0)
    operand = anything((1, 1), Range(-math.inf, math.inf))
    return Ranges([operand] * count, _Anywhere(), 0)


@lru_cache(maxsize=256)
def _only(node: Expression) -> Range:
    """The range of a number that an equation says."""
    value = float(evaluation.full(node))
    return Range(value, value)


def _product(a: Range, b: Range) -> Range:
    ends = [0.0 if not x or not y else x * y for x in a for y in b]
    return Range(min(ends), max(ends))


def _reciprocal(x: Range) -> Range:
    if x.low <= 0 <= x.high:
        return Range(-math.inf, math.inf)
    return Range(1 / x.high, 1 / x.low)


def _exp(x: float) -> float:
    return math.exp(x) if x < _OVERFLOW else math.inf


def _power(x: Range, exponent: float) -> Range:
    ends = (x.low**exponent, x.high**exponent)
    if exponent % 2 == 0:
        return Range(x.least**exponent, max(ends))
    return Range(*ends)


def _rising(function: str) -> Callable[..., Range]:
    """The range of a function that never falls."""

    def of(*arguments: Range) -> Range:
        with np.errstate(all="ignore"):
            ends = zip(*arguments, strict=True)
            low, high = (float(FUNCTIONS[function](*map(np.float64, end))) for end in ends)
        return Range(low, high)

    return of


def _falling(function: str) -> Callable[[Range], Range]:
    return lambda x: Range(*_rising(function)(Range(x.high, x.low)))


_FUNCTIONS: Mapping[str, Callable[..., Range]] = MappingProxyType(
    {
        "max": lambda *x: Range(max(one.low for one in x), max(one.high for one in x)),
        "min": lambda *x: Range(min(one.low for one in x), min(one.high for one in x)),
        "erf": lambda x: Range(math.erf(x.low), math.erf(x.high)),
        "erfc": _falling("erfc"),
        "sin": lambda _: Range(-1.0, 1.0),
        "cos": lambda _: Range(-1.0, 1.0),
        "abs": lambda x: Range(x.least, x.size),
        "where": lambda _, one, other: Range(min(one.low, other.low), max(one.high, other.high)),
    }
)

_RANGES: Mapping[type, Callable[[Ranges, Any], Range]] = MappingProxyType(
    {
        ex.Length: Ranges.extent,
        ex.Number: Ranges.constant,
        ex.Symbol: Ranges.constant,
        ex.Sum: Ranges.added,
        ex.Total: Ranges.total,
        ex.Product: Ranges.product,
        ex.Quotient: Ranges.quotient,
        ex.Negative: Ranges.negative,
        ex.Power: Ranges.power,
        ex.Root: Ranges.root,
        ex.Apply: Ranges.applied,
    }
)
