"""What a format has to know of the place that it is printed on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """The width in terminal cells, and whether colours are wanted."""

    width: int = 80
    colour: bool = False
