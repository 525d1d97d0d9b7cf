"""The memory after a token: the state of plain, LSTM and GRU cells.

Elman 1990; Hochreiter & Schmidhuber 1997; Cho et al. 2014, arXiv:1406.1078.
"""

from __future__ import annotations

from attncli.arithmetic.operations import Activate, AddUp, Gated, GatedBlend, GatedColumn, Same
from attncli.file.keys import Key
from attncli.file.matrices import VECTOR
from attncli.file.problems import Problems
from attncli.name import Name, below
from attncli.scenario.model import Recurrent
from attncli.steps.recurrent.cells import bias_of_input, bias_of_memory, if_empty, left_out
from attncli.steps.recurrent.gates import gate_name, keeps_old
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import CellPlace, Definition


def _check(place: CellPlace, problems: Problems) -> None:
    cell = place.cell
    where = place.scenario.where(below(place.layer.path, "activation"))
    if cell.activation not in _DOES:
        problems.add(where, f"a recurrent cell with {cell.activation}", f"use {' or '.join(_DOES)}")
    elif cell.kind != "rnn" and cell.activation != "tanh":
        problems.add(where, f"an {cell.kind} has gates and tanh of its own", "leave it out")


def _plan(place: CellPlace) -> tuple[Definition, ...]:
    return _PLANS[place.cell.kind](place)


def _plain(place: CellPlace) -> tuple[Definition, ...]:
    biases = (*bias_of_input(place, "a"), *bias_of_memory(place, "a"))
    return _sum(place, biases), _activated(place, place.cell.activation)


def _sum(place: CellPlace, biases: tuple[Name, ...]) -> Definition:
    operands = (place.timed("ax"), place.timed("aa"), *biases)
    total = AddUp(0, 2, len(biases), empty=if_empty(place, 1))
    return Definition(place.timed("z"), total, operands)


def _activated(place: CellPlace, kind: str) -> Definition:
    return Definition(place.timed("a"), Activate(kind), (place.timed("z"),))


def _lstm(place: CellPlace) -> tuple[Definition, ...]:
    squashed = place.timed("tanh_c")
    return (
        _cell(place, ("update", "forget")),
        Definition(squashed, Activate("tanh"), (place.timed("c"),)),
        Definition(place.timed("a"), GatedColumn(), (gate_name(place, "output"), squashed)),
    )


def _cell(place: CellPlace, order: tuple[str, str]) -> Definition:
    """What the cell takes over of the candidate, and what it keeps."""
    new, old = (gate_name(place, gate) for gate in order)
    operands = (new, gate_name(place, "candidate"), old, place.timed("c", place.before))
    return Definition(place.timed("c"), Gated(if_empty(place, 3, "c")), operands)


def _gru(place: CellPlace) -> tuple[Definition, ...]:
    return (_blend(place, keeps=keeps_old(place)),)


def _blend(place: CellPlace, *, keeps: bool) -> Definition:
    gates = (gate_name(place, "update"), gate_name(place, "candidate"))
    operands = (*gates, place.timed("a", place.before))
    blend = GatedBlend(keeps, if_empty(place, 2))
    return Definition(place.timed("a"), blend, operands)


_PLANS = {"rnn": _plain, "lstm": _lstm, "gru": _gru}


def _without_activation(place: CellPlace) -> Definition | None:
    if place.cell.kind != "rnn":
        return None
    return Definition(place.timed("a"), Same(), (place.timed("z"),))


def _without_tanh(place: CellPlace) -> Definition | None:
    if place.cell.kind != "lstm":
        return None
    return Definition(place.timed("tanh_c"), Same(), (place.timed("c"),))


def _without_bias(place: CellPlace) -> Definition | None:
    biases = (*bias_of_input(place, "a"), *bias_of_memory(place, "a"))
    if place.cell.kind != "rnn" or not biases:
        return None
    return _sum(place, ())


def _swapped(place: CellPlace) -> Definition | None:
    if place.cell.kind == "lstm":
        return _cell(place, ("forget", "update"))
    if place.cell.kind == "gru":
        return _blend(place, keeps=not keeps_old(place))
    return None


_HAPPENS = {
    "rnn": "Input and memory are added up{bias}, and {does}: the new state.",
    "lstm": (
        "The new cell state c is what the forget gate keeps of the old one, and what the input"
        " gate (update) lets in of the candidate; what the output gate shows of tanh(c) is the new"
        " hidden state a."
    ),
    "gru": (
        "The new state lies between the candidate and the old state: an update gate near 1 takes"
        " the {one}, one near 0 the {other}."
    ),
}
_DOES = {"tanh": "tanh squashes the sum", "relu": "relu keeps what is above 0"}
_UPDATED = ("candidate", "old state")


def _happens(place: CellPlace) -> str:
    bias = " with the bias" if bias_of_input(place, "a") else ""
    one, other = _UPDATED[::-1] if keeps_old(place) else _UPDATED
    does = _DOES[place.cell.activation]
    told = _HAPPENS[place.cell.kind].format(bias=bias, does=does, one=one, other=other)
    return told + left_out(place, "c" if place.cell.kind == "lstm" else "a")


STEP = Step(
    name="state",
    at=CellPlace,
    keys=(Key("b_a", VECTOR, "the bias of the memory of a plain cell, [h]"),),
    title="State",
    does="writes the new state",
    makes=("z", "a", "c", "tanh_c"),
    shapes="ax[t] [h], aa[t] [h] → a[t] [h]; or gates [h], the state before [h] → a[t] [h]",
    happens=_happens,
    why=(
        "The state is what a recurrent cell hands on: to the next time as its memory, and to"
        " whatever reads it out."
    ),
    more="With tanh its numbers stay between −1 and 1, however many tokens there are.",
    example="yassine_rnn_sentence",
    check=_check,
    plan=_plan,
    general=General(cell=Recurrent(), gives=("b_a",)),
    mistakes=(
        Mistake(
            "activation_forgotten",
            "Going on with the sum of input and memory itself, without activation.",
            _without_activation,
        ),
        Mistake(
            "tanh_forgotten",
            "Showing the cell state itself instead of its tanh.",
            _without_tanh,
        ),
        Mistake("bias_forgotten", "Leaving out the bias b_a.", _without_bias),
        Mistake(
            "gates_swapped",
            "Giving what is old the gate of what is new, and the other way round.",
            _swapped,
        ),
    ),
    backward=Backward(
        "the state",
        (
            "The gradient goes back through what made the state; a tanh is nearly flat where its "
            "result is near −1 or 1."
        ),
        example="rnn_backward_through_time",
    ),
)
