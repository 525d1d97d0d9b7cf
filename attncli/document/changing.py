"""The places in a scenario's text of numbers that readers of a page change; other choices."""

# no lazy annotations here, as in `blocks`
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from attncli.maths.equations.tree import Location

if TYPE_CHECKING:
    from attncli.document.blocks import Document


class ScenarioChoice(NamedTuple):
    """A key of a scenario that has few values."""

    key: str
    name: str
    """What the key is called on a page."""
    values: tuple[str, ...]
    value: str
    """The value that it has."""


class Changeable(NamedTuple):
    """What a reader can change in a page."""

    text: str
    """The text of the scenario."""
    file: str
    """The name of its file."""
    numbers: Mapping[Location, str]
    """The keys of the numbers that it gives, as `--set` takes them."""
    choices: tuple[ScenarioChoice, ...]
    """What can be chosen."""
    places: Mapping[str, tuple[int, int, str, str]]
    """Where the text says each key: what stands from a start to an end is replaced by a text
    before, its value and one after."""
    otherwise: "Mapping[tuple[str, ...], Document]" = MappingProxyType({})
    """The pages with other choices, as `KEY=VALUE`, where these change what is worked."""
