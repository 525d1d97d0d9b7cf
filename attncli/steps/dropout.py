"""Dropout of attention weights (Srivastava et al. 2014, JMLR 15; Vaswani et al. 2017, 5.4)."""

from __future__ import annotations

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Dropout, Multiply
from attncli.name import Name, below
from attncli.steps.step import Mistake, Step
from attncli.trace import Definition, Place


def _operands(place: Place) -> tuple[Name, Name]:
    return place.x, below(below(place.attention.path, "dropout"), "mask")


def _plan(place: Place) -> tuple[Definition, ...]:
    p = place.attention.dropout
    if p is None:
        return ()
    operation = Dropout(Number.written(p))
    return (Definition(place.name("dropped"), operation, _operands(place), "dropout"),)


def _not_scaled(place: Place) -> Definition | None:
    if place.attention.dropout is None:
        return None
    return Definition(place.name("dropped"), Multiply(), _operands(place), "dropout")


STEP = Step(
    name="dropout",
    title="Dropout",
    per_head=True,
    makes=("dropped",),
    shapes="weights [n, m], kept [n, m] → dropped [n, m]",
    happens=lambda place: (
        "Weights whose place in the given mask is 0 are dropped; the others are"
        f" divided by 1 − p, here with p = {place.attention.dropout}."
    ),
    purpose=(
        "In training some weights are dropped by chance, so that no token leans on a single"
        " other one. Dividing the rest by 1 − p keeps the sum what it is on average. When the"
        " model is used, nothing is dropped."
    ),
    plan=_plan,
    mistakes=(Mistake("not_scaled", "Forgetting to divide by 1 − p.", _not_scaled),),
)
