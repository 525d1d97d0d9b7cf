"""The step that leads back through another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attncli.arithmetic.expression import Apply, each
from attncli.arithmetic.operations import Add
from attncli.arithmetic.operations.indexed import Indexed
from attncli.name import Name
from attncli.steps.backward.mistakes import made_in
from attncli.steps.step import Step
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
        happens=lambda place: _happens(place) + _of_a_step(place) + _not_learned(forward, place),
        why=back.why,
        plan=lambda place: place.planned,
        mistakes=made_in(back),
        on_the_way=forward.on_the_way,
        read_first=back.read_first,
        told_once=forward.told_once or back.told_once,
        shown_with=back.shown_with or forward.shown_with,
        example=back.example,
    )


def _happens(place: BackwardPlace) -> str:
    """Where the gradients that come in go to: the quantities that get theirs from them."""
    made = {one.name for one in place.planned}
    used = {name for one in place.planned for name in one.operands}
    came = _of(place, [name for name in _worked_with(place) if name not in made])
    out = _of(place, [one.name for one in place.planned if one.name not in used])
    sums = _of(place, [one.name for one in place.planned if isinstance(one.operation, Add)])
    added = f" That of {_listed(sums)} adds up what comes from every use." if sums else ""
    goes = "The gradients go" if len(came) > 1 else "The gradient goes"
    return f"{goes} to {_listed(out)}.{added}"


def _worked_with(place: BackwardPlace) -> Iterator[Name]:
    """The gradients that others are made of, besides the parts that are only added up."""
    for one in place.planned:
        if not isinstance(one.operation, Add):
            yield from (name for name in one.operands if name.inside(place.gradients))


def _of_a_step(place: BackwardPlace) -> str:
    """What the slope of a ReLU is, where one of the equations has it."""
    trees = (one.operation.tree for one in place.planned if isinstance(one.operation, Indexed))
    has_one = any(node.function == "step" for tree in trees for node in each(tree, Apply))
    return " step is 1 above 0, and else 0." if has_one else ""


def _not_learned(forward: Step[Any], place: BackwardPlace) -> str:
    """What is given to the step and gets no gradient."""
    assert forward.backward is not None
    fixed, given = forward.backward.fixed, place.scenario
    used = (name for one in forward.planned(place.forward) for name in one.operands)
    left_out = dict.fromkeys(name for name in used if name.local in fixed and given.gives(name))
    if not left_out:
        return ""
    isnt, gets = ("isn't", "gets") if len(left_out) == 1 else ("aren't", "get")
    return (
        f" {_listed([*map(place.forward.here, left_out)])} {isnt} learned and {gets} no gradient."
    )


def _of(place: BackwardPlace, gradients: Iterable[Name]) -> list[str]:
    """What gradients are of, each once: of `grad.X.Q`, which comes to X by Q, it's X."""
    known = place.scenario.shapes
    of = (name.seen_from(place.gradients) for name in gradients)
    wholes = (next((one for one in name.places if one in known), name) for name in of)
    return [*dict.fromkeys(map(place.forward.here, wholes))]


def _listed(names: Sequence[str]) -> str:
    """a, b and c"""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
