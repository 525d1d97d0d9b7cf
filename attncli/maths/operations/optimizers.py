"""The equations of optimizers: a parameter updated by its gradient.

SGD with momentum: Polyak 1964, as PyTorch has it (no dampening); looking ahead: Sutskever et al.
2013, as PyTorch has it. RMSprop: Hinton 2012, lecture 6e. Adam: Kingma & Ba 2015, arXiv:1412.6980,
algorithm 1. AdamW: Loshchilov & Hutter 2019, arXiv:1711.05101, algorithm 2. AMSGrad: Reddi et al.
2018, arXiv:1904.09237, algorithm 2. Adafactor: Shazeer & Stern 2018, arXiv:1804.04235, algorithm 4,
as PyTorch has it. A learning rate that falls along a cosine: Loshchilov & Hutter
2017, arXiv:1608.03983, equation 5, without restarts.
Clipping by the global norm: Pascanu et al. 2013, arXiv:1211.5063.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import ZERO, Apply, Number, Operand
from attncli.maths.numbers.rounding import MOST_DECIMALS, Unworkable
from attncli.maths.operations.equation import Indexed, equation, read_equation

_OF_A_SHARE = 3
"""The first average has 0.001 of a square where β₂ is 0.999: three decimals more."""

StepDown = equation("x[i, j] - rate * g[i, j]", whole=True, x="n m", g="n m")
"""Against the gradient."""
StepDownBy = StepDown._replace(operands=(*StepDown.operands, ("rate", "1 1")))
"""The same with a learning rate that is a quantity."""
PlusTimes = equation("g[i, j] + decay * x[i, j]", whole=True, g="n m", x="n m")
"""A gradient with that of a weight decay, λ/2 x²."""
TimesPlus = equation("momentum * v[i, j] + g[i, j]", whole=True, v="n m", g="n m")
"""The velocity of before, and the gradient."""
LookAhead = equation("g[i, j] + momentum * v[i, j]", whole=True, g="n m", v="n m")
"""The gradient, and the velocity once more: where the next step would go."""
Shrink = equation("(1 - rate * decay) * x[i, j]", whole=True, x="n m")
"""A weight decay that is no part of the gradient."""
ShrinkBy = Shrink._replace(operands=(*Shrink.operands, ("rate", "1 1")))
MovingAverage = equation("beta * m[i, j] + (1 - beta) * g[i, j]", whole=True, m="n m", g="n m")
MovingSquares = MovingAverage.swap("g[i, j]", "g[i, j] ** 2")
FirstAverage = equation("(1 - beta) * g[i, j]", whole=True, g="n m")
"""The first moving average, since the one before it is 0."""
FirstSquares = FirstAverage.swap("g[i, j]", "g[i, j] ** 2")

LargerOf = equation("max(most[i, j], v[i, j])", whole=True, most="n m", v="n m")
"""The largest so far of each number."""

_RATES = {
    "warmup": "rate * count / warmup",
    "constant": "rate",
    "linear": "least + (rate - least) * (1 - done / total)",
    "cosine": "least + (rate - least) * (1 + cos(pi * done / total)) / 2",
}


class LearningRate(Indexed):
    """The learning rate of an update by its schedule, of no operands. [] -> [1, 1]"""

    def __init__(self, schedule: str, **numbers: Decimal) -> None:
        text, written = _RATES[schedule], {n: Number.written(x) for n, x in numbers.items()}
        text = text if numbers.get("least") else text.replace("least + (rate - least)", "rate")
        read = read_equation(text, {}, numbers=written)
        super().__init__(*read, numbers=(written["rate"],))


class WithoutBias(Indexed):
    """A moving average without its bias, m / (1 − βᵗ): one that began at 0 is too small by that
    factor. [n, m] -> [n, m]"""

    def __init__(self, beta: Number, count: int) -> None:
        power = f"beta ** {count}" if count > 1 else "beta"
        text = f"m[i, j] / (1 - {power})"
        super().__init__(*read_equation(text, {"m": "n m"}, whole=True, numbers={"beta": beta}))


class _OverRoot(Indexed):
    lost = Apply("where", (Apply("step", (Operand(1, ("i", "j")),)), ZERO, Operand(0, ("i", "j"))))

    def refuse(self, *operands: Matrix) -> None:
        """Raises Unworkable where a mean of squares was rounded to 0, which leaves only ε to divide
        by."""
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


_ROW, _COLUMN = "sum(g[i, j] ** 2 for j in m) / m", "sum(g[i, j] ** 2 for i in n) / n"
FirstOfRow, FirstOfColumn = equation(_ROW, g="n m"), equation(_COLUMN, g="n m")
"""The mean of each row's or column's squares."""
_LATER = "(1 - count ** decay) * v[{}] + count ** decay * {}"
LaterOfRow = equation(_LATER.format("i", _ROW), v="n 1", g="n m")
"""The same as a moving average, of which less and less is new."""
LaterOfColumn = equation(_LATER.format("j", _COLUMN), v="1 m", g="n m")
FromRowAndColumn = equation(
    "row[i] * column[j] / max(sum(row[k] for k in n) / n, epsilon)", row="n 1", column="1 m"
)
"""The mean of each number's squares, as its row and its column tell it."""
OverLargerRoot = equation(
    "g[i, j] / max(sqrt(v[i, j]), epsilon)", _OverRoot, whole=True, g="n m", v="n m"
)
RootMeanSquare = equation("sqrt(sum(x[i, j] ** 2 for i in n for j in m) / (n * m))", x="n m")
ClippedByRMS = equation("x[i, j] / max(1, rms / most)", whole=True, x="n m", rms="1 1")
"""No more than a root mean square."""
RelativeStep = equation("max(least, rms) * min(rate, 1 / sqrt(count))", rms="1 1")
"""A step in proportion to a parameter's root mean square."""
RelativeStepBy = RelativeStep._replace(operands=(*RelativeStep.operands, ("rate", "1 1")))


class NormOfNorms(Indexed):
    """The norm of several matrices together, from that of each: √(a² + b² + …). [1, 1], [1, 1], …
    -> [1, 1]"""

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
