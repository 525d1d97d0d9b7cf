"""A linear layer: x W, with or without a bias, W as rows × columns or as out × in."""

from __future__ import annotations

from attncli.arithmetic.operations import Affine, AffineTransposed, Linear, MatMul
from attncli.trace import Making, Scope


def linear(scope: Scope, made: str, x: str, suffix: str, step: str, *, out_in: bool) -> Making:
    """`made` = x W + b, of `W{suffix}` and, where it is given, `b{suffix}`.

    `x` is a full name. [n, k], [k, m], [m] -> [n, m]
    """
    W, b = scope.find(f"W{suffix}"), scope.find(f"b{suffix}")
    name = scope.name(made)
    if scope.scenario.gives(b):
        return Making(name, AffineTransposed() if out_in else Affine(), (x, W, b), step)
    return Making(name, Linear() if out_in else MatMul(), (x, W), step)
