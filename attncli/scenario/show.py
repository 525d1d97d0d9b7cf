"""What a scenario says of how its page is shown."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Show(NamedTuple):
    """What the page shows."""

    queries: tuple[str, ...] = ()
    graph: bool = False
    pictures: bool = False
    arrows: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Only these of the graph's arrows, from queries to keys."""
    before_after: bool = False
    layout: str = "row"
