"""The memory before the first token."""

from __future__ import annotations

from attncli.arithmetic.operations import OnlyRow, Zeros
from attncli.file.keys import Key
from attncli.file.matrices import VECTOR
from attncli.notation import plain
from attncli.scenario.model import Recurrent
from attncli.steps.cells import INITIAL, letters, matrix
from attncli.steps.step import General, Mistake, Step
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
        return Definition(made, OnlyRow(), (given,), "start")
    return Definition(made, Zeros(), (matrix(place, f"W_{letters(place)[0]}a"),), "start")


def _forgotten(place: WayPlace) -> Definition | None:
    """Zeros in the place of a memory that is given."""
    if not place.scenario.gives(place.weights(INITIAL["a"])):
        return None
    made = place.name("a").at(place.start)
    return Definition(made, Zeros(), (matrix(place, f"W_{letters(place)[0]}a"),), "start")


def _when(place: WayPlace) -> str:
    """The way back begins where the way forward ends."""
    return "after the last token" if place.way == "backward" else "before the first token"


def _happens(place: WayPlace) -> str:
    told = [f"the initial state is {_numbers(place, 'a')}"]
    told += [f"the initial cell state {_numbers(place, 'c')}"] if place.cell.kind == "lstm" else []
    return f"{_when(place).capitalize()} {', '.join(told)}."


def _numbers(place: WayPlace, name: str) -> str:
    """`(0, 0, 0)`; of a long state the first and the last number."""
    given = place.scenario.given.get(place.weights(INITIAL[name]))
    if given is not None:
        numbers = [plain(given.number(0, j)) for j in range(given.shape[1])]
    else:
        square = matrix(place, f"W_{letters(place)[0]}a")
        numbers = ["0"] * (place.height(square) or place.width(square) or _MOST + 1)
    return f"({', '.join(numbers if len(numbers) <= _MOST else [numbers[0], '…', numbers[-1]])})"


_MOST = 6


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
)
