"""A linear layer: x W, with or without a bias, W as rows × columns or as out × in."""

from __future__ import annotations

from attncli.arithmetic.operations import (
    Affine,
    AffineTransposed,
    Linear,
    MatMul,
    Operation,
)
from attncli.name import Name
from attncli.trace import Making, Scope


def linear(scope: Scope, made: str, x: Name, suffix: str, step: str, *, out_in: bool) -> Making:
    """`made` = x W + b, of `W{suffix}` and, where it is given, `b{suffix}`.

    `x` is a full name. [n, k], [k, m], [m] -> [n, m]
    """
    W, b = scope.find(f"W{suffix}"), scope.find(f"b{suffix}")
    operation, operands = layer_of(scope, x, W, b, out_in=out_in)
    return Making(scope.name(made), operation, operands, step)


def layer_of(
    scope: Scope, x: Name, W: Name, b: Name, *, out_in: bool
) -> tuple[Operation, tuple[Name, ...]]:
    """The operation of a linear layer and its operands, all by full names; the bias only where
    it is given."""
    if scope.scenario.gives(b):
        return (AffineTransposed() if out_in else Affine()), (x, W, b)
    return (Linear() if out_in else MatMul()), (x, W)
