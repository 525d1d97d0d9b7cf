"""Rotary positions whose cosines and sines are given, as some models keep them."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.operations import Rotate, TakeRows
from attncli.file.problems import Problems
from attncli.name import Name
from attncli.scenario.model import Positions
from attncli.scenario.scenario import Scenario
from attncli.steps.input.position_keys import BASE, COS, SCALING, SIN
from attncli.trace import Axis, Definition, HeadPlace
from attncli.trace.extents import sized as told
from attncli.trace.quantity import told_apart


def check(place: HeadPlace, positions: Positions, problems: Problems) -> None:
    """Complains of one table without the other, and of what would make them beside both."""
    where = place.scenario.where(positions.said.path)
    for key, other in ((COS, SIN), (SIN, COS)):
        if not positions.said.says(key):
            right = f"give both, like {key.name}: [[1]]"
            problems.add(where, f"{other.name} and no {key.name}", right)
    for key in (BASE, SCALING):
        if positions.said.says(key):
            wrong = f"cos and sin, and the {key.name} that they would be made by"
            problems.add(where, wrong, "keep one of them")


def rows(names: Sequence[Name], tables: Sequence[Name], start: int) -> Sequence[Definition]:
    """What is looked up in the tables from a position on; how many rows that are is told when all
    shapes are."""
    taken = TakeRows((start,), (str(start),), "position")
    return [
        Definition(name, taken, (table,), blame=table)
        for name, table in zip(names, tables, strict=True)
    ]


def sized(place: HeadPlace, planned: Definition) -> Definition:
    """A row for each query or key."""
    height = place.height(planned.name)
    if not isinstance(planned.operation, TakeRows) or height is None:
        return planned
    names = place.attention.keys if planned.name.local[0] == "K" else place.text.tokens
    rows = Axis(told_apart(names), "token") if len(names) == height else None
    start = planned.operation.indices[0]
    positions = tuple(range(start, start + height))
    taken = TakeRows(positions, tuple(map(str, positions)), "position")
    return planned._replace(operation=taken, rows=rows)


def fits(definition: Definition, scenario: Scenario, problems: Problems) -> None:
    """Complains of tables that have too few rows, or not a column for each pair that turns."""
    operation, shapes = definition.operation, scenario.shapes
    first = definition.operands[0]
    if isinstance(operation, TakeRows):
        there, height = shapes[first][0], shapes[definition.name][0]
        wanted = operation.indices[0] + (height or 0)
        if there is not None and there < wanted:
            wrong = f"{first} has {told(there, 0)}, and that of position {wanted - 1} is needed"
            problems.add(scenario.where(first), wrong, f"give it {told(wanted, 0)}")
    if isinstance(operation, Rotate):
        columns, pairs = operation.dimensions or shapes[first][1], shapes[definition.operands[1]][1]
        if columns is not None and pairs is not None and columns != 2 * pairs:
            wrong = f"{told(pairs, 1)} of cosines and sines, and {columns} of {first} turn in pairs"
            right = f"give {told(columns // 2, 1)}, one for each pair, or say dimensions"
            problems.add(scenario.where(definition.blame), wrong, right)
