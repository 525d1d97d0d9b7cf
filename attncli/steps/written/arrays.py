"""What the equations of a scenario know: arrays with their sides, own functions, and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from attncli.maths.equations.language import Bound, EquationError, Part
from attncli.names import Name
from attncli.scenario.file.problems import nearest
from attncli.scenario.written import Start
from attncli.trace.axes import LABELS, dimensions
from attncli.trace.quantity import Axis

MOST_SIDES = 2
"""The most sides of a matrix."""


class ArraySide(NamedTuple):
    """A side of an array."""

    length: int
    name: str = ""
    labels: tuple[str, ...] = ()
    """What its places are called; none where they are only counted."""
    role: str = LABELS
    """What these are the names of."""

    @property
    def axis(self) -> Axis:
        if len(self.labels) == self.length:
            return Axis(self.labels, self.role)
        return dimensions(self.length)


class KnownArray(NamedTuple):
    """An array, list or number that is given or made."""

    name: Name
    """Its full name; of what is made for each t, that of all of them."""
    sides: tuple[ArraySide, ...] = ()
    """All of its sides, of what is made for each t that one first."""
    times: tuple[int, ...] = ()
    """The times for which it is a quantity each, where it is one."""
    lies: bool = False
    """Whether a list is a row, and not a column."""

    @property
    def shape(self) -> tuple[int, int]:
        """Returns how many rows and columns one quantity has."""
        lengths = [side.length for side in self.each]
        if len(lengths) == 1 and not self.lies:
            lengths.append(1)
        rows, columns = [1, 1, *lengths][-2:]
        return rows, columns

    @property
    def each(self) -> tuple[ArraySide, ...]:
        """Returns the sides of one quantity."""
        return self.sides[1:] if self.times else self.sides


def in_words(sides: Sequence[ArraySide]) -> str:
    """Writes sides in words: `3 × 2`, `a list of 3`, `a number`; a length of 0 isn't known."""
    lengths = [str(side.length) for side in sides]
    if not all(side.length for side in sides):
        return "a list" if len(sides) == 1 else "a matrix"
    if len(sides) > 1:
        return " × ".join(lengths)
    return f"a list of {lengths[0]}" if lengths else "a number"


class OwnFunction(NamedTuple):
    """A function of numbers that the scenario defines."""

    parameters: tuple[str, ...]
    value: Part


@dataclass(frozen=True)
class Moment:
    """A time for which the equations of a step are worked."""

    index: str
    now: int
    order: tuple[int, ...]
    """All times, from the first one on."""
    starts: Mapping[str, Start]

    @property
    def before(self) -> int:
        """Returns the time before this one; of the first, the time at which all starts."""
        return self.now - 1 if self.order[0] == 1 else self.now + 1

    @property
    def beginning(self) -> int:
        """Returns the time before the first one."""
        return 0 if self.order[0] == 1 else self.order[0] + 1


@dataclass
class Environment:
    """All that an equation may use."""

    arrays: dict[str, KnownArray] = field(default_factory=dict)
    functions: dict[str, OwnFunction] = field(default_factory=dict)
    sides: dict[str, ArraySide] = field(default_factory=dict)
    """The named sides."""
    later: frozenset[str] = frozenset()
    """The names of all that the scenario makes, which is further down where it isn't known yet."""
    counted: set[int] = field(default_factory=set)
    """The lengths for which the places along a side are there."""
    pending: frozenset[str] = frozenset()
    """The names of what isn't made yet at the time that is worked."""
    broken: set[str] = field(default_factory=set)
    """The names of what can't be made, so that nothing that reads it is complained of."""

    is_partly_read: bool = False
    """Whether something can't be read, and so may make what nothing else does."""

    def bounded(self, index: str) -> str:
        """Says how to tell how far an index goes."""
        if self.sides:
            return f"write {index} in {next(iter(self.sides))}"
        return f"write {index} in n, and beside given sizes: {{n: 2}}"

    def no_side(self, bound: Bound) -> EquationError:
        """Makes the error of a side that nothing has."""
        if bound.side in self.broken:
            return EquationError("", "", bound.start)
        wrong = f"no side is called {bound.side}"
        if bound.side in self.arrays:
            right = f"leave in {bound.side} out: {bound.side}[{bound.name}] tells how far it goes"
            return EquationError(wrong, right, bound.start)
        right = nearest(bound.side, self.sides) if self.sides else "name it in sizes or in names"
        return EquationError(wrong, right, bound.start)
