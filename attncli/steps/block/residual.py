"""Residual connections (He et al. 2015, arXiv:1512.03385; Vaswani et al. 2017, 3.1)."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Add, MultiplyBy, Operation, Same
from attncli.file.keys import Key
from attncli.file.kinds import NUMBER, Choice, Either, Flag, ListOf
from attncli.file.nodes import Items, Numbers
from attncli.file.problems import Problems
from attncli.name import Name, below
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, ResidualPlace

_OF_EACH = ListOf(NUMBER)
_SCALE: Key[Decimal | tuple[Decimal, ...]] = Key(
    "residual_scale",
    Either(
        lambda node: _OF_EACH if isinstance(node, Items | Numbers) else NUMBER, (NUMBER, _OF_EACH)
    ),
    "what a sublayer's output is multiplied by before it is added (Granite's multiplier); or a list"
    " with a number for each sublayer, in their order: `[1, 0.5]`",
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


def _factor(place: ResidualPlace, number: int) -> Decimal | None:
    """What the output of a sublayer, from 1, is multiplied by."""
    said = place.layer.said.get(_SCALE)
    if not isinstance(said, tuple):
        return said
    return said[number - 1] if number <= len(said) else None


def _check_factors(place: ResidualPlace, problems: Problems) -> None:
    """There is a number for each sublayer."""
    layer, said = place.layer, place.layer.said.get(_SCALE)
    sublayers = layer.attends + (layer.cross is not None) + layer.has_ffn
    if isinstance(said, tuple) and len(said) != sublayers and place.number == 1:
        whose = f"of {layer.path} " if layer.path else ""
        wrong = f"the numbers are {len(said)}, the sublayers {whose}{sublayers}"
        right = "give a number for each sublayer"
        problems.add(place.scenario.where(layer.said.at(_SCALE)), wrong, right)


def _scaled(place: ResidualPlace, x: Name, k: int) -> Definition | None:
    """A sublayer's output multiplied by a number, where one is said."""
    factor = _factor(place, place.number + k)
    if factor is None:
        return None
    name = place.name(f"multiplied{place.number + k}")
    return Definition(name, MultiplyBy(Number.written(factor)), (x,), "residual")


def _check(place: ResidualPlace, problems: Problems) -> None:
    layer = place.layer
    _check_factors(place, problems)
    where = place.scenario.where(below(layer.path, _PARALLEL.name))
    if layer.parallel != "none" and layer.norm not in ("pre", "none"):
        wrong = f"{layer.parallel} with norm: {layer.norm}"
        problems.add(where, wrong, "norms of sublayers side by side come before them: norm: pre")
    if layer.parallel != "none" and layer.cross is not None:
        wrong = "sublayers side by side, and a cross-attention among them"
        problems.add(where, wrong, "leave it out: each has to work on what the one before made")


def _added_to_X(place: ResidualPlace) -> Definition | None:  # noqa: N802
    """The sublayer's output added to what went into the layer, past the sublayers before it."""
    layer = _entered(place)
    *_, planned = _plan(place)
    if layer in (None, place.skipped):
        return None
    return planned._replace(operands=(layer, *planned.operands[1:]))


def _entered(place: ResidualPlace) -> Name | None:
    """What went into the layer, which its first residual skips ahead."""
    parts = (part.place for part in place.scenario.story if isinstance(part.place, ResidualPlace))
    return next((one.skipped for one in parts if one.layer.path == place.layer.path), None)


def _happens(place: ResidualPlace) -> str:
    found = (_factor(place, place.number + k) for k in range(1 + len(place.also)))
    factors = dict.fromkeys(f"{factor:f}" for factor in found if factor is not None)
    times = f", multiplied by {' and '.join(factors)}," if factors else ""
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
        Mistake(
            "added_to_X",
            "Adding the output to what went into the layer, instead of what the sublayer before"
            " made of it.",
            _added_to_X,
        ),
    ),
    backward=Backward(
        "the residual",
        (
            "A sum hands its gradient on to all of its terms as it is: a way back around the "
            "sublayer."
        ),
        example="i_love_ai",
        shown_with=("block=encoder", "norm=pre"),
        told_once=True,
    ),
)
