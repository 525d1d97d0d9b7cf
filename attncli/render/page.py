"""What a format has to know of the place that it is printed on."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """The width in terminal cells, and whether colours are wanted."""

    width: int = 80
    colour: bool = False
