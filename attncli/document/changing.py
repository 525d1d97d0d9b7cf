"""What a page has for readers who change its numbers: where its scenario says them, and what else
may be chosen."""

# no lazy annotations here, as in `blocks`
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from attncli.equations.tree import Location

if TYPE_CHECKING:
    from attncli.document.blocks import Document


class TextPlace(NamedTuple):
    """A key as `--set` takes it, and where a text says it: what stands from `start` to `end` is
    replaced by `before`, its value and `after`."""

    key: str
    start: int
    end: int
    before: str = ""
    after: str = ""


class ScenarioChoice(NamedTuple):
    """A key of a scenario that has few values, what it is called, and the value that it has."""

    place: TextPlace
    name: str
    values: tuple[str, ...]
    value: str


class Changeable(NamedTuple):
    """The text of a scenario with the name of its file, the numbers that it gives, what can be
    chosen, and the decimals of each quantity that has its own; `otherwise` are the pages that it
    has with other choices, as `KEY=VALUE`, where these change what is worked."""

    text: str
    file: str
    numbers: Mapping[Location, TextPlace]
    choices: tuple[ScenarioChoice, ...]
    otherwise: "Mapping[tuple[str, ...], Document]" = MappingProxyType({})
