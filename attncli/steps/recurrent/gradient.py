"""What a gradient is multiplied by on its way back through time: ∏ W_aaᵀ diag(1 − a²).

Bengio et al. 1994; Pascanu et al. 2013, arXiv:1211.5063.
"""

from __future__ import annotations

from attncli.arithmetic.operations import (
    ColumnsAsRows,
    FrobeniusNorm,
    MatMul,
    ReluSlope,
    Same,
    TanhSlope,
    TimesDiagonal,
)
from attncli.file.keys import Key
from attncli.file.kinds import Flag
from attncli.file.problems import Problems
from attncli.name import below
from attncli.scenario.model import Recurrent
from attncli.steps.recurrent.cells import matrix, rows
from attncli.steps.step import General, Mistake, Step
from attncli.trace import Axis, CellPlace, Definition


def _check(place: CellPlace, problems: Problems) -> None:
    if place.cell.kind != "rnn" or place.cell.direction == "both":
        where = place.scenario.where(below(place.layer.path, "gradient"))
        problems.add(where, "the factor is that of an rnn that goes one way", "leave it out")


def _plan(place: CellPlace) -> tuple[Definition, ...]:
    if not place.cell.gradient:
        return ()
    slope, factor = place.timed("slope"), place.timed("factor")
    tanh = place.cell.activation == "tanh"
    sloped = (TanhSlope(), place.timed("a")) if tanh else (ReluSlope(), place.timed("z"))
    last = place.time == place.order[-1]
    own = _step_factor(place, in_out=place.cell.in_out)
    later = 2 * place.time - place.before
    chained = (
        Definition(factor, Same(), (own.name,))
        if last
        else Definition(factor, MatMul(), (own.name, place.timed("factor", later)))
    )
    norm = Definition(place.timed("factor_norm"), FrobeniusNorm(), (factor,))
    made = (Definition(slope, sloped[0], (sloped[1],)), own, chained, norm)
    first = place.time == place.order[0]
    return (*made, _norms(place)) if first else made


def _norms(place: CellPlace) -> Definition:
    """How large the factor is at each time, one row a token."""
    columns = tuple(place.timed("factor_norm", time) for time in range(1, place.times + 1))
    operation, number = ColumnsAsRows(place.times), Axis((), "")
    return Definition(
        place.name("factor_norms"), operation, columns,
        rows=rows(place), columns=number,
    )  # fmt: skip


def _step_factor(place: CellPlace, *, in_out: bool) -> Definition:
    operands = (matrix(place, "W_aa"), place.timed("slope"))
    return Definition(place.timed("step_factor"), TimesDiagonal(in_out), operands)


_PRODUCT = (
    "The factor is the product of these matrices so far, and its norm is the root of the sum of its"
    " squares (the Frobenius norm)."
)


def _happens(place: CellPlace) -> str:
    start = "first" if place.way == "backward" else "last"
    slope = {
        "tanh": "that of tanh is 1 − a²",
        "relu": "that of relu is 1 where z is above 0, else 0",
    }
    return (
        f"On its way back from the {start} token a gradient is multiplied, at each time, by W_aa"
        f" transposed and by the slope of the activation there; {slope[place.cell.activation]}."
        f"{f' {_PRODUCT}' if place.time == place.order[-1] else ''}"
    )


STEP = Step(
    name="gradient",
    at=CellPlace,
    keys=(
        Key(
            "gradient",
            Flag(),
            "of an rnn that goes one way, in its own layer: by what a gradient is multiplied on "
            "its way back through time, ∏ W_aaᵀ diag(1 − a²), and how large that is (√ of the sum "
            "of all squares)",
        ),
    ),
    title="Gradient factor",
    does="follows how much an error shrinks or grows on its way back",
    makes=("slope", "step_factor", "factor", "factor_norm", "factor_norms"),
    shapes="W_aa [h, h], a[t] [h] → factor[t] [h, h]",
    happens=_happens,
    why=(
        "Learning goes backward through time: the error after the last token is multiplied by one"
        " matrix for each token."
    ),
    more=(
        f"{_PRODUCT} Where the norm shrinks, the gradient vanishes, so that early words teach"
        " nothing; where it grows, the gradient explodes."
    ),
    example="yassine_rnn_sentence",
    check=_check,
    plan=_plan,
    general=General(cell=Recurrent(gradient=True)),
    mistakes=(
        Mistake(
            "W_aa_not_transposed",
            "Multiplying by W_aa itself instead of W_aaᵀ.",
            lambda place: _step_factor(place, in_out=not place.cell.in_out),
        ),
    ),
    pictures=("gradient_norm",),
)
