"""The memory before the first token."""

from __future__ import annotations

from attncli.arithmetic.operations import OnlyRow, Zeros
from attncli.notation import plain
from attncli.steps.cells import letters, matrix
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope

_GIVEN = {"a": "initial_state", "c": "initial_cell"}


def _plan(scope: Scope) -> tuple[Making, ...]:
    if not scope.times:
        return ()
    names = ("a", "c") if scope.cell.kind == "lstm" else ("a",)
    return tuple(_start(scope, name) for name in names)


def _start(scope: Scope, name: str) -> Making:
    given = scope.weights(_GIVEN[name])
    made = scope.timed(name, scope.times + 1 if scope.way == "backward" else 0)
    if scope.scenario.gives(given):
        return Making(made, OnlyRow(), (given,), "start")
    return Making(made, Zeros(), (matrix(scope, f"W_{letters(scope)[0]}a"),), "start")


def _forgotten(scope: Scope) -> Making | None:
    """Zeros in the place of a memory that is given."""
    if not scope.scenario.gives(scope.weights(_GIVEN["a"])):
        return None
    made = scope.timed("a", scope.times + 1 if scope.way == "backward" else 0)
    return Making(made, Zeros(), (matrix(scope, f"W_{letters(scope)[0]}a"),), "start")


def _when(scope: Scope) -> str:
    """The way back begins where the way forward ends."""
    return "after the last token" if scope.way == "backward" else "before the first token"


def _happens(scope: Scope) -> str:
    told = [f"the initial state is {_numbers(scope, 'a')}"]
    told += [f"the initial cell state {_numbers(scope, 'c')}"] if scope.cell.kind == "lstm" else []
    return f"{_when(scope).capitalize()} {', '.join(told)}."


def _numbers(scope: Scope, name: str) -> str:
    """`(0, 0, 0)`; of a long state the first and the last number."""
    given = scope.scenario.given.get(scope.weights(_GIVEN[name]))
    if given is not None:
        numbers = [plain(given.number(0, j)) for j in range(given.shape[1])]
    else:
        square = matrix(scope, f"W_{letters(scope)[0]}a")
        numbers = ["0"] * (scope.height(square) or scope.width(square) or _MOST + 1)
    return f"({', '.join(numbers if len(numbers) <= _MOST else [numbers[0], '…', numbers[-1]])})"


_MOST = 6


STEP = Step(
    name="start",
    title="The memory at the start",
    titled=lambda scope: f"The memory {_when(scope)}",
    makes=("a", "c"),
    shapes="a[0] [h], of an lstm also c[0] [h]",
    happens=_happens,
    purpose=(
        "A recurrent cell adds each token to what it remembers of those that it has read. Where it"
        " begins there is nothing to remember, so that its memory begins with zeros, unless it goes"
        " on from another text."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "memory_dropped",
            "Beginning with an empty memory where it goes on from another text.",
            _forgotten,
        ),
    ),
)
