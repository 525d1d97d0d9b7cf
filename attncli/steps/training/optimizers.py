"""How parameters are updated: SGD, momentum, Adam and AdamW.

* sgd: gradient descent: x − η g (Robbins & Monro 1951), as `torch.optim.SGD` has it. PyTorch's
  defaults: no momentum, no weight decay; its decay is added to the gradient.
* momentum: gradient descent with momentum: v = μ v + g, x − η v (Polyak 1964,
  doi:10.1016/0041-5553(64)90137-5), as `torch.optim.SGD(momentum=…)` has it: without dampening, and
  the first velocity is the first gradient.
* moments: the moving averages of Adam and AdamW: of the gradient and of its square, each begun at 0
  and corrected for that (Kingma & Ba 2015, arXiv:1412.6980, algorithm 1).
* adam: x − η m̂ / (√v̂ + ε) (Kingma & Ba 2015, arXiv:1412.6980), as `torch.optim.Adam` has
  it. PyTorch's defaults: β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸, no weight decay; its decay is added to the
  gradient.
* adamw: Adam whose weight decay is no part of the gradient, (1 − η λ) x − η m̂ / (√v̂ + ε)
  (Loshchilov & Hutter 2019, arXiv:1711.05101), as `torch.optim.AdamW` has it. PyTorch's defaults:
  those of Adam, and λ = 0.01.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations.moved import Same
from attncli.arithmetic.operations.optimizing import (
    FirstAverage,
    FirstSquares,
    MovingAverage,
    MovingSquares,
    OverRoot,
    PlusTimes,
    Shrink,
    StepDown,
    TimesPlus,
    WithoutBias,
)
from attncli.arithmetic.operations.texts import is_a
from attncli.file.keys import Key
from attncli.file.kinds import POSITIVE, NumberKind
from attncli.name import Name
from attncli.scenario.training import UPDATES, Training, after_updates
from attncli.steps.mistakes import all_wrong, by, left_out, swap
from attncli.steps.step import Mistake
from attncli.trace import Definition, UpdatePlace

_SHARE = NumberKind(least=0, below=1)


def share(name: str, default: str, says: str) -> Key[Any]:
    """A setting from 0 to below 1."""
    return Key(name, _SHARE, says, Decimal(default))


def weight_decay(default: str, says: str) -> Key[Any]:
    """How strongly parameters are drawn towards 0, which each optimizer does in its way."""
    return Key("weight_decay", NumberKind(least=0), says, Decimal(default))


class Parameter(NamedTuple):
    """A parameter at an update, from 1: what it is called, what it is before that update, and the
    gradient that moves it."""

    name: Name
    before: Name
    gradient: Name
    update: int

    def made(self, what: str) -> Name:
        """Something of it that this update makes: `m.W_Q`, `train[1].m.W_Q`."""
        return self._of(what, self.update)

    def made_before(self, what: str) -> Name:
        """The same of the update before."""
        return self._of(what, self.update - 1)

    def _of(self, what: str, update: int) -> Name:
        return self.name.under(Name(what, after_updates(update - 1)))


Said = Mapping[str, Number]


class Optimizer(NamedTuple):
    """A way to update parameters.

    `direction` makes what a step goes against, last, of a gradient and the settings; without it
    that is the gradient itself. `happens` says what is done, `makes` names the quantities besides
    the update, and `mistakes` are those that people make with it. A weight decay λ adds λ times the
    parameter to its gradient, or `shrinks` the parameter.
    """

    name: str
    happens: str
    direction: Callable[[Parameter, Said, Name], Iterator[Definition]] | None = None
    settings: tuple[Key[Any], ...] = ()
    makes: tuple[str, ...] = ()
    mistakes: tuple[Mistake[UpdatePlace], ...] = ()
    shrinks: bool = False

    def planned(self, one: Parameter, said: Said) -> Iterator[Definition]:
        """All that an update makes of a parameter, last its new value."""
        rate, decay = said["learning_rate"], said["weight_decay"]
        gradient, start = one.gradient, one.before
        if decay.full and not self.shrinks:
            gradient = one.made("decayed")
            yield Definition(gradient, PlusTimes(decay), (one.gradient, one.before))
        made = () if self.direction is None else tuple(self.direction(one, said, gradient))
        yield from made
        if decay.full and self.shrinks:
            start = one.made("shrunk")
            yield Definition(start, Shrink(rate, decay), (one.before,))
        against = made[-1].name if made else gradient
        yield Definition(one.made(UPDATES), StepDown(rate), (start, against))

    def is_plain(self, training: Training) -> bool:
        """Whether each step is −η times the gradient, and nothing else."""
        decay = self.settings_of(training).get("weight_decay")
        return self.direction is None and training.clip is None and not (decay and decay.full)

    def settings_of(self, training: Training) -> dict[str, Number]:
        """The settings as they are said, or else as they are by default."""
        said = {key.name: training.settings.get(key.name, key.default) for key in self.settings}
        numbers = {name: Number.written(value) for name, value in said.items() if value is not None}
        return {"learning_rate": Number.written(training.learning_rate), **numbers}


DECAY = weight_decay(
    "0", "of sgd, momentum and adam: λ, by which λ times the parameter is added to its gradient; "
    "of adamw: λ, by which the parameter shrinks by learning_rate × λ, 0.01 by default"
)  # fmt: skip
SGD = Optimizer(
    name="sgd",
    happens="Each parameter takes a step against its gradient: the learning rate times that.",
    settings=(DECAY,),
    makes=("decayed",),
)


_VELOCITY = "velocity"
_KEPT = share("momentum", "0.9", "of momentum: the part μ of the velocity that is kept")


def _velocity(one: Parameter, said: Said, gradient: Name) -> Iterator[Definition]:
    velocity = one.made(_VELOCITY)
    if one.update == 1:
        yield Definition(velocity, Same(), (gradient,))
    else:
        operands = (one.made_before(_VELOCITY), gradient)
        yield Definition(velocity, TimesPlus(said["momentum"]), operands)


MOMENTUM = Optimizer(
    name="momentum",
    happens=(
        "Each parameter has a velocity: a part of the one before, and the gradient. It takes a step"
        " against its velocity: the learning rate times that."
    ),
    direction=_velocity,
    settings=(_KEPT, DECAY),
    makes=("decayed", _VELOCITY),
    mistakes=(
        Mistake(
            "velocity_forgotten",
            "Leaving out the velocity of before, so that only the gradient counts.",
            all_wrong(by(Same(), 1), TimesPlus),
        ),
    ),
)


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


def quotient(one: Parameter, said: Said, gradient: Name) -> Iterator[Definition]:
    """m̂ / (√v̂ + ε), and before it all that it is made of."""
    for what, beta, first, later in (
        ("m", "beta1", FirstAverage, MovingAverage),
        ("v", "beta2", FirstSquares, MovingSquares),
    ):
        average, corrected = one.made(what), one.made(f"{what}_hat")
        if one.update == 1:
            yield Definition(average, first(said[beta]), (gradient,))
        else:
            operands = (one.made_before(what), gradient)
            yield Definition(average, later(said[beta]), operands)
        yield Definition(corrected, WithoutBias(said[beta], one.update), (average,))
    operands = (one.made("m_hat"), one.made("v_hat"))
    yield Definition(one.made("quotient"), OverRoot(said["epsilon"]), operands)


MISTAKES: tuple[Mistake[UpdatePlace], ...] = (
    Mistake(
        "bias_not_corrected",
        "Leaving out the correction of the averages, which began at 0 and are too small at first.",
        all_wrong(left_out, WithoutBias),
    ),
    Mistake(
        "epsilon_inside_the_root",
        "Adding ε inside the root instead of to it.",
        all_wrong(swap("sqrt(v[i, j]) + epsilon", "sqrt(v[i, j] + epsilon)"), OverRoot),
    ),
)


HAPPENS = (
    "Adam keeps two moving averages for each number: m of its gradients and v of their squares."
    " Both begin at 0, and are corrected for that. The step goes against m, over the root of v:"
    " about as long for a small gradient as for a large one."
)
ADAM = Optimizer(
    name="adam",
    happens=HAPPENS,
    direction=quotient,
    settings=(*SETTINGS, DECAY),
    makes=("decayed", *MAKES),
    mistakes=MISTAKES,
)


def _not_shrunk(step: Definition, place: UpdatePlace) -> Definition | None:
    """The step from where the parameter is."""
    shrunk = (one for one in place.planned if one.name == step.operands[0])
    before = next((one.operands for one in shrunk if is_a(one.operation, Shrink)), None)
    return step._replace(operands=(*before, step.operands[1])) if before else None


def _decay_in_the_gradient(one: Definition, place: UpdatePlace) -> Definition | None:
    """All with λ x as a part of the gradient, and no shrinking, as Adam has it."""
    if is_a(one.operation, StepDown):
        return _not_shrunk(one, place)
    if is_a(one.operation, Shrink):
        return left_out(one, place)
    later: Iterator[Any] = iter(place.planned[place.planned.index(one) :])
    shrunk = next((other for other in later if is_a(other.operation, Shrink)), None)
    if shrunk is None or not is_a(one.operation, *_AVERAGES) or one.operation.equation is None:
        return None
    text, (_, decay) = one.operation.equation, shrunk.operation.numbers
    text = text._replace(operands=(*text.operands, ("x", "n m")))
    decayed = text.swap("g[i, j]", "g[i, j] + decay * x[i, j]")(*one.operation.numbers, decay)
    return one._replace(operation=decayed, operands=(*one.operands, *shrunk.operands))


_AVERAGES = (FirstAverage, FirstSquares, MovingAverage, MovingSquares)
ADAMW = Optimizer(
    name="adamw",
    happens=f"{HAPPENS} Before that, AdamW shrinks the parameter a little: its weight decay.",
    direction=quotient,
    settings=(*SETTINGS, weight_decay("0.01", DECAY.says)),
    makes=(*MAKES, "shrunk"),
    mistakes=(
        *MISTAKES,
        Mistake(
            "not_shrunk",
            "Leaving the parameter as it is, without its weight decay.",
            all_wrong(_not_shrunk, StepDown),
        ),
        Mistake(
            "decay_in_the_gradient",
            "Adding the weight decay to the gradient, as Adam has it, instead of shrinking the"
            " parameter.",
            all_wrong(_decay_in_the_gradient),
        ),
    ),
    shrinks=True,
)


OPTIMIZERS = {one.name: one for one in (ADAM, ADAMW, MOMENTUM, SGD)}
