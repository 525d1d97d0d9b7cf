"""How fast pairs of columns are turned, and how models are made to reach further than they were
trained: the frequencies of rotary positions, scaled.

Dynamic NTK and YaRN: Peng et al. 2023, arXiv:2309.00071. Llama 3: arXiv:2407.21783, 3.2.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import numpy as np

from attncli.arithmetic import evaluation
from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.expression import (
    ONE,
    PI,
    TWO,
    ZERO,
    Apply,
    Equation,
    Expression,
    Number,
    Power,
    Product,
    Quotient,
    Symbol,
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import ByFirstForm, Working, cells_of_row
from attncli.arithmetic.operations.texts import equation
from attncli.arithmetic.operations.waves import Function, even
from attncli.arithmetic.rounding import Array, Error

_SHORT = Context(prec=15)
_LITTLE = Decimal("0.001")
"""What lies between the ends of a ramp that would be none."""


@dataclass(frozen=True)
class ByColumn(ByFirstForm):
    """A row of numbers, or rows of them, that are each worked by itself, of few operands."""

    @abstractmethod
    def shape(self, *operands: Matrix) -> tuple[int, int]:
        """That of the result."""

    def values(self, *operands: Matrix) -> Array:
        rows, columns = self.shape(*operands)
        made = [[self.first_form(i, j, *operands) for j in range(columns)] for i in range(rows)]
        return np.array([[float(evaluation.full(one)) for one in row] for row in made])

    def error(self, *operands: Matrix) -> Error:  # noqa: ARG002
        return Error(0.0, EPSILON)  # of sixty digits those that a float has

    def sizes(self, *operands: Matrix) -> Array:  # noqa: ARG002
        return np.zeros((1, 1))


@dataclass(frozen=True)
class Frequencies(ByColumn):
    """By what angle pair k of d columns is turned from a position to the next, 1 / base^(2k/d).

    The operand gives the shape only. A `stretch` makes the base larger, base × s^(d/(d−2)), as NTK
    scaling has it; of rows past an `original` length, the first of which is at `start`, it is
    s × length / original − (s − 1), as dynamic NTK scaling has it. [m, d] -> [d/2, 1]
    """

    first_for_size = True

    base: Number
    dimensions: int | None = None
    stretch: Number | None = None
    original: Number | None = None
    start: int = 0

    def signature(self) -> str:
        if self.dimensions is None:
            return "n 2*b -> b 1"
        return f"n d -> {even(self.dimensions) // 2} 1"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        d = Symbol("d_k") if self.dimensions is None else constant(self.dimensions)
        base = self._base(d, Symbol("length"), is_long=True)
        return define(at(name, "k"), Quotient(ONE, Power(base, Quotient(Symbol("2k"), d))))

    def shape(self, *operands: Matrix) -> tuple[int, int]:
        return self._width(operands[0]) // 2, 1

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:  # noqa: ARG002
        d, length = self._width(operands[0]), self.start + operands[0].shape[0]
        is_long = self.original is None or length > self.original.full
        base = self._base(constant(d), constant(length), is_long=is_long)
        return Quotient(ONE, Power(base, Quotient(constant(2 * i), constant(d))))

    def _width(self, x: Matrix) -> int:
        return even(x.shape[1] if self.dimensions is None else self.dimensions)

    def _base(self, d: Expression, length: Expression, *, is_long: bool) -> Expression:
        s: Expression | None = self.stretch
        if self.stretch is None or s is None or not is_long:
            return self.base
        if self.original is not None:
            less = Number.written(self.stretch.full - 1)
            s = minus(Quotient(Product((self.stretch, length)), self.original), less)
        return Product((self.base, Power(s, Quotient(d, minus(d, TWO)))))


@dataclass(frozen=True)
class RampOfPairs(ByColumn):
    """Which share of its frequency each pair keeps: all of it up to the pair that turns `fast`
    times within the `original` length, nothing from the one on that turns `slow` times.
    [p, 1] -> [p, 1]"""

    base: Number
    original: Number
    fast: Number
    slow: Number
    truncate: bool = True
    """Whether these two are whole: rounded down and up."""

    shapes = "p 1 -> p 1"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        first, last = Symbol("first"), Symbol("last")
        return define(at(name, "k"), _falling(Symbol("k"), first, last))

    def formulas(self, name: str, *operands: str) -> tuple[Equation, ...]:
        d = Symbol("d_k")
        first, last = (self._turning(turns, d) for turns in (self.fast, self.slow))
        if self.truncate:
            first, last = Apply("floor", (first,)), Apply("ceil", (last,))
        return (
            self.formula(name, *operands),
            define("first", Apply("max", (ZERO, first))),
            define("last", Apply("min", (minus(d, ONE), last))),
        )

    def shape(self, *operands: Matrix) -> tuple[int, int]:
        return operands[0].shape

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:  # noqa: ARG002
        return _falling(constant(i), *self._ends(2 * operands[0].shape[0]))

    def _turning(self, turns: Number, d: Expression) -> Expression:
        """The pair that turns so many times within the original length."""
        length = Quotient(self.original, Product((turns, TWO, PI)))
        turned = Product((d, Apply("ln", (length,))))
        return Quotient(turned, Product((TWO, Apply("ln", (self.base,)))))

    def _ends(self, d: int) -> tuple[Number, Number]:
        """The last pair that keeps its frequency, and the first that keeps nothing of it."""
        first, last = (
            evaluation.full(self._turning(turns, constant(d))) for turns in (self.fast, self.slow)
        )
        if self.truncate:
            first, last = first.to_integral(ROUND_FLOOR), last.to_integral(ROUND_CEILING)
        first, last = (_SHORT.plus(one) for one in (max(first, ZERO.full), min(last, d - ONE.full)))
        last += _LITTLE if first == last else 0
        return Number.written(first), Number.written(last)


def _falling(k: Expression, first: Expression, last: Expression) -> Expression:
    return minus(ONE, _from_0_to_1(Quotient(minus(k, first), minus(last, first))))


def _from_0_to_1(x: Expression) -> Expression:
    return Apply("max", (ZERO, Apply("min", (ONE, x))))


@dataclass(frozen=True)
class RampOfTurns(ByColumn):
    """Which share of its frequency each pair keeps, by how often it turns within the `original`
    length: nothing below `low` times, all of it from `high` times on. [p, 1] -> [p, 1]"""

    original: Number
    low: Number
    high: Number

    shapes = "p 1 -> p 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, self._of(Symbol(operands[0])))

    def shape(self, *operands: Matrix) -> tuple[int, int]:
        return operands[0].shape

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        return self._of(operands[0].number(i, j))

    def _of(self, frequency: Expression) -> Expression:
        turns = Quotient(Product((self.original, frequency)), Product((TWO, PI)))
        return _from_0_to_1(Quotient(minus(turns, self.low), minus(self.high, self.low)))


BlendFrequencies = equation(
    "kept[i] * f[i] + (1 - kept[i]) * f[i] / factor", whole=True, f="p 1", kept="p 1"
)
"""The share of a frequency that is kept, and of the rest what dividing by the factor leaves."""


@dataclass(frozen=True)
class TurnsTable(ByFirstForm):
    """The cosines or sines of the angles pos × frequency, times a `factor` where there is one; the
    first operand gives the rows only, of which the first is at the position `start`.
    [n, d], [p, 1] -> [n, p]"""

    first_for_size = True

    function: Function
    start: int = 0
    factor: Expression | None = None

    shapes = "n d, p 1 -> n p"

    def formula(self, name: str, *operands: str) -> Equation:
        angle = Product((Symbol("pos"), at(operands[1], "k")))
        return define(at(name, "pos", "k"), self._times(Apply(self.function, (angle,))))

    def values(self, *operands: Matrix) -> Array:
        x, frequencies = operands
        positions = np.arange(self.start, self.start + x.shape[0], dtype=np.float64)
        angles = positions[:, np.newaxis] * frequencies.values.T
        made = np.cos(angles) if self.function == "cos" else np.sin(angles)
        return np.asarray(made * self._size)

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        position = self.start + i
        angle = Product((constant(position), operands[1].number(j, 0))) if position else ZERO
        return self._times(Apply(self.function, (angle,)))

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[1].shape[0], *operands),)

    def error(self, *operands: Matrix) -> Error:
        x, frequencies = operands
        largest = (self.start + x.shape[0]) * float(np.abs(frequencies.values).max(initial=0))
        return Error((8 + 2 * largest) * EPSILON * abs(self._size))

    def sizes(self, *operands: Matrix) -> Array:  # noqa: ARG002
        """Nothing cancels: each is worked by itself."""
        return np.zeros((1, 1))

    @property
    def _size(self) -> float:
        return 1.0 if self.factor is None else float(evaluation.full(self.factor))

    def _times(self, wave: Expression) -> Expression:
        return wave if self.factor is None else Product((self.factor, wave))
