"""The temperature of a softmax (Hinton et al. 2015, arXiv:1503.02531, section 2)."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import DivideBy, MultiplyBy
from attncli.file.keys import Key
from attncli.file.kinds import POSITIVE
from attncli.name import below
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, HeadPlace

_TEMPERATURE: Key[Decimal | None] = Key(
    "temperature",
    POSITIVE,
    "what scores are divided by just before the softmax",
    shared=True,
    inherited=True,
)


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    temperature = place.attention.said.get(_TEMPERATURE)
    if temperature is None:
        return ()
    operation = DivideBy(Number.written(temperature))
    blame = below(place.attention.path, "temperature")
    return (Definition(place.name("tempered"), operation, (place.x,), blame=blame),)


def _multiplied(place: HeadPlace) -> Definition | None:
    temperature = place.attention.said.get(_TEMPERATURE)
    if temperature is None:
        return None
    operation = MultiplyBy(Number.written(temperature))
    return Definition(place.name("tempered"), operation, (place.x,))


STEP = Step(
    name="temperature",
    at=HeadPlace,
    keys=(_TEMPERATURE,),
    title="Temperature",
    does="makes the weights more even, or less even",
    makes=("tempered",),
    shapes="scores [n, m] → tempered [n, m]",
    happens=lambda place: (
        f"Each score is divided by the temperature {place.attention.said.get(_TEMPERATURE)}."
    ),
    why=(
        "A temperature above 1 brings scores nearer to each other and so spreads the weights more"
        " evenly; one below 1 moves them apart, and the largest weight grows."
    ),
    more="Near 0 the key with the largest score takes nearly all.",
    plan=_plan,
    general=General(x="scores", said={"temperature": Decimal("0.7")}),
    shown_with=("temperature=2",),
    on_the_way=True,
    mistakes=(
        Mistake("multiplied", "Multiplying by the temperature instead of dividing.", _multiplied),
    ),
    pictures=("temperatures",),
    backward=Backward(
        "the temperature",
        "What was divided on the way forward is divided on the way back.",
    ),
)
