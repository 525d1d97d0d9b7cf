"""One token's vector, and what a plain cell makes of it: W_ax x[t]."""

from __future__ import annotations

from attncli.arithmetic.operations import RowAsColumn
from attncli.steps.cells import at_time, matrix, product, rows, turned
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _plan(scope: Scope) -> tuple[Making, ...]:
    if not scope.time:
        return ()
    key = rows(scope).index(scope.time - 1)
    operation = RowAsColumn(scope.time - 1, key)
    x = Making(scope.timed("x"), operation, (scope.x,), "input")
    if scope.cell.kind != "rnn":
        return (x,)
    return x, product(scope, scope.timed("ax"), (matrix(scope, "W_ax"), x.name), "input")


def _happens(scope: Scope) -> str:
    if scope.cell.kind != "rnn":
        return "The token's vector is the cell's input."
    return "The token's vector is the cell's input, and is multiplied by the weights of the input."


def _transposed(scope: Scope) -> Making | None:
    if scope.cell.kind != "rnn":
        return None
    operands = (matrix(scope, "W_ax"), scope.timed("x"))
    return turned(scope, scope.timed("ax"), operands, "input")


STEP = Step(
    name="input",
    title="Input",
    titled=at_time("Input"),
    makes=("x", "ax"),
    shapes="X [n, d] → x[t] [d]; W_ax [h, d], x[t] [d] → W_ax x[t] [h]",
    happens=_happens,
    purpose=(
        "A recurrent cell reads one token at a time. What is new at a time is that token's"
        " vector; W_ax draws from it what is worth remembering, one dot product for each number"
        " of the memory."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "W_ax_transposed",
            "Multiplying the input by the columns of W_ax instead of its rows.",
            _transposed,
        ),
    ),
)
