"""The functions of one number that an equation may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import Apply, Expression


def _named(name: str, x: Expression) -> Expression:
    return Apply(name, (x,))


def _sigmoid(x: Expression) -> Expression:
    return ex.Quotient(ex.ONE, ex.Sum((ex.ONE, ex.e_to(ex.Negative(x)))))


def _softplus(x: Expression) -> Expression:
    return Apply("ln", (ex.Sum((ex.ONE, ex.e_to(x))),))


def _relu(x: Expression) -> Expression:
    return Apply("max", (ex.ZERO, x))


OF_ONE: Mapping[str, Callable[[Expression], Expression]] = {
    "exp": ex.e_to,
    "sqrt": ex.Root,
    **{name: partial(_named, name) for name in ("ln", "abs", "sin", "cos", "tanh", "erf")},
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "relu": _relu,
}
