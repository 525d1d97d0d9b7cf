"""The update: each parameter takes a step against its gradient."""

from __future__ import annotations

from attncli.arithmetic.expression import ONE, Number
from attncli.arithmetic.operations import ClipFactor, Same, StepDown, TimesNumber
from attncli.file.keys import Key
from attncli.scenario.training import UPDATES
from attncli.steps.step import Mistake, Step
from attncli.steps.training.optimizer import mistake, planned_as
from attncli.steps.training.optimizers import optimizer_named, optimizers
from attncli.steps.training.settings import TRAIN
from attncli.trace import Definition, UpdatePlace


def _happens(place: UpdatePlace) -> str:
    training = place.scenario.training
    if training is None:  # in general
        return optimizer_named("sgd").happens
    told = optimizer_named(training.optimizer).happens
    if training.clip is None:
        return told
    return (
        "The gradients are clipped: if the norm of all of them together is more than"
        f" {training.clip}, all are made smaller by the same factor. {told}"
    )


def _step(one: Definition, rate: Number | None = None, *, up: bool = False) -> Definition:
    assert isinstance(one.operation, StepDown)
    return one._replace(operation=StepDown(one.operation.rate if rate is None else rate, up))


def _clipped_always(place: UpdatePlace) -> Definition | None:
    training = place.scenario.training
    if training is None or training.clip is None:
        return None
    always = ClipFactor(Number.written(training.clip), always=True)
    return planned_as(place, ClipFactor, lambda one: one._replace(operation=always))


STEP = Step(
    name="update",
    at=UpdatePlace,
    keys=(
        Key(
            "train",
            TRAIN,
            "how the parameters are trained: after the gradients each of them is updated, and the"
            " model is worked again, for so many steps",
        ),
    ),
    title="Update",
    does="moves each parameter against its gradient, as an optimizer does it",
    makes=(
        UPDATES,
        "grad_norm",
        "clip_factor",
        "clipped",
        *dict.fromkeys(name for one in optimizers() for name in one.makes),
    ),
    shapes="a parameter and its gradient → the updated parameter",
    happens=_happens,
    why=(
        "A gradient says how the loss grows with each number; a small step the other way makes it"
        " smaller."
    ),
    plan=lambda place: place.planned,
    mistakes=(
        mistake(
            "gradient_added",
            "Adding the gradient instead of taking it away, which makes the loss larger.",
            StepDown,
            lambda one: _step(one, up=True),
        ),
        mistake(
            "learning_rate_left_out",
            "Taking away the whole gradient, without the learning rate.",
            StepDown,
            lambda one: _step(one, rate=ONE),
        ),
        mistake(
            "not_clipped",
            "Going on with the gradients as they are, though their norm is more than it may be.",
            TimesNumber,
            lambda one: one._replace(operation=Same(), operands=one.operands[1:]),
        ),
        Mistake(
            "clipped_always",
            "Scaling the gradients to the largest norm also where theirs is smaller.",
            _clipped_always,
        ),
        *{one.name: one for optimizer in optimizers() for one in optimizer.mistakes}.values(),
    ),
)
