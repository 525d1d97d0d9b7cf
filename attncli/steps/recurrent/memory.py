"""What a plain cell makes of its memory: W_aa a[t−1]."""

from __future__ import annotations

from attncli.arithmetic.operations import AddUp
from attncli.file.keys import Key
from attncli.file.matrices import MATRIX
from attncli.name import Name
from attncli.scenario.model import Recurrent
from attncli.steps.recurrent.cells import if_empty, is_empty, matrix, product
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import CellPlace, Definition


def _operands(place: CellPlace) -> tuple[Name, Name]:
    return matrix(place, "W_aa"), place.timed("a", place.before)


def _plan(place: CellPlace) -> tuple[Definition, ...]:
    if place.cell.kind != "rnn":
        return ()
    operation = AddUp(1, 0, 0, place.cell.in_out, if_empty(place, 1))
    return (Definition(place.timed("aa"), operation, _operands(place)),)


def _transposed(place: CellPlace) -> Definition | None:
    return product(place, place.timed("aa"), _operands(place), turned=True)


def _of_the_start(place: CellPlace) -> Definition | None:
    """The memory before the first token, at every time."""
    if place.before == place.start:
        return None
    operands = (matrix(place, "W_aa"), place.timed("a", place.start))
    return product(place, place.timed("aa"), operands)


STEP = Step(
    name="memory",
    at=CellPlace,
    keys=(Key("W_aa", MATRIX, "weights of the memory in the memory of a plain cell, [h, h]"),),
    title="Memory",
    does="brings back the state of the time before",
    makes=("aa",),
    shapes="W_aa [h, h], a[t−1] [h] → W_aa a[t−1] [h]",
    happens=lambda place: (
        f"What is remembered of the tokens {'after' if place.way == 'backward' else 'before'} is"
        f" multiplied by its own weights{': nothing yet' if is_empty(place) else ''}."
    ),
    why=(
        "This is what makes a cell recurrent: the state of the time before comes back in, through"
        " the same W_aa at each time."
    ),
    more="With an empty memory it adds nothing.",
    example="yassine_rnn_sentence",
    plan=_plan,
    general=General(cell=Recurrent()),
    mistakes=(
        Mistake(
            "W_aa_transposed",
            "Multiplying the memory by the columns of W_aa instead of its rows.",
            _transposed,
        ),
        Mistake(
            "memory_not_carried",
            "Going on with the memory of the start at every time.",
            _of_the_start,
        ),
    ),
    backward=Backward(
        "the memory",
        (
            "The gradient goes on to the state of the time before, through the same weights each "
            "time: here it may vanish or explode."
        ),
        example="rnn_backward_through_time",
        read_first=True,
    ),
)
