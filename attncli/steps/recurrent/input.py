"""One token's vector, and what a plain cell makes of it: W_ax x[t]."""

from __future__ import annotations

from attncli.arithmetic.operations import RowAsColumn
from attncli.file.keys import Key
from attncli.file.kinds import Choice
from attncli.file.matrices import MATRIX
from attncli.file.problems import Problems
from attncli.name import below
from attncli.refusals import listed
from attncli.scenario.model import CELLS, WAYS, Recurrent
from attncli.steps.order import keys_of
from attncli.steps.recurrent.cells import matrix, product, rows
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import CellPlace, Definition
from attncli.trace.cell_shapes import matrices_of_way

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


def _check(place: CellPlace, problems: Problems) -> None:
    _check_matrices(place, problems)
    cell, path, where = place.cell, place.layer.path, place.scenario.where
    back = below(path, "backward")
    if cell.direction == "both" and not place.scenario.writes(back):
        problems.add(
            where(below(path, "direction")),
            "both directions, and no matrices of the way back",
            "give those of the other way in `backward`, like backward: {W_ax: …}",
        )
    if "backward" in cell.said.values and cell.direction != "both":
        wrong = "matrices of the way back, and one way only"
        problems.add(where(back), wrong, "say direction: both, or leave them out")


def _check_matrices(place: CellPlace, problems: Problems) -> None:
    """Those of either way are of this kind of cell, kept in this way."""
    cell, path, said = place.cell, place.layer.path, place.cell.said.values
    own = matrices_of_way(cell)
    for at, given in ((path, said), (below(path, "backward"), said.get("backward", {}))):
        for name in keys_of("way"):
            if name in given and name not in own:
                wrong = (
                    f"{name} is none of the matrices of this cell ({cell.kind}, weights_layout:"
                    f" {cell.said.layout or 'linear'})"
                )
                where = place.scenario.where(below(at, name))
                problems.add(where, wrong, f"it has {listed(sorted(own))}")


def _plan(place: CellPlace) -> tuple[Definition, ...]:
    key = rows(place).index(place.time - 1)
    operation = RowAsColumn(place.time - 1, key)
    x = Definition(place.timed("x"), operation, (place.x,))
    if place.cell.kind != "rnn":
        return (x,)
    return x, product(place, place.timed("ax"), (matrix(place, "W_ax"), x.name))


def _happens(place: CellPlace) -> str:
    if place.cell.kind != "rnn":
        return "The token's vector is the cell's input."
    return "The token's vector is the cell's input, and is multiplied by the weights of the input."


def _transposed(place: CellPlace) -> Definition | None:
    if place.cell.kind != "rnn":
        return None
    operands = (matrix(place, "W_ax"), place.timed("x"))
    return product(place, place.timed("ax"), operands, turned=True)


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
    check=_check,
    plan=_plan,
    general=General(cell=Recurrent()),
    mistakes=(
        Mistake(
            "W_ax_transposed",
            "Multiplying the input by the columns of W_ax instead of its rows.",
            _transposed,
        ),
    ),
    backward=Backward(
        "the input",
        "The gradient of a token's term goes on to the token's vector and to the weights.",
        example="rnn_backward_through_time",
    ),
)
