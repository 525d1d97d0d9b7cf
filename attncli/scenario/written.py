"""Steps that a scenario writes itself, as equations: what it says of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from attncli.errors import Where
from attncli.maths.equations.language import Bound, Part, WrittenEquation
from attncli.names import Name
from attncli.scenario.file.matrices import MatrixLike
from attncli.scenario.file.nodes import TextPlace

_MATRIX = 2
"""The sides of a matrix."""


class EquationLine(NamedTuple):
    """An equation, and where it stands."""

    equation: WrittenEquation
    place: TextPlace
    is_broken: bool = False
    """Whether it can't be read, of which only the name that it would make is known."""


class Start(NamedTuple):
    """What stands before the first time: a number for all, or an array."""

    number: str
    array: str
    where: Where
    is_broken: bool = False
    """Whether it can't be read."""


class Times(NamedTuple):
    """The times for which all equations of a step are worked, one after the other."""

    bound: Bound
    place: TextPlace
    backward: bool = False
    starts: Mapping[str, Start] = MappingProxyType({})
    """What each quantity is before the first time, by its name."""


class Instead(NamedTuple):
    """The right side that an equation has by mistake."""

    value: Part
    place: TextPlace


class WrittenMistake(NamedTuple):
    """A common mistake in a step, by what it changes."""

    name: str
    says: str
    instead: Mapping[str, Instead]
    """The other right sides, by the names of what they make."""


class GivenArray(NamedTuple):
    """An array that is given to equations."""

    sides: tuple[str, ...]
    """The names of its sides, empty where one has none."""
    matrices: tuple[MatrixLike, ...]
    """Its matrix; of an array with three sides one for each place of the first. None where they
    can't be read."""
    where: Where

    def each(self, name: Name) -> Iterator[tuple[Name, MatrixLike]]:
        """Yields its matrices by their full names: `h[1]`, `h[2]`, … of an array with three
        sides."""
        if len(self.sides) <= _MATRIX:
            yield from ((name, matrix) for matrix in self.matrices)
            return
        for time, matrix in enumerate(self.matrices, start=1):
            yield name.at(time), matrix


class Standing(NamedTuple):
    """Where a step of a scenario's own stands in its model."""

    how: str
    """`before`, `after` or `instead_of`."""
    first: str
    """The step that it stands before, behind, or in the place of."""
    last: str
    """The last of those that it stands in the place of."""
    where: Where


class Output(NamedTuple):
    """What flows on from a step of a scenario's own."""

    name: str
    where: Where


class WrittenStep(NamedTuple):
    """A step of a scenario's own."""

    name: str
    where: Where
    lines: tuple[EquationLine, ...]
    title: str = ""
    why: str = ""
    over: Times | None = None
    mistakes: tuple[WrittenMistake, ...] = ()
    standing: Standing | None = None
    """Where it stands in a model; None behind the step above it."""
    output: Output | None = None


class WrittenModel(NamedTuple):
    """All that a scenario says in equations of its own."""

    sides: Mapping[Name, tuple[str, ...]] = MappingProxyType({})
    """The names of the sides of each array that is given to them."""
    labels: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """What the places along a side are called."""
    sizes: Mapping[str, int] = MappingProxyType({})
    """How long sides are that no array has."""
    steps: tuple[WrittenStep, ...] = ()
    vary: tuple[str, ...] | None = None
    """The arrays that have other numbers in each form of an exercise; None where that isn't
    said."""
    alone: bool = False
    """Whether there is no model besides."""

    def sides_of(self, name: Name) -> tuple[str, ...] | None:
        """Returns the names of the sides of a matrix that is given to equations, `h[1]` being one
        of those of `h`; None of any other."""
        if name in self.sides:
            return self.sides[name]
        whole = self.sides.get(name.at(None))
        return None if whole is None else whole[1:]

    @property
    def is_broken(self) -> bool:
        """Tells whether something in it can't be read."""
        return any(line.is_broken for step in self.steps for line in step.lines)

    @property
    def loss(self) -> str:
        """Returns the name of what gradients are of, where it is no loss of the model: the output
        of the last step, or without a model what the last equation makes."""
        if not self.steps:
            return ""
        last = self.steps[-1]
        made = last.lines[-1].equation.target.name if self.alone else ""
        return made if last.output is None else last.output.name
