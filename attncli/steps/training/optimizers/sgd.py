"""Gradient descent: x − η g (Robbins & Monro 1951), as `torch.optim.SGD` has it.

PyTorch's defaults: no momentum, no weight decay; its decay is added to the gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import StepDown
from attncli.scenario.training import UPDATES
from attncli.steps.training.optimizer import (
    Optimizer,
    Parameter,
    weight_decay,
    with_decay,
)
from attncli.trace import Definition

DECAY = weight_decay(
    "0", "of sgd, momentum and adam: λ, by which λ times the parameter is added to its gradient; "
    "of adamw: λ, by which the parameter shrinks by learning_rate × λ, 0.01 by default"
)  # fmt: skip


def _plan(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
    decayed = tuple(with_decay(one, said))
    yield from decayed
    gradient = decayed[-1].name if decayed else one.gradient
    yield Definition(one.made(UPDATES), StepDown(said["learning_rate"]), (one.before, gradient))


OPTIMIZER = Optimizer(
    name="sgd",
    happens="Each parameter takes a step against its gradient: the learning rate times that.",
    plan=_plan,
    settings=(DECAY,),
    makes=("decayed",),
    goes_down=True,
)
