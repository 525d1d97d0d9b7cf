"""How far the probabilities are from what should have come next: cross-entropy, perplexity."""

from __future__ import annotations

from attncli.arithmetic.operations import ColumnMean, ExponentialOf, NegativeLog
from attncli.file.keys import Key
from attncli.file.kinds import ListOf
from attncli.scenario.tokenizers.kind import TOKEN
from attncli.steps.attention.softmax import softmax
from attncli.steps.prediction.predict import TEMPERATURE, TOP_K
from attncli.steps.step import General, Mistake, Step
from attncli.trace import Definition, Place
from attncli.word import Word


def _plan(place: Place) -> tuple[Definition, ...]:
    """The loss is of the model's own probabilities, before any temperature or choice."""
    prediction = place.scenario.prediction
    chosen = prediction.said.says(TEMPERATURE) or prediction.said.says(TOP_K)
    at = place.at(place.name("plain")) if chosen else place
    probabilities, targets = at.name("probabilities"), place.name("targets")
    loss, entropy = place.name("loss"), place.name("cross_entropy")
    of_targets = NegativeLog(prediction.target_places)
    return (
        *(softmax(at, place.x, probabilities, "loss") if chosen else ()),
        Definition(loss, of_targets, (probabilities,), blame=targets),
        Definition(entropy, ColumnMean(), (loss,)),
        Definition(place.name("perplexity"), ExponentialOf(), (entropy,)),
    )


def _not_shifted(place: Place) -> Definition | None:
    vocabulary = place.scenario.prediction.vocabulary
    if any(token not in vocabulary for token in place.text.tokens) or not place.text.tokens:
        return None
    own = tuple(map(vocabulary.index, place.text.tokens))
    return _plan(place)[-3]._replace(operation=NegativeLog(own))


STEP = Step(
    name="loss",
    at=Place,
    keys=(
        Key(
            "targets",
            ListOf(TOKEN),
            "the token that should follow each: loss, cross-entropy and perplexity, of the "
            "model's own probabilities before any temperature or choice",
        ),
    ),
    title="Loss",
    does="says how surprised the model was by what really came next",
    makes=("loss", "cross_entropy", "perplexity"),
    shapes="probabilities [n, vocabulary], n targets → loss [n] → cross_entropy, perplexity",
    happens=lambda place: (
        "The loss of a position is −ln of the probability that its target got (",
        Word(", ".join(place.scenario.prediction.targets)),
        "); the cross-entropy is the mean.",
    ),
    why="Training asks how surprised the model was by what really came next.",
    more=(
        "−ln of the target's probability is 0 for a sure guess and grows without end as the"
        " probability goes to 0. e to the mean of it is the perplexity: among how many equally"
        " likely tokens the model might as well have been guessing."
    ),
    plan=_plan,
    general=General(x="logits"),
    mistakes=(
        Mistake(
            "not_shifted",
            "Taking each token itself for its target, instead of the one that comes after it.",
            _not_shifted,
        ),
    ),
)
