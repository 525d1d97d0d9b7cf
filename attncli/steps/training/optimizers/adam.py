"""Adam: x − η m̂ / (√v̂ + ε) (Kingma & Ba 2015, arXiv:1412.6980), as `torch.optim.Adam` has it.

PyTorch's defaults: β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸, no weight decay; its decay is added to the
gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import StepDown
from attncli.scenario.training import UPDATES
from attncli.steps.training.moments import MAKES, MISTAKES, SETTINGS, quotient
from attncli.steps.training.optimizer import Optimizer, Parameter, with_decay
from attncli.steps.training.optimizers.sgd import DECAY
from attncli.trace import Definition


def _plan(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
    decayed = tuple(with_decay(one, said))
    yield from decayed
    gradient = decayed[-1].name if decayed else one.gradient
    *before, last = quotient(one, said, gradient)
    yield from (*before, last)
    yield Definition(one.made(UPDATES), StepDown(said["learning_rate"]), (one.before, last.name))


HAPPENS = (
    "Adam keeps two moving averages for each number: m of its gradients and v of their squares."
    " Both begin at 0, and are corrected for that. The step goes against m, over the root of v:"
    " about as long for a small gradient as for a large one."
)
OPTIMIZER = Optimizer(
    name="adam",
    happens=HAPPENS,
    plan=_plan,
    settings=(*SETTINGS, DECAY),
    makes=("decayed", *MAKES),
    mistakes=MISTAKES,
)
