"""Activation functions: each over an array, and as the working of one figure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.expression import (
    INNER,
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
    constant,
    e_to,
)
from attncli.arithmetic.formula import define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working, cells_of_row
from attncli.arithmetic.rounding import Array, Error, largest


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
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        return operands[0].places if self.kind == "relu" else None

    def sizes(self, *operands: Matrix) -> Array:  # noqa: ARG002  (nothing cancels)
        return np.zeros((1, 1))

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


def _silu(x: Array) -> Array:
    """x sigmoid(x) (Hendrycks & Gimpel 2016, arXiv:1606.08415; Swish, arXiv:1710.05941)."""
    return np.asarray(x * _sigmoid(x))


def _logistic(dividend: Expression, x: Expression) -> Expression:
    return Quotient(dividend, Sum((constant(1), e_to(_negated(x)))))


def _negated(x: Expression) -> Expression:
    if isinstance(x, Number):
        whose = INNER if x.cell else None
        return Number(decimals.negated(x.full), decimals.negated(x.shown), whose)
    return Negative(x)


ACTIVATIONS: dict[str, Activation] = {
    "relu": Activation(lambda x: np.maximum(x, 0.0), lambda x: Apply("max", (constant(0), x))),
    "gelu": Activation(_gelu, _gelu_working),
    "gelu_tanh": Activation(_gelu_tanh, _gelu_tanh_working),
    "tanh": Activation(np.tanh, lambda x: Apply("tanh", (x,))),
    "sigmoid": Activation(_sigmoid, lambda x: _logistic(constant(1), x)),
    "silu": Activation(_silu, lambda x: _logistic(x, x)),
}

ACTIVATION_FORMULAS: dict[str, Expression] = {
    kind: activation.working(Symbol("x")) for kind, activation in ACTIVATIONS.items()
}
