"""What an optimizer does to a parameter with its gradient, an equation each.

SGD with momentum: Polyak 1964, as PyTorch has it (no dampening). Adam: Kingma & Ba 2015,
arXiv:1412.6980, algorithm 1. AdamW: Loshchilov & Hutter 2019, arXiv:1711.05101, algorithm 2.
Clipping by the global norm: Pascanu et al. 2013, arXiv:1211.5063.
"""

from __future__ import annotations

import numpy as np

from attncli.equations.matrix import Matrix
from attncli.equations.tree import Number
from attncli.numbers.rounding import MOST_DECIMALS, Unworkable
from attncli.operations.equation import Indexed, equation, read_equation

_OF_A_SHARE = 3
"""The first average has 0.001 of a square where β₂ is 0.999: three decimals more."""

StepDown = equation("x[i, j] - rate * g[i, j]", whole=True, x="n m", g="n m")
"""Against the gradient."""
PlusTimes = equation("g[i, j] + decay * x[i, j]", whole=True, g="n m", x="n m")
"""A gradient with that of a weight decay, λ/2 x²."""
TimesPlus = equation("momentum * v[i, j] + g[i, j]", whole=True, v="n m", g="n m")
"""The velocity of before, and the gradient."""
Shrink = equation("(1 - rate * decay) * x[i, j]", whole=True, x="n m")
"""A weight decay that is no part of the gradient."""
MovingAverage = equation("beta * m[i, j] + (1 - beta) * g[i, j]", whole=True, m="n m", g="n m")
MovingSquares = MovingAverage.swap("g[i, j]", "g[i, j] ** 2")
FirstAverage = equation("(1 - beta) * g[i, j]", whole=True, g="n m")
"""The first moving average, since the one before it is 0."""
FirstSquares = FirstAverage.swap("g[i, j]", "g[i, j] ** 2")


class WithoutBias(Indexed):
    """m / (1 − βᵗ): a moving average that began at 0 is too small by that. [n, m] -> [n, m]"""

    def __init__(self, beta: Number, count: int) -> None:
        power = f"beta ** {count}" if count > 1 else "beta"
        text = f"m[i, j] / (1 - {power})"
        super().__init__(*read_equation(text, {"m": "n m"}, whole=True, numbers={"beta": beta}))


class _OverRoot(Indexed):
    def refuse(self, *operands: Matrix) -> None:
        """Where a mean of squares was rounded to 0, what is left to divide by is ε."""
        average, squares = operands
        lost = (squares.values == 0) & (average.values != 0)
        if lost.any():
            row, places = int(lost.any(axis=1).argmax()), squares.decimals
            small = float(np.abs(average.values[lost]).min())
            enough = 2 * (1 - int(np.floor(np.log10(small)))) + _OF_A_SHARE
            instead = "the policy exact"
            if places < enough <= MOST_DECIMALS:
                instead = f"{enough} decimals, or {instead},"
            what = f"the mean of the squares rounds to 0 with {places} decimals"
            raise Unworkable(row, what, instead)


OverRoot = equation("m[i, j] / (sqrt(v[i, j]) + epsilon)", _OverRoot, whole=True, m="n m", v="n m")


class NormOfNorms(Indexed):
    """√(a² + b² + …): how large several matrices are together, of the norm of each.
    [1, 1], [1, 1], … -> [1, 1]"""

    def __init__(self, count: int) -> None:
        norms = dict.fromkeys((f"norm{k}" for k in range(count)), "1 1")
        super().__init__(
            *read_equation(f"sqrt({' + '.join(f'{norm} ** 2' for norm in norms)})", norms)
        )


ClipFactor = equation("min(1, most / (norm + 0.000001))", norm="1 1")
"""What gradients are multiplied by so that their norm is no more than a number, as PyTorch's
`clip_grad_norm_` has it."""
TimesNumber = equation("factor * x[i, j]", whole=True, factor="1 1", x="n m")
DifferenceOf = equation("x[i, j] - y[i, j]", whole=True, x="n m", y="n m")
SquaresTimes = equation("minus_rate * sum(g[i, j] ** 2 for i in n for j in m)", g="n m")
"""What a gradient says of a step against it."""
SlopeTimesStep = equation(
    "sum(g[i, j] * (new[i, j] - x[i, j]) for i in n for j in m)", g="n m", new="n m", x="n m"
)
"""By how much a gradient says that a step changes the loss."""
