"""What is read out of the memory: W_ya a[t] + b_y, through a sigmoid or a softmax."""

from __future__ import annotations

from attncli.arithmetic.operations import (
    Activate,
    AddUp,
    DivideByRow,
    Down,
    Exponential,
    RowAsColumn,
    RowSum,
)
from attncli.name import Name, below
from attncli.steps.cells import at_time, product, rows
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _plan(scope: Scope) -> tuple[Making, ...]:
    W = below(scope.layer.path, "W_ya")
    if not scope.time or not scope.scenario.gives(W):
        return ()
    makings = list(_seen(scope))
    state = makings[-1].name if makings else scope.timed("a")
    makings.append(product(scope, scope.timed("ya"), (W, state), "readout"))
    if _bias(scope):
        operands = (scope.timed("ya"), *_bias(scope))
        makings.append(Making(scope.timed("z_y"), AddUp(0, 1, 1), operands, "readout"))
    return (*makings, *_squashed(scope, makings[-1].name))


def _seen(scope: Scope) -> tuple[Making, ...]:
    """Of a layer that goes both ways, its two states at a time as one."""
    if scope.cell.direction != "both":
        return ()
    operation = RowAsColumn(scope.time - 1, rows(scope).index(scope.time - 1))
    return (Making(scope.timed("s"), operation, (scope.name("states"),), "readout"),)


def _bias(scope: Scope) -> tuple[Name, ...]:
    b = below(scope.layer.path, "b_y")
    return (b,) if scope.scenario.gives(b) else ()


def _squashed(scope: Scope, z: Name) -> tuple[Making, ...]:
    y = scope.timed("y")
    if scope.cell.readout == "sigmoid":
        return (Making(y, Activate("sigmoid"), (z,), "readout"),)
    if scope.cell.readout == "none":
        return ()
    rounding = scope.scenario.rounding.of_quantity("readout", scope.timed("y_exp"))
    exp, total = scope.timed("y_exp"), scope.timed("y_sum")
    raised = Down(Exponential(rounding.decimals, rounding.carries))
    return (
        Making(exp, raised, (z,), "readout"),
        Making(total, Down(RowSum()), (exp,), "readout"),
        Making(y, Down(DivideByRow()), (exp, total), "readout"),
    )


def _without_bias(scope: Scope) -> Making | None:
    if not _bias(scope) or scope.cell.readout != "sigmoid":
        return None
    return Making(scope.timed("y"), Activate("sigmoid"), (scope.timed("ya"),), "readout")


_HAPPENS = {
    "sigmoid": "The state is multiplied by the weights of the read-out; a sigmoid makes a"
    " probability of it.",
    "softmax": "The state is multiplied by the weights of the read-out; a softmax makes"
    " probabilities of it.",
    "none": "The state is multiplied by the weights of the read-out.",
}

STEP = Step(
    name="readout",
    title="Read-out",
    titled=at_time("Read-out"),
    makes=("s", "ya", "z_y", "y_exp", "y_sum", "y"),
    shapes="W_ya [k, h], a[t] [h] → y[t] [k]",
    happens=lambda scope: _HAPPENS[scope.cell.readout],
    purpose=(
        "The memory means nothing to anybody outside. W_ya draws an answer from it: one number"
        " that a sigmoid turns into a probability, or one for each class, of which a softmax"
        " makes probabilities that add up to 1."
    ),
    plan=_plan,
    mistakes=(
        Mistake("bias_forgotten", "Leaving out the bias b_y of the read-out.", _without_bias),
    ),
)
