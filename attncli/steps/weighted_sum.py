"""Step 7: the output of attention."""

from attncli.arithmetic.formula import define, times
from attncli.arithmetic.operations import MatMul, TransposedWeights, WeightedSum
from attncli.steps.step import Mistake, Step
from attncli.trace.quantity import Making


def _mistake(name: str, says: str, operation: MatMul, *operands: str) -> Mistake:
    making = Making("output", operation, operands, "weighted_sum")
    return Mistake(name, says, lambda _: making)


STEP = Step(
    name="weighted_sum",
    title="Weighted sum",
    makes=("output",),
    formulas=lambda _: (define("output", times("weights", "V")),),
    shapes="weights [n, n], V [n, d_v] → output [n, d_v]",
    happens=lambda _: "For each query, every value is multiplied by its weight, and all are added.",
    purpose=(
        "The output for a token is a blend of all the values, each as strong as its weight."
        " So the token's new vector holds something of every token that it attends to: it"
        " is the token in its context."
    ),
    plan=lambda _: (Making("output", WeightedSum(), ("weights", "V"), "weighted_sum"),),
    mistakes=(
        _mistake(
            "keys_for_values",
            "Blending the keys in place of the values.",
            WeightedSum(),
            "weights",
            "K",
        ),
        _mistake(
            "scores_for_weights",
            "Multiplying by the scores in place of the weights.",
            WeightedSum(),
            "scores",
            "V",
        ),
        _mistake(
            "weights_by_column",
            "Taking a column of the weights in place of a row, weightsᵀ V.",
            TransposedWeights(),
            "weights",
            "V",
        ),
    ),
)
