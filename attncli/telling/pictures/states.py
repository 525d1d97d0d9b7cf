"""The states of a recurrent layer through time, a curve for each of their dimensions."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.pictures import Curves
from attncli.telling.parts import made_by
from attncli.telling.pictures.curves import MOST_POINTS, cut_of, series_of
from attncli.telling.pictures.places import called
from attncli.telling.selection import Selection
from attncli.trace import PlannedStep, Trace


def pictures(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Curves]:
    """The states that the layer hands on."""
    states = made_by(trace, part)[-1]
    title = called(
        part, "The state after each token, a curve for each dimension" + cut_of(states, "times")
    )
    yield Curves(title, "time", states.rows.words[:MOST_POINTS], series_of(states))
