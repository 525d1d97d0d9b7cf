"""How large a picture is drawn on paper: its texts can be read, and it fits."""

from __future__ import annotations

from typing import NamedTuple

_USUAL, _SMALLEST = 0.62, 0.45
"""Points of a picture's unit, in which its texts are 14 high: usually, and at the least."""


class PaperFit(NamedTuple):
    """Points of a unit, and whether the picture is turned to the left."""

    scale: float
    turned: bool


def fit(size: tuple[float, float], room: tuple[float, float]) -> PaperFit | None:
    """A picture as it is where that fits in so many points, else turned; None where it would be too
    small either way."""
    for turned, (along, down) in ((False, room), (True, room[::-1])):
        scale = min(_USUAL, along / size[0], down / size[1])
        if scale >= _SMALLEST:
            return PaperFit(scale, turned)
    return None
