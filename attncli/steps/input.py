"""One token's vector, and what a plain cell makes of it: W_ax x[t]."""

from __future__ import annotations

from attncli.arithmetic.operations import RowAsColumn
from attncli.file.keys import Key
from attncli.file.kinds import Choice
from attncli.file.matrices import MATRIX
from attncli.scenario.model import CELLS, WAYS, Recurrent
from attncli.steps.cells import matrix, product, rows, turned
from attncli.steps.step import General, Mistake, Step
from attncli.trace import CellPlace, Definition

_KEYS = (
    Key("cell", Choice(CELLS), "makes the layer recurrent: `rnn`, `gru` or `lstm`", shared=True),
    Key(
        "direction",
        Choice((*WAYS, "both")),
        "which way it goes over the sentence: `forward` (the default), `backward`, or `both`, "
        "and then `backward: {…}` has the matrices of the way back",
        shared=True,
    ),
    Key("W_ax", MATRIX, "weights of the input in the memory of a plain cell, [h, d]"),
)


def _plan(place: CellPlace) -> tuple[Definition, ...]:
    key = rows(place).index(place.time - 1)
    operation = RowAsColumn(place.time - 1, key)
    x = Definition(place.timed("x"), operation, (place.x,), "input")
    if place.cell.kind != "rnn":
        return (x,)
    return x, product(place, place.timed("ax"), (matrix(place, "W_ax"), x.name), "input")


def _happens(place: CellPlace) -> str:
    if place.cell.kind != "rnn":
        return "The token's vector is the cell's input."
    return "The token's vector is the cell's input, and is multiplied by the weights of the input."


def _transposed(place: CellPlace) -> Definition | None:
    if place.cell.kind != "rnn":
        return None
    operands = (matrix(place, "W_ax"), place.timed("x"))
    return turned(place, place.timed("ax"), operands, "input")


STEP = Step(
    name="input",
    at=CellPlace,
    keys=(*_KEYS,),
    title="Input",
    does="takes in the next token",
    makes=("x", "ax"),
    shapes="X [n, d] → x[t] [d]; W_ax [h, d], x[t] [d] → W_ax x[t] [h]",
    happens=_happens,
    why="A recurrent cell reads one token at a time: what is new is that token's vector.",
    more=(
        "In a plain cell W_ax draws from it what is worth remembering, one dot product for each"
        " number of the memory."
    ),
    example="yassine_rnn_sentence",
    plan=_plan,
    general=General(cell=Recurrent()),
    mistakes=(
        Mistake(
            "W_ax_transposed",
            "Multiplying the input by the columns of W_ax instead of its rows.",
            _transposed,
        ),
    ),
)
