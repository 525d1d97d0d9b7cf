"""Taking stacked matrices apart, one run of rows a gate, as PyTorch keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, permutations
from typing import Any

from attncli.arithmetic.operations import Operation, Same, TakeColumns, TakeRun
from attncli.file.keys import Key
from attncli.file.kinds import Choice, ListOf
from attncli.file.matrices import MATRIX, VECTOR
from attncli.file.problems import Problems
from attncli.name import below
from attncli.refusals import listed
from attncli.scenario.model import GATES, LETTERS, Recurrent, Settings
from attncli.steps.recurrent.cells import gates
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, WayPlace

_GATE_ORDER: Key[tuple[str, ...]] = Key(
    "gate_order",
    ListOf(Choice(tuple(LETTERS))),
    "the gates in W_ih and W_hh, from the top; by default PyTorch's, `[update, forget, "
    "candidate, output]` of an lstm, `[reset, update, candidate]` of a gru",
    shared=True,
)
_KEYS: tuple[Key[Any], ...] = (
    _GATE_ORDER,
    Key(
        "W_ih",
        MATRIX,
        "all weights of the input, as PyTorch stacks them, [gates · h, d], for "
        "`weights_layout: torch`",
    ),
    Key("W_hh", MATRIX, "all weights of the memory, as PyTorch stacks them, [gates · h, h]"),
    Key("b_ih", VECTOR, "the biases beside W_ih, [gates · h]"),
    Key("b_hh", VECTOR, "the biases beside W_hh, [gates · h]"),
)

_STACKED = {"x": ("W_ih", "b_ih"), "a": ("W_hh", "b_hh")}


def _check(place: WayPlace, problems: Problems) -> None:
    said, own = place.cell.said, gates(place)
    if not said.says(_GATE_ORDER):
        return
    where = place.scenario.where(below(place.layer.path, _GATE_ORDER.name))
    order = said.get(_GATE_ORDER)
    if not place.cell.stacked:
        wrong = "gate_order is for matrices that are stacked"
        problems.add(where, wrong, "leave it out, or say weights_layout: torch")
    elif sorted(order) != sorted(own):
        right = f"name each gate of {place.cell.kind} once: {', '.join(own) or 'it has none'}"
        problems.add(where, f"the gates {listed(order)}", right)


def gate_order(cell: Recurrent) -> tuple[str, ...]:
    """The gates in the order in which they are stacked: that which is said, if it has each gate
    once; else the usual one."""
    said, usual = cell.said.get(_GATE_ORDER) or (), GATES.get(cell.kind, ())
    return said if sorted(said) == sorted(usual) else usual


def _plan(place: WayPlace) -> tuple[Definition, ...]:
    return tuple(_runs(place, gate_order(place.cell))) if place.cell.stacked else ()


def _runs(place: WayPlace, order: tuple[str, ...]) -> Iterator[Definition]:
    letters = tuple(LETTERS[gate] for gate in order) or ("a",)
    for k, letter in enumerate(letters):
        for source, (W, b) in _STACKED.items():
            yield _run(place, f"W_{letter}{source}", W, TakeRun(k, len(letters)), len(letters))
            if place.scenario.gives(place.weights(b)):
                run = TakeColumns(k, len(letters), "gates")
                yield _run(place, f"b_{letter}{source}", b, run, len(letters))


def _run(place: WayPlace, made: str, stacked: str, run: Operation, count: int) -> Definition:
    operation = run if count > 1 else Same()
    return Definition(place.name(made), operation, (place.weights(stacked),))


def _other_orders(place: WayPlace) -> Iterator[tuple[Definition, ...]]:
    """All that is taken from elsewhere in each other order of the gates, first that in which the
    first two are exchanged."""
    order, own = gate_order(place.cell), {*_plan(place)}
    exchanged = (*order[1::-1], *order[2:])
    for other in dict.fromkeys((exchanged, *permutations(order))) if order else ():
        if other != order:
            yield tuple(one for one in _runs(place, other) if one not in own)


def _other_order(place: WayPlace) -> tuple[Definition, ...]:
    return next(_other_orders(place), ())


STEP = Step(
    name="unstack",
    at=WayPlace,
    keys=(*_KEYS,),
    title="Gates out of the stack",
    does="splits a stacked matrix into those of the gates",
    makes=tuple(f"{kind}_{x}{y}" for kind in "Wb" for x in "aufrco" for y in "xa"),
    shapes="W_ih [gates · h, d], W_hh [gates · h, h] → a W [h, d] and a W [h, h] for each gate",
    happens=lambda _: "Each gate takes its own run of rows of the stacked matrices.",
    why=(
        "Programs keep the matrices of all gates in one, so that a single product does for all of"
        " them; by hand it is clearer to take them apart first."
    ),
    more="The order of the gates is a convention that differs from library to library.",
    check=_check,
    plan=_plan,
    general=General(
        cell=Recurrent("gru", said=Settings(values={"weights_layout": "torch"})),
        gives=("b_ih", "b_hh"),
    ),
    mistakes=(
        Mistake(
            "gates_in_another_order",
            "Taking the gates' weights out of the stack in another order than they are in.",
            lambda place: next(iter(_other_order(place)), None),
            lambda place: _other_order(place)[1:],
            lambda place: islice(_other_orders(place), 1, None),
        ),
    ),
    backward=Backward(
        "the stacked weights",
        "Each gate's gradients go back to the rows that it took.",
        example="",
    ),
)
