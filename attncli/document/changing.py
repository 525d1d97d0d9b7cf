"""What a page has for readers who change its numbers: where its scenario says them, and what else
may be chosen."""

# no lazy annotations here, as in `blocks`
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from attncli.equations.tree import Location

if TYPE_CHECKING:
    from attncli.document.blocks import Document


class ScenarioChoice(NamedTuple):
    """A key of a scenario that has few values, what it is called, and the value that it has."""

    key: str
    name: str
    values: tuple[str, ...]
    value: str


class Changeable(NamedTuple):
    """The text of a scenario with the name of its file, the keys of the numbers that it gives, as
    `--set` takes them, and what can be chosen. `places` are where the text says each key: what
    stands from a start to an end is replaced by a text before, its value and one after. `otherwise`
    are the pages that it has with other choices, as `KEY=VALUE`, where these change what is
    worked."""

    text: str
    file: str
    numbers: Mapping[Location, str]
    choices: tuple[ScenarioChoice, ...]
    places: Mapping[str, tuple[int, int, str, str]]
    otherwise: "Mapping[tuple[str, ...], Document]" = MappingProxyType({})
