"""What an update did to the loss, beside what the gradient predicted."""

from __future__ import annotations

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import DifferenceOf, SquaresTimes
from attncli.steps.step import Mistake, Step
from attncli.steps.training.optimizer import planned_as
from attncli.trace import Definition, UpdatePlace


def _turned_round(place: UpdatePlace) -> Definition | None:
    """The loss before less the loss now."""
    return planned_as(place, DifferenceOf, lambda one: one._replace(operands=one.operands[::-1]))


def _not_squared(place: UpdatePlace) -> Definition | None:
    """−η ‖∂‖"""
    training = place.scenario.training
    if training is None:
        return None
    norm = SquaresTimes(Number.written(training.learning_rate), root=True)
    return planned_as(place, SquaresTimes, lambda one: one._replace(operation=norm))


STEP = Step(
    name="progress",
    at=UpdatePlace,
    title="Progress",
    titled=lambda place: f"Progress after update {place.update}",
    does="tells how much smaller the loss has become",
    makes=("promised", "change"),
    shapes="the loss before and after, the gradients and the updates → promised, change",
    happens=lambda _: (
        "It is each number's gradient, times how far that number was moved, all added up."
    ),
    why="What the gradient predicts of an update is true of small steps only.",
    plan=lambda place: place.planned,
    mistakes=(
        Mistake(
            "turned_round",
            "Taking the loss now from the loss before, so that a loss that falls seems to grow.",
            _turned_round,
        ),
        Mistake(
            "not_squared",
            "Multiplying the learning rate by the norm of the gradient, instead of by its square.",
            _not_squared,
        ),
    ),
)
