"""AdamW: Adam whose weight decay is no part of the gradient, (1 − η λ) x − η m̂ / (√v̂ + ε)
(Loshchilov & Hutter 2019, arXiv:1711.05101), as `torch.optim.AdamW` has it.

PyTorch's defaults: those of Adam, and λ = 0.01.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import Number, Product, Sum, rewritten
from attncli.arithmetic.operations import FirstAverage, MovingAverage, Same, Shrink, StepDown
from attncli.arithmetic.operations.indexed import Indexed
from attncli.scenario.training import UPDATES
from attncli.steps.step import Mistake
from attncli.steps.training.moments import MAKES, MISTAKES, SETTINGS, quotient
from attncli.steps.training.optimizer import Optimizer, Parameter, weight_decay
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


class _Decayed(NamedTuple):
    """What an update makes of one parameter: the averages, the shrunk parameter, the step."""

    averages: tuple[Definition, ...]
    shrunk: Definition
    step: Definition

    @property
    def not_shrunk(self) -> Definition:
        """The step from where the parameter is."""
        return self.step._replace(operands=(*self.shrunk.operands, self.step.operands[1]))

    def as_gradient(self) -> Iterator[Definition]:
        """All with λ x as a part of the gradient, and no shrinking, as Adam has it."""
        assert isinstance(self.shrunk.operation, Shrink)
        for one in self.averages:
            assert isinstance(one.operation, Indexed)
            average = _of_decayed(one.operation, self.shrunk.operation.decay)
            yield one._replace(operation=average, operands=(*one.operands, *self.shrunk.operands))
        yield self.shrunk._replace(operation=Same())
        yield self.not_shrunk


def _of_decayed(average: Indexed, decay: Number) -> Indexed:
    """An average of g + λ x, of one of g; x is an operand more."""
    count = len(average.sides.operands)
    gradient, x = cell(count - 1, "i", "j"), cell(count, "i", "j")
    decayed = Sum((gradient, Product((decay, x))))
    tree = rewritten(average.tree, lambda node: decayed if node == gradient else None)
    return Indexed(f"{', '.join(['n m'] * (count + 1))} -> n m", tree)


def _decayed(place: UpdatePlace) -> Iterator[_Decayed]:
    """Each parameter that is shrunk."""
    averages, shrunk = list[Definition](), None
    for one in place.planned:
        if isinstance(one.operation, FirstAverage | MovingAverage):
            averages.append(one)
        elif isinstance(one.operation, Shrink):
            shrunk = one
        elif isinstance(one.operation, StepDown) and shrunk is not None:
            yield _Decayed(tuple(averages), shrunk, one)
            averages, shrunk = [], None


def _mistake(
    name: str, says: str, wrong: Callable[[_Decayed], Iterable[Definition]]
) -> Mistake[UpdatePlace]:
    """One that is made alike with each parameter."""

    def made(place: UpdatePlace) -> tuple[Definition, ...]:
        return tuple(definition for one in _decayed(place) for definition in wrong(one))

    return Mistake(
        name, says, lambda place: next(iter(made(place)), None), also=lambda place: made(place)[1:]
    )


OPTIMIZER = Optimizer(
    name="adamw",
    happens=f"{HAPPENS} Before that, AdamW shrinks the parameter a little: its weight decay.",
    plan=_plan,
    settings=(*SETTINGS, weight_decay("0.01", DECAY.says)),
    makes=(*MAKES, _SHRUNK),
    mistakes=(
        *MISTAKES,
        _mistake(
            "not_shrunk",
            "Leaving the parameter as it is, without its weight decay.",
            lambda one: (one.not_shrunk,),
        ),
        _mistake(
            "decay_in_the_gradient",
            "Adding the weight decay to the gradient, as Adam has it, instead of shrinking the"
            " parameter.",
            _Decayed.as_gradient,
        ),
    ),
)
