"""Steps that a scenario writes itself, as equations: what it says of each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from attncli.errors import Where
from attncli.maths.equations.language import Bound, Part, WrittenEquation


class Line(NamedTuple):
    """An equation, and where it stands."""

    equation: WrittenEquation
    where: Where


class Start(NamedTuple):
    """What stands before the first time: a number for all, or an array."""

    number: str
    array: str
    where: Where


class Times(NamedTuple):
    """The times for which all equations of a step are worked, one after the other."""

    bound: Bound
    where: Where
    backward: bool = False
    starts: Mapping[str, Start] = MappingProxyType({})
    """What each quantity is before the first time, by its name."""


class Instead(NamedTuple):
    """The right side that an equation has by mistake."""

    value: Part
    where: Where


class WrittenMistake(NamedTuple):
    """A common mistake in a step, by what it changes."""

    name: str
    says: str
    instead: Mapping[str, Instead]
    """The other right sides, by the names of what they make."""


class WrittenStep(NamedTuple):
    """A step of a scenario's own."""

    name: str
    where: Where
    lines: tuple[Line, ...]
    title: str = ""
    why: str = ""
    over: Times | None = None
    mistakes: tuple[WrittenMistake, ...] = ()
