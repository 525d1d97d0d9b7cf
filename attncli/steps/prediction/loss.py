"""How far the probabilities are from what should have come next: cross-entropy, perplexity."""

from __future__ import annotations

from attncli.arithmetic.operations import (
    ColumnMean,
    ExponentialOf,
    LossOfLogits,
    NegativeLog,
    TakeRows,
)
from attncli.file.keys import Key
from attncli.file.kinds import ListOf
from attncli.name import Name
from attncli.scenario.tokenizers.kind import TOKEN
from attncli.steps.attention.softmax import softmax
from attncli.steps.prediction.predict import TEMPERATURE, TOP_K
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import counted as numbered
from attncli.trace.quantity import told_apart
from attncli.word import Phrase, Word


def _plan(place: Place) -> tuple[Definition, ...]:
    """The loss is of the model's own probabilities, before any temperature or choice."""
    prediction = place.scenario.prediction
    chosen = _is_chosen(place)
    at = place.at(place.name("plain")) if chosen else place
    probabilities, targets = _probabilities(place), place.name("targets")
    loss, entropy = place.name("loss"), place.name("cross_entropy")
    of_targets = NegativeLog(prediction.target_places)
    rows = _with_target(place, probabilities)
    of = rows[0].name if rows else probabilities
    return (
        *(softmax(at, place.x, probabilities, "loss") if chosen else ()),
        *rows,
        Definition(loss, of_targets, (of,), blame=targets),
        Definition(entropy, ColumnMean(), (loss,)),
        Definition(place.name("perplexity"), ExponentialOf(), (entropy,)),
    )


def _is_chosen(place: Place) -> bool:
    """Whether the next token is chosen of other probabilities than the model's own."""
    said = place.scenario.prediction.said
    return said.says(TEMPERATURE) or said.says(TOP_K)


def _probabilities(place: Place) -> Name:
    """The model's own."""
    at = place.at(place.name("plain")) if _is_chosen(place) else place
    return at.name("probabilities")


def _with_target(place: Place, probabilities: Name) -> tuple[Definition, ...]:
    """The rows whose target isn't ignored, as PyTorch's `ignore_index` has it."""
    prediction = place.scenario.prediction
    counted = prediction.counted
    if len(counted) == len(prediction.targets):
        return ()
    tokens = told_apart(place.text.tokens) or numbered(len(prediction.targets))
    names = tuple(tokens[k] for k in counted)
    taken = TakeRows(counted, names, "positions")
    made = place.name("with_target")
    return (Definition(made, taken, (probabilities,), rows=Axis(names, "Q")),)


def _whole(place: Place, made: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """The loss straight from the logits, whose gradient is p − y; where only probabilities are
    given, from these."""
    prediction, loss, entropy = place.scenario.prediction, made[-3], made[-2]
    if prediction.is_given and not place.gives("logits"):
        return made
    counted, places = prediction.counted, prediction.target_places
    targets = dict(zip(counted or range(len(places)), places, strict=False))  # some may be wrong
    rows = range(len(prediction.targets) or len(places))
    of_logits = LossOfLogits(tuple(targets.get(k) for k in rows))
    operands = (place.x, _probabilities(place))
    return loss._replace(operation=of_logits, operands=operands), entropy


def _not_shifted(place: Place) -> Definition | None:
    vocabulary = place.scenario.prediction.vocabulary
    if any(token not in vocabulary for token in place.text.tokens) or not place.text.tokens:
        return None
    prediction = place.scenario.prediction
    tokens = place.text.tokens[-len(prediction.targets) :]
    own = tuple(vocabulary.index(tokens[k]) for k in prediction.counted if k < len(tokens))
    return _plan(place)[-3]._replace(operation=NegativeLog(own))


def _happens(place: Place) -> Phrase:
    prediction = place.scenario.prediction
    targets, counted = prediction.targets, prediction.counted
    left_out = len(targets) - len(counted) if targets else 0
    position = "1 position is" if left_out == 1 else f"{left_out} positions are"
    told = f" {position} left out, whose target is ignored." if left_out else ""
    return (
        "The loss of a position is −ln of the probability that its target got (",
        Word(", ".join(targets[k] for k in counted)),
        f"); the cross-entropy is the mean.{told}",
    )


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
        Key(
            "ignored_target",
            TOKEN,
            "what stands among the targets where none counts, such as `_`: its positions are left "
            "out, and the mean is that of the others",
        ),
    ),
    title="Loss",
    does="says how surprised the model was by what really came next",
    makes=("with_target", "loss", "cross_entropy", "perplexity"),
    shapes="probabilities [n, vocabulary], n targets → loss [n] → cross_entropy, perplexity",
    happens=_happens,
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
    backward=Backward(
        "the loss",
        (
            "The gradient of a logit is its probability, less 1 for the target: what the model "
            "said less what came."
        ),
        whole=_whole,
    ),
)
