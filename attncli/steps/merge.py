"""The heads' outputs together (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2)."""

from __future__ import annotations

from attncli.arithmetic.operations import JoinColumns
from attncli.name import Name, below
from attncli.steps.linear import linear
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _outputs(scope: Scope) -> tuple[Name, ...]:
    attention = scope.attention
    return tuple(below(attention.head_path(head), "output") for head in range(attention.heads))


def _plan(scope: Scope) -> tuple[Making, ...]:
    outputs = _outputs(scope)
    makings: list[Making] = []
    x = outputs[0]
    if len(outputs) > 1:
        makings.append(Making(scope.name("concat"), JoinColumns(len(outputs)), outputs, "merge"))
        x = scope.name("concat")
    if scope.gives("W_O"):
        out_in = scope.attention.linear
        makings.append(linear(scope, "attention", x, "_O", "merge", out_in=out_in))
    return tuple(makings)


def _reversed(scope: Scope) -> Making | None:
    outputs = _outputs(scope)
    if len(outputs) == 1:
        return None
    joined = JoinColumns(len(outputs))
    return Making(scope.name("concat"), joined, tuple(reversed(outputs)), "merge")


def _happens(scope: Scope) -> str:
    told = []
    if scope.attention.heads > 1:
        told.append("The outputs of all heads are set side by side")
    if scope.gives("W_O"):
        told.append("the result is multiplied by W_O" if told else "The output goes through W_O")
    return ", and ".join(told) + "."


STEP = Step(
    name="merge",
    title="Heads together",
    titled=lambda scope: "Heads together" if scope.attention.heads > 1 else "Output projection",
    makes=("concat", "attention"),
    shapes="h outputs [n, d_v] → concat [n, h · d_v] → attention [n, d_model]",
    happens=_happens,
    purpose=(
        "Each head has found something else. Side by side their outputs make one long vector"
        " for each token, and W_O mixes what the heads found into one vector of the model's"
        " width, ready to be added to the token's own."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "heads_in_another_order",
            "Setting the heads' outputs side by side in another order.",
            _reversed,
        ),
    ),
)
