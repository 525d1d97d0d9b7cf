"""Layer norm (Ba et al. 2016, arXiv:1607.06450) and RMS norm (Zhang & Sennrich 2019,
arXiv:1910.07467)."""

from __future__ import annotations

from typing import Any

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import MeanOfSquares, Normalize, RootOf, RowMean, SubtractRow
from attncli.name import Name, below
from attncli.scenario.keys.kinds import Choice, Key, NumberKind, Record
from attncli.scenario.keys.matrices import VECTOR
from attncli.steps.step import Mistake, Step
from attncli.trace import Definition, Place

SETTINGS = (
    Key("kind", Choice(("layer", "rms")), "layer (the default) or rms"),
    Key("epsilon", NumberKind(least=0), "ε, 0.00001 by default"),
    Key(
        "epsilon_in",
        Choice(("root", "deviation")),
        "whether ε is added under the root (the default) or to the deviation",
    ),
    Key("over", Choice(("n", "n-1")), "what the squares are divided by, n by default"),
)
_NORM = Record.of(
    *SETTINGS,
    Key("gamma", VECTOR, "γ, [d], multiplied; left out where it isn't given"),
    Key("beta", VECTOR, "β, [d], added; left out where it isn't given"),
)
_KEYS: tuple[Key[Any], ...] = (
    Key("embedding_norm", _NORM, "a norm before the first layer"),
    Key("final_norm", _NORM, "a norm after the last layer"),
    Key(
        "norm",
        Choice(("post", "pre", "none")),
        "post (the default of encoder and decoder), pre or none",
        shared=True,
    ),
    Key("norms", Record.of(*SETTINGS), "how all the layer's norms are done", shared=True),
    *(Key(f"norm{k}", _NORM, f"the layer's norm {k}: γ, β, and how it is done") for k in (1, 2, 3)),
)


def _plan(place: Place) -> tuple[Definition, ...]:
    definitions = _rms(place) if place.norm.kind == "rms" else _layer(place)
    own = place.path in place.scenario.places
    blame = place.path if own else below(place.layer.path, "norms")
    return tuple(definition._replace(blame=blame) for definition in definitions)


def _layer(place: Place) -> tuple[Definition, ...]:
    mean, centered = place.name("mean"), place.name("centered")
    variance, deviation = place.name("variance"), place.name("deviation")
    return (
        Definition(mean, RowMean(), (place.x,), "norm"),
        Definition(centered, SubtractRow(), (place.x, mean), "norm"),
        Definition(variance, MeanOfSquares(place.norm.over == "n-1"), (centered,), "norm"),
        Definition(deviation, _root(place), (variance,), "norm"),
        _normed(place, centered, deviation),
    )


def _rms(place: Place) -> tuple[Definition, ...]:
    mean_square, rms = place.name("mean_square"), place.name("rms")
    return (
        Definition(mean_square, MeanOfSquares(place.norm.over == "n-1"), (place.x,), "norm"),
        Definition(rms, _root(place), (mean_square,), "norm"),
        _normed(place, place.x, rms),
    )


def _root(place: Place) -> RootOf:
    return RootOf(Number.written(place.norm.epsilon), place.norm.epsilon_in == "root")


def _normed(place: Place, x: Name, deviation: Name) -> Definition:
    given = [place.name(local) for local in ("gamma", "beta") if _gives(place, local)]
    operation = Normalize(_gives(place, "gamma"), _gives(place, "beta"))
    return Definition(place.out or place.name("normed"), operation, (x, deviation, *given), "norm")


def _gives(place: Place, local: str) -> bool:
    return place.scenario.gives(place.name(local))


def _over_other(place: Place) -> Definition | None:
    variance = _plan(place)[-3]
    return variance._replace(operation=MeanOfSquares(place.norm.over != "n-1"))


def _not_centered(place: Place) -> Definition | None:
    if place.norm.kind == "rms":
        return None
    return _normed(place, place.x, place.name("deviation"))


def _happens(place: Place) -> str:
    divisor = "d_model − 1" if place.norm.over == "n-1" else "d_model"
    what = "the mean is taken off each row, and the row is divided by its standard deviation"
    if place.norm.kind == "rms":
        what = "each row is divided by the root of the mean of its squares"
    gamma = ", then multiplied by γ" if _gives(place, "gamma") else ""
    beta = " and shifted by β" if _gives(place, "beta") else ""
    where = "inside the root" if place.norm.epsilon_in == "root" else "to the deviation"
    epsilon = place.norm.epsilon
    added = f" ε = {epsilon:f} is added {where}." if epsilon else ""
    return (
        f"{what[:1].upper()}{what[1:]}{gamma}{beta}. The squares are divided by {divisor}.{added}"
    )


_TITLES = {
    **{f"norm{k}": f"Norm {k}" for k in (1, 2, 3)},
    "embedding_norm": "Embedding norm",
    "final_norm": "Final norm",
}


def _title(place: Place) -> str:
    return _TITLES.get(place.path.local, "Norm")


STEP = Step(
    name="norm",
    keys=(*_KEYS,),
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
