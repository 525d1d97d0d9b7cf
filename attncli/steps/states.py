"""All states of a layer, one row a token."""

from __future__ import annotations

from attncli.arithmetic.operations import ColumnsAsRows, JoinColumns
from attncli.steps.step import Step
from attncli.trace import Axis, Making, Scope
from attncli.trace.quantity import counted, told_apart


def _plan(scope: Scope) -> tuple[Making, ...]:
    if not scope.times:
        return ()
    cell = scope.cell
    if cell.direction != "both":
        return (_of_way(scope, scope.path),)
    ways = [_of_way(scope, cell.way_path(scope.path, way)) for way in cell.ways]
    joined = JoinColumns(len(ways))
    return (*ways, Making(scope.name("states"), joined, tuple(w.name for w in ways), "states"))


def _of_way(scope: Scope, path: str) -> Making:
    way = scope.at(path)
    columns = tuple(way.timed("a", time) for time in range(1, scope.times + 1))
    names = told_apart(scope.text.tokens)
    rows = Axis(names if len(names) == scope.times else counted(scope.times), "token")
    operation = ColumnsAsRows(scope.times)
    return Making(way.name("states"), operation, columns, "states", rows=rows)


STEP = Step(
    name="states",
    title="States",
    makes=("states",),
    shapes="a⟨1⟩ … a⟨n⟩ [h] → states [n, h]",
    happens=lambda _: "The states after each token, one row a token.",
    purpose=(
        "Side by side the states show what the memory holds as the sentence goes on. They are"
        " what a next layer takes for its input."
    ),
    plan=_plan,
)
