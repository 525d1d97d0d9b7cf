"""What a plain cell makes of its memory: W_aa a[t−1]."""

from __future__ import annotations

from attncli.name import Name
from attncli.steps.cells import at_time, matrix, product, turned
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _operands(scope: Scope) -> tuple[Name, Name]:
    return matrix(scope, "W_aa"), scope.timed("a", scope.before)


def _plan(scope: Scope) -> tuple[Making, ...]:
    if not scope.time or scope.cell.kind != "rnn":
        return ()
    return (product(scope, scope.timed("aa"), _operands(scope), "memory"),)


def _transposed(scope: Scope) -> Making | None:
    return turned(scope, scope.timed("aa"), _operands(scope), "memory")


def _of_the_start(scope: Scope) -> Making | None:
    """The memory before the first token, at every time."""
    first = scope.times + 1 if scope.way == "backward" else 0
    if scope.before == first:
        return None
    operands = (matrix(scope, "W_aa"), scope.timed("a", first))
    return product(scope, scope.timed("aa"), operands, "memory")


STEP = Step(
    name="memory",
    title="Memory",
    titled=at_time("Memory"),
    makes=("aa",),
    shapes="W_aa [h, h], a[t−1] [h] → W_aa a[t−1] [h]",
    happens=lambda scope: (
        f"What is remembered of the tokens {'after' if scope.way == 'backward' else 'before'} is"
        " multiplied by its own weights."
    ),
    purpose=(
        "The memory is what makes a cell recurrent: the state that it was left in comes back in,"
        " through the same W_aa at each time. With an empty memory it adds nothing."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "W_aa_transposed",
            "Multiplying the memory by the columns of W_aa instead of its rows.",
            _transposed,
        ),
        Mistake(
            "memory_not_carried",
            "Going on with the memory of the start at every time.",
            _of_the_start,
        ),
    ),
)
