"""How far the probabilities are from what should have come next: cross-entropy, perplexity."""

from __future__ import annotations

from attncli.arithmetic.operations import ColumnMean, ExponentialOf, NegativeLog
from attncli.steps.softmax import softmax
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope
from attncli.word import Word


def _plan(scope: Scope) -> tuple[Making, ...]:
    """The loss is of the model's own probabilities, before any temperature or choice."""
    prediction = scope.scenario.prediction
    chosen = prediction.temperature is not None or prediction.top_k is not None
    at = scope.at(scope.name("plain")) if chosen else scope
    probabilities, targets = at.name("probabilities"), scope.name("targets")
    loss, entropy = scope.name("loss"), scope.name("cross_entropy")
    of_targets = NegativeLog(prediction.target_places)
    return (
        *(softmax(at, scope.name("logits"), probabilities, "loss") if chosen else ()),
        Making(loss, of_targets, (probabilities,), "loss", blame=targets),
        Making(entropy, ColumnMean(), (loss,), "loss"),
        Making(scope.name("perplexity"), ExponentialOf(), (entropy,), "loss"),
    )


def _not_shifted(scope: Scope) -> Making | None:
    vocabulary = scope.scenario.prediction.vocabulary
    if any(token not in vocabulary for token in scope.text.tokens) or not scope.text.tokens:
        return None
    own = tuple(map(vocabulary.index, scope.text.tokens))
    return _plan(scope)[-3]._replace(operation=NegativeLog(own))


STEP = Step(
    name="loss",
    title="Loss",
    makes=("loss", "cross_entropy", "perplexity"),
    shapes="probabilities [n, vocabulary], n targets → loss [n] → cross_entropy, perplexity",
    happens=lambda scope: (
        "The loss of a position is −ln of the probability that its target got (",
        Word(", ".join(scope.scenario.prediction.targets)),
        "); the cross-entropy is the mean.",
    ),
    purpose=(
        "Training asks: how surprised was the model by what really came next? −ln of the"
        " target's probability is 0 for a sure guess and grows without end as the probability"
        " goes to 0. e to the mean of it is the perplexity: among how many equally likely"
        " tokens the model might as well have been guessing."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "not_shifted",
            "Taking each token itself for its target, instead of the one that comes after it.",
            _not_shifted,
        ),
    ),
)
