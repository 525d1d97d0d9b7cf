"""The memory before the first token."""

from __future__ import annotations

from attncli.arithmetic.operations import OnlyRow, Zeros
from attncli.file.keys import Key
from attncli.file.matrices import VECTOR
from attncli.scenario.model import Recurrent
from attncli.steps.recurrent.cells import INITIAL, letters, matrix
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, WayPlace

_KEYS = (
    Key(
        "initial_state",
        VECTOR,
        "a⟨0⟩, [h], the memory before the first token, zeros by default; where a cell goes "
        "backward, what stands after the last token",
    ),
    Key("initial_cell", VECTOR, "of an lstm: c⟨0⟩, [h], zeros by default"),
)


def _plan(place: WayPlace) -> tuple[Definition, ...]:
    names = ("a", "c") if place.cell.kind == "lstm" else ("a",)
    return tuple(_start(place, name) for name in names)


def _start(place: WayPlace, name: str) -> Definition:
    given = place.weights(INITIAL[name])
    made = place.name(name).at(place.start)
    if place.scenario.gives(given):
        return Definition(made, OnlyRow(), (given,))
    return Definition(made, Zeros(), (matrix(place, f"W_{letters(place)[0]}a"),))


def _forgotten(place: WayPlace) -> Definition | None:
    """Zeros in the place of a memory that is given."""
    if not place.scenario.gives(place.weights(INITIAL["a"])):
        return None
    made = place.name("a").at(place.start)
    return Definition(made, Zeros(), (matrix(place, f"W_{letters(place)[0]}a"),))


def _when(place: WayPlace) -> str:
    """The way back begins where the way forward ends."""
    return "after the last token" if place.way == "backward" else "before the first token"


def _happens(place: WayPlace) -> str:
    states = {"a": "state", "c": "cell state"} if place.cell.kind == "lstm" else {"a": "state"}
    told: dict[str, list[str]] = {}
    for name, called in states.items():
        given = place.scenario.gives(place.weights(INITIAL[name]))
        told.setdefault("given" if given else "all zeros", []).append(f"the {called}")
    parts = (f"{' and '.join(of)} {'are' if of[1:] else 'is'} {how}" for how, of in told.items())
    return f"{_when(place).capitalize()}, {', '.join(parts)}."


STEP = Step(
    name="start",
    at=WayPlace,
    keys=(*_KEYS,),
    title="Initial state",
    does="sets the state of a recurrent cell before the first token",
    titled=lambda place: f"Initial state, {_when(place)}",
    makes=("a", "c"),
    shapes="a[0] [h], of an lstm also c[0] [h]",
    happens=_happens,
    why=(
        "The memory of a recurrent cell is its hidden state, which begins with zeros, since there"
        " is nothing to remember yet, unless the cell goes on from another text."
    ),
    more="From there on it adds each token to what it remembers of those that it has read.",
    example="yassine_rnn_sentence",
    plan=_plan,
    general=General(cell=Recurrent()),
    mistakes=(
        Mistake(
            "memory_dropped",
            "Beginning with an empty memory where it goes on from another text.",
            _forgotten,
        ),
    ),
    backward=Backward(
        "the initial state",
        "What the first time makes of the initial state is pushed back on to it.",
        gives=("initial_state",),
        example="rnn_backward_through_time",
        shown_with=("initial_state=[0.1, 0, 0]",),
    ),
)
