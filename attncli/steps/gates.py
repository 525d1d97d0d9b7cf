"""The gates of LSTM and GRU cells.

Hochreiter & Schmidhuber 1997; Gers et al. 2000 (the forget gate); Cho et al. 2014,
arXiv:1406.1078. A reset after the product with the memory: Chung et al. 2014, arXiv:1412.3555,
as PyTorch and cuDNN have it.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncli.arithmetic.operations import Activate, AddUp, Through
from attncli.name import Name, below
from attncli.scenario.keys.recurrent import LETTERS
from attncli.steps.cells import at_time, bias_of_input, bias_of_memory, gates, matrix
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _plan(scope: Scope) -> tuple[Making, ...]:
    cell = _cell(scope)
    return tuple(making for gate in gates(cell) for making in _gate(cell, gate))


def _cell(scope: Scope) -> Scope:
    """The place of the cell whose gates these are: they have a path of their own."""
    return scope.at(scope.path.path)


def _named(scope: Scope, local: str) -> Name:
    """The full name of something of the gates at this time: `gates[2].forget`."""
    return below(scope.timed("gates"), local)


def gate_name(scope: Scope, gate: str) -> Name:
    """The full name of a gate at this time."""
    return _named(scope, gate)


def _gate(scope: Scope, gate: str) -> Iterator[Making]:
    """A gate: a sum over the input and the memory, and what squashes it."""
    z = _named(scope, f"z_{gate}")
    if gate == "candidate" and scope.cell.kind == "gru":
        yield from _candidate_of_gru(scope, z)
    else:
        memory = scope.timed("a", scope.before)
        yield _sum(scope, z, gate, memory)
    kind = "tanh" if gate == "candidate" else "sigmoid"
    yield Making(_named(scope, gate), Activate(kind), (z,), "gates")


def _sum(scope: Scope, made: Name, gate: str, memory: Name) -> Making:
    """W x[t] + U a[t−1] + b"""
    letter = LETTERS[gate]
    inputs = (matrix(scope, f"W_{letter}x"), scope.timed("x"))
    products = (*inputs, matrix(scope, f"W_{letter}a"), memory)
    biases = (*bias_of_input(scope, letter), *bias_of_memory(scope, letter))
    operation = AddUp(2, 0, len(biases), scope.cell.in_out)
    return Making(made, operation, (*products, *biases), "gates")


def _candidate_of_gru(scope: Scope, z: Name) -> Iterator[Making]:
    before, reset_a = scope.timed("a", scope.before), _named(scope, "reset_a")
    reset = _named(scope, "reset")
    if scope.cell.reset == "before":
        yield Making(reset_a, Through(), (reset, before), "gates")
        yield _sum(scope, z, "candidate", reset_a)
        return
    drawn = _named(scope, "candidate_a")
    biases = bias_of_memory(scope, "c")
    operands = (matrix(scope, "W_ca"), before, *biases)
    yield Making(drawn, AddUp(1, 0, len(biases), scope.cell.in_out), operands, "gates")
    yield Making(reset_a, Through(), (reset, drawn), "gates")
    own = bias_of_input(scope, "c")
    operands = (matrix(scope, "W_cx"), scope.timed("x"), reset_a, *own)
    yield Making(z, AddUp(1, 1, len(own), scope.cell.in_out), operands, "gates")


def _tanh_gate(gates_at: Scope) -> Making | None:
    scope = _cell(gates_at)
    gate = gates(scope)[0]
    return Making(_named(scope, gate), Activate("tanh"), (_named(scope, f"z_{gate}"),), "gates")


def _without_memory(gates_at: Scope) -> Making | None:
    scope = _cell(gates_at)
    gate = gates(scope)[0]
    letter = LETTERS[gate]
    biases = bias_of_input(scope, letter)
    operands = (matrix(scope, f"W_{letter}x"), scope.timed("x"), *biases)
    operation = AddUp(1, 0, len(biases), scope.cell.in_out)
    return Making(_named(scope, f"z_{gate}"), operation, operands, "gates")


_HAPPENS = {
    "lstm": (
        "Each gate looks at the token and at the memory: its sum is squashed to numbers between 0"
        " and 1 by the sigmoid, that of the candidate to numbers between −1 and 1 by tanh."
    ),
    "gru": (
        "The reset gate says how much of the memory the candidate may see, the update gate how"
        " much of the memory is {updated}."
    ),
}

STEP = Step(
    name="gates",
    title="Gates",
    titled=at_time("Gates"),
    makes=(
        *LETTERS,
        *(f"z_{gate}" for gate in LETTERS),
        "candidate_a",
        "reset_a",
    ),
    shapes="x[t] [d], a[t−1] [h] → each gate [h]",
    happens=lambda scope: _HAPPENS.get(scope.cell.kind, "").format(
        updated="kept" if scope.cell.update == "old" else "replaced"
    ),
    purpose=(
        "A plain cell writes its whole memory anew at each token, so that what was long ago is"
        " soon lost, and so is its gradient. Gates decide number by number what is kept, what is"
        " written and what is shown: near 1 lets a number pass, near 0 holds it back."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "tanh_for_sigmoid",
            "Squashing a gate by tanh instead of the sigmoid, so that it can turn negative.",
            _tanh_gate,
        ),
        Mistake(
            "memory_forgotten",
            "Leaving the memory out of a gate's sum.",
            _without_memory,
        ),
    ),
)
