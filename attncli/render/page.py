"""What a format has to know of the place that it is printed on."""

from typing import NamedTuple


class Page(NamedTuple):
    """The width in terminal cells, whether colours are wanted, whether only a fragment is: what
    goes into a document of one's own; whether looks and scripts stand in files beside it, for pages
    that share them; and whether values are wanted without texts."""

    width: int = 80
    colour: bool = False
    fragment: bool = False
    shared: bool = False
    values_only: bool = False
