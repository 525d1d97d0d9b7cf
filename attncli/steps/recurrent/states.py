"""All states of a layer, one row a token."""

from __future__ import annotations

from attncli.arithmetic.operations import ColumnsAsRows, JoinColumns
from attncli.name import Name
from attncli.scenario.model import Recurrent
from attncli.steps.recurrent.cells import rows
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, WayPlace


def _plan(place: WayPlace) -> tuple[Definition, ...]:
    cell = place.cell
    if cell.direction != "both":
        return (_of_way(place, place.path),)
    ways = [_of_way(place, cell.way_path(place.path, way)) for way in cell.ways]
    joined = JoinColumns(len(ways))
    return (*ways, Definition(place.name("states"), joined, tuple(w.name for w in ways)))


def _of_way(place: WayPlace, path: Name, step: int = 1) -> Definition:
    way = place.at(path)
    columns = tuple(way.name("a").at(time) for time in range(1, place.times + 1))[::step]
    operation = ColumnsAsRows(place.times)
    return Definition(way.name("states"), operation, columns, rows=rows(place))


def _as_made(place: WayPlace) -> Definition | None:
    """The states of the way back in the order in which they are made."""
    cell = place.cell
    if cell.direction == "forward" or place.times < 2:  # noqa: PLR2004
        return None
    return _of_way(place, cell.way_path(place.path, "backward"), step=-1)


STEP = Step(
    name="states",
    at=WayPlace,
    title="States",
    does="puts the states of all times side by side",
    makes=("states",),
    shapes="a[1] … a[n] [h] → states [n, h]",
    happens=lambda _: "Each row is the state after a token.",
    why="Side by side the states show what the memory holds as the sentence goes on.",
    more="They are what a next layer takes for its input.",
    example="yassine_rnn_sentence",
    plan=_plan,
    general=General(cell=Recurrent()),
    mistakes=(
        Mistake(
            "states_in_the_order_of_making",
            "Writing the states of the way back down in the order in which they are made, so that"
            " each stands beside another token.",
            _as_made,
        ),
    ),
    pictures=("states",),
    backward=Backward(
        "the states",
        "Each state gets its row of the gradient.",
        example="",
    ),
)
