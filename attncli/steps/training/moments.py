"""The moving averages of Adam and AdamW: of the gradient and of its square, each begun at 0 and
corrected for that (Kingma & Ba 2015, arXiv:1412.6980, algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import (
    FirstAverage,
    MovingAverage,
    OverRoot,
    Same,
    WithoutBias,
)
from attncli.file.keys import Key
from attncli.file.kinds import POSITIVE
from attncli.name import Name
from attncli.steps.step import Mistake
from attncli.steps.training.optimizer import Parameter, mistake, planned_as, share
from attncli.trace import Definition, UpdatePlace

SETTINGS = (
    share("beta1", "0.9", "of adam and adamw: the part of the gradients' average that is kept"),
    share("beta2", "0.999", "of adam and adamw: the same of the average of their squares"),
    Key(
        "epsilon",
        POSITIVE,
        "of adam and adamw: ε, added to the root that is divided by",
        Decimal("0.00000001"),
    ),
)
"""PyTorch's defaults, and those of the paper: β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸."""
MAKES = ("m", "v", "m_hat", "v_hat", "quotient")


def quotient(one: Parameter, said: Mapping[str, Number], gradient: Name) -> Iterator[Definition]:
    """m̂ / (√v̂ + ε), and before it all that it is made of."""
    for what, beta, squared in (("m", "beta1", False), ("v", "beta2", True)):
        average, corrected = one.made(what), one.made(f"{what}_hat")
        if one.update == 1:
            yield Definition(average, FirstAverage(said[beta], squared), (gradient,))
        else:
            operands = (one.made_before(what), gradient)
            yield Definition(average, MovingAverage(said[beta], squared), operands)
        yield Definition(corrected, WithoutBias(said[beta], one.update), (average,))
    operands = (one.made("m_hat"), one.made("v_hat"))
    yield Definition(one.made("quotient"), OverRoot(said["epsilon"]), operands)


def _as_it_is(one: Definition) -> Definition:
    return one._replace(operation=Same())


def _not_corrected(place: UpdatePlace) -> Definition | None:
    return planned_as(place, WithoutBias, _as_it_is)


def _neither_corrected(place: UpdatePlace) -> tuple[Definition, ...]:
    averages = [one for one in place.planned if isinstance(one.operation, WithoutBias)]
    return tuple(map(_as_it_is, averages[1:]))


def _inside(one: Definition) -> Definition:
    assert isinstance(one.operation, OverRoot)
    return one._replace(operation=one.operation.inside)


MISTAKES = (
    Mistake(
        "bias_not_corrected",
        "Leaving out the correction of the averages, which began at 0 and are too small at first.",
        _not_corrected,
        also=_neither_corrected,
    ),
    mistake(
        "epsilon_inside_the_root",
        "Adding ε inside the root instead of to it.",
        OverRoot,
        _inside,
    ),
)
