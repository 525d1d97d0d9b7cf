"""Operations that go figure by figure: taking rows, dividing by a number, activations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import NamedTuple

import numpy as np

from attncli.arithmetic import decimals, evaluation
from attncli.arithmetic.expression import (
    PI,
    Apply,
    Equation,
    Expression,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
    Vector,
    constant,
    e_to,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import EPSILON, Operation, Working
from attncli.arithmetic.rounding import Array, Error, Rounding, largest


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

    def make(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        return operands[0].take_rows(self.indices)

    def values(self, *operands: Matrix) -> Array:
        return np.asarray(operands[0].values[list(self.indices)])

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (operands[0].number(self.indices[i], j),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (Symbol(names[0], (self.keys[i],)),)


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
        more = _places_of_reciprocal(evaluation.full(self.divisor))
        return None if known is None or more is None else known + more


class MultiplyBy(DivideBy):
    """Every figure multiplied by one number."""

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


def _places_of_reciprocal(number: Decimal) -> int | None:
    context = Context(prec=decimals.SIGNIFICANT, traps=[Inexact])
    try:
        return decimals.places(context.divide(Decimal(1), number))
    except Inexact:
        return None


@dataclass(frozen=True)
class Activate(Operation):
    """An activation function, figure by figure. [n, m] -> [n, m]"""

    kind: str

    def signature(self) -> str:
        return "n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply(self.kind, (Symbol(operands[0]),)))

    def values(self, *operands: Matrix) -> Array:
        return ACTIVATIONS[self.kind].array(operands[0].values)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (ACTIVATIONS[self.kind].working(operands[0].number(i, j)),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        entries = operands[0].row(i).entries
        return (Vector(tuple(ACTIVATIONS[self.kind].working(entry) for entry in entries)),)

    def places(self, *operands: Matrix) -> int | None:
        return operands[0].places if self.kind == "relu" else None

    def error(self, *operands: Matrix) -> Error:
        return Error(64 * EPSILON * largest(operands[0].values), 64 * EPSILON)


class Activation(NamedTuple):
    """An activation: over an array, and as the working of one figure."""

    array: Callable[[Array], Array]
    working: Callable[[Expression], Expression]


def _each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    ufunc = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(ufunc(x), dtype=np.float64)


_erfc = _each(math.erfc)
_GELU_CUBE = "0.044715"
_ROOT_2_OVER_PI = math.sqrt(2 / math.pi)


def _gelu(x: Array) -> Array:
    """x Φ(x) = x (1 + erf(x/√2)) / 2 (Hendrycks & Gimpel 2016, arXiv:1606.08415)."""
    return np.asarray(0.5 * x * _erfc(-x / math.sqrt(2.0)))


def _gelu_working(x: Expression) -> Expression:
    inner = Apply("erf", (Quotient(x, Root(constant(2))),))
    return Quotient(Product((x, Sum((constant(1), inner)))), constant(2))


def _gelu_tanh(x: Array) -> Array:
    """x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, the approximation of the same paper."""
    # (1 + tanh u) / 2 = sigmoid(2u), which doesn't lose its digits for u far below 0
    return np.asarray(x * _sigmoid(2 * _ROOT_2_OVER_PI * (x + float(_GELU_CUBE) * x**3)))


def _gelu_tanh_working(x: Expression) -> Expression:
    cube = Product((constant(_GELU_CUBE), Power(x, constant(3))))
    inside = Product((Root(Quotient(constant(2), PI)), Sum((x, cube))))
    return Quotient(Product((x, Sum((constant(1), Apply("tanh", (inside,)))))), constant(2))


def _sigmoid(x: Array) -> Array:
    """1 / (1 + e^−x), from the side on which the exponential is small."""
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1, small) / (1 + small))


def _negated(x: Expression) -> Expression:
    if isinstance(x, Number):
        return Number(decimals.negated(x.full), decimals.negated(x.shown))
    return Negative(x)


ACTIVATIONS: dict[str, Activation] = {
    "relu": Activation(lambda x: np.maximum(x, 0.0), lambda x: Apply("max", (constant(0), x))),
    "gelu": Activation(_gelu, _gelu_working),
    "gelu_tanh": Activation(_gelu_tanh, _gelu_tanh_working),
    "tanh": Activation(np.tanh, lambda x: Apply("tanh", (x,))),
    "sigmoid": Activation(
        _sigmoid, lambda x: Quotient(constant(1), Sum((constant(1), e_to(_negated(x)))))
    ),
}

ACTIVATION_FORMULAS: dict[str, Expression] = {
    kind: activation.working(Symbol("x")) for kind, activation in ACTIVATIONS.items()
}
