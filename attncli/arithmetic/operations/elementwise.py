"""Operations that go figure by figure: taking rows, dividing by a number, adding."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from attncli.arithmetic import decimals, evaluation
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Expression,
    Number,
    Product,
    Quotient,
    Symbol,
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import (
    EPSILON,
    Operation,
    Working,
    added_places,
    cells_of_row,
    most_places,
    reciprocal_places,
    sum_of,
)
from attncli.arithmetic.rounding import Array, Error, Rounding, largest
from attncli.arithmetic.whole import Fractions, fitting
from attncli.word import Word


@dataclass(frozen=True)
class TakeRows(Operation):
    """The rows of a table, as they are written; `keys` look them up. [v, d] -> [n, d]"""

    layout = "rows"

    indices: tuple[int, ...]
    keys: tuple[str, ...]
    by: str = "tokens"
    """What the keys are, for the formula: tokens, ids, positions."""

    def signature(self) -> str:
        return f"v d -> {len(self.indices)} d"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], self.by))

    def made(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        return operands[0].take_rows(self.indices)

    def values(self, *operands: Matrix) -> Array:
        return np.asarray(operands[0].values[list(self.indices)])

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (operands[0].number(self.indices[i], j),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (Symbol(names[0], (Word(self.keys[i]),)),)


@dataclass(frozen=True)
class DivideBy(Operation):
    """Every figure divided by one number, given as an expression: 8, or √d_k as `√2`."""

    divisor: Expression
    symbol: Expression | None = None
    """The divisor in a formula, where that isn't its figure: `√d_k`."""

    def signature(self) -> str:
        return "n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Quotient(Symbol(operands[0]), self.symbol or self.divisor))

    def values(self, *operands: Matrix) -> Array:
        return np.asarray(operands[0].values / float(evaluation.full(self.divisor)))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (Quotient(operands[0].number(i, j), self.divisor),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (Quotient(operands[0].row(i), self.divisor),)

    def places(self, *operands: Matrix) -> int | None:
        known = operands[0].places
        more = reciprocal_places(evaluation.full(self.divisor))
        return None if known is None or more is None else known + more

    def fractions(self, rows: slice, *operands: Matrix) -> Fractions | None:
        counts, places, factor = operands[0].counts, operands[0].places, self._factor()
        if counts is None or places is None or factor is None:
            return None
        (counts,) = fitting(abs(factor.numerator), counts[rows])
        return Fractions(counts * factor.numerator, np.array([[factor.denominator * 10**places]]))

    def _factor(self) -> Fraction | None:
        """What every figure is multiplied by, where that is a fraction."""
        divisor = evaluation.fraction(self.divisor)
        return None if divisor is None else 1 / divisor


class MultiplyBy(DivideBy):
    """Every figure multiplied by one number."""

    def _factor(self) -> Fraction | None:
        return evaluation.fraction(self.divisor)

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Product((Symbol(operands[0]), self.symbol or self.divisor)))

    def values(self, *operands: Matrix) -> Array:
        return np.asarray(operands[0].values * float(evaluation.full(self.divisor)))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (Product((operands[0].number(i, j), self.divisor)),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (Product((operands[0].row(i), self.divisor)),)

    def places(self, *operands: Matrix) -> int | None:  # noqa: ARG002
        return None


@dataclass(frozen=True)
class Add(Operation):
    """Matrices added up, figure by figure. [n, m], [n, m], … -> [n, m]"""

    layout = "rows"

    count: int

    def signature(self) -> str:
        return ", ".join(["n m"] * self.count) + " -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, sum_of([Symbol(operand) for operand in operands]))

    def values(self, *operands: Matrix) -> Array:
        total = operands[0].values.copy()
        for operand in operands[1:]:
            _refuse_other_shape(operands[0], operand)
            total += operand.values
        return total

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (sum_of([operand.number(i, j) for operand in operands]),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (sum_of([operand.row(i) for operand in operands]),)

    def places(self, *operands: Matrix) -> int | None:
        return most_places(*operands)

    def error(self, *operands: Matrix) -> Error:
        sizes = sum(largest(operand.values) for operand in operands)
        return Error((self.count + 2) * EPSILON * sizes)

    def sizes(self, *operands: Matrix) -> Array:
        sizes = np.abs(operands[0].values)
        for operand in operands[1:]:
            sizes += np.abs(operand.values)
        return sizes


class Multiply(Operation):
    """Two matrices multiplied figure by figure, as a gate does. [n, m], [n, m] -> [n, m]"""

    def signature(self) -> str:
        return "n m, n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        factors = tuple(at(operand, "i", "j") for operand in operands)
        return define(at(name, "i", "j"), Product(factors))

    def values(self, *operands: Matrix) -> Array:
        _refuse_other_shape(*operands)
        return np.asarray(operands[0].values * operands[1].values)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (Product((operands[0].number(i, j), operands[1].number(i, j))),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        return added_places(*operands)


@dataclass(frozen=True)
class SoftCap(Operation):
    """cap × tanh(x / cap), which never gets past ±cap (Gemma 2, arXiv:2408.00118, 2).
    [n, m] -> [n, m]"""

    cap: Number

    def signature(self) -> str:
        return "n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, self._capped(Symbol(operands[0])))

    def values(self, *operands: Matrix) -> Array:
        cap = float(self.cap.full)
        return np.asarray(cap * np.tanh(operands[0].values / cap))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (self._capped(operands[0].number(i, j)),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def error(self, *operands: Matrix) -> Error:  # noqa: ARG002
        return Error(0.0, 64 * EPSILON)  # tanh never magnifies what its argument is off by

    def _capped(self, x: Expression) -> Product:
        return Product((self.cap, Apply("tanh", (Quotient(x, self.cap),))))


@dataclass(frozen=True)
class Dropout(Operation):
    """x × kept / (1 − p): what isn't kept is 0, the rest is scaled up to make up for it
    (Srivastava et al. 2014; inverted). `kept` is a table of ones and zeros.
    [n, m], [n, m] -> [n, m]"""

    p: Number

    def signature(self) -> str:
        return "n m, n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        x, kept = (at(operand, "i", "j") for operand in operands)
        return define(at(name, "i", "j"), self._dropped(x, kept))

    def values(self, *operands: Matrix) -> Array:
        _refuse_other_shape(*operands)
        dropped = operands[0].values * operands[1].values
        dropped /= float(self._left)
        return np.asarray(dropped)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        x, kept = operands
        return (self._dropped(x.number(i, j), kept.number(i, j)),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        known, more = added_places(*operands), reciprocal_places(self._left)
        return None if known is None or more is None else known + more

    def error(self, *operands: Matrix) -> Error:  # noqa: ARG002
        return Error(0.0, 8 * EPSILON)

    @property
    def _left(self) -> Decimal:
        return decimals.difference(Decimal(1), self.p.full)

    def _dropped(self, x: Expression, kept: Expression) -> Quotient:
        return Quotient(Product((x, kept)), minus(constant(1), self.p))


def _refuse_other_shape(*operands: Matrix) -> None:
    """NumPy would stretch a single row or column over the others."""
    if len({operand.shape for operand in operands}) > 1:
        shapes = ", ".join(str(operand.shape) for operand in operands)
        raise ValueError(f"these go together figure by figure, but have the shapes {shapes}")
