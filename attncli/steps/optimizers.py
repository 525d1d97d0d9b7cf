"""Updates of parameters: SGD, momentum, Nesterov, RMSprop, Adam, AdamW, AMSGrad, Adafactor.

* sgd: x − η g (Robbins & Monro 1951), as `torch.optim.SGD` has it, whose weight decay is added to
  the gradient, as all but that of AdamW are.
* momentum: x − η v, v = μ v + g (Polyak 1964, doi:10.1016/0041-5553(64)90137-5), as
  `torch.optim.SGD(momentum=…)` has it: without dampening, the first velocity the first gradient.
* nesterov: x − η (g + μ v) (Sutskever et al. 2013), as `SGD(nesterov=True)` has it, with the
  gradient where the parameter is.
* rmsprop: x − η g / (√v + ε), v the moving average of g² (Hinton 2012, lecture 6e).
* adam: x − η m̂ / (√v̂ + ε) (Kingma & Ba 2015, arXiv:1412.6980, algorithm 1), moving averages of
  the gradient and of its square, each begun at 0 and corrected for that.
* adamw: (1 − η λ) x − η m̂ / (√v̂ + ε) (Loshchilov & Hutter 2019, arXiv:1711.05101).
* amsgrad: Adam that divides by the root of the largest v so far (Reddi et al. 2018,
  arXiv:1904.09237), corrected as `torch.optim.Adam(amsgrad=True)` has it.
* adafactor: x − α Û (Shazeer & Stern 2018, arXiv:1804.04235, algorithm 4), as
  `torch.optim.Adafactor` has it: its ε is the least that is divided by and isn't added, its weight
  decay is that of AdamW.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from attncli.maths.equations.tree import Number
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.optimizers import (
    ClippedByRMS,
    FirstAverage,
    FirstOfColumn,
    FirstOfRow,
    FirstSquares,
    FromRowAndColumn,
    LargerOf,
    LaterOfColumn,
    LaterOfRow,
    LookAhead,
    MovingAverage,
    MovingSquares,
    OverLargerRoot,
    OverRoot,
    PlusTimes,
    RelativeStep,
    RelativeStepBy,
    RootMeanSquare,
    Shrink,
    ShrinkBy,
    StepDown,
    StepDownBy,
    TimesPlus,
    WithoutBias,
)
from attncli.maths.operations.rearranging import Same
from attncli.names import Name
from attncli.scenario.file.keys import POSITIVE, SHARE, Key, NumberKind
from attncli.scenario.model import UPDATES, Training, after_updates
from attncli.steps.mistakes import all_wrong, by, left_out, swap
from attncli.steps.step import Mistake, Planned
from attncli.trace import Definition, UpdatePlace


def share(name: str, default: str, says: str) -> Key[Decimal]:
    """Returns the key of a setting from 0 to below 1."""
    return Key(name, SHARE, says, Decimal(default))


class Parameter(NamedTuple):
    """A parameter at an update."""

    name: Name
    before: Name
    """Its name before the update."""
    gradient: Name
    """The gradient that moves it."""
    update: int
    """The number of the update, from 1."""

    def made(self, what: str) -> Name:
        """Names a quantity that this update makes of it: `m.W_Q`, `train[1].m.W_Q`."""
        return self._of(what, self.update)

    def made_before(self, what: str) -> Name:
        """Names the same quantity of the update before."""
        return self._of(what, self.update - 1)

    def _of(self, what: str, update: int) -> Name:
        return self.name.under(Name(what, after_updates(update - 1)))


Said = Mapping[str, Number]


class Optimizer(NamedTuple):
    """A way to update parameters."""

    name: str
    happens: str
    """Sentences that say what is done."""
    direction: Callable[[Parameter, Said, Name], Iterator[Definition]] | None = None
    """Makes what a step goes against, last, of a gradient and the settings; without it that is the
    gradient itself."""
    settings: tuple[Key[Decimal], ...] = ()
    step_size: Callable[[Parameter, Said, tuple[Name, ...]], Planned] = lambda *_: ()
    """Makes a parameter's own learning rate, last."""
    makes: tuple[str, ...] = ()
    """The names of the quantities that it makes besides the update."""
    mistakes: tuple[Mistake[UpdatePlace], ...] = ()
    """The mistakes that people make with it."""
    shrinks: bool = False
    """Whether a weight decay λ shrinks the parameter; otherwise λ times the parameter is added to
    its gradient."""

    def planned(
        self, parameter: Parameter, settings: Said, rates: tuple[Name, ...]
    ) -> Iterator[Definition]:
        """Yields all that an update makes of a parameter, last its new value.

        `rates` has the name of the learning rate where that is a quantity.
        """
        rate, decay = settings["learning_rate"], settings["weight_decay"]
        gradient, start = parameter.gradient, parameter.before
        if decay.full and not self.shrinks:
            gradient = parameter.made("decayed")
            yield Definition(gradient, PlusTimes(decay), (parameter.gradient, parameter.before))
        made = (
            () if self.direction is None else tuple(self.direction(parameter, settings, gradient))
        )
        yield from made
        if decay.full and self.shrinks:
            start = parameter.made("shrunk")
            shrink = ShrinkBy(decay) if rates else Shrink(rate, decay)
            yield Definition(start, shrink, (parameter.before, *rates))
        against = made[-1].name if made else gradient
        own = self.step_size(parameter, settings, rates)
        yield from own
        rates = tuple(d.name for d in own[-1:]) or rates
        down = StepDownBy() if rates else StepDown(rate)
        yield Definition(parameter.made(UPDATES), down, (start, against, *rates))

    def is_plain(self, training: Training) -> bool:
        """Tells whether each step is −η times the gradient, and nothing else."""
        decay = self.settings_of(training).get("weight_decay")
        changes = (self.direction, training.clip, decay and decay.full)
        return not any(changes) and not training.is_scheduled

    def settings_of(self, training: Training) -> dict[str, Number]:
        """Returns the settings by name, each as a training has it or with its default."""
        data = {key.name: training.settings.get(key.name, key.default) for key in self.settings}
        numbers = {name: Number.written(value) for name, value in data.items() if value is not None}
        return {"learning_rate": Number.written(training.learning_rate), **numbers}


DECAY = Key(
    "weight_decay",
    NumberKind(least=0),
    "λ: λ times the parameter is added to its gradient; of adamw, 0.01 by default, and"
    " adafactor the parameter shrinks by learning_rate × λ",
    Decimal(0),
)

SGD = Optimizer(
    name="sgd",
    happens=(
        "Each parameter takes a step against its gradient: the learning rate times the gradient."
    ),
    settings=(DECAY,),
    makes=("decayed",),
)


_VELOCITY = "velocity"
_KEPT = share("momentum", "0.9", "of momentum and nesterov: the part μ of the velocity kept")


def _velocity(parameter: Parameter, settings: Said, gradient: Name) -> Iterator[Definition]:
    velocity = parameter.made(_VELOCITY)
    if parameter.update == 1:
        yield Definition(velocity, Same(), (gradient,))
    else:
        operands = (parameter.made_before(_VELOCITY), gradient)
        yield Definition(velocity, TimesPlus(settings["momentum"]), operands)


MOMENTUM = Optimizer(
    name="momentum",
    happens=(
        "Each parameter has a velocity: a part of the one before, plus the gradient. It takes a"
        " step against its velocity: the learning rate times the velocity."
    ),
    direction=_velocity,
    settings=(_KEPT, DECAY),
    makes=("decayed", _VELOCITY),
    mistakes=(
        Mistake(
            "velocity_forgotten",
            "Leaving out the velocity before, so that only the gradient counts.",
            all_wrong(by(Same(), 1), TimesPlus),
        ),
    ),
)


def _ahead(parameter: Parameter, settings: Said, gradient: Name) -> Iterator[Definition]:
    yield from _velocity(parameter, settings, gradient)
    operands = (gradient, parameter.made(_VELOCITY))
    yield Definition(parameter.made("ahead"), LookAhead(settings["momentum"]), operands)


NESTEROV = MOMENTUM._replace(
    name="nesterov",
    happens=(
        "Each parameter has a velocity: a part of the one before, plus the gradient. Nesterov's"
        " momentum looks ahead: the step goes against that part of the new velocity, plus the"
        " gradient again."
    ),
    direction=_ahead,
    makes=("decayed", _VELOCITY, "ahead"),
    mistakes=(
        Mistake(
            "not_looked_ahead",
            "Going against the velocity itself, as momentum does without looking ahead.",
            all_wrong(by(Same(), 1), LookAhead),
        ),
    ),
)


_EPSILON = Key(
    "epsilon",
    POSITIVE,
    "of rmsprop, adam and the like: ε, added to the root that is divided by; of adafactor: the"
    " least that is divided by",
    Decimal("0.00000001"),
)
SETTINGS = (
    share("beta1", "0.9", "of adam, adamw and amsgrad: the part of the gradients' average kept"),
    share("beta2", "0.999", "of the same: that of the average of their squares"),
    _EPSILON,
)
"""PyTorch's defaults, and those of the paper: β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸."""
MAKES = ("m", "v", "m_hat", "v_hat", "quotient")
_MOST = "v_max"
_FACTORS = ("v_row", "v_column")
_AVERAGES = {
    "m": (FirstAverage, MovingAverage),
    "v": (FirstSquares, MovingSquares),
    "v_row": (FirstOfRow, LaterOfRow),
    "v_column": (FirstOfColumn, LaterOfColumn),
}
"""The operations of each moving average: of its first value, and of a later one."""


def _average(parameter: Parameter, what: str, gradient: Name, *numbers: Number) -> Definition:
    """Defines a moving average of a gradient or of its square, by its name in `_AVERAGES`."""
    first, later = _AVERAGES[what]
    if parameter.update == 1:
        return Definition(parameter.made(what), first(*numbers[: len(first.names)]), (gradient,))
    operands = (parameter.made_before(what), gradient)
    return Definition(parameter.made(what), later(*numbers), operands)


def quotient(
    parameter: Parameter, settings: Said, gradient: Name, *, largest: bool = False
) -> Iterator[Definition]:
    """Yields all that m̂ / (√v̂ + ε) is made of, and that last; with `largest`, v̂ is of the
    largest v so far."""
    for what, beta in (("m", settings["beta1"]), ("v", settings["beta2"])):
        average = _average(parameter, what, gradient, beta)
        yield average
        if largest and what == "v":
            is_first = parameter.update == 1
            before = () if is_first else (parameter.made_before(_MOST),)
            operation = Same() if is_first else LargerOf()
            average = Definition(parameter.made(_MOST), operation, (*before, average.name))
            yield average
        corrected = WithoutBias(beta, parameter.update)
        yield Definition(parameter.made(f"{what}_hat"), corrected, (average.name,))
    operands = (parameter.made("m_hat"), parameter.made("v_hat"))
    yield Definition(parameter.made("quotient"), OverRoot(settings["epsilon"]), operands)


MISTAKES: tuple[Mistake[UpdatePlace], ...] = (
    Mistake(
        "bias_not_corrected",
        "Leaving out the correction of the averages, which begin at 0 and are too small at first.",
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
    " Both begin at 0 and are corrected for that. The step goes against m divided by the root of"
    " v. So it is about as long for a small gradient as for a large one."
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
    """Changes a step to one from where the parameter was before it shrank; returns None where it
    didn't shrink."""
    shrunk = (d for d in place.planned if d.name == step.operands[0])
    before = next((d.operands[0] for d in shrunk if is_a(d.operation, Shrink, ShrinkBy)), None)
    return step._replace(operands=(before, *step.operands[1:])) if before else None


def _decay_in_the_gradient(definition: Definition, place: UpdatePlace) -> Definition | None:
    """Changes a definition to one with λ x as a part of the gradient, and no shrinking, as Adam has
    it; returns None where it stays the same."""
    if is_a(definition.operation, StepDown, StepDownBy):
        return _not_shrunk(definition, place)
    if is_a(definition.operation, Shrink, ShrinkBy):
        return left_out(definition, place)
    later: Iterator[Any] = iter(place.planned[place.planned.index(definition) :])
    shrunk = next((other for other in later if is_a(other.operation, Shrink, ShrinkBy)), None)
    if (
        shrunk is None
        or not is_a(definition.operation, *_AVERAGES["m"], *_AVERAGES["v"])
        or definition.operation.equation is None
    ):
        return None
    text, (*_, decay) = definition.operation.equation, shrunk.operation.numbers
    text = text._replace(operands=(*text.operands, ("x", "n m")))
    decayed = text.swap("g[i, j]", "g[i, j] + decay * x[i, j]")(
        *definition.operation.numbers, decay
    )
    operands = (*definition.operands, shrunk.operands[0])
    return definition._replace(operation=decayed, operands=operands)


ADAMW = Optimizer(
    name="adamw",
    happens=f"{HAPPENS} Before that, AdamW shrinks the parameter a little: its weight decay.",
    direction=quotient,
    settings=(*SETTINGS, DECAY._replace(default=Decimal("0.01"))),
    makes=(*MAKES, "shrunk"),
    mistakes=(
        *MISTAKES,
        Mistake(
            "not_shrunk",
            "Leaving the parameter as it is, without its weight decay.",
            all_wrong(_not_shrunk, StepDown, StepDownBy),
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


AMSGRAD = ADAM._replace(
    name="amsgrad",
    happens=f"{HAPPENS} AMSGrad keeps the largest v so far, and uses that.",
    direction=partial(quotient, largest=True),
    makes=("decayed", *MAKES, _MOST),
    mistakes=(
        *MISTAKES,
        Mistake(
            "largest_forgotten",
            "Dividing by the root of the latest v, as Adam does, instead of the largest so far.",
            all_wrong(by(Same(), 1), LargerOf),
        ),
    ),
)


def _over_root(parameter: Parameter, settings: Said, gradient: Name) -> Iterator[Definition]:
    squares = _average(parameter, "v", gradient, settings["alpha"])
    yield squares
    operands = (gradient, squares.name)
    yield Definition(parameter.made("quotient"), OverRoot(settings["epsilon"]), operands)


RMSPROP = Optimizer(
    name="rmsprop",
    happens=(
        "RMSprop keeps a moving average v of each number's squared gradients. The step goes"
        " against the gradient divided by the root of v. So it is about as long for a small"
        " gradient as for a large one."
    ),
    direction=_over_root,
    settings=(
        share("alpha", "0.99", "of rmsprop: the part α of the average of squares that is kept"),
        _EPSILON,
        DECAY,
    ),
    makes=("decayed", "v", "quotient"),
    mistakes=MISTAKES[1:],
)


def _factored(parameter: Parameter, settings: Said, gradient: Name) -> Iterator[Definition]:
    """Yields all that U = g / √V is made of, with V from the means of the rows and columns of g²,
    and U clipped."""
    count, decay = Number.written(Decimal(parameter.update)), settings["beta2_decay"]
    row, column = (_average(parameter, what, gradient, count, decay) for what in _FACTORS)
    yield from (row, column)
    hat, quotient, rms = map(parameter.made, ("v_hat", "quotient", "quotient_rms"))
    yield Definition(hat, FromRowAndColumn(settings["epsilon"]), (row.name, column.name))
    yield Definition(quotient, OverLargerRoot(settings["epsilon"]), (gradient, hat))
    yield Definition(rms, RootMeanSquare(), (quotient,))
    clipped = ClippedByRMS(settings["clip_threshold"])
    yield Definition(parameter.made("clipped_quotient"), clipped, (quotient, rms))


def _relative(parameter: Parameter, settings: Said, rates: tuple[Name, ...]) -> Planned:
    """Defines a step's size, α = max(ε₂, RMS(x)) · min(η, 1/√t), and the RMS before it."""
    count, rms = Number.written(Decimal(parameter.update)), parameter.made("parameter_rms")
    least, rate = settings["epsilon2"], settings["learning_rate"]
    step = RelativeStepBy(least, count) if rates else RelativeStep(least, rate, count)
    return (
        Definition(rms, RootMeanSquare(), (parameter.before,)),
        Definition(parameter.made("step_size"), step, (rms, *rates)),
    )


def _of_adafactor(name: str, default: str, says: str) -> Key[Decimal]:
    kind = POSITIVE if Decimal(default) > 0 else NumberKind(most=0)
    return Key(name, kind, f"of adafactor: {says}", Decimal(default))


ADAFACTOR = Optimizer(
    name="adafactor",
    happens=(
        "Adafactor keeps moving averages of the squared gradients of each row and of each column."
        " They tell the mean square of each number, and the gradient is divided by its root. If the"
        " root mean square of the quotient is too large, it is made smaller. The step is in"
        " proportion to the root mean square of the parameter."
    ),
    direction=_factored,
    step_size=_relative,
    settings=(
        _EPSILON,
        _of_adafactor("beta2_decay", "-0.8", "of the averages t^beta2_decay is new in update t"),
        _of_adafactor("epsilon2", "0.001", "the least RMS of a parameter that its step goes by"),
        _of_adafactor("clip_threshold", "1", "the largest RMS of what a step goes against"),
        DECAY,
    ),
    makes=(
        *_FACTORS, "v_hat", "quotient", "quotient_rms", "clipped_quotient", "shrunk",
        "parameter_rms", "step_size",
    ),
    mistakes=(
        Mistake(
            "quotient_not_clipped",
            "Leaving the quotient as it is, although its root mean square is too large.",
            all_wrong(by(Same(), 0), ClippedByRMS),
        ),
        Mistake(
            "step_not_relative",
            "Leaving out the root mean square of the parameter from its step.",
            all_wrong(swap("max(least, rms)", "1"), RelativeStep, RelativeStepBy),
        ),
    ),
    shrinks=True,
)  # fmt: skip


OPTIMIZERS = {
    o.name: o for o in (ADAFACTOR, ADAM, ADAMW, AMSGRAD, MOMENTUM, NESTEROV, RMSPROP, SGD)
}
