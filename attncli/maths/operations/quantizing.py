"""Matrices in few bits: a scale, whole numbers, and what comes back of them.

Absmax: Dettmers et al. 2022, arXiv:2208.07339, 2. With a scale for each group of some numbers of a
row: Dettmers & Zettlemoyer 2022, arXiv:2212.09720.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attncli.maths.equations.enclosures import Enclosure, Roundoffs
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Expression,
    Quotient,
    Symbol,
    constant,
    define,
)
from attncli.maths.numbers.rounding import Array, Rounding, Unworkable
from attncli.maths.operations.equation import Indexed, equation
from attncli.maths.operations.operation import Operation, Working


@dataclass(frozen=True)
class AbsMax(Operation):
    """The scale of a matrix, or of each group of so many numbers of a row: the largest absolute
    value divided by `most`. [n, m] -> [1, 1], or [n, m / group]"""

    most: int
    """The largest whole number that the bits can hold."""
    group: int | None = None
    """How many numbers of a row share a scale; None where all do."""

    def signature(self) -> str:
        return f"n {self.group}*b -> n b" if self.group else "n m -> 1 1"

    def formula(self, name: str, *operands: str) -> Equation:
        of = Symbol(operands[0], (f"{self.group} of a row",) if self.group else ())
        return define(name, Quotient(Apply("max", (Apply("abs", (of,)),)), constant(self.most)))

    def values(self, *operands: Matrix) -> Array:
        x = operands[0].values
        if self.group and x.shape[1] % self.group:
            raise ValueError(f"{x.shape[1]} columns can't be split into groups of {self.group}")
        tops = np.abs(x.reshape(len(x), -1, self.group) if self.group else x[None]).max(axis=-1)
        if not self.group:
            tops = tops.max(keepdims=True)
        if not tops.all():
            raise Unworkable(0, "all numbers of a group are 0, which leaves no scale", "others")
        return np.asarray(tops / self.most)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        """Writes the working with the largest number alone, as a page shows it."""
        x, start = operands[0], j * (self.group or 0)
        sizes = np.abs(x.values[i : i + 1, start : start + self.group] if self.group else x.values)
        row, column = divmod(int(sizes.argmax()), sizes.shape[1])
        top = x.number(row + i, column + start)
        size: Expression = Apply("abs", (top,)) if top.full < 0 else top
        return (Quotient(size, constant(self.most)),)


class _Whole(Indexed):
    """An equation whose results are rounded to whole numbers, half away from zero, whatever the
    rounding."""

    def arrays(self, operands: Sequence[Array]) -> Array:
        return _nearest(super().arrays(operands))

    def enclosed(self, operands: Sequence[Enclosure], rounded: Roundoffs) -> Enclosure:
        return Enclosure(*map(_nearest, super().enclosed(operands, rounded)))

    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:
        """Rounds to whole numbers, by the true digits of the quotients where floats leave a half in
        doubt."""
        whole = Rounding("carry", 0, most_settled=rounding.most_settled)
        return Indexed(self.shapes, self.tree).round_result(whole, step, *operands)


def _nearest(x: Array) -> Array:
    """Rounds to the nearest whole numbers; what differs from a half only in the last digits of
    floats counts as one."""
    return np.asarray(np.copysign(np.floor(np.abs(x) + 0.5 + 1e-9), x))


_QUANTIZED = "max(-most, min(most, x[i, j] / scale))"
Quantized = equation(_QUANTIZED, _Whole, x="n m", scale="1 1")
"""Numbers divided by their scale and rounded to whole ones, whatever the rounding; none is larger
than the largest that there is."""
QuantizedInGroups = equation(
    _QUANTIZED.replace("scale", "scale[i, j]"), _Whole, x="n m", scale="n m"
)
Restored = equation("x[i, j] * scale", x="n m", scale="1 1")
RestoredInGroups = equation("x[i, j] * scale[i, j]", x="n m", scale="n m")
