"""All that is read out of a cell, one row a time, beside which its targets stand."""

from __future__ import annotations

from attncli.arithmetic.operations import ColumnsAsRows
from attncli.scenario.model import Recurrent, Settings
from attncli.steps.recurrent.cells import rows
from attncli.steps.recurrent.readout import end_of, made_at
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Axis, Definition, WayPlace


def _plan(place: WayPlace) -> tuple[Definition, ...]:
    """What comes out; and, where gradients go back, the logits that it was made of."""
    z, y = made_at(place)
    readouts = _side_by_side(place, "readouts", y)
    if z == y or not place.scenario.goes_back:
        return (readouts,)
    return _side_by_side(place, "readout_logits", z), readouts


def _side_by_side(place: WayPlace, made: str, local: str, step: int = 1) -> Definition:
    times = times_read(place)[::step]
    names = rows(place).names
    axis = Axis(tuple(names[time - 1] for time in times_read(place)), rows(place).role)
    columns = tuple(place.name(local).at(time) for time in times)
    return Definition(place.name(made), ColumnsAsRows(len(times)), columns, rows=axis)


def times_read(place: WayPlace) -> tuple[int, ...]:
    """The times at which the cell is read out, as the sentence goes."""
    return tuple(sorted(place.order)) if place.cell.readout_every else (place.order[-1],)


def _sized(place: WayPlace, planned: Definition) -> Definition:
    """With a column for each class or token that probabilities are of, if they are as many."""
    vocabulary = place.scenario.prediction.vocabulary
    if end_of(place) != "softmax" or place.width(planned.name) != len(vocabulary):
        return planned
    return planned._replace(columns=Axis(vocabulary, "vocabulary"))


def _turned_round(place: WayPlace) -> Definition | None:
    if len(times_read(place)) < 2:  # noqa: PLR2004
        return None
    return _side_by_side(place, "readouts", made_at(place)[1], step=-1)


def _happens(place: WayPlace) -> str:
    if end_of(place) == "none":
        return "Each row is what was read out after a token."
    return "Each row has the probabilities that were read out after a token."


STEP = Step(
    name="readouts",
    at=WayPlace,
    title="Read-outs",
    does="puts what was read out at all times side by side",
    makes=("readouts", "readout_logits"),
    shapes="y[1] … y[n] [k] → readouts [n, k]",
    happens=_happens,
    why="A loss compares what was read out at each time with what should have been.",
    more="A cell that is read out once, after its last token, has a single row.",
    plan=_plan,
    sized=_sized,
    general=General(cell=Recurrent(said=Settings(values={"readout": "softmax"})), gives=("b_y",)),
    mistakes=(
        Mistake(
            "readouts_turned_round",
            "Writing the read-outs down from the last to the first, beside the targets of others.",
            _turned_round,
        ),
    ),
    backward=Backward(
        "the read-outs",
        "Each time's read-out gets its row of the gradient.",
        example="rnn_backward_through_time",
    ),
)
