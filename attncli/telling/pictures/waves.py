"""Positional encoding as waves, a curve for each dimension, and as a map."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.arithmetic.operations.positions import Sinusoids
from attncli.pictures import Curves, HeatMaps
from attncli.telling.blocks import matrix_block
from attncli.telling.parts import made_by
from attncli.telling.pictures.curves import MOST_POINTS, cut_of, series_of
from attncli.telling.pictures.places import called
from attncli.telling.selection import Selection
from attncli.trace import PlannedStep, Trace


def pictures(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Curves | HeatMaps]:
    """Curves of sines and cosines; learned positions go up and down as they will."""
    for quantity in made_by(trace, part):
        if not quantity.local.startswith("P"):
            continue
        definition = quantity.definition
        if definition is not None and isinstance(definition.operation, Sinusoids):
            title = called(
                part,
                "Positional encoding as waves, one for each dimension"
                + cut_of(quantity, "positions"),
            )
            yield Curves(title, "position", quantity.rows.words[:MOST_POINTS], series_of(quantity))
        table = matrix_block(quantity, selection, part.path)
        yield HeatMaps(called(part, "Positional encoding as a map"), ((table.name, table),), True)
