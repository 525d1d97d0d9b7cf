"""All states of a layer, one row a token."""

from __future__ import annotations

from attncli.arithmetic.operations import ColumnsAsRows, JoinColumns
from attncli.name import Name
from attncli.steps.cells import rows
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _plan(scope: Scope) -> tuple[Making, ...]:
    if not scope.times:
        return ()
    cell = scope.cell
    if cell.direction != "both":
        return (_of_way(scope, scope.path),)
    ways = [_of_way(scope, cell.way_path(scope.path, way)) for way in cell.ways]
    joined = JoinColumns(len(ways))
    return (*ways, Making(scope.name("states"), joined, tuple(w.name for w in ways), "states"))


def _of_way(scope: Scope, path: Name, step: int = 1) -> Making:
    way = scope.at(path)
    columns = tuple(way.timed("a", time) for time in range(1, scope.times + 1))[::step]
    operation = ColumnsAsRows(scope.times)
    return Making(way.name("states"), operation, columns, "states", rows=rows(scope))


def _as_made(scope: Scope) -> Making | None:
    """The states of the way back in the order in which they are made."""
    cell = scope.cell
    if cell.direction == "forward" or scope.times < 2:  # noqa: PLR2004
        return None
    return _of_way(scope, cell.way_path(scope.path, "backward"), step=-1)


STEP = Step(
    name="states",
    title="States",
    makes=("states",),
    shapes="a[1] … a[n] [h] → states [n, h]",
    happens=lambda _: "The states after each token, one row a token.",
    purpose=(
        "Side by side the states show what the memory holds as the sentence goes on. They are"
        " what a next layer takes for its input."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "states_in_the_order_of_making",
            "Writing the states of the way back down in the order in which they are made, so that"
            " each stands beside another token.",
            _as_made,
        ),
    ),
)
