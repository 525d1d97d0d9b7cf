"""The memory after a token: the state of plain, LSTM and GRU cells.

Elman 1990; Hochreiter & Schmidhuber 1997; Cho et al. 2014, arXiv:1406.1078.
"""

from __future__ import annotations

from attncli.arithmetic.operations import Activate, AddUp, Blend, Gated, Through
from attncli.name import Name
from attncli.steps.cells import at_time, bias_of_input, bias_of_memory
from attncli.steps.gates import gate_name
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _plan(scope: Scope) -> tuple[Making, ...]:
    if not scope.time:
        return ()
    return _PLANS[scope.cell.kind](scope)


def _plain(scope: Scope) -> tuple[Making, ...]:
    biases = (*bias_of_input(scope, "a"), *bias_of_memory(scope, "a"))
    return _sum(scope, biases), _activated(scope, scope.cell.activation)


def _sum(scope: Scope, biases: tuple[Name, ...]) -> Making:
    operands = (scope.timed("ax"), scope.timed("aa"), *biases)
    return Making(scope.timed("z"), AddUp(0, 2, len(biases)), operands, "state")


def _activated(scope: Scope, kind: str) -> Making:
    return Making(scope.timed("a"), Activate(kind), (scope.timed("z"),), "state")


def _lstm(scope: Scope) -> tuple[Making, ...]:
    squashed = scope.timed("tanh_c")
    return (
        _cell(scope, ("update", "forget")),
        Making(squashed, Activate("tanh"), (scope.timed("c"),), "state"),
        Making(scope.timed("a"), Through(), (gate_name(scope, "output"), squashed), "state"),
    )


def _cell(scope: Scope, order: tuple[str, str]) -> Making:
    """What the cell takes over of the candidate, and what it keeps."""
    new, old = (gate_name(scope, gate) for gate in order)
    operands = (new, gate_name(scope, "candidate"), old, scope.timed("c", scope.before))
    return Making(scope.timed("c"), Gated(), operands, "state")


def _gru(scope: Scope) -> tuple[Making, ...]:
    return (_blend(scope, keeps=scope.cell.update == "old"),)


def _blend(scope: Scope, *, keeps: bool) -> Making:
    gates = (gate_name(scope, "update"), gate_name(scope, "candidate"))
    operands = (*gates, scope.timed("a", scope.before))
    return Making(scope.timed("a"), Blend(keeps), operands, "state")


_PLANS = {"rnn": _plain, "lstm": _lstm, "gru": _gru}


def _without_activation(scope: Scope) -> Making | None:
    if scope.cell.kind != "rnn":
        return None
    operands = (scope.timed("ax"), scope.timed("aa"))
    return Making(scope.timed("a"), AddUp(0, 2, 0), operands, "state")


def _without_bias(scope: Scope) -> Making | None:
    biases = (*bias_of_input(scope, "a"), *bias_of_memory(scope, "a"))
    if scope.cell.kind != "rnn" or not biases:
        return None
    return _sum(scope, ())


def _swapped(scope: Scope) -> Making | None:
    if scope.cell.kind == "lstm":
        return _cell(scope, ("forget", "update"))
    if scope.cell.kind == "gru":
        return _blend(scope, keeps=scope.cell.update != "old")
    return None


_HAPPENS = {
    "rnn": "Input and memory are added up{bias}, and {does}: the new memory.",
    "lstm": (
        "The cell keeps what the forget gate lets pass of it, and adds what the update gate lets"
        " pass of the candidate; the output gate says how much of it is shown."
    ),
    "gru": "The new memory is the {one} as far as the update gate is near 1, else the {other}.",
}
_DOES = {"tanh": "tanh squashes the sum", "relu": "relu lets of the sum what is above 0"}
_UPDATED = ("candidate", "old memory")


def _happens(scope: Scope) -> str:
    bias = " with the bias" if bias_of_input(scope, "a") else ""
    one, other = _UPDATED[::-1] if scope.cell.update == "old" else _UPDATED
    does = _DOES[scope.cell.activation]
    return _HAPPENS[scope.cell.kind].format(bias=bias, does=does, one=one, other=other)


STEP = Step(
    name="state",
    title="State",
    titled=at_time("State"),
    makes=("z", "a", "c", "tanh_c"),
    shapes="[h] and [h] → a[t] [h]",
    happens=_happens,
    purpose=(
        "The state is all that a recurrent cell hands on: to the next time as its memory, and to"
        " whatever reads it out. With tanh its numbers stay between −1 and 1, however many tokens"
        " there are."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "activation_forgotten",
            "Going on with the sum of input and memory itself, without activation and bias.",
            _without_activation,
        ),
        Mistake("bias_forgotten", "Leaving out the bias b_a.", _without_bias),
        Mistake(
            "gates_swapped",
            "Letting the gate for what is old decide on what is new, and the other way about.",
            _swapped,
        ),
    ),
)
