"""Residual connections (He et al. 2015, arXiv:1512.03385; Vaswani et al. 2017, 3.1)."""

from __future__ import annotations

from attncli.arithmetic.operations import Add, Operation, Same
from attncli.file.keys import Key
from attncli.file.kinds import Flag
from attncli.name import Name
from attncli.steps.step import General, Mistake, Step
from attncli.trace import Definition, ResidualPlace


def _of(place: ResidualPlace, operation: Operation, *operands: Name) -> Definition:
    return Definition(place.name(f"residual{place.number}"), operation, operands, "residual")


def _plan(place: ResidualPlace) -> tuple[Definition, ...]:
    return (_of(place, Add(2), place.skipped, place.x),)


STEP = Step(
    name="residual",
    at=ResidualPlace,
    keys=(
        Key(
            "residuals",
            Flag(),
            "whether the input of a sublayer is added to its output",
            shared=True,
        ),
    ),
    title="Residual",
    does="adds the output of a sublayer to its input",
    titled=lambda place: f"Residual {place.number}",
    makes=("residual1", "residual2", "residual3"),
    shapes="x [n, d_model], sublayer(x) [n, d_model] → residual [n, d_model]",
    happens=lambda _: "The sublayer's output is added to its input.",
    why=(
        "A residual connection around each sublayer (attention, feed-forward network) keeps what"
        " was known of a token."
    ),
    more="The sum also gives the gradient a straight way back through many layers.",
    plan=_plan,
    general=General(x="attention"),
    shown_with=("block=encoder",),
    mistakes=(
        Mistake(
            "not_added",
            "Going on with the output of the sublayer alone.",
            lambda place: _of(place, Same(), place.x),
        ),
    ),
)
