"""How far the probabilities of a sigmoid are from what was so: binary cross-entropy.

As PyTorch's `BCELoss` has it, the mean over all numbers.
"""

from __future__ import annotations

from attncli.arithmetic.operations import (
    BinaryCrossEntropies,
    BinaryLossOfLogits,
    MeanOfAll,
    SquaredError,
)
from attncli.name import Name, below
from attncli.scenario.prediction import TARGETS
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, Place


def _plan(place: Place) -> tuple[Definition, ...]:
    losses = place.name("binary_loss")
    return (
        Definition(losses, BinaryCrossEntropies(), (place.x, TARGETS)),
        Definition(place.name("binary_cross_entropy"), MeanOfAll(), (losses,)),
    )


def _whole(place: Place, made: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """The loss straight from what went into the sigmoid, whose gradient is p − y."""
    losses, mean = made
    operands = (logits_of(place.x), *losses.operands)
    return losses._replace(operation=BinaryLossOfLogits(), operands=operands), mean


def logits_of(readouts: Name) -> Name:
    """What the probabilities that were read out were made of."""
    return below(readouts.path, "readout_logits")


def _squared(place: Place) -> Definition:
    return _plan(place)[0]._replace(operation=SquaredError())


STEP = Step(
    name="binary_loss",
    at=Place,
    title="Binary cross-entropy",
    does="says how surprised a sigmoid's probabilities were by what was so",
    makes=("binary_loss", "binary_cross_entropy"),
    shapes="probabilities [n, k], targets [n, k] → binary_loss [n, k] → binary_cross_entropy",
    happens=lambda _: (
        "Where the target is 1, the loss is −ln of the probability; where it is 0, −ln of what is"
        " left to 1. The binary cross-entropy is the mean."
    ),
    why="Training asks how surprised the probabilities were by what was so.",
    more=(
        "A sigmoid's probability is of one thing that is so or isn't, and so each number has a"
        " loss of its own."
    ),
    plan=_plan,
    general=General(x="readouts"),
    mistakes=(
        Mistake(
            "squared",
            "Squaring the difference from the target, instead of taking the logarithm of the"
            " probability.",
            _squared,
        ),
    ),
    backward=Backward(
        "the binary cross-entropy",
        (
            "For the loss of its number the gradient of a logit is its probability minus its"
            " target: what was said minus what was so."
        ),
        whole=_whole,
        fixed=(TARGETS,),
        example="rnn_backward_through_time",
    ),
)
