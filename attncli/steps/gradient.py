"""What a gradient is multiplied by on its way back through time: ∏ W_aaᵀ diag(1 − a²).

Bengio et al. 1994; Pascanu et al. 2013, arXiv:1211.5063.
"""

from __future__ import annotations

from attncli.arithmetic.operations import (
    ColumnsAsRows,
    FrobeniusNorm,
    MatMul,
    ReluSlope,
    Same,
    TanhSlope,
    TimesDiagonal,
)
from attncli.steps.cells import at_time, matrix, rows
from attncli.steps.step import Mistake, Step
from attncli.trace import Axis, Making, Scope


def _plan(scope: Scope) -> tuple[Making, ...]:
    if not scope.time or not scope.cell.gradient:
        return ()
    slope, factor = scope.timed("slope"), scope.timed("factor")
    tanh = scope.cell.activation == "tanh"
    sloped = (TanhSlope(), scope.timed("a")) if tanh else (ReluSlope(), scope.timed("z"))
    last = scope.time == (1 if scope.way == "backward" else scope.times)
    own = _step_factor(scope, in_out=scope.cell.in_out)
    later = 2 * scope.time - scope.before
    chained = (
        Making(factor, Same(), (own.name,), "gradient")
        if last
        else Making(factor, MatMul(), (own.name, scope.timed("factor", later)), "gradient")
    )
    norm = Making(scope.timed("factor_norm"), FrobeniusNorm(), (factor,), "gradient")
    made = (Making(slope, sloped[0], (sloped[1],), "gradient"), own, chained, norm)
    first = scope.time == (scope.times if scope.way == "backward" else 1)
    return (*made, _norms(scope)) if first else made


def _norms(scope: Scope) -> Making:
    """How large the factor is at each time, one row a token."""
    columns = tuple(scope.timed("factor_norm", time) for time in range(1, scope.times + 1))
    operation, figure = ColumnsAsRows(scope.times), Axis((), "")
    return Making(
        scope.name("factor_norms"), operation, columns, "gradient",
        rows=rows(scope), columns=figure,
    )  # fmt: skip


def _step_factor(scope: Scope, *, in_out: bool) -> Making:
    operands = (matrix(scope, "W_aa"), scope.timed("slope"))
    return Making(scope.timed("step_factor"), TimesDiagonal(in_out), operands, "gradient")


def _happens(scope: Scope) -> str:
    start = "first" if scope.way == "backward" else "last"
    slope = {
        "tanh": "that of tanh is 1 − a²",
        "relu": "that of relu is 1 where z is above 0, else 0",
    }
    return (
        f"On its way back from the {start} token that was read a gradient is multiplied, at each"
        " time, by W_aa transposed and the slope of the activation there;"
        f" {slope[scope.cell.activation]}."
    )


STEP = Step(
    name="gradient",
    title="Gradient factor",
    titled=at_time("Gradient factor"),
    makes=("slope", "step_factor", "factor", "factor_norm", "factor_norms"),
    shapes="W_aa [h, h], a[t] [h] → factor[t] [h, h]",
    happens=_happens,
    purpose=(
        "Learning goes backward through time: the error after the last token is multiplied by one"
        " such factor for each token. Factors smaller than 1 make it vanish, so that early words"
        " teach nothing; larger ones make it explode."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "W_aa_not_transposed",
            "Multiplying by W_aa itself instead of W_aaᵀ.",
            lambda scope: _step_factor(scope, in_out=not scope.cell.in_out),
        ),
    ),
)
