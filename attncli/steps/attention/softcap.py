"""Soft-capped scores (Gemma Team 2024, arXiv:2408.00118, section 2)."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Activate, SoftCap
from attncli.file.keys import Key
from attncli.file.kinds import POSITIVE, Choice
from attncli.file.problems import Problems
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, HeadPlace

_CAP: Key[Decimal | None] = Key(
    "softcap", POSITIVE, "c in c · tanh(scores / c)", shared=True, inherited=True
)

_ORDER = Key(
    "softcap_order",
    Choice(("before_bias", "after_bias", "after_mask")),
    "when scores are capped: before a bias is added (the default), after it, or even after the"
    " mask, where a hidden score becomes −c and not −∞",
    "before_bias",
    shared=True,
    inherited=True,
)


def _check(place: HeadPlace, problems: Problems) -> None:
    said = place.attention.said
    if said.says(_ORDER) and not said.says(_CAP):
        where = place.scenario.where(said.at(_ORDER))
        problems.add(where, "the order of a cap, and no softcap", "add one, like softcap: 50")


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    cap = place.attention.said.get(_CAP)
    if cap is None:
        return ()
    return (Definition(place.name("capped"), SoftCap(Number.written(cap)), (place.x,)),)


def _not_divided(place: HeadPlace) -> Definition:
    return Definition(place.name("capped"), Activate("tanh"), (place.x,))


def _happens(place: HeadPlace) -> str:
    cap, late = place.attention.said.get(_CAP), place.attention.said.get(_ORDER) == "after_mask"
    told = f"Each score is bent so that it stays between −{cap} and {cap}"
    return f"{told}: one that the mask hid, −∞, becomes −{cap}." if late else f"{told}."


STEP = Step(
    name="softcap",
    at=HeadPlace,
    keys=(_CAP, _ORDER),
    title="Soft cap",
    does="keeps large scores below a cap",
    makes=("capped",),
    shapes="scores [n, m] → capped [n, m]",
    happens=_happens,
    why=(
        "A tanh leaves small scores nearly as they are and keeps large ones below a cap, so that"
        " no single key can take all of the attention with an enormous score."
    ),
    check=_check,
    plan=_plan,
    general=General(x="scores", said={"softcap": Decimal(50)}),
    shown_with=("softcap=2",),
    on_the_way=True,
    mistakes=(
        Mistake(
            "not_divided",
            "Taking the tanh of the score as it is, without dividing by the cap before and"
            " multiplying by it after.",
            _not_divided,
        ),
    ),
    backward=Backward(
        "the soft cap",
        "The nearer a capped score is to the cap, or to its negative, the flatter the curve and"
        " the less goes back.",
    ),
)
