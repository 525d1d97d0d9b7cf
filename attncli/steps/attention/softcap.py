"""Soft-capped scores (Gemma Team 2024, arXiv:2408.00118, section 2)."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Activate, SoftCap
from attncli.file.keys import Key
from attncli.file.kinds import POSITIVE
from attncli.steps.step import General, Mistake, Step
from attncli.trace import Definition, HeadPlace

_CAP: Key[Decimal | None] = Key(
    "softcap", POSITIVE, "c in c · tanh(scores / c)", shared=True, inherited=True
)


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    cap = place.attention.said.get(_CAP)
    if cap is None:
        return ()
    return (Definition(place.name("capped"), SoftCap(Number.written(cap)), (place.x,)),)


def _not_divided(place: HeadPlace) -> Definition:
    return Definition(place.name("capped"), Activate("tanh"), (place.x,))


STEP = Step(
    name="softcap",
    at=HeadPlace,
    keys=(_CAP,),
    title="Soft cap",
    does="keeps large scores below a cap",
    makes=("capped",),
    shapes="scores [n, m] → capped [n, m]",
    happens=lambda place: (
        f"Each score is bent so that it stays between −{place.attention.said.get(_CAP)}"
        f" and {place.attention.said.get(_CAP)}."
    ),
    why=(
        "A tanh leaves small scores nearly as they are and keeps large ones below a cap, so that"
        " no single key can take all of the attention with an enormous score."
    ),
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
)
