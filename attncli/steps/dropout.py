"""Dropout of attention weights (Srivastava et al. 2014, JMLR 15; Vaswani et al. 2017, 5.4)."""

from __future__ import annotations

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Dropout, Multiply
from attncli.name import Name, below
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _operands(scope: Scope) -> tuple[Name, Name]:
    return scope.x, below(below(scope.attention.path, "dropout"), "mask")


def _plan(scope: Scope) -> tuple[Making, ...]:
    p = scope.attention.dropout
    if p is None:
        return ()
    operation = Dropout(Number.written(p))
    return (Making(scope.name("dropped"), operation, _operands(scope), "dropout"),)


def _not_scaled(scope: Scope) -> Making | None:
    if scope.attention.dropout is None:
        return None
    return Making(scope.name("dropped"), Multiply(), _operands(scope), "dropout")


STEP = Step(
    name="dropout",
    title="Dropout",
    per_head=True,
    makes=("dropped",),
    shapes="weights [n, m], kept [n, m] → dropped [n, m]",
    happens=lambda scope: (
        "Weights whose place in the given mask is 0 are dropped; the others are"
        f" divided by 1 − p, here with p = {scope.attention.dropout}."
    ),
    purpose=(
        "In training some weights are dropped by chance, so that no token leans on a single"
        " other one. Dividing the rest by 1 − p keeps the sum what it is on average. When the"
        " model is used, nothing is dropped."
    ),
    plan=_plan,
    mistakes=(Mistake("not_scaled", "Forgetting to divide by 1 − p.", _not_scaled),),
)
