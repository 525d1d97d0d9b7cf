"""Taking stacked matrices apart, one run of rows a gate, as PyTorch keeps them."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.arithmetic.operations import Operation, Same, TakeColumns, TakeRun
from attncli.scenario.keys.recurrent import LETTERS
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope

_STACKED = {"x": ("W_ih", "b_ih"), "a": ("W_hh", "b_hh")}


def _plan(scope: Scope) -> tuple[Making, ...]:
    if scope.cell.layout != "torch" or not scope.times:
        return ()
    return tuple(_runs(scope, scope.cell.gate_order))


def _runs(scope: Scope, order: tuple[str, ...]) -> Iterator[Making]:
    letters = tuple(LETTERS[gate] for gate in order) or ("a",)
    for k, letter in enumerate(letters):
        for source, (W, b) in _STACKED.items():
            yield _run(scope, f"W_{letter}{source}", W, TakeRun(k, len(letters)), len(letters))
            if scope.scenario.gives(scope.weights(b)):
                run = TakeColumns(k, len(letters), "gates")
                yield _run(scope, f"b_{letter}{source}", b, run, len(letters))


def _run(scope: Scope, made: str, stacked: str, run: Operation, count: int) -> Making:
    operation = run if count > 1 else Same()
    return Making(scope.name(made), operation, (scope.weights(stacked),), "unstack")


def _other_order(scope: Scope) -> Making | None:
    """The first gate's weights taken from where the second one's are."""
    order = scope.cell.gate_order
    if scope.cell.layout != "torch" or not order:
        return None
    return next(_runs(scope, (order[1], order[0], *order[2:])))


STEP = Step(
    name="unstack",
    title="Gates out of the stack",
    makes=tuple(f"{kind}_{x}{y}" for kind in "Wb" for x in "aufrco" for y in "xa"),
    shapes="W_ih [gates · h, d], W_hh [gates · h, h] → a W [h, d] and a W [h, h] for each gate",
    happens=lambda _: "Each gate takes its own run of rows of the stacked matrices.",
    purpose=(
        "Programs keep the matrices of all gates in one, so that a single product does for all"
        " of them. By hand it is clearer to take them apart first. The order of the gates is a"
        " convention that differs from library to library."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "gates_in_another_order",
            "Taking the gates' weights out of the stack in another order than they are in.",
            _other_order,
        ),
    ),
)
