"""The output of a head."""

from __future__ import annotations

from attncli.arithmetic.operations import MatMul, TransposedWeights, WeightedSum
from attncli.file.keys import Key
from attncli.file.matrices import NAMED
from attncli.name import Name
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, HeadPlace


def _output(place: HeadPlace, operation: MatMul, weights: Name, values: Name) -> Definition:
    return Definition(place.name("output"), operation, (weights, values))


STEP = Step(
    name="weighted_sum",
    at=HeadPlace,
    keys=(Key("output", NAMED, "the output of a head, [n, d_v]", in_parts=True),),
    title="Weighted sum",
    does="blends the values by their weights: the output of a head",
    makes=("output",),
    shapes="weights [n, m], V [m, d_v] → output [n, d_v]",
    happens=lambda _: (
        "For each query, every value is multiplied by its weight, and the products are added."
    ),
    why="The output for a token is a blend of all the values, each as strong as its weight.",
    more=(
        "So the token's new vector holds something of every token that it attends to: it is the"
        " token in its context."
    ),
    plan=lambda place: (_output(place, WeightedSum(), place.x, place.latest("V")),),
    general=General(x="weights"),
    on_the_way=True,
    mistakes=(
        Mistake(
            "keys_for_values",
            "Blending the keys instead of the values.",
            lambda place: _output(place, WeightedSum(), place.x, place.latest("K")),
        ),
        Mistake(
            "inputs_for_values",
            "Blending what the values are made of instead of the values.",
            lambda place: (
                _output(place, WeightedSum(), place.x, place.source)
                if place.attention.projects
                else None
            ),
        ),
        Mistake(
            "scores_for_weights",
            "Multiplying by the scores instead of the weights.",
            lambda place: _output(place, WeightedSum(), place.name("scores"), place.latest("V")),
        ),
        Mistake(
            "weights_by_column",
            "Taking a column of the weights instead of a row, weightsᵀ V.",
            lambda place: _output(place, TransposedWeights(), place.x, place.latest("V")),
        ),
    ),
    pictures=("planes",),
    backward=Backward(
        "the weighted sum",
        (
            "A value is pushed by each query as strongly as that attends to it; a weight, as far "
            "as its value points along the gradient."
        ),
        usual_mistakes=("transpose_forgotten",),
    ),
)
