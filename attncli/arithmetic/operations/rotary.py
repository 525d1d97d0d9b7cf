"""Rotary positions (Su et al. 2021, arXiv:2104.09864): pairs of columns turned by angles.

Pairs are counted from 0, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.enclosures import Enclosure, Roundoffs, times
from attncli.arithmetic.equations.working import forms
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Number,
    Product,
    Sum,
    Symbol,
    Vector,
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import (
    Operation,
    Working,
    added_places,
    cells_of_row,
)
from attncli.arithmetic.operations.waves import Function, Waves, angle_formula, even
from attncli.arithmetic.rounding import Array, Error, largest


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


def _turned(dimensions: int | None, x: Matrix) -> int:
    """How many columns are turned. Raises ValueError where there are not so many."""
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
            return forms(Sum((Product((a, s)), Product((b, c)))))
        a, b = (other, first) if second else (first, other)
        return forms(minus(Product((a, c)), Product((b, s))))

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        x, cosine, sine = operands
        known = added_places(x, cosine), added_places(x, sine)
        return None if None in known else max(places for places in known if places is not None)

    def error(self, *operands: Matrix) -> Error:
        x, cosine, sine = (largest(operand.values) for operand in operands)
        return Error(8 * EPSILON * x * (cosine + sine), 4 * EPSILON)

    def sizes(self, *operands: Matrix) -> Array:
        x, cosine, sine = (np.abs(operand.values) for operand in operands)
        return self._turned(x, cosine, sine, sine)

    def enclosed(self, operands: Sequence[Enclosure], rounded: Roundoffs) -> Enclosure:
        def product(one: Enclosure, other: Enclosure) -> Enclosure:
            return rounded.by(times(one, other), rounded.each)

        x, cosine, sine = operands
        if self.back:
            sine = Enclosure(-sine.high, -sine.low)
        made = Enclosure(x.low.copy(), x.high.copy())
        one, two = self.columns(2 * cosine.low.shape[1])
        first, second = (Enclosure(x.low[:, at], x.high[:, at]) for at in (one, two))
        turned, taken = product(first, cosine), product(second, sine)
        made.low[:, one], made.high[:, one] = turned.low - taken.high, turned.high - taken.low
        turned, taken = product(first, sine), product(second, cosine)
        made.low[:, two], made.high[:, two] = turned.low + taken.low, turned.high + taken.high
        return rounded.by(made, rounded.each)

    def columns(self, r: int) -> tuple[slice, slice]:
        """The first and the second columns of the pairs of r columns."""
        if self.pairs == "interleaved":
            return slice(0, r, 2), slice(1, r, 2)
        return slice(0, r // 2), slice(r // 2, r)

    def _turned(self, x: Array, cosine: Array, sine: Array, taken: Array) -> Array:
        """first · cosine + second · taken in the first columns, first · sine + second · cosine
        in the second ones."""
        turned = x.copy()
        first, second = self.columns(2 * cosine.shape[1])
        turned[:, first] = x[:, first] * cosine + x[:, second] * taken
        turned[:, second] = x[:, first] * sine + x[:, second] * cosine
        return turned
