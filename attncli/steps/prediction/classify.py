"""Probabilities of what doesn't come next: classes, or which token belongs in a place."""

from __future__ import annotations

from attncli.arithmetic.operations import DivideByRowSum
from attncli.name import Name
from attncli.steps.attention.softmax import mistakes_in, softmax
from attncli.steps.step import General, Mistake, Step
from attncli.trace import Definition, Place

_PROBABILITIES = Name("probabilities")


def _plan(place: Place) -> tuple[Definition, ...]:
    return softmax(place, place.x, _PROBABILITIES, "classify")


STEP = Step(
    name="classify",
    at=Place,
    title="Probabilities",
    does="turns the logits of a head, or of classes, into probabilities",
    makes=("exp", "exp_sum", "probabilities"),
    shapes="logits [n, classes] → probabilities [n, classes]",
    happens=lambda _: "A softmax turns each row of logits into probabilities.",
    why=(
        "Logits may be any numbers; probabilities are shares, which say how sure the model is of"
        " each answer."
    ),
    more="The likeliest is what it answers: a class, or the token that belongs in a place.",
    example="masked_word",
    plan=_plan,
    general=General(x="logits"),
    mistakes=(
        Mistake(
            "without_exponentials",
            "Dividing the logits themselves by their sum, without raising e to them.",
            lambda place: Definition(_PROBABILITIES, DivideByRowSum(), (place.x,)),
        ),
        *mistakes_in(_plan),
    ),
    adds_up_to_one=("probabilities",),
    pictures=("softmax_bars",),
)
