"""Scores as weights, without a softmax, as in the linear attention of Schlag et al. 2021,
arXiv:2102.11174, section 3.1."""

from __future__ import annotations

from attncli.maths.equations.tree import Number
from attncli.maths.operations.masking import Masked
from attncli.maths.operations.rearranging import Same
from attncli.maths.operations.softmax import Softmax
from attncli.scenario.file.keys import Choice, Key
from attncli.steps.attention.masks import mask_rules
from attncli.steps.mistakes import by, wrong
from attncli.steps.step import Backward, Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Definition, HeadPlace

SOFTMAX: Key[str] = Key(
    "softmax",
    Choice(("each_row", "none")),
    "`each_row` (the default): a softmax; `none`: scores are the weights, hidden ones 0",
    "each_row",
    shared=True,
    inherited=True,
)


def _plan_scores(place: HeadPlace) -> tuple[Definition, ...]:
    """Defines the scores as weights; what a mask hides counts 0, whatever stands in its place."""
    masked = bool(mask_rules(place.attention))
    operands = (place.x, place.name("mask")) if masked else (place.x,)
    operation = Masked(Number.written(0)) if masked else Same()
    return (Definition(place.name("weights"), operation, operands),)


def _happens_without(place: HeadPlace) -> str:
    hidden = " Where the mask is 0, the weight is 0." if mask_rules(place.attention) else ""
    return f"The scores themselves are the weights.{hidden}"


NO_SOFTMAX_STEP = Step(
    name="no_softmax",
    at=HeadPlace,
    keys=(SOFTMAX,),
    words=Wording(
        title="Weights without a softmax",
        does="takes the scores themselves as weights",
        shapes="scores [n, m] → weights [n, m]",
        happens=_happens_without,
        why=(
            "Without a softmax the weights are no shares: some may be negative, and a row may add"
            " up to anything."
        ),
        more=(
            "The output is then a sum of values and no mean of them. It grows with the number of"
            " keys and with the length of queries and keys. A hidden key has to count 0. −∞ does so"
            " only as a power of e: times a value it would be no number. All that is left is"
            " products: K and V can be multiplied first, once for all queries, as linear attention"
            " does."
        ),
    ),
    results=Results(
        names=("weights",),
        nouns={"weights": "weight"},
        plan=_plan_scores,
        pictures=("heat_maps",),
    ),
    formulas=Formulas(x="scaled", config={"softmax": "none"}),
    example=Example(changes=("softmax=none",)),
    mistakes=(
        Mistake(
            "softmax_taken",
            "Taking the softmax of each row, where the scores themselves are the weights.",
            wrong(by(Softmax)),
        ),
    ),
    backward=Backward(
        "the weights without a softmax",
        "A score is its weight, so its gradient is the same, and a hidden score gets none.",
        example=Example("learning_to_attend", ("softmax=none", "scale=8")),
    ),
)
