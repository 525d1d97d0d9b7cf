"""The step that leads back through another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attncli.arithmetic.operations import Add
from attncli.name import Name
from attncli.steps.backward.mistakes import HANDED_ON, ONE_USE_ONLY, SCALE_LEFT_OUT
from attncli.steps.step import Mistake, Step
from attncli.trace import BackwardPlace


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
        happens=lambda place: _happens(place) + _not_learned(forward, place),
        why=back.why,
        plan=lambda place: place.planned,
        mistakes=(*back.mistakes, *_common(back.mistakes)),
    )


def _common(own: tuple[Mistake[BackwardPlace], ...]) -> tuple[Mistake[BackwardPlace], ...]:
    """The mistakes of every step; what a scale's has a name for is no other one."""
    return (ONE_USE_ONLY,) if SCALE_LEFT_OUT in own else (ONE_USE_ONLY, HANDED_ON)


def _happens(place: BackwardPlace) -> str:
    """Which gradients come in and which go out, and what these are of."""
    made = {one.name for one in place.planned}
    used = dict.fromkeys(name for one in place.planned for name in one.operands)
    came = [name for name in used if name.inside(place.gradients) and name not in made]
    out = [one.name for one in place.planned if one.name not in used]
    start = f"From {_listed(place, came)}" if came else "The loss has the gradient 1; from it"
    verb = "comes" if len(out) == 1 else "come"
    parts = [one.name for one in place.planned if isinstance(one.operation, Add)]
    summed = f" {_listed(place, parts)} adds up what comes from every use." if parts else ""
    return f"{start} {verb} {_listed(place, out)}.{summed}"


def _not_learned(forward: Step[Any], place: BackwardPlace) -> str:
    """What is given to the step and gets no gradient."""
    assert forward.backward is not None
    fixed, given = forward.backward.fixed, place.scenario
    used = (name for one in forward.planned(place.forward) for name in one.operands)
    left_out = dict.fromkeys(name for name in used if name.local in fixed and given.gives(name))
    if not left_out:
        return ""
    isnt, gets = ("isn't", "gets") if len(left_out) == 1 else ("aren't", "get")
    return f" {_listed(place, [*left_out])} {isnt} learned and {gets} no gradient."


def _listed(place: BackwardPlace, names: Sequence[Name]) -> str:
    *most, last = map(place.here, names)
    return f"{', '.join(most)} and {last}" if most else last
