"""The step that leads back through another one."""

from __future__ import annotations

from typing import Any

from attncli.arithmetic.operations import Add, Same
from attncli.steps.step import Mistake, Step
from attncli.trace import BackwardPlace, Definition


def _one_use_only(place: BackwardPlace) -> Definition | None:
    """The first of the parts that are added up, instead of their sum."""
    sums = (one for one in place.planned if isinstance(one.operation, Add))
    one = next(sums, None)
    return one and one._replace(operation=Same(), operands=one.operands[:1])


def _handed_on(place: BackwardPlace) -> Definition | None:
    """The gradient of what went out, as it is, instead of what it makes for what went in."""
    for one in place.planned:
        same = one.operation.sides.operands[-1] == one.operation.sides.result
        if same and not isinstance(one.operation, Add | Same):
            return one._replace(operation=Same(), operands=one.operands[-1:])
    return None


_COMMON = (
    Mistake(
        "one_use_only",
        "Taking the gradient of one use only: what is used several times gets the sum of all.",
        _one_use_only,
    ),
    Mistake(
        "handed_on",
        "Handing the gradient on as it is, without what the step did on the way forward.",
        _handed_on,
    ),
)


def step_back(forward: Step[Any], name: str) -> Step[BackwardPlace]:
    """The step of a name by which gradients go back through another step."""
    back = forward.backward
    assert back is not None
    return Step(
        name=name,
        at=BackwardPlace,
        title=f"Backward through {back.through}",
        does=f"takes the gradients back through {back.through}",
        makes=("grad",),
        shapes="the gradient of what was made → the gradients of what it was made of",
        happens=lambda _: (
            "The gradient of what was made, times how much that changes with each number that it"
            " was made of."
        ),
        why=back.why,
        plan=lambda place: place.planned,
        mistakes=(*back.mistakes, *_COMMON),
    )
