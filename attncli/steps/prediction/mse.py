"""How far numbers are from what they should be: the mean squared error.

As PyTorch's `MSELoss` has it, the mean over all numbers.
"""

from __future__ import annotations

from attncli.arithmetic.operations import (
    AbsoluteError,
    MeanOfAll,
    MeanSquaredError,
    SquaredError,
    SumOfSquares,
    SumOverRows,
)
from attncli.arithmetic.operations.derivatives import gradient_of
from attncli.file.keys import Key
from attncli.file.kinds import Choice
from attncli.scenario.prediction import LOSSES, TARGETS
from attncli.steps.prediction.chosen import chosen
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import BackwardPlace, Definition, Place


def _plan(place: Place) -> tuple[Definition, ...]:
    one, errors = _compared(place), place.name("squared_error")
    x = place.x if one is None else one.name
    return (
        *filter(None, [one]),
        Definition(errors, SquaredError(), (x, TARGETS)),
        Definition(place.name("mse"), MeanOfAll(), (errors,)),
    )


def _compared(place: Place) -> Definition | None:
    """The row of one token, where only that is compared."""
    prediction = place.scenario.prediction
    return None if prediction.unembedding or prediction.readout else chosen(place)


def _whole(_: Place, made: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """The mean straight from the numbers, whose gradient is 2 (x − y) / nm."""
    *before, errors, mean = made
    return *before, mean._replace(operation=MeanSquaredError(), operands=errors.operands)


def _sized(place: Place, planned: Definition) -> Definition:
    one = _compared(place)
    return one if one is not None and one.name == planned.name else planned


def _not_squared(place: Place) -> Definition:
    return _plan(place)[-2]._replace(operation=AbsoluteError())


def _summed(place: Place) -> Definition:
    return _plan(place)[-1]._replace(operation=SumOverRows())


def _not_divided(place: BackwardPlace) -> Definition | None:
    """The gradient of a sum, in the place of that of a mean."""
    operation, needed = gradient_of(SumOfSquares(), 0)
    one = next((d for d in place.planned if len(d.operands) == len(needed)), None)
    return one and one._replace(operation=operation)


STEP = Step(
    name="mse",
    at=Place,
    keys=(
        Key(
            "loss",
            Choice(tuple(LOSSES)),
            "what is worked of the targets: `cross_entropy` (of targets that are tokens), `mse`"
            " (of rows of numbers), or `binary_cross_entropy`, of what a sigmoid reads out of a"
            " recurrent cell",
        ),
    ),
    title="Mean squared error",
    does="says how far the numbers are from what they should be",
    makes=("last", "first", "squared_error", "mse"),
    shapes="x [n, d], targets [n, d] → squared_error [n, d] → mse",
    happens=lambda _: (
        "Each number's difference from its target is squared; the loss is the mean of all squares."
    ),
    why="Training asks how far what came out is from what should have come.",
    more=(
        "Squared, errors to either side count alike, and a large one counts for more than small"
        " ones that add up to it."
    ),
    plan=_plan,
    sized=_sized,
    general=General(x="output"),
    mistakes=(
        Mistake(
            "not_squared",
            "Taking the size of each difference instead of its square.",
            _not_squared,
        ),
        Mistake(
            "divided_by_rows",
            "Dividing by the number of rows alone, instead of by that of all numbers.",
            _summed,
        ),
    ),
    backward=Backward(
        "the mean squared error",
        "The gradient of a number is its difference from its target, times 2 and divided by how"
        " many numbers there are.",
        whole=_whole,
        fixed=(TARGETS,),
        mistakes=(
            Mistake(
                "sum_for_mean",
                "Taking the loss for a sum on the way back: the mean divides by how many numbers"
                " there are.",
                _not_divided,
            ),
        ),
        example="i_love_ai",
    ),
)
