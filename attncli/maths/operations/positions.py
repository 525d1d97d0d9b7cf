"""Positions: sinusoids, rotary ones and linear biases.

Vaswani et al. 2017, arXiv:1706.03762, 3.5; Su et al. 2021, arXiv:2104.09864; Press et al. 2021,
arXiv:2108.12409.

Both kinds of waves go by sines and cosines of the angles pos / base^(2k/d). How models are made to
reach further than they were trained: dynamic NTK and YaRN (Peng et al. 2023, arXiv:2309.00071),
Llama 3 (arXiv:2407.21783, 3.2). Pairs of columns are counted from 0, as in the papers.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations.bounds import EPSILON
from attncli.maths.equations.enclosures import Enclosure, Roundoffs, times
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
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
    Sum,
    Symbol,
    Vector,
    at,
    constant,
    define,
    minus,
)
from attncli.maths.equations.working import simplification_steps
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array, Error
from attncli.maths.operations.equation import equation
from attncli.maths.operations.operation import (
    ByFirstForm,
    Operation,
    Working,
    added_places,
    cells_of_row,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHORT = 10
"""Significant digits up to which a number on the way to an angle is worked out."""

Function = Literal["sin", "cos"]
Counts: TypeAlias = "NDArray[np.int64]"


def even(columns: int) -> int:
    """Returns the number of columns. Raises ValueError where they don't go in pairs."""
    if columns % 2:
        raise ValueError(f"{columns} columns don't go in pairs")
    return columns


class Waves(Operation):
    """A table of sines and cosines of the angles pos / base^(2k/d) of pairs k of d columns, the
    first row at the position `start`."""

    base: Number
    start: int

    @abstractmethod
    def of_angles(self, angles: Array) -> Array:
        """Makes the table of the angles [n, d/2]."""

    @abstractmethod
    def wave(self, j: int) -> tuple[Function, int]:
        """Returns the function in a column, and the pair whose angle it takes."""

    @abstractmethod
    def extents(self, *operands: Matrix) -> tuple[int, int]:
        """Returns the number of positions, and d. Raises ValueError where d columns don't go in
        pairs."""

    def values(self, *operands: Matrix) -> Array:
        n, d = self.extents(*operands)
        return self.of_angles(self.angles(n, np.arange(0, d, 2) / d))

    def angles(self, n: int, exponents: Array) -> Array:
        """Computes pos / base^exponent for n positions. -> [n, c]"""
        positions = np.arange(self.start, self.start + n, dtype=np.float64)[:, np.newaxis]
        return np.asarray(positions / float(self.base.full) ** exponents)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        """Writes sin(1 / 10000^(2/4)), then sin(1 / 100) and sin(0.01) where these are short and
        exact."""
        return self.of_wave(i, *self.wave(j), *operands)

    def of_wave(self, i: int, function: Function, k: int, *operands: Matrix) -> Working:
        """Writes the working of a function of the angle of pair k in row i."""
        return self.of_exponent(i, function, 2 * k, *operands)

    def of_exponent(self, i: int, function: Function, above: int, *operands: Matrix) -> Working:
        """Writes the working of a function of the angle in row i whose exponent is `above` / d."""
        _, d = self.extents(*operands)
        angles = self.angle(self.start + i, above, d)
        return tuple(Apply(function, (angle,)) for angle in angles)

    def angle(self, position: int, above: int, d: int) -> tuple[Expression, ...]:
        """Writes pos / base^(above / d), and its value where that is short and exact."""
        return _angle(position, above, d, self.base)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        _, d = self.extents(*operands)
        _, columns = self.of_angles(np.zeros((1, d // 2))).shape
        return (cells_of_row(self, i, columns, *operands),)

    def error(self, *operands: Matrix) -> Error:
        # an angle is off by what its exponent is off by, times ln base, and so is its sine at most
        n, _ = self.extents(*operands)
        positions = np.abs(self.start + np.arange(n))[:, np.newaxis]
        growth = 8 + 2 * abs(math.log(float(self.base.full)))
        return Error(growth * positions * EPSILON, 8 * EPSILON)


def angle_formula(base: Number, pair: str, width: Expression) -> Expression:
    return Quotient(Symbol("pos"), Power(base, Quotient(Symbol(f"2{pair}"), width)))


def _angle(position: int, above: int, d: int, base: Number) -> tuple[Expression, ...]:
    if position == 0:
        return (constant(0),)
    whole = Number.written(position)
    angle = Quotient(whole, Power(base, Quotient(constant(above), constant(d))))
    power = _exact_power(base.full, above, d)
    if power is None:
        return (angle,)
    angles: list[Expression] = [angle]
    if power != 1:
        angles.append(Quotient(whole, Number.inner(power)))
    try:
        exact = Context(prec=_SHORT, traps=[Inexact]).divide(Decimal(position), power)
    except Inexact:
        return tuple(angles)
    return (*angles, Number.inner(exact))


def _exact_power(base: Decimal, numerator: int, denominator: int) -> Decimal | None:
    """Computes base^(numerator/denominator) where that has few digits; returns None elsewhere."""
    common = math.gcd(numerator, denominator)
    p, q = numerator // common, denominator // common
    exponent = Quotient(constant(p), constant(q))
    power = deciding.full(Power(Number.written(base), exponent))
    short = Context(prec=_SHORT).normalize(power)
    if Context(prec=2 * _SHORT).plus(power) != short:
        return None
    (above, below), (a, b) = short.as_integer_ratio(), base.as_integer_ratio()
    return short if above**q * b**p == a**p * below**q else None


_D_MODEL = Symbol("d_model")


@dataclass(frozen=True)
class Sinusoids(Waves):
    """The table PE(pos, 2i) = sin(pos / base^(2i/d)), PE(pos, 2i+1) = cos(pos / base^(2i/d)). ->
    [n, d]"""

    base: Number
    start: int = 0
    """The position of the first row."""
    n: int = 0
    """The number of rows; 0 until it is known."""
    d: int = 0
    """The number of columns; 0 until it is known."""
    width: Symbol = _D_MODEL
    """What formulas call d."""

    def signature(self) -> str:
        return f" -> {self.n or 'n'} {self.d or '2*b'}"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, Symbol("PE"))

    def formulas(self, name: str, *operands: str) -> tuple[Equation, ...]:  # noqa: ARG002
        """Writes PE of the even and of the odd columns, counted from 0 as in the paper."""
        angle = angle_formula(self.base, "i", self.width)
        return tuple(
            define(Apply("PE", (Symbol("pos"), Symbol(column))), Apply(function, (angle,)))
            for column, function in (("2i", "sin"), ("2i+1", "cos"))
        )

    def extents(self, *operands: Matrix) -> tuple[int, int]:  # noqa: ARG002
        return self.n, even(self.d)

    def of_angles(self, angles: Array) -> Array:
        return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(len(angles), -1)

    def wave(self, j: int) -> tuple[Function, int]:
        return "cos" if j % 2 else "sin", j // 2


class SinesForCosines(Sinusoids):
    """A table with cosines in the even columns and sines in the odd ones."""

    def of_angles(self, angles: Array) -> Array:
        return np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(len(angles), -1)

    def wave(self, j: int) -> tuple[Function, int]:
        return "sin" if j % 2 else "cos", j // 2


class WaveOfEachColumn(Sinusoids):
    """A table in which each column j, and not each pair of columns, has a wave of its own, pos /
    base^(2j/d)."""

    def values(self, *operands: Matrix) -> Array:
        n, d = self.extents(*operands)
        angles = self.angles(n, self.above(np.arange(d)) / d)
        return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        above = self.above(np.array([j])).item()
        function, _ = self.wave(j)
        return self.of_exponent(i, function, above, *operands)

    def above(self, columns: Counts) -> Counts:
        """Returns what is divided by d in the exponents of columns, counted from 0."""
        return 2 * columns


class CosineOfNextExponent(WaveOfEachColumn):
    """A table of sines of pos / base^(2i/d) and cosines of pos / base^((2i+1)/d): the number of
    each column is in its exponent."""

    def above(self, columns: Counts) -> Counts:
        return columns


class _Multiplied(Waves):
    """A table of sines and cosines of pos × base^(2k/d), whose waves grow shorter from pair to
    pair."""

    def angles(self, n: int, exponents: Array) -> Array:
        return super().angles(n, -exponents)

    def angle(self, position: int, above: int, d: int) -> tuple[Expression, ...]:
        power = Power(self.base, Quotient(constant(above), constant(d)))
        return (Product((Number.written(position), power)) if position else constant(0),)

    def error(self, *operands: Matrix) -> Error:
        made = super().error(*operands)
        return made._replace(absolute=made.absolute * float(self.base.full))


class MultipliedSinusoids(_Multiplied, Sinusoids):
    """Sinusoids of angles that are multiplied by the powers instead of divided."""


@dataclass(frozen=True)
class Alibi(Operation):
    """The biases −slope × the distance of a key from a query, the last query being at the last key;
    the operand gives the shape only. [n, m] -> [n, m]

    Keys after the query count as far as those before it: a causal mask hides them anyway.
    """

    first_for_size = True

    slope: Number

    shapes = "n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        distance = Apply("distance", (Symbol("i"), Symbol("j")))
        return define(at(name, "i", "j"), Product((self._factor, distance)))

    def values(self, *operands: Matrix) -> Array:
        n, m = operands[0].shape
        queries = np.arange(m - n, m, dtype=np.float64)[:, np.newaxis]
        distances = np.abs(queries - np.arange(m))
        distances *= float(self._factor.full)
        return np.asarray(distances)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        n, m = operands[0].shape
        distance = abs(i + m - n - j)
        if not distance:
            return (constant(0),)
        return (Product((self._factor, constant(distance))),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:  # noqa: ARG002
        return decimals.places(self.slope.full)

    @property
    def _factor(self) -> Number:
        return Number(decimals.negated(self.slope.full), decimals.negated(self.slope.shown))


_HALVING = Context(prec=30)
"""Digits enough for 2^−8 in full, and for rounding other powers of 2."""


def alibi_slopes(heads: int) -> tuple[Number, ...]:
    """Computes the slopes of ALiBi: 2^(−8k/heads) for k = 1 … heads.

    Where `heads` isn't a power of two, the slopes of the next smaller one are followed by every
    other one of the next larger one, as in the paper's code. They are exact where they have few
    digits, and otherwise have 15 significant ones.
    """
    lower = 1 << (heads.bit_length() - 1)
    counted = [(k, lower) for k in range(1, lower + 1)]
    counted += [(k, 2 * lower) for k in range(1, 2 * lower + 1, 2)][: heads - lower]
    return tuple(_slope(k, count) for k, count in counted)


def _slope(k: int, heads: int) -> Number:
    exponent, left_over = divmod(8 * k, heads)
    if not left_over:
        return Number.written(_HALVING.power(2, -exponent))
    power = _HALVING.power(2, _HALVING.divide(-8 * k, heads))
    return Number.written(Context(prec=decimals.SIGNIFICANT).plus(power))


@dataclass(frozen=True)
class RotaryTable(Waves):
    """The cosines or sines of the angles pos / base^(2k/r) that pair k is turned by; r columns
    are turned, all of them where `dimensions` is None. The operand gives the shape only.
    [n, d] -> [n, r/2]"""

    first_for_size = True

    function: Function
    dimensions: int | None
    base: Number
    start: int = 0

    def signature(self) -> str:
        if self.dimensions is None:
            return "n 2*b -> n b"
        return f"n d -> n {even(self.dimensions) // 2}"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        width = Symbol("d_k") if self.dimensions is None else constant(self.dimensions)
        angle = angle_formula(self.base, "k", width)
        return define(at(name, "pos", "k"), Apply(self.function, (angle,)))

    def of_angles(self, angles: Array) -> Array:
        return np.asarray(np.cos(angles) if self.function == "cos" else np.sin(angles))

    def wave(self, j: int) -> tuple[Function, int]:
        return self.function, j

    def extents(self, *operands: Matrix) -> tuple[int, int]:
        return operands[0].shape[0], _turned(self.dimensions, operands[0])


class MultipliedTable(_Multiplied, RotaryTable):
    """A rotary table of angles that are multiplied by the powers instead of divided."""


def _turned(dimensions: int | None, x: Matrix) -> int:
    """Counts the columns that are turned. Raises ValueError where there are not so many."""
    columns = x.shape[1]
    if dimensions is not None and dimensions > columns:
        raise ValueError(f"{dimensions} columns of {columns} can't be turned")
    return even(columns if dimensions is None else dimensions)


@dataclass(frozen=True)
class Rotate(Operation):
    """Each pair of columns turned by its angle, given by tables of cosines and sines:

        first' = first cos − second sin,   second' = first sin + second cos

    Pair k of r columns is 2k and 2k + 1 (interleaved), or k and k + r/2 (half); columns past r
    stay as they are. [n, d], [n, r/2], [n, r/2] -> [n, d]
    """

    pairs: Literal["interleaved", "half"]
    dimensions: int | None = None
    back: bool = False
    """Whether they are turned the other way round, which is a mistake."""

    shapes = "n d, n p, n p -> n d"
    is_enclosed = True

    def formula(self, name: str, *operands: str) -> Equation:
        second = "2k+1"
        if self.pairs == "half":
            second = "k+d_k/2" if self.dimensions is None else f"k+{even(self.dimensions) // 2}"
        places = ("2k" if self.pairs == "interleaved" else "k", second)
        x = [at(operands[0], "i", place) for place in places]
        cosine, sine = (at(operand, "i", "k") for operand in operands[1:])
        pair = Vector(
            (
                minus(Product((x[0], cosine)), Product((x[1], sine))),
                Sum((Product((x[0], sine)), Product((x[1], cosine)))),
            )
        )
        return define(at(name, "i", f"({', '.join(places)})"), pair)

    def values(self, *operands: Matrix) -> Array:
        x, cosine, sine = (operand.values for operand in operands)
        r = _turned(self.dimensions, operands[0])
        if not cosine.shape == sine.shape == (len(x), r // 2):
            raise ValueError(f"{r} columns are turned by {r // 2} angles a row")
        sine = -sine if self.back else sine
        return self._turned(x, cosine, sine, -sine)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        x, cosine, sine = operands
        r = _turned(self.dimensions, x)
        if j >= r:
            return (x.number(i, j),)
        interleaved = self.pairs == "interleaved"
        k, second = (j // 2, j % 2) if interleaved else (j % (r // 2), j // (r // 2))
        places = (2 * k, 2 * k + 1) if interleaved else (k, k + r // 2)
        first, other = (x.number(i, place) for place in places)
        c, s = cosine.number(i, k), sine.number(i, k)
        if bool(second) != self.back:
            a, b = (first, other) if second else (other, first)
            return simplification_steps(Sum((Product((a, s)), Product((b, c)))))
        a, b = (other, first) if second else (first, other)
        return simplification_steps(minus(Product((a, c)), Product((b, s))))

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        x, cosine, sine = operands
        known = added_places(x, cosine), added_places(x, sine)
        return None if None in known else max(places for places in known if places is not None)

    def error(self, *operands: Matrix) -> Error:
        x, cosine, sine = (np.abs(operand.values) for operand in operands)
        return Error(8 * EPSILON * self._turned(x, cosine, sine, sine), 4 * EPSILON)

    def enclosed(self, operands: Sequence[Enclosure], rounded: Roundoffs) -> Enclosure:
        def product(bounds: Enclosure, other: Enclosure) -> Enclosure:
            return rounded.by(times(bounds, other), rounded.each)

        x, cosine, sine = operands
        if self.back:
            sine = Enclosure(-sine.high, -sine.low)
        made = Enclosure(x.low.copy(), x.high.copy())
        entry, two = self.columns(2 * cosine.low.shape[1])
        first, second = (Enclosure(x.low[:, at], x.high[:, at]) for at in (entry, two))
        turned, taken = product(first, cosine), product(second, sine)
        made.low[:, entry], made.high[:, entry] = turned.low - taken.high, turned.high - taken.low
        turned, taken = product(first, sine), product(second, cosine)
        made.low[:, two], made.high[:, two] = turned.low + taken.low, turned.high + taken.high
        return rounded.by(made, rounded.each)

    def columns(self, r: int) -> tuple[slice, slice]:
        """Returns the first and the second columns of the pairs of r columns."""
        if self.pairs == "interleaved":
            return slice(0, r, 2), slice(1, r, 2)
        return slice(0, r // 2), slice(r // 2, r)

    def _turned(self, x: Array, cosine: Array, sine: Array, taken: Array) -> Array:
        """Computes first · cosine + second · taken in the first columns, and first · sine + second
        · cosine in the second ones."""
        turned = x.copy()
        first, second = self.columns(2 * cosine.shape[1])
        turned[:, first] = x[:, first] * cosine + x[:, second] * taken
        turned[:, second] = x[:, first] * sine + x[:, second] * cosine
        return turned


_ENDS = Context(prec=15)
_LITTLE = Decimal("0.001")
"""What lies between the ends of a ramp that would be none."""


@dataclass(frozen=True)
class ByColumn(ByFirstForm):
    """A table of few numbers, each worked by itself."""

    @abstractmethod
    def shape(self, *operands: Matrix) -> tuple[int, int]:
        """Returns the shape of the result."""

    def values(self, *operands: Matrix) -> Array:
        rows, columns = self.shape(*operands)
        made = [[self.first_form(i, j, *operands) for j in range(columns)] for i in range(rows)]
        return np.array([[float(deciding.full(node)) for node in row] for row in made])

    def error(self, *operands: Matrix) -> Error:  # noqa: ARG002
        return Error(0.0, EPSILON)  # of sixty digits those that a float has


@dataclass(frozen=True)
class Frequencies(ByColumn):
    """The angle by which pair k of d columns is turned from one position to the next, 1 /
    base^(2k/d). [m, d] -> [d/2, 1]

    The operand gives the shape only. A `stretch` s makes the base larger, base × s^(d/(d−2)), as
    NTK scaling has it; for rows past an `original` length, the first of which is at `start`, it is
    s × length / original − (s − 1), as dynamic NTK scaling has it.
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
    """The share of its frequency that each pair keeps: all of it up to the pair that turns `fast`
    times within the `original` length, nothing from the one on that turns `slow` times. [p, 1] ->
    [p, 1]"""

    base: Number
    original: Number
    fast: Number
    slow: Number
    truncate: bool = True
    """Whether the ends of the ramp are whole numbers: rounded down and up."""

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
        """Writes the pair that turns so many times within the original length."""
        length = Quotient(self.original, Product((turns, TWO, PI)))
        turned = Product((d, Apply("ln", (length,))))
        return Quotient(turned, Product((TWO, Apply("ln", (self.base,)))))

    def _ends(self, d: int) -> tuple[Number, Number]:
        """Finds the last pair that keeps its frequency, and the first that keeps nothing of it."""
        first, last = (
            deciding.full(self._turning(turns, constant(d))) for turns in (self.fast, self.slow)
        )
        if self.truncate:
            first, last = first.to_integral(ROUND_FLOOR), last.to_integral(ROUND_CEILING)
        first, last = (_ENDS.plus(n) for n in (max(first, ZERO.full), min(last, d - ONE.full)))
        last += _LITTLE if first == last else 0
        return Number.written(first), Number.written(last)


def _falling(k: Expression, first: Expression, last: Expression) -> Expression:
    share = Quotient(minus(k, first), minus(last, first))
    return minus(ONE, Apply("max", (ZERO, Apply("min", (ONE, share)))))


RampOfTurns = equation(
    "max(0, min(1, (original * f[i] / (2 * pi) - low) / (high - low)))", whole=True, f="p 1"
)
"""Which share of its frequency each pair keeps, by how often it turns within the `original` length:
nothing below `low` times, all of it from `high` times on."""
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
        positions = np.abs(self.start + np.arange(x.shape[0]))[:, np.newaxis]
        angles = positions * np.abs(frequencies.values.T)
        return Error(2 * EPSILON * angles * abs(self._size), 8 * EPSILON)

    @property
    def _size(self) -> float:
        return 1.0 if self.factor is None else float(deciding.full(self.factor))

    def _times(self, wave: Expression) -> Expression:
        return wave if self.factor is None else Product((self.factor, wave))
