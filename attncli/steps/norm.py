"""Layer norm (Ba et al. 2016, arXiv:1607.06450) and RMS norm (Zhang & Sennrich 2019,
arXiv:1910.07467)."""

from __future__ import annotations

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import MeanOfSquares, Normalize, RootOf, RowMean, SubtractRow
from attncli.name import Name, below
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _plan(scope: Scope) -> tuple[Making, ...]:
    makings = _rms(scope) if scope.norm.kind == "rms" else _layer(scope)
    own = scope.path in scope.scenario.places
    blame = scope.path if own else below(scope.layer.path, "norms")
    return tuple(making._replace(blame=blame) for making in makings)


def _layer(scope: Scope) -> tuple[Making, ...]:
    mean, centered = scope.name("mean"), scope.name("centered")
    variance, deviation = scope.name("variance"), scope.name("deviation")
    return (
        Making(mean, RowMean(), (scope.x,), "norm"),
        Making(centered, SubtractRow(), (scope.x, mean), "norm"),
        Making(variance, MeanOfSquares(scope.norm.over == "n-1"), (centered,), "norm"),
        Making(deviation, _root(scope), (variance,), "norm"),
        _normed(scope, centered, deviation),
    )


def _rms(scope: Scope) -> tuple[Making, ...]:
    mean_square, rms = scope.name("mean_square"), scope.name("rms")
    return (
        Making(mean_square, MeanOfSquares(scope.norm.over == "n-1"), (scope.x,), "norm"),
        Making(rms, _root(scope), (mean_square,), "norm"),
        _normed(scope, scope.x, rms),
    )


def _root(scope: Scope) -> RootOf:
    return RootOf(Number.written(scope.norm.epsilon), scope.norm.epsilon_in == "root")


def _normed(scope: Scope, x: Name, deviation: Name) -> Making:
    given = [scope.name(local) for local in ("gamma", "beta") if _gives(scope, local)]
    operation = Normalize(_gives(scope, "gamma"), _gives(scope, "beta"))
    return Making(scope.out or scope.name("normed"), operation, (x, deviation, *given), "norm")


def _gives(scope: Scope, local: str) -> bool:
    return scope.scenario.gives(scope.name(local))


def _over_other(scope: Scope) -> Making | None:
    variance = _plan(scope)[-3]
    return variance._replace(operation=MeanOfSquares(scope.norm.over != "n-1"))


def _not_centered(scope: Scope) -> Making | None:
    if scope.norm.kind == "rms":
        return None
    return _normed(scope, scope.x, scope.name("deviation"))


def _happens(scope: Scope) -> str:
    divisor = "d_model − 1" if scope.norm.over == "n-1" else "d_model"
    what = "the mean is taken off each row, and the row is divided by its standard deviation"
    if scope.norm.kind == "rms":
        what = "each row is divided by the root of the mean of its squares"
    gamma = ", then multiplied by γ" if _gives(scope, "gamma") else ""
    beta = " and shifted by β" if _gives(scope, "beta") else ""
    where = "inside the root" if scope.norm.epsilon_in == "root" else "to the deviation"
    epsilon = scope.norm.epsilon
    added = f" ε = {epsilon:f} is added {where}." if epsilon else ""
    return (
        f"{what[:1].upper()}{what[1:]}{gamma}{beta}. The squares are divided by {divisor}.{added}"
    )


_TITLES = {
    **{f"norm{k}": f"Norm {k}" for k in (1, 2, 3)},
    "embedding_norm": "Embedding norm",
    "final_norm": "Final norm",
}


def _title(scope: Scope) -> str:
    return _TITLES.get(scope.path.local, "Norm")


STEP = Step(
    name="norm",
    title="Norm",
    titled=_title,
    makes=("mean", "centered", "variance", "deviation", "mean_square", "rms", "normed"),
    shapes="x [n, d_model] → mean [n], variance [n], deviation [n] → normed [n, d_model]",
    happens=_happens,
    purpose=(
        "From layer to layer numbers could grow or shrink without end. A norm brings each"
        " token's vector back to one size: mean 0 and standard deviation 1, or for RMS norm"
        " only the size. Then γ and β, which are learned, may stretch and shift it again."
    ),
    plan=_plan,
    shown_with=("block=encoder",),
    mistakes=(
        Mistake(
            "other_divisor",
            "Dividing the squares by n − 1 where n belongs, or the other way round.",
            _over_other,
        ),
        Mistake(
            "not_centered",
            "Dividing the numbers themselves by the deviation, without taking the mean off.",
            _not_centered,
        ),
    ),
)
