"""What the steps of recurrent cells share: the names of matrices, and products with them."""

from __future__ import annotations

from collections.abc import Callable

from attncli.arithmetic.operations import MatMul, TransposedWeights
from attncli.name import Name
from attncli.scenario.keys.recurrent import GATES, LETTERS
from attncli.trace import Axis, Making, Scope
from attncli.trace.quantity import counted, told_apart


def gates(scope: Scope) -> tuple[str, ...]:
    """The gates of a cell; a plain one has none."""
    return GATES.get(scope.cell.kind, ())


def letters(scope: Scope) -> tuple[str, ...]:
    """What the matrices of a cell are called by: `f` of `W_fx`, or the `a` of a plain cell."""
    return tuple(LETTERS[gate] for gate in gates(scope)) or ("a",)


def matrix(scope: Scope, local: str) -> Name:
    """The full name of a matrix such as `W_fx`: given, or a part of a stacked one."""
    return scope.name(local) if scope.cell.layout == "torch" else scope.weights(local)


def bias_of_input(scope: Scope, letter: str) -> tuple[Name, ...]:
    """The full name of the bias beside the input, if it is given."""
    if scope.cell.layout == "torch":
        given = scope.scenario.gives(scope.weights("b_ih"))
        return (scope.name(f"b_{letter}x"),) if given else ()
    name = scope.weights(f"b_{letter}")
    return (name,) if scope.scenario.gives(name) else ()


def bias_of_memory(scope: Scope, letter: str) -> tuple[Name, ...]:
    """The full name of the bias beside the memory, which only stacked matrices have."""
    given = scope.cell.layout == "torch" and scope.scenario.gives(scope.weights("b_hh"))
    return (scope.name(f"b_{letter}a"),) if given else ()


def product(scope: Scope, made: Name, operands: tuple[Name, Name], step: str) -> Making:
    """`made` = W x, by full names; of a W that is kept in × out its columns are taken."""
    operation = TransposedWeights() if scope.cell.in_out else MatMul()
    return Making(made, operation, operands, step)


def turned(scope: Scope, made: Name, operands: tuple[Name, Name], step: str) -> Making:
    """The product with the matrix turned over, as a mistake would have it."""
    operation = MatMul() if scope.cell.in_out else TransposedWeights()
    return Making(made, operation, operands, step)


def rows(scope: Scope) -> Axis:
    """The tokens that the times of a cell are, as names of rows."""
    names = told_apart(scope.text.tokens)
    return Axis(names if len(names) == scope.times else counted(scope.times), "token")


def at_time(title: str) -> Callable[[Scope], str]:
    """A title that says at which time a step is taken."""

    return lambda scope: f"{title} at time {scope.time}"
