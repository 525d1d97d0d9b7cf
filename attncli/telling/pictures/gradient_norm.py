"""How large a gradient's factor is at each time on its way back."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.pictures import Curves
from attncli.telling.parts import made_by
from attncli.telling.pictures.curves import MOST_POINTS, cut_of, series_of
from attncli.telling.pictures.places import called
from attncli.telling.selection import Selection
from attncli.trace import PlannedStep, Trace


def pictures(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Curves]:
    """The norms of all times, where the last of them is worked."""
    norms = next((one for one in made_by(trace, part) if one.local == "factor_norms"), None)
    if norms is not None:
        title = called(
            part, "The norm of the gradient's factor at each time" + cut_of(norms, "times")
        )
        rises = bool((norms.values > 0).all())  # what is 0 has no logarithm
        yield Curves(
            title, "time", norms.rows.words[:MOST_POINTS], series_of(norms), logarithmic=rises
        )
