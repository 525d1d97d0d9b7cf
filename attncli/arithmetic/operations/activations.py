"""Activation functions, each one expression of x."""

from __future__ import annotations

from attncli.arithmetic.equations.formulas import X, Y, Z, cell
from attncli.arithmetic.expression import (
    ONE,
    PI,
    TWO,
    ZERO,
    Apply,
    Expression,
    MatrixProduct,
    Negative,
    Operand,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Total,
    Transposed,
    constant,
    e_to,
    minus,
    with_each,
)
from attncli.arithmetic.operations.indexed import Indexed


class Activate(Indexed):
    """An activation function, number by number. [n, m] -> [n, m]"""

    def __init__(self, kind: str) -> None:
        each = with_each(ACTIVATIONS[kind], Operand, lambda _: _X)
        super().__init__("n m -> n m", each, Apply(kind, (X,)))


class BiasAfter(Indexed):
    """f(x W) + b: an activation before the bias. `transposed` has a W that is stored out × in.
    [n, k], [k, m], [1, m] -> [n, m]"""

    def __init__(self, kind: str, transposed: bool = False) -> None:
        W = "m k" if transposed else "k m"
        weight = cell(1, "j", "k") if transposed else cell(1, "k", "j")
        product = Total("k", Product((cell(0, "i", "k"), weight)))
        made = with_each(ACTIVATIONS[kind], Operand, lambda _: product)
        whole = MatrixProduct((X, Transposed(Y) if transposed else Y))
        shown = Sum((Apply(kind, (whole,)), Z))
        super().__init__(f"n k, {W}, 1 m -> n m", Sum((made, cell(2, "j"))), shown)


_X = cell(0, "i", "j")


def _logistic(dividend: Expression) -> Quotient:
    return Quotient(dividend, Sum((ONE, e_to(Negative(X)))))


def _logistic_of(inner: Expression) -> Quotient:
    """x σ(inner)"""
    return Quotient(X, Sum((ONE, e_to(Negative(inner)))))


def _half(function: Expression) -> Quotient:
    """x (1 + f) / 2"""
    return Quotient(Product((X, Sum((ONE, function)))), TWO)


_WITH_CUBE = Sum((X, Product((constant("0.044715"), Power(X, constant(3))))))

ACTIVATIONS: dict[str, Expression] = {
    "relu": Apply("max", (ZERO, X)),
    # x Φ(x), and the approximation of the same paper (Hendrycks & Gimpel 2016, arXiv:1606.08415)
    "gelu": _half(Apply("erf", (Quotient(X, Root(TWO)),))),
    "gelu_tanh": _half(Apply("tanh", (Product((Root(Quotient(TWO, PI)), _WITH_CUBE)),))),
    "tanh": Apply("tanh", (X,)),
    "sigmoid": _logistic(ONE),
    "silu": _logistic(X),  # x sigmoid(x), or Swish (arXiv:1710.05941)
    # x tanh(softplus(x)) (Misra 2019, arXiv:1908.08681)
    "mish": Product((X, Apply("tanh", (Apply("ln", (Sum((ONE, e_to(X))),)),)))),
    # x σ(1.702 x) (arXiv:1606.08415), and relu(x)² (So et al. 2021, arXiv:2109.08668)
    "quick_gelu": _logistic_of(Product((constant("1.702"), X))),
    "relu2": Power(Apply("max", (ZERO, X)), TWO),
    # x, and a hundredth of it below 0 (Maas et al. 2013)
    "leaky_relu": Apply("max", (Product((constant("0.01"), X)), X)),
    # x, and e^x - 1 below 0 (Clevert et al. 2015, arXiv:1511.07289)
    "elu": Sum((Apply("max", (ZERO, X)), Apply("min", (ZERO, minus(e_to(X), ONE))))),
}
"""Each for a number x."""
