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

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import Expression, Number, Product, Sum, rewritten
from attncli.arithmetic.operations.indexed import Indexed
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
from attncli.steps.mistakes import all_wrong, by, left_out, swap, together
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


Plan = Callable[[Parameter, Mapping[str, Number]], Iterator[Definition]]


class Optimizer(NamedTuple):
    """A way to update parameters.

    `plan` makes the new value of a parameter, last; it gets the settings, the learning rate among
    them. `happens` says what is done, `makes` names the quantities besides the update, and
    `mistakes` are those that people make with it. One that `goes_down` takes a step of −η times the
    gradient where nothing is added to that.
    """

    name: str
    happens: str
    plan: Plan
    settings: tuple[Key[Any], ...] = ()
    makes: tuple[str, ...] = ()
    mistakes: tuple[Mistake[UpdatePlace], ...] = ()
    goes_down: bool = False

    def is_plain(self, training: Training) -> bool:
        """Whether each step is −η times the gradient, and nothing else."""
        decay = self.settings_of(training).get("weight_decay")
        return self.goes_down and training.clip is None and not (decay and decay.full)

    def settings_of(self, training: Training) -> dict[str, Number]:
        """The settings as they are said, or else as they are by default."""
        said = {key.name: training.settings.get(key.name, key.default) for key in self.settings}
        numbers = {name: Number.written(value) for name, value in said.items() if value is not None}
        return {"learning_rate": Number.written(training.learning_rate), **numbers}


def with_decay(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
    """The gradient of a loss with λ/2 times the square of each parameter beside it, if there is a
    weight decay λ; and if there is none, nothing."""
    decay = said["weight_decay"]
    if decay.full:
        operands = (one.gradient, one.before)
        yield Definition(one.made("decayed"), PlusTimes(decay), operands)


DECAY = weight_decay(
    "0", "of sgd, momentum and adam: λ, by which λ times the parameter is added to its gradient; "
    "of adamw: λ, by which the parameter shrinks by learning_rate × λ, 0.01 by default"
)  # fmt: skip


def _plan_sgd(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
    decayed = tuple(with_decay(one, said))
    yield from decayed
    gradient = decayed[-1].name if decayed else one.gradient
    yield Definition(one.made(UPDATES), StepDown(said["learning_rate"]), (one.before, gradient))


SGD = Optimizer(
    name="sgd",
    happens="Each parameter takes a step against its gradient: the learning rate times that.",
    plan=_plan_sgd,
    settings=(DECAY,),
    makes=("decayed",),
    goes_down=True,
)


_VELOCITY = "velocity"
_KEPT = share("momentum", "0.9", "of momentum: the part μ of the velocity that is kept")


def _plan_momentum(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
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


MOMENTUM = Optimizer(
    name="momentum",
    happens=(
        "Each parameter has a velocity: a part of the one before, and the gradient. It takes a step"
        " against its velocity: the learning rate times that."
    ),
    plan=_plan_momentum,
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


def quotient(one: Parameter, said: Mapping[str, Number], gradient: Name) -> Iterator[Definition]:
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


def _plan_adam(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
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
ADAM = Optimizer(
    name="adam",
    happens=HAPPENS,
    plan=_plan_adam,
    settings=(*SETTINGS, DECAY),
    makes=("decayed", *MAKES),
    mistakes=MISTAKES,
)


_SHRUNK = "shrunk"


def _plan_adamw(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
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
        assert isinstance(self.shrunk.operation, Indexed)
        _, decay = self.shrunk.operation.numbers
        for one in self.averages:
            assert isinstance(one.operation, Indexed)
            average = _of_decayed(one.operation, decay)
            yield one._replace(operation=average, operands=(*one.operands, *self.shrunk.operands))
        yield self.shrunk._replace(operation=Same())
        yield self.not_shrunk


def _of_decayed(average: Indexed, decay: Expression) -> Indexed:
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
        if is_a(one.operation, FirstAverage, FirstSquares, MovingAverage, MovingSquares):
            averages.append(one)
        elif is_a(one.operation, Shrink):
            shrunk = one
        elif is_a(one.operation, StepDown) and shrunk is not None:
            yield _Decayed(tuple(averages), shrunk, one)
            averages, shrunk = [], None


def _mistake(
    name: str, says: str, wrong: Callable[[_Decayed], Iterable[Definition]]
) -> Mistake[UpdatePlace]:
    """One that is made alike with each parameter."""

    def made(place: UpdatePlace) -> tuple[Definition, ...]:
        return tuple(definition for one in _decayed(place) for definition in wrong(one))

    return Mistake(name, says, together(made))


ADAMW = Optimizer(
    name="adamw",
    happens=f"{HAPPENS} Before that, AdamW shrinks the parameter a little: its weight decay.",
    plan=_plan_adamw,
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


OPTIMIZERS = {one.name: one for one in (ADAM, ADAMW, MOMENTUM, SGD)}
