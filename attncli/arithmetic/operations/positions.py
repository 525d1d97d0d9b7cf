"""Positions: sinusoids (Vaswani et al. 2017, arXiv:1706.03762, 3.5) and linear biases (Press et
al. 2021, arXiv:2108.12409)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Apply, Equation, Number, Product, Symbol, constant
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working, cells_of_row
from attncli.arithmetic.operations.waves import Function, Waves, angle_formula, even
from attncli.arithmetic.rounding import Array

_D_MODEL = Symbol("d_model")


@dataclass(frozen=True)
class Sinusoids(Waves):
    """PE(pos, 2i) = sin(pos / base^(2i/d)), PE(pos, 2i+1) = cos of the same; the first row is that
    of the position `start`. It is made of nothing but its size, which is 0 until that is known;
    `width` is what formulas call d. -> [n, d]"""

    base: Number
    start: int = 0
    n: int = 0
    d: int = 0
    width: Symbol = _D_MODEL

    def signature(self) -> str:
        return f" -> {self.n or 'n'} {self.d or '2*b'}"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, Symbol("PE"))

    def formulas(self, name: str, *operands: str) -> tuple[Equation, ...]:  # noqa: ARG002
        """PE of the even and of the odd columns, counted from 0 as in the paper."""
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
    """Cosines in the even columns and sines in the odd ones."""

    def of_angles(self, angles: Array) -> Array:
        return np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(len(angles), -1)

    def wave(self, j: int) -> tuple[Function, int]:
        return "sin" if j % 2 else "cos", j // 2


class WaveOfEachColumn(Sinusoids):
    """Sines and cosines of which each column j has a wave of its own, pos / base^(2j/d), instead of
    each pair of columns."""

    def values(self, *operands: Matrix) -> Array:
        n, d = self.extents(*operands)
        exponents = 2 * np.arange(d) / d
        positions = np.arange(self.start, self.start + n, dtype=np.float64)[:, np.newaxis]
        angles = positions / float(self.base.full) ** exponents
        return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return self.of_wave(i, self.wave(j)[0], j, *operands)


@dataclass(frozen=True)
class Alibi(Operation):
    """−slope × how far a query is from a key, the last query being at the last key; the operand
    gives the shape only. Keys after the query count as far as those before it: a causal mask
    hides them anyway. [n, m] -> [n, m]"""

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
    """The slopes of ALiBi for so many heads: 2^(−8k/heads) for k = 1 … heads.

    Where `heads` isn't a power of two, those of the next smaller one are followed by every
    other one of the next larger one, as in the paper's code. They are exact where they have an
    end that is short enough, else they have 15 significant digits.
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
