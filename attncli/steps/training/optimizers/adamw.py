"""AdamW: Adam whose weight decay is no part of the gradient, (1 − η λ) x − η m̂ / (√v̂ + ε)
(Loshchilov & Hutter 2019, arXiv:1711.05101), as `torch.optim.AdamW` has it.

PyTorch's defaults: those of Adam, and λ = 0.01.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Shrink, StepDown
from attncli.scenario.training import UPDATES
from attncli.steps.step import Mistake
from attncli.steps.training.moments import MAKES, MISTAKES, SETTINGS, quotient
from attncli.steps.training.optimizer import Optimizer, Parameter, planned_as, weight_decay
from attncli.steps.training.optimizers.adam import HAPPENS
from attncli.steps.training.optimizers.sgd import DECAY
from attncli.trace import Definition, UpdatePlace

_SHRUNK = "shrunk"


def _plan(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
    *before, last = quotient(one, said, one.gradient)
    yield from (*before, last)
    rate, decay, start = said["learning_rate"], said["weight_decay"], one.before
    if decay.full:
        start = one.made(_SHRUNK)
        yield Definition(start, Shrink(rate, decay), (one.before,))
    yield Definition(one.made(UPDATES), StepDown(rate), (start, last.name))


def _not_shrunk(place: UpdatePlace) -> Definition | None:
    """Without the shrinking: what is left of it where the decay goes another way."""
    shrunk = next((one for one in place.planned if isinstance(one.operation, Shrink)), None)
    if shrunk is None:
        return None
    return planned_as(
        place,
        StepDown,
        lambda one: one._replace(operands=(*shrunk.operands, one.operands[1])),
    )


OPTIMIZER = Optimizer(
    name="adamw",
    happens=f"{HAPPENS} Before that, AdamW shrinks the parameter a little: its weight decay.",
    plan=_plan,
    settings=(*SETTINGS, weight_decay("0.01", DECAY.says)),
    makes=(*MAKES, _SHRUNK),
    mistakes=(
        *MISTAKES,
        Mistake(
            "not_shrunk",
            "Leaving the parameter as it is, without its weight decay.",
            _not_shrunk,
        ),
    ),
)
