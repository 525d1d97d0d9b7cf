"""Residual connections (He et al. 2015, arXiv:1512.03385; Vaswani et al. 2017, 3.1)."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Add, MultiplyBy, Operation, Same
from attncli.file.keys import Key
from attncli.file.kinds import NUMBER, Choice, Flag
from attncli.file.problems import Problems
from attncli.name import Name, below
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, ResidualPlace

_SCALE: Key[Decimal] = Key(
    "residual_scale",
    NUMBER,
    "what a sublayer's output is multiplied by before it is added (Granite's multiplier)",
    shared=True,
)
_PARALLEL = Key(
    "parallel",
    Choice(("none", "shared_norm", "own_norms")),
    "attention and feed-forward network side by side, both made of what goes into the layer and"
    " added to it together: with one norm for both, `shared_norm` (GPT-J, Phi), or each with its"
    " own, `own_norms` (GPT-NeoX)",
    "none",
    shared=True,
)


def _of(place: ResidualPlace, operation: Operation, *operands: Name) -> Definition:
    return Definition(place.name(f"residual{place.number}"), operation, operands)


def _plan(place: ResidualPlace) -> tuple[Definition, ...]:
    made = (place.x, *place.also)
    scaled = tuple(_scaled(place, one, k) for k, one in enumerate(made))
    terms = [one.name for one in scaled if one is not None] or made
    multiplied = tuple(one for one in scaled if one is not None)
    return (*multiplied, _of(place, Add(1 + len(terms)), place.skipped, *terms))


def _scaled(place: ResidualPlace, x: Name, k: int) -> Definition | None:
    """A sublayer's output multiplied by a number, where one is said."""
    factor = place.layer.said.get(_SCALE)
    if factor is None:
        return None
    name = place.name(f"multiplied{place.number + k}")
    return Definition(name, MultiplyBy(Number.written(factor)), (x,), "residual")


def _check(place: ResidualPlace, problems: Problems) -> None:
    layer = place.layer
    where = place.scenario.where(below(layer.path, _PARALLEL.name))
    if layer.parallel != "none" and layer.norm not in ("pre", "none"):
        wrong = f"{layer.parallel} with norm: {layer.norm}"
        problems.add(where, wrong, "norms of sublayers side by side come before them: norm: pre")
    if layer.parallel != "none" and layer.cross is not None:
        wrong = "sublayers side by side, and a cross-attention among them"
        problems.add(where, wrong, "leave it out: each has to work on what the one before made")


def _happens(place: ResidualPlace) -> str:
    factor = place.layer.said.get(_SCALE)
    times = "" if factor is None else f", multiplied by {factor:f},"
    if place.also:
        return f"The outputs of both sublayers{times} are added to what went into the layer."
    return f"The sublayer's output{times} is added to its input."


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
        _SCALE,
        _PARALLEL,
    ),
    title="Residual",
    does="adds the output of a sublayer to its input",
    titled=lambda place: "Residual" if place.also else f"Residual {place.number}",
    makes=(
        "multiplied1",
        "multiplied2",
        "multiplied3",
        "residual1",
        "residual2",
        "residual3",
    ),
    shapes="x [n, d_model], sublayer(x) [n, d_model] → residual [n, d_model]",
    happens=_happens,
    why=(
        "A residual connection around each sublayer (attention, feed-forward network) keeps what"
        " was known of a token."
    ),
    more="The sum also gives the gradient a straight way back through many layers.",
    plan=_plan,
    check=_check,
    general=General(x="attention"),
    shown_with=("block=encoder",),
    mistakes=(
        Mistake(
            "not_added",
            "Going on with the output of the sublayer alone.",
            lambda place: None if place.also else _of(place, Same(), _plan(place)[-1].operands[1]),
        ),
    ),
    backward=Backward(
        "the residual",
        (
            "A sum hands its gradient on to all of its terms as it is: a way back around the "
            "sublayer."
        ),
    ),
)
