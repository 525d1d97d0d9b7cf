"""What a format has to know of the place that it is printed on."""

from __future__ import annotations

from attncli.records import NamedTuple


class Page(NamedTuple):
    """The width in terminal cells, whether colours are wanted, and whether only a fragment is:
    what goes into a document of one's own."""

    width: int = 80
    colour: bool = False
    fragment: bool = False
