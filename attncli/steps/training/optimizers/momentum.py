"""Gradient descent with momentum: v = μ v + g, x − η v (Polyak 1964,
doi:10.1016/0041-5553(64)90137-5), as `torch.optim.SGD(momentum=…)` has it: without dampening, and
the first velocity is the first gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Same, StepDown, TimesPlus
from attncli.scenario.training import UPDATES
from attncli.steps.training.optimizer import (
    Optimizer,
    Parameter,
    mistake,
    share,
    with_decay,
)
from attncli.steps.training.optimizers.sgd import DECAY
from attncli.trace import Definition

_VELOCITY = "velocity"
_KEPT = share("momentum", "0.9", "of momentum: the part μ of the velocity that is kept")


def _plan(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
    decayed = tuple(with_decay(one, said))
    yield from decayed
    gradient = decayed[-1].name if decayed else one.gradient
    velocity = one.made(_VELOCITY)
    if one.update == 1:
        yield Definition(velocity, Same(), (gradient,))
    else:
        operands = (one.made_before(_VELOCITY), gradient)
        yield Definition(velocity, TimesPlus(said["momentum"]), operands)
    yield Definition(one.made(UPDATES), StepDown(said["learning_rate"]), (one.before, velocity))


OPTIMIZER = Optimizer(
    name="momentum",
    happens=(
        "Each parameter has a velocity: a part of the one before, and the gradient. It takes a step"
        " against its velocity: the learning rate times that."
    ),
    plan=_plan,
    settings=(_KEPT, DECAY),
    makes=("decayed", _VELOCITY),
    mistakes=(
        mistake(
            "velocity_forgotten",
            "Leaving out the velocity of before, so that only the gradient counts.",
            TimesPlus,
            lambda one: one._replace(operation=Same(), operands=one.operands[1:]),
        ),
    ),
)
