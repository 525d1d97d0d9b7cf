"""What the steps of recurrent cells share: the names of matrices, and products with them."""

from __future__ import annotations

from attncli.arithmetic.operations import MatMul, TransposedWeights
from attncli.name import Name
from attncli.scenario.model import GATES, LETTERS
from attncli.trace import Axis, CellPlace, Definition, WayPlace
from attncli.trace.quantity import counted, told_apart

INITIAL = {"a": "initial_state", "c": "initial_cell"}
"""The keys that give the states before the first token."""


def gates(place: WayPlace) -> tuple[str, ...]:
    """The gates of a cell; a plain one has none."""
    return GATES.get(place.cell.kind, ())


def letters(place: WayPlace) -> tuple[str, ...]:
    """What the matrices of a cell are called by: `f` of `W_fx`, or the `a` of a plain cell."""
    return tuple(LETTERS[gate] for gate in gates(place)) or ("a",)


def matrix(place: WayPlace, local: str) -> Name:
    """The full name of a matrix such as `W_fx`: given, or a part of a stacked one."""
    return place.name(local) if place.cell.stacked else place.weights(local)


def bias_of_input(place: WayPlace, letter: str) -> tuple[Name, ...]:
    """The full name of the bias beside the input, if it is given."""
    if place.cell.stacked:
        given = place.scenario.gives(place.weights("b_ih"))
        return (place.name(f"b_{letter}x"),) if given else ()
    name = place.weights(f"b_{letter}")
    return (name,) if place.scenario.gives(name) else ()


def bias_of_memory(place: WayPlace, letter: str) -> tuple[Name, ...]:
    """The full name of the bias beside the memory, which only stacked matrices have."""
    given = place.cell.stacked and place.scenario.gives(place.weights("b_hh"))
    return (place.name(f"b_{letter}a"),) if given else ()


def product(
    place: WayPlace, made: Name, operands: tuple[Name, Name], *, turned: bool = False
) -> Definition:
    """`made` = W x, by full names; of a W that is kept in × out its columns are taken. With the
    matrix `turned` over it is as a mistake would have it."""
    operation = TransposedWeights() if place.cell.in_out != turned else MatMul()
    return Definition(made, operation, operands)


def is_empty(place: CellPlace, local: str = "a") -> bool:
    """Whether the state that this time starts from is nothing but zeros, before any token."""
    given = place.scenario.given.get(place.weights(INITIAL[local]))
    return place.before == place.start and (given is None or not given.values.any())


def if_empty(place: CellPlace, operand: int, local: str = "a") -> int | None:
    """The place of the memory among an operation's operands, if its terms are to be left out."""
    return operand if is_empty(place, local) else None


def left_out(place: CellPlace, local: str = "a") -> str:
    """What is said where the terms of an empty memory are left out; nothing where they aren't."""
    what = "cell state" if local == "c" else "state"
    return f" The initial {what} is 0: its terms are left out." if is_empty(place, local) else ""


def rows(place: WayPlace) -> Axis:
    """The tokens that the times of a cell are, as names of rows."""
    names = told_apart(place.text.tokens)
    return Axis(names if len(names) == place.times else counted(place.times), "token")
